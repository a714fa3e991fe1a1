"""The parts of a table that is not kept, by a key of its rows: each is a filter of it, and all are counted together."""

from __future__ import annotations

from functools import partial

import numpy as np
from attrs import frozen

from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.evaluation.row_bodies import RowBody, row_body
from duetpy.runtime.evaluation.rows import Block, Derived, Kept, derived, rows_of
from duetpy.runtime.values.batching import Index, spread
from duetpy.runtime.values.matrix_ops import codes_of
from duetpy.runtime.values.values import MatrixValue, SetValue
from duetpy.typecheck import core


@frozen(eq=False, repr=False)
class KeyCodes:
    """The place of the key of each row among the keys, or −1."""

    key_of: RowBody
    keys: SetValue

    def of(self, table: MatrixValue) -> Index:
        return codes_of(spread(self.key_of.of(table), table.rows), table.rows, self.keys.elements)


def parts_by_key(
    machine: Machine, node: core.Parallel, frame: Frame, source: MatrixValue, keys: SetValue
) -> list[MatrixValue]:
    """The rows of a table for each key, in order."""
    codes = KeyCodes(row_body(machine, node.key_of, node.row, frame), keys)
    counts: list[int] = []

    def counted(code: int) -> int:
        if not counts:
            fold = Counts(codes, len(keys.elements))
            counts.extend(machine.engine.fold(rows_of((source,), machine.block_rows), fold).tolist())
        return counts[code]

    parts: list[MatrixValue] = []
    for code in range(len(keys.elements)):
        part = derived((source,), Kept(OfCode(codes, code)), machine.engine, machine.block_rows)
        assert isinstance(part.recipe, Derived)
        part.recipe.counter = partial(counted, code)
        parts.append(part)
    return parts


@frozen(eq=False, repr=False)
class OfCode:
    """The places of the rows of one code."""

    codes: KeyCodes
    code: int

    def of(self, table: MatrixValue) -> Index:
        return np.flatnonzero(self.codes.of(table) == self.code)


@frozen(eq=False, repr=False)
class Counts:
    """How many rows each code has."""

    codes: KeyCodes
    count: int

    def zero(self) -> Index:
        return np.zeros(self.count, dtype=np.intp)

    def absorb(self, total: Index, block: Block) -> Index:
        block = block.made()
        found = self.codes.of(block.pieces[0]) if block.rows else np.empty(0, dtype=np.intp)
        return total + np.bincount(found[found >= 0], minlength=self.count)

    def merge(self, left: Index, right: Index) -> Index:
        return left + right
