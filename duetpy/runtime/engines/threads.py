"""Folds on several threads of this process.

Contract. As every engine: each block is absorbed once and the result is that of
:class:`~duetpy.runtime.engines.SerialEngine`, bit for bit. numpy lets go of the interpreter's lock inside its loops, so
threads share the work without copying the rows. Batches of consecutive blocks are handed out, at most two per worker at a
time (a source that reads from disk is not drained into memory), and their summaries are merged in the order of the
blocks. A fault in one batch is raised to the caller and the batches that have not begun are dropped.

Whether threads are worthwhile is measured. Between two operations of numpy a thread waits for the interpreter's lock, and waking
it takes as long as a small operation: on two cores, threads often take twice the processor time and save no time by the clock. So
the calling thread begins, and when folds of a kind have taken it long enough, a few batches are given to the threads. They take
over only if they are much faster.
"""

from __future__ import annotations

import math
import os
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from itertools import chain, islice

import numpy as np
from attrs import define

from duetpy.runtime.engines import Block, Closable, Fold, Source, Total, is_number_of_workers

BLOCKS_A_BATCH = 4
"""Handing a batch to a thread costs some tens of microseconds, about what absorbing one block of 8192 rows costs."""


ALONE, TRIED = 0.05, 4
"""Seconds and batches that folds of a kind take the calling thread before threads are tried, and batches that each thread tries."""

SHARE = 0.6
"""Threads are worthwhile if a batch takes at most this share of the least time by the clock that one took the calling thread."""


def usable_cores() -> int:
    """The number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@define
class _Pace:
    """How long batches of a kind of fold took the calling thread, all of them and the quickest, and how long the pool; whether
    threads are worthwhile, or None if that is not yet known."""

    alone: int = 0
    seconds: float = 0.0
    least: float = math.inf
    shared: int = 0
    seconds_shared: float = 0.0
    pays: bool | None = None

    def counting(self, batches: Iterator[list[Block]]) -> Iterator[list[Block]]:
        for batch in batches:
            self.shared += 1
            yield batch


class ThreadsEngine(Closable):
    """A pool of threads, made when it is first needed and kept for the next fold.

    Parameters
    ----------
    workers
        The number of threads, which then share all folds of more than one batch; by default one per usable core, for the kinds of
        folds for which threads are worthwhile. All else runs in the calling thread.
    blocks_a_batch
        How many blocks go to a thread at a time. It changes the speed, never the result.

    Raises
    ------
    ValueError
        When ``workers`` or ``blocks_a_batch`` is below 1.
    """

    def __init__(self, workers: int | None = None, blocks_a_batch: int = BLOCKS_A_BATCH) -> None:
        if not is_number_of_workers(workers) or blocks_a_batch < 1:
            raise ValueError("an engine needs at least one worker and one block at a time")
        self._workers = usable_cores() if workers is None else workers
        self._paces: dict[type, _Pace] | None = {} if workers is None else None
        self._blocks_a_batch = blocks_a_batch
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        batches, total = self._batches(source), fold.zero()
        if self._workers == 1 or _of_a_pool.get():
            return _absorb_all(fold, total, chain.from_iterable(batches))
        if self._paces is None:
            opening = list(islice(batches, 2))
            if len(opening) == 1:
                return _absorb_all(fold, total, opening[0])
            return self._fold_in_pool(chain(opening, batches), fold)
        pace = self._paces.setdefault(type(fold), _Pace())
        if pace.pays is None:
            total = self._measured(pace, batches, fold)
        if pace.pays:
            return fold.merge(total, self._fold_in_pool(batches, fold))
        return _absorb_all(fold, total, chain.from_iterable(batches))

    def _measured(self, pace: _Pace, batches: Iterator[list[Block]], fold: Fold[Total, Block]) -> Total:
        """The summary of the batches that decide whether threads are worthwhile, or of all if there are not enough."""
        total = fold.zero()
        while pace.seconds < ALONE or pace.alone < TRIED:
            begin = time.perf_counter()
            batch = next(batches, None)
            if batch is None:
                return total
            total = _absorb_all(fold, total, batch)
            took = time.perf_counter() - begin
            if len(batch) == self._blocks_a_batch:
                pace.alone, pace.seconds, pace.least = pace.alone + 1, pace.seconds + took, min(pace.least, took)
        begin, wanted = time.perf_counter(), TRIED * self._workers
        # Another thread of the caller may use this engine too, and count more than is wanted.
        tried = pace.counting(islice(batches, max(0, wanted - pace.shared)))
        total = fold.merge(total, self._fold_in_pool(tried, fold))
        pace.seconds_shared += time.perf_counter() - begin
        if pace.shared >= wanted:
            pace.pays = pace.seconds_shared / pace.shared <= SHARE * pace.least
        return total

    def _batches(self, source: Source[Block]) -> Iterator[list[Block]]:
        blocks = source.blocks()
        while batch := list(islice(blocks, self._blocks_a_batch)):
            yield batch

    def _fold_in_pool(self, batches: Iterator[list[Block]], fold: Fold[Total, Block]) -> Total:
        pool = self._running_pool()
        waiting: deque[Future[Total]] = deque()
        total = fold.zero()
        try:
            for batch in batches:
                waiting.append(pool.submit(copy_context().run, _summary, fold, batch))
                if len(waiting) >= 2 * self._workers:
                    total = fold.merge(total, waiting.popleft().result())
            while waiting:
                total = fold.merge(total, waiting.popleft().result())
        finally:
            for future in waiting:
                future.cancel()
        return total

    def _running_pool(self) -> ThreadPoolExecutor:
        # A forked child inherits the pool but none of its threads: it needs a pool of its own.
        if self._pool is None or self._pool_process != os.getpid():
            self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="duetpy-fold")
            self._pool_process = os.getpid()
        return self._pool

    def close(self) -> None:
        """Let the threads go; the next fold makes new ones."""
        if self._pool is not None and self._pool_process == os.getpid():
            self._pool.shutdown()
        self._pool = None


_of_a_pool: ContextVar[bool] = ContextVar("_of_a_pool", default=False)
"""Whether this thread is one of a pool: a fold that it asks for runs in itself, since it must not wait for its own kind."""


def _summary(fold: Fold[Total, Block], batch: list[Block]) -> Total:
    _of_a_pool.set(True)
    # A thread begins with numpy's own settings; a warning would depend on the rows.
    with np.errstate(all="ignore"):
        return _absorb_all(fold, fold.zero(), batch)


def _absorb_all(fold: Fold[Total, Block], total: Total, blocks: Iterable[Block]) -> Total:
    for block in blocks:
        total = fold.absorb(total, block)
    return total
