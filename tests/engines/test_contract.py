"""One contract, every engine: each block once, the same bits, whatever the blocks, workers and order."""

import math
import multiprocessing
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor

import numpy as np
import pytest
from attrs import frozen

import duetpy
from duetpy.runtime.engines import Engine, SerialEngine, threads
from duetpy.runtime.engines.dask import DaskEngine
from duetpy.runtime.engines.threads import ThreadsEngine
from duetpy.runtime.sources.table import Table
from tests.engines.contract import examine, rows_sum, table
from tests.engines.fakes import Delayed, Elsewhere, Packing, Repeating, Shuffled, Split

ENGINES = [
    SerialEngine(),
    ThreadsEngine(),
    ThreadsEngine(1),
    ThreadsEngine(2, blocks_a_batch=1),
    ThreadsEngine(3),
    ThreadsEngine(8, blocks_a_batch=2),
]


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


@pytest.mark.parametrize("engine", [*ENGINES, Repeating(1), Repeating(2), Delayed()])
def test_an_engine_keeps_the_contract(engine: Engine) -> None:
    examine(engine, in_order=True)


@pytest.mark.parametrize("engine", [Shuffled(1), Shuffled(2), Packing(3), Packing(4)])
def test_whatever_a_cluster_may_do_changes_no_bit(engine: Engine) -> None:
    examine(engine, in_order=False)


def test_blocks_are_split_anywhere() -> None:
    examine(Split(lambda left, right: repr(left) == repr(right)), in_order=True, rows=200)


def test_blocks_are_absorbed_in_other_processes(processes: Executor) -> None:
    engine = Elsewhere(processes)
    examine(engine, in_order=True)
    assert engine.sent > 100


@pytest.mark.usefixtures("nothing_here")
def test_workers_by_address_keep_the_contract(by_address: DaskEngine) -> None:
    examine(by_address, in_order=True)


@pytest.mark.thorough("test_workers_by_address_keep_the_contract")
@pytest.mark.usefixtures("nothing_here")
def test_workers_that_are_started_keep_the_contract(started: DaskEngine) -> None:
    examine(started, in_order=True)


def test_the_contract_would_see_an_inexact_fold() -> None:
    results = {
        SerialEngine().fold(table(20_000, block_rows), FloatSum()).tobytes() for block_rows in (7, 333, 5000, 8192)
    }
    assert len(results) > 1


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


@pytest.mark.parametrize(("share", "pays"), [(0.0, False), (math.inf, True)])
@pytest.mark.parametrize("blocks", [1, 3, 9, 40, 200])
def test_threads_take_over_where_they_pay(
    share: float, pays: bool, blocks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "usable_cores", lambda: 2)
    monkeypatch.setattr(threads, "ALONE", 0.0)
    monkeypatch.setattr(threads, "SHARE", share)
    engine = ThreadsEngine()
    source = table(10 * blocks, 10)
    for _ in range(200 // blocks + 1):
        seen = engine.fold(source, Blocks())
        assert [first for first, _, _ in seen] == [float(block.numbers[0, 0]) for block in source.blocks()]
    last = seen[-1][2]
    is_known = blocks >= threads.BLOCKS_A_BATCH
    assert (last != threading.current_thread().name) == (pays and is_known)


def test_one_engine_may_serve_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two folds of a kind at once may try more batches together than one alone would."""
    monkeypatch.setattr(threads, "usable_cores", lambda: 2)
    engine, source = ThreadsEngine(), table(400, 10)
    wanted = threads.TRIED * 2
    pace = threads._Pace(alone=threads.TRIED, seconds=1.0, least=1.0, shared=wanted + 1, seconds_shared=0.1)
    engine._paces = {Blocks: pace}
    assert len(engine.fold(source, Blocks())) == 40
    assert pace.pays


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


def test_a_with_statement_closes_an_engine_of_either_kind() -> None:
    for engine in (duetpy.engines.threads(2), duetpy.engines.dask(workers=1)):
        with engine as entered:
            assert entered is engine
    threads = ThreadsEngine(2)
    with threads:
        pool = threads._running_pool()
    with pytest.raises(RuntimeError, match="shutdown"):
        pool.submit(int)


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
