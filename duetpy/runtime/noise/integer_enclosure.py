"""Integer-only enclosures of ln, cos and sin: the exact half of the noise.

Contract. A real number y is enclosed at precision P by two integers with ``low <= y * 2**P <= high``. Every function
here computes with Python integers alone and accounts for each rounding (a floor division, a right shift) and for the
tail of each series, so an enclosure is a theorem about the arguments and needs no trust in a mathematical library.
docs/noise-proof.md, sections 3 and 4, holds the error counts that the comments below refer to.

The number of terms of each series depends on the precision alone, not on the argument: a loop that stopped at the first
vanishing term would tell, by its running time, how large the noise is.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

Enclosure = tuple[int, int]

GUARD = 24
"""Extra bits carried inside, so that the error counts below stay under the last unit that is handed out."""

CENTRE_BITS = 7
"""ln m is looked up at the centre of one of 2**7 equal pieces of [1, 2), which leaves |z| <= 2**-9 for the series."""


def _narrow(low: int, high: int, shift: int) -> Enclosure:
    return low >> shift, -((-high) >> shift)


def _inverse_tangent_hyperbolic(numerator: int, denominator: int, working: int, terms: int) -> Enclosure:
    """Enclose atanh z, z = numerator/denominator in [0, 1/2]; ``terms`` must bring the tail below one unit.

    atanh z = z + z^3/3 + z^5/5 + …. All quantities are floored and non-negative, so the sum is a lower bound. A power
    falls short of the true one by less than 2 units and its quotient by less than 3; the slack covers this.
    """
    power = (numerator << working) // denominator
    square = (numerator * numerator << working) // (denominator * denominator)
    total = power
    for odd in range(3, 2 * terms, 2):
        power = power * square >> working
        total += power // odd
    return total, total + 3 * terms + 1


@lru_cache(maxsize=64)
def _log_two(working: int) -> Enclosure:
    """ln 2 = 2 atanh(1/3)."""
    low, high = _inverse_tangent_hyperbolic(1, 3, working, working // 3 + 1)
    return 2 * low, 2 * high


@lru_cache(maxsize=4 << CENTRE_BITS)
def _log_centre(piece: int, working: int) -> Enclosure:
    """ln c for the centre c = (257 + 2 piece)/256 of a piece: 2 atanh((c - 1)/(c + 1)), whose argument is below 1/3."""
    low, high = _inverse_tangent_hyperbolic(1 + 2 * piece, 513 + 2 * piece, working, working // 3 + 1)
    return 2 * low, 2 * high


def log_bounds(value: int, precision: int) -> Enclosure:
    """Enclose ln ``value`` for an integer ``value >= 1``.

    Parameters
    ----------
    value
        A positive integer of any size.
    precision
        The number P of bits after the binary point.

    Returns
    -------
    Enclosure
        Integers (low, high) with low <= ln(value)·2^P <= high.
    """
    working = precision + GUARD
    exponent = value.bit_length() - 1
    piece = (value << CENTRE_BITS >> exponent) & (2**CENTRE_BITS - 1)
    # value = m 2^exponent, c = (257 + 2 piece)/256, z = (m - c)/(m + c) with numerator and denominator times 2^8·2^exp.
    centre = (257 + 2 * piece) << exponent
    difference = (value << 8) - centre
    # |z| <= 2^-9, so 9(2·terms + 1) >= working leaves a tail below one unit.
    low, high = _inverse_tangent_hyperbolic(abs(difference), (value << 8) + centre, working, working // 18 + 1)
    if difference < 0:
        low, high = -high, -low
    centre_low, centre_high = _log_centre(piece, working)
    two_low, two_high = _log_two(working)
    return _narrow(
        exponent * two_low + centre_low + 2 * low, exponent * two_high + centre_high + 2 * high, working - precision
    )


def exponential_bounds(word: int, length: int, precision: int) -> Enclosure | None:
    """Enclose -ln U for every U in the cell [word, word + 1]/2^length.

    Returns
    -------
    Enclosure | None
        None when the cell touches 0, where -ln U has no upper bound.
    """
    if word == 0:
        return None
    two_low, two_high = _log_two(precision + GUARD)
    shift_low, shift_high = _narrow(length * two_low, length * two_high, GUARD)
    log_low, log_high = log_bounds(word, precision)
    # ln(1 + 1/word) <= 1/word is how far the right end of the cell lies below the left one.
    width = -((-1 << precision) // word)
    return max(0, shift_low - log_high - width), shift_high - log_low


@lru_cache(maxsize=64)
def pi_bounds(working: int) -> Enclosure:
    """π = 16 atan(1/5) - 4 atan(1/239) (Machin). Nested floors of exact divisions lose less than one unit a term."""

    def inverse_tangent(inverse: int) -> Enclosure:
        power, total, odd, terms = (1 << working) // inverse, 0, 1, 0
        while power:
            total += power // odd if odd % 4 == 1 else -(power // odd)
            power, odd, terms = power // (inverse * inverse), odd + 2, terms + 1
        return total - terms - 1, total + terms + 1

    fifth, small = inverse_tangent(5), inverse_tangent(239)
    return 16 * fifth[0] - 4 * small[1], 16 * fifth[1] - 4 * small[0]


@lru_cache(maxsize=64)
def _taylor_terms(working: int) -> int:
    """The least n with 0.8^(2n)/(2n)! < 2^-working: arguments below π/4 < 0.8 leave a tail under one unit."""
    terms, tail = 0, 1 << working
    while tail:
        terms += 1
        tail = tail * 64 // (100 * (2 * terms - 1) * (2 * terms)) + (1 if tail > 1 else 0)
    return terms + 1


def _taylor(argument: int, working: int, first_factorial: int) -> int:
    """The alternating series of cos (first_factorial 0) or sin (1) at argument/2^working in [0, π/4], in units.

    Each term is within 2 units of the true one and the tail is under 1, so the sum is within 2·terms + 1.
    """
    square = argument * argument >> working
    term = argument if first_factorial else 1 << working
    total, last = term, first_factorial
    for index in range(1, _taylor_terms(working)):
        term = (term * square >> working) // ((last + 1) * (last + 2))
        total += -term if index % 2 else term
        last += 2
    return total


def turn_bounds(word: int, length: int, precision: int) -> tuple[Enclosure, Enclosure]:
    """Enclose cos and sin of 2π·u for every u in the cell [word, word + 1]/2^length, ``length >= 3``.

    Returns
    -------
    tuple[Enclosure, Enclosure]
        The enclosure of the cosine and that of the sine.
    """
    working = precision + GUARD
    quadrant, rest = word >> (length - 2), word & ((1 << (length - 2)) - 1)
    # The angle in its quadrant is (π/2)·rest/2^(length-2); the upper half is reflected to its complement.
    reflected = rest >> (length - 3)
    if reflected:
        rest = (1 << (length - 2)) - rest
    pi_low, pi_high = pi_bounds(working)
    angle = pi_low * rest >> (length - 1)
    spread = (pi_high * rest >> (length - 1)) + 1 - angle
    cosine, sine = _taylor(angle, working, 0), _taylor(angle, working, 1)
    if reflected:
        cosine, sine = sine, cosine
    match quadrant:
        case 1:
            cosine, sine = -sine, cosine
        case 2:
            cosine, sine = -cosine, -sine
        case 3:
            cosine, sine = sine, -cosine
        case _:
            pass
    # cos and sin are 1-Lipschitz: the spread of the angle and the width 2π/2^length < 7/2^length of the cell add.
    slack = spread + 2 * _taylor_terms(working) + 1 + (7 << working >> length) + 1
    return (
        _narrow(cosine - slack, cosine + slack, working - precision),
        _narrow(sine - slack, sine + slack, working - precision),
    )


def root_bounds(enclosure: Enclosure, precision: int) -> Enclosure:
    """Enclose the square root of a non-negative real that is enclosed at the same precision."""
    low, high = enclosure
    return isqrt(low << precision), isqrt(high << precision) + 1


def common_step(enclosure: Enclosure, ratio: Fraction, precision: int) -> int | None:
    """The integer to which ratio·y rounds for every y enclosed at the precision, or None where there are two."""
    # round(v/d) = floor((2v + d)/2d)
    divisor = ratio.denominator << precision
    low, high = ((2 * end * ratio.numerator + divisor) // (2 * divisor) for end in enclosure)
    return low if low == high else None
