"""The order of rows by what is in them, of all lanes at once.

Rows are compared column after column: numbers by their size, texts character by character, days as they follow one another, and
what is missing before all else. So rows that compare as equal are the same row, and the order is a function of which rows there
are, and how often.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duetpy.runtime.exact.rationals import Numbers, plain, rounded
from duetpy.runtime.values.batching import evolve_matrix, slice_rows, take_rows
from duetpy.runtime.values.slices import Slices
from duetpy.runtime.values.values import Apart, Dates, MatrixValue, MissingLanes, Ragged, Texts, Truths, Value

Index = NDArray[np.intp]
Keys = NDArray[np.generic]


def together(slices: Slices) -> tuple[MatrixValue, Index]:
    """The rows of all lanes, one lane after another, and for each of them its lane."""
    lengths = slices.ends - slices.starts
    owners = np.repeat(np.arange(len(slices)), lengths).astype(np.intp)
    if len(slices) and bool((slices.starts[1:] == slices.ends[:-1]).all()):
        return slice_rows(slices.rows, int(slices.starts[0]), int(slices.ends[-1])), owners
    first = np.cumsum(lengths) - lengths
    places = (np.arange(len(owners)) + np.repeat(slices.starts - first, lengths)).astype(np.intp)
    return evolve_matrix(slices.rows, take_rows(slices.rows.store, places), len(places), None), owners


def rows_by_lane(table: Value) -> tuple[MatrixValue, Index, int | None]:
    """The rows of a table, or of those of all lanes, for each row its lane, and how many lanes there are."""
    match table:
        case MatrixValue(lanes=None):
            rows = table.settle()
            return rows, np.zeros(rows.rows, dtype=np.intp), None
        case MatrixValue():
            owners = np.repeat(np.arange(table.lanes or 0), table.rows).astype(np.intp)
            return evolve_matrix(table, table.store, table.height, None), owners, table.lanes
        case Apart(Slices() as slices):
            return (*together(slices), len(slices))
        case _:
            raise Ragged


def kept_rows(rows: MatrixValue, owners: Index, lanes: int | None, kept: Index) -> Value:
    """Of the rows of all lanes those at some places, which ascend."""
    return by_lane(evolve_matrix(rows, take_rows(rows.store, kept), len(kept), None), owners[kept], lanes)


def by_lane(table: MatrixValue, owners: Index, lanes: int | None) -> Value:
    """A table whose rows are those of lanes, one lane after another; `owners` has the lane of each row."""
    if lanes is None:
        return table
    ends = np.cumsum(np.bincount(owners, minlength=lanes)).astype(np.intp)
    starts = np.concatenate([np.zeros(1, dtype=np.intp), ends[:-1]])[: len(ends)]
    return Apart(Slices(table, starts, ends, slice_rows), slice_rows(table, 0, 0))


def numbered(cells: Keys, listed: Keys | None = None) -> tuple[Keys, NDArray[np.intp]]:
    """Different cells in their order, or those that are listed, and for each cell its place among these."""
    if listed is not None and listed.dtype != np.object_:
        # Numbers in a set are in their order.
        return listed, np.searchsorted(listed, cells).astype(np.intp)
    if cells.dtype != np.object_:
        found, places = np.unique(cells, return_inverse=True)
        return found, places.astype(np.intp).ravel()
    texts: list[str] = cells.tolist()
    known: list[str] = sorted(set(texts)) if listed is None else listed.tolist()
    place = {text: at for at, text in enumerate(known)}
    # An array of texts compares them one by one, which takes several times as long.
    return np.array(known, dtype=np.object_), np.fromiter(map(place.__getitem__, texts), np.intp, len(texts))


def sorted_by(keys: Sequence[NDArray[Any]]) -> NDArray[np.intp]:
    """The order of rows by several keys, the first one first; rows that are equal in all of them are the same.

    Whole numbers that follow one another are one key, which is sorted once, as long as 64 bits hold them together and a place.
    """
    rows = len(keys[0])
    joined: list[NDArray[Any]] = []
    kinds: list[int] = []
    for key in keys:
        most = int(key.max(initial=0)) + 1 if key.dtype.kind in "biu" and int(key.min(initial=0)) >= 0 else 0
        if most and kinds and kinds[-1] and kinds[-1] * most * rows < 1 << 62:
            joined[-1], kinds[-1] = joined[-1] * most + key, kinds[-1] * most
        else:
            joined.append(key.astype(np.int64) if most else key)
            kinds.append(most)
    # Of the keys of `lexsort` the last one is the first.
    order = np.lexsort(joined[:0:-1]) if len(joined) > 2 else np.argsort(joined[-1]) if joined[1:] else np.arange(rows)
    if not kinds[0] or kinds[0] * rows >= 1 << 62:
        return order[np.argsort(joined[0][order], kind="stable")].astype(np.intp)
    # No two are equal, so that any sort keeps the order of what is equal in the first key.
    found = np.sort(joined[0][order] * rows + np.arange(rows))
    sorted_: NDArray[np.intp] = order[found % max(rows, 1)].astype(np.intp)
    return sorted_


def sort_keys(column: Value) -> list[Keys]:
    """Arrays by which the cells of a column are ordered: equal cells are equal in all of them, and no others."""
    match column:
        case MissingLanes(is_there, held):
            return [is_there, *(np.where(is_there, key, 0) for key in sort_keys(held))]
        case Texts(texts):
            return [numbered(texts)[1]]
        case Truths(truths):
            return [truths]
        case Dates(days):
            return [days]
        case Numbers() as numbers:
            if numbers.doubles is None:
                exact = numbers.fractions().tolist()
                place = {number: at for at, number in enumerate(sorted(set(exact)))}
                return [np.fromiter(map(place.__getitem__, exact), np.intp, len(exact))]
            return [numbers.doubles + 0.0]
        case _:
            raise Ragged


def begins(keys: list[Keys], order: Index) -> NDArray[np.bool_]:
    """Of rows in order, whether each differs from the one before."""
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = np.any([key[order[1:]] != key[order[:-1]] for key in keys], axis=0)
    return begins


def doubles(column: Value) -> Value:
    """A column with numbers of 𝔻 as the doubles next to them, as which they are compared."""
    match column:
        case MissingLanes(is_there, held):
            found = doubles(held)
            return column if found is held else MissingLanes(is_there, found)
        case Numbers(is_natural=False) if column.doubles is None:
            return plain(rounded(column))
        case _:
            return column
