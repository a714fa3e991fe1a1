"""Seals tell rows from others, and do not depend on the runs in which rows come."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetpy.runtime.sources import sealing
from duetpy.runtime.sources.sealing import Sealing, new_keys
from duetpy.runtime.sources.table import ColumnSpec, Kind, Table, no_texts

KEYS = new_keys()


def numbers(cells: np.ndarray) -> Table:
    columns = tuple(ColumnSpec(None, Kind.REAL) for _ in range(cells.shape[1]))
    return Table(columns, np.array(cells, order="F"), no_texts(len(cells)))


def texts(*words: str) -> Table:
    cells = np.array(words, dtype=np.object_).reshape(-1, 1)
    return Table((ColumnSpec("w", Kind.TEXT),), np.empty((len(words), 0)), cells)


def sealed(table: Table, cuts: Sequence[int] = (), places: Sequence[int] | None = None) -> list[Hashable]:
    """The seals of a table that comes in runs."""
    seals = Sealing(KEYS, places)
    found: list[Hashable] = []
    for start, stop in zip([0, *cuts], [*cuts, table.rows], strict=True):
        found += seals.add(table.slice(start, stop))
    return found + seals.rest()


def sums(seals: list[Any]) -> Any:
    """Those of one group of one column."""
    ((_, ((_, found),), _),) = seals
    return found


@given(
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 63)), min_size=1, max_size=4),
)
def test_bits_that_differ_are_seen(cells: list[float], flips: list[tuple[int, int]]) -> None:
    one = np.array(cells).reshape(-1, 1)
    other = one.copy()
    for at, bit in flips:
        other.view(np.uint64)[at % len(cells)] ^= np.uint64(1 << bit)
    is_same = one.tobytes() == other.tobytes()
    assert (sealed(numbers(one)) == sealed(numbers(other))) is is_same


def test_each_of_two_sums_misses_changes_that_the_other_one_sees() -> None:
    """The first misses half of all pairs of signs, and the other one half of all pairs of highest bits of lowest bytes."""
    cells = np.random.default_rng(0).standard_normal((1000, 1))
    for bit, place in ((63, 0), (7, 1)):
        missed = 0
        for at in range(500):
            changed = cells.copy()
            changed.view(np.uint64)[[at, at + 500]] ^= np.uint64(1 << bit)
            before, after = sums(sealed(numbers(cells))), sums(sealed(numbers(changed)))
            assert before != after
            missed += before[place] == after[place]
        assert 150 < missed < 350


@pytest.mark.parametrize("cuts", [[1], [5, 5, 9], [31, 32, 33], [64], [40, 70, 99]])
def test_where_runs_end_makes_no_difference(cuts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "ROWS_SEALED", 32)
    cells = np.random.default_rng(1).standard_normal((100, 3))
    assert len(sealed(numbers(cells))) == 4
    assert sealed(numbers(cells), cuts) == sealed(numbers(cells))
    words = texts(*(chr(0xE0 + at % 20) * (at % 4) + '",' * (at % 3) for at in range(100)))
    assert sealed(words, cuts) == sealed(words)


def test_rows_that_change_places_are_seen() -> None:
    cells = np.random.default_rng(1).standard_normal((90_000, 2))
    found = sealed(numbers(cells))
    assert found == sealed(numbers(cells.copy()))
    for one, other in ((0, 1), (5, 89_999), (32_767, 32_768), (0, 32_768), (1, 65_537)):
        swapped = cells.copy()
        swapped[[one, other]] = cells[[other, one]]
        assert sealed(numbers(swapped)) != found
    assert sealed(numbers(cells[:-1])) != found
    assert sealed(numbers(cells[:, ::-1])) != found
    assert sealed(numbers(cells[:, 1:])) == sealed(numbers(cells), places=[1])
    assert sealed(numbers(np.zeros((3, 1)))) != sealed(numbers(np.zeros((4, 1))))


def test_texts_are_told_apart() -> None:
    found = [
        str(sealed(texts(*each)))
        for each in (["ab", "c"], ["a", "bc"], ["a,b", "c"], ['a","b', "c"], ["abc"], ["ab", "c", ""])
    ]
    assert len(set(found)) == len(found)


def test_keys_are_new_each_time() -> None:
    assert (new_keys() != new_keys()).any(axis=1).all()
