"""Cost terms: what each form of the privacy language does to what its parts cost."""

from __future__ import annotations

import pytest

from duetpy.typecheck import types as t
from duetpy.typecheck.cost import (
    Advanced,
    Atom,
    Choice,
    Converted,
    Cost,
    Group,
    NonPrivate,
    Repeat,
    Sampled,
    Seq,
    Together,
    Zero,
    is_unbounded,
)
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from tests.typecheck.judging import accepted, costs, errors, requirements

PURE, APPROX, ZCDP = Notion.PURE, Notion.APPROX, Notion.ZCDP


def laplace(epsilon: str) -> Atom:
    return Atom("laplace", (Quantity.of(epsilon),))


def gauss(*parameters: str, notion: Notion = APPROX) -> Atom:
    return Atom("gauss", tuple(map(Quantity.of, parameters)), notion)


def size(number: int) -> Quantity:
    return Quantity.of(number)


ONE, TWO = laplace("1"), laplace("2")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("return 3.0", Zero()),
        ("laplace[1.0, 1.0] <x> { x }", ONE),
        ("laplace[5.0, 1.0] <x> { x }", ONE),
        ("laplace[auto, 1.0] <x> { 7.0 ⋅ x }", ONE),
        ("laplace[auto, 1.0] { 7.0 ⋅ x }", ONE),
        ("a ← laplace[1.0, 1.0] <x> { x } ; laplace[1.0, 2.0] <x> { x }", Seq((ONE, TWO))),
        ("a ← return 3.0 ; laplace[1.0, 2.0] <x> { x + a }", TWO),
        ("a ← laplace[1.0, 1.0] <x> { x } ; return a + a", ONE),
        ("let y = x + x in laplace[2.0, 1.0] <x> { y }", ONE),
        ("let y = box x in laplace[1.0, 1.0] <x> { unbox y }", ONE),
        ("if true then { laplace[1.0, 1.0] <x> { x } } else { laplace[1.0, 2.0] <x> { x } }", Choice((ONE, TWO))),
        ("if true then { laplace[1.0, 1.0] <x> { x } } else { laplace[1.0, 1.0] <x> { x } }", ONE),
        ("loop ℕ[3] on 0.0 <x> { i, a ⇒ laplace[1.0, 1.0] <x> { x } }", Repeat(size(3), ONE)),
        ("loop ℕ[1] on 0.0 <x> { i, a ⇒ laplace[1.0, 1.0] <x> { x } }", ONE),
        ("loop ℕ[3] on 0.0 { i, a ⇒ return a }", Zero()),
        (
            "loop ℕ[2] on 0.0 { i, a ⇒ loop ℕ[3] on a { j, b ⇒ laplace[1.0, 1.0] { x } } }",
            Repeat(size(2), Repeat(size(3), ONE)),
        ),
    ],
)
def test_one_input(text: str, wanted: Cost) -> None:
    assert costs(f"pλ . x : ℝ ⇒ {text}", PURE) == (wanted,)


@pytest.mark.parametrize(
    "text",
    [
        "return x",
        "return x - x",
        "laplace[1.0, 1.0] <y> { x + y }",
        "a ← return x ; return 3.0",
        "if x < 1.0 then { return 1.0 } else { return 2.0 }",
        "loop ℕ[3] on x <y> { i, a ⇒ laplace[1.0, 1.0] <y> { y } }",
        "loop ℕ[3] on 0.0 <y> { i, a ⇒ laplace[1.0, 1.0] { y + x } }",
        "return (sλ . z : ℝ ⇒ z + x)",
        "return (pλ . z : ℝ ⇒ laplace[1.0, 1.0] { z + x })",
        "(pλ . z : ℝ ⇒ return z)@[ . x]",
        "(pλ . z : ℝ ⇒ laplace[1.0, 1.0] <z> { z + x })@[ . y]",
    ],
)
def test_released_in_the_clear(text: str) -> None:
    assert is_unbounded(costs(f"pλ . x : ℝ, y : ℝ ⇒ {text}", PURE)[0])


def test_a_sensitivity_must_be_static() -> None:
    assert errors("pλ . x : ℝ, y : ℝ ⇒ laplace[x, 1.0] <y> { y }", PURE) == ("D0502",)


def test_advanced_composition() -> None:
    text = "pλ . x : ℝ ⇒ aloop[1e-5] ℕ[9] on 0.0 <x> { i, a ⇒ gauss[1.0, 0.5, 1e-6] <x> { x } }"
    assert costs(text) == (Advanced(size(9), Quantity.of("0.00001"), gauss("0.5", "0.000001")),)
    assert errors(text, ZCDP)


CALLEE = "let f = pλ . a : ℝ, b : ℝ ⇒ u ← laplace[1.0, 1.0] <a> { a } ; laplace[1.0, 2.0] <b> { b } in "


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ("x, 3.0", ONE),
        ("3.0, x", TWO),
        ("x, x", Together((ONE, TWO))),
        ("2.0 ⋅ x, 3.0", Group(size(2), ONE, alike=True)),
        ("0.5 ⋅ x, 3.0", ONE),
        ("2.0 ⋅ x, 3.0 ⋅ x", Together((Group(size(2), ONE, alike=True), Group(size(3), TWO, alike=True)))),
        ("0.0 ⋅ x, 3.0", Zero()),
        ("x ⋅ x, 3.0", NonPrivate("can change by an unbounded number of steps")),
    ],
)
def test_a_call(arguments: str, wanted: Cost) -> None:
    (cost,) = costs(f"{CALLEE} pλ . x : ℝ ⇒ f@[ . {arguments}]", PURE)
    assert is_unbounded(cost) if isinstance(wanted, NonPrivate) else cost == wanted


def test_aligned_views_of_one_table_are_one_argument() -> None:
    callee = (
        "let f = pλ m : ℕ . ⟨a : 𝕄 [L∞, U | m, 1⋅𝔻], b : 𝕄 [L∞, U | m, 1⋅𝔻]⟩ ⇒ "
        "laplace[1.0, 1.0] <a, b> { clip[0.0, 1.0] a#[0, 0] } in "
    )
    table = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, p : 𝔻 ∷ q : 𝔻 ∷ []] ⇒ "
    assert costs(f"{callee}{table}f@[ . xs.[p], xs.[q]]", PURE) == (ONE,)
    assert costs(f"{callee}{table}f@[ . mclip[L2] xs.[p], mmap xs.[q] {{ v ⇒ v + v }}]", PURE) == (ONE,)
    # Shifted rows are another matter: one row of the table moves two rows of the pair.
    shifted = "mcreate[L∞ | rows xs, ℕ[1]] { i, j ⇒ xs#[0, 1] }"
    (cost,) = costs(f"{callee}{table}f@[ . xs.[p], {shifted}]", PURE)
    assert isinstance(cost, Group)


def test_separate_tables_are_not_one_argument() -> None:
    callee = (
        "let f = pλ . ⟨a : 𝕄 [L∞, U | 3, 1⋅𝔻], b : 𝕄 [L∞, U | 3, 1⋅𝔻]⟩ ⇒ "
        "laplace[1.0, 1.0] { clip[0.0, 1.0] a#[0, 0] } in "
    )
    program = f"{callee}pλ . xs : 𝕄 [L∞, U | 3, 1⋅𝔻], ys : 𝕄 [L∞, U | 3, 1⋅𝔻] ⇒ f@[ . xs, ys]"
    assert costs(program, PURE) == (ONE, ONE)


PARTS = "{ r ⇒ r#[0, 0] } { k, t ⇒ laplace[1.0, 1.0] <t> { real (rows t) } }"


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [("★", ONE), ("9", Group(size(2), ONE))],
)
def test_parallel(rows: str, wanted: Cost) -> None:
    assert costs(f"pλ . xs : 𝕄 [L∞, U | {rows}, 1⋅𝔻] ⇒ parallel[xs, ℘{{disc 1.0}}] {PARTS}", PURE) == (wanted,)


def test_private_keys_are_seen() -> None:
    program = f"pλ . d : 𝔻, xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ parallel[xs, ℘{{d}}] {PARTS}"
    first, second = costs(program, PURE)
    assert is_unbounded(first)
    assert second == ONE


def test_what_the_key_of_a_row_depends_on_is_seen() -> None:
    """It decides for all rows at once in which part they are."""
    key = "{ r ⇒ if d < 1.0 then r#[0, 0] else disc 0.0 }"
    program = f"pλ . d : 𝔻, xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ parallel[xs, ℘{{disc 1.0}}] {key} {PARTS.partition('}')[2]}"
    first, second = costs(program, PURE)
    assert is_unbounded(first)
    assert second == ONE


def test_rows_that_move_a_little_are_not_put_into_parts() -> None:
    """Of a fixed number of rows each may move by 1/100 in a real column, all in one step: none is the row that it was."""
    wanted = {"★": (), "9": ("D0414",)}
    for rows, codes in wanted.items():
        text = f"pλ . xs : 𝕄 [L∞, U | {rows}, 𝔻 ∷ ℝ ∷ []] ⇒ parallel[xs, ℘{{disc 1.0}}] {PARTS}"
        assert errors(text, PURE) == codes


def test_keys_are_of_the_type_of_the_keys() -> None:
    assert errors(f'pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ parallel[xs, ℘{{"a"}}] {PARTS}', PURE) == ("D0201",)


def test_conversions() -> None:
    text = "pλ . x : ℝ ⇒ ZCDP[1e-6] { gauss[1.0, 0.5] <x> { x } }"
    assert costs(text) == (Converted(ZCDP, Quantity.of("0.000001"), gauss("0.5", notion=ZCDP)),)
    assert costs("pλ . x : ℝ ⇒ EPSDP { laplace[1.0, 1.0] <x> { x } }") == (Converted(PURE, None, ONE),)
    assert errors("pλ . x : ℝ ⇒ ZCDP { gauss[1.0, 0.5] <x> { x } }") == ("D0409",)
    assert errors("pλ . x : ℝ ⇒ ZCDP[1e-6] { gauss[1.0, 0.5] <x> { x } }", PURE) == ("D0409",)


def test_samples() -> None:
    table = "pλ . xs : 𝕄 [L∞, U | {}, 1⋅𝔻] ⇒ {} xs {{ s ⇒ laplace[1.0, 1.0] <s> {{ clip[0.0, 1.0] s#[0, 0] }} }}"
    assert costs(table.format("100", "sample[ℕ[5]]"), PURE) == (Sampled("sample", Quantity.of("0.05"), ONE),)
    poisson = "pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ poisson[0.05] xs { s ⇒ laplace[1.0, 1.0] <s> { real (rows s) } }"
    assert costs(poisson, PURE) == (Sampled("poisson", Quantity.of("0.05"), ONE),)
    assert errors(poisson.replace("★", "100"), PURE)
    assert errors(table.format("★", "sample[ℕ[5]]"), PURE)


def test_a_function_of_another_notion_is_not_called() -> None:
    text = "let f = pλ . a : ℝ ⇒ laplace[1.0, 1.0] <a> { a } in pλ . x : ℝ ⇒ ZCDP[1e-6] { f@[ . x] }"
    assert errors(text) == ("D0410",)


def test_a_written_privacy_type_is_a_promise() -> None:
    given = "sλ . f : ∀ . ℝ@{} ⊸⋆ ℝ ⇒ pλ . x : ℝ ⇒ f@[ . x]"
    type_ = accepted(given.format("2.0"), PURE)
    assert isinstance(type_, t.Fun)
    assert isinstance(type_.codomain, t.PFun)
    # The function is an input of its own, so a call spends it for good.
    assert type_.sensitivity.is_infinite


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <x> { x }", ()),
        ("pλ δ : ℝ⁺ . x : ℝ, δ : ℝ⁺[δ] ⇒ gauss[1.0, 1.0, δ] <x> { x }", ("δ < 1",)),
        ("pλ δ : ℝ⁺ . x : ℝ, δ : ℝ⁺[δ] ⇒ ZCDP[δ] { gauss[1.0, 1.0] <x> { x } }", ("δ < 1",)),
        (
            "pλ δ : ℝ⁺ . x : ℝ, δ : ℝ⁺[δ] ⇒ aloop[δ] ℕ[3] on 0.0 <x> { i, a ⇒ laplace[1.0, 1.0] <x> { x } }",
            ("δ < 1",),
        ),
        (
            "pλ b : ℕ, m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], b : ℕ[b] ⇒ "
            "sample[b] xs { s ⇒ laplace[1.0, 1.0] <s> { clip[0.0, 1.0] s#[0, 0] } }",
            ("b ≤ m",),
        ),
        (
            "pλ q : ℝ⁺ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], q : ℝ⁺[q] ⇒ poisson[q] xs { s ⇒ laplace[1.0, 1.0] <s> { real (rows s) } }",
            ("q ≤ 1",),
        ),
        ("sλ b : ℕ, m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], b : ℕ[b] ⇒ chunks[b, xs]", ("b ∣ m",)),
        ("sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ xs#[4, 0]", ("5 ≤ m",)),
        ("sλ . xs : 𝕄 [L∞, U | 9, 1⋅𝔻] ⇒ xs#[4, 0]", ()),
        ("sλ a : ℝ⁺ . x : ℝ, a : ℝ⁺[a] ⇒ clip[0.0, a] x", ()),
    ],
)
def test_what_only_the_numbers_of_a_run_can_decide(text: str, wanted: tuple[str, ...]) -> None:
    accepted(text)
    assert requirements(text) == wanted


def test_a_renyi_order_is_above_1() -> None:
    text = "pλ α : ℝ⁺ . x : ℝ, α : ℝ⁺[α] ⇒ gauss[1.0, α, 1.0] <x> { x }"
    assert requirements(text, Notion.RENYI) == ("1 < α",)


@pytest.mark.parametrize(
    "text",
    [
        "sλ . x : ℝ ⇒ mclip[L2, 0.0] (mcreate[L2 | ℕ[1], ℕ[1]] { i, j ⇒ x })",
        "sλ . x : ℝ ⇒ mclip[L2, ℝ[-1.0]] (mcreate[L2 | ℕ[1], ℕ[1]] { i, j ⇒ x })",
        "sλ . x : ℝ ⇒ clip[5.0, 0.0] x",
        "sλ . x : ℝ ⇒ clip[0.0, x] x",
        "sλ . xs : 𝕄 [L∞, U | 3, 1⋅𝔻] ⇒ xs#[3, 0]",
        "sλ . xs : 𝕄 [L∞, U | 3, 1⋅𝔻] ⇒ xs#[0, 1]",
        "sλ . xs : 𝕄 [L∞, U | 3, 1⋅𝔻] ⇒ chunks[ℕ[2], xs]",
        "sλ . x : ℝ ⇒ mcreate[L1 | ℕ[0], ℕ[1]] { i, j ⇒ x }",
        "pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ poisson[1.5] xs { s ⇒ laplace[1.0, 1.0] <s> { real (rows s) } }",
        "sλ . x : ℝ ⇒ (sλ n : ℕ . k : ℕ[n] ⇒ real k ⋅ x) ℕ[0]",
    ],
)
def test_a_side_condition_that_fails_is_an_error(text: str) -> None:
    assert errors(text)
