"""Tables of persons whose rows are sorted on disk come to the same as tables that are kept, and no row of them stays."""

from __future__ import annotations

import gc
import os
import random
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.engines import Engine, SerialEngine
from duetpy.runtime.engines.threads import ThreadsEngine
from duetpy.runtime.evaluation import rows as blocks_of_rows
from duetpy.runtime.sources import opening, reading, sorted_persons, spill
from duetpy.runtime.sources.table import ColumnSpec, Kind, Table
from duetpy.runtime.values.streamed import Streamed
from duetpy.runtime.values.values import MatrixValue
from tests.engines.fakes import Delayed, Packing, Repeating, Shuffled

TYPE = "persons[patient : 𝕊 | visits : 𝔻𝔽[dept : 𝕊, cost : 𝔻 else 0], bills : 𝔻𝔽[paid : 𝔻?]]"
COST = "mfold-row (disc 0.0), p.visits { sum, v ⇒ sum + v.cost }"
TOTAL = "laplace[auto, 1.0] <%s> { mfold-row 0.0, %s { sum, p ⇒ sum + clip[0, 50] (" + COST + ") } }"
STREAMED = {
    "sums": f"""
  number ← laplace[1, 1.0] <people> {{ real (rows people) }} ;
  total ← {TOTAL % ("people", "people")} ;
  often ← laplace[1, 1.0] <people> {{ real (rows (mfilter people {{ p ⇒ 2 ≤ rows p.visits }})) }} ;
  unpaid ← laplace[1, 1.0] <people> {{
    real (rows (mfilter people {{ p ⇒ 0 < rows (mfilter p.bills {{ b ⇒ is-missing b.paid }}) }})) }} ;
  return ⟨⟨number, total⟩, ⟨often, unpaid⟩⟩""",
    "rows": """laplace[auto, 1.0] <people> {
  mfold-row 0.0, flat[2] people { p ⇒ p.visits } { sum, v ⇒ sum + clip[0, 9] v.cost } }""",
    "parts": """parallel[people, ℘{"x", "y"}] { p ⇒ mfold-row "", p.visits { last, v ⇒ v.dept } } { dept, part ⇒
  total ← %s ; number ← laplace[1, 1.0] <part> { real (rows part) } ; return ⟨total, number⟩ }"""
    % (TOTAL % ("part", "part")),
    "sample": "loop ℕ[3] on 0.0 <people> { i, t ⇒ poisson[0.5] people { some ⇒ %s } }" % (TOTAL % ("some", "some")),
}
WHOLE = "laplace[1, 1.0] <people> { let ⟨own, other⟩ = ⟨people, 1.0⟩ in real (rows own) }"
ENGINES = [SerialEngine(), ThreadsEngine(3, blocks_a_batch=1), Shuffled(5), Repeating(5), Delayed(5), Packing(5)]


def written(name: str, *lines: str) -> None:
    Path(name).write_text("\n".join([*lines, ""]), encoding="utf-8")


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs, chunks and blocks of a few rows, and two files of lines."""
    for size, number in {"RUN_CELLS": 90, "PIECE_ROWS": 7, "CHUNK_ROWS": 40}.items():
        monkeypatch.setattr(sorted_persons, size, number)
    monkeypatch.setattr(blocks_of_rows, "CELLS_READ_AT_ONCE", 60)
    monkeypatch.setattr(opening, "_CHUNK", 512)
    monkeypatch.chdir(tmp_path)
    draw = random.Random(4)
    visits = [f"p{int(draw.expovariate(0.05))},{draw.choice('xyz')},{draw.uniform(-1, 30):.3f}" for _ in range(400)]
    written("visits.csv", "patient,dept,cost", *visits)
    written("bills.csv", "patient,paid", *(f"p{draw.randrange(90)},{draw.choice(['', '1', '2.5'])}" for _ in range(90)))


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many persons each block has that is read from the disk. A table that is wanted as a whole then is a fault."""
    found: list[int] = []
    given = Streamed.blocks

    def again(self: Streamed, sizes: Iterator[int]) -> Iterator[MatrixValue]:
        for block in given(self, sizes):
            found.append(block.rows)
            yield block

    monkeypatch.setattr(Streamed, "blocks", again)
    return found


def outcome(text: str, *, rosters: Sequence[str] = (), **how: Any) -> object:
    type_ = TYPE.replace("𝕊 |", "𝕊 in roster |") if rosters else TYPE
    program = f"pλ {'roster : ℘(𝕊), ' if rosters else ''}people : {type_} ⇒ {text}"
    given: dict[str, object] = {"people": {"visits": "visits.csv", "bills": "bills.csv"}}
    given |= {"roster": list(rosters)} if rosters else {}
    try:
        release = duetpy.parse(program, notion="eps").check().run(**given, **{"_insecure_noise": 3, **how})
    except DuetError as error:
        return [f"{each.code} {each.where or ''} {each.message}" for each in error.diagnostics]
    return repr((release.result, release.releases, release.data))


@pytest.mark.parametrize("name", STREAMED)
def test_the_same_is_released(name: str, blocks: list[int]) -> None:
    kept = outcome(STREAMED[name])
    assert not blocks
    engines: list[Engine] = ENGINES
    for engine in engines:
        assert outcome(STREAMED[name], _engine=engine, _stream=True) == kept, engine
        # Twenty persons have sixty cells here, in addition to those of their rows.
        assert 0 < max(blocks) <= 20 if name != "sample" else blocks
        blocks.clear()


def test_the_same_persons_are_on_a_roster(blocks: list[int]) -> None:
    roster = [f"p{at}" for at in range(0, 95, 2)] + ["somebody"]
    for rule in ("drop", "default"):
        kept = outcome(STREAMED["sums"], rosters=roster, _on_bad_row=rule)
        assert isinstance(kept, str)
        assert outcome(STREAMED["sums"], rosters=roster, _on_bad_row=rule, _stream=True) == kept
    assert blocks
    told = outcome(STREAMED["sums"], rosters=roster)
    assert isinstance(told, list)
    assert told[0].startswith("D0604 visits, column 'patient'")
    assert outcome(STREAMED["sums"], rosters=roster, _stream=True) == told


BAD = {
    "nobody": "patient,dept,cost\np1,x,1\n,x,2\np2,x,3\n,y,4\n",
    "bad cells": "patient,dept,cost\np1,x,many\np2,x,3\n",
    "no line": "patient,dept,cost\n",
    "nothing": "",
    "no identifier": "person,dept,cost\np1,x,1\n",
    "not UTF-8": b"patient,dept,cost\np1,\xff,1\np2,x,1\n",
}


@pytest.mark.parametrize("rule", ["refuse", "default", "drop"])
@pytest.mark.parametrize("kind", BAD)
def test_lines_are_read_or_refused_as_if_they_were_kept(kind: str, rule: str) -> None:
    content = BAD[kind]
    Path("visits.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    kept = outcome(STREAMED["sums"], _on_bad_row=rule)
    assert outcome(STREAMED["sums"], _on_bad_row=rule, _stream=True) == kept
    assert isinstance(kept, list) or rule != "refuse"


def test_what_does_not_fit_is_sorted_on_disk(blocks: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {rule: outcome(STREAMED["sums"], _on_bad_row=rule) for rule in ("refuse", "default", "drop")}
    assert isinstance(outcome(WHOLE), str)
    monkeypatch.setattr(reading, "available", lambda: 20_000)
    for rule, wanted in kept.items():
        assert not blocks
        assert outcome(STREAMED["sums"], _on_bad_row=rule) == wanted
        assert blocks
        blocks.clear()
        assert str(outcome(WHOLE, _on_bad_row=rule)).startswith("['D0619 ")


def test_a_long_history_makes_no_other_block_small(blocks: list[int]) -> None:
    """A block of each person alone would make every pass many times as slow."""
    each = [f"p{who},x,1.0" for who in range(200)]
    number: list[int] = []
    for visits in (each, each + ["p100,x,1.0"] * 300):
        written("visits.csv", "patient,dept,cost", *visits)
        assert isinstance(outcome(STREAMED["sums"], _stream=True, _engine=SerialEngine()), str)
        number.append(len(blocks))
        blocks.clear()
    assert number[1] <= 1.5 * number[0] < 200


def test_memory_does_not_grow_with_the_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for size, number in {"RUN_CELLS": 1 << 13, "PIECE_ROWS": 1 << 5, "CHUNK_ROWS": 1 << 11}.items():
        monkeypatch.setattr(sorted_persons, size, number)
    monkeypatch.setattr(blocks_of_rows, "CELLS_READ_AT_ONCE", 1 << 13)
    monkeypatch.setattr(opening, "_CHUNK", 1 << 14)
    monkeypatch.setattr(spill, "IN_MEMORY", 1 << 12)
    most: dict[tuple[int, bool], int] = {}
    draw = np.random.default_rng(0)
    for lines in (10_000, 40_000):
        owners = draw.integers(0, 500, size=lines).tolist()
        written("visits.csv", "patient,dept,cost", *(f"p{who},x,1.5" for who in owners))
        for stream in (False, True):
            gc.collect()
            tracemalloc.start()
            outcome(STREAMED["sums"], _stream=stream, _engine=SerialEngine())
            most[lines, stream] = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    grown = {stream: most[40_000, stream] - most[10_000, stream] for stream in (False, True)}
    assert grown[True] < grown[False] / 8, grown


# ---------------------------------------------------------------------------------------------------------------------
# What is set aside

COLUMNS = (
    ColumnSpec("who", Kind.TEXT),
    ColumnSpec("cost", Kind.REAL),
    ColumnSpec("note", Kind.TEXT, missing=frozenset()),
)
SECRET = "Ada Lovelace, of whom nobody may know"


def table(rows: int) -> Table:
    numbers = np.arange(rows, dtype=np.float64).reshape(rows, 1) + 12345.678
    texts = np.array(
        [[SECRET if at % 2 else f"{at} 𝒳\n", None if at % 3 else "\x00"] for at in range(rows)], dtype=np.object_
    )
    return Table(COLUMNS, numbers, texts.reshape(rows, 2))


def same(one: Table, other: Table) -> bool:
    return bool((one.numbers == other.numbers).all()) and one.texts.tolist() == other.texts.tolist()


def test_tables_come_back_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    for in_memory in (0, spill.IN_MEMORY):
        monkeypatch.setattr(spill, "IN_MEMORY", in_memory)
        aside = spill.Spill("visits")
        places = {rows: aside.put(table(rows)) for rows in (7, 0, 1, 900)}
        for rows in (900, 7, 1, 0, 7):
            assert same(aside.get(places[rows]), table(rows))


@pytest.fixture
def on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "IN_MEMORY", 1)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)


def is_seen(content: bytes) -> bool:
    """Whether bytes on the disk show a text, or a number, of the table."""
    return SECRET.encode()[:8] in content or table(300).numbers[7].tobytes() in content


def on_the_disk(aside: spill.Spill) -> bytes:
    return os.pread(aside._file.fileno(), 1 << 24, 0)


@pytest.mark.usefixtures("on_disk")
def test_nothing_that_is_set_aside_can_be_read(tmp_path: Path) -> None:
    aside, other = spill.Spill("visits"), spill.Spill("visits")
    first, second = aside.put(table(300)), aside.put(table(300))
    assert not [path for path in tmp_path.iterdir() if path.suffix != ".csv"]
    content, size = on_the_disk(aside), sum(first.parts)
    assert len(content) == 2 * size
    assert not is_seen(content)
    # The same table is encrypted in another way elsewhere, and by another process.
    other.put(table(300))
    assert content[:size] != content[size:]
    assert content[:size] != on_the_disk(other)
    # The bytes are as good as random: half of the bits are set.
    bits = np.unpackbits(np.frombuffer(content, dtype=np.uint8))
    assert abs(bits.mean() - 0.5) < 5 * 0.5 / len(bits) ** 0.5
    assert same(aside.get(second), table(300))


@pytest.mark.usefixtures("on_disk")
def test_what_is_not_encrypted_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill.Spill, "_crossed", lambda self, found, place: found)
    aside = spill.Spill("visits")
    aside.put(table(300))
    assert is_seen(on_the_disk(aside))


def test_a_disk_without_room_is_refused_in_fixed_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "IN_MEMORY", 1)
    monkeypatch.setattr("tempfile.tempdir", "/nowhere/at/all")
    told = outcome(STREAMED["sums"], _stream=True)
    assert told == [
        "D0619 visits, bills has more rows than fit into memory, and they could not be set aside in the folder for temporary files"
    ]
