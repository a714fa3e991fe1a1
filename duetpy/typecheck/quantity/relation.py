"""Whether a relation of two quantities holds, fails, or hangs on what is not known yet."""

from __future__ import annotations

from typing import Literal, TypeAlias

from duetpy.typecheck.quantity.form import INFINITY, Quantity

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
