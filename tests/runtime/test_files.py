"""Files of every kind hold the same rows, and what is wrong with one is said in fixed words."""

import errno
import gzip
import io
import os
import pickle
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release.whose_rows import sources_of
from duetpy.runtime.sources import opening
from duetpy.runtime.sources.column_selection import ByName, ByPosition, parse_data_argument
from duetpy.runtime.sources.files import outline_file, read_file
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.table import ColumnSpec, Kind, Table
from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import ONE
from tests.effort import often
from tests.runtime.people import AGE, CLASS, INCOME, PEOPLE, REAL, VIP, rows_of

ROWS = [(30, 1.5, "x", True), (41, -2.25, "y, z", False), (2**53 - 1, 0.0, "", True)]
GOOD = {"age": [30, 41, 2**53 - 1], "income": [1.5, -2.25, 0.0], "name": ["x", "y, z", ""], "vip": [True, False, True]}
MISSING = {
    "age": [30, None, 2**53 - 1],
    "income": [None, 1.5, 2.5],
    "name": ["x", None, "z"],
    "vip": [None, True, False],
}
DEFAULTS = [(30, 0.0, "x", False), (18, 1.5, "nobody", True), (2**53 - 1, 2.5, "z", False)]

Columns = dict[str, list]


def lines(columns: Columns, separator: str = ",") -> bytes:
    def written(cell: object) -> str:
        return f'"{cell}"' if isinstance(cell, str) else "" if cell is None else str(cell)

    head = separator.join(map(written, columns))
    return "\n".join(
        [head, *(separator.join(map(written, row)) for row in zip(*columns.values(), strict=True))]
    ).encode()


def database_in(path: str) -> Any:
    """A database. What is imported with the tests lives until the end, and DuckDB complains of what does."""
    return import_module("duckdb").connect(path)


def in_database(columns: Columns) -> str:
    with database_in("people.duckdb") as database:
        database.register("given", pa.table(columns))
        database.execute("CREATE TABLE people AS SELECT * FROM given")
        database.execute("CREATE VIEW seen AS SELECT * FROM people")
    return "duckdb:people.duckdb?table=people"


def saved(name: str, write: Callable[[str, Columns], object]) -> Callable[[Columns], str]:
    def save(columns: Columns) -> str:
        write(name, columns)
        return name

    return save


KINDS: dict[str, Callable[[Columns], str]] = {
    "csv": saved("people.csv", lambda name, columns: Path(name).write_bytes(lines(columns))),
    "semicolons": saved("people.txt", lambda name, columns: Path(name).write_bytes(lines(columns, ";"))),
    "tabs": saved("people.tsv", lambda name, columns: Path(name).write_bytes(lines(columns, "\t"))),
    "packed": saved("people.csv.gz", lambda name, columns: Path(name).write_bytes(gzip.compress(lines(columns)))),
    "packed tabs": saved(
        "PEOPLE.TSV.GZ", lambda name, columns: Path(name).write_bytes(gzip.compress(lines(columns, "\t")))
    ),
    "parquet": saved("people.parquet", lambda name, columns: pa.parquet.write_table(pa.table(columns), name)),
    "feather": saved("people.feather", lambda name, columns: pa.feather.write_feather(pa.table(columns), name)),
    "arrow": saved(
        "people.arrow", lambda name, columns: pa.feather.write_feather(pa.table(columns), name, compression="zstd")
    ),
    "duckdb": in_database,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(origin: str, columns=PEOPLE, *, selection=None, rule="refuse", header="auto") -> Table:
    return read_file(origin, columns, selection, Reading(rule, header), None)


def refused(origin: str, columns=PEOPLE, **options) -> tuple[str, str]:
    with pytest.raises(DuetError) as caught:
        read(origin, columns, **options)
    assert caught.value.__cause__ is None
    first = caught.value.diagnostics[0]
    return first.code, first.message


@pytest.mark.parametrize("rule", ["refuse", "default"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_holds_the_same_rows(kind: str, rule: str) -> None:
    origin = KINDS[kind](GOOD)
    assert rows_of(read(origin, rule=rule)) == ROWS
    assert rows_of(read(origin, (VIP, AGE), rule=rule)) == [(row[3], row[0]) for row in ROWS]
    picked = read(origin, REAL, selection=ByName(("income", "age")), rule=rule)
    assert picked.numbers.tolist() == [[income, age] for age, income, *_ in ROWS]
    outline = outline_file(origin, PEOPLE, None, Reading("default"))
    assert (outline.rows, outline.columns) == (frozenset({3}), 4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cell_that_is_missing_is_missing_in_every_kind_of_file(kind: str) -> None:
    origin = KINDS[kind](MISSING)
    # An empty cell of a file of lines is an empty text.
    is_text = origin.lower().endswith(("csv", "txt", "tsv", "gz"))
    rows = [(*row[:2], row[2].replace("nobody", "" if is_text else "nobody"), row[3]) for row in DEFAULTS]
    assert rows_of(read(origin, rule="default")) == rows
    with pytest.raises(DuetError) as caught:
        read(origin)
    assert {one.code for one in caught.value.diagnostics} == {"D0604"}
    assert len(caught.value.diagnostics) == 3 + (not is_text)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_that_nobody_declares_are_not_read(kind: str) -> None:
    """However they are: texts among numbers, cells that hold others, and a name that stands for two."""
    origin = KINDS[kind](GOOD | {"a, b": ["?", "9" * 400, "nan"], "c": ["1", "x", ""]})
    assert rows_of(read(origin)) == ROWS
    assert refused(origin, (*PEOPLE, ColumnSpec("nobody", Kind.REAL))) == ("D0603", "the column 'nobody' is missing")
    selection = ByName(("age", "c"))
    assert refused(origin, (AGE,), selection=selection) == ("D0603", "the column 'c' is not declared")


@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_arrays_in_files(rule: str) -> None:
    grid = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.save("grid.npy", grid)
    np.savez("grid.npz", grid)
    np.savez_compressed("people.npz", age=np.array([1, 2]), class_=np.array(["x", "y"]), more=np.zeros((3, 3)))
    np.save("records.npy", np.array([(1, 2.5)], dtype=[("age", "i8"), ("income", "f8")]))
    for name in ("grid.npy", "grid.npz"):
        assert read(name, (REAL, REAL), rule=rule).numbers.tolist() == grid.tolist()
    assert rows_of(read("people.npz", (AGE,), rule=rule)) == [(1,), (2,)]
    assert rows_of(read("records.npy", (INCOME, AGE), rule=rule)) == [(2.5, 1)]


def test_no_code_in_a_file_is_run(tmp_path: Path) -> None:
    class Planted:
        def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
            return Path.touch, (tmp_path / "run",)

    np.save("planted.npy", np.array([Planted()], dtype=object), allow_pickle=True)
    Path("pickled.npy").write_bytes(pickle.dumps(Planted()))
    Path("pickled.npz").write_bytes(pickle.dumps(Planted()))
    for name in ("planted.npy", "pickled.npy", "pickled.npz"):
        assert refused(name, REAL) == ("D0601", f"cannot be read as a .{name[-3:]} file")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("rule", ["refuse", "default"])
@pytest.mark.parametrize("kind", ["packed", "parquet", "feather", "arrow", "duckdb", "npy", "npz"])
def test_damage_is_told_in_fixed_words(kind: str, rule: str) -> None:
    """Cut anywhere, or with other bytes: rows or a refusal, and never a word of what is there."""
    if kind in ("npy", "npz"):
        origin = path = f"people.{kind}"
        save = np.save if kind == "npy" else lambda name, cells: np.savez(name, name=cells)
        save(path, np.array(["canary8675309"] * 3))
    else:
        origin = KINDS[kind](GOOD | {"name": ["canary8675309"] * 3})
        path = origin.removeprefix("duckdb:").partition("?")[0]
    content = Path(path).read_bytes()
    told: list[str] = []
    step = max(1, len(content) // often(24, 6))
    for at in range(0, len(content), step):
        for damaged in (content[:at], content[:at] + b"\xff\x00" + content[at + 2 :]):
            Path(path).write_bytes(damaged)
            try:
                read(origin, REAL if kind in ("npy", "npz") else PEOPLE, rule=rule)
            except DuetError as error:
                told.append(repr(error.diagnostics) + str(error) + repr(error.__context__))
    assert any("D0601" in words for words in told)
    assert not any("canary" in words for words in told)


def test_of_a_database_base_tables_are_read_and_nothing_else() -> None:
    """A view is a query: one row of it may be made of many, and another file may be read in it."""
    KINDS["duckdb"](GOOD)
    for name, message in {
        "duckdb:people.duckdb?table=seen": "has no table 'seen'",
        "duckdb:people.duckdb?table=PEOPLE": "has no table 'PEOPLE'",
        "duckdb:people.duckdb?table=x%22%20;--": "has no table 'x\" ;--'",
        "duckdb:people.duckdb?table=duckdb_tables": "has no table 'duckdb_tables'",
    }.items():
        assert refused(name) == ("D0603", message)
    for name in (
        "duckdb:people.duckdb",
        "duckdb:people.duckdb?sql=x",
        "duckdb:?table=x",
        "duckdb:people.duckdb?table=",
    ):
        assert refused(name) == ("D0601", "does not name one table")
    assert refused("duckdb:gone.duckdb?table=people")[0] == "D0601"
    assert not Path("gone.duckdb").exists()
    assert refused("duckdb::memory:?table=people")[0] == "D0601"


def test_a_table_of_a_database_is_a_source_of_its_own() -> None:
    """As a file is: the same table twice is the same people, and another table is others."""
    origin = KINDS["duckdb"](GOOD)
    with database_in("people.duckdb") as database:
        database.execute("CREATE TABLE others AS SELECT * FROM people")
    type_ = t.Matrix(t.Norm.LINF, None, None, t.Uniform(ONE, t.DATA))

    def source(name: str):
        (found,) = sources_of("xs", parse_data_argument(name), type_)
        return found

    assert source(origin).is_one(source("xs=duckdb:./people.duckdb?table=people:age"))
    assert not source(origin).is_one(source("duckdb:people.duckdb?table=others"))
    assert source("-").is_one(source("-:0"))
    assert not source("-").is_one(source("people.duckdb"))


def test_a_database_and_its_columns_on_the_command_line() -> None:
    found = parse_data_argument("xs=duckdb:a/b.duckdb?table=people:age,income")
    assert (found.name, found.path) == ("xs", "duckdb:a/b.duckdb?table=people")
    assert found.selection == ByName(("age", "income"))
    assert parse_data_argument("duckdb:b.duckdb?table=t").path == "duckdb:b.duckdb?table=t"
    assert parse_data_argument("duckdb:b.duckdb?table=t").selection is None


def test_a_library_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    origins = {"duckdb": KINDS["duckdb"](GOOD), "arrow": KINDS["parquet"](GOOD)}

    def absent(name: str) -> object:
        raise ModuleNotFoundError(name=name.partition(".")[0])

    for module in ("frames", "database"):
        monkeypatch.setattr(f"duetpy.runtime.sources.{module}.import_module", absent)
    for extra, origin in origins.items():
        with pytest.raises(DuetError) as caught:
            read(origin)
        (diagnostic,) = caught.value.diagnostics
        assert diagnostic.code == "D0601"
        assert f"duetpy[{extra}]" in diagnostic.help


# ---------------------------------------------------------------------------------------------------------------------
# What separates cells


def test_only_a_header_says_what_separates_cells() -> None:
    """One row must not: in a file without a header, or one of which only the look of the first line says that it has one."""
    Path("rows.csv").write_bytes(b"1;2\n3;4\n")
    assert read("rows.csv", (REAL, REAL), rule="default", header="no").numbers.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert refused("rows.csv", (REAL, REAL)) == ("D0603", "1 column, but 2 are declared")
    Path("words.csv").write_bytes(b"a;b\n3;4\n")
    assert read("words.csv", (REAL, REAL)).numbers.tolist() == [[3.0, 4.0]]
    assert read("words.csv", (REAL, REAL), rule="default", header="yes").numbers.tolist() == [[3.0, 4.0]]
    assert refused("words.csv", (REAL, REAL), rule="default") == ("D0603", "1 column, but 2 are declared")


@pytest.mark.parametrize(
    ("head", "row", "found"),
    [
        (b"age;a,b", b"7;1,2", 7),
        (b"a;b,age", b"1;2,7", 7),
        (b'"age"\t"a;b"', b"7\t1;2", 7),
        (b"age", b"7", 7),
        (b" age ; x", b" 7 ;1,5", 7),
    ],
)
@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_a_header_is_separated_as_the_declared_names_are(head: bytes, row: bytes, found: int, rule: str) -> None:
    Path("x.csv").write_bytes(head + b"\n" + row + b"\n")
    assert rows_of(read("x.csv", (AGE,), rule=rule)) == [(found,)]


def test_a_record_of_tabs_is_a_record() -> None:
    """Somebody all of whose cells are missing: not a blank line, which is nobody at the end of a file."""
    Path("x.tsv").write_bytes(b"age\tclass\n1\t2\n\t\n")
    assert rows_of(read("x.tsv", (AGE, CLASS), rule="default")) == [(1, 2), (18, 0)]
    assert outline_file("x.tsv", (AGE, CLASS), None, Reading("default")).rows == {2}
    Path("x.csv").write_bytes(b"age,class\n1,2\n\t\n")
    assert rows_of(read("x.csv", (AGE, CLASS), rule="default")) == [(1, 2)]
    assert rows_of(read("x.tsv", ColumnSpec(None, Kind.TEXT), selection=ByName(("class",)), rule="default")) == [
        ("2",),
        ("",),
    ]


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz", "people.npy", "people.parquet"])
def test_a_name_that_another_thing_takes_before_it_is_opened(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file was looked at by its name, and what had the name afterwards was read: a pipe without anybody, for ever."""
    file = os.stat(__file__)
    for other in (os.devnull, "pipe"):
        Path(name).unlink(missing_ok=True)
        Path(name).symlink_to(other)
        if other == "pipe":
            os.mkfifo(other)
        with monkeypatch.context() as patch:
            patch.setattr(os, "stat", lambda path, **how: file)
            with pytest.raises(DuetError) as caught:
                read_file(name, (REAL,), None, Reading(), None)
        (found,) = caught.value.diagnostics
        assert (found.code, found.message) == ("D0601", "cannot be read: not a regular file")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("parts", "join several files of one table"),
        ("parts.parquet", "join several files of one table"),
        ("parts*.parquet", "join several files of one table"),
        ("people.db", "duckdb:FILE?table=NAME"),
    ],
)
def test_what_is_no_file_of_rows_says_what_to_give_instead(name: str, words: str) -> None:
    Path("parts").mkdir()
    Path("parts.parquet").mkdir()
    with pytest.raises(DuetError) as caught:
        read_file(name, (REAL,), None, Reading(), None)
    (found,) = caught.value.diagnostics
    assert found.code == "D0601"
    assert words in str(found.help)


def test_a_packed_file_grows_in_memory_as_it_is_read() -> None:
    """Its own size says little of what is in it: two members, of which the last is short."""
    many = gzip.compress(b"age\n" + b"7\n" * 400_000) + gzip.compress(b"8\n")
    Path("x.csv.gz").write_bytes(many)
    table = read("x.csv.gz", (AGE,))
    assert table.rows == 400_001
    assert float(table.numbers.sum()) == 7 * 400_000 + 8


def test_standard_input_is_read_once_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines(GOOD, ";"))))
    for _ in range(2):
        assert rows_of(read("-")) == ROWS
        assert outline_file("-", PEOPLE, None, Reading("default")).rows == {3}
    monkeypatch.setattr("sys.stdin", None)
    assert refused("-") == ("D0601", "cannot be read: there is no standard input")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines(GOOD))))
    monkeypatch.setattr("duetpy.runtime.sources.opening.available", lambda: 40)
    assert refused("-") == ("D0601", "is too long to be kept in memory")


# ---------------------------------------------------------------------------------------------------------------------
# Names


@pytest.mark.parametrize("name", ["x.csv.gz.gz", "X.GZ.GZ", "x.tar.gz", "x.tgz", ".tgz", "x.tar", "x.bz2.gz"])
def test_a_file_that_is_packed_in_another_way_or_twice_is_not_read(name: str) -> None:
    """As lines it would be rows that nobody has."""
    Path(name).write_bytes(gzip.compress(b"age\n7\n"))
    code, message = refused(name, (AGE,), rule="default")
    assert code == "D0601"
    assert message.endswith("file is compressed")


@pytest.mark.parametrize("name", [".gz", ".csv.gz", "x.GZ", ".tsv.gz"])
def test_a_name_that_is_all_ending(name: str) -> None:
    Path(name).write_bytes(gzip.compress(b"age\tx\n7\t8\n"))
    assert rows_of(read(name, (AGE,), rule="default")) == [(7,)]


def test_a_hidden_name_ends_as_any_other() -> None:
    Path(".tsv").write_bytes(b"age\ta,b\n7\t1,2\n")
    assert read(".tsv", REAL, selection=ByPosition((0,)), rule="default", header="yes").numbers.tolist() == [[7.0]]
    for name in (".parquet", ".npy"):
        Path(name).write_bytes(b"age\n7\n")
        assert refused(name, (AGE,), rule="default") == ("D0601", f"cannot be read as a {name} file")


# ---------------------------------------------------------------------------------------------------------------------
# People


def test_a_table_in_memory_may_be_of_any_file() -> None:
    np.save("x.npy", np.zeros((3, 2)))
    np.save("z.npy", np.zeros((3, 2)))
    Path("y.npy").hardlink_to("x.npy")
    type_ = t.Matrix(t.Norm.LINF, None, None, t.Uniform(ONE, t.DATA))

    def source(value: object) -> Any:
        (found,) = sources_of("xs", value, type_)
        return found

    path, mapped = source("x.npy"), np.load("x.npy", mmap_mode="r")
    assert path.may_share(source("y.npy"))
    assert not path.may_share(source("z.npy"))
    for table in (mapped, mapped[1:], {"age": mapped[:, 0]}, list(mapped), np.zeros((3, 2))):
        assert path.may_share(source(table))
        assert source(table).may_share(source("z.npy"))
        assert source(table).is_one(source(table))
        assert not source(table).is_one(path)


# ---------------------------------------------------------------------------------------------------------------------
# Standard input


class Waiting(io.BytesIO):
    """A stream that has nothing at present and has not ended."""

    def read(self, size: int | None = -1) -> Any:
        return super().read(size) or None


class Broken(io.BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        raise OSError(5, "canary")


@pytest.mark.parametrize("stream", [io.StringIO("age\n1\n"), Waiting(b"age\n1\n"), Broken()])
def test_a_standard_input_that_cannot_be_read_to_its_end(stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    standard = stream if isinstance(stream, io.StringIO) else io.TextIOWrapper(stream)
    monkeypatch.setattr("sys.stdin", standard)
    for _ in range(2):
        assert refused("-", (AGE,))[0] == "D0601"
    monkeypatch.setattr("sys.stdin", io.StringIO())


def test_a_standard_input_that_is_too_long_is_not_read_from_where_that_showed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of it would be other rows."""
    monkeypatch.setattr("duetpy.runtime.sources.opening.available", lambda: 40)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"age\n1234567\nage\n7\n")))
    for _ in range(3):
        assert refused("-", (AGE,)) == ("D0601", "is too long to be kept in memory")


@pytest.mark.parametrize("name", ["p.csv", "p.csv.gz"])
def test_a_fault_that_shows_when_a_file_is_closed_is_one_of_the_file(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    class Failing(io.BytesIO):
        def __exit__(self, *_: object) -> None:
            self.close()
            raise OSError(errno.EIO, "Input/output error")

    def opened(origin: str) -> io.BytesIO:
        return Failing(b"1\n")

    def unpacked(handle: io.BytesIO) -> io.BytesIO:
        return handle

    monkeypatch.setattr(opening, "open_file", opened)
    monkeypatch.setattr(opening, "_Unpacked", unpacked)
    with pytest.raises(DuetError, match="cannot be read: Input/output error"), opening.lines_from(name) as lines:
        assert lines.read() == b"1\n"
