"""Tables from sources of any kind: of lines, of columns and arrays, of a database, or registered.

Contract. `opened` is the one way from the name of a source to what reads it (`duetpy.runtime.sources.registry`). Whoever asks
whose the rows are, which files they come from or what is public of them asks the same object that reads them.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

from attrs import field, frozen

from duetpy.diagnostics.diagnostic import DuetError
from duetpy.runtime.sources.arrays import from_arrays, outline_arrays
from duetpy.runtime.sources.column_selection import Declared, Selection, declared_names
from duetpy.runtime.sources.csv import outline_csv, read_csv
from duetpy.runtime.sources.database import DatabaseTable, database_table, is_busy
from duetpy.runtime.sources.frames import frame_in, refuse_log, table_in
from duetpy.runtime.sources.opening import TABBED, endings, standard_input_file
from duetpy.runtime.sources.problems import STANDARD_INPUT, UNREADABLE, refuse
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.registered import Registered, registered
from duetpy.runtime.sources.registry import is_source, opener_of, scheme_in
from duetpy.runtime.sources.table import Outline, Table

Mark: TypeAlias = tuple[Hashable, ...]
"""Whose people rows are. Of two marks of which one begins with the other, the shorter one holds the people of both."""


@frozen
class Lines:
    """A file of lines, or standard input."""

    origin: str

    @property
    def marks(self) -> tuple[Mark, ...]:
        if self.origin != STANDARD_INPUT:
            return (file_mark(os.stat(self.origin)),)
        # What is taken from a file on disk is that file.
        file = standard_input_file()
        return ((STANDARD_INPUT,) if file is None else file_mark(file),)

    @property
    def files(self) -> tuple[str, ...]:
        return (self.origin,)

    @property
    def way(self) -> str | None:
        ending, packing = endings(self.origin)
        return f"{ending if ending == TABBED else ''}{packing}"

    def read(self, columns: Declared, selection: Selection | None, reading: Reading, rows: int | None) -> Table:
        rule, blocks = reading.on_bad_row, reading.block_rows
        return read_csv(self.origin, columns, reading.header, selection, rule, blocks, rows)

    def outline(self, columns: Declared, selection: Selection | None, reading: Reading) -> Outline:
        return outline_csv(self.origin, columns, reading.header, selection)


@frozen
class Frame:
    """A file of columns or arrays."""

    origin: str

    @property
    def marks(self) -> tuple[Mark, ...]:
        return (file_mark(os.stat(self.origin)),)

    @property
    def files(self) -> tuple[str, ...]:
        return (self.origin,)

    @property
    def way(self) -> str | None:
        return endings(self.origin)[0]

    def read(self, columns: Declared, selection: Selection | None, reading: Reading, rows: int | None) -> Table:
        frame = frame_in(self.origin, declared_names(columns, selection))
        return _table(frame, self.origin, columns, selection, reading)

    def outline(self, columns: Declared, selection: Selection | None, reading: Reading) -> Outline:
        frame = frame_in(self.origin, declared_names(columns, selection))
        return outline_arrays(frame, columns, self.origin, selection, is_file=True)


@frozen
class Stored:
    """A table of a DuckDB file: two tables are two sources, as two files are, and all of the file holds each of them."""

    origin: str
    table: DatabaseTable = field(init=False)

    @table.default
    def _table(self) -> DatabaseTable:
        return database_table(self.origin)

    @property
    def marks(self) -> tuple[Mark, ...]:
        return ((*file_mark(os.stat(self.table.path)), self.table.table),)

    @property
    def files(self) -> tuple[str, ...]:
        """With the file beside it that may hold what was written last."""
        return (self.table.path, f"{self.table.path}.wal")

    @property
    def way(self) -> str | None:
        refuse_log(self.table.file, self.origin)
        return None if is_busy(self.table.path) else f"table {self.table.table!r}"

    def read(self, columns: Declared, selection: Selection | None, reading: Reading, rows: int | None) -> Table:
        frame = table_in(self.origin, self.table, declared_names(columns, selection))
        return _table(frame, self.origin, columns, selection, reading)

    def outline(self, columns: Declared, selection: Selection | None, reading: Reading) -> Outline:
        frame = table_in(self.origin, self.table, declared_names(columns, selection))
        return outline_arrays(frame, columns, self.origin, selection, is_file=True)


Opened: TypeAlias = Lines | Frame | Stored | Registered
"""What reads a source.

``marks`` says whose people the rows are, ``files`` which files they come from (none where that is not known), and ``way`` how their
bytes are read (the same bytes are other rows if they are read in another way), or None where the bytes do not say what the rows
are. ``read`` gives the table and ``outline`` what is public of it where bad cells count as defaults; both raise as `read_csv`,
`outline_csv`, `from_arrays` and `outline_arrays` do, and take the declared columns, those that the caller picked, how tables are
read and how many rows there are at most, where something else says so.
"""


def file_mark(file: os.stat_result) -> Mark:
    """Whose people the rows of a file are, under whatever name it is found."""
    return (file.st_dev, file.st_ino)


def _table(frame: object, origin: str, columns: Declared, selection: Selection | None, reading: Reading) -> Table:
    rule, blocks = reading.on_bad_row, reading.block_rows
    return from_arrays(frame, columns, origin, selection, rule, blocks, holds_types=reading.holds_types, is_file=True)


# ---------------------------------------------------------------------------------------------------------------------
# By name

_OPEN: ContextVar[dict[str, Registered] | None] = ContextVar("open", default=None)


@contextmanager
def opened_once() -> Iterator[None]:
    """A run, in which each registered source is opened once: what it says of itself is the same from the charge to the last row."""
    token = _OPEN.set({})
    try:
        yield
    finally:
        _OPEN.reset(token)


def opened(origin: str) -> Opened:
    """What reads the source of a name.

    Raises
    ------
    DuetError
        D0601 for a malformed name, or where a registered source cannot be opened; D0617 where it does not say whose its rows are.
    """
    opener = opener_of(origin)
    if opener in (Lines, Frame, Stored):
        found: Opened = opener(origin)
        return found
    kept = _OPEN.get()
    if kept is not None and origin in kept:
        return kept[origin]
    try:
        source = opener(origin)
    except Exception:
        # Also its own DuetErrors: what they say may be somebody's.
        refuse(UNREADABLE, "cannot be read: its opener raised an exception", origin, help=_REPAIR)
    if not is_source(source):
        refuse(UNREADABLE, "cannot be read: its opener did not return a source", origin, help=_REPAIR)
    made = registered(source, origin, None if scheme_in(origin) else origin)
    if kept is not None:
        kept[origin] = made
    return made


_REPAIR = "correct the function that was registered for such names"


def read_file(origin: str, columns: Declared, selection: Selection | None, reading: Reading, rows: int | None) -> Table:
    """The table in a source; see `Opened`."""
    return opened(origin).read(columns, selection, reading, rows)


def outline_file(origin: str, columns: Declared, selection: Selection | None, reading: Reading) -> Outline:
    """What is public of a source where bad cells count as defaults; see `Opened`."""
    return opened(origin).outline(columns, selection, reading)


def files_of(origin: str) -> tuple[str, ...]:
    """The files on disk that a name stands for; none where the name is malformed."""
    try:
        return opened(origin).files
    except DuetError:
        return ()
