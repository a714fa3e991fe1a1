"""``opaque`` and ``given``: what is known of code that nobody has seen, and of a mechanism that is taken on trust."""

from __future__ import annotations

import pytest

from duetpy.typecheck.cost import Given, Group, Together, is_unbounded
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from tests.typecheck.judging import costs, errors, in_the_clear, requirements, sensitivities

PURE = Notion.PURE
ROW = "𝕄 [L∞, U | 1, 2⋅𝔻]"


@pytest.mark.parametrize(
    ("domain", "result", "sensitivity"),
    [
        ("𝔻", "𝔻", "1"),
        ("𝔻", "𝐝 𝕊", "1"),
        ("𝔻", "𝔹", "1"),
        ("ℕ", "𝐝 ℕ", "1"),
        ("𝕊", ROW, "1"),
        ("𝔻", "𝕄 [L∞, L2 | 1, 2⋅𝔻]", "1"),
        # Not one row in L∞: every entry, and every row, may differ.
        ("𝔻", "𝕄 [L1, U | 1, 2⋅𝔻]", "2"),
        ("𝔻", "𝕄 [L∞, U | 3, 2⋅𝔻]", "3"),
        ("𝔻", "𝔻 × 𝔻", "2"),
        # Into the reals, or from them, nothing is known.
        ("𝔻", "ℝ", "∞"),
        ("𝔻", "ℕ", "∞"),
        ("ℝ", "𝔻", "∞"),
        ("ℝ × 𝔻", "𝔻", "∞"),
        ("𝔻", "𝕄 [L∞, U | ★, 2⋅𝔻]", "∞"),
        ("𝕄 [L∞, U | ★, 2⋅ℝ]", "𝔻", "∞"),
    ],
)
def test_only_the_types_of_foreign_code_are_known(domain: str, result: str, sensitivity: str) -> None:
    assert sensitivities(f'sλ x : {domain} ⇒ (opaque "m:f" : ({domain}) ⊸ ({result})) x') == (sensitivity,)


def test_each_argument_has_a_sensitivity_of_its_own() -> None:
    text = 'sλ x : 𝔻, y : ℝ, z : 𝔻 ⇒ (opaque "m:f" : 𝔻 ⊸ ℝ ⊸ 𝔻 ⊸ 𝔻) x y z'
    assert sensitivities(text) == ("1", "∞", "1")
    assert sensitivities('sλ x : 𝔻 ⇒ (opaque "m:f" : 𝔻 ⊸ 𝔻 ⊸ 𝔻) x x') == ("1",), "the diameter lemma"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # A claim that no one can know.
        ('sλ x : ℝ ⇒ (opaque "m:f" : ℝ ⊸[1] ℝ) x', "D0321"),
        ('sλ x : 𝔻 ⇒ (opaque "m:f" : 𝔻 ⊸[0] 𝔻) x', "D0321"),
        ('sλ x : 𝔻 ⇒ (opaque "m:f" : 𝔻 ⊸[1] 𝔻 × 𝔻) x', "D0321"),
        # A number in the type of a result would be believed.
        ('sλ x : ℝ ⇒ (opaque "m:f" : ℝ ⊸ ℝ⁺[1.0]) x', "D0320"),
        ('sλ x : ℝ ⇒ (opaque "m:f" : ℝ ⊸ ℕ[3]) x', "D0320"),
        # What is in a box or behind a function has not been charged.
        ('sλ x : ℝ ⇒ sλ y : ℝ ⇒ (opaque "m:f" : (box[x@1] ℝ) ⊸ 𝔻) (box x)', "D0320"),
        ('opaque "m:f" : 𝔻? ⊸ 𝔻', "D0320"),
        ('opaque "m:f" : 𝔻 ⊸ 𝔻?', "D0320"),
        ('opaque "m:f" : 𝕄 [L∞, U | 2, 1⋅𝔻?] ⊸ 𝔻', "D0320"),
        ('sλ x : ℝ ⇒ sλ y : ℝ ⇒ (opaque "m:f" : (𝔻 × box[x@1] ℝ) ⊸ 𝔻) ⟨y, box x⟩', "D0320"),
        ('sλ x : ℝ ⇒ (opaque "m:f" : (∀ . ℝ ⊸[1] ℝ) ⊸ 𝔻) (sλ y : ℝ ⇒ y + x)', "D0320"),
        ('sλ x : 𝔻 ⇒ (opaque "m:f" : 𝔻 ⊸ (∀ a : ℕ . ℕ[a] ⊸[1] 𝔻)) x', "D0320"),
        ('sλ a : ☆K . x : a ⇒ (opaque "m:f" : a ⊸ 𝔻) x', "D0320"),
        ('opaque "m:f" : ℝ', "D0320"),
        ('sλ x : ℝ ⇒ (opaque "m" : ℝ ⊸ ℝ) x', "D0320"),
        ('sλ x : ℝ ⇒ (opaque "m:f();g" : ℝ ⊸ ℝ) x', "D0320"),
    ],
)
def test_what_cannot_be_known_cannot_be_claimed(text: str, code: str) -> None:
    assert code in errors(text)


def test_a_written_sensitivity_that_is_too_large_is_only_tightened() -> None:
    assert sensitivities('sλ x : 𝔻 ⇒ (opaque "m:f" : 𝔻 ⊸[7] 𝔻) x') == ("1",)


# ---------------------------------------------------------------------------------------------------------------------
# given

X = 'pλ . x : ℝ ⇒ given[1.0] <x> { (opaque "m:f" : ℝ ⊸ ℝ) x }'


def test_a_promise_is_charged_as_it_stands() -> None:
    assert costs(X, PURE) == (Given(PURE, (Quantity.of(1),)),)


@pytest.mark.parametrize(
    ("notion", "parameters", "count"),
    [
        (Notion.PURE, "1.0", 1),
        (Notion.APPROX, "1.0, 0.1", 2),
        (Notion.RENYI, "2.0, 1.0", 2),
        (Notion.ZCDP, "1.0", 1),
        (Notion.TCDP, "1.0, 2.0", 2),
        (Notion.GDP, "1.0", 1),
        (Notion.RAO, "1.0", 1),
    ],
)
def test_every_notion_has_its_own_parameters(notion: Notion, parameters: str, count: int) -> None:
    (cost,) = costs(X.replace("1.0]", f"{parameters}]"), notion)
    assert isinstance(cost, Given)
    assert cost.notion is notion
    assert len(cost.params) == count


def test_in_approximate_privacy_epsilon_alone_is_pure() -> None:
    assert costs(X, Notion.APPROX) == (Given(PURE, (Quantity.of(1),)),)


def test_an_input_that_moves_further_pays_for_its_steps() -> None:
    (cost,) = costs("pλ . x : ℝ ⇒ let y = 3.0 ⋅ x in given[1.0] <y> { y }", PURE)
    assert cost == Group(Quantity.of(3), Given(PURE, (Quantity.of(1),)))


def test_an_input_of_two_listed_names_pays_for_a_move_of_both() -> None:
    (cost,) = costs("pλ . x : ℝ ⇒ let y = x + 1.0 in given[1.0] <x, y> { x + y }", PURE)
    assert isinstance(cost, Together)
    assert len(cost.parts) == 2


def test_aligned_tables_are_one_input() -> None:
    text = (
        "pλ m : ℕ . ⟨xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻]⟩ ⇒ given[1.0] <xs, ys> "
        '{ (opaque "m:f" : 𝕄 [L∞, U | m, 1⋅𝔻] ⊸ 𝕄 [L∞, U | m, 1⋅𝔻] ⊸ ℝ) xs ys }'
    )
    assert costs(text, PURE) == (Given(PURE, (Quantity.of(1),)),) * 2


def test_how_many_rows_a_listed_table_has_is_what_is_listed() -> None:
    """A filter of a fixed table loses and gains a row; the number of its rows is no other way to the input."""
    text = (
        "pλ . xs : 𝕄 [L∞, U | 3, 1⋅𝔻] ⇒ let y = mfilter xs { r ⇒ r#[0, 0] < 1.0 } in given[1.0] <y> { real (rows y) }"
    )
    assert costs(text, Notion.PURE) == (Group(Quantity.of(2), Given(Notion.PURE, (Quantity.of(1),))),)


def test_unaligned_tables_are_two() -> None:
    text = (
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ given[1.0] <xs, ys> "
        '{ (opaque "m:f" : 𝕄 [L∞, U | m, 1⋅𝔻] ⊸ 𝕄 [L∞, U | m, 1⋅𝔻] ⊸ ℝ) xs ys }'
    )
    assert costs(text, PURE) == (Given(PURE, (Quantity.of(1),)),) * 2


@pytest.mark.parametrize(
    "text",
    [
        # The body looks at what is not listed: directly, by another name, from a box, through a function.
        "pλ . x : ℝ, y : ℝ ⇒ given[1.0] <y> { x + y }",
        "pλ . x : ℝ, y : ℝ ⇒ let z = x in given[1.0] <y> { z + y }",
        "pλ . x : ℝ, y : ℝ ⇒ let z = box x in given[1.0] <y> { unbox z + y }",
        "pλ . x : ℝ, y : ℝ ⇒ let f = sλ . z : ℝ ⇒ z + x in given[1.0] <y> { f y }",
        # A let of the listed input is not the listed input.
        "pλ . x : ℝ ⇒ let z = x in given[1.0] <x> { z }",
        # The listed name is shadowed inside by nothing private, and used outside of the promise as well.
        "pλ . x : ℝ ⇒ a ← given[1.0] <x> { x } ; return a + x",
        # A move that no number of steps makes.
        "pλ . x : ℝ ⇒ let z = x ⋅ x in given[1.0] <z> { z }",
        "pλ . x : ℝ ⇒ let z = if x < 0.0 then 1.0 else 2.0 in given[1.0] <z> { z }",
    ],
)
def test_nothing_is_laundered_through_a_promise(text: str) -> None:
    assert in_the_clear(text, PURE)


def test_a_function_that_captured_an_input_carries_it_into_the_list() -> None:
    (cost,) = costs("pλ . x : ℝ ⇒ let f = sλ . z : ℝ ⇒ z + x in given[1.0] <f> { f 0.0 }", PURE)
    assert cost == Given(PURE, (Quantity.of(1),))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("pλ . x : ℝ ⇒ given[1.0] { x }", "D0430"),
        ("pλ . x : ℝ ⇒ f ← given[1.0] <x> { sλ . z : ℝ ⇒ z + x } ; return 0.0", "D0430"),
        ("pλ . x : ℝ ⇒ f ← given[1.0] <x> { pλ . z : ℝ ⇒ return x } ; f@[ . 0.0]", "D0430"),
        ("pλ . x : ℝ ⇒ given[1.0] <x> { ⟨1.0, sλ . z : ℝ ⇒ x⟩ }", "D0430"),
        ("pλ . x : ℝ ⇒ given[1.0] <x> { box x }", "D0103"),
        ("pλ . x : ℝ ⇒ given[1.0, 0.1] <x> { x }", "D0402"),
        ("pλ . x : ℝ ⇒ given[auto] <x> { x }", "D0402"),
        ("pλ . x : ℝ ⇒ given[0.0] <x> { x }", "D0501"),
        ("pλ . x : ℝ, e : ℝ ⇒ given[e] <x> { x }", "D0502"),
    ],
)
def test_a_promise_that_says_too_little_is_refused(text: str, code: str) -> None:
    assert code in errors(text, PURE)


def test_the_numbers_of_a_promise_are_held_to_their_ranges() -> None:
    text = "pλ ε : ℝ⁺, δ : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε], δ : ℝ⁺[δ] ⇒ given[ε, δ] <x> { x }"
    assert requirements(text, Notion.APPROX) == ("δ < 1",)
    assert "D0501" in errors("pλ . x : ℝ ⇒ given[1.0, 2.0] <x> { x }", Notion.APPROX)
    assert "D0501" in errors("pλ . x : ℝ ⇒ given[1.0, 2.0] <x> { x }", Notion.RENYI)


def test_repeated_promises_add_up() -> None:
    (cost,) = costs("pλ . x : ℝ ⇒ loop ℕ[3] on 0.0 <x> { i, a ⇒ given[1.0] <x> { x + a } }", PURE)
    assert not is_unbounded(cost)
    assert "Repeat" in str(cost)
