"""How a text looks on a terminal: which columns its characters take, and which of them must not reach it as they are.

A program is untrusted text. Control characters, escape sequences, bidirectional overrides and unpaired surrogates are
shown by their numbers, so that no file can move the cursor, recolour the screen or show a line that is not the one the
parser read (Boucher and Anderson 2021, 'Trojan Source').
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any

SPELLING: ContextVar[Callable[[str], str]] = ContextVar("SPELLING", default=str)
"""How texts that answer a command spell signs. Results, and names of files in them, are not such texts."""

TAB = 4
"""A tab reaches to the next multiple of this many columns."""

_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
_WIDE = frozenset("WF")
_ONE_WORD = re.compile(r"(?:[\w@%+=:,./-]|[^\x00-\x7f])+")
_QUOTABLE = re.compile(r"[^\"$`\\!]+")
_BEYOND = re.compile(r"[^\x00-~]")


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


def as_word(text: str) -> str:
    """A name as a command in a message may hold it: one word of a shell, whatever is in it, and no option."""
    word = visible(f"./{text}" if text.startswith("-") and len(text) > 1 else text)
    if _ONE_WORD.fullmatch(word):
        return word
    if "'" in word and _QUOTABLE.fullmatch(word):
        return f'"{word}"'
    from shlex import quote

    return quote(word)


def given_with_set(names: Iterable[str]) -> str:
    """What to add to a command to give numbers: ``--set ε=… --set k=…``."""
    return " ".join(f"--set {as_word(name)}=…" for name in names)


def json_text(value: Any, *, ascii_only: bool = False, indent: int | None = None) -> str:
    """A value as JSON, on one line unless it is indented, with everything in its texts that a terminal might obey shown by its
    number: JSON's own rule names only the first 32 control characters, and a terminal obeys more of them."""
    import json

    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent, allow_nan=False)
    return _BEYOND.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    """A hidden character by its code units, as JSON has it; any other as it is."""
    character = found[0]
    if unicodedata.category(character) not in _HIDDEN:
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def width(text: str) -> int:
    """The number of columns that a printable text takes."""
    return len(text) if text.isascii() else sum(_columns(character) for character in text)


def cells(text: str, spell: Callable[[str], str] = str) -> tuple[str, list[int]]:
    """A source line as it may be printed, and the column where each of its code points begins.

    Parameters
    ----------
    text
        The line.
    spell
        How signs are spelt.

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
    if spell is str or text.isascii():
        return "".join(parts), columns
    # Signs may be spelt together (ℝ⁺), so a code point begins where what stands before it ends.
    return spell("".join(parts)), [width(spell("".join(parts[:count]))) for count in range(len(parts) + 1)]


def _columns(character: str) -> int:
    if unicodedata.east_asian_width(character) in _WIDE:
        return 2
    return 0 if unicodedata.category(character) in ("Mn", "Me") else 1
