"""A number for what stands in a cell, the same in every run and on every machine, that looks drawn at random."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from duetpy.runtime.exact.rationals import Numbers
from duetpy.runtime.values.values import Dates, MissingLanes, Texts, Truths, Value

Hashes: TypeAlias = NDArray[np.uint64]

NOTHING = np.uint64(0x6E6F6E65)
"""Of a cell that is missing."""


def mixed(state: Hashes, cells: Hashes) -> Hashes:
    """What was seen before and one cell more (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014)."""
    bits = state * np.uint64(0x9E3779B97F4A7C15) + cells + np.uint64(0x632BE59BD9B4E019)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def hashed(column: Value) -> Hashes:
    """A number for each cell of a column: equal cells have equal ones, however they are kept."""
    match column:
        case MissingLanes(is_there, held):
            return np.where(is_there, hashed(held), NOTHING)
        case Texts(texts):
            return _of_each(texts.tolist(), of_text)
        case Truths(truths):
            return truths.astype(np.uint64)
        case Dates(days):
            return days.astype(np.uint64)
        case Numbers():
            doubles = column.doubles
            if doubles is None:
                return _of_each(column.fractions().tolist(), of_number)
            # There are two zeros among doubles, which are one number.
            return np.ascontiguousarray(doubles + 0.0).view(np.uint64)
        case _:
            raise AssertionError("the checker lets only plain cells through")


def _of_each(cells: list[str] | list[Fraction], number: Callable[..., int]) -> Hashes:
    known = {cell: number(cell) for cell in set(cells)}
    return np.fromiter((known[cell] for cell in cells), np.uint64, len(cells))


def of_text(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")


def of_number(number: Fraction) -> int:
    """Of a number that is a double, what stands in it."""
    try:
        double = float(number)
    except OverflowError:
        return of_text(str(number))
    return int(np.float64(double + 0.0).view(np.uint64)) if Fraction(double) == number else of_text(str(number))
