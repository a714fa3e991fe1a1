"""A small file that decompresses to a large one ends in a diagnostic. Where the number of rows is public, so is what decides."""

import gzip
import tracemalloc
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import Ledger, create
from duetpy.runtime.release.endings import Spent
from duetpy.runtime.sources import reading as reading_module
from duetpy.runtime.sources.files import outline_file, read_file
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.room import CHARACTER_BYTES, NUMBER_BYTES, TEXT_BYTES
from duetpy.runtime.sources.table import ColumnSpec, Kind

AGE = ColumnSpec("age", Kind.REAL)
NAME = ColumnSpec("name", Kind.TEXT, default="nobody")
ROWS = 200_000
MEMORY = 200_000

COUNT = (
    "pλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []] ⇒ "
    "laplace[1.0, 0.5] <xs> { (mcreate[L∞ | ℕ[1], ℕ[1]] { i, j ⇒ real (rows xs) })#[0, 0] }"
)
"""It does more with the table than go over it, so that the rows are kept."""
STAR = COUNT.replace("m : ℕ ", "").replace("| m,", "| ★,")


def packed(rows: int) -> str:
    Path("x.csv.gz").write_bytes(gzip.compress(b"age,name\n" + b"0,\n" * rows))
    return "x.csv.gz"


def blank(rows: int) -> str:
    Path("b.csv.gz").write_bytes(gzip.compress(b"age,name\n" + b"\n" * rows + b"0,\n"))
    return "b.csv.gz"


def archive(rows: int) -> str:
    np.savez_compressed("x.npz", age=np.zeros(rows, np.int8), name=np.full(rows, "", "U1"))
    return "x.npz"


def table(rows: int) -> Any:
    return pa.table({"age": pa.array(np.zeros(rows)), "name": pa.array([""] * rows)})


def parquet(rows: int) -> str:
    pa.parquet.write_table(table(rows), "x.parquet", compression="zstd")
    return "x.parquet"


def arrow(rows: int) -> str:
    pa.feather.write_feather(table(rows), "x.arrow", compression="zstd", chunksize=50_000)
    return "x.arrow"


def database(rows: int) -> str:
    with import_module("duckdb").connect("x.duckdb") as made:
        made.execute(f"CREATE OR REPLACE TABLE t AS SELECT 0.0::DOUBLE AS age, '' AS name FROM range({rows})")
    return "duckdb:x.duckdb?table=t"


BOMBS: dict[str, Callable[[int], str]] = {
    "lines": packed,
    "blank lines": blank,
    "arrays": archive,
    "Parquet": parquet,
    "Arrow": arrow,
    "DuckDB": database,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def code(look: Callable[[], Any]) -> str:
    try:
        look()
    except DuetError as error:
        return " ".join(each.code for each in error.diagnostics)
    return "read"


@pytest.mark.sparse(5)
@pytest.mark.parametrize("kind", BOMBS)
@pytest.mark.parametrize("column", [AGE, NAME], ids=["numbers", "texts"])
def test_a_bomb_is_refused_where_it_is_known_for_one(
    kind: str, column: ColumnSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = BOMBS[kind](ROWS)
    assert kind == "DuckDB" or Path(origin).stat().st_size < MEMORY
    columns = (column,)
    if kind != "blank lines":
        assert code(lambda: read_file(origin, columns, None, Reading("refuse", memory=MEMORY), None)) == "D0619"
    public = Reading("default", memory=MEMORY, has_public_rows=True)
    assert code(lambda: read_file(origin, columns, None, public, None)) == "D0619"
    private = Reading("default", memory=MEMORY)
    # The memory that a caller allows must not decide where the number of rows is private; that of the machine does.
    assert code(lambda: read_file(origin, columns, None, private, None)) == "read"
    assert code(lambda: outline_file(origin, columns, None, private)) == "read"
    monkeypatch.setattr(reading_module, "available", lambda: MEMORY)
    assert code(lambda: read_file(origin, columns, None, private, None)) == "D0619"
    assert code(lambda: outline_file(origin, columns, None, private)) == "read"


@pytest.mark.parametrize("kind", BOMBS)
def test_the_row_with_which_it_is_too_many(kind: str) -> None:
    """The same row for every kind: what decides is how many there are."""
    for rows, found in ((1000, "read"), (1001, "D0619")):
        origin = BOMBS[kind](rows - (kind == "blank lines"))
        room = Reading("default", memory=1000 * NUMBER_BYTES, has_public_rows=True)
        assert code(lambda origin=origin, room=room: read_file(origin, (AGE,), None, room, None)) == found


@pytest.mark.parametrize("kind", [each for each in BOMBS if each != "blank lines"])
def test_a_run_is_refused_before_the_charge_where_the_rows_are_public(kind: str, tmp_path: Path) -> None:
    create(tmp_path / "l", parse_budget("epsilon=10"), "people")
    origin = BOMBS[kind](ROWS)
    for rule in ("refuse", "default"):
        checked = duetpy.parse(COUNT, notion="eps").check()
        with pytest.raises(DuetError) as caught:
            checked.run(xs=origin, _memory=MEMORY, _on_bad_row=rule, _ledger=tmp_path / "l", m=ROWS)
        assert [each.code for each in caught.value.diagnostics] == ["D0619"]
        assert not isinstance(caught.value, Spent)
    assert not Ledger(tmp_path / "l").state().entries


@pytest.mark.parametrize("kind", BOMBS)
def test_a_run_is_charged_before_it_is_refused_where_the_rows_are_private(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(tmp_path / "l", parse_budget("epsilon=10"), "people")
    origin = BOMBS[kind](ROWS)
    checked = duetpy.parse(STAR, notion="eps").check()
    how = {"_on_bad_row": "default", "_ledger": tmp_path / "l"}
    monkeypatch.setattr(reading_module, "available", lambda: MEMORY)
    with pytest.raises(DuetError) as caught:
        checked.run(xs=origin, **how)
    assert [each.code for each in caught.value.diagnostics] == ["D0619"]
    assert isinstance(caught.value, Spent)


def test_the_command_line_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    Path("count.eps.duet").write_text(COUNT, encoding="utf-8")
    assert main(["run", "count.eps.duet", "--data", packed(ROWS), "--memory", "200kB"]) == 1
    assert "error[D0619]: x.csv.gz: has more rows, or longer texts, than fit into memory" in capsys.readouterr().err
    assert main(["run", "count.eps.duet", "--data", packed(ROWS), "--memory", "200MB"]) == 0


# ---------------------------------------------------------------------------------------------------------------------
# Texts


def texts(kind: str, *words: str) -> str:
    columns = {"name": list(words)}
    match kind:
        case "lines":
            Path("t.csv").write_text("name\n" + "".join(f"{word}\n" for word in words), encoding="utf-8")
            return "t.csv"
        case "Parquet":
            pa.parquet.write_table(pa.table(columns), "t.parquet")
            return "t.parquet"
        case "encoded":
            pa.feather.write_feather(pa.table({"name": pa.array(words).dictionary_encode()}), "t.arrow")
            return "t.arrow"
        case _:
            with import_module("duckdb").connect("t.duckdb") as made:
                made.execute("CREATE OR REPLACE TABLE t(name VARCHAR)")
                made.executemany("INSERT INTO t VALUES (?)", [[word] for word in words])
            return "duckdb:t.duckdb?table=t"


KINDS = ("lines", "Parquet", "encoded", "DuckDB")
LIMIT = 100
FOR_FOUR = 4 * (TEXT_BYTES + CHARACTER_BYTES * LIMIT)


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_that_is_too_long_is_one_bad_cell_where_the_rows_are_public(kind: str) -> None:
    """Whether the data is refused, no text decides, and no other cell changes."""
    rule = Reading("default", memory=FOR_FOUR, has_public_rows=True, most=4)
    for long, found in ((LIMIT, "x" * LIMIT), (LIMIT + 1, "nobody"), (10**6, "nobody")):
        origin = texts(kind, "ann", "x" * long, "é" * LIMIT, "z")
        assert read_file(origin, (NAME,), None, rule, None).texts[:, 0].tolist() == ["ann", found, "é" * LIMIT, "z"]
        assert outline_file(origin, (NAME,), None, rule).rows == {4}


@pytest.mark.parametrize("kind", KINDS)
def test_texts_that_are_too_long_are_refused_for_who_holds_the_data(kind: str) -> None:
    origin = texts(kind, "ann", "x" * 10_000)
    assert code(lambda: read_file(origin, (NAME,), None, Reading("refuse", memory=40_000), None)) == "D0619"
    assert code(lambda: read_file(origin, (NAME,), None, Reading("refuse", memory=60_000), None)) == "read"


def test_a_text_that_a_file_keeps_once_is_not_written_out_for_every_row() -> None:
    word = "x" * 100_000
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100_000, np.int32)), pa.array([word]))
    pa.feather.write_feather(pa.table({"name": column}), "t.arrow")
    pa.parquet.write_table(pa.table({"name": column[:100].cast("string")}), "t.parquet")
    for origin, rows in (("t.arrow", 100_000), ("t.parquet", 100)):
        found = read_file(origin, (NAME,), None, Reading("refuse", memory=10**12), None).texts[:, 0]
        assert len(found) == rows
        # Once in each of at most two batches.
        assert len(set(map(id, found.tolist()))) <= 2


def test_a_place_that_no_text_has() -> None:
    places = pa.array([0, 7, -1, None, 2, 1], pa.int8())
    column = pa.DictionaryArray.from_arrays(places, pa.array(["a", "b"]), safe=False)
    pa.feather.write_feather(pa.table({"name": column}), "t.arrow")
    found = read_file("t.arrow", (NAME,), None, Reading("default"), None).texts[:, 0].tolist()
    assert found == ["a", "nobody", "nobody", "nobody", "nobody", "b"]


def test_what_no_count_has_foreseen_is_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> object:
        raise MemoryError

    origin = parquet(3)
    for reader in ("duetpy.runtime.sources.arrays.are_good", "duetpy.runtime.sources.frames._wanted"):
        with monkeypatch.context() as patch:
            patch.setattr(reader, full)
            assert code(lambda: read_file(origin, (AGE,), None, Reading("default"), None)) == "D0619"


def balanced(copies: int) -> str:
    """A text joined to itself, so that few levels make many copies."""
    return "name" if copies == 1 else f"({balanced(copies // 2)} || {balanced(copies - copies // 2)})"


MANY = balanced(512)


@pytest.mark.parametrize("rule", ["public", "private"])
@pytest.mark.parametrize(
    "made", [MANY, f"lower({MANY})", f"coalesce({MANY}, 'x')", f"CASE WHEN age > 0 THEN {MANY} END"]
)
def test_how_long_one_text_is_does_not_decide_what_a_query_takes(made: str, rule: str) -> None:
    reading = Reading("default", memory=8_000_000, has_public_rows=rule == "public")
    for long in (2, 100_000):
        rows = pa.table({"age": [1.0, 2.0, 3.0], "name": ["", "", "y" * long]})
        pa.parquet.write_table(rows, "x.parquet")
        tracemalloc.start()
        table = read_file(f"sql:SELECT age, {made} AS name FROM 'x.parquet'", (AGE, NAME), None, reading, None)
        taken = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert taken < 12_000_000
        instead = "x" if "coalesce" in made else "nobody"
        assert table.numbers.ravel().tolist() == [1.0, 2.0, 3.0]
        assert table.texts.ravel().tolist() == ["", "", "y" * 1024 if long == 2 else instead]


def test_a_query_is_refused_before_the_charge_if_its_texts_do_not_fit(tmp_path: Path) -> None:
    """Whatever the texts are: what a query makes of a row counts as a text of its own."""
    pa.parquet.write_table(pa.table({"age": [1.0] * 100, "name": [""] * 100}), "x.parquet")
    public = Reading("default", memory=100 * (16 + 3 * (TEXT_BYTES + 256)), has_public_rows=True)
    for made, found in (("name", "read"), ("name || name", "read"), ("name || 'a' || 'b'", "D0619")):
        query = f"sql:SELECT age, {made} AS name FROM 'x.parquet'"
        assert code(partial(read_file, query, (AGE, NAME), None, public, None)) == found
        assert code(partial(outline_file, query, (AGE, NAME), None, public)) == found


@pytest.mark.parametrize("made", ["coalesce(" + "age + 1, " * 500 + "age)", "greatest(" + "age + 1, " * 500 + "age)"])
def test_how_many_rows_there_are_does_not_decide_what_the_functions_of_a_query_take(made: str) -> None:
    """Somebody could choose the query so that the memory suffices for exactly so many."""
    pa.parquet.write_table(pa.table({"age": np.arange(60_000.0)}), "x.parquet")
    tracemalloc.start()
    table = read_file(f"sql:SELECT {made} AS age FROM 'x.parquet'", (AGE,), None, Reading("default"), None)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < 60_000_000
    assert table.numbers.ravel().tolist() == np.arange(1.0, 60_001.0).tolist()
