"""``duetpy repl`` over a pipe: entries are checked one after the other, and commands look at the last one."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from duetpy.cli.repl import HELP
from duetpy.settings import WANTED
from tests.cli.harness import Duetpy, Outcome, Write, spawn

Talk = Callable[..., Outcome]

COUNT = "pλ xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []], static ε : ℝ⁺ ⇒ laplace[auto, ε] <xs> { count (mmap-row xs { r ⇒ 65.0 ≤ r.age }) }"


@pytest.fixture
def talk(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch) -> Talk:
    """What the command says to some lines."""

    def said(*lines: str, options: tuple[str, ...] = ()) -> Outcome:
        text = "".join(f"{line}\n" for line in lines)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode("utf-8")), encoding="utf-8"))
        return duetpy("repl", *options)

    return said


def test_over_a_pipe_there_is_no_prompt_and_the_end_of_the_input_ends_it(tmp_path: Path) -> None:
    done = spawn(tmp_path, "repl", stdin="sλ x : ℝ ⇒ x + x\n".encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("utf-8") == "  type ℝ ⊸[2] ℝ\n  x   sensitivity 2\n"


def test_an_expression_says_what_is_proved(talk: Talk) -> None:
    outcome = talk("notion eps", COUNT)
    assert (outcome.code, outcome.err) == (0, "")
    assert "xs   costs ε\n" in outcome.out
    assert "release laplace at line 2: sensitivity 1, scale 1/ε" in outcome.out


def test_definitions_notions_and_imports_are_kept(talk: Talk, write: Write) -> None:
    write("lib.duet", "def twice = sλ x : ℝ ⇒ x + x\n")
    outcome = talk(
        'import "lib.duet"', "def four = sλ x : ℝ ⇒ twice (twice x)", "def eight = sλ x : ℝ ⇒ twice (four x)", "eight"
    )
    assert outcome.err == ""
    assert outcome.out.splitlines() == [
        "four : ℝ ⊸[4] ℝ",
        "eight : ℝ ⊸[8] ℝ",
        "  type ℝ ⊸[8] ℝ",
        "  x   sensitivity 8",
    ]


def test_an_entry_goes_on_until_it_is_whole_or_a_line_is_empty(talk: Talk) -> None:
    outcome = talk("sλ x : ℝ ⇒", "  (x +", "   x)", "1 +", "", "2")
    assert outcome.out.splitlines() == ["  type ℝ ⊸[2] ℝ", "  x   sensitivity 2", "  type ℕ[2]"]
    assert outcome.err.count("error[") == 1
    assert "expected an expression" in outcome.err


def test_type_cost_and_why(talk: Talk) -> None:
    outcome = talk(
        COUNT, ":type 1 + 2", ":cost", ":set eps=0.5", ":cost", ":why xs", ":set", ":why", options=("--notion", "eps")
    )
    assert outcome.err == ""
    assert "\nℕ[3]\n" in outcome.out
    assert "pure       ε = ε " in outcome.out
    assert "pure       ε = 0.5 " in outcome.out
    assert outcome.out.count("noise for a sensitivity of 1") == 2
    assert "xs costs ε, which is ε = 0.5\n" in outcome.out
    assert "xs costs ε\n" in outcome.out


def test_the_cost_of_an_expression(talk: Talk) -> None:
    outcome = talk(f":cost {COUNT}")
    assert outcome.err == ""
    assert "Gaussian   μ = 2⋅Φ⁻¹(1 - exp(-ε/2)/2)" in outcome.out


def test_a_mistake_is_told_and_nothing_ends(talk: Talk) -> None:
    outcome = talk("def wrong = 1 + true", "wrong", "1 + 1")
    assert outcome.code == 0
    assert "error[D0203]" in outcome.err
    assert "unknown name `wrong`" in outcome.err
    assert outcome.out == "  type ℕ[2]\n"


def test_a_warning_is_told(talk: Talk) -> None:
    outcome = talk("pλ . x : ℝ ⇒ return 1")
    assert "warning[D0416]" in outcome.err
    assert outcome.out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (":cost", "there is no program yet"),
        (":why", "there is no program yet"),
        (":nonsense", "unknown command :nonsense; :help lists them"),
        (":", "unknown command :; :help lists them"),
        (":type", ":type needs an expression"),
        (":set ε", "must have the form NAME=VALUE"),
        (":set ε=secret", "cannot be read"),
    ],
)
def test_a_command_that_cannot_be_done_says_why(talk: Talk, line: str, told: str) -> None:
    outcome = talk(line, "1")
    assert (outcome.code, outcome.out) == (0, "  type ℕ[1]\n")
    assert told in outcome.err
    assert "secret" not in outcome.err


def test_why_of_a_name_that_there_is_not(talk: Talk) -> None:
    outcome = talk("sλ total : ℝ ⇒ total", ":why totl")
    assert "unknown parameter totl; did you mean total?" in outcome.err


def test_quit_ends_it_and_help_lists_what_there_is(talk: Talk) -> None:
    outcome = talk(":help", ":quit", "1")
    assert (outcome.code, outcome.out, outcome.err) == (0, HELP, "")


def test_bytes_that_are_no_text_are_answered(tmp_path: Path) -> None:
    done = spawn(tmp_path, "repl", stdin=b"\xff\xfe\n1\n")
    assert done.returncode == 0
    assert done.stdout == "  type ℕ[1]\n".encode()
    assert b"error[D0001]" in done.stderr


def test_answers_are_spelt_as_the_question(talk: Talk) -> None:
    program = "plam xs : DF[a : Disc], static eps : Real+ => laplace[1, eps] <xs> { real (rows xs) }"
    told = talk("slam x : Real => x", f":cost {program}", "sλ x : ℝ ⇒ x").out
    assert "Real -o[1] Real" in told
    assert "2*Phi^-1(" in told
    assert ":set eps=..." in told
    assert "--set" not in told
    assert "ℝ ⊸[1] ℝ" in told


def test_an_interruption_drops_the_entry_and_not_the_session(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal; definitions stay, and the end of the input ends the session with 0."""
    lines = iter(["def f = sλ x : ℝ ⇒ x + x", "let y =", KeyboardInterrupt(), "f 3.0"])
    prompts = []

    def typed(prompt: str) -> str:
        prompts.append(prompt)
        line = next(lines, EOFError())
        if isinstance(line, BaseException):
            raise line
        return line

    monkeypatch.setattr("builtins.input", typed)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    outcome = duetpy("repl")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines() == ["f : ℝ ⊸[2] ℝ", "", "  type ℝ", ""]
    assert prompts == ["duet> ", "duet> ", "  ... ", "duet> ", "duet> "]


def test_a_notion_may_follow_what_was_kept(talk: Talk) -> None:
    """It stands before imports and definitions in a file, whenever it is typed."""
    outcome = talk(
        'import "std:stats"', "def one=1.0", "notion zcdp", f"{COUNT.replace('laplace', 'gauss').replace('ε', 'ρ')}"
    )
    assert outcome.err == ""
    assert outcome.out.startswith("one : ℝ⁺[1]\n")
    assert "  xs   costs ρ\n" in outcome.out


def test_a_number_is_set_again_in_another_spelling(talk: Talk) -> None:
    outcome = talk(COUNT, ":set ε=1", ":set eps=2", ":why")
    assert outcome.err == ""
    assert "xs costs ⟨ε, 0⟩, which is ε = 2, δ = 0\n" in outcome.out


def test_what_is_wrong_with_a_command_is_told_without_what_a_terminal_would_do(talk: Talk) -> None:
    outcome = talk(":\x1b[31mzz", ":set \x1b[31mq=no", ":quit now", ":type", "1")
    assert outcome.err.splitlines() == [
        "error: unknown command :\\u{1b}[31mzz; :help lists them",
        "error: the value of \\u{1b}[31mq cannot be read: " + WANTED,
        "error: :quit stands alone on its line",
        "error: :type needs an expression",
    ]
    assert outcome.out == "  type ℕ[1]\n"


def test_nothing_is_explained_of_numbers_that_are_refused(talk: Talk) -> None:
    third = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 ∷ []], static ε : ℝ⁺ ⇒ laplace[auto, ε] <xs> { clip[0.0, 1.0] xs#[2, 0] }"
    outcome = talk("notion eps", third, ":set m=2", ":why", ":set m=3", ":why xs")
    assert outcome.err.count("error[D0501]") == 1
    assert outcome.out.count("xs costs ε\n") == 1


def test_each_definition_has_its_own_type(talk: Talk) -> None:
    """Also next to `main`, which is the value of a file without an expression, and in one entry with others."""
    outcome = talk("def main = 5", "def f = true", "def g = 2 def h = false; def g = 3", "g")
    assert outcome.err == ""
    assert outcome.out.splitlines() == ["main : ℕ[5]", "f : 𝔹", "g : ℕ[3]", "h : 𝔹", "  type ℕ[3]"]


def test_every_part_of_an_entry_has_its_place(talk: Talk) -> None:
    """An expression behind a definition would stand before all that is typed later, and a definition behind a notion or a comment
    would be forgotten."""
    outcome = talk(
        "def f = 1; f",
        "notion zcdp; def g = f",
        'import "std:stats" -- for later',
        "-- a note",
        "{- h -} def h = g",
        "h",
    )
    assert outcome.err == ""
    assert outcome.out.splitlines() == ["  type ℕ[1]", "g : ℕ[1]", "h : ℕ[1]", "  type ℕ[1]"]


def test_a_notion_that_a_definition_cannot_have_is_not_kept(talk: Talk) -> None:
    gauss = "pλ ρ : ℝ⁺ . x : ℝ, ρ : ℝ⁺[ρ] ⇒ gauss[1.0, ρ] <x> { x }"
    outcome = talk("notion zcdp", f"def noisy = {gauss}", "notion eps", "noisy")
    assert outcome.err.count("gauss has no cost in ε-differential privacy") == 1
    assert "  x   costs ρ\n" in outcome.out


def test_a_command_about_an_expression_takes_no_definition(talk: Talk) -> None:
    outcome = talk(":type def f = 2", ":cost def f = 2")
    assert outcome.err.splitlines() == ["error: :type needs an expression", "error: :cost needs an expression"]
