"""Sums over rows that see of a row only on which side of a number one of its cells is: three terms, and how often each occurs.

    mfold-row 0, xs { a, r ⇒ a + t(sign (y - r.x)) }     is     n₋⋅t(-1) + n₀⋅t(0) + n₊⋅t(1)

Contract. The sum is exact, so it is the same number as that of the terms one after another. A score of a quantile is such a sum,
and a mechanism that chooses asks for one for each candidate: from the second on the cells are sorted, and it takes the logarithm
of the number of rows. That shows in time only, and depends on how many numbers are asked for, which is public.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import cast

import numpy as np
from attrs import frozen

from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.evaluation.row_bodies import within
from duetpy.runtime.exact.rationals import Doubles, Numbers, plain, to_double
from duetpy.runtime.values.values import MatrixValue, Value
from duetpy.trees import map_children
from duetpy.typecheck import core
from duetpy.typecheck.facts import facts_of

SIDE = "side⁺"
"""No name of a program or of its core holds this sign."""

LARGEST = 200
"""A term with more parts than that is added up: it is taken apart part after part, and each way down needs the stack."""

_SORTED, _ASKED = "sorted", "asked"


@frozen(eq=False, repr=False)
class Ranked:
    """A term taken apart.

    Parameters
    ----------
    place
        The column of the cell.
    number
        What the cell is compared with.
    term
        The term, with `SIDE` in the place of the comparison.
    """

    place: int
    number: core.Expression
    term: core.Expression


def total(machine: Machine, node: core.RowFold, frame: Frame, source: MatrixValue) -> Fraction | None:
    """The sum of the terms of all rows; None where it has to be added up."""
    ranked = _taken_apart(node)
    if (
        ranked is None
        or source.recipe is not None
        or not machine.captures.of(node.term) >= machine.captures.of(ranked.number)
    ):
        return None
    column = source.column(ranked.place)
    if not isinstance(column, Numbers) or column.doubles is None or column.is_natural:
        return None
    number = machine.value(ranked.number, frame)
    assert isinstance(number, int | Fraction), "the checker lets only numbers through"
    below, above = _counts(source, ranked.place, column.doubles, to_double(Fraction(number)))
    under, equal, over = _terms(machine, ranked, frame)
    return below * under + (source.rows - below - above) * equal + above * over


def _terms(machine: Machine, ranked: Ranked, frame: Frame) -> tuple[Fraction, Fraction, Fraction]:
    """What a row contributes whose cell is below the number, equal to it, or above; remembered while nothing else changes."""
    captured = machine.seen_by_rows(ranked.term, frame, SIDE)
    inputs = (frame.kinds, *(captured[name] for name in sorted(captured)))
    known = machine.last(ranked.term, inputs)
    if known is None:
        under, equal, over = (within(machine, ranked.term, frame, {SIDE: Fraction(side)}) for side in (1, 0, -1))
        known = machine.keep(ranked.term, inputs, (under, (equal, over)))
    under, (equal, over) = cast("tuple[Value, tuple[Value, Value]]", known)
    assert isinstance(under, int | Fraction)
    assert isinstance(equal, int | Fraction)
    assert isinstance(over, int | Fraction)
    return Fraction(under), Fraction(equal), Fraction(over)


def _counts(source: MatrixValue, place: int, cells: Doubles, number: float) -> tuple[int, int]:
    """How many cells are below a number, and how many above."""
    if (_ASKED, place) not in source.memo:
        source.remembered((_ASKED, place), MatrixValue(0, plain(np.empty((0, 1)))))
        return int(np.count_nonzero(cells < number)), int(np.count_nonzero(cells > number))
    known = source.memo.get((_SORTED, place))
    if known is None:
        known = source.remembered((_SORTED, place), MatrixValue(len(cells), plain(np.sort(cells)[:, None])))
    column = known.column(0)
    assert isinstance(column, Numbers)
    assert column.doubles is not None
    ascending = column.doubles
    return int(np.searchsorted(ascending, number, "left")), len(ascending) - int(
        np.searchsorted(ascending, number, "right")
    )


@lru_cache(maxsize=256)
def _taken_apart(node: core.RowFold) -> Ranked | None:
    """The parts of such a fold, if it is one: its row is mentioned once, in ``sign (number - cell)``, which rounds."""
    if node.sign != "+" or node.of_matrices:
        return None
    found: list[core.Prim] = []
    mentions = 0
    for at, part in enumerate(core.nodes(node.term)):
        if at == LARGEST or isinstance(part, core.ForeignCall):
            return None
        mentions += isinstance(part, core.Var) and part.name == node.row
        if isinstance(part, core.Prim) and _cell(part, node.row) is not None:
            found.append(part)
    if len(found) != 1 or mentions != 1:
        return None
    (comparison,) = found
    place = _cell(comparison, node.row)
    difference = comparison.args[0]
    assert isinstance(difference, core.Prim)
    assert place is not None

    def without(part: core.Expression) -> core.Expression:
        if part is comparison:
            return core.Var(part.span, part.types, part.static, SIDE)
        return map_children(part, core.Expression, without)

    return Ranked(place, difference.args[0], without(node.term))


def _cell(node: core.Prim, row: str) -> int | None:
    """The column of the cell that ``sign (number - cell)`` compares, where the difference is one of doubles."""
    match node:
        case core.Prim(args=(core.Prim(args=(_, cell)) as difference,)):
            is_comparison = facts_of(node.name).is_sided and facts_of(difference.name).static == "difference"
        case _:
            return None
    match cell:
        case core.Field(record=core.Var(name=name), place=place):
            pass
        case core.Index(matrix=core.Var(name=name), row=core.Literal(value=0), col=core.Literal(value=int(place))):
            pass
        case _:
            return None
    is_of_doubles = difference.may_round or difference.is_discrete
    return place if is_comparison and is_of_doubles and name == row else None
