"""What a guarantee is said to be about is within a step of 1 of the declared distance."""

from __future__ import annotations

import random

import pytest

from duetpy.typecheck import types as t
from duetpy.typecheck.neighbours import ADD_REMOVE, MIXED, REPLACE, STEP, keeps_rows, neighbours, relation_in_full
from tests.effort import often
from tests.soundness.drawing import Drawer
from tests.soundness.falsify import program
from tests.soundness.metrics import distance
from tests.soundness.plain import Table

RELATIONS = [
    ("𝕄 [L∞, U | 3, 2⋅𝔻]", REPLACE),
    ("𝕄 [L∞, U | 3, age : 𝔻 ∷ state : 𝐝 𝕊 ∷ []]", REPLACE),
    ("𝕄 [L1, U | 3, 1⋅𝔻]", REPLACE),
    ("𝕄 [L1, L1≤0.5 | 3, 2⋅ℝ]", REPLACE),
    ("𝕄 [L1, U | 3, 2⋅𝔻]", STEP),
    ("𝕄 [L2, U | 3, 2⋅𝔻]", STEP),
    ("𝕄 [L∞, U | 3, 1⋅(𝔻 × 𝔻)]", STEP),
    ("𝕄 [L∞, U | 3, 2⋅ℝ]", STEP),
    ("𝕄 [L1, L1 | 3, 2⋅ℝ]", STEP),
    ("𝕄 [L∞, U | 3, 1⋅ℕ]", STEP),
    ("𝕄 [L∞, U | 3, a : 𝔻 ∷ b : ℝ ∷ []]", STEP),
    ("𝕄 [L∞, U | ★, 2⋅𝔻]", ADD_REMOVE),
    ("𝕄 [L1, U | ★, 2⋅𝔻]", ADD_REMOVE),
    ("𝕄 [L∞, U | ★, a : 𝔻 ∷ b : ℝ ∷ []]", ADD_REMOVE),
    ("𝕄 [L2, L2 | ★, 2⋅ℝ]", ADD_REMOVE),
    ("𝕄 [L1, L2 | ★, 2⋅ℝ]", STEP),
    ("𝕄 [L2, L2≤3 | ★, 2⋅ℝ]", STEP),
    ("bag ℝ", STEP),
]


VALUES = [
    ("ℝ", STEP),
    ("ℕ", STEP),
    ("𝔻", REPLACE),
    ("𝔹", REPLACE),
    ("𝕊", REPLACE),
    ("℘(ℕ)", REPLACE),
    ("ℕ[3]", REPLACE),
    # Neither the next but one, nor the other part of a sum, is a step of 1 away.
    ("𝕀[3]", STEP),
    ("𝔹 + 𝔹", STEP),
    ("𝔻 + 𝔻", STEP),
    ("(∀ . ℝ ⊸[1] ℝ)", STEP),
    ("𝔻 × 𝔹", REPLACE),
    ("𝔻 & 𝔹", REPLACE),
    ("ℝ × ℕ", STEP),
    ("𝔻 × ℝ", MIXED),
    ("𝕄 [L∞, U | ★, 2⋅𝔻] & (ℕ[3] × 𝔹)", MIXED),
]


def type_of(written: str) -> t.Type:
    return program(f"sλ . x : {written} ⇒ 0.0").parameters[0].type


@pytest.mark.parametrize(("written", "relation"), [*RELATIONS, *VALUES])
def test_the_relation_of_a_type(written: str, relation: str) -> None:
    assert neighbours(type_of(written)) == relation


@pytest.mark.parametrize(
    "written", [written for written, relation in VALUES if relation == REPLACE and "×" not in written]
)
def test_a_value_that_is_replaced_makes_a_step_of_1_at_most_where_it_is_said_so(written: str) -> None:
    type_ = type_of(written)
    drawer = Drawer(random.Random(1), ())
    assert all(distance(type_, drawer.draw(type_), drawer.draw(type_)) <= 1 for _ in range(100))


@pytest.mark.parametrize(("written", "relation"), RELATIONS)
def test_a_row_makes_a_step_of_1_at_most_where_it_is_said_so(written: str, relation: str) -> None:
    type_ = type_of(written)
    assert isinstance(type_, t.Matrix)
    drawer = Drawer(random.Random(1), ())
    furthest = 0.0
    for _ in range(often(200, 60)):
        before, other = drawer.draw(type_), drawer.draw(type_)
        assert isinstance(before, Table)
        assert isinstance(other, Table)
        if not (before.rows and other.rows):
            continue
        kept = before.rows[1:]
        after = before.with_rows(kept if type_.rows is None else (other.rows[0], *kept))
        furthest = max(furthest, float(distance(type_, before, after, up=False)))
    assert (furthest <= 1 + 1e-9) is (relation != STEP)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (["𝕄 [L∞, U | m, 2⋅𝔻]", "𝕄 [L∞, U | m, 1⋅𝔻]"], "replace-one"),
        (["𝕄 [L∞, U | m, 2⋅𝔻]", "ℝ⁺[2.0]"], "replace-one"),
        (["𝕄 [L1, U | m, 2⋅ℝ]"], "step in 𝕄 [L1, U | m, ℝ]"),
        (["𝕄 [L1, U | ★, 3⋅ℝ]"], "step in 𝕄 [L1, U | ★, ℝ]"),
        (["𝕄 [L∞, U | m, 1⋅𝔻]", "𝕄 [L∞, U | ★, 1⋅𝔻]"], "mixed: rows: add-remove, replace-one"),
        (
            ["𝕄 [L1, U | m, 2⋅ℝ]", "𝕄 [L2, U | m, 2⋅ℝ]"],
            "mixed: rows: step in 𝕄 [L1, U | m, ℝ], step in 𝕄 [L2, U | m, ℝ]",
        ),
        (["𝕄 [L∞, U | ★, 1⋅𝔻]", "𝐝 (𝕄 [L∞, U | m, 1⋅𝔻])"], "mixed: rows: add-remove, replace-one"),
        (["𝕄 [L∞, U | m, 1⋅𝔻] × ℝ"], "each: rows: replace-one; values: step in ℝ"),
        (["𝕄 [L∞, U | m, 1⋅𝔻]", "ℝ"], "each: rows: replace-one; values: step in ℝ"),
        (["ℝ", "𝔹"], "mixed: values: replace-one, step in ℝ"),
        ([], "replace-one"),
    ],
)
def test_what_a_ledger_keeps_of_relations(written: list[str], kept: str) -> None:
    """The data of two tables may be swapped by the next run, that of a table and of a number may not."""
    types = [program(f"sλ m : ℕ . x : {each} ⇒ 0.0").parameters[0].type for each in written]
    assert relation_in_full(types) == kept
    # A table of unknown size is written with its ★, and one with a fixed number of rows without one.
    varies = any(isinstance(part, t.Matrix) and part.rows is None for type_ in types for part in t.parts_of(type_))
    assert keeps_rows(kept) is not varies
