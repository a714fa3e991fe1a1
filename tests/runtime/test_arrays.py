"""Data in memory: arrays, rows and frames, under the same rules as files; and the words of ``--data``."""

import math
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.arrays import from_arrays
from duetpy.runtime.sources.column_selection import (
    ByName,
    ByPosition,
    DataArgument,
    parse_data_argument,
    parse_selection,
)
from duetpy.runtime.sources.table import ColumnSpec, Kind, Table

REAL = ColumnSpec(None, Kind.REAL)
AGE = ColumnSpec("age", Kind.NAT, default=18)
NAME = ColumnSpec("name", Kind.TEXT, default="nobody")
VIP = ColumnSpec("vip", Kind.BOOL)


class Series:
    """Stands for a Series of pandas or Polars."""

    def __init__(self, cells) -> None:
        self.cells = cells

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(self.cells, dtype=object if any(cell is None for cell in self.cells) else dtype)


class Frame:
    """Stands for a DataFrame of pandas or Polars."""

    def __init__(self, columns: dict, labels=None) -> None:
        self.data = columns
        self.columns = list(columns) if labels is None else labels

    def __getitem__(self, name: str) -> Series:
        return Series(self.data[name])

    def to_numpy(self) -> np.ndarray:
        return np.column_stack(list(self.data.values()))

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return self.to_numpy()


class Arrow:
    """Stands for a Table of Arrow, whose ``columns`` are not names."""

    def __init__(self, columns: dict) -> None:
        self.data = columns
        self.column_names = list(columns)
        self.columns = [Series(cells) for cells in columns.values()]

    def column(self, at: int) -> Series:
        return self.columns[at]


class Encoded:
    """Stands for a column of Arrow in chunks that keep each value once: as an array it has a value in an empty cell."""

    def __init__(self, cells, type_) -> None:
        self.cells = cells
        self.type = type_

    def to_pylist(self) -> list:
        return self.cells

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        kept = [cell for cell in self.cells if cell is not None]
        return np.array([kept[-1] if cell is None else cell for cell in self.cells], dtype=dtype)


DICTIONARY = SimpleNamespace(index_type="int32", value_type="double")


@pytest.mark.parametrize(
    "type_", [DICTIONARY, SimpleNamespace(value_type=DICTIONARY), SimpleNamespace(storage_type=DICTIONARY)]
)
def test_a_missing_cell_of_an_encoded_column_is_not_another_rows(type_) -> None:
    column = Encoded([30, None, 40], type_)
    assert np.asarray(column).tolist() == [30, 40, 40]
    table = from_arrays({"age": column}, (AGE,), on_bad_row="default")
    assert rows_of(table) == [(30.0,), (18.0,), (40.0,)]
    assert [(code, where) for code, where, _ in refusals({"age": column}, (AGE,))] == [
        ("D0604", "xs, row 2, column 'age'")
    ]


def rows_of(table: Table) -> list[tuple]:
    columns = [table.column(at).tolist() for at in range(len(table.columns))]
    return list(zip(*columns, strict=True))


def refusals(value, columns, **options) -> list[tuple[str, str, str]]:
    with pytest.raises(DuetError) as caught:
        from_arrays(value, columns, origin="xs", **options)
    return [(one.code, one.where, one.message) for one in caught.value.diagnostics]


PEOPLE = {"name": ["Ann", "Bob"], "vip": [True, False], "age": [30, 40]}


@pytest.mark.parametrize(
    "value",
    [
        PEOPLE,
        Frame(PEOPLE),
        Arrow(PEOPLE),
        np.array([("Ann", True, 30), ("Bob", False, 40)], dtype=[("name", "U3"), ("vip", "?"), ("age", "i8")]),
    ],
)
def test_named_columns_are_bound_by_name(value) -> None:
    table = from_arrays(value, (AGE, NAME, VIP))
    assert table.names == ("age", "name", "vip")
    assert rows_of(table) == [(30.0, "Ann", 1.0), (40.0, "Bob", 0.0)]
    again = from_arrays(table, (VIP, AGE, NAME), selection=parse_selection("age,vip,name"))
    assert rows_of(again) == [(1.0, 30.0, "Ann"), (0.0, 40.0, "Bob")]


@pytest.mark.parametrize(
    "value",
    [
        [[1, 2], [3, 4]],
        [(1.0, 2), (3, 4.0)],
        (row for row in [[1, 2], [3, 4]]),
        np.array([[1, 2], [3, 4]]),
        np.array([[1, 2], [3, 4]], dtype=np.uint8),
        np.array([[1, 2], [3, 4]], dtype=np.float16),
        np.array([[1, 2], [3, 4]], dtype=object),
        [np.array([1, 2]), np.array([3.0, 4.0])],
        [[Fraction(1), Decimal(2)], [np.float32(3), np.int16(4)]],
        Frame({0: [1, 3], 1: [2, 4]}),
        np.asfortranarray(np.array([[1.0, 2], [3, 4]])),
    ],
)
def test_matrices_in_all_their_forms(value) -> None:
    assert from_arrays(value, REAL).numbers.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("value", [[1, 2.5], np.array([1, 2.5]), Series([1, 2.5]), (1, Fraction(5, 2))])
def test_one_dimension_is_one_column(value) -> None:
    assert from_arrays(value, (REAL,)).numbers.tolist() == [[1.0], [2.5]]


def test_the_callers_array_is_copied() -> None:
    mine = np.ones((2, 2))
    table = from_arrays(mine, REAL)
    mine[0, 0] = 7
    assert table.numbers.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert mine.flags.writeable


BAD_REALS = [math.nan, math.inf, -math.inf, None, "1", b"1", 10**400, 1j, object(), [1], np.datetime64("2020-01-01")]


@pytest.mark.parametrize("bad", BAD_REALS)
def test_a_bad_cell_is_refused_or_becomes_the_default(bad) -> None:
    objects = np.array([[1.0, None], [2.0, 3.0]], dtype=object)
    objects[0, 1] = bad
    # What a text in an array of objects has done to the other cells, nobody knows: see the tests of types of columns.
    for value in ([[1.0, bad], [2.0, 3.0]], *([] if isinstance(bad, str | bytes) else [objects])):
        assert refusals(value, REAL) == [("D0604", "xs, row 1, column 2", "not a number")]
        assert from_arrays(value, (REAL, REAL), on_bad_row="default").numbers.tolist() == [[1.0, 0.0], [2.0, 3.0]]


@pytest.mark.parametrize(
    ("bad", "column"),
    [
        (-1, AGE),
        (1.5, AGE),
        (2.0**53, AGE),
        (2**53, AGE),
        (Fraction(10**40 + 1, 10**40), AGE),
        (3, ColumnSpec("age", Kind.NAT, default=0, below=3)),
        (2, VIP),
        (0.5, VIP),
    ],
)
def test_numbers_out_of_their_kind_are_bad(bad, column: ColumnSpec) -> None:
    for value in ([bad, 1], np.array([bad, 1], dtype=object), np.array([bad, 1])):
        assert [code for code, _, _ in refusals(value, (column,))] == ["D0604"]
        expected = [[column.number], [1.0]]
        assert from_arrays(value, (column,), on_bad_row="default").numbers.tolist() == expected


def test_masked_cells_are_bad() -> None:
    value = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], [[0, 1], [0, 0]])
    assert refusals(value, REAL) == [("D0604", "xs, row 1, column 2", "not a number")]
    assert from_arrays(value, REAL, on_bad_row="default").numbers.tolist() == [[1.0, 0.0], [3.0, 4.0]]


def test_missing_texts_are_bad() -> None:
    for bad in (None, 3, b"x", math.nan):
        value = {"name": ["Ann", bad]}
        assert refusals(value, (NAME,)) == [("D0604", "xs, row 2, column 'name'", "not a text")]
        assert rows_of(from_arrays(value, (NAME,), on_bad_row="default")) == [("Ann",), ("nobody",)]


def test_zero_has_no_sign() -> None:
    assert np.signbit(from_arrays([[-0.0, 1.0]], REAL).numbers).sum() == 0


@pytest.mark.parametrize(
    ("value", "columns", "expected"),
    [
        (3, REAL, ("D0603", "xs", "is not an array, a list of rows or a data frame")),
        ("1,2", REAL, ("D0603", "xs", "is not an array, a list of rows or a data frame")),
        (bytearray(b"1,2"), REAL, ("D0603", "xs", "is not an array, a list of rows or a data frame")),
        ({(1.0,), (2.0,)}, REAL, ("D0603", "xs", "is a set, whose rows have no order")),
        (frozenset({1.0, 2.0}), REAL, ("D0603", "xs", "is a set, whose rows have no order")),
        (np.zeros((2, 2, 2)), REAL, ("D0603", "xs", "must have one or two dimensions")),
        (np.float64(3), REAL, ("D0603", "xs", "must have one or two dimensions")),
        ({"age": [1], "name": ["a", "b"]}, (AGE, NAME), ("D0603", "xs", "its columns have no common length")),
        ({}, (AGE,), ("D0603", "xs", "its columns have no common length")),
        ([[1, 2]], (REAL,), ("D0603", "xs", "2 columns, but 1 is declared")),
        (np.ones((2, 2)), (REAL,), ("D0603", "xs", "2 columns, but 1 is declared")),
        ([[1, 2], [3]], REAL, ("D0605", "xs, row 2", "1 cell instead of 2")),
        ([], REAL, ("D0602", "xs", "there are no data rows")),
        (Frame({"age": [1]}, labels=["age", "age"]), (AGE,), ("D0607", "xs", "there are 2 columns 'age'")),
    ],
)
def test_what_is_wrong_is_said(value, columns, expected: tuple[str, str, str]) -> None:
    assert expected in refusals(value, columns)


def test_total_reading_of_rows_raises_nothing() -> None:
    rows = [[1, 2], [3], [4, 5, 6], "x", None, {"a": 1}, [[1], "y"], 7]
    table = from_arrays(rows, (REAL, REAL), on_bad_row="default")
    # Where columns have no names, a record is its fields in their order.
    expected = [[1, 2], [3, 0], [4, 5], [0, 0], [0, 0], [1, 0], [0, 0], [7, 0]]
    assert table.numbers.tolist() == [[float(x) for x in row] for row in expected]
    assert from_arrays([], (REAL, REAL), on_bad_row="default").numbers.shape == (0, 2)
    for rows in ([[1, 2, 3], [4, 5, 6]], [[1], [4]], [1, 4]):
        assert from_arrays(rows, (REAL, REAL), on_bad_row="default").numbers[:, 0].tolist() == [1.0, 4.0]


@pytest.mark.parametrize("rows", [[], [1.0], [[1, 2], [3, 4]], [[1, 2], [3]], [{"a": 1}], ["x"]])
def test_under_total_reading_no_row_says_how_many_columns_there_are(rows: list[object]) -> None:
    """Refused whatever the rows are: where rows are protected singly, neither their lengths nor the refusal may hang on one."""
    assert refusals(rows, REAL, on_bad_row="default") == [("D0603", "xs", "the number of columns is not known")]
    assert from_arrays(np.ones((3, 2)), REAL, on_bad_row="default").numbers.shape == (3, 2)


def test_many_bad_cells_are_counted_by_column_in_the_order_of_rows() -> None:
    value = np.full((100, 2), math.nan)
    value[0, 0] = 1.0
    assert refusals(value, REAL) == [
        ("D0604", "xs, column 2", "100 bad cells (rows 1, 2, 3, …): not a number"),
        ("D0604", "xs, column 1", "99 bad cells (rows 2, 3, 4, …): not a number"),
    ]


def test_no_message_holds_a_cell() -> None:
    for value in ([["canary8675309"]], [[8675309.25, math.nan]], {"age": [8675309.25]}, ["canary8675309", 8675309j]):
        columns = (AGE,) if isinstance(value, dict) else REAL
        assert "8675309" not in repr(refusals(value, columns))


# ---------------------------------------------------------------------------------------------------------------------
# What follows --data


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x.csv", DataArgument(None, "x.csv")),
        ("xs=x.csv", DataArgument("xs", "x.csv")),
        ("xs=a=b.csv", DataArgument("xs", "a=b.csv")),
        ("./a=b/x.csv", DataArgument(None, "./a=b/x.csv")),
        ("derived-map=x.csv", DataArgument("derived-map", "x.csv")),
        ("δ′=x.csv", DataArgument("δ′", "x.csv")),
        ("x.csv:age,income", DataArgument(None, "x.csv", ByName(("age", "income")))),
        ("xs=x.csv:age", DataArgument("xs", "x.csv", ByName(("age",)))),
        ("x.csv:0-3", DataArgument(None, "x.csv", ByPosition((0, 1, 2, 3)))),
        ("ys=x.csv:10", DataArgument("ys", "x.csv", ByPosition((10,)))),
        ("x.csv:0-1,5", DataArgument(None, "x.csv", ByPosition((0, 1, 5)))),
        ("C:\\data\\x.csv", DataArgument(None, "C:\\data\\x.csv")),
        ("xs=C:\\x.csv:0-1", DataArgument("xs", "C:\\x.csv", ByPosition((0, 1)))),
        ("a:b/x.csv", DataArgument(None, "a:b/x.csv")),
        ("x.csv:sepal length (cm)", DataArgument(None, "x.csv", ByName(("sepal length (cm)",)))),
        ("3=x.csv", DataArgument(None, "3=x.csv")),
    ],
)
def test_a_data_argument_is_taken_apart(text: str, expected: DataArgument) -> None:
    assert parse_data_argument(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "xs=",
        "x.csv:",
        "x.csv:a,,b",
        "x.csv:3-1",
        "x.csv:a,a",
        "x.csv:1,0-2",
        "x.csv:a,1",
        "x.csv:0-999999999",
        ":a",
    ],
)
def test_a_malformed_data_argument_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="'"):
        parse_data_argument(text)


class Tensor:
    """Stands for a tensor of a library of learning: no number of Python, but numpy reads it."""

    def __init__(self, cells: object) -> None:
        self.cells = cells

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(self.cells)


class Raising(list):
    """A row that cannot be read."""

    def __iter__(self):
        raise RuntimeError("the words of a row")


ROWS = {
    "series": Series([1.0, 2.0]),
    "scalars in arrays": [np.array(1.0), np.array(2.0)],
    "scalar tensors": [Tensor(1.0), Tensor(2.0)],
    "masked": np.ma.masked_array([1.0, 7.0], mask=[False, True]),
    "a masked cell": [1.0, np.ma.masked],
    "array": np.array([1.0, 2.0]),
    "list": [1, 2],
    "decimals": [Decimal(1), Fraction(2)],
    "numbers of numpy": [np.float32(1), np.int8(2)],
    "moments": [np.datetime64(1, "D"), np.timedelta64(2, "D")],
    "raising": Raising([1.0, 2.0]),
    "record": {"age": 1.0, "income": 2.0},
}
OTHERS = [[3.0, 4.0], [None, 4.0], "x", None, {"age": 3.0}, np.array([3.0]), Series([3.0, 4.0]), [2**70, 1j], Raising()]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_what_a_row_becomes_is_nothing_that_another_row_decides(row: object) -> None:
    columns = [ColumnSpec("age", Kind.REAL), ColumnSpec("income", Kind.REAL)]
    alone = from_arrays([row], columns, on_bad_row="default").numbers[0].tolist()
    for other in OTHERS:
        beside = from_arrays([row, other, row], columns, on_bad_row="default").numbers
        assert beside[0].tolist() == beside[2].tolist() == alone


def test_numpy_reads_a_row_by_what_stands_beside_it() -> None:
    """The control of the test above: read all at once, a masked cell shows, and a series next to None is not a row."""
    assert np.asarray([ROWS["masked"], [3.0, 4.0]])[0].tolist() == [1.0, 7.0]
    assert np.asarray([np.array(1.0), 2.0]).dtype.kind == "f"
    assert np.asarray([np.array(1.0), None]).dtype.kind == "O"


def test_rows_of_any_kind_are_read_as_the_numbers_that_they_hold() -> None:
    read = ["series", "scalars in arrays", "scalar tensors", "array", "list", "decimals", "numbers of numpy"]
    assert from_arrays([ROWS[name] for name in read], [REAL, REAL]).numbers.tolist() == [[1.0, 2.0]] * len(read)
    with pytest.raises(DuetError) as caught:
        from_arrays([ROWS["masked"]], [REAL, REAL])
    assert [diagnostic.where for diagnostic in caught.value.diagnostics] == ["the data, row 1, column 2"]


# ---------------------------------------------------------------------------------------------------------------------
# Types of columns, which one cell may have decided

ONE_DECIDES: dict[str, tuple[object, ColumnSpec]] = {
    "texts": (np.array([1.5, "x", 2.5]), REAL),
    "bytes": (np.array([1.5, b"x", 2.5]), REAL),
    "complex numbers": (np.array([1.5, 2j, 2.5]), REAL),
    "spans of time": (np.array([1, np.timedelta64(1, "D"), 3]), REAL),
    "objects": (np.array(["1.5", "x", "2.5"], dtype=object), REAL),
    "numbers and texts": (np.array([1.5, "x", 2.5], dtype=object), REAL),
    "bytes as objects": (np.array([1.5, b"x", 2.5], dtype=object), REAL),
    "a series": (Series(["1.5", "x", "2.5"]), REAL),
    "masked texts": (np.ma.masked_array(["1.5", "x", "2.5"], mask=[False, True, False]), REAL),
    "truth values as texts": (np.array([True, "x", False]), VIP),
    "whole numbers as texts": (np.array([1, "x", 2]), AGE),
    "numbers for texts": (np.array([1, 2, 3]), NAME),
    "numbers that miss one": (np.array([1, math.nan, 3]), NAME),
    "numbers among texts": (np.array(["001", 2, "003"], dtype=object), NAME),
}


@pytest.mark.parametrize("rule", ["refuse", "default"])
@pytest.mark.parametrize(("value", "column"), ONE_DECIDES.values(), ids=ONE_DECIDES)
def test_a_column_of_a_type_that_one_cell_may_have_decided_is_refused(
    value: object, column: ColumnSpec, rule: str
) -> None:
    things = "texts" if column.kind is Kind.TEXT else "numbers"
    message = f"its cells do not have a type of {things}, and a single cell may have decided that for all"
    frames = [] if isinstance(value, Series) else [Frame({"a": value})]
    for held in (value, {"a": value}, *frames):
        named = ColumnSpec("a", column.kind) if held is not value else column
        (found,) = refusals(held, (named,), on_bad_row=rule)
        assert (found[0], found[2]) == ("D0618", message)


def test_numpy_lets_one_cell_decide_for_the_others() -> None:
    """The control of the test above: read cell by cell, every other row is moved by the one in the middle."""
    for name in ("texts", "bytes", "spans of time", "complex numbers"):
        value, column = ONE_DECIDES[name]
        read = from_arrays(value, (column,), on_bad_row="default", holds_types=False)
        assert rows_of(read) == [(0.0,)] * 3, name


@pytest.mark.parametrize(
    ("value", "column", "expected"),
    [
        (np.array([1.5, None, 2.5], dtype=object), REAL, [1.5, 0.0, 2.5]),
        (np.array([Decimal("1.5"), math.nan, Fraction(5, 2)], dtype=object), REAL, [1.5, 0.0, 2.5]),
        (Series([1.5, None, 2.5]), REAL, [1.5, 0.0, 2.5]),
        (np.array([True, False, True]), REAL, [1.0, 0.0, 1.0]),
        (np.array([1, 2, 3], dtype=np.float16), AGE, [1.0, 2.0, 3.0]),
        (np.array(["a", "b"]), NAME, ["a", "b"]),
        (np.array(["a", None, math.nan], dtype=object), NAME, ["a", "nobody", "nobody"]),
        (np.array([]), NAME, []),
    ],
)
def test_a_column_in_which_no_cell_changes_another_is_read(value: object, column: ColumnSpec, expected: list) -> None:
    for held in (value, {"a": value}):
        spec = column if held is value else ColumnSpec("a", column.kind, column.default)
        assert from_arrays(held, (spec,), on_bad_row="default").column(0).tolist() == expected


def test_columns_of_a_frame_without_names_keep_their_types() -> None:
    """All at once they would be objects where one of them is of texts."""
    value = Frame({0: np.array([1.5, 2.5]), 1: np.array(["a", "b"])})
    assert value.to_numpy().dtype.kind == "U"
    assert rows_of(from_arrays(value, (REAL, ColumnSpec(None, Kind.TEXT)))) == [(1.5, "a"), (2.5, "b")]


class Typed(Series):
    """Stands for a column of pandas, Polars or Arrow that has a type of its own."""

    def __init__(self, cells, dtype) -> None:
        super().__init__(cells)
        self.dtype = dtype


@pytest.mark.parametrize(
    ("dtype", "is_read"),
    [
        (SimpleNamespace(kind="i"), True),
        (SimpleNamespace(kind="O", categories=SimpleNamespace(dtype=SimpleNamespace(kind="i"))), True),
        (SimpleNamespace(kind="O", categories=SimpleNamespace(dtype=np.dtype("O"))), True),
        (SimpleNamespace(kind="c"), False),
        ("Int64", True),
        ("Boolean", True),
        ("Null", True),
        ("Decimal(precision=38, scale=2)", True),
    ],
)
def test_the_type_that_a_library_gives_a_column_counts(dtype: object, is_read: bool) -> None:
    column = Typed([1, None], dtype)
    assert column.__array__().dtype.kind == "O"
    if is_read:
        assert from_arrays({"a": column}, (ColumnSpec("a", Kind.REAL),), on_bad_row="default").numbers[0, 0] == 1.0
    else:
        assert refusals({"a": column}, (ColumnSpec("a", Kind.REAL),), on_bad_row="default")[0][0] == "D0618"
