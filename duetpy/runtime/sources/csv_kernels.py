"""The loops over the bytes of a CSV block, compiled by Numba if it is installed.

Contract. Plain functions of numbers and arrays, which compute the same compiled or not. They decide nothing in doubt: what they
leave is read by the ways that know the whole grammar (``cells.py``). Whoever imports this module imports Numba and its compiler,
which takes half a second. What is compiled is kept next to the source or in the user's cache, as Python keeps its bytecode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """A function as Numba compiles it, when it is called for the first time; itself where Numba cannot."""
    try:
        import numba

        made: Any = numba.njit(cache=True, nogil=True)(function)
    except (ImportError, RuntimeError):
        return function
    return cast(Function, made)


Octets = NDArray[np.uint8]
Places = NDArray[np.int64]
Words = NDArray[np.uint64]

MOST_DIGITS = 15
"""A number of at most 15 digits is below 2^53, and so is the power of ten of its fraction: one division rounds correctly."""

LONGEST = 19
"""So many digits are below 2^64."""

NOT_PLAIN = -1


@compiled
def cut(octets: Octets, width: int, separator: int, wanted: Places, starts: Places, ends: Places) -> int:
    """Find the wanted cells of whole lines without quotes.

    Parameters
    ----------
    octets
        The lines, each with a line feed at its end, before which one carriage return does not count.
    width
        The number of cells that every line must have.
    separator
        The byte between two cells.
    wanted
        For each position of a line the column of `starts` and `ends` that its cells go to, or −1; shape (width,).
    starts, ends
        Filled with where cells begin and the places behind them; shape (lines, wanted cells).

    Returns
    -------
    int
        The number of lines; `NOT_PLAIN` if there is a quote, a line of another width, or one that may be blank.
    """
    line, cell, start = 0, 0, 0
    for at in range(octets.size):
        byte = octets[at]
        if byte == 34:
            return NOT_PLAIN
        if byte != separator and byte != 10:
            continue
        if cell >= width or (byte == 10) != (cell == width - 1):
            return NOT_PLAIN
        if width == 1 and octets[start] in (9, 10, 13, 32):
            return NOT_PLAIN
        place = wanted[cell]
        if place >= 0:
            starts[line, place] = start
            ends[line, place] = at - 1 if byte == 10 and at > start and octets[at - 1] == 13 else at
        start = at + 1
        cell += 1
        if byte == 10:
            line += 1
            cell = 0
    return line


@compiled
def numbers(
    octets: Octets,
    starts: Places,
    ends: Places,
    powers: NDArray[np.float64],
    fives: Words,
    values: NDArray[np.float64],
    bits: Words,
    rest: Places,
) -> tuple[int, bool]:
    """Read decimals of at most 19 digits.

    Parameters
    ----------
    octets, starts, ends
        The cells; shape (cells,) for both.
    powers
        10⁰, 10¹, … 10¹⁵.
    fives
        As `powers_of_five` makes them.
    values, bits
        Filled with the doubles nearest to the numbers, of which zero has no sign; the second is another view of the first.
    rest
        Filled with the numbers of the cells that are left to be read one by one: longer numbers, tiny and huge ones, and all
        that is not a number.

    Returns
    -------
    tuple[int, bool]
        How many cells are left; and whether all others consist of digits alone.
    """
    left = 0
    digits_only = True
    for cell in range(starts.size):
        at, end = starts[cell], ends[cell]
        is_negative = False
        if at < end and (octets[at] == 43 or octets[at] == 45):
            is_negative = octets[at] == 45
            digits_only = False
            at += 1
        whole = np.uint64(0)
        digits, places, exponent = 0, 0, 0
        # A longer number is read otherwise, so that nothing overflows.
        while at < end and 48 <= octets[at] <= 57 and digits < LONGEST:
            whole = whole * np.uint64(10) + np.uint64(octets[at] - 48)
            digits += 1
            at += 1
        has_point = at < end and octets[at] == 46
        if has_point:
            digits_only = False
            at += 1
            while at < end and 48 <= octets[at] <= 57 and digits < LONGEST:
                whole = whole * np.uint64(10) + np.uint64(octets[at] - 48)
                digits += 1
                places += 1
                at += 1
        is_number = digits > 0 and places >= int(has_point)
        if is_number and at < end and (octets[at] == 69 or octets[at] == 101):
            digits_only = False
            at += 1
            falls = at < end and octets[at] == 45
            if at < end and (octets[at] == 43 or octets[at] == 45):
                at += 1
            is_number = at < end <= at + 4
            while at < end and 48 <= octets[at] <= 57:
                exponent = exponent * 10 + (int(octets[at]) - 48)
                at += 1
            exponent = -exponent if falls else exponent
        exponent -= places
        if not is_number or at < end:
            rest[left] = cell
            left += 1
        elif digits <= MOST_DIGITS and -MOST_DIGITS <= exponent <= 0:
            value = whole / powers[-exponent]
            values[cell] = 0.0 - value if is_negative else value
        else:
            found = nearest(whole, exponent, fives)
            if found == UNKNOWN:
                rest[left] = cell
                left += 1
            else:
                bits[cell] = found | np.uint64(1 << 63) if is_negative and whole != np.uint64(0) else found
    return left, digits_only


IS_COMPILED = hasattr(numbers, "py_func")

UNKNOWN = np.uint64(0xFFFFFFFFFFFFFFFF)

LEAST_POWER, GREATEST_POWER = -342, 308


@compiled
def nearest(whole: np.uint64, exponent: int, fives: Words) -> np.uint64:
    """The bits of the double nearest to whole⋅10^exponent; `UNKNOWN` where that is subnormal, or too large.

    Lemire 2021, 'Number parsing at a gigabyte per second', Algorithm 1: the upper bits of the product with 128 bits of the power
    of five decide how to round. That they always do is proved by Mushtak and Lemire 2023, 'Fast number parsing without fallback'.
    """
    if whole == np.uint64(0):
        return np.uint64(0)
    if exponent < LEAST_POWER or exponent > GREATEST_POWER:
        return UNKNOWN
    zeros = 0
    while whole < np.uint64(1 << 63):
        whole = whole << np.uint64(1)
        zeros += 1
    place = 2 * (exponent - LEAST_POWER)
    high, low = product(whole, fives[place])
    if (high & np.uint64(0x1FF)) == np.uint64(0x1FF):
        further, _ = product(whole, fives[place + 1])
        low = low + further
        if further > low:
            high = high + np.uint64(1)
    upper = high >> np.uint64(63)
    shift = upper + np.uint64(9)
    mantissa = high >> shift
    power = ((217706 * exponent) >> 16) + 63 + int(upper) - zeros + 1023
    if power <= 0:
        return UNKNOWN
    is_tie = low <= np.uint64(1) and -4 <= exponent <= 23 and (mantissa & np.uint64(3)) == np.uint64(1)
    if is_tie and (mantissa << shift) == high:
        mantissa = mantissa - np.uint64(1)
    mantissa = (mantissa + (mantissa & np.uint64(1))) >> np.uint64(1)
    if mantissa >= np.uint64(1 << 53):
        mantissa = np.uint64(1 << 52)
        power += 1
    if power >= 2047:
        return UNKNOWN
    return (mantissa & np.uint64((1 << 52) - 1)) | (np.uint64(power) << np.uint64(52))


@compiled
def product(left: np.uint64, right: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The upper and the lower 64 bits of a product."""
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    a, b, c, d = left >> half, left & mask, right >> half, right & mask
    middle = (b * d >> half) + (a * d & mask) + b * c
    return a * c + (a * d >> half) + (middle >> half), (middle << half) | (b * d & mask)


def powers_of_five() -> Words:
    """128 bits of 5^q for q = −342 … 308, as two words each, upper first: cut off, but rounded up where −27 ≤ q < 0, as the proof
    needs it."""
    found: list[int] = []
    for power in range(LEAST_POWER, GREATEST_POWER + 1):
        five = 5 ** abs(power)
        if power >= 0:
            bits = five << 128
        elif power >= -27:
            bits = (1 << (five.bit_length() + 127)) // five + 1
        else:
            bits = (1 << (2 * five.bit_length() + 128)) // five + 1
        bits >>= bits.bit_length() - 128
        found += [bits >> 64, bits & ((1 << 64) - 1)]
    return np.array(found, dtype=np.uint64)
