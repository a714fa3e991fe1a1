"""Shuffled reports of local randomizers, whose laws are computed exactly, are as hard to tell as is said of so many of that ε.

Feldman, McMillan and Talwar 2023 apply to any local randomizer, and to rows of any values. So the randomizers here are random ones,
and all other rows are tried.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

import numpy as np
import pytest

from duetpy.accounting.losses.shuffle import ShuffleLoss
from tests.effort import often
from tests.soundness.distributions import Law, all_of, collected, hockey_stick, in_any_order, response

EPSILONS = (0.05, 0.5, 1.0, 2.0, 4.0)
PLACES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.95)
"""Shares of ε₀ at which the profiles are compared."""


def randomizer(source: random.Random, epsilon: float, values: int) -> list[Law]:
    """The law of the report for each value of a row: any two within e^ε of each other, some outcomes all the way."""
    outcomes = range(source.randint(2, 4))
    share = [[source.choice((0.0, 0.0, 1.0, source.random())) for _ in outcomes] for _ in range(values)]
    base = [source.uniform(0.1, 1.0) for _ in outcomes]
    weights = [[b * math.exp(epsilon / 2 * s) for b, s in zip(base, row, strict=True)] for row in share]
    return [{at: weight / sum(row) for at, weight in enumerate(row)} for row in weights]


def local_epsilon(laws: Sequence[Law]) -> float:
    return max(math.log(one[x] / other[x]) for one in laws for other in laws for x in one)


def multiset(reports: Sequence[Law]) -> Law:
    """The law of the reports without their order, which a uniformly random one says no more than."""
    return collected(all_of(reports), lambda drawn: tuple(sorted(drawn)))


def shares(laws: Sequence[Law], count: int) -> Iterator[float]:
    """δ of the exact laws over δ as it is said, for all other rows, all pairs of values and some ε."""
    epsilon = local_epsilon(laws)
    said = ShuffleLoss(count, epsilon).profile(np.array([share * epsilon for share in PLACES]))
    for others in combinations_with_replacement(laws, count - 1):
        for first in laws:
            for second in laws:
                if first is not second:
                    pair = multiset([first, *others]), multiset([second, *others])
                    for share, bound in zip(PLACES, said.tolist(), strict=True):
                        exact = hockey_stick(pair, share * epsilon)
                        # Rows whose reports have one law cannot be distinguished.
                        yield exact / bound if bound else math.inf if exact > 1e-15 else 0.0


@pytest.mark.parametrize("count", [2, 3, 5])
def test_random_randomizers_are_as_close_as_is_said(count: int) -> None:
    source = random.Random(count)
    for epsilon in EPSILONS:
        for _ in range(often(12, 4)):
            assert max(shares(randomizer(source, epsilon, 3), count)) <= 1 + 1e-9


@pytest.mark.parametrize(("values", "count"), [(2, 2), (2, 6), (3, 4)])
def test_randomized_response_is_as_close_as_is_said(values: int, count: int) -> None:
    for epsilon in EPSILONS:
        laws = [response(values, epsilon, truth) for truth in range(values)]
        assert 0.1 < max(shares(laws, count)) <= 1 + 1e-9


def test_fewer_reports_than_are_said_are_seen() -> None:
    laws = [response(2, 2.0, truth) for truth in range(2)]
    said = ShuffleLoss(12, 2.0).profile(np.array([1.0]))
    assert hockey_stick((multiset([laws[0], *[laws[0]] * 2]), multiset([laws[1], *[laws[0]] * 2])), 1.0) > said[0]


def test_an_order_at_random_says_what_the_reports_say_without_one() -> None:
    """The law of a program's reports in any order, and that of the multiset, are as far apart."""
    laws = [response(3, 1.0, truth) for truth in range(3)]
    before, after = [laws[0], laws[1], laws[2]], [laws[1], laws[1], laws[2]]
    ordered = [in_any_order(all_of(reports), 3) for reports in (before, after)]
    plain = [multiset(reports) for reports in (before, after)]
    for epsilon in (0.0, 0.2, 0.6):
        assert hockey_stick((ordered[0], ordered[1]), epsilon) == pytest.approx(
            hockey_stick((plain[0], plain[1]), epsilon), abs=1e-12
        )
