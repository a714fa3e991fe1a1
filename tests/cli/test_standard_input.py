"""Rows on standard input: a file that has no name, read once."""

import json
import shlex
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.cli.harness import COMMAND, environment, spawn
from tests.cli.programs import MEAN

PEOPLE = b"age\n10\n20\n30\n40\n"
TWICE = """pλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 ∷ []], ys : 𝕄 [L∞, U | m, age : 𝔻 ∷ []] ⇒
  x ← laplace[auto, 0.25] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r.age) } } ;
  y ← laplace[auto, 0.5] <ys> { mfold-row 0.0, ys { a, r ⇒ a + clip[0.0, 1.0] (r.age) } } ;
  return ⟨x, y⟩
"""


def ran(folder: Path, program: str, *arguments: str, stdin: bytes = PEOPLE) -> tuple[int, str, str]:
    (folder / "p.eps.duet").write_text(program, encoding="utf-8")
    done = spawn(folder, "run", "p.eps.duet", *arguments, stdin=stdin)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_rows_are_read_from_standard_input(tmp_path: Path) -> None:
    for rule in ("refuse", "default"):
        for rows in (PEOPLE, PEOPLE.replace(b"\n", b";x\n")):
            options = (
                "--data",
                "-",
                "--set",
                "eps=0.5",
                "--on-bad-row",
                rule,
                "--insecure-noise",
                "none",
                "--format",
                "json",
            )
            code, out, _ = ran(tmp_path, MEAN, *options, stdin=rows)
            assert code == 0
            assert json.loads(out)["result"] == 25.0


def test_a_bad_cell_is_told_by_its_line(tmp_path: Path) -> None:
    code, _, err = ran(tmp_path, MEAN, "--data", "-", "--set", "eps=0.5", stdin=b"age\n1\nx\n")
    assert code == 1
    assert "standard input, line 3" in err
    code, _, err = ran(tmp_path, MEAN, "--data", "-", "--set", "eps=0.5", stdin=b"age\n" + b"x\n" * 30)
    assert code == 1
    assert "standard input: and 10 more problems" in err


def test_what_is_given_twice_is_of_the_same_people(tmp_path: Path) -> None:
    code, out, err = ran(tmp_path, TWICE, "--data", "xs=-", "--data", "ys=-", "--format", "json")
    assert code == 0, err
    assert json.loads(out)["privacy"]["total"]["epsilon"] == 0.75


def test_it_is_a_program_or_rows(tmp_path: Path) -> None:
    done = spawn(tmp_path, "run", "-", "--data", "-", "--set", "eps=1", stdin=MEAN.encode())
    assert done.returncode == 2
    assert "standard input is the program already" in done.stderr.decode()


def test_a_ledger_knows_the_same_rows_again(tmp_path: Path) -> None:
    assert spawn(tmp_path, "ledger", "create", "l", "--budget", "epsilon=2").returncode == 0
    options = ("--data", "-", "--set", "eps=0.5", "--ledger", "l")
    first, again = (ran(tmp_path, MEAN, *options) for _ in range(2))
    other = ran(tmp_path, MEAN, *options, stdin=PEOPLE + b"50\n")
    assert [code for code, *_ in (first, again, other)] == [0, 0, 0]
    assert first[1].splitlines()[0] == again[1].splitlines()[0]
    shown = spawn(tmp_path, "ledger", "show", "l", "--format", "json").stdout
    assert json.loads(shown)["spent"]["epsilon"] == 1.0


def test_what_is_taken_from_a_file_is_that_file(tmp_path: Path) -> None:
    """The same people, by two ways: one pays for both."""
    (tmp_path / "p.eps.duet").write_text(TWICE, encoding="utf-8")
    (tmp_path / "people.csv").write_bytes(PEOPLE)
    words = [*COMMAND, "run", "p.eps.duet", "--data", "xs=-", "--data", "ys=people.csv", "--format", "json"]
    for stdin, epsilon in (("people.csv", 0.75), ("copy.csv", 0.5)):
        (tmp_path / "copy.csv").write_bytes(PEOPLE)
        with open(tmp_path / stdin, "rb") as rows:
            done = subprocess.run(words, cwd=tmp_path, stdin=rows, capture_output=True, env=environment(), check=True)
        assert json.loads(done.stdout)["privacy"]["total"]["epsilon"] == epsilon


def test_the_result_does_not_take_the_place_of_the_data(tmp_path: Path) -> None:
    (tmp_path / "p.eps.duet").write_text(MEAN, encoding="utf-8")
    (tmp_path / "people.csv").write_bytes(PEOPLE)
    with database(tmp_path / "people.duckdb") as made:
        made.execute("CREATE TABLE t AS SELECT 1.0::DOUBLE AS age")
    stored = "duckdb:people.duckdb?table=t"
    words = [*COMMAND, "run", "p.eps.duet", "--set", "eps=1", "--data"]
    for data, out in (("-", "people.csv"), (stored, "people.duckdb"), (stored, "people.duckdb.wal")):
        with open(tmp_path / "people.csv", "rb") as rows:
            given = [*words, data, "--out", out]
            done = subprocess.run(given, cwd=tmp_path, stdin=rows, capture_output=True, env=environment(), check=False)
        assert done.returncode == 2
        assert "is the program, its data or the ledger" in done.stderr.decode()
    assert (tmp_path / "people.csv").read_bytes() == PEOPLE
    assert not (tmp_path / "people.duckdb.wal").exists()


def test_closed_standard_input_is_told(tmp_path: Path) -> None:
    (tmp_path / "p.eps.duet").write_text(MEAN, encoding="utf-8")
    words = shlex.join([*COMMAND, "run", "p.eps.duet", "--set", "eps=1", "--data", "-"])
    done = subprocess.run(
        ["sh", "-c", f"{words} <&-"], cwd=tmp_path, capture_output=True, env=environment(), check=False
    )
    assert done.returncode == 1
    assert "standard input: cannot be read: there is no standard input" in done.stderr.decode()


def database(path: Path) -> Any:
    return import_module("duckdb").connect(str(path))
