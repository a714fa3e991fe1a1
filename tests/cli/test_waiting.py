"""The line on a terminal while a run takes long: on terminals only, and gone in the end."""

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest

from duetpy.cli import waiting as waiting_module
from duetpy.cli.main import main
from duetpy.cli.waiting import ERASED, waiting
from tests.cli.programs import MEAN


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_line_is_shown_and_erased() -> None:
    terminal = Terminal()
    with waiting(terminal, "running", after=0.0):
        while not terminal.getvalue():
            time.sleep(0.001)
    assert terminal.getvalue().startswith(f"{ERASED}running: 0 s")
    assert terminal.getvalue().endswith(ERASED)


def test_what_is_quick_shows_nothing() -> None:
    terminal = Terminal()
    with waiting(terminal, "running", after=1e6):
        pass
    assert not terminal.getvalue()


def test_an_error_goes_through_and_the_line_is_gone() -> None:
    terminal = Terminal()

    def fail() -> None:
        with waiting(terminal, "running", after=0.0):
            while not terminal.getvalue():
                time.sleep(0.001)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert terminal.getvalue().endswith(ERASED)


def test_a_terminal_that_is_gone_is_no_fault() -> None:
    terminal = Terminal()
    terminal.close()
    with waiting(terminal, "running", after=0.0):
        pass


@pytest.mark.parametrize(
    ("stream", "words", "term", "is_shown"),
    [
        (Terminal(), [], "xterm", True),
        (Terminal(), ["--format", "json"], "xterm", True),
        (Terminal(), ["--quiet"], "xterm", False),
        (Terminal(), [], "dumb", False),
        (io.StringIO(), [], "xterm", False),
    ],
    ids=["a terminal", "JSON on a terminal", "quiet", "a dumb terminal", "a pipe"],
)
def test_where_a_line_may_be_shown(
    stream: TextIO, words: list[str], term: str, is_shown: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[TextIO | None] = []

    @contextmanager
    def told(stream: TextIO | None, what: str, **_: object) -> Iterator[None]:
        shown.append(stream)
        yield

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", term)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(waiting_module, "waiting", told)
    monkeypatch.setattr("sys.stderr", stream)
    Path("mean.eps.duet").write_text(MEAN, encoding="utf-8")
    Path("people.csv").write_text("age\n20\n43\n", encoding="utf-8")
    assert main(["run", "mean.eps.duet", "--data", "people.csv", "--set", "ε=1", *words]) == 0
    assert [each for each in shown if each is not None] == ([stream] if is_shown else [])
