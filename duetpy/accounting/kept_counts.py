"""How much noise the number of rows of a key has, and from where on it is shown with its key.

    P(Z = z) ∝ e^{−ε|z|} for |z| ≤ t, else 0        t: the least with P(Z = t) ≤ δ        n + Z is shown if it is above t

The laws of n + Z and n + 1 + Z differ by e^ε, but for one number at the end of each, which has a mass of at most δ: they are
(ε, δ)-indistinguishable. 0 + Z is never above t, so a key that nobody has is never shown.

    P(Z = t) = 1/D(t)        D(0) = 1        D(t + 1) = e^ε D(t) + 2

With a rational from below in place of e^ε, and each step rounded down, D(t) is a lower bound: t may only be too large.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from duetpy.accounting.kept_keys import DIGITS, exp_below, sizes_where
from duetpy.accounting.rounding import float_down


@lru_cache(maxsize=64)
def threshold(epsilon: Fraction, delta: Fraction) -> int:
    """t: the largest value of the noise, and the largest number that is not shown.

    Parameters
    ----------
    epsilon, delta
        For one key: 0 < ε, and 2^-200 ≤ δ < 1. About log(1/δ)/ε steps are needed.
    """
    if not epsilon > 0 or not 1 > delta >= Fraction(1, 2**200):
        raise ValueError("ε is positive, and δ below 1 and no smaller than 2^-200")
    growth = exp_below(epsilon)
    one = 1 << DIGITS
    largest, inverse = 0, one
    while inverse * delta < one:
        inverse = (growth * inverse >> DIGITS) + 2 * one
        largest += 1
    return largest


def chance(rows: int, epsilon: float, limit: int) -> float:
    """With what probability a key of so many rows is shown: that n + Z is above the limit."""

    def weight(first: int) -> float:
        """Σ e^{−εz} for z from the first to the limit."""
        return math.exp(-epsilon * first) * math.expm1(-epsilon * (limit - first + 1)) / math.expm1(-epsilon)

    low = max(limit + 1 - rows, -limit)
    total = 1 + 2 * weight(1)
    return weight(low) / total if low > 0 else 1 - weight(1 - low) / total


def sizes_counted(epsilon: Fraction, delta: Fraction) -> list[tuple[int, float]]:
    """As `kept_keys.sizes_kept`, of keys that are shown with their numbers of rows."""
    limit, ratio = threshold(epsilon, delta), float_down(epsilon)
    return sizes_where(lambda rows: chance(rows, ratio, limit), 2 * limit + 1)
