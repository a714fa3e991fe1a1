"""Positions of the protocol and places in a text.

The protocol counts lines from zero, which end with LF, CRLF or CR, and on a line the units of an encoding: UTF-16 unless client and
server agree on another. A sign outside of the basic plane, such as 𝔻, is two units of UTF-16. A `Source` has LF as its line end and
counts code points.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from attrs import frozen

from duetpy.source import Source

UTF8, UTF16, UTF32 = "utf-8", "utf-16", "utf-32"


def _bytes(encoding: str, size: int) -> Callable[[str], int]:
    """How many units of some bytes a text is. A program may be one line, so that its signs are not counted one by one."""
    return lambda text: len(text.encode(encoding, "surrogatepass")) // size


_UNITS: dict[str, Callable[[str], int]] = {UTF8: _bytes("utf-8", 1), UTF16: _bytes("utf-16-le", 2), UTF32: len}


@frozen
class Position:
    """A line and a column, both from zero, the column in units of the encoding."""

    line: int
    column: int


@frozen
class Positions:
    """The places of one text in the units of one encoding."""

    source: Source
    encoding: str = UTF16

    def offset(self, position: Position) -> int:
        """The code point at a position. Past the end of a line that is its end, past the last line the end of the text."""
        if position.line < 0:
            return 0
        starts = self.source.line_starts
        if position.line >= len(starts):
            return len(self.source.text)
        units, line = _UNITS[self.encoding], self.source.line(position.line + 1)
        # A position inside a letter is that of the letter.
        ends = bisect_right(range(len(line) + 1), position.column, key=lambda end: units(line[:end]))
        return starts[position.line] + max(ends - 1, 0)

    def position(self, offset: int) -> Position:
        """The position of a code point."""
        line, column = self.source.line_column(min(max(offset, 0), len(self.source.text)))
        units = _UNITS[self.encoding]
        return Position(line - 1, units(self.source.line(line)[: column - 1]))
