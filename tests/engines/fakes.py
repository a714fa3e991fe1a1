"""Engines that do what a cluster may do: any order, work done twice, lost or late, and everything sent."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from attrs import define, field, frozen

from duetpy.runtime.engines import Block, Fold, Source, Total
from duetpy.runtime.engines.packing import Sent, packed, unpacked
from duetpy.runtime.engines.worker import absorbed
from duetpy.runtime.values.batch_size import most_at_once

Some = TypeVar("Some")


def again(value: Some) -> Some:
    """What comes out of a value that was packed and unpacked."""
    found: Some = unpacked(packed(value))
    return found


def merged_anyhow(fold: Fold[Total, Block], parts: list[Total], dice: random.Random) -> Total:
    """Two of them at random, until one is left; now and then with the summary of nothing."""
    while len(parts) > 1:
        one, other = (parts.pop(dice.randrange(len(parts))) for _ in range(2))
        if not dice.randrange(4):
            one = fold.merge(fold.zero(), one)
        parts.append(fold.merge(one, other))
    return parts[0] if parts else fold.zero()


@frozen
class Shuffled:
    """Blocks in any order, some several to a total, totals merged in any order and in any groups."""

    seed: int = 0

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        dice = random.Random(self.seed)
        blocks = list(source.blocks())
        dice.shuffle(blocks)
        parts: list[Total] = []
        for block in blocks:
            if parts and not dice.randrange(3):
                parts[-1] = fold.absorb(parts[-1], block)
            else:
                parts.append(fold.absorb(fold.zero(), block))
        return merged_anyhow(fold, parts, dice)


@frozen
class Repeating:
    """Blocks are absorbed once, twice or three times, and one of the summaries counts; the others are lost or come late."""

    seed: int = 0

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        dice = random.Random(self.seed)
        total = fold.zero()
        for block in source.blocks():
            answers = [fold.absorb(fold.zero(), block) for _ in range(dice.randint(1, 3))]
            total = fold.merge(total, dice.choice(answers))
        return total


@frozen
class Delayed:
    """Several threads, of which each waits for a while before it answers."""

    seed: int = 0

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        dice = random.Random(self.seed)

        def late(block: Block, seconds: float) -> Total:
            time.sleep(seconds)
            return fold.absorb(fold.zero(), block)

        with ThreadPoolExecutor(4) as pool:
            answers = [pool.submit(copy_context().run, late, block, dice.random() / 1000) for block in source.blocks()]
            total = fold.zero()
            for answer in answers:
                total = fold.merge(total, answer.result())
        return total


@frozen
class Split:
    """The blocks are split in two at every place, and every sum of two parts is the same by `same`."""

    same: Callable[[object, object], bool]

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        blocks = list(source.blocks())

        def part(some: list[Block]) -> Total:
            total = fold.zero()
            for block in some:
                total = fold.absorb(total, block)
            return total

        whole = part(blocks)
        for at in range(len(blocks) + 1):
            assert self.same(fold.merge(part(blocks[:at]), part(blocks[at:])), whole), at
        return whole


@frozen
class Packing:
    """The fold, every block and every summary go through pickle; blocks are repeated and summaries shuffled as well."""

    seed: int = 0

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        dice = random.Random(self.seed)
        shared = getattr(source, "shared", None)
        own, there = again((fold, shared))
        parts = []
        for block in source.blocks():
            sent = packed(block, shared)
            answers = [again(own.absorb(own.zero(), unpacked(sent, there))) for _ in range(dice.randint(1, 2))]
            parts.append(dice.choice(answers))
        return merged_anyhow(fold, parts, dice)


@define
class Elsewhere:
    """Every block in another process, which a worker of a cluster is, with its own hashes of texts.

    Parameters
    ----------
    pool
        The processes.
    sent
        How many blocks were sent so far.
    """

    pool: Executor
    sent: int = field(default=0, init=False)

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        shared = getattr(source, "shared", None)
        content = packed((fold, shared))
        answers = []
        for block in source.blocks():
            answers.append(self.pool.submit(absorbed, content, packed(block, shared), most_at_once(), 2))
            self.sent += 1
        total = fold.zero()
        for answer in answers:
            part = answer.result(timeout=120)
            assert isinstance(part, Sent), part
            total = fold.merge(total, unpacked(part))
        return total
