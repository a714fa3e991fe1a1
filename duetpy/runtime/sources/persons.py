"""Tables of persons: each file is read by itself, and its lines are those of the persons whose identifiers are in them.

Contract. What becomes of a line depends on that line alone: it is a row of the person whose identifier it has, or, if the
identifier is missing or bad, of nobody. So a change of one person changes what is bound for that person and for nobody else.
There is a row for every identifier that occurs in any file; a file without lines of a person has an empty block. Of persons on a
roster, a public set, there is a row for each of its identifiers, in its order, and a line with any other is nobody's.

The rows of a block are sorted by what is in them, column after column, what is missing first: where they stood in the file
changes nothing. Identifiers are compared exactly, texts character by character.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from os import PathLike

import numpy as np
from attrs import define, evolve, field, frozen
from numpy.typing import NDArray

from duetpy.diagnostics.display import as_word, visible
from duetpy.diagnostics.error import DuetError
from duetpy.grammar.ast import Norm
from duetpy.runtime.exact.rationals import plain
from duetpy.runtime.sources.column_selection import SQL, DataArgument
from duetpy.runtime.sources.looks import path_of
from duetpy.runtime.sources.problems import BAD_CELL, COLUMNS, EMPTY, HELP, LISTED, Problems
from duetpy.runtime.sources.reading import MISSING, UNKNOWN, WRONG_VALUE, Reading, refuse
from duetpy.runtime.values.row_order import Keys
from duetpy.runtime.values.values import (
    SetValue,
    Value,
    texts_of,
)
from duetpy.settings import DataFile
from duetpy.typecheck import types as t
from duetpy.typecheck.persons import Persons, columns_of, size_of
from duetpy.typecheck.quantity import KindVar


@frozen(eq=False, repr=False)
class Identified:
    """Data of one file in which the column of identifiers has another name than in the program."""

    value: object
    column: str

    @property
    def path(self) -> str:
        """The path of the file; empty for other data."""
        inner = self.value.path if isinstance(self.value, DataArgument | DataFile) else self.value
        return path_of(inner) if isinstance(inner, str | PathLike) else ""


@frozen(eq=False, repr=False)
class PersonsData:
    """What a table of persons is bound to: data for each file, and the name of the identifier's column in it."""

    files: Mapping[str, object]
    columns: Mapping[str, str]


def persons_data(value: object, persons: Persons, name: str) -> PersonsData:
    """Data by file as it was given, with the names of the columns of identifiers; raises `DuetError`.

    Raises
    ------
    DuetError
        D0611 it is not data by file, or picks columns or rows itself; D0610 there is no such file; D0608 one is missing.
    """
    if isinstance(value, PersonsData):
        return value
    if len(persons.names) == 1 and isinstance(value, str | PathLike | DataArgument | DataFile | Identified):
        value = {persons.names[0]: value}
    if persons.names == (name,) and not (isinstance(value, Mapping) and set(value) == {name}):
        # A table of rows whose rows were said to be those of persons is given as a table.
        value = {name: value}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise refuse(
            WRONG_VALUE,
            f"{visible(name)} is a table of persons, which is read from {_listed(persons.names)}",
            help=f"give each file its data: --data {as_word(persons.names[0])}=FILE; in Python {{{persons.names[0]!r}: …}}",
        )
    if any(key not in persons.names for key in value):
        # Which one is not told: keys of a mapping may be those of people.
        raise refuse(UNKNOWN, f"{visible(name)} has no file of a given name", f"its files are {_listed(persons.names)}")
    lacking = [file for file in persons.names if file not in value]
    if lacking:
        raise refuse(
            MISSING,
            f"missing data for {visible(lacking[0])} of {visible(name)}",
            f"add --data {as_word(lacking[0])}=FILE",
        )
    files: dict[str, object] = {}
    columns: dict[str, str] = {}
    declared, identifier = dict(persons.files), persons.identifier.name or ""
    for file in persons.names:
        given = value[file]
        files[file] = given.value if isinstance(given, Identified) else given
        columns[file] = given.column if isinstance(given, Identified) else identifier
        _refuse_picked(files[file], file)
        if columns[file] != identifier and any(column.name == columns[file] for column in columns_of(declared[file])):
            message = f"{visible(columns[file])} is a column of {visible(file)}, and cannot be its identifier as well"
            raise refuse(WRONG_VALUE, message, "leave it out of the type, or name another column with --id")
    return PersonsData(files, columns)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(visible, names))


def _refuse_picked(value: object, file: str) -> None:
    """Raise D0611 for columns picked by the caller and for queries: they can give any column the name of the identifier."""
    path = value.path if isinstance(value, DataArgument | DataFile) else value
    is_picked = isinstance(value, DataArgument) and value.selection is not None
    is_query = isinstance(path, str | PathLike) and path_of(path).startswith(SQL)
    if is_picked or is_query:
        what = "a query" if is_query else "picked columns"
        raise refuse(
            WRONG_VALUE,
            f"{visible(file)} cannot be read from {what}: the columns of persons are found by their names",
            help="give the file, and the name of the identifier's column with --id",
        )


@contextmanager
def reading_file(file: str) -> Iterator[None]:
    """Around the reading of a file of persons, whose columns are found by their names: a help about missing ones says so."""
    try:
        yield
    except DuetError as error:
        advice = f"declare the columns of the file; if the identifier has another name in it, add --id {as_word(file)}=COLUMN"
        picks = HELP[COLUMNS]
        raise DuetError(
            tuple([evolve(each, help=advice) if each.help.startswith(picks) else each for each in error.diagnostics])
        ) from None


def file_type(persons: Persons, file: str, column: str) -> t.Matrix:
    """The table that a file is read as: the identifier, which may be missing in a line, and then the columns that are declared."""
    found = dict(persons.files)[file]
    identifier = t.Column(column, t.Maybe(persons.identifier.type))
    return t.Matrix(Norm.LINF, None, None, t.Columns((identifier, *columns_of(found))))


@define(eq=False, repr=False)
class Owners:
    """Whose the lines of a file are.

    Parameters
    ----------
    file, column
        The file, and the name of the identifier's column in it.
    roster, roster_name
        The identifiers that there can be, and the name of the set; None for any.
    is_total
        Whether lines that are nobody's are left out.
    lines
        How many were looked at.
    """

    file: str
    column: str
    roster: Keys | None
    roster_name: str | None
    is_total: bool
    lines: int = field(default=0, init=False)
    _missing: Problems = field(init=False)
    _unlisted: Problems = field(init=False)
    _listed: frozenset[str] = field(init=False)

    @_missing.default
    @_unlisted.default
    def _none(self) -> Problems:
        return Problems(visible(self.file))

    @_listed.default
    def _texts_listed(self) -> frozenset[str]:
        is_of_texts = self.roster is not None and self.roster.dtype == np.object_
        return frozenset(self.roster.tolist()) if self.roster is not None and is_of_texts else frozenset()

    def of(self, ids: Keys, is_there: NDArray[np.bool_]) -> tuple[Keys, NDArray[np.bool_]]:
        """Of the next lines, of which some have an identifier, the persons, and which lines are somebody's."""
        self._note(self._missing, ~is_there, "the identifier is missing")
        if self.roster is not None:
            is_listed = self._is_listed(ids)
            self._note(
                self._unlisted, is_there & ~is_listed, f"the identifier is not in {visible(self.roster_name or '')}"
            )
            is_there = is_there & is_listed
        self.lines += len(ids)
        return ids[is_there], is_there

    def refuse_nobodys(self) -> None:
        """Raise D0604 if one of the lines so far is nobody's, unless such lines are left out."""
        self._missing.raise_if_any()
        self._unlisted.raise_if_any()

    def _is_listed(self, ids: Keys) -> NDArray[np.bool_]:
        assert self.roster is not None
        if self.roster.dtype != np.object_:
            return np.isin(ids, self.roster)
        return np.fromiter(map(self._listed.__contains__, ids.tolist()), np.bool_, len(ids))

    def _note(self, problems: Problems, where: NDArray[np.bool_], message: str) -> None:
        total = int(np.count_nonzero(where))
        if self.is_total or not total:
            return
        places = (np.flatnonzero(where)[:LISTED] + self.lines + 1).tolist()
        help = "correct the row, or run with --on-bad-row drop, which leaves it out"
        about = f"column '{visible(self.column)}'"
        problems.add_at(BAD_CELL, message, "data row", places, about, help, total)


def owners_in(persons: Persons, data: PersonsData, reading: Reading) -> dict[str, Owners]:
    """For each file of a table of persons, whose its lines are; raises `DuetError` for a roster that no line can be on."""
    roster = None if persons.roster is None else on_roster(persons.roster, reading)
    return {file: Owners(file, data.columns[file], roster, persons.roster, reading.is_total) for file in persons.names}


def with_roster(reading: Reading, name: str, value: Value) -> Reading:
    """A way of reading that knows a roster, if a parameter that was read may be one."""
    if not isinstance(value, SetValue):
        return reading
    return evolve(reading, rosters={**reading.rosters, name: value})


def match_roster(name: str, value: Value, unknown: frozenset[KindVar], solved: dict[KindVar, Fraction]) -> None:
    """Add to `solved` how many persons are on a roster, if a parameter is one; raises `DuetError` where it has none."""
    named = [variable for variable in unknown if variable.name == size_of(name)]
    if named and isinstance(value, SetValue):
        _refuse_nobody(name, value)
        solved.setdefault(named[0], Fraction(len(value.elements)))


def _refuse_nobody(name: str, roster: SetValue) -> None:
    if not roster.elements:
        raise refuse(EMPTY, f"{visible(name)} has no elements, so that there are no persons")


def on_roster(name: str, reading: Reading) -> Keys:
    """The identifiers on a roster; raises `DuetError` where it has none, or one that no line can have."""
    _refuse_nobody(name, reading.rosters[name])
    listed = reading.rosters[name].elements
    texts = [each for each in listed if isinstance(each, str)]
    if any(text == "" or text in reading.missing for text in texts):
        message = f"{visible(name)} has an element that means a missing identifier in a file"
        raise refuse(WRONG_VALUE, message, "leave it out, or choose other signs for what is missing")
    if texts:
        return np.array(texts, dtype=np.object_)
    return np.array([float(each) for each in listed if isinstance(each, int | Fraction)], dtype=np.float64)


def identifier_column(identifiers: Keys) -> Value:
    """The column of the identifiers."""
    if identifiers.dtype == np.object_:
        return texts_of([str(text) for text in identifiers.tolist()])
    return plain(identifiers.astype(np.float64), natural=True)
