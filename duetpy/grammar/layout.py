"""Text laid out in lines: pieces → text, in one pass over the pieces.

Pieces are strings and marks, in lists of any depth: who prints a form puts together what its parts gave, and copies nothing.
Between `GROUP` and `END` either every `LINE` and `CUT` is a line break or none is; a group is
kept on one line where it fits. `BREAK` is a line break always. `IN` and `OUT` move what follows a line break.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import TypeAlias

INDENT = 2
DEEPEST = 40
"""Lines are indented by so many steps at most, so that a text nested n deep stays linear in n."""


class Mark(Enum):
    """What is not text."""

    GROUP = auto()
    END = auto()
    LINE = auto()
    """A line break, or a space."""
    CUT = auto()
    """A line break, or nothing."""
    BREAK = auto()
    IN = auto()
    OUT = auto()


Piece: TypeAlias = str | Mark
Text: TypeAlias = "Piece | Sequence[Text]"


def flat(text: Text) -> list[Piece]:
    """The pieces of a text, one after another."""
    found: list[Piece] = []
    pending = [text]
    while pending:
        here = pending.pop()
        if isinstance(here, str | Mark):
            found.append(here)
        else:
            pending.extend(reversed(here))
    return found


def lay_out(text: Text, width: int) -> str:
    """The text in lines of at most `width` columns, as far as its pieces allow."""
    pieces = flat(text)
    fits = _widths(pieces)
    out: list[str] = []
    broken = [True]
    column = depth = 0
    for index, piece in enumerate(pieces):
        match piece:
            case str():
                out.append(piece)
                column += len(piece)
            case Mark.GROUP:
                broken.append(broken[-1] and column + fits[index] > width)
            case Mark.END:
                broken.pop()
            case Mark.IN:
                depth += 1
            case Mark.OUT:
                depth -= 1
            case _ if piece is Mark.BREAK or broken[-1]:
                column = INDENT * min(depth, DEEPEST)
                out.append("\n" + " " * column)
            case Mark.LINE:
                out.append(" ")
                column += 1
    return "\n".join(line.rstrip() for line in "".join(out).split("\n"))


def on_one_line(text: Text) -> str:
    """The text without a line break."""
    return "".join(piece if isinstance(piece, str) else _FLAT.get(piece, "") for piece in flat(text))


_FLAT = {Mark.LINE: " ", Mark.BREAK: " "}
_ENDLESS = 1 << 40


def _widths(pieces: Sequence[Piece]) -> dict[int, int]:
    """For each `GROUP` the width that it takes on one line; endless where it holds a `BREAK`."""
    widths: dict[int, int] = {}
    opened: list[tuple[int, int]] = []
    total = 0
    for index, piece in enumerate(pieces):
        match piece:
            case str():
                total += len(piece)
            case Mark.LINE:
                total += 1
            case Mark.BREAK:
                total += _ENDLESS
            case Mark.GROUP:
                opened.append((index, total))
            case Mark.END:
                start, before = opened.pop()
                widths[start] = total - before
            case _:
                pass
    return widths
