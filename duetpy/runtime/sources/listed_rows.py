"""Rows that a list holds, each read by itself: what becomes of one must not depend on those next to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from duetpy.runtime.sources.array_cells import Array, DataFrame


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


def by_name(row: Any) -> object:
    """A row that knows the names of its cells (a named tuple, a row of a database, of an array of records or of a data frame) as a
    mapping; any other row as it is. Read by position, its cells would be in each other's columns."""
    if type(row) in (list, tuple, dict):
        return row
    try:
        fields: Mapping[object, object] = {}
        if isinstance(row, np.void):
            fields = {name: row[name] for name in row.dtype.names or ()}
        elif callable(as_mapping := getattr(row, "_asdict", None)):
            fields = dict(as_mapping())
        elif callable(getattr(row, "keys", None)) and not isinstance(row, Mapping | DataFrame):
            fields = dict(row)
        return fields if fields and all(isinstance(name, str) for name in fields) else row
    except Exception:
        # A type of the caller's own may raise anything. Then it is a row without cells, and no other row is touched.
        return {}


def fields_in(rows: Sequence[object]) -> list[tuple[object, object]] | None:
    """The columns of records that all have the same fields; None of any other rows."""
    records = [row for row in rows if isinstance(row, Mapping)]
    if not 0 < len(rows) == len(records) or any(set(record) != set(records[0]) for record in records):
        return None
    return [(name, [record[name] for record in records]) for name in records[0]]


def cells_of(row: object, names: tuple[str | None, ...], is_total: bool) -> Sequence[object]:
    """The cells of one row, from this row alone: of a record the fields of the declared names, or all if no names are declared.
    Where bad rows are refused, records that have not all the same fields were no table: each is one cell, and bad."""
    try:
        if isinstance(row, Mapping) and is_total:
            return [row.get(name) for name in names] if names and None not in names else list(row.values())
        if isinstance(row, np.ndarray):
            return list(row.ravel())
        if isinstance(row, Sequence) and not isinstance(row, (str, bytes)):
            return list(row)
        if isinstance(row, Array) and not isinstance(row, (np.generic, Mapping)):
            array = np.asarray(row)
            return list(array) if array.ndim else [row]
    except Exception:
        # A type of the caller's own may raise anything. Then it is a row without cells, and no other row is touched.
        return []
    return [row]
