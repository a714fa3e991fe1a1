"""Whether a relation of two quantities holds, fails, or hangs on what is not known yet; and tests on static numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from math import floor
from typing import Literal, TypeAlias

from attrs import evolve, frozen

from duetpy.by_value import ByValue
from duetpy.typecheck.quantity.form import INFINITY, Quantity
from duetpy.typecheck.quantity.kinds import KindVar
from duetpy.typecheck.quantity.rational import OutsideDomain
from duetpy.typecheck.quantity.signed import Signed
from duetpy.typecheck.quantity.whole import is_whole

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
        return True if is_whole(quotient) else False if _is_between(quotient) else None
    strict = relation == "<"
    if left.lt(right) if strict else left.leq(right):
        return True
    if right.leq(left) if strict else right.lt(left):
        return False
    return None


def _is_between(number: Quantity) -> bool:
    """Whether a number is known to lie between two whole ones."""
    if number.variables():
        return False
    low, high = number.evaluate({}, up=False), number.evaluate({}, up=True)
    return isinstance(low, Fraction) and isinstance(high, Fraction) and floor(high) < low


Stage: TypeAlias = tuple[tuple[KindVar, Quantity], ...]
"""What a call puts in for variables."""


@frozen(eq=False, repr=False)
class Comparison(ByValue):
    """``left < right`` or ``left ≤ right`` of static numbers, as a test in a program decides it.

    A run asks the test itself which branch it takes, with the numbers of the function that the test stands in. What is said
    of a call must be what the run will find, so nothing is simplified across calls: √a ⋅ √b is 2 where both are 2, but a run
    that knows two roots to so many digits does not see it. The sides stay as they are written, and `stages` holds what call
    after call puts in.

    Parameters
    ----------
    left, strict, right
        What is compared.
    stages
        What is put in for the variables of the sides, what is put in for the variables of that, and so on.
    """

    left: Signed
    strict: bool
    right: Signed
    stages: tuple[Stage, ...] = ()

    def variables(self) -> frozenset[KindVar]:
        """The variables that are still open."""
        return self._open_after(self.stages)

    def _open_after(self, stages: Iterable[Stage]) -> frozenset[KindVar]:
        found = self.left.variables() | self.right.variables()
        for stage in stages:
            images = dict(stage)
            found = frozenset(v for each in found for v in (images[each].variables() if each in images else (each,)))
        return found

    def substitute(self, mapping: Mapping[KindVar, Quantity]) -> Comparison:
        found = self.variables()
        stage = {variable: image for variable, image in mapping.items() if variable in found}
        if not stage:
            return self
        if not _renames(stage, found):
            return evolve(self, stages=(*self.stages, tuple(stage.items())))
        if not self.stages:
            return evolve(self, left=self.left.substitute(stage), right=self.right.substitute(stage))
        *before, last = self.stages
        images = {variable: image.substitute(stage) for variable, image in last}
        passed = {variable: stage[variable] for variable in self._open_after(before) & stage.keys() - images.keys()}
        return evolve(self, stages=(*before, tuple({**images, **passed}.items())))

    def opposite(self) -> Comparison:
        """What holds where this does not."""
        return Comparison(self.right, not self.strict, self.left, self.stages)

    def fails(self, numbers: Mapping[KindVar, Fraction]) -> bool:
        """Whether it is certain, with the numbers that are known, that it does not hold.

        Only of rational numbers, all the way from those that are known: of others a run knows so many digits, and its own test
        might come out otherwise.
        """
        if not self.variables() <= numbers.keys():
            return False
        known = dict(numbers)
        for stage in reversed(self.stages):
            put_in = {variable: _exactly(image, known) for variable, image in stage}
            if None in put_in.values():
                return False
            known.update((variable, number) for variable, number in put_in.items() if number is not None)
        left, right = _exactly(self.left, known), _exactly(self.right, known)
        if left is None or right is None:
            return False
        return left >= right if self.strict else left > right

    #   a < b      x⋅b ≤ a⋅y      0 < b, y                  a ≤ b      x⋅b ≤ a⋅y      0 < b
    #   ──────────────────────────────────                  ───────────────────────────────
    #   x < y                                               x ≤ y
    #
    # Of whole numbers a < b is a + 1 ≤ b. Of fractions a run makes no error, so that what it finds is true.
    def proves(self, left: Quantity, relation: Relation, right: Quantity) -> bool:
        """Whether ``left relation right`` is proved wherever a run finds that the test holds.

        Only of rational functions of whole numbers, and not across calls.
        """
        low, high = self.left.magnitude, self.right.magnitude
        is_signed = self.left.negative or self.right.negative
        if relation == "∣" or self.stages or is_signed or not (low.is_rational() and high.is_rational()):
            return False
        if not (high.positive() and right.positive() and right.finite()):
            return False
        strict = self.strict
        if strict and is_whole(low) and is_whole(high):
            low, strict = low + 1, False
        within = left * high, low * right
        return within[0].leq(within[1]) if strict or relation == "≤" else within[0].lt(within[1])

    def show(self, ascii: bool = False) -> str:
        relation = "<" if self.strict else "<=" if ascii else "≤"
        left, right = self.sides()
        return f"{left.show(ascii)} {relation} {right.show(ascii)}"

    def sides(self) -> tuple[Signed, Signed]:
        """What is compared, in the variables that are still open."""
        left, right = self.left, self.right
        for stage in self.stages:
            left, right = left.substitute(dict(stage)), right.substitute(dict(stage))
        return left, right


def _renames(stage: Mapping[KindVar, Quantity], found: Collection[KindVar]) -> bool:
    """Whether variables get other names and nothing else: names that differ, and that no other variable has."""
    names = [name for image in stage.values() for name in image.variables() if image == Quantity.var(name)]
    return len(set(names)) == len(stage) and set(names).isdisjoint(found)


def _exactly(number: Quantity | Signed, known: Mapping[KindVar, Fraction]) -> Fraction | None:
    """The number, where it is a fraction that is known exactly."""
    try:
        low, high = number.evaluate(known, up=False), number.evaluate(known, up=True)
    except OutsideDomain:
        return None
    return low if low == high and isinstance(low, Fraction) else None
