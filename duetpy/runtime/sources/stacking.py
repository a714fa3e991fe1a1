"""Runs of rows, one below the other, as one table."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from attrs import define
from numpy.typing import NDArray

Part: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.object_]]"
"""The numbers and the texts of a run of rows, of shape (rows, columns)."""


@define(eq=False, repr=False)
class Ground:
    """The numbers of a whole table of which the number of rows is known before they are read: each run of rows is put in its place.

    Parameters
    ----------
    rows
        How many rows there are said to be.
    """

    rows: int
    whole: NDArray[np.float64] | None = None

    def place(self, start: int, rows: int, width: int) -> NDArray[np.float64] | None:
        """Where the numbers of some rows are put; None if there are more rows than it was said."""
        if self.whole is None:
            self.whole = np.empty((self.rows, width), order="F")
        return self.whole[start : start + rows] if start + rows <= self.rows else None


def stacked(parts: list[Part], rows: int, ground: NDArray[np.float64] | None) -> Part:
    """The parts of a table one below the other, of which numbers may be in their place; each is let go as soon as it is copied."""
    if len(parts) == 1:
        return parts[0]
    is_enough = ground is not None and len(ground) >= rows
    numbers = ground if ground is not None and is_enough else np.empty((rows, parts[0][0].shape[1]), order="F")
    texts = np.empty((rows, parts[0][1].shape[1]), dtype=np.object_, order="F")
    parts.reverse()
    start = 0
    while parts:
        some, words = parts.pop()
        if some.base is not numbers:
            numbers[start : start + len(some)] = some
        texts[start : start + len(some)] = words
        start += len(some)
    return numbers[:rows], texts
