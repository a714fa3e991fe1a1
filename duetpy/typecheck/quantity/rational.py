"""Exact rational numbers: size limits, powers, roots and factors.

A :data:`Number` is an ``int`` wherever it is whole and a ``Fraction`` otherwise (the two compare and hash alike, and
the first is several times faster). Plain ``/`` and ``**`` on it could give a float, so they are written here once and
nowhere else. Nothing here takes long: a number past the size limits raises :class:`QuantityTooLarge`.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache, lru_cache
from math import isqrt, log2

Number = int | Fraction

#: Numerator and denominator of a coefficient stay below 2 to this power, about 10^±2466.
NUMBER_BITS = 8192
#: Numerator and denominator of an exponent stay below 2 to this power.
EXPONENT_BITS = 1024
#: Primes below this are found by trial division; what is left of a number after them is kept whole under its root.
TRIAL_BOUND = 4096


class QuantityError(ArithmeticError):
    """A quantity that cannot be formed."""


class QuantityTooLarge(QuantityError):
    """The exact form of a quantity would pass a size limit (digits, terms, nesting)."""


class OutsideDomain(QuantityError, ValueError):
    """A value that is not a non-negative real, or that a variable of its kind cannot take."""


def tidy(value: Number) -> Number:
    """The same number, an ``int`` when whole; raises :class:`QuantityTooLarge` past the size limit."""
    top, bottom = value.numerator, value.denominator
    if top.bit_length() > NUMBER_BITS or bottom.bit_length() > NUMBER_BITS:
        raise QuantityTooLarge(f"a number of more than {NUMBER_BITS} bits")
    return top if bottom == 1 else value


def tidy_exponent(value: Number) -> Number:
    """The same exponent, an ``int`` when whole; raises :class:`QuantityTooLarge` past the size limit."""
    top, bottom = value.numerator, value.denominator
    if top.bit_length() > EXPONENT_BITS or bottom.bit_length() > EXPONENT_BITS:
        raise QuantityTooLarge(f"an exponent of more than {EXPONENT_BITS} bits")
    return top if bottom == 1 else value


def quotient(top: Number, bottom: Number) -> Number:
    """``top / bottom``, exactly."""
    return tidy(Fraction(top, bottom))


def whole_power(base: Number, exponent: int) -> Number:
    """``base ** exponent`` for a whole exponent of either sign, exactly; ``base`` is positive."""
    if base == 1 or exponent == 0:
        return 1
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if (bits - 1) * abs(exponent) > NUMBER_BITS:
        raise QuantityTooLarge(f"a number of more than {NUMBER_BITS} bits")
    return tidy(Fraction(base) ** exponent)


def parse_decimal(text: str) -> Fraction:
    """The number that a decimal literal such as ``0.02``, ``1e-6`` or ``1_000`` spells, exactly."""
    if len(text) > NUMBER_BITS:
        raise QuantityTooLarge(f"a number of more than {NUMBER_BITS} bits")
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise OutsideDomain(f"{text!r} is not a decimal number") from None
    if not value.is_finite():
        raise OutsideDomain(f"{text!r} is not a decimal number")
    if value and abs(value.adjusted()) > NUMBER_BITS:
        raise QuantityTooLarge(f"a number of more than {NUMBER_BITS} bits")
    return Fraction(value)


def integer_root(value: int, degree: int) -> int:
    """The largest integer whose ``degree``-th power is at most ``value`` (≥ 0)."""
    if degree == 2:
        return isqrt(value)
    if value.bit_length() <= degree:
        return min(value, 1)
    # The float logarithm gives nine digits; rounded up, it starts Newton's iteration above the root and next to it,
    # from where it decreases until it has passed the root.
    shift = max(value.bit_length() - 64, 0)
    whole, part = divmod((log2(value >> shift) + shift) / degree, 1)
    guess = (((int(2**part * (1 << 60)) + (1 << 30)) << int(whole)) >> 60) + 2
    while True:
        better = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def exact_root(value: Number, degree: int) -> Number | None:
    """The rational ``degree``-th root of a non-negative number, or None where it is irrational."""
    top = integer_root(value.numerator, degree)
    if top**degree != value.numerator:
        return None
    bottom = integer_root(value.denominator, degree)
    return tidy(Fraction(top, bottom)) if bottom**degree == value.denominator else None


@cache
def small_primes() -> tuple[int, ...]:
    """The primes below :data:`TRIAL_BOUND`."""
    sieve = bytearray([1]) * TRIAL_BOUND
    sieve[0] = sieve[1] = 0
    for number in range(2, isqrt(TRIAL_BOUND) + 1):
        if sieve[number]:
            sieve[number * number :: number] = bytes(len(range(number * number, TRIAL_BOUND, number)))
    return tuple(number for number in range(TRIAL_BOUND) if sieve[number])


@lru_cache(maxsize=2048)
def factors(value: int) -> tuple[tuple[int, int], ...]:
    """``value`` (≥ 1) as a product of powers of bases: small primes, and at most one base with no small factor.

    The last base is prime when it is below ``TRIAL_BOUND ** 2``; above, it is only known to be no perfect power.
    """
    found: list[tuple[int, int]] = []
    for prime in small_primes():
        if prime * prime > value:
            break
        times = multiplicity(value, prime)
        if times:
            found.append((prime, times))
            value //= prime**times
    if value > 1:
        found.append(_largest_power(value))
    return tuple(found)


def multiplicity(value: int, base: int) -> int:
    """How often ``base`` (≥ 2) divides ``value`` (≥ 1)."""
    times = 0
    while value % base == 0:
        value //= base
        times += 1
    return times


def _largest_power(value: int) -> tuple[int, int]:
    """``(base, times)`` with ``base ** times == value`` and ``times`` as large as can be; no factor below the bound."""
    if value < TRIAL_BOUND * TRIAL_BOUND:
        return value, 1
    times, searching = 1, True
    while searching:
        searching = False
        for prime in small_primes():
            if value.bit_length() < prime * (TRIAL_BOUND.bit_length() - 1):
                break
            base = integer_root(value, prime)
            if base**prime == value:
                value, times, searching = base, times * prime, True
                break
    return value, times
