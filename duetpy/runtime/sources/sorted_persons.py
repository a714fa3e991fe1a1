"""The lines of files, put together by person. They are sorted by person outside of memory, and may be read again for each pass.

    lines of visits  ─▶  sorted runs  ─┐
                                       ├─▶  chunks: some persons, with all their rows of each file  ─▶  a pass, another pass, …
    lines of bills   ─▶  sorted runs  ─┘

Contract. Each file is read once. Persons are in the order of their identifiers, or of the roster, and the rows of a person in the
order of what is in them (`duetpy.runtime.sources.persons`): neither how lines are cut into runs nor where they stood in the file
changes a row. One run or chunk is in memory at a time, and a chunk has at least all rows of one person.

How. An external merge sort (Knuth, TAOCP 5.4.1). Of each run the first rows are in memory. No row that is still to come is below
the least of the last keys of these, so all persons below it are complete.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from attrs import define, evolve, field
from numpy.typing import NDArray

from duetpy.grammar.ast import Norm
from duetpy.runtime.sources.persons import Owners, identifier_column
from duetpy.runtime.sources.spill import Aside, Kept, Spill
from duetpy.runtime.sources.table import ColumnSpec, Kind, Table, no_texts
from duetpy.runtime.sources.table_values import matrix_of_table
from duetpy.runtime.values.batching import join_matrices, slice_rows
from duetpy.runtime.values.row_order import Index, Keys, by_lane, numbered, sort_keys, sorted_by
from duetpy.runtime.values.streamed import streamed
from duetpy.runtime.values.values import MatrixValue, matrix_of_columns
from duetpy.typecheck import types as t
from duetpy.typecheck.persons import Persons, columns_of

RUN_CELLS = 1 << 21
"""Cells of a run, which is sorted in memory."""

PIECE_ROWS = 1 << 13
"""Rows of a run that are read at once when runs are merged."""

CHUNK_ROWS = 1 << 16
"""Rows of a chunk, or more."""


def sorted_persons(
    lines: Mapping[str, Iterable[Table]], owners: Mapping[str, Owners], persons: Persons, *, is_kept: bool = False
) -> MatrixValue:
    """The table of persons, whose rows are read again for each pass, unless they are kept.

    Parameters
    ----------
    lines
        The lines of each file, in tables of any number of rows, of which there is at least one; the first column is that of the
        identifiers.
    owners
        Says whose they are.
    persons
        What the table consists of.
    is_kept
        Whether all is done in memory.

    Raises
    ------
    DuetError
        What reading the lines raises; D0604 where a line is nobody's and bad rows are refused; D0619 without room on the disk.
    """
    origin = ", ".join(persons.names)
    first, second = (Kept(), Kept()) if is_kept else (Spill(origin), Spill(origin))
    runs = {name: _runs(lines[name], owners[name], first) for name in persons.names}
    for name in persons.names:
        owners[name].refuse_nobodys()
    chunks = _Chunks(persons, owners[persons.names[0]].roster, second)
    chunks.write(runs)
    if is_kept:
        return join_matrices(list(chunks.again()))
    nobody = slice_rows(next(chunks.again()), 0, 0)
    return streamed(chunks.again, chunks.count, nobody, cells=chunks.cells_each())


# ---------------------------------------------------------------------------------------------------------------------
# Sorting


@define(eq=False, repr=False)
class _Run:
    """Sorted lines of a file, of which the first ones are in memory.

    Parameters
    ----------
    spill, pieces
        Where the others are.
    rows
        Those in memory; their first column is what they are sorted by.
    """

    spill: Spill | Kept
    pieces: deque[Aside | Table]
    rows: Table

    @property
    def keys(self) -> Keys:
        return self.rows.column(0)

    def load(self) -> None:
        """Read some more rows."""
        self.rows = _stacked([self.rows, self.spill.get(self.pieces.popleft())])

    def below(self, limit: float | str | None) -> Table:
        """Take the rows with keys below a limit, or all."""
        count = self.rows.rows if limit is None else int(np.searchsorted(self.keys, limit))
        found, self.rows = self.rows.slice(0, count), self.rows.slice(count, self.rows.rows)
        return found


def _runs(tables: Iterable[Table], owners: Owners, spill: Spill | Kept) -> list[_Run]:
    """The lines of a file that are somebody's, in runs."""
    runs: list[_Run] = []
    pending: list[Table] = []
    rows = 0
    for table in tables:
        most = max(1, RUN_CELLS // len(table.columns))
        for start in range(0, max(1, table.rows), most):
            some = _keyed(table.slice(start, min(table.rows, start + most)), owners)
            pending, rows = [*pending, some], rows + some.rows
            if rows >= most:
                runs.append(_run(pending, spill))
                pending, rows = [], 0
    return [*runs, _run(pending, spill)] if pending else runs


def _keyed(lines: Table, owners: Owners) -> Table:
    """The lines that are somebody's; their first column is what they are sorted by: the identifier, or its place on the roster."""
    keys, is_somebodys = owners.of(*_identifiers(lines))
    if owners.roster is not None:
        _, keys = numbered(keys, owners.roster)
    own = _taken(_without_keys(lines), np.flatnonzero(is_somebodys))
    return _with_keys(keys, own)


def _with_keys(keys: Keys, rows: Table) -> Table:
    if keys.dtype == np.object_:
        return Table((_TEXT, *rows.columns), rows.numbers, np.column_stack([keys, rows.texts]))
    return Table((_NUMBER, *rows.columns), np.column_stack([keys, rows.numbers]), rows.texts)


_NUMBER, _TEXT = ColumnSpec(None, Kind.NAT), ColumnSpec(None, Kind.TEXT)


def _identifiers(lines: Table) -> tuple[Keys, NDArray[np.bool_]]:
    """The identifiers of lines, and which lines have one: the empty text identifies nobody."""
    cells = lines.column(0)
    if cells.dtype == np.object_:
        return cells, np.fromiter(map(bool, cells.tolist()), np.bool_, len(cells))
    return cells, np.isfinite(cells)


def _without_keys(rows: Table) -> Table:
    first, *others = rows.columns
    is_number = first.kind.is_numeric
    return Table(tuple(others), rows.numbers[:, is_number:], rows.texts[:, not is_number :])


def _run(tables: Sequence[Table], spill: Spill | Kept) -> _Run:
    whole = _stacked(tables)
    keys = whole.column(0)
    whole = _taken(whole, np.argsort(numbered(keys)[1] if keys.dtype == np.object_ else keys))
    starts = range(0, whole.rows, PIECE_ROWS)
    pieces: deque[Aside | Table] = deque(spill.put(whole.slice(start, start + PIECE_ROWS)) for start in starts)
    # A view without rows would keep all of them.
    return _Run(spill, pieces, _taken(whole, np.empty(0, dtype=np.intp)))


def _merged(runs: Mapping[str, Sequence[_Run]]) -> Iterator[tuple[float | str | None, dict[str, Table]]]:
    """The rows of all files in the order of persons: each time all rows of the next ones, and the key up to which persons are
    complete; None for all that there are."""
    every = [run for of_file in runs.values() for run in of_file]
    limit: float | str | None = ""
    while limit is not None:
        for run in every:
            if run.pieces and (not run.rows.rows or run.keys[-1] == limit):
                run.load()
        limit = min((run.keys[-1] for run in every if run.pieces), default=None)
        yield limit, {name: _stacked([run.below(limit) for run in of_file]) for name, of_file in runs.items()}


def _stacked(tables: Sequence[Table]) -> Table:
    filled = [table for table in tables if table.rows] or tables[:1]
    if len(filled) == 1:
        return filled[0]
    numbers = np.concatenate([table.numbers for table in filled])
    return Table(filled[0].columns, numbers, np.concatenate([table.texts for table in filled]))


def _taken(table: Table, index: Index) -> Table:
    return evolve(table, numbers=table.numbers[index], texts=table.texts[index])


# ---------------------------------------------------------------------------------------------------------------------
# Persons


@define(eq=False, repr=False)
class _Chunks:
    """The persons of a table in their order, set aside some at a time.

    Parameters
    ----------
    persons
        What the table consists of.
    roster
        Who they are, if that is stated.
    spill
        Where they are set aside.
    heads, blocks
        For each chunk its persons, with the number of their rows in each file, and these rows, sorted.
    cells
        For each person of a chunk, the cells of all rows.
    """

    persons: Persons
    roster: Keys | None
    spill: Spill | Kept
    heads: list[Aside | Table] = field(factory=list, init=False)
    blocks: list[dict[str, Aside | Table]] = field(factory=list, init=False)
    cells: list[NDArray[np.int64]] = field(factory=list, init=False)

    def write(self, runs: Mapping[str, Sequence[_Run]]) -> None:
        """Set all persons aside."""
        waiting: dict[str, list[Table]] = {name: [] for name in runs}
        start = 0
        for limit, found in _merged(runs):
            for name, table in found.items():
                waiting[name].append(table)
            if limit is None or max(sum(table.rows for table in tables) for tables in waiting.values()) >= CHUNK_ROWS:
                whole = {name: _stacked(tables) for name, tables in waiting.items()}
                waiting = {name: [] for name in runs}
                if self.roster is None:
                    everybody, _ = numbered(np.concatenate([table.column(0) for table in whole.values()]))
                    self._put(everybody, everybody, whole)
                else:
                    end = len(self.roster) if limit is None else int(limit)
                    self._put(self.roster[start:end], np.arange(start, end, dtype=np.float64), whole)
                    start = end

    def _put(self, everybody: Keys, keys: Keys, whole: Mapping[str, Table]) -> None:
        """Set some persons aside, in whose rows these keys stand for them."""
        counts = []
        blocks: dict[str, Aside | Table] = {}
        for name, rows in whole.items():
            _, owners = numbered(rows.column(0), keys)
            own = _without_keys(rows)
            table = matrix_of_table(own, self._type(name))
            columns = [key for at in range(table.width) for key in sort_keys(table.column(at))]
            blocks[name] = self.spill.put(_taken(own, sorted_by([owners, *columns])))
            counts.append(np.bincount(owners, minlength=len(keys)))
        self.blocks.append(blocks)
        numbers = Table((_NUMBER,) * len(counts), np.column_stack(counts).astype(np.float64), no_texts(len(keys)))
        self.heads.append(self.spill.put(_with_keys(everybody, numbers)))
        widths = [len(aside.columns) for aside in blocks.values()]
        self.cells.append(np.column_stack(counts) @ np.array(widths))

    def again(self) -> Iterator[MatrixValue]:
        """The persons, some at a time."""
        for head, blocks in zip(self.heads, self.blocks, strict=True):
            persons = self.spill.get(head)
            columns = [identifier_column(persons.column(0))]
            for at, (name, block) in enumerate(blocks.items()):
                counts = persons.column(at + 1).astype(np.intp)
                rows = matrix_of_table(self.spill.get(block), self._type(name))
                columns.append(by_lane(rows, np.repeat(np.arange(persons.rows), counts), persons.rows))
            names = (self.persons.identifier.name, *self.persons.names)
            yield matrix_of_columns(columns, persons.rows, None, names)

    def _type(self, file: str) -> t.Matrix:
        return t.Matrix(Norm.LINF, None, None, t.Columns(columns_of(dict(self.persons.files)[file])))

    @property
    def count(self) -> int:
        """How many persons there are."""
        return sum(head.rows for head in self.heads)

    def cells_each(self) -> NDArray[np.int64]:
        """How many cells each person has."""
        return np.concatenate([np.empty(0, dtype=np.int64), *self.cells])
