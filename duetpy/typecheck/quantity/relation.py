"""Whether a relation of two quantities holds, fails, or hangs on what is not known yet; and tests on static numbers."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

from attrs import frozen

from duetpy.typecheck.quantity.form import INFINITY, Quantity
from duetpy.typecheck.quantity.kinds import KindVar
from duetpy.typecheck.quantity.signed import Signed

Order: TypeAlias = Literal["<", "≤"]
Relation: TypeAlias = Literal["<", "≤", "∣"]


def decided(left: Quantity, relation: Relation, right: Quantity) -> bool | None:
    """Whether ``left < right``, ``left ≤ right`` or ``left ∣ right`` holds; None where neither that nor its opposite is
    proved.

    Zero divides nothing but zero.
    """
    if relation == "∣":
        quotient = right / left
        if quotient == INFINITY:
            return False
        return None if quotient.constant is None else quotient.constant.denominator == 1
    strict = relation == "<"
    if left.lt(right) if strict else left.leq(right):
        return True
    if right.leq(left) if strict else right.lt(left):
        return False
    return None


@frozen
class Comparison:
    """``left < right`` or ``left ≤ right`` of static numbers, as a test in a program decides it."""

    left: Signed
    strict: bool
    right: Signed

    def variables(self) -> frozenset[KindVar]:
        return self.left.variables() | self.right.variables()

    def substitute(self, mapping: Mapping[KindVar, Quantity]) -> Comparison:
        return Comparison(self.left.substitute(mapping), self.strict, self.right.substitute(mapping))

    def opposite(self) -> Comparison:
        """What holds where this does not."""
        return Comparison(self.right, not self.strict, self.left)

    def fails(self, numbers: Mapping[KindVar, Fraction]) -> bool:
        """Whether it is certain, with the numbers that are known, that it does not hold.

        Only of rational numbers: of others a run knows so many digits, and its own test might come out otherwise.
        """
        if not self.variables() <= numbers.keys():
            return False
        ends = [(side.evaluate(numbers, up=False), side.evaluate(numbers, up=True)) for side in (self.left, self.right)]
        if any(low != high or not isinstance(low, Fraction) for low, high in ends):
            return False
        left, right = ends[0][0], ends[1][0]
        return left >= right if self.strict else left > right

    def show(self, ascii: bool = False) -> str:
        relation = "<" if self.strict else "<=" if ascii else "≤"
        return f"{self.left.show(ascii)} {relation} {self.right.show(ascii)}"
