"""Millions of rows of a Parquet file, which are not kept: the same bits on threads and on Dask, in memory that does not grow."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import large

pytest.importorskip("pyarrow")
pytest.importorskip("distributed")

MOST = 250_000_000
"""Bytes in addition to an idle process; four million rows have 320 million, and ten million have 800 million."""

TURNS = 2
"""Of gradient descent: what the first turn kept would be there in the second."""


@pytest.mark.thorough("test_benchmarks.py::test_rows_that_are_made_when_they_are_asked_for_are_those_of_a_table")
@pytest.mark.parametrize("rows", [4 * 10**6, pytest.param(10**7, marks=pytest.mark.slow)])
def test_a_table_that_is_larger_than_the_memory_it_takes(rows: int, tmp_path: Path) -> None:
    source = str(large.written(tmp_path, rows))
    for program in large.PROGRAMS:
        threads, dask = (large.apart(program, source, engine, TURNS) for engine in ("threads", "dask"))
        assert threads["digest"] == dask["digest"], program
        assert max(threads["bytes"], dask["bytes"]) < MOST, program
