"""Neighbours are neighbours: the audit's own metric against the one of the tests of the rules."""

import random
from fractions import Fraction
from typing import Any

import pytest

from duetpy.audit.cases import cases, subject_of
from duetpy.audit.inputs import norm_above, root_above
from duetpy.grammar.ast import Norm
from duetpy.program import parse
from duetpy.runtime.exact.rationals import Numbers
from duetpy.runtime.values.values import MatrixValue
from duetpy.typecheck import rewriting
from duetpy.typecheck.quantity import Quantity
from tests.audit.broken import programs
from tests.effort import often
from tests.soundness.metrics import distance
from tests.soundness.plain import Table

TYPES = (
    "𝕄 [L∞, U | m, 2⋅𝔻]",
    "𝕄 [L∞, U | m, 2⋅𝔻 in [-1, 2]]",
    "𝕄 [L∞, U | ★, a : 𝔻 in [0.5, 3] ∷ b : 𝔻 in [0, 0.1] ∷ []]",
    "𝕄 [L1, U | m, 2⋅ℝ]",
    "𝕄 [L2, U | m, 3⋅ℝ]",
    "𝕄 [L2, L2≤1.0 | m, 3⋅ℝ]",
    "𝕄 [L1, U | m, a : 𝔻 ∷ b : ℝ ∷ []]",
    "𝕄 [L∞, U | ★, 1⋅𝔻]",
    "𝕄 [L∞, U | ★, a : 𝐝 𝕊 ∷ b : 𝔻 ∷ []]",
    "𝕄 [L1, U | ★, 2⋅ℝ]",
)


def plain(value: MatrixValue) -> Table:
    columns: list[list[Any]] = []
    for at in range(value.width):
        column = value.column(at)
        columns.append(column.fractions().tolist() if isinstance(column, Numbers) else list(column.values))
    return Table(tuple(zip(*columns, strict=True)) if columns else (), value.width, value.names)


@pytest.mark.parametrize("written", TYPES)
@pytest.mark.sparse(5)
def test_what_the_program_gets_are_neighbours(written: str) -> None:
    """The same after reading: a cell that is not a number becomes the default, in its row only."""
    typed = parse(f"pλ m : ℕ . xs : {written} ⇒ given[ℝ⁺[1.0]] <xs> {{ real (rows xs) }}", "eps").typed
    assert typed is not None
    subject = subject_of(typed, {"m": 3})
    (case, *_) = cases(subject, random.Random(1), 2)
    drawer = case.drawer(random.Random(2))
    mapping: dict[Any, rewriting.Replacement] = {var: Quantity.of(number) for var, number in case.kinds.numbers.items()}
    type_ = rewriting.substitute(case.types["xs"], mapping)
    moved = 0
    for _ in range(draws := often(150, 15)):
        left = case.draw(drawer)
        right = drawer.neighbour(case.types, left, ("xs",))
        if right is None:
            continue
        tables = []
        for inputs in (left, right):
            (value, *_) = case.bound(inputs).values
            assert isinstance(value, MatrixValue)
            tables.append(plain(value))
        far = distance(type_, *tables)
        assert far <= 1 + Fraction(1, 10**50), (left, right)
        moved += far > 0
    assert moved > 0.4 * draws


def test_odd_cells_and_tables_without_rows_are_drawn() -> None:
    typed = parse(programs.PARTS, "eps").typed
    assert typed is not None
    (case, *_) = cases(subject_of(typed, {"ε": 1}), random.Random(1), 1)
    drawer = case.drawer(random.Random(1))
    drawn = [case.draw(drawer)["xs"] for _ in range(600)]
    assert [] in drawn
    cells = {repr(row[0]) for rows in drawn for row in rows}
    assert {"nan", "0.0"} <= cells
    assert len(cells) > 20


def test_norms_are_rounded_up() -> None:
    assert norm_above(Norm.L2, [Fraction(3), Fraction(4)]) == 5
    two = root_above(Fraction(2))
    assert 2 < two**2 < 2 + Fraction(1, 2**50)
    assert norm_above(Norm.L1, [Fraction(-1, 2), Fraction(1)]) == Fraction(3, 2)
    assert norm_above(Norm.LINF, []) == 0
