"""Blocks of a CSV file in which every line has the same cells: cut all at once, and read by columns.

Contract. :func:`cut` either finds the cells into which ``cells.py`` cuts each line of a block, or returns None, and then the lines
are read one by one. A block is regular if every line has as many separators outside quotes as the first, no line is blank, and
each quote is the first or the last byte of a cell that has two.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.runtime.sources.plain import PlainColumn, parse_plain

_END, _QUOTE = b"\n"[0], b'"'[0]
_SPACES = np.frombuffer(b" \t\r\n", dtype=np.uint8)


@frozen(eq=False)
class RegularBlock:
    """The cells of some lines, as places in their bytes.

    Parameters
    ----------
    octets
        The lines, each with a line feed at its end.
    starts, ends
        Where each cell begins and the place behind it, quotes left out; shape (lines, cells a line).
    is_quoted
        Which cells are quoted; None if none is.
    """

    octets: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    is_quoted: NDArray[np.bool_] | None

    def __len__(self) -> int:
        return len(self.starts)

    def spans(self, position: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the cells of a column begin, and the places behind them."""
        return self.starts[:, position], self.ends[:, position]

    def quoted(self, position: int) -> NDArray[np.bool_] | None:
        """Which cells of a column are quoted; None if none is."""
        return None if self.is_quoted is None else self.is_quoted[:, position]

    def plain(self, position: int) -> PlainColumn | None:
        """The numbers of a column, if it is plain."""
        return parse_plain(self.column(position))

    def column(self, position: int) -> bytes:
        """The cells of a column, each with a line feed behind it."""
        starts, ends = self.spans(position)
        lengths = ends - starts + 1
        behind = np.cumsum(lengths)
        cells: NDArray[np.uint8] = self.octets[np.arange(behind[-1]) + np.repeat(starts - (behind - lengths), lengths)]
        cells[behind - 1] = _END
        return cells.tobytes()


def cut(block: bytes, width: int, separator: bytes) -> RegularBlock | None:
    """The cells of a block of whole lines of ``width`` cells each; None if it is not regular."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    octets = np.frombuffer(block, dtype=np.uint8)
    is_end = octets == _END
    is_mark = is_end | (octets == separator[0])
    quotes = 0
    if b'"' in block:
        is_quote = octets == _QUOTE
        quotes = int(is_quote.sum())
        is_mark &= ~np.logical_xor.accumulate(is_quote)
    marks = np.flatnonzero(is_mark)
    lines = int(is_end.sum())
    if len(marks) != lines * width or not is_end[marks[width - 1 :: width]].all():
        return None
    starts = np.concatenate(([0], marks[:-1] + 1))
    if width == 1 and np.isin(octets[starts], _SPACES).any():
        return None
    is_quoted = None
    if quotes:
        is_quoted = octets[starts] == _QUOTE
        # With two quotes for each quoted cell, one at either end of it, none is left for another place.
        if quotes != 2 * int(is_quoted.sum()) or (octets[marks[is_quoted] - 1] != _QUOTE).any():
            return None
        starts, marks = starts + is_quoted, marks - is_quoted
        is_quoted = is_quoted.reshape(lines, width)
    return RegularBlock(octets, starts.reshape(lines, width), marks.reshape(lines, width), is_quoted)
