"""Arithmetic on numbers known exactly or between two bounds.

A :data:`Value` is a ``Fraction`` (the number itself), or an :class:`Enclosure` of decimal bounds that are rounded
outward at every step, the upper one maybe infinite. Python's ``decimal`` rounds ``+ · /`` in the direction asked, and
``sqrt``, ``exp`` and ``ln`` correctly to the nearest, which one step to the next decimal makes outward (Python library
reference, module decimal). Magnitudes are kept within 10^±3000, or 10^±10^17 on the way to a logarithm: above, an upper bound
is ∞ and a lower bound stays at the largest decimal; below, an upper bound stays at the smallest one and a lower bound is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, Inexact
from fractions import Fraction
from math import floor

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.typecheck.quantity.rational import NUMBER_BITS, Number, exact_root

#: Decimal exponents stay within this.
MAGNITUDE = 3_000
#: Within this where a logarithm is taken of a number: no fraction is made of it.
LOGARITHMIC = 10**17
#: A root of this degree or below is looked for among the rationals.
ROOT_DEGREE = 64


@frozen(eq=False, repr=False)
class Enclosure(ByValue):
    """A number of which ``lower ≤ number ≤ upper`` is known."""

    lower: Decimal
    upper: Decimal


Value = Fraction | Enclosure

INFINITE = Enclosure(Decimal("Infinity"), Decimal("Infinity"))


class Precision:
    """The arithmetic at a number of decimal digits."""

    def __init__(self, digits: int, magnitude: int = MAGNITUDE) -> None:
        self.digits = digits
        self.magnitude = magnitude
        self.down = Context(digits, ROUND_FLOOR, -magnitude, magnitude, traps=[])
        self.up = Context(digits, ROUND_CEILING, -magnitude, magnitude, traps=[])

    def enclosed(self, value: Value) -> Enclosure:
        """The value between two decimals."""
        if isinstance(value, Enclosure):
            return value
        top, bottom = Decimal(value.numerator), Decimal(value.denominator)
        return Enclosure(self.down.divide(top, bottom), self.up.divide(top, bottom))

    def add(self, left: Value, right: Value) -> Value:
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return self.rounded(left + right)
        first, second = self.enclosed(left), self.enclosed(right)
        return Enclosure(self.down.add(first.lower, second.lower), self.up.add(first.upper, second.upper))

    def multiply(self, left: Value, right: Value) -> Value:
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return self.rounded(left * right)
        if left == 0 or right == 0:
            return Fraction(0)
        first, second = self.enclosed(left), self.enclosed(right)
        return Enclosure(_product(self.down, first.lower, second.lower), _product(self.up, first.upper, second.upper))

    def rounded(self, value: Fraction) -> Value:
        """The same number, no longer exact when it is large."""
        if max(value.numerator.bit_length(), value.denominator.bit_length()) < NUMBER_BITS:
            return value
        return self.enclosed(value)

    def reciprocal(self, value: Value) -> Value:
        if isinstance(value, Fraction):
            return 1 / value if value else INFINITE
        one = Decimal(1)
        upper = self.up.divide(one, value.lower) if value.lower else Decimal("Infinity")
        lower = self.down.divide(one, value.upper) if value.upper else Decimal("Infinity")
        return Enclosure(lower, upper)

    def power(self, value: Value, exponent: Number) -> Value:
        """A power with a rational exponent that is not zero."""
        if exponent < 0:
            return self.reciprocal(self.power(value, -exponent))
        if isinstance(value, Fraction):
            exact = _exact_power(value, exponent)
            if exact is not None:
                return exact
        bounds = self.enclosed(value)
        whole, part = divmod(Fraction(exponent), 1)
        raised = self.whole_power(bounds, whole)
        if not part:
            return raised
        rest = self.square_root(bounds) if part == Fraction(1, 2) else self.partial_power(bounds, part)
        return self.multiply(raised, rest) if whole else rest

    def whole_power(self, value: Enclosure, exponent: int) -> Enclosure:
        """A power with an exponent ≥ 0, by repeated squaring: every step is monotone and rounded outward."""
        lower = upper = Decimal(1)
        low, high = value.lower, value.upper
        while exponent:
            if exponent & 1:
                lower, upper = _product(self.down, lower, low), _product(self.up, upper, high)
            exponent >>= 1
            if exponent:
                low, high = _product(self.down, low, low), _product(self.up, high, high)
        return Enclosure(lower, upper)

    def partial_power(self, value: Enclosure, exponent: Fraction) -> Enclosure:
        """A power with an exponent between 0 and 1, as exp(exponent · log(value))."""
        low, high = value.lower, value.upper
        times = self.enclosed(exponent)
        lower = upper = Decimal(0)
        if low:
            logarithm = _outward(self.down, self.down.ln, low)
            share = self.down.multiply(logarithm, times.lower if logarithm > 0 else times.upper)
            lower = _outward(self.down, self.down.exp, share)
        if high:
            logarithm = _outward(self.up, self.up.ln, high)
            share = self.up.multiply(logarithm, times.upper if logarithm > 0 else times.lower)
            upper = _outward(self.up, self.up.exp, share)
        return Enclosure(max(lower, Decimal(0)), upper)

    def square_root(self, value: Enclosure) -> Enclosure:
        return self.monotone(value, lambda context: context.sqrt)

    def monotone(self, value: Value, function: Callable[[Context], Callable[[Decimal], Decimal]]) -> Enclosure:
        """An increasing function that ``decimal`` rounds correctly."""
        bounds = self.enclosed(value)
        lower = _outward(self.down, function(self.down), bounds.lower)
        return Enclosure(lower, _outward(self.up, function(self.up), bounds.upper))

    def log(self, value: Value) -> Value:
        """log(max(value, 1))."""
        bounds = self.enclosed(value)
        if (value if isinstance(value, Fraction) else value.upper) <= 1:
            return Fraction(0)
        return self.monotone(Enclosure(max(bounds.lower, Decimal(1)), bounds.upper), lambda context: context.ln)

    def exp(self, value: Value) -> Value:
        if value == 0:
            return Fraction(1)
        return self.monotone(value, lambda context: context.exp)

    def exp_of_difference(self, left: Value, right: Value) -> Value:
        """exp(left − right); the right is finite."""
        if right == 0:
            return self.exp(left)
        if isinstance(left, Fraction) and left == right:  # numbers between equal bounds may differ
            return Fraction(1)
        first, second = self.enclosed(left), self.enclosed(right)
        if first.lower.is_infinite():
            return INFINITE
        lower, upper = self.down.subtract(first.lower, second.upper), self.up.subtract(first.upper, second.lower)
        bounds = self.monotone(Enclosure(lower, upper), lambda context: context.exp)
        return Enclosure(max(bounds.lower, Decimal(0)), bounds.upper)

    def expm1(self, value: Value) -> Value:
        """exp(x) − 1; near 0 between x and x + x² (the series of exp, x ≤ 1)."""
        if value == 0:
            return Fraction(0)
        bounds = self.enclosed(value)
        finer, one = self.finer(), Decimal(1)
        lower, upper = bounds.lower, self.up.add(bounds.upper, self.up.multiply(bounds.upper, bounds.upper))
        if not self.near_zero(bounds.lower):
            lower = self.down.subtract(_outward(finer.down, finer.down.exp, bounds.lower), one)
        if not self.near_zero(bounds.upper):
            upper = self.up.subtract(_outward(finer.up, finer.up.exp, bounds.upper), one)
        return Enclosure(max(lower, Decimal(0)), upper)

    def log1p(self, value: Value) -> Value:
        """log(1 + x); near 0 between x − x² and x (the alternating series of log)."""
        if value == 0:
            return Fraction(0)
        bounds = self.enclosed(value)
        finer, one = self.finer(), Decimal(1)
        lower, upper = self.down.subtract(bounds.lower, self.up.multiply(bounds.lower, bounds.lower)), bounds.upper
        if not self.near_zero(bounds.lower):
            lower = self.down.plus(_outward(finer.down, finer.down.ln, finer.down.add(one, bounds.lower)))
        if not self.near_zero(bounds.upper):
            upper = self.up.plus(_outward(finer.up, finer.up.ln, finer.up.add(one, bounds.upper)))
        return Enclosure(max(lower, Decimal(0)), upper)

    def tanh(self, value: Value) -> Value:
        """tanh x = expm1(2x) / (expm1(2x) + 2), which is 1 − 2/(expm1(2x) + 2)."""
        if value == 0:
            return Fraction(0)
        doubled = self.enclosed(self.expm1(self.multiply(value, Fraction(2))))
        lower, upper = self._ratio_to_itself(self.down, doubled.lower), self._ratio_to_itself(self.up, doubled.upper)
        return Enclosure(lower, upper)

    def _ratio_to_itself(self, context: Context, growth: Decimal) -> Decimal:
        """g / (g + 2), rounded in the direction of the context."""
        opposite = self.up if context is self.down else self.down
        two = Decimal(2)
        if growth < 1:
            return context.divide(growth, opposite.add(growth, two))
        return context.subtract(Decimal(1), opposite.divide(two, context.add(growth, two)))

    def near_zero(self, value: Decimal) -> bool:
        """Below 10^−digits the first terms of a power series give all digits of a function."""
        return not value or value.adjusted() < -self.digits

    def finer(self) -> Precision:
        """Enough more digits for 1 + x to keep all digits of an x that is not near zero."""
        return Precision(2 * self.digits + 2, self.magnitude)


def _product(context: Context, left: Decimal, right: Decimal) -> Decimal:
    """The product with 0·∞ = 0."""
    if not left or not right:
        return Decimal(0)
    return context.multiply(left, right)


def _outward(context: Context, function: Callable[[Decimal], Decimal], argument: Decimal) -> Decimal:
    """A correctly rounded function, moved one decimal in the direction of the context unless it is exact."""
    context.clear_flags()
    result = function(argument)
    if not context.flags[Inexact]:
        return result
    return context.next_plus(result) if context.rounding == ROUND_CEILING else context.next_minus(result)


def _exact_power(value: Fraction, exponent: Number) -> Value | None:
    """A positive power as a rational number, when it is one of moderate size."""
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits * max(floor(exponent), 1) >= NUMBER_BITS or exponent.denominator > ROOT_DEGREE:
        return None
    if exponent.denominator == 1:
        return value ** int(exponent)
    root = exact_root(value, exponent.denominator)
    return None if root is None else Fraction(root) ** exponent.numerator
