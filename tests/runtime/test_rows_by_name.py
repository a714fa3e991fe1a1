"""Rows of a list and columns of a frame that know their names are read by these names, as the columns of a file are."""

import sqlite3
from collections import namedtuple
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.arrays import from_arrays
from duetpy.runtime.sources.table import ColumnSpec, Kind

ROWS = [(2.0, 1.0), (3.0, 1.0), (9.0, 5.0)]
"""Costs, each with the number of a person behind it: the other way round than the programs declare them."""

Visit = namedtuple("Visit", ["cost", "who"])


def in_a_database() -> list[sqlite3.Row]:
    database = sqlite3.connect(":memory:")
    database.row_factory = sqlite3.Row
    values = ", ".join(f"({cost}, {who})" for cost, who in ROWS)
    return database.execute(f"WITH visits(cost, who) AS (VALUES {values}) SELECT * FROM visits").fetchall()


FRAME = pd.DataFrame(ROWS, columns=["cost", "who"])
KINDS: dict[str, Callable[[], list[Any]]] = {
    "named tuples": lambda: [Visit(*row) for row in ROWS],
    "of a database": in_a_database,
    "named tuples of pandas": lambda: list(FRAME.itertuples(index=False)),
    "columns of pandas": lambda: [row for _, row in FRAME.iterrows()],
    "records of numpy": lambda: list(np.array(ROWS, dtype=[("cost", "f8"), ("who", "f8")])),
    "mappings": lambda: [MappingProxyType(dict(zip(("cost", "who"), row, strict=True))) for row in ROWS],
}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def rows(request: pytest.FixtureRequest) -> list[Any]:
    return request.param()


@pytest.mark.parametrize("rule", ["refuse", "default", "drop"])
def test_rows_of_persons(rows: list[Any], rule: str) -> None:
    """The persons were those whom another column names."""
    people = "people : persons[who : disc_t Nat | visits : DF[cost : Disc else 0]]"
    text = f"plam {people} => laplace[1, 1.0] <people> {{ real (rows people) }}"
    release = duetpy.parse(text, notion="eps").check().run(visits=rows, _on_bad_row=rule, _insecure_noise="none")
    assert release.result == len({who for _, who in ROWS}) == 2


@pytest.mark.parametrize("rule", ["refuse", "default", "drop"])
def test_rows_of_a_table(rows: list[Any], rule: str) -> None:
    columns = (ColumnSpec("who", Kind.NAT), ColumnSpec("cost", Kind.REAL))
    assert from_arrays(rows, columns, on_bad_row=rule).numbers.tolist() == [[who, cost] for cost, who in ROWS]


def test_rows_list_their_cells_in_different_orders() -> None:
    """Where the columns have no names and each row is read by itself, no other row can say which cell is meant."""
    given = [{"cost": 2.0, "who": 1.0}, {"who": 3.0, "cost": 4.0}]
    unnamed, named = [ColumnSpec(None, Kind.REAL)] * 2, [ColumnSpec("cost", Kind.REAL), ColumnSpec("who", Kind.REAL)]
    for rule, second in (("refuse", [4.0, 3.0]), ("default", [3.0, 4.0]), ("drop", [3.0, 4.0])):
        assert from_arrays(given, unnamed, on_bad_row=rule).numbers.tolist() == [[2.0, 1.0], second]
        assert from_arrays(given, named, on_bad_row=rule).numbers.tolist() == [[2.0, 1.0], [4.0, 3.0]]


def test_one_record(rows: list[Any]) -> None:
    program = "sλ r : 𝕄 [L∞, U | 1, who : 𝔻 ∷ cost : 𝔻 ∷ []] ⇒ r.who"
    assert duetpy.evaluate(program, r=rows[0]) == 1.0


def test_a_row_whose_names_are_other_ones_is_one_bad_row() -> None:
    columns = (ColumnSpec("who", Kind.NAT), ColumnSpec("cost", Kind.REAL, default=7))
    other = namedtuple("Other", ["price", "who"])
    given = [Visit(2.0, 1.0), other(9.0, 4.0), (6.0, 8.0)]
    assert from_arrays(given, columns, on_bad_row="default").numbers.tolist() == [[1, 2], [4, 7], [6, 8]]
    with pytest.raises(duetpy.DuetError, match=r"^error\[D0604\]: .*, row 2, column 'cost': not a number") as caught:
        from_arrays(given, columns)
    assert len(caught.value.diagnostics) == 1


@pytest.mark.parametrize("labels", [[2020, 2019], ["2020", 2019], ["2020", "2019"]])
@pytest.mark.parametrize("rule", ["refuse", "default", "drop"])
def test_labels_of_a_frame_are_names_if_the_program_knows_them(labels: list[Any], rule: str) -> None:
    """They were names if all of them were texts; otherwise the first column was that which the program names first."""
    columns = (ColumnSpec("2019", Kind.REAL), ColumnSpec("2020", Kind.REAL))
    frame = pd.DataFrame([[2.0, 1.0]], columns=pd.Index(labels, dtype=object))
    assert from_arrays(frame, columns, on_bad_row=rule).numbers.tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize(
    "labels", [["cost", 1], [b"cost", b"who"], [("cost", "net"), ("who", "")], ["cost", float("nan")]]
)
def test_what_is_no_number_is_a_name(labels: list[Any]) -> None:
    columns = (ColumnSpec("who", Kind.NAT), ColumnSpec("cost", Kind.REAL))
    frame = pd.DataFrame([[2.0, 1.0]], columns=pd.Index(labels, dtype=object))
    for rule in ("refuse", "default", "drop"):
        with pytest.raises(duetpy.DuetError) as caught:
            from_arrays(frame, columns, on_bad_row=rule)
        assert {each.code for each in caught.value.diagnostics} == {"D0603"}


def test_columns_that_are_only_numbered_are_read_by_position() -> None:
    columns = (ColumnSpec("who", Kind.NAT), ColumnSpec("cost", Kind.REAL))
    for labels in ([0, 1], [1, 0], [7, 7]):
        assert from_arrays(pd.DataFrame([[2.0, 1.0]], columns=labels), columns).numbers.tolist() == [[2.0, 1.0]]


def test_columns_of_a_mapping_stand_side_by_side_whatever_their_index() -> None:
    columns = (ColumnSpec("who", Kind.NAT), ColumnSpec("cost", Kind.REAL))
    given = {"who": pd.Series([1.0, 2.0], index=[0, 1]), "cost": pd.Series([3.0, 4.0], index=[1, 0])}
    assert from_arrays(given, columns).numbers.tolist() == [[1.0, 3.0], [2.0, 4.0]]


@pytest.mark.parametrize(
    ("kind", "cell", "told"),
    [
        (Kind.REAL, "1.5", "(a number, not a text)"),
        (Kind.NAT, "3", "(a number, not a text)"),
        (Kind.DATE, "2024-02-29", "(a datetime.date, not a text)"),
        (Kind.BOOL, "true", "(True or False, not a text)"),
    ],
)
def test_of_a_text_in_a_row_it_is_said_that_it_is_no_number_and_no_day(kind: Kind, cell: str, told: str) -> None:
    """It was "not a date such as 2024-02-29", of a cell that is one in a file."""
    for may_be_missing in (False, True):
        column = ColumnSpec("x", kind, missing=frozenset() if may_be_missing else None)
        with pytest.raises(DuetError) as caught:
            from_arrays([{"x": cell}], (column,))
        (found,) = caught.value.diagnostics
        assert found.help.startswith(f"correct the cell {told}, or ")
        assert "--missing" not in found.help
        assert ("None" in found.help) == may_be_missing
