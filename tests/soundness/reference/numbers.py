"""Real numbers as enclosures by fractions: exact where they are rational, known to 60 digits where they are not.

A number remembers which kind variables it was computed from: what holds for one number of rows may not hold for all.
"""

from __future__ import annotations

from decimal import Context as DecimalContext
from decimal import Decimal
from fractions import Fraction
from math import inf, isqrt, nextafter
from sys import float_info

from attrs import frozen

DIGITS = 60
SCALE = 10**DIGITS
LOGARITHMS = DecimalContext(prec=DIGITS + 20)


@frozen
class Num:
    """low ≤ the number ≤ high; ∞ where `low` is None.

    Parameters
    ----------
    low, high
        The enclosure; equal for a rational number.
    of
        The kind variables that it was computed from, by name.
    """

    low: Fraction | None
    high: Fraction
    of: frozenset[str] = frozenset()

    @staticmethod
    def exactly(value: int | Fraction, *of: str) -> Num:
        return Num(Fraction(value), Fraction(value), frozenset(of))

    @property
    def is_infinite(self) -> bool:
        return self.low is None

    @property
    def is_zero(self) -> bool:
        return self.low is not None and self.low == self.high == 0

    @property
    def is_numeral(self) -> bool:
        """Whether it is rational and the same whatever the kind variables are."""
        return self.low is not None and self.low == self.high and not self.of

    @property
    def floor(self) -> Fraction:
        assert self.low is not None
        return self.low

    def __add__(self, other: Num) -> Num:
        if self.low is None or other.low is None:
            return INF
        return Num(self.low + other.low, self.high + other.high, self.of | other.of)

    def __sub__(self, other: Num) -> Num:
        return self + other.negated()

    def negated(self) -> Num:
        return Num(-self.high, -self.floor, self.of)

    def __mul__(self, other: Num) -> Num:
        if self.is_zero or other.is_zero:
            return ZERO
        if self.low is None or other.low is None:
            return INF
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Num(min(corners), max(corners), self.of | other.of)

    def __truediv__(self, other: Num) -> Num:
        assert other.low is not None
        assert other.low > 0 or other.high < 0
        return self * Num(1 / other.high, 1 / other.low, other.of)

    def __pow__(self, exponent: int) -> Num:
        result = ONE
        for _ in range(exponent):
            result = result * self
        return result

    def magnitude(self) -> Num:
        if self.low is None or self.low >= 0:
            return self
        if self.high <= 0:
            return self.negated()
        return Num(Fraction(0), max(-self.low, self.high), self.of)

    def root(self) -> Num:
        if self.low is None:
            return INF
        return Num(root_below(self.low), root_above(self.high), self.of)

    def logarithm(self) -> Num:
        """The natural logarithm of a positive number."""
        slack = Fraction(1, SCALE)
        if self.is_one:
            return Num(Fraction(0), Fraction(0), self.of)
        return Num(_log(self.floor) - slack, _log(self.high) + slack, self.of)

    @property
    def is_one(self) -> bool:
        return self.low == self.high == 1

    def __le__(self, other: Num) -> bool:
        """Proved by the enclosures, or not told apart by them."""
        if other.low is None:
            return True
        return self.low is not None and self.low <= other.high

    def __lt__(self, other: Num) -> bool:
        return not other <= self

    def is_same(self, other: Num) -> bool:
        return self <= other and other <= self


def root_below(value: Fraction) -> Fraction:
    top, bottom = isqrt(value.numerator), isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    return Fraction(isqrt(value.numerator * SCALE * SCALE // value.denominator), SCALE)


def root_above(value: Fraction) -> Fraction:
    below = root_below(value)
    return below if below * below == value else below + Fraction(1, SCALE)


def _log(value: Fraction) -> Fraction:
    numerator = LOGARITHMS.ln(Decimal(value.numerator))
    return Fraction(LOGARITHMS.subtract(numerator, LOGARITHMS.ln(Decimal(value.denominator))))


def larger(first: Num, *others: Num) -> Num:
    result = first
    for other in others:
        if result.low is None or other.low is None:
            result = INF
        else:
            result = Num(max(result.low, other.low), max(result.high, other.high), result.of | other.of)
    return result


def smaller(first: Num, second: Num) -> Num:
    if first.low is None:
        return second
    if second.low is None:
        return first
    return Num(min(first.low, second.low), min(first.high, second.high), first.of | second.of)


ZERO, ONE, TWO = Num.exactly(0), Num.exactly(1), Num.exactly(2)
INF = Num(None, Fraction(0))


def outwards(bounds: tuple[Num, Num]) -> tuple[Num, Num] | None:
    """The doubles next to two numerals that are not between them."""
    if not all(end.is_numeral and abs(end.high) <= float_info.max for end in bounds):
        return None
    low, high = (float(end.high) for end in bounds)
    return (
        Num.exactly(Fraction(low if low <= bounds[0].high else nextafter(low, -inf))),
        Num.exactly(Fraction(high if high >= bounds[1].high else nextafter(high, inf))),
    )
