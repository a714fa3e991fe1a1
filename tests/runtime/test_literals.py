"""A run computes with the number that was judged: n.0 where an integer literal is read as a real number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import duetpy
from duetpy.runtime.release.noiseless import evaluate

PROGRAM = Path(__file__).parents[1] / "cases" / "good" / "spelling" / "as-elsewhere.eps.duet"

REALS = "sλ xs : 𝕄 [L∞, U | 3, 1⋅ℝ] ⇒ "
DATA = "sλ xs : 𝕄 [L∞, U | 3, 1⋅𝔻] ⇒ "
COLUMN = [[-1.0], [0.5], [4.0]]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # Of natural numbers the difference would stop at 0.
        ("sλ x : ℝ ⇒ (x ⊔ 0) - 3", -3.0),
        ("sλ x : ℝ ⇒ (if x > 0 then x else 0) - 3", -3.0),
        ("sλ x : ℝ ⇒ (sλ y : ℝ ⇒ y - 3) 1 + x", -3.0),
        ("sλ x : ℝ ⇒ ((1 / 1) ⊓ 2) - 3 + x", -3.0),
        ("sλ x : ℝ ⇒ 0 - (x ⊔ 3)", -3.0),
        ("sλ x : ℝ ⇒ -(x ⊔ 3)", -3.0),
        ("sλ x : ℝ ⇒ (√ 4 - 4) + (x ⊔ 0)", -2.0),
        ("sλ x : ℝ ⇒ (clip[-1, 1] x) / 2", -0.5),
        ("sλ x : ℝ ⇒ fst ⟨x ⊔ 0, 0⟩ - 3", -3.0),
        ("sλ x : ℝ ⇒ snd ⟨x ⊔ 0, 2⟩ - 3", 0),
        ("sλ x : ℝ ⇒ x ≡ -1 ∧ not (x ≠ -1) ∧ 0 > x ∧ 0 >= x", True),
        ("sλ x : ℝ ⇒ not (0 > x)", False),
    ],
)
def test_the_number_is_the_one_that_was_judged(text: str, value: object) -> None:
    found = evaluate(text, x=-1.0)
    assert found == value
    assert isinstance(found, bool | int) == isinstance(value, bool | int)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("mmap xs { x ⇒ (x ⊔ 0) - 3 }", [-3.0, -2.5, 1.0]),
        ("mmap xs { x ⇒ (if x > 0 then x else 0) - 3 }", [-3.0, -2.5, 1.0]),
        ("mmap xs { x ⇒ -x / 2 }", [0.5, -0.25, -2.0]),
        ("mmap xs { x ⇒ if not (x > 0) or x != 4 then 1 - x else 0 }", [2.0, 0.5, 0.0]),
    ],
)
@pytest.mark.parametrize("table", [REALS, DATA])
def test_in_tables_too(table: str, body: str, value: list[float]) -> None:
    if table is DATA:
        body = body.replace("else 0 }", "else disc 0.0 }").replace("else 0)", "else disc 0.0)")
    assert np.asarray(evaluate(table + body, xs=COLUMN)).ravel().tolist() == value


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("mfold-row 0, xs { a, r ⇒ a + (r#[0, 0] - 0.5) }", 2.0),
        ("mfold-row 1, xs { a, r ⇒ if r#[0, 0] > 0 then a + r#[0, 0] else a }", 5.5),
        ("(mfold-row 0, xs { a, r ⇒ a + clip[-1, 1] r#[0, 0] }) - 3", -2.5),
        ("(mfold-row 0, xs { a, r ⇒ a + 1 }) - 5", 0),
    ],
)
def test_in_folds_too(body: str, value: float) -> None:
    found = evaluate(REALS + body, xs=COLUMN)
    assert found == value
    assert isinstance(found, int) == isinstance(value, int)


def test_a_program_in_this_style_runs() -> None:
    people = [{"age": 70, "smokes": False}, {"age": 80, "smokes": True}, {"age": 30, "smokes": False}]
    release = duetpy.load(PROGRAM).check().run(people=people, eps=0.5, _insecure_noise="none")
    assert release.result == (False, pytest.approx(0.4))
