"""Exact numbers rounded to whole ones, and the larger and the smaller of two."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from duetpy.runtime.exact.rationals import (
    WHOLE,
    Numbers,
    add,
    as_doubles,
    constant,
    negated,
    of_fractions,
    plain,
    rounded,
    select,
    signs,
    to_double,
)


def floor(value: Numbers) -> Numbers:
    """The whole number at or below every entry: exact."""
    if value.doubles is not None:
        return plain(np.floor(value.doubles) + 0.0)
    near = rounded(value)
    if np.any(np.abs(near) >= WHOLE):
        return of_fractions([Fraction(math.floor(entry)) for entry in value.fractions().ravel().tolist()], value.shape)
    near = np.floor(near)
    is_above = signs(add(value, plain(-near))) < 0
    is_below = signs(add(value, plain(-near - 1.0))) >= 0
    return plain(near - is_above + is_below + 0.0)


def ceiling(value: Numbers) -> Numbers:
    """The whole number at or above every entry: exact."""
    return negated(floor(negated(value)))


def nearest(value: Numbers) -> Numbers:
    """The whole number nearest to every entry, of two the even one: exact."""
    if value.doubles is not None:
        return plain(np.rint(value.doubles) + 0.0)
    below = floor(value)
    if below.doubles is None or np.any(np.abs(below.doubles) >= WHOLE):
        return of_fractions([Fraction(round(entry)) for entry in value.fractions().ravel().tolist()], value.shape)
    half = signs(add(add(value, negated(below)), constant(Fraction(-1, 2), value.shape)))
    is_odd = np.fmod(below.doubles, 2.0) != 0.0
    return plain(below.doubles + ((half > 0.0) | ((half == 0.0) & is_odd)))


# ---------------------------------------------------------------------------------------------------------------------
# Max, min and sums


def maximum(left: Numbers, right: Numbers) -> Numbers:
    """The larger entry of two: exact."""
    first, second = as_doubles(left), as_doubles(right)
    if first is not None and second is not None:
        return plain(
            np.broadcast_to(np.maximum(first, second), left.shape), natural=left.is_natural and right.is_natural
        )
    return select(signs(add(left, negated(right))) >= 0, left, right)


def minimum(left: Numbers, right: Numbers) -> Numbers:
    """The smaller entry of two: exact."""
    first, second = as_doubles(left), as_doubles(right)
    if first is not None and second is not None:
        return plain(
            np.broadcast_to(np.minimum(first, second), left.shape), natural=left.is_natural and right.is_natural
        )
    return select(signs(add(left, negated(right))) <= 0, left, right)


def clamped(value: Numbers, low: Fraction, high: Fraction) -> Numbers:
    """Every entry brought into [low, high]: exact."""
    doubles = value.doubles
    least, most = to_double(low), to_double(high)
    if doubles is not None and Fraction(least) == low and Fraction(most) == high:
        return plain(np.clip(doubles, least, most), natural=value.is_natural)
    lowest, highest = (Numbers((), end, value.shape) for end in (low, high))
    is_below = signs(add(value, negated(lowest))) < 0
    is_above = signs(add(value, negated(highest))) > 0
    return select(is_above, highest, select(is_below, lowest, value))
