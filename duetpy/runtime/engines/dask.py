"""Folds on the workers of a Dask cluster.

Contract. As every engine: each block is absorbed once, and the result is that of `duetpy.runtime.engines.SerialEngine`, bit for
bit. A fold and its blocks travel packed (`duetpy.runtime.engines.packing`), the summary of each block comes back, and the
summaries are merged here in the order of the blocks. A task that Dask repeats, on another worker or on the same one, has one
result, which is taken once. Noise is drawn, and budgets are kept, here alone.

What no worker computes, for whatever reason, is computed here: a worker that is killed, or a cluster that is lost, costs time
only. So are folds that are not sent (foreign code, bodies that nest too deep), and those over a single block. What a library
approximates (`approximate` in the prelude) is computed where processors are alike, and all else on any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, count, islice
from queue import Empty, SimpleQueue
from time import sleep
from typing import Any, Generic
from uuid import uuid4

from attrs import define, field, frozen

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.engines import Block, Closable, Fold, SerialEngine, Source, Total, is_number_of_workers
from duetpy.runtime.engines.addresses import parse_address
from duetpy.runtime.engines.cluster import Cluster, reached, started
from duetpy.runtime.engines.packing import NotSent, Sent, packed, unpacked
from duetpy.runtime.engines.worker import absorbed, carried
from duetpy.runtime.values.batch_size import most_at_once

LOOKING = 1.0
"""Every so many seconds without an answer the workers are looked for."""

PATIENCE = 60
"""After so many looks at which there was no worker, the cluster is lost."""

FETCHES = 60
"""A summary may take so many times as long from a worker to here."""

AHEAD = 2
"""Blocks for each thread of a worker that are on their way at a time: a source that reads from disk is not drained into memory."""


class DaskEngine(Closable):
    """Workers that are found, or started, when they are first needed, and kept for the next fold.

    Parameters
    ----------
    address
        A scheduler; None for workers of this machine, which are started and ended with the engine.
    workers
        The number of workers that are started; by default one a usable core.
    security
        Dask's ``Security`` for an address with ``tls``; by default that of Dask's configuration.

    Raises
    ------
    ValueError
        If the address is not one of Dask, or ``workers`` is below 1.
    """

    def __init__(self, address: str | None = None, workers: int | None = None, security: Any = None) -> None:
        if address is not None:
            parse_address(address)
        if not is_number_of_workers(workers):
            raise ValueError("an engine needs at least one worker")
        self._address, self._workers, self._security = address, workers, security
        self._cluster: Cluster | None = None
        self._is_lost = False

    def ready(self) -> None:
        """Find or start the workers, unless that was done; raises `DuetError` where they cannot be used."""
        if self._cluster is not None and self._cluster.client.status != "running":
            self.close()
        if self._cluster is None:
            if self._address is None:
                self._cluster = started(self._workers)
            else:
                self._cluster = reached(self._address, self._security)
        self._is_lost = False

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        blocks = source.blocks()
        opening = list(islice(blocks, 2))
        if len(opening) < 2:
            return SerialEngine().fold(_Blocks(iter(opening)), fold)
        every = chain(opening, blocks)
        shared = getattr(source, "shared", None)
        try:
            sent = packed((fold, shared))
        except NotSent:
            return SerialEngine().fold(_Blocks(every), fold)
        cluster = self._found()
        if cluster is None:
            return SerialEngine().fold(_Blocks(every), fold)
        sending = _Sending(cluster, fold, shared, sent)
        try:
            return sending.run(every)
        finally:
            if sending.is_lost:
                self.close()

    def _found(self) -> Cluster | None:
        """The workers; None once they are lost and no others can be had, until somebody asks for them again with `ready`."""
        if not self._is_lost:
            try:
                self.ready()
            except DuetError:
                self._is_lost = True
        return self._cluster

    def close(self) -> None:
        """Let the workers go; the next fold finds or starts others."""
        if self._cluster is not None:
            cluster, self._cluster = self._cluster, None
            cluster.close()


@define(eq=False, repr=False)
class _Blocks(Generic[Block]):
    """Blocks as a source."""

    every: Iterator[Block]

    @property
    def rows(self) -> int:
        return 0

    def blocks(self) -> Iterator[Block]:
        return self.every


@frozen(eq=False, repr=False)
class _Task:
    """A task on its way, and the workers that may take it."""

    future: Any
    where: frozenset[str]


@define(eq=False, repr=False)
class _Sending(Generic[Total, Block]):
    """One fold on its way: which blocks are out, and which summaries are back.

    Parameters
    ----------
    cluster, fold, shared, sent
        Where to, what, what all blocks hold, and the last two packed.
    """

    cluster: Cluster
    fold: Fold[Total, Block]
    shared: object
    sent: Sent
    _name: str = field(factory=lambda: f"duetpy-{uuid4().hex}", init=False)
    _numbers: Iterator[int] = field(factory=count, init=False)
    _workers: dict[str, int] = field(factory=dict, init=False)
    _carrier: _Task | None = field(default=None, init=False)
    _out: dict[int, tuple[_Task, Block]] = field(factory=dict, init=False)
    _back: dict[int, Total] = field(factory=dict, init=False)
    _answers: SimpleQueue[tuple[int, Any]] = field(factory=SimpleQueue, init=False)
    _absent: int = field(default=0, init=False)
    is_lost: bool = field(default=False, init=False)

    def run(self, blocks: Iterator[Block]) -> Total:
        """The summary of all blocks."""
        total, merged = self.fold.zero(), 0
        waiting = enumerate(blocks)
        try:
            self._look()
            # There may be none with a processor like this one, and never will be.
            while not self._workers and not self.is_lost and not self.sent.is_approximate:
                sleep(LOOKING)
                self._look()
            while True:
                room = AHEAD * max(1, sum(self._workers.values())) - len(self._out) - len(self._back)
                for place, block in islice(waiting, max(room, 0)):
                    self._send(place, block)
                if not self._out and not self._back:
                    return total
                while merged in self._back:
                    total = self.fold.merge(total, self._back.pop(merged))
                    merged += 1
                if self._out:
                    self._take()
        finally:
            self._forget()

    def _send(self, place: int, block: Block) -> None:
        task = self._submitted(block) if self._workers and not self.is_lost else None
        if task is None:
            self._back[place] = self._here(block)
            return
        self._out[place] = (task, block)
        task.future.add_done_callback(lambda done: self._answers.put((place, done)))

    def _submitted(self, block: Block) -> _Task | None:
        """The task of a block's summary; None where it cannot be sent."""
        try:
            content = packed(block, self.shared)
        except NotSent:
            return None
        if content.is_approximate and not self.sent.is_approximate:
            return None
        try:
            if self._carrier is None:
                self._carrier = self._task(carried, self.sent)
            shared = max(self._workers.values())
            return self._task(absorbed, self._carrier.future, content, most_at_once(), shared)
        except Exception:
            self.is_lost = True
            return None

    def _task(self, function: Callable[..., object], *given: object) -> _Task:
        # Dask names tasks by what they are given otherwise, and takes two blocks of the same rows for one.
        key = f"{self._name}-{next(self._numbers)}"
        where = list(self._workers)
        client = self.cluster.client
        future = client.submit(function, *given, key=key, workers=where, allow_other_workers=False, pure=False)
        return _Task(future, frozenset(where))

    def _take(self) -> None:
        """Wait for one answer, and look after the workers as long as none comes."""
        while self._out:
            try:
                place, future = self._answers.get(timeout=LOOKING)
            except Empty:
                self._look()
                if self.is_lost:
                    self._compute_all_here()
                continue
            # One that was sent again has another future, and this one's answer is not waited for any more.
            if place in self._out and self._out[place][0].future is future:
                task, block = self._out.pop(place)
                self._back[place] = self._summary(task, block)
                return

    def _summary(self, task: _Task, block: Block) -> Total:
        answer = self._fetched(task) if task.future.status == "finished" else None
        if isinstance(answer, Sent):
            total: Total = unpacked(answer)
            return total
        return self._here(block)

    def _fetched(self, task: _Task) -> object:
        """The answer of a worker; None where it died with it, and so did all others that may compute it again."""
        for _ in range(FETCHES):
            try:
                return task.future.result(timeout=LOOKING)
            except TimeoutError:
                if not self._may_come(task):
                    return None
            except Exception:
                return None
        return None

    def _may_come(self, task: _Task) -> bool:
        """Whether a task, and the one that carries the fold to it, can be computed again."""
        needed = [task] if self._carrier is None else [task, self._carrier]
        self._look()
        return not any(each.where.isdisjoint(self._workers) for each in needed)

    def _here(self, block: Block) -> Total:
        return self.fold.absorb(self.fold.zero(), block)

    def _look(self) -> None:
        """Find the workers that there are now; what nobody can take any more is sent again."""
        try:
            self._workers = {} if self.is_lost else self.cluster.workers(self.sent.is_approximate)
        except Exception:
            # Who does not say which workers there are has none.
            self._workers, self.is_lost = {}, True
        if self._workers:
            self._absent = 0
            self._send_again()
        else:
            self._absent += 1
            self.is_lost |= self._absent > PATIENCE or self.cluster.client.status != "running"

    def _send_again(self) -> None:
        """Each block whose workers are all gone; and all of them where the fold went with its workers."""
        everything = self._carrier is not None and self._carrier.where.isdisjoint(self._workers)
        if everything:
            self._carrier = None
        for place, (task, block) in list(self._out.items()):
            if everything or task.where.isdisjoint(self._workers):
                del self._out[place]
                with suppress(Exception):
                    task.future.cancel(force=True)
                self._send(place, block)

    def _compute_all_here(self) -> None:
        for place, (_, block) in self._out.items():
            self._back[place] = self._here(block)
        self._out.clear()

    def _forget(self) -> None:
        """Nothing of a fold stays on the cluster, however it ends."""
        for task, _ in self._out.values():
            with suppress(Exception):
                task.future.cancel(force=True)
        self._out.clear()
        self._carrier = None
