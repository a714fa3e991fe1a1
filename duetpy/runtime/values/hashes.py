"""A number for what stands in a cell, the same in every run and on every machine, that looks drawn at random."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from duetpy.runtime.exact.linear_forms import with_doubles
from duetpy.runtime.exact.rationals import Numbers, places_of
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
            known = {text: of_text(text) for text in set(texts.tolist())}
            return np.fromiter((known[text] for text in texts.tolist()), np.uint64, len(texts))
        case Truths(truths):
            return truths.astype(np.uint64)
        case Dates(days):
            return days.astype(np.uint64)
        case Numbers():
            doubles, is_between = with_doubles(column)
            # There are two zeros among doubles, which are one number.
            found = np.ascontiguousarray(doubles + 0.0).view(np.uint64)
            for at in places_of(is_between):
                found[at] = of_number(column.exactly(at))
            return found
        case _:
            raise AssertionError("the checker lets only plain cells through")


def of_text(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")


def of_number(number: Fraction) -> int:
    """Of a number that is a double, what stands in it."""
    try:
        double = float(number)
    except OverflowError:
        return of_text(str(number))
    return int(np.float64(double + 0.0).view(np.uint64)) if Fraction(double) == number else of_text(str(number))
