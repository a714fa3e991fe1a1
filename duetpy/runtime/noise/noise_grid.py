"""The lattice 2^k·ℤ on which released numbers live: going onto it, coming off it, and what that costs.

Contract. A number on the lattice is an integer count of *steps* of size 2^k; k is the *exponent* and never depends on
data. Steps are int64 where every count is below 2^62 in absolute value, and Python integers otherwise, so that no
arithmetic on them wraps. Rounding is exact: a value goes to the nearest step (half to even), and a count of steps
becomes the double nearest to it, once.

Rounding onto the lattice is not free: it can carry two neighbouring values half a step away each, so a coordinate that
differs can differ by up to one step more (:func:`lattice_slack`). Values that are on the lattice already, such as
counts, need no slack.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

Steps: TypeAlias = NDArray[np.int64] | NDArray[np.object_]
Norm: TypeAlias = Literal["L1", "L2", "L∞"]

STEP_LIMIT = 1 << 62
"""Two counts below this limit add up below 2^63, so their int64 sum cannot wrap."""

LEAST_EXPONENT = -1074
"""2^-1074 is the spacing of the subnormal doubles (IEEE 754): every double is on that lattice, no finer one is needed.
It also makes the conversion back a single rounding, as every multiple of it below 2^-1022 is a double."""

GREATEST_EXPONENT = 1023
"""2^1023 is the largest power of two among the doubles."""

_LARGEST = sys.float_info.max
_LEAST_NORMAL, _GREATEST_FACTOR = -1022, 960
"""Between these, the product of 2^k with a double that holds a count of 64 bits is exact, and neither under- nor overflows."""

STEPS_PER_UNIT = 30
"""Steps per sensitivity, in powers of two: fine enough that one step is 10^-9 of the noise, coarse enough that a double
decides almost every rounding."""


def floor_log_two(value: Fraction) -> int:
    """The largest integer e with 2^e <= value, for value > 0, exactly."""
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= value else exponent - 1


def choose_granularity(sensitivity: Fraction | float, scale: Fraction | float) -> int:
    """The exponent k of a lattice fit for noise of a scale: 2^30 steps to a power of two at or below both arguments.

    It depends on declared and inferred quantities alone, never on a value that is released. Call it once, with the
    scale that belongs to the bare sensitivity; add :func:`lattice_slack` for that k to the sensitivity; then draw with
    the scale that belongs to the sum and with *the same* k.

    Parameters
    ----------
    sensitivity
        The sensitivity in the metric of the mechanism, positive and finite.
    scale
        The scale (Laplace b, Gaussian σ) of the noise, positive and finite.

    Raises
    ------
    ValueError
        When an argument is not positive and finite.
    """
    smaller = min(_positive(sensitivity, "sensitivity"), _positive(scale, "scale"))
    return max(LEAST_EXPONENT, min(GREATEST_EXPONENT, floor_log_two(smaller) - STEPS_PER_UNIT))


def is_finite(value: Fraction | float) -> bool:
    """Whether a number is neither infinite nor nan; a fraction never is, however large."""
    return not isinstance(value, float) or math.isfinite(value)


def _positive(value: Fraction | float, name: str) -> Fraction:
    if not is_finite(value) or value <= 0:
        raise ValueError(f"the {name} must be positive and finite")
    return Fraction(value)


def lattice_slack(count: int, norm: Norm, exponent: int) -> Fraction:
    """How much further apart two neighbouring vectors can be after rounding onto the lattice.

    With r the rounding, |r(a) - r(b)| <= |a - b| + 2^k for each coordinate, so by the triangle inequality the
    distance grows by at most n·2^k in L1, √n·2^k in L2 and 2^k in L∞. (Only coordinates that differ can move, so
    ``count`` may be the number of coordinates in which neighbours can differ.)

    Parameters
    ----------
    count
        The number n of coordinates.
    norm
        The norm in which the mechanism measures sensitivity.
    exponent
        The exponent k of the lattice.

    Returns
    -------
    Fraction
        An upper bound to be added to the sensitivity; √n is rounded up to a multiple of 2^-32.
    """
    step = Fraction(2) ** exponent
    match norm:
        case "L1":
            return count * step
        case "L2":
            root = math.isqrt(count << 64)
            return Fraction(root + (root * root < count << 64), 1 << 32) * step
        case "L∞":
            return step if count else Fraction(0)
        case _:
            assert_never(norm)


def to_lattice(values: ArrayLike, exponent: int) -> Steps:
    """Round real values to whole steps of 2^exponent, half to even, exactly.

    Parameters
    ----------
    values
        Finite doubles of any shape.
    exponent
        The exponent k of the lattice, at least -1074.

    Returns
    -------
    Steps
        An array of the same shape; int64, or Python integers where a count reaches 2^62.

    Raises
    ------
    ValueError
        When a value is not finite. The kernels are total and never produce one, so this is an internal fault, and the
        message says nothing about the value.
    """
    _check_exponent(exponent)
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError("a number to be released is not finite")
    with np.errstate(over="ignore", under="ignore"):
        # Exact, but for overflow to ∞ (handled below) and for results under 2^-1022, which round to 0 anyway.
        scaled = np.ldexp(array, -exponent)
    if not scaled.size or float(np.abs(scaled).max()) < STEP_LIMIT:
        return np.asarray(np.rint(scaled), dtype=np.int64)
    step = Fraction(2) ** exponent
    return as_objects([round(Fraction(value) / step) for value in array.ravel().tolist()]).reshape(array.shape)


def as_objects(integers: Sequence[int]) -> NDArray[np.object_]:
    """A one-dimensional array that holds Python integers as they are."""
    return np.fromiter(integers, dtype=np.object_)


def narrowest(integers: Sequence[int]) -> Steps:
    """Python integers as int64 where all are below 2^62, else as they are."""
    if all(-STEP_LIMIT < integer < STEP_LIMIT for integer in integers):
        return np.array(integers, dtype=np.int64)
    return as_objects(integers)


def add_steps(left: Steps, right: Steps) -> Steps:
    """The exact sum of two arrays of steps of the same shape."""
    if left.dtype == np.int64 and right.dtype == np.int64:
        # A sum of 64 bits has wrapped exactly where both parts have the other sign.
        wrapped = left + right
        if not np.count_nonzero(((left ^ wrapped) & (right ^ wrapped)) < 0):
            return np.asarray(wrapped, dtype=np.int64)
    total = [int(a) + int(b) for a, b in zip(left.ravel().tolist(), right.ravel().tolist(), strict=True)]
    return as_objects(total).reshape(left.shape)


def from_lattice(steps: Steps, exponent: int) -> NDArray[np.float64]:
    """The doubles nearest to steps·2^exponent (half to even, one rounding); beyond the largest double, that double."""
    _check_exponent(exponent)
    if steps.dtype == np.int64:
        rounded = steps.astype(np.float64)
        if _LEAST_NORMAL <= exponent <= _GREATEST_FACTOR:
            return np.asarray(rounded * 2.0**exponent)
        with np.errstate(over="ignore"):
            return np.asarray(np.clip(np.ldexp(rounded, exponent), -_LARGEST, _LARGEST))
    step = Fraction(2) ** exponent
    flat = [_nearest_double(int(count) * step, _LARGEST) for count in steps.ravel().tolist()]
    return np.array(flat, dtype=np.float64).reshape(steps.shape)


def _nearest_double(value: Fraction, largest: float) -> float:
    return largest if value >= largest else -largest if value <= -largest else float(value)


def _check_exponent(exponent: int) -> None:
    if not LEAST_EXPONENT <= exponent <= GREATEST_EXPONENT:
        raise ValueError("the lattice is finer or coarser than the doubles")
