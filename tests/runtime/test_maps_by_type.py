"""A map makes rows of what its body returns where the type says rows, and cells where it does not, whatever the value is."""

from __future__ import annotations

import pytest

import duetpy

TABLE, ROW = "𝕄 [L1, U | {}, 1⋅ℝ]", "𝕄 [L1, U | 1, 3⋅ℝ]"


@pytest.mark.parametrize("form", ["mmap-row t { r ⇒ v }", "mmap-row t, t { r, s ⇒ v }", "mmap-col t { r ⇒ v }"])
def test_a_row_of_a_type_variable_is_a_cell(form: str) -> None:
    text = (
        f"sλ xs : {TABLE.format(2)}, w : {ROW} ⇒ let f = sλ τ : ☆K, m : ℕ . t : {TABLE.format('m')}, v : τ ⇒ {form} in "
        "let made = f xs w in ⟨cols made, (made#[0, 0])#[0, 2]⟩"
    )
    assert duetpy.evaluate(text, xs=[[1.0], [0.0]], w=[[5.0, 6.0, 7.0]]) == (1, 7.0)


def test_a_row_that_is_known_to_be_one_stays_a_row() -> None:
    text = f"sλ xs : {TABLE.format(2)}, w : {ROW} ⇒ let made = mmap-row xs {{ r ⇒ w }} in ⟨cols made, made#[1, 2]⟩"
    assert duetpy.evaluate(text, xs=[[1.0], [0.0]], w=[[5.0, 6.0, 7.0]]) == (3, 7.0)
