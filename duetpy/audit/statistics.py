"""Tests of a sample against an exact law, with p-values; and bounds on probabilities that hold for every sample size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

Doubles = NDArray[np.float64]
Law = Callable[[Doubles], Doubles]

CELLS = 64


def kolmogorov(below: Doubles) -> float:
    """The p-value of the greatest distance between the empirical and the exact distribution function, which is given at the
    sorted sample."""
    ranks = np.arange(len(below) + 1) / len(below)
    distance = max((ranks[1:] - below).max(), (below - ranks[:-1]).max())
    return float(special.kolmogorov(distance * np.sqrt(len(below))))


def mean_of(values: Doubles, mean: float, deviation: float) -> float:
    """The two-sided p-value of a mean, by its limit law."""
    return normal_p((float(values.mean()) - mean) * np.sqrt(len(values)) / deviation)


def normal_p(score: float) -> float:
    return float(special.erfc(abs(score) / np.sqrt(2)))


def coin(heads: int, tosses: int, probability: float) -> float:
    """The two-sided p-value of a number of heads: exact."""
    below = float(special.bdtr(heads, tosses, probability))
    above = float(special.bdtrc(heads - 1, tosses, probability)) if heads else 1.0
    return min(1.0, 2 * min(below, above))


def chi_square(counts: Sequence[float] | NDArray[np.int64], probabilities: Sequence[float] | Doubles) -> float:
    """Pearson's test; cells that expect fewer than ten are put together."""
    observed, expected = np.asarray(counts, dtype=np.float64), np.asarray(probabilities) * float(np.sum(counts))
    if np.any((expected <= 0) & (observed > 0)):
        return 0.0
    order = np.argsort(expected)
    observed, expected = observed[order], expected[order]
    few = int(np.searchsorted(np.cumsum(expected), 10.0)) + 1
    observed = np.concatenate([[observed[:few].sum()], observed[few:]])
    expected = np.concatenate([[expected[:few].sum()], expected[few:]])
    if len(expected) < 2:
        return 1.0
    return float(special.chdtrc(len(expected) - 1, ((observed - expected) ** 2 / expected).sum()))


def uniform_cells(below: Doubles) -> float:
    """Pearson's test over cells of equal probability."""
    counts = np.bincount(np.minimum((below * CELLS).astype(np.int64), CELLS - 1), minlength=CELLS)
    return chi_square(counts, np.full(CELLS, 1 / CELLS))


def at_least(heads: int, tosses: int, alpha: float) -> float:
    """Clopper and Pearson's lower bound on a probability: it is above the truth with probability at most `alpha`."""
    return float(special.betaincinv(heads, tosses - heads + 1, alpha)) if heads else 0.0


def at_most(heads: int, tosses: int, alpha: float) -> float:
    """Clopper and Pearson's upper bound."""
    return float(special.betaincinv(heads + 1, tosses - heads, 1 - alpha)) if heads < tosses else 1.0
