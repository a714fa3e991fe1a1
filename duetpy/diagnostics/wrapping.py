"""Lines that are wider than a terminal, continued below: between words, so that no word, name or path is broken.

What is continued begins below the column of a table where it stood, if that leaves it room, else a little further in than its line.
The branches of a tree go on at the left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from duetpy.diagnostics.display import width

ROOM = 20
"""So many columns a continued line has at least, if the terminal has them."""

STEP = 4

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_WORD = re.compile(r" *[^ ]+(?: %[,.;:)]*(?![^ ]))?")
_GAP = re.compile(r" {3,}(?=[^ ])")
_BEGIN = re.compile(r"[ │├└|`+-]*(?<= )|")
_GOES_ON = str.maketrans({"├": "│", "└": " ", "-": " ", "`": " ", "+": "|"})


def uncoloured(text: str) -> str:
    """A text without its colours."""
    return _COLOUR.sub("", text)


def printed_width(text: str) -> int:
    """The number of columns that a text with colours takes."""
    return width(uncoloured(text))


def wrapped_text(text: str, columns: int | None) -> str:
    """Every line of a text, continued where it is too wide; as it is without a number of columns."""
    if columns is None:
        return text
    ended = text.endswith("\n")
    lines = [part for line in text.removesuffix("\n").split("\n") for part in wrapped(line, columns)]
    return "\n".join(lines) + ("\n" if ended else "")


def wrapped(line: str, columns: int, hang: str | None = None) -> Iterator[str]:
    """A line as one or more that are no wider than a number of columns, words that are wider aside.

    Parameters
    ----------
    line
        The line, without its end.
    columns
        How wide the terminal is.
    hang
        What the lines begin with that continue it; found from the line itself where None.
    """
    if printed_width(line) <= columns:
        yield line
        return
    before = _hang(line, columns) if hang is None else hang
    found, at, is_begun = "", 0, False
    for word in _WORD.findall(line.rstrip()):
        wide = printed_width(word)
        if is_begun and at + wide > columns:
            yield found.rstrip()
            word = word.lstrip(" ")
            found, at = before, printed_width(before)
            wide = printed_width(word)
        found, at, is_begun = found + word, at + wide, True
    yield found.rstrip()


def _hang(line: str, columns: int) -> str:
    """What the lines begin with that continue a line."""
    plain = uncoloured(line)
    match = _BEGIN.match(plain)
    begin = match[0] if match is not None else ""
    gaps = [width(plain[: gap.end()]) for gap in _GAP.finditer(plain, len(begin))]
    at = max((gap for gap in gaps if columns - gap >= ROOM), default=len(begin) + STEP)
    most = max(columns - ROOM, columns // 2)
    goes_on = begin.translate(_GOES_ON)[:most]
    return goes_on + " " * (min(at, most) - len(goes_on))
