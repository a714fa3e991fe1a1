"""The memory that a table is made of: two tables that share some are about the same people."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from contextlib import suppress

import numpy as np

from duetpy.runtime.sources.array_cells import ArrowTable


def held(value: object) -> list[object]:
    """The arrays and columns that a table in memory is made of, where they can be had without a copy of the rows."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, Mapping):
        return [part for column in value.values() for part in (column, *held(column))]
    if isinstance(value, (memoryview, array)):
        return [np.asarray(value)]
    columns, take = getattr(value, "columns", None), getattr(value, "__getitem__", None)
    if isinstance(columns, Iterable) and take is not None and hasattr(value, "to_numpy"):
        names = list(columns)
        # Of two columns of one name it would give a frame again.
        return [part for name in names if names.count(name) == 1 for part in held(take(name))] + row_names(value)
    parts = _parts_in_arrow(value)
    if parts is None:
        parts = [np.asarray(value)] if hasattr(value, "__array__") else []
    return [*parts, *row_names(value)]


def _parts_in_arrow(value: object) -> list[object] | None:
    """The memory of a table, a column or a piece of a column of Arrow, and of a column of pandas that keeps one: it may be
    that of an array or a frame that it was made from, or that was made from it. None of anything else."""
    # An object of the caller's may raise anything, and so may a column of pandas that Arrow has no type for.
    with suppress(Exception):
        if isinstance(value, ArrowTable):
            return [part for at in range(len(value.column_names)) for part in held(value.column(at))]
        if isinstance(pieces := getattr(value, "chunks", None), list):
            return [part for piece in pieces for part in held(piece)]
        if callable(buffers := getattr(value, "buffers", None)):
            return [np.frombuffer(buffer, np.uint8) for buffer in buffers() if buffer is not None and buffer.size]
        kept = getattr(getattr(value, "array", None), "__arrow_array__", None)
        return None if kept is None else held(kept())
    return None


def row_names(value: object) -> list[object]:
    """The object that names the rows of a data frame: its columns and the frames made of these have the same one."""
    index = getattr(value, "index", None)
    return [] if index is None or callable(index) else [index]
