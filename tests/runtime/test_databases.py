"""Tables of DuckDB files: what is stored is read, and what somebody wrote into the file to be computed is not."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release.charged_run import file_digest
from duetpy.runtime.release.whose_rows import sources_of
from duetpy.runtime.sources.column_selection import parse_data_argument
from duetpy.runtime.sources.files import files_of, outline_file, read_file
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.table import ColumnSpec, Kind
from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import ONE
from tests.cli.harness import spawn
from tests.runtime.people import rows_of

NUMBER = ColumnSpec("x", Kind.REAL)
NATURAL = ColumnSpec("x", Kind.NAT, default=7)
TEXT = ColumnSpec("x", Kind.TEXT, default="nobody")
TABLE = "duckdb:people.duckdb?table=t"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def connect(name: str = "people.duckdb", **options: Any) -> Any:
    """A database. What is imported with the tests lives until the end, and DuckDB complains of what does."""
    return import_module("duckdb").connect(name, **options)


def database(*statements: str, name: str = "people.duckdb") -> str:
    Path(name).unlink(missing_ok=True)
    with connect(name) as made:
        for statement in statements:
            made.execute(statement)
    return f"duckdb:{name}?table=t"


def cells(origin: str, *columns: ColumnSpec) -> list[Any]:
    rows = rows_of(read_file(origin, columns, None, Reading("default"), None))
    return [row[0] for row in rows] if len(columns) == 1 else rows


def refused(origin: str, *columns: ColumnSpec) -> tuple[str, str]:
    """What is refused; the same before a row is read and afterwards."""
    found = []
    for look in (
        lambda: read_file(origin, columns, None, Reading("default"), None),
        lambda: outline_file(origin, columns, None, Reading("default")),
    ):
        with pytest.raises(DuetError) as caught:
            look()
        found.append((caught.value.diagnostics[0].code, caught.value.diagnostics[0].message))
    assert found[0] == found[1]
    return found[0]


def test_a_macro_of_the_file_stands_for_no_function() -> None:
    """One that is named as DuckDB's own list of tables could let a view pass for a base table."""
    columns = "'x' AS column_name, 'DOUBLE' AS data_type, NULL AS column_default, 1 AS column_index, 1 AS table_oid"
    of = "'t' AS table_name, 'main' AS schema_name, false AS internal, '' AS sql"
    planted = [f"SELECT {columns}, {of}, name AS database_name FROM (VALUES ('people'), ('source')) v(name)"]
    database(
        "CREATE TABLE others(x DOUBLE)",
        "INSERT INTO others VALUES (1), (2)",
        "CREATE VIEW t AS SELECT sum(x) AS x FROM others",
        *(f"CREATE MACRO duckdb_{each}() AS TABLE {planted[0]}" for each in ("tables", "columns")),
    )
    assert refused(TABLE, NUMBER) == ("D0603", "has no table 't'")
    database(
        "CREATE TABLE t(x DOUBLE)",
        "INSERT INTO t VALUES (1)",
        "CREATE MACRO current_database() AS 'other'",
        "CREATE MACRO contains(a, b) AS error('canary')",
    )
    assert cells(TABLE, NUMBER) == [1.0]


def test_what_a_file_would_compute_is_not_read() -> None:
    origin = database("CREATE TABLE t(age INTEGER DEFAULT 3, x AS (age * 2))", "INSERT INTO t(age) VALUES (1), (2)")
    message = "the column 'x' may be generated, and what the file would compute is not read"
    assert refused(origin, NUMBER) == ("D0603", message)
    assert cells(origin, ColumnSpec("age", Kind.REAL)) == [1.0, 2.0]
    unnamed = ColumnSpec(None, Kind.REAL)
    assert refused(origin, unnamed, unnamed) == ("D0603", message)
    assert refused(origin, ColumnSpec("y", Kind.REAL)) == ("D0603", "the column 'y' is missing")
    database("CREATE TABLE t(x INTEGER DEFAULT 3, y INTEGER)", "INSERT INTO t(x) VALUES (1), (2)")
    assert cells(TABLE, NUMBER) == [1.0, 2.0]
    database("CREATE TABLE t(x INTEGER, y AS (x * 2))", "INSERT INTO t(x) VALUES (1), (2)")
    assert cells(TABLE, NUMBER) == [1.0, 2.0]


def test_a_generated_column_is_refused_where_the_library_does_not_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duetpy.runtime.sources.database._IS_GENERATED", "nothing")
    origin = database("CREATE TABLE t(age INTEGER, x AS (age * 2))", "INSERT INTO t(age) VALUES (1), (2)")
    assert refused(origin, NUMBER)[0] == "D0603"
    assert cells(origin, ColumnSpec("age", Kind.REAL)) == [1.0, 2.0]


@pytest.mark.sparse(4)
@pytest.mark.parametrize("name", ["main", "system", "temp", "memory", "source", "a b", "it's", "select", "ö"])
def test_a_database_of_any_name(name: str) -> None:
    origin = database("CREATE TABLE t(x INTEGER)", "INSERT INTO t VALUES (3)", name=f"{name}.db")
    assert cells(origin, NUMBER) == [3.0]


def test_columns_and_tables_of_any_name() -> None:
    database('CREATE TABLE "a ""b"" --"("x y" INTEGER, "SELECT" INTEGER, "ä;""" INTEGER)')
    with connect() as made:
        made.execute('INSERT INTO "a ""b"" --" VALUES (1, 2, 3)')
    origin = "duckdb:people.duckdb?table=a%20%22b%22%20--"
    for name, cell in {"x y": 1.0, "SELECT": 2.0, 'ä;"': 3.0}.items():
        assert cells(origin, ColumnSpec(name, Kind.REAL)) == [cell]
    assert refused(origin, ColumnSpec("X Y", Kind.REAL)) == ("D0603", "the column 'X Y' is missing")


NUMBERS: dict[str, tuple[list[str], list[float], list[float]]] = {
    "BIGINT": (["9007199254740991", "NULL", "-1", "9007199254740993"], [2**53 - 1, 0, -1, 2**53], [2**53 - 1, 7, 7, 7]),
    "UBIGINT": (["18446744073709551615", "NULL", "3"], [2.0**64, 0, 3], [7, 7, 3]),
    "HUGEINT": (["170141183460469231731687303715884105727", "3", "NULL"], [2.0**127, 3, 0], [7, 3, 7]),
    "UHUGEINT": (["3", "NULL"], [3, 0], [3, 7]),
    "DECIMAL(38, 10)": (
        ["1.0000000001", "2", "NULL", "9007199254740990.5"],
        [1.0000000001, 2, 0, 9007199254740990.5],
        [7, 2, 7, 7],
    ),
    "FLOAT": (["'nan'", "1.5", "'inf'", "NULL"], [0, 1.5, 0, 0], [7, 7, 7, 7]),
    "DOUBLE": (["'-inf'", "-0.0", "1e300"], [0, 0, 1e300], [7, 0, 7]),
    "BOOLEAN": (["true", "NULL", "false"], [1, 0, 0], [1, 7, 0]),
    "TINYINT": (["1"], [1], [1]),
}


@pytest.mark.sparse(3)
@pytest.mark.parametrize("type_", NUMBERS)
def test_numbers_of_every_type(type_: str) -> None:
    written, reals, naturals = NUMBERS[type_]
    origin = database(f"CREATE TABLE t(x {type_})", *(f"INSERT INTO t VALUES ({cell})" for cell in written))
    assert cells(origin, NUMBER) == reals
    assert cells(origin, NATURAL) == naturals
    assert refused(origin, TEXT)[0] == "D0618"


@pytest.mark.parametrize("type_", ["VARCHAR", "VARCHAR COLLATE nocase", "ENUM('a', 'B')", "JSON"])
def test_texts_of_every_type(type_: str) -> None:
    made = "'\"a\"'" if type_ == "JSON" else "'a'"
    origin = database(f"CREATE TABLE t(x {type_})", f"INSERT INTO t VALUES ({made}), (NULL)")
    assert cells(origin, TEXT) == [made.strip("'"), "nobody"]


def test_days() -> None:
    """The page about data said that they were read."""
    days = ["'2024-02-29'", "NULL", "'infinity'", "'0044-03-15 (BC)'", "'10000-01-01'", "'9999-12-31'"]
    days += ["'-infinity'", "'5877642-06-25 (BC)'", "'5881580-07-10'", "'0001-01-01'"]
    origin = database("CREATE TABLE t(x DATE)", *(f"INSERT INTO t VALUES ({day})" for day in days))
    column = ColumnSpec("x", Kind.DATE, missing=frozenset({b""}))
    found = read_file(origin, (column,), None, Reading(on_bad_row="drop"), None).numbers[:, 0]
    assert found[[0, 2, 3]].tolist() == [738945.0, 3652059.0, 1.0]
    assert np.isnan(found).tolist() == [False, True, False, False]
    with pytest.raises(DuetError) as caught:
        read_file(origin, (column,), None, Reading(), None)
    assert [(each.code, each.message) for each in caught.value.diagnostics] == [
        ("D0604", "6 bad cells (rows 3, 4, 5, …): not a date such as 2024-02-29")
    ]


OTHERS: dict[str, str] = {
    "VARCHAR": "'1'",
    "ENUM('1')": "'1'",
    "DATE": "'infinity'",
    "TIMESTAMP": "'infinity'",
    "TIMESTAMPTZ": "'-infinity'",
    "TIME": "'24:00:00'",
    "TIMETZ": "'00:00:00+15:59:59'",
    "INTERVAL": "'178000000 years'",
    "UUID": "uuid()",
    "BLOB": "'1'",
    "BIT": "'1'",
    "INTEGER[]": "[1]",
    "DECIMAL(5, 2)[]": "[1]",
    "DATE[]": "['infinity'::DATE]",
    "STRUCT(a INTEGER)": "{a: 1}",
    "MAP(INTEGER, INTEGER)": "map {1: 2}",
    "UNION(number INTEGER, word VARCHAR)": "'a'",
}


@pytest.mark.sparse(4)
@pytest.mark.parametrize("type_", OTHERS)
def test_a_column_of_another_type_is_refused_with_any_cells_and_none(type_: str) -> None:
    """Also one with a cell that the library cannot give to Python: no cell of it is asked for."""
    for rows in ([], ["NULL"], ["NULL", OTHERS[type_]]):
        origin = database(f"CREATE TABLE t(x {type_})", *(f"INSERT INTO t VALUES ({cell})" for cell in rows))
        assert refused(origin, NUMBER)[0] == "D0618"
        if type_ not in ("VARCHAR", "ENUM('1')"):
            assert refused(origin, TEXT)[0] == "D0618"


# ---------------------------------------------------------------------------------------------------------------------
# The file, and what lies next to it

LEFT_OPEN = """
import duckdb, os, sys
made = duckdb.connect("people.duckdb")
for statement in sys.argv[1:]:
    made.execute(statement)
os._exit(0)
"""


def leave_open(*statements: str) -> None:
    """A process that ends before it has moved what it wrote into the database itself."""
    subprocess.run([sys.executable, "-c", LEFT_OPEN, *statements], check=True)


def test_what_was_written_last_lies_beside_the_file() -> None:
    """Also where a link leads to the file: what is next to the link is not what is next to the file."""
    leave_open("CREATE TABLE t(x INTEGER)", "CHECKPOINT", "INSERT INTO t VALUES (1)")
    Path("link.duckdb").symlink_to("people.duckdb")
    for origin in (TABLE, "duckdb:link.duckdb?table=t"):
        assert refused(origin, NUMBER)[0] == "D0601"
        assert file_digest(origin, b"key") is None
        assert files_of(origin) == tuple(str(Path(name).resolve()) for name in ("people.duckdb", "people.duckdb.wal"))
    with connect() as writer:
        writer.execute("CHECKPOINT")
    for origin in (TABLE, "duckdb:link.duckdb?table=t"):
        assert cells(origin, NUMBER) == [1.0]
        assert file_digest(origin, b"key") == file_digest(TABLE, b"key") is not None


def test_a_database_that_somebody_writes_to_is_not_read() -> None:
    database("CREATE TABLE t(x INTEGER)")
    with connect() as writer:
        writer.execute("INSERT INTO t VALUES (1)")
        assert refused(TABLE, NUMBER)[0] == "D0601"
        writer.execute("CHECKPOINT")
        assert refused(TABLE, NUMBER) == ("D0601", "cannot be read as a DuckDB file")
        assert file_digest(TABLE, b"key") is None
        # Opening and closing the file would have ended the lock of this process.
        other = "import duckdb; duckdb.connect('people.duckdb', read_only=True)"
        assert b"lock" in subprocess.run([sys.executable, "-c", other], capture_output=True, check=False).stderr
    assert cells(TABLE, NUMBER) == [1.0]


def test_a_database_that_somebody_begins_to_write_to_has_a_digest_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    database("CREATE TABLE t(x INTEGER)")
    whole = file_digest(TABLE, b"key")
    assert whole is not None
    for free in range(4):
        answers = [*[False] * free, *[True] * 4]
        monkeypatch.setattr("duetpy.runtime.sources.files.is_busy", lambda path, answers=answers: answers.pop(0))
        assert file_digest(TABLE, b"key") == (whole if free else None)


def test_all_of_a_database_holds_each_of_its_tables() -> None:
    database("CREATE TABLE t(x INTEGER)")
    Path("people.db").hardlink_to("people.duckdb")
    type_ = t.Matrix(t.Norm.LINF, None, None, t.Uniform(ONE, t.DATA))

    def source(name: str) -> Any:
        (found,) = sources_of("xs", parse_data_argument(name), type_)
        return found

    assert source("people.db").is_one(source(TABLE))
    assert source(TABLE).is_one(source("duckdb:people.db?table=t"))
    assert not source("duckdb:people.db?table=u").is_one(source(TABLE))


def test_the_path_of_a_database_on_windows() -> None:
    assert parse_data_argument("xs=duckdb:C:\\x.db?table=t").path == "duckdb:C:\\x.db?table=t"
    found = parse_data_argument("duckdb:C:/x.db?table=t:age")
    assert (found.path, found.selection is None) == ("duckdb:C:/x.db?table=t", False)


def test_the_rows_of_a_large_table_are_read_in_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """By their places, which rows that were deleted leave open; also where a column has the name of the place."""
    monkeypatch.setattr("duetpy.runtime.sources.database._BATCH_ROWS", 7)
    origin = database(
        "CREATE TABLE t AS SELECT i::DOUBLE AS x FROM range(100) r(i)", "DELETE FROM t WHERE x % 3 = 0 OR x > 90"
    )
    kept = [float(i) for i in range(91) if i % 3]
    assert cells(origin, NUMBER) == kept
    assert outline_file(origin, (NUMBER,), None, Reading("default")).rows == {len(kept)}
    database("CREATE TABLE t AS SELECT i::DOUBLE AS x, 5 AS rowid FROM range(30) r(i)")
    assert cells(origin, NUMBER) == [float(i) for i in range(30)]
    database("CREATE TABLE t(x DOUBLE)")
    assert cells(origin, NUMBER) == []


@pytest.mark.parametrize("source", [TABLE, "duckdb:people.duckdb?table=none", "sql:SELECT max(x) AS x FROM 'q.duckdb'"])
def test_nothing_of_the_library_is_said_at_the_end(source: str, tmp_path: Path) -> None:
    """It takes what the process does not give back for a leak, and lists it on standard error."""
    database("CREATE TABLE t AS SELECT 0.5 AS x")
    total = "mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 1.0] row.x }"
    program = f"pλ m : ℕ . xs : 𝕄 [L∞, U | m, x : 𝔻 else 0 ∷ []] ⇒ laplace[auto, 0.5] <xs> {{ {total} }}"
    Path("n.eps.duet").write_text(program, encoding="utf-8")
    done = spawn(tmp_path, "run", "n.eps.duet", "--data", source, "--format", "json")
    said = [*done.stdout.splitlines(), *done.stderr.splitlines()]
    assert [json.loads(line)["program"] for line in said] == ["n.eps.duet"]
    assert done.returncode == (source != TABLE)
