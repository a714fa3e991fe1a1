"""Runs of rows, one below the other, wherever they were put when they were read."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from duetpy.runtime.sources.stacking import Ground, stacked

WHOLE: NDArray[np.float64] = np.arange(24.0).reshape(8, 3)


@pytest.mark.parametrize("said", [0, 5, 7, 8, 20])
@pytest.mark.parametrize("left_out", [None, 0, 4])
def test_rows_are_those_of_all_runs_however_many_there_were_said_to_be(said: int, left_out: int | None) -> None:
    ground, parts, expected, rows = Ground(said), [], [], 0
    for start, stop in ((0, 0), (0, 3), (3, 4), (4, 8)):
        some = WHOLE[start:stop]
        place = ground.place(rows, len(some), 3)
        numbers = np.empty(some.shape, order="F") if place is None else place
        numbers[:] = some
        if start == left_out and len(some):
            # A run of which rows are left out is a copy.
            some, numbers = some[1:], numbers[1:].copy()
        parts.append((numbers, np.full((len(some), 1), str(start), dtype=np.object_)))
        expected.append(some)
        rows += len(some)
    numbers, texts = stacked(parts, rows, ground.whole)
    assert numbers.tolist() == np.concatenate(expected).tolist()
    assert texts[:, 0].tolist() == ["0"] * len(expected[1]) + ["3"] + ["4"] * len(expected[3])
    assert not parts
    if said == rows:
        assert np.shares_memory(numbers, ground.whole), "what is in its place is not copied"
