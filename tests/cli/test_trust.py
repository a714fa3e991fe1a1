"""Programs with foreign code at the command line: they run only when whoever runs them says so."""

import json
from pathlib import Path

import pytest

from tests.cli.harness import Duetpy, Write, spawn

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


def test_a_check_tells_of_foreign_code_and_does_not_import_it(folder: Path, duetpy: Duetpy) -> None:
    outcome = duetpy("check", "sub/half.eps.duet")
    assert outcome.code == 0
    assert "runs    beside_the_program:half: foreign code" in outcome.out
    assert "imported" not in outcome.out


def test_a_run_imports_nothing_that_it_was_not_told_to(folder: Path) -> None:
    outcome = spawn(folder, "run", "sub/half.eps.duet", "--data", "x.csv")
    assert outcome.returncode == 1
    assert b"D0710" in outcome.stderr
    assert b"--trust beside_the_program" in outcome.stderr
    assert b"imported" not in outcome.stdout


def test_a_trusted_module_is_found_beside_the_program(folder: Path) -> None:
    arguments = ("run", "sub/half.eps.duet", "--trust", "beside_the_program", "--insecure-noise", "none")
    outcome = spawn(folder, *arguments, "--data", "x.csv")
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout.startswith(b"imported\n0.5 ")
    failed = spawn(folder, *arguments, "--data", "bad.csv")
    assert failed.returncode == 1
    assert b"D0712" in failed.stderr
    assert b"nothing was released" in failed.stderr
    assert b"8675309" not in failed.stdout + failed.stderr


def test_a_run_says_what_its_protection_rests_on(folder: Path, write: Write, duetpy: Duetpy) -> None:
    """Beside foreign code, of which only the type is known, what ``given`` releases as it is."""
    write("given.ed.duet", "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒\n  given[1.0, 1e-9] <xs> { xs#[ℕ[0], ℕ[0]] }\n")
    trusting = ("run", "sub/half.eps.duet", "--data", "x.csv", "--trust", "beside_the_program")
    done = spawn(folder, *trusting)
    assert b"Trusted: the code of beside_the_program:half, of which only the type is known.\n" in done.stdout
    told = json.loads(spawn(folder, *trusting, "--format", "json").stdout.removeprefix(b"imported\n"))
    assert told["privacy"]["foreign"] == ["beside_the_program:half"]
    outcome = duetpy("run", "given.ed.duet", "--data", "x.csv")
    assert "Trusted: what given at line 2 releases" in outcome.out
    write("plain.eps.duet", PROGRAM.replace('(opaque "beside_the_program:half" : 𝔻 ⊸ 𝔻) ', ""))
    outcome = duetpy("run", "plain.eps.duet", "--data", "x.csv")
    assert outcome.code == 0, outcome.err
    assert "Trusted" not in outcome.out
