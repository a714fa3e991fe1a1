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

import math
import struct
from fractions import Fraction
from functools import cache
from typing import TypeAlias, TypeVar

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.runtime.noise.integer_enclosure import (
    CENTRE_BITS,
    Enclosure,
    exponential_bounds,
    log_bounds,
    pi_bounds,
    turn_bounds,
)
from duetpy.runtime.noise.random_bits import InsecureBits

Doubles: TypeAlias = NDArray[np.float64]
Words: TypeAlias = NDArray[np.uint64]
Number = TypeVar("Number", float, Doubles)

UNIFORM_BITS = 63
"""Bits of the uniform under the logarithm; the 64th bit of its word is free to be a sign."""

TURN_BITS = 64
"""Bits of the uniform angle, in turns."""

TURN_ERROR = 2.0**-51
"""Proven bound on the error of :func:`turn` (docs/noise-proof.md, 5.3), in absolute terms."""

_TURN_PIECE_BITS = 8  # cos and sin are looked up at the centres of 2^8 equal pieces of the turn: |δ| <= π/256
_TURN_REST_BITS = TURN_BITS - _TURN_PIECE_BITS
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
    log_centres: list[float]  # one for each of the 2^7 pieces of [1, 2)
    cosines: list[float]  # one for each of the 2^8 pieces of the turn
    sines: list[float]
    radians: float  # 2π·2^-64

    def arrays(self) -> tuple[Doubles, Doubles, Doubles]:
        """The three lists as arrays."""
        return np.array(self.log_centres), np.array(self.cosines), np.array(self.sines)


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
        log_centres=[nearest((low - 8 * two_high, high - 8 * two_low)) for low, high in centres],
        cosines=[nearest(cosine) for cosine, _ in turns],
        sines=[nearest(sine) for _, sine in turns],
        radians=nearest((pi_low, pi_high)) * 2.0**-63,
    )


@cache
def _arrays() -> tuple[Doubles, Doubles, Doubles]:
    return _tables().arrays()


# ---------------------------------------------------------------------------------------------------------------------
# The formulas, for one double and for arrays alike


def _assemble_log(mantissa: Number, centre: Number, log_centre: Number, halvings: Number) -> Number:
    """-ln(mantissa) + halvings·ln 2 with an error of at most 2^-51·|result| + 2^-52.

    z = (mantissa - centre)/(mantissa + centre), |z| <= 2^-9
    ln mantissa = ln centre + 2 atanh z,  atanh z = z + z^3/3 + z^5/5 + (less than 2^-65)
    """
    table = _tables()
    ratio = (mantissa - centre) / (mantissa + centre)
    square = ratio * ratio
    series = ratio + ratio * square * (1.0 / 3.0 + square * 0.2)
    coarse = halvings * table.log_two_high - log_centre
    return coarse + (halvings * table.log_two_low - 2.0 * series)


def _assemble_turn(angle: Number, base_cosine: Number, base_sine: Number) -> tuple[Number, Number]:
    """cos and sin of a + angle from those of a, |angle| <= π/256, each within ``TURN_ERROR``.

    cos(a + δ) = cos a - (cos a (1 - cos δ) + sin a sin δ);  sin(a + δ) = sin a + (cos a sin δ - sin a (1 - cos δ))
    """
    square = angle * angle
    versine = square * (0.5 - square * (1.0 / 24.0 - square * (1.0 / 720.0)))
    sine = angle * (1.0 - square * (1.0 / 6.0 - square * (1.0 / 120.0 - square * (1.0 / 5040.0))))
    return (
        base_cosine - (base_cosine * versine + base_sine * sine),
        base_sine + (base_cosine * sine - base_sine * versine),
    )


def _exponential_width(result: Number, values: Number) -> Number:
    """Twice: 2^-51 of the result and 2^-52 for the logarithm, 2^-52 for the conversion, 1/word for the cell."""
    return abs(result) * 2.0**-50 + 2.0**-50 + 2.0 / values


# ---------------------------------------------------------------------------------------------------------------------
# Arrays


def negative_log(values: Doubles, offset: int) -> Doubles:
    """-ln(values/2^offset) with an error of at most 2^-51·|result| + 2^-52.

    Parameters
    ----------
    values
        Positive normal doubles, any shape. (Zero gives a finite number without meaning.)
    offset
        A power of two to divide by first, at most 2^10 in absolute terms.
    """
    pattern = values.view(np.uint64)
    piece = ((pattern & _PIECE) >> _PIECE_SHIFT).astype(np.intp)
    mantissa = ((pattern & _MANTISSA) | _EXPONENT_OF_ONE).view(np.float64)
    centre = ((pattern & _PIECE) | (_HALF_PIECE | _EXPONENT_OF_ONE)).view(np.float64)
    halvings = (1023.0 + offset) - (pattern >> np.uint64(52)).astype(np.float64)
    return _assemble_log(mantissa, centre, _arrays()[0][piece], halvings)


def exponential(words: Words) -> tuple[Doubles, Doubles]:
    """An exponential variable -ln U and the half-width that encloses it for every U in [words, words + 1]/2^63.

    The half-width is infinite where the cell touches 0.
    """
    values = words.astype(np.float64)
    result = negative_log(values, UNIFORM_BITS)
    with np.errstate(divide="ignore"):
        return result, _exponential_width(result, values)


def turn(words: Words) -> tuple[Doubles, Doubles]:
    """cos and sin of 2π·w, each within ``TURN_ERROR`` for every w in the cell [words, words + 1]/2^64."""
    _, cosines, sines = _arrays()
    piece, rest = turn_parts(words)
    return _assemble_turn(rest * _tables().radians, cosines[piece], sines[piece])


# ---------------------------------------------------------------------------------------------------------------------
# One word, taken apart into short integers: Python's take time by their length, which would tell the size of the noise


Quarters: TypeAlias = tuple[int, int, int, int]
"""A word as four numbers below 2^16, the lowest first: each is a single digit of Python's integers, whatever the word is."""


def quarters(words: Words) -> list[Quarters]:
    """The words taken apart."""
    return list(struct.iter_unpack("<4H", words.astype("<u8", copy=False).tobytes()))


def uniform_of_one(word: Quarters) -> float:
    """The double next to the first 63 bits of the word: both halves are exact, and their sum is rounded once."""
    lowest, second, third, highest = word
    return (highest * 65536.0 + third) * 2147483648.0 + (second * 32768.0 + (lowest >> 1))


def exponential_of_one(value: float) -> tuple[float, float]:
    """:func:`exponential` of the word whose conversion to a double is given, with the same operations."""
    if value == 0.0:
        return 0.0, math.inf
    fraction, exponent = math.frexp(value)
    mantissa = 2.0 * fraction
    piece = int((mantissa - 1.0) * (1 << CENTRE_BITS))
    centre = 1.0 + (2 * piece + 1) / (2 << CENTRE_BITS)
    halvings = float(UNIFORM_BITS + 1 - exponent)
    result = _assemble_log(mantissa, centre, _tables().log_centres[piece], halvings)
    return result, _exponential_width(result, value)


def turn_parts(words: Words) -> tuple[NDArray[np.intp], Doubles]:
    """The piece of the turn in which each word lies, and the rest from the centre of the piece in units of 2^-64."""
    piece = (words >> np.uint64(_TURN_REST_BITS)).astype(np.intp)
    rest = (words & np.uint64((1 << _TURN_REST_BITS) - 1)).astype(np.int64) - (1 << (_TURN_REST_BITS - 1))
    return piece, rest.astype(np.float64)


def turn_parts_of_one(word: Quarters) -> tuple[int, float]:
    """:func:`turn_parts` of a word: again two exact halves and one rounding."""
    lowest, second, third, highest = word
    rest = (((highest & 255) - 128) * 65536.0 + third) * 4294967296.0 + (second * 65536.0 + lowest)
    return highest >> 8, rest


def turn_of_one(piece: int, rest: float) -> tuple[float, float]:
    """:func:`turn` of the word whose parts are given, with the same operations."""
    table = _tables()
    return _assemble_turn(rest * table.radians, table.cosines[piece], table.sines[piece])


# ---------------------------------------------------------------------------------------------------------------------
# The self-test


_PROBES = 512


@cache
def kernels_are_sound() -> bool:
    """Compare every kernel with the integer enclosures on some hundred words, once a process."""
    rising = np.uint64(1) << np.arange(64, dtype=np.uint64)
    drawn = InsecureBits(0).uint64(_PROBES - 3 * len(rising))
    words = np.concatenate([drawn, rising, rising - np.uint64(1), ~rising])
    return _exponential_is_enclosed(words >> np.uint64(1)) and _turn_is_enclosed(words)


def _covers(value: float, half_width: float, enclosure: Enclosure) -> bool:
    """Whether [value ± half_width] covers the enclosure, decided in integers; false for what is not finite."""
    if not (math.isfinite(value) and math.isfinite(half_width)):
        return False
    # Both numbers are multiples of 2^-1074 and below 2^64: scaling them by 2^128 and cutting keeps 2^-128 of them.
    middle, radius = int(math.ldexp(value, _PRECISION)), int(math.ldexp(half_width, _PRECISION)) - 2
    return middle - radius <= enclosure[0] and enclosure[1] <= middle + radius


def _exponential_is_enclosed(words: Words) -> bool:
    for word, *many in zip(words.tolist(), *(part.tolist() for part in exponential(words)), strict=True):
        enclosure = exponential_bounds(word, UNIFORM_BITS, _PRECISION)
        for value, half_width in (many, exponential_of_one(float(word))):
            is_sound = half_width == math.inf if enclosure is None else _covers(value, half_width, enclosure)
            if not is_sound:
                return False
    return True


def _turn_is_enclosed(words: Words) -> bool:
    parts = zip(*(part.tolist() for part in turn_parts(words)), strict=True)
    for word, one, *many in zip(words.tolist(), parts, *(part.tolist() for part in turn(words)), strict=True):
        enclosures = turn_bounds(word, TURN_BITS, _PRECISION)
        for values in (many, turn_of_one(*one)):
            if not all(_covers(value, TURN_ERROR, true) for value, true in zip(values, enclosures, strict=True)):
                return False
    return True
