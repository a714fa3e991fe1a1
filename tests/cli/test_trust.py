"""Programs with foreign code at the command line: they run only when whoever runs them says so."""

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from tests.cli.harness import Duetpy, Outcome, Write, spawn
from tests.html import text_of_page

PROGRAM = (
    "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ laplace[auto, 1.0] <xs> { mfold-row 0.0, xs "
    '{ a, r ⇒ a + clip[0.0, 1.0] ((opaque "beside_the_program:half" : 𝔻 ⊸ 𝔻) (r#[0, 0])) } }\n'
)
MODULE = "print('imported')\n\ndef half(x):\n    if x > 100:\n        raise ValueError(f'too large: {x}')\n    return x / 2\n"


@pytest.fixture
def folder(write: Write) -> Path:
    write("sub/half.eps.duet", PROGRAM)
    write("sub/beside_the_program.py", MODULE)
    write("x.csv", "0.5\n0.5\n")
    return write("bad.csv", "0.5\n8675309\n").parent


@pytest.fixture
def foreign(folder: Path, duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch) -> Duetpy:
    """The command, in this process, as a new one: no foreign code was imported before, and none stays."""

    def run(*arguments: str) -> Outcome:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "path", list(sys.path))
            patch.delitem(sys.modules, "beside_the_program", raising=False)
            outcome = duetpy(*arguments)
            sys.modules.pop("beside_the_program", None)
        return outcome

    return run


def test_a_check_tells_of_foreign_code_and_does_not_import_it(folder: Path, duetpy: Duetpy) -> None:
    outcome = duetpy("check", "sub/half.eps.duet")
    assert outcome.code == 0
    assert "runs    beside_the_program:half: foreign code" in outcome.out
    assert "imported" not in outcome.out


def test_a_run_imports_nothing_that_it_was_not_told_to(folder: Path, duetpy: Duetpy) -> None:
    outcome = duetpy("run", "sub/half.eps.duet", "--data", "x.csv")
    assert outcome.code == 1
    assert "D0710" in outcome.err
    assert "--trust beside_the_program" in outcome.err
    assert "imported" not in outcome.out
    assert "beside_the_program" not in sys.modules


def test_a_trusted_module_is_found_beside_the_program(folder: Path, foreign: Duetpy) -> None:
    arguments = ("run", "sub/half.eps.duet", "--trust", "beside_the_program", "--insecure-noise", "none")
    outcome = spawn(folder, *arguments, "--data", "x.csv")
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout.startswith(b"imported\nvalue\n0.5\n")
    failed = foreign(*arguments, "--data", "bad.csv")
    assert failed.code == 1
    assert "D0712" in failed.err
    assert "nothing was released" in failed.err
    assert "8675309" not in failed.out + failed.err


def test_a_run_says_what_its_protection_rests_on(write: Write, foreign: Duetpy, duetpy: Duetpy) -> None:
    """In addition to foreign code, of which only the type is known, what ``given`` releases as it is."""
    write("given.ed.duet", "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒\n  given[1.0, 1e-9] <xs> { xs#[ℕ[0], ℕ[0]] }\n")
    trusting = ("run", "sub/half.eps.duet", "--data", "x.csv", "--trust", "beside_the_program")
    done = foreign(*trusting)
    assert "Trusted: the code of beside_the_program:half; only its type is known.\n" in done.err
    told = json.loads(foreign(*trusting, "--format", "json").out.removeprefix("imported\n"))
    assert told["privacy"]["foreign"] == ["beside_the_program:half"]
    outcome = duetpy("run", "given.ed.duet", "--data", "x.csv")
    assert "Trusted: the release by given at line 2" in outcome.err
    write("plain.eps.duet", PROGRAM.replace('(opaque "beside_the_program:half" : 𝔻 ⊸ 𝔻) ', ""))
    outcome = duetpy("run", "plain.eps.duet", "--data", "x.csv")
    assert outcome.code == 0, outcome.err
    assert "Trusted" not in outcome.out + outcome.err


def test_a_ledger_says_what_each_charge_rests_on(write: Write, foreign: Duetpy, duetpy: Duetpy) -> None:
    given = "a ← given[0.1] <xs> { 0.0 } ;\n  b ← given[0.1] <xs> { 1.0 } ;\n  given[0.1] <xs> { 2.0 }\n"
    write("given.eps.duet", f"pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒\n  {given}")
    write("plain.eps.duet", PROGRAM.replace('(opaque "beside_the_program:half" : 𝔻 ⊸ 𝔻) ', ""))
    assert duetpy("ledger", "create", "l", "--budget", "epsilon=9").code == 0
    foreign("run", "sub/half.eps.duet", "--data", "x.csv", "--ledger", "l", "--trust", "beside_the_program")
    for name in ("given.eps.duet", "plain.eps.duet"):
        assert duetpy("run", name, "--data", "x.csv", "--ledger", "l").code == 0
    code = "runs beside_the_program:half: foreign code; only its type is known"
    stated = [f"release given at line {line}: its stated cost is trusted, not verified" for line in (2, 3, 4)]
    assert json.loads(duetpy("check", "given.eps.duet", "--format", "json").out)["trusted"] == stated
    shown = json.loads(duetpy("ledger", "show", "l", "--format", "json").out)
    assert [entry["trusted"] for entry in shown["entries"]] == [[code], stated, []]
    lines = duetpy("ledger", "show", "l").out.splitlines()
    assert [line.partition(".eps.duet   ")[2] for line in lines[1:-1]] == [
        code,
        "   ".join([*stated[:2], "1 more"]),
        "",
    ]
    assert [row["trusted"] for row in csv.DictReader(io.StringIO(duetpy("ledger", "export", "l").out))] == [
        code,
        "; ".join(stated),
        "",
    ]
    page = text_of_page(duetpy("ledger", "export", "l", "--format", "html").out)
    assert all(each in page for each in (code, "; ".join(stated)))
