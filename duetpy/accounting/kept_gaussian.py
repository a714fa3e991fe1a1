"""How much Gaussian noise the numbers of rows of keys have, and from where on they are shown.

    P(Z = z) ∝ e^{−z²/2σ²}        σ² = k/2ρ, for a ρ that implies (ε, δ/2)        n + Z is shown if it is at least T
    T: a whole number with k⋅P(Z ≥ T − 1) ≤ δ/2

Adding a row adds 1 to the numbers of at most k keys. Those of keys that others have too move by √k in L2, which is ρ-zCDP, and the
probability that a key that nobody else has is shown is at most δ/2.

    P(Z ≥ j) ≤ w(j)/((1 − e^{−j/σ²})⋅S)        w(j) = e^{−j²/2σ²}        S = max(1 + 2⋅w(1), √(2πσ²)) ≤ Σ w(z)

for j ≥ 1: (j + i)² ≥ j² + 2ij, and by Poisson's formula Σ w(z) = √(2πσ²)⋅Σ e^{−2π²σ²n²}. T may only be too large.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from duetpy.accounting.convert import calibrate_rho
from duetpy.accounting.kept_keys import sizes_where
from duetpy.accounting.rounding import float_down

_SAFE = 1e-9
"""The logarithms below are sums of few doubles, each off by less than 1e-15 of itself."""

_WIDE = 50.0
"""For a σ from here on, an integral takes the place of a sum where a report says how many keys are shown."""


@lru_cache(maxsize=64)
def calibrated(epsilon: Fraction, delta: Fraction, most: int) -> tuple[Fraction, int]:
    """σ² and T.

    Parameters
    ----------
    epsilon, delta
        For all keys of a row together: 10^-3 ≤ ε, and 2^-200 ≤ δ < 1.
    most
        k.
    """
    if not epsilon >= Fraction(1, 1000) or not 1 > delta >= Fraction(1, 2**200) or most < 1:
        raise ValueError("ε is at least 10^-3, δ below 1 and no smaller than 2^-200, and k at least 1")
    rho = calibrate_rho(float_down(min(epsilon, Fraction(_LARGEST))), float_down(delta / 2))
    variance = most / (2 * Fraction(rho))
    allowed = math.log(float_down(delta / 2)) - math.log(most)
    low, high = 1, 2
    while log_tail(high, variance) > allowed:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if log_tail(middle, variance) <= allowed else (middle + 1, high)
    return variance, low + 1


_LARGEST = 300
"""A larger ε is no use: the noise is 0 then."""


def log_tail(first: int, variance: Fraction) -> float:
    """An upper bound on log P(Z ≥ j), for j ≥ 1."""
    wide = float(variance)
    weight = -(first * first / (2 * wide))
    rest = -math.log(-math.expm1(-first / wide))
    mass = max(math.log1p(2 * math.exp(-1 / (2 * wide))), 0.5 * math.log(2 * math.pi * wide))
    return weight + rest - mass + _SAFE * (1 - weight + rest + abs(mass))


def chance(rows: int, variance: Fraction, limit: int) -> float:
    """With what probability a key of so many rows is shown: that n + Z is at least T. Not a bound."""
    first, sigma = limit - rows, math.sqrt(variance)
    if sigma >= _WIDE:
        return 0.5 * math.erfc((first - 0.5) / (sigma * math.sqrt(2)))
    reach = math.ceil(40 * sigma) + 1
    weights = [math.exp(-z * z / (2 * float(variance))) for z in range(-reach, reach + 1)]
    return math.fsum(weights[max(0, first + reach) :]) / math.fsum(weights)


def sizes_gaussian(epsilon: Fraction, delta: Fraction, most: int) -> list[tuple[int, float]]:
    """As `kept_keys.sizes_kept`, of keys that are shown with their numbers of rows and Gaussian noise."""
    variance, limit = calibrated(epsilon, delta, most)
    return sizes_where(lambda rows: chance(rows, variance, limit), 2 * limit + 1)
