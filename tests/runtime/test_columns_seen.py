"""Passes after the first one read the columns that a program looks at, release the same, and miss no change of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import define, field

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.engines import Engine, SerialEngine
from duetpy.runtime.engines.threads import ThreadsEngine
from duetpy.runtime.evaluation import columns_seen, passes
from duetpy.runtime.evaluation.columns_seen import gone_over
from duetpy.runtime.evaluation.machine import machine_for
from duetpy.runtime.release import run as run_module
from duetpy.runtime.release.arguments import Arguments
from duetpy.runtime.sources import frames, opening, streams
from duetpy.runtime.sources.table import Table
from duetpy.runtime.values.batching import slice_rows
from duetpy.runtime.values.streamed import Streamed, streamed
from duetpy.runtime.values.values import ABSENT, MatrixValue, Value
from duetpy.typecheck.check import Typed
from duetpy.typecheck.types import PrivateParameter
from tests.attacks.neighbouring import random_runs
from tests.effort import often
from tests.engines.fakes import Packing, Shuffled

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.feather")
pytest.importorskip("pyarrow.parquet")

COLUMNS = "a : 𝔻 else 2 ∷ b : 𝐝 ℕ else 1 ∷ c : 𝔻 else 0 ∷ d : 𝐝 𝕊 ∷ e : 𝔻? ∷ f : 𝐝 𝔹 else true ∷ g : Date? ∷ []"
HEAD = f"pλ . xs : 𝕄 [L∞, U | ★, {COLUMNS}] ⇒ "
NUMBERS = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 4⋅𝔻] ⇒ "
FOLD = "mfold-row 0.0, %s { t, row ⇒ t + clip[0.0, 9.0] %s }"
LAPLACE = "laplace[auto, 1.0] <xs> { %s }"


def over(term: str, table: str = "xs") -> str:
    return LAPLACE % (FOLD % (table, term))


PROGRAMS: dict[str, tuple[str, set[int] | None]] = {
    "a field": (over("row.c"), {2}),
    "an entry": (over("row#[0, 2]"), {2}),
    "two folds": (f"x ← {over('row.a')} ; {over('(real row.b)')}", {0, 1}),
    "no column": (LAPLACE % "mfold-row 0.0, xs { t, row ⇒ t + 1.0 }", set()),
    "a filter": (over("row.c", '(mfilter xs { row ⇒ row.d ≡ "x" })'), {2, 3}),
    "how many": (LAPLACE % "real (rows (mfilter xs { row ⇒ row.f }))", {5}),
    "a value that may be missing": (over("(row.e or-else 3.0)"), {4}),
    "a map": (over("row.h", "(mmap-row xs { row ⇒ { h = row.a + row.c } })"), {0, 2}),
    "a function of a table": (
        "let over = sλ ys : 𝕄 [L∞, U | ★, " + COLUMNS + "] ⇒ " + FOLD % ("ys", "row.a") + " in " + LAPLACE % "over xs",
        {0},
    ),
    "a name for a row": (over("(let r = row in r.a)"), {0}),
    "a filter by name": (
        "let ys = mfilter xs { row ⇒ row.a < 5.0 } in x ← " + LAPLACE % "real (rows ys)" + " ; " + over("row.c", "ys"),
        {0, 2},
    ),
    "parts": (
        "parallel[xs, ℘{0, 1, 2}] { row ⇒ row.b } { key, part ⇒ laplace[auto, 1.0] <part> { "
        + FOLD % ("part", "row.c")
        + " } }",
        {1, 2},
    ),
    "columns that are selected": (over("row.c", "xs.[c, a]"), {0, 2}),
    "a number that is computed": (
        LAPLACE % ("mfold-row 0.0, xs.[a, c] { t, row ⇒ t + clip[0.0, 9.0] row#[0, (if 1 < 2 then 0 else 1)] }"),
        {0, 2},
    ),
    "each cell of a row": (
        "parallel[xs, ℘{0, 1}] { row ⇒ row.b } { key, part ⇒ laplace[auto, 1.0] <part> { "
        + "real (rows (mfilter part { row ⇒ (let r = row in row).f })) } }",
        {1, 5},
    ),
    "rows that are handed to a function": (
        "let f = sλ r : 𝕄 [L∞, U | 1, " + COLUMNS + "] ⇒ r.c in " + over("(f row)"),
        {2},
    ),
    "a sample": (
        "poisson[0.5] xs { some ⇒ laplace[auto, 1.0] <some> { " + FOLD % ("some", "row.c") + " } }",
        None,
    ),
}


def outcome(text: str, xs: object, engine: Engine | None = None, **how: Any) -> object:
    try:
        checked = duetpy.parse(text, notion="eps").check()
        release = checked.run(xs=xs, _insecure_noise=3, _engine=engine, **how)
    except DuetError as error:
        return [str(each) for each in error.diagnostics]
    return repr((release.result, release.releases, release.data))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Small runs of rows and small blocks, and a folder with the same table in several files."""
    monkeypatch.setattr(opening, "_CHUNK", 512)
    monkeypatch.setattr(frames, "_BATCH_ROWS", 32)
    monkeypatch.setattr(run_module, "machine_for", partial(machine_for, block_rows=50))
    monkeypatch.chdir(tmp_path)
    rows = 300
    columns = {
        "unused": ["what nobody declares"] * rows,
        "g": pa.array([date(2001, 1, 1 + at % 28) for at in range(rows)]),
        "f": [at % 3 == 0 for at in range(rows)],
        "e": [None if at % 5 == 0 else at % 8 + 0.5 for at in range(rows)],
        "d": ["xyz"[at % 3] for at in range(rows)],
        "c": [at % 83 / 8 for at in range(rows)],
        "b": [at % 4 for at in range(rows)],
        "a": [at % 7 / 2 for at in range(rows)],
    }
    table = pa.table(columns)
    pa.parquet.write_table(table, "x.parquet", row_group_size=90)
    pa.feather.write_feather(table, "x.arrow", chunksize=70)
    lines = [",".join("" if cell is None else str(cell).lower() for cell in row.values()) for row in table.to_pylist()]
    Path("x.csv").write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")
    numbers = {name: np.arange(rows) % (at + 7) / 4 for at, name in enumerate("pqrs")}
    pa.parquet.write_table(pa.table(numbers), "n.parquet", row_group_size=90)


def test_each_form_is_looked_at_twice_for_all_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of many tables took time in proportion to the square of their number."""
    count, asked = 20, Counter[str]()
    tables = ", ".join(f"x{at} : 𝔻𝔽[a : 𝔻, b : 𝔻]" for at in range(count))
    sums = " ; ".join(f"y{at} ← {over('row.b', f'x{at}').replace('<xs>', f'<x{at}>')}" for at in range(count))
    typed = duetpy.parse(f"pλ . {tables} ⇒ {sums} ; return y0", notion="eps").check().program.typed
    assert typed is not None
    forms = len(passes.Program(typed.core).order)
    for owner, name in ((passes, "made_of"), (passes.Program, "called"), (columns_seen, "_kept")):
        inner = getattr(owner, name)

        def counted(*given: Any, inner: Any = inner, name: str = name) -> Any:
            asked[name] += 1
            return inner(*given)

        monkeypatch.setattr(owner, name, counted)
    assert gone_over(typed.core) == {f"x{at}": {1} for at in range(count)}
    assert asked["made_of"] == asked["_kept"] == 2 * forms
    assert asked["called"] <= 4 * forms


@pytest.mark.parametrize("case", PROGRAMS)
def test_which_columns_a_program_looks_at(case: str) -> None:
    text, wanted = PROGRAMS[case]
    typed = duetpy.parse(HEAD + text, notion="eps").check().program.typed
    assert typed is not None
    found = gone_over(typed.core)
    assert found == {"xs": wanted if wanted is None else frozenset(wanted)}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("case", PROGRAMS)
def test_the_values_are_the_same(case: str, ending: str) -> None:
    for rule in ("refuse", "default", "drop"):
        kept = outcome(HEAD + PROGRAMS[case][0], f"x.{ending}", _on_bad_row=rule)
        assert isinstance(kept, str)
        engines = [SerialEngine(), ThreadsEngine(3, blocks_a_batch=1), Shuffled(5), Packing(5)]
        for engine in engines if rule == "refuse" else engines[:1]:
            assert outcome(HEAD + PROGRAMS[case][0], f"x.{ending}", engine, _on_bad_row=rule, _stream=True) == kept


@pytest.mark.usefixtures("small")
def test_columns_are_bound_as_in_the_first_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """By position, by names that are picked, and by the names of records."""
    read: list[int] = []
    made = streams.Stream._value

    def value(self: streams.Stream, table: Table) -> MatrixValue:
        read.append(len(table.columns))
        return made(self, table)

    monkeypatch.setattr(streams.Stream, "_value", value)
    given = {
        NUMBERS: ("n.parquet", "n.parquet:s,q,p,r", "n.parquet:3,0,2,1"),
        HEAD: ("x.parquet", "x.parquet:c,a,b,d,e,f,g", "x.csv:7,6,5,4,3,2,1", "x.parquet:7,6,5,4,3,2,1"),
    }
    for head, files in given.items():
        found = set()
        for file in files:
            text = head + over("row#[0, 2]")
            kept = outcome(text, file)
            assert isinstance(kept, str)
            assert outcome(text, file, _stream=True) == kept
            assert set(read) == {1}
            read.clear()
            found.add(kept)
        assert len(found) > 1 or head is HEAD


@define
class People:
    """A source that remembers which columns it was asked for."""

    asked: list[tuple[str, ...]] = field(factory=list)
    changed: str = ""
    is_repeatable: bool = True
    identity: str = "people"
    rows: int = 400

    @property
    def schema(self) -> Mapping[str, str]:
        return dict.fromkeys("abc", "number")

    def blocks(self, columns: Sequence[str]) -> Iterator[Any]:
        self.asked.append(tuple(columns))
        cells = {name: np.arange(400.0) + at for at, name in enumerate("abc")}
        if len(self.asked) > 1 and self.changed:
            cells[self.changed][399] = -1.0
        for start in range(0, 400, 150):
            yield Rows({name: cells[name][start : start + 150] for name in columns})


@define
class Rows:
    columns: dict[str, Any]

    def read(self) -> Mapping[str, object]:
        return self.columns


OF_PEOPLE = "pλ . xs : 𝕄 [L∞, U | ★, a : 𝔻 ∷ b : 𝔻 ∷ c : 𝔻 ∷ []] ⇒ "


def test_a_pass_asks_for_the_columns_that_are_looked_at() -> None:
    for term, wanted in (("row.b", ("b",)), ("(row.c + row.a)", ("a", "c")), ("1.0", ("a",))):
        people = People()
        kept = outcome(OF_PEOPLE + over(term), People())
        assert outcome(OF_PEOPLE + over(term), people, _stream=True) == kept
        assert people.asked == [("a", "b", "c"), wanted]
    dropping = People()
    outcome(OF_PEOPLE + over("row.b"), dropping, _stream=True, _on_bad_row="drop")
    assert dropping.asked == [("a", "b", "c")] * 2


def test_a_change_of_what_is_looked_at_is_seen() -> None:
    for changed, is_seen in (("a", False), ("b", True), ("c", False)):
        found = outcome(OF_PEOPLE + over("row.b"), People(changed=changed), _stream=True)
        assert isinstance(found, list) is is_seen, changed
        assert not is_seen or "changed while it was read" in str(found)


def test_a_column_that_nobody_looks_at_is_verified_in_the_first_pass(tmp_path: Path) -> None:
    pa.parquet.write_table(pa.table({"a": [1.0, 2.0], "b": [1.0, float("nan")]}), tmp_path / "x.parquet")
    text = "pλ . xs : 𝕄 [L∞, U | ★, a : 𝔻 ∷ b : 𝔻 ∷ []] ⇒ " + over("row.a")
    found = outcome(text, str(tmp_path / "x.parquet"), _stream=True)
    assert found == outcome(text, str(tmp_path / "x.parquet"))
    assert "D0604" in str(found)


@pytest.mark.sparse(3)
def test_random_programs_release_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each table that a program only goes over comes in pieces, and nothing asks for all of it."""
    found: Counter[str] = Counter()
    bound, whole = run_module._argument, Streamed.table

    def argument(parameter: PrivateParameter, arguments: Arguments, *others: Any) -> Value:
        value = bound(parameter, arguments, *others)
        if not isinstance(value, MatrixValue) or parameter.name not in names:
            return value
        found["tables"] += 1
        places = sorted({0, value.rows, *(at for at in (1, 2, 5) if at < value.rows)})
        pieces = [slice_rows(value, *ends) for ends in pairwise([*places, value.rows])]
        seen = names[parameter.name]
        if seen is not None:
            # What it does not look at is not there.
            found["columns"] += value.width - len(seen)
            pieces = [
                MatrixValue(
                    piece.rows,
                    tuple(piece.column(at) if at in seen else ABSENT for at in range(value.width)),
                    value.names,
                )
                for piece in pieces
            ]
        return streamed(lambda: iter(pieces), value.rows, slice_rows(value, 0, 0))

    def table(self: Streamed, wanted: MatrixValue) -> MatrixValue:
        found["as a whole"] += 1
        return whole(self, wanted)

    def released(typed: Typed, data: Any, numbers: Any) -> object:
        try:
            release = run_module.run(typed, data, numbers, insecure_noise=5)
        except DuetError as error:
            return repr(error.diagnostics)
        return repr((release.result, release.releases, release.data))

    monkeypatch.setattr(Streamed, "table", table)
    for seed in range(often(150, 60)):
        for typed, data, _, numbers, _ in random_runs(seed, 1):
            kept = released(typed, data, numbers)
            names = gone_over(typed.core)
            with monkeypatch.context() as patched:
                patched.setattr(run_module, "_argument", argument)
                assert released(typed, data, numbers) == kept, seed
            found["programs"] += 1
    assert found["programs"] > 40
    assert found["tables"] > 20
    assert found["columns"] > 5
    assert not found["as a whole"]
