"""Values of every shape, compared and chosen from in all lanes at once: in each lane as by themselves."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

from duetpy.runtime.evaluation.kernels import KERNELS
from duetpy.runtime.exact.rationals import of_fractions
from duetpy.runtime.values.batching import join, lane, set_of, sort_key, stack, take
from duetpy.runtime.values.choosing import select
from duetpy.runtime.values.values import (
    Injected,
    InjectedLanes,
    MatrixValue,
    Missing,
    Ragged,
    Truths,
    Value,
    matrix_of_columns,
)
from tests.effort import often

Shape = Callable[[random.Random], Value]

NUMBERS = [Fraction(0), Fraction(1, 3), Fraction(1 / 3), Fraction(2)]


def plain(draw: random.Random) -> Shape:
    """Single values of one kind, of which few differ."""
    several: list[Value] = draw.choice(
        [list(NUMBERS), [0, 2**53, 2**53 + 1], [True, False], ["", "a\0", "a"], [date.min, date(2024, 2, 29)]]
    )
    return lambda dice: dice.choice(several)


def shape(draw: random.Random, depth: int = 2) -> Shape:
    """Values that are alike but for what they hold."""
    if not depth:
        return plain(draw)
    inner, other = shape(draw, depth - 1), shape(draw, depth - 1)
    rows, width = draw.randrange(1, 4), draw.randrange(1, 3)

    def matrix(dice: random.Random) -> Value:
        cells = [dice.choice(NUMBERS[:2]) for _ in range(rows * width)]
        return MatrixValue(rows, of_fractions(cells, (rows, width)))

    def record(dice: random.Random) -> Value:
        return matrix_of_columns([stack([inner(dice)]), stack([other(dice)])], 1, None, ("a", "b"))

    def maybe(dice: random.Random) -> Value:
        return Missing(inner(dice)) if dice.random() < 0.5 else inner(dice)

    forms: list[Shape] = [
        lambda dice: (inner(dice), other(dice)),
        lambda dice: Injected(True, inner(dice)),
        lambda dice: set_of([inner(dice) for _ in range(2)]),
        *(matrix, record, maybe),
    ]
    return draw.choice(forms)


@pytest.mark.parametrize("seed", range(often(600, 150)))
def test_in_each_lane_values_are_compared_and_chosen_as_by_themselves(seed: int) -> None:
    draw = random.Random(seed)
    one, lanes = shape(draw), draw.randrange(1, 5)
    left, right = ([one(draw) for _ in range(lanes)] for _ in range(2))
    where = np.array([draw.random() < 0.5 for _ in range(lanes)])
    for second, each in ((stack(right), right), (right[0], right[:1] * lanes)):
        alone = [KERNELS["≡"](a, b) for a, b in zip(left, each, strict=True)]
        try:
            found = KERNELS["≡"](stack(left), second)
            assert isinstance(found, Truths)
            assert found.values.tolist() == alone
        except Ragged:
            pass
        try:
            there = KERNELS["∈"](stack(left), set_of(right))
            assert isinstance(there, Truths)
            assert there.values.tolist() == [KERNELS["∈"](a, set_of(right)) for a in left]
        except Ragged:
            pass
        try:
            chosen = select(where, stack(left), second)
        except Ragged:
            continue
        wanted = [a if holds else b for holds, a, b in zip(where, left, each, strict=True)]
        assert [sort_key(lane(chosen, at)) for at in range(lanes)] == [sort_key(value) for value in wanted]


def test_sides_are_joined_as_they_are_in_each_lane() -> None:
    one, other = (
        InjectedLanes(np.array(is_left), of_fractions(left, (2,)), of_fractions(right, (2,)))
        for is_left, left, right in (([True, False], [1, 2], [3, 4]), ([False, True], [5, 6], [7, 8]))
    )
    found = join([one, other])
    wanted = [Injected(True, 1), Injected(False, 4), Injected(False, 7), Injected(True, 6)]
    assert [sort_key(lane(found, at))[1] for at in range(4)] == [sort_key(side)[1] for side in wanted]
    assert [lane(found, at).value for at in range(4)] == [side.value for side in wanted]


@pytest.mark.parametrize("seed", range(often(100, 20)))
def test_joined_lanes_and_lanes_that_are_taken_are_those_of_each_part(seed: int) -> None:
    dice = random.Random(seed)
    of = shape(dice)
    parts = [[of(dice) for _ in range(dice.randrange(1, 4))] for _ in range(3)]
    found, every = join([stack(part) for part in parts]), [sort_key(value) for part in parts for value in part]
    assert [sort_key(lane(found, at)) for at in range(len(every))] == every
    index = [dice.randrange(len(every)) for _ in range(5)]
    some = take(found, np.array(index))
    assert [sort_key(lane(some, at)) for at in range(5)] == [every[at] for at in index]
