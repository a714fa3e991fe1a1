"""Small matrices in many lanes, made one entry after another.

    mmap-row xs { row ⇒ … mcreate[L∞ | ℕ[1], ℕ[9]] { i, j ⇒ … row … } … mmap-row centres { centre ⇒ … row … } … }

To make all entries at once, everything that the body mentions is copied for each of them. Where lanes are many, one entry after
another in all lanes takes less: nothing is copied, and what depends on the indices alone, such as which branch is taken, is
computed once. Only discrete entries are made so: they are the doubles that they are in any way of computing them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from duetpy.runtime.evaluation import row_bodies
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.exact.rationals import Numbers, as_doubles, plain
from duetpy.runtime.values.batching import lane, spread
from duetpy.runtime.values.matrix_ops import row_of
from duetpy.runtime.values.values import MatrixValue, Value
from duetpy.typecheck import core

LANES_AN_ENTRY = 64
"""With so many lanes for each entry, it takes less. It changes the speed, never a result."""


def pays(node: core.Expression, entries: int, lanes: int | None) -> bool:
    return node.is_discrete and lanes is not None and entries * LANES_AN_ENTRY <= lanes


def created(machine: Machine, node: core.MCreate, frame: Frame, rows: int, width: int) -> MatrixValue | None:
    """``mcreate``; None where entries are no doubles."""
    names: list[dict[str, Value]] = [{node.row: i, node.col: j} for i in range(rows) for j in range(width)]
    captured = machine.seen_by_rows(node.body, frame, node.row, node.col)
    return _made(machine, node.body, frame, captured, names, width) if names else None


def mapped(machine: Machine, node: core.Map, frame: Frame, sources: Sequence[MatrixValue]) -> MatrixValue | None:
    """A map over the rows, or the elements, of tables without lanes; None where it gives no doubles."""
    names: list[dict[str, Value]] = [
        {
            name: lane(table.column(0), at) if node.sees_cell else row_of(table, at)
            for name, table in zip(node.names, sources, strict=True)
        }
        for at in range(sources[0].rows)
    ]
    captured = machine.seen_by_rows(node.body, frame, *node.names)
    return _made(machine, node.body, frame, captured, names, 1) if names else None


def _made(
    machine: Machine,
    body: core.Expression,
    frame: Frame,
    captured: dict[str, Value],
    names: Sequence[Mapping[str, Value]],
    width: int,
) -> MatrixValue | None:
    """The matrix whose entries, row after row, are the values of the body with some names."""
    lanes, rows = frame.lanes, len(names) // width
    assert lanes is not None
    array = np.empty((lanes * rows, width), order="F")
    are_natural: set[bool] = set()
    for at, bound in enumerate(names):
        numbers = spread(row_bodies.in_lanes(machine, body, frame, captured, dict(bound), lanes), lanes)
        doubles = as_doubles(numbers) if isinstance(numbers, Numbers) else None
        if doubles is None:
            return None
        assert isinstance(numbers, Numbers)
        are_natural.add(numbers.is_natural)
        row, column = divmod(at, width)
        array[row::rows, column] = doubles
    if len(are_natural) > 1:
        return None
    return MatrixValue(rows, plain(array, natural=are_natural.pop()), lanes=lanes)
