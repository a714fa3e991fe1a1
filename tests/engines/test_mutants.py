"""Engines that break the contract in one way each, and the contract that tells."""

from collections import deque
from collections.abc import Callable
from itertools import islice

import pytest

from duetpy.runtime.engines import Block, Engine, Fold, SerialEngine, Source, Total
from duetpy.runtime.engines import dask as engine_of_dask
from duetpy.runtime.engines import threads as engine_of_threads
from duetpy.runtime.engines.dask import DaskEngine
from duetpy.runtime.engines.threads import ThreadsEngine
from tests.engines.contract import examine


class TwiceTheFirst:
    """A block that was sent again counts twice."""

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        total = SerialEngine().fold(source, fold)
        return fold.merge(total, _summary(fold, list(islice(source.blocks(), 1))))


class WithoutTheLast:
    """The summary of one block is lost."""

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        return _summary(fold, list(source.blocks())[:-1])


class Backwards:
    """Summaries are merged in the order in which they may come back."""

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        total = fold.zero()
        for block in reversed(list(source.blocks())):
            total = fold.merge(total, _summary(fold, [block]))
        return total


class LeftAndRight:
    """Merges with its arguments exchanged."""

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        total = fold.zero()
        for block in source.blocks():
            total = fold.merge(_summary(fold, [block]), total)
        return total


class WithoutZero:
    """Begins with the first block, and with nothing if there is no block."""

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        blocks = list(source.blocks())
        total = fold.absorb(fold.zero(), blocks[0])
        for block in blocks[1:]:
            total = fold.absorb(total, block)
        return total


class OnlyTheNumbers:
    """Blocks that look the same count once, as tasks do that are named by what they are given."""

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        seen: set[object] = set()
        total = fold.zero()
        for block in source.blocks():
            if (key := len(str(block))) not in seen:
                seen.add(key)
                total = fold.absorb(total, block)
        return total


def _summary(fold: Fold[Total, Block], blocks: list[Block]) -> Total:
    total = fold.zero()
    for block in blocks:
        total = fold.absorb(total, block)
    return total


@pytest.mark.parametrize(
    "mutant", [TwiceTheFirst, WithoutTheLast, Backwards, LeftAndRight, WithoutZero, OnlyTheNumbers]
)
def test_the_contract_kills(mutant: Callable[[], Engine]) -> None:
    with pytest.raises((AssertionError, IndexError)):
        examine(mutant(), in_order=True)


def test_threads_that_take_the_last_answer_first_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stack(deque):
        popleft = deque.pop

    monkeypatch.setattr(engine_of_threads, "deque", Stack)
    engine = ThreadsEngine(2, blocks_a_batch=1)
    with pytest.raises(AssertionError, match="order"):
        examine(engine, in_order=True)
    engine.close()


def test_a_cluster_whose_answers_count_twice_is_seen(by_address: DaskEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    right = engine_of_dask._Sending._summary

    def twice(sending, future, block):
        part = right(sending, future, block)
        return sending.fold.merge(part, part)

    monkeypatch.setattr(engine_of_dask._Sending, "_summary", twice)
    with pytest.raises(AssertionError, match="each block once"):
        examine(by_address, in_order=True)


def test_a_cluster_whose_answers_are_merged_as_they_come_is_seen(
    by_address: DaskEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second block of two is awaited first."""
    right = engine_of_dask._Sending._take

    def exchanged(sending):
        right(sending)
        if len(sending._back) == 1 and sending._out:
            right(sending)
        if len(sending._back) == 2:
            (one, first), (other, second) = sending._back.items()
            sending._back.update({one: second, other: first})

    monkeypatch.setattr(engine_of_dask._Sending, "_take", exchanged)
    with pytest.raises(AssertionError, match="order"):
        examine(by_address, in_order=True)
