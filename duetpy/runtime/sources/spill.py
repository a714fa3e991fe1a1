"""Rows that are set aside on disk.

Contract. They are in a file without a name, which nobody else can open and which is gone when the process ends, encrypted with a
key that is in memory only: what is left of it on the disk tells nothing but how much was written.

How. The bytes of each table are added to the end of the file, and a place in it is written once. So the key stream of a place,
SHAKE-128 of the key and the place, is used once.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from hashlib import shake_128
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import NoReturn
from weakref import finalize

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from duetpy.runtime.sources.problems import refuse
from duetpy.runtime.sources.room import TOO_LARGE
from duetpy.runtime.sources.table import ColumnSpec, Table

_KEY_BYTES = 32

IN_MEMORY = 1 << 24
"""So many bytes are kept in memory, and no file is made for them."""


@frozen
class Aside:
    """Where a table is.

    Parameters
    ----------
    place
        Of its first byte.
    columns
        Its columns.
    rows
        How many it has.
    words
        The bytes of its different texts, which follow its numbers and, for each cell, which text is in it.
    """

    place: int
    columns: tuple[ColumnSpec, ...]
    rows: int
    words: int

    @property
    def numeric(self) -> int:
        """How many of its columns hold numbers."""
        return sum(column.kind.is_numeric for column in self.columns)

    @property
    def parts(self) -> tuple[int, int, int]:
        """The bytes of its numbers, of its cells with texts, and of these texts."""
        return 8 * self.rows * self.numeric, 4 * self.rows * (len(self.columns) - self.numeric), self.words


class Kept:
    """The same for tables that stay in memory."""

    def put(self, table: Table) -> Table:
        return table

    def get(self, aside: Aside | Table) -> Table:
        assert isinstance(aside, Table)
        return aside


@define(eq=False, repr=False)
class Spill:
    """A file for tables.

    Parameters
    ----------
    origin
        What is set aside, as a message names it.
    """

    origin: str
    _file: SpooledTemporaryFile[bytes] = field(init=False)
    _key: bytes = field(init=False)
    _end: int = field(default=0, init=False)
    _lock: Lock = field(factory=Lock, init=False)

    def __attrs_post_init__(self) -> None:
        self._key = os.urandom(_KEY_BYTES)
        with ExitStack() as opened:
            self._file = opened.enter_context(SpooledTemporaryFile(IN_MEMORY, prefix="duetpy-"))
            finalize(self, opened.pop_all().close)

    def put(self, table: Table) -> Aside:
        """Set a table aside; raises `DuetError` D0619 where the disk has no room for it."""
        numbers = np.ascontiguousarray(table.numbers.T).reshape(-1)
        cells = table.texts.ravel().tolist()
        places = {text: at for at, text in enumerate(dict.fromkeys(cells))}
        codes = np.fromiter(map(places.__getitem__, cells), np.int32, len(cells))
        words = np.frombuffer(json.dumps(list(places)).encode("ascii"), dtype=np.uint8)
        aside = Aside(self._end, table.columns, table.rows, len(words))
        plain = np.concatenate([numbers.view(np.uint8), codes.view(np.uint8), words])
        try:
            with self._lock:
                self._file.seek(aside.place)
                self._file.write(self._crossed(plain, aside.place).data)
                self._file.flush()
        except OSError:
            self._refuse_disk()
        self._end += len(plain)
        return aside

    def get(self, aside: Aside | Table) -> Table:
        """A table that was set aside; raises `DuetError` D0619 where the disk does not give it back."""
        assert isinstance(aside, Aside)
        try:
            with self._lock:
                self._file.seek(aside.place)
                found = np.frombuffer(self._file.read(sum(aside.parts)), dtype=np.uint8)
        except OSError:
            self._refuse_disk()
        ends = np.cumsum(aside.parts).tolist()
        numbers, codes, words = np.split(self._crossed(found, aside.place), ends[:-1])
        texts = np.array(json.loads(words.tobytes()), dtype=np.object_)[codes.view(np.int32)]
        return Table(
            aside.columns,
            numbers.view(np.float64).reshape(aside.numeric, aside.rows).T,
            texts.reshape(aside.rows, len(aside.columns) - aside.numeric),
        )

    def _crossed(self, found: NDArray[np.uint8], place: int) -> NDArray[np.uint8]:
        """Bytes encrypted, or decrypted."""
        stream = shake_128(self._key + place.to_bytes(8, "big")).digest(len(found))
        return found ^ np.frombuffer(stream, dtype=np.uint8)

    def _refuse_disk(self) -> NoReturn:
        refuse(
            TOO_LARGE,
            "has more rows than fit into memory, and they could not be set aside in the folder for temporary files",
            self.origin,
            help="set TMPDIR to a folder with more space",
        )
