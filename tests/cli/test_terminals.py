"""Terminals of any width, with and without colours: no line is cut silently, no word or path broken. A pipe gets no colour, and the
same lines whatever the terminal's width.
"""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from duetpy.diagnostics.display import width
from duetpy.diagnostics.wrapping import uncoloured, wrapped, wrapped_text
from tests.cli.harness import Duetpy, Outcome
from tests.cli.programs import ALIGNED, CLEAR, LYING, MEAN

GROUPS = """\
plam staff : DF[department : Str, salary : Disc], static eps : Real+ =>
  parallel[staff, Set{"Engineering", "Legal"}] { row => row.department } { department, part =>
    people <- dlaplace[1, eps] <part> { rows part } ;
    return { department = department, people = people, employees_of_the_department = people, all = people }
  }
"""
PEOPLE = "age\n" + "44\n" * 50
STAFF = "department,salary\n" + "Legal,3\n" * 7 + "Engineering,4\n" * 9
NOISELESS = ("--set", "eps=0.5", "--insecure-noise", "none")

COMMANDS = {
    "no argument": (),
    "check": ("check", "mean.eps.duet"),
    "check -v": ("check", "mean.eps.duet", "-v", "--set", "eps=0.5", "--set", "m=50"),
    "check, public": ("check", "clear.duet"),
    "check, aligned": ("check", "aligned.ed.duet"),
    "check, refused": ("check", "lying.eps.duet"),
    "check, missing": ("check", "nowhere.duet"),
    "run": ("run", "mean.eps.duet", "--data", "people.csv", *NOISELESS),
    "run, a table": ("run", "groups.eps.duet", "--data", "staff.csv", *NOISELESS, "-v"),
    "run, refused": ("run", "mean.eps.duet", "--data", "bad.csv", "--set", "eps=0.5"),
    "run, malformed": ("run", "mean.eps.duet", "--data", "people.csv", "--set", "epz=0.5"),
    "run, a plan": ("run", "mean.eps.duet", "--data", "people.csv", *NOISELESS, "--explain-plan"),
    "why": ("why", "mean.eps.duet"),
    "cost": ("cost", "mean.eps.duet", "--set", "eps=0.5"),
    "calibrate": ("calibrate", "mean.eps.duet", "--budget", "epsilon=1,delta=1e-6", "--vary", "eps"),
    "calibrate, refused": ("calibrate", "lying.eps.duet", "--budget", "epsilon=1", "--vary", "m"),
    "audit, refused": ("audit", "lying.eps.duet"),
    "ledger show": ("ledger", "show", "l"),
    "ledger verify": ("ledger", "verify", "l"),
    "explain": ("explain", "D0311"),
    "explain, a term": ("explain", "tight"),
    "explain, unknown": ("explain", "mclib"),
    "schema": ("schema", "people.csv"),
    "fmt": ("fmt", "--diff", "mean.eps.duet"),
    "completion": ("completion", "fish"),
    "cost, estimates": ("cost", "mean.eps.duet", "--set", "eps=0.5", "--estimates"),
    "run, to be plotted": ("run", "clear.duet", "--data", "people.csv", "--plot", "x.pdf"),
    "audit": ("audit", "mean.eps.duet", "--trials", "20"),
    "repl": ("repl", "--notion", "eps"),
}

TALK = f"""\
:help
{MEAN.strip()}

:set eps=0.5
:cost
:why table
:type sλ x : ℝ ⇒ x + x
sλ x : ℝ ⇒ x + unknown
:unknown
"""
"""What is typed into a dialogue."""

LAID_OUT = {
    "no argument",
    "explain",
    "explain, a term",
    "schema",
    "fmt",
    "completion",
    "run, malformed",
    "run, to be plotted",
    "explain, unknown",
}
"""These contain programs, scripts or usages, whose lines are not continued."""


@pytest.fixture
def duetpy(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch) -> Duetpy:
    """Runs a command that finds a dialogue on standard input."""

    def run(*words: str) -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TALK.encode()), encoding="utf-8"))
        return duetpy(*words)

    return run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, duetpy: Duetpy) -> Path:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    # What rich draws is tested in test_drawn.py, on real terminals.
    monkeypatch.setitem(sys.modules, "rich", None)
    programs = {"mean.eps": MEAN, "clear": CLEAR, "aligned.ed": ALIGNED, "lying.eps": LYING, "groups.eps": GROUPS}
    for name, text in programs.items():
        (tmp_path / f"{name}.duet").write_text(text, encoding="utf-8")
    for name, text in {"people": PEOPLE, "staff": STAFF, "bad": PEOPLE + "old\n"}.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    assert duetpy("ledger", "create", "l", "--budget", "epsilon=1").code == 0
    run = duetpy("run", "mean.eps.duet", "--data", "people.csv", "--set", "eps=0.5", "--ledger", "l")
    assert run.code == 0
    return tmp_path


def on_a_terminal(
    duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], columns: int, **variables: str
) -> Outcome:
    with monkeypatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.setattr("sys.stdout.isatty", lambda: True)
        patch.setattr("sys.stderr.isatty", lambda: True)
        return duetpy(*words)


def lines(outcome: Outcome) -> Iterator[str]:
    yield from uncoloured(outcome.out + outcome.err).splitlines()


@pytest.mark.sparse(3)
@pytest.mark.parametrize("columns", [40, 60])
@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in LAID_OUT])
def test_no_line_is_wider_than_the_terminal(
    duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch, name: str, columns: int
) -> None:
    """Of what is wider, only a single word may be: a path or a receipt is not broken."""
    shown = on_a_terminal(duetpy, monkeypatch, COMMANDS[name], columns)
    wide = [line.removeprefix("  -->") for line in lines(shown) if width(line) > columns]
    if name == "run, a table":
        wide = [line.partition("   ")[2] for line in wide]  # each part begins with the first column
    assert all(len(line.split()) == 1 and width(line.strip()) >= columns - 20 for line in wide), wide


@pytest.mark.parametrize("columns", [40, 60])
def test_what_an_editor_needs_fits_a_narrow_terminal(
    duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.delitem(sys.modules, "duetpy.lsp.server", raising=False)
    monkeypatch.setitem(sys.modules, "pygls", None)
    shown = on_a_terminal(duetpy, monkeypatch, ("lsp",), columns)
    assert shown.code == 1
    assert "pip install 'duetpy[lsp]'" in " ".join(shown.err.split())
    assert max(map(width, lines(shown))) <= columns


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in LAID_OUT])
def test_no_word_is_lost_in_a_narrow_terminal(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Words are the same and in the same order; only the lines of a program are cut, which shows, and a table is in parts."""
    narrow, wide = (on_a_terminal(duetpy, monkeypatch, COMMANDS[name], columns) for columns in (40, 400))
    assert narrow.code == wide.code
    if name == "run, a table":
        assert set(words(narrow.out)) == set(words(wide.out))
        return
    assert words(narrow.out) == words(wide.out)
    found, expected = words(narrow.err), words(wide.err)
    if "refused" not in name:
        assert found == expected
        return
    assert set(expected) - set(found) <= set(LYING.split())
    assert all("…" in word for word in set(found) - set(expected))


def words(text: str) -> list[str]:
    return [word for word in uncoloured(text).split() if not set(word) <= set("│├└=-^|")]


@pytest.mark.sparse(2)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_pipe_gets_no_colour_whatever_its_width(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    first = duetpy(*COMMANDS[name])
    assert "\x1b" not in first.out + first.err
    if name not in ("no argument", "run, malformed", "run, to be plotted", "explain, unknown"):
        monkeypatch.setenv("COLUMNS", "40")
        assert duetpy(*COMMANDS[name]) == first


@pytest.mark.sparse(3)
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("off", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "TERM"])
def test_colours_can_be_turned_off(
    duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch, name: str, off: dict[str, str]
) -> None:
    shown = on_a_terminal(duetpy, monkeypatch, COMMANDS[name], 80, **off)
    assert "\x1b" not in shown.out + shown.err


@pytest.mark.sparse(3)
@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "no argument"])
def test_an_option_turns_colours_off(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    command, *rest = COMMANDS[name]
    shown = on_a_terminal(duetpy, monkeypatch, (command, "--color", "never", *rest), 80)
    assert "\x1b" not in shown.out + shown.err


def test_the_option_stands_before_or_after_a_subcommand(duetpy: Duetpy) -> None:
    plain = duetpy("ledger", "show", "l")
    assert duetpy("ledger", "show", "l", "--color", "never") == plain
    assert duetpy("ledger", "--color", "never", "show", "l") == plain
    assert "\x1b" in duetpy("ledger", "show", "nowhere", "--color", "always").err
    assert "\x1b" in duetpy("ledger", "--color", "always", "show", "nowhere").err


def test_an_option_turns_colours_on(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" in duetpy("check", "lying.eps.duet", "--color", "always").err
    assert "\x1b[1;32mok\x1b[0m" in duetpy("check", "mean.eps.duet", "--color", "always").out


def test_what_is_piped_is_a_table_whatever_the_colours(duetpy: Duetpy) -> None:
    piped = duetpy("run", "groups.eps.duet", "--data", "staff.csv", *NOISELESS, "--color", "always")
    assert piped.out.splitlines()[1:] == ["Engineering,9,9,9", "Legal,7,7,7"]


def test_colours_are_the_only_difference(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch) -> None:
    for words_ in COMMANDS.values():
        coloured = on_a_terminal(duetpy, monkeypatch, words_, 80)
        plain = on_a_terminal(duetpy, monkeypatch, words_, 80, NO_COLOR="1")
        assert uncoloured(coloured.out) == plain.out
        assert uncoloured(coloured.err) == plain.err


@pytest.mark.parametrize("name", ["check", "cost", "run, a table", "explain"])
def test_what_matters_stands_out(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert "\x1b[1" in on_a_terminal(duetpy, monkeypatch, COMMANDS[name], 80).out


def test_a_wide_table_is_shown_in_parts(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = on_a_terminal(duetpy, monkeypatch, COMMANDS["run, a table"][:-1], 50, NO_COLOR="1")
    assert shown.out == (
        "department    people   employees_of_the_department\n"
        "Engineering   9        9\n"
        "Legal         7        7\n"
        "\n"
        "department    all\n"
        "Engineering   9\n"
        "Legal         7\n"
    )


# ---------------------------------------------------------------------------------------------------------------------
# Lines alone


def test_a_row_goes_on_below_its_last_column_that_has_room() -> None:
    row = "  one   exact   a method whose name takes many words"
    assert list(wrapped(row, 38)) == [
        "  one   exact   a method whose name",
        "                takes many words",
    ]
    assert list(wrapped(row, 30)) == ["  one   exact   a method whose", "        name takes many words"]


def test_the_branches_of_a_tree_go_on() -> None:
    assert list(wrapped("│ ├ some words that are too many", 20)) == ["│ ├ some words that", "│ │     are too many"]


def test_a_word_is_never_broken() -> None:
    path = "/a/path/that/is/longer/than/the/line.duet"
    assert list(wrapped(f"see {path} there", 20)) == ["see", f"    {path}", "    there"]


def test_a_per_cent_sign_stays_with_its_number() -> None:
    assert list(wrapped("it is within ±5 (95 %) of it", 20)) == ["it is within ±5", "    (95 %) of it"]


def test_colours_take_no_room() -> None:
    assert list(wrapped("\x1b[1mten\x1b[0m letters", 11)) == ["\x1b[1mten\x1b[0m letters"]
    assert wrapped_text("no width\n" * 2, None) == "no width\n" * 2


def test_every_width_keeps_the_words() -> None:
    text = "  release laplace at line 9, 4 times: sensitivity 1   scale 2/eps   ±5.9916/eps + 1 (95 %)"
    for columns in range(20, 100):
        found = list(wrapped(text, columns))
        assert " ".join(found).split() == text.split()
        assert all(width(line) <= columns for line in found), (columns, found)
        assert re.match(r"  \S", found[0])
