"""A table a lane, of any number of rows each, kept as one table.

lane 0        lane 1     lane 2          the rows of lane l are those from ends[l − 1] up to ends[l]
┌─────────────┬──────────┬─────────┐
│ r  r  r  r  │          │ r  r    │
└─────────────┴──────────┴─────────┘
0             4          4         6
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import overload

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.runtime.values.values import MatrixValue, Private, Value

Index = NDArray[np.intp]


@frozen(eq=False, repr=False)
class Slices(Private, Sequence[Value]):
    """The tables of lanes, one after another in one table; each is cut out when it is asked for.

    Parameters
    ----------
    rows
        The rows of all lanes.
    starts, ends
        Where the rows of each lane begin and end there.
    cut
        What cuts consecutive rows out of a table.
    """

    rows: MatrixValue
    starts: Index
    ends: Index
    cut: Callable[[MatrixValue, int, int], MatrixValue]

    def __reduce__(self) -> tuple[type[Slices], tuple[MatrixValue, Index, Index, Callable[..., MatrixValue]]]:
        return Slices, (*self.trimmed(), self.cut)

    def trimmed(self) -> tuple[MatrixValue, Index, Index]:
        """Of the rows those that these lanes have, and no more than lie between, and where the lanes begin and end there."""
        start, end = int(self.starts.min(initial=self.rows.rows)), int(self.ends.max(initial=0))
        start = min(start, end)
        return self.cut(self.rows, start, end), self.starts - start, self.ends - start

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, at: int) -> Value: ...
    @overload
    def __getitem__(self, at: slice) -> Slices: ...
    def __getitem__(self, at: int | slice) -> Value | Slices:
        if isinstance(at, slice):
            return Slices(self.rows, self.starts[at], self.ends[at], self.cut)
        return self.cut(self.rows, int(self.starts[at]), int(self.ends[at]))

    def __iter__(self) -> Iterator[Value]:
        for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True):
            yield self.cut(self.rows, start, end)

    def taken(self, index: Index) -> Slices:
        """The lanes at the given positions; no row is moved."""
        return Slices(self.rows, self.starts[index], self.ends[index], self.cut)

    def followed_by(self, others: Sequence[Slices], joined: Callable[[Sequence[MatrixValue]], MatrixValue]) -> Slices:
        """These lanes and then others; no row is moved if the rows of all are in the same table."""
        every = [self, *others]
        if all(each.rows is self.rows for each in others):
            rows, parts = self.rows, [(each.starts, each.ends) for each in every]
        else:
            trimmed = [each.trimmed() for each in every]
            rows = joined([table for table, _, _ in trimmed])
            first = np.cumsum([0, *(table.rows for table, _, _ in trimmed)]).tolist()
            parts = [(starts + at, ends + at) for (_, starts, ends), at in zip(trimmed, first, strict=False)]
        starts, ends = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Slices(rows, starts, ends, self.cut)

    def longest(self) -> int:
        """How many rows the longest lane has."""
        return int((self.ends - self.starts).max(initial=0))
