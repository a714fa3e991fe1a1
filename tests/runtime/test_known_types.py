"""What is given from Python is read if its type is known to hold nothing but its cells. Anything else that Python or NumPy would go
over (frames of other libraries, columns of unknown types, texts) is refused, or is one bad cell of its row."""

from collections import UserString, deque
from collections.abc import Callable
from typing import Any

import dask.dataframe
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from attrs import evolve

import duetpy
from duetpy.runtime.sources.arrays import from_arrays, outline_arrays
from duetpy.runtime.sources.binding import bound_value
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.table import ColumnSpec, Kind
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import SetValue
from duetpy.typecheck import types as t

WHO, COST = ColumnSpec("who", Kind.NAT, default=7), ColumnSpec("cost", Kind.REAL, default=8)
FRAME = pd.DataFrame([[2.0, 1.0], [3.0, 1.0], [9.0, 5.0]], columns=["cost", "who"])
RULES = ["refuse", "default", "drop"]


class Labelled:
    """Stands for a frame, a series of structs or an array whose columns have names that duetpy does not know of."""

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return FRAME.to_numpy()


@pytest.mark.parametrize("given", [lambda: dask.dataframe.from_pandas(FRAME, npartitions=1), Labelled])
@pytest.mark.parametrize("rule", RULES)
def test_columns_whose_names_are_not_known_are_refused(given: Callable[[], Any], rule: str) -> None:
    """They were read by position: the identifiers of persons were those in another column."""
    with pytest.raises(duetpy.DuetError, match="columns may have names") as caught:
        from_arrays(given(), (WHO, COST), on_bad_row=rule)
    assert [each.code for each in caught.value.diagnostics] == ["D0603"]
    people = "people : persons[who : disc_t Nat | visits : DF[cost : Disc else 0]]"
    program = duetpy.parse(f"plam {people} => laplace[1, 1.0] <people> {{ real (rows people) }}", notion="eps").check()
    with pytest.raises(duetpy.DuetError, match="columns may have names"):
        program.run(visits=given(), _on_bad_row=rule, _insecure_noise="none")
    assert program.run(visits=FRAME, _on_bad_row=rule, _insecure_noise="none").result == 2


class Row(tuple):
    """Stands for a row of Spark: a tuple that knows the names of its cells, and is asked for them in a way of its own."""


def test_a_row_of_an_unknown_type_is_one_bad_row() -> None:
    for row in (
        Row((2.0, 1.0)),
        bytearray(b"\2\1"),
        UserString("21"),
        FRAME,
    ):
        found = from_arrays([row, (3, 4.0)], (WHO, COST), on_bad_row="default").numbers.tolist()
        assert found == [[7.0, 8.0], [3.0, 4.0]]
        with pytest.raises(duetpy.DuetError) as caught:
            from_arrays([row, (3, 4.0)], (WHO, COST))
        (diagnostic,) = caught.value.diagnostics
        assert (diagnostic.code, diagnostic.message) == ("D0605", "1 cell instead of 2")
        assert diagnostic.help == "make each row a list, a tuple, or a mapping from names to cells"
    for row in ([1, 2.0], (1, 2.0), range(1, 3), deque([1, 2.0]), memoryview(b"\1\2"), np.array([1, 2.0])):
        assert from_arrays([row], (WHO, COST)).numbers.tolist() == [[1.0, 2.0]]
    assert from_arrays([np.array(1.0), np.array([2.0])], (COST,)).numbers.tolist() == [[1.0], [2.0]]
    with pytest.raises(duetpy.DuetError):
        duetpy.evaluate("sλ r : 𝕄 [L∞, U | 1, who : 𝔻 ∷ cost : 𝔻 ∷ []] ⇒ r.who", r=Row((2.0, 1.0)))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "row",
    [
        {2020: 2.0, 2019: 1.0},
        {2020: 2.0, "2019": 1.0},
        pd.Series({2020: 2.0, 2019: 1.0}),
        pd.Series({2020: 2.0, "cost": 3.0, "2019": 1.0}),
    ],
)
def test_labels_of_a_row_are_those_of_a_frame(row: object, rule: str) -> None:
    """With default, no column was found under a number in a mapping, and rows of frames were read by position."""
    columns = (ColumnSpec("2019", Kind.REAL), ColumnSpec("2020", Kind.REAL))
    assert from_arrays([row, row], columns, on_bad_row=rule).numbers.tolist() == [[1.0, 2.0]] * 2
    record = 'sλ r : 𝕄 [L∞, U | 1, "2019" : 𝔻 ∷ "2020" : 𝔻 ∷ []] ⇒ r."2019"'
    assert duetpy.evaluate(record, r=row) == 1.0


def test_cells_that_are_only_numbered_are_read_by_position() -> None:
    for labels in ([0, 1], [1, 0]):
        row = pd.Series([2.0, 1.0], index=labels)
        assert from_arrays([row], (WHO, COST)).numbers.tolist() == [[2.0, 1.0]]


def test_a_row_with_two_cells_of_one_name_is_a_bad_row() -> None:
    columns = (ColumnSpec("2019", Kind.REAL), ColumnSpec("2020", Kind.REAL))
    for row in ({2020: 2.0, "2020": 3.0, "2019": 1.0}, pd.Series([1.0, 2.0, 3.0], index=["2019", "2020", "2020"])):
        rows = [row, {"2019": 5.0, "2020": 6.0}]
        assert from_arrays(rows, columns, on_bad_row="drop").numbers.tolist() == [[5.0, 6.0]]


class Typed:
    """Stands for a Series of Polars: its type has a name, and NumPy has objects for its cells."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return np.array([object(), object()])


DAYS = pd.date_range("2024-02-28", periods=2)
UNKNOWN: dict[str, object] = {
    "periods": pd.Series(pd.period_range("2024-02-28", periods=2, freq="D")),
    "categories of periods": pd.Series(pd.period_range("2024-02-28", periods=2, freq="D")).astype("category"),
    "intervals": pd.Series(pd.interval_range(0, 2)),
    "moments of a zone": pd.Series(DAYS.tz_localize("UTC")),
    "moments of a zone in Arrow": pd.Series(DAYS).astype(pd.ArrowDtype(pa.timestamp("us", "UTC"))),
    **{
        f"{type_} of Arrow": pa.array([None, None], type_)
        for type_ in (
            pa.timestamp("us"),
            pa.date64(),
            pa.duration("s"),
            pa.time32("s"),
            pa.list_(pa.int8()),
            pa.binary(),
        )
    },
    **{f"moments in {unit}": np.array([0, 1], dtype=f"datetime64[{unit}]") for unit in ("Y", "M", "W", "2D", "ps")},
    **{
        name: Typed(name)
        for name in (
            "List(Int64)",
            "Time",
            "Struct({'a': Int8})",
            "Datetime(time_unit='us', time_zone='UTC')",
            "interval",
        )
    },
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", [Kind.REAL, Kind.NAT, Kind.BOOL, Kind.TEXT, Kind.DATE])
@pytest.mark.parametrize("cells", UNKNOWN.values(), ids=UNKNOWN)
def test_a_column_of_an_unknown_type_is_refused(cells: object, kind: Kind, rule: str) -> None:
    """Each of its cells was a bad one: with default, that of everybody was the default."""
    column = ColumnSpec("x", kind, missing=frozenset({b""}))
    with pytest.raises(duetpy.DuetError) as caught:
        from_arrays({"x": cells}, (column,), on_bad_row=rule)
    things = {Kind.TEXT: "texts", Kind.DATE: "dates"}.get(kind, "numbers")
    message = f"its cells do not have a type of {things}, and a single cell may have decided that for all"
    assert [(each.code, each.message) for each in caught.value.diagnostics] == [("D0618", message)]
    if rule != "refuse":
        with pytest.raises(duetpy.DuetError):
            outline_arrays({"x": cells}, (column,), "xs", None)


def test_days_without_a_zone_are_read() -> None:
    column = ColumnSpec("x", Kind.DATE)
    for cells in (pd.Series(DAYS), pd.Series(DAYS).astype(pd.ArrowDtype(pa.timestamp("us"))), DAYS.to_numpy()):
        assert from_arrays({"x": cells}, (column,)).numbers.tolist() == [[738944.0], [738945.0]]


def test_moments_of_no_unit_and_those_in_lists_may_be_missing() -> None:
    column = ColumnSpec("x", Kind.DATE, missing=frozenset({b""}))
    for unit in ("", "D", "ns"):
        nothing = np.datetime64("NaT", *filter(None, [unit]))
        for cells in (np.array([nothing, nothing]), [nothing, nothing], np.array([nothing, None], dtype=object)):
            assert np.isnan(from_arrays({"x": cells}, (column,)).numbers).tolist() == [[True], [True]]


def test_the_last_character_of_all_is_a_text() -> None:
    cells = np.array(["a", chr(0x10FFFF)])
    assert from_arrays({"x": cells}, (ColumnSpec("x", Kind.TEXT),)).column(0).tolist() == cells.tolist()


def test_a_column_has_one_dimension() -> None:
    for wide in (np.ones((2, 1)), np.ones((2, 2)), FRAME[["who"]][:2]):
        with pytest.raises(duetpy.DuetError, match="no common length"):
            from_arrays({"who": wide, "cost": [1.0, 2.0]}, (WHO, COST))


def test_one_cell_in_a_list_is_a_bad_cell_of_a_record() -> None:
    program = "sλ r : 𝕄 [L∞, U | 1, who : 𝔻 ∷ cost : 𝔻 ∷ []] ⇒ r.who"
    assert duetpy.evaluate(program, r={"who": [1.0], "cost": [2.0]}) == 1.0
    for record in ({"who": 1.0, "cost": [2.0]}, {"who": [1.0], "cost": "2"}):
        with pytest.raises(duetpy.DuetError, match="D0604"):
            duetpy.evaluate(program, r=record)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_a_masked_matrix_is_read_as_a_masked_array() -> None:
    """What is cut out of it is a matrix, and a run ended with an internal error."""
    given = np.ma.MaskedArray(np.matrix([[1.0, 2.0], [3.0, 4.0]]), [[0, 1], [0, 0]])
    assert from_arrays(given, (WHO, COST), on_bad_row="default").numbers.tolist() == [[1.0, 8.0], [3.0, 4.0]]


def test_the_type_of_a_column_for_a_set_decides() -> None:
    for given in (
        np.array(["1", "2"]),
        pa.array(["1"]),
        np.array([1, "2"], dtype=object),
        pd.Series(["1"], dtype="str"),
    ):
        for rule in RULES:
            with pytest.raises(duetpy.DuetError, match="D0618"):
                bound_value(given, NUMBERS, "s", KindScope(), evolve(Reading(), on_bad_row=rule))


NUMBERS = t.SetOf(t.Disc(t.Nat()))


@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_a_set_is_given_as_a_column_of_any_library(rule: str) -> None:
    """Python goes over a column of Arrow in scalars of Arrow: with default, all of them were 0."""
    big = 2**60 + 1
    for given in (
        [1, big],
        np.array([1, big]),
        pa.array([1, big]),
        pa.chunked_array([[1], [big]]),
        pd.Series([1, big]),
    ):
        found = bound_value(given, NUMBERS, "s", KindScope(), Reading(on_bad_row=rule))
        assert isinstance(found, SetValue)
        assert list(found.elements) == [1, big]


@pytest.mark.parametrize("word", [b"\1\2", bytearray(b"\1\2"), UserString("12")])
def test_a_text_or_bytes_are_no_set_and_no_pair(word: Any) -> None:
    for type_ in (NUMBERS, t.Product(t.Nat(), t.Nat())):
        with pytest.raises(duetpy.DuetError) as caught:
            bound_value(word, type_, "x", KindScope(), Reading())
        assert [each.code for each in caught.value.diagnostics] == ["D0611"]
