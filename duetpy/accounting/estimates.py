"""Estimates by the central limit theorem and its Edgeworth corrections: neither upper nor lower bounds.

They are shown together with certified numbers, labelled, and never accept a program: in DP-SGD (rate 0.01, σ = 1, 10⁴ steps,
δ = 1e-5) the limit gives 6.007, but the truth is 6.188, and in mixtures of Laplace, Gaussian and randomized response it
gives too much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from duetpy.accounting.gaussian_profile import cdf, density

if TYPE_CHECKING:
    from duetpy.accounting.losses.losses import Loss


def limit_mu_poisson(rate: float, sigma: float, steps: int) -> float:
    """μ of Poisson-sampled Gaussian noise in the limit: q√(T(e^{1/σ²} − 1)) (Bu, Dong, Long & Su 2020)."""
    return rate * math.sqrt(steps * math.expm1(1.0 / sigma**2))


def limit_mu_fixed(rate: float, sigma: float, steps: int) -> float:
    """μ of Gaussian noise on batches of fixed size in the limit: √2 q√T √(e^{μ₁²}Φ(3μ₁/2) + 3Φ(−μ₁/2) − 2), μ₁ = 1/σ.

    For replacing a row (Dong, Roth & Su 2022, Corollary 5.4); not interchangeable with the Poisson formula.
    """
    one = 1.0 / sigma
    inner = math.exp(one * one) * cdf(1.5 * one) + 3.0 * cdf(-one / 2) - 2.0
    return math.sqrt(2.0) * rate * math.sqrt(steps) * math.sqrt(inner)


@lru_cache(maxsize=64)
def cumulants(loss: Loss, reverse: bool = False, cells: int = 1 << 18) -> tuple[list[float], list[float]]:
    """The first four cumulants of the loss under P and under Q, from a fine grid."""
    import numpy as np

    from duetpy.accounting.pld.grid import discretize, reach

    widest = max(reach(loss, 1e-16, reverse), reach(loss, 1e-16, not reverse))
    step = 2.0 * widest / cells
    masses = discretize(loss, step, 1e-16, reverse)
    places = (masses.first + np.arange(len(masses.mass))) * step
    found = []
    for weight in (masses.mass, masses.mass * np.exp(-places)):
        weight = weight / weight.sum()
        mean = float(weight @ places)
        second, third, fourth = (float(weight @ (places - mean) ** n) for n in (2, 3, 4))
        found.append([mean, second, third, fourth - 3 * second**2])
    return found[0], found[1]


def edgeworth_delta(parts: Sequence[tuple[Loss, int]], eps: float, order: int, reverse: bool = False) -> float:
    """δ(ε) = P[L > ε] − e^ε Q[L > ε] with both tails by an Edgeworth expansion of order 0 (the limit), 1 or 2.

    Zheng, Dong, Long & Su 2020, in the losses themselves.
    """
    tails = []
    for side in (0, 1):
        sums = [0.0, 0.0, 0.0, 0.0]
        for loss, count in parts:
            own = cumulants(loss, reverse)[side]
            sums = [total + count * each for total, each in zip(sums, own, strict=True)]
        mean, variance, third, fourth = sums
        deviation = math.sqrt(variance)
        tails.append(_edgeworth_tail((eps - mean) / deviation, third / deviation**3, fourth / variance**2, order))
    return tails[0] - math.exp(eps) * tails[1]


def _edgeworth_tail(z: float, skew: float, excess: float, order: int) -> float:
    """1 − F(z) with F = Φ − φ(κ₃/6 He₂ + κ₄/24 He₃ + κ₃²/72 He₅)."""
    tail = cdf(-z)
    if order >= 1:
        tail += density(z) * skew / 6 * (z * z - 1)
    if order >= 2:
        tail += density(z) * (excess / 24 * (z**3 - 3 * z) + skew**2 / 72 * (z**5 - 10 * z**3 + 15 * z))
    return tail


def edgeworth_epsilon(parts: Sequence[tuple[Loss, int]], delta: float, order: int, reverse: bool = False) -> float:
    """The ε at which the expansion's δ(ε) falls to δ."""
    low, high = 0.0, 1.0
    while edgeworth_delta(parts, high, order, reverse) > delta and high < 1e6:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if edgeworth_delta(parts, middle, order, reverse) > delta:
            low = middle
        else:
            high = middle
    return high
