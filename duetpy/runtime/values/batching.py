"""Laned values taken apart and put together: gathering, joining, comparing.

A value without lanes counts for every lane, so these functions take it as it is; only where lanes have to be seen is it
spread out.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from duetpy.runtime.exact import linear_forms
from duetpy.runtime.exact.rationals import Numbers, constant, of_fractions, to_double
from duetpy.runtime.values.batch_size import cells_each, refuse_crowd
from duetpy.runtime.values.slices import Slices
from duetpy.runtime.values.values import (
    ABSENT,
    Apart,
    Closure,
    Dates,
    Functions,
    Injected,
    InjectedLanes,
    MatrixValue,
    Missing,
    MissingLanes,
    PrivacyClosure,
    Ragged,
    SetLanes,
    SetValue,
    Store,
    Texts,
    Truths,
    Value,
    dates_of,
    gathered,
    map_held,
    texts_of,
)

Index: TypeAlias = NDArray[np.intp]

FEW = set(range(64))
"""Sets of so many elements are kept side by side: each element takes an array."""


def lanes_in(*values: Value) -> int | None:
    """How many lanes values have, by the first that has any; None where none has."""
    for value in values:
        found = _lanes_of(value)
        if found is not None:
            return found
    return None


def _lanes_of(value: Value) -> int | None:
    match value:
        case Numbers():
            return value.shape[0]
        case Truths(truths):
            return len(truths)
        case Texts(texts):
            return len(texts)
        case Dates(days):
            return len(days)
        case Functions(functions):
            return len(functions)
        case Apart(values):
            return len(values)
        case InjectedLanes(is_left):
            return len(is_left)
        case MissingLanes(is_there):
            return len(is_there)
        case MatrixValue():
            return value.lanes
        case SetLanes(elements):
            return lanes_in(*elements)
        case tuple():
            return lanes_in(*value)
        case Injected(_, held):
            return lanes_in(held)
        case Closure():
            return lanes_in(*value.names.values(), *value.arguments)
        case PrivacyClosure():
            return lanes_in(*value.names.values())
        case _:
            return None


def counted(lanes: int | None) -> int:
    """How many values a number of lanes stands for: outside of row bodies there is one."""
    return 1 if lanes is None else lanes


def take(value: Value, index: Index) -> Value:
    """The lanes at the given positions, in that order; a value without lanes is itself."""
    match value:
        case Numbers():
            return value.take(index)
        case Truths(values):
            return Truths(values[index])
        case Texts(texts):
            return Texts(texts[index])
        case Dates(days):
            return Dates(days[index])
        case Functions(functions, once):
            return Functions(tuple(functions[at] for at in index.tolist()), functions[0] if functions else once)
        case Apart(several, once):
            if value is ABSENT:
                return value
            if isinstance(several, Slices):
                return Apart(several.taken(index), once)
            # These may have a shape in common although all of them had not.
            return (
                stack([several[at] for at in index.tolist()])
                if len(index)
                else Apart((), several[0] if several else once)
            )
        case InjectedLanes(is_left, left, right):
            return InjectedLanes(is_left[index], take(left, index), take(right, index))
        case MissingLanes(is_there, held):
            return MissingLanes(is_there[index], take(held, index))
        case MatrixValue() if value.lanes is not None:
            rows = (index[:, None] * value.rows + np.arange(value.rows)[None, :]).ravel()
            return evolve_matrix(value, take_rows(value.store, rows), value.rows, len(index))
        case _:
            return map_held(value, lambda held: take(held, index))


def take_rows(store: Store, index: Index) -> Store:
    """The stored rows at the given positions."""
    if isinstance(store, Numbers):
        return store.each(lambda array: gathered(array, index), (len(index), store.shape[1]))
    return tuple(take(column, index) for column in store)


def slice_rows(matrix: MatrixValue, start: int, stop: int) -> MatrixValue:
    """Consecutive rows of a matrix without lanes, as views."""
    store: Store
    if isinstance(matrix.store, Numbers):
        shape = (stop - start, matrix.width)
        store = matrix.store.each(lambda array: array[start:stop], shape)
    else:
        store = tuple(_slice(column, start, stop) for column in matrix.store)
    return evolve_matrix(matrix, store, stop - start, None)


def _slice(value: Value, start: int, stop: int) -> Value:
    match value:
        case Numbers():
            return value.each(lambda array: array[start:stop], (stop - start,))
        case Truths(values):
            return Truths(values[start:stop])
        case Texts(texts):
            return Texts(texts[start:stop])
        case Dates(days):
            return Dates(days[start:stop])
        case MissingLanes(is_there, held):
            return MissingLanes(is_there[start:stop], _slice(held, start, stop))
        case Apart() if value is ABSENT:
            return value
        case _:
            return take(value, np.arange(start, stop))


def evolve_matrix(matrix: MatrixValue, store: Store, rows: int, lanes: int | None) -> MatrixValue:
    """Other rows of a matrix, each of which it has: names stay."""
    return MatrixValue(rows, store, matrix.names, lanes)


def row_lanes(matrix: MatrixValue) -> MatrixValue:
    """The rows of a matrix as lanes of one row each: the same store, seen otherwise."""
    lanes = evolve_matrix(matrix, matrix.store, 1, matrix.height)
    lanes._columns = matrix._columns
    return lanes


def spread(value: Value, lanes: int) -> Value:
    """A value with lanes: itself where it has them already, else the same in every lane."""
    match value:
        case bool():
            return Truths(np.full(lanes, value))
        case int() | Fraction():
            return constant(value, (lanes,))
        case str():
            return texts_of([value] * lanes)
        case date():
            return dates_of([value] * lanes)
        case tuple():
            return (spread(value[0], lanes), spread(value[1], lanes))
        case SetValue(elements) if elements:
            return SetLanes(tuple(spread(element, lanes) for element in elements))
        case SetValue():
            return Apart((value,) * lanes, value)  # lanes of no elements would be no lanes
        case Injected(is_left, held):
            return Injected(is_left, spread(held, lanes))
        case Missing(blank):
            return MissingLanes(np.zeros(lanes, dtype=np.bool_), spread(blank, lanes))
        case MatrixValue() if value.lanes is None:
            index = np.tile(np.arange(value.rows), lanes)
            return evolve_matrix(value, take_rows(value.store, index), value.rows, lanes)
        case Closure():
            functions = [lane(value, at) for at in range(lanes)]
            return Functions(tuple([each for each in functions if isinstance(each, Closure)]), None if lanes else value)
        case _:
            return value


def copied(value: Value, lanes: int) -> Value:
    """A value with lanes, inside a row body: `Ragged` where copies of it for so many lanes would be a crowd."""
    if lanes_in(value) is None:
        refuse_crowd(lanes, cells_each(value))
    return spread(value, lanes)


def lane(value: Value, at: int) -> Value:
    """One lane, as a value without lanes."""
    match value:
        case Numbers():
            return _number(value, at)
        case Truths(values):
            return bool(values[at])
        case Texts(texts):
            return str(texts[at])
        case Dates(days):
            return date.fromordinal(int(days[at]))
        case Functions(functions):
            return functions[at]
        case Apart(several):
            return several[at]
        case SetLanes(elements):
            return set_of([lane(element, at) for element in elements])
        case InjectedLanes(is_left, left, right):
            return Injected(bool(is_left[at]), lane(left if is_left[at] else right, at))
        case MissingLanes(is_there, held):
            return lane(held, at) if is_there[at] else Missing(lane(held, at))
        case MatrixValue() if value.lanes is not None:
            rows = np.arange(at * value.rows, (at + 1) * value.rows)
            return evolve_matrix(value, take_rows(value.store, rows), value.rows, None)
        case _:
            return map_held(value, lambda held: lane(held, at))


def _number(value: Numbers, at: int) -> int | Fraction:
    number = value.exactly((at,))
    if value.is_natural and number.denominator == 1:
        return number.numerator
    return number


def stack(values: Sequence[Value]) -> Value:
    """Values without lanes as the lanes of one; the opposite of `lane`."""
    first = values[0]
    if any(isinstance(value, Missing) for value in values):
        is_there = np.array([not isinstance(value, Missing) for value in values], dtype=np.bool_)
        return MissingLanes(is_there, stack([value.blank if isinstance(value, Missing) else value for value in values]))
    match first:
        case bool():
            return Truths(np.array([value is True for value in values], dtype=np.bool_))
        case int():
            naturals = [value for value in values if isinstance(value, int)]
            return of_fractions(naturals, (len(values),), natural=True)
        case Fraction():
            reals = [Fraction(value) for value in values if isinstance(value, int | Fraction)]
            return of_fractions(reals, (len(values),))
        case str():
            return texts_of([value for value in values if isinstance(value, str)])
        case date():
            return dates_of([value for value in values if isinstance(value, date)])
        case Closure():
            return Functions(tuple(value for value in values if isinstance(value, Closure)))
        case SetValue() if {len(value.elements) for value in values if isinstance(value, SetValue)} - FEW:
            return Apart(tuple(values))
        case _:
            try:
                return _joined([spread(value, 1) for value in values])
            except Ragged:
                return Apart(tuple(values))


def join(parts: Sequence[Value]) -> Value:
    """Laned values one after another, `Apart` where they are not of one shape."""
    try:
        return _joined(parts)
    except Ragged:
        lanes = [lanes_in(part) for part in parts]
        if any(found is None for found in lanes):
            raise
        each = zip(parts, lanes, strict=True)
        together = tuple(lane(part, at) for part, found in each for at in range(counted(found)))
        return Apart(together, next((part.once for part in parts if isinstance(part, Apart)), None))


def _joined(parts: Sequence[Value]) -> Value:
    first = parts[0]
    if len(parts) == 1 or all(part is ABSENT for part in parts):
        return first
    if any(isinstance(part, MissingLanes) for part in parts):
        maybe = [as_missing(part, counted(lanes_in(part))) for part in parts]
        there = np.concatenate([part.is_there for part in maybe])
        return MissingLanes(there, _joined([part.held for part in maybe]))
    if any(type(part) is not type(first) for part in parts):
        raise Ragged
    match first:
        case Numbers():
            return linear_forms.joined([part for part in parts if isinstance(part, Numbers)])
        case Truths():
            return Truths(np.concatenate([part.values for part in parts if isinstance(part, Truths)]))
        case Texts():
            return Texts(np.concatenate([part.values for part in parts if isinstance(part, Texts)]))
        case Dates():
            return Dates(np.concatenate([part.values for part in parts if isinstance(part, Dates)]))
        case Functions():
            functions = [part for part in parts if isinstance(part, Functions)]
            every = tuple(one for part in functions for one in part.values)
            return Functions(every, next((part.once for part in functions if part.once is not None), None))
        case tuple():
            pairs = [part for part in parts if isinstance(part, tuple)]
            return (join([pair[0] for pair in pairs]), join([pair[1] for pair in pairs]))
        case MatrixValue():
            return join_matrices([part for part in parts if isinstance(part, MatrixValue)])
        case SetLanes(elements):
            sets = [part.elements for part in parts if isinstance(part, SetLanes)]
            if any(len(each) != len(elements) for each in sets):
                raise Ragged
            return SetLanes(tuple(join([each[at] for each in sets]) for at in range(len(elements))))
        case InjectedLanes():
            return _join_sides([part for part in parts if isinstance(part, InjectedLanes)])
        case Apart(Slices() as slices, once):
            others = [part.values for part in parts[1:] if isinstance(part, Apart) and isinstance(part.values, Slices)]
            if len(others) + 1 < len(parts):
                raise Ragged
            return Apart(slices.followed_by(others, join_matrices), once)
        case _:
            raise Ragged


def _join_sides(parts: Sequence[InjectedLanes]) -> InjectedLanes:
    def joined(sides: Sequence[Value]) -> Value:
        absent = sum(side is ABSENT for side in sides)
        if 0 < absent < len(sides):
            raise Ragged
        spelled = (spread(side, len(part.is_left)) for side, part in zip(sides, parts, strict=True))
        return ABSENT if absent else _joined(list(spelled))

    left, right = joined([part.left for part in parts]), joined([part.right for part in parts])
    return InjectedLanes(np.concatenate([part.is_left for part in parts]), left, right)


def join_matrices(parts: Sequence[MatrixValue]) -> MatrixValue:
    """Matrices one below another; with lanes, lanes one after another."""
    first = parts[0]
    has_lanes = first.lanes is not None
    if any(part.width != first.width or (has_lanes and part.rows != first.rows) for part in parts):
        raise Ragged
    store: Store
    stores = [part.store for part in parts]
    grids = [store for store in stores if isinstance(store, Numbers)]
    if len(grids) == len(parts):
        store = linear_forms.joined(grids)
    else:
        store = tuple(join([part.column(at) for part in parts]) for at in range(first.width))
    lanes = sum(counted(part.lanes) for part in parts) if has_lanes else None
    rows = first.rows if has_lanes else sum(part.rows for part in parts)
    return MatrixValue(rows, store, first.names, lanes)


def as_missing(value: Value, lanes: int) -> MissingLanes:
    """A value of τ? as lanes of which each may be missing."""
    laned = spread(value, lanes)
    return laned if isinstance(laned, MissingLanes) else MissingLanes(np.ones(lanes, dtype=np.bool_), laned)


# ---------------------------------------------------------------------------------------------------------------------
# Comparing


def sort_key(value: Value) -> Any:
    """A key under which equal values are equal, and by which sets are ordered. Reals count as the nearest doubles."""
    match value:
        case bool():
            return (0, value)
        case int():
            return (1, value)
        case Fraction():
            return (2, to_double(value))
        case str():
            return (3, value)
        case date():
            return (9, value.toordinal())
        case tuple():
            return (4, sort_key(value[0]), sort_key(value[1]))
        case SetValue(elements):
            return (5, len(elements), _keys_in(elements))
        case Injected(is_left, held):
            return (6, not is_left, sort_key(held))
        case Missing():
            return (-1,)
        case MatrixValue() if value.lanes is None:
            cells = tuple(
                sort_key(lane(value.column(at), row)) for at in range(value.width) for row in range(value.rows)
            )
            return (7, value.rows, value.width, cells)
        case _:
            return (8, id(value))


def _keys_in(elements: Sequence[Value]) -> tuple[Any, ...]:
    """The keys of the elements of a set, which are in order. Of days that follow one another it is the first one alone: two cells
    of a row may be the ends of millions. Among sets of as many days that begin with it these are the least, as is their key.
    """
    first, last = (elements[0], elements[-1]) if len(elements) else (None, None)
    if isinstance(first, date) and isinstance(last, date) and last.toordinal() - first.toordinal() == len(elements) - 1:
        return (sort_key(first),)
    return tuple(sort_key(element) for element in elements)


def set_of(values: Sequence[Value]) -> SetValue:
    """A set of values: each once, in order."""
    by_key = {sort_key(value): value for value in reversed(values)}
    return SetValue(tuple(by_key[key] for key in sorted(by_key)))
