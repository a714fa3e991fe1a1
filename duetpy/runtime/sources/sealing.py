"""Seals: what is kept of the rows of a table to know them again.

Contract. Rows come in runs of any size, and there is a seal for each group of so many rows, wherever runs end. Two groups have the
same seal only if they have the same cells, but for a chance that is too small to matter, in the columns that are sealed.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from duetpy.runtime.sources.table import Table

Words: TypeAlias = NDArray[np.uint64]

ROWS_SEALED = 1 << 15
"""Rows of a group."""


def new_keys() -> Words:
    """Random numbers that nobody else knows."""
    return np.frombuffer(secrets.token_bytes(16 * ROWS_SEALED), dtype=np.uint64).reshape(2, ROWS_SEALED)


@define(eq=False, repr=False)
class Sealing:
    """Makes the seals of the rows of a table.

    Of texts no two are known that have the same digest. The seal of a column of numbers is two sums modulo 2⁶⁴, ∑ kᵢ⋅wᵢ and
    ∑ lᵢ⋅vᵢ, where wᵢ are its doubles as numbers of 64 bits, vᵢ the same bytes in the opposite order, and kᵢ and lᵢ the keys (a
    multilinear hash: Lemire and Kaser, Strongly universal string hashing is fast, 2014). Two columns of which the lowest bits
    that differ are bit a of some wᵢ and bit b of some vⱼ have both sums in common with probability 2⁻⁽⁶⁴⁻ᵃ⁾⋅2⁻⁽⁶⁴⁻ᵇ⁾. As byte ⌊a/8⌋
    of a wᵢ differs, which is byte 7 − ⌊a/8⌋ of vᵢ, b is at most 8⋅(7 − ⌊a/8⌋) + 7, and the probability at most 2⁻⁵⁸.

    Parameters
    ----------
    keys
        Random numbers, of shape (2, `ROWS_SEALED`).
    places
        The columns; None for all.
    rows
        How many rows of a group there are that is not complete.
    """

    keys: Words
    places: Sequence[int] | None = None
    rows: int = field(default=0, init=False)
    _sums: dict[int, tuple[int, int]] = field(factory=dict, init=False)
    _digests: dict[int, hashlib._Hash] = field(factory=dict, init=False)

    def add(self, table: Table) -> list[Hashable]:
        """The seals of the groups that end in a run."""
        found: list[Hashable] = []
        start = 0
        while start < table.rows:
            stop = min(table.rows, start + ROWS_SEALED - self.rows)
            self._take(table.slice(start, stop))
            if self.rows == ROWS_SEALED:
                found += self.rest()
            start = stop
        return found

    def rest(self) -> list[Hashable]:
        """The seal of the rows of which there are too few for a group, if there are any."""
        if not self.rows:
            return []
        texts = {at: found.digest() for at, found in self._digests.items()}
        seal = (self.rows, tuple(self._sums.items()), tuple(texts.items()))
        self.rows, self._sums, self._digests = 0, {}, {}
        return [seal]

    def _take(self, table: Table) -> None:
        keys = self.keys[:, self.rows : self.rows + table.rows]
        for at, place in enumerate(range(len(table.columns)) if self.places is None else self.places):
            cells = table.column(place)
            if cells.dtype == np.float64:
                words = np.ascontiguousarray(cells).view(np.uint64)
                swapped = words.view(words.dtype.newbyteorder())
                found = (int((words * keys[0]).sum()), int((swapped * keys[1]).sum()))
                known = self._sums.get(at, (0, 0))
                self._sums[at] = ((known[0] + found[0]) % (1 << 64), (known[1] + found[1]) % (1 << 64))
            else:
                # One after another, wherever runs end.
                listed = json.dumps(cells.tolist(), separators=(",", ":"))[1:-1] + ","
                self._digests.setdefault(at, hashlib.sha256()).update(listed.encode("ascii"))
        self.rows += table.rows
