"""Exact sums: of bounded numbers on a grid, and of any doubles.

Contract. Sums of doubles depend on order and blocking, and their true sensitivity exceeds the ideal one (Casacuberta,
Shoemate, Vadhan and Wagaman, CCS 2022). Both sums here are sums of integers, so they commute and associate exactly:
every order, block size and engine gives the same bits, and no rounding crosses from one row to another.

* :class:`GridSum` is for private rows. Each number is rounded to a multiple of 2^e and brought into [-bound, bound];
  the grid is chosen from the bound and the greatest number of rows, both public, so that no int64 can wrap. It is
  total: a row changes the sum by its own term and nothing else, whatever it holds.
* :class:`ExactSum` is for public numbers and for exact evaluation: any finite doubles, summed without any rounding.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal, TypeAlias, assert_never

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from duetpy.runtime.noise.noise_grid import LEAST_EXPONENT, floor_log_two, from_lattice, is_finite

Rounding: TypeAlias = Literal["nearest", "toward-zero"]

RANGE_BITS = 62
"""Every partial sum stays below 2^62 in absolute value: one bit under int64, so that two of them still add."""


def choose_grid(bound: Fraction | float, rows: int) -> int:
    """The exponent e of the finest grid 2^e·ℤ on which ``rows`` numbers of [-bound, bound] sum below 2^62.

    A number takes at most bound/2^e + 1 steps after rounding, so (bound/2^e + 1)·rows < 2^62 is asked for.

    Parameters
    ----------
    bound
        The public bound on the absolute value of every number, at least 0 and finite.
    rows
        The greatest number of rows, at least 1.

    Returns
    -------
    int
        An exponent of at least -1074 (every double is on that grid).

    Raises
    ------
    ValueError
        When the bound is negative or not finite, or when there are 2^60 rows or more, or none.
    """
    if not is_finite(bound) or bound < 0:
        raise ValueError("the bound of an exact sum must be finite and not negative")
    if not 1 <= rows < 1 << (RANGE_BITS - 2):
        raise ValueError("an exact sum takes between 1 and 2^60 rows")
    exact = Fraction(bound)
    if exact == 0:
        return LEAST_EXPONENT
    # The step must be above bound/room with room = 2^62/rows - 1; the power of two at or below that may be one short.
    room = Fraction(1 << RANGE_BITS, rows) - 1
    exponent = floor_log_two(exact / room)
    while exact / Fraction(2) ** exponent >= room:
        exponent += 1
    return max(LEAST_EXPONENT, exponent)


@frozen(eq=False, repr=False)
class GridTotal:
    """What a :class:`GridSum` has added up: steps of the grid, and how many rows they come from."""

    steps: NDArray[np.int64]
    rows: int

    def __repr__(self) -> str:
        return "<private total>"


@frozen
class GridSum:
    """The exact sum of the rows of blocks, as a fold.

    Parameters
    ----------
    exponent
        The grid 2^e·ℤ, from :func:`choose_grid`.
    bound
        The public bound on absolute values. A number beyond it counts as the bound, nan counts as 0: clamping is
        1-Lipschitz and confined to its own entry.
    rows
        The greatest number of rows, public.
    shape
        The shape of one row's term: () for blocks of shape (B,), (n,) for blocks of shape (B, n), and so on.
    rounding
        ``nearest`` (half to even) moves two neighbouring entries up to one step apart
        (:func:`~duetpy.runtime.noise.noise_grid.lattice_slack`). ``toward-zero`` never makes an entry larger, so no norm of a
        row either: a row of norm at most b contributes integers of norm at most b, with no slack to charge for sums
        whose sensitivity comes from a bound on the rows.

    Raises
    ------
    ValueError
        When the grid is too fine for the bound and the rows.
    """

    exponent: int
    bound: Fraction = field(converter=Fraction)
    rows: int
    shape: tuple[int, ...] = ()
    rounding: Rounding = "nearest"

    def __attrs_post_init__(self) -> None:
        if self.exponent < choose_grid(self.bound, self.rows):
            raise ValueError("the grid is too fine for the bound and the rows")

    def zero(self) -> GridTotal:
        """The sum of no rows."""
        return GridTotal(np.zeros(self.shape, dtype=np.int64), 0)

    def absorb(self, total: GridTotal, block: NDArray[np.float64]) -> GridTotal:
        """Add the rows of a block of shape (B, *shape).

        Raises
        ------
        ValueError
            When the block has another shape, or there are more rows than promised: both are public facts.
        """
        if block.shape[1:] != self.shape:
            raise ValueError("a block has another shape than the sum")
        return self._checked(total.steps + self.quantise(block).sum(axis=0), total.rows + len(block))

    def merge(self, left: GridTotal, right: GridTotal) -> GridTotal:
        """The sum of two sums."""
        return self._checked(left.steps + right.steps, left.rows + right.rows)

    def _checked(self, steps: NDArray[np.int64], rows: int) -> GridTotal:
        if rows > self.rows:
            raise ValueError("there are more rows than the sum was made for")
        return GridTotal(np.asarray(steps, dtype=np.int64), rows)

    def quantise(self, block: NDArray[np.float64]) -> NDArray[np.int64]:
        """Every entry in whole steps, within the bound: total, and each entry by itself."""
        limit = self._limit()
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            # Exact but where it overflows to ∞ (then clamped) or falls under 2^-1022 (then 0 in either rounding).
            scaled = np.ldexp(block, -self.exponent)
            match self.rounding:
                case "nearest":
                    np.rint(scaled, out=scaled)
                case "toward-zero":
                    np.trunc(scaled, out=scaled)
                case _:
                    assert_never(self.rounding)
            np.clip(scaled, -limit, limit, out=scaled)
        np.copyto(scaled, 0.0, where=np.isnan(scaled))
        return scaled.astype(np.int64)

    def _limit(self) -> float:
        """The greatest whole number of steps that is a double and within the bound."""
        steps = math.floor(self.bound / Fraction(2) ** self.exponent)
        limit = float(steps)
        return limit if limit <= steps else math.nextafter(limit, 0.0)

    def exact(self, total: GridTotal) -> NDArray[np.object_]:
        """The sum as Fractions, in an array of the shape of a row."""
        step = Fraction(2) ** self.exponent
        result = np.empty(self.shape, dtype=np.object_)
        result.ravel()[:] = [count * step for count in total.steps.ravel().tolist()]
        return result

    def value(self, total: GridTotal) -> NDArray[np.float64]:
        """The doubles nearest to the sum, rounded once."""
        return from_lattice(total.steps, self.exponent)


@frozen
class ExactSum:
    """The sum of finite doubles without rounding, as a fold; accumulators are integers in units of 2^-1074.

    A double is m·2^e with a whole number m of 53 bits. The high 26 and the low 27 bits of all numbers of one exponent
    are summed in doubles, exactly, as a pass over 2^25 numbers stays below 2^53; the sums of the exponents are then put
    together in Python's integers.
    """

    def zero(self) -> int:
        """The sum of nothing."""
        return 0

    def absorb(self, total: int, block: NDArray[np.float64]) -> int:
        """Add every number of a block, of any shape.

        Raises
        ------
        ValueError
            When a number is not finite.
        """
        values = np.asarray(block, dtype=np.float64).ravel()
        for start in range(0, values.size, _PASS):
            total += _exact_total(values[start : start + _PASS])
        return total

    def merge(self, left: int, right: int) -> int:
        """The sum of two sums."""
        return left + right

    def exact(self, total: int) -> Fraction:
        """The sum itself."""
        return Fraction(total, 1 << -LEAST_EXPONENT)

    def value(self, total: int) -> float:
        """The double nearest to the sum (half to even); ±∞ beyond the largest double."""
        try:
            return total / (1 << -LEAST_EXPONENT)
        except OverflowError:
            return math.inf if total > 0 else -math.inf


_PASS = 1 << 25
_LOW_BITS = 27


def _exact_total(values: NDArray[np.float64]) -> int:
    if not np.isfinite(values).all():
        raise ValueError("a number to be summed is not finite")
    fractions, exponents = np.frexp(values)
    # Counted from 0: the least positive double 2^-1074 is 1/2·2^-1073.
    bins = exponents.astype(np.intp) + 1073
    bins[values == 0.0] = 0
    whole = np.ldexp(fractions, 53)
    high = np.trunc(np.ldexp(fractions, 53 - _LOW_BITS))
    low = whole - np.ldexp(high, _LOW_BITS)
    highs, lows = np.bincount(bins, weights=high), np.bincount(bins, weights=low)
    total = 0
    for at in np.flatnonzero((highs != 0) | (lows != 0)).tolist():
        total += ((int(highs[at]) << _LOW_BITS) + int(lows[at])) << at
    # The numbers of bin b are whole·2^(b - 1073 - 53), and the unit is 2^-1074: whole·2^(b - 52) units.
    return total >> 52


def exact_sum(values: NDArray[np.float64]) -> float:
    """The correctly rounded sum of finite doubles of any shape, whatever their order."""
    fold = ExactSum()
    return fold.value(fold.absorb(fold.zero(), values))
