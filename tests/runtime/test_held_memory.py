"""Whose rows the memory of a table is: that of a file it is mapped from, and of a frame that keeps it."""

import os
import sys
from collections.abc import Callable
from ctypes import c_double
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from duetpy.runtime.release.run_costs import sources_of
from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import ONE

TABLE = t.Matrix(t.Norm.LINF, None, None, t.Uniform(ONE, t.DATA))


def source(value: object) -> Any:
    (found,) = sources_of("xs", value, TABLE)
    return found


HEADING = 128
"""Bytes before the cells of an array in a file."""


def mapped() -> Any:
    return np.memmap("x.npy", np.float64, "c", HEADING, (3,))


def without_a_name() -> Any:
    with os.fdopen(os.open("x.npy", os.O_RDONLY), "rb") as file:
        return np.memmap(file, np.float64, "r", HEADING, (3,))


def by_python() -> Any:
    with Path("x.npy").open("rb") as file:
        return np.frombuffer(mmap(file.fileno(), 0, access=ACCESS_READ), offset=HEADING)


MAPPED: dict[str, Callable[[], object]] = {
    "a view through another object": lambda: as_strided(mapped()),
    "windows": lambda: list(sliding_window_view(mapped(), 1)),
    "a pointer": lambda: np.ctypeslib.as_array((c_double * 3).from_buffer(mapped())),
    "a memory view": lambda: memoryview(mapped())[1:],
    "a file without a name": without_a_name,
    "a map of Python": by_python,
    "a table of Arrow": lambda: pa.table({"x": pa.array(mapped())}),
    "a frame of pandas": lambda: pd.DataFrame({"x": pd.Series(mapped(), copy=False)}, copy=False),
}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say which file is mapped where")
@pytest.mark.parametrize("way", MAPPED)
def test_memory_that_is_mapped_from_a_file_in_any_way_is_that_file(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("x.npy", "z.npy"):
        np.save(name, np.zeros(3))
    table = source(MAPPED[way]())
    assert table.is_same(source(np.load("x.npy", mmap_mode="r")))
    Path("x.npy").rename("y.npy")
    np.save("x.npy", np.zeros(3))
    assert table.is_same(source("y.npy"))
    assert source("y.npy").is_same(table)
    for other in ("z.npy", np.load("z.npy", mmap_mode="r"), np.load("y.npy")):
        assert not table.is_same(source(other))


TYPES = (
    "double[pyarrow]",
    "Float64",
    "Int64",
    "boolean",
    "category",
    "object",
    "datetime64[us]",
    "string[python]",
    "str",
)


@pytest.mark.parametrize("has_missing", [False, True])
@pytest.mark.parametrize("own", TYPES)
def test_a_missing_cell_does_not_say_whose_a_column_of_pandas_is(own: str, has_missing: bool) -> None:
    """NumPy gets a copy of most of them, and of some only if a cell is missing. What pandas keeps is the same."""

    def made() -> Any:
        cells = pd.Series(["a", "b", "c"] if own in ("string[python]", "str") else [0, 1, 1]).astype(own)
        return pd.DataFrame({"x": cells.where([True, True, not has_missing])})

    frame = made()
    for part in (frame.iloc[1:], frame.reset_index(drop=True), {"x": frame["x"].array}):
        assert source(frame).is_same(source(part))
        assert not source(made()).is_same(source(part))
