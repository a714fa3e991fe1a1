"""Matrices: creating, mapping, filtering, folding.

Contract. Outside of row bodies a table is gone over in blocks, by the machine's engine: a map or a filter is a fold that
keeps each block's result, and a fold of one of these shapes is a fold that adds, or picks, exactly:

    acc + g(row)      acc ⊔ g(row)      acc ⊓ g(row)      acc ∧ g(row)      acc ∨ g(row)      mmap acc, g(row) { x, y ⇒ x + y }

Blocks are merged by exact, commutative operations, so no order and no number of threads can change a bit. Any other fold
runs row after row. Inside a row body, maps and folds go over the entries or rows of each lane, in all lanes at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import assert_never

import numpy as np
from attrs import field, frozen

from duetpy.runtime.engines import SerialEngine
from duetpy.runtime.evaluation import entry_by_entry, laned_blocks, row_bodies
from duetpy.runtime.evaluation.blocks import MatrixSum, Picked, Sum
from duetpy.runtime.evaluation.kernels import KERNELS, plus
from duetpy.runtime.evaluation.loop_invariants import Hoisting, each_lane
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.evaluation.row_bodies import RowBody, row_body
from duetpy.runtime.evaluation.rows import Block, Body, Derived, Kept, OfRows, Rows, Step, Tables, derived, rows_of
from duetpy.runtime.evaluation.step_sums import Comparisons, is_sorted, kinds_of_rows, number_kept
from duetpy.runtime.exact.rationals import Numbers, plain
from duetpy.runtime.values.batch_size import cells_each, most_at_once, refuse_crowd
from duetpy.runtime.values.batching import (
    Index,
    copied,
    counted,
    lanes_in,
    row_lanes,
    slice_rows,
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
    row_of,
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
    numbers_of,
)
from duetpy.typecheck import core
from duetpy.typecheck.facts import facts_of

SUMS_AT_ONCE = 16
"""Each worker makes a sum, and some wait to be merged. One of matrices with more cells than a part in so many of those that lanes
may have is made by one worker, block after block."""


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
    """The table that a step makes of aligned ones, when it is needed. Foreign code is called at once: it may answer another time
    with something else."""
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
    """A table that a step makes of each row of another."""
    if source.lanes is not None:
        return step.of((source,))
    known = machine.last(node, (source,))
    if known is None:
        known = machine.keep(node, (source,), made_of(machine, (source,), step))
    return known


# ---------------------------------------------------------------------------------------------------------------------
# Folds


def row_fold(machine: Machine, node: core.RowFold, frame: Frame) -> Value:
    """A sum, or a choice of one, of what the rows contribute."""
    init = machine.value(node.init, frame)
    value = machine.value(node.arg, frame)
    slices = laned_blocks.slices_in(value, frame)
    if slices is not None:
        return laned_blocks.summed(machine, node, frame, init, slices)
    source = matrix(value)
    if frame.lanes is not None:
        return row_fold_in_turn(machine, node, frame, init, source)
    sweep = Sweep(machine, node, frame, source)
    if node.of_matrices:
        return sweep.matrix_total(matrix(init))
    if node.sign != "+":
        return sweep.pick(init)
    total = sweep.total()
    return plus(init, total.numerator if isinstance(init, int) and total.denominator == 1 else total)


def row_fold_in_turn(machine: Machine, node: core.RowFold, frame: Frame, init: Value, source: MatrixValue) -> Value:
    """Row after row, in all lanes at once."""
    state = init
    for at in range(source.rows):
        term = row_bodies.within(machine, node.term, frame, {node.row: row_of(source, at)})
        state = (
            entrywise_sum(state, term, counted(frame.lanes)) if node.of_matrices else KERNELS[node.sign](state, term)
        )
    return state


def entrywise_sum(left: Value, right: Value, lanes: int) -> Value:
    one, other = matrix(copied(left, lanes)), matrix(copied(right, lanes))
    return from_entries(plus(entries(one), entries(other)), one)


def fold(machine: Machine, node: core.Fold, frame: Frame) -> Value:
    """Any other fold."""
    init = machine.value(node.init, frame)
    value = machine.value(node.arg, frame)
    slices = laned_blocks.slices_in(value, frame)
    if slices is not None:
        return laned_blocks.folded(machine, node, frame, init, slices)
    source = matrix(value)
    return fold_in_turn(machine, node, frame, init, source if source.is_streamed else source.settle())


def fold_in_turn(machine: Machine, node: core.Fold, frame: Frame, init: Value, source: MatrixValue) -> Value:
    """Row after row; inside a row body, in all lanes at once."""
    state = init
    if frame.lanes is not None:
        for at in range(source.rows):
            names: dict[str, Value] = {node.state: state, node.row: row_of(source, at)}
            state = row_bodies.within(machine, node.body, frame, names)
        return state
    hoisting = Hoisting(node.state, node.row, machine.captures)
    return taken_apart(machine, node, frame, hoisting, state, source)


def taken_apart(
    machine: Machine, node: core.Fold, frame: Frame, hoisting: Hoisting, state: Value, source: MatrixValue
) -> Value:
    """Row after row, with what does not look at the state computed for a block at once, which is small where that is large."""
    body = hoisting.without_terms(node.body)
    needs_row = node.row in machine.captures.of(body)
    captured = machine.seen_by_rows(node.body, frame, node.state, node.row)

    def each(name: str, block: Block) -> Value:
        bound: dict[str, Value] = {node.row: row_lanes(block.tables[0])}
        value = row_bodies.in_lanes(machine, hoisting.terms[name], frame, captured, bound, block.rows)
        return spread(value, block.rows)

    at_once = 0
    for whole in rows_of((source,), machine.block_rows).blocks():
        table = whole.tables[0]
        if not at_once and table.rows > 1:
            first = Block(0, (slice_rows(table, 0, 1),))
            at_once = max(
                1, most_at_once() // max((cells_each(each(name, first)) for name in hoisting.terms), default=1)
            )
        for start in range(0, table.rows, at_once or 1):
            block = Block(start, (slice_rows(table, start, min(table.rows, start + (at_once or 1))),))
            terms: dict[str, list[Value]] = {}
            for name in hoisting.terms:
                terms[name] = each_lane(each(name, block), block.rows)
            for at in range(block.rows):
                names = {node.state: state, **{name: values[at] for name, values in terms.items()}}
                if needs_row:
                    names[node.row] = row_of(block.tables[0], at)
                state = row_bodies.within(machine, body, frame, names)
    return state


@frozen(eq=False, repr=False)
class Sweep:
    """One pass over the rows of a table."""

    machine: Machine
    node: core.RowFold
    frame: Frame
    source: MatrixValue

    def total(self) -> Fraction:
        """The sum of a number a row; the last one is kept, as a loop may ask for it again."""
        captured = self.captured()
        inputs = remembered_inputs(self.frame, captured, self.source)
        known = self.machine.last(self.node, inputs)
        if known is None:
            knows = self.machine.knows(self.node, self.source) or is_sorted(self.source)
            known = self.total_by_kinds(captured) if knows and not self.source.is_streamed else None
            if known is None:
                known = self.machine.engine.fold(self.rows(), Sum(self.body(captured)))
            self.machine.keep(self.node, inputs, known)
        assert isinstance(known, Fraction)
        return known

    def total_by_kinds(self, captured: dict[str, Value]) -> Fraction | None:
        """The sum from the second pass on, and from the first one on where the column is sorted, if few kinds of rows contribute
        alike."""
        compared = Comparisons(self.machine, self.frame, self.node.row)
        if self.machine.foreign.functions or not compared.are_all_of(self.node.term) or compared.column is None:
            return None
        if not (self.machine.knows(self.node, self.source) or is_sorted(self.source, compared.column)):
            return None
        kinds = kinds_of_rows(self.source.settle(), compared.column, compared.limits)
        if kinds is None:
            return None
        block = Block(0, (kinds.one_of_each,))
        terms = spread(self.body(captured).of(block), block.rows)
        assert isinstance(terms, Numbers)
        return kinds.total(terms)

    def matrix_total(self, init: MatrixValue) -> MatrixValue:
        """The sum of a matrix a row, and of the initial one."""
        shape = (init.rows, init.width)
        entries = init.rows * init.width
        body = MatrixSum(self.body(self.captured()), entries)
        engine = self.machine.engine if entries <= most_at_once() // SUMS_AT_ONCE else SerialEngine()
        cells = engine.fold(self.rows(max(1, most_at_once() // entries)), body)
        grid = numbers_of(init)
        total = plus(cells.numbers(shape, natural=grid.is_natural), grid)
        assert isinstance(total, Numbers)
        return MatrixValue(init.rows, total)

    def pick(self, init: Value) -> Value:
        """The largest, smallest, all or any of a value a row, and of the initial one."""
        sign = self.node.sign
        found = self.machine.engine.fold(
            self.rows(), Picked(self.body(self.captured()), KERNELS[sign], facts_of(sign).picks)
        )
        return init if found is None else KERNELS[sign](init, found)

    def captured(self) -> dict[str, Value]:
        return self.machine.seen_by_rows(self.node.term, self.frame, self.node.row)

    def rows(self, most: int | None = None) -> Rows:
        """The rows in blocks of `most` at most: each has a term of its own."""
        return rows_of((self.source,), min(self.machine.block_rows, most_at_once() if most is None else most))

    def body(self, captured: dict[str, Value]) -> Body:
        return Term(row_body(self.machine, self.node.term, self.node.row, self.frame, captured))


@frozen(eq=False, repr=False)
class Term:
    """What the rows of a block contribute to a fold."""

    body: RowBody

    def of(self, block: Block) -> Value:
        return self.body.of(block.tables[0])


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
            if node.takes_all or isinstance(left, Apart):
                return paired(left, node.left_place, right, node.right_place, takes_all=node.takes_all)
            return joined([matrix(left).settle(), node.left_place, matrix(right).settle(), node.right_place])
        case _:
            assert_never(node)
