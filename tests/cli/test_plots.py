"""``--plot`` of the commands: a picture where matplotlib is installed, else a line that says what to install; never half of one."""

import builtins
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import Duetpy
from tests.cli.programs import MEAN

CALIBRATE = ("calibrate", "mean.eps.duet", "--error", "0.5", "--vary", "eps", "--set", "m=1000")
SHOW = ("ledger", "show", "l")
COST = ("cost", "mean.eps.duet", "--set", "eps=1")
CHECK = ("check", "mean.eps.duet", "--set", "eps=1")
ALL = [CALIBRATE, SHOW, COST, CHECK]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, duetpy: Duetpy) -> Path:
    (tmp_path / "mean.eps.duet").write_text(MEAN, encoding="utf-8")
    assert duetpy("ledger", "create", "l", "--budget", "epsilon=1").code == 0
    return tmp_path


@pytest.mark.parametrize("words", ALL, ids=lambda words: words[0])
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_picture_is_written(duetpy: Duetpy, folder: Path, words: tuple[str, ...], ending: str) -> None:
    pytest.importorskip("matplotlib")
    plain = duetpy(*words)
    outcome = duetpy(*words, "--plot", f"x.{ending}")
    assert outcome == plain
    assert outcome.code == 0
    assert (folder / f"x.{ending}").read_bytes().startswith(b"<?xml" if ending == "svg" else b"\x89PNG")


@pytest.mark.parametrize("words", ALL, ids=lambda words: words[0])
def test_without_matplotlib_a_line_says_what_to_install(
    duetpy: Duetpy, folder: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    found = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return found(name, *rest)

    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", missing)
    outcome = duetpy(*words, "--plot", "x.svg")
    assert outcome.code == 1
    assert outcome.err.endswith("error: plots need matplotlib: pip install 'duetpy[plot]'\n")
    assert not (folder / "x.svg").exists()


@pytest.mark.parametrize("words", ALL, ids=lambda words: words[0])
def test_another_ending_is_malformed(duetpy: Duetpy, folder: Path, words: tuple[str, ...]) -> None:
    outcome = duetpy(*words, "--plot", "x.pdf")
    assert outcome.code == 2
    assert "'x.pdf' must end in .svg or .png" in outcome.err


@pytest.mark.parametrize("words", ALL, ids=lambda words: words[0])
def test_a_picture_that_cannot_be_written_says_so(duetpy: Duetpy, words: tuple[str, ...]) -> None:
    pytest.importorskip("matplotlib")
    outcome = duetpy(*words, "--plot", "nowhere/x.svg")
    assert outcome.code == 1
    assert "error: nowhere/x.svg could not be written: No such file or directory\n" in outcome.err


def test_a_curve_of_errors_needs_the_other_numbers(duetpy: Duetpy, folder: Path) -> None:
    pytest.importorskip("matplotlib")
    outcome = duetpy("calibrate", "mean.eps.duet", "--budget", "epsilon=1", "--vary", "eps", "--plot", "x.svg")
    assert outcome.code == 1
    assert outcome.err == "error: to compute the error of laplace, give more numbers: --set m=…\n"
    assert not (folder / "x.svg").exists()


def test_the_ledger_is_not_drawn_over(duetpy: Duetpy, folder: Path) -> None:
    (folder / "l").rename(folder / "l.svg")
    before = (folder / "l.svg").read_bytes()
    outcome = duetpy("ledger", "show", "l.svg", "--plot", "l.svg")
    assert outcome.code == 2
    assert "l.svg is the ledger" in outcome.err
    assert (folder / "l.svg").read_bytes() == before
