"""``duetpy run … | python -c "import pandas, sys; pandas.read_csv(sys.stdin)"``, for every example."""

import csv
import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from duetpy.cli.main import main
from tests.cli.harness import COMMAND, ROOT, environment
from tests.runs import GIVEN, NAMES, run_of

READ = "import pandas, sys; table = pandas.read_csv(sys.stdin); print(len(table), *table.columns, sep=chr(31))"


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The root of this repository, in which the examples are run."""
    monkeypatch.chdir(ROOT)
    return ROOT


def piped(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What a run of an example writes to a pipe."""
    code = main(["run", str(path), *run_of(path)])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    assert "Privacy: " in captured.err
    return captured.out


def test_every_example_has_a_run() -> None:
    assert sorted(NAMES.values()) == sorted(GIVEN)


@pytest.mark.parametrize("path", NAMES, ids=NAMES.get)
@pytest.mark.usefixtures("root")
def test_what_an_example_writes_to_a_pipe_is_a_table(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = piped(path, capsys)
    header, *rows = csv.reader(io.StringIO(text), strict=True)
    assert len(set(header)) == len(header) > 0
    assert rows
    assert {len(row) for row in rows} == {len(header)}
    words = {name for name in header if not name.startswith(("column_", "key", "value"))}
    assert words <= set(path.read_text(encoding="utf-8").replace(",", " ").split())
    # Pandas reads the same.
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(io.StringIO(text))
    assert [*table.columns] == header
    assert len(table) == len(rows)
    assert not table.isna().any().any()
    kinds = {name: dtype.kind for name, dtype in table.dtypes.items()}
    numbers = {name for name, cells in zip(header, zip(*rows, strict=True), strict=True) if all(map(is_number, cells))}
    assert numbers == {name for name, kind in kinds.items() if kind in "if"}


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_a_pipe_of_two_processes() -> None:
    pytest.importorskip("pandas")
    words = [*COMMAND, "run", "examples/groups.eps.duet", *run_of(ROOT / "examples" / "groups.eps.duet")]
    line = f"{shlex.join(words)} | {shlex.join([sys.executable, '-c', READ])}"
    found = environment(PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path]))
    done = subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, text=True, env=found, check=False)
    assert done.stdout.strip() == "2\x1fdiagnosis\x1fnumber\x1fmean\x1fmedian", done.stderr
