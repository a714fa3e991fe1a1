"""One of two values in each lane."""

from __future__ import annotations

import numpy as np

from duetpy.runtime.exact import rationals
from duetpy.runtime.exact.rationals import Mask, Numbers
from duetpy.runtime.values.batching import as_missing, copied
from duetpy.runtime.values.values import (
    ABSENT,
    Dates,
    Functions,
    Injected,
    InjectedLanes,
    MatrixValue,
    MissingLanes,
    NeverLaned,
    Ragged,
    SetLanes,
    Texts,
    Truths,
    Value,
    matrix_of_columns,
)


def select(where: Mask, left: Value, right: Value) -> Value:
    """The left lane where the mask holds, the right one elsewhere; raises `Ragged` where shapes differ."""
    if left is right:
        return left
    lanes = len(where)
    first, second = copied(left, lanes), copied(right, lanes)
    match first, second:
        case Numbers(), Numbers():
            return rationals.select(where, first, second)
        case Truths(), Truths():
            return Truths(np.where(where, first.values, second.values))
        case Texts(), Texts():
            return Texts(np.where(where, first.values, second.values))
        case Dates(), Dates():
            return Dates(np.where(where, first.values, second.values))
        case Functions(yes, once), Functions(no):
            return Functions(
                tuple(a if holds else b for holds, a, b in zip(where.tolist(), yes, no, strict=True)), once
            )
        case (MissingLanes(), _) | (_, MissingLanes()):
            one, other = as_missing(first, lanes), as_missing(second, lanes)
            is_there = np.where(where, one.is_there, other.is_there)
            return MissingLanes(is_there, select(where, one.held, other.held))
        case tuple(), tuple():
            return (select(where, first[0], second[0]), select(where, first[1], second[1]))
        case MatrixValue(), MatrixValue():
            return _select_matrix(where, first, second)
        case ((Injected() | InjectedLanes()), (Injected() | InjectedLanes())):
            return _select_side(where, first, second)
        case SetLanes(), SetLanes():
            raise NeverLaned
        case _:
            raise Ragged


def _select_matrix(where: Mask, left: MatrixValue, right: MatrixValue) -> MatrixValue:
    if (left.rows, left.width) != (right.rows, right.width):
        raise Ragged
    each = np.repeat(where, left.rows)
    if isinstance(left.store, Numbers) and isinstance(right.store, Numbers):
        grid = rationals.select(each[:, None], left.store, right.store)
        return MatrixValue(left.rows, grid, left.names, left.lanes)
    columns = [select(each, left.column(at), right.column(at)) for at in range(left.width)]
    return matrix_of_columns(columns, left.rows, left.lanes, left.names)


def _select_side(where: Mask, first: Injected | InjectedLanes, second: Injected | InjectedLanes) -> InjectedLanes:
    one, other = _sides(first, len(where)), _sides(second, len(where))
    left = _select_or_either(where, one.left, other.left)
    right = _select_or_either(where, one.right, other.right)
    return InjectedLanes(np.where(where, one.is_left, other.is_left), left, right)


def _sides(value: Injected | InjectedLanes, lanes: int) -> InjectedLanes:
    if isinstance(value, InjectedLanes):
        return value
    sides = (value.value, ABSENT) if value.is_left else (ABSENT, value.value)
    return InjectedLanes(np.full(lanes, value.is_left), *sides)


def _select_or_either(where: Mask, first: Value, second: Value) -> Value:
    """Where a side is absent on one hand, its lanes there are not looked at."""
    if first is ABSENT:
        return second
    return first if second is ABSENT else select(where, first, second)
