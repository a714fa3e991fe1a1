"""Values compared, alone or lane by lane, and what follows from several truths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from duetpy.runtime.exact.rationals import Numbers
from duetpy.runtime.exact.whole_numbers import compared
from duetpy.runtime.values.batching import as_missing, copied, counted, lanes_in, sort_key, spread
from duetpy.runtime.values.day_spans import Days
from duetpy.runtime.values.values import (
    Dates,
    MatrixValue,
    MissingLanes,
    Ragged,
    SetLanes,
    SetValue,
    Texts,
    Truths,
    Value,
)


def equal(left: Value, right: Value) -> Value:
    """Whether two values are equal, lane by lane where one has lanes."""
    lanes = lanes_in(left, right)
    if lanes is None:
        return bool(sort_key(left) == sort_key(right))
    match copied(left, lanes), copied(right, lanes):
        case Numbers() as a, Numbers() as b:
            one, other = compared(a, b)
            return Truths(one == other)
        case Truths(a_truths), Truths(b_truths):
            return Truths(a_truths == b_truths)
        case Texts(a_texts), Texts(b_texts):
            return Truths(np.asarray(a_texts == b_texts, dtype=np.bool_))
        case Dates(a_days), Dates(b_days):
            return Truths(np.asarray(a_days == b_days, dtype=np.bool_))
        case (MissingLanes(), _) | (_, MissingLanes()):
            return _equal_or_missing(as_missing(left, lanes), as_missing(right, lanes), lanes)
        case tuple() as a_pair, tuple() as b_pair:
            return both(equal(a_pair[0], b_pair[0]), equal(a_pair[1], b_pair[1]))
        case MatrixValue() as a_matrix, MatrixValue() as b_matrix:
            return _equal_matrices(a_matrix, b_matrix)
        case SetLanes() as a_set, SetLanes() as b_set:
            return both(_is_subset(a_set, b_set, lanes), _is_subset(b_set, a_set, lanes))
        case _:
            raise Ragged


def _equal_or_missing(left: MissingLanes, right: MissingLanes, lanes: int) -> Value:
    """None is equal to none, and to nothing else."""
    same = spread(equal(left.held, right.held), lanes)
    assert isinstance(same, Truths)
    return Truths((left.is_there & right.is_there & same.values) | ~(left.is_there | right.is_there))


def _equal_matrices(left: MatrixValue, right: MatrixValue) -> Value:
    if (left.rows, left.width) != (right.rows, right.width):
        return Truths(np.zeros(counted(left.lanes), dtype=np.bool_))
    cells = [equal(left.column(at), right.column(at)) for at in range(left.width)]
    together = spread(all_of(cells), left.height)
    assert isinstance(together, Truths)
    rows = together.values.reshape(counted(left.lanes), left.rows)
    return Truths(np.asarray(rows.all(axis=1), dtype=np.bool_))


def _is_subset(left: SetLanes, right: SetLanes, lanes: int) -> Value:
    found = [any_of([equal(one, other) for other in right.elements]) for one in left.elements]
    return spread(all_of(found), lanes)


def member(element: Value, elements: Value) -> Value:
    """Whether a value is an element of a set."""
    assert isinstance(elements, SetValue | SetLanes)
    if isinstance(elements, SetValue) and isinstance(elements.elements, Days):
        return _is_among(element, elements.elements)
    if isinstance(elements, SetValue) and lanes_in(element) is None:
        key = sort_key(element)
        return any(sort_key(one) == key for one in elements.elements)
    return any_of([equal(element, one) for one in elements.elements])


def _is_among(day: Value, days: Days) -> Value:
    match day:
        case MissingLanes(is_there, held):
            there = _is_among(held, days)
            assert isinstance(there, Truths)
            return Truths(is_there & there.values)
        case Dates(numbers):
            return Truths((days.span.start <= numbers) & (numbers < days.span.stop))
        case _:
            return day in days


def both(left: Value, right: Value) -> Value:
    """Whether both hold, lane by lane where one has lanes."""
    match left, right:
        case bool(), _:
            return right if left else False
        case _, bool():
            return left if right else False
        case Truths(a), Truths(b):
            return Truths(a & b)
        case _:
            raise Ragged


def either(left: Value, right: Value) -> Value:
    """Whether one holds, lane by lane where one has lanes."""
    match left, right:
        case bool(), _:
            return True if left else right
        case _, bool():
            return True if right else left
        case Truths(a), Truths(b):
            return Truths(a | b)
        case _:
            raise Ragged


def all_of(truths: Sequence[Value]) -> Value:
    result: Value = True
    for truth in truths:
        result = both(result, truth)
    return result


def any_of(truths: Sequence[Value]) -> Value:
    result: Value = False
    for truth in truths:
        result = either(result, truth)
    return result
