"""A draft of a program from what the columns of files look like: it checks, and runs on these files.

The draft is a starting point that a person reads: which columns hold categories, which numbers may be negative and how rows
are bounded is not in the data. It goes on to say that it came from private rows. It counts the rows, with noise.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from shlex import quote

from duetpy.grammar.spelling import RESERVED
from duetpy.grammar.words import VOCABULARY
from duetpy.runtime.sources.cells import COMMA, SEMICOLON, TAB
from duetpy.runtime.sources.survey import Column, Look, Survey

PRIVATE = "this was made from private rows and is not protected: show it only to people who may see the data"

SEPARATORS = {COMMA: "commas", SEMICOLON: "semicolons", TAB: "tabs"}

TYPES = {Look.NUMBER: "𝔻", Look.CODE: "𝐝 ℕ", Look.TRUTH: "𝔹", Look.TEXT: "𝐝 𝕊"}


ALONE = "xs"
"""What the only table is called."""

EPSILON = "0.1"
"""What each count of the draft costs."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")


def type_of(column: Column) -> str:
    """The type of a column, as a program writes it."""
    return f"{TYPES[column.look]}?" if column.may_be_missing else TYPES[column.look]


def draft(survey: Survey) -> str:
    """The first line of a program on a table of these columns."""
    return head({ALONE: survey})


def head(tables: Mapping[str, Survey]) -> str:
    """The first line of a program on tables by name."""
    return f"pλ . {', '.join(f'{name} : {table_type(survey)}' for name, survey in tables.items())} ⇒"


def table_type(survey: Survey) -> str:
    """A data frame, or a table of columns without names; the number of its rows is private."""
    spoken = names(survey.columns)
    if all(spoken):
        columns = ", ".join(f"{name} : {type_of(column)}" for name, column in zip(spoken, survey.columns, strict=True))
        return f"𝔻𝔽[{columns}]"
    return f"𝕄 [L∞, U | ★, {_schema(survey.columns)}]"


def table_names(paths: Sequence[str]) -> list[str]:
    """What the tables of files are called: the names of the files, as far as a program can use them."""
    if len(paths) == 1:
        return [ALONE]
    found: list[str] = []
    for number, path in enumerate(paths, 1):
        stem = re.sub(r"[^A-Za-z0-9_]", "_", os.path.basename(path).partition(".")[0])
        is_plain = _NAME.fullmatch(stem) and stem not in RESERVED | VOCABULARY | set(found)
        found.append(stem if is_plain else f"{ALONE}{number}")
    return found


def program(tables: Mapping[str, Survey]) -> str:
    """A whole program, each line ended: it releases how many rows each table has."""
    counts = [f"laplace[1.0, {EPSILON}] <{name}> {{ real (rows {name}) }}" for name in tables]
    lines = [head(tables), *_further(tables)]
    if len(counts) == 1:
        return "".join(f"{line}\n" for line in [*lines, f"  {counts[0]}"])
    lines += [f"  rows{number} ← {count} ;" for number, count in enumerate(counts, 1)]
    result = f"rows{len(counts)}"
    for number in range(len(counts) - 1, 0, -1):
        result = f"⟨rows{number}, {result}⟩"
    return "".join(f"{line}\n" for line in [*lines, f"  return {result}"])


def _further(tables: Mapping[str, Survey]) -> list[str]:
    """What to release next, as a comment: a sum, with bounds that a person must choose."""
    for name, survey in tables.items():
        for spoken, column in zip(names(survey.columns), survey.columns, strict=True):
            if spoken is not None and column.look is Look.NUMBER:
                cell = f"(row.{spoken} or-else 0)" if column.may_be_missing else f"row.{spoken}"
                total = f"mfold-row 0.0, {name} {{ sum, row ⇒ sum + clip[0.0, 100.0] {cell} }}"
                return [
                    "  -- A sum, if 0 and 100 are bounds that you chose without looking at the data; it costs as much again:",
                    f"  --   total ← laplace[auto, {EPSILON}] <{name}> {{ {total} }} ;",
                ]
    return []


def names(columns: Sequence[Column]) -> list[str | None]:
    """The names that a program can use; words of the language are excluded."""
    return [None if column.name is None or column.name in RESERVED else column.name for column in columns]


def _schema(columns: Sequence[Column]) -> str:
    spoken = names(columns)
    if not any(spoken):
        runs = [(type_, len(list(same))) for type_, same in groupby(map(type_of, columns))]
        if len(runs) == 1:
            return f"{runs[0][1]}⋅{runs[0][0]}"
    cells = [
        type_of(column) if name is None else f"{name} : {type_of(column)}"
        for column, name in zip(columns, spoken, strict=True)
    ]
    return " ∷ ".join([*cells, "[]"])


def remarks(survey: Survey) -> list[str]:
    """What to know before the draft is used; no number and no word of the data in it."""
    found = [
        "𝔻 is a number for arithmetic, 𝐝 ℕ a code, 𝐝 𝕊 a category: correct what is wrong, and bound numbers with clip",
        f"one person per row, and how many there are is private; each release here costs ε = {EPSILON}",
    ]
    repeated = [name for name, column in zip(names(survey.columns), survey.columns, strict=True) if column.repeats]
    if any(column.repeats for column in survey.columns):
        shown = next((f" '{name}'" for name in repeated if name is not None), "")
        found.append(
            f"cells of the column{shown} occur in several rows: if it names persons, a person with k rows is protected "
            "k times less; make a table with one row per person first"
        )
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
    if any(column.may_be_missing for column in survey.columns):
        found.append(
            "a column of type τ? has empty cells: say what replaces them with or-else, or look at them with case"
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


def schema_text(paths: Sequence[str], surveys: Sequence[Survey]) -> str:
    """The draft with its remarks as comments of the language; a remark on several files stands once."""
    lines = [f"-- A draft from {', '.join(paths)}: {PRIVATE}."]
    told = [(path, remark) for path, survey in zip(paths, surveys, strict=True) for remark in remarks(survey)]
    for remark in dict.fromkeys(remark for _, remark in told):
        about = [path for path, other in told if other == remark]
        where = f"{', '.join(about)}: " if len(about) < len(paths) else ""
        lines.append(f"-- {where}{remark}.")
    tables = dict(zip(table_names(paths), surveys, strict=True))
    given = " ".join(
        f"--data {quote(path if len(paths) == 1 else f'{name}={path}')}"
        for name, path in zip(tables, paths, strict=True)
    )
    lines.append(f"-- To run it: duetpy run PROGRAM.eps.duet {given}")
    return "".join(f"{line}\n" for line in lines) + program(tables)


def schema_value(path: str, survey: Survey, whole: str) -> dict[str, object]:
    """The same of one file as JSON, with the program on all the files."""
    return {
        "file": path,
        "private": True,
        "notice": PRIVATE,
        "header": survey.has_header,
        "separator": survey.separator.decode("ascii"),
        "columns": [
            {"name": name, "type": type_of(column), "fits": column.is_whole}
            for name, column in zip(names(survey.columns), survey.columns, strict=True)
        ],
        "remarks": remarks(survey),
        "draft": draft(survey),
        "program": whole,
    }
