"""The row of nobody: what stands for a row of a table that has none.

Contract. Whether a table is empty is data, and a row body has a value in no lane as in any number of them: its columns, its
flags, its sides. Forms that cannot be computed in lanes have no lane to be computed in then, so a body is evaluated for one
row of zeros, empty texts and false, and of the result no lane is kept. Nothing of it is ever seen.
"""

from __future__ import annotations

from datetime import date

import numpy as np

from duetpy.runtime.exact.rationals import Numbers, plain
from duetpy.runtime.values.batching import stack
from duetpy.runtime.values.values import (
    ABSENT,
    Apart,
    Dates,
    Functions,
    InjectedLanes,
    MatrixValue,
    MissingLanes,
    Store,
    Texts,
    Truths,
    Value,
    dates_of,
    map_held,
    texts_of,
)


def of_nobody(value: Value, lanes: int) -> Value:
    """Nobody's value, in so many lanes, of the shape of one without lanes; what does not depend on a row is itself."""
    match value:
        case Numbers():
            return _zeros(value, (lanes,))
        case Truths():
            return Truths(np.zeros(lanes, dtype=np.bool_))
        case Texts():
            return texts_of([""] * lanes)
        case Dates():
            return dates_of([date.min] * lanes)
        case Functions(_, once):
            assert once is not None, "functions are kept with one that a lane could hold"
            return Functions((once,) * lanes, once)
        case Apart(_, once):
            if value is ABSENT:
                return value
            assert once is not None, "values apart are kept with one that a lane could hold"
            return stack([once] * lanes) if lanes else value
        case InjectedLanes(_, left, right):
            is_left = np.full(lanes, left is not ABSENT)
            return InjectedLanes(is_left, of_nobody(left, lanes), of_nobody(right, lanes))
        case MissingLanes(_, held):
            return MissingLanes(np.zeros(lanes, dtype=np.bool_), of_nobody(held, lanes))
        case MatrixValue() if value.lanes is not None:
            return MatrixValue(value.rows, _cells(value, value.rows * lanes), value.names, lanes)
        case _:
            return map_held(value, lambda held: of_nobody(held, lanes))


def _cells(matrix: MatrixValue, height: int) -> Store:
    if isinstance(matrix.store, Numbers):
        return _zeros(matrix.store, (height, matrix.width))
    return tuple(of_nobody(column, height) for column in matrix.store)


def _zeros(numbers: Numbers, shape: tuple[int, ...]) -> Numbers:
    return plain(np.zeros(shape, order="F"), natural=numbers.is_natural)
