"""Continuous Laplace and Gaussian noise, exactly rounded to a lattice.

Contract. For x on the lattice 2^k·ℤ and Z a *real* Laplace or Gaussian variable, :func:`laplace` and :func:`gaussian`
return x + round_k(Z), where round_k goes to the nearest lattice point. As x is on the lattice this equals
round_k(x + Z): a function of the continuous mechanism's answer. Whatever holds for continuous noise (pure ε, the
analytic Gaussian, zCDP, Rényi, trade-off curves, amplification by subsampling) holds for what is returned, with nothing
added to ε or δ; no tail is cut off. docs/noise-proof.md has the proof.

How. An infinite string of fair bits names one real U. Some first bits confine U to a cell, the cell and the proven
error of the arithmetic confine Z/2^k to an interval, and an interval that lies in one rounding cell decides the answer.
Where it does not, *the same* string is prolonged by 64 bits and the interval is computed again by integers. The doubles
of the quick path are only ever such an interval; no double is ever an answer, so the holes in the set of doubles
(Mironov, CCS 2012) and the visible last bits of a sum (Haney et al. 2022) have nothing to show.

Timing. The quick path does the same work for every word. How often the slow path runs depends on the words in a way
that says nearly nothing about the size of the noise, but it is not proven to say nothing: running time is outside the
guarantee.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from duetpy.runtime.noise.float_enclosure import (
    TURN_BITS,
    UNIFORM_BITS,
    Doubles,
    Number,
    exponential,
    exponential_of_one,
    kernels_are_sound,
    quarters,
    turn,
    turn_of_one,
    turn_parts_of_one,
    uniform_of_one,
)
from duetpy.runtime.noise.integer_enclosure import Enclosure, common_step, exponential_bounds, root_bounds, turn_bounds
from duetpy.runtime.noise.noise_grid import (
    Steps,
    add_steps,
    from_lattice,
    narrowest,
)
from duetpy.runtime.noise.random_bits import Bits

EXTENSION = 64
"""Bits by which an undecided cell is narrowed at a time."""

_CHUNK = 1 << 14  # words a pass: the temporaries stay in the second-level cache
_FEW = 4  # up to this many values one by one is quicker than arrays
_REGULAR = 2.0**-20  # below, the error of the root is not worth bounding: one pair in a million, left to the integers
_ROUNDER = 1.5 * 2.0**52
_LEAST_RATIO, _GREATEST_RATIO = Fraction(2) ** -900, Fraction(2) ** 47
"""Noise in steps outside of this range is drawn by integers alone: below, doubles could underflow; above, a double
leaves nearly every rounding undecided."""


def laplace(steps: Steps, scale: Fraction, exponent: int, bits: Bits) -> NDArray[np.float64]:
    """Add Laplace noise to numbers on the lattice.

    Parameters
    ----------
    steps
        The numbers in steps of 2^exponent, any shape; see :func:`~duetpy.runtime.noise.noise_grid.to_lattice`.
    scale
        The scale b > 0 of the density exp(-|z|/b)/2b, in the unit of the values, rounded *up* where it is not exact.
    exponent
        The exponent k of the lattice.
    bits
        Where the randomness comes from.

    Returns
    -------
    NDArray[np.float64]
        The shape of ``steps``: the double nearest to (steps + round(Z/2^k))·2^k.
    """
    return from_lattice(
        add_steps(steps, laplace_steps(steps.size, scale, exponent, bits).reshape(steps.shape)), exponent
    )


def gaussian(steps: Steps, sigma: Fraction, exponent: int, bits: Bits) -> NDArray[np.float64]:
    """Add Gaussian noise of standard deviation ``sigma`` to numbers on the lattice; otherwise as :func:`laplace`."""
    return from_lattice(
        add_steps(steps, gaussian_steps(steps.size, sigma, exponent, bits).reshape(steps.shape)), exponent
    )


def laplace_steps(count: int, scale: Fraction, exponent: int, bits: Bits) -> Steps:
    """``count`` independent values of round(Z/2^exponent), Z ~ Laplace(scale).

    Z = S·b·E with S a fair sign and E = -ln U. One word of 64 bits gives the sign and the first 63 bits of U.
    """
    ratio = _ratio(scale, exponent)
    if not _is_quick(ratio):
        return narrowest([_laplace_step(word, ratio, bits) for word in bits.uint64(count).tolist()])
    if count <= _FEW:
        return _few_laplace(count, ratio, bits)
    parts = [_laplace_chunk(min(_CHUNK, count - start), ratio, bits) for start in range(0, count, _CHUNK)]
    return np.concatenate(parts)


def gaussian_steps(count: int, sigma: Fraction, exponent: int, bits: Bits) -> Steps:
    """``count`` independent values of round(Z/2^exponent), Z ~ Normal(0, sigma^2).

    Box and Muller (1958): √(2E)·cos 2πW and √(2E)·sin 2πW are two independent normal variables for E = -ln U and U, W
    uniform. The identity is used for real numbers only.
    """
    ratio = _ratio(sigma, exponent)
    pairs = (count + 1) // 2
    if not _is_quick(ratio):
        words = bits.uint64(2 * pairs).tolist()
        drawn = [_gaussian_pair(words[at] >> 1, words[at + 1], ratio, bits) for at in range(0, 2 * pairs, 2)]
        return narrowest([step for pair in drawn for step in pair][:count])
    if count <= _FEW:
        return _few_gaussian(pairs, ratio, bits)[:count]
    parts = [_gaussian_chunk(min(_CHUNK, pairs - start), ratio, bits) for start in range(0, pairs, _CHUNK)]
    return np.concatenate(parts)[:count]


@lru_cache(maxsize=256)
def _ratio(scale: Fraction, exponent: int) -> Fraction:
    """The scale in steps: public numbers, which programs ask for again and again."""
    if scale <= 0:
        raise ValueError("the scale of noise must be positive")
    return Fraction(scale) / Fraction(2) ** exponent


def _is_quick(ratio: Fraction) -> bool:
    return _is_in_range(ratio) and kernels_are_sound()


@lru_cache(maxsize=256)
def _is_in_range(ratio: Fraction) -> bool:
    return _LEAST_RATIO <= ratio <= _GREATEST_RATIO


def _decide(approximation: Doubles, half_width: Doubles) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Round every interval, and list those that touch two rounding cells.

    The difference to the nearest integer is exact; 2^-50 covers the roundings of the comparison itself.
    """
    nearest = np.rint(approximation)
    decided = np.abs(approximation - nearest) + half_width < 0.5 - 2.0**-50
    return nearest.astype(np.int64), np.flatnonzero(~decided)


def _decide_one(approximation: float, half_width: float) -> tuple[float, bool]:
    """Round one interval, and say whether that is certain; as :func:`_decide`.

    Adding and taking away 1.5·2^52 rounds a double below 2^51; larger ones have half-widths above 1 and stay undecided.
    """
    nearest = (approximation + _ROUNDER) - _ROUNDER
    return nearest, abs(approximation - nearest) + half_width < 0.5 - 2.0**-50


def _few_laplace(count: int, ratio: Fraction, bits: Bits) -> NDArray[np.int64]:
    words, scale = bits.uint64(count), float(ratio)
    drawn, undecided = [], []
    for at, word in enumerate(quarters(words)):
        standard, half_width = exponential_of_one(uniform_of_one(word))
        nearest, is_certain = _decide_one(scale * standard, _laplace_width(scale, standard, half_width))
        drawn.append(nearest * (1.0 - 2.0 * (word[0] & 1)))
        if not is_certain:
            undecided.append(at)
    steps = np.array(drawn).astype(np.int64)
    for at in undecided:
        steps[at] = _laplace_step(int(words[at]), ratio, bits)
    return steps


def _signs(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    return 1 - 2 * (words & np.uint64(1)).astype(np.int64)


def _few_gaussian(pairs: int, ratio: Fraction, bits: Bits) -> NDArray[np.int64]:
    words, scale = bits.uint64(2 * pairs), float(ratio)
    parts = quarters(words)
    drawn, undecided = [], []
    for at in range(0, 2 * pairs, 2):
        squared, squared_error = exponential_of_one(uniform_of_one(parts[at]))
        radius = math.sqrt(2.0 * max(squared, _REGULAR))
        half_width = _gaussian_width(scale, radius, squared_error)
        cosine, sine = turn_of_one(*turn_parts_of_one(parts[at + 1]))
        first, is_first_certain = _decide_one(scale * (radius * cosine), half_width)
        second, is_second_certain = _decide_one(scale * (radius * sine), half_width)
        drawn += [first, second]
        if not (is_first_certain and is_second_certain and squared > _REGULAR):
            undecided.append(at)
    steps = np.array(drawn).astype(np.int64)
    for at in undecided:
        steps[at : at + 2] = _gaussian_pair(int(words[at]) >> 1, int(words[at + 1]), ratio, bits)
    return steps


def _laplace_width(scale: float, standard: Number, half_width: Number) -> Number:
    """The product, and the conversion of the ratio, each add 2^-52 of the result; 2^-49 is four times their sum."""
    return scale * (half_width + abs(standard) * 2.0**-49)


def _gaussian_width(scale: float, radius: Number, squared_error: Number) -> Number:
    """|√2E - √2E'| <= 2|E - E'|/√2E, doubled; 2^-48 of the radius is twice the errors of root, turn and products."""
    return scale * (4.0 * squared_error / radius + radius * 2.0**-48)


def _laplace_chunk(count: int, ratio: Fraction, bits: Bits) -> NDArray[np.int64]:
    words = bits.uint64(count)
    standard, half_width = exponential(words >> np.uint64(1))
    scale = float(ratio)
    magnitude, undecided = _decide(scale * standard, _laplace_width(scale, standard, half_width))
    steps = magnitude * _signs(words)
    for at in undecided.tolist():
        steps[at] = _laplace_step(int(words[at]), ratio, bits)
    return steps


def _laplace_step(word: int, ratio: Fraction, bits: Bits) -> int:
    """The step whose sign and first 63 bits are given by a word, decided by integers."""
    sign, uniform, length = 1 - 2 * (word & 1), word >> 1, UNIFORM_BITS
    while True:
        uniform, length = _extend(uniform, length, bits)
        enclosure = exponential_bounds(uniform, length, length)
        if enclosure is not None and (step := common_step(enclosure, ratio, length)) is not None:
            return sign * step


def _extend(word: int, length: int, bits: Bits) -> tuple[int, int]:
    return (word << EXTENSION) | int.from_bytes(bits.bytes(EXTENSION // 8), "little"), length + EXTENSION


def _gaussian_chunk(pairs: int, ratio: Fraction, bits: Bits) -> NDArray[np.int64]:
    uniforms, angles = bits.uint64(pairs) >> np.uint64(1), bits.uint64(pairs)
    squared, squared_error = exponential(uniforms)
    regular = squared > _REGULAR
    radius = np.sqrt(2.0 * np.where(regular, squared, 1.0))
    scale = float(ratio)
    half_width = np.where(regular, _gaussian_width(scale, radius, squared_error), np.inf)
    steps = np.empty((pairs, 2), dtype=np.int64)
    undecided: set[int] = set()
    for side, direction in enumerate(turn(angles)):
        steps[:, side], open_ones = _decide(scale * (radius * direction), half_width)
        undecided.update(open_ones.tolist())
    for at in sorted(undecided):
        steps[at] = _gaussian_pair(int(uniforms[at]), int(angles[at]), ratio, bits)
    return steps.ravel()


def _gaussian_pair(uniform: int, angle: int, ratio: Fraction, bits: Bits) -> tuple[int, int]:
    """The two steps whose first bits (63 of U, 64 of W) are given, decided by integers."""
    length, angle_length = UNIFORM_BITS, TURN_BITS
    while True:
        uniform, length = _extend(uniform, length, bits)
        angle, angle_length = _extend(angle, angle_length, bits)
        enclosure = exponential_bounds(uniform, length, length)
        if enclosure is None:
            continue
        radius = root_bounds((2 * enclosure[0], 2 * enclosure[1]), length)
        directions = turn_bounds(angle, angle_length, length)
        first, second = (common_step(_scaled(radius, one), ratio, 2 * length) for one in directions)
        if first is not None and second is not None:
            return first, second


def _scaled(radius: Enclosure, direction: Enclosure) -> Enclosure:
    """The product of a non-negative and a signed enclosure, at twice the precision."""
    low, high = direction
    return low * radius[0 if low >= 0 else 1], high * radius[1 if high >= 0 else 0]


SAMPLERS = {
    "laplace": lambda steps, scale, exponent, bits: laplace(steps, scale, exponent, bits),
    "gaussian": lambda steps, scale, exponent, bits: gaussian(steps, scale, exponent, bits),
}
"""The laws that are drawn here: see `duetpy.runtime.noise.samplers`."""
