"""Many short decimals at once, correctly rounded.

Contract. :func:`parse_decimals` reads ``[sign] digits [ "." digits ]`` and ``[sign] "." digits`` from given places of a buffer. A
decimal of at most 15 digits is an integer below 10^15 < 2^53 divided by a power of ten up to 10^15 < 2^53; both are doubles, so
one IEEE division rounds the quotient correctly (Clinger, 'How to Read Floating Point Numbers Accurately', PLDI 1990). Eight
digits are added up at a time inside one 64-bit word: bytes to pairs, pairs to fours, fours to eights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_DIGITS = 15

_WORD = 8
_ZEROS = np.uint64(0x3030303030303030)
# Keeps the last n of the eight bytes of a little-endian word.
_LAST_BYTES = np.array([((1 << 64) - 1) ^ ((1 << (8 * (_WORD - n))) - 1) for n in range(_WORD + 1)], dtype=np.uint64)
_POWERS = 10 ** np.arange(MOST_DIGITS + 1, dtype=np.int64)
_POWERS_AS_DOUBLES = _POWERS.astype(np.float64)

Places = NDArray[np.intp]


def parse_decimals(buffer: bytes, starts: Places, points: Places, ends: Places) -> NDArray[np.float64]:
    """The doubles nearest to decimals of at most :data:`MOST_DIGITS` digits.

    Parameters
    ----------
    buffer
        The bytes that hold the decimals.
    starts, ends
        Where each decimal begins, and the place behind it.
    points
        The place of its point; its end where it has none.

    Returns
    -------
    NDArray[np.float64]
        Meaningless for decimals that have more digits; zero carries no sign.
    """
    padded = b"0" * (2 * _WORD) + buffer
    octets = np.frombuffer(padded, dtype=np.uint8)
    words = np.ndarray(len(padded) - _WORD + 1, dtype="<u8", buffer=padded, strides=(1,))
    first = octets[starts + 2 * _WORD]
    is_negative = first == ord("-")
    wholes = points - starts - (is_negative | (first == ord("+")))
    fractions = np.maximum(ends - points - 1, 0)
    places = np.minimum(fractions, MOST_DIGITS)
    whole = _whole_numbers(words, points, wholes)
    integer = whole * _POWERS[places] + _whole_numbers(words, ends, fractions)
    value = integer.astype(np.float64) / _POWERS_AS_DOUBLES[places]
    return np.asarray(np.where(is_negative, 0.0 - value, value) + 0.0)


def _whole_numbers(words: NDArray[np.uint64], ends: Places, lengths: Places) -> NDArray[np.int64]:
    """The numbers spelled by the ``lengths`` digits before ``ends``; words[e + 8] is the eight bytes before place e."""
    result = _eight_digits(words[ends + _WORD], np.minimum(lengths, _WORD))
    if len(lengths) and int(lengths.max()) > _WORD:
        upper = _eight_digits(words[ends], np.clip(lengths - _WORD, 0, _WORD))
        result = result + upper * 10**_WORD
    return result


def _eight_digits(words: NDArray[np.uint64], lengths: Places) -> NDArray[np.int64]:
    """The number in the last ``lengths`` bytes of words of eight ASCII digits (the first digit in the lowest byte)."""
    digits = (words ^ _ZEROS) & _LAST_BYTES[lengths]
    pairs = digits * np.uint64(10) + (digits >> np.uint64(8))
    mask = np.uint64(0x000000FF000000FF)
    # The four pairs count 10^6, 10^4, 100 and 1; their sum lands in the upper half of the word.
    high = (pairs & mask) * np.uint64(100 + (10**6 << 32))
    low = ((pairs >> np.uint64(16)) & mask) * np.uint64(1 + (10**4 << 32))
    return ((high + low) >> np.uint64(32)).astype(np.int64)
