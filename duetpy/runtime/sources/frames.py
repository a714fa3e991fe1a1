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
from duetpy.diagnostics.display import visible
from duetpy.runtime.sources.column_selection import DUCKDB, DatabaseTable, database_table
from duetpy.runtime.sources.opening import FRAMES, endings, open_file
from duetpy.runtime.sources.problems import COLUMNS, UNREADABLE, refuse


def is_frame(origin: str) -> bool:
    """Whether a path names columns or arrays; any other file is read line by line."""
    return origin.startswith(DUCKDB) or (endings(origin)[0] in FRAMES and not endings(origin)[1])


def frame_in(origin: str, names: Sequence[str] | None) -> object:
    """What a file of columns or arrays holds.

    Parameters
    ----------
    origin
        A path for which `is_frame` holds.
    names
        The columns that are wanted, if they are known by name: others need not be read.

    Raises
    ------
    DuetError
        D0601 the file cannot be read, or the library that reads it is not installed; D0603 a DuckDB file has no such table.
    """
    stored = database_table(origin)
    if stored is not None:
        return _of_database(origin, stored, names)
    ending = endings(origin)[0]
    with open_file(origin) as handle:
        return _safely(origin, f"a {ending} file", lambda: _READERS[ending](handle, names))


def _safely(origin: str, what: str, read: Callable[[], object]) -> object:
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
        refuse(UNREADABLE, f"cannot be read as {what}", origin)


def _of_numpy(handle: BinaryIO, names: Sequence[str] | None) -> object:
    """An array, or the arrays of an archive: its only one, or each a column under its name."""
    found: Any = np.load(handle, allow_pickle=False)
    if isinstance(found, np.ndarray):
        return found
    with found as archive:
        if names is None or not set(names) <= set(archive.files):
            names = archive.files
        arrays = {name: archive[name] for name in names}
    return next(iter(arrays.values())) if len(archive.files) == 1 and next(iter(arrays.values())).ndim > 1 else arrays


def _of_parquet(handle: BinaryIO, names: Sequence[str] | None) -> object:
    file = import_module("pyarrow.parquet").ParquetFile(handle)
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

_CLOSED = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "lock_configuration": "true",
}
"""A file may hold views and macros of anyone's making: nothing is reached from it, and nothing loaded."""


def _of_database(origin: str, stored: DatabaseTable, names: Sequence[str] | None) -> object:
    """The columns of a base table. A view may be any query, of which one row may decide every other."""
    # Its absolute path means no memory, and no server of anybody's.
    path = os.path.abspath(stored.file)
    open_file(path).close()
    refuse_log(path, origin)

    def read() -> object:
        with import_module("duckdb").connect(path, read_only=True, config=_CLOSED) as database:
            database.execute("BEGIN TRANSACTION READ ONLY")
            columns = [
                name
                for (name,) in database.execute(
                    "SELECT c.column_name FROM duckdb_columns() c JOIN duckdb_tables() t USING (table_oid, database_name) "
                    "WHERE t.table_name = ? AND t.schema_name = 'main' AND NOT t.internal AND c.database_name = current_database() "
                    "ORDER BY c.column_index",
                    [stored.table],
                ).fetchall()
            ]
            if not columns:
                refuse(
                    COLUMNS,
                    f"has no table '{visible(stored.table)}'",
                    origin,
                    help="name a base table: a view is not read",
                )
            chosen = ", ".join(map(_quoted, _wanted(columns, names) or columns))
            return database.execute(f"SELECT {chosen} FROM main.{_quoted(stored.table)}").fetchnumpy()

    return _safely(origin, "a DuckDB file", read)


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


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
