"""Signs for a stream that cannot show them: in the spelling that the language has for ASCII, and never as an escape.

``±`` becomes ``+/-``, ``ε`` ``eps``, ``⇒`` ``=>`` and a letter with an accent the letter. What has no such spelling, such as a
letter of another script in a name, is shown by its number.
"""

from __future__ import annotations

import codecs
import unicodedata
from functools import cache

from duetpy.grammar.spelling import GREEK, TWINS

HANDLER = "duetpy-ascii"
"""What the streams call this, as a way to treat what they cannot encode."""

_SIGNS = {
    "±": "+/-",
    "√": "sqrt ",
    "∫": "integral ",
    "≈": "~",
    "≡": "==",
    "≤": "<=",
    "⊑": "<=",
    "∈": "in ",
    "∣": " divides ",
    "⊕": "(+)",
    "⊞": "[+]",
    "⊙": "(*)",
    "∖": "\\",
    "⊢": "|-",
    "·": "*",
    "′": "'",
    "″": "''",
    "–": "-",
    "—": "-",
    "−": "-",
    "…": "...",
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
    "├": "|-",
    "└": "`-",
    "│": "|",
    "─": "-",
    "✓": "ok",
    "↔": "<->",
    "∅": "{}",
    "Φ": "Phi",
    "ς": "sigma",
    "‖": "||",
    "⁻": "^-",
    "∪": " union ",
    "⊗": "(x)",
    "∝": "~",
    "⌊": "floor(",
    "⌋": ")",
    "⌈": "ceil(",
    "⌉": ")",
    "⟹": "==>",
    "∘": " o ",
    "∂": "d",
    "∓": "-/+",
    "⟂": " orthogonal to ",
    "≟": "-?",
    "\N{COMBINING TILDE}": "~",
    "\N{COMBINING MACRON}": "_",
    "\N{COMBINING CIRCUMFLEX ACCENT}": "^",
}
"""Signs of texts and formulas that do not belong to the language."""


def spelt(text: str) -> str:
    """A text without a sign that ASCII lacks."""
    found, at, longest = "", 0, max(map(len, _spellings()))
    while at < len(text):
        size = next((n for n in range(longest, 0, -1) if text[at : at + n] in _spellings()), 0)
        found += _spellings()[text[at : at + size]] if size else _plain(text[at])
        at += size or 1
    return found


@cache
def _spellings() -> dict[str, str]:
    return {**_SIGNS, **GREEK, **TWINS}


def _plain(character: str) -> str:
    """A letter or a digit without what stands above, below or around it; else its number."""
    if character.isascii():
        return character
    plain = "".join(each for each in unicodedata.normalize("NFKD", character) if each.isascii())
    return plain or character.encode("ascii", "backslashreplace").decode("ascii")


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return spelt(error.object[error.start : error.end]), error.end


def register() -> None:
    """Let streams name `HANDLER`."""
    codecs.register_error(HANDLER, _replaced)
