"""The probability that a key with n rows is shown: the largest for which adding or removing a row is (ε, δ)-private.

    π(0) = 0        π(n + 1) = min(e^ε π(n) + δ,  1 − e^{−ε}(1 − π(n) − δ),  1)

Two coins of probabilities p ≤ q are (ε, δ)-indistinguishable if q ≤ e^ε p + δ and 1 − p ≤ e^ε(1 − q) + δ: the other two follow from
p ≤ q. So π grows by as much as is allowed, and no law keeps more keys (Desfontaines, Voss, Gipson & Mandayam 2022).

All numbers are whole multiples of 2^-256, rounded down, and e^ε is a rational from below. Then the inequalities hold exactly: a
smaller π(n + 1) breaks none of them as long as it is no smaller than π(n), and π(n) is such a multiple itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

BITS = 256
ONE = 1 << BITS
"""Certainty, in units of 2^-256."""

DIGITS = 160
"""Binary digits of e^ε after the point."""

_LARGEST = 300
"""Beyond this ε nothing changes: from δ ≥ 2^-200 on, the second row that has a key makes it as certain as 256 bits can."""

SHARES = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(99, 100))
"""Reports say from how many rows on so many of the keys are shown."""


@lru_cache(maxsize=4)
def keep_table(epsilon: Fraction, delta: Fraction) -> Sequence[int]:
    """π(0), π(1), … up to the first that is 1, in units of 2^-256.

    Parameters
    ----------
    epsilon, delta
        For one key: 0 < ε, and 2^-200 ≤ δ. About 2 log(1/δ)/ε steps are needed.
    """
    if not epsilon > 0 or not delta * 2**200 >= 1:
        raise ValueError("ε is positive, and δ no smaller than 2^-200")
    growth = exp_below(epsilon)
    leak = min(delta.numerator * ONE // delta.denominator, ONE)
    found = [0]
    while (last := found[-1]) < ONE:
        rising = (growth * last >> DIGITS) + leak
        left = max(0, ONE - last - leak)
        falling = ONE - -(-(left << DIGITS) // growth)
        found.append(min(rising, falling, ONE))
    return tuple(found)


#   e^ε = Σ ε^i/i!, all terms positive: cut off and rounded down, it is a bound from below
def exp_below(epsilon: Fraction) -> int:
    """A lower bound on e^ε in units of 2^-160."""
    digits = 2 * DIGITS
    exponent = min(epsilon, Fraction(_LARGEST))
    step = exponent.numerator * (1 << digits) // exponent.denominator
    total = term = 1 << digits
    turn = 0
    while term:
        turn += 1
        term = (term * step >> digits) // turn
        total += term
    return total >> DIGITS


def sizes_kept(epsilon: Fraction, delta: Fraction) -> list[tuple[int, Fraction]]:
    """How likely a key of one row is to be shown, and then the least numbers of rows from which on it is with a probability of at
    least 1 %, 10 %, 50 %, 90 % and 99 %."""
    table = keep_table(epsilon, delta)
    least = [next(rows for rows, units in enumerate(table) if units >= share * ONE) for share in SHARES]
    return [(rows, Fraction(table[rows], ONE)) for rows in dict.fromkeys([1, *least])]


def sizes_where(chance: Callable[[int], float], last: int) -> list[tuple[int, float]]:
    """As `sizes_kept`, of what shows a key of so many rows with a chance that rises, and is above 99 % at `last`."""
    found = [1]
    for share in SHARES:
        low, high = found[-1], last
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if chance(middle) >= share else (middle + 1, high)
        found.append(low)
    return [(rows, chance(rows)) for rows in dict.fromkeys(found)]
