"""Texts in ASCII: for a stream that cannot show other signs, and for a program that is written without them.

``±`` becomes ``+/-``, ``ε`` ``eps`` and ``⇒`` ``=>``. For a stream, a letter with an accent becomes the letter, and what has no
spelling in ASCII, such as a letter of another script in a name, is shown by its number. For a program, both stay.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache

from duetpy.grammar.spelling import GREEK, TWINS

_SIGNS = {
    "±": "+/-",
    "²": "^2",
    "³": "^3",
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
    "⁻¹": "^-1",
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
    return _replaced(text, _plain)


def signs_spelt(text: str) -> str:
    """A text with the signs of the language and of formulas in ASCII; letters of names stay as they are."""
    return text if text.isascii() else _replaced(text, str)


_ROOT = re.compile(r"√(\w[\w'′]*)")
"""A root without brackets, which its word in ASCII needs: √ρ."""


def _replaced(text: str, otherwise: Callable[[str], str]) -> str:
    text = _ROOT.sub(r"√(\1)", text)
    found, at, longest = "", 0, max(map(len, _spellings()))
    while at < len(text):
        size = next((n for n in range(longest, 0, -1) if text[at : at + n] in _spellings()), 0)
        found += _spellings()[text[at : at + size]] if size else otherwise(text[at])
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
