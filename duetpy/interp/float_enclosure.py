"""Enclosures of -ln, cos and sin in double precision: the quick half of the noise.

Contract. Each kernel returns an approximation with a half-width that is *proven* to cover the error, from nothing but
the rule of IEEE 754 that +, -, ×, ÷, √ and the conversion of integers return one of the two doubles next to the true
result (relative error at most u = 2^-52 in whatever rounding mode). No logarithm or cosine of a library is called: the
tables come from ``enclosure.py`` and the polynomials are evaluated here. docs/noise-proof.md, section 5, adds up the
errors; the half-widths below are about twice what it finds.

:func:`kernels_are_sound` compares the kernels with the integer enclosures once a process. It guards against a machine
that breaks the rule of IEEE 754 itself; where it fails, the noise is drawn by integers alone.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.interp.enclosure import CENTRE_BITS, Enclosure, exponential_bounds, log_bounds, pi_bounds, turn_bounds
from duetpy.interp.random import InsecureBits

Doubles = NDArray[np.float64]
Words = NDArray[np.uint64]

UNIFORM_BITS = 63
"""Bits of the uniform under the logarithm; the 64th bit of its word is free to be a sign."""

TURN_BITS = 64
"""Bits of the uniform angle, in turns."""

TURN_ERROR = 2.0**-51
"""Proven bound on the error of :func:`turn` (docs/noise-proof.md, 5.3), in absolute terms."""

_TURN_PIECE_BITS = 8  # cos and sin are looked up at the centres of 2^8 equal pieces of the turn: |δ| <= π/256
_PRECISION = 128
_MANTISSA = np.uint64((1 << 52) - 1)
_EXPONENT_OF_ONE = np.uint64(1023 << 52)
_PIECE_SHIFT = np.uint64(52 - CENTRE_BITS)
_PIECE = np.uint64(((1 << CENTRE_BITS) - 1) << (52 - CENTRE_BITS))
_HALF_PIECE = np.uint64(1 << (51 - CENTRE_BITS))


@frozen(eq=False)
class _Tables:
    """What the kernels look up, each entry the double nearest the true value unless said otherwise."""

    log_two_high: float  # ln 2 cut to a multiple of 2^-42, so that times an integer below 2^11 it is exact
    log_two_low: float  # the rest of ln 2
    log_centres: Doubles  # shape (2^7,)
    cosines: Doubles  # shape (2^8,)
    sines: Doubles  # shape (2^8,)
    radians: float  # 2π·2^-64


@cache
def _tables() -> _Tables:
    def nearest(enclosure: Enclosure) -> float:
        return float(Fraction(sum(enclosure), 2 << _PRECISION))

    two_low, two_high = log_bounds(2, _PRECISION)
    cut = two_low >> (_PRECISION - 42) << (_PRECISION - 42)
    centres = [log_bounds(257 + 2 * piece, _PRECISION) for piece in range(1 << CENTRE_BITS)]
    # A cell of 2^-137 turns stands for its left end, the centre of the piece.
    turns = [
        turn_bounds(2 * piece + 1 << _PRECISION, _TURN_PIECE_BITS + 1 + _PRECISION, _PRECISION)
        for piece in range(1 << _TURN_PIECE_BITS)
    ]
    pi_low, pi_high = pi_bounds(_PRECISION)
    return _Tables(
        log_two_high=float(Fraction(cut, 1 << _PRECISION)),
        log_two_low=nearest((two_low - cut, two_high - cut)),
        log_centres=np.array([nearest((low - 8 * two_high, high - 8 * two_low)) for low, high in centres]),
        cosines=np.array([nearest(cosine) for cosine, _ in turns]),
        sines=np.array([nearest(sine) for _, sine in turns]),
        radians=nearest((pi_low, pi_high)) * 2.0**-63,
    )


def negative_log(values: Doubles, offset: int) -> Doubles:
    """-ln(values/2^offset) with an error of at most 2^-51·|result| + 2^-52.

        values = m 2^e, 1 <= m < 2;  c the centre of m's piece;  z = (m - c)/(m + c), |z| <= 2^-9
        ln m = ln c + 2 atanh z,  atanh z = z + z^3/3 + z^5/5 + (less than 2^-65)

    Parameters
    ----------
    values
        Positive normal doubles, any shape. (Zero gives a finite number without meaning.)
    offset
        A power of two to divide by first, at most 2^10 in absolute terms.
    """
    table = _tables()
    pattern = values.view(np.uint64)
    piece = ((pattern & _PIECE) >> _PIECE_SHIFT).astype(np.intp)
    mantissa = ((pattern & _MANTISSA) | _EXPONENT_OF_ONE).view(np.float64)
    centre = ((pattern & _PIECE) | (_HALF_PIECE | _EXPONENT_OF_ONE)).view(np.float64)
    halvings = (1023.0 + offset) - (pattern >> np.uint64(52)).astype(np.float64)
    ratio = (mantissa - centre) / (mantissa + centre)
    square = ratio * ratio
    series = ratio + ratio * square * (1.0 / 3.0 + square * 0.2)
    coarse = halvings * table.log_two_high - table.log_centres[piece]
    return coarse + (halvings * table.log_two_low - 2.0 * series)


def exponential(words: Words) -> tuple[Doubles, Doubles]:
    """An exponential variable -ln U and the half-width that encloses it for every U in [words, words + 1]/2^63.

    The half-width is infinite where the cell touches 0.
    """
    values = words.astype(np.float64)
    result = negative_log(values, UNIFORM_BITS)
    with np.errstate(divide="ignore"):
        # 2^-52 for the kernel, 2^-52 for the conversion, 1/word for the cell; doubled.
        return result, np.abs(result) * 2.0**-50 + 2.0**-50 + 2.0 / values


def turn(words: Words) -> tuple[Doubles, Doubles]:
    """cos and sin of 2π·w, each within ``TURN_ERROR`` for every w in the cell [words, words + 1]/2^64.

    w = centre of its piece + δ/2π;  cos(a + δ) = cos a + (cos a (cos δ - 1) - sin a sin δ)
    """
    table = _tables()
    rest_bits = TURN_BITS - _TURN_PIECE_BITS
    piece = (words >> np.uint64(rest_bits)).astype(np.intp)
    rest = (words & np.uint64((1 << rest_bits) - 1)).astype(np.int64) - (1 << (rest_bits - 1))
    angle = rest.astype(np.float64) * table.radians
    square = angle * angle
    versine = square * (0.5 - square * (1.0 / 24.0 - square * (1.0 / 720.0)))
    sine = angle * (1.0 - square * (1.0 / 6.0 - square * (1.0 / 120.0 - square * (1.0 / 5040.0))))
    base_cosine, base_sine = table.cosines[piece], table.sines[piece]
    return (
        base_cosine - (base_cosine * versine + base_sine * sine),
        base_sine + (base_cosine * sine - base_sine * versine),
    )


_PROBES = 1024


@cache
def kernels_are_sound() -> bool:
    """Compare every kernel with the integer enclosures on about a thousand words, once a process."""
    rising = np.uint64(1) << np.arange(64, dtype=np.uint64)
    drawn = InsecureBits(0).uint64(_PROBES - 3 * len(rising))
    words = np.concatenate([drawn, rising, rising - np.uint64(1), ~rising])
    return _exponential_is_enclosed(words >> np.uint64(1)) and _turn_is_enclosed(words)


def _covers(value: float, half_width: float, enclosure: Enclosure) -> bool:
    """Whether [value ± half_width] covers the enclosure, decided in exact numbers."""
    low, high = (Fraction(end, 1 << _PRECISION) for end in enclosure)
    return Fraction(value) - Fraction(half_width) <= low and high <= Fraction(value) + Fraction(half_width)


def _exponential_is_enclosed(words: Words) -> bool:
    for word, value, half_width in zip(words.tolist(), *(part.tolist() for part in exponential(words)), strict=True):
        enclosure = exponential_bounds(word, UNIFORM_BITS, _PRECISION)
        if enclosure is None:
            if half_width != float("inf"):
                return False
        elif not np.isfinite(value) or not _covers(value, half_width, enclosure):
            return False
    return True


def _turn_is_enclosed(words: Words) -> bool:
    cosines, sines = turn(words)
    for word, cosine, sine in zip(words.tolist(), cosines.tolist(), sines.tolist(), strict=True):
        true_cosine, true_sine = turn_bounds(word, TURN_BITS, _PRECISION)
        if not (_covers(cosine, TURN_ERROR, true_cosine) and _covers(sine, TURN_ERROR, true_sine)):
            return False
    return True
