"""What the type of a table says of its cells."""

from __future__ import annotations

from fractions import Fraction

from duetpy.runtime.values.statics import KindScope
from duetpy.typecheck import types as t

CELLS = t.Real | t.Bounded | t.Nat | t.Idx | t.StaticReal | t.StaticNat | t.Bool | t.Str | t.Date | t.Maybe
"""Types of which a cell holds one value."""

VERIFIED = t.Idx | t.StaticNat | t.StaticReal
"""Types that promise something of a number, which `verify` holds against what was bound."""


def column_types(type_: t.Matrix, width: int) -> list[t.Type]:
    match type_.schema:
        case t.Uniform(_, element):
            return [element] * width
        case t.Columns(columns):
            return [column.type for column in columns]
        case _:
            return []


def column_defaults(type_: t.Matrix, width: int) -> list[Fraction | bool | None]:
    """What stands in the place of a bad cell of each column, as far as that is declared."""
    match type_.schema:
        case t.Uniform(default=default):
            return [default] * width
        case t.Columns(columns):
            return [column.default for column in columns]
        case _:
            return [None] * width


def inner_type(element: t.Type) -> t.Type:
    while isinstance(element, t.Disc):
        element = element.inner
    return element


def stand_in_for(type_: t.Idx | t.StaticNat | t.StaticReal, kinds: KindScope) -> int | Fraction:
    """What takes the place of a number that does not have its type: the number of a static type, the index 0."""
    match type_:
        case t.Idx():
            return 0
        case t.StaticNat(number):
            return int(kinds.above(number, None))
        case t.StaticReal(signed):
            return kinds.signed(signed, None)
