"""How many rows a body goes over at once, where it makes or copies a table for each of them.

Adding a row must not decide whether the tables of all rows fit in memory. So a body whose lanes would together hold more cells
than the memory of the run has room for is left (`Crowded`) and evaluated for half of them at a time. Then a table that fits for
one row fits for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from duetpy.runtime.exact.rationals import Numbers
from duetpy.runtime.values.day_spans import Days
from duetpy.runtime.values.slices import Slices
from duetpy.runtime.values.values import (
    Apart,
    Closure,
    Injected,
    InjectedLanes,
    MatrixValue,
    Missing,
    MissingLanes,
    Ragged,
    SetLanes,
    SetValue,
    Value,
)

MOST_AT_ONCE = 1 << 22
"""At most so many cells are made for the lanes of a block together."""

BYTES_AT_ONCE = 160
"""To decide whether rows are too long where most are nearly so takes so many bytes for each cell, and each thread has a block of
its own."""

SHARE = 4
"""The lanes take one part in so many of the memory of a run."""

_MOST: ContextVar[int | None] = ContextVar("_MOST", default=None)


def most_at_once() -> int:
    """So many cells may be made for the lanes of a block together: what the memory of the run has room for."""
    own = _MOST.get()
    return MOST_AT_ONCE if own is None else min(own, MOST_AT_ONCE)


@contextmanager
def within_memory(memory: int, threads: int) -> Iterator[None]:
    """Evaluate with the lanes that so many bytes have room for, where each of so many threads has a block."""
    before = _MOST.set(max(1, memory // (SHARE * BYTES_AT_ONCE * threads)))
    try:
        yield
    finally:
        _MOST.reset(before)


@contextmanager
def lanes_within(most: int) -> Iterator[None]:
    """Evaluate with so many cells for the lanes of a block at most, and with no more than before."""
    before = _MOST.set(min(most, most_at_once()))
    try:
        yield
    finally:
        _MOST.reset(before)


class Crowded(Ragged):
    """The tables of all lanes would be too many at once."""


def refuse_crowd(lanes: int, cells: int) -> None:
    """Have a body evaluated for fewer lanes where its tables would be too many at once; the values are the same."""
    if lanes > 1 and lanes * cells > most_at_once():
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
        case Injected(_, held) | MissingLanes(_, held) | Missing(held):
            return cells_each(held)
        case InjectedLanes(_, left, right):
            return cells_each(left) + cells_each(right)
        case SetValue(Days() as days):
            return len(days)
        case SetValue(elements) | SetLanes(elements):
            return sum(map(cells_each, elements))
        case Apart(Slices() as several):
            return several.longest() * max(1, several.rows.width)
        case Apart(several):
            return max(map(cells_each, several), default=1)
        case Closure():
            return 1 + sum(map(cells_each, (*value.names.values(), *value.arguments)))
        case _:
            return 1
