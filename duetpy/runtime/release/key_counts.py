"""How many rows of a table have each key, where a row counts for a limited number of its keys.

Contract. What is counted of a row is a function of the row alone: not of its place in the table, nor of other rows. Naturals
are compared exactly, whatever their size; reals count as the nearest doubles, as in every set (`sort_key`), and a key is
released as what it is compared by. Of a row with too many keys those count that have the least SHA-256 of the whole row and the
key, and of days those of the least numbers that SplitMix64 makes of the SHA-256 of the row and the day: the same ones in every run,
and as good as drawn at random.

Time and memory grow with the number of rows, times the keys of one that count. What else is in the set of a row is looked at once;
of days that follow one another, which two cells of a row may make millions, many at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from heapq import nsmallest
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from duetpy.runtime.exact.rationals import Numbers, rounded
from duetpy.runtime.release.mechanisms import released
from duetpy.runtime.values.batching import Index, join, lane, sort_key, spread, take
from duetpy.runtime.values.day_spans import Days
from duetpy.runtime.values.hashes import mixed
from duetpy.runtime.values.values import (
    Apart,
    Dates,
    Injected,
    MatrixValue,
    Missing,
    MissingLanes,
    SetLanes,
    SetValue,
    Texts,
    Truths,
    Value,
)

T = TypeVar("T")

Counted: TypeAlias = list[tuple[Value, int]]
"""Keys in the order of `sort_key`, each with the number of rows that have it."""

DAYS_AT_ONCE = 1 << 13
"""Of so many days the numbers are computed at a time."""

USE, PARTS = b"duetpy keys 1\n", b"duetpy parallel 1\n"
"""What the hash of a row and a key is made for: no other choice is made by the same one."""


def counted(found: Value, table: MatrixValue, most: int, *, has_several: bool) -> Counted:
    """The keys that rows have, with how many rows each.

    Parameters
    ----------
    found
        For every row its key, or the set of its keys where it `has_several`; without lanes, the same for all.
    table
        The rows.
    most
        So many keys of a row count.
    """
    if not table.rows:
        return []
    laned = spread(found, table.rows)
    if not has_several:
        there, known = _known(laned, table.rows)
        codes, keys = _numbered(known, len(there))
        return _in_order(codes, keys)
    rows, codes, keys = _of_sets(laned, table, most, USE)
    return _in_order(codes[_within(rows, codes, keys, table, most, USE)], keys)


def in_parts(found: Value, table: MatrixValue, most: int, wanted: Sequence[Value]) -> list[Index]:
    """For each of some keys the rows that have it among theirs, in their order; a row is in the parts of `most` of these keys at
    most.

    Parameters
    ----------
    found
        For every row the set of its keys; without lanes, the same for all.
    """
    if not table.rows:
        return [np.empty(0, dtype=np.intp) for _ in wanted]
    places = {sort_key(key): place for place, key in enumerate(wanted)}
    asked = {sort_key(key): key for key in wanted}
    rows, codes, keys = _of_sets(spread(found, table.rows), table, most, PARTS, asked)
    place_of = np.array([places.get(sort_key(key), -1) for key in keys], dtype=np.intp)
    listed = np.flatnonzero(place_of[codes] >= 0)
    rows, codes = rows[listed], codes[listed]
    kept = np.sort(_within(rows, codes, keys, table, most, PARTS))
    rows, own = rows[kept], place_of[codes[kept]]
    return [rows[own == place] for place in range(len(wanted))]


def _known(laned: Value, lanes: int) -> tuple[Index, Value]:
    """The lanes whose key is not missing, and their keys."""
    match laned:
        case MissingLanes(is_there, held):
            there = np.flatnonzero(is_there)
            return there, take(held, there)
        case Apart(several):
            there = np.array([at for at, each in enumerate(several) if not isinstance(each, Missing)], dtype=np.intp)
            return there, laned if len(there) == lanes else Apart(tuple(several[at] for at in there.tolist()))
        case _:
            return np.arange(lanes), laned


def _in_order(codes: Index, keys: Sequence[Value]) -> Counted:
    """Numbered keys with how often each occurs; one that nobody has any more is left out."""
    numbers = np.bincount(codes, minlength=len(keys)).tolist()
    present = [(key, number) for key, number in zip(keys, numbers, strict=True) if number]
    return sorted(present, key=lambda each: sort_key(each[0]))


def _of_sets(
    laned: Value, table: MatrixValue, most: int, use: bytes, wanted: Mapping[object, Value] | None = None
) -> tuple[Index, Index, list[Value]]:
    """Every pair of a row and a key that it has, once, by row: the rows, the numbers of the keys, and the keys; where rows have
    sets of different sizes, no more than count."""
    owners: Index
    rows = table.rows
    match laned:
        case SetLanes(elements):
            owners = np.tile(np.arange(rows), len(elements))
            several: Value = join([spread(element, rows) for element in elements])
        case Apart(sets):
            each = _cut(
                [each.elements if isinstance(each, SetValue) else () for each in sets], table, most, use, wanted
            )
            owners = np.repeat(np.arange(rows), [len(elements) for elements in each])
            several = Apart(tuple(element for elements in each for element in elements))
        case _:
            raise AssertionError("the checker lets only sets through")
    there, known = _known(several, len(owners))
    owners = owners[there]
    codes, keys = _numbered(known, len(owners))
    pairs = np.unique(owners * max(1, len(keys)) + codes)
    return pairs // max(1, len(keys)), pairs % max(1, len(keys)), keys


def _cut(
    sets: list[Sequence[Value]], table: MatrixValue, most: int, use: bytes, wanted: Mapping[object, Value] | None
) -> list[Sequence[Value]]:
    """Of the keys in the set of each row those that count."""
    each = list(sets)
    long = np.flatnonzero([len(keys) > most for keys in each])
    for row, text in zip(long.tolist(), _rows_as_bytes(table, long), strict=True):
        each[row] = _that_count(each[row], most, use + text, wanted)
    return each


def _that_count(own: Sequence[Value], most: int, row: bytes, wanted: Mapping[object, Value] | None) -> Sequence[Value]:
    """Of the keys in the set of one row those that count, and none that is not wanted. Of days that follow one another, of which
    there may be millions, none is looked at by itself that is not wanted, if there are fewer of those."""
    days: Sequence[int]
    if isinstance(own, Days) and wanted is None:
        days = own.span
    elif isinstance(own, Days) and wanted is not None and len(wanted) < len(own):
        days = [day.toordinal() for day in wanted.values() if isinstance(day, date) and day in own]
    else:
        listed = (key for key in own if wanted is None or sort_key(key) in wanted)
        known = [key for key in listed if not isinstance(key, Missing)]
        days = [day.toordinal() for day in known if isinstance(day, date)]
        if not days:
            return _least(known, most, row, lambda key: encoded(released(key)))
    return [date.fromordinal(day) for day in _least_days(days, most, row).tolist()]


def _least(keys: Iterable[T], most: int, row: bytes, written: Callable[[T], bytes]) -> list[T]:
    """So many keys of one row: those of the least hashes, together with the row."""
    return nsmallest(most, keys, key=lambda key: hashlib.sha256(row + written(key)).digest())


def _least_days(days: Sequence[int], most: int, row: bytes) -> NDArray[np.int64]:
    """So many days of one row. Two of them never have the same number."""
    seed = np.array([int.from_bytes(hashlib.sha256(row).digest()[:8], "big")], dtype=np.uint64)
    found = np.empty(0, dtype=np.int64)
    for start in range(0, len(days), DAYS_AT_ONCE):
        part = days[start : start + DAYS_AT_ONCE]
        some = np.arange(part.start, part.stop) if isinstance(part, range) else np.array(part, dtype=np.int64)
        both = np.concatenate([found, some])
        found = both[np.argsort(mixed(seed, both.astype(np.uint64)))[:most]]
    return found


def _within(rows: Index, codes: Index, keys: Sequence[Value], table: MatrixValue, most: int, use: bytes) -> Index:
    """The places of the pairs that count: of a row with more than `most`, those of the least hashes."""
    has = np.bincount(rows, minlength=table.rows)
    left = np.flatnonzero(has[rows] <= most).tolist()
    long = np.flatnonzero(has > most)
    ends = np.cumsum(has)
    of_days = np.array([key.toordinal() for key in keys if isinstance(key, date)], dtype=np.int64)
    written = [encoded(key) for key in keys] if len(long) and not len(of_days) else []
    for row, text in zip(long.tolist(), _rows_as_bytes(table, long), strict=True):
        own = range(ends[row] - has[row], ends[row])
        if len(of_days):
            days = of_days[codes[own.start : own.stop]]
            left += (own.start + np.flatnonzero(np.isin(days, _least_days(days.tolist(), most, use + text)))).tolist()
        else:
            left += _least(own, most, use + text, lambda at: written[codes[at]])
    return np.array(left, dtype=np.intp)


def _rows_as_bytes(table: MatrixValue, rows: Index) -> Iterator[bytes]:
    """Some rows, each cell as bytes: of columns in which few values occur, each value is written once."""
    columns: list[list[bytes]] = []
    for at in range(table.width):
        codes, values = _numbered(spread(take(table.column(at), rows), len(rows)), len(rows))
        written = [encoded(value) for value in values]
        columns.append([written[code] for code in codes.tolist()])
    for at in range(len(rows)):
        yield b"".join([column[at] for column in columns])


# ---------------------------------------------------------------------------------------------------------------------
# Keys by numbers


def _numbered(laned: Value, lanes: int) -> tuple[Index, list[Value]]:
    """For every lane the number of its key, and the keys."""
    match laned:
        case Numbers() if not laned.is_natural or laned.doubles is not None:
            # Both zeros are one key. Naturals that are doubles are exactly these.
            doubles = rounded(laned) + 0.0
            found, codes = np.unique(doubles, return_inverse=True)
            known: list[Value] = [int(each) if laned.is_natural else Fraction(each) for each in found.tolist()]
            return codes.astype(np.intp).ravel(), known
        case Dates(days):
            found_days, of_days = np.unique(days, return_inverse=True)
            return of_days.astype(np.intp).ravel(), [date.fromordinal(day) for day in found_days.tolist()]
        case Truths(values):
            return values.astype(np.intp), [False, True]
        case Texts(texts):
            places: dict[str, int] = {}
            numbers = [places.setdefault(text, len(places)) for text in texts.tolist()]
            return np.array(numbers, dtype=np.intp), [str(text) for text in places]
        case tuple():
            left, firsts = _numbered(spread(laned[0], lanes), lanes)
            right, seconds = _numbered(spread(laned[1], lanes), lanes)
            both, places_of_both = np.unique(left * max(1, len(seconds)) + right, return_inverse=True)
            of_pairs: list[Value] = [(firsts[at // len(seconds)], seconds[at % len(seconds)]) for at in both.tolist()]
            return places_of_both.astype(np.intp).ravel(), of_pairs
        case _:
            return _one_by_one(laned, lanes)


def _one_by_one(laned: Value, lanes: int) -> tuple[Index, list[Value]]:
    places: dict[object, int] = {}
    keys: list[Value] = []
    codes = np.empty(lanes, dtype=np.intp)
    for at in range(lanes):
        key = released(lane(laned, at))
        codes[at] = places.setdefault(sort_key(key), len(keys))
        if codes[at] == len(keys):
            keys.append(key)
    return codes, keys


# ---------------------------------------------------------------------------------------------------------------------
# Rows and keys as bytes


def encoded(value: Value) -> bytes:
    """A value as bytes from which it can be read again: equal values have equal bytes, however they are stored."""
    match value:
        case bool():
            return b"t" if value else b"f"
        case int() | Fraction():
            number = Fraction(value)
            return b"%d/%d;" % (number.numerator, number.denominator)
        case str():
            text = value.encode("utf-8", "surrogatepass")
            return b"s%d:" % len(text) + text
        case date():
            return b"d%d;" % value.toordinal()
        case tuple():
            return b"(" + encoded(value[0]) + encoded(value[1])
        case SetValue(elements):
            return b"{%d:" % len(elements) + b"".join(map(encoded, elements))
        case Injected(is_left, held):
            return (b"l" if is_left else b"r") + encoded(held)
        case Missing():
            return b"-"
        case MatrixValue():
            cells = (lane(value.column(at), row) for at in range(value.width) for row in range(value.height))
            return b"m%d,%d:" % (value.height, value.width) + b"".join(map(encoded, cells))
        case _:
            raise AssertionError("no cell holds a function")
