"""The exact sum of an array of doubles, quickly.

Contract. `exact_total` returns the sum as a fraction, without any rounding, so no order and no blocking can be seen in it.
`ExactSum` of the tests is the same function by other means.

How. Where σ = 3⋅2^(k - 1), doubles next to σ are multiples of 2^(k - 52), and their bits, read as whole numbers, count these.
So adding σ rounds a number to such a multiple, int64 adds up the counts, whatever carries out of it, and what rounding took
away is exact (Rump, Ogita & Oishi 2008, 'Accurate floating-point summation', Lemma 3.3): it is summed in the same way, until
nothing remains.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

ZERO = Fraction(0)

_PASS = 1 << 16


def exact_total(values: NDArray[np.float64]) -> Fraction:
    """The exact sum of finite doubles of any shape; raises `ValueError` if one is not finite."""
    flat = values.ravel()
    result = ZERO
    for start in range(0, flat.size, _PASS):
        result += _pass_total(flat[start : start + _PASS])
    return result


def _pass_total(values: NDArray[np.float64]) -> Fraction:
    """The sum of some numbers, at most 2^16.

    They are below 2^e, and k = e + r with r ≥ 1: adding them to σ leads neither below 2^k nor above 2^(k + 1). There are fewer
    than 2^(r + 10) of them, so their counts, each at most 2^(52 - r), add up to less than 2^62.
    """
    largest = max(float(values.max()), -float(values.min()))
    if not math.isfinite(largest):
        raise ValueError("a sum of numbers that are not finite")
    room = max(1, values.size.bit_length() - 10)
    exponent = math.frexp(largest)[1]
    if exponent + room > 1022:
        # 2^(k + 1) is no double. Whole multiples of powers of two stay what they are.
        is_large = np.abs(values) > 1.0
        large, small = np.where(is_large, values * 2.0**-100, 0.0), np.where(is_large, 0.0, values)
        return _pass_total(large) * 2**100 + _pass_total(small)
    rest, steps, spare = values, np.empty_like(values), np.empty_like(values)
    total, unit = 0, exponent
    while True:
        # All doubles are multiples of 2^-1074.
        exponent = max(exponent + room, -1022)
        total <<= max(0, unit - (exponent - 52))
        unit = exponent - 52
        sigma = np.float64(math.ldexp(1.5, exponent))
        np.add(rest, sigma, out=steps)
        counts = int(steps.view(np.int64).sum()) - values.size * int(sigma.view(np.int64))
        total += (counts + (1 << 63)) % (1 << 64) - (1 << 63)
        np.subtract(steps, sigma, out=steps)
        np.subtract(rest, steps, out=steps)
        if not steps.any():
            return Fraction(total) * Fraction(2) ** unit
        rest, steps, spare, exponent = steps, spare, steps, unit
