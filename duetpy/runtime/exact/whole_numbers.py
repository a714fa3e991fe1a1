"""Exact numbers rounded to whole ones, natural numbers, and numbers compared: the same as of one number by Python."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from duetpy.accounting.rounding import LARGEST
from duetpy.runtime.exact import rationals
from duetpy.runtime.exact.linear_forms import add, apart
from duetpy.runtime.exact.rationals import (
    WHOLE,
    ZERO,
    Doubles,
    Numbers,
    Term,
    as_doubles,
    constant,
    is_other,
    negated,
    of_fractions,
    plain,
    rounded,
    select,
    signs,
    to_double,
)

GREATEST_NATURAL = 1 << 1024
"""There are no larger natural numbers: what is computed becomes this one, which is beyond every double, and what is given is
refused. How many digits Python writes of a number is a setting of the process, and it writes those of this one always."""


def over_one_denominator(value: Numbers) -> tuple[list[int], int]:
    """All entries in the order of the last axis first, as whole numbers over the same denominator."""
    constants: list[Fraction] = np.broadcast_to(np.asarray(value.constant, dtype=object), value.shape).ravel().tolist()
    ratios = [[cell.as_integer_ratio() for cell in array.ravel().tolist()] for _, array in value.terms]
    binary = max((bottom for column in ratios for _, bottom in column), default=1)
    common = math.lcm(*{constant.denominator for constant in constants})
    common = math.lcm(common, *(factor.denominator * binary for factor, _ in value.terms))
    counts = [int(constant * common) for constant in constants]
    for (factor, _), column in zip(value.terms, ratios, strict=True):
        whole = int(factor * common)
        counts = [count + whole * top // bottom for count, (top, bottom) in zip(counts, column, strict=True)]
    return counts, common


def floor(value: Numbers) -> Numbers:
    """The whole number at or below every entry: exact."""
    if value.doubles is not None:
        return plain(np.floor(value.doubles) + 0.0)
    near = rounded(value)
    if (large := np.abs(near) >= WHOLE).any():
        return apart(value, large, lambda exact: Fraction(math.floor(exact)), floor)
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
    if (large := np.abs(rounded(value)) >= WHOLE).any():
        return apart(value, large, lambda exact: Fraction(round(exact)), nearest)
    below = floor(value)
    assert below.doubles is not None
    half = signs(add(add(value, negated(below)), constant(Fraction(-1, 2), value.shape)))
    is_odd = np.fmod(below.doubles, 2.0) != 0.0
    return plain(below.doubles + ((half > 0.0) | ((half == 0.0) & is_odd)))


_LIMB = 48


def of_integers(counts: list[int], unit: Fraction, shape: tuple[int, ...]) -> Numbers:
    """Integers of any size, times a rational unit: limbs of 48 bits, each an array of doubles."""
    terms: list[Term] = []
    rest, weight = counts, unit
    while not terms or any(rest):
        # A floor division leaves limbs of 0 … 2^48 - 1 and the sign in the last, which then is -1 or 0.
        limbs = [count & ((1 << _LIMB) - 1) for count in rest] if any(abs(c) >> _LIMB for c in rest) else rest
        terms.append((weight, np.array(limbs, dtype=np.float64).reshape(shape)))
        rest = [(count - limb) >> _LIMB for count, limb in zip(rest, limbs, strict=True)]
        weight = weight * (1 << _LIMB)
    return Numbers(tuple(terms), ZERO, shape)


# ---------------------------------------------------------------------------------------------------------------------
# Natural numbers


def bounded(value: Numbers) -> Numbers:
    """Numbers of which natural ones are at most `GREATEST_NATURAL`."""
    if not value.is_natural or value.doubles is not None or _size(value) <= GREATEST_NATURAL:
        return value
    return apart(
        value, rounded(value) == LARGEST, lambda exact: min(exact, Fraction(GREATEST_NATURAL)), lambda others: others
    )


def _size(value: Numbers) -> Fraction:
    """What no number is larger than."""
    ends = value.constant if isinstance(value.constant, Fraction) else value.constant[is_other(value.constant)].tolist()
    size = max(map(abs, [ends] if isinstance(ends, Fraction) else ends), default=Fraction(0))
    for factor, array in value.terms:
        size += abs(factor) * Fraction(float(np.abs(array).max(initial=0.0)))
    return size


def remainder(left: Numbers, right: Numbers) -> Numbers:
    """Natural numbers modulo others, 0 where these are 0: exact."""
    first, second = as_doubles(left), as_doubles(right)
    natural = left.is_natural and right.is_natural
    if first is not None and second is not None:
        top, bottom = np.broadcast_to(first, left.shape), np.broadcast_to(second, left.shape)
        return plain(np.fmod(top, bottom, out=np.zeros(left.shape), where=bottom != 0), natural=natural)
    pairs = zip(left.fractions().ravel().tolist(), right.fractions().ravel().tolist(), strict=True)
    rests = [top % bottom if bottom else Fraction(0) for top, bottom in pairs]
    return of_fractions(rests, left.shape, natural=natural)


# ---------------------------------------------------------------------------------------------------------------------
# Comparisons, max and min


def compared(left: Numbers, right: Numbers) -> tuple[Doubles, Doubles]:
    """Doubles that are in the order of two numbers, entry by entry: natural numbers as they are, others as the nearest doubles."""
    are_natural = left.is_natural and right.is_natural
    if not are_natural or (as_doubles(left) is not None and as_doubles(right) is not None):
        one, other = rationals.nearest(left), rationals.nearest(right)
        return rationals.in_shape(one, left.shape), rationals.in_shape(other, left.shape)
    order = signs(add(left, negated(right)))
    return order, np.zeros(order.shape)


def maximum(left: Numbers, right: Numbers) -> Numbers:
    """The larger entry of two: exact."""
    first, second = as_doubles(left), as_doubles(right)
    if first is not None and second is not None:
        larger = rationals.in_shape(np.maximum(first, second), left.shape)
        return plain(larger, natural=left.is_natural and right.is_natural)
    return select(signs(add(left, negated(right))) >= 0, left, right)


def minimum(left: Numbers, right: Numbers) -> Numbers:
    """The smaller entry of two: exact."""
    first, second = as_doubles(left), as_doubles(right)
    if first is not None and second is not None:
        smaller = rationals.in_shape(np.minimum(first, second), left.shape)
        return plain(smaller, natural=left.is_natural and right.is_natural)
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
