"""How a text looks on a terminal: which columns its characters take, and which of them must not reach it as they are.

A program is untrusted text. Control characters, escape sequences, bidirectional overrides and unpaired surrogates are
shown by their numbers, so that no file can move the cursor, recolour the screen or show a line that is not the one the
parser read (Boucher and Anderson 2021, 'Trojan Source').
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from contextvars import ContextVar

SPELLING: ContextVar[Callable[[str], str]] = ContextVar("SPELLING", default=str)
"""How texts that answer a command spell signs. Results, and names of files in them, are not such texts."""

TAB = 4
"""A tab reaches to the next multiple of this many columns."""

_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
_WIDE = frozenset("WF")


def visible(text: str) -> str:
    """A text on one line, with everything that a terminal might obey shown by its number."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(shown(character) for character in text)


def shown(character: str) -> str:
    """One character as it may be printed."""
    if character == "\n":
        return "\\n"
    if character == "\t":
        return "\\t"
    if unicodedata.category(character) in _HIDDEN:
        return f"\\u{{{ord(character):x}}}"
    return character


def width(text: str) -> int:
    """The number of columns that a printable text takes."""
    return len(text) if text.isascii() else sum(_columns(character) for character in text)


def cells(text: str) -> tuple[str, list[int]]:
    """A source line as it may be printed, and the column where each of its code points begins.

    Returns
    -------
    tuple[str, list[int]]
        The printable text, and one column (from zero) for each code point of `text`, with the full width at the end.
    """
    parts: list[str] = []
    columns: list[int] = []
    at = 0
    for character in text:
        columns.append(at)
        part = " " * (TAB - at % TAB) if character == "\t" else shown(character)
        parts.append(part)
        at += width(part)
    columns.append(at)
    return "".join(parts), columns


def _columns(character: str) -> int:
    if unicodedata.east_asian_width(character) in _WIDE:
        return 2
    return 0 if unicodedata.category(character) in ("Mn", "Me") else 1
