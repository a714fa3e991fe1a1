"""Text laid out in lines: pieces → text, in one pass over the pieces.

Pieces are strings, marks and comments, in lists of any depth: who prints a form puts together what its parts gave, and copies
nothing. Between `GROUP` and `END` either every `LINE` and `CUT` is a line break or none is; a group is kept on one line where
it fits. `IN` and `OUT` move what follows a line break.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import TypeAlias

from attrs import frozen

from duetpy.by_value import ByValue

INDENT = 2
DEEPEST = 40
"""Lines are indented by so many steps at most, so that a text nested n deep stays linear in n."""


class Mark(Enum):
    """What is not text."""

    GROUP = auto()
    SOFT = auto()
    """Begins a group that stays whole also where only its first line fits, which ends at a `HUG`; what is inside may break."""
    HUG = auto()
    END = auto()
    LINE = auto()
    """A line break, or a space."""
    CUT = auto()
    """A line break, or nothing."""
    FILL = auto()
    """In a group that is broken: a line break where what follows, up to the next mark, does not fit; else a space."""
    BREAK = auto()
    """A line break, always."""
    BLANK = auto()
    """An empty line above this one, unless there is one."""
    FORCE = auto()
    """Nothing; but the groups that it stands in are broken."""
    IN = auto()
    OUT = auto()


@frozen(eq=False, repr=False)
class Comment(ByValue):
    """A comment that a line ends with.

    Parameters
    ----------
    text
        With its marks.
    is_alone
        Whether it stands on lines of its own.
    blank_before, blank_after
        Whether an empty line stands before and after it.
    """

    text: str
    is_alone: bool
    blank_before: bool = False
    blank_after: bool = False


Piece: TypeAlias = str | Mark | Comment
Text: TypeAlias = "Piece | Sequence[Text]"


def flat(text: Text) -> list[Piece]:
    """The pieces of a text, one after another."""
    found: list[Piece] = []
    pending = [text]
    while pending:
        here = pending.pop()
        if isinstance(here, str | Mark | Comment):
            found.append(here)
        else:
            pending.extend(reversed(here))
    return found


def lay_out(text: Text, width: int) -> str:
    """The text in lines of at most `width` columns, as far as its pieces allow."""
    pieces = flat(text)
    return _Writer(pieces, width).written()


def on_one_line(text: Text) -> str:
    """The text without a line break."""
    return "".join([piece if isinstance(piece, str) else _SPACES.get(piece, "") for piece in flat(text)])


_SPACES: dict[Piece, str] = {Mark.LINE: " ", Mark.BREAK: " ", Mark.FILL: " "}
_ENDLESS = 1 << 40


@frozen(eq=False, repr=False)
class _Opened(ByValue):
    """A group that is being written: whether its own breaks and those of the groups in it are lines, and whether it indents."""

    is_broken: bool
    may_break: bool
    indents: bool = True


class _Writer:
    """Writes pieces in lines.

    Attributes
    ----------
    fresh
        Whether the line holds nothing but its indentation.
    due
        The column of the line break that a comment asks for; None where none is due.
    """

    def __init__(self, pieces: list[Piece], width: int) -> None:
        self.pieces = pieces
        self.width = width
        self.widths, self.first_lines = _measured(pieces)
        self.out: list[str] = []
        self.column = self.depth = 0
        self.opened = [_Opened(True, True)]
        self.fresh = True
        self.is_below_blank = True
        self.due: int | None = None
        self.blank_is_due = False

    def written(self) -> str:
        for index, piece in enumerate(self.pieces):
            match piece:
                case str():
                    self.text(piece)
                case Comment():
                    self.comment(piece)
                case Mark.GROUP | Mark.SOFT:
                    self.open(index, piece is Mark.SOFT)
                case Mark.END:
                    self.opened.pop()
                case Mark.IN:
                    self.depth += self.opened[-1].indents
                case Mark.OUT:
                    self.depth -= self.opened[-1].indents
                case Mark.BLANK:
                    self.blank()
                case Mark.BREAK:
                    self.line(self.indentation)
                case Mark.LINE | Mark.CUT | Mark.FILL:
                    self.place(index, piece)
                case _:
                    pass
        return "\n".join([line.rstrip() for line in "".join(self.out).split("\n")])

    @property
    def indentation(self) -> int:
        return INDENT * min(self.depth, DEEPEST)

    def open(self, index: int, is_soft: bool) -> None:
        outer, whole = self.opened[-1], self.column + self.widths[index] <= self.width
        if whole or not outer.may_break:
            self.opened.append(_Opened(False, False))
        elif is_soft and self.column + self.first_lines.get(index, _ENDLESS) <= self.width:
            self.opened.append(_Opened(False, True, indents=False))
        else:
            self.opened.append(_Opened(True, True))

    def place(self, index: int, mark: Mark) -> None:
        breaks = self.opened[-1].is_broken
        if mark is Mark.FILL:
            breaks = breaks and self.column + 1 + self.widths[index] > self.width
        if breaks:
            self.line(self.indentation)
        elif mark is not Mark.CUT and self.due is None:
            self.out.append(" ")
            self.column += 1

    def line(self, indentation: int) -> None:
        if self.fresh and self.out:
            self.is_below_blank = True
        elif self.out:
            self.is_below_blank = False
        self.out.append("\n" + " " * indentation)
        self.column, self.fresh, self.due = indentation, True, None

    def blank(self) -> None:
        self.blank_is_due = False
        if self.out and not self.is_below_blank:
            self.out.append("\n" + " " * self.column)
            self.is_below_blank = True

    def text(self, text: str) -> None:
        if self.due is not None:
            text = text.lstrip(" ")
            if text:
                self.line(self.due)
        if self.blank_is_due and text:
            self.blank()
        self.out.append(text)
        self.fresh = self.fresh and not text.strip()
        self.column += len(text)

    def comment(self, comment: Comment) -> None:
        deeper = INDENT * min(self.depth + 1, DEEPEST)
        if comment.is_alone or self.due is not None or self.fresh:
            if self.due is not None or not self.fresh:
                self.line(deeper if self.due is None else self.due)
            if comment.blank_before or self.blank_is_due:
                self.blank()
            self.out.append(comment.text)
            self.due = self.column
        else:
            self.out.append(f"  {comment.text}")
            self.due = deeper
        self.fresh, self.blank_is_due = False, comment.blank_after


def _measured(pieces: Sequence[Piece]) -> tuple[dict[int, int], dict[int, int]]:
    """For each group the width that it takes on one line, endless where it must break, and for each `FILL` the width up to the next
    mark of its group; for each soft group the width of its first line."""
    widths: dict[int, int] = {}
    first_lines: dict[int, int] = {}
    opened: list[tuple[int, int]] = []
    fills: list[list[int]] = [[]]
    totals: list[int] = []
    seeking: list[int] = []
    total = 0
    for index, piece in enumerate(pieces):
        totals.append(total)
        if piece in (Mark.END, Mark.LINE, Mark.FILL, Mark.CUT, Mark.BREAK):
            for fill in fills[-1]:
                widths[fill] = total - totals[fill] - 1
            fills[-1] = []
        match piece:
            case str():
                total += _ENDLESS if "\n" in piece else len(piece)
            case Mark.LINE | Mark.FILL:
                total += 1
                if piece is Mark.FILL:
                    fills[-1].append(index)
            case Mark.BREAK | Mark.FORCE | Comment():
                total += _ENDLESS
            case Mark.GROUP | Mark.SOFT:
                opened.append((index, total))
                fills.append([])
                if piece is Mark.SOFT:
                    seeking.append(index)
            case Mark.HUG:
                first_lines.update({soft: total - totals[soft] for soft in seeking})
                seeking.clear()
            case Mark.END:
                start, before = opened.pop()
                widths[start] = total - before
                fills.pop()
                if seeking and seeking[-1] == start:
                    seeking.pop()
            case _:
                pass
    widths.update({fill: total - totals[fill] - 1 for fill in fills[0]})
    return widths, first_lines
