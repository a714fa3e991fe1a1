"""Tables whose cells have parts: a pair or a record in a cell is read from as many columns as it has parts.

Contract. `flat` gives the type of the table as data hold it, and `folded` puts the columns of such a table together again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set, Sized
from os import PathLike

import numpy as np
from attrs import evolve

from duetpy.runtime.sources.array_cells import WORDS, DataFrame, one_by_one
from duetpy.runtime.sources.arrow_columns import GARBLED
from duetpy.runtime.sources.column_selection import DataArgument
from duetpy.runtime.sources.listed_rows import by_name
from duetpy.runtime.sources.registry import is_source
from duetpy.runtime.values.values import MatrixValue, Value, matrix_of_columns
from duetpy.settings import DataFile
from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import ONE


def flat(type_: t.Matrix) -> t.Matrix | None:
    """The type with a column for each part of each cell; None where no cell has parts."""
    columns = _columns(type_)
    if columns is None or not any(_has_parts(column.type) for column in columns):
        return None
    return evolve(type_, schema=t.Columns(tuple(part for column in columns for part in _parts(column))))


def _columns(type_: t.Matrix) -> tuple[t.Column, ...] | None:
    match type_.schema:
        case t.Columns(columns):
            return columns
        case t.Uniform(count, element) if count == ONE:
            return (t.Column(None, element),)
        case _:
            return None


def _has_parts(type_: t.Type) -> bool:
    match type_:
        case t.Product():
            return True
        case t.Matrix(rows=rows, schema=t.Columns()):
            return rows == ONE
        case _:
            return False


def _parts(column: t.Column) -> Iterator[t.Column]:
    match column.type:
        case t.Product(left, right):
            yield from _parts(t.Column(None, left))
            yield from _parts(t.Column(None, right))
        case t.Matrix(schema=t.Columns(fields)) if _has_parts(column.type):
            for field in fields:
                yield from _parts(field)
        case _:
            yield column


def is_bounded(type_: t.Type) -> bool:
    """Whether a type promises something of the length of the rows of a table, or of the records that its cells are."""
    match type_:
        case t.Matrix(clip=clip):
            return clip is not None or any(is_bounded(part) for part in type_.column_types())
        case t.Product(left, right):
            return is_bounded(left) or is_bounded(right)
        case _:
            return False


def folded(table: MatrixValue, type_: t.Matrix) -> MatrixValue:
    """The table of a type from its columns part by part."""
    columns = _columns(type_) or ()
    parts = iter([table.column(at) for at in range(table.width)])
    store = tuple(_cell(column.type, parts, table.rows) for column in columns)
    names = tuple(column.name for column in columns)
    return MatrixValue(table.rows, store, names if isinstance(type_.schema, t.Columns) else None)


def _cell(type_: t.Type, parts: Iterator[Value], rows: int) -> Value:
    match type_:
        case t.Product(left, right):
            first = _cell(left, parts, rows)
            return (first, _cell(right, parts, rows))
        case t.Matrix(schema=t.Columns(fields)) if _has_parts(type_):
            cells = [_cell(field.type, parts, rows) for field in fields]
            return matrix_of_columns(cells, 1, rows, tuple(field.name for field in fields))
        case _:
            return next(parts)


def as_columns(value: object, type_: t.Matrix, *, is_total: bool = False) -> object:
    """A record given as a mapping or a tuple, in the form that tables are read from; any other value as it is."""
    if is_source(value) or type_.rows != ONE:
        return value
    value = by_name(value, [column.name for column in _columns(type_) or ()])
    if is_total:
        return _anyones_record(value)
    # What is derived from a tuple may know the names of its cells.
    if type(value) not in (dict, list, tuple) or not isinstance(value, (dict, list, tuple)) or not _is_record(value):
        return value
    if isinstance(value, dict):
        return {name: [cell] for name, cell in value.items()} if value else [value]
    return [list(value)]


def _anyones_record(value: object) -> object:
    """A list of the one record that a value is, or the value where it is a list of one row or may be another kind of table. What
    somebody's record holds, and which of its fields are there, does not decide how it is read."""
    if isinstance(value, dict):
        are_columns = bool(value) and all(map(_is_one_long, value.values()))
        return [{name: _only_cell(cell) for name, cell in value.items()} if are_columns else value]
    if type(value) in (list, tuple) and isinstance(value, (list, tuple)):
        return value if len(value) == 1 and not _is_plain(value[0]) else [list(value)]
    # Elsewhere somebody's record is missing, or something else stands in its place.
    return value if _may_be_table(value) else [value]


def _may_be_table(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    if isinstance(value, (*WORDS, Set)):
        return isinstance(value, str)
    return isinstance(value, (Iterable, PathLike, DataArgument, DataFile))


def _is_one_long(cell: object) -> bool:
    try:
        return isinstance(cell, Sized) and not isinstance(cell, (str, bytes)) and len(cell) == 1
    except Exception:
        # An array without dimensions has a length that it does not tell, and a type of the caller's own may raise anything.
        return False


def _only_cell(column: Sized) -> object:
    """The cell of a column of one cell. A text, a set, a mapping or a frame is not taken for a column: it is a bad cell itself."""
    if isinstance(column, (*WORDS, Set, Mapping, DataFrame)):
        return column
    try:
        return next(one_by_one(column))
    except Exception:
        # Some libraries have columns that they cannot take apart.
        return GARBLED


def _is_record(value: Mapping[object, object] | Sequence[object]) -> bool:
    """Whether a value is one record and no table of columns or rows: which fields it has, and of what kind, is its own."""
    cells = list(value.values()) if isinstance(value, Mapping) else list(value)
    return not cells or any(_is_plain(cell) for cell in cells)


def _is_plain(cell: object) -> bool:
    return isinstance(cell, str) or (not isinstance(cell, Sequence | Mapping) and not hasattr(cell, "__len__"))
