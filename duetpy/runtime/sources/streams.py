"""Tables that are too large to be kept: files that are read again for each pass over their rows.

Contract. The first pass reads and verifies every row, as if the table were kept, and raises what that would raise. Each further
pass reads the columns that the program looks at. They have to hold the same cells as in the first one, or the run ends, in fixed
words: two passes over a file that was changed in between would not be of the same people.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial

from attrs import define, field

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.column_selection import Declared, Selection
from duetpy.runtime.sources.files import Opened
from duetpy.runtime.sources.looks import refuse_other
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.registered import Registered
from duetpy.runtime.sources.room import refuse_large
from duetpy.runtime.sources.sealing import Sealing, Words, new_keys
from duetpy.runtime.sources.table import ColumnSpec, Table
from duetpy.runtime.values.streamed import streamed
from duetpy.runtime.values.values import ABSENT, MatrixValue, Value


def stream_of(
    source: Opened,
    columns: Declared,
    selection: Selection | None,
    reading: Reading,
    rows: int | None,
    made: Callable[[Table], MatrixValue],
    looked_at: frozenset[int] | None,
) -> Stream | None:
    """The rows of a source, read as `read_file` reads them; None if it cannot be read in this way."""
    if isinstance(source, Registered) and not source.can_be_streamed:
        return None
    tables = partial(source.tables, columns, selection, reading, rows)
    return Stream(source.name, tables, made, _read_again(columns, reading, looked_at))


def _read_again(columns: Declared, reading: Reading, looked_at: frozenset[int] | None) -> tuple[int, ...] | None:
    """The columns that passes after the first one read; None for all."""
    if looked_at is None or isinstance(columns, ColumnSpec) or reading.on_bad_row == "drop":
        # A row that is left out may be so for any of its cells.
        return None
    are_named = {column.name is not None for column in columns}
    is_part = len(looked_at) < len(columns) and max(looked_at, default=0) < len(columns)
    return tuple(sorted(looked_at)) or (0,) if is_part and len(are_named) == 1 else None


@define(eq=False, repr=False)
class Stream:
    """The rows of a file.

    Parameters
    ----------
    origin
        Its name.
    tables
        Reads the rows in runs: all declared columns, or those at some places.
    made
        What a run is as a value.
    places
        The columns that passes after the first one read; None for all.
    """

    origin: str
    tables: Callable[[Sequence[int] | None], Iterator[Table]]
    made: Callable[[Table], MatrixValue]
    places: tuple[int, ...] | None = None
    _keys: Words = field(init=False)
    _seals: list[Hashable] = field(factory=list, init=False)
    _width: int = field(default=0, init=False)

    def table(self) -> MatrixValue:
        """The table, after the first pass."""
        rows = 0
        self._keys = new_keys()
        sealing = Sealing(self._keys, self.places)
        first: Table | None = None
        try:
            for table in self.tables(None):
                first = table.slice(0, 0) if first is None else first
                self._seals += sealing.add(table)
                rows += table.rows
        except MemoryError:
            refuse_large(self.origin)
        assert first is not None, "there is a run without rows where there is no other"
        self._seals += sealing.rest()
        self._width = len(first.columns)
        return streamed(self.again, rows, self.made(first), None if self.places is None else len(self.places))

    def once(self, around: Callable[[], AbstractContextManager[None]]) -> Iterator[Table]:
        """The rows, for whoever sets them aside, read within a context."""
        with around():
            try:
                yield from self.tables(None)
            except MemoryError:
                refuse_large(self.origin)

    def again(self) -> Iterator[MatrixValue]:
        """The rows once more, each when it is known to be the same. The columns that nobody looks at hold nothing."""
        sealing, wanted = Sealing(self._keys), iter(self._seals)
        held: list[Table] = []
        for table in self._reread():
            held.append(table)
            found = sealing.add(table)
            if any(seal != next(wanted, None) for seal in found):
                refuse_other(self.origin)
            if found:
                # A group has ended in the last run.
                yield from map(self._value, held[:-1])
                held = held[-1:]
                if not sealing.rows:
                    yield self._value(held.pop())
        if list(wanted) != sealing.rest():
            refuse_other(self.origin)
        yield from map(self._value, held)

    def _value(self, table: Table) -> MatrixValue:
        made = self.made(table)
        if self.places is None:
            return made
        columns: list[Value] = [ABSENT] * self._width
        for at, place in enumerate(self.places):
            columns[place] = made.column(at)
        return MatrixValue(made.rows, tuple(columns), made.names)

    def _reread(self) -> Iterator[Table]:
        try:
            yield from self.tables(self.places)
        except DuetError:
            # Nothing was wrong with what was there before.
            refuse_other(self.origin)
