"""The seam to the machines: a fold, a source of blocks, and an engine that runs one over the other.

Contract. A :class:`Fold` summarises blocks. ``merge`` commutes and associates *exactly*, ``zero`` is its unit, and
``absorb(total, block)`` equals ``merge(total, absorb(zero(), block))``. A :class:`Source` cuts its rows at boundaries
of its own, the same for every engine and on every run. An :class:`Engine` absorbs every block of the source exactly
once, in whatever order and on however many workers, so all engines return the same accumulator to the last bit.

Folds neither draw noise nor spend budget: both stay with the driver.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Protocol, Self, TypeVar, runtime_checkable

Block = TypeVar("Block")
BlockIn = TypeVar("BlockIn", contravariant=True)
BlockOut = TypeVar("BlockOut", covariant=True)
Total = TypeVar("Total")


class Fold(Protocol[Total, BlockIn]):
    """A summary of blocks. Implementations are values: no method changes its arguments."""

    def zero(self) -> Total:
        """The summary of no block."""

    def absorb(self, total: Total, block: BlockIn) -> Total:
        """The summary with one more block."""

    def merge(self, left: Total, right: Total) -> Total:
        """The summary of two disjoint sets of blocks."""


class Source(Protocol[BlockOut]):
    """Rows in blocks of some thousands, cut where the source says.

    What all blocks hold may be its attribute `shared`: it is then sent once, and not with every block.
    """

    @property
    def rows(self) -> int:
        """The number of rows in all blocks together."""

    def blocks(self) -> Iterator[BlockOut]:
        """Every block once, in order. May be called again, and gives the same blocks."""


class Engine(Protocol):
    """A way to run folds."""

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        """The summary of all blocks of the source."""


@runtime_checkable
class NeedsWorkers(Protocol):
    """An engine that has to find its workers, which it does before a run is charged."""

    def ready(self) -> None:
        """Find the workers, unless that was done; raises `DuetError` if no worker can be used."""


class Closable(ABC):
    """An engine that keeps its workers for the next fold, until it is closed; a ``with`` statement closes it."""

    @abstractmethod
    def close(self) -> None:
        """Let the workers go; the next fold finds or makes new ones."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_number_of_workers(number: object) -> bool:
    """Whether so many workers can be made; None is as many as there are cores."""
    return number is None or (type(number) is int and number >= 1)


class SerialEngine:
    """One block after another in the calling thread."""

    __slots__ = ()

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        total = fold.zero()
        for block in source.blocks():
            total = fold.absorb(total, block)
        return total
