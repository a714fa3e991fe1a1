"""Tables that are made of blocks: rows of doubles are put where they belong, all others are gathered and joined."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction

import numpy as np
import pytest

from duetpy.runtime.evaluation.rows import Block, Gathered, Ground
from duetpy.runtime.exact.rationals import Numbers, constant, of_fractions, plain
from duetpy.runtime.values.values import MatrixValue, numbers_of

SIZE = 3
BLOCKS = 5

DOUBLES = [plain(np.arange(SIZE * 2, dtype=float).reshape(SIZE, 2) + at) for at in range(BLOCKS)]
FRACTIONS = of_fractions([Fraction(1, 3)] * (2 * SIZE), (SIZE, 2))
NATURAL = plain(np.ones((SIZE, 2)), natural=True)


def gathered(blocks: list[Numbers], fold: Gathered, order: list[int]) -> MatrixValue:
    parts = fold.zero()
    for at in order:
        block = Block(at * SIZE, (MatrixValue(SIZE, blocks[at], ("a", "b")),))
        parts = fold.merge(fold.absorb(fold.zero(), block), parts)
    return fold.joined(parts)


@pytest.mark.parametrize(
    "strange",
    [
        {},
        {0: FRACTIONS},
        {2: FRACTIONS, 4: FRACTIONS},
        {1: NATURAL},
        {0: NATURAL},
        {3: constant(Fraction(1, 7), (3, 2))},
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_a_table_is_the_same_in_place_and_gathered_in_any_order(strange: dict[int, Numbers], seed: int) -> None:
    blocks = [strange.get(at, numbers) for at, numbers in enumerate(DOUBLES)]
    order = random.Random(seed).sample(range(BLOCKS), BLOCKS)
    in_place = gathered(blocks, Gathered(Ground(SIZE * BLOCKS)), order)
    apart = gathered(blocks, Gathered(), order)
    wanted = np.concatenate([numbers.fractions() for numbers in blocks])
    for made in (in_place, apart):
        assert made.rows == SIZE * BLOCKS
        assert made.names == ("a", "b")
        assert (numbers_of(made).fractions() == wanted).all()
        assert numbers_of(made).is_natural is numbers_of(apart).is_natural


def test_what_another_process_makes_is_sent_and_not_put_in_its_own_memory() -> None:
    sent = pickle.loads(pickle.dumps(Gathered(Ground(SIZE * BLOCKS))))
    (part,) = sent.absorb(sent.zero(), Block(0, (MatrixValue(SIZE, DOUBLES[0]),)))
    assert part[1] is not None
