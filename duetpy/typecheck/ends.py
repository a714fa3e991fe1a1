"""The ends of ranges: static numbers, some of which a run knows to so many digits."""

from __future__ import annotations

from fractions import Fraction

from duetpy.typecheck.quantity import Quantity, Signed


#   a < 0 < b
#   ───────────────────      and −b + a ≥ a from below: where a and b are known to so many digits, nothing is known about what
#   a ≤ a + b ≤ b            is left when they nearly cancel
def added(one: Signed, other: Signed, *, up: bool) -> Signed | None:
    """The sum of two ends of ranges, or a bound above or below it where a run may not find the sum."""
    cancels = one.negative != other.negative and not (one.magnitude.is_zero or other.magnitude.is_zero)
    if cancels and not (is_exact(one) and is_exact(other)):
        return other if one.negative is up else one
    return as_found(one + other, one, other, up=up)


def is_exact(number: Signed) -> bool:
    """Whether a run computes a static number exactly. It knows others to a fixed number of digits, so what is proved about
    the difference of two need not hold for what it computes."""
    return number.magnitude.is_rational()


NEAR = Quantity.of(1 + Fraction(1, 1 << 64))
"""What a run computes from numbers that it does not know exactly differs from what it stands for by less than this factor: it
rounds each of them to thirty digits."""


#   e = √2 ⋅ √2 = 2, of which a run knows √2
#   ────────────────────────────────────────      e is no bound on what it computes, which is 2 to so many digits
#   e/NEAR, e⋅NEAR
def as_found(end: Signed | None, *of: Signed, up: bool) -> Signed | None:
    """An end of a range that is made `of` others, or a number beyond it where a run knows it exactly, but not these."""
    if end is None or is_approximate(end) or not any(map(is_approximate, of)):
        return end
    return beyond(end, up=up)


def is_approximate(number: Signed) -> bool:
    """Whether a run knows a number to so many digits only: a root, or what a call may have put one into."""
    return not number.magnitude.is_rational(given=True) and not number.magnitude.is_infinite


def beyond(end: Signed, *, up: bool) -> Signed:
    """A number that lies above or below all that a run may take for this one."""
    return Signed(end.negative, end.magnitude / NEAR if end.negative is up else end.magnitude * NEAR)
