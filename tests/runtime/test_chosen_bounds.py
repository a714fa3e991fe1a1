"""Rows that choose the bound that they are clipped to: what is computed from them is what their type says, whatever they chose."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import duetpy
from duetpy.grammar.ast import Norm
from duetpy.runtime.evaluation import evaluate as evaluation
from duetpy.runtime.release.noiseless import checked, evaluate

TABLES = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻 else 0], ys : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ "
FORMS = {
    "mean gradient": "∇[LR | mcreate[L2 | ℕ[1], ℕ[2]] { i, j ⇒ 1.0 }; ROWS, ys]",
    "step": "step∇[LR, 0.25, 0.0 | mcreate[L2 | ℕ[1], ℕ[2]] { i, j ⇒ 1.0 }; ROWS, ys]",
}
SHORT, LONG = "mclip[L2, 1.0] r", "mclip[L2, 2.0] r"
FIRST = "r#[0, 0] < 0.5"
COUNTED = "rows (mfilter r { q ⇒ q#[0, 0] < 0.5 }) ≡ 1"
"""The same, by a filter inside the body: that is computed row by row."""
CLIP = "(sλ t : 𝕄 [L∞, U | 1, 2⋅𝔻 else 0] ⇒ mclip[L2, {}] t)"
CHOICES = {
    "if, together": f"if {FIRST} then {SHORT} else {LONG}",
    "if, row by row": f"if {COUNTED} then {SHORT} else {LONG}",
    "pairs": f"fst (if {COUNTED} then ⟨{SHORT}, 1⟩ else ⟨{LONG}, 1⟩)",
    "sides": f"case (if {COUNTED} then inl[ℕ] 1.0 else inr[ℝ] 1) {{ inl x ⇒ {SHORT} ; inr n ⇒ {LONG} }}",
    "functions": f"(if {FIRST} then {CLIP.format('1.0')} else {CLIP.format('2.0')}) r",
}


def rows(seed: int) -> list[list[float]]:
    """Rows that neither bound shortens; some choose the one, some the other."""
    drawn = random.Random(seed)
    return [[drawn.choice((0.1, 0.3, 0.6, 0.7)), drawn.uniform(-0.6, 0.6)] for _ in range(5)]


def found(form: str, body: str, table: list[list[float]]) -> object:
    program = TABLES + FORMS[form].replace("ROWS", f"(mmap-row xs {{ r ⇒ {body} }})")
    return evaluate(checked(program), xs=table, ys=[[1.0]] * len(table))


def tables() -> list[list[list[float]]]:
    mixed = [rows(seed) for seed in range(4)]
    return [*mixed, [row for table in mixed for row in table if row[0] < 0.5]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("body", CHOICES.values(), ids=CHOICES.keys())
@pytest.mark.sparse(3)
def test_the_place_where_sums_are_cut_off_is_chosen_by_no_row(form: str, body: str) -> None:
    for table in tables():
        assert found(form, body, table) == found(form, LONG, table)


def test_a_bound_that_the_type_does_not_say_cuts_off_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: where all rows chose the smaller bound, and that was taken, the sum is cut off at another place."""
    *_, short = tables()
    body = CHOICES["if, row by row"]
    wanted = found("mean gradient", body, short)
    monkeypatch.setattr(evaluation, "length_of_rows", lambda node, kinds: (Norm.L2, Fraction(1)))
    assert found("mean gradient", body, short) != wanted


@pytest.mark.parametrize("form", ["∇[LR | θ; ROWS, snd (b#[0, 0])]", "step∇[LR, 0.25, 0.0 | θ; ROWS, snd (b#[0, 0])]"])
def test_batches_of_a_fold_choose_no_bound_either(form: str) -> None:
    """What of a fold's body does not look at the state is computed beforehand; what is left of the gradient has its bound."""
    batch = "(fst (b#[0, 0]))"
    chosen = f"(if {batch}#[0, 0] < 0.5 then mclip[L2, 1.0] {batch} else mclip[L2, 2.0] {batch})"
    text = (
        "sλ xs : 𝕄 [L∞, U | 4, 2⋅𝔻 else 0], ys : 𝕄 [L∞, U | 4, 1⋅𝔻 else 0] ⇒ "
        "mfold-row (mcreate[L2 | ℕ[1], ℕ[2]] { i, j ⇒ 1.0 }), (chunks[2, xs, ys]) { θ, b ⇒ BODY }"
    ).replace("BODY", form)
    for table in tables():
        data = {"xs": table[:4], "ys": [[1.0]] * 4}
        wanted = evaluate(checked(text.replace("ROWS", f"mclip[L2, 2.0] {batch}")), **data)
        assert evaluate(checked(text.replace("ROWS", chosen)), **data) == wanted


def test_a_run_ends_alike_whatever_bounds_rows_chose() -> None:
    body = FORMS["mean gradient"].replace("ROWS", f"(mmap-row xs {{ r ⇒ {CHOICES['if, row by row']} }})")
    tables_of = TABLES.removeprefix("sλ ")
    program = duetpy.parse(f"notion zcdp; pλ {tables_of}mgauss[auto, 0.5] <xs, ys> {{ {body} }}").check()
    for table in tables():
        assert program.run(xs=table, ys=[[1.0]] * len(table), _insecure_noise=1, _on_bad_row="default").result


def test_noisy_descent_takes_rows_of_two_bounds() -> None:
    text = """notion gdp; pλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻 else 0], ys : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒
      noisy-descent[ℕ[1], rows xs, 1.0] <xs, ys> {
        step∇[LS, 0.25, 0.1 | mcreate[L2 | ℕ[1], ℕ[2]] { i, j ⇒ 0.0 }; (mmap-row xs { r ⇒ BODY }), ys] }"""
    results = [
        duetpy.parse(text.replace("BODY", body)).check().run(xs=table, ys=[[1.0]] * 2, _insecure_noise=1).result
        for body in (LONG, CHOICES["if, row by row"])
        for table in ([[0.1, 0.3], [0.6, -0.1]],)
    ]
    assert results[0] == results[1]
