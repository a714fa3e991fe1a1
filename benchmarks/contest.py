"""Contenders in processes of their own, which must agree before they are timed in turn.

Each round times everybody once, one after the other, so that other load on the machine falls on all of them.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, field

from benchmarks.by_hand import PROGRAMS
from benchmarks.peers import PEERS
from benchmarks.tasks import Size, Task

ROOT = Path(__file__).parents[1]
THREADS = (1, 2)
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

TOLERANCE = 1e-5
"""Relative to the largest number of an answer: contenders sum in other orders, and duetpy rounds to a grid."""

CLOSE = 1.5
"""A way of writing the NumPy program that took so many times the best in the first round is not timed again."""


CLEAR = 3
"""Differences of times that differ by more among themselves are mostly load."""


class Failed(Exception):
    """A contender is not installed, ended with an error or does not compute the same; the last argument says which."""


@define
class Contender:
    """A program in a process, and the seconds that it took by the number of iterations, one for each round."""

    name: str
    process: subprocess.Popen[str] = field(repr=False)
    variant: str = ""
    version: str = ""
    cpu: dict[int, list[float]] = field(factory=dict)
    wall: dict[int, list[float]] = field(factory=dict)

    def ask(self, **order: Any) -> Any:
        """The reply to an order; raises `Failed`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(order) + "\n")
            self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline() or '{"failed": "it ended"}')
        if "failed" in reply:
            raise Failed(self.name, reply["failed"])
        return reply

    def answer(self, turns: int) -> np.ndarray:
        """What it computes without noise."""
        return np.array(self.ask(do="answer", variant=self.variant, turns=turns)["answer"])

    def time(self, turns: int) -> None:
        took = self.ask(do="time", variant=self.variant, turns=turns)
        self.cpu.setdefault(turns, []).append(took["cpu"])
        self.wall.setdefault(turns, []).append(took["wall"])

    def least(self, turns: int) -> float:
        return min(self.cpu[turns])

    def a_turn(self, turns: int) -> float | None:
        """Seconds of a turn beyond the first, of a loop: the median of the rounds; None if other load hides the turns."""
        beyond = [(many - one) / (turns - 1) for many, one in zip(self.cpu[turns], self.cpu[1], strict=True)]
        return statistics.median(beyond) if 0 < max(beyond) <= CLEAR * min(beyond) else None


@contextmanager
def started(spec: dict[str, Any], name: str, python: str = sys.executable, threads: int = 0) -> Iterator[Contender]:
    """A contender that has its data, and has run once on little data."""
    surroundings = os.environ | {"PYTHONPATH": str(ROOT)}
    if threads:
        surroundings |= dict.fromkeys(THREAD_VARIABLES, str(threads))
    command = [python, "-W", "ignore", "-m", "benchmarks.worker"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    if python != sys.executable:
        # What a library has to say of itself.
        pipes["stderr"] = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=ROOT, env=surroundings, text=True, encoding="utf-8", **pipes)
    try:
        contender = Contender(name, process)
        contender.version = contender.ask(**spec)["version"]
        yield contender
    finally:
        process.kill()
        process.communicate()


@define
class Contest:
    """Everybody who computes a task; a peer that does not take part is the reason why."""

    task: Task
    size: Size
    ours: Contender
    by_hand: list[Contender]
    peers: dict[str, Contender | str]

    def time(self, rounds: int) -> None:
        for turn in range(rounds):
            rivals = [(name, peer) for name, peer in self.peers.items() if isinstance(peer, Contender)]
            for each in (self.ours, *self.by_hand):
                self.once(each)
            for name, peer in rivals:
                try:
                    self.once(peer)
                except Failed as failed:
                    self.peers[name] = failed.args[-1]
            if not turn:
                self.by_hand = contending(self.by_hand, self.size.turns)

    def once(self, each: Contender) -> None:
        for turns in sorted({min(self.size.turns, 1), self.size.turns}):
            each.time(turns)


def specification(task: Task, size: Size, folder: Path, cores: int = 0) -> dict[str, Any]:
    """What a worker has to know, with the data written into a folder."""
    (folder / "tiny").mkdir()
    task.data(folder / "tiny", task.tiny)
    return {
        "program": task.program,
        "notion": task.notion,
        "turns": task.turns,
        "computes": task.by_hand or task.name,
        "folder": str(folder),
        "files": task.data(folder, size),
        "settings": task.settings(size),
        "exact": task.settings(size) | task.exact(size),
        "tiny": task.settings(task.tiny) | task.exact(task.tiny),
        "cores": cores,
        "stream": task.stream,
    }


@contextmanager
def contest(task: Task, size: Size, folder: Path, python_of_peers: str | None) -> Iterator[Contest]:
    """Everybody, once they agree; raises `Failed` if a program by hand does not, `ImportError` if the data cannot be written."""
    spec = specification(task, size, folder)
    computes, turns = spec["computes"], min(size.turns, 2)
    with ExitStack() as stack:
        ours = stack.enter_context(started(spec | {"contender": "duetpy"}, "duetpy"))
        answer = ours.answer(turns)
        by_hand = []
        # Only products of matrices have threads of their own.
        for threads in THREADS if computes == "descent" else THREADS[:1]:
            one = stack.enter_context(started(spec | {"contender": "numpy"}, "numpy", threads=threads))
            by_hand += [Contender(f"{way} ×{threads}", one.process, way) for way in PROGRAMS[computes]]
        for each in by_hand:
            agree(task, answer, each, turns)
        peers: dict[str, Contender | str] = {}
        for name in (name for name, programs in PEERS.items() if computes in programs and name not in task.without):
            try:
                if python_of_peers is None:
                    raise Failed(name, "not installed")
                peer = stack.enter_context(started(spec | {"contender": name}, name, python_of_peers))
                agree(task, answer, peer, turns)
                peers[name] = peer
            except Failed as failed:
                peers[name] = failed.args[-1]
        yield Contest(task, size, ours, by_hand, peers)


def agree(task: Task, ours: np.ndarray, other: Contender, turns: int) -> None:
    """Raises `Failed` unless an answer without noise is ours but for rounding."""
    if not same(ours, other.answer(turns)):
        raise Failed(task.name, other.name, "does not compute the same")


def same(ours: np.ndarray, theirs: np.ndarray) -> bool:
    return theirs.shape == ours.shape and bool(np.abs(theirs - ours).max() <= TOLERANCE * np.abs(ours).max())


def contending(ways: list[Contender], turns: int) -> list[Contender]:
    """Those of the first round who could be the best, by the processor, by the clock or a turn."""
    measures = [[each.cpu[turns][0] for each in ways], [each.wall[turns][0] for each in ways]]
    if turns > 1:
        measures.append([each.a_turn(turns) or math.inf for each in ways])
    close = {at for took in measures for at, seconds in enumerate(took) if seconds <= CLOSE * min(took)}
    return [each for at, each in enumerate(ways) if at in close]
