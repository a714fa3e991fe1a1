"""Sources that other code provides (`duetpy.runtime.sources.registry.Source`).

Contract. What a source says of itself (its columns, how many rows it has, whose they are) is asked for once. Its cells are held to
the schema block by block, and are what they are by themselves: nothing about another block or another cell decides. The code of a
source is trusted with the rows, and with its promise that a cell depends on one row; what it raises is never repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

import numpy as np
from attrs import evolve, frozen

from duetpy.runtime.sources.array_cells import Cells, TypedCells, array_of, is_nobodys, kind_of
from duetpy.runtime.sources.arrays import from_blocks, outline_arrays, tables_of
from duetpy.runtime.sources.arrow_columns import NEITHER
from duetpy.runtime.sources.cell_kinds import NUMBERS, TEXTS
from duetpy.runtime.sources.column_selection import Declared, Selection, at_places, declared_names
from duetpy.runtime.sources.looks import look_at
from duetpy.runtime.sources.problems import UNREADABLE, refuse
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.registry import NUMBER, TEXT, Block, Source
from duetpy.runtime.sources.table import Outline, Table

NOBODYS = "D0617"

_KINDS = {NUMBER: "f", TEXT: "U"}
"""What a schema says of a column, as a letter of numpy."""

_FAULTY = "correct the source: duetpy.Source says what it must be"

T = TypeVar("T")


@frozen(eq=False, repr=False)
class Registered:
    """A source that other code provides, and what it said of itself.

    Parameters
    ----------
    origin
        Its name in messages.
    source
        What gives the rows.
    schema, rows, identity, can_be_streamed
        What it said.
    file
        The file on disk that it was opened for; None where it has another name.
    """

    origin: str
    source: Source
    schema: Mapping[str, str]
    rows: int | None
    identity: tuple[Hashable, ...]
    can_be_streamed: bool
    file: str | None

    @property
    def name(self) -> str:
        return self.origin

    @property
    def marks(self) -> tuple[tuple[Hashable, ...], ...]:
        own: tuple[Hashable, ...] = ("source", *self.identity)
        if self.file is None:
            return (own,)
        # Whatever the source says, the rows of one file are those of one file.
        return (look_at(self.file).mark, own)

    @property
    def files(self) -> tuple[str, ...]:
        return () if self.file is None else (self.file,)

    @property
    def way(self) -> str | None:
        return None

    def read(self, columns: Declared, selection: Selection | None, reading: Reading, rows: int | None) -> Table:
        wanted = self._wanted(declared_names(columns, selection))
        return from_blocks(
            chain([self._empty(wanted)], self._blocks(wanted)),
            columns,
            self.origin,
            selection,
            reading.on_bad_row,
            reading.block_rows,
            holds_types=reading.holds_types,
            is_file=True,
            expected=self.rows,
            room=reading.room,
        )

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
        wanted = self._wanted(declared_names(columns, selection))
        blocks = chain([self._empty(wanted)], self._blocks(wanted))
        rule, holds = reading.on_bad_row, reading.holds_types
        return tables_of(blocks, columns, self.origin, selection, rule, holds_types=holds, is_file=True, room=None)

    def outline(self, columns: Declared, selection: Selection | None, reading: Reading) -> Outline:
        found = outline_arrays(self._empty(list(self.schema)), columns, self.origin, selection, is_file=True)
        return evolve(found, lines=None if self.rows is None else frozenset({self.rows}))

    def _kind(self, name: str) -> str:
        return _KINDS.get(self.schema[name], NEITHER)

    def _wanted(self, names: Sequence[str] | None) -> list[str]:
        """The columns to read: all, if one that is wanted is not there, so that the refusal can say so."""
        return list(names) if names is not None and set(names) <= self.schema.keys() else list(self.schema)

    def _empty(self, wanted: list[str]) -> dict[str, TypedCells]:
        return {name: TypedCells(np.empty(0), self._kind(name)) for name in wanted}

    def _blocks(self, wanted: list[str]) -> Iterator[dict[str, TypedCells]]:
        """The cells block by block; of a column of another kind no cell is asked for."""
        readable = [name for name in wanted if self._kind(name) != NEITHER]
        fault = "its blocks cannot be read"
        blocks = _asked(lambda: iter(self.source.blocks(tuple(readable))), self.origin, fault)
        rows = 0
        while (block := _asked(lambda: self._next(blocks, readable), self.origin, fault)) is not None:
            length, cells = block
            rows += length
            yield {name: cells.get(name, TypedCells(np.full(length, np.nan), NEITHER)) for name in wanted}
        if self.rows is not None and readable and rows != self.rows:
            refuse(
                UNREADABLE, "cannot be read: its blocks do not have as many rows as it said", self.origin, help=_FAULTY
            )

    def _next(self, blocks: Iterator[Block], readable: list[str]) -> tuple[int, dict[str, TypedCells]] | None:
        """The next block and its length."""
        block = next(blocks, None)
        if block is None:
            return None
        given = block.read()
        if not isinstance(given, Mapping) or set(given) != set(readable):
            raise _Faulty("a block does not have the columns that it was asked for")
        cells = {name: TypedCells(self._column(name, given[name]), self._kind(name)) for name in readable}
        lengths = {len(each.cells) for each in cells.values()}
        if len(lengths) > 1:
            raise _Faulty("the columns of a block have no common length")
        return max(lengths, default=0), cells

    def _column(self, name: str, value: object) -> Cells:
        kind, cells = kind_of(value), array_of(value)
        is_right = kind in (None, *(NUMBERS if self._kind(name) == "f" else TEXTS)) or is_nobodys(kind, len(cells))
        if cells.ndim != 1 or not is_right:
            raise _Faulty("a block has a column of another type than its schema says")
        return cells


def registered(source: Source, origin: str, file: str | None = None) -> Registered:
    """A source with what it says of itself.

    Raises
    ------
    DuetError
        D0617 it does not say whose its rows are; D0601 what it says is not what a source says, or it raised an exception.
    """
    identity = _identity(_asked(lambda: source.identity, origin, "it does not give its identity"))
    if identity is None:
        message = "does not say whose people its rows are"
        help = "give it an identity: a text, the same for every source with the same people"
        refuse(NOBODYS, message, origin, help=help)
    schema = _asked(lambda: dict(source.schema), origin, "its schema cannot be read")
    rows = _asked(lambda: source.rows, origin, "its number of rows cannot be read")
    repeats = _asked(
        lambda: getattr(source, "is_repeatable", False), origin, "it does not say whether it is repeatable"
    )
    is_schema = schema and all(isinstance(word, str) for pair in schema.items() for word in pair)
    is_number = rows is None or (isinstance(rows, int) and not isinstance(rows, bool) and rows >= 0)
    if not is_schema or not is_number:
        refuse(UNREADABLE, "cannot be read: its schema or its number of rows is malformed", origin, help=_FAULTY)
    return Registered(origin, source, schema, rows, identity, repeats is True, file)


def _identity(said: object) -> tuple[Hashable, ...] | None:
    """An identity as a tuple that begins with a text; None of anything else: only texts, bytes and whole numbers are the same in
    every process and are compared in one way."""
    parts = said if type(said) is tuple else (said,)
    is_said = bool(parts) and type(parts[0]) is str and parts[0] != ""
    return tuple(parts) if is_said and all(type(part) in (str, bytes, int) for part in parts) else None


class _Faulty(Exception):
    """A source that is not as it said. It carries a fixed message; what other exceptions carry is never repeated."""


def _asked(ask: Callable[[], T], origin: str, message: str) -> T:
    """What a source answers; raises `DuetError` D0601 where it raises anything."""
    try:
        return ask()
    except Exception as fault:
        reason = str(fault) if isinstance(fault, _Faulty) else message
        refuse(UNREADABLE, f"cannot be read: {reason}", origin, help=_FAULTY)
