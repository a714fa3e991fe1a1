"""What stands on the parser's stack: words as they were read, and what has been built of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Piece:
    """A token, or what a rule has made of several.

    Parameters
    ----------
    type
        The terminal that a token was read as, or the name of the rule.
    value
        The text of a token; what a rule made.
    start, end
        The code points that it takes up, parentheses included.
    height, nesting
        Of a type: how many nodes it is high, and how many brackets stand around its innermost part.
    """

    __slots__ = ("end", "height", "nesting", "start", "type", "value")

    def __init__(self, type: str, value: Any, start: int, end: int, height: int = 1, nesting: int = 0) -> None:
        self.type = type
        self.value = value
        self.start = start
        self.end = end
        self.height = height
        self.nesting = nesting


class Several(list[Piece]):
    """What a repetition has read up to here; it becomes a part of the rule around it."""


def spliced(pieces: Iterable[Piece | Several]) -> list[Piece]:
    """The pieces of a rule with those of its repetitions in their places."""
    flat: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Several):
            flat += piece
        else:
            flat.append(piece)
    return flat


def repeated(pieces: list[Any]) -> Several:
    """One more round of a repetition."""
    if isinstance(pieces[0], Several):
        pieces[0].extend(pieces[1:])
        return pieces[0]
    return Several(pieces)
