"""Tables that are too large to be kept: files that are read again for each pass over their rows.

Contract. The first pass reads and verifies every row, as if the table were kept, and raises what that would raise. Each further
pass has to give the same cells as the first one, or the run ends, in fixed words: two passes over a file that was changed in
between would not be of the same people.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from hashlib import sha256
from itertools import zip_longest

import numpy as np
from attrs import define, field

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.column_selection import Declared, Selection
from duetpy.runtime.sources.files import Frame, Lines, Opened
from duetpy.runtime.sources.looks import refuse_other
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.registered import Registered
from duetpy.runtime.sources.room import refuse_large
from duetpy.runtime.sources.table import Table
from duetpy.runtime.values.streamed import streamed
from duetpy.runtime.values.values import MatrixValue


def stream_of(
    source: Opened,
    columns: Declared,
    selection: Selection | None,
    reading: Reading,
    rows: int | None,
    made: Callable[[Table], MatrixValue],
) -> Stream | None:
    """The rows of a source, read as `read_file` reads them; None if it cannot be read in this way."""
    if not isinstance(source, Lines | Frame | Registered) or not source.can_be_streamed:
        return None
    return Stream(source.name, partial(source.tables, columns, selection, reading, rows), made)


@define(eq=False, repr=False)
class Stream:
    """The rows of a file.

    Parameters
    ----------
    origin
        Its name.
    tables
        Reads the rows in runs.
    made
        What a run is as a value.
    seals
        What the runs of the first pass are compared by.
    """

    origin: str
    tables: Callable[[], Iterator[Table]]
    made: Callable[[Table], MatrixValue]
    seals: list[bytes] = field(factory=list, init=False)

    def table(self) -> MatrixValue:
        """The table, after the first pass."""
        rows = 0
        first: Table | None = None
        try:
            for table in self.tables():
                first = table.slice(0, 0) if first is None else first
                self.seals.append(seal(table))
                rows += table.rows
        except MemoryError:
            refuse_large(self.origin)
        assert first is not None, "there is a run without rows where there is no other"
        return streamed(self.again, rows, self.made(first))

    def once(self, around: Callable[[], AbstractContextManager[None]]) -> Iterator[Table]:
        """The rows, for whoever sets them aside, read within a context."""
        with around():
            try:
                yield from self.tables()
            except MemoryError:
                refuse_large(self.origin)

    def again(self) -> Iterator[MatrixValue]:
        """The rows once more."""
        for wanted, table in zip_longest(self.seals, self._reread()):
            if table is None or wanted != seal(table):
                refuse_other(self.origin)
            yield self.made(table)

    def _reread(self) -> Iterator[Table]:
        try:
            yield from self.tables()
        except DuetError:
            # Nothing was wrong with what was there before.
            refuse_other(self.origin)


def seal(table: Table) -> bytes:
    """What two runs of rows have in common only if they are the same, as no two are found that are not."""
    numbers = table.numbers if table.numbers.flags.c_contiguous else table.numbers.T
    found = sha256(np.ascontiguousarray(numbers).data)
    found.update(f"{table.rows},{len(table.columns)}".encode())
    if table.texts.size:
        found.update(json.dumps(table.texts.tolist()).encode("ascii"))
    return found.digest()
