"""What rich draws on a real terminal: the words of the plain text, in tables that fit. Elsewhere nothing imports it, and nothing
changes."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from duetpy.diagnostics.display import width
from duetpy.diagnostics.wrapping import uncoloured
from tests.cli.harness import environment, spawn
from tests.cli.programs import MEAN

pytest.importorskip("rich")

GROUPS = """\
plam staff : DF[department : Str, salary : Disc], static eps : Real+ =>
  parallel[staff, Set{"Legal", "[red]Sales[/red]", ":smile:"}] { row => row.department } { department, part =>
    people <- laplace[1.0, eps] <part> { real (rows part) } ;
    return { department = department, people = people, salary = 12.5 * people }
  }
"""
STAFF = "department,salary\n" + "Legal,3\n" * 7 + "[red]Sales[/red],4\n" * 11
TABLE = ("run", "groups.eps.duet", "--data", "staff.csv", "--set", "eps=0.5", "--insecure-noise", "none", "-v")
COMMANDS = {
    "run": TABLE,
    "cost": ("cost", "mean.eps.duet", "--set", "eps=0.5", "--set", "m=50"),
    "ledger show": ("ledger", "show", "l"),
    "explain": ("explain", "laplace"),
    "explain, a code": ("explain", "D0001"),
}
WITHOUT_RICH = "import sys; sys.modules['rich'] = None; from duetpy.cli.main import main; sys.exit(main())"
LISTING = "import sys; from duetpy.cli.main import main; main(); sys.exit('rich' in sys.modules)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    for name, text in {
        "groups.eps.duet": GROUPS,
        "mean.eps.duet": MEAN,
        "staff.csv": STAFF,
        "people.csv": "age\n" + "44\n" * 50,
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert spawn(folder, "ledger", "create", "l", "--budget", "epsilon=2").returncode == 0
    run = ("run", "mean.eps.duet", "--data", "people.csv", "--set", "eps=0.5", "--ledger", "l")
    assert spawn(folder, *run).returncode == 0
    return folder


def on_a_terminal(
    folder: Path, *words: str, columns: int = 80, start: tuple[str, ...] = ("-m", "duetpy"), **changes: str
) -> str:
    """What a command writes to a terminal that is its standard output; its standard error is a pipe that nobody reads."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    variables = {
        name: value
        for name, value in environment(**{"TERM": "xterm", **changes}).items()
        if name not in ("COLUMNS", "LINES")
    }
    process = subprocess.Popen(
        [sys.executable, *start, *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=variables,
    )
    os.close(theirs)
    found = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # Linux reports a terminal whose other end is closed as an error
            piece = b""
        if not piece:
            break
        found += piece
    os.close(ours)
    assert process.wait() == 0
    return found.decode().replace("\r\n", "\n")


def words(text: str) -> set[str]:
    """The words of a text, without rules, bars, and the signs of lists."""
    return {word for word in re.findall(r"\w[\w.,:]*", uncoloured(text).replace("\n", " ")) if not word.isdigit()}


@pytest.mark.parametrize(("name", "columns"), [("run", 100), ("cost", 60), ("cost", 40)])
def test_what_is_drawn_fits_and_has_every_word(folder: Path, name: str, columns: int) -> None:
    drawn = on_a_terminal(folder, *COMMANDS[name], columns=columns)
    plain = on_a_terminal(folder, *COMMANDS[name], columns=columns, NO_COLOR="1")
    assert "\x1b[" in drawn
    assert words(plain) <= words(drawn)
    assert all(width(line) <= columns for line in uncoloured(drawn).splitlines())


def test_a_table_has_a_rule_and_its_numbers_below_each_other(folder: Path) -> None:
    lines = uncoloured(on_a_terminal(folder, *TABLE)).splitlines()
    assert lines[0].split() == ["department", "people", "error95", "salary"]
    assert set(lines[1]) == {"─"}
    rows = {line.split()[0]: line for line in lines[2:]}
    assert set(rows) == {"Legal", "[red]Sales[/red]", ":smile:"}, "a text is no markup"
    assert rows["Legal"].split()[-1] == "87.5"
    assert rows[":smile:"].split()[1] == "0"
    assert len({row.index(".") for row in (rows["Legal"], rows["[red]Sales[/red]"])}) == 1


def test_a_table_without_room_is_in_parts(folder: Path) -> None:
    narrow = uncoloured(on_a_terminal(folder, *TABLE, columns=40))
    assert narrow == uncoloured(on_a_terminal(folder, *TABLE, columns=40, NO_COLOR="1"))
    assert "─" not in narrow


def test_a_ledger_has_a_bar_of_what_is_spent(folder: Path) -> None:
    shown = on_a_terminal(folder, "ledger", "show", "l")
    plain = on_a_terminal(folder, "ledger", "show", "l", NO_COLOR="1")
    assert words(plain) <= words(shown)
    (bar,) = [line for line in shown.splitlines() if "━" in line]
    parts = [part for part in re.split(r"\x1b\[[0-9;]*m", bar) if part]
    assert len(parts[0]) == 10, "a quarter of 40 columns"
    assert "━" not in plain


@pytest.mark.parametrize("name", ["explain", "explain, a code"])
def test_a_page_is_rendered(folder: Path, name: str) -> None:
    shown = on_a_terminal(folder, *COMMANDS[name], columns=70)
    text = uncoloured(shown)
    assert "```" not in text
    assert "](" not in text
    assert "**" not in text
    assert max(map(width, text.splitlines())) <= 70
    assert words(on_a_terminal(folder, *COMMANDS[name], columns=70, NO_COLOR="1")) - words(text) <= {"corrected:"}
    assert ("Corrected:" in text) == (name == "explain, a code")


OFF = {
    "NO_COLOR": ("run", {"NO_COLOR": "1"}, ()),
    "TERM": ("cost", {"TERM": "dumb"}, ()),
    "--color": ("ledger show", {}, ("--color", "never")),
    "ASCII": ("explain", {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}, ()),
}


@pytest.mark.parametrize("off", OFF)
def test_it_can_be_turned_off(folder: Path, off: str) -> None:
    name, changes, options = OFF[off]
    command = [*COMMANDS[name], *options]
    shown = on_a_terminal(folder, *command, **changes)
    assert shown == on_a_terminal(folder, *command, start=("-c", WITHOUT_RICH), **changes)
    assert ("\x1b" in shown) == (off == "ASCII")


@pytest.mark.parametrize("name", ["run", "explain"])
def test_a_pipe_gets_the_same_whether_rich_is_there(folder: Path, name: str) -> None:
    with_rich = spawn(folder, *COMMANDS[name])
    without = subprocess.run(
        [sys.executable, "-c", WITHOUT_RICH, *COMMANDS[name]],
        cwd=folder,
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert (with_rich.stdout, with_rich.stderr) == (without.stdout, without.stderr)
    assert b"\x1b" not in with_rich.stdout


def test_rich_is_imported_only_where_it_draws(folder: Path) -> None:
    piped = subprocess.run(
        [sys.executable, "-c", LISTING, *TABLE], cwd=folder, capture_output=True, env=environment(), check=False
    )
    assert piped.returncode == 0
    on_a_terminal(folder, "check", "mean.eps.duet", start=("-c", LISTING))
    with pytest.raises(AssertionError):
        on_a_terminal(folder, *TABLE, start=("-c", LISTING))  # the control


def test_a_spinner_turns_and_is_gone() -> None:
    import io

    from duetpy.cli.waiting import waiting

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    with waiting(terminal, "running [bold]all[/bold]", after=0.0, is_drawn=True):
        while "0:00:00" not in terminal.getvalue():
            time.sleep(0.001)
    shown = terminal.getvalue()
    assert "running [bold]all[/bold]" in uncoloured(shown), "a text is no markup"
    assert re.search(r"\x1b\[2K\S*\Z|\x1b\[\?25h", shown[-40:]), "the line is erased, and the cursor is back"


def test_what_is_quick_has_no_spinner() -> None:
    import io

    from duetpy.cli.waiting import waiting

    terminal = io.StringIO()
    with waiting(terminal, "running", after=1e6, is_drawn=True):
        pass
    assert not terminal.getvalue()
