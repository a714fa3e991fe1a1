"""Tables whose rows are not kept: whoever goes over them has them read again.

Contract. A pass gives the rows in order, in blocks of the size that it asks for, and every pass gives the same rows or raises.
Whoever asks for anything but its rows in order gets the table as a whole, which then takes the memory that it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.runtime.values.batching import join_matrices, slice_rows
from duetpy.runtime.values.values import MatrixValue

CELLS_READ_AT_ONCE = 1 << 17
"""Cells of a block: some blocks wait for each worker, and are not views of a table that is there anyway."""


@frozen(eq=False, repr=False)
class Streamed:
    """The recipe of a table that is read again.

    Parameters
    ----------
    again
        Its rows in pieces of any size, of which there is at least one.
    rows
        How many there are.
    without_rows
        Its columns.
    width
        How many cells a row of the pieces counts as, which decides how many rows a block has.
    cells
        How many cells each row has, if some may have many; None if all have the same number.
    """

    again: Callable[[], Iterator[MatrixValue]]
    rows: int
    without_rows: MatrixValue
    width: int
    cells: NDArray[np.int64] | None = None

    @property
    def is_streamed(self) -> bool:
        return True

    def table(self, wanted: MatrixValue) -> MatrixValue:
        return join_matrices(list(self.again()))

    def count(self, wanted: MatrixValue) -> int:
        return self.rows

    def blank(self, wanted: MatrixValue) -> MatrixValue:
        return self.without_rows

    def blocks(self, sizes: Iterator[int]) -> Iterator[MatrixValue]:
        """The rows in blocks of these sizes, of which the last may have fewer; without rows, one block without rows."""
        for (block,) in regrouped(((piece,) for piece in self.again()), sizes):
            yield block
        if not self.rows:
            yield self.without_rows


def sizes_within(cells: NDArray[np.int64], most_cells: int, most: int) -> Iterator[int]:
    """So many rows a block, at most `most`, that no block of several rows has more than so many cells.

    A row with many cells makes its own block small, and no other one: if it decided the size of all, it would decide how long each
    pass takes.
    """
    ends = np.cumsum(cells)
    start = before = 0
    while start < len(ends):
        stop = int(np.searchsorted(ends, before + most_cells, side="right"))
        stop = min(max(stop, start + 1), start + most)
        yield stop - start
        start, before = stop, int(ends[stop - 1])
    # Behind the last block there is no row.
    yield most


def regrouped(pieces: Iterable[tuple[MatrixValue, ...]], sizes: Iterator[int]) -> Iterator[tuple[MatrixValue, ...]]:
    """The rows of aligned tables, which come in pieces, in pieces of these sizes, of which the last may have fewer rows."""
    pending: list[tuple[MatrixValue, ...]] = []
    held, size = 0, next(sizes)
    for piece in pieces:
        start, rows = 0, piece[0].rows
        while start < rows:
            stop = min(rows, start + size - held)
            pending.append(tuple([slice_rows(table, start, stop) for table in piece]))
            held += stop - start
            start = stop
            if held == size:
                yield _joined(pending)
                pending, held, size = [], 0, next(sizes)
    if pending:
        yield _joined(pending)


def _joined(pieces: list[tuple[MatrixValue, ...]]) -> tuple[MatrixValue, ...]:
    return pieces[0] if len(pieces) == 1 else tuple(join_matrices(list(each)) for each in zip(*pieces, strict=True))


def streamed(
    again: Callable[[], Iterator[MatrixValue]],
    rows: int,
    without_rows: MatrixValue,
    width: int | None = None,
    cells: NDArray[np.int64] | None = None,
) -> MatrixValue:
    """A table that is read again for each pass, of which a row counts as so many cells, or as many as there are columns; `cells`
    says how many each row has, if some may have many."""
    recipe = Streamed(again, rows, without_rows, without_rows.width if width is None else width, cells)
    return MatrixValue(None, None, recipe=recipe)
