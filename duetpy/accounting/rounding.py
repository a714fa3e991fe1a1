"""Directed rounding: every float in the accountant is a bound, and this is where it gets its direction.

A cost is rounded up and a budget is rounded down. Closed forms are evaluated in doubles; each states a relative error that
its evaluation stays under, and `raised` or `lowered` moves the double past it.
"""

from __future__ import annotations

import math
from fractions import Fraction

UNIT_ROUNDOFF = 2.0**-53

LARGEST = math.ldexp(2.0 - 2.0**-52, 1023)


def float_up(number: Fraction | float) -> float:
    """The least double that is not below a number; ∞ beyond the largest double."""
    if isinstance(number, float):
        return number
    try:
        near = number.numerator / number.denominator
    except OverflowError:
        return math.inf if number > 0 else -LARGEST
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)


def float_down(number: Fraction | float) -> float:
    """The greatest double that is not above a number."""
    return number if isinstance(number, float) else -float_up(-number)


def raised(value: float, relative: float) -> float:
    """An upper bound on a real number of which `value` is within `relative` of itself; ∞ for one beyond the doubles, and for nan,
    which bounds nothing."""
    if not value < math.inf:  # ∞ times a relative error of 0 would be nan
        return math.inf
    return math.nextafter(value + abs(value) * relative, math.inf) if value > -math.inf else -LARGEST


def multiple(times: int, number: float) -> float:
    """A whole multiple of a number, rounded up; beyond 2^53 a whole number may be no double itself."""
    return raised(times * number, 1e-15)


def at_least_zero(bound: float) -> float:
    """An upper bound on a number that is not negative: `max(0.0, nan)` would be 0, where nan bounds nothing."""
    return math.inf if math.isnan(bound) else max(0.0, bound)


def lowered(value: float, relative: float) -> float:
    """A lower bound on a real number of which `value` is within `relative` of itself; -∞ for nan, which bounds nothing."""
    return -raised(-value, relative)


def claimed(number: float) -> Fraction:
    """The least number of which a printed bound is surely one: a double stands for its shortest decimal, or for itself."""
    return max(Fraction(number), Fraction(repr(number)))


def reached(number: float) -> Fraction:
    """The same of a bound from below, such as an order."""
    return min(Fraction(number), Fraction(repr(number)))


def root_up(square: Fraction, bits: int = 80) -> Fraction:
    """A rational upper bound on the square root of a non-negative rational, within 2^-bits of it, relatively."""
    return _root(square, bits, up=True)


def root_down(square: Fraction, bits: int = 80) -> Fraction:
    """A rational lower bound on the square root of a non-negative rational, within 2^-bits of it, relatively."""
    return _root(square, bits, up=False)


def _root(square: Fraction, bits: int, *, up: bool) -> Fraction:
    if square == 0:
        return Fraction(0)
    # √(n/d) = √(n·d·4^k) / (d·2^k); the integer under the root has at least 2·bits binary digits.
    under = square.numerator * square.denominator
    shift = max(0, bits + 2 - under.bit_length() // 2)
    scaled = under << (2 * shift)
    root = math.isqrt(scaled)
    if up and root * root != scaled:
        root += 1
    return Fraction(root, square.denominator << shift)


def written_up(number: Fraction) -> float:
    """The least double whose shortest decimal text is not below a number; ∞ beyond the largest double."""
    near = math.nextafter(float_up(number), -math.inf)
    while near < math.inf and Fraction(repr(near)) < number:
        near = math.nextafter(near, math.inf)
    return near + 0.0  # zero is reached from below, and has one sign


def written_down(number: Fraction) -> float:
    """The greatest double whose shortest decimal text is not above a number."""
    near = math.nextafter(float_down(number), math.inf)
    near = LARGEST if math.isinf(near) else near
    while Fraction(repr(near)) > number:
        near = math.nextafter(near, -math.inf)
    return near + 0.0


def short_up(number: Fraction) -> Fraction:
    """A number that is not below the given one, and whose sums with its like stay short: the given one where it is a decimal
    or a fraction with a small denominator, else the next decimal of 60 digits."""
    if number <= 0 or number.denominator < 2**20 or pow(10, _PLACES, number.denominator) == 0:
        return number
    magnitude = (number.numerator.bit_length() - number.denominator.bit_length()) * 0.30103
    scale = 10 ** min(max(61 - math.floor(magnitude), 0), _PLACES)
    return Fraction(-(-number.numerator * scale // number.denominator), scale)


_PLACES = 1100
"""As many decimals as a double can have, and some more."""
