"""The elements of a set that Python gives, and other values of one person that stand where no file and no table of rows can.

Contract. Nothing here raises, and what becomes of an element depends on that element alone: a text in the place of a record is
no path, an array in the place of a set is read cell by cell, and what is as long as no record has one bad cell for each field.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from os import PathLike

import numpy as np

from duetpy.runtime.sources.array_cells import PLAIN, WORDS, Array, DataFrame, is_askable, one_by_one
from duetpy.runtime.sources.column_selection import DataArgument
from duetpy.runtime.sources.flattening import as_columns
from duetpy.runtime.sources.given import is_open_file, pair_in, side_in
from duetpy.runtime.sources.registry import is_source
from duetpy.settings import DataFile, NoValue
from duetpy.typecheck import types as t
from duetpy.typecheck.neighbours import holds_sides
from duetpy.typecheck.quantity import ONE


def elements_in(value: object) -> list[object] | None:
    """What a set is given as; None where it is given as none (Python goes over the headings of a data frame), or as something that
    raises (an array without dimensions)."""
    if isinstance(value, (*WORDS, Mapping, DataFrame)) or not isinstance(value, Iterable):
        return None
    try:
        # What goes over a column of a library may be no values of Python, or end at one of them.
        if isinstance(value, Array) and isinstance(value, Sized) and not isinstance(value, np.ndarray):
            return list(one_by_one(value))
        return list(value)
    except Exception:
        return None


def settled(value: object, type_: t.Type) -> object:
    """What somebody gave with its pairs as tuples: a sequence of the caller's own is asked once what is in it, so that the values
    whose people are charged are those that are read. Where neighbours may be on different sides of a sum, what is on one is
    somebody's as an element is."""
    if not is_askable(value):
        return NoValue()
    match type_:
        case t.Disc(inner) if holds_sides(inner) and pair_in(value) is not None:
            return element_of(value, inner)
        case t.Disc(inner) | t.Box(_, inner):
            return settled(value, inner)
        case t.Product(left, right) | t.With(left, right) if (pair := pair_in(value)) is not None:
            return settled(pair[0], left), settled(pair[1], right)
        case t.Sum(left, right) if (held := side_in(value)) is not None:
            return held[0], settled(held[1], left if held[0] == "inl" else right)
        case t.Matrix(rows=rows) if rows == ONE:
            return _asked(value)
        case _:
            return value


def element_of(value: object, type_: t.Type) -> object:
    """An element as a value of its type is given: a record as a list of one row, a set as a list, and no file."""
    if not is_askable(value):
        return NoValue()
    match type_:
        case t.Disc(inner) | t.Box(_, inner) | t.Maybe(inner):
            return element_of(value, inner)
        case t.Product(left, right) | t.With(left, right) if (pair := pair_in(value)) is not None:
            return element_of(pair[0], left), element_of(pair[1], right)
        case t.Sum(left, right) if (held := side_in(value)) is not None:
            return held[0], element_of(held[1], left if held[0] == "inl" else right)
        case t.Matrix(rows=rows) if rows == ONE:
            return _record(value, type_)
        case t.Matrix() if isinstance(value, str | PathLike):
            return NoValue()
        case _ if _is_file(value):
            return NoValue()
        case t.SetOf():
            return elements_in(value)
        case _:
            return value


def _is_file(value: object) -> bool:
    is_given = isinstance(value, DataFile | DataArgument)
    return type(value) not in PLAIN and (is_given or is_open_file(value) or is_source(value))


def _record(value: object, type_: t.Matrix) -> list[object]:
    value = _asked(value)
    if isinstance(value, dict | list | tuple):
        value = as_columns(value, type_, is_total=True)
    return value if type(value) is list and len(value) == 1 else [value]


def _asked(record: object) -> object:
    """A record without cells that raise when they are asked what they are."""
    if type(record) is dict:
        return {name: cell if is_askable(cell) else NoValue() for name, cell in record.items()}
    if type(record) is list or type(record) is tuple:
        return [cell if is_askable(cell) else NoValue() for cell in record]
    return record
