"""Boxes and the binders that their debts name.

A box's type names inputs by identity. When a binder closes, its own input must no longer occur: either the debt is paid by
what the binder was bound to, or the expression is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from duetpy.typecheck.context import EMPTY, Context, Root
from duetpy.typecheck.types import (
    Box,
    Column,
    Columns,
    Disc,
    Fun,
    Matrix,
    PFun,
    Product,
    Schema,
    SchemaVar,
    SetOf,
    Sum,
    Type,
    Uniform,
    With,
    boxes,
)


def owes(type_: Type, *roots: Root) -> bool:
    """Whether a box inside a type has a debt to one of the inputs."""
    return any(box.debt.mentions(root) for box in boxes(type_) for root in roots)


def repaid(type_: Type, payments: Mapping[Root, Context]) -> Type:
    """The type with every debt of s to a closing input replaced by s times what that input stood for."""
    if not owes(type_, *payments):
        return type_

    def go(inner: Type) -> Type:
        return repaid(inner, payments)

    match type_:
        case Matrix():
            return evolve(type_, schema=_repaid_columns(type_.schema, payments))
        case Box(debt, inner):
            paid = debt.without(*payments)
            for root, payment in payments.items():
                paid = paid + (payment.scaled(debt[root]) if debt.mentions(root) else EMPTY)
            return Box(paid, go(inner))
        case Disc(inner):
            return Disc(go(inner))
        case SetOf(inner):
            return SetOf(go(inner))
        case Product(left, right):
            return Product(go(left), go(right))
        case Sum(left, right):
            return Sum(go(left), go(right))
        case With(left, right):
            return With(go(left), go(right))
        case Fun():
            return evolve(type_, domain=go(type_.domain), codomain=go(type_.codomain))
        case PFun():
            parameters = tuple(evolve(p, type=go(p.type)) for p in type_.parameters)
            return evolve(type_, parameters=parameters, codomain=go(type_.codomain))
        case _:
            return type_


def _repaid_columns(schema: Schema, payments: Mapping[Root, Context]) -> Schema:
    match schema:
        case Uniform(count, element):
            return Uniform(count, repaid(element, payments))
        case Columns(columns):
            return Columns(tuple(Column(column.name, repaid(column.type, payments)) for column in columns))
        case SchemaVar():
            return schema
