"""The parts of a table that is not kept, by a key of its rows: each is a filter of it, and all are gone over together."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from attrs import define, field, frozen

from duetpy.runtime.engines import Fold
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.evaluation.row_bodies import RowBody, row_body
from duetpy.runtime.evaluation.rows import Block, Derived, Kept, Making, OfRows, Rows, chain, derived, rows_of
from duetpy.runtime.evaluation.tables import Holding, Mapped
from duetpy.runtime.values.batching import Index, evolve_matrix, spread, take_rows
from duetpy.runtime.values.matrix_ops import codes_of
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import MatrixValue, SetValue
from duetpy.typecheck import core

Total = TypeVar("Total")


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
    together = Parts(machine, source, codes, len(keys.elements))
    parts: list[MatrixValue] = []
    for code in range(together.count):
        made = derived((source,), Kept(OfCode(codes, code)), machine.engine, machine.block_rows)
        assert isinstance(made.recipe, Derived)
        made.recipe.part = part = PartOf(together, code)
        made.recipe.counter = part.rows
        parts.append(made)
    return parts


@define(eq=False, repr=False)
class Seen:
    """What a form folded last, and what that comes to for each part that has rows, if it is known."""

    inputs: tuple[object, ...]
    totals: Mapping[int, Any] | None = None


@define(eq=False, repr=False)
class Parts:
    """The parts of a table, and what folds over all of them come to.

    Every part is given to the same program, one after another. Where a form folds the rows of a second part by the very same
    function as those of the one before, all parts are folded in one pass, and the others find their result there.
    """

    machine: Machine
    source: MatrixValue
    codes: KeyCodes
    count: int
    _rows: list[int] = field(factory=list, init=False)
    _seen: dict[core.Node, Seen] = field(factory=dict, init=False)

    def rows(self, code: int) -> int:
        """How many rows a part has."""
        if not self._rows:
            fold = Counts(self.codes, self.count)
            self._rows.extend(self.machine.engine.fold(self._blocks(self.machine.block_rows), fold).tolist())
        return self._rows[code]

    def total(
        self, code: int, form: core.Node, inputs: tuple[object, ...], fold: Fold[Total, Block], most: int
    ) -> tuple[Total] | None:
        """What a fold over a part comes to; None where it is not worth a pass over all of them."""
        seen = self._seen.get(form)
        if seen is None or not are_alike(inputs, seen.inputs):
            self._seen[form] = Seen(inputs)
            return None
        if seen.totals is None:
            steps = inputs[-1]
            assert isinstance(steps, tuple)
            seen.totals = self.machine.engine.fold(self._blocks(most), EachPart(self.codes, chain(steps), fold))
        return (seen.totals[code] if code in seen.totals else fold.zero(),)

    def _blocks(self, most: int) -> Rows:
        return rows_of((self.source,), most)


@frozen(eq=False, repr=False)
class PartOf:
    """One of them."""

    parts: Parts
    code: int

    @property
    def siblings(self) -> int:
        return self.parts.count

    def rows(self) -> int:
        return self.parts.rows(self.code)

    def total(
        self, form: core.Node, inputs: tuple[object, ...], fold: Fold[Total, Block], most: int
    ) -> tuple[Total] | None:
        return self.parts.total(self.code, form, inputs, fold, most)


@frozen(eq=False, repr=False)
class EachPart:
    """A fold over each part by itself, as a fold over all rows."""

    codes: KeyCodes
    making: Making
    fold: Fold[Any, Block]

    def zero(self) -> dict[int, Any]:
        return {}

    def absorb(self, total: dict[int, Any], block: Block) -> dict[int, Any]:
        made = block.made()
        if not made.rows:
            return total
        (table,) = made.pieces
        codes = self.codes.of(table)
        order = np.argsort(codes, kind="stable")
        found = dict(total)
        there, begins = np.unique(codes[order], return_index=True)
        for code, index in zip(there.tolist(), np.split(order, begins[1:]), strict=True):
            if code >= 0:
                rows = evolve_matrix(table, take_rows(table.store, index), len(index), None)
                before = found[code] if code in found else self.fold.zero()
                found[code] = self.fold.absorb(before, Block(block.start, (rows,), self.making))
        return found

    def merge(self, left: dict[int, Any], right: dict[int, Any]) -> dict[int, Any]:
        both = {code: self.fold.merge(left[code], right[code]) for code in left.keys() & right.keys()}
        return left | right | both


def are_alike(left: object, right: object) -> bool:
    """Whether two functions of rows, or what they mention, are surely the same: numbers and texts are compared directly, and
    anything else that each part has a copy of by what it consists of."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    match left, right:
        case (bool() | int() | Fraction() | str() | date(), _):
            return left == right
        case (tuple(), tuple()):
            return len(left) == len(right) and all(map(are_alike, left, right))
        case (dict(), dict()):
            return left.keys() == right.keys() and all(are_alike(left[key], right[key]) for key in left)
        case (KindScope(), KindScope()):
            return left.items() == right.items()
        case (Mapped(), Mapped()):
            return left.node is right.node and are_alike(
                (left.frame.kinds, left.captured), (right.frame.kinds, right.captured)
            )
        case (RowBody(), RowBody()):
            return left.body is right.body and are_alike(
                (left.frame.kinds, left.captured), (right.frame.kinds, right.captured)
            )
        case (Kept(Holding(body)), Kept(Holding(other))):
            return are_alike(body, other)
        case (OfRows(), OfRows()):
            return left.kernel is right.kernel and are_alike(left.brackets, right.brackets)
        case _:
            return False


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
