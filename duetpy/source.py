"""Source text and the places in it.

A :class:`Span` is a half-open interval of code points of one :class:`Source`. Everything that a person sees (line and
column, counted from one) and everything that an editor sees (UTF-16 columns, counted from zero) is computed from it on
demand, so that a syntax tree stays small.
"""

from __future__ import annotations

from bisect import bisect_right

from attrs import define, field, frozen

from duetpy.by_value import ByValue, Shown
from duetpy.cached import cached_property


@define(eq=False, repr=False, slots=False)
class Source(Shown):
    """A program text with the name it was read under.

    Parameters
    ----------
    name
        The path, or ``<text>`` for a text that came from no file.
    text
        The whole text, with ``\\n`` line ends.
    is_imported
        Whether a program imports it, so that a line of it is no line of the program.
    """

    name: str
    text: str
    is_imported: bool = False

    @cached_property
    def line_starts(self) -> list[int]:
        starts = [0]
        at = self.text.find("\n")
        while at != -1:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def line_column(self, offset: int) -> tuple[int, int]:
        """The line and column of a code point, both counted from one."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line counted from one, without its line end; empty past the last line."""
        if number > len(self.line_starts):
            return ""
        start = self.line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start:] if end == -1 else self.text[start:end]


@frozen(eq=False, repr=False)
class Span(ByValue):
    """The code points ``start … end - 1`` of a source."""

    source: Source = field(repr=False)
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def begin(self) -> tuple[int, int]:
        """Line and column of the first code point, counted from one."""
        return self.source.line_column(self.start)

    @property
    def place(self) -> str:
        """The line for a reader of the program: ``line 2``, or ``line 2 of lib.duet`` in a file that it imports."""
        line = f"line {self.begin[0]}"
        return f"{line} of {self.source.name}" if self.source.is_imported else line

    @property
    def finish(self) -> tuple[int, int]:
        """Line and column just past the last code point, counted from one."""
        return self.source.line_column(self.end)

    def contains(self, other: Span) -> bool:
        return self.source is other.source and self.start <= other.start and other.end <= self.end
