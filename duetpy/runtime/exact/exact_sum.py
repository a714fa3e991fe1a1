"""The exact sum of an array of doubles, quickly.

Contract. `exact_total` returns the sum as a fraction, without any rounding, so no order and no blocking can be seen in it.
`ExactSum` of the tests is the same function by other means.

How. Adding and subtracting σ = 2^k rounds every number to a multiple of 2^(k - 53) (Rump, Ogita & Oishi 2008, 'Accurate
floating-point summation', Lemma 3.3): the rounded parts are few bits wide and sum exactly in doubles, the remainders
are exact and summed in the same way, until nothing remains.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

ZERO = Fraction(0)

_PASS_BITS = 16
_PASS = 1 << _PASS_BITS
_GREATEST = 2.0**1000


def exact_total(values: NDArray[np.float64]) -> Fraction:
    """The exact sum of finite doubles of any shape."""
    flat = values.ravel()
    result = ZERO
    for start in range(0, flat.size, _PASS):
        result += _pass_total(flat[start : start + _PASS])
    return result


def _pass_total(values: NDArray[np.float64]) -> Fraction:
    largest = max(float(values.max()), -float(values.min()))
    if largest > _GREATEST:
        # Room for σ: the multiples of 2^-900 among large and small numbers are summed apart, exactly.
        return sum((Fraction(value) for value in values.tolist()), ZERO)
    rest, rounded = values, np.empty_like(values)
    result = ZERO
    while largest > 0.0:
        # |v| < 2^e and σ = 2^(e + 17): v + σ is within σ·(1 ± 2^-17), where doubles are multiples of 2^-53·σ. The 2^16
        # rounded parts sum to at most σ/2, 2^52 such multiples, so every partial sum is exact.
        sigma = math.ldexp(1.0, math.frexp(largest)[1] + _PASS_BITS + 1)
        np.add(rest, sigma, out=rounded)
        np.subtract(rounded, sigma, out=rounded)
        result += Fraction(float(rounded.sum()))
        rest = np.subtract(rest, rounded, out=rounded)
        rounded = np.empty_like(values)
        largest = max(float(rest.max()), -float(rest.min()))
    return result
