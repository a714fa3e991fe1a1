"""Which numbers of a row body's result are discrete, by its type.

Contract. Arithmetic on discrete numbers in lanes rounds to doubles; on single ones it does not. How a row was computed is a
function of that row, but whether an array of numbers rounds from here on is one for all its lanes: it is what the type says, and
not what came of one of them. So the results of maps are marked before they are put together. Where a type does not say it
(that of a type variable, or another at each use), numbers are not discrete ones: they keep their values, and what is computed
of them is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from attrs import evolve, frozen

from duetpy.runtime.exact.rationals import Numbers, plain, rounded, to_double
from duetpy.runtime.values.values import (
    Apart,
    Discrete,
    DiscreteNatural,
    Injected,
    InjectedLanes,
    MatrixValue,
    Store,
    Value,
    matrix_of_columns,
)
from duetpy.typecheck import types as t


@frozen
class Parts:
    """The marks of a pair, of the two sides of a sum, or of the columns of a table: of all by one, or of each."""

    marks: tuple[Marks, ...]


Marks: TypeAlias = "bool | Parts"


def marks_of(type_: t.Type) -> Marks:
    """Whether a type is that of discrete numbers, or which of its parts are."""
    match type_:
        case t.Disc(inner):
            while isinstance(inner, t.Disc):
                inner = inner.inner
            return isinstance(inner, t.Real | t.Nat | t.Idx | t.StaticReal | t.StaticNat)
        case t.Product(left, right) | t.With(left, right) | t.Sum(left, right):
            return _parts([left, right])
        case t.Box(_, inner):
            return marks_of(inner)
        case t.Matrix():
            return _parts(type_.column_types())
        case _:
            return False


def _parts(types: Sequence[t.Type]) -> Marks:
    marks = tuple(marks_of(part) for part in types)
    return Parts(marks) if any(mark is not False for mark in marks) else False


def marked(value: Value, types: Sequence[t.Type]) -> Value:
    """A value with its discrete numbers marked where all of its types say the same of them, and without marks elsewhere."""
    found = {marks_of(type_) for type_ in types}
    return _marked(value, found.pop() if len(found) == 1 else False)


def _marked(value: Value, marks: Marks) -> Value:
    match value, marks:
        case Numbers(), False:
            return evolve(value, is_discrete=False) if value.is_discrete else value
        case DiscreteNatural(), False:
            return int(value)
        case Discrete(), False:
            return Fraction(value)
        case Numbers(), True:
            return value if value.is_discrete else plain(rounded(value), natural=value.is_natural, discrete=True)
        case int(), True:
            return DiscreteNatural(value)
        case Fraction(), True:
            return Discrete(to_double(value))
        case tuple(), _:
            first, second = _each(marks, 2)
            return (_marked(value[0], first), _marked(value[1], second))
        case Injected(is_left, held), _:
            first, second = _each(marks, 2)
            return Injected(is_left, _marked(held, first if is_left else second))
        case InjectedLanes(is_left, left, right), _:
            first, second = _each(marks, 2)
            return InjectedLanes(is_left, _marked(left, first), _marked(right, second))
        case Apart(values, once), _ if values:
            return Apart(tuple(_marked(each, marks) for each in values), once)
        case MatrixValue(), _:
            return _marked_table(value, _each(marks, value.width))
        case _:
            return value


def _each(marks: Marks, parts: int) -> tuple[Marks, ...]:
    """The marks of each part; one for all stands for that of every one."""
    if not isinstance(marks, Parts):
        return (marks,) * parts
    return marks.marks * parts if len(marks.marks) == 1 else marks.marks


def _marked_table(table: MatrixValue, each: tuple[Marks, ...]) -> MatrixValue:
    store: Store
    if isinstance(table.store, Numbers) and all(mark is True for mark in each):
        if table.store.is_discrete:
            return table
        store = plain(np.asfortranarray(rounded(table.store)), natural=table.store.is_natural, discrete=True)
    elif isinstance(table.store, Numbers) and all(mark is False for mark in each):
        if not table.store.is_discrete:
            return table
        store = evolve(table.store, is_discrete=False)
    else:
        before = [table.column(at) for at in range(table.width)]
        columns = [_marked(column, mark) for column, mark in zip(before, each, strict=True)]
        if all(one is other for one, other in zip(before, columns, strict=True)):
            return table
        store = matrix_of_columns(columns, table.rows, table.lanes).store
    made = MatrixValue(table.rows, store, table.names, table.lanes, table.clip)
    made.clip_is_static = table.clip_is_static
    return made
