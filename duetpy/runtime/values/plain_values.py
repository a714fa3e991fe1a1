"""Values as plain Python: what `evaluate` returns and what a release holds."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np

from duetpy.runtime.exact.rationals import Numbers, rounded, to_double
from duetpy.runtime.values.values import (
    Dates,
    Injected,
    MatrixValue,
    Missing,
    MissingLanes,
    SetValue,
    Texts,
    Truths,
    Value,
)


def plain_value(value: Value, *, arrays: bool = False, sets: bool = False) -> Any:
    """A value in Python's own types.

    Parameters
    ----------
    value
        A value without lanes; a function has no plain form and is its fixed word.
    arrays
        Whether a matrix of numbers or truth values becomes an array; else it is a list of rows.
    sets
        Whether a set becomes a `frozenset` where its elements allow it; else it is a list.
    """
    match value:
        case bool() | str():
            return value
        case date():
            return value.isoformat()
        case int():
            return int(value)
        case Fraction():
            # Adding 0 gives zero its one sign.
            return to_double(value) + 0.0
        case tuple():
            return tuple(plain_value(part, arrays=arrays, sets=sets) for part in value)
        case SetValue(elements):
            items = [plain_value(element, sets=sets) for element in elements]
            hashable = sets and not any(isinstance(element, MatrixValue) for element in elements)
            return frozenset(items) if hashable else items
        case Injected(is_left, held):
            return ("inl" if is_left else "inr", plain_value(held, arrays=arrays, sets=sets))
        case Missing():
            return None
        case MatrixValue():
            return _matrix(value, arrays, sets)
        case _:
            return repr(value)


def _matrix(value: MatrixValue, arrays: bool, sets: bool) -> Any:
    store = value.store
    if arrays and isinstance(store, Numbers):
        cells = rounded(store) + 0.0
        return np.ascontiguousarray(cells.astype(np.int64) if store.is_natural and _fits(cells) else cells)
    columns = [column_list(value.column(at), value.rows, sets) for at in range(value.width)]
    if arrays and value.width and all(isinstance(value.column(at), Truths) for at in range(value.width)):
        return np.array(columns, dtype=np.bool_).T
    return [list(row) for row in zip(*columns, strict=True)]


def _fits(cells: np.ndarray[Any, np.dtype[np.float64]]) -> bool:
    return bool(np.all(np.abs(cells) < 2.0**62))


def column_list(column: Value, rows: int, sets: bool) -> list[Any]:
    """The cells of a column."""
    match column:
        case Numbers():
            cells = (rounded(column) + 0.0).tolist()
            return [int(cell) for cell in cells] if column.is_natural else list(cells)
        case Truths(truths):
            return list(truths.tolist())
        case Texts(texts):
            return list(texts.tolist())
        case Dates(days):
            return [date.fromordinal(day).isoformat() for day in days.tolist()]
        case MissingLanes(is_there, held):
            cells = column_list(held, rows, sets)
            return [cell if there else None for cell, there in zip(cells, is_there.tolist(), strict=True)]
        case _:
            from duetpy.runtime.values.batching import lane

            return [plain_value(lane(column, at), sets=sets) for at in range(rows)]
