"""Tables from sources of any kind: of lines, of columns and arrays, of a database, or registered.

Contract. `opened` is the one way from the name of a source to what reads it (`duetpy.runtime.sources.registry`). Whoever asks
whose the rows are, which files they come from or what is public of them asks the same object that reads them.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from typing import TypeAlias

from attrs import evolve, field, frozen

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.arrays import from_blocks, outline_arrays, tables_of
from duetpy.runtime.sources.column_selection import Declared, Selection, at_places, declared_names
from duetpy.runtime.sources.csv import CsvFile
from duetpy.runtime.sources.database import (
    DUCKDB,
    DatabaseTable,
    blocks_of,
    database_table,
    heading_of,
    is_busy,
    refuse_log,
)
from duetpy.runtime.sources.frames import Heading, blocks_in, heading_in
from duetpy.runtime.sources.looks import look_at, looking_once
from duetpy.runtime.sources.opening import TABBED, endings, standard_input_file
from duetpy.runtime.sources.problems import STANDARD_INPUT, UNREADABLE, refuse
from duetpy.runtime.sources.queries import Select, parse_query
from duetpy.runtime.sources.query_plan import PRIVATE_SIZE, Plan, names_in, planned
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.registered import Registered, registered
from duetpy.runtime.sources.registry import Source, is_source, opener_of, scheme_in
from duetpy.runtime.sources.room import Room, refuse_large
from duetpy.runtime.sources.table import ColumnSpec, Outline, Table
from duetpy.runtime.values.memory import available

Mark: TypeAlias = tuple[Hashable, ...]
"""Whose people rows are. Of two marks of which one begins with the other, the shorter one holds the people of both."""


@frozen
class Lines:
    """A file of lines, or standard input."""

    origin: str

    @property
    def name(self) -> str:
        return self.origin

    @property
    def marks(self) -> tuple[Mark, ...]:
        if self.origin != STANDARD_INPUT:
            return (look_at(self.origin).mark,)
        # What is taken from a file on disk is that file.
        file = standard_input_file()
        return () if file is None else (file_mark(file),)

    @property
    def files(self) -> tuple[str, ...]:
        return (self.origin,)

    @property
    def way(self) -> str | None:
        ending, packing = endings(self.origin)
        return f"{ending if ending == TABBED else ''}{packing}"

    def read(self, columns: Declared, selection: Selection | None, reading: Reading, rows: int | None) -> Table:
        return self._csv(columns, selection, reading).read(reading.block_rows, rows, reading.room)

    def _csv(self, columns: Declared, selection: Selection | None, reading: Reading) -> CsvFile:
        return CsvFile(self.origin, columns, reading.header, selection, reading.on_bad_row)

    def tables(
        self,
        columns: Declared,
        selection: Selection | None,
        reading: Reading,
        rows: int | None,
        places: Sequence[int] | None,
    ) -> Iterator[Table]:
        """What `read` reads, in runs of rows that are not kept; of the declared columns those at some places, or all."""
        # How many rows there are in a piece of the file depends on how long they are: no caller chooses what is enough for them.
        room = Room(available() if reading.is_total else reading.room.memory)
        return self._csv(columns, selection, reading).tables(rows, room, places)

    def outline(self, columns: Declared, selection: Selection | None, reading: Reading) -> Outline:
        return self._csv(columns, selection, reading).outline()

    def separator(self, columns: Declared, selection: Selection | None, reading: Reading) -> str:
        """What stands between the cells."""
        return self._csv(columns, selection, reading).separator().decode("ascii")


class _Columns(ABC):
    """Columns that say how many rows they have before a cell is read."""

    origin: str

    @abstractmethod
    def heading(self, names: Sequence[str] | None) -> Heading:
        """What is known before a cell is read."""

    @abstractmethod
    def blocks(self, names: Sequence[str] | None, longest: int | None) -> Iterator[object]:
        """The cells in runs of rows; no text that is longer than so many characters."""

    def tables(
        self,
        columns: Declared,
        selection: Selection | None,
        reading: Reading,
        rows: int | None,
        places: Sequence[int] | None,
    ) -> Iterator[Table]:
        """What `read` reads, in runs of rows that are not kept; of the declared columns those at some places, or all."""
        columns, selection = at_places(columns, selection, places)
        names = declared_names(columns, selection)
        blocks = chain([self.heading(names).columns], self.blocks(names, None))
        return _runs(blocks, self.origin, columns, selection, reading)


@frozen
class Frame(_Columns):
    """A file of columns or arrays."""

    origin: str

    @property
    def name(self) -> str:
        return self.origin

    @property
    def marks(self) -> tuple[Mark, ...]:
        return (look_at(self.origin).mark,)

    @property
    def files(self) -> tuple[str, ...]:
        return (self.origin,)

    @property
    def way(self) -> str | None:
        return endings(self.origin)[0]

    def read(self, columns: Declared, selection: Selection | None, reading: Reading, rows: int | None) -> Table:
        names = declared_names(columns, selection)
        heading = self.heading(names)
        if heading.size > reading.room.memory:
            refuse_large(self.origin)
        blocks = chain([heading.columns], self.blocks(names, None))
        return _stacked(blocks, heading.rows, self.origin, columns, selection, reading)

    def outline(self, columns: Declared, selection: Selection | None, reading: Reading) -> Outline:
        heading = self.heading(declared_names(columns, selection))
        found = outline_arrays(heading.columns, columns, self.origin, selection, is_file=True)
        if reading.has_public_rows and heading.size > reading.room.memory:
            refuse_large(self.origin)
        return evolve(found, lines=frozenset({heading.rows}))

    def heading(self, names: Sequence[str] | None) -> Heading:
        return heading_in(self.origin, names)

    def blocks(self, names: Sequence[str] | None, longest: int | None) -> Iterator[object]:
        return blocks_in(self.origin, names)


@frozen
class Stored(_Columns):
    """A table of a DuckDB file: two tables are two sources, as two files are, and all of the file holds each of them."""

    origin: str
    table: DatabaseTable = field()

    @table.default
    def _table(self) -> DatabaseTable:
        return database_table(self.origin)

    @property
    def name(self) -> str:
        return self.origin

    @property
    def marks(self) -> tuple[Mark, ...]:
        return ((*look_at(self.table.path).mark, self.table.table),)

    @property
    def files(self) -> tuple[str, ...]:
        """With the file next to it that may hold what was written last."""
        return (self.table.path, f"{self.table.path}.wal")

    @property
    def way(self) -> str | None:
        refuse_log(self.table, self.origin)
        return None if is_busy(self.table.path) else f"table {self.table.table!r}"

    def read(self, columns: Declared, selection: Selection | None, reading: Reading, rows: int | None) -> Table:
        names = declared_names(columns, selection)
        heading = self.heading(names)
        declared = [columns] * heading.width if isinstance(columns, ColumnSpec) else columns
        blocks = chain([heading.columns], self.blocks(names, reading.room.longest(declared)))
        return _stacked(blocks, heading.rows, self.origin, columns, selection, reading)

    def outline(self, columns: Declared, selection: Selection | None, reading: Reading) -> Outline:
        heading = self.heading(declared_names(columns, selection))
        found = outline_arrays(heading.columns, columns, self.origin, selection, is_file=True)
        return evolve(found, lines=frozenset({heading.rows}))

    def heading(self, names: Sequence[str] | None) -> Heading:
        return heading_of(self.origin, self.table, names)

    def blocks(self, names: Sequence[str] | None, longest: int | None) -> Iterator[object]:
        return blocks_of(self.origin, self.table, names, longest)


@frozen
class Query:
    """The rows of a table of a DuckDB file, or of a Parquet file, that a row-wise query makes of them. Whose they are the table
    decides, and no part of the query."""

    origin: str
    select: Select = field()
    source: Frame | Stored = field()

    @select.default
    def _select(self) -> Select:
        return parse_query(self.origin)

    @source.default
    def _source(self) -> Frame | Stored:
        file, table = self.select.file, self.select.table
        if table is None:
            return Frame(file)
        return Stored(f"{DUCKDB}{file}?table={table}", DatabaseTable(file, table))

    @property
    def name(self) -> str:
        return self.source.origin

    @property
    def marks(self) -> tuple[Mark, ...]:
        return self.source.marks

    @property
    def files(self) -> tuple[str, ...]:
        return self.source.files

    @property
    def way(self) -> str | None:
        way = self.source.way
        return None if way is None else f"{self.origin!r} {way}"

    def read(self, columns: Declared, selection: Selection | None, reading: Reading, rows: int | None) -> Table:
        plan = self._plan(reading)
        expected = plan.rows if self.select.where is None else None
        parts = map(plan.rows_of, self.source.blocks(plan.names, plan.longest))
        blocks = chain([plan.empty], chain.from_iterable(parts))
        return _stacked(blocks, expected, self.origin, columns, selection, reading)

    def tables(
        self,
        columns: Declared,
        selection: Selection | None,
        reading: Reading,
        rows: int | None,
        places: Sequence[int] | None,
    ) -> Iterator[Table]:
        """What `read` reads, in runs of rows that are not kept; of the declared columns those at some places, or all."""
        columns, selection = at_places(columns, selection, places)
        plan = self._plan(reading)
        parts = map(plan.rows_of, self.source.blocks(plan.names, plan.longest))
        return _runs(chain([plan.empty], chain.from_iterable(parts)), self.origin, columns, selection, reading)

    def outline(self, columns: Declared, selection: Selection | None, reading: Reading) -> Outline:
        plan = self._plan(reading)
        found = outline_arrays(plan.empty, columns, self.origin, selection, is_file=True)
        return found if self.select.where is not None else evolve(found, lines=frozenset({plan.rows}))

    def _plan(self, reading: Reading) -> Plan:
        if self.select.where is not None and reading.has_public_rows:
            message = "filters rows, and the table has a public number of rows"
            help = "declare the table with ★ rows, or leave out WHERE and filter in the program"
            refuse(PRIVATE_SIZE, message, self.origin, help=help)
        names = names_in(self.select, self.origin)
        return planned(self.select, self.source.heading(names), names, self.origin).within(reading.room, self.origin)


Opened: TypeAlias = Lines | Frame | Stored | Query | Registered
"""What reads a source.

``name`` is what people call them, ``marks`` says whose people the rows are (none where nothing shows it), ``files`` which files
they come from (none where that is not known), and ``way`` how their bytes are read (the same bytes are other rows if they are
read in another way), or None where the bytes do not say what the rows are. ``read`` gives the table and ``outline`` what is
public of it where bad cells count as defaults; both raise as `read_csv`, `outline_csv`, `from_arrays` and `outline_arrays` do,
and take the declared columns, those that the caller picked, how tables are read and how many rows there are at most, where
something else says so.
"""


def file_mark(file: os.stat_result) -> Mark:
    """Whose people the rows of a file are, under whatever name it is found."""
    return (file.st_dev, file.st_ino)


def _runs(
    blocks: Iterable[object], origin: str, columns: Declared, selection: Selection | None, reading: Reading
) -> Iterator[Table]:
    """The tables of some blocks, of which the first one has no rows."""
    rule, holds = reading.on_bad_row, reading.holds_types
    return tables_of(blocks, columns, origin, selection, rule, holds_types=holds, is_file=True, room=None)


def _stacked(
    blocks: Iterable[object],
    expected: int | None,
    origin: str,
    columns: Declared,
    selection: Selection | None,
    reading: Reading,
) -> Table:
    """The table of some blocks. The first one has no rows: the columns are bound, and the number of rows is compared with the
    memory, before a cell is asked for."""
    return from_blocks(
        blocks,
        columns,
        origin,
        selection,
        reading.on_bad_row,
        reading.block_rows,
        holds_types=reading.holds_types,
        is_file=True,
        expected=expected,
        room=reading.room,
    )


# ---------------------------------------------------------------------------------------------------------------------
# By name

_OPEN: ContextVar[dict[str | int, Registered] | None] = ContextVar("open", default=None)
"""The registered sources of a run, by their names; those that were passed as objects, by their identity in memory."""


@contextmanager
def opened_once() -> Iterator[None]:
    """A run, in which each registered source is opened once, and each one that is passed as an object is asked once: what it says
    of itself is the same from the charge to the last row."""
    token = _OPEN.set({})
    try:
        with looking_once():
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
    if opener in (Lines, Frame, Stored, Query):
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


def passed(source: Source, origin: str) -> Registered:
    """A source that was passed as an object, with what it says of itself; see `registered`. `origin` is its name in messages."""
    kept = _OPEN.get()
    found = None if kept is None else kept.get(id(source))
    if found is None:
        found = registered(source, origin)
        if kept is not None:
            # It stays in memory with this, and its number stays its own.
            kept[id(source)] = found
    return evolve(found, origin=origin)


_REPAIR = "correct the function that was registered for such names"


def read_file(origin: str, columns: Declared, selection: Selection | None, reading: Reading, rows: int | None) -> Table:
    """The table in a source; see `Opened`."""
    source = opened(origin)
    try:
        return source.read(columns, selection, reading, rows)
    except MemoryError:
        # What no count has foreseen, such as a single page or batch that is larger than all the rest.
        refuse_large(origin)


def outline_file(origin: str, columns: Declared, selection: Selection | None, reading: Reading) -> Outline:
    """What is public of a source where bad cells count as defaults; see `Opened`."""
    source = opened(origin)
    try:
        return source.outline(columns, selection, reading)
    except MemoryError:
        refuse_large(origin)


def files_of(origin: str) -> tuple[str, ...]:
    """The files on disk that a name stands for; none where the name is malformed."""
    try:
        return opened(origin).files
    except DuetError:
        return ()
