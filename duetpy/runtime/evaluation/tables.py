"""Matrices: creating, mapping, filtering, choosing cells and columns.

Contract. Outside of row bodies a map or a filter makes a table with a recipe, whose rows are made when something goes over them,
block by block (`duetpy.runtime.evaluation.rows`). Inside a row body it goes over the entries or rows of each lane, in all
lanes at once. Folds have a file of their own, `duetpy.runtime.evaluation.row_folds`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import assert_never

import numpy as np
from attrs import field, frozen

from duetpy.runtime.evaluation import entry_by_entry, laned_blocks, row_bodies
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.evaluation.row_bodies import RowBody, row_body
from duetpy.runtime.evaluation.rows import (
    Derived,
    Kept,
    OfRows,
    Step,
    Tables,
    Tally,
    derived,
    part_of,
)
from duetpy.runtime.evaluation.step_sums import Comparisons, number_kept
from duetpy.runtime.exact.rationals import Numbers, plain
from duetpy.runtime.values.batch_size import cells_each, refuse_crowd
from duetpy.runtime.values.batching import (
    Index,
    copied,
    counted,
    lanes_in,
    row_lanes,
    spread,
    take,
)
from duetpy.runtime.values.joining import joined, paired
from duetpy.runtime.values.matrix_ops import (
    chosen_columns,
    entries,
    entry,
    from_entries,
    from_rows,
    matrix,
    one_column,
    parents,
    partitioned,
    record_of,
    updated,
    whole_row,
    with_column,
)
from duetpy.runtime.values.values import (
    Apart,
    MatrixValue,
    NeverLaned,
    Ragged,
    Truths,
    Value,
    matrix_of_columns,
)
from duetpy.typecheck import core


def remembered_inputs(frame: Frame, captured: dict[str, Value], *sources: Value) -> tuple[object, ...]:
    """The objects on which the result of a form depends, in a fixed order."""
    return (frame.kinds, *sources, *(captured[name] for name in sorted(captured)))


# ---------------------------------------------------------------------------------------------------------------------
# Creating


def create(machine: Machine, node: core.MCreate, frame: Frame) -> Value:
    """``mcreate``: the body is evaluated for all entries at once, entry (i, j) in lane i·n + j."""
    rows = machine.value(node.rows, frame)
    width = machine.value(node.cols, frame)
    if not isinstance(rows, int) or not isinstance(width, int):
        raise Ragged
    outer = counted(frame.lanes)
    refuse_crowd(outer, rows * width)
    if entry_by_entry.pays(node, rows * width, frame.lanes):
        made = entry_by_entry.created(machine, node, frame, rows, width)
        if made is not None:
            return made
    lanes = outer * rows * width
    row_names = plain(np.tile(np.repeat(np.arange(rows, dtype=np.float64), width), outer), natural=True)
    column_names = plain(np.tile(np.arange(width, dtype=np.float64), outer * rows), natural=True)
    captured = machine.seen_by_rows(node.body, frame, node.row, node.col)
    if frame.lanes is not None:
        captured = spread_out(captured, np.repeat(np.arange(outer), rows * width))
    bound: dict[str, Value] = {node.row: row_names, node.col: column_names}
    body = row_bodies.in_lanes(machine, node.body, frame, captured, bound, lanes)
    body = spread(body, lanes)
    if isinstance(body, Numbers):
        shape = (outer * rows, width)
        return MatrixValue(rows, body.each(lambda array: array.reshape(shape), shape), lanes=frame.lanes)
    places = np.arange(outer * rows) * width
    return matrix_of_columns([take(body, places + at) for at in range(width)], rows, frame.lanes)


def spread_out(captured: dict[str, Value], index: Index) -> dict[str, Value]:
    """The captured values in the lanes of an inner body: inner lane k is in outer lane index[k]."""
    refuse_crowd(len(index), sum(cells_each(value) for value in captured.values() if lanes_in(value) is not None))
    return {name: take(value, index) for name, value in captured.items()}


# ---------------------------------------------------------------------------------------------------------------------
# Maps and filters


def made_of(machine: Machine, sources: Sequence[MatrixValue], step: Step) -> MatrixValue:
    """The table that a step makes of aligned ones, when it is needed; of one row, such as a model, at once. Foreign code is called
    at once too: it may answer another time with something else."""
    if all(source.recipe is None and source.rows == 1 for source in sources):
        return step.of(tuple(sources))
    table = derived(sources, step, machine.engine, machine.block_rows)
    return table.settle() if machine.foreign.functions else table


def map_form(machine: Machine, node: core.Map, frame: Frame) -> Value:
    values: list[Value] = [machine.value(argument, frame) for argument in node.args]
    slices = laned_blocks.slices_in(values[0], frame) if len(values) == 1 and node.form in ("row", "element") else None
    if slices is not None:
        return laned_blocks.mapped(machine, node, frame, slices)
    sources = [matrix(value) for value in values]
    if node.form == "column":
        return map_columns(machine, node, frame, sources)
    captured = machine.seen_by_rows(node.body, frame, *node.names)
    if frame.lanes is None:
        inputs = remembered_inputs(frame, captured, *sources)
        known = machine.last(node, inputs)
        if known is not None:
            return known
        step = Mapped(machine.within_a_block(), node, Frame({}, frame.kinds), captured)
        return machine.keep(node, inputs, made_of(machine, sources, step))
    lanes = frame.lanes
    are_shared = node.form != "entry" and all(source.lanes is None for source in sources)
    if are_shared and entry_by_entry.pays(node, sources[0].counted(), lanes):
        refuse_crowd(lanes, sources[0].rows)
        made = entry_by_entry.mapped(machine, node, frame, sources)
        if made is not None:
            return made
    laned = [matrix(copied(source, lanes)) for source in sources]
    return mapped(machine, node, frame, captured, laned)


def mapped(
    machine: Machine, node: core.Map, frame: Frame, captured: dict[str, Value], sources: list[MatrixValue]
) -> MatrixValue:
    form = map_entries if node.form == "entry" else map_rows
    return form(machine, node, frame, captured, sources)


@frozen(eq=False, repr=False)
class Mapped:
    """A map as a step on blocks of rows."""

    machine: Machine
    node: core.Map
    frame: Frame
    captured: dict[str, Value]
    keeps_all: bool = field(default=True, init=False)

    def of(self, tables: Tables) -> MatrixValue:
        return mapped(self.machine, self.node, self.frame, self.captured, list(tables))


def map_entries(
    machine: Machine, node: core.Map, frame: Frame, captured: dict[str, Value], sources: list[MatrixValue]
) -> MatrixValue:
    """``mmap``: one lane for each entry, column after column."""
    first = sources[0]
    bound = {name: entries(source) for name, source in zip(node.names, sources, strict=True)}
    if first.lanes is not None:
        captured = spread_out(captured, np.tile(parents(first), first.width))
    lanes = first.height * first.width
    body = row_bodies.in_lanes(machine, node.body, frame, captured, bound, lanes)
    return from_entries(spread(body, lanes), first)


def map_rows(
    machine: Machine, node: core.Map, frame: Frame, captured: dict[str, Value], sources: list[MatrixValue]
) -> MatrixValue:
    """A map over rows, or over elements, of which one may be the one cell of a row: one lane for each."""
    source = sources[0]
    bound: dict[str, Value] = {
        name: table.column(0) if node.sees_cell else row_lanes(table)
        for name, table in zip(node.names, sources, strict=True)
    }
    if source.lanes is not None and source.rows != 1:
        captured = spread_out(captured, parents(source))
    body = row_bodies.in_lanes(machine, node.body, frame, captured, bound, source.height)
    each = spread(body, source.height)
    return from_rows(each, source) if node.gives_rows else matrix_of_columns([each], source.rows, source.lanes)


def map_columns(machine: Machine, node: core.Map, frame: Frame, sources: list[MatrixValue]) -> Value:
    """``mmap-col``: there are few columns, and each may be long: one after another."""
    results: list[Value] = []
    for at in range(sources[0].width):
        names: dict[str, Value] = {
            name: one_column(source, at) for name, source in zip(node.names, sources, strict=True)
        }
        results.append(row_bodies.within(machine, node.body, frame, names))
    lanes = counted(frame.lanes)
    first = results[0]
    if not isinstance(first, MatrixValue) or not node.gives_rows:
        return matrix_of_columns([spread(result, lanes) for result in results], 1, frame.lanes)
    columns = [matrix(result if frame.lanes is None else copied(result, lanes)) for result in results]
    return matrix_of_columns([column.column(0) for column in columns], first.rows, frame.lanes)


def filtered(machine: Machine, node: core.Filter, frame: Frame) -> Value:
    value = machine.value(node.arg, frame)
    slices = laned_blocks.slices_in(value, frame)
    if slices is not None:
        return laned_blocks.filtered(machine, node, frame, slices)
    source = matrix(value)
    if frame.lanes is not None:
        raise NeverLaned  # lanes keep different numbers of rows
    captured = machine.seen_by_rows(node.body, frame, node.row)
    inputs = remembered_inputs(frame, captured, source)
    known = machine.last(node, inputs)
    if known is not None:
        return known
    places = Holding(row_body(machine, node.body, node.row, frame, captured))
    table = made_of(machine, (source,), Kept(places))
    if isinstance(table.recipe, Derived) and machine.knows(node, source) and not source.is_streamed:
        compared = Comparisons(machine, Frame(captured, frame.kinds), node.row)
        table.recipe.counter = partial(number_kept, compared, node.body, source, places)
    elif isinstance(table.recipe, Derived) and (of := part_of(table)) is not None:
        part, steps = of
        counted_from = (frame.kinds, captured, steps)
        table.recipe.counter = lambda: (part.total(node, counted_from, Tally(), machine.block_rows) or (None,))[0]
    return machine.keep(node, inputs, table)


@frozen(eq=False, repr=False)
class Holding:
    """The places of the rows for which the body of a filter holds."""

    body: RowBody

    def of(self, table: MatrixValue) -> Index:
        truths = spread(self.body.of(table), table.rows)
        assert isinstance(truths, Truths)
        return np.flatnonzero(truths.values)


def by_rows(machine: Machine, node: core.Expression, source: MatrixValue, step: OfRows) -> Value:
    """A table that a step makes of each row of another; what stands in its brackets may be another number at another call."""
    if source.lanes is not None:
        return step.of((source,))
    form = (node, step.brackets)
    known = machine.last(form, (source,))
    if known is None:
        known = machine.keep(form, (source,), made_of(machine, (source,), step))
    return known


# ---------------------------------------------------------------------------------------------------------------------
# Entries and columns


def index(machine: Machine, node: core.Index, frame: Frame) -> Value:
    source = matrix(machine.value(node.matrix, frame)).settle()
    row = machine.value(node.row, frame)
    if node.col is None:
        return whole_row(source, row)
    column = machine.value(node.col, frame)
    return entry(source, row, column)


def update(machine: Machine, node: core.Update, frame: Frame) -> Value:
    source = matrix(machine.value(node.matrix, frame)).settle()
    row = machine.value(node.row, frame)
    column = machine.value(node.col, frame)
    value = machine.value(node.value, frame)
    return updated(source, row, column, value)


# ---------------------------------------------------------------------------------------------------------------------
# Data frames


def frame_form(
    machine: Machine,
    node: core.Field | core.Select | core.Record | core.AddColumn | core.Partition | core.Join,
    frame: Frame,
) -> Value:
    match node:
        case core.Field():
            return entry(matrix(machine.value(node.record, frame)).settle(), 0, node.place)
        case core.Select():
            value = machine.value(node.table, frame)
            if (slices := laned_blocks.slices_in(value, frame)) is not None:
                return laned_blocks.chosen(node, slices)
            source = matrix(value)
            return by_rows(machine, node, source, OfRows(chosen_columns, (node.places, node.names)))
        case core.Record():
            return record_of(node.names, [machine.value(value, frame) for value in node.values])
        case core.AddColumn():
            value = machine.value(node.arg, frame)
            if isinstance(value, Apart):
                raise Ragged
            return with_column(value, node.name)
        case core.Partition():
            table = machine.value(node.table, frame)
            return partitioned(matrix(table).settle(), node.place, machine.value(node.keys, frame))
        case core.Join():
            left, right = machine.value(node.left, frame), machine.value(node.right, frame)
            if node.most is not None or isinstance(left, Apart):
                most = 1 if node.most is None else machine.value(node.most, frame)
                assert isinstance(most, int)
                return paired(left, node.left_place, right, node.right_place, most)
            return joined([matrix(left).settle(), node.left_place, matrix(right).settle(), node.right_place])
        case _:
            assert_never(node)
