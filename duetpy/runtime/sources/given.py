"""What a single value that somebody gives is: a number, a pair, or an open file. Nothing here raises, whatever the value does."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from io import IOBase
from numbers import Rational, Real

import numpy as np

from duetpy.grammar.dates import date_of
from duetpy.runtime.sources.array_cells import WORDS, is_askable, numbers_in, scalar
from duetpy.runtime.sources.table import ColumnSpec, Kind
from duetpy.settings import exact

MOST_BITS = 40_000
"""The most bits of a numerator or denominator. A number with more is bad, as a cell beyond all doubles is: exact computations with
it would have no bound in time or memory."""
_MOST_PLACES = 10_000
"""A decimal with a digit further from its point is not even written out: 2^40,000 has 12,042 digits, and the time that it takes to
make a fraction of a decimal grows with the square of the number of digits."""


def number_in(value: object) -> Fraction | None:
    """A finite number of any Python type, exactly; None for anything else."""
    try:
        value = scalar(value)
        if isinstance(value, Decimal):
            number = Fraction(value) if _is_near_its_point(value) else None
        elif not isinstance(value, Rational | Real) or isinstance(value, bool | np.timedelta64):
            number = None
        else:
            # A fraction may be finite and beyond all doubles.
            number = exact(value) if isinstance(value, Rational) else Fraction(float(value))
    except Exception:
        # ∞ and nan have no fraction, and a type of the caller's own may raise anything.
        return None
    is_short = number is not None and max(number.numerator.bit_length(), number.denominator.bit_length()) <= MOST_BITS
    return number if is_short else None


def _is_near_its_point(number: Decimal) -> bool:
    """Whether a decimal is finite, and its first and its last digit are within `_MOST_PLACES` of its point."""
    return number.is_finite() and max(abs(number.adjusted()), -int(number.as_tuple().exponent)) <= _MOST_PLACES


def date_in(value: object) -> date | None:
    """A day of Python or numpy, or the text that names one; None for anything else, and for a moment of a day."""
    if isinstance(value, str):
        return date_of(str.__str__(value))
    spec = ColumnSpec(None, Kind.DATE)
    cells, bad = numbers_in(np.fromiter([value], dtype=np.object_), spec)
    return None if bad[0] else date.fromordinal(int(cells[0]))


def pair_in(value: object) -> tuple[object, object] | None:
    """The two values of a pair; None for anything else. Bytes and arrays are no pairs, although Python takes some for sequences."""
    if not isinstance(value, Sequence) or isinstance(value, WORDS):
        return None
    try:
        first, second = value
    except Exception:
        # A type of the caller's own may raise anything.
        return None
    return first, second


def halves_of(value: object) -> tuple[object, object]:
    """The two values of a pair, or two that are missing: whether somebody's pair is one does not decide what it costs."""
    return pair_in(value) or (None, None)


def side_of(value: object) -> tuple[str, object]:
    """The side of a sum and what is on it; the left one, with a missing value, of anything else."""
    return side_in(value) or ("inl", None)


def side_in(value: object) -> tuple[str, object] | None:
    """The side of a sum and what is on it, given as ``("inl", value)`` or ``("inr", value)``; None for anything else."""
    word, held = (isinstance(value, tuple) and pair_in(value)) or ("", None)
    # An array compares entry by entry, and is asked nothing; a text of the caller's own type could be equal to anything.
    side = str.__str__(word) if is_askable(word) and isinstance(word, str) else ""
    return (side, held) if side in ("inl", "inr") else None


def is_open_file(value: object) -> bool:
    """Whether a value is an open file, or reads like one."""
    try:
        return isinstance(value, IOBase) or all(callable(getattr(value, word, None)) for word in ("read", "readline"))
    except Exception:
        # A type of the caller's own may raise anything.
        return False
