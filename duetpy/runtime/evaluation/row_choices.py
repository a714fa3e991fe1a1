"""The first and the last row, the most frequent value, the set of the values, the different rows; of all lanes at once.

    owners   0 0 0 1 1 3      lane 2 has no rows
    order    sorted by lane, then by what is in the rows (`duetpy.runtime.values.row_order`)

Contract. Each is a function of which rows a table has, and how often: their order in the table decides nothing but the order of
those that `distinct` keeps. Numbers of 𝔻 are the doubles next to them, as where they are compared.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duetpy.runtime.values.batching import counted, lane, set_of, spread, take, take_rows
from duetpy.runtime.values.matrix_ops import nothing
from duetpy.runtime.values.row_order import Index, Keys, begins, doubles, kept_rows, rows_by_lane, sort_keys, sorted_by
from duetpy.runtime.values.values import Apart, MatrixValue, MissingLanes, Value, matrix_of_columns


def first(table: Value) -> Value:
    """The row of each lane that comes first."""
    return _row(table, 0)


def last(table: Value) -> Value:
    """The row of each lane that comes last."""
    return _row(table, -1)


def _row(table: Value, at: int) -> Value:
    rows, owners, lanes = _in_doubles(table)
    sizes = np.bincount(owners, minlength=counted(lanes))
    ends = np.cumsum(sizes)
    order = sorted_by([owners, *_keys(rows)])
    places = order[np.where(sizes > 0, ends - sizes if at == 0 else ends - 1, 0)] if rows.rows else None
    if places is None:
        columns = [spread(nothing(rows.column(at)), counted(lanes)) for at in range(rows.width)]
        found = matrix_of_columns(columns, 1, counted(lanes), rows.names)
    else:
        found = MatrixValue(1, take_rows(rows.store, places), rows.names, counted(lanes))
    return _if_any(sizes > 0, found, lanes)


def mode(table: Value) -> Value:
    """The value of each lane that occurs most often; what is missing does not count."""
    values, owners, lanes = _values(table)
    is_any = np.bincount(owners, minlength=counted(lanes)) > 0
    if not len(owners):
        return _if_any(is_any, spread(nothing(values), counted(lanes)), lanes)
    keys = [owners, *sort_keys(values)]
    order = sorted_by(keys)
    starts = np.flatnonzero(begins(keys, order))
    often = np.diff(np.append(starts, len(order)))
    # The runs of equal values by lane, and there by how long they are; those that are as long stay in the order of the values.
    best = np.lexsort((-often, owners[order[starts]]))
    lane_of = owners[order[starts[best]]]
    places = np.zeros(counted(lanes), dtype=np.intp)
    places[lane_of[::-1]] = order[starts[best]][::-1]
    return _if_any(is_any, take(values, places), lanes)


def elements(table: Value) -> Value:
    """The set of the values of each lane; what is missing does not count."""
    values, owners, lanes = _values(table)
    keys = [owners, *sort_keys(values)]
    order = sorted_by(keys)
    found: list[list[Value]] = [[] for _ in range(counted(lanes))]
    for at in order[begins(keys, order)].tolist():
        found[int(owners[at])].append(lane(values, at))
    sets = tuple(set_of(each) for each in found)
    return sets[0] if lanes is None else Apart(sets)


def distinct(table: Value) -> Value:
    """Of the rows of each lane that are equal the first one."""
    rows, owners, lanes = _in_doubles(table)
    keys = [owners, *_keys(rows)]
    order = sorted_by(keys)
    # Equal rows may be in any order.
    first = np.minimum.reduceat(order, np.flatnonzero(begins(keys, order)))
    return kept_rows(rows, owners, lanes, np.sort(first))


def _values(table: Value) -> tuple[Value, Index, int | None]:
    """What is there in the one column of the tables of all lanes, and for each value its lane."""
    rows, owners, lanes = _in_doubles(table)
    values = rows.column(0)
    if isinstance(values, MissingLanes):
        is_there = np.flatnonzero(values.is_there)
        return take(values.held, is_there), owners[is_there], lanes
    return values, owners, lanes


def _in_doubles(table: Value) -> tuple[MatrixValue, Index, int | None]:
    """The rows of all lanes with the numbers of 𝔻 as doubles."""
    rows, owners, lanes = rows_by_lane(table)
    columns = [rows.column(at) for at in range(rows.width)]
    changed = [doubles(column) for column in columns]
    if all(new is column for new, column in zip(changed, columns, strict=True)):
        return rows, owners, lanes
    return matrix_of_columns(changed, rows.rows, None, rows.names), owners, lanes


def _keys(rows: MatrixValue) -> list[Keys]:
    return [key for at in range(rows.width) for key in sort_keys(rows.column(at))]


def _if_any(is_any: NDArray[np.bool_], held: Value, lanes: int | None) -> Value:
    """The value of each lane that has one."""
    found = MissingLanes(is_any, held)
    return found if lanes is not None else lane(found, 0)
