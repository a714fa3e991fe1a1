"""Columns of Arrow, pandas and Polars of which a library has no value for one cell: only that cell is a bad one."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from attrs import evolve

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources import array_cells
from duetpy.runtime.sources.arrays import from_arrays, outline_arrays
from duetpy.runtime.sources.files import read_file
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.table import ColumnSpec, Kind

NAME = ColumnSpec("name", Kind.TEXT, default="nobody")
DEFAULT = Reading(on_bad_row="default")


def with_a_third(cell: bytes) -> pa.Array:
    """Two texts and a cell that is to be one: Arrow does not look at the bytes of texts before it needs them."""
    ends = np.cumsum([0, 1, 1, len(cell)], dtype=np.int32)
    return pa.Array.from_buffers(pa.string(), 3, [None, pa.py_buffer(ends.tobytes()), pa.py_buffer(b"xy" + cell)])


def in_parquet(column: pa.Array, path: str) -> None:
    pyarrow.parquet.write_table(pa.table({"name": column}), path)


def in_arrow(column: pa.Array, path: str) -> None:
    pyarrow.feather.write_feather(pa.table({"name": column}), path, compression="uncompressed")


def encoded(column: pa.Array) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), column)


class Backed:
    """Stands for a Series of pandas whose cells lie in Arrow: it has labels, and an array that is asked by places."""

    def __init__(self, cells: pa.Array) -> None:
        self.array = cells

    def __len__(self) -> int:
        return len(self.array)

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return np.asarray(self.array)

    def __getitem__(self, label: object) -> object:
        raise KeyError(label)

    def __iter__(self) -> Iterator[object]:
        return iter(self.array.to_pylist())


class Panic(BaseException):
    """What a library in Rust raises is no `Exception`."""


class Panicking:
    """Stands for a Series of Polars, which panics for a text whose bytes are not UTF-8."""

    def __init__(self, cells: pa.Array) -> None:
        self.cells = cells

    def __len__(self) -> int:
        return len(self.cells)

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        try:
            return np.asarray(self.cells)
        except UnicodeDecodeError:
            raise Panic from None

    def __getitem__(self, at: int) -> object:
        try:
            return self.cells[at].as_py()
        except UnicodeDecodeError:
            raise Panic from None

    def __iter__(self) -> Iterator[object]:
        return map(self.__getitem__, range(len(self)))


FORMS: list[Callable[[pa.Array], object]] = [
    lambda column: {"name": column},
    lambda column: pa.table({"name": column}),
    lambda column: {"name": pa.chunked_array([column[:1], column[1:]])},
    lambda column: {"name": encoded(column)},
    lambda column: {"name": Backed(column)},
    lambda column: {"name": Panicking(column)},
]


@pytest.mark.parametrize("form", FORMS)
def test_bytes_that_are_no_text_are_one_bad_cell(form: Callable[[pa.Array], object]) -> None:
    """One row made defaults of all the others."""
    for cell, found in ((b"z", "z"), (b"\xff", "nobody"), (b"\xed\xa0\x80", "nobody")):
        table = from_arrays(form(with_a_third(cell)), (NAME,), on_bad_row="default")
        assert table.column(0).tolist() == ["x", "y", found]
    with pytest.raises(DuetError) as caught:
        from_arrays(form(with_a_third(b"\xff")), (NAME,))
    (found,) = caught.value.diagnostics
    assert (found.code, found.where) == ("D0604", "the data, row 3, column 'name'")


def test_one_bad_cell_has_no_others_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """pandas refuses the whole column for it, and asking it for one cell after another takes many times as long."""
    monkeypatch.setattr(array_cells, "one_by_one", None)
    texts = with_a_third(b"\xff")
    for column in (texts, texts.cast(pa.large_string(), safe=False), encoded(texts)):
        frame = pd.DataFrame({"name": pd.Series(pd.arrays.ArrowExtensionArray(column))})
        assert from_arrays(frame, (NAME,), on_bad_row="default").column(0).tolist() == ["x", "y", "nobody"]
    days = pa.array([0, 4_000_000, None, 1], pa.int32()).view(pa.date32())
    frame = pd.DataFrame({"day": pd.Series(pd.arrays.ArrowExtensionArray(days))})
    found = from_arrays(frame, (ColumnSpec("day", Kind.DATE, missing=frozenset()),), on_bad_row="default").column(0)
    assert np.array_equal(found, [719_163.0, np.nan, np.nan, 719_164.0], equal_nan=True)


@pytest.mark.parametrize(("ending", "write"), [("parquet", in_parquet), ("arrow", in_arrow)])
def test_so_it_is_in_files(ending: str, write: Callable[[pa.Array, str], None], tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(with_a_third(b"\xff"), f"people.{ending}")
    assert read_file(f"people.{ending}", (NAME,), None, DEFAULT, None).column(0).tolist() == ["x", "y", "nobody"]


@pytest.mark.parametrize("type_", [pa.binary(), pa.large_binary(), pa.binary(1), pa.binary_view()])
def test_a_column_of_bytes_is_no_column_of_texts(type_: pa.DataType) -> None:
    """Of texts among which one cell is bytes Arrow and Polars make a column of bytes: none of them was a text any more."""
    assert pa.array(["x", "y", b"z"]).type == pa.binary()
    for rule in ("refuse", "default"):
        with pytest.raises(DuetError) as caught:
            from_arrays({"name": pa.array([b"x", b"y"], type_)}, (NAME,), on_bad_row=rule)
        assert [each.code for each in caught.value.diagnostics] == ["D0618"]


AGE = ColumnSpec("x", Kind.REAL, default=40)
DAY = ColumnSpec("x", Kind.DATE, missing=frozenset({b""}))
TEXTS_OF_PANDAS: dict[str, object] = {
    "str": "str",
    "string": "string",
    "texts of Arrow": pd.ArrowDtype(pa.string()),
    "texts that Arrow numbers": pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())),
    "categories": pd.CategoricalDtype(pd.Index(["1", "NY"], dtype="str")),
}


class Words:
    """Stands for a Series of Polars of texts: its type says so, and numpy has objects for it."""

    def __init__(self, cells: list[str | None], dtype: str) -> None:
        self.cells, self.dtype = cells, dtype

    def __len__(self) -> int:
        return len(self.cells)

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return np.array(self.cells, dtype=object)


class Padded(Words):
    """Of these, a Series of Polars: numpy has texts of its own for it if no cell is missing, and they end where a NUL ends them."""

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return np.array(self.cells, dtype="U" if dtype is None and None not in self.cells else object)


PADDED: dict[str, Callable[[list[str | None]], object]] = {
    "stand-in": lambda cells: Padded(cells, "String"),
    "polars": lambda cells: pytest.importorskip("polars").Series(cells),
    "pandas": lambda cells: pd.Series(cells, dtype="str"),
    "arrow": pa.array,
}


@pytest.mark.parametrize("column", PADDED.values(), ids=PADDED)
def test_a_missing_text_changes_no_other(column: Callable[[list[str | None]], object]) -> None:
    """Of Polars one missing cell decided whether all the others kept a NUL at their ends."""
    for cell, found in (("NY", "NY"), (None, "nobody"), ("\0", "\0")):
        table = from_arrays({"name": column(["a\0", "\0", cell])}, (NAME,), on_bad_row="default")
        assert table.column(0).tolist() == ["a\0", "\0", found]


TEXTS = [
    *(lambda cells, dtype=dtype: pd.Series(cells, dtype=dtype) for dtype in TEXTS_OF_PANDAS.values()),
    *(lambda cells, dtype=dtype: Words(cells, dtype) for dtype in ("String", "Categorical", "Enum(categories=['1'])")),
]


@pytest.mark.parametrize("column", TEXTS, ids=[*TEXTS_OF_PANDAS, "String", "Categorical", "Enum"])
@pytest.mark.parametrize("declared", [AGE, DAY])
def test_a_type_of_texts_decides_whatever_the_cells_are(
    column: Callable[[list[str | None]], object], declared: ColumnSpec
) -> None:
    """One text decided whether the column was refused, and that after the charge: with missing cells alone it was read."""
    for cells in ([], [None, None], ["1", None], ["NY", "1"]):
        given = {"x": column(cells)}
        for look in (
            lambda given=given: outline_arrays(given, (declared,), "people", None),
            lambda given=given: from_arrays(given, (declared,), on_bad_row="default"),
        ):
            with pytest.raises(DuetError) as caught:
                look()
            assert [each.code for each in caught.value.diagnostics] == ["D0618"]
        text = ColumnSpec("x", Kind.TEXT, default="nobody")
        assert from_arrays(given, (text,), on_bad_row="default").column(0).tolist() == [
            "nobody" if cell is None else cell for cell in cells
        ]


@pytest.mark.parametrize("type_", [pa.decimal128(4, 2), pa.dictionary(pa.int8(), pa.int64())])
@pytest.mark.parametrize("cells", [[], [None, None], [1, None]])
def test_a_type_of_numbers_that_only_arrow_has_decides_too(type_: pa.DataType, cells: list[int | None]) -> None:
    given = {"x": pd.Series(cells, dtype=pd.ArrowDtype(type_))}
    for wrong in (NAME, DAY):
        with pytest.raises(DuetError) as caught:
            outline_arrays(given, (evolve(wrong, name="x"),), "people", None)
        assert [each.code for each in caught.value.diagnostics] == ["D0618"]
    assert from_arrays(given, (AGE,), on_bad_row="default").column(0).tolist() == [
        40.0 if cell is None else cell for cell in cells
    ]


HALF = "\ud83d"
HALVES: dict[str, Callable[[list[str]], object]] = {
    "rows": lambda cells: [(cell,) for cell in cells],
    "columns": lambda cells: {"name": cells},
    "texts of numpy": lambda cells: {"name": np.array(cells)},
    "objects of numpy": lambda cells: {"name": np.array(cells, dtype=object)},
    "pandas": lambda cells: pd.DataFrame({"name": pd.Series(cells, dtype=object)}),
}


@pytest.mark.parametrize("form", HALVES.values(), ids=HALVES)
def test_half_a_character_is_no_text(form: Callable[[list[str]], object]) -> None:
    """No file can hold it, and none could be written of it: a release that showed it as a key raised from `to_pandas`."""
    cells = ["x", "é", f"a{HALF}", "\U0001f600"]
    table = from_arrays(form(cells), (NAME,), on_bad_row="default")
    assert table.column(0).tolist() == ["x", "é", "nobody", "\U0001f600"]
    assert from_arrays(form(cells), (NAME,), on_bad_row="drop").column(0).tolist() == ["x", "é", "\U0001f600"]
    with pytest.raises(DuetError) as caught:
        from_arrays(form(cells), (NAME,))
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == ("D0604", "not a text")
    assert str(found.where).startswith("the data, row 3, column ")


def test_nor_is_it_one_by_itself_or_in_a_set() -> None:
    for text, value in (("sλ a : 𝕊 ⇒ a", HALF), ("sλ a : ℘(𝕊) ⇒ a", {"x", HALF})):
        with pytest.raises(DuetError) as caught:
            duetpy.evaluate(text, a=value)
        assert [each.code for each in caught.value.diagnostics] == ["D0611"]
    checked = duetpy.parse('pλ a : 𝐝 𝕊 ⇒ laplace[1, 1.0] <a> { if a ≡ disc "" then 1.0 else 0.0 }', "eps").check()
    assert checked.run(a=HALF, _on_bad_row="default", _insecure_noise="none").result == 1.0


CHOSEN: dict[str, object] = {
    "texts": pa.array(["a"]),
    "bytes": pa.array([b"a"]),
    "lists": pa.array([[1]]),
    "moments": pa.array([0], pa.timestamp("us")),
    "days": pa.array([0], pa.date32()),
    "numbers": pa.array([1.5]),
    "whole numbers": np.array([1]),
    "texts of NumPy": np.array(["a"]),
    "moments of NumPy": np.array(["2024-02-29"], "M8[D]"),
    "numbers of pandas": pd.array([1.5], dtype="Float64"),
}


@pytest.mark.parametrize("rule", ["default", "drop"])
@pytest.mark.parametrize("kind", CHOSEN)
def test_whether_a_column_is_refused_for_its_type_no_row_decides(kind: str, rule: Any) -> None:
    """A column of another type was refused in a table with a row, and read in one without rows, after the charge."""
    column: Any = CHOSEN[kind]
    for declared in (AGE, evolve(NAME, name="x"), DAY):
        found = []
        for given in ({"x": column}, {"x": column[:0]}):
            try:
                outline_arrays(given, (declared,), "people", None)
                from_arrays(given, (declared,), on_bad_row=rule)
                found.append(())
            except DuetError as error:
                found.append(tuple(each.code for each in error.diagnostics))
        assert found[0] == found[1]
        assert set(found) <= {(), ("D0618",)}
    # Of no cells NumPy makes doubles, of whatever they would have been.
    for declared in (AGE, evolve(NAME, name="x"), DAY):
        assert from_arrays({"x": np.array([])}, (declared,), on_bad_row=rule).rows == 0
