"""What is computed from the rows of all lanes at once, where each lane has any number of them.

    rows of lane 0 │ rows of lane 1 │ …      one table; a row body is evaluated for all of its rows together

Contract. The values are those that each lane has by itself (`duetpy.runtime.evaluation.row_bodies.lane_by_lane`), to the last
bit: a filter keeps the same rows in the same order, a sum is exact, and other folds take the rows of each lane in its order.
What has no rule here is computed lane by lane.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from duetpy.runtime.evaluation import row_bodies
from duetpy.runtime.evaluation.kernels import KERNELS
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.exact.rationals import ONE, Doubles, Numbers, Objects, Term, is_other, plain, to_double
from duetpy.runtime.values.batch_size import cells_each, refuse_crowd
from duetpy.runtime.values.batching import (
    Index,
    evolve_matrix,
    join,
    lanes_in,
    row_lanes,
    spread,
    take,
    take_rows,
)
from duetpy.runtime.values.matrix_ops import chosen_columns, from_rows
from duetpy.runtime.values.row_order import by_lane, kept_rows, together
from duetpy.runtime.values.slices import Slices
from duetpy.runtime.values.values import Apart, MatrixValue, Ragged, Truths, Value, matrix_of_columns
from duetpy.typecheck import core

LARGEST_WHOLE = 2.0**53
"""Below it, sums of whole doubles are exact (IEEE 754, binary64)."""


def slices_in(value: Value, frame: Frame) -> Slices | None:
    """The rows of each lane, where they are kept in one table."""
    is_laned = frame.lanes is not None and isinstance(value, Apart)
    return value.values if is_laned and isinstance(value, Apart) and isinstance(value.values, Slices) else None


def of_each_row(
    machine: Machine,
    body: core.Expression,
    row: str,
    frame: Frame,
    rows: MatrixValue,
    owners: Index,
    sees_cell: bool = False,
) -> Value:
    """The value of a body for each row, or for the one cell of it, which also sees what its lane captured."""
    captured = machine.seen_by_rows(body, frame, row)
    refuse_crowd(len(owners), sum(cells_each(value) for value in captured.values() if lanes_in(value) is not None))
    own = {name: take(value, owners) for name, value in captured.items()}
    bound = {row: rows.column(0) if sees_cell else row_lanes(rows)}
    found = row_bodies.in_lanes(machine, body, frame, own, bound, rows.rows)
    return spread(found, rows.rows)


def counted_rows(slices: Slices) -> Numbers:
    """How many rows each lane has."""
    return plain((slices.ends - slices.starts).astype(np.float64), natural=True)


def chosen(node: core.Select, slices: Slices) -> Value:
    """Some columns of the rows of each lane."""
    rows, owners = together(slices)
    return by_lane(chosen_columns(rows, node.places, node.names), owners, len(slices))


def mapped(machine: Machine, node: core.Map, frame: Frame, slices: Slices) -> Value:
    """What a body makes of each row, in each lane."""
    rows, owners = together(slices)
    each = of_each_row(machine, node.body, node.names[0], frame, rows, owners, node.sees_cell)
    made = from_rows(each, rows) if node.gives_rows else matrix_of_columns([each], rows.rows, None)
    return by_lane(made, owners, len(slices))


def filtered(machine: Machine, node: core.Filter, frame: Frame, slices: Slices) -> Value:
    """The rows of each lane for which the body holds."""
    rows, owners = together(slices)
    holds = of_each_row(machine, node.body, node.row, frame, rows, owners)
    if not isinstance(holds, Truths):
        raise Ragged
    kept = np.flatnonzero(holds.values)
    return kept_rows(rows, owners, len(slices), kept)


def summed(machine: Machine, node: core.RowFold, frame: Frame, init: Value, slices: Slices) -> Value:
    """The sum, or a choice of one, of what the rows contribute, in each lane."""
    if node.of_matrices:
        raise Ragged
    rows, owners = together(slices)
    terms = of_each_row(machine, node.term, node.row, frame, rows, owners)
    if node.sign != "+":
        firsts = np.cumsum(slices.ends - slices.starts) - (slices.ends - slices.starts)
        return _in_turn(
            slices, init, lambda state, lanes, at: KERNELS[node.sign](state, take(terms, firsts[lanes] + at))
        )
    if not isinstance(terms, Numbers):
        raise Ragged
    return KERNELS["+"](init, sums(terms, owners, slices))


def folded(machine: Machine, node: core.Fold, frame: Frame, init: Value, slices: Slices) -> Value:
    """Any other fold, in each lane: the first rows of all lanes at once, then the second ones."""
    captured = machine.seen_by_rows(node.body, frame, node.state, node.row)

    def step(state: Value, lanes: Index, at: int) -> Value:
        rows = evolve_matrix(slices.rows, take_rows(slices.rows.store, slices.starts[lanes] + at), len(lanes), None)
        own = {name: take(value, lanes) for name, value in captured.items()}
        bound = {node.state: state, node.row: row_lanes(rows)}
        return row_bodies.in_lanes(machine, node.body, frame, own, bound, len(lanes))

    return _in_turn(slices, init, step)


def _in_turn(slices: Slices, init: Value, step: Callable[[Value, Index, int], Value]) -> Value:
    """The state of each lane after all of its rows; `step` is given the lanes that have so many rows and one more.

    at = 0   ▪ ▪ ▪ ▪ ▪        lanes, the longest first, so that those that go on are always the first ones
    at = 1   ▪ ▪ ▪
    at = 2   ▪
    """
    lengths = slices.ends - slices.starts
    order = np.argsort(-lengths, kind="stable").astype(np.intp)
    state = take(spread(init, len(slices)), order)
    ended: list[Value] = []
    going = len(slices)
    for at in range(slices.longest()):
        left = int(np.searchsorted(-lengths[order], -at))
        if left < going:
            ended.append(take(state, np.arange(left, going)))
            state, going = take(state, np.arange(left)), left
        state = spread(step(state, order[:going], at), going)
    found = join([state, *reversed(ended)]) if ended else state
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return take(found, back)


def sums(terms: Numbers, owners: Index, slices: Slices) -> Numbers:
    """The exact sum of the terms of each lane."""
    found = [
        (factor * own, part)
        for factor, doubles in terms.terms
        for own, part in _sums_of_doubles(doubles, owners, slices)
    ]
    rest = terms.constant
    if isinstance(rest, Fraction):
        total: Fraction | Objects = Fraction(0)
        if rest:
            found.append((rest, (slices.ends - slices.starts).astype(np.float64)))
    else:
        each = [Fraction(0)] * len(slices)
        for at in np.flatnonzero(is_other(rest)).tolist():
            each[owners[at]] += rest[at]
        total = np.array(each, dtype=np.object_)
    return Numbers(tuple(found), total, (len(slices),), terms.is_natural)


def _sums_of_doubles(doubles: Doubles, owners: Index, slices: Slices) -> tuple[Term, ...]:
    most = float(np.abs(doubles).max(initial=0.0)) * slices.longest()
    if most < LARGEST_WHOLE and bool((np.floor(doubles) == doubles).all()):
        return ((ONE, np.bincount(owners, weights=doubles, minlength=len(slices)).astype(np.float64)),)
    return _in_doubles(doubles, slices)


_BEYOND = 1 << 64
"""No lane has so many terms that its sum, divided by this, is no double."""


def _in_doubles(doubles: Doubles, slices: Slices) -> tuple[Term, ...]:
    """The sum of each lane as the nearest double, what is then left of it, and so on until nothing is left. Numbers that need more
    than two have them in their own lane only: fractions for all lanes would take many times as long."""
    each = doubles.tolist()
    found: list[Doubles] = [np.zeros(len(slices)), np.zeros(len(slices))]
    beyond = np.zeros(len(slices))
    start = 0
    for at, length in enumerate((slices.ends - slices.starts).tolist()):
        own = each[start : start + length]
        start += length
        try:
            # `fsum` rounds once (Shewchuk 1997), so that it gives 0 only if nothing is left over.
            parts = _parts(list(own), math.fsum)
        except OverflowError:
            exact = sum(map(Fraction, own), Fraction(0))
            beyond[at] = to_double(exact / _BEYOND)
            parts = _parts([exact, -Fraction(beyond[at]) * _BEYOND], lambda left: to_double(sum(left, Fraction(0))))
        found += [np.zeros(len(slices)) for _ in range(len(parts) - len(found))]
        for array, part in zip(found, parts, strict=False):
            array[at] = part
    terms: list[Term] = [(ONE, array) for array in found]
    return tuple([*terms, (Fraction(_BEYOND), beyond)] if beyond.any() else terms)


def _parts(left: list[Any], nearest: Callable[[list[Any]], float]) -> list[float]:
    """The doubles that add up to a sum, each the one nearest to what those before it leave."""
    parts: list[float] = []
    while part := nearest(left):
        parts.append(part)
        left.append(-part if isinstance(left[0], float) else -Fraction(part))
    return parts
