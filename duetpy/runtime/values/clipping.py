"""The norms of rows, decided exactly, and `mclip`: rows brought within a norm.

Contract. After `clipped` every row's norm is at most the bound as a fact about real numbers, not about roundings: after
v·(b/‖v‖) in doubles half of all rows are too long in the last place (Casacuberta et al., CCS 2022). A row within the bound
is not touched, to the last bit. A discrete row may come out as any function of itself, so it is scaled in doubles,
shrunk by more than all the roundings; a real row is scaled by b/‖v‖ to more places than noise can show, because its rule
is about the exact function.

The clamp of L∞ is exact for both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from duetpy.accounting.rounding import LARGEST, float_down, root_up
from duetpy.grammar.ast import Norm
from duetpy.runtime.exact.linear_forms import add
from duetpy.runtime.exact.rationals import (
    ONE,
    ZERO,
    Doubles,
    Mask,
    Numbers,
    plain,
    rounded,
    to_double,
    two_sum,
)
from duetpy.runtime.exact.whole_numbers import clamped
from duetpy.runtime.exact.whole_products import times_two_to
from duetpy.runtime.values.values import MatrixValue, Value, numbers_of

ROUNDOFF = 2.0**-53


def clipped(value: Value, norm: Norm, bound: Fraction = ONE, *, rounds: bool = False) -> MatrixValue:
    """``mclip[norm, bound]``; remembered by the matrix, so that a loop clips once. It `rounds` where rows are under the discrete
    metric."""
    assert isinstance(value, MatrixValue)
    key = ("clipped", norm, bound, rounds)
    known = value.memo.get(key)
    if known is not None:
        return known
    grid = numbers_of(value)
    if norm is Norm.LINF:
        store = clamp_entries(grid, bound) if rounds else clamped(grid, -bound, bound)
    elif rounds:
        store = plain(scale_rows(rounded(grid), norm, bound), natural=grid.is_natural)
    else:
        store = scale_real_rows(grid, norm, bound)
    return value.remembered(key, MatrixValue(value.rows, store, value.names, value.lanes))


def clamp_entries(grid: Numbers, bound: Fraction) -> Numbers:
    """Every entry as a double in [-b, b]: b is rounded down for them."""
    most = float_down(bound)
    return plain(np.clip(rounded(grid), -most, most), natural=grid.is_natural)


_CELLS = 1 << 17


def in_blocks(rows: Doubles) -> Iterator[slice]:
    """The rows of a table in blocks that the cache holds."""
    step = max(1, _CELLS // max(1, rows.shape[1]))
    return (slice(start, start + step) for start in range(0, len(rows), step))


def scale_rows(rows: Doubles, norm: Norm, bound: Fraction) -> Doubles:
    """Rows of shape (rows, columns) scaled to an L1 or L2 norm of at most b, where theirs is larger.

    With u = 2^-53 and c columns, the norm N of a row is computed as Ñ ≥ N(1 - (c + 4)u). An entry v of the result is
    v·((b/Ñ)·(1 - 2(c + 16)u)) with three roundings, so that the norm is at most b(1 + u)³(1 - 2(c + 16)u)/(1 - (c + 4)u), less
    than b by more than b·u: what is lost of subnormal numbers is far less, since b is at least 2^-900. A smaller or larger b,
    and rows so long that squares overflow, are left to `_scaled_by_largest`.
    """
    most = float_down(bound)
    is_usual = 2.0**-900 <= most <= 2.0**900
    share = math.frexp(most)[0] * (1.0 - 2.0 * (rows.shape[1] + 16) * ROUNDOFF)
    result = None
    for block in in_blocks(rows):
        part = rows[block]
        sizes, too_long = _measured(part, norm, bound)
        if result is None and too_long.any():
            result = np.empty(rows.shape, order="F")
            result[: block.start] = rows[: block.start]
        if result is None:
            continue
        usual = too_long & np.isfinite(sizes) & is_usual
        factors = np.ones(len(part))
        np.divide(share, sizes, out=factors, where=usual)
        np.multiply(part, factors[:, None], out=result[block])
        result[block] += 0.0  # what has become 0 has no sign
        if (others := np.flatnonzero(too_long & ~usual)).size:
            result[block][others] = _scaled_by_largest(part[others], norm, most)
    return rows if result is None else result


def _scaled_by_largest(rows: Doubles, norm: Norm, most: float) -> Doubles:
    """The same for any numbers: rows are measured divided by the power of two above their largest entry.

    An entry is b·(v·((1/Ñ)·(1 - 2(c + 16)u))) with four roundings, or 0 where one of them would be subnormal.
    """
    _, exponents = np.frexp(np.abs(rows).max(axis=1))
    unit = np.ldexp(rows, -exponents[:, None])
    factors = 1.0 / _norms(unit, norm) * (1.0 - 2.0 * (rows.shape[1] + 16) * ROUNDOFF)
    with np.errstate(under="ignore"):
        return _flushed(_flushed(unit * factors[:, None]) * most)


def _flushed(values: Doubles) -> Doubles:
    return np.where(np.abs(values) < 2.0**-1022, 0.0, values)


def _norms(rows: Doubles, norm: Norm) -> Doubles:
    """Norms in doubles, column after column: a row's bits do not depend on the other rows."""
    total = np.zeros(len(rows))
    for column in rows.T:
        total += np.abs(column) if norm is Norm.L1 else column * column
    return total if norm is Norm.L1 else np.sqrt(total)


# ---------------------------------------------------------------------------------------------------------------------
# Which rows are too long


def exceeds(rows: Doubles, norm: Norm, bound: Fraction) -> Mask:
    """For every row whether its norm is above b: exact.

    Doubles decide where they can, pairs of doubles where they cannot, and fractions what is left.
    """
    result = np.zeros(len(rows), dtype=np.bool_)
    if norm is not Norm.LINF:
        for block in in_blocks(rows):
            result[block] = _measured(rows[block], norm, bound)[1]
        return result
    most = float_down(bound)
    for column in rows.T:
        result |= np.abs(column) > most
    return result


def _measured(rows: Doubles, norm: Norm, bound: Fraction) -> tuple[Doubles, Mask]:
    """The L1 or L2 norms in doubles, divided by the power of two above b, and which are above b, exactly."""
    exponent = math.frexp(float_down(bound))[1]
    target = bound / Fraction(2) ** exponent
    with np.errstate(under="ignore", over="ignore"):
        unit = times_two_to(rows, -exponent)
        rough = _norms(unit, norm)
    close = (rows.shape[1] + 8) * ROUNDOFF
    near = to_double(target)
    result = rough > near * (1.0 + close)
    undecided = np.flatnonzero(~result & (rough >= near * (1.0 - close)))
    if len(undecided):
        result[undecided] = _exceeds_closely(rows[undecided], unit[undecided].T, norm, bound, target)
    return rough, np.asarray(result, dtype=np.bool_)


def _exceeds_closely(rows: Doubles, unit: Doubles, norm: Norm, bound: Fraction, target: Fraction) -> Mask:
    """The same for rows whose norm is all but the bound: the sum is kept as a pair of doubles with a bound on its error."""
    wanted = target if norm is Norm.L1 else target * target
    high, low, error = np.zeros(len(rows)), np.zeros(len(rows)), np.zeros(len(rows))
    for at in range(rows.shape[1]):
        column = unit[at]
        # What the scaling may have lost, or the product below would lose, is at most this.
        tiny = np.abs(column) < 2.0**-400
        error += np.where(tiny & (rows[:, at] != 0), 2.0**-399, 0.0)
        column = np.where(tiny, 0.0, column)
        for part in (np.abs(column),) if norm is Norm.L1 else _square(column):
            high, first = two_sum(high, part)
            low, second = two_sum(low, first)
            error += np.abs(second)
    rest = wanted
    for _ in range(3):
        piece = float(rest)
        rest -= Fraction(piece)
        high, first = two_sum(high, np.full(len(rows), -piece))
        low, second = two_sum(low, first)
        error += np.abs(second)
    error = error * 1.5 + (float(abs(rest)) * 1.5 + 2.0**-1000 if rest else 0.0)
    difference = high + low
    result = difference > 0.0
    for at in np.flatnonzero(~(np.abs(difference) > error) & (error > 0.0)).tolist():
        result[at] = _norm_to_compare([Fraction(v) for v in rows[at].tolist()], norm) > _bound_to_compare(bound, norm)
    return np.asarray(result, dtype=np.bool_)


def _square(column: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Three doubles that sum to the square, exactly (Dekker 1971)."""
    spread = column * 134217729.0
    head = spread - (spread - column)
    tail = column - head
    return head * head, 2.0 * head * tail, tail * tail


def _norm_to_compare(row: list[Fraction], norm: Norm) -> Fraction:
    if norm is Norm.LINF:
        return max((abs(value) for value in row), default=ZERO)
    return sum((abs(value) if norm is Norm.L1 else value * value for value in row), ZERO)


def _bound_to_compare(bound: Fraction, norm: Norm) -> Fraction:
    return bound * bound if norm is Norm.L2 else bound


# ---------------------------------------------------------------------------------------------------------------------
# Real rows


_BEYOND, _PLACES = 200, 2048
"""How many binary places of a scaled row are kept beyond the first of its largest entry; and at least."""

_ROOM = 1000
"""What is a multiple of 2^-1000 is a sum of few doubles."""


def scale_real_rows(grid: Numbers, norm: Norm, bound: Fraction) -> Numbers:
    """Rows scaled by b/‖v‖ where that is below 1.

    Radial scaling has the Lipschitz constants of the prelude as an exact function. Every entry of the result is within 2^-2046
    of it, however large b is: the checker counts the error (`duetpy.typecheck.context.Context`).
    """
    rough = rounded(grid)
    with np.errstate(over="ignore"):
        doubtful = np.flatnonzero(~_surely_within(rough, norm, bound))
    if not len(doubtful):
        return grid
    keep = np.ones(grid.shape)
    parts: list[dict[tuple[int, int], float]] = []
    long: dict[tuple[int, int], Fraction] = {}
    for row in doubtful.tolist():
        values = [grid.exactly((row, at)) for at in range(grid.shape[1])]
        size = _norm_to_compare(values, norm)
        if size <= _bound_to_compare(bound, norm):
            continue
        keep[row] = 0.0
        places = _places(values)
        bits = places + max(0, bound.numerator.bit_length() - bound.denominator.bit_length() + 1)
        longest = size if norm is Norm.L1 else root_up(size, bits)
        for at, value in enumerate(values):
            scaled = _towards_zero(value * bound / longest, places)
            if scaled.denominator.bit_length() > _ROOM or abs(scaled) > LARGEST:
                long[(row, at)] = scaled
            else:
                _spell(scaled, (row, at), parts)
    kept = _only(grid, keep)
    for part in parts:
        array = np.zeros(grid.shape, order="F")
        for place, double in part.items():
            array[place] = double
        kept = add(kept, plain(array))
    return add(kept, _numbers_at(long, grid.shape)) if long else kept


def _places(row: list[Fraction]) -> int:
    """Of a row alone, whatever its numbers are sums of: that depends on the other rows."""
    largest = max(map(abs, row))
    return max(_BEYOND + largest.denominator.bit_length() - largest.numerator.bit_length() + 1, _PLACES)


def _numbers_at(values: dict[tuple[int, int], Fraction], shape: tuple[int, ...]) -> Numbers:
    """Numbers that are not sums of a few doubles; 0 elsewhere."""
    cells = np.full(shape, ZERO, dtype=np.object_)
    for place, value in values.items():
        cells[place] = value
    return Numbers((), cells, shape)


def _surely_within(rows: Doubles, norm: Norm, bound: Fraction) -> Mask:
    """Rows that are within the bound whatever was rounded; the others are looked at exactly."""
    limit = float_down(bound) * (1.0 - 2.0**-40)
    if not 2.0**-400 < limit < 2.0**400:
        return np.zeros(len(rows), dtype=np.bool_)
    within = np.ones(len(rows), dtype=np.bool_)
    for at in range(rows.shape[1]):
        within &= np.abs(rows[:, at]) <= limit
    norms = _norms(np.where(within[:, None], rows, 0.0), norm)
    return np.asarray(within & (norms <= limit * (1.0 - (rows.shape[1] + 8) * ROUNDOFF)), dtype=np.bool_)


def _towards_zero(value: Fraction, places: int) -> Fraction:
    """Cut off after 320 bits from the first, but not before so many binary places: rounding towards zero lengthens no row."""
    if value == 0:
        return ZERO
    shift = max(places, min(_ROOM - 1, 320 - value.numerator.bit_length() + value.denominator.bit_length()))
    unit = Fraction(2) ** -shift
    return math.floor(abs(value) / unit) * unit * (1 if value > 0 else -1)


def _spell(value: Fraction, place: tuple[int, int], parts: list[dict[tuple[int, int], float]]) -> None:
    """Write a number as a sum of doubles, each the rest of it rounded towards zero."""
    level = 0
    while value:
        piece = float_down(abs(value)) * (1 if value > 0 else -1)
        if piece == 0.0:
            return
        if level == len(parts):
            parts.append({})
        parts[level][place] = piece
        value -= Fraction(piece)
        level += 1


def _only(grid: Numbers, keep: Doubles) -> Numbers:
    """The entries where `keep` is 1, and 0 where it is 0."""
    terms = [(factor, np.where(keep > 0, array, 0.0)) for factor, array in grid.terms]
    if isinstance(grid.constant, Fraction):
        if grid.constant:
            terms.append((grid.constant, keep))
        return Numbers(tuple(terms), ZERO, grid.shape)
    chosen = grid.constant.copy()
    chosen[keep == 0] = ZERO
    return Numbers(tuple(terms), chosen, grid.shape)
