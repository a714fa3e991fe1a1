"""Signs that other languages have between two operands, and what this one writes for them.

Each is reported once, and the expression is read as what is meant, so that one mistake is one diagnostic.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Foreign(NamedTuple):
    """A sign of other languages.

    Parameters
    ----------
    kinds
        The tokens that it is made of, which touch each other.
    written, advice
        As a person writes it, and what to write instead.
    meant
        The operator that it is read as.
    """

    kinds: tuple[str, ...]
    written: str
    advice: str
    meant: str


FOREIGN_OPERATORS = (
    Foreign(("=",), "=", "write `≡` (or `==`) to compare", "≡"),
    Foreign(("&", "&"), "&&", "write `∧` (or `and`)", "∧"),
    Foreign(("|", "|"), "||", "write `∨` (or `or`)", "∨"),
)
"""The longer ones first."""

FOREIGN_COMMENTS = {"#": re.compile(r"(?<![^\n])#(?!\s*\[)"), "/": re.compile("//")}
"""A sign with which comments begin in other languages ↦ where it does not stand for anything in this one."""

FOREIGN_CHARACTERS: dict[str, str] = {
    "!": "write `not a` (or `¬ a`)",
    "∪": "write `unionAll ℘{a, b}`",
    "^": "write a power as a product: `x ⋅ x`",
    "'": 'write a text in `"…"`',
    "`": 'write a text in `"…"`',
    "“": 'write a text in `"…"`',
    "”": 'write a text in `"…"`',
    "‘": 'write a text in `"…"`',
    "’": 'write a text in `"…"`',
    "\\": "write `sλ` for a sensitivity function, `pλ` for a privacy function",
}
"""A character that begins no sign of this language ↦ what to write instead."""

_MEAN = (
    "divide a sum by the number of rows: `(mfold-row 0.0, xs { total, row ⇒ … }) / real (rows xs)`, or release it with "
    '`noisy-mean`, which `import "std:stats";` defines'
)

FOREIGN_NAMES: dict[str, str] = {
    "date": 'write a day as `date "2024-02-29"`',
    "sum": "add up the rows: `mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 1.0] row.age }`",
    "mean": _MEAN,
    "avg": _MEAN,
    "len": "write `rows xs`",
    "nrow": "write `rows xs`",
    "ncol": "write `cols xs`",
    "pow": "write a power as a product: `x ⋅ x`",
    "float": "write `real n`",
    "int": "write `floor x`, `ceil x` or `round x`",
    "map": "write `mmap xs { x ⇒ … }` for cells, `mmap-row xs { row ⇒ … }` for rows",
    "filter": "write `mfilter xs { row ⇒ … }`",
    **{word: f"say how many characters: `{word}[2] row.code`" for word in ("prefix", "suffix")},
    "flat": "say how many rows of each person count: `flat[3] people { p ⇒ p.visits }`",
    **dict.fromkeys(("for", "while", "repeat"), "write `loop ℕ[10] on start { i, state ⇒ … }`"),
    **dict.fromkeys(
        ("fun", "fn", "func", "function"),
        "write `sλ x : τ ⇒ …` for a sensitivity function, `pλ xs : τ ⇒ …` for a privacy function",
    ),
    "fold": "write `mfold-row start, xs { state, row ⇒ … }`",
}
"""A function that other languages have ↦ what to write instead."""

FOREIGN_TYPES: dict[str, str] = {
    "disc": "𝔻 for a number in a table",
    "nat": "ℕ for a natural number, or 𝐝 ℕ for a code in a table",
    "real": "ℝ for a real number, or 𝔻 for a number in a table",
    "date": "Date for a day",
    **dict.fromkeys(("str", "string", "text", "varchar", "char", "category", "object"), "𝕊 for a text"),
    **dict.fromkeys(("int", "integer", "int64", "bigint"), "𝔻 for a number in a table, or 𝐝 ℕ for a code"),
    **dict.fromkeys(("float", "double", "float64", "number", "numeric", "decimal"), "𝔻 for a number in a table"),
    **dict.fromkeys(("bool", "boolean", "logical"), "𝔹 for a truth value"),
    **dict.fromkeys(("datetime", "timestamp", "day"), "Date for a day"),
}
"""A type of other languages, in small letters ↦ what to write instead."""
