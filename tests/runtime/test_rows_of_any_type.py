"""In a function for all types, what is computed for a row is a function of that row as well."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import duetpy
from duetpy.runtime.evaluation.evaluate import applied, expression
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.exact.rationals import plain
from duetpy.runtime.release.noiseless import checked
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import MatrixValue, numbers_of

TABLE = "𝕄 [L∞, U | ★, 1⋅𝔻]"
ONE = "(mcreate[L∞ | ℕ[1], ℕ[1]] { i, j ⇒ y })"
THIRD = (
    "(sλ x : 𝔻 ⇒ case (if x < 7.0 then inl[𝔻] x else inr[𝔻] x) { inl y ⇒ y / 3.0 ; "
    f"inr y ⇒ if rows (mfilter {ONE} {{ q ⇒ q#[0, 0] < 7.0 }}) ≡ 1 then y / 3.0 else y / 3.0 }})"
)
"""The third of a number: of one from 7 on it is computed row by row, of others together."""

MAPS = {
    "rows": (f"sλ τ : ☆K . g : 𝔻 ⊸[1] 𝐝 τ, ys : {TABLE} ⇒ mmap-row ys {{ r ⇒ g (r#[0, 0]) }}", "r#[0, 0]"),
    "elements": (f"sλ τ : ☆K . g : 𝔻 ⊸[1] 𝐝 τ, ys : {TABLE} ⇒ bmap ys {{ r ⇒ g r }}", "r#[0, 0]"),
    "pairs": (f"sλ τ : ☆K . g : 𝔻 ⊸[1] τ, ys : {TABLE} ⇒ mmap-row ys {{ r ⇒ ⟨g (r#[0, 0]), 1⟩ }}", "fst r#[0, 0]"),
}


@pytest.mark.parametrize(("form", "cell"), MAPS.values(), ids=MAPS.keys())
def test_a_row_more_does_not_round_what_the_others_are(form: str, cell: str) -> None:
    text = (
        f"sλ xs : {TABLE} ⇒ let f = {form} in "
        f"mfold-row 0.0, (f {THIRD} xs) {{ a, r ⇒ a + clip[0.0, 1.0] (1e17 ⋅ {cell} - 333333333333333333.0) }}"
    )
    before = duetpy.evaluate(text, xs=[[10.0]] * 5)
    assert before == 5 * max(0.0, min(1e17 * (10.0 / 3.0) - 333333333333333333.0, 1.0))
    assert duetpy.evaluate(text, xs=[[10.0]] * 5 + [[1.0]]) == before


@pytest.mark.parametrize("block", [1, 2, 3, 8])
def test_a_choice_is_what_it_is_alone(block: int) -> None:
    """Of several rows both branches are computed, of one row its own."""
    claim = checked(
        f"sλ xs : {TABLE} ⇒ let f = sλ τ : ☆K . g : 𝔻 ⊸[1] τ, v : τ, ys : {TABLE} ⇒ mmap-row ys {{ r ⇒ "
        "⟨case (if r#[0, 0] < 7.0 then inl[𝔻] r#[0, 0] else inr[𝔻] r#[0, 0]) { inl y ⇒ g y ; inr y ⇒ v }, 1⟩ } in "
        f"f (sλ x : 𝔻 ⇒ x / 3.0) (disc (1.0 / 3.0)) xs"
    )
    machine = Machine(block_rows=block, expression=expression)
    table = MatrixValue(3, plain(np.array([[1.0], [10.0], [1.0]])))
    function = expression(machine, claim.core, Frame({}, KindScope()))
    made = applied(machine, function, table, None, claim.core)
    assert isinstance(made, MatrixValue)
    cells = made.column(0)
    assert isinstance(cells, tuple)
    found = numbers_of(MatrixValue(3, (cells[0],))).fractions().ravel().tolist()
    assert found == [Fraction(1.0 / 3.0)] * 3
