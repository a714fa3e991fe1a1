"""The contract of engines as folds that tell: which blocks were absorbed, how often, in which order; and sums, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from attrs import frozen

from duetpy.runtime.engines import Engine
from duetpy.runtime.sources.table import BLOCK_ROWS, ColumnSpec, Kind, Table, no_texts
from tests.runtime.exact_folds import ExactSum, GridSum, choose_grid

Seen: TypeAlias = tuple[int, ...]


@frozen
class Numbered:
    """A source of blocks that are numbers."""

    count: int

    @property
    def rows(self) -> int:
        return self.count

    def blocks(self) -> Iterator[int]:
        yield from range(self.count)


@frozen
class Each:
    """Which blocks were absorbed, and how often; as every fold, whatever the order."""

    def zero(self) -> Seen:
        return ()

    def absorb(self, total: Seen, block: int) -> Seen:
        return tuple(sorted((*total, block)))

    def merge(self, left: Seen, right: Seen) -> Seen:
        return tuple(sorted(left + right))


@frozen
class InTurn:
    """In which order blocks were absorbed and merged: a fold that associates, and does not commute."""

    def zero(self) -> Seen:
        return ()

    def absorb(self, total: Seen, block: int) -> Seen:
        return (*total, block)

    def merge(self, left: Seen, right: Seen) -> Seen:
        return left + right


@frozen
class SumOfRows:
    """A sum on a grid over the numbers of a table."""

    inner: GridSum

    def zero(self):
        return self.inner.zero()

    def absorb(self, total, block: Table):
        return self.inner.absorb(total, block.numbers)

    def merge(self, left, right):
        return self.inner.merge(left, right)


@frozen
class SumOfColumn:
    """The exact sum of the first column of a table."""

    inner: ExactSum

    def zero(self) -> int:
        return 0

    def absorb(self, total: int, block: Table) -> int:
        return self.inner.absorb(total, block.numbers[:, 0])

    def merge(self, left: int, right: int) -> int:
        return left + right


def table(rows: int, block_rows: int = BLOCK_ROWS, seed: int = 0) -> Table:
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(rows, 3)) * 10.0 ** generator.integers(-9, 2, size=(rows, 3))
    return Table(tuple(ColumnSpec(None, Kind.REAL) for _ in range(3)), values, no_texts(rows), block_rows)


def rows_sum(rows: int) -> SumOfRows:
    return SumOfRows(GridSum(choose_grid(100, max(rows, 1)), 100, max(rows, 1), (3,)))


def examine(engine: Engine, *, in_order: bool, rows: int = 1000) -> None:
    """Fails where an engine breaks the contract.

    Parameters
    ----------
    engine
        The engine.
    in_order
        Whether it promises to merge blocks in their order, as all engines do that a run may have.
    rows
        The rows of the tables that are summed.
    """
    for count in (0, 1, 2, 3, 9, 40):
        assert engine.fold(Numbered(count), Each()) == tuple(range(count)), "each block once"
        if in_order:
            assert engine.fold(Numbered(count), InTurn()) == tuple(range(count)), "the blocks in their order"
    wanted, column = rows_sum(rows), SumOfColumn(ExactSum())
    for block_rows in (rows // 40 + 1, rows // 3, rows):
        source = table(rows, block_rows)
        found = engine.fold(source, wanted)
        assert found.steps.tobytes() == wanted.absorb(wanted.zero(), table(rows)).steps.tobytes(), "the same bits"
        assert found.rows == rows
        assert engine.fold(source, column) == column.absorb(0, table(rows)), "the same sum"
