"""CSV files: one line, one record; what is refused, and in which words; total reading; the quick way."""

import csv
import io
import math
import os
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetpy.diagnostics.diagnostic import DuetError
from duetpy.interp.sources import csv as csv_module
from duetpy.interp.sources import records
from duetpy.interp.sources.cells import parse_natural, parse_number, parse_real, split_cells
from duetpy.interp.sources.csv import read_csv
from duetpy.interp.sources.plain import parse_plain
from duetpy.interp.sources.selection import parse_selection
from duetpy.interp.sources.table import ColumnSpec, Kind, Table

QUICK = settings(max_examples=300, derandomize=True, deadline=None)

REAL = ColumnSpec(None, Kind.REAL)
AGE = ColumnSpec("age", Kind.NAT, default=18)
INCOME = ColumnSpec("income", Kind.REAL)
NAME = ColumnSpec("name", Kind.TEXT, default="nobody")
VIP = ColumnSpec("vip", Kind.BOOL)
CLASS = ColumnSpec("class", Kind.NAT, below=3)
PEOPLE = (AGE, INCOME, NAME, VIP)

Reader = Callable[..., Table]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Write bytes to ``people.csv`` in an empty folder and read them."""
    monkeypatch.chdir(tmp_path)

    def reader(content: bytes, columns=REAL, **options) -> Table:
        Path("people.csv").write_bytes(content)
        return read_csv("people.csv", columns, **options)

    return reader


def refusals(read: Reader, content: bytes, columns=REAL, **options) -> list[tuple[str, str, str]]:
    with pytest.raises(DuetError) as caught:
        read(content, columns, **options)
    return [(one.code, one.where, one.message) for one in caught.value.diagnostics]


def rows_of(table: Table) -> list[tuple]:
    """The records of a table, column by column as declared."""
    columns = [table.column(at).tolist() for at in range(len(table.columns))]
    return list(zip(*columns, strict=True)) if columns else [()] * table.rows


# ---------------------------------------------------------------------------------------------------------------------
# Cells and lines

GOOD = ["0", "-0", "+5", "007", "-12.5e-3", "1e5", "1E+5", "3.14", " 2 ", "\t2", "1e-400", "9" * 400 + "e-300"]
BAD = [
    "", " ", ".5", "5.", "1_000", "１２", "nan", "NaN", "-nan", "inf", "-Infinity", "1e400", "-1e999", "0x10", "1e", "e5",
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


# ---------------------------------------------------------------------------------------------------------------------
# Good files


@pytest.mark.parametrize(
    "content",
    [
        b"1,2\n3,4\n",
        b"1,2\n3,4",
        b"1,2\r\n3,4\r\n",
        b"\xef\xbb\xbf1,2\n3,4\n",
        b"a,b\n1,2\n3,4\n",
        b"\xef\xbb\xbfa,b\r\n1,2\r\n3,4",
        b"1,2\n3,4\n\n\n  \r\n\t",
        b'"1","2"\n3,"4"\n',
        b" 1 ,\t2\n3 , 4\n",
        b'"first, of all",b\n1,2\n3,4\n',
    ],
)
def test_plain_files_in_all_their_forms(read: Reader, content: bytes) -> None:
    table = read(content)
    assert table.numbers.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert table.header_guessed


def test_columns_are_bound_by_name_in_any_order(read: Reader) -> None:
    table = read('vip,name,income,age\ntrue,"Doe, J",1.5,30\n0,Ünal,-2,0\n'.encode(), PEOPLE)
    assert table.names == ("age", "income", "name", "vip")
    assert rows_of(table) == [(30.0, 1.5, "Doe, J", 1.0), (0.0, -2.0, "Ünal", 0.0)]
    assert not table.header_guessed


def test_without_a_header_columns_are_bound_by_position(read: Reader) -> None:
    assert rows_of(read(b"30,1.5,x,1\n", PEOPLE)) == [(30.0, 1.5, "x", 1.0)]
    assert rows_of(read(b"30,1.5,x,1\n", PEOPLE, header="no")) == [(30.0, 1.5, "x", 1.0)]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [("c,a", [[3.0, 1.0]]), ("1-2", [[2.0, 3.0]]), ("2,0-1", [[3.0, 1.0, 2.0]]), ("1", [[2.0]])],
)
def test_columns_are_picked(read: Reader, selection: str, expected: list[list[float]]) -> None:
    for rule in ("refuse", "default"):
        table = read(b"a,b,c\n1,2,3\n", selection=parse_selection(selection), on_bad_row=rule)
        assert table.numbers.tolist() == expected


def test_a_pick_by_name_keeps_binding_by_name(read: Reader) -> None:
    content = b"income,other,age\n1.5,x,30\n"
    for text in ("age,income", "income,age"):
        assert rows_of(read(content, (AGE, INCOME), selection=parse_selection(text))) == [(30.0, 1.5)]


def test_a_pick_by_position_binds_by_position(read: Reader) -> None:
    assert rows_of(read(b"x,y,z\n1,2,3\n", (AGE, INCOME), selection=parse_selection("2,0"))) == [(3.0, 1.0)]


@pytest.mark.parametrize(
    ("content", "header", "expected"),
    [
        (b"a,b\n1,2\n", "auto", [[1.0, 2.0]]),
        (b",b\n1,2\n", "auto", [[1.0, 2.0]]),
        (b"1,2\n1,2\n", "yes", [[1.0, 2.0]]),
        (b"2019,2020\n1,2\n", "auto", [[2019.0, 2020.0], [1.0, 2.0]]),
        (b"1,2\n1,2\n", "no", [[1.0, 2.0], [1.0, 2.0]]),
    ],
)
def test_a_header_is_recognised_or_stated(read: Reader, content: bytes, header, expected) -> None:
    assert read(content, header=header).numbers.tolist() == expected


def test_a_table_of_texts_has_a_header_when_it_holds_the_declared_names(read: Reader) -> None:
    columns = (NAME, ColumnSpec("town", Kind.TEXT))
    assert rows_of(read(b"town,name\nBonn,Ann\n", columns)) == [("Ann", "Bonn")]
    assert rows_of(read(b"Ann,Bonn\n", columns)) == [("Ann", "Bonn")]


def test_only_a_line_feed_ends_a_line(read: Reader) -> None:
    odd = "a\rb\x0bc\x0cd\x1ce\x85f\u2028g"
    assert rows_of(read(f"name\n{odd}\r\nz\n".encode(), (NAME,))) == [(odd,), ("z",)]


# ---------------------------------------------------------------------------------------------------------------------
# Refused files


def test_a_bad_cell_is_named_by_line_and_column(read: Reader) -> None:
    content = b"age,income,name,vip\n30,1,x,true\nabc,1_000,y,maybe\n"
    assert refusals(read, content, PEOPLE) == [
        ("D0604", "people.csv, line 3, column 'age'", "not a natural number"),
        ("D0604", "people.csv, line 3, column 'income'", "not a number"),
        ("D0604", "people.csv, line 3, column 'vip'", "neither true nor false"),
    ]
    with pytest.raises(DuetError) as caught:
        read(content, PEOPLE)
    assert [one.help.rpartition(" ")[2] for one in caught.value.diagnostics] == ["18", "0", "0"]


@pytest.mark.parametrize(
    ("content", "columns", "expected"),
    [
        (b"", REAL, [("D0602", "people.csv", "is empty")]),
        (b"\xef\xbb\xbf", REAL, [("D0602", "people.csv", "is empty")]),
        (b"\n \n\r\n", REAL, [("D0602", "people.csv", "is empty")]),
        (b"a,b\n", REAL, [("D0602", "people.csv", "there is no data row")]),
        (b"age\n30\n", (AGE, INCOME), [("D0603", "people.csv", "the column 'income' is missing")]),
        (b"age,x y\n30,1\n", (AGE,), [("D0603", "people.csv", "the column 'x y' is not declared")]),
        (b"1,2\n", (REAL,), [("D0603", "people.csv", "2 columns where 1 is declared")]),
        (b"1\n", (REAL, REAL), [("D0603", "people.csv", "1 column where 2 are declared")]),
        (b"age,age\n1,2\n", (AGE,), [("D0607", "people.csv", "the header names the column 'age' more than once")]),
        (b"1,2\n3\n", REAL, [("D0605", "people.csv, line 2", "1 cell instead of 2")]),
        (b"1\n\n2\n", REAL, [("D0605", "people.csv, line 2", "the line is blank")]),
        (b"\n1\n", REAL, [("D0605", "people.csv, line 1", "the line is blank")]),
        (b"a\n\n2\n\n3\n\n", REAL, [("D0605", f"people.csv, line {n}", "the line is blank") for n in (2, 4)]),
        (b'1\n"2\n', REAL, [("D0605", "people.csv, line 2", "the quotes do not enclose whole cells")]),
        (b"1\n\xff\n", REAL, [("D0606", "people.csv, line 2", "the line is not UTF-8")]),
        (b"1,2\n3,nan\n", REAL, [("D0604", "people.csv, line 2, column 2", "not a number")]),
        (b"class\n3\n", (CLASS,), [("D0604", "people.csv, line 2, column 'class'", "not a natural number below 3")]),
    ],
)
def test_what_is_wrong_is_said(read: Reader, content: bytes, columns, expected: list[tuple[str, str, str]]) -> None:
    assert refusals(read, content, columns) == expected


@pytest.mark.parametrize("rule", ["refuse", "default"])
@pytest.mark.parametrize(
    ("content", "columns", "options", "message"),
    [
        (b"1,2\n", REAL, {"selection": "0-5"}, "there is no column at position 5, counted from 0"),
        (b"1,2\n", REAL, {"selection": "a", "header": "no"}, "there is no header row in which to find columns by name"),
        (b"a,b\n1,2\n", REAL, {"selection": "a,c"}, "the column 'c' is missing"),
        (b"a,b\n1,2\n", (REAL,), {"selection": "a,b"}, "2 columns where 1 is declared"),
        (b"age,b\n1,2\n", (AGE, INCOME), {"selection": "age"}, "the column 'income' is missing"),
    ],
)
def test_wrong_picks_are_refused_under_both_rules(
    read: Reader, rule: str, content: bytes, columns, options: dict[str, str], message: str
) -> None:
    options = {**options, "selection": parse_selection(options["selection"])}
    if rule == "default" and message.startswith("there is no column at"):
        # How many cells the first record has is no public fact: the columns that it lacks count as 0.
        assert read(content, columns, on_bad_row=rule, **options).numbers.tolist() == [[1.0, 2.0, 0.0, 0.0, 0.0, 0.0]]
        return
    found = refusals(read, content, columns, on_bad_row=rule, **options)
    assert ("D0603", "people.csv", message) in found


def test_all_problems_are_counted_and_twenty_are_told(read: Reader) -> None:
    found = refusals(read, b"1\n" + b"x\n" * 1000)
    assert len(found) == 21
    assert [where for _, where, _ in found[:20]] == [f"people.csv, line {n}, column 1" for n in range(2, 22)]
    assert found[-1] == ("D0604", "people.csv", "and 980 more problems")
    assert refusals(read, b"1\n" + b"x\n" * 21)[-1][2] == "and 1 more problem"
    assert len(refusals(read, b"1\n" + b"x\n" * 20)) == 20


@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_what_is_no_readable_file_is_refused(tmp_path: Path, rule) -> None:
    os.symlink("gone", tmp_path / "dangling")
    os.symlink("loop", tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    for name in ("gone", "dangling", "loop", "pipe", ".", "", "nul\0byte"):
        path = f"{tmp_path}/{name}" if name else ""
        with pytest.raises(DuetError) as caught:
            read_csv(path, REAL, on_bad_row=rule)
        assert [one.code for one in caught.value.diagnostics] == ["D0601"]
        assert caught.value.diagnostics[0].message.startswith("cannot be read")


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_bytes(b"1\n")
    os.symlink("real.csv", tmp_path / "link.csv")
    assert read_csv(tmp_path / "link.csv", REAL).numbers.tolist() == [[1.0]]


# ---------------------------------------------------------------------------------------------------------------------
# Total reading


def test_bad_rows_become_defaults(read: Reader) -> None:
    content = b'income,age,name,vip\n1.5,30,x,true\n\nabc,-1,"y,z\n2\n1,2,\xff,1,5,6\n,,,\n3,4,w,0\n'
    assert rows_of(read(content, PEOPLE, on_bad_row="default")) == [
        (30.0, 1.5, "x", 1.0),
        (18.0, 0.0, "nobody", 0.0),
        (18.0, 0.0, "y,z", 0.0),
        (18.0, 2.0, "nobody", 0.0),
        (2.0, 1.0, "\ufffd", 1.0),
        (18.0, 0.0, "", 0.0),
        (4.0, 3.0, "w", 0.0),
    ]


@pytest.mark.parametrize(
    ("ending", "rows"), [(b"", 2), (b"\n", 2), (b"\n\n", 2), (b"\n \r\n", 2), (b"\n\n\n", 3), (b"\n\n\n\n", 4)]
)
def test_one_blank_line_at_the_end_is_no_record(read: Reader, ending: bytes, rows: int) -> None:
    assert read(b"1\n2" + ending, on_bad_row="default", header="no").rows == rows


def test_declared_names_ask_for_a_header_whatever_the_first_record_looks_like(read: Reader) -> None:
    """The first record of a file without header must not decide, so this is refused for every first record."""
    for first in (b"30,1.5", b"abc,def", b"", b'"'):
        content = first + b"\n40,2.5\n"
        found = refusals(read, content, (AGE, INCOME), on_bad_row="default")
        assert [message for _, _, message in found][:2] == [
            "the column 'age' is missing",
            "the column 'income' is missing",
        ]
        assert "abc" not in str(found)
        assert read(content, (AGE, INCOME), on_bad_row="default", header="no").rows == 2


def test_most_lines_set_the_width_where_nothing_else_does(read: Reader) -> None:
    content = b"1,2,3\n" + b"4,5\n" * 3
    assert read(content, on_bad_row="default", header="no").numbers.shape == (4, 2)
    assert read(content, on_bad_row="default", header="no", selection=parse_selection("0-2")).numbers.shape == (4, 3)


def test_an_empty_file_is_a_table_without_rows(read: Reader) -> None:
    assert read(b"", (REAL, REAL), on_bad_row="default").numbers.shape == (0, 2)
    assert read(b"a,b\n", on_bad_row="default").numbers.shape == (0, 2)
    assert read(b"", (NAME,), on_bad_row="default", header="no").texts.shape == (0, 1)


# ---------------------------------------------------------------------------------------------------------------------
# Containment: one changed line, one changed record

CANARY = "8675309.25"
STRANGE = [
    b"", b" ", b"\r", b'"', b'""', b'"""', b'"a', b",", b",,,,,,,,", b"1", b"nan,inf,-inf,1e400", b"1_000", b"\x00", b"\xff\xfe",
    b"\x0b\x0c\x1c\x85", "１２,½".encode(), "\u2028,\u2029".encode(), b"9" * 5000, b"age,income,name,vip", b"income,age,vip,name",
    b'1,"2,3,4', b"\xef\xbb\xbf1,2,3,4", b"=cmd(),1,2,3", b"1;2;3;4", b"a\rb,c", b"1,2\r,3,4", b'"1"x,2,3,4', b"e,.,+,-",
]  # fmt: skip


def mutate(line: bytes, dice: random.Random) -> bytes:
    """One line made strange, without a line feed."""
    if dice.random() < 0.4:
        return dice.choice(STRANGE)
    result = bytearray(line)
    for _ in range(dice.randint(1, 4)):
        at = dice.randint(0, len(result))
        piece = dice.choice([b'"', b",", b"\r", b"\x00", b"e", b".", b"-", b"9", b" ", bytes([dice.randrange(256)])])
        if dice.random() < 0.5 and at < len(result):
            del result[at]
        result[at:at] = piece
    return bytes(result).replace(b"\n", b"")


def a_file(dice: random.Random, rows: int = 12) -> list[bytes]:
    """The lines of a file about people; names and numbers hold the canary."""
    lines = []
    for _ in range(rows):
        name = dice.choice(["x", '"a,b"', f"{CANARY}", '"say ""hi"""', ""])
        lines.append(
            f"{dice.randint(0, 99)},{dice.choice([CANARY, '1.5', '-2e3'])},{name},{dice.choice(['true', '0'])}".encode()
        )
    return lines


def changed_rows(before: list[tuple], after: list[tuple]) -> int:
    """The least number of records that have moved, when at most one line was changed in its place."""
    if len(before) == len(after):
        return sum(a != b for a, b in zip(before, after, strict=True))
    shorter, longer = sorted((before, after), key=len)
    missing = len(longer) - len(shorter)
    return missing if shorter == longer[: len(shorter)] else len(longer)


LAYOUTS = [
    ((AGE, INCOME, NAME, VIP), b"age,income,name,vip", {}),
    ((VIP, AGE), b"age,income,name,vip", {"selection": parse_selection("vip,age")}),
    ((AGE, INCOME, NAME, VIP), None, {"header": "no"}),
    ((AGE, INCOME), None, {"header": "no", "selection": parse_selection("0-1")}),
    (REAL, b"age,income,name,vip", {"header": "yes"}),
    (REAL, b"age,income,name,vip", {}),
    (REAL, None, {"header": "no", "selection": parse_selection("0-3")}),
    (REAL, None, {"header": "no"}),
]


def contained(read: Reader, seed: int) -> None:
    dice = random.Random(seed)
    columns, header, options = LAYOUTS[seed % len(LAYOUTS)]
    lines = a_file(dice)
    for _ in range(dice.randint(0, 3)):
        lines[dice.randrange(len(lines))] = dice.choice(STRANGE)
    end = dice.choice([b"", b"\n", b"\n\n"])
    head = [] if header is None else [header]
    tables = []
    at = dice.randrange(len(lines))
    for changed in (lines, [*lines[:at], mutate(lines[at], dice), *lines[at + 1 :]]):
        # A last line that is empty and has no line feed is no line: that would be a line taken away, not changed.
        feed = end or (b"" if changed[-1] else b"\n")
        content = b"\n".join([*head, *changed]) + feed
        tables.append(rows_of(read(content, columns, on_bad_row="default", **options)))
    assert changed_rows(*tables) <= 1, (seed, lines[at])


def test_one_changed_line_moves_one_record(read: Reader) -> None:
    for seed in range(800):
        contained(read, seed)


@pytest.mark.slow
def test_one_changed_line_moves_one_record_in_many_files(read: Reader) -> None:
    for seed in range(800, 30_000):
        contained(read, seed)


def test_a_reader_of_quoted_line_breaks_is_not_contained() -> None:
    """The control: the same measure on the csv module."""
    worst = 0
    for seed in range(300):
        dice = random.Random(seed)
        lines = a_file(dice)
        at = dice.randrange(len(lines))
        tables = []
        for changed in (lines, [*lines[:at], mutate(lines[at], dice), *lines[at + 1 :]]):
            text = b"\n".join(changed).decode("latin-1").replace("\x00", "?")
            tables.append([tuple(row) for row in csv.reader(io.StringIO(text.replace("\r", "?"), newline="\n"))])
        worst = max(worst, changed_rows(*tables))
    assert worst > 1


def test_no_message_holds_a_cell(read: Reader) -> None:
    """Files full of canaries, with and without header, in every layout: refused or not, no canary is told."""
    told = 0
    for seed in range(1500):
        dice = random.Random(seed)
        columns, header, options = LAYOUTS[seed % len(LAYOUTS)]
        options = {**options, "header": dice.choice([options.get("header", "auto"), "auto"])}
        secrets = [f"canary{n}" for n in range(4)] + [CANARY, f"{CANARY}x", f'"{CANARY}', "canary,canary"]
        lines = [",".join(dice.choice(secrets) for _ in range(dice.choice([4, 4, 4, 3, 5]))).encode() for _ in range(5)]
        lines[dice.randrange(5)] = dice.choice([b"1,2,3,4", b"canary\xff", b"", a_file(dice)[0]])
        has_header = header is not None and (options["header"] == "yes" or dice.random() < 0.7)
        content = b"\n".join([header, *lines] if has_header else lines)
        try:
            read(content, columns, on_bad_row=dice.choice(["refuse", "refuse", "default"]), **options)
        except DuetError as error:
            told += 1
            words = repr(error.diagnostics) + str(error) + repr(error.__cause__) + repr(error.__context__)
            assert "canary" not in words
            assert "8675309" not in words
    assert told > 500


# ---------------------------------------------------------------------------------------------------------------------
# The quick way, chunks and limits

NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9).map(str),
    st.from_regex(r"\A[+-]?[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?\Z"),
    st.sampled_from(["0", "-0", "-0.0", "+0", "000000000000000000", "999999999999999", "9007199254740993", "1e400", "1e-400"]),
)  # fmt: skip


@QUICK
@given(st.integers(1, 4), st.lists(NUMBERS, min_size=1, max_size=40), st.sampled_from(["\n", "\r\n"]))
def test_the_quick_way_gives_the_same_bits(width: int, cells: list[str], end: str) -> None:
    cells = (cells * width)[: len(cells) // width * width or width]
    lines = [",".join(cells[at : at + width]) for at in range(0, len(cells), width)]
    plain = parse_plain((end.join(lines) + end).encode(), width)
    expected = [parse_real(cell.encode()) for cell in cells]
    if None in expected:
        assert plain is None
    else:
        assert plain is not None
        assert plain.values.tobytes() == np.array(expected).tobytes()
        assert plain.values.shape == plain.lengths.shape == (len(lines), width)
        assert plain.lengths.ravel().tolist() == [len(cell) for cell in cells]
        assert plain.digits_only().ravel().tolist() == [cell.isdigit() for cell in cells]


@settings(max_examples=1500, derandomize=True, deadline=None)
@given(st.binary(min_size=1, max_size=12) | st.text('0123456789+-.eE,\r\n "', min_size=1, max_size=14).map(str.encode))
def test_the_quick_way_takes_nothing_that_the_slow_way_refuses(content: bytes) -> None:
    block = content + b"\n"
    for width in (1, 2):
        lines = [split_cells(line.removesuffix(b"\r")) for line in block.split(b"\n")[:-1]]
        values = [[parse_real(cell) for cell in cells] for cells, _ in lines]
        is_good = all(
            keeps_rule and len(row) == width and None not in row
            for (_, keeps_rule), row in zip(lines, values, strict=True)
        )
        plain = parse_plain(block, width)
        if plain is not None:
            assert is_good
            assert plain.values.tolist() == values
        elif is_good:
            assert any(byte in block for byte in b' "\t')


@pytest.mark.parametrize("kind", [Kind.REAL, Kind.NAT, Kind.BOOL])
def test_both_ways_agree_on_every_kind(read: Reader, kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = (ColumnSpec(None, kind, below=50 if kind is Kind.NAT else None), REAL)
    for last in (
        b"1",
        b"0",
        b"00",
        b"01",
        b"7",
        b"49",
        b"50",
        b"-1",
        b"+1",
        b"1.0",
        b"1e0",
        b"9007199254740993",
        b"1" * 20,
    ):
        content = b"1,2.5\n0,-0\n" + last + b",3\n"
        for rule in ("refuse", "default"):
            results = []
            for is_quick in (True, False):
                with monkeypatch.context() as patch:
                    if not is_quick:
                        patch.setattr(records, "parse_plain", lambda block, width: None)
                    try:
                        results.append(read(content, columns, header="no", on_bad_row=rule).numbers.tobytes())
                    except DuetError as error:
                        results.append(repr(error.diagnostics))
            assert results[0] == results[1]


def test_plain_files_take_the_quick_way(read: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("the slow way was taken")

    monkeypatch.setattr(records.RecordReader, "_read_lines", fail)
    assert read(b"a,b\n" + b"1,-2.5e3\n" * 1000).rows == 1000
    assert read(b"1,30\n" * 10, (VIP, AGE)).rows == 10
    with pytest.raises(AssertionError):
        read(b"1, 30\n")


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 8, 13, 64])
@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_chunks_do_not_show(read: Reader, chunk: int, rule, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [
        b"\xef\xbb\xbfage,income\r\n1,2\r\n3,4\r\n5,6\r\n\r\n",
        b'age,income\n1,2\n"3",4\n\n5,6\n7,x\n\n\n',
        b"age,income\n1,2\n3,4",
        b"age,income\n",
        b"age,income\n\n\n1,2\n3\n",
    ]

    def outcome(content: bytes) -> object:
        try:
            return rows_of(read(content, (INCOME, AGE), on_bad_row=rule))
        except DuetError as error:
            return repr(error.diagnostics)

    expected = [outcome(content) for content in files]
    monkeypatch.setattr(csv_module, "_CHUNK", chunk)
    monkeypatch.setattr(csv_module, "_SAMPLE_LINES", 1)
    assert [outcome(content) for content in files] == expected


@pytest.mark.parametrize("chunk", [1, 4, 7, 100])
def test_long_lines_are_bad_rows_of_bounded_size(read: Reader, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_module, "_CHUNK", chunk)
    for module in (csv_module, records):
        monkeypatch.setattr(module, "LONGEST_LINE", 6)
    content = b"1,2\n" + b"3" * 5 + b",44444444444444444\n5,6\n"
    assert refusals(read, content) == [("D0605", "people.csv, line 2", "the line is longer than 6 bytes")]
    assert read(content, on_bad_row="default", header="no").numbers.tolist() == [[1.0, 2.0], [33333.0, 0.0], [5.0, 6.0]]
    assert read(b"1,2\n33,444\n", header="no").numbers.tolist() == [[1.0, 2.0], [33.0, 444.0]]


def test_a_large_file_of_mixed_blocks(read: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain and other blocks alternate; the rows keep their order and the memory its contents."""
    monkeypatch.setattr(csv_module, "_CHUNK", 1 << 12)
    lines = [f"{n},{n / 7!r},{'x' if n % 997 else 'y, z'!r}" for n in range(20_000)]
    lines = [f"{n},{n / 7!r}" if n % 1500 < 1200 else f'"{n}", {n / 7!r}' for n in range(20_000)]
    table = read("\n".join(lines).encode())
    assert table.numbers.tolist() == [[float(n), n / 7] for n in range(20_000)]
    assert [block.rows for block in table.blocks()] == [8192, 8192, 20_000 - 2 * 8192]
