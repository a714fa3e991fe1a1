"""The quick way through plain blocks of a CSV file: nothing but decimal numbers, the same count on every line.

Contract. :func:`parse_plain` either returns exactly what ``cells.py`` would make of the block, bit for bit, or None,
and then the block takes the slow way. That a block is plain is proved before a number is read: every byte is of the
grammar below, every two neighbouring bytes may follow each other, a number has at most one point and one exponent in
that order, and the line ends stand where the line ends belong.

    block = { number { separator number } ["\\r"] "\\n" }
    number = [sign] ( digits [ "." digits ] | "." digits ) [ ("e" | "E") [sign] digits ]
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.runtime.sources.cells import COMMA, LONGEST_NUMBER
from duetpy.runtime.sources.decimals import MOST_DIGITS, parse_decimals

_CLASSES = 8
_DIGIT, _SIGN, _POINT, _EXPONENT, _COMMA, _END, _OTHER = range(7)


def _class_table() -> bytes:
    table = bytearray([_OTHER] * 256)
    for spelled, member in ((b"0123456789", _DIGIT), (b"+-", _SIGN), (b".", _POINT), (b"eE", _EXPONENT)):
        for byte in spelled:
            table[byte] = member
    table[ord(",")], table[ord("\n")] = _COMMA, _END
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
        _DIGIT: (_DIGIT, _POINT, _EXPONENT, _COMMA, _END),
        _SIGN: (_DIGIT, _POINT),
        _POINT: (_DIGIT,),
        _EXPONENT: (_DIGIT, _SIGN),
        _COMMA: (_DIGIT, _SIGN, _POINT),
        _END: (_DIGIT, _SIGN, _POINT),
    }
)
# What may come next once digits and signs are left out: at most one point, then at most one exponent, in a number.
_MARKS = _pair_table(
    {
        _POINT: (_EXPONENT, _COMMA, _END),
        _EXPONENT: (_COMMA, _END),
        _COMMA: (_POINT, _EXPONENT, _COMMA, _END),
        _END: (_POINT, _EXPONENT, _COMMA, _END),
    }
)


@frozen(eq=False)
class PlainBlock:
    """The numbers of a plain block, and how they were spelled.

    Parameters
    ----------
    values
        Shape (lines, width), finite.
    lengths
        The number of characters of each, in the same shape.
    classes
        What each byte of the block is.
    separators
        The place of the comma or line end behind each number, in reading order.
    """

    values: NDArray[np.float64]
    lengths: NDArray[np.intp]
    classes: NDArray[np.uint8]
    separators: NDArray[np.intp]

    def digits_only(self) -> NDArray[np.bool_]:
        """Which numbers are spelled without sign, point and exponent, in the shape of the values."""
        decorations = np.flatnonzero((self.classes != _DIGIT) & (self.classes < _COMMA))
        result = np.ones(len(self.separators), dtype=np.bool_)
        result[np.searchsorted(self.separators, decorations)] = False
        return result.reshape(self.values.shape)


def parse_plain(block: bytes, width: int, separator: bytes = COMMA) -> PlainBlock | None:
    """Read a block of whole lines of ``width`` numbers each, or return None where it is not plain.

    Parameters
    ----------
    block
        Bytes that end in a line feed.
    width
        The number of numbers a line, at least 1.
    separator
        What stands between two numbers.
    """
    if separator != COMMA:
        if COMMA in block:
            return None
        block = block.replace(separator, COMMA)
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    classes = np.frombuffer(block.translate(_CLASS_OF_BYTE), dtype=np.uint8)
    if classes.max() == _OTHER or not _follow(classes, _NEIGHBOURS, _END):
        return None
    places = np.flatnonzero(classes > _SIGN)
    marks = classes[places]
    if not _follow(marks, _MARKS, _END):
        return None
    is_separator = marks >= _COMMA
    separators, kinds = places[is_separator], marks[is_separator]
    line_ends = kinds[width - 1 :: width]
    if len(kinds) % width or (line_ends != _END).any() or int((kinds == _END).sum()) != len(line_ends):
        return None
    lengths = np.diff(separators, prepend=-1) - 1
    if int(lengths.max()) > LONGEST_NUMBER:
        return None
    # The number to which a mark belongs is the count of separators before it.
    owners: NDArray[np.intp] = np.cumsum(is_separator) - is_separator
    values = _values(block, separators, lengths, places, marks, owners)
    if not np.isfinite(values).all():
        return None
    shape = (len(line_ends), width)
    return PlainBlock(values.reshape(shape), lengths.reshape(shape), classes, separators)


def _follow(classes: NDArray[np.uint8], allowed: NDArray[np.bool_], before: int) -> bool:
    """Whether every class may follow the one before it; ``before`` stands before the first."""
    first = bool(allowed[before * _CLASSES + int(classes[0])])
    return first and bool(allowed[classes[:-1] * np.uint8(_CLASSES) + classes[1:]].all())


def _values(
    block: bytes,
    separators: NDArray[np.intp],
    lengths: NDArray[np.intp],
    places: NDArray[np.intp],
    marks: NDArray[np.uint8],
    owners: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Every number: many at a time where it is short and has no exponent, else by ``float``."""
    points = separators.copy()
    is_point = marks == _POINT
    points[owners[is_point]] = places[is_point]
    values = parse_decimals(block, separators - lengths, points, separators)
    # A sign or point next to the digits only makes the guess stricter.
    is_long = lengths > MOST_DIGITS
    is_long[owners[marks == _EXPONENT]] = True
    for at in np.flatnonzero(is_long).tolist():
        end = int(separators[at])
        values[at] = float(block[end - int(lengths[at]) : end]) + 0.0
    return values
