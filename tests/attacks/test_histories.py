"""One person's rows do not decide whether a run has enough memory, however many they have in each file."""

import io
import tracemalloc
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from duetpy.cli.main import main

PERSONS = (
    "plam people : persons[who : Str | a : DF[k : Str, x : Disc else 0], b : DF[k : Str, y : Disc else 0]] =>\n"
    "  laplace[auto, 1.0] <people> { mfold-row 0, people { total, p => total + clip[0, 50] (BODY) } }\n"
)
BODIES = {
    "a fold": "mfold-row 0, joinDF[9]<.k.>[p.a, p.b] { sum, both => sum + (conv both.y - conv both.x / 2) }",
    "a count": "real (rows (mfilter (joinDF[9]<.k.>[p.a, p.b]) { both => both.x < both.y }))",
    "different rows": "real (rows (distinct (joinDF[9]<.k.>[p.a, p.b]).[k, y]))",
    "a join of a join": "real (rows (joinDF[3]<.k.>[joinDF[3]<.k.>[p.a, p.b], p.b]))",
}
MOST = 48 << 20
"""Bytes. All pairs of the rows of the long histories would take 300 MB for one column."""


def outcome(folder: Path, text: str, rows: int, *options: str) -> tuple[int, str]:
    """How a run ends if one person has so many rows in both files, and what it says."""
    folder.mkdir()
    (folder / "p.eps.duet").write_text(text, encoding="utf-8")
    for name, cell in (("a", "x"), ("b", "y")):
        lines = [f"u{at},m,{at}" for at in range(5)] + [f"v,m,{at % 90}" for at in range(rows)]
        (folder / f"{name}.csv").write_text(f"who,k,{cell}\n" + "\n".join(lines) + "\n", encoding="utf-8")
    data = [word for name in "ab" for word in ("--data", f"{name}={folder / f'{name}.csv'}")]
    said = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(said):
        code = main(["run", str(folder / "p.eps.duet"), *data, "--memory", "64MB", *options])
    return code, said.getvalue().replace(str(folder), "")


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("bad", ["default", "drop"])
def test_a_long_history_ends_a_run_as_a_short_one_does(tmp_path: Path, body: str, bad: str) -> None:
    text = PERSONS.replace("BODY", BODIES[body])
    few = outcome(tmp_path / "few", text, 1, "--on-bad-row", bad)
    many, memory = measured(tmp_path / "many", text, 6_000, "--on-bad-row", bad)
    assert few[0] == 0
    assert many == few
    assert memory < MOST


def test_the_memory_of_many_pairs_is_seen(tmp_path: Path) -> None:
    (_, _), memory = measured(
        tmp_path / "many", PERSONS.replace("BODY", BODIES["a fold"].replace("[9]", "[300]")), 6_000
    )
    assert memory > 2 * MOST


def measured(folder: Path, text: str, rows: int, *options: str) -> tuple[tuple[int, str], int]:
    """The same, and the most bytes that were in memory."""
    tracemalloc.start()
    try:
        return outcome(folder, text, rows, *options), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
