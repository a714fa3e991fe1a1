"""What the cells of tables may be: columns side by side, values that may be missing, numbers in a range."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import cast

from attrs import evolve

from duetpy import trees
from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import ONE, Quantity

GREATEST_CELL = (2**53 - 1) * 2**971
"""The largest double."""


def counted_together(left: t.Schema, right: t.Schema) -> t.Uniform | None:
    """n⋅τ next to k⋅τ is (n + k)⋅τ, whatever n and k are; None where the types differ or a column has a name."""
    first, second = _counted(left), _counted(right)
    if first is None or second is None or first.element != second.element:
        return None
    default = first.default if first.default == second.default else None
    return t.Uniform(first.count + second.count, first.element, default)


def _counted(schema: t.Schema) -> t.Uniform | None:
    match schema:
        case t.Uniform():
            return schema
        case t.Columns((first, *_) as columns) if all(column == first for column in columns) and first.name is None:
            is_one = all(column.default == first.default for column in columns)
            return t.Uniform(Quantity.of(len(columns)), first.type, first.default if is_one else None)
        case _:
            return None


def without_ranges(type_: t.Type) -> t.Type:
    """The type without the ranges of numbers in its values, other than those that its functions take and return."""
    match type_:
        case t.Disc(t.Bounded()):
            return t.DATA
        case t.Fun() | t.PFun():
            return type_
        case _:
            return cast(
                "t.Type", trees.map_children(type_, t.Node, lambda inner: without_ranges(cast("t.Type", inner)))
            )


def has_real_cells(type_: t.Type) -> bool:
    return isinstance(type_, t.Matrix) and all(isinstance(column, t.Real) for column in type_.column_types())


def discrete_of(type_: t.Type) -> t.Type:
    """𝐝 τ, with 𝐝 𝐝 τ = 𝐝 τ and discrete types as they are."""
    return type_ if t.is_discrete(type_) and not isinstance(type_, t.StaticNat | t.StaticReal) else t.Disc(type_)


def discrete_columns(schema: t.Schema) -> t.Schema:
    """𝐝 ς: the columns, each of them discrete."""
    match schema:
        case t.Uniform():
            return evolve(schema, element=discrete_of(schema.element))
        case t.Columns(columns):
            return t.Columns(tuple(evolve(column, type=discrete_of(column.type)) for column in columns))
        case t.SchemaVar(var):
            return t.SchemaVar(var, is_discrete=True)


def may_be_missing(type_: t.Type) -> bool:
    """Whether τ? is a type: of what a cell or a record holds, which can be compared and is not missing itself."""
    match type_:
        case t.Nat() | t.Real() | t.Bounded() | t.Bool() | t.Str() | t.Date():
            return True
        case t.Disc(inner):
            return isinstance(inner, t.TypeVar) or may_be_missing(inner)
        case t.Matrix(rows=rows, schema=t.SchemaVar(is_discrete=is_discrete)):
            return rows == ONE and is_discrete
        case t.Matrix(rows=rows, schema=t.Columns(columns)):
            cells = (column.type.inner if isinstance(column.type, t.Maybe) else column.type for column in columns)
            return rows == ONE and all(not isinstance(cell, t.Matrix) and may_be_missing(cell) for cell in cells)
        case _:
            return False


def least_of(bounded: t.Bounded) -> Fraction:
    """A bound below all numbers in a range: its lower end, or where the double next to that lies below it, a decimal below both."""
    return -_above(-bounded.low)


def greatest_of(bounded: t.Bounded) -> Fraction:
    """A bound above all numbers in a range."""
    return _above(bounded.high)


def _above(end: Fraction) -> Fraction:
    """An end, or a decimal of 17 digits above the double next to it."""
    double = float(end)
    if double <= end:
        return end
    return Fraction(Context(prec=17, rounding=ROUND_CEILING).create_decimal(Decimal(double)))
