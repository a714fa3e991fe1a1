"""Folds over the rows of a table.

Contract. Outside of row bodies a fold of one of these shapes adds, or picks, exactly, block by block:

    acc + g(row)      acc ⊔ g(row)      acc ⊓ g(row)      acc ∧ g(row)      acc ∨ g(row)      mmap acc, g(row) { x, y ⇒ x + y }

Blocks are merged by exact, commutative operations, so no order and no number of threads can change a bit. Any other fold
runs row after row. Inside a row body, folds go over the rows of each lane, in all lanes at once.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

from attrs import frozen

from duetpy.runtime.engines import Fold, SerialEngine
from duetpy.runtime.evaluation import laned_blocks, row_bodies
from duetpy.runtime.evaluation.blocks import MatrixSum, Picked, Sum
from duetpy.runtime.evaluation.kernels import KERNELS, plus
from duetpy.runtime.evaluation.loop_invariants import each_lane
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.evaluation.row_bodies import RowBody, row_body
from duetpy.runtime.evaluation.rows import (
    Block,
    Body,
    part_of,
    rows_of,
)
from duetpy.runtime.evaluation.step_sums import Comparisons, is_sorted, kinds_of_rows
from duetpy.runtime.evaluation.tables import remembered_inputs
from duetpy.runtime.exact.rationals import Numbers
from duetpy.runtime.values.batch_size import cells_each, most_at_once
from duetpy.runtime.values.batching import (
    copied,
    counted,
    row_lanes,
    slice_rows,
    spread,
)
from duetpy.runtime.values.matrix_ops import (
    entries,
    from_entries,
    matrix,
    row_of,
)
from duetpy.runtime.values.values import (
    MatrixValue,
    Value,
    numbers_of,
)
from duetpy.typecheck import core
from duetpy.typecheck.facts import facts_of

Total = TypeVar("Total")

SUMS_AT_ONCE = 16
"""Each worker makes a sum, and some wait to be merged. One of matrices with more cells than a part in so many of those that lanes
may have is made by one worker, block after block."""


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
    return taken_apart(machine, node, frame, state, source)


def taken_apart(machine: Machine, node: core.Fold, frame: Frame, state: Value, source: MatrixValue) -> Value:
    """Row after row, with what does not look at the state computed for a block at once, which is small where that is large."""
    hoisting = machine.hoisting(node)
    needs_row = node.row in machine.captures.of(hoisting.body)
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
                state = row_bodies.within(machine, hoisting.body, frame, names)
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
                known = self.folded(Sum(self.body(captured)), captured)
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
        captured = self.captured()
        fold = MatrixSum(self.body(captured), entries)
        cells = self.folded(fold, captured, entries)
        grid = numbers_of(init)
        total = plus(cells.numbers(shape, natural=grid.is_natural), grid)
        assert isinstance(total, Numbers)
        return MatrixValue(init.rows, total)

    def pick(self, init: Value) -> Value:
        """The largest, smallest, all or any of a value a row, and of the initial one."""
        sign = self.node.sign
        captured = self.captured()
        found = self.folded(Picked(self.body(captured), KERNELS[sign], facts_of(sign).picks), captured)
        return init if found is None else KERNELS[sign](init, found)

    def captured(self) -> dict[str, Value]:
        return self.machine.seen_by_rows(self.node.term, self.frame, self.node.row)

    def folded(self, fold: Fold[Total, Block], captured: dict[str, Value], entries: int = 1) -> Total:
        """What the rows come to, of which each has a term of so many entries of its own."""
        most = min(self.machine.block_rows, max(1, most_at_once() // entries))
        at_once = most_at_once() // SUMS_AT_ONCE // entries
        of = part_of(self.source)
        if of is not None and of[0].siblings <= at_once:
            part, steps = of
            known = part.total(self.node, (self.frame.kinds, captured, steps), fold, most)
            if known is not None:
                return known[0]
        engine = self.machine.engine if at_once else SerialEngine()
        return engine.fold(rows_of((self.source,), most), fold)

    def body(self, captured: dict[str, Value]) -> Body:
        return Term(row_body(self.machine, self.node.term, self.node.row, self.frame, captured))


@frozen(eq=False, repr=False)
class Term:
    """What the rows of a block contribute to a fold."""

    body: RowBody

    def of(self, block: Block) -> Value:
        return self.body.of(block.tables[0])
