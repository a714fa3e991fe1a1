"""Randomised response with exactly the stated probabilities, however many answers there are (Warner 1965).

Contract. For the rational ε that it is given, :func:`answer` returns the truth with probability 1/(1 + (k - 1)e^-ε), and each of
the other k - 1 numbers below k with e^-ε times that.

How. An infinite string of fair bits names a uniform W in [0, 1), and the answer is true where W is below the probability: its first
bits and an enclosure of e^-ε decide it, or both are prolonged. Another answer is a uniform integer.

Timing. How many bits that takes does not depend on the truth.
"""

from __future__ import annotations

from fractions import Fraction

from duetpy.runtime.noise.canonical_noise import exp_bounds
from duetpy.runtime.noise.exact_sampler import uniform_below
from duetpy.runtime.noise.random_bits import Bits

_BITS = 64
"""By how many bits a string is begun and prolonged."""


def answer(truth: int, size: int, epsilon: Fraction, bits: Bits) -> int:
    """The truth, or another number from 0 to size - 1.

    Parameters
    ----------
    truth, size
        A number below the size, which is at least 2.
    epsilon
        ε > 0, rounded *down* where it is not exact.
    bits
        Where the randomness comes from.
    """
    if _is_true(size, epsilon, bits):
        return truth
    other = uniform_below(size - 1, bits)
    return other + (other >= truth)


def _is_true(size: int, epsilon: Fraction, bits: Bits) -> bool:
    """True with probability 1/(1 + (k - 1)e^-ε)."""
    word, length = 0, 0
    while True:
        word, length = word << _BITS | int.from_bytes(bits.bytes(_BITS // 8), "little"), length + _BITS
        low, high = exp_bounds(epsilon, length)
        if (word + 1) * (1 + (size - 1) * high) <= 1 << length:
            return True
        if word * (1 + (size - 1) * low) >= 1 << length:
            return False
