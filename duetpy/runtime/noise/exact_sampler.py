"""Discrete noise and coins by integers alone (Canonne, Kamath and Steinke, 'The Discrete Gaussian for Differential
Privacy', NeurIPS 2020, algorithms 1 to 3).

Contract. Every function returns a sample of exactly the stated law for the rational parameters that it is given, from
fair bits, comparisons and products of integers; there is no float and no approximation. These are the mechanisms for
integer-valued data, and the independent oracle against which the tests hold ``noise.py`` and ``choice.py``, with which
they share nothing but the bits.

Timing. The loops run longer for larger results (the paper says so in section 5.4), so time tells about the noise:
running time is outside the guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor, isqrt

import numpy as np
from numpy.typing import NDArray

from duetpy.runtime.noise.random_bits import Bits


def uniform_below(bound: int, bits: Bits) -> int:
    """A uniform integer in [0, bound), by rejection of words as long as ``bound - 1``.

    Raises
    ------
    ValueError
        When ``bound`` is not positive.
    """
    if bound <= 0:
        raise ValueError("no integer lies below the bound")
    length = (bound - 1).bit_length()
    octets = (length + 7) // 8
    while True:
        drawn = int.from_bytes(bits.bytes(octets), "little") >> (8 * octets - length)
        if drawn < bound:
            return drawn


def uniforms_below(bound: int, count: int, bits: Bits) -> NDArray[np.intp]:
    """Independent uniform integers in [0, bound), for 1 <= bound < 2^63: the remainders of random words of 64 bits that are below
    the largest multiple of the bound. At least every second word is."""
    most = (1 << 64) // bound * bound - 1
    found = np.empty(0, dtype=np.uint64)
    while len(found) < count:
        words = bits.uint64(count - len(found))
        found = np.concatenate([found, words[words <= np.uint64(most)]])
    return (found % np.uint64(bound)).astype(np.intp)


def bernoulli(probability: Fraction, bits: Bits) -> bool:
    """True with a rational probability in [0, 1]."""
    if not 0 <= probability <= 1:
        raise ValueError("a probability lies between 0 and 1")
    return uniform_below(probability.denominator, bits) < probability.numerator


def bernoulli_exp(exponent: Fraction, bits: Bits) -> bool:
    """True with probability exp(-exponent), for a rational exponent >= 0 (algorithm 1).

    For γ <= 1 count how many coins of probability γ/1, γ/2, γ/3, … come up before the first that does not: the count is
    even with probability Σ (-γ)^k/k! = exp(-γ). A larger γ is γ - ⌊γ⌋ and ⌊γ⌋ times 1.
    """
    if exponent < 0:
        raise ValueError("exp(-γ) is a probability for γ >= 0 only")
    for _ in range(floor(exponent)):
        if not _bernoulli_exp_fraction(Fraction(1), bits):
            return False
    return _bernoulli_exp_fraction(exponent - floor(exponent), bits)


def _bernoulli_exp_fraction(exponent: Fraction, bits: Bits) -> bool:
    draws = 1
    while uniform_below(exponent.denominator * draws, bits) < exponent.numerator:
        draws += 1
    return draws % 2 == 1


def discrete_laplace(scale: Fraction, bits: Bits) -> int:
    """An integer x with probability proportional to exp(-|x|/scale), for a rational scale > 0 (algorithm 2).

    With scale = t/s: U uniform below t, kept with probability exp(-U/t); V the number of exp(-1) coins that come up in
    a row; U + tV is then geometric with ratio exp(-1/t), and its quotient by s geometric with ratio exp(-s/t). A random
    sign follows, and one of the two zeros is thrown back.
    """
    if scale <= 0:
        raise ValueError("the scale of noise must be positive")
    top, bottom = scale.numerator, scale.denominator
    while True:
        offset = uniform_below(top, bits)
        if not _bernoulli_exp_fraction(Fraction(offset, top), bits):
            continue
        rounds = 0
        while _bernoulli_exp_fraction(Fraction(1), bits):
            rounds += 1
        magnitude = (offset + top * rounds) // bottom
        negative = uniform_below(2, bits) == 1
        if not (negative and magnitude == 0):
            return -magnitude if negative else magnitude


def discrete_gaussian(variance: Fraction, bits: Bits) -> int:
    """An integer x with probability proportional to exp(-x²/2σ²), for a rational σ² > 0 (algorithm 3).

    A discrete Laplace variable Y of scale t = ⌊σ⌋ + 1 is kept with probability exp(-(|Y| - σ²/t)²/2σ²).
    ``variance`` is the parameter σ²; the variance of the result is at most that.
    """
    if variance <= 0:
        raise ValueError("the scale of noise must be positive")
    scale = isqrt(floor(variance)) + 1
    while True:
        candidate = discrete_laplace(Fraction(scale), bits)
        if bernoulli_exp((abs(candidate) - variance / scale) ** 2 / (2 * variance), bits):
            return candidate


def choose_by_rejection(scores: Sequence[Fraction | float], rate: Fraction, bits: Bits) -> int:
    """An index with probability proportional to exp(rate·score), by rejection from the uniform choice.

    The oracle of ``choice.choose_exponential``. It takes up to one trial a candidate on average, fewer where many
    scores are near the best: its running time depends on the scores, which is why releases do not use it.
    """
    if not scores or rate < 0:
        raise ValueError("a choice needs a candidate and a rate that is not negative")
    exact = [Fraction(score) for score in scores]
    best = max(exact)
    while True:
        index = uniform_below(len(exact), bits)
        if bernoulli_exp(rate * (best - exact[index]), bits):
            return index


STEPS = {
    "discrete-laplace": lambda shape, scale, exponent, bits: discrete_laplace(scale, bits),
    "discrete-gaussian": lambda shape, scale, exponent, bits: discrete_gaussian(scale**2, bits),
}
"""The laws that are drawn here: see `duetpy.runtime.noise.samplers`."""
