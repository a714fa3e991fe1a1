"""Tables whose rows are not kept: whoever goes over them has them read again.

Contract. A pass gives the rows in order, in blocks of the size that it asks for, and every pass gives the same rows or raises.
Whoever asks for anything but its rows in order gets the table as a whole, which then takes the memory that it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import frozen

from duetpy.runtime.values.batching import join_matrices, slice_rows
from duetpy.runtime.values.values import MatrixValue


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
    """

    again: Callable[[], Iterator[MatrixValue]]
    rows: int
    without_rows: MatrixValue

    @property
    def is_streamed(self) -> bool:
        return True

    def table(self, wanted: MatrixValue) -> MatrixValue:
        return join_matrices(list(self.again()))

    def count(self, wanted: MatrixValue) -> int:
        return self.rows

    def blank(self, wanted: MatrixValue) -> MatrixValue:
        return self.without_rows

    def blocks(self, step: int) -> Iterator[MatrixValue]:
        """The rows in blocks of `step`, of which the last may have fewer; without rows, one block without rows."""
        pending: list[MatrixValue] = []
        held = 0
        for piece in self.again():
            start = 0
            while start < piece.rows:
                stop = min(piece.rows, start + step - held)
                pending.append(slice_rows(piece, start, stop))
                held += stop - start
                start = stop
                if held == step:
                    yield _one(pending)
                    pending, held = [], 0
        if pending or not self.rows:
            yield _one(pending or [self.without_rows])


def _one(pieces: list[MatrixValue]) -> MatrixValue:
    return pieces[0] if len(pieces) == 1 else join_matrices(pieces)


def streamed(again: Callable[[], Iterator[MatrixValue]], rows: int, without_rows: MatrixValue) -> MatrixValue:
    """A table that is read again for each pass."""
    return MatrixValue(None, None, recipe=Streamed(again, rows, without_rows))
