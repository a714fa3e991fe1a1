"""A draft of a program's first line from what the columns of a file look like.

The draft is a starting point that a person reads: which columns hold categories, which numbers may be negative and how rows
are bounded is not in the data. It goes on to say that it came from private rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from duetpy.grammar.spelling import RESERVED
from duetpy.runtime.sources.cells import COMMA, SEMICOLON, TAB
from duetpy.runtime.sources.survey import Column, Look, Survey

PRIVATE = "this was made from private rows and is not protected: show it only to people who may see the data"

SEPARATORS = {COMMA: "commas", SEMICOLON: "semicolons", TAB: "tabs"}

TYPES = {Look.NUMBER: "𝔻", Look.CODE: "𝐝 ℕ", Look.TRUTH: "𝔹", Look.TEXT: "𝐝 𝕊"}


def draft(survey: Survey) -> str:
    """The first line of a program on a table of these columns."""
    return f"pλ m : ℕ . xs : 𝕄 [L∞, U | m, {_schema(survey.columns)}] ⇒"


def names(columns: Sequence[Column]) -> list[str | None]:
    """The names that a program can use; words of the language are excluded."""
    return [None if column.name is None or column.name in RESERVED else column.name for column in columns]


def _schema(columns: Sequence[Column]) -> str:
    spoken = names(columns)
    if not any(spoken):
        runs = [(look, len(list(same))) for look, same in groupby(column.look for column in columns)]
        if len(runs) == 1:
            return f"{runs[0][1]}⋅{TYPES[runs[0][0]]}"
    cells = [
        TYPES[column.look] if name is None else f"{name} : {TYPES[column.look]}"
        for column, name in zip(columns, spoken, strict=True)
    ]
    return " ∷ ".join([*cells, "[]"])


def remarks(survey: Survey) -> list[str]:
    """What to know before the draft is used; no number and no word of the data in it."""
    found = [
        "𝔻 is a number for arithmetic, 𝐝 ℕ a code, 𝐝 𝕊 a category: correct what is wrong, and bound numbers with clip",
        "m rows, one person per row; write ★ instead of m if the number of people is private too",
    ]
    if survey.separator != COMMA:
        found.append(
            f"the cells are separated by {SEPARATORS[survey.separator]}, as the header shows or the file's name says"
        )
    if not survey.has_header:
        found.append("no header was found, so the columns have no names (use --header yes if there is one)")
    elif not survey.is_stated:
        found.append("the first line looks like a header and was taken for one (use --header no if it is a row)")
    if survey.has_header and not all(names(survey.columns)):
        found.append(
            "a column whose heading is not a plain, unique name has no name here; columns are then bound in order"
        )
    if not survey.is_even or not all(column.is_whole for column in survey.columns):
        found.append(
            "some cells or lines do not fit this draft: a run stops at them, or replaces them with --on-bad-row default"
        )
    if not survey.has_rows:
        found.append("there is no row below the header, so a run on this file stops")
    if not survey.is_whole:
        found.append("only the beginning of the file was read")
    return found


def schema_text(path: str, survey: Survey) -> str:
    """The draft with its remarks as comments of the language."""
    lines = [f"-- A draft from {path}: {PRIVATE}.", *(f"-- {remark}." for remark in remarks(survey)), draft(survey)]
    return "".join(f"{line}\n" for line in lines)


def schema_value(path: str, survey: Survey) -> dict[str, object]:
    """The same as JSON."""
    return {
        "file": path,
        "private": True,
        "notice": PRIVATE,
        "header": survey.has_header,
        "separator": survey.separator.decode("ascii"),
        "columns": [
            {"name": name, "type": TYPES[column.look], "fits": column.is_whole}
            for name, column in zip(names(survey.columns), survey.columns, strict=True)
        ],
        "remarks": remarks(survey),
        "draft": draft(survey),
    }
