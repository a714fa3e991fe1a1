"""How many rows a body goes over at once, where it makes or copies a table for each of them.

One row more must not decide whether the tables of all rows fit in memory. So a body whose lanes would hold more than `MOST_AT_ONCE`
cells together is left (`Crowded`) and evaluated for half of them at a time, by which a table that fits for one row fits for all.
"""

from __future__ import annotations

from duetpy.runtime.exact.rationals import Numbers
from duetpy.runtime.values.values import (
    Apart,
    Closure,
    Injected,
    InjectedLanes,
    MatrixValue,
    Ragged,
    SetLanes,
    SetValue,
    Value,
)

MOST_AT_ONCE = 1 << 22
"""So many cells are made for the lanes of a block together. To decide whether rows are too long where most are nearly so takes 160
bytes for each, and each thread has a block of its own."""


class Crowded(Ragged):
    """The tables of all lanes would be too many at once."""


def refuse_crowd(lanes: int, cells: int) -> None:
    """Have a body evaluated for fewer lanes where its tables would be too many at once; the values are the same."""
    if lanes > 1 and lanes * cells > MOST_AT_ONCE:
        raise Crowded


def cells_each(value: Value) -> int:
    """The cells of a value in one of its lanes; of one that has none, its own."""
    match value:
        case MatrixValue(store=Numbers()):
            return value.rows * value.width
        case MatrixValue(store=tuple() as columns):
            return value.rows * sum(map(cells_each, columns))
        case tuple():
            return sum(map(cells_each, value))
        case Injected(_, held):
            return cells_each(held)
        case InjectedLanes(_, left, right):
            return cells_each(left) + cells_each(right)
        case SetValue(elements) | SetLanes(elements):
            return sum(map(cells_each, elements))
        case Apart(several):
            return max(map(cells_each, several), default=1)
        case Closure():
            return 1 + sum(map(cells_each, (*value.names.values(), *value.arguments)))
        case _:
            return 1
