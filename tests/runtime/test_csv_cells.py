"""Cells and lines of CSV files: what is a number, and how a line is cut."""

import csv
import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetpy.runtime.sources.cells import parse_natural, parse_number, parse_real, split_cells
from duetpy.runtime.sources.table import ColumnSpec, Kind
from tests.runtime.people import CLASS, QUICK

GOOD = [
    "0",
    "-0",
    "+5",
    "007",
    "-12.5e-3",
    "1e5",
    "1E+5",
    "3.14",
    ".5",
    "-.5",
    "+.25e1",
    " 2 ",
    "\t2",
    "1e-400",
    "9" * 400 + "e-300",
]
BAD = [
    "", " ", ".", "-.", ".e5", "1e.5", "1e-.5", "..5", "5.",
    "1_000", "１２", "nan", "NaN", "-nan", "inf", "-Infinity", "1e400", "-1e999", "0x10", "1e", "e5",
    "1e+", "--1", "+-1", "1 2", "1,5", "1.2.3", "1e5.0", "½", "1\x0b", "\x0c1", "1\xa0", "1\x00", "True", "1j", "1d5", "1f",
    "9" * 1101,
]  # fmt: skip


@pytest.mark.parametrize("cell", GOOD)
def test_a_decimal_is_the_double_nearest_to_it(cell: str) -> None:
    assert parse_real(cell.encode()) == float(cell)
    assert math.copysign(1, parse_real(b"-0.0e5")) == 1


@pytest.mark.parametrize("cell", BAD)
def test_what_is_no_plain_decimal_is_no_number(cell: str) -> None:
    assert parse_real(cell.encode()) is None


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("0", 0),
        ("+12", 12),
        ("3.0", 3),
        ("3.000", 3),
        ("007", 7),
        ("-0", None),
        ("-1", None),
        ("3.5", None),
        ("1e2", None),
    ],
)
def test_naturals(cell: str, value: int | None) -> None:
    assert parse_natural(cell.encode()) == value


def test_naturals_are_exact_or_bad() -> None:
    column = ColumnSpec(None, Kind.NAT)
    assert parse_number(str(2**53 - 1).encode(), column) == 2**53 - 1
    assert parse_number(str(2**53).encode(), column) is None
    assert parse_number(b"0.99999999999999999999", column) is None
    assert parse_number(b"2", CLASS) == 2
    assert parse_number(b"3", CLASS) is None


@pytest.mark.parametrize(
    ("line", "cells", "keeps_rule"),
    [
        (b"", [b""], True),
        (b"a,b", [b"a", b"b"], True),
        (b",", [b"", b""], True),
        (b'"a,b",c', [b"a,b", b"c"], True),
        (b'"a ""b"" c"', [b'a "b" c'], True),
        (b'"",""', [b"", b""], True),
        (b'""""', [b'"'], True),
        (b'x,"a,b', [b"x", b"a,b"], False),
        (b'"a"b,c', [b"ab", b"c"], False),
        (b'""b,c', [b"b", b"c"], False),
        (b'a"b,c', [b'a"b', b"c"], False),
        (b' "a,b"', [b' "a', b'b"'], False),
        (b'"', [b""], False),
        (b'"a",', [b"a", b""], True),
    ],
)
def test_lines_are_cut_into_cells(line: bytes, cells: list[bytes], keeps_rule: bool) -> None:
    assert split_cells(line) == (cells, keeps_rule)


@QUICK
@given(st.lists(st.text(st.characters(exclude_characters="\n\r"), max_size=8), min_size=1, max_size=5))
def test_quoted_lines_read_back_as_they_were_written(cells: list[str]) -> None:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="").writerow(cells)
    assert split_cells(out.getvalue().encode("utf-8", "surrogatepass")) == (
        [cell.encode("utf-8", "surrogatepass") for cell in cells],
        True,
    )
