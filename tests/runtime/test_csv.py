"""CSV files: one line, one record; what is refused, and in which words; total reading."""

import os
from pathlib import Path

import pytest

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.column_selection import parse_selection
from duetpy.runtime.sources.csv import CsvFile
from duetpy.runtime.sources.table import ColumnSpec, Kind
from tests.runtime.people import AGE, CLASS, INCOME, NAME, PEOPLE, REAL, Reader, refusals, rows_of

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


@pytest.mark.parametrize(("columns", "options"), [(REAL, {"header": "yes"}), (PEOPLE, {})])
@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_where_the_first_line_is_the_whole_file_no_cell_is_told(read: Reader, columns, options, rule: str) -> None:
    """Lines that end in carriage returns alone: what would be taken for the names of columns is the rows."""
    found = refusals(read, b"age,income\r8675309,1.5\r41,2\r", columns, on_bad_row=rule, **options)
    message = "the lines end in carriage returns only, so the whole file would be one line"
    assert [(code, said) for code, _, said in found] == [("D0603", message)]
    assert "8675309" not in str(found)


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
    assert rows_of(read(b"Ann,Bonn\n", columns, header="no")) == [("Ann", "Bonn")]


@pytest.mark.parametrize("content", [b"Ann,Bonn\n", b"id;Town;Name\n1;Bonn;Ann\n", b"Town,Name\nBonn,Ann\n"])
def test_a_table_of_texts_without_the_declared_names_is_refused(read: Reader, content: bytes) -> None:
    """If its first line counted as a row, a misspelt name would make a cell of a whole line of another separator."""
    for names in (("name", "town"), ("name",)):
        columns = tuple(ColumnSpec(name, Kind.TEXT) for name in names)
        found = refusals(read, content, columns)
        assert [(code, message) for code, _, message in found] == [
            ("D0603", f"the column '{name}' is missing") for name in names
        ]


def test_only_a_line_feed_ends_a_line(read: Reader) -> None:
    odd = "a\rb\x0bc\x0cd\x1ce\x85f\u2028g"
    assert rows_of(read(f"name\n{odd}\r\nz\n".encode(), (NAME,))) == [(odd,), ("z",)]


# ---------------------------------------------------------------------------------------------------------------------
# Refused files


def test_a_bad_cell_is_named_by_line_and_column(read: Reader) -> None:
    content = b"age,income,name,vip\n30,1,x,true\nabc,1_000,y,maybe\n"
    assert refusals(read, content, PEOPLE) == [
        ("D0604", "people.csv, line 3, column 'age'", "not a natural number below 2^53"),
        ("D0604", "people.csv, line 3, column 'income'", "not a number"),
        ("D0604", "people.csv, line 3, column 'vip'", "neither true nor false"),
    ]
    with pytest.raises(DuetError) as caught:
        read(content, PEOPLE)
    assert [one.help.partition(", or ")[2] for one in caught.value.diagnostics] == [
        "run with --on-bad-row default to count it as 18",
        "write `else 0` after the type and run with --on-bad-row default to count it as 0",
        'declare it `Str` and compare it with a word such as "yes", or '
        "write `else false` after the type and run with --on-bad-row default to count it as false",
    ]


@pytest.mark.parametrize(
    ("content", "columns", "expected"),
    [
        (b"", REAL, [("D0602", "people.csv", "is empty")]),
        (b"\xef\xbb\xbf", REAL, [("D0602", "people.csv", "is empty")]),
        (b"\n \n\r\n", REAL, [("D0602", "people.csv", "is empty")]),
        (b"a,b\n", REAL, [("D0602", "people.csv", "there are no data rows")]),
        (b"age\n30\n", (AGE, INCOME), [("D0603", "people.csv", "the column 'income' is missing")]),
        (b"1,2\n", (REAL,), [("D0603", "people.csv", "2 columns, but 1 is declared")]),
        (b"1\n", (REAL, REAL), [("D0603", "people.csv", "1 column, but 2 are declared")]),
        (b"age,age\n1,2\n", (AGE,), [("D0607", "people.csv", "the header names the column 'age' more than once")]),
        (b"1,2\n3\n", REAL, [("D0605", "people.csv, line 2", "1 cell instead of 2")]),
        (b"1\n\n2\n", REAL, [("D0605", "people.csv, line 2", "the line is blank")]),
        (b"\n1\n", REAL, [("D0605", "people.csv, line 1", "the line is blank")]),
        (b"a\n\n2\n\n3\n\n", REAL, [("D0605", "people.csv", "2 lines (2, 4): the line is blank")]),
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
        (b"a,b\n1,2\n", (REAL,), {"selection": "a,b"}, "2 columns, but 1 is declared"),
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


def test_problems_of_a_kind_in_a_column_are_one_diagnostic_with_the_first_lines(read: Reader) -> None:
    assert refusals(read, b"1\n" + b"x\n" * 1000) == [
        ("D0604", "people.csv, column 1", "1,000 bad cells (lines 2, 3, 4, …): not a number")
    ]
    assert refusals(read, b"1\nx\n2\nx\n") == [
        ("D0604", "people.csv, column 1", "2 bad cells (lines 2, 4): not a number")
    ]
    content = b"age,income\n1,\nx,\n,3\ny,z\n1\n\n1,2\n\n\n3,4\n"
    assert refusals(read, content, (AGE, INCOME)) == [
        ("D0604", "people.csv, column 'income'", "2 empty cells (lines 2, 3)"),
        ("D0604", "people.csv, column 'age'", "2 bad cells (lines 3, 5): not a natural number below 2^53"),
        ("D0604", "people.csv, line 4, column 'age'", "the cell is empty"),
        ("D0604", "people.csv, line 5, column 'income'", "not a number"),
        ("D0605", "people.csv, line 6", "1 cell instead of 2"),
        ("D0605", "people.csv", "3 lines (7, 9, 10): the line is blank"),
    ]


def test_all_problems_are_counted_and_twenty_kinds_are_told(read: Reader) -> None:
    columns = tuple(ColumnSpec(f"c{at}", Kind.REAL) for at in range(30))
    header = ",".join(column.name or "" for column in columns)
    found = refusals(read, f"{header}\n{','.join(['x'] * 30)}\n{','.join(['y'] * 30)}\n".encode(), columns)
    assert [where for _, where, _ in found[:20]] == [f"people.csv, column 'c{at}'" for at in range(20)]
    assert found[20:] == [("D0604", "people.csv", "and 20 more problems")]
    one = refusals(read, f"{header}\n{','.join(['x'] * 21 + ['1'] * 9)}\n".encode(), columns)
    assert one[19:] == [
        ("D0604", "people.csv, line 2, column 'c19'", "not a number"),
        ("D0604", "people.csv", "and 1 more problem"),
    ]


def test_blank_lines_are_counted_however_many_there_are(read: Reader) -> None:
    assert refusals(read, b"1\n" + b"\n" * 500 + b"2\n") == [
        ("D0605", "people.csv", "500 lines (2, 3, 4, …): the line is blank")
    ]


@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_what_is_no_readable_file_is_refused(tmp_path: Path, rule) -> None:
    os.symlink("gone", tmp_path / "dangling")
    os.symlink("loop", tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    for name in ("gone", "dangling", "loop", "pipe", ".", "", "nul\0byte"):
        path = f"{tmp_path}/{name}" if name else ""
        with pytest.raises(DuetError) as caught:
            CsvFile(path, REAL, on_bad_row=rule).read()
        assert [one.code for one in caught.value.diagnostics] == ["D0601"]
        assert caught.value.diagnostics[0].message.startswith("cannot be read")


@pytest.mark.parametrize("rule", ["refuse", "default"])
@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("people.csv.zip", "decompress"),
        ("people.csv.7z", "decompress"),
        ("people.PARQUET", "CSV"),
        ("p.xlsx", "CSV"),
        ("p.pq", "CSV"),
        ("p.JSONL", "CSV"),
        ("p.json.gz", "CSV"),
        ("p.parquet.gz", "decompress"),
        ("p.sqlite3", "CSV"),
    ],
)
def test_what_is_no_csv_by_its_name_is_not_read_as_bad_rows(tmp_path: Path, rule, name: str, help: str) -> None:
    (tmp_path / name).write_bytes(b"1\n2\n")
    with pytest.raises(DuetError) as caught:
        CsvFile(str(tmp_path / name), REAL, on_bad_row=rule).read()
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "D0601"
    assert help in diagnostic.help


def test_a_text_that_is_not_utf_8_counts_as_the_help_says(read: Reader) -> None:
    """The help promised the text with signs in the place of the bytes."""
    content, column = b"name\nx\nZ\xfcrich\n", ColumnSpec("name", Kind.TEXT)
    with pytest.raises(DuetError) as caught:
        read(content, (column,))
    assert "then a text that is not UTF-8 is empty, or missing if its type has a ?" in caught.value.diagnostics[0].help
    assert rows_of(read(content, (column,), on_bad_row="default")) == [("x",), ("",)]
    missing = ColumnSpec("name", Kind.TEXT, missing=frozenset({b""}))
    assert rows_of(read(content, (missing,), on_bad_row="default")) == [("x",), (None,)]


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_bytes(b"1\n")
    os.symlink("real.csv", tmp_path / "link.csv")
    assert CsvFile(str(tmp_path / "link.csv"), REAL).read().numbers.tolist() == [[1.0]]


# ---------------------------------------------------------------------------------------------------------------------
# Total reading


def test_bad_rows_become_defaults(read: Reader) -> None:
    content = b'income,age,name,vip\n1.5,30,x,true\n\nabc,-1,"y,z\n2\n1,2,\xff,1,5,6\n,,,\n3,4,w,0\n'
    assert rows_of(read(content, PEOPLE, on_bad_row="default")) == [
        (30.0, 1.5, "x", 1.0),
        (18.0, 0.0, "nobody", 0.0),
        (18.0, 0.0, "y,z", 0.0),
        (18.0, 2.0, "nobody", 0.0),
        (2.0, 1.0, "nobody", 1.0),
        (18.0, 0.0, "", 0.0),
        (4.0, 3.0, "w", 0.0),
    ]


@pytest.mark.parametrize(
    ("ending", "rows"), [(b"", 2), (b"\n", 2), (b"\n\n", 2), (b"\n \r\n", 2), (b"\n\n\n", 3), (b"\n\n\n\n", 4)]
)
def test_one_blank_line_at_the_end_is_no_record(read: Reader, ending: bytes, rows: int) -> None:
    assert read(b"1\n2" + ending, (REAL,), on_bad_row="default", header="no").rows == rows


@pytest.mark.parametrize(("most", "rows"), [(None, 2), (2, 2), (3, 3), (9, 3)])
def test_a_blank_line_at_the_end_is_a_record_if_there_may_be_so_many(
    tmp_path: Path, most: int | None, rows: int
) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"1\n2\n\n")
    assert CsvFile(str(path), (REAL,), "no", on_bad_row="default").read(rows=most).rows == rows


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


@pytest.mark.parametrize("content", [b"1,2,3\n4,5\n4,5\n", b"1,2\n4,5\n4,5\n", b"1\n", b"", b"\n"])
def test_no_line_sets_the_width_where_lines_are_protected_singly(read: Reader, content: bytes) -> None:
    found = refusals(read, content, on_bad_row="default", header="no")
    assert found == [("D0603", "people.csv", "the number of columns is not known")]
    rows = read(content, (REAL, REAL), on_bad_row="default", header="no").rows
    picked = read(content, on_bad_row="default", header="no", selection=parse_selection("0-2"))
    assert picked.numbers.shape == (rows, 3)


def test_an_empty_file_is_a_table_without_rows(read: Reader) -> None:
    assert read(b"", (REAL, REAL), on_bad_row="default").numbers.shape == (0, 2)
    assert read(b"a,b\n", on_bad_row="default").numbers.shape == (0, 2)
    assert read(b"", (NAME,), on_bad_row="default", header="no").texts.shape == (0, 1)
