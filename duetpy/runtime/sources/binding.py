"""Values from outside: Python numbers, rows, arrays and files as the values of a program's parameters.

Contract. What a parameter's type declares is enforced on what is bound to it: the kinds of its cells (`read_table`), the
number of rows and columns, the bound on the rows, by exact comparison. A refusal names the parameter and the place, never
what is there. Public arguments and data go the same way; they differ in what may be reported about them.
"""

from __future__ import annotations

from collections.abc import Sized
from datetime import date
from fractions import Fraction
from functools import partial
from os import PathLike

import numpy as np
from attrs import evolve

from duetpy.diagnostics.display import given_with_set, visible
from duetpy.diagnostics.error import DuetError
from duetpy.grammar.ast import Norm
from duetpy.runtime.exact.rationals import to_double
from duetpy.runtime.exact.whole_numbers import GREATEST_NATURAL
from duetpy.runtime.sources.array_cells import PLAIN, is_missing_value, is_text, scalar
from duetpy.runtime.sources.arrays import from_arrays, refuse_array
from duetpy.runtime.sources.cell_types import CELLS, VERIFIED, column_types, inner_type, stand_in_for
from duetpy.runtime.sources.column_selection import DataArgument, Selection
from duetpy.runtime.sources.csv import BadRowRule
from duetpy.runtime.sources.elements import element_of, elements_in
from duetpy.runtime.sources.files import Lines, opened, passed, read_file
from duetpy.runtime.sources.flattening import as_columns, flat, folded, is_bounded
from duetpy.runtime.sources.given import date_in, halves_of, is_open_file, number_in, pair_in, side_in, side_of
from duetpy.runtime.sources.looks import path_of
from duetpy.runtime.sources.persons import PersonsData, file_type, owners_in, persons_data, reading_file
from duetpy.runtime.sources.ranges import ends_in_doubles, nearest_in
from duetpy.runtime.sources.reading import SIZES, WRONG_VALUE, Reading, refuse, wrong
from duetpy.runtime.sources.records import MOST_COLUMNS
from duetpy.runtime.sources.registry import is_source
from duetpy.runtime.sources.room import TOO_LARGE
from duetpy.runtime.sources.sorted_persons import sorted_persons
from duetpy.runtime.sources.streams import Stream, stream_of
from duetpy.runtime.sources.table import NO_CELL, ColumnSpec, Kind, Table
from duetpy.runtime.sources.table_values import matrix_of_table
from duetpy.runtime.values.batching import lane, set_of
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import Injected, MatrixValue, Missing, Value
from duetpy.settings import DataFile
from duetpy.typecheck import types as t
from duetpy.typecheck.neighbours import has_rows
from duetpy.typecheck.persons import Persons, holds_blocks, persons_of
from duetpy.typecheck.quantity import ONE, Quantity
from duetpy.typecheck.show import show_type
from duetpy.valuation import is_given_as

# ---------------------------------------------------------------------------------------------------------------------
# Any value


def bound_value(value: object, type_: t.Type, name: str, kinds: KindScope, reading: Reading) -> Value:
    """The value of a parameter. Where bad rows become defaults, so does a number or text that its type does not have: that
    somebody's age is missing is as private as the age.

    Raises
    ------
    DuetError
        D0611 a value that the type does not have; D0601 to D0607 a table that cannot be read or does not fit.
    """
    refuse_files(value, type_, name)
    refuse_blocks(type_, name)
    match type_:
        case t.Bool():
            value = scalar(value)
            return bool(value) if isinstance(value, bool | np.bool_) else _instead(type_, name, kinds, reading)
        case t.Str():
            return str.__str__(value) if is_text(value) else _instead(type_, name, kinds, reading)
        case t.Date():
            day = date_in(value)
            return _instead(type_, name, kinds, reading, ": a date is needed") if day is None else day
        case t.Nat() | t.Idx() | t.StaticNat():
            return _natural(number_in(value), type_, name, kinds, reading)
        case t.Real() | t.StaticReal():
            return _real(value, type_, name, kinds, reading)
        case t.Bounded():
            return _in_range(value, type_, name, reading)
        case t.Disc(inner) | t.Box(_, inner):
            return bound_value(value, inner, name, kinds, reading)
        case t.Maybe(inner):
            return _bound_or_missing(value, inner, name, kinds, reading)
        case t.Product(left, right) | t.With(left, right):
            pair = pair_in(value)
            if pair is None and reading.on_bad_row == "refuse":
                raise wrong(name, type_)
            one, other = halves_of(pair)
            first = bound_value(one, left, name, kinds, reading)
            return (first, bound_value(other, right, name, kinds, reading))
        case t.Sum(left, right):
            given = side_in(value)
            if given is None and reading.on_bad_row == "refuse":
                raise wrong(name, type_)
            side, held = side_of(given)
            is_left = side == "inl"
            return Injected(is_left, bound_value(held, left if is_left else right, name, kinds, reading))
        case t.SetOf(element):
            return _set(value, element, type_, name, kinds, reading)
        case t.Matrix():
            return bound_matrix(value, type_, name, kinds, reading)
        case _:
            raise wrong(name, type_)


def refuse_blocks(type_: t.Type, name: str) -> None:
    """Raise D0611 for a type that has the rows of persons in it and is not that of a table of persons: the rows of a person are put
    together and sorted only as those of such a table."""
    if holds_blocks(type_) and persons_of(type_) is None:
        raise wrong(name, type_, ": tables inside rows can only be bound as a parameter of type persons[…]")


def _bound_or_missing(value: object, inner: t.Type, name: str, kinds: KindScope, reading: Reading) -> Value:
    """A value that may be missing; where bad rows become defaults, so is one that its type does not have."""
    cell = inner_type(inner)
    blank = single_default(cell, kinds)
    if is_missing_value(value):
        return Missing(blank)
    if isinstance(cell, t.Bounded) and reading.on_bad_row != "refuse" and (number := number_in(value)) is not None:
        return nearest_in(cell, number)
    try:
        return bound_value(value, inner, name, kinds, evolve(reading, on_bad_row="refuse"))
    except DuetError:
        if reading.on_bad_row == "refuse":
            raise
        return Missing(blank)


def refuse_files(value: object, type_: t.Type, name: str) -> None:
    """Raise D0611 for a file in the place of a value, and for one that is open in that of its path: that it is a file is
    public, so that no default takes its place."""
    if type(value) in PLAIN:
        return
    if (isinstance(value, DataFile | DataArgument) or is_source(value)) and not has_rows(type_):
        raise refuse(
            WRONG_VALUE,
            f"{visible(name)} : {show_type(type_)} is not a table, but you gave a file for it",
            help=f"give the value itself: {given_with_set([name])}",
        )
    if is_open_file(value):
        # Nothing tells that its rows are those of its path, which may be given for another parameter.
        message = (
            f"{visible(name)} : {show_type(type_)} cannot be an open file: it does not show whose rows it contains"
        )
        raise refuse(WRONG_VALUE, message, help="give its path")


def _instead(type_: t.Type, name: str, kinds: KindScope, reading: Reading, what: str = "") -> Value:
    """What takes the place of a value that its type does not have; raises `DuetError` where nothing may."""
    if reading.on_bad_row == "refuse":
        raise wrong(name, type_, what)
    return single_default(type_, kinds)


def single_default(type_: t.Type, kinds: KindScope) -> Value:
    """The number, text or truth value in place of one that does not have its type: 0, the empty text, false."""
    match type_:
        case t.Bool():
            return False
        case t.Str():
            return ""
        case t.Date():
            return date.min
        case t.Real():
            return Fraction(0)
        case t.Bounded():
            return nearest_in(type_, Fraction(0))
        case t.Idx() | t.StaticNat() | t.StaticReal():
            return stand_in_for(type_, kinds)
        case _:
            return 0


def _natural(
    number: Fraction | None, type_: t.Nat | t.Idx | t.StaticNat, name: str, kinds: KindScope, reading: Reading
) -> Value:
    if number is None or number.denominator != 1 or not 0 <= number <= GREATEST_NATURAL:
        return _instead(type_, name, kinds, reading, ": a natural number is needed")
    if isinstance(type_, t.Idx) and not number < kinds.above(type_.size, None):
        return _instead(type_, name, kinds, reading, ": an index lies below its size")
    if isinstance(type_, t.StaticNat) and number != kinds.above(type_.value, None):
        return _instead(type_, name, kinds, reading, ": its type determines the number")
    return int(number)


def _real(value: object, type_: t.Real | t.StaticReal, name: str, kinds: KindScope, reading: Reading) -> Value:
    number = number_in(value)
    if number is None:
        return _instead(type_, name, kinds, reading, ": a finite number is needed")
    if isinstance(type_, t.StaticReal):
        # Settings are decimal texts: 0.1 is 1/10 there.
        said = -number if type_.value.negative else number
        wanted = kinds.signed(type_.value, None)
        ends = [end(type_.value.magnitude, None) for end in (kinds.below, kinds.above)]
        if not is_given_as(said, *ends) and not (isinstance(value, float) and Fraction(repr(float(value))) == wanted):
            return _instead(type_, name, kinds, reading, ": its type determines the number")
        return wanted
    return number


def _in_range(value: object, type_: t.Bounded, name: str, reading: Reading) -> Value:
    """A number of a range; one outside of it counts as the nearest end where bad rows become defaults."""
    number = number_in(value)
    counted = nearest_in(type_, Fraction(0) if number is None else number)
    if number != counted and reading.on_bad_row == "refuse":
        raise wrong(name, t.Disc(type_), ": a number in the range is needed")
    return counted


def _set(value: object, element: t.Type, type_: t.Type, name: str, kinds: KindScope, reading: Reading) -> Value:
    if isinstance(value, DataFile | DataArgument) or is_source(value):
        # One column of elements: a pair or a record is a line of as many cells as it has parts.
        column = t.Matrix(Norm.LINF, None, None, t.Uniform(ONE, element))
        table = bound_matrix(value, column, name, kinds, reading)
        return set_of([lane(table.column(0), at) for at in range(table.rows)])
    if reading.holds_types:
        refuse_column(value, element, name)
    if reading.is_total:
        refuse_tables(element, type_, name)
    items = elements_in(value)
    if items is None and reading.on_bad_row == "refuse":
        raise wrong(name, type_)
    return set_of([bound_value(element_of(item, element), element, name, kinds, reading) for item in items or ()])


def refuse_tables(inner: t.Type, type_: t.Type, name: str) -> None:
    """Raise D0611 for somebody's value with tables other than records in it: how many rows one has would stop the run."""
    if any(isinstance(part, t.Matrix) and part.rows != ONE for part in t.parts_of(inner)):
        raise wrong(name, type_, ": how many rows a table in it has is private, and would decide whether the run stops")


def refuse_column(value: object, element: t.Type, name: str, *, looks_at_cells: bool = True) -> None:
    """Raise D0618 for a set that is given as an array of a type that one element may have decided for all."""
    column = t.Matrix(Norm.LINF, None, None, t.Uniform(ONE, element))
    if flat(column) is None and isinstance(inner_type(element), CELLS):
        spec = _spec(element, None, name, column, KindScope())
        refuse_array(value, spec, visible(name), looks_at_cells=looks_at_cells)


# ---------------------------------------------------------------------------------------------------------------------
# Tables


def bound_matrix(value: object, type_: t.Matrix, name: str, kinds: KindScope, reading: Reading) -> MatrixValue:
    """A table or a matrix, of the kinds of cells that its type declares; sizes and bounds are verified by `verify`."""
    persons = persons_of(type_)
    if persons is not None:
        return bound_persons(value, persons, name, kinds, reading)
    parts = parts_of(type_, name)
    if parts is not None:
        return folded(bound_matrix(value, parts, name, kinds, evolve(reading, streamable={})), type_)
    value = as_table(value, type_, reading)
    stream = stream_in(value, type_, name, kinds, reading)
    if stream is not None and reading.streams:
        return stream.table()
    try:
        table = read_table(value, type_, name, kinds, reading)
        return matrix_of_table(table, type_, by_rows=name in reading.sampled)
    except DuetError as error:
        if stream is None or error.diagnostics[0].code != TOO_LARGE:
            raise
    return stream.table()


def as_table(value: object, type_: t.Matrix, reading: Reading) -> object:
    """What is given for a table, as `read_table` takes it."""
    # Python has no way through a memory view of two dimensions.
    return as_columns(np.asarray(value) if isinstance(value, memoryview) else value, type_, is_total=reading.is_total)


def bound_persons(value: object, persons: Persons, name: str, kinds: KindScope, reading: Reading) -> MatrixValue:
    """A table of persons, from data for each file."""
    data = persons_data(value, persons, name)
    owners = owners_in(persons, data, reading)
    own = evolve(reading, rows=None, most=None, streamable={})
    streams = streams_of_persons(data, persons, name, kinds, reading)
    lines = {file: stream.once(partial(reading_file, file)) for file, stream in (streams or {}).items()}
    if lines and reading.streams:
        return sorted_persons(lines, owners, persons)
    tables: dict[str, list[Table]] = {}
    try:
        for file in persons.names:
            type_ = file_type(persons, file, data.columns[file])
            rule = evolve(own, identifier=data.columns[file])
            with reading_file(file):
                tables[file] = [read_table(as_table(data.files[file], type_, rule), type_, file, kinds, rule)]
    except DuetError as error:
        if not lines or error.diagnostics[0].code != TOO_LARGE:
            raise
        return sorted_persons(lines, owners, persons)
    return sorted_persons(tables, owners, persons, is_kept=True)


def streams_of_persons(
    data: PersonsData, persons: Persons, name: str, kinds: KindScope, reading: Reading
) -> dict[str, Stream] | None:
    """The rows of each file of a table of persons; None where the table has to be kept."""
    if name not in reading.streamable:
        return None
    own = evolve(reading, rows=None, most=None, streamable=dict.fromkeys(persons.names))
    types = {file: file_type(persons, file, data.columns[file]) for file in persons.names}
    found = {
        file: stream_in(data.files[file], type_, file, kinds, evolve(own, identifier=data.columns[file]))
        for file, type_ in types.items()
    }
    streams = {file: stream for file, stream in found.items() if stream is not None}
    return streams if len(streams) == len(found) else None


def parts_of(type_: t.Matrix, name: str) -> t.Matrix | None:
    """The type with a column for each part of each cell; None where no cell has parts, and D0611 where nothing would hold a
    part to what it promises."""
    parts = flat(type_)
    if parts is not None and (
        is_bounded(type_) or any(isinstance(inner_type(part), VERIFIED) for part in parts.column_types())
    ):
        raise wrong(
            name, type_, ": the types of parts of its cells promise certain numbers, or rows of a certain length"
        )
    return parts


def read_table(value: object, type_: t.Matrix, name: str, kinds: KindScope, reading: Reading) -> Table:
    """The cells: of a file, or of anything that `from_arrays` takes."""
    specs = column_specs(type_, name, kinds, reading)
    selection: Selection | None = None
    if isinstance(value, DataArgument):
        selection, value = value.selection, value.path
    if isinstance(value, DataFile):
        value = value.path
    reading = evolve(reading, has_public_rows=type_.rows is not None)
    if isinstance(value, str | PathLike):
        return read_file(path_of(value), specs, selection, reading, _most_rows(type_, kinds, reading))
    if is_source(value):
        return passed(value, visible(name)).read(specs, selection, reading, None)
    is_empty = reading.may_be_empty and type_.rows is None and isinstance(value, Sized) and len(value) == 0
    rule: BadRowRule = "default" if is_empty else reading.on_bad_row
    if is_empty and isinstance(specs, ColumnSpec) and reading.on_bad_row == "refuse":
        specs = [specs]
    return from_arrays(
        value,
        specs,
        visible(name),
        selection,
        rule,
        reading.block_rows,
        holds_types=reading.holds_types,
        by_rows=name in reading.sampled,
    )


def _most_rows(type_: t.Matrix, kinds: KindScope, reading: Reading) -> int | None:
    """How many rows a file has at most, where something else than its lines says so."""
    known = None if type_.rows is None else known_number(type_.rows, kinds)
    return int(known) if reading.rows is None and known is not None else reading.rows


def stream_in(value: object, type_: t.Matrix, name: str, kinds: KindScope, reading: Reading) -> Stream | None:
    """The rows of a table as they are read again for each pass; None where they have to be kept, which no row decides: what a type
    promises of rows is verified of the whole table, and texts that share the memory are those of a table that fits."""
    selection = value.selection if isinstance(value, DataArgument) else None
    path = value.path if isinstance(value, DataArgument | DataFile) else value
    is_plain = type_.clip is None and flat(type_) is None and persons_of(type_) is None
    if name not in reading.streamable or not is_plain or not (isinstance(path, str | PathLike) or is_source(path)):
        return None
    rule = evolve(reading, has_public_rows=type_.rows is not None)
    specs = column_specs(type_, name, kinds, reading)
    columns = [specs] if isinstance(specs, ColumnSpec) else specs
    if any(isinstance(inner_type(element), VERIFIED) for element in column_types(type_, len(columns))):
        return None
    if rule.room.is_public and any(column.kind is Kind.TEXT for column in columns):
        return None
    most = _most_rows(type_, kinds, reading)
    source = opened(path_of(path)) if isinstance(path, str | PathLike) else passed(path, visible(name))
    made = partial(matrix_of_table, type_=type_)
    return stream_of(source, specs, selection, rule, most, made, reading.streamable[name])


def separators_of(value: object, type_: t.Type, name: str, kinds: KindScope, reading: Reading) -> dict[str, str]:
    """What stands between the cells of each file of lines that a table was read from, by the name of the table; for a table of
    persons, by the names of its files."""
    while isinstance(type_, t.Disc | t.Box):
        type_ = type_.inner
    if not isinstance(type_, t.Matrix):
        return {}
    persons = persons_of(type_)
    if persons is not None:
        data = persons_data(value, persons, name)
        types = {file: file_type(persons, file, data.columns[file]) for file in persons.names}
        found = {file: _separator_of(data.files[file], types[file], file, kinds, reading) for file in persons.names}
    else:
        found = {name: _separator_of(value, type_, name, kinds, reading)}
    return {file: separator for file, separator in found.items() if separator is not None}


def _separator_of(value: object, type_: t.Matrix, name: str, kinds: KindScope, reading: Reading) -> str | None:
    """What stands between the cells of one file of lines; None of anything else."""
    selection = value.selection if isinstance(value, DataArgument) else None
    path = value.path if isinstance(value, DataArgument | DataFile) else value
    if not isinstance(path, str | PathLike):
        return None
    source = opened(path_of(path))
    specs = column_specs(parts_of(type_, name) or type_, name, kinds, reading)
    return source.separator(specs, selection, reading) if isinstance(source, Lines) else None


def column_specs(type_: t.Matrix, name: str, kinds: KindScope, reading: Reading) -> list[ColumnSpec] | ColumnSpec:
    """What the columns hold, which cells are missing values, and which one says whose a line is; one declaration for all where the
    type says only 'n columns', and n is up to the data."""
    match type_.schema:
        case t.Uniform(count, element):
            spec = with_default(_spec(element, None, name, type_, kinds, reading.missing), type_.schema.default)
            number = known_number(count, kinds)
            if number is not None and number > MOST_COLUMNS:
                raise refuse(
                    SIZES, f"{visible(name)} would have more columns than a line can have ({MOST_COLUMNS})", "set fewer"
                )
            return spec if number is None else [spec] * int(number)
        case t.Columns(columns):
            specs = [
                with_default(_spec(column.type, column.name, name, type_, kinds, reading.missing), column.default)
                for column in columns
            ]
            who = reading.identifier
            return [evolve(spec, identifies=True) if who is not None and spec.name == who else spec for spec in specs]
        case _:
            raise wrong(name, type_)


def with_default(spec: ColumnSpec, default: Fraction | bool | None) -> ColumnSpec:
    """A column with the default that its type declares."""
    if default is None or isinstance(default, bool):
        return evolve(spec, default=default)
    return evolve(spec, default=to_double(default) if spec.kind is Kind.REAL else int(default))


def known_number(quantity: Quantity, kinds: KindScope) -> Fraction | None:
    """The number that a quantity is, or None while its variables have no numbers; raises `DuetError` D0501 where it is beyond
    all that can be computed: a size that nothing can be compared with is no size that a table has."""
    return kinds.above(quantity, None) if kinds.knows(quantity.variables()) else None


def _spec(
    element: t.Type,
    column: str | None,
    name: str,
    type_: t.Matrix,
    kinds: KindScope,
    missing: frozenset[str] = frozenset(),
) -> ColumnSpec:
    match element:
        case t.Maybe(inner):
            marked = NO_CELL | {marker.encode() for marker in missing}
            return evolve(_spec(inner, column, name, type_, kinds), missing=marked)
        case t.Disc(inner):
            return _spec(inner, column, name, type_, kinds)
        case t.Real() | t.StaticReal():
            return ColumnSpec(column, Kind.REAL)
        case t.Bounded():
            return ColumnSpec(column, Kind.REAL, within=ends_in_doubles(element))
        case t.Nat() | t.StaticNat():
            return ColumnSpec(column, Kind.NAT)
        case t.Idx(size):
            below = known_number(size, kinds)
            return ColumnSpec(column, Kind.NAT, below=None if below is None else int(below))
        case t.Bool():
            return ColumnSpec(column, Kind.BOOL)
        case t.Str():
            return ColumnSpec(column, Kind.TEXT)
        case t.Date():
            return ColumnSpec(column, Kind.DATE)
        case _:
            raise wrong(name, type_, ": its cells are not numbers, truth values, dates or texts")
