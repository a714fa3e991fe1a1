"""One contract, every engine: each block once, the same bits, whatever the blocks, workers and order."""

import multiprocessing
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from attrs import frozen

from duetpy.runtime.engines import Engine, SerialEngine
from duetpy.runtime.engines.threads import ThreadsEngine
from duetpy.runtime.sources.table import BLOCK_ROWS, ColumnSpec, Kind, Table, no_texts
from tests.runtime.exact_folds import ExactSum, GridSum, choose_grid

ENGINES = [
    SerialEngine(),
    ThreadsEngine(),
    ThreadsEngine(1),
    ThreadsEngine(2, blocks_a_batch=1),
    ThreadsEngine(3),
    ThreadsEngine(8, blocks_a_batch=2),
]


def table(rows: int, block_rows: int = BLOCK_ROWS, seed: int = 0) -> Table:
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(rows, 3)) * 10.0 ** generator.integers(-9, 2, size=(rows, 3))
    return Table(tuple(ColumnSpec(None, Kind.REAL) for _ in range(3)), values, no_texts(rows), block_rows)


@frozen
class SumOfRows:
    """A grid sum over the numbers of a table."""

    inner: GridSum

    def zero(self):
        return self.inner.zero()

    def absorb(self, total, block: Table):
        return self.inner.absorb(total, block.numbers)

    def merge(self, left, right):
        return self.inner.merge(left, right)


@frozen
class FloatSum:
    """The control: a fold whose merge is not exact."""

    def zero(self):
        return np.zeros(3)

    def absorb(self, total, block: Table):
        return total + block.numbers.sum(axis=0)

    def merge(self, left, right):
        return left + right


@frozen
class Blocks:
    """Records which blocks were absorbed, and where."""

    def zero(self):
        return ()

    def absorb(self, total, block: Table):
        time.sleep(0.001)
        return (*total, (float(block.numbers[0, 0]), block.rows, threading.current_thread().name))

    def merge(self, left, right):
        return (*left, *right)


def rows_sum(rows: int) -> SumOfRows:
    return SumOfRows(GridSum(choose_grid(100, max(rows, 1)), 100, max(rows, 1), (3,)))


@pytest.mark.parametrize("rows", [0, 1, 5, 1000, 20_000])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.sparse(7)
def test_every_engine_and_block_size_gives_the_same_bits(engine: Engine, rows: int) -> None:
    fold = rows_sum(rows)
    expected = fold.absorb(fold.zero(), table(rows))
    for block_rows in (1, 7, 333, 8192) if rows <= 1000 else (333, 8192):
        result = engine.fold(table(rows, block_rows), fold)
        assert result.steps.tobytes() == expected.steps.tobytes()
        assert result.rows == rows


def test_the_contract_would_see_an_inexact_fold() -> None:
    results = {
        SerialEngine().fold(table(20_000, block_rows), FloatSum()).tobytes() for block_rows in (7, 333, 5000, 8192)
    }
    assert len(results) > 1


def test_exact_sums_of_any_doubles_obey_the_contract() -> None:
    @frozen
    class Column:
        inner = ExactSum()

        def zero(self) -> int:
            return 0

        def absorb(self, total: int, block: Table) -> int:
            return self.inner.absorb(total, block.numbers[:, 0])

        def merge(self, left: int, right: int) -> int:
            return left + right

    results = {engine.fold(table(5000, size), Column()) for engine in ENGINES for size in (100, 1000, 8192)}
    assert len(results) == 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("blocks", [1, 2, 3, 9, 40])
def test_every_block_is_absorbed_once_and_merged_in_order(engine: Engine, blocks: int) -> None:
    source = table(10 * blocks - 3, 10)
    seen = engine.fold(source, Blocks())
    assert [(first, rows) for first, rows, _ in seen] == [
        (float(block.numbers[0, 0]), block.rows) for block in source.blocks()
    ]


def test_threads_share_the_work() -> None:
    seen = ThreadsEngine(2, blocks_a_batch=1).fold(table(400, 10), Blocks())
    assert len({thread for _, _, thread in seen}) == 2


@pytest.mark.parametrize("engine", [ThreadsEngine(1), ThreadsEngine(4)])
def test_one_worker_or_one_batch_stays_in_the_calling_thread(engine: ThreadsEngine) -> None:
    seen = engine.fold(table(40, 10), Blocks())
    assert {thread for _, _, thread in seen} == {threading.current_thread().name}


def test_a_source_is_not_drained_ahead_of_the_workers() -> None:
    class Endless:
        rows = 10**9
        handed_out = 0

        def blocks(self) -> Iterator[int]:
            while True:
                self.handed_out += 1
                yield self.handed_out

    @frozen
    class Fails:
        def zero(self) -> int:
            return 0

        def absorb(self, total: int, block: int) -> int:
            if block == 50:
                raise ArithmeticError("block 50")
            return total + block

        def merge(self, left: int, right: int) -> int:
            return left + right

    source = Endless()
    engine = ThreadsEngine(2, blocks_a_batch=4)
    with pytest.raises(ArithmeticError, match="block 50"):
        engine.fold(source, Fails())
    assert source.handed_out <= 50 + 4 * 5
    assert engine.fold(table(100, 10), rows_sum(100)).rows == 100


def test_a_fold_may_ask_its_own_engine_for_one() -> None:
    engine = ThreadsEngine(2, blocks_a_batch=1)

    class Nested(Blocks):
        def absorb(self, total, block: Table):
            inner = engine.fold(table(60, 10), Blocks())
            assert {thread for _, _, thread in inner} == {threading.current_thread().name}
            return super().absorb(total, block)

    assert len(engine.fold(table(400, 10), Nested())) == 40
    assert len({thread for _, _, thread in engine.fold(table(400, 10), Blocks())}) == 2


def test_a_closed_engine_starts_again() -> None:
    engine = ThreadsEngine(2, blocks_a_batch=1)
    fold = rows_sum(100)
    first = engine.fold(table(100, 10), fold)
    engine.close()
    engine.close()
    assert engine.fold(table(100, 10), fold).steps.tobytes() == first.steps.tobytes()


SHARED = ThreadsEngine(2, blocks_a_batch=1)


def fold_in_child(_: int) -> bytes:
    return SHARED.fold(table(100, 10), rows_sum(100)).steps.tobytes()


def test_a_forked_child_makes_threads_of_its_own() -> None:
    here = fold_in_child(0)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(fold_in_child, (0,)).get(timeout=60) == here


@pytest.mark.parametrize("arguments", [(0,), (-1,), (2, 0)])
def test_an_engine_needs_workers_and_blocks(arguments: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="at least one"):
        ThreadsEngine(*arguments)


# ---------------------------------------------------------------------------------------------------------------------
# The table as a source


def test_blocks_are_views_cut_at_fixed_rows() -> None:
    source = table(20_000)
    sizes = [block.rows for block in source.blocks()]
    assert sizes == [8192, 8192, 20_000 - 2 * 8192]
    assert all(np.shares_memory(block.numbers, source.numbers) for block in source.blocks())
    assert list(table(0).blocks()) == []


def test_a_table_tells_its_shape_and_nothing_else() -> None:
    secret = Table(
        (ColumnSpec("age", Kind.REAL), ColumnSpec("name", Kind.TEXT)),
        np.array([[8675309.25]]),
        np.array([["canary"]], dtype=object),
    )
    assert repr(secret) == "<private table, 1 rows, 2 columns>"
    assert secret.column(0).tolist() == [8675309.25]
    assert secret.column(1).tolist() == ["canary"]
    with pytest.raises(ValueError, match="read-only"):
        secret.numbers[0, 0] = 1


def test_shapes_must_fit_the_columns() -> None:
    with pytest.raises(ValueError, match="fit"):
        Table((ColumnSpec(None, Kind.TEXT),), np.zeros((2, 1)), no_texts(2))
    with pytest.raises(ValueError, match="at least one row"):
        Table((), np.zeros((2, 0)), no_texts(2), block_rows=0)


@pytest.mark.parametrize(
    "arguments",
    [
        (None, Kind.REAL, "x"),
        (None, Kind.REAL, float("nan")),
        (None, Kind.NAT, -1),
        (None, Kind.NAT, 1.0),
        (None, Kind.NAT, 3, 3),
        (None, Kind.NAT, None, 0),
        (None, Kind.REAL, None, 3),
        (None, Kind.BOOL, 1),
        (None, Kind.TEXT, 0),
    ],
)
def test_a_default_is_a_value_of_its_column(arguments) -> None:
    with pytest.raises(ValueError, match="column"):
        ColumnSpec(*arguments)
