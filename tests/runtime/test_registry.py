"""Sources that other code provides: found by scheme, ending or entry point, read cell by cell, and charged by their identity."""

import importlib
import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from attrs import frozen

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import Ledger, create
from duetpy.runtime.sources import registry
from duetpy.runtime.sources.files import opened, outline_file, read_file
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.registry import is_source
from duetpy.runtime.sources.table import ColumnSpec, Kind
from tests.runtime.people import rows_of
from tests.runtime.runs import CANARY, SUM, codes, go, refused

AGE = ColumnSpec("age", Kind.NAT, default=7)
NAME = ColumnSpec("name", Kind.TEXT, default="nobody")

BOTH = """pλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []], ys : 𝕄 [L∞, U | n, age : 𝔻 else 0 ∷ []] ⇒
  a ← laplace[1.0, 0.5] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] r.age } } ;
  laplace[1.0, 0.25] <ys> { mfold-row 0.0, ys { a, r ⇒ a + clip[0.0, 1.0] r.age } }"""
NONE = {"age": [], "name": np.array([])}
COUNT = """pλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 else 0 ∷ []] ⇒ laplace[1.0, 0.5] <xs> { real (rows xs) }"""


@frozen
class Rows:
    """A run of rows that can be pickled."""

    columns: dict[str, Any]

    def read(self) -> Mapping[str, object]:
        return self.columns


@frozen
class People:
    """A source of blocks that are in memory."""

    parts: Sequence[dict[str, Any]] = ({"age": [30, 41], "name": ["x", "y"]}, {"age": [5], "name": ["z"]}, NONE)
    identity: Any = "people"
    rows: Any = 3
    schema: Any = MappingProxyType({"age": "number", "name": "text", "born": "date"})

    def blocks(self, columns: Sequence[str]) -> list[Rows]:
        return [Rows({name: part[name] for name in columns}) for part in self.parts]


@pytest.fixture(autouse=True)
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_REGISTERED", {})


def cells(origin: str, *columns: ColumnSpec, rule: Any = "default") -> list[Any]:
    return rows_of(read_file(origin, columns, None, Reading(rule), None))


def error(look: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(DuetError) as caught:
        look()
    first = caught.value.diagnostics[0]
    return first.code, first.message


# ---------------------------------------------------------------------------------------------------------------------
# Names


def test_a_scheme_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    names = []
    duetpy.register_source("warehouse:", lambda name: names.append(name) or People())
    Path("sum.eps.duet").write_text(SUM, encoding="utf-8")
    words = ["--set", "eps=1", "--insecure-noise", "none", "--format", "json"]
    assert main(["run", "sum.eps.duet", "--data", "xs=warehouse:a/b?c=d:age", *words]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["result"] == 3.0
    assert told["privacy"]["unit"] == "one row of warehouse:a/b?c=d"
    # Once in a run, whoever asks.
    assert names == ["warehouse:a/b?c=d"]


def test_an_ending_and_the_longest_one_of_a_name() -> None:
    for name in ("x.rows", "X.ROWS.GZ", "x.csv", "x.rows.csv"):
        Path(name).write_text("age\n1\n", encoding="utf-8")
    duetpy.register_source(".rows", lambda name: People())
    assert cells("x.rows", AGE) == [(30,), (41,), (5,)]
    assert cells("x.csv", AGE) == cells("x.rows.csv", AGE) == [(1,)]
    assert error(lambda: cells("X.ROWS.GZ", AGE))[0] == "D0601"
    duetpy.register_source(".rows.gz", lambda name: People(({"age": [1]},), rows=1))
    assert cells("X.ROWS.GZ", AGE) == [(1,)]


def test_a_name_with_a_colon_that_is_no_scheme_is_a_path() -> None:
    duetpy.register_source("warehouse", lambda name: People())
    Path("warehouse").write_text("age\n1\n", encoding="utf-8")
    assert cells("./warehouse", AGE) == cells("warehouse", AGE) == [(1,)]
    assert cells("warehouse:", AGE) == [(30,), (41,), (5,)]
    Path("WAREHOUSE:x").write_text("age\n2\n", encoding="utf-8")
    assert cells("WAREHOUSE:x", AGE) == [(2,)]


@pytest.mark.parametrize("key", ["", ".", "x", "C:", "a.b", ".A", "Abc", "a b:", ".a b", "..", 3, None, "-"])
def test_what_is_no_scheme_and_no_ending(key: Any) -> None:
    with pytest.raises(ValueError, match="neither a scheme"):
        duetpy.register_source(key, lambda name: People())


@pytest.mark.parametrize("key", [*registry.BUILT_IN, "duckdb:", "warehouse", "warehouse:"])
def test_no_opener_takes_the_place_of_another(key: str) -> None:
    duetpy.register_source("warehouse:", lambda name: People())
    with pytest.raises(ValueError, match="registered already"):
        duetpy.register_source(key, lambda name: People())


def test_the_registry_alone_says_how_the_built_in_kinds_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them by its one opener: without its entry, a file is lines, as an ordinary one."""
    for name in ("x.parquet", "x.npy", "x.arrow", "duckdb:x?table=t"):
        Path(name).write_text("age\n1\n", encoding="utf-8")
        assert type(opened(name)).__name__ in ("Frame", "Stored")
    monkeypatch.setattr(registry, "BUILT_IN", {})
    for name in ("x.parquet", "x.npy", "x.arrow", "duckdb:x?table=t"):
        assert cells(name, AGE) == [(1,)]


# ---------------------------------------------------------------------------------------------------------------------
# Entry points

MODULE = """
class Source:
    schema, rows, identity = {"age": "number"}, None, "theirs"
    def __init__(self, name):
        self.name = name
    def blocks(self, columns):
        class Block:
            def read(self):
                return {"age": [12, None]}
        return [Block()]
"""


def install(folder: Path, package: str, *entries: str, module: str = MODULE) -> None:
    (folder / f"{package}.py").write_text(module, encoding="utf-8")
    information = folder / f"{package}-1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n", encoding="utf-8")
    lines = "\n".join(("[duetpy.sources]", *entries, ""))
    (information / "entry_points.txt").write_text(lines, encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(registry, "_installed", registry._installed.__wrapped__)
    importlib.invalidate_caches()
    return folder


def test_an_installed_package_names_openers(site: Path) -> None:
    install(site, "duettheirs", "theirs = duettheirs:Source", ".their = duettheirs:Source", ".csv = duettheirs:Source")
    assert cells("theirs:all", AGE) == [(12,), (7,)]
    Path("x.their").write_text("", encoding="utf-8")
    assert cells("x.their", AGE) == [(12,), (7,)]
    Path("x.csv").write_text("age\n1\n", encoding="utf-8")
    assert cells("x.csv", AGE) == [(1,)]


def test_two_packages_for_one_name_and_one_that_does_not_start(site: Path) -> None:
    install(site, "duetone", "both = duetone:Source", "broken = duetone:Absent")
    install(site, "duettwo", "both = duettwo:Source")
    code, message = error(lambda: cells("both:x", AGE))
    assert (code, message) == ("D0601", "cannot be read: duetone and duettwo both read such sources")
    assert error(lambda: cells("broken:x", AGE)) == (
        "D0601",
        "cannot be read: what duetone reads such sources with fails to start",
    )


# ---------------------------------------------------------------------------------------------------------------------
# Whose people


def total(release: Any) -> float:
    return float(release.privacy["total"]["epsilon"])


def test_two_parameters_of_one_identity_are_one_person() -> None:
    for one, other, epsilon in (
        ("people", "people", 0.75),
        ("people", ("people",), 0.75),
        ("people", ("people", "first half"), 0.75),
        (("people", 1), ("people", 1, b"x"), 0.75),
        (("people", 1), ("people", 2), 0.5),
        ("people", "others", 0.5),
    ):
        xs, ys = People(identity=one), People(identity=other)
        assert total(go(BOTH, {"xs": xs, "ys": ys})) == epsilon
        registry._REGISTERED.clear()
        duetpy.register_source("kept", lambda name, kept={"a": xs, "b": ys}: kept[name[-1]])
        assert total(go(BOTH, {"xs": "kept:a", "ys": "kept:b"})) == epsilon


def test_the_rows_of_one_file_are_one_person_whatever_a_source_says() -> None:
    duetpy.register_source(".rows", lambda name: People(identity=name))
    Path("a.rows").write_text("age\n1\n", encoding="utf-8")
    Path("b.rows").write_text("age\n1\n", encoding="utf-8")
    Path("c.csv").hardlink_to("a.rows")
    assert total(go(BOTH, {"xs": "a.rows", "ys": "b.rows"})) == 0.5
    assert total(go(BOTH, {"xs": "a.rows", "ys": "./a.rows"})) == 0.75
    assert total(go(BOTH, {"xs": "a.rows", "ys": "c.csv"})) == 0.75


@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_the_ledger_is_charged_for_the_identity(tmp_path: Path, rule: Any) -> None:
    create(tmp_path / "l", parse_budget("epsilon=10"), "people")
    charged = []
    for other in ("people", "others"):
        how = {"ledger": tmp_path / "l", "on_bad_row": rule}
        release = go(BOTH, {"xs": People(), "ys": People(identity=other)}, how=how, m=3, n=3)
        assert release.ledger is not None
        assert not release.ledger["replayed"]
        charged.append(release.ledger["charged"]["epsilon"])
    assert charged == [0.75, 0.5]


def test_a_source_is_never_taken_for_unchanged(tmp_path: Path) -> None:
    """Its bytes are not known, so no stored release is the answer; not even where it was opened for a file."""
    create(tmp_path / "l", parse_budget("epsilon=10"), "people")
    duetpy.register_source(".rows", lambda name: People())
    Path("a.rows").write_text("", encoding="utf-8")
    for data in (People(), "a.rows"):
        for _ in range(2):
            release = go(COUNT, {"xs": data}, how={"ledger": tmp_path / "l"})
            assert release.ledger is not None
            assert not release.ledger["replayed"]
    assert len(Ledger(tmp_path / "l").state().entries) == 8


NOBODYS = [None, "", (), 0, 7, 1.5, b"", b"x", ("",), (None,), ("people", None), ("people", 1.5), [], ["people"], True]


@pytest.mark.parametrize("said", NOBODYS, ids=repr)
@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_a_source_that_does_not_say_whose_its_rows_are_is_refused(tmp_path: Path, said: Any, rule: Any) -> None:
    create(tmp_path / "l", parse_budget("epsilon=10"), "people")
    duetpy.register_source("kept", lambda name: People(identity=said))
    for data in (People(identity=said), "kept:x"):
        found = refused(COUNT, {"xs": data}, how={"ledger": tmp_path / "l", "on_bad_row": rule})
        assert codes(found) == ["D0617"]
        assert found[0].message == "does not say whose people its rows are"
    assert not Ledger(tmp_path / "l").state().entries


class Turning:
    """Says another identity whenever it is asked."""

    schema = MappingProxyType({"age": "number"})
    rows = None
    asked = 0

    @property
    def identity(self) -> str:
        type(self).asked += 1
        return f"people {self.asked}"

    def blocks(self, columns: Sequence[str]) -> list[Rows]:
        return [Rows({"age": [1]})]


def test_an_identity_is_asked_for_once_in_a_run() -> None:
    duetpy.register_source("kept", lambda name: Turning())
    assert total(go(BOTH, {"xs": "kept:x", "ys": "kept:x"})) == 0.75


@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_an_object_is_asked_once_in_a_run_too(tmp_path: Path, rule: Any) -> None:
    """What it says is what the charge, the report and the rows are about."""
    said: list[str] = []

    class Said(Turning):
        def __getattribute__(self, name: str) -> Any:
            if name in ("identity", "schema", "rows"):
                said.append(name)
            return super().__getattribute__(name)

    create(tmp_path / "l", parse_budget("epsilon=1"), "people")
    one, other = Said(), Said()
    found = go(BOTH, {"xs": one, "ys": other}, how={"ledger": tmp_path / "l", "on_bad_row": rule})
    assert sorted(said) == sorted(["identity", "schema", "rows"] * 2)
    assert total(found) == float(Ledger(tmp_path / "l").state().spent.amount) == 0.5


# ---------------------------------------------------------------------------------------------------------------------
# Cells


def test_columns_are_picked_and_others_are_not_asked_for() -> None:
    asked = []

    class Asked(People):
        def blocks(self, columns: Sequence[str]) -> list[Rows]:
            asked.append(tuple(columns))
            return super().blocks(columns)

    duetpy.register_source("kept", lambda name: Asked())
    assert cells("kept:x", NAME, AGE) == [("x", 30), ("y", 41), ("z", 5)]
    assert asked == [("name", "age")]
    assert error(lambda: cells("kept:x", ColumnSpec("size", Kind.REAL))) == ("D0603", "the column 'size' is missing")
    for look in (cells, lambda *given: outline_file(given[0], given[1:], None, Reading("default"))):
        for column in (ColumnSpec("born", Kind.REAL), ColumnSpec("name", Kind.REAL), ColumnSpec("age", Kind.TEXT)):
            assert error(lambda look=look, column=column: look("kept:x", column))[0] == "D0618"


PARTS: dict[str, tuple[list[Any], list[float]]] = {
    "lists": ([[1, None, "x"], [2.0, 2.5, True]], [1, 7, 7, 2, 7, 1]),
    "whole numbers, then fractions": ([np.array([2**53 - 1, 3]), np.array([2.0, np.nan])], [2**53 - 1, 3, 2, 7]),
    "large whole numbers beside fractions": ([np.array([2**53 + 1]), np.array([0.5]), np.array([4])], [7, 7, 4]),
    "masked": ([np.ma.MaskedArray([1, 2], [True, False]), np.array([3])], [7, 2, 3]),
    "masked twice": ([np.ma.MaskedArray([1, 2], [True, False]), np.ma.MaskedArray([3], [True])], [7, 2, 7]),
    "of Arrow": ([pa.array([1, None]), pa.chunked_array([[3], [4]])], [1, 7, 3, 4]),
    "truth values": ([np.array([True]), np.array([2], np.uint8)], [1, 2]),
    "nothing": ([], []),
    "blocks without rows": ([[], np.empty(0), [3]], [3]),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_cell_is_what_it_is_in_a_block_of_its_own(name: str) -> None:
    blocks, found = PARTS[name]
    duetpy.register_source("kept", lambda name: People([{"age": block} for block in blocks], rows=None))
    assert [row[0] for row in cells("kept:x", AGE)] == found


def test_texts_that_are_none() -> None:
    odd = np.array(["ann", "eve"], dtype="U3").view("u4")
    odd[1] = 0x110000
    parts = [{"name": odd.view("U3")}, {"name": ["x", 3, None, b"y"]}, {"name": pa.array(["z", None])}]
    duetpy.register_source("kept", lambda name: People(parts, rows=None))
    assert [row[0] for row in cells("kept:x", NAME)] == [
        "nobody",
        "eve",
        "x",
        "nobody",
        "nobody",
        "nobody",
        "z",
        "nobody",
    ]


def test_bad_cells_are_refused_by_their_rows() -> None:
    duetpy.register_source("kept", lambda name: People(({"age": [1, 2]}, {"age": [3, -1]}), rows=None))
    with pytest.raises(DuetError) as caught:
        cells("kept:x", AGE, rule="refuse")
    (found,) = caught.value.diagnostics
    assert (found.code, found.where) == ("D0604", "kept:x, row 4, column 'age'")


def test_how_many_rows_there_are_is_said_before_they_are_read(tmp_path: Path) -> None:
    create(tmp_path / "l", parse_budget("epsilon=10"), "people")
    program = BOTH.replace("laplace[1.0, 0.5]", "laplace[auto, 1.0 / real (rows xs)]")
    how = {"ledger": tmp_path / "l", "on_bad_row": "default"}
    unknown = {"xs": People(rows=None), "ys": People()}
    assert codes(refused(program, unknown, how=how)) == ["D0726"]
    assert outline_file_of(People()) == {3}
    assert outline_file_of(People(rows=None)) == set()


def outline_file_of(source: Any) -> Any:
    registry._REGISTERED.clear()
    duetpy.register_source("kept", lambda name: source)
    return outline_file("kept:x", (AGE,), None, Reading("default")).rows


# ---------------------------------------------------------------------------------------------------------------------
# Sources that are not as they should be


class Raising(People):
    """Raises what holds a value of somebody's, wherever it is asked."""

    def blocks(self, columns: Sequence[str]) -> list[Rows]:
        raise DuetError([])


def raising(*_: object) -> Any:
    raise ValueError(str(CANARY))


class Block:
    read = raising


FAULTY: dict[str, tuple[Any, str]] = {
    "raises": (Raising(), "its blocks cannot be read"),
    "a block raises": (
        type("Blocks", (People,), {"blocks": lambda self, names: [Block()]})(),
        "its blocks cannot be read",
    ),
    "a schema that raises": (
        type("Schema", (), {**vars(Turning), "schema": property(raising)})(),
        "its schema cannot be read",
    ),
    "rows that raise": (
        type("Rows", (), {**vars(Turning), "rows": property(raising)})(),
        "its number of rows cannot be read",
    ),
    "an identity that raises": (
        type("Identity", (), {**vars(Turning), "identity": property(raising)})(),
        "it does not give its identity",
    ),
    "no columns": (People(schema={}), "its schema or its number of rows is malformed"),
    "columns without names": (People(schema={1: "number"}), "its schema or its number of rows is malformed"),
    "a schema of types": (People(schema={"age": float}), "its schema or its number of rows is malformed"),
    "less than no rows": (People(rows=-1), "its schema or its number of rows is malformed"),
    "half a row": (People(rows=2.5), "its schema or its number of rows is malformed"),
    "more rows than it said": (People(rows=2), "its blocks do not have as many rows as it said"),
    "unequal columns": (
        People(({"age": [1], "name": []},), schema={"age": "number", "name": "text"}),
        "the columns of a block have no common length",
    ),
    "a matrix": (
        People(({"age": np.zeros((2, 2))},), rows=None),
        "a block has a column of another type than its schema says",
    ),
    "texts for numbers": (
        People(({"age": np.array([str(CANARY)])},), rows=None),
        "a block has a column of another type than its schema says",
    ),
    "no mapping": (type("List", (People,), {"blocks": lambda self, names: [Rows([[1.0]])]})(), ""),
    "other columns": (type("More", (People,), {"blocks": lambda self, names: [Rows({"age": [1], "x": [1]})]})(), ""),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_source_ends_in_a_fixed_line(name: str) -> None:
    source, message = FAULTY[name]
    # Columns that a program does not declare are not asked for.
    program = COUNT.replace("age : 𝔻 else 0 ∷", "age : 𝔻 else 0 ∷ name : 𝐝 𝕊 ∷") if name == "unequal columns" else COUNT
    duetpy.register_source("kept", lambda name: source)
    for data in (source, "kept:x"):
        (found,) = refused(program, {"xs": data})
        assert found.code == "D0601"
        assert (
            found.message == f"cannot be read: {message or 'a block does not have the columns that it was asked for'}"
        )
        assert str(CANARY) not in str(found)


def test_an_opener_that_raises_or_returns_something_else() -> None:
    duetpy.register_source("kept", raising)
    duetpy.register_source("list", lambda name: [[1.0]])
    assert [each.message for each in refused(COUNT, {"xs": "kept:x"})] == [
        "cannot be read: its opener raised an exception"
    ]
    assert [each.message for each in refused(COUNT, {"xs": "list:x"})] == [
        "cannot be read: its opener did not return a source"
    ]


def test_what_is_a_source() -> None:
    assert is_source(People())
    assert is_source(Turning())
    assert not is_source(People)
    assert not is_source(pa.table({"schema": [1], "rows": [1], "identity": [1], "blocks": [1]}))
    assert not is_source({"schema": 1, "rows": 1, "identity": 1, "blocks": 1})


def test_a_source_for_what_is_no_table() -> None:
    (found,) = refused("pλ . x : 𝔻 ⇒ laplace[auto, 0.25] <x> { clip[0.0, 1.0] x }", {"x": People()})
    assert found.code == "D0611"


def test_a_source_in_the_clear_is_refused_before_it_is_read() -> None:
    (found,) = refused("pλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 else 0 ∷ []] ⇒ return xs", {"xs": People(rows=2)})
    assert found.code == "D0701"


def test_the_blocks_of_the_example_can_be_pickled() -> None:
    """So that an engine may send them."""
    first, *_ = People().blocks(("age",))
    assert pickle.loads(pickle.dumps(first)).read() == {"age": [30, 41]}
