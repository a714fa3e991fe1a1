"""Matrices: creating, mapping, filtering, folding.

Contract. Outside of row bodies a table is gone over in blocks, by the machine's engine: a map or a filter is a fold that
keeps each block's result, and a fold of one of these shapes is a fold that adds, or picks, exactly:

    acc + g(row)      acc ⊔ g(row)      acc ⊓ g(row)      acc ∧ g(row)      acc ∨ g(row)      mmap acc, g(row) { x, y ⇒ x + y }

Blocks are merged by exact, commutative operations, so no order and no number of threads can change a bit. Any other fold
runs row after row. Inside a row body, maps and folds go over the entries or rows of each lane, in all lanes at once.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from attrs import frozen

from duetpy.grammar import ast
from duetpy.runtime.evaluation import row_bodies
from duetpy.runtime.evaluation.blocks import Block, Body, Gathered, MatrixSum, Picked, Rows, Sum
from duetpy.runtime.evaluation.kernels import KERNELS, plus
from duetpy.runtime.evaluation.loop_invariants import Hoisting, each_lane
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.exact import rationals
from duetpy.runtime.exact.rationals import Numbers, of_fractions, plain
from duetpy.runtime.values.batch_size import cells_each, most_at_once, refuse_crowd
from duetpy.runtime.values.batching import (
    Index,
    copied,
    counted,
    evolve_matrix,
    join_matrices,
    lanes_in,
    row_lanes,
    slice_rows,
    spread,
    take,
    take_rows,
)
from duetpy.runtime.values.discreteness import marked
from duetpy.runtime.values.matrix_ops import (
    chosen_columns,
    entries,
    entry,
    from_entries,
    from_rows,
    joined,
    matrix,
    one_column,
    parents,
    partitioned,
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
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.fold_patterns import matrix_addend, mentions


def remembered_inputs(frame: Frame, captured: dict[str, Value], *sources: Value) -> tuple[object, ...]:
    """The objects on which the result of a form depends, in a fixed order."""
    return (frame.kinds, *sources, *(captured[name] for name in sorted(captured)))


# ---------------------------------------------------------------------------------------------------------------------
# Creating


def create(machine: Machine, node: ast.MCreate, frame: Frame) -> Value:
    """``mcreate``: the body is evaluated for all entries at once, entry (i, j) in lane i·n + j."""
    rows = machine.value(node.rows, frame)
    width = machine.value(node.cols, frame)
    if not isinstance(rows, int) or not isinstance(width, int):
        raise Ragged
    outer = counted(frame.lanes)
    refuse_crowd(outer, rows * width)
    lanes = outer * rows * width
    row_names = plain(np.tile(np.repeat(np.arange(rows, dtype=np.float64), width), outer), natural=True)
    column_names = plain(np.tile(np.arange(width, dtype=np.float64), outer * rows), natural=True)
    captured = machine.captured(node.body, frame, node.row.text, node.col.text)
    if frame.lanes is not None:
        captured = spread_out(captured, np.repeat(np.arange(outer), rows * width))
    bound: dict[str, Value] = {node.row.text: row_names, node.col.text: column_names}
    body = row_bodies.in_lanes(machine, node.body, frame, captured, bound, lanes)
    body = in_type(machine, node, spread(body, lanes))
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


def map_form(machine: Machine, node: ast.Map, frame: Frame) -> Value:
    sources: list[MatrixValue] = [matrix(machine.value(argument, frame)) for argument in node.args]
    match node.form:
        case "mmap":
            mapped = map_entries
        case "mmap-row":
            mapped = map_rows
        case "bmap" | "mapDF":
            mapped = map_elements
        case "mmap-col":
            return map_columns(machine, node, frame, sources)
        case form:
            raise row_bodies.cannot_run(node, form)
    captured = machine.captured(node.body, frame, *(name.text for name in node.names))
    if frame.lanes is None:
        inputs = remembered_inputs(frame, captured, *sources)
        known = machine.last(node, inputs)
        if known is not None:
            return known
        inner = machine.within_a_block()
        body = Gathered(lambda block: mapped(inner, node, frame, captured, list(block.tables)))
        parts = machine.engine.fold(Rows(tuple(sources), machine.block_rows), body)
        return machine.keep(node, inputs, join_matrices([matrix(part) for part in body.in_order(parts)]))
    lanes = frame.lanes
    laned = [matrix(copied(source, lanes)) for source in sources]
    return mapped(machine, node, frame, captured, laned)


def map_entries(
    machine: Machine, node: ast.Map, frame: Frame, captured: dict[str, Value], sources: list[MatrixValue]
) -> Value:
    """``mmap``: one lane for each entry, column after column."""
    first = sources[0]
    bound = {name.text: entries(source) for name, source in zip(node.names, sources, strict=True)}
    if first.lanes is not None:
        captured = spread_out(captured, np.tile(parents(first), first.width))
    lanes = first.height * first.width
    body = row_bodies.in_lanes(machine, node.body, frame, captured, bound, lanes)
    return from_entries(in_type(machine, node, spread(body, lanes)), first)


def map_rows(
    machine: Machine, node: ast.Map, frame: Frame, captured: dict[str, Value], sources: list[MatrixValue]
) -> Value:
    """``mmap-row``: one lane for each row."""
    source = sources[0]
    bound: dict[str, Value] = {name.text: row_lanes(table) for name, table in zip(node.names, sources, strict=True)}
    if source.lanes is not None and source.rows != 1:
        captured = spread_out(captured, parents(source))
    body = row_bodies.in_lanes(machine, node.body, frame, captured, bound, source.height)
    return put_together(machine, node, spread(body, source.height), source)


def put_together(machine: Machine, node: ast.Map, each: Value, source: MatrixValue) -> MatrixValue:
    """What a map returned for each row: rows, or the cells of one column, which may be matrices themselves."""
    each = in_type(machine, node, each)
    if machine.annotations.elements[node].gives_rows:
        return from_rows(each, source)
    return matrix_of_columns([each], source.rows, source.lanes)


def in_type(machine: Machine, node: ast.Map | ast.MCreate, each: Value) -> Value:
    """What a body returned in all lanes, with its discrete numbers marked."""
    return marked(each, machine.annotations.bodies.get(node, ()))


def map_elements(
    machine: Machine, node: ast.Map, frame: Frame, captured: dict[str, Value], sources: list[MatrixValue]
) -> Value:
    """``bmap`` and ``mapDF``: one lane for each element, which the checker has told to be a row or its one cell."""
    source, element = sources[0], machine.annotations.elements[node]
    one: Value = source.column(0) if element.is_cell else row_lanes(source)
    if source.lanes is not None and source.rows != 1:
        captured = spread_out(captured, parents(source))
    body = row_bodies.in_lanes(machine, node.body, frame, captured, {node.names[0].text: one}, source.height)
    return put_together(machine, node, spread(body, source.height), source)


def map_columns(machine: Machine, node: ast.Map, frame: Frame, sources: list[MatrixValue]) -> Value:
    """``mmap-col``: there are few columns, and each may be long: one after another."""
    results: list[Value] = []
    for at in range(sources[0].width):
        names: dict[str, Value] = {
            name.text: one_column(source, at) for name, source in zip(node.names, sources, strict=True)
        }
        results.append(in_type(machine, node, row_bodies.within(machine, node.body, frame, names)))
    lanes = counted(frame.lanes)
    first = results[0]
    if not isinstance(first, MatrixValue) or not machine.annotations.elements[node].gives_rows:
        return matrix_of_columns([spread(result, lanes) for result in results], 1, frame.lanes)
    columns = [matrix(result if frame.lanes is None else copied(result, lanes)) for result in results]
    made = matrix_of_columns([column.column(0) for column in columns], first.rows, frame.lanes)
    if first.clip is not None and all(column.clip == first.clip for column in columns):
        made.clip = (ast.Norm.LINF, first.clip[1])
    return made


def filtered(machine: Machine, node: ast.Filter, frame: Frame) -> Value:
    source = matrix(machine.value(node.arg, frame))
    if frame.lanes is not None:
        raise NeverLaned  # lanes keep different numbers of rows
    captured = machine.captured(node.body, frame, node.row.text)
    inputs = remembered_inputs(frame, captured, source)
    known = machine.last(node, inputs)
    if known is not None:
        return known
    inner = machine.within_a_block()

    def kept(block: Block) -> Value:
        table = block.tables[0]
        if not table.rows:
            return table
        bound: dict[str, Value] = {node.row.text: row_lanes(table)}
        body = row_bodies.in_lanes(inner, node.body, frame, captured, bound, table.rows)
        truths = spread(body, table.rows)
        assert isinstance(truths, Truths)
        index = np.flatnonzero(truths.values)
        return evolve_matrix(table, take_rows(table.store, index), len(index), None)

    fold = Gathered(kept)
    parts = machine.engine.fold(Rows((source,), machine.block_rows), fold)
    return machine.keep(node, inputs, join_matrices([matrix(part) for part in fold.in_order(parts)]))


# ---------------------------------------------------------------------------------------------------------------------
# Folds


def fold(machine: Machine, node: ast.Fold, frame: Frame) -> Value:
    init = machine.value(node.init, frame)
    source = matrix(machine.value(node.arg, frame))
    if frame.lanes is not None:
        return fold_in_turn(machine, node, frame, init, source)
    added = machine.annotations.addends.get(node)
    if added is not None:
        total = Sweep(machine, node, added, frame, source).total()
        return plus(init, total.numerator if isinstance(init, int) and total.denominator == 1 else total)
    vector = matrix_addend(node)
    if vector is not None and isinstance(init, MatrixValue):
        return Sweep(machine, node, vector, frame, source).matrix_total(init)
    picked = picked_operand(node)
    if picked is not None:
        sign, operand = picked
        return Sweep(machine, node, operand, frame, source).pick(sign, init)
    return fold_in_turn(machine, node, frame, init, source)


def fold_in_turn(machine: Machine, node: ast.Fold, frame: Frame, init: Value, source: MatrixValue) -> Value:
    """Row after row; inside a row body, in all lanes at once."""
    state = init
    if frame.lanes is not None:
        for at in range(source.rows):
            names: dict[str, Value] = {node.state.text: state, node.row.text: row_of(source, at)}
            state = row_bodies.within(machine, node.body, frame, names)
        return state
    hoisting = Hoisting(node.state.text, node.row.text, machine.annotations)
    try:
        return taken_apart(machine, node, frame, hoisting, state, source)
    finally:
        hoisting.end()


def taken_apart(
    machine: Machine, node: ast.Fold, frame: Frame, hoisting: Hoisting, state: Value, source: MatrixValue
) -> Value:
    """Row after row, with what does not look at the state computed for a block at once, which is small where that is large."""
    body = hoisting.without_terms(node.body)
    needs_row = mentions(body, node.row.text)
    captured = machine.captured(node.body, frame, node.state.text, node.row.text)

    def each(name: str, block: Block) -> Value:
        bound: dict[str, Value] = {node.row.text: row_lanes(block.tables[0])}
        value = row_bodies.in_lanes(machine, hoisting.terms[name], frame, captured, bound, block.rows)
        return spread(value, block.rows)

    at_once = machine.block_rows
    if source.rows > 1:
        first = Block(0, (slice_rows(source, 0, 1),))
        for name in hoisting.terms:
            at_once = min(at_once, max(1, most_at_once() // cells_each(each(name, first))))
    for block in Rows((source,), at_once).blocks():
        terms: dict[str, list[Value]] = {}
        for name in hoisting.terms:
            terms[name] = each_lane(each(name, block), block.rows)
        for at in range(block.rows):
            names = {node.state.text: state, **{name: values[at] for name, values in terms.items()}}
            if needs_row:
                names[node.row.text] = row_of(block.tables[0], at)
            state = row_bodies.within(machine, body, frame, names)
    return state


@frozen(eq=False, repr=False)
class Sweep:
    """One pass over the rows of a table, in which `term` says what each contributes."""

    machine: Machine
    node: ast.Fold
    term: ast.SExp
    frame: Frame
    source: MatrixValue

    def total(self) -> Fraction:
        """The sum of a number a row; the last one is kept, as a loop may ask for it again."""
        captured = self.captured()
        inputs = remembered_inputs(self.frame, captured, self.source)
        known = self.machine.last(self.node, inputs)
        if known is None:
            known = self.machine.engine.fold(self.rows(), Sum(self.body(captured)))
            self.machine.keep(self.node, inputs, known)
        assert isinstance(known, Fraction)
        return known

    def matrix_total(self, init: MatrixValue) -> MatrixValue:
        """The sum of a matrix a row, and of the initial one."""
        shape = (init.rows, init.width)
        entries = init.rows * init.width
        body = MatrixSum(self.body(self.captured()), entries)
        cells = self.machine.engine.fold(self.rows(max(1, most_at_once() // entries)), body)
        grid = numbers_of(init)
        total = rationals.add(of_fractions(list(cells), shape, natural=grid.is_natural), grid)
        return MatrixValue(init.rows, total)

    def pick(self, sign: str, init: Value) -> Value:
        """The largest, smallest, all or any of a value a row, and of the initial one."""
        found = self.machine.engine.fold(
            self.rows(), Picked(self.body(self.captured()), KERNELS[sign], facts_of(sign).picks)
        )
        return init if found is None else KERNELS[sign](init, found)

    def captured(self) -> dict[str, Value]:
        return self.machine.captured(self.term, self.frame, self.node.row.text)

    def rows(self, most: int | None = None) -> Rows:
        """The rows in blocks of `most` at most: each has a term of its own."""
        return Rows((self.source,), min(self.machine.block_rows, most_at_once() if most is None else most))

    def body(self, captured: dict[str, Value]) -> Body:
        inner, row = self.machine.within_a_block(), self.node.row.text

        def evaluated(block: Block) -> Value:
            bound: dict[str, Value] = {row: row_lanes(block.tables[0])}
            return row_bodies.in_lanes(inner, self.term, self.frame, captured, bound, block.rows)

        return evaluated


def picked_operand(node: ast.Fold) -> tuple[str, ast.SExp] | None:
    """The operation and the g of a body ``acc ⊔ g`` and its kin, in any order, with g free of the state."""
    state = node.state.text
    if state == node.row.text:
        return None  # the body sees the row only
    match node.body:
        case ast.Prim(name=sign, args=(first, second)) if facts_of(sign).picks:
            for kept, term in ((first, second), (second, first)):
                if isinstance(kept, ast.Var) and kept.name == state and not mentions(term, state):
                    return sign, term
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Entries and columns


def index(machine: Machine, node: ast.Index, frame: Frame) -> Value:
    source = matrix(machine.value(node.matrix, frame))
    row = machine.value(node.row, frame)
    if node.col is None:
        return whole_row(source, row)
    column = machine.value(node.col, frame)
    return entry(source, row, column)


def update(machine: Machine, node: ast.Update, frame: Frame) -> Value:
    source = matrix(machine.value(node.matrix, frame))
    row = machine.value(node.row, frame)
    column = machine.value(node.col, frame)
    value = machine.value(node.value, frame)
    return marked(updated(source, row, column, value), machine.annotations.bodies.get(node, ()))


def field_of(machine: Machine, node: ast.FieldOf, frame: Frame) -> Value:
    source = matrix(machine.value(node.record, frame))
    return entry(source, 0, machine.annotations.places[node][0])


def select_columns(machine: Machine, node: ast.Select, frame: Frame) -> Value:
    source = matrix(machine.value(node.table, frame))
    return chosen_columns(source, machine.annotations.places[node], tuple(name.text for name in node.names))


# ---------------------------------------------------------------------------------------------------------------------
# Data frames


def frame_form(machine: Machine, node: ast.FrameOp, frame: Frame) -> Value:
    """``addColDF``, ``partitionDF``, ``joinDF₁``."""
    first = machine.value(node.args[0], frame)
    name = node.column.text
    if node.form == "addColDF":
        if isinstance(first, Apart):
            raise Ragged
        return with_column(first, name)
    second = machine.value(node.args[1], frame)
    if node.form == "partitionDF":
        return partitioned(matrix(first), machine.annotations.places[node][0], second)
    left, right = machine.annotations.places[node]
    return joined([matrix(first), left, matrix(second), right])
