"""Boxes and the binders that their debts name.

A box's type names inputs by identity. When a binder closes, its own input must no longer occur: either the debt is charged
to what the binder was bound to, or the expression is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from duetpy.typecheck.context import EMPTY, Context, Root
from duetpy.typecheck.rewriting import rebuilt
from duetpy.typecheck.types import Box, Type, TypeVar, boxes, parts_of


def owes(type_: Type, *roots: Root) -> bool:
    """Whether a box inside a type has a debt to one of the inputs."""
    return any(box.debt.mentions(root) for box in boxes(type_) for root in roots)


def may_hold_boxes(type_: Type) -> bool:
    """Whether a value of a type holds a box, or may where the type is put in later: what is in a box is released by nothing."""
    return any(isinstance(part, Box | TypeVar) for part in parts_of(type_))


def repaid(type_: Type, payments: Mapping[Root, Context]) -> Type:
    """The type with every debt of s to a closing input replaced by s times what that input stood for."""
    if not owes(type_, *payments):
        return type_

    def paid(part: Type) -> Type:
        if not isinstance(part, Box):
            return part
        debt = part.debt.without(*payments)
        for root, payment in payments.items():
            debt = debt + (payment.scaled(part.debt[root]) if part.debt.mentions(root) else EMPTY)
        return Box(debt, part.inner)

    return rebuilt(type_, paid)
