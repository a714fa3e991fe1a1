"""A cell that is changed, in tables whose cells have no shape in common: sets, tables of any height, sides of sums, functions."""

from __future__ import annotations

import pytest

import duetpy

SMALL = "mfilter (tr (renorm[L1] r)) { q ⇒ q#[0, 0] < 1.0 }"
CELLS = {
    "sets": ("if r#[0, 0] < 1.0 then ℘{r#[0, 0]} else ℘{r#[0, 0], r#[0, 1]}", "if disc 0.0 ∈ v then 1.0 else 0.0"),
    "tables": (f"⟨{SMALL}, 1⟩", "real (rows (fst v))"),
    "sides": (
        f"if r#[0, 0] < 1.0 then inl[ℕ] ({SMALL}) else inr[𝕄 [L1, U | ★, 1⋅𝔻]] 0",
        "case v { inl t ⇒ real (rows t) ; inr k ⇒ real k }",
    ),
    "functions": ("if r#[0, 0] < 1.0 then (sλ z : 𝔻 ⇒ z + r#[0, 0]) else (sλ z : 𝔻 ⇒ z)", "clip (v (disc 0.5))"),
}
ROWS = [[0.0, 0.5], [0.5, 2.0], [2.0, 3.0], [3.0, 0.0]]


@pytest.mark.parametrize(("cell", "use"), CELLS.values(), ids=CELLS.keys())
@pytest.mark.sparse(2)
def test_the_cell_and_no_other_is_changed(cell: str, use: str) -> None:
    text = (
        (
            "sλ xs : 𝕄 [L∞, U | 4, 2⋅𝔻], n : ℕ ⇒ let t = mmap-row xs { r ⇒ CELL } in "
            "let u = CHANGED in "
            "let out = mmap-row u { q ⇒ let v = q#[0, 0] in USE } in ⟨⟨out#[0, 0], out#[1, 0]⟩, ⟨out#[2, 0], out#[3, 0]⟩⟩"
        )
        .replace("CELL", cell)
        .replace("USE", use)
    )
    for table in (ROWS, ROWS[::-1], [ROWS[0]] * 4, [ROWS[3]] * 4):
        (a, b), (c, d) = duetpy.evaluate(text.replace("CHANGED", "t"), xs=table, n=0)
        before = [a, b, c, d]
        for at in range(4):
            wanted = list(before)
            wanted[at] = before[1]
            first, second = duetpy.evaluate(text.replace("CHANGED", "t#[n, 0 ↦ t#[1, 0]]"), xs=table, n=at)
            assert [*first, *second] == wanted
