"""Private values that are given with ``--set``: messages never repeat them, and what is not a value counts as a bad one."""

import json
from pathlib import Path

import pytest

from tests.cli.harness import Duetpy, Write

CLIPPED = """pλ ε : ℝ⁺ . x : 𝔻, ε : ℝ⁺[ε] ⇒ laplace[auto, ε] <x> { clip[0.0, 50.0] x }
"""
NAMED = """pλ ε : ℝ⁺ . x : 𝕊, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <x> { if x ≡ "" then 1.0 else 0.0 }
"""
COUNTED = """pλ ε : ℝ⁺ . x : 𝐝 ℕ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <x> { if x ≡ disc 0 then 1.0 else 0.0 }
"""
CLEAR = """pλ ε : ℝ⁺ . x : 𝔻, y : 𝔻, ε : ℝ⁺[ε] ⇒ a ← laplace[auto, ε] <x> { clip[0.0, 1.0] x } ; return ⟨a, y⟩
"""

CANARY = "8675309.25"
STRANGE = [
    f"{CANARY}x",
    f"forty {CANARY}",
    f"{CANARY},5",
    "9" * 401 + CANARY,
    "",
    " ",
    "nan",
    "-",
    f'"{CANARY}',
    f"'{CANARY}'",
]


@pytest.mark.parametrize("value", STRANGE)
@pytest.mark.parametrize("program", [CLIPPED, NAMED, COUNTED])
@pytest.mark.sparse(3)
def test_a_private_value_that_is_none_is_refused_or_counts_as_nothing(
    duetpy: Duetpy, write: Write, program: str, value: str
) -> None:
    write("p.eps.duet", program)
    words = ("run", "p.eps.duet", "--set", "eps=1", "--set", f"x={value}", "--insecure-noise", "none")
    for form in ("text", "json"):
        refused = duetpy(*words, "--format", form)
        assert (refused.code, refused.out, "D0611" in refused.err) == (1, "", True)
        assert CANARY not in refused.err
    done = duetpy(*words, "--on-bad-row", "default", "--format", "json")
    assert (done.code, json.loads(done.out)["result"]) == (0, 0.0 if program == CLIPPED else 1.0)
    assert CANARY not in done.out + done.err


@pytest.mark.parametrize("rows", ["1", "★"])
def test_a_text_in_the_place_of_a_table_is_no_path(duetpy: Duetpy, write: Write, rows: str) -> None:
    """It is what somebody wrote for a record: nobody opens a file of that name, and no message repeats it."""
    write(f"{CANARY}.csv", "a\n50\n")
    text = f"pλ . x : 𝕄 [L∞, U | {rows}, a : 𝔻 else 0 ∷ []] ⇒ laplace[auto, 1.0] <x> {{ BODY }}"
    write("p.eps.duet", text.replace("BODY", "mfold-row 0.0, x { sum, r ⇒ sum + clip[0.0, 50.0] r.a }"))
    for name in (CANARY, f"{CANARY}.csv"):
        words = ("run", "p.eps.duet", "--set", f'x="{name}"', "--insecure-noise", "none")
        refused = duetpy(*words)
        assert (refused.code, refused.out, "D0603" in refused.err) == (1, "", True)
        done = duetpy(*words, "--on-bad-row", "default", "--format", "json")
        assert done.code == 1 if rows == "★" else json.loads(done.out)["result"] == 0.0
        assert CANARY not in refused.err + done.out + done.err


def test_a_text_in_the_place_of_a_discrete_table_is_no_path(duetpy: Duetpy, write: Write) -> None:
    write(
        "p.eps.duet",
        "pλ . x : 𝐝 𝕄 [L∞, U | 1, a : 𝔻 else 0 ∷ []] ⇒ laplace[1.0, 1.0] <x> { if x ≡ x then 1.0 else 0.0 }",
    )
    done = duetpy("run", "p.eps.duet", "--set", f'x="{CANARY}"', "--on-bad-row", "default")
    assert done.code == 0
    assert CANARY not in done.out + done.err


@pytest.mark.parametrize("value", STRANGE)
@pytest.mark.sparse(3)
def test_neighbours_end_alike(duetpy: Duetpy, write: Write, value: str) -> None:
    write("p.eps.duet", CLIPPED)
    assert duetpy("ledger", "create", "l", "--budget", "epsilon=100").code == 0
    ends = []
    for given in ("45", value):
        for more in ((), ("--ledger", "l"), ("--ledger", "l")):
            outcome = duetpy(
                "run", "p.eps.duet", "--set", "eps=1", "--set", f"x={given}", "--on-bad-row", "default", *more
            )
            said = [line.partition(":")[0] for line in outcome.err.splitlines()]
            ends.append((outcome.code, said, "already charged before" in outcome.err))
    kept = ["Privacy", "Ledger"]
    assert ends[:3] == ends[3:] == [(0, ["Privacy"], False), (0, kept, False), (0, kept, True)]


@pytest.mark.parametrize("value", STRANGE)
@pytest.mark.parametrize("command", ["check", "run", "cost", "audit"])
@pytest.mark.sparse(3)
def test_a_public_value_that_is_none_is_refused_and_not_told(
    duetpy: Duetpy, write: Write, command: str, value: str
) -> None:
    """Nobody knows for certain what somebody meant to give."""
    write("p.eps.duet", CLEAR)
    for name in ("eps", "y"):
        outcome = duetpy(command, "p.eps.duet", "--set", f"{name}={value}")
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err == (
            f"duetpy {command}: error: argument --set: "
            f'the value of {name} cannot be read: write 0.5, 1e-6, 1/3, true, false, 2024-02-29, "a text" or @FILE\n'
            f"duetpy {command} --help shows how it is used\n"
        )
        assert CANARY not in outcome.err


@pytest.mark.parametrize(
    "words",
    [
        ("--set", f"x {CANARY}"),
        ("--set", CANARY),
        ("--set", f"={CANARY}"),
        ("--set", "x", CANARY),
        ("--set", "x=Ann", CANARY),
        ("--set", "x=Ann", CANARY, CANARY),
        ("--set", "x=Ann", f"-{CANARY}"),
        ("--sett", f"x={CANARY}"),
        (f"--sett=x={CANARY}",),
    ],
)
def test_a_slip_of_the_command_line_tells_no_value(duetpy: Duetpy, write: Write, words: tuple[str, ...]) -> None:
    write("p.eps.duet", CLIPPED)
    outcome = duetpy("run", "p.eps.duet", *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert CANARY not in outcome.err


def test_an_option_that_there_is_none_of_is_named(duetpy: Duetpy, write: Write) -> None:
    write("p.eps.duet", CLIPPED)
    assert "unrecognized arguments: --dleta" in duetpy("run", "p.eps.duet", "--dleta", "1e-6").err
    assert (
        "--eps; a number of the program is given with --set, such as --set eps=0.5"
        in duetpy("run", "p", "--eps", "1").err
    )
    assert "one argument too many: data is given with --data" in duetpy("run", "p.eps.duet", "another").err


def test_the_documents_say_who_sees_a_setting() -> None:
    page = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
    assert "process list" in page
