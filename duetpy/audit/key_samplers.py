"""What a sample of sets of keys is of: a coin for keys of several sizes, or the number of rows of one key."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from duetpy.audit import laws
from duetpy.runtime.release import selecting
from duetpy.runtime.release.mechanisms import Randomness
from duetpy.runtime.values.statics import KindScope
from duetpy.typecheck.annotations import ReleaseSite

Doubles = NDArray[np.float64]

MOST_SIZES = 10
"""Keys of so many different sizes are in a sample."""

Sample = tuple[Callable[[float], Doubles], Callable[[], int]]
"""The probabilities of the outcomes, for an ε that is off by a factor; and what draws one of them."""


def coins(site: ReleaseSite, kinds: KindScope, randomness: Randomness) -> Sample:
    """Keys of some sizes in turn, from those that are rarely shown to those that nearly always are; an outcome is one of them, and
    whether it is shown."""
    epsilon, delta = (float(param.evaluate_float(kinds.numbers)) for param in site.atom.params)
    low, high = (next(n for n in itertools.count(1) if laws.kept(n, epsilon, delta) > part) for part in (0.01, 0.98))
    sizes = range(low, high + 1, 1 + (high - low) // MOST_SIZES)
    turn = itertools.cycle(enumerate(sizes))

    def expected(slip: float) -> Doubles:
        each = [laws.kept(rows, epsilon * slip, delta) / len(sizes) for rows in sizes]
        return np.array([part for share in each for part in (1 / len(sizes) - share, share)])

    def draw() -> int:
        at, rows = next(turn)
        return 2 * at + len(selecting.shown([("key", rows)], site, kinds, randomness).elements)

    return expected, draw


def numbers(site: ReleaseSite, kinds: KindScope, randomness: Randomness) -> Sample:
    """A key that is shown about half the time; an outcome is 0, or by how much the number that is shown is above what is not."""
    epsilon, delta = (float(param.evaluate_float(kinds.numbers)) for param in site.atom.params)
    limit = laws.limit(epsilon, delta)

    def expected(slip: float) -> Doubles:
        return laws.counted(limit + 1, epsilon * slip, limit)

    def draw() -> int:
        told = selecting.shown([("key", limit + 1)], site, kinds, randomness).elements
        if not told:
            return 0
        (pair,) = told
        assert isinstance(pair, tuple)
        assert isinstance(pair[1], int)
        return pair[1] - limit

    return expected, draw


def with_gaussian_noise(site: ReleaseSite, kinds: KindScope, randomness: Randomness) -> Sample:
    """A key that is shown about half the time, and then three times one that nearly always is.

    Of the other one an outcome is its noise; of the first one it says only that no number is shown that is too small.
    """
    epsilon, delta, most = (float(param.evaluate_float(kinds.numbers)) for param in site.atom.params)
    sigma, least = laws.gaussian_keys(epsilon, delta, round(most))
    reach = round(4 * sigma) + 1
    turn = itertools.cycle((least, *[least + reach] * 3))

    def expected(slip: float) -> Doubles:
        return np.array([0.25, *(0.75 * laws.discrete_gaussian(sigma / slip, reach))])

    def draw() -> int:
        rows = next(turn)
        told = selecting.shown([("key", rows)], site, kinds, randomness).elements
        if not told:
            return 0 if rows == least else 1
        (pair,) = told
        assert isinstance(pair, tuple)
        assert isinstance(pair[1], int)
        if pair[1] < least:
            return -1
        return 0 if rows == least else 1 + min(pair[1] - least, 2 * reach)

    return expected, draw


OF_KEYS: dict[str, Callable[[ReleaseSite, KindScope, Randomness], Sample]] = {
    "keys": coins,
    "key-counts": numbers,
    "key-gauss": with_gaussian_noise,
}
