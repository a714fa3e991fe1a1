"""Files of columns and arrays: numpy's own, Parquet, Arrow (Feather), and tables of a DuckDB file.

Contract. `frame_in` gives what such a file holds in a form that `duetpy.runtime.sources.arrays` reads, cell for cell: what is
missing stays missing. Nothing but the file is read, and no code in it is run. What a library says about a file that it cannot
read may quote a cell, so it is never repeated.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, BinaryIO

import numpy as np

from duetpy.diagnostics.diagnostic import DuetError
from duetpy.runtime.sources.database import DatabaseTable, columns_in
from duetpy.runtime.sources.opening import endings, open_file, refuse_irregular
from duetpy.runtime.sources.problems import UNREADABLE, refuse


def frame_in(origin: str, names: Sequence[str] | None) -> object:
    """What a file of columns or arrays holds.

    Parameters
    ----------
    origin
        The path, which ends as such a file does.
    names
        The columns that are wanted, if they are known by name: others need not be read.

    Raises
    ------
    DuetError
        D0601 the file cannot be read, or the library that reads it is not installed.
    """
    ending = endings(origin)[0]
    with open_file(origin) as handle:
        return _safely(origin, f"a {ending} file", lambda: _READERS[ending](handle, names))


def table_in(origin: str, stored: DatabaseTable, names: Sequence[str] | None) -> object:
    """The columns of a table of a DuckDB file; as `frame_in`, and D0603 where there is no such table."""
    refuse_irregular(stored.path, origin)
    refuse_log(stored.file, origin)
    busy = "give a DuckDB file that no other connection writes to"
    return _safely(origin, "a DuckDB file", lambda: columns_in(origin, stored, names), busy)


def _safely(origin: str, what: str, read: Callable[[], object], help: str = "") -> object:
    try:
        return read()
    except DuetError:
        raise
    except ImportError as missing:
        library = missing.name or "a library"
        extra = "duckdb" if library == "duckdb" else "arrow"
        refuse(
            UNREADABLE,
            f"cannot be read: {library} is not installed",
            origin,
            help=f"pip install 'duetpy[{extra}]', or save the table as CSV",
        )
    except Exception:
        refuse(UNREADABLE, f"cannot be read as {what}", origin, help=help)


def _of_numpy(handle: BinaryIO, names: Sequence[str] | None) -> object:
    """An array, or the arrays of an archive: its only one, or each a column under its name."""
    found: Any = np.load(handle, allow_pickle=False)
    if isinstance(found, np.ndarray):
        wanted = _wanted(found.dtype.names or (), names)
        return found if wanted is None else found[wanted]
    with found as archive:
        if len(set(archive.files)) < len(archive.files):
            raise ValueError("two arrays of one name")
        arrays: dict[str, Any] = {name: archive[name] for name in _wanted(archive.files, names) or archive.files}
    if not all(isinstance(array, np.ndarray) for array in arrays.values()):
        raise ValueError("something that is no array")
    only = next(iter(arrays.values())) if len(archive.files) == 1 else None
    return arrays if only is None or only.ndim <= 1 else only


def _of_parquet(handle: BinaryIO, names: Sequence[str] | None) -> object:
    library = import_module("pyarrow.parquet")
    file = library.ParquetFile(handle)
    encoded = [column.name for column in file.schema_arrow if hasattr(column.type, "index_type")]
    if encoded:
        # Otherwise the library encodes these texts itself, and reads none of a file in which one is not UTF-8.
        handle.seek(0)
        file = library.ParquetFile(handle, read_dictionary=encoded)
    return file.read(columns=_wanted(file.schema_arrow.names, names))


def _of_arrow(handle: BinaryIO, names: Sequence[str] | None) -> object:
    file = import_module("pyarrow.ipc").open_file(handle)
    table = file.read_all()
    wanted = _wanted(table.column_names, names)
    return table if wanted is None else table.select(wanted)


def _wanted(found: Sequence[str], names: Sequence[str] | None) -> list[str] | None:
    """The columns to read: all, if one that is wanted is not there or there twice, so that the refusal can say so."""
    return list(names) if names is not None and all(found.count(name) == 1 for name in names) else None


_READERS: dict[str, Callable[[BinaryIO, Sequence[str] | None], object]] = {
    ".npy": _of_numpy,
    ".npz": _of_numpy,
    ".parquet": _of_parquet,
    ".arrow": _of_arrow,
    ".feather": _of_arrow,
}


def refuse_log(path: str, origin: str) -> None:
    """Raise D0601 where a write-ahead log lies beside a database: its rows would count, and the file does not hold them, so
    that the same file would be other people."""
    if any(os.path.lexists(f"{place}.wal") for place in (os.path.abspath(path), os.path.realpath(path))):
        refuse(
            UNREADABLE,
            "cannot be read: some of its changes are not in the file yet, but in its .wal file",
            origin,
            help="run CHECKPOINT in DuckDB, or close the program that writes to it",
        )
