"""Rows that a list holds, each read by itself: what becomes of one must not depend on those next to it."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duetpy.runtime.sources.array_cells import Array, DataFrame
from duetpy.runtime.sources.column_selection import Declared
from duetpy.runtime.sources.problems import RAGGED, Problems, counted
from duetpy.runtime.sources.table import ColumnSpec

IN_ORDER = (list, tuple, range, deque, array, memoryview)
"""The types whose cells are read by their places. One that is derived from them may know the names of its cells."""


def in_pieces(value: object) -> Sequence[object]:
    """A list of rows as several, so that one row which numpy cannot read together with others slows down few of them."""
    if type(value) not in (list, tuple):
        return [value]
    rows: Any = value
    return [rows[start : start + ROWS_TOGETHER] for start in range(0, max(1, len(rows)), ROWS_TOGETHER)]


ROWS_TOGETHER = 1 << 12
"""So many rows of a list are read at once."""


def are_plain(rows: list[object]) -> bool:
    """Whether rows are numbers, lists of these or arrays of these, which numpy reads all at once as it does one by one.

    Of anything else (columns of data frames, masked arrays, tensors) what it makes of one depends on the others.
    """
    kinds = set(map(type, rows))
    if kinds == {np.ndarray}:
        return all(row.dtype.kind in "fiub" and row.ndim == 1 for row in rows if isinstance(row, np.ndarray))
    if kinds <= {list, tuple}:
        kinds = {type(cell) for row in rows if isinstance(row, (list, tuple)) for cell in row}
    return all(kind in _PLAIN or (kind.__module__ == "numpy" and issubclass(kind, _PLAIN_OF_NUMPY)) for kind in kinds)


_PLAIN = (int, float, bool)
_PLAIN_OF_NUMPY = (np.floating, np.integer, np.bool_)


def name_of(label: object) -> str:
    """The label of a column or of a cell as a name."""
    return str.__str__(label) if isinstance(label, str) else str(label)


def are_names(labels: Collection[object], known: Iterable[str | None]) -> bool:
    """Whether the labels of a frame or of one of its rows are names, and do not only number the columns: some label is not a whole
    number, or the program calls a column so."""
    are_numbers = all(isinstance(label, int | np.integer) for label in labels)
    return not are_numbers or not set(map(name_of, labels)).isdisjoint(known)


def by_name(row: Any, known: Iterable[str | None]) -> object:
    """A row that knows the names of its cells (a mapping, a named tuple, a row of a database, of an array of records or of a data
    frame) as a mapping from texts, where `known` are the names that the program declares; any other row as it is. Read by
    position, its cells would be in each other's columns."""
    if type(row) in IN_ORDER:
        return row
    try:
        fields = _fields(row, known)
        names = list(map(name_of, fields))
        if not names or len(set(names)) < len(names):
            # Nobody knows which of two cells of one name is meant.
            return {} if names or isinstance(row, Mapping) else row
        return dict(zip(names, fields.values(), strict=True))
    except Exception:
        # A type of the caller's own may raise anything. Then it is a row without cells, and no other row is touched.
        return {}


def _fields(row: Any, known: Iterable[str | None]) -> Mapping[object, object]:
    """The cells of a row by its labels; none where it has no labels, or has only numbered them."""
    if isinstance(row, np.void):
        return {name: row[name] for name in row.dtype.names or ()}
    if isinstance(row, Mapping):
        return row
    if callable(as_mapping := getattr(row, "_asdict", None)):
        return dict(as_mapping())
    if isinstance(row, DataFrame) or not callable(labels := getattr(row, "keys", None)):
        return {}
    found: Any = labels()
    return dict(row) if are_names(list(found), known) else {}


def fields_in(rows: Sequence[object], names: tuple[str | None, ...]) -> list[tuple[object, object]] | None:
    """The columns of records that all have the same fields, or each some of the declared names; None of any other rows.

    A name that no record has is no column, so that it is refused as in a file: left out of all rows, it is a name that somebody
    misspelt. Of records that differ, only the fields of the first and the declared ones are columns.
    """
    records = [row for row in rows if isinstance(row, Mapping)]
    if not 0 < len(rows) == len(records):
        return None
    fields = dict.fromkeys(records[0])
    if not fields or any(record.keys() != fields.keys() for record in records):
        if not names or None in names or any(record.keys().isdisjoint(names) for record in records):
            return None
        fields |= dict.fromkeys(name for name in names if any(name in record for record in records))
    return [(name, [record.get(name) for record in records]) for name in fields]


def cells_of(row: Any, names: tuple[str | None, ...], is_total: bool) -> Sequence[object]:
    """The cells of one row, from this row alone: of a record the fields of the declared names, or all if no names are declared.
    Where bad rows are refused, a record without any of the names has no cells, and of records without declared names, which have
    not all the same fields, each is one cell, and bad. So is a row of a type that is not known, whose cells may have names."""
    try:
        if isinstance(row, Mapping) and names and None not in names:
            return [row.get(name) for name in names] if is_total or not row.keys().isdisjoint(names) else []
        if isinstance(row, Mapping) and is_total:
            return list(row.values())
        if isinstance(row, np.ndarray) or type(row) in IN_ORDER:
            return list(row.ravel() if isinstance(row, np.ndarray) else row)
        if isinstance(row, Array) and not isinstance(row, (np.generic, Mapping)):
            cells = np.asarray(row)
            return list(cells) if cells.ndim == 1 else [row]
    except Exception:
        # A type of the caller's own may raise anything. Then it is a row without cells, and no other row is touched.
        return []
    return [row]


def columns_in(
    rows: Sequence[Sequence[object]], declared: Declared, origin: str, is_total: bool
) -> tuple[NDArray[np.object_], ...]:
    """The columns of rows, without the cells that are too many and with None for those that are too few.

    Of a row of too many or too few cells it is a guess which one says whose it is, as of such a line of a file: that is None, too.

    Raises
    ------
    DuetError
        D0605 rows of different lengths, where bad rows are refused.
    """
    first = len(rows[0]) if rows else 1
    known, width = ((), first) if isinstance(declared, ColumnSpec) else (declared, len(declared))
    is_ragged = np.fromiter((len(row) != width for row in rows), np.bool_, len(rows))
    if not is_total and is_ragged.any():
        problems = Problems(origin)
        for number in np.flatnonzero(is_ragged).tolist():
            message = f"{counted(len(rows[number]), 'cell')} instead of {width}"
            problems.add_at(RAGGED, message, "row", [number + 1], help=_A_ROW)
        problems.raise_if_any()
    columns = tuple(
        np.fromiter((row[at] if at < len(row) else None for row in rows), dtype=np.object_) for at in range(width)
    )
    for column, spec in zip(columns, known, strict=False):
        if spec.identifies:
            column[is_ragged] = None
    return columns


_A_ROW = "make each row a list, a tuple, or a mapping from names to cells"
