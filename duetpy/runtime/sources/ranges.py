"""The numbers of a range, 𝔻 in [a, b], as a run has them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from duetpy.runtime.exact.rationals import to_double
from duetpy.typecheck import types as t


def nearest_in(type_: t.Bounded, number: Fraction) -> Fraction:
    """The number in a range that is nearest to a number: the double next to an end is in it too."""
    low, high = ends_in_doubles(type_)
    return min(max(number, min(type_.low, Fraction(low))), max(type_.high, Fraction(high)))


def ends_in_doubles(type_: t.Bounded) -> tuple[float, float]:
    """Between which doubles the cells of a column lie whose numbers are in a range."""
    return to_double(type_.low), to_double(type_.high)


def ranges_of(type_: t.Type) -> dict[str, list[float]]:
    """The ranges of the columns of a table, by their names as a report calls them."""
    return dict(_ranges(type_, ""))


def _ranges(type_: t.Type, name: str) -> Iterator[tuple[str, list[float]]]:
    match type_:
        case t.Bounded():
            yield name, [*ends_in_doubles(type_)]
        case t.Disc(inner) | t.Maybe(inner) | t.Box(_, inner) | t.SetOf(inner):
            yield from _ranges(inner, name)
        case t.Matrix(schema=t.Uniform(_, element)):
            yield from _ranges(element, f"{name}every column")
        case t.Matrix(schema=t.Columns(columns)):
            for at, column in enumerate(columns, 1):
                own = f"column {at}" if column.name is None else column.name
                yield from _ranges(column.type, f"{name}{own}{'.' if isinstance(_cell(column.type), t.Matrix) else ''}")
        case t.Product(left, right) | t.With(left, right) | t.Sum(left, right):
            yield from _ranges(left, name)
            yield from _ranges(right, name)
        case _:
            return


def _cell(type_: t.Type) -> t.Type:
    return _cell(type_.inner) if isinstance(type_, t.Disc | t.Maybe) else type_
