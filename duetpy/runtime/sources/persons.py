"""Tables of persons: each file is read by itself, and its rows are put together by the identifier in them.

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
from attrs import evolve, frozen
from numpy.typing import NDArray

from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.grammar.ast import Norm
from duetpy.runtime.exact.rationals import Numbers, plain, rounded
from duetpy.runtime.sources.column_selection import SQL, DataArgument
from duetpy.runtime.sources.looks import path_of
from duetpy.runtime.sources.problems import BAD_CELL, COLUMNS, EMPTY, HELP, LISTED, Problems
from duetpy.runtime.sources.reading import MISSING, UNKNOWN, WRONG_VALUE, Reading, refuse
from duetpy.runtime.values.batching import evolve_matrix, take_rows
from duetpy.runtime.values.row_order import Keys, kept_rows, numbered, sort_keys, sorted_by
from duetpy.runtime.values.values import (
    MatrixValue,
    MissingLanes,
    SetValue,
    Texts,
    Value,
    matrix_of_columns,
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
            help=f"give each file its data: --data {persons.names[0]}=FILE; in Python {{{persons.names[0]!r}: …}}",
        )
    if any(key not in persons.names for key in value):
        # Which one is not told: keys of a mapping may be those of people.
        raise refuse(UNKNOWN, f"{visible(name)} has no file of a given name", f"its files are {_listed(persons.names)}")
    lacking = [file for file in persons.names if file not in value]
    if lacking:
        raise refuse(
            MISSING, f"missing data for {visible(lacking[0])} of {visible(name)}", f"add --data {lacking[0]}=FILE"
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
        advice = f"declare the columns of the file; if the identifier has another name in it, add --id {visible(file)}=COLUMN"
        picks = HELP[COLUMNS]
        raise DuetError(
            tuple([evolve(each, help=advice) if each.help.startswith(picks) else each for each in error.diagnostics])
        ) from None


def file_type(persons: Persons, file: str, column: str) -> t.Matrix:
    """The table that a file is read as: the identifier, which may be missing in a line, and then the columns that are declared."""
    found = dict(persons.files)[file]
    identifier = t.Column(column, t.Maybe(persons.identifier.type))
    return t.Matrix(Norm.LINF, None, None, t.Columns((identifier, *columns_of(found))))


def put_together(
    tables: Mapping[str, MatrixValue], persons: Persons, data: PersonsData, reading: Reading
) -> MatrixValue:
    """The table of persons, of the table that each file was read as.

    Raises
    ------
    DuetError
        D0604 a line has no identifier, or one that is not on the roster, where bad rows are refused.
    """
    roster = None if persons.roster is None else on_roster(persons.roster, reading)
    known: dict[str, Keys] = {}
    owned: dict[str, MatrixValue] = {}
    for file in persons.names:
        table = tables[file]
        ids, is_there = _identifiers(table.column(0))
        if not is_there.all() and not reading.is_total:
            _refuse_nobodys(np.flatnonzero(~is_there), file, data.columns[file])
        if roster is not None:
            is_listed = is_there & _is_in(ids, roster)
            if not is_listed.all() and not reading.is_total:
                _refuse_nobodys(np.flatnonzero(~is_listed), file, data.columns[file], persons.roster)
            is_there = is_listed
        known[file] = ids[is_there]
        own = matrix_of_columns([table.column(at) for at in range(1, table.width)], table.rows, None)
        names = tuple(column.name for column in columns_of(dict(persons.files)[file]))
        owned[file] = _rows(MatrixValue(own.rows, own.store, names), np.flatnonzero(is_there))
    everybody, places = numbered(np.concatenate(list(known.values())), roster)
    ends = np.cumsum([len(known[file]) for file in persons.names])
    owners = dict(zip(persons.names, np.split(places, ends[:-1]), strict=True))
    blocks = [_blocks(owned[file], owners[file], len(everybody)) for file in persons.names]
    column_names = (persons.identifier.name, *persons.names)
    return matrix_of_columns([_column(everybody), *blocks], len(everybody), None, column_names)


def _identifiers(column: Value) -> tuple[Keys, NDArray[np.bool_]]:
    """The identifiers of the lines, and which lines have one: the empty text identifies nobody."""
    assert isinstance(column, MissingLanes)
    match column.held:
        case Texts(texts):
            return texts, column.is_there & (texts != "").astype(np.bool_)
        case Numbers() as numbers:
            # Below 2⁵³, where each whole number is a double of its own (`duetpy.runtime.sources.table.GREATEST_NATURAL`).
            return rounded(numbers), column.is_there
        case _:
            raise AssertionError("the checker lets only texts and naturals identify persons")


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


def _is_in(ids: Keys, roster: Keys) -> NDArray[np.bool_]:
    if roster.dtype != np.object_:
        return np.isin(ids, roster)
    listed: set[str] = set(roster.tolist())
    return np.fromiter(map(listed.__contains__, ids.tolist()), np.bool_, len(ids))


def _refuse_nobodys(rows: NDArray[np.intp], file: str, column: str, roster: str | None = None) -> None:
    problems = Problems(visible(file))
    places = (rows[:LISTED] + 1).tolist()
    problems.add_at(
        BAD_CELL,
        "the identifier is missing" if roster is None else f"the identifier is not in {visible(roster)}",
        "data row",
        places,
        f"column '{visible(column)}'",
        "correct the row, or run with --on-bad-row drop, which leaves it out",
        total=len(rows),
    )
    problems.raise_if_any()


def _column(identifiers: Keys) -> Value:
    """The column of the identifiers."""
    if identifiers.dtype == np.object_:
        return texts_of([str(text) for text in identifiers.tolist()])
    return plain(identifiers.astype(np.float64), natural=True)


def _rows(table: MatrixValue, index: NDArray[np.intp]) -> MatrixValue:
    return evolve_matrix(table, take_rows(table.store, index), len(index), None)


def _blocks(table: MatrixValue, owners: NDArray[np.intp], persons: int) -> Value:
    """The rows of each person, in the order of what is in them."""
    keys = [key for at in range(table.width) for key in sort_keys(table.column(at))]
    order = sorted_by([owners, *keys])
    return kept_rows(table, owners, persons, order)
