"""``flat``: the rows that are made of each row of a table, in one table.

Contract. What is kept of the rows of one person is a function of that person: of the cells that go with every row, and of
the rows in their order. Nobody else's rows change it, and neither does how rows are cut into blocks.
"""

from __future__ import annotations

import numpy as np
from attrs import field, frozen

from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.evaluation.row_bodies import RowBody, row_body
from duetpy.runtime.evaluation.rows import Tables
from duetpy.runtime.evaluation.tables import made_of, remembered_inputs
from duetpy.runtime.values.batching import Index, evolve_matrix, join_matrices, slice_rows, spread, take
from duetpy.runtime.values.hashes import Hashes, hashed, mixed
from duetpy.runtime.values.matrix_ops import matrix, parents
from duetpy.runtime.values.row_order import together
from duetpy.runtime.values.slices import Slices
from duetpy.runtime.values.values import Apart, MatrixValue, NeverLaned, Value, matrix_of_columns
from duetpy.typecheck import core


def flattened(machine: Machine, node: core.Flat, frame: Frame) -> Value:
    source = matrix(machine.value(node.arg, frame))
    if frame.lanes is not None:
        raise NeverLaned  # lanes have different numbers of rows
    most = machine.value(node.most, frame)
    assert isinstance(most, int)
    captured = machine.seen_by_rows(node.body, frame, node.row)
    inputs = remembered_inputs(frame, captured, source)
    known = machine.last(node, inputs)
    if known is not None:
        return known
    step = Flattened(row_body(machine, node.body, node.row, frame, captured), node.places, most)
    return machine.keep(node, inputs, made_of(machine, (source,), step))


@frozen(eq=False, repr=False)
class Flattened:
    """The rows of all persons of a block."""

    body: RowBody
    places: tuple[int, ...]
    most: int
    keeps_all: bool = field(default=False, init=False)

    def of(self, tables: Tables) -> MatrixValue:
        (table,) = tables
        rows, owners = _one_table(spread(self.body.of(table), table.rows))
        beside = [table.column(at) for at in self.places]
        own = [rows.column(at) for at in range(rows.width)]
        kept = _kept(self.most, owners, _of_cells(beside, table.rows), _of_cells(own, rows.rows), table.rows)
        columns = [take(column, owners[kept]) for column in beside] + [take(column, kept) for column in own]
        held = table.names or (None,) * table.width
        names = (*(held[at] for at in self.places), *(rows.names or (None,) * rows.width))
        return matrix_of_columns(columns, len(kept), None, names if any(names) else None)


def _one_table(tables: Value) -> tuple[MatrixValue, Index]:
    """The rows of a table a lane, one lane after another, and for each of them its lane."""
    match tables:
        case Apart(Slices() as slices):
            return together(slices)
        case Apart(several, once):
            parts = [matrix(part).settle() for part in several]
            if not parts:
                assert once is not None, "values apart are kept with one that a lane could hold"
                return slice_rows(matrix(once), 0, 0), np.empty(0, dtype=np.intp)
            return join_matrices(parts), np.repeat(np.arange(len(parts)), [part.rows for part in parts])
        case _:
            alike = matrix(tables)
            return evolve_matrix(alike, alike.store, alike.height, None), parents(alike)


def _of_cells(columns: list[Value], rows: int) -> Hashes:
    """A number for what stands in each row."""
    found = np.zeros(rows, dtype=np.uint64)
    for column in columns:
        found = mixed(found, hashed(column))
    return found


def _kept(most: int, owners: Index, persons: Hashes, rows: Hashes, count: int) -> Index:
    """The places of the rows that stay: of each owner's, those that come first by a hash of the owner, the row and its place."""
    lengths = np.bincount(owners, minlength=count).astype(np.intp)
    crowded = np.flatnonzero(lengths[owners] > most)
    first = np.cumsum(lengths) - lengths
    place = (crowded - first[owners[crowded]]).astype(np.uint64)
    key = mixed(mixed(persons[owners[crowded]], rows[crowded]), place)
    order = np.lexsort((key, owners[crowded]))
    # Rows of one owner stand together, before and after.
    many = np.where(lengths > most, lengths, 0)
    rank = np.arange(len(crowded)) - (np.cumsum(many) - many)[owners[crowded]]
    stays = np.ones(len(owners), dtype=np.bool_)
    stays[crowded[order[rank >= most]]] = False
    return np.flatnonzero(stays)
