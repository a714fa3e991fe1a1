"""Coins of a small probability, drawn in groups, have exactly the law of independent coins."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

from duetpy.runtime.noise import sparse_coins
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.noise.sparse_coins import GROUP, LARGEST, heads
from duetpy.runtime.release.selecting import each_with_probability
from tests.runtime.test_selecting import Told

RATES = [Fraction(1, 32), Fraction(1, 100), Fraction(1, 1000), Fraction(3, 1 << 60), Fraction(0.01)]


def at_most(k: int, rate: Fraction) -> Fraction:
    return sum((comb(GROUP, j) * rate**j * (1 - rate) ** (GROUP - j) for j in range(k + 1)), Fraction(0))


@pytest.mark.parametrize("rate", RATES)
def test_a_word_says_how_many_come_up_by_the_exact_law(rate: Fraction) -> None:
    """The number is that of k for which the word, and the bits after it where it is the first 64 of F(k), are not below F(k)."""
    law = sparse_coins._binomial(rate)
    for k in range(8):
        exact = at_most(k, rate) * (1 << 64)
        word = int(exact)
        if word + 1 == 1 << 64:
            break
        assert law.drawn(1, Told([word + 1])).tolist() == [k + 1]
        assert law.drawn(1, Told([word - 1])).tolist() == [k]
        rest = int((exact - word) * (1 << 64))
        if rest:
            # As often as not the first 64 bits do not tell.
            assert law.drawn(1, Told([word], [rest - 1])).tolist() == [k]
            assert law.drawn(1, Told([word], [rest + 1])).tolist() == [k + 1]
            assert law.drawn(1, Told([word], [rest], [0])).tolist() == [k]
        else:
            assert law.drawn(1, Told([word])).tolist() == [k + 1]


def test_the_largest_words_are_not_lost() -> None:
    """Where many F(k) begin with the same 64 bits, the bits that follow decide."""
    rate, last = Fraction(3, 1 << 60), (1 << 64) - 1
    law = sparse_coins._binomial(rate)
    assert law.words.tolist().count(last) > GROUP - 3
    assert law.drawn(2, Told([0, last], [0])).tolist() == [0, 1]
    assert law.drawn(1, Told([last], [last], [last], [last], [0])).tolist()[0] > 1


def test_coins_are_drawn_again_until_they_are_different() -> None:
    rate = Fraction(1, 32)
    two = int(at_most(1, rate) * (1 << 64)) + 1
    # The first group has the coins 5 and 5, then 7 and 3; the second one none; the third 64 + 1 and 2.
    bits = Told([two, 0, two], [5, 5, 65, 2], [7, 3])
    assert heads(3, rate, bits).tolist() == [3, 7, 2 * GROUP + 1, 2 * GROUP + 2]
    assert not bits.drawn


def test_rows_beyond_the_last_are_left_out() -> None:
    rate = Fraction(1, 32)
    two = int(at_most(1, rate) * (1 << 64)) + 1
    assert each_with_probability(GROUP + 3, rate, Told([0, two], [2, 3])).tolist() == [GROUP + 2]
    assert each_with_probability(0, rate, Told([])).tolist() == []


@pytest.mark.parametrize("rate", [LARGEST, Fraction(1, 100)])
def test_coins_are_independent(rate: Fraction) -> None:
    """How many of a group come up, where they are, and how often two neighbours do, also of two groups."""
    groups = 100_000
    found = heads(groups, rate, InsecureBits(2))
    assert (np.diff(found) > 0).all()
    size, q = groups * GROUP, float(rate)
    each = np.bincount(found % GROUP, minlength=GROUP)
    mean = size * q / GROUP
    assert ((each - mean) ** 2 / (mean * (1 - q))).sum() < 130  # of 64 degrees of freedom
    counts = Counter(np.bincount(found // GROUP, minlength=groups).tolist())
    for k in range(6):
        law = comb(GROUP, k) * q**k * (1 - q) ** (GROUP - k)
        assert abs(counts[k] - groups * law) < 5 * (groups * law * (1 - law)) ** 0.5 + 1
    is_up = np.zeros(size, dtype=bool)
    is_up[found] = True
    for distance in (1, 2, GROUP - 1, GROUP):
        both = int((is_up[:-distance] & is_up[distance:]).sum())
        assert abs(both - size * q * q) < 6 * (size * q * q) ** 0.5


def test_each_set_of_coins_is_equally_likely() -> None:
    """Of small groups, those of which exactly two of eight places come up."""
    found = heads(400_000, LARGEST, InsecureBits(3))
    inside = found[found % GROUP < 8]
    by_group: dict[int, list[int]] = {}
    for number in inside.tolist():
        by_group.setdefault(number // GROUP, []).append(number % GROUP)
    seen = Counter(tuple(places) for places in by_group.values() if len(places) == 2)
    assert set(seen) == set(combinations(range(8), 2))
    mean = sum(seen.values()) / 28
    assert sum((count - mean) ** 2 / mean for count in seen.values()) < 70  # of 27 degrees of freedom
