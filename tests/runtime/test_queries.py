"""Queries are row-wise or refused, mean what DuckDB means by them, and one row of the table makes at most one row of the result."""

import itertools
import json
import math
import re
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import Ledger, create
from duetpy.runtime.sources.column_selection import parse_data_argument
from duetpy.runtime.sources.files import opened, outline_file, read_file
from duetpy.runtime.sources.queries import LONGEST_QUERY, parse_query
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.row_functions import is_like
from duetpy.runtime.sources.table import ColumnSpec, Kind
from tests.runtime.people import QUICK, rows_of
from tests.runtime.queries import BAD, GOOD
from tests.runtime.runs import codes, go, refused

X = ColumnSpec("x", Kind.REAL, default=-7)
TEXT = ColumnSpec("x", Kind.TEXT, default="nobody")
FILE = '"people.duckdb".people'
ROWS = [
    (31, 1.5, "Ann", True, "NY", "2"),
    (44, None, "Bob_", False, "VT", "x"),
    (None, -2.0, None, None, "NY", None),
    (5, 0.0, "Ände", True, None, " 3.5 "),
    (0, 1e9, "", False, "%", "1e3"),
]
TABLE = (
    "CREATE TABLE people(age INTEGER, income DOUBLE, name VARCHAR, vip BOOLEAN, state VARCHAR, born VARCHAR, day DATE)"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def connect(name: str = "people.duckdb") -> Any:
    return import_module("duckdb").connect(name)


@pytest.fixture(scope="session")
def made_people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files, made once."""
    folder = tmp_path_factory.mktemp("people")
    with connect(str(folder / "people.duckdb")) as made:
        made.execute(TABLE)
        made.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, DATE '2020-01-01')", ROWS)
        made.execute("CREATE VIEW seen AS SELECT * FROM people")
        made.execute("CREATE TABLE others AS SELECT * FROM people")
        made.execute("CREATE MACRO twice(x) AS x * 2")
        made.execute(f"COPY people TO '{folder / 'people.parquet'}' (FORMAT parquet)")
    return folder


@pytest.fixture
def people(made_people: Path) -> None:
    for name in ("people.duckdb", "people.parquet"):
        shutil.copy(made_people / name, name)


def read(query: str, *columns: ColumnSpec, rule: Any = "default") -> list[Any]:
    table = read_file(f"sql:{query}", columns or (X,), None, Reading(rule), None)
    return [row[0] for row in rows_of(table)] if len(table.columns) == 1 else rows_of(table)


def on(query: str, table: str) -> str:
    """A query on a table that it calls T."""
    return re.sub(r"\bT\b", lambda _: table, query)


def error(query: str, *columns: ColumnSpec) -> tuple[str, str]:
    """What is refused; the same before a cell is read and afterwards."""
    found = []
    for look in (read_file, outline_file):
        more = (None,) if look is read_file else ()
        with pytest.raises(DuetError) as caught:
            look(f"sql:{query}", columns or (X,), None, Reading("default"), *more)
        found.append((caught.value.diagnostics[0].code, caught.value.diagnostics[0].message))
    assert found[0] == found[1]
    return found[0]


# ---------------------------------------------------------------------------------------------------------------------
# What passes, and means what DuckDB means by it


def of_library(query: str) -> list[float | None]:
    with connect() as database:
        found = database.execute(on(query, "people")).fetchall()
    return [None if row[0] is None else float(row[0]) for row in found]


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize("query", GOOD)
@pytest.mark.parametrize("table", [FILE, "read_parquet('people.parquet')"])
@pytest.mark.sparse(4)
def test_a_row_wise_query_means_what_the_library_means_by_it(query: str, table: str) -> None:
    if "people.age" in query and table != FILE:
        table = "'people.parquet' AS people"
    if " T AS p" not in query and table != FILE and "AS people" not in table:
        table = "'people.parquet'"
    expected = [X.number if value is None else value for value in of_library(query)]
    found = read(on(query, table))
    # The library may give rows in another order.
    assert sorted(found) == sorted(expected)


def test_there_are_enough_of_them() -> None:
    assert len(GOOD) >= 25
    assert len(BAD) >= 60


def test_like_is_what_a_regular_expression_says() -> None:
    def words(signs: str, most: int) -> list[str]:
        return ["".join(word) for size in range(most + 1) for word in itertools.product(signs, repeat=size)]

    for pattern in words("ab%_", 4):
        expression = re.compile("".join({"%": ".*", "_": "."}.get(sign, sign) for sign in pattern))
        for text in words("ab", 5):
            assert is_like(text, pattern) == (expression.fullmatch(text) is not None), (text, pattern)


@pytest.mark.usefixtures("people")
def test_texts_and_stars_are_selected() -> None:
    assert read(f"SELECT name || '!' AS x FROM {FILE} WHERE vip", TEXT) == ["Ann!", "Ände!"]
    assert read(f"SELECT CASE WHEN vip THEN name ELSE NULL END AS x FROM {FILE}", TEXT)[:2] == ["Ann", "nobody"]
    with connect() as made:
        made.execute("CREATE TABLE two AS SELECT 1 AS b, 'z' AS x")
    assert read('SELECT * FROM "people.duckdb".two', TEXT) == ["z"]
    assert read('SELECT *, b + 1 AS c FROM "people.duckdb".two', ColumnSpec("c", Kind.REAL)) == [2.0]
    assert read("SELECT TRY_CAST(state AS DOUBLE) AS x FROM read_parquet('people.parquet')") == [-7.0] * 5


def test_numbers_that_are_none_are_missing() -> None:
    """No operation stops a run, whatever the cells are."""
    numbers = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 0.0, -0.0, None]
    pa.parquet.write_table(pa.table({"a": pa.array(numbers, pa.float64())}), "n.parquet")
    for expression in ("a + a", "a - a", "a * a", "a / a", "-a", "a / 0", "sqrt(a)", "abs(a)", "floor(a)", "sign(a)"):
        found = read(f"SELECT {expression} AS x FROM 'n.parquet'")
        assert len(found) == len(numbers)
        assert all(map(math.isfinite, found))
    assert read("SELECT a / a AS x FROM 'n.parquet'") == [-7, -7, -7, 1, 1, 1, -7, -7, -7]
    pa.parquet.write_table(pa.table({"a": pa.array([2**63 - 1, -(2**63), 0, None])}), "n.parquet")
    assert read("SELECT a * a AS x FROM 'n.parquet'") == [2.0**126, 2.0**126, 0.0, -7.0]


# ---------------------------------------------------------------------------------------------------------------------
# What is refused


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize("query", BAD)
@pytest.mark.sparse(3)
def test_what_is_not_row_wise_is_refused(query: str) -> None:
    code, message = error(on(query, FILE))
    assert (code, message.partition(":")[0]) == ("D0615", "is not a row-wise query")
    assert Path("people.duckdb").exists()


REFUSED_OTHERWISE = {
    "SELECT size AS x FROM T": ("D0603", "the column 'size' is missing"),
    "SELECT AGE AS x FROM T": ("D0603", "the column 'AGE' is missing"),
    "SELECT rowid AS x FROM T": ("D0603", "the column 'rowid' is missing"),
    "SELECT age AS y, y * 2 AS x FROM T": ("D0603", "the column 'y' is missing"),
    "SELECT age * 2 AS y FROM T WHERE y > 3": ("D0603", "the column 'y' is missing"),
    "SELECT age AS x, income AS x FROM T": ("D0607", "there are 2 columns 'x'"),
    'SELECT age AS x FROM "people.duckdb".seen': ("D0603", "has no table 'seen'"),
    'SELECT age AS x FROM "people.duckdb".duckdb_tables': ("D0603", "has no table 'duckdb_tables'"),
    'SELECT age AS x FROM "gone.duckdb".people': ("D0601", "cannot be read: No such file or directory"),
    "SELECT age AS x FROM 'gone.parquet'": ("D0601", "cannot be read: No such file or directory"),
}


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize("query", REFUSED_OTHERWISE)
def test_what_is_not_there_is_refused_as_in_any_table(query: str) -> None:
    assert error(on(query, FILE)) == REFUSED_OTHERWISE[query]


@pytest.mark.usefixtures("people")
def test_numbers_that_a_query_computes_are_no_texts_before_a_row_is_read() -> None:
    for query, column in (("SELECT age * 2 AS x FROM T", TEXT), ("SELECT name || '!' AS x FROM T", X)):
        assert error(on(query, FILE), column)[0] == "D0618"


@pytest.mark.usefixtures("people")
def test_generated_columns_are_not_read() -> None:
    with connect() as made:
        made.execute("CREATE TABLE made(a INTEGER, x AS (a * 2))")
    assert error('SELECT x FROM "people.duckdb".made')[0] == "D0603"


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize(
    "query",
    [
        f"SELECT {'(' * 5000}age{')' * 5000} AS x FROM {FILE}",
        f"SELECT {'-' * 0}{'abs(' * 300}age{')' * 300} AS x FROM {FILE}",
        f"SELECT age AS x FROM {FILE} WHERE {' AND '.join(['NOT (' * 30 + 'vip' + ')' * 30] * 3)} AND {'NOT ' * 3000}vip",
        f"SELECT age AS x FROM {FILE} -- {'x' * LONGEST_QUERY}",
        "SELECT '\ud800' AS x FROM t",
        "SELECT \0 AS x",
    ],
    ids=["brackets", "calls", "negations", "long", "half a character", "nothing"],
)
def test_a_query_of_any_size_and_letters_ends_in_a_diagnostic(query: str) -> None:
    try:
        found = str(len(read(query)))
    except DuetError as refusal:
        found = " ".join(each.code for each in refusal.diagnostics)
    assert found in ("D0615", str(len(ROWS)))


def test_a_part_of_a_node_that_is_not_known_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a version of the library that does not exist yet."""
    from duetpy.runtime.sources import queries

    plain = json.loads(queries._tree("SELECT age AS x FROM 'x.parquet' WHERE vip"))
    places = [
        plain["statements"][0],
        plain["statements"][0]["node"],
        plain["statements"][0]["node"]["from_table"],
        plain["statements"][0]["node"]["where_clause"],
        plain["statements"][0]["node"]["select_list"][0],
    ]
    monkeypatch.setattr(queries, "_tree", lambda _: json.dumps(plain))
    assert parse_query.__wrapped__("sql:SELECT 1").file == "x.parquet"
    for place in places:
        for value in ({"a": 1}, "x", 1, True, [0], 0):
            place["shuffled"] = value
            with pytest.raises(DuetError) as caught:
                parse_query.__wrapped__("sql:SELECT 1")
            assert caught.value.diagnostics[0].code == "D0615"
        place["shuffled"] = None
        assert parse_query.__wrapped__("sql:SELECT 1").file == "x.parquet"


# ---------------------------------------------------------------------------------------------------------------------
# One row

CELLS = st.tuples(
    st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.integers(-3, 3)),
    st.one_of(st.none(), st.floats(width=64), st.sampled_from([0.0, -1.0, 2.5])),
    st.one_of(st.none(), st.text(max_size=4), st.sampled_from(["NY", "a%", "1", "1e400"])),
    st.one_of(st.none(), st.booleans()),
)
CONDITIONS = [
    "age > income",
    "age / income < 1 OR vip",
    "name LIKE '%a%'",
    "TRY_CAST(name AS DOUBLE) >= 0",
    "NOT (vip AND age IS NULL)",
    "coalesce(income, age, 0) * 1e308 IS NULL",
    "name IN ('NY', '1') OR length(name) > 2",
    "CASE WHEN vip THEN age ELSE sqrt(income) END BETWEEN -1 AND 2",
    "greatest(age, income) IS DISTINCT FROM least(age, income)",
]
ITEMS = ["age * income", "length(name || name)", "CASE WHEN vip THEN age ELSE income END", "TRY_CAST(name AS DOUBLE)"]


def stored(rows: list[Any]) -> None:
    names = ("age", "income", "name", "vip")
    types = (pa.int64(), pa.float64(), pa.string(), pa.bool_())
    columns = zip(*rows, strict=True) if rows else ([], [], [], [])
    arrays = [pa.array(list(column), type_) for column, type_ in zip(columns, types, strict=True)]
    pa.parquet.write_table(pa.table(dict(zip(names, arrays, strict=True))), "r.parquet")


@QUICK
@given(st.lists(CELLS, max_size=6), CELLS, st.sampled_from(CONDITIONS), st.sampled_from(ITEMS), st.data())
def test_one_row_changes_at_most_one_row(
    rows: list[Any], row: Any, condition: str, item: str, data: st.DataObject
) -> None:
    """What comes out is what comes out of each row alone, in order."""
    query = f"SELECT {item} AS x FROM 'r.parquet' WHERE {condition}"
    at = data.draw(st.integers(0, len(rows)))

    def out(some: list[Any]) -> list[float]:
        stored(some)
        return read(query)

    before, alone = out(rows), out([row])
    start = len(out(rows[:at]))
    assert len(alone) <= 1
    assert out([*rows[:at], row, *rows[at:]]) == [*before[:start], *alone, *before[start:]]


def test_rows_of_many_blocks_keep_their_order() -> None:
    rows = 200_000
    pa.parquet.write_table(pa.table({"age": np.arange(rows)}), "m.parquet", row_group_size=70_000)
    found = read("SELECT age AS x FROM 'm.parquet' WHERE age >= 65530 AND age < 65540 OR age = 199999")
    assert found == [*range(65530, 65540), 199999]


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("", "", True),
        ("", "%", True),
        ("a", "", False),
        ("ab", "a_", True),
        ("ab", "_", False),
        ("a%b", "a%b", True),
        ("aXbXc", "a%X%c", True),
        ("a" * 50 + "b", "%a%a%a%a%c", False),
        ("äb", "_b", True),
        ("a\nb", "a_b", True),
        ("a\nb", "%a_b%", True),
        ("aXa.b", "%a.b%_", False),
        ("c" + "ab" * 600 + "c", "%" + "a_" * 600 + "c%", True),
        ("c" + "ab" * 600 + "c", "%" + "a_" * 600 + "d%", False),
    ],
)
def test_patterns(text: str, pattern: str, found: bool) -> None:
    assert is_like(text, pattern) is found
    with connect(":memory:") as database:
        assert database.execute("SELECT ? LIKE ?", [text, pattern]).fetchone() == (found,)


# ---------------------------------------------------------------------------------------------------------------------
# Runs

COUNT = "pλ . xs : 𝕄 [L∞, U | ★, x : 𝔻 else 0 ∷ []] ⇒ laplace[1.0, 0.5] <xs> { real (rows xs) }"
PUBLIC = COUNT.replace("pλ .", "pλ m : ℕ .").replace("★", "m")
BOTH = """pλ . xs : 𝕄 [L∞, U | ★, x : 𝔻 else 0 ∷ []], ys : 𝕄 [L∞, U | ★, x : 𝔻 else 0 ∷ []] ⇒
  a ← laplace[1.0, 0.5] <xs> { real (rows xs) } ; laplace[1.0, 0.25] <ys> { real (rows ys) }"""


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_rows_are_filtered_only_into_tables_of_private_size(tmp_path: Path, rule: Any) -> None:
    create(tmp_path / "l", parse_budget("epsilon=10"), "people")
    how = {"ledger": tmp_path / "l", "on_bad_row": rule}
    filtered, whole = f"sql:SELECT income AS x FROM {FILE} WHERE vip", f"sql:SELECT 1 * length(state) AS x FROM {FILE}"
    (found,) = refused(PUBLIC, {"xs": filtered}, how=how, m=2)
    assert found.code == "D0616"
    assert not Ledger(tmp_path / "l").state().entries
    assert go(COUNT, {"xs": filtered}, how=how | {"ledger": None, "insecure_noise": "none"}).result == 2.0
    if rule == "default":
        assert go(PUBLIC, {"xs": whole}, how=how, m=5).data["xs"]["rows"] == 5
        assert codes(refused(PUBLIC, {"xs": whole}, how=how, m=4)) == ["D0612"]


ALIGNED = """pλ . ⟨xs : 𝕄 [L∞, U | ★, x : 𝔻 else 0 ∷ []], ys : 𝕄 [L∞, U | ★, x : 𝔻 else 0 ∷ []]⟩ ⇒
  laplace[2.0, 0.5] <xs, ys> { real (rows xs) + real (rows ys) }"""


@pytest.mark.usefixtures("people")
def test_aligned_tables_have_the_rows_that_one_condition_chooses(tmp_path: Path) -> None:
    """Two conditions choose two groups of people. One more person in one group would be refused, and so seen."""
    create(tmp_path / "l", parse_budget("epsilon=10"), "people")
    rows, numbers = f"sql:SELECT income AS x FROM {FILE}", f"sql:SELECT length(state) AS x FROM {FILE}"
    (tmp_path / "two.csv").write_text("1\n2\n", encoding="utf-8")
    same = {"xs": f"{rows} WHERE vip", "ys": f"{numbers} WHERE (vip)"}
    assert go(ALIGNED, same, how={"on_bad_row": "default", "insecure_noise": "none"}).result == 4.0
    for other in (
        f"{rows} WHERE NOT vip",
        rows,
        str(tmp_path / "two.csv"),
        f"{rows} WHERE vip".replace(FILE, "read_parquet('people.parquet')"),
    ):
        for pair in ((same["xs"], other), (other, same["xs"])):
            how = {"on_bad_row": "default", "ledger": tmp_path / "l"}
            for inputs in (pair, map(parse_data_argument, pair)):
                found = refused(ALIGNED, dict(zip(("xs", "ys"), inputs, strict=True)), how=how)
                assert codes(found) == ["D0616"], pair
    assert not Ledger(tmp_path / "l").state().entries


@pytest.mark.usefixtures("people")
def test_whose_the_rows_are_the_table_decides() -> None:
    def epsilon(xs: str, ys: str) -> float:
        release = go(BOTH, {"xs": xs, "ys": ys}, how={"on_bad_row": "default"})
        return float(release.privacy["total"]["epsilon"])

    one, other = f"sql:SELECT age AS x FROM {FILE} WHERE vip", f"sql:SELECT income AS x FROM {FILE} WHERE NOT vip"
    table = "sql:SELECT age AS x FROM 'people.parquet'"
    assert epsilon(one, other) == 0.75
    assert epsilon(one, f"sql:SELECT age AS x FROM {FILE.replace('people.duckdb', './people.duckdb')}") == 0.75
    assert epsilon(one, 'sql:SELECT age AS x FROM "people.duckdb".others') == 0.5
    assert epsilon(one, table) == 0.5
    assert epsilon(table, "sql:SELECT 0 * age AS x FROM read_parquet('./people.parquet') WHERE vip") == 0.75
    assert [source.marks for source in (opened(one), opened("duckdb:people.duckdb?table=people"))] == [
        opened(other).marks
    ] * 2


@pytest.mark.usefixtures("people")
def test_another_query_is_another_run(tmp_path: Path) -> None:
    """Of the same bytes it makes other rows; the same query again is answered from the ledger."""
    create(tmp_path / "l", parse_budget("epsilon=10"), "people")
    replayed = []
    for condition in ("vip", "vip", "NOT vip", "vip"):
        query = f"sql:SELECT age AS x FROM {FILE} WHERE {condition}"
        release = go(COUNT, {"xs": query}, how={"ledger": tmp_path / "l", "on_bad_row": "default"})
        assert release.ledger is not None
        replayed.append(release.ledger["replayed"])
    assert replayed == [False, True, False, True]


@pytest.mark.usefixtures("people")
def test_a_query_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("count.eps.duet").write_text(COUNT, encoding="utf-8")
    query = f"sql:SELECT age AS x FROM {FILE} WHERE state = 'NY' AND vip"
    assert parse_data_argument(f"xs={query}").path == query
    assert parse_data_argument("sql:SELECT a::DOUBLE AS x FROM t:age").selection is None
    words = ["--insecure-noise", "none", "--format", "json"]
    assert main(["run", "count.eps.duet", "--data", f"xs={query}", *words]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["result"] == 1.0
    assert told["privacy"]["unit"] == "one row of duckdb:people.duckdb?table=people"
    assert main(["run", "count.eps.duet", "--data", query, "--out", "people.duckdb"]) == 2


@pytest.mark.usefixtures("people")
def test_a_busy_file_and_a_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    with connect() as writer:
        writer.execute("INSERT INTO others SELECT * FROM people")
        assert error(f"SELECT age AS x FROM {FILE}")[0] == "D0601"

    def absent(name: str) -> object:
        raise ModuleNotFoundError(name=name)

    parse_query.cache_clear()
    monkeypatch.setattr("duetpy.runtime.sources.queries.import_module", absent)
    with pytest.raises(DuetError) as caught:
        read(f"SELECT age AS x FROM {FILE}")
    assert "duetpy[duckdb]" in caught.value.diagnostics[0].help


def test_evaluate_takes_a_query() -> None:
    pa.parquet.write_table(pa.table({"x": [1.0, 2.0]}), "e.parquet")
    text = "sλ . xs : 𝕄 [L∞, U | ★, x : 𝔻 else 0 ∷ []] ⇒ real (rows xs)"
    assert duetpy.evaluate(text, xs="sql:SELECT x FROM 'e.parquet' WHERE x > 1") == 1.0


class Looked(str):
    """A text that counts how often somebody looks at signs of it from Python."""

    times = 0

    def __getitem__(self, place: Any) -> str:
        self.times += 1
        return super().__getitem__(place)


@pytest.mark.parametrize("pattern", ["%b%", "%aab%c", "a%a%a%b", "%_%b_", "x%", "%a_b%", "%_a_ab_%"])
def test_a_long_text_is_not_looked_at_sign_by_sign(pattern: str) -> None:
    text = Looked("a" * 10_000)
    assert not is_like(text, pattern)
    assert text.times <= 4
