"""A draft of a program from what the columns of files look like: it checks, and runs on these files.

If identifiers occur in several rows, the draft has a table of persons, with a file for each table that has the identifier.

The draft is a starting point that a person reads: which columns hold categories, which numbers may be negative and how rows
are bounded is not in the data. It goes on to say that it came from private rows. It counts the rows, with noise.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from shlex import quote

from attrs import frozen

from duetpy.grammar.labels import label_text
from duetpy.grammar.spelling import RESERVED
from duetpy.grammar.words import VOCABULARY
from duetpy.runtime.sources.cells import COMMA, SEMICOLON, TAB
from duetpy.runtime.sources.column_selection import parse_data_argument
from duetpy.runtime.sources.problems import STANDARD_INPUT
from duetpy.runtime.sources.survey import Column, Look, Survey

PRIVATE = "this was made from private rows and is not protected: show it only to people who may see the data"

SEPARATORS = {COMMA: "commas", SEMICOLON: "semicolons", TAB: "tabs"}

TYPES = {Look.NUMBER: "Disc", Look.CODE: "disc_t Nat", Look.TRUTH: "Bool", Look.DATE: "Date", Look.TEXT: "disc_t Str"}


ALONE = "xs"
"""What the only table is called."""

PEOPLE = "people"
"""What a table of persons is called."""

EPSILON = "0.1"
"""What each count of the draft costs."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")


def type_of(column: Column) -> str:
    """The type of a column, as a program writes it."""
    return f"{TYPES[column.look]}?" if column.may_be_missing else TYPES[column.look]


@frozen
class Persons:
    """The tables whose rows belong to persons, and the column of identifiers that all of them have."""

    identifier: str
    type: str
    tables: Mapping[str, Survey]

    def declared(self) -> str:
        """The table of persons that takes them in."""
        files = [f"{name} : {table_type(survey, self.identifier)}" for name, survey in self.tables.items()]
        return f"{PEOPLE} : persons[{label_text(self.identifier)} : {self.type} | {', '.join(files)}]"


def persons_in(tables: Mapping[str, Survey]) -> Persons | None:
    """The persons of some tables: by the first column whose identifiers occur in several rows of one; None if there is no such."""
    for survey in tables.values():
        for name, column in zip(names(survey.columns), survey.columns, strict=True):
            type_ = _identifier_type(column) if column.repeats else None
            if name is not None and type_ is not None:
                found = {table: other for table, other in tables.items() if _has_identifier(other, name, type_)}
                if survey in found.values():
                    return Persons(name, type_, found)
    return None


def _has_identifier(survey: Survey, name: str, type_: str) -> bool:
    """Whether a table can be a file of persons: a column has the name of the identifier, and others have names too."""
    spoken = names(survey.columns)
    if name not in spoken or sum(each is not None for each in spoken) == 1:
        return False
    return _identifier_type(survey.columns[spoken.index(name)]) == type_


def _identifier_type(column: Column) -> str | None:
    """The type of a column of identifiers; None if its cells cannot be any."""
    if column.is_natural:
        return TYPES[Look.CODE]
    return TYPES[Look.TEXT] if column.look is Look.TEXT else None


def head(tables: Mapping[str, Survey]) -> str:
    """The first line of a program on tables by name."""
    persons = persons_in(tables)
    inside = persons.tables if persons is not None else {}
    declared = [f"{name} : {table_type(survey)}" for name, survey in tables.items() if name not in inside]
    if persons is not None:
        declared.insert(0, persons.declared())
    return f"plam . {', '.join(declared)} =>"


def table_type(survey: Survey, without: str | None = None) -> str:
    """A data frame of the columns that have names, but for one, or a table without names; the number of its rows is private."""
    spoken = names(survey.columns)
    if any(spoken):
        named = [
            (name, column) for name, column in zip(spoken, survey.columns, strict=True) if name not in (None, without)
        ]
        return f"DF[{', '.join(f'{label_text(name)} : {type_of(column)}' for name, column in named if name)}]"
    return f"Matrix [Linf, U | ?, {_schema(survey.columns)}]"


def tables_of(paths: Sequence[str], surveys: Sequence[Survey]) -> dict[str, Survey]:
    """The tables by what they are called: the files' names, as far as a program can use them; a single table of rows is `xs`."""
    if len(paths) == 1 and persons_in({ALONE: surveys[0]}) is None:
        return {ALONE: surveys[0]}
    found: dict[str, Survey] = {}
    for number, (path, survey) in enumerate(zip(paths, surveys, strict=True), 1):
        stem = re.sub(r"[^A-Za-z0-9_]", "_", os.path.basename(path).partition(".")[0])
        is_plain = _NAME.fullmatch(stem) and stem not in RESERVED | VOCABULARY | {PEOPLE, *found}
        found[stem if is_plain else f"{ALONE}{number}"] = survey
    return found


def program(tables: Mapping[str, Survey]) -> str:
    """A whole program, each line ended: it releases how many persons there are, and how many rows each other table has."""
    persons = persons_in(tables)
    counted = [*([PEOPLE] if persons is not None else []), *_of_rows(tables, persons)]
    counts = [f"laplace[1.0, {EPSILON}] <{name}> {{ real (rows {name}) }}" for name in counted]
    lines = [head(tables), *_further(tables)]
    if len(counts) == 1:
        return "".join(f"{line}\n" for line in [*lines, f"  {counts[0]}"])
    lines += [f"  rows{number} <- {count} ;" for number, count in enumerate(counts, 1)]
    result = f"rows{len(counts)}"
    for number in range(len(counts) - 1, 0, -1):
        result = f"<|rows{number}, {result}|>"
    return "".join(f"{line}\n" for line in [*lines, f"  return {result}"])


def _of_rows(tables: Mapping[str, Survey], persons: Persons | None) -> list[str]:
    """The names of the tables whose rows are one person each."""
    return [name for name in tables if persons is None or name not in persons.tables]


def _further(tables: Mapping[str, Survey]) -> list[str]:
    """What to release next, as a comment: a sum, with bounds that a person must choose."""
    persons = persons_in(tables)
    for name, survey in tables.items():
        for spoken, column in zip(names(survey.columns), survey.columns, strict=True):
            is_identifier = persons is not None and name in persons.tables and spoken == persons.identifier
            if spoken is None or is_identifier or column.look is not Look.NUMBER:
                continue
            field = f"row.{label_text(spoken)}"
            cell = f"({field} or-else 0)" if column.may_be_missing else field
            table, term = name, f"{{ sum, row => sum + clip[0.0, 100.0] {cell} }}"
            if persons is not None and name in persons.tables:
                inner = f"mfold-row (disc 0.0), person.{name} {{ sum, row => sum + {cell} }}"
                table, term = PEOPLE, f"{{ sum, person => sum + clip[0.0, 100.0] ({inner}) }}"
            return [
                "  -- A sum, if 0 and 100 are bounds that you chose without looking at the data; it costs as much again:",
                f"  --   total <- laplace[auto, {EPSILON}] <{table}> {{ mfold-row 0.0, {table} {term} }} ;",
            ]
    return []


def names(columns: Sequence[Column]) -> list[str | None]:
    """The names that a program can use."""
    return [column.name for column in columns]


def _schema(columns: Sequence[Column]) -> str:
    """The columns of a table of which none has a name."""
    runs = [(type_, len(list(same))) for type_, same in groupby(map(type_of, columns))]
    return f"{runs[0][1]}*{runs[0][0]}" if len(runs) == 1 else " :: ".join([*map(type_of, columns), "[]"])


def remarks(survey: Survey, persons: Persons | None = None) -> list[str]:
    """What to know before the draft is used; no number and no word of the data in it."""
    person = "one person per row" if persons is None else f"one person per {persons.identifier}, with all their rows"
    found = [
        "Disc is a number for arithmetic, disc_t Nat a code, disc_t Str a category: correct what is wrong, and "
        "bound numbers with clip",
        f"{person}; the number of {'rows' if persons is None else 'persons'} is private; each release here costs eps = {EPSILON}",
    ]
    repeated = [name for name, column in zip(names(survey.columns), survey.columns, strict=True) if column.repeats]
    if persons is not None and persons.identifier in repeated:
        found.append(
            f"cells of the column '{persons.identifier}' occur in several rows, so all rows with the same "
            f"identifier are protected together; if each row is a person, declare {ALONE} : {table_type(survey)} instead"
        )
    elif repeated:
        found.append(_repeated(survey))
    if survey.separator != COMMA:
        found.append(
            f"the cells are separated by {SEPARATORS[survey.separator]}, as the header shows or the file's name says"
        )
    if not survey.has_header:
        found.append("no header was found, so the columns have no names (use --header yes if there is one)")
    elif not survey.is_stated:
        found.append("the first line looks like a header and was taken for one (use --header no if it is a row)")
    if survey.has_header and not all(names(survey.columns)):
        found.append(_left_out(survey))
    if any(column.may_be_missing for column in survey.columns):
        found.append(
            "a column whose type ends in ? has empty cells: replace them with or-else, or handle them with case"
        )
    varied = [column.name for column in survey.columns if column.has_spellings and column.name is not None]
    if varied:
        others = f" (and of {len(varied) - 1} more)" if len(varied) > 1 else ""
        found.append(
            f"texts of the column '{varied[0]}'{others} differ only in capital letters or in spaces at their ends, and count as "
            f"different: write lower (trim row.{label_text(varied[0])}) for one spelling of each"
        )
    if not survey.is_even or not all(column.is_whole for column in survey.columns):
        found.append(
            "some cells or lines do not fit this draft: a run stops at them, or with --on-bad-row default takes what the "
            "columns declare (Disc else 0)"
        )
    if not survey.has_rows:
        found.append("there is no row below the header, so a run on this file stops")
    if not survey.is_whole:
        found.append("only the beginning of the file was read")
    return found


def _repeated(survey: Survey) -> str:
    """That a person may have several rows, and what to do then."""
    spoken = names(survey.columns)
    found = [
        (name, place)
        for place, (name, column) in enumerate(zip(spoken, survey.columns, strict=True), 1)
        if column.repeats
    ]
    name, place = next((each for each in found if each[0] is not None), found[0])
    shown = f"column {place}" if name is None else f"the column '{name}'"
    heading = f"give it a heading that a program can use, and run with --persons {ALONE}=HEADING,K to protect persons"
    remedy = heading if name is None else "make a table with one row per person first"
    return f"cells of {shown} occur in several rows: if it names persons, ε is k times as large for a person with k rows; {remedy}"


def _left_out(survey: Survey) -> str:
    """Which columns the draft has not, by their places."""
    spoken = names(survey.columns)
    places = [str(place) for place, name in enumerate(spoken, 1) if name is None]
    if len(places) == len(spoken):
        return "no heading is a unique name that a program can use, so the columns have no names here and are bound in order"
    more = f" and {len(places) - MOST_PLACES} more" if len(places) > MOST_PLACES else ""
    which = f"column {places[0]} is" if len(places) == 1 else f"columns {', '.join(places[:MOST_PLACES])}{more} are"
    return (
        f"{which} left out: to use a column, give it a unique heading that has a letter and is not a cell of the column "
        "(columns are counted from 1 here)"
    )


MOST_PLACES = 20
"""At most this many columns are named by their places."""


def schema_text(paths: Sequence[str], surveys: Sequence[Survey]) -> str:
    """The draft with its remarks as comments of the language; a remark on several files stands once."""
    lines = [f"-- A draft from {', '.join(paths)}: {PRIVATE}."]
    tables = tables_of(paths, surveys)
    persons = persons_in(tables)
    told = [
        (path, remark)
        for path, (name, survey) in zip(paths, tables.items(), strict=True)
        for remark in remarks(survey, persons if persons is not None and name in persons.tables else None)
    ]
    for remark in dict.fromkeys(remark for _, remark in told):
        about = [path for path, other in told if other == remark]
        where = f"{', '.join(about)}: " if len(about) < len(paths) else ""
        lines.append(f"-- {where}{remark}.")
    given = " ".join(
        f"--data {quote(path if name == ALONE and _says_itself(path) else f'{name}={path}')}"
        for name, path in zip(tables, paths, strict=True)
    )
    lines.append(f"-- To run it: duetpy run PROGRAM.eps.duet {given}")
    return "".join(f"{line}\n" for line in lines) + program(tables)


def _says_itself(path: str) -> bool:
    """Whether a path after ``--data`` is read as a path: neither as an option, nor as a name with a path."""
    is_option = path.startswith("-") and path != STANDARD_INPUT
    return not is_option and parse_data_argument(path, lambda each: True).name is None


def schema_value(path: str, survey: Survey, whole: str) -> dict[str, object]:
    """The same of one file as JSON, with the program on all the files."""
    tables = tables_of([path], [survey])
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
        "remarks": remarks(survey, persons_in(tables)),
        "draft": head(tables),
        "program": whole,
    }
