"""The exponential mechanism's choice among candidates, with exactly the stated probabilities.

Contract. :func:`choose_exponential` returns i with probability exp(λu_i)/Σ_j exp(λu_j), exactly, for the rational λ and
the scores it is given (McSherry and Talwar, FOCS 2007; λ = ε/2s). It draws one exponential variable E_i = -ln U_i a
candidate and returns the largest λu_i - ln E_i: -ln E_i is a Gumbel variable (Gumbel 1954, the 'Gumbel-max' identity).
Every key is enclosed as in ``noise.py``; while more than one candidate can still be the largest, the strings of bits of
*those* candidates are prolonged. Equal keys have probability zero.

Timing. Every call draws a word and encloses a key for each candidate, whatever the scores. How many candidates need
more bits depends on the words and, hardly, on the scores. An acceptance loop (``exact_sampler.choose_by_rejection``,
the oracle of the tests) runs longer where one score stands out, and so tells how far.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from attrs import define
from numpy.typing import NDArray

from duetpy.runtime.noise.exact_sampler import bernoulli_exp, uniform_below
from duetpy.runtime.noise.float_enclosure import UNIFORM_BITS, Doubles, exponential, kernels_are_sound, negative_log
from duetpy.runtime.noise.integer_enclosure import exponential_bounds, log_bounds
from duetpy.runtime.noise.noise_grid import is_finite
from duetpy.runtime.noise.random_bits import Bits

_EXTENSION = 64
_LEAST, _GREATEST = 2.0**-900, 2.0**900  # rates and scores in this range multiply without underflow or overflow


def choose_exponential(scores: Sequence[Fraction | float] | Doubles, rate: Fraction, bits: Bits) -> int:
    """Choose an index with probability proportional to exp(rate·score).

    Parameters
    ----------
    scores
        One finite score a candidate, at least one.
    rate
        λ >= 0, an exact rational; ε/2s for the exponential mechanism with scores of sensitivity s.
    bits
        Where the randomness comes from.

    Returns
    -------
    int
        The index, from 0.

    Raises
    ------
    ValueError
        When there is no candidate or the rate is negative; or when a score is not finite, which is an internal fault,
        as kernels are total.
    """
    if not len(scores) or rate < 0:
        raise ValueError("a choice needs a candidate and a rate that is not negative")
    words = bits.uint64(len(scores)) >> np.uint64(1)
    advantage, advantage_error = _advantages(scores, rate)
    gumbel_low, gumbel_high = _gumbel(words)
    with np.errstate(invalid="ignore"):
        low, high = advantage - advantage_error + gumbel_low, advantage + advantage_error + gumbel_high
    # What can still reach the best lower bound contends; so does a key without an upper bound (nan from -∞ + ∞).
    contenders = np.flatnonzero(~(high < low.max()))
    if not kernels_are_sound():
        contenders = np.arange(len(scores))
    if len(contenders) == 1:
        return int(contenders[0])
    return _settle(contenders, words, scores, rate, bits)


def _advantages(scores: Sequence[Fraction | float] | Doubles, rate: Fraction) -> tuple[Doubles, Doubles]:
    """rate·(score - best score) in doubles, with a half-width: twice the error of a difference and two roundings."""
    if isinstance(scores, np.ndarray) and scores.dtype == np.float64 and _is_tame(scores, rate):
        with np.errstate(over="ignore", under="ignore"):
            values = float(rate) * (scores - scores.max())
    else:
        if not all(is_finite(score) for score in scores):
            raise ValueError("a score is not finite")
        exact = [Fraction(score) for score in scores]
        best = max(exact)
        values = np.array([_to_double(rate * (score - best)) for score in exact])
    return values, np.where(np.isfinite(values), np.abs(values) * 2.0**-49, 0.0)


def _is_tame(scores: Doubles, rate: Fraction) -> bool:
    return _LEAST <= rate <= _GREATEST and bool(np.abs(scores).max() <= _GREATEST)


def _to_double(value: Fraction) -> float:
    return float(value) if abs(value) <= Fraction(_GREATEST) else -math.inf


def _gumbel(words: NDArray[np.uint64]) -> tuple[Doubles, Doubles]:
    """Lower and upper bounds of -ln E, E = -ln U with the first 63 bits of U given."""
    standard, half_width = exponential(words)
    least, most = standard - half_width, standard + half_width
    known = np.isfinite(most) & (least > 2.0**-40)
    # The kernel errs by at most 2^-51 of the result and 2^-52; four times that also covers the sums in the caller.
    upper, lower = negative_log(np.where(known, least, 1.0), 0), negative_log(np.where(known, most, 1.0), 0)
    return (
        np.where(known, lower - np.abs(lower) * 2.0**-48 - 2.0**-48, -np.inf),
        np.where(known, upper + np.abs(upper) * 2.0**-48 + 2.0**-48, np.inf),
    )


@define
class _Contender:
    """A candidate whose key is being narrowed: its string of bits, its exact advantage, and bounds where known."""

    index: int
    word: int
    advantage: Fraction
    length: int = UNIFORM_BITS
    low: int | None = None
    high: int | None = None

    def narrow(self, bits: Bits) -> None:
        """Prolong the string and enclose the key at the precision of its new length."""
        self.word = (self.word << _EXTENSION) | int.from_bytes(bits.bytes(_EXTENSION // 8), "little")
        self.length += _EXTENSION
        precision = self.length
        enclosure = exponential_bounds(self.word, precision, precision)
        if enclosure is None or enclosure[0] == 0:
            # The cell touches 0 or 1, where the key has no bound on one side: wait for more bits.
            return
        # ln E for the fixed-point number E = end/2^precision is ln end - precision·ln 2.
        two_low, two_high = log_bounds(2, precision + 16)
        shift = self.advantage * (1 << precision)
        self.low = math.floor(shift) + (precision * two_low >> 16) - log_bounds(enclosure[1], precision)[1]
        self.high = math.ceil(shift) - (-precision * two_high >> 16) - log_bounds(enclosure[0], precision)[0]


def _settle(
    indices: NDArray[np.intp],
    words: NDArray[np.uint64],
    scores: Sequence[Fraction | float] | Doubles,
    rate: Fraction,
    bits: Bits,
) -> int:
    """Narrow the keys of the contenders by integers until one is the largest for certain."""
    exact = {at: Fraction(rate) * Fraction(scores[at]) for at in indices.tolist()}
    contenders = [_Contender(index=at, word=int(words[at]), advantage=key) for at, key in exact.items()]
    while len(contenders) > 1:
        for contender in contenders:
            contender.narrow(bits)
        lows = [contender.low for contender in contenders if contender.low is not None]
        contenders = [one for one in contenders if not lows or one.high is None or one.high >= max(lows)]
    return contenders[0].index


def permute_and_flip(scores: Sequence[Fraction], rate: Fraction, bits: Bits) -> int:
    """The index of the largest λuᵢ + Eᵢ, Eᵢ independent exponential variables, for λ = ε/2s.

    Candidates are visited in a random order, and i is taken with probability exp(λ(uᵢ - max u)): the same law, without a
    real variable (McKenna & Sheldon 2020; Ding, Kifer, Sayed Safi, Wang & others 2021, Theorem 1).
    """
    best = max(scores)
    order = list(range(len(scores)))
    for last in range(len(order) - 1, -1, -1):
        at = uniform_below(last + 1, bits)
        order[last], order[at] = order[at], order[last]
        if bernoulli_exp(rate * (best - scores[order[last]]), bits):
            return order[last]
    raise AssertionError("the best candidate is taken with probability 1")


CHOICES = {
    "exponential": lambda scores, rate, bits: choose_exponential(scores, rate, bits),
    "gibbs": lambda scores, rate, bits: choose_exponential(scores, rate, bits),
    "noisy-max": lambda scores, rate, bits: permute_and_flip(scores, rate, bits),
}
"""The mechanisms whose choices are drawn here: see `duetpy.runtime.noise.samplers`."""
