"""Rows on standard input: a file that has no name, read once."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from duetpy.grammar.ast import Norm
from duetpy.runtime.release.whose_rows import sources_of
from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import ONE
from tests.cli.harness import COMMAND, Duetpy, Outcome, environment, spawn
from tests.cli.programs import MEAN

PEOPLE = b"age\n10\n20\n30\n40\n"
TWICE = """pλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []], ys : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []] ⇒
  x ← laplace[auto, 0.25] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r.age) } } ;
  y ← laplace[auto, 0.5] <ys> { mfold-row 0.0, ys { a, r ⇒ a + clip[0.0, 1.0] (r.age) } } ;
  return ⟨x, y⟩
"""


Run = Callable[..., Outcome]


@contextmanager
def standing_in(file: int) -> Iterator[None]:
    """Standard input, the descriptor and Python's file of it, is another one meanwhile."""
    kept, usual = os.dup(0), sys.stdin
    try:
        os.dup2(file, 0)
        with open(0, encoding="utf-8", closefd=False) as sys.stdin:
            yield
    finally:
        sys.stdin = usual
        os.dup2(kept, 0)
        os.close(kept)


@contextmanager
def piped(content: bytes) -> Iterator[int]:
    """The end of a pipe from which a few bytes are read."""
    reader, writer = os.pipe()
    try:
        os.write(writer, content)
        os.close(writer)
        yield reader
    finally:
        os.close(reader)


@pytest.fixture
def ran(duetpy: Duetpy) -> Run:
    """Runs a program with rows on standard input; in this process, for to start one takes longer than all that it does."""

    def run(program: str, *arguments: str, stdin: bytes = PEOPLE) -> Outcome:
        Path("p.eps.duet").write_text(program, encoding="utf-8")
        with piped(stdin) as reader, standing_in(reader):
            return duetpy("run", "p.eps.duet", *arguments)

    return run


def test_a_process_reads_rows_from_its_standard_input(tmp_path: Path) -> None:
    (tmp_path / "p.eps.duet").write_text(MEAN, encoding="utf-8")
    words = ("--data", "-", "--set", "eps=0.5", "--insecure-noise", "none", "--format", "json")
    done = spawn(tmp_path, "run", "p.eps.duet", *words, stdin=PEOPLE)
    assert done.returncode == 0
    assert json.loads(done.stdout)["result"] == 25.0


def test_rows_are_read_from_standard_input(ran: Run) -> None:
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
            outcome = ran(MEAN, *options, stdin=rows)
            assert outcome.code == 0
            assert json.loads(outcome.out)["result"] == 25.0


def test_a_bad_cell_is_told_by_its_line(ran: Run) -> None:
    outcome = ran(MEAN, "--data", "-", "--set", "eps=0.5", stdin=b"age\n1\nx\n")
    assert outcome.code == 1
    assert "standard input, line 3" in outcome.err
    outcome = ran(MEAN, "--data", "-", "--set", "eps=0.5", stdin=b"age\n" + b"x\n" * 30)
    assert outcome.code == 1
    assert "standard input, column 'age': 30 bad cells (lines 2, 3, 4, …): not a number" in outcome.err


def test_what_is_given_twice_is_of_the_same_people(ran: Run) -> None:
    outcome = ran(TWICE, "--data", "xs=-", "--data", "ys=-", "--format", "json")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["privacy"]["total"]["epsilon"] == 0.75


def test_it_is_a_program_or_rows(duetpy: Duetpy) -> None:
    with piped(MEAN.encode()) as reader, standing_in(reader):
        outcome = duetpy("run", "-", "--data", "-", "--set", "eps=1")
    assert outcome.code == 2
    assert "standard input is the program already" in outcome.err


def test_a_ledger_knows_the_same_rows_again(duetpy: Duetpy, ran: Run) -> None:
    assert duetpy("ledger", "create", "l", "--budget", "epsilon=2").code == 0
    options = ("--data", "-", "--set", "eps=0.5", "--ledger", "l")
    first, again = (ran(MEAN, *options) for _ in range(2))
    other = ran(MEAN, *options, stdin=PEOPLE + b"50\n")
    assert [outcome.code for outcome in (first, again, other)] == [0, 0, 0]
    assert first.out.splitlines()[0] == again.out.splitlines()[0]
    shown = duetpy("ledger", "show", "l", "--format", "json").out
    assert json.loads(shown)["spent"]["epsilon"] == 1.0


def test_what_is_taken_from_a_file_is_that_file(duetpy: Duetpy) -> None:
    """The same people, by two ways: one is charged for both."""
    Path("p.eps.duet").write_text(TWICE, encoding="utf-8")
    Path("people.csv").write_bytes(PEOPLE)
    for stdin, epsilon in (("people.csv", 0.75), ("copy.csv", 0.5)):
        Path("copy.csv").write_bytes(PEOPLE)
        with open(stdin, "rb") as rows, standing_in(rows.fileno()):
            outcome = duetpy("run", "p.eps.duet", "--data", "xs=-", "--data", "ys=people.csv", "--format", "json")
        assert outcome.code == 0, outcome.err
        assert json.loads(outcome.out)["privacy"]["total"]["epsilon"] == epsilon


def test_where_a_file_on_standard_input_is_hangs_on_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger adds up by it what persons lose who are identified by the same column of a file."""
    people = tmp_path / "people.csv"
    people.write_bytes(PEOPLE)
    places = set()
    for folder in (tmp_path, Path("/")):
        monkeypatch.chdir(folder)
        with people.open("rb") as rows, standing_in(rows.fileno()):
            places |= {
                source.places
                for source in sources_of("xs", "-", t.Matrix(Norm.LINF, None, None, t.Uniform(ONE, t.DATA)))
            }
    assert len(places) == 1


def test_what_comes_through_a_pipe_may_be_of_the_same_people_as_a_file(ran: Run) -> None:
    """`cat people.csv | duetpy run … --data xs=- --data ys=people.csv` was charged for one of the two."""
    Path("people.csv").write_bytes(PEOPLE)
    outcome = ran(TWICE, "--data", "xs=-", "--data", "ys=people.csv", "--format", "json")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["privacy"]["total"]["epsilon"] == 0.75


def test_the_result_does_not_take_the_place_of_the_data(duetpy: Duetpy) -> None:
    Path("p.eps.duet").write_text(MEAN, encoding="utf-8")
    Path("people.csv").write_bytes(PEOPLE)
    with database("people.duckdb") as made:
        made.execute("CREATE TABLE t AS SELECT 1.0::DOUBLE AS age")
    stored = "duckdb:people.duckdb?table=t"
    for data, out in (("-", "people.csv"), (stored, "people.duckdb"), (stored, "people.duckdb.wal")):
        with open("people.csv", "rb") as rows, standing_in(rows.fileno()):
            outcome = duetpy("run", "p.eps.duet", "--set", "eps=1", "--data", data, "--out", out)
        assert outcome.code == 2
        assert "is the program, its data or the ledger" in outcome.err
    assert Path("people.csv").read_bytes() == PEOPLE
    assert not Path("people.duckdb.wal").exists()


def test_closed_standard_input_is_told(tmp_path: Path) -> None:
    (tmp_path / "p.eps.duet").write_text(MEAN, encoding="utf-8")
    words = shlex.join([*COMMAND, "run", "p.eps.duet", "--set", "eps=1", "--data", "-"])
    done = subprocess.run(
        ["sh", "-c", f"{words} <&-"], cwd=tmp_path, capture_output=True, env=environment(), check=False
    )
    assert done.returncode == 1
    assert "standard input: cannot be read: there is no standard input" in done.stderr.decode()


def database(name: str) -> Any:
    return import_module("duckdb").connect(name)
