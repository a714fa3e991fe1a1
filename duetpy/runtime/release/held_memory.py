"""The memory that a table is made of: two tables that share some are about the same people, and so are a file and a table in memory
that is mapped from it."""

from __future__ import annotations

import gc
import os
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from duetpy.runtime.sources.array_cells import ArrowTable
from duetpy.runtime.sources.arrow_columns import is_arrow_column
from duetpy.runtime.sources.files import Mark


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
        parts = _kept_in(value) if hasattr(value, "__array__") else []
    return [*parts, *row_names(value)]


def _kept_in(column: object) -> list[object]:
    """The arrays that a column of pandas keeps, or any other object that numpy can read, with what numpy makes of it. That may be a
    copy, and whether it is one can depend on a single cell: pandas copies a column of `Int64` if a cell is missing."""
    kept = getattr(column, "array", None)
    found = gc.get_referents(column if kept is None else kept)
    found += [each for names in found if type(names) is dict for each in names.values()]
    arrays = [each for each in found if isinstance(each, np.ndarray) or _is_arrow(each)]
    parts = [part for each in arrays for part in held(each)]
    return parts if parts and kept is not None else [*parts, np.asarray(column)]


def _is_arrow(value: object) -> bool:
    # A class has the methods of its objects, and an object of the caller's may raise anything.
    with suppress(Exception):
        return not isinstance(value, type) and is_arrow_column(value)
    return False


def _parts_in_arrow(value: object) -> list[object] | None:
    """The memory of a table, a column or a piece of a column of Arrow: it may be that of an array or a frame that it was made from,
    or that was made from it. None of anything else."""
    # An object of the caller's may raise anything.
    with suppress(Exception):
        if isinstance(value, ArrowTable):
            return [part for at in range(len(value.column_names)) for part in held(value.column(at))]
        if isinstance(pieces := getattr(value, "chunks", None), list):
            return [part for piece in pieces for part in held(piece)]
        if callable(buffers := getattr(value, "buffers", None)):
            return [np.frombuffer(buffer, np.uint8) for buffer in buffers() if buffer is not None and buffer.size]
    return None


def row_names(value: object) -> list[object]:
    """The object that names the rows of a data frame: its columns and the frames made of these have the same one."""
    index = getattr(value, "index", None)
    return [] if index is None or callable(index) else [index]


_MAPS = Path("/proc/self/maps")
"""Where Linux says which file lies at which addresses: https://man7.org/linux/man-pages/man5/proc_pid_maps.5.html"""


def mapped_files(parts: Iterable[object]) -> Iterator[Mark]:
    """The files that arrays are mapped from: by whatever library, through whatever views, and whatever a file is called by now. On
    systems other than Linux there are none."""
    arrays = (np.asarray(part) for part in parts if isinstance(part, (np.ndarray, memoryview)))
    # What NumPy has asked for itself is no file's.
    views = [each for each in arrays if each.base is not None and each.size]
    try:
        lines = [line.split(maxsplit=5) for line in _MAPS.read_bytes().splitlines()]
    except OSError:
        return
    starts, ends, files = [], [], []
    for addresses, _, _, device, number, *_ in lines:
        start, end = (int(address, 16) for address in addresses.split(b"-"))
        major, minor = (int(part, 16) for part in device.split(b":"))
        starts.append(start)
        ends.append(end)
        files.append((os.makedev(major, minor), int(number)) if int(number) else None)
    for address in {int(each.__array_interface__["data"][0]) for each in views}:
        at = bisect_right(starts, address) - 1
        if at >= 0 and address < ends[at] and (file := files[at]) is not None:
            yield file
