"""Matrices seen otherwise: as entries, as rows, as columns; and the forms that take one apart without evaluating anything:
indexing, updating, columns by name, batches, joins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

from duetpy.runtime.exact import rationals
from duetpy.runtime.exact.rationals import Doubles, Mask, Numbers, rounded
from duetpy.runtime.values.batching import (
    Index,
    copied,
    counted,
    evolve_matrix,
    join,
    lane,
    lanes_in,
    slice_rows,
    sort_key,
    spread,
    stack,
    take,
    take_rows,
)
from duetpy.runtime.values.choosing import select
from duetpy.runtime.values.empty_batch import of_nobody
from duetpy.runtime.values.values import (
    Apart,
    Dates,
    MatrixValue,
    Missing,
    MissingLanes,
    Ragged,
    SetLanes,
    SetValue,
    Store,
    Texts,
    Truths,
    Value,
    matrix_of_columns,
)

Codes: TypeAlias = "NDArray[np.signedinteger]"
"""For each row the place of its key among some keys, or -1."""

ZERO = Fraction(0)

WHOLE_DOUBLES = 2.0**53
"""Below it, every whole number is a double (IEEE 754, binary64)."""


def matrix(value: Value) -> MatrixValue:
    if isinstance(value, Apart):
        raise Ragged
    assert isinstance(value, MatrixValue), "the checker lets only a matrix through"
    return value


def parents(source: MatrixValue) -> Index:
    """For every stored row the lane that it belongs to."""
    return np.repeat(np.arange(counted(source.lanes)), source.rows)


def entries(source: MatrixValue) -> Value:
    """All entries as lanes, column after column."""
    if isinstance(source.store, Numbers):
        return source.store.each(lambda array: array.ravel(order="F"), (source.height * source.width,))
    return join([source.column(at) for at in range(source.width)])


def from_entries(value: Value, source: MatrixValue) -> MatrixValue:
    """Laned values in the order of `entries`, as a matrix of the shape of the source."""
    shape = (source.height, source.width)
    if isinstance(value, Numbers):
        grid = value.each(lambda array: array.reshape(shape, order="F"), shape)
        return MatrixValue(source.rows, grid, lanes=source.lanes)
    columns = [take(value, np.arange(at * shape[0], (at + 1) * shape[0])) for at in range(shape[1])]
    return matrix_of_columns(columns, source.rows, source.lanes)


def from_rows(value: Value, source: MatrixValue) -> MatrixValue:
    """One laned value a row of the source: rows of a matrix as they are, anything else as one column."""
    if isinstance(value, MatrixValue):
        return evolve_matrix(value, value.store, source.rows, source.lanes)
    return matrix_of_columns([value], source.rows, source.lanes)


def one_column(source: MatrixValue, at: int) -> MatrixValue:
    """One column as a matrix."""
    return matrix_of_columns([source.column(at)], source.rows, source.lanes)


def row_of(source: MatrixValue, at: int) -> MatrixValue:
    """One row, by its number inside the lane."""
    if source.lanes is None:
        return slice_rows(source, at, at + 1)
    if source.rows == 1:
        return source
    index = np.arange(source.lanes) * source.rows + at
    return evolve_matrix(source, take_rows(source.store, index), 1, source.lanes)


# ---------------------------------------------------------------------------------------------------------------------
# Indexing


def _inside(index: Value, size: int) -> int | Index:
    """An index brought into range."""
    if isinstance(index, Numbers):
        return np.clip(rounded(index), 0.0, float(max(size - 1, 0))).astype(np.intp)
    assert isinstance(index, int)
    return min(max(index, 0), max(size - 1, 0))


def entry(source: MatrixValue, row: Value, column: Value) -> Value:
    """``e#[i, j]``."""
    place = _inside(column, source.width)
    if isinstance(place, int):
        return _in_column(source, source.column(place), _inside(row, source.rows))
    result = entry(source, row, 0)
    for at in range(1, source.width):
        result = select(place == at, entry(source, row, at), spread(result, len(place)))
    return result


def _in_column(source: MatrixValue, column: Value, row: int | Index) -> Value:
    if source.rows == 0:
        return nothing(column)
    if source.lanes is None:
        return lane(column, row) if isinstance(row, int) else take(column, row)
    if source.rows == 1:
        return column
    return take(column, np.arange(source.lanes) * source.rows + row)


def nothing(column: Value) -> Value:
    """What stands for an entry of a table without rows."""
    match column:
        case Numbers():
            return 0 if column.is_natural else ZERO
        case Truths():
            return False
        case Texts():
            return ""
        case Dates():
            return date.min
        case tuple():
            return (nothing(column[0]), nothing(column[1]))
        case MissingLanes(_, held):
            return Missing(nothing(held))
        case SetLanes() | Apart(_, SetValue()):
            return SetValue(())
        case Apart(_, MatrixValue() as once):
            return slice_rows(once, 0, 0)  # of any number of rows
        case _:
            return lane(of_nobody(column, 1), 0)


def whole_row(source: MatrixValue, row: Value) -> MatrixValue:
    """``e#[i]``."""
    place = _inside(row, source.rows)
    if source.rows == 0:
        columns = [spread(nothing(source.column(at)), counted(source.lanes)) for at in range(source.width)]
        return matrix_of_columns(columns, 1, source.lanes, source.names)
    if isinstance(place, int):
        return row_of(source, place)
    index = place if source.lanes is None else np.arange(source.lanes) * source.rows + place
    return evolve_matrix(source, take_rows(source.store, index), 1, len(index))


def updated(source: MatrixValue, row: Value, column: Value, value: Value) -> MatrixValue:
    """``e#[i, j ↦ v]``; the bound on the rows is lost."""
    if source.rows == 0:
        return source
    at, place = _inside(row, source.rows), _inside(column, source.width)
    lanes = source.lanes if source.lanes is not None else _common_lanes(at, place, value)
    if lanes is not None and source.lanes is None:
        source = matrix(copied(source, lanes))
    if not isinstance(place, int):
        raise Ragged
    if lanes is None and isinstance(at, int) and not _has_one_shape(source.column(place)):
        cells = [lane(source.column(place), row) for row in range(source.rows)]
        cells[at] = value
        columns = [stack(cells) if number == place else source.column(number) for number in range(source.width)]
        return matrix_of_columns(columns, source.rows, None, source.names)
    own = np.tile(np.arange(source.rows), counted(lanes))
    wanted = at if isinstance(at, int) else np.repeat(at, source.rows)
    where: Mask = np.asarray(own == wanted, dtype=np.bool_)
    if lanes is None:
        spelled = spread(value, source.rows)  # of one table, and no lanes of which there could be fewer at a time
    else:
        spelled = take(value, parents(source)) if lanes_in(value) is not None else value
    changed = select(where, spelled, source.column(place))
    columns = [changed if number == place else source.column(number) for number in range(source.width)]
    return matrix_of_columns(columns, source.rows, source.lanes, source.names)


def _has_one_shape(column: Value) -> bool:
    """Whether any two cells can be chosen from, whatever they hold: not sets, tables, sides of sums or functions."""
    if isinstance(column, MissingLanes):
        return _has_one_shape(column.held)
    if isinstance(column, tuple):
        return _has_one_shape(column[0]) and _has_one_shape(column[1])
    return isinstance(column, Numbers | Truths | Texts | Dates)


def _common_lanes(at: int | Index, place: int | Index, value: Value) -> int | None:
    if not isinstance(at, int):
        return len(at)
    if not isinstance(place, int):
        return len(place)
    return lanes_in(value)


# ---------------------------------------------------------------------------------------------------------------------
# Columns by name


def chosen_columns(source: MatrixValue, positions: tuple[int, ...], names: tuple[str, ...]) -> MatrixValue:
    """``xs.[a, b]``, which are at these positions: no row gets longer, so the bound stays."""
    store: Store
    if isinstance(source.store, Numbers):
        shape = (source.height, len(positions))
        store = source.store.each(lambda array: np.asfortranarray(array[:, list(positions)]), shape)
    else:
        store = tuple(source.store[position] for position in positions)
    return MatrixValue(source.rows, store, names, source.lanes)


# ---------------------------------------------------------------------------------------------------------------------
# Batches


def chunks(size: Value, sources: Sequence[Value]) -> MatrixValue:
    """``chunks[b, xs]``: a column of matrices of b rows each; the store is that of the table."""
    assert isinstance(size, int)
    batches: list[Value] = []
    lanes = lanes_in(*sources)
    # A table that is the same in every lane is combined with one that is not: each lane has its own batches of both.
    tables = [matrix(source if lanes is None else copied(source, lanes)) for source in sources]
    number = tables[0].rows // size
    for table in tables:
        full = slice_rows(table, 0, number * size) if table.lanes is None else table
        if table.lanes is not None and table.rows != number * size:
            raise Ragged
        batches.append(evolve_matrix(full, full.store, size, number * counted(lanes)))
    element = batches[0] if len(batches) == 1 else (batches[0], batches[1])
    return MatrixValue(number, (element,), None, lanes)


def partitioned(source: MatrixValue, at: int, keys: Value) -> MatrixValue:
    """``partitionDF[xs, a, keys]``: a column of tables, one for each key in the order of the set."""
    if source.lanes is not None or not isinstance(keys, SetValue):
        raise Ragged
    codes = codes_of(source.column(at), source.rows, keys.elements)
    parts = parts_of(source, codes, len(keys.elements))
    return MatrixValue(len(parts), (Apart(tuple(parts), slice_rows(source, 0, 0)),))


def with_column(value: Value, name: str) -> MatrixValue:
    """``addColDF⧼a⧽ e``: a record with one column more, a table whose one column has a name, a record of one column."""
    match value:
        case (MatrixValue() as record, added):
            columns = [record.column(at) for at in range(record.width)]
            names = (*(record.names or (None,) * record.width), name)
            lanes = lanes_in(record, added)
            if lanes is not None and record.lanes is None:
                columns = [spread(lane(column, 0), lanes) for column in columns]
            return matrix_of_columns([*columns, spread(added, counted(lanes))], 1, lanes, names)
        case MatrixValue():
            return MatrixValue(value.rows, value.store, (name,), value.lanes)
        case _:
            lanes = lanes_in(value)
            return matrix_of_columns([spread(value, counted(lanes))], 1, lanes, (name,))


def record_of(names: tuple[str, ...], values: Sequence[Value]) -> MatrixValue:
    """``{ a = e, b = e′ }``: a record of values."""
    lanes = lanes_in(*values)
    return matrix_of_columns([spread(value, counted(lanes)) for value in values], 1, lanes, names)


def codes_of(values: Value, lanes: int, elements: Sequence[Value]) -> Codes:
    """For every lane the position of the first element that is equal to it, or -1; of a missing value -1, whatever the elements
    are."""
    first: dict[object, int] = {}
    for position, element in enumerate(elements):
        if not isinstance(element, Missing):
            first.setdefault(sort_key(element), position)
    if not first or not lanes:
        return np.full(lanes, -1, dtype=np.intp)
    match values:
        case MissingLanes(is_there, held):
            return np.where(is_there, codes_of(held, lanes, elements), -1)
        case Numbers():
            return _places_of_keys(values, {at: _number(elements[at]) for at in first.values()})
        case Texts(texts):
            by_text = {str(elements[at]): at for at in first.values()}
            return np.array([by_text.get(text, -1) for text in texts.tolist()], dtype=np.intp)
        case Dates(days):
            by_day = {key.toordinal(): at for at in first.values() if isinstance(key := elements[at], date)}
            return _places_of_days(days, by_day)
        case _:
            return np.array([first.get(sort_key(lane(values, at)), -1) for at in range(lanes)], dtype=np.intp)


def _places_of_days(days: NDArray[np.int64], keys: dict[int, int]) -> Codes:
    """For every day the place of the key that is equal to it, or -1."""
    if not keys:
        return np.full(len(days), -1, dtype=np.intp)
    listed = np.array(sorted(keys), dtype=np.int64)
    places = np.array([keys[day] for day in sorted(keys)], dtype=np.intp)
    at = np.minimum(np.searchsorted(listed, days), len(listed) - 1)
    return np.where(listed[at] == days, places[at], -1)


def _places_of_keys(values: Numbers, keys: dict[int, int | Fraction]) -> Codes:
    """For every number the place of the first key that is equal to it, or -1: as `duetpy.runtime.values.comparing.equal` has it,
    so natural numbers as they are, and others as the nearest doubles."""
    is_exact = values.is_natural and all(isinstance(key, int) for key in keys.values())
    nearest = {at: rationals.to_double(key) for at, key in keys.items()}
    as_doubles = {at: double for at, double in nearest.items() if not is_exact or double == keys[at]}
    numbers = rounded(values)
    found = _places_of_doubles(as_doubles, numbers, _codes_type(max(keys) + 1), are_whole=values.is_natural)
    if is_exact and values.doubles is None:
        # Below it, a whole number is the double nearest to it.
        exact = {key: at for at, key in keys.items()}
        for at in np.flatnonzero(numbers >= WHOLE_DOUBLES).tolist():
            found[at] = exact.get(values.exactly((at,)), -1)
    return found


def _places_of_doubles(
    keys: Mapping[int, float], values: Doubles, type_: type[np.signedinteger], *, are_whole: bool
) -> Codes:
    if not keys:
        return np.full(len(values), -1, dtype=type_)
    # Of keys that are one double the first.
    doubles, first = np.unique(list(keys.values()), return_index=True)
    places = np.array(list(keys), dtype=type_)[first]
    low, high = float(doubles[0]), float(doubles[-1])
    if high - low < _FEW and max(-low, high) < _WHOLE and bool(np.all(np.floor(doubles) == doubles)):
        return _places_in_list(places, doubles, values, are_whole=are_whole)
    result = np.empty(len(values), dtype=type_)
    for start in range(0, len(values), _AT_ONCE):
        part, codes = values[start : start + _AT_ONCE], result[start : start + _AT_ONCE]
        at = np.minimum(np.searchsorted(doubles, part), len(doubles) - 1)
        places.take(at, out=codes, mode="clip")
        codes[doubles.take(at, mode="clip") != part] = -1
    return result


def _places_in_list(places: Codes, doubles: Doubles, values: Doubles, *, are_whole: bool) -> Codes:
    """Whole numbers that lie close together are looked up in a list of all numbers between them and next to them, which takes no
    search."""
    below, above = float(doubles[0]) - 1.0, float(doubles[-1]) + 1.0
    listed = np.full(int(above - below) + 1, -1, dtype=places.dtype)
    listed[(doubles - below).astype(np.intp)] = places
    result = np.empty(len(values), dtype=places.dtype)
    near, beyond, at = np.empty(_AT_ONCE), np.empty(_AT_ONCE), np.empty(_AT_ONCE, dtype=np.intp)
    for start in range(0, len(values), _AT_ONCE):
        part, codes = values[start : start + _AT_ONCE], result[start : start + _AT_ONCE]
        near, beyond, at = near[: len(part)], beyond[: len(part)], at[: len(part)]
        np.clip(part, below, above, out=near)
        np.subtract(near, below, out=beyond)
        np.copyto(at, beyond, casting="unsafe")
        listed.take(at, out=codes, mode="clip")
        if not are_whole:
            codes[np.add(at, below, out=beyond) != near] = -1
    return result


def _codes_type(count: int) -> type[np.signedinteger]:
    """The type of so many codes and of -1. Short integers take little, and numpy sorts them by their digits, in linear time."""
    return np.int16 if count < 1 << 15 else np.intp


_AT_ONCE = 1 << 14
"""So many numbers are looked up at a time, in the processor's cache."""

_FEW = 1 << 16

_WHOLE = float(1 << 52)
"""Up to here doubles hold all whole numbers, and the next ones too."""


def _number(value: Value) -> int | Fraction:
    assert isinstance(value, int | Fraction)
    return value


@define(eq=False, repr=False)
class _Division:
    """The rows of a table by their code: they are counted at once, and put in order when the rows of a part are asked for."""

    source: MatrixValue
    codes: Codes
    ends: list[int]
    _order: Index | None = None

    def places(self, at: int) -> Index:
        order = self._order
        if order is None:
            # Two threads may both come here, and find the same.
            order = self._order = np.argsort(self.codes, kind="stable")
        return order[self.ends[at] : self.ends[at + 1]]


@frozen(eq=False, repr=False)
class _Part:
    """The recipe of the rows of one code."""

    division: _Division
    at: int

    def table(self, wanted: MatrixValue) -> MatrixValue:
        return self._rows_at(self.division.places(self.at))

    @property
    def is_streamed(self) -> bool:
        return False

    def count(self, wanted: MatrixValue) -> int:
        return self.division.ends[self.at + 1] - self.division.ends[self.at]

    def blank(self, wanted: MatrixValue) -> MatrixValue:
        return self._rows_at(np.empty(0, dtype=np.intp))

    def _rows_at(self, index: Index) -> MatrixValue:
        source = self.division.source
        return evolve_matrix(source, take_rows(source.store, index), len(index), None)


def parts_of(source: MatrixValue, codes: Codes, count: int) -> list[MatrixValue]:
    """The rows by their code, 0 … count - 1, each part in the order of the table; rows of code -1 are in none."""
    step = max(_AT_ONCE, count)
    counts = np.zeros(count + 1, dtype=np.intp)
    for start in range(0, len(codes), step):
        counts += np.bincount(codes[start : start + step] + 1, minlength=count + 1)
    ends = np.cumsum(counts).tolist()
    division = _Division(source.settle(), codes.astype(_codes_type(count), copy=False), ends)
    return [MatrixValue(None, None, recipe=_Part(division, at)) for at in range(count)]
