"""Folds and sources for workers of a cluster."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping

from attrs import field, frozen

CANARY = "the private value 8675309"


@frozen
class SlowSum:
    """The sum of numbers, each of which takes a while."""

    seconds: float = 0.02

    def zero(self) -> int:
        return 0

    def absorb(self, total: int, block: int) -> int:
        time.sleep(self.seconds)
        return total + block

    def merge(self, left: int, right: int) -> int:
        return left + right


@frozen
class Raising(SlowSum):
    """Fails, and says with which value."""

    def absorb(self, total: int, block: int) -> int:
        raise ArithmeticError(f"{CANARY}: {block}")


@frozen
class FailingElsewhere(SlowSum):
    """Can be computed in one process only."""

    home: int = field(factory=os.getpid)

    def absorb(self, total: int, block: int) -> int:
        if os.getpid() != self.home:
            raise MemoryError(CANARY)
        return total + block


@frozen
class Interrupted:
    """Blocks 0 … count − 1; something happens when some of them are asked for."""

    count: int
    happens: Mapping[int, Callable[[], None]]

    @property
    def rows(self) -> int:
        return self.count

    def blocks(self) -> Iterator[int]:
        for block in range(self.count):
            if block in self.happens:
                self.happens[block]()
            yield block


def kill(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
