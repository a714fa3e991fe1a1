"""Independent coins of a small probability, many at a time.

Contract. Of coins that come up with a rational probability those that do are drawn, with exactly the law of independent coins. Each
group of coins takes one random word, which says how many of them come up, and few bytes, which say which ones.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from functools import lru_cache
from math import comb

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.runtime.noise.random_bits import Bits

GROUP = 64
"""Coins of a group."""

LARGEST = Fraction(1, 32)
"""The largest probability: of a group two coins come up on average then, and hardly ever so many that one is drawn twice."""


def heads(groups: int, probability: Fraction, bits: Bits) -> NDArray[np.intp]:
    """The numbers, in order, of those of so many groups of coins that come up.

    In a group each set of so many coins is equally likely: coins are drawn one by one, all of them again if two are the same.
    """
    owners = np.repeat(np.arange(groups), _binomial(probability).drawn(groups, bits))
    found: list[NDArray[np.intp]] = []
    while len(owners):
        coins = GROUP * owners + np.frombuffer(bits.bytes(len(owners)), dtype=np.uint8) % GROUP
        ordered = np.sort(coins)
        is_again = np.isin(owners, ordered[1:][ordered[1:] == ordered[:-1]] // GROUP)
        found.append(coins[~is_again])
        owners = owners[is_again]
    return np.sort(np.concatenate([np.empty(0, dtype=np.intp), *found]))


@frozen(eq=False)
class _Binomial:
    """How many coins of a group come up, by inversion: the number of k for which a uniform number u is not below
    F(k) = P(at most k). Of u as many bits are drawn as that takes.

    Parameters
    ----------
    numerators, denominator
        F(k) for k < `GROUP`.
    words
        The first 64 bits of each.
    """

    numerators: tuple[int, ...]
    denominator: int
    words: NDArray[np.uint64]

    def drawn(self, count: int, bits: Bits) -> NDArray[np.intp]:
        """So many independent numbers."""
        drawn = bits.uint64(count)
        found = np.searchsorted(self.words, drawn)
        for at in np.flatnonzero(drawn == self.words[np.minimum(found, GROUP - 1)]).tolist():
            found[at] = self._refined(int(drawn[at]), bits)
        return found

    def _refined(self, numerator: int, bits: Bits) -> int:
        """The number for a u of which the first 64 bits are known."""
        length = 64
        while True:
            ends = [each << length for each in self.numerators]
            found = bisect_right(ends, numerator * self.denominator)
            if found == bisect_left(ends, (numerator + 1) * self.denominator):
                return found
            numerator = numerator << 64 | int(bits.uint64(1)[0])
            length += 64


@lru_cache(maxsize=8)
def _binomial(probability: Fraction) -> _Binomial:
    p, whole = probability.numerator, probability.denominator
    numerators, total = [], 0
    for k in range(GROUP):
        total += comb(GROUP, k) * p**k * (whole - p) ** (GROUP - k)
        numerators.append(total)
    denominator = whole**GROUP
    words = np.array([(each << 64) // denominator for each in numerators], dtype=np.uint64)
    return _Binomial(tuple(numerators), denominator, words)
