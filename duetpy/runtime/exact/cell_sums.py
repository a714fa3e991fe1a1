"""Exact sums of many arrays, cell by cell, in little memory.

Contract. What is added up is a number per cell, in exact arithmetic: no order, no blocks and no processes can be seen in it. Sums
are kept as whole multiples of 2^(48⋅l), an array for each level l that is needed: as wide as the numbers differ in size, and a
fraction per cell only where numbers are no multiples of doubles.

How. A double x below 2^(48⋅(l + 1)) is a whole number of steps 2^(48⋅l), cut off towards zero and below 2^48, and a rest below one
step, which is exact: it has fewer bits than x. The steps of 2^13 numbers add up to less than 2^61. What has more than 47 bits then
carries into the next level.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.runtime.exact.exact_sum import exact_total
from duetpy.runtime.exact.linear_forms import add
from duetpy.runtime.exact.rationals import (
    ONE,
    ZERO,
    Doubles,
    Numbers,
    Objects,
    Term,
    constant,
    is_other,
    plain,
    rounded,
    signs,
)
from duetpy.runtime.exact.whole_products import times_two_to

BITS = 48
"""Of a level."""

BYTES = 1200
"""Bytes per cell of three sums at once (one, what is added to it, and both together), if numbers have all sizes that doubles can
have: 46 levels of 8 bytes each, and what one level is computed with."""

LONG = 1 << 12
"""From so many rows on, going over each column by itself is quicker."""

_LANES = 1 << 13
_CELLS = 1 << 15
"""So many numbers are added up at a time."""

_NORMAL = 900
"""Between 2^-900 and 2^900, the steps of a level are doubles."""

Counts: TypeAlias = NDArray[np.int64]
Levels: TypeAlias = Mapping[int, Counts]
NO_LEVELS: Levels = MappingProxyType({})


@frozen(eq=False, repr=False)
class CellSums:
    """A number per cell.

    Parameters
    ----------
    cells
        How many there are.
    levels
        By a factor, what is multiplied by it.
    rest
        What is added: one number, or one for each cell.
    """

    cells: int
    levels: Mapping[Fraction, Levels] = MappingProxyType({})
    rest: Fraction | Objects = ZERO

    def __repr__(self) -> str:
        return "<private sums>"

    def __reduce__(self) -> tuple[type[CellSums], tuple[int, dict[Fraction, dict[int, Counts]], Fraction | Objects]]:
        return CellSums, (self.cells, {factor: dict(levels) for factor, levels in self.levels.items()}, self.rest)

    def merged(self, other: CellSums) -> CellSums:
        """The sums of both."""
        levels = {
            factor: _added(self.levels.get(factor, NO_LEVELS), other.levels.get(factor, NO_LEVELS))
            for factor in {**self.levels, **other.levels}
        }
        return CellSums(self.cells, levels, self.rest + other.rest)

    def numbers(self, shape: tuple[int, ...], *, natural: bool = False) -> Numbers:
        """The sums in an array of this shape; plain where all are doubles."""
        terms = [
            term for factor, levels in self.levels.items() for term in _terms(factor, levels, shape) if term[1].any()
        ]
        rest = self.rest if isinstance(self.rest, Fraction) else self.rest.reshape(shape)
        whole = Numbers(tuple(terms), rest, shape, natural)
        nearest = plain(rounded(whole), natural=natural)
        difference = add(whole, Numbers(((-ONE, rounded(nearest)),), ZERO, shape, natural))
        return whole if signs(difference).any() else nearest


def summed(grid: Numbers) -> CellSums:
    """The sums over the first axis of numbers of shape (rows, cells)."""
    rows, cells = grid.shape
    levels: dict[Fraction, Levels] = {}
    for factor, array in grid.terms:
        levels[factor] = _added(levels.get(factor, NO_LEVELS), _levels(array))
    if isinstance(grid.constant, Fraction):
        return CellSums(cells, levels, grid.constant * rows)
    rest: Objects = constant(ZERO, (cells,)).fractions()
    for row in grid.constant[is_other(grid.constant).any(axis=1)]:
        rest = rest + row
    return CellSums(cells, levels, rest)


def _levels(array: Doubles) -> Levels:
    if len(array) >= LONG:
        return _levels_of_numbers([exact_total(column) for column in array.T])
    found: Levels = NO_LEVELS
    for part in _parts(array):
        found = _added(found, _levels_of_part(part))
    return found


def _levels_of_numbers(sums: list[Fraction]) -> Levels:
    """Sums of doubles, whose denominators are powers of two, in whole steps."""
    found: dict[int, Counts] = {}
    for cell, total in enumerate(sums):
        bits = total.denominator.bit_length() - 1
        level = -(-bits // BITS)
        rest = total.numerator << (BITS * level - bits)
        level = -level
        while rest:
            over = (rest + (1 << (BITS - 1))) >> BITS
            found.setdefault(level, np.zeros(len(sums), dtype=np.int64))[cell] = rest - (over << BITS)
            rest, level = over, level + 1
    return found


def _parts(array: Doubles) -> Iterator[Doubles]:
    rows, cells = array.shape
    step = max(1, min(_LANES, _CELLS // max(1, cells)))
    return (array[start : start + step] for start in range(0, rows, step))


def _levels_of_part(part: Doubles) -> Levels:
    found: dict[int, Counts] = {}
    rest = np.array(part)
    while largest := max(float(rest.max(initial=0.0)), -float(rest.min(initial=0.0))):
        level = (math.frexp(largest)[1] - 1) // BITS
        steps = times_two_to(rest, -BITS * level)
        np.trunc(steps, out=steps)
        found[level] = steps.astype(np.int64).sum(axis=0)
        rest -= times_two_to(steps, BITS * level)
    return found


def _added(left: Levels, right: Levels) -> Levels:
    """Both together, with all that carries into the next level."""
    found: dict[int, Counts] = {}
    carry: Counts | None = None
    pending = sorted({*left, *right}, reverse=True)
    level = 0
    while pending or carry is not None:
        level = pending[-1] if carry is None else level + 1
        if pending and pending[-1] == level:
            pending.pop()
        every = [counts for counts in (left.get(level), right.get(level), carry) if counts is not None]
        total = np.sum(every, axis=0)
        over = (total + (1 << (BITS - 1))) >> BITS
        found[level] = total - (over << BITS)
        carry = over if over.any() else None
    return found


def _terms(factor: Fraction, levels: Levels, shape: tuple[int, ...]) -> Iterator[Term]:
    for level, counts in levels.items():
        exponent, doubles = BITS * level, counts.astype(np.float64).reshape(shape)
        if abs(exponent) <= _NORMAL:
            yield factor, np.ldexp(doubles, exponent)
        else:
            yield factor * Fraction(2) ** exponent, doubles
