"""Tables of a DuckDB file.

Contract. Of a base table the columns are read that it keeps, cell for cell. No view, no macro and no generated column of the file
is evaluated: they are code of anyone's making, in which one row may decide every other, or stop the run. The file is attached to an
empty database, so no macro in it stands for a function of DuckDB's own. Nothing else is reached, and nothing loaded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from importlib import import_module
from typing import Any
from urllib.parse import parse_qs

import numpy as np
from attrs import frozen

from duetpy.diagnostics.display import visible
from duetpy.runtime.sources.array_cells import Cells, TypedCells
from duetpy.runtime.sources.arrow_columns import DAYS, NEITHER
from duetpy.runtime.sources.frames import Heading, safely, safely_each
from duetpy.runtime.sources.looks import end_of, note
from duetpy.runtime.sources.opening import refuse_irregular
from duetpy.runtime.sources.problems import COLUMNS, UNREADABLE, refuse

DUCKDB = "duckdb:"
"""How the name of a table in a DuckDB file begins."""


@frozen
class DatabaseTable:
    """One table of a DuckDB file, as ``duckdb:FILE?table=NAME`` names it."""

    file: str
    table: str

    @property
    def path(self) -> str:
        """A whole path means no memory, and no server of anybody's; and what DuckDB writes last lies next to the file itself."""
        return end_of(self.file)

    @property
    def quoted(self) -> str:
        """The table where its file is attached as ``source``."""
        table = self.table.replace('"', '""')
        return f'source.main."{table}"'


def database_table(origin: str) -> DatabaseTable:
    """The table that a name of this form means.

    Raises
    ------
    DuetError
        D0601 for a malformed name.
    """
    file, _, query = origin.removeprefix(DUCKDB).partition("?")
    named = parse_qs(query, keep_blank_values=True)
    if not file or set(named) != {"table"} or len(named["table"]) != 1 or not named["table"][0]:
        refuse(UNREADABLE, "does not name one table", origin, help="write duckdb:FILE?table=NAME")
    return DatabaseTable(file, named["table"][0])


CLOSED = {
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "temp_directory": "",
}
"""No extension, and no file for what does not fit into memory."""

LOCKED = ("SET enable_external_access = false", "SET lock_configuration = true")

_COLUMNS = """
    SELECT c.column_name, c.data_type, {is_generated}
    FROM duckdb_columns() c JOIN duckdb_tables() t
        ON c.database_name = t.database_name AND c.schema_name = t.schema_name AND c.table_name = t.table_name
    WHERE t.database_name = 'source' AND t.schema_name = 'main' AND t.table_name = ? AND NOT t.internal
    ORDER BY c.column_index
"""
_IS_GENERATED = "is_generated"
_MAY_BE_GENERATED = "c.column_default IS NOT NULL AND contains(t.sql, 'GENERATED ALWAYS AS')"
"""Where the library does not say which columns are generated: it gives their expressions as defaults."""

_INTEGERS = {sign + size for sign in ("", "U") for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")}
_AS_THEY_ARE = frozenset({*_INTEGERS, "FLOAT", "DOUBLE", "BOOLEAN"})
_LONG_NUMBERS = ("HUGEINT", "UHUGEINT", "DECIMAL(")
"""Numbers that a double may not hold: they are read as they are written."""
_DATES = "DATE"
_NO_DAY = -1_000_000_000
_TEXTS = ("VARCHAR", "JSON", "ENUM(")


@frozen
class _Column:
    """A column that a table keeps, or one that the file computes."""

    name: str
    type: str
    is_generated: bool

    @property
    def kind(self) -> str:
        """As a letter of numpy: numbers and truth values, texts, or neither; or `DAYS`."""
        if self.type.endswith("]"):
            # A list.
            return NEITHER
        if self.type in _AS_THEY_ARE or self.type.startswith(_LONG_NUMBERS):
            return "f"
        if self.type == _DATES:
            return DAYS
        return "U" if self.type.startswith(_TEXTS) else NEITHER

    @property
    def expression(self) -> str:
        """What is selected: of every row the same total function."""
        name = '"' + self.name.replace('"', '""') + '"'
        if self.type in _AS_THEY_ARE:
            return name
        if self.kind == DAYS:
            # As numbers of days; of a day without a number, a number that no day of the calendar has.
            number = f"WHEN isfinite({name}) THEN {name} - DATE '1970-01-01'"
            return f"CASE WHEN {name} IS NULL THEN NULL {number} ELSE {_NO_DAY} END"
        return f"CAST({name if self.kind != NEITHER else 'NULL'} AS VARCHAR)"

    def read(self, cells: Cells) -> TypedCells:
        if self.kind == DAYS:
            days = np.ma.getdata(cells).astype(np.int64).astype("datetime64[D]")
            return TypedCells(np.where(np.ma.getmaskarray(cells), np.datetime64("NaT", "D"), days), self.kind)
        if self.type in _AS_THEY_ARE or self.kind != "f":
            return TypedCells(cells, self.kind)
        # Numbers that a double may not hold are read as they are written.
        missing, texts = np.ma.getmaskarray(cells).tolist(), np.ma.getdata(cells).tolist()
        found = (None if is_none else Decimal(text) for text, is_none in zip(texts, missing, strict=True))
        return TypedCells(np.fromiter(found, dtype=np.object_), self.kind)


def heading_of(origin: str, stored: DatabaseTable, names: Sequence[str] | None) -> Heading:
    """What a base table is before a cell is read: those of its columns that are wanted, if each is there, or all.

    Raises
    ------
    DuetError
        D0601 the file cannot be read; D0603 there is no such base table, or a column is generated.
    """

    def look() -> Heading:
        with _attached(stored.path) as database:
            columns = _chosen(_stored_columns(database, stored, origin), names, origin)
            rows = database.execute(f"SELECT count(*) FROM {stored.quoted}").fetchone()[0]
            empty = _read(database, stored, columns, "WHERE false", None)
        return Heading(empty, int(rows), width=len(empty))

    _refuse_unsteady(origin, stored)
    return safely(origin, "a DuckDB file", look, _BUSY)


def blocks_of(origin: str, stored: DatabaseTable, names: Sequence[str] | None, longest: int | None) -> Iterator[object]:
    """The cells of a base table, in runs of rows; no text that is longer than so many characters. Raises as `heading_of` does."""
    _refuse_unsteady(origin, stored)
    return safely_each(origin, "a DuckDB file", _blocks(origin, stored, names, longest), _BUSY)


_BUSY = "give a DuckDB file that no other connection writes to"


def _refuse_unsteady(origin: str, stored: DatabaseTable) -> None:
    note(stored.path)
    refuse_irregular(stored.path, origin)
    refuse_log(stored, origin)


def _blocks(
    origin: str, stored: DatabaseTable, names: Sequence[str] | None, longest: int | None
) -> Iterator[dict[str, TypedCells]]:
    with _attached(stored.path) as database:
        known = _stored_columns(database, stored, origin)
        columns = _chosen(known, names, origin)
        if any(column.name.lower() == _PLACE for column in known):
            # The word then means that column, whose cells say nothing about places.
            yield _read(database, stored, columns, "", longest)
            return
        last = database.execute(f"SELECT max({_PLACE}) FROM {stored.quoted}").fetchone()[0]
        for start in range(0, 0 if last is None else int(last) + 1, _BATCH_ROWS):
            within = f"WHERE {_PLACE} >= {start} AND {_PLACE} < {start + _BATCH_ROWS}"
            yield _read(database, stored, columns, within, longest)


_PLACE = "rowid"
"""Where a row stands in a base table: https://duckdb.org/docs/sql/statements/select#row-ids"""
_BATCH_ROWS = 1 << 20
"""Versions of the library before 2 look at all places for each run of rows, so that these are not too many."""


@contextmanager
def _attached(path: str) -> Iterator[Any]:
    """An empty database to which the file is attached as ``source``, and which can reach nothing else.

    Raises
    ------
    Exception
        What the library raises, which may quote a cell; also while another connection writes to the file.
    """
    _refuse_busy(path)
    with import_module("duckdb").connect(":memory:", config=CLOSED) as database:
        quoted = path.replace("'", "''")
        database.execute(f"ATTACH '{quoted}' AS source (TYPE duckdb, READ_ONLY)")
        for statement in LOCKED:
            database.execute(statement)
        yield database


def _stored_columns(database: Any, stored: DatabaseTable, origin: str) -> Sequence[_Column]:
    known = [name for name, *_ in database.execute("SELECT * FROM duckdb_columns() LIMIT 0").description]
    query = _COLUMNS.format(is_generated=f"c.{_IS_GENERATED}" if _IS_GENERATED in known else _MAY_BE_GENERATED)
    columns = [_Column(*found) for found in database.execute(query, [stored.table]).fetchall()]
    if not columns:
        message = f"has no table '{visible(stored.table)}'"
        refuse(COLUMNS, message, origin, help="name a base table: a view is not read")
    return columns


def is_busy(path: str) -> bool:
    """Whether the file cannot be read now. Where this process itself is writing to it, opening and closing it in any other way
    would end the locks that it holds."""
    try:
        _refuse_busy(path)
    except Exception:
        return True
    return False


def _refuse_busy(path: str) -> None:
    # Only by its path does the library know that it has the file open already.
    import_module("duckdb").connect(path, read_only=True, config=CLOSED).close()


def _chosen(columns: Sequence[_Column], names: Sequence[str] | None, origin: str) -> Sequence[_Column]:
    by_name = {column.name: column for column in columns}
    if names is not None and not set(names) <= by_name.keys():
        # One is missing, and no cell is needed to say so.
        return [_Column(column.name, "", is_generated=False) for column in columns]
    chosen = columns if names is None else [by_name[name] for name in dict.fromkeys(names)]
    for column in chosen:
        if column.is_generated:
            message = (
                f"the column '{visible(column.name)}' may be generated, and what the file would compute is not read"
            )
            refuse(COLUMNS, message, origin, help="copy the table into another: CREATE TABLE … AS SELECT …")
    return chosen


def _read(
    database: Any, stored: DatabaseTable, columns: Sequence[_Column], where: str, longest: int | None
) -> dict[str, TypedCells]:
    selected = ", ".join(f"{_limited(column, longest)} AS c{at}" for at, column in enumerate(columns))
    found = database.execute(f"SELECT {selected} FROM {stored.quoted} {where}").fetchnumpy()
    return {column.name: column.read(found[f"c{at}"]) for at, column in enumerate(columns)}


def _limited(column: _Column, longest: int | None) -> str:
    """A column of texts without those that are too long: they are bad cells, and need not be written out."""
    if longest is None or column.kind != "U":
        return column.expression
    return f"CASE WHEN length({column.expression}) <= {longest} THEN {column.expression} END"


def refuse_log(stored: DatabaseTable, origin: str) -> None:
    """Raise D0601 if a write-ahead log lies next to a database: its rows would count, and the file does not hold them, so
    that the same file would be other people."""
    logs = [f"{place}.wal" for place in (os.path.abspath(stored.file), stored.path)]
    for log in logs:
        note(log)
    if any(map(os.path.lexists, logs)):
        refuse(
            UNREADABLE,
            "cannot be read: some of its changes are not in the file yet, but in its .wal file",
            origin,
            help="run CHECKPOINT in DuckDB, or close the program that writes to it",
        )
