"""The value of a body: of a row body in all lanes at once, or lane by lane where the lanes are not of one shape."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.values.batch_size import Crowded, cells_each, refuse_crowd
from duetpy.runtime.values.batching import counted, join, lane, row_lanes, spread, stack, take
from duetpy.runtime.values.empty_batch import of_nobody
from duetpy.runtime.values.memory import BYTES_TOGETHER
from duetpy.runtime.values.values import MatrixValue, Ragged, Value
from duetpy.typecheck import core


def cannot_run(node: core.Node) -> DuetError:
    """A form that no run knows."""
    return DuetError((Diagnostic("D0901", f"{type(node).__name__} cannot be run", node.span),))


def within(machine: Machine, node: core.Expression, frame: Frame, names: dict[str, Value]) -> Value:
    """The value of an expression with a few more names."""
    frame.names.update(names)
    result = machine.value(node, frame)
    frame.forget(names)
    return result


def in_lanes(
    machine: Machine,
    node: core.Expression,
    frame: Frame,
    captured: dict[str, Value],
    bound: dict[str, Value],
    lanes: int,
) -> Value:
    """The value of a row body in every lane at once, or lane by lane where the lanes are not of one shape, or in fewer at a time.

    `captured` has lanes already, or none; `bound` are the names that the form binds.
    """
    names = {**captured, **bound}
    if not lanes:
        return in_no_lane(machine, node, frame, names)
    with machine.levels:
        try:
            # A number that is not a double takes ten times as much memory, and a row may decide whether it is one.
            refuse_crowd(lanes, max(1, machine.bodies.get(node, 0) // BYTES_TOGETHER))
            return machine.value(node, Frame(dict(names), frame.kinds, lanes))
        except Crowded:
            if counted(frame.lanes) > 1:
                # The lanes of the outer body are too many for what each of them needs here.
                raise
            is_crowd = lanes > 1
        except Ragged:
            is_crowd = False
        return (in_halves if is_crowd else lane_by_lane)(machine, node, frame, names, lanes)


@frozen(eq=False, repr=False)
class RowBody:
    """What each row of a table is given to, a block of rows at a time."""

    machine: Machine
    body: core.Expression
    row: str
    frame: Frame
    captured: dict[str, Value]

    def of(self, table: MatrixValue) -> Value:
        """The value of every row, or one for all of them."""
        bound: dict[str, Value] = {self.row: row_lanes(table)}
        return in_lanes(self.machine, self.body, self.frame, self.captured, bound, table.rows)


def row_body(
    machine: Machine, body: core.Expression, row: str, frame: Frame, captured: dict[str, Value] | None = None
) -> RowBody:
    """A body as workers evaluate it; `captured` is what it mentions of the frame, where that is known."""
    seen = machine.seen_by_rows(body, frame, row) if captured is None else captured
    return RowBody(machine.within_a_block(), body, row, Frame({}, frame.kinds), seen)


def in_halves(machine: Machine, node: core.Expression, frame: Frame, names: dict[str, Value], lanes: int) -> Value:
    """The value in every lane, in half of them at a time."""
    parts: list[Value] = []
    for index in np.array_split(np.arange(lanes), 2):
        own = {name: take(value, index) for name, value in names.items()}
        parts.append(spread(in_lanes(machine, node, frame, own, {}, len(index)), len(index)))
    return join(parts)


def in_no_lane(machine: Machine, node: core.Expression, frame: Frame, names: dict[str, Value]) -> Value:
    """The value in no lane, of the shape that it has in one: what is made of a table without rows has the columns of its type."""
    blank = {name: of_nobody(value, 1) for name, value in names.items()}
    one = in_lanes(machine.for_nobody(), node, frame, blank, {}, 1)
    return take(spread(one, 1), np.empty(0, dtype=np.intp))


def lane_by_lane(machine: Machine, node: core.Expression, frame: Frame, names: dict[str, Value], lanes: int) -> Value:
    """The value in each lane, evaluated without lanes.

    Whether lanes differ in shape depends on the data of all of them, so it must not be seen in the value of one: every form
    computes the same value with lanes and without.
    """
    results: list[Value] = []
    cells = 0
    for at in range(lanes):
        own = {name: lane(value, at) for name, value in names.items()}
        results.append(machine.value(node, Frame(own, frame.kinds)))
        cells += cells_each(results[-1])
        # What is kept of the lanes of an outer body is too much for all of them together before it is for one.
        refuse_crowd(counted(frame.lanes), cells // counted(frame.lanes))
    return stack(results)
