"""A call of a privacy function leaves out what the range of a column says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from duetpy import Checked, parse
from duetpy.typecheck import core
from duetpy.typecheck.check import Typed
from duetpy.typecheck.quantity import Quantity

SUM = "laplace[auto, 1.0] <xs> { mfold-row 0.0, xs { s, x ⇒ s + clip[0.0, w] (x#[0, 0] - disc lo) } }"
PARAMS = "xs : bag 𝔻 in [lo, lo + w], lo : ℝ, static w : ℝ⁺"
F = f"let f = pλ {PARAMS} ⇒ {SUM} in"


def checked(text: str) -> Checked:
    return parse(text, notion="eps").check()


def codes(text: str) -> list[str]:
    _, diagnostics = parse(text, notion="eps").try_check()
    return [found.code for found in diagnostics]


def typed(text: str) -> Typed:
    found = parse(text, notion="eps").typed
    assert found is not None
    assert found.ok, found.diagnostics
    return found


def arguments(text: str) -> list[tuple[Any, ...]]:
    """What each call gives, by its numbers."""
    calls = [node for node in core.nodes(typed(text).core) if isinstance(node, core.PApp)]
    return [tuple(getattr(each, "value", None) for each in call.args[1:]) for call in calls]


@pytest.mark.parametrize(
    ("params", "given", "range_", "numbers"),
    [
        (PARAMS, "", "[20, 120]", (20, 100)),
        (PARAMS, "", "[-120, -20]", (-120, 100)),
        (PARAMS, "", "[-0.5, 0.25]", (Fraction(-1, 2), Fraction(3, 4))),
        ("xs : bag 𝔻 in [-w, w], static w : ℝ⁺", "", "[-7, 3]", (7,)),
        ("xs : bag 𝔻 in [-w, w], static w : ℝ⁺", "", "[-3, 7]", (7,)),
        ("xs : bag 𝔻 in [-w, w], static w : ℝ⁺", "", "[-7, -3]", (7,)),
        # The others keep their order, wherever the numbers of the range stand.
        ("xs : bag 𝔻 in [lo, lo + w], n : ℕ, lo : ℝ, b : ℝ, static w : ℝ⁺", ", 3, 5.0", "[1, 9]", (3, 1, 5, 8)),
    ],
)
def test_a_call_is_the_one_with_the_numbers_of_the_range(
    params: str, given: str, range_: str, numbers: tuple[Any, ...]
) -> None:
    body = "laplace[auto, 1.0] <xs> { real (rows xs) ⊓ w }"
    text = f"let f = pλ {params} ⇒ {body} in pλ . ys : bag 𝔻 in {range_} ⇒ f@[ . ys{given}]"
    assert arguments(text) == [numbers]


def test_a_step_is_the_width_over_the_number_of_steps() -> None:
    f = (
        "let f = pλ xs : bag 𝔻 in [lo, lo + k ⋅ step], lo : ℝ, step : ℝ, static k : ℕ ⇒ "
        "n ← laplace[1.0, 1000000.0] <xs> { real (rows xs) } ; return ⟨lo, step⟩ in"
    )
    for k, found in ((8, 0.25), (4, 0.5)):
        run = checked(f"{f} pλ . ys : bag 𝔻 in [-1, 1] ⇒ f[{k}] ys").run(ys=[[0.5]])
        assert run.result == (-1.0, found)
    run = checked(f"{f} pλ . ys : bag 𝔻 in [-1, 1], static n : ℕ ⇒ f[n] ys").run(ys=[[0.5]], n=8)
    assert run.result == (-1.0, 0.25)


def test_it_costs_what_the_written_call_costs() -> None:
    short, long = (typed(f"{F} pλ . ys : bag 𝔻 in [-3, 2] ⇒ f@[ . {args}]") for args in ("ys", "ys, -3, 5"))
    assert short.type == long.type
    assert [(site.sensitivity, site.atom) for site in short.releases] == [
        (site.sensitivity, site.atom) for site in long.releases
    ]
    assert short.releases[0].sensitivity == Quantity.of(5)


def test_a_call_may_give_the_numbers_itself() -> None:
    assert arguments(f"{F} pλ . ys : bag 𝔻 in [-3, 2] ⇒ f@[ . ys, 0, 1]") == [(0, 1)]
    assert arguments(f"{F} pλ . ys : bag 𝔻 ⇒ f[0, 1] ys") == [(0, 1)]


def test_calls_with_columns_of_other_ranges_are_other_calls() -> None:
    text = f"{F} pλ . ys : 𝔻𝔽[a : 𝔻 in [0, 1], b : 𝔻 in [5, 9]] ⇒ u ← f@[ . ys.[a]] ; f@[ . ys.[b]]"
    assert sorted(arguments(text)) == [(0, 1), (5, 4)]


@pytest.mark.parametrize(
    "column",
    [
        "mfilter ys { y ⇒ y.a < 1.0 }",
        "bmap ys { y ⇒ y.a }",
        "bmap ys { y ⇒ y.b or-else 2.0 }",
        "addColDF⧼c⧽ (bmap ys { y ⇒ y.b or-else 2.0 })",
    ],
)
def test_a_range_stays_with_the_cells(column: str) -> None:
    text = f"{F} pλ . ys : 𝔻𝔽[a : 𝔻 in [0, 2]], zs : 𝔻𝔽[a : 𝔻 in [0, 2], b : 𝔻? in [0, 2]] ⇒ let c = COLUMN in f@[ . c]"
    name = "zs" if ".b" in column else "ys"
    assert arguments(text.replace("COLUMN", column.replace("ys", name))) == [(0, 2)]


def test_static_numbers_of_rows_are_no_range() -> None:
    assert codes(f"{F} pλ . ys : bag 𝔻 in [0, 2] ⇒ let c = bmap ys {{ y ⇒ disc 1.0 }} in f@[ . c]") == ["D0412"]


@pytest.mark.parametrize(
    ("column", "code"),
    [
        ("bag 𝔻", "D0412"),
        ("bag 𝕊", "D0412"),
        ("bag (𝔻? in [0, 2])", "D0412"),
        ("𝔻𝔽[a : 𝔻 in [0, 2], b : 𝔻 in [0, 2]]", "D0201"),
        ("𝔻𝔽[a : 𝔻 in [0, 2], b : 𝔻 in [0, 3]]", "D0201"),
        ("bag 𝔻 in [2, 2]", "D0501"),
    ],
)
def test_a_column_that_says_no_width_is_refused(column: str, code: str) -> None:
    assert codes(f"{F} pλ . ys : {column} ⇒ f@[ . ys]") == [code]


@pytest.mark.parametrize(
    ("type_", "column", "known"),
    [
        (
            "𝔻𝔽[a : 𝔻? in [1, 2]]",
            "ys.[a]",
            "bmap (mfilter ys.[a] { row ⇒ ¬ (is-missing row.a) }) { row ⇒ row.a or-else 1 }",
        ),
        (
            "bag (𝔻? in [0, 2])",
            "ys",
            "bmap (mfilter ys { row ⇒ ¬ (is-missing row#[0, 0]) }) { row ⇒ row or-else 0 }",
        ),
    ],
)
def test_a_column_with_missing_cells_is_not_said_to_lack_a_range(type_: str, column: str, known: str) -> None:
    text = f"{F} pλ . ys : {type_} ⇒ "
    _, (found,) = parse(f"{text} f@[ . {column}]", notion="eps").try_check()
    assert found.message == "this call leaves out lo and w, but the cells of the column may be missing"
    assert found.help == f"leave out the rows without a value: let known = {known} in …"
    assert codes(f"{text} let known = {known} in f@[ . known]") == []
    _, (given,) = parse(f"{text} f@[ . {column}, 0, 2]", notion="eps").try_check()
    assert (given.code, given.help) == ("D0201", found.help)


def test_a_table_with_several_columns_is_not_said_to_lack_a_range() -> None:
    _, (found,) = parse(f"{F} pλ . ys : 𝔻𝔽[a : 𝔻 in [0, 2], b : 𝔻 in [0, 3]] ⇒ f@[ . ys]", notion="eps").try_check()
    assert found.help == "choose one column: ys.[a]"


def test_the_message_names_what_is_left_out() -> None:
    _, (found,) = parse(f"{F} pλ . ys : 𝔻𝔽[a : 𝔻] ⇒ f@[ . ys.[a]]", notion="eps").try_check()
    assert found.message == "this call leaves out lo and w, but the type of the column has no range"
    assert found.span.text == "ys.[a]"
    assert found.help == "write a range where the column is declared, or give lo and w in the call"


@pytest.mark.parametrize(
    "params",
    [
        "xs : bag 𝔻 in [lo, lo + w], lo : ℝ, w : ℝ",  # not static
        "xs : bag 𝔻 in [lo, hi], lo : ℝ, static hi : ℝ⁺",
        "xs : bag 𝔻 in [lo, 1 + w], lo : ℝ, static w : ℝ⁺",
        "xs : bag 𝔻 in [lo, lo + w], lo : 𝔻, static w : ℝ⁺",
        "xs : bag 𝔻 in [-w, v], static w : ℝ⁺, static v : ℝ⁺",
        "xs : bag 𝔻 in [lo, lo + w], static w : ℝ⁺",  # who says lo
        "xs : bag 𝔻 in [lo, lo + k ⋅ s], lo : ℝ, s : ℝ, k : ℕ",
        "xs : 𝔻𝔽[a : 𝔻 in [lo, lo + w]], lo : ℝ, static w : ℝ⁺",
        "⟨xs : bag 𝔻 in [lo, lo + w], ys : bag 𝔻⟩, lo : ℝ, static w : ℝ⁺",
        # One number for two columns: which would say it?
        "xs : bag 𝔻 in [-w, w], ys : bag 𝔻 in [-w, w], static w : ℝ⁺",
    ],
)
def test_other_ends_are_refused(params: str) -> None:
    found = codes(f"let f = pλ {params} ⇒ return 1.0 in pλ . x : ℝ ⇒ return 1.0")
    assert set(found) == {"D0222"}


def test_the_program_itself_has_ranges_of_numbers_only() -> None:
    assert set(codes(f"pλ {PARAMS} ⇒ return 1.0")) == {"D0222"}
    assert set(codes(f"def main = pλ {PARAMS} ⇒ return 1.0")) == {"D0222"}


def test_the_body_knows_nothing_of_the_range() -> None:
    body = "laplace[w, 1.0] <xs> { mfold-row 0.0, xs { s, x ⇒ s + (conv x#[0, 0] - lo) } }"
    assert codes(f"let f = pλ {PARAMS} ⇒ {body} in pλ . ys : bag 𝔻 in [0, 2] ⇒ f@[ . ys]") == ["D0303"]


def test_a_function_may_be_handed_on() -> None:
    text = f"{F} let g = f in pλ . ys : bag 𝔻 in [1, 4] ⇒ g@[ . ys]"
    assert arguments(text) == [(1, 3)]
    text = f"let h = pλ {PARAMS} ⇒ {SUM} in {F} let g = if 1 ≡ 1 then f else h in pλ . ys : bag 𝔻 in [1, 4] ⇒ g@[ . ys]"
    assert arguments(text) == [(1, 3)]


def test_any_discrete_columns_are_counted() -> None:
    f = "let f = pλ ς : ☆K . t : 𝕄 [L∞, U | ★, 𝐝 ς] ⇒ laplace[1.0, 1.0] <t> { real (rows t) } in"
    for table in ("𝔻𝔽[a : 𝔻, b : 𝕊, c : Date, d : 𝔻? in [0, 1]]", "bag 𝕊", "persons[p : 𝕊 | v : 𝔻𝔽[a : 𝔻]]"):
        assert checked(f"{f} pλ . ys : {table} ⇒ f@[ . ys]").parameters["ys"].cost == {"epsilon": "1"}
    for table in ("bag ℝ", "𝕄 [L∞, U | ★, a : ℝ ∷ b : 𝕊 ∷ []]"):
        assert codes(f"{f} pλ . ys : {table} ⇒ f@[ . ys]") == ["D0201"]
    assert checked(f"{f} pλ m : ℕ . ys : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ f@[ . ys]").parameters["ys"].cost == {"epsilon": "2"}


@pytest.mark.parametrize(
    "body",
    [
        "laplace[1.0, 1.0] <t> { mfold-row 0.0, t { s, r ⇒ s + clip[0.0, 1.0] r#[0, 0] } }",
        "laplace[1.0, 1.0] <t> { real (rows (mfilter t { r ⇒ r ≡ r })) }",
        "laplace[1.0, 1.0] <t> { real (cols t) }",
        "laplace[1.0, 1.0] <t> { real (rows (mconv t)) }",
        "parallel[t, ℘{0.0}] { r ⇒ r } { k, p ⇒ laplace[1.0, 1.0] <p> { real (rows p) } }",
    ],
)
def test_nothing_looks_into_columns_that_may_be_any(body: str) -> None:
    f = f"let f = pλ ς : ☆K . t : 𝕄 [L∞, U | ★, 𝐝 ς] ⇒ {body} in"
    assert codes(f"{f} pλ . ys : bag 𝔻 ⇒ f@[ . ys]")


def test_columns_that_may_be_real_are_not_counted() -> None:
    f = "let f = pλ ς : ☆K . t : 𝕄 [L∞, U | ★, ς] ⇒ laplace[1.0, 1.0] <t> { real (rows t) } in"
    assert codes(f"{f} pλ . ys : bag 𝔻 ⇒ f@[ . ys]") == ["D0301"]
