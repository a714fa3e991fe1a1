"""``--plot`` of the commands: a picture where matplotlib is installed, else a line that says what to install; never half of one."""

import builtins
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import Duetpy, Outcome
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


LEFT = ("calibrate", "mean.eps.duet", "--ledger", "l", "--vary", "eps", "--set", "m=1000")


@pytest.mark.parametrize(("words", "read"), [*((each, "mean.eps.duet") for each in (LEFT, COST, CHECK)), (LEFT, "l")])
def test_no_picture_takes_the_place_of_what_is_read(
    duetpy: Duetpy, folder: Path, words: tuple[str, ...], read: str
) -> None:
    """A program and a ledger may have any name, and a link another one: charges would be gone."""
    before = (folder / read).read_bytes()
    (folder / "x.svg").symlink_to(folder / read)
    outcome = duetpy(*words, "--plot", "x.svg")
    assert outcome.code == 2
    assert "argument --plot: x.svg is the program, its data or the ledger" in outcome.err
    assert (folder / read).read_bytes() == before


@pytest.fixture
def no_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    found = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return found(name, *rest)

    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", missing)


@pytest.mark.usefixtures("no_matplotlib")
@pytest.mark.parametrize("words", ALL, ids=lambda words: words[0])
def test_without_matplotlib_a_line_says_what_to_install(duetpy: Duetpy, folder: Path, words: tuple[str, ...]) -> None:
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
    assert outcome.code == 70
    assert "duetpy: nowhere/x.svg could not be written: No such file or directory\n" in outcome.err


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


# ---------------------------------------------------------------------------------------------------------------------
# Of a run: what can be refused is refused before the data is opened


def run(duetpy: Duetpy, *words: str, program: str = "mean.eps.duet") -> Outcome:
    Path("x.csv").write_text("age\n20\n40\n", encoding="utf-8")
    return duetpy("run", program, "--data", "x.csv", "--set", "eps=1", "--ledger", "l", *words)


def is_untouched(duetpy: Duetpy) -> bool:
    return "ε = 1 left" in duetpy("ledger", "show", "l").out


@pytest.mark.parametrize(("option", "other"), [("--out", "o.csv"), ("--report", "r.html")])
def test_a_run_does_not_draw_over_what_it_released(duetpy: Duetpy, folder: Path, option: str, other: str) -> None:
    pytest.importorskip("matplotlib")
    (folder / other).symlink_to("x.svg")
    outcome = run(duetpy, option, other, "--plot", "x.svg")
    assert outcome.code == 2
    assert f"argument --plot: x.svg is the file of {option}" in outcome.err
    assert is_untouched(duetpy)


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_run_draws_what_it_released(duetpy: Duetpy, folder: Path, ending: str) -> None:
    pytest.importorskip("matplotlib")
    plain = run(duetpy)
    outcome = run(duetpy, "--plot", f"x.{ending}")  # the ledger repeats the release
    assert (outcome.code, outcome.out) == (plain.code, plain.out) == (0, plain.out)
    assert (folder / f"x.{ending}").read_bytes().startswith(b"<?xml" if ending == "svg" else b"\x89PNG")
    assert run(duetpy, "--plot", f"y.{ending}") == outcome
    assert (folder / f"x.{ending}").read_bytes() == (folder / f"y.{ending}").read_bytes()


@pytest.mark.usefixtures("no_matplotlib")
def test_a_run_without_matplotlib_is_refused_before_it_is_charged(duetpy: Duetpy, folder: Path) -> None:
    outcome = run(duetpy, "--plot", "x.svg")
    assert (outcome.code, outcome.out) == (2, "")
    assert "argument --plot: plots need matplotlib: pip install 'duetpy[plot]'\n" in outcome.err
    assert not (folder / "x.svg").exists()
    assert is_untouched(duetpy)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("x.pdf", "must end in .svg or .png"),
        ("no/x.svg", "cannot be written"),
        ("p.svg", "is the program, its data or the ledger"),
    ],
)
def test_a_picture_of_a_run_that_cannot_be_written_is_refused_before_it_is_charged(
    duetpy: Duetpy, path: str, said: str
) -> None:
    pytest.importorskip("matplotlib")
    Path("p.svg").symlink_to("x.csv")
    outcome = run(duetpy, "--plot", path)
    assert outcome.code == 2
    assert said in outcome.err
    assert is_untouched(duetpy)


@pytest.mark.parametrize(
    ("result", "is_drawn"),
    [
        ('"young"', False),
        ('{ a = "x", b = true }', False),
        ("true", False),
        ("⟨3, true⟩", True),
        ("Set{1, 2}", True),
        ("{ a = 3 }", True),
        ('date "2020-01-01"', False),
    ],
)
def test_whether_there_is_something_to_draw_is_known_before_the_run(
    duetpy: Duetpy, folder: Path, result: str, is_drawn: bool
) -> None:
    pytest.importorskip("matplotlib")
    text = f"plam table : DF[age : Disc], static eps : Real+ => n <- dlaplace[1, eps] <table> {{ rows table }}; return {result}\n"
    (folder / "text.eps.duet").write_text(text, encoding="utf-8")
    assert duetpy("check", "text.eps.duet").code == 0
    outcome = run(duetpy, "--plot", "x.svg", program="text.eps.duet")
    assert outcome.code == (0 if is_drawn else 2), outcome.err
    assert (folder / "x.svg").exists() == is_drawn
    assert is_drawn or "there is nothing to plot: the result has no column of numbers" in outcome.err
    assert is_untouched(duetpy) != is_drawn


def test_a_result_that_no_axis_can_show_is_shown_all_the_same(duetpy: Duetpy, folder: Path) -> None:
    pytest.importorskip("matplotlib")
    text = "plam table : DF[age : Disc], static eps : Real+ => n <- dlaplace[1, eps] <table> { rows table }; return ⟨n, 1e308⟩\n"
    (folder / "large.eps.duet").write_text(text, encoding="utf-8")
    outcome = run(duetpy, "--plot", "x.svg", program="large.eps.duet")
    assert outcome.code == 70
    assert outcome.out.splitlines()[1].endswith(",1e+308")
    assert "error: the result cannot be plotted: it has numbers beyond 1e+300\n" in outcome.err
