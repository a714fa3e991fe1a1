"""Static numbers with a sign. A sensitivity scales by their magnitude."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.typecheck.quantity.arithmetic import settled
from duetpy.typecheck.quantity.form import Quantity
from duetpy.typecheck.quantity.kinds import KindVar
from duetpy.typecheck.quantity.printing import PRODUCT, Printer
from duetpy.typecheck.quantity.sums import subtracted


@frozen(eq=False, repr=False)
class Signed(ByValue):
    """A real number, or ±∞, as a sign and a magnitude; zero is not negative.

    An operation gives None where the result has no known sign, or no form without subtraction: 2·m − m is m, but m − 1
    is None; ∞ − ∞ and a quotient by what may be 0 are None too.
    """

    negative: bool
    magnitude: Quantity

    def __attrs_post_init__(self) -> None:
        if self.magnitude.is_zero and self.negative:
            object.__setattr__(self, "negative", False)

    @staticmethod
    def of(value: int | Fraction) -> Signed:
        """The signed number of a rational one."""
        return Signed(value < 0, Quantity.of(-value if value < 0 else value))

    def __abs__(self) -> Quantity:
        return self.magnitude

    def __neg__(self) -> Signed:
        return Signed(not self.negative, self.magnitude)

    def __add__(self, other: Signed) -> Signed | None:
        if self.negative == other.negative:
            return Signed(self.negative, self.magnitude + other.magnitude)
        rest = difference(self.magnitude, other.magnitude)
        if rest is not None:
            return Signed(self.negative, rest)
        rest = difference(other.magnitude, self.magnitude)
        return None if rest is None else Signed(other.negative, rest)

    def __sub__(self, other: Signed) -> Signed | None:
        return self + -other

    def __mul__(self, other: Signed) -> Signed:
        return Signed(self.negative != other.negative, self.magnitude * other.magnitude)

    def __truediv__(self, other: Signed) -> Signed | None:
        if not other.magnitude.positive() or (self.magnitude.is_infinite and other.magnitude.is_infinite):
            return None
        return Signed(self.negative != other.negative, self.magnitude / other.magnitude)

    def substitute(self, mapping: Mapping[KindVar, Quantity]) -> Signed:
        """The number with variables replaced; see :meth:`Quantity.substitute`."""
        return Signed(self.negative, self.magnitude.substitute(mapping))

    def variables(self) -> frozenset[KindVar]:
        return self.magnitude.variables()

    def leq(self, other: Signed) -> bool:
        """Whether ``self ≤ other`` is proved for every valuation."""
        match self.negative, other.negative:
            case False, False:
                return self.magnitude.leq(other.magnitude)
            case True, True:
                return other.magnitude.leq(self.magnitude)
            case True, False:
                return True
            case _:
                return False

    def evaluate(self, values: Mapping[KindVar, Fraction | int], *, up: bool) -> Fraction | float:
        """The value at a valuation, rounded in the given direction on the line of real numbers."""
        size = self.magnitude.evaluate(values, up=up != self.negative)
        return -size if self.negative else size

    def show(self, ascii: bool = False) -> str:
        """The text; a minus in front of a sum stands before parentheses."""
        text = Printer(ascii).quantity(self.magnitude)
        return "-" + text.at(PRODUCT) if self.negative else text.text


def difference(left: Quantity, right: Quantity) -> Quantity | None:
    """``left − right`` where every term of the right is in the left at least as often, and is finite."""
    if right.is_zero:
        return left
    if not right.facts().finite:
        return None
    if left.is_infinite:
        return left
    terms = dict(left.terms)
    return settled(terms) if subtracted(terms, right.terms) else None
