"""The quick way through plain columns of a CSV file: nothing but decimal numbers.

Contract. :func:`parse_plain` either returns exactly what ``cells.py`` would make of the cells, bit for bit, or None,
and then they are read one by one. That a column is plain is proved before a number is read: every byte is of the
grammar below, every two neighbouring bytes may follow each other, and a number has at most one point and one exponent in
that order.

    column = { number "\\n" }
    number = [sign] ( digits [ "." digits ] | "." digits ) [ ("e" | "E") [sign] digits ]
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.runtime.sources.cells import LONGEST_NUMBER
from duetpy.runtime.sources.decimals import MOST_DIGITS, parse_decimals

_CLASSES = 8
_DIGIT, _SIGN, _POINT, _EXPONENT, _END, _OTHER = range(6)


def _class_table() -> bytes:
    table = bytearray([_OTHER] * 256)
    for spelled, member in ((b"0123456789", _DIGIT), (b"+-", _SIGN), (b".", _POINT), (b"eE", _EXPONENT)):
        for byte in spelled:
            table[byte] = member
    table[ord("\n")] = _END
    return bytes(table)


def _pair_table(followers: dict[int, tuple[int, ...]]) -> NDArray[np.bool_]:
    """Which class may follow which, indexed by 8·first + second."""
    table = np.zeros(_CLASSES * _CLASSES, dtype=np.bool_)
    for first, seconds in followers.items():
        for second in seconds:
            table[first * _CLASSES + second] = True
    return table


_CLASS_OF_BYTE = _class_table()

_NEIGHBOURS = _pair_table(
    {
        _DIGIT: (_DIGIT, _POINT, _EXPONENT, _END),
        _SIGN: (_DIGIT, _POINT),
        _POINT: (_DIGIT,),
        _EXPONENT: (_DIGIT, _SIGN),
        _END: (_DIGIT, _SIGN, _POINT),
    }
)
# What may come next once digits and signs are left out: at most one point, then at most one exponent, in a number.
_MARKS = _pair_table(
    {
        _POINT: (_EXPONENT, _END),
        _EXPONENT: (_END,),
        _END: (_POINT, _EXPONENT, _END),
    }
)


@frozen(eq=False)
class PlainColumn:
    """The numbers of a plain column, and how they were spelled.

    Parameters
    ----------
    values
        Finite.
    lengths
        The number of characters of each.
    digits_only
        Whether every number is spelled without sign, point and exponent.
    """

    values: NDArray[np.float64]
    lengths: NDArray[np.intp]
    digits_only: bool


def parse_plain(cells: bytes) -> PlainColumn | None:
    """Read cells, each with a line feed behind it, or return None where they are not plain."""
    classes = np.frombuffer(cells.translate(_CLASS_OF_BYTE), dtype=np.uint8)
    if classes.max() == _OTHER or not _follow(classes, _NEIGHBOURS, _END):
        return None
    places = np.flatnonzero(classes > _SIGN)
    marks = classes[places]
    if not _follow(marks, _MARKS, _END):
        return None
    is_end = marks == _END
    ends = places[is_end]
    lengths = np.diff(ends, prepend=-1) - 1
    if int(lengths.max()) > LONGEST_NUMBER:
        return None
    # The number to which a mark belongs is the count of ends before it.
    owners: NDArray[np.intp] = np.cumsum(is_end) - is_end
    values = _values(cells, ends, lengths, places, marks, owners)
    if not np.isfinite(values).all():
        return None
    return PlainColumn(values, lengths, bool(len(marks) == len(ends) and not (classes == _SIGN).any()))


def _follow(classes: NDArray[np.uint8], allowed: NDArray[np.bool_], before: int) -> bool:
    """Whether every class may follow the one before it; ``before`` stands before the first."""
    first = bool(allowed[before * _CLASSES + int(classes[0])])
    return first and bool(allowed[classes[:-1] * np.uint8(_CLASSES) + classes[1:]].all())


def _values(
    cells: bytes,
    ends: NDArray[np.intp],
    lengths: NDArray[np.intp],
    places: NDArray[np.intp],
    marks: NDArray[np.uint8],
    owners: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Every number: many at a time where it is short and has no exponent, else by ``float``."""
    points = ends.copy()
    is_point = marks == _POINT
    points[owners[is_point]] = places[is_point]
    values = parse_decimals(cells, ends - lengths, points, ends)
    # A sign or point next to the digits only makes the guess stricter.
    is_long = lengths > MOST_DIGITS
    is_long[owners[marks == _EXPONENT]] = True
    for at in np.flatnonzero(is_long).tolist():
        end = int(ends[at])
        values[at] = float(cells[end - int(lengths[at]) : end]) + 0.0
    return values
