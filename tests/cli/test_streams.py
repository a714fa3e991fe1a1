"""Standard output that is closed, full or read by nobody: no command ends with 0 whose output could not be written, and a run says
so before it charges a ledger, as far as that can be known. Standard error may be closed too.
"""

import errno
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from duetpy.cli.console import Console
from duetpy.cli.main import UNWRITTEN_LINE
from duetpy.cli.run import NOTHING_DONE
from duetpy.ledger.store import Ledger
from duetpy.runtime.release import mechanisms
from tests.cli.harness import COMMAND, Duetpy, environment
from tests.cli.programs import CURRIED

SUM = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒
  laplace[auto, 0.5] <xs> { mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 100.0] (row#[0, 0]) } }
"""
RUN = ("run", "sum.eps.duet", "--data", "people.csv", "--ledger", "l")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sum.eps.duet").write_text(SUM, encoding="utf-8")
    vary = SUM.replace("m : ℕ .", "m : ℕ, ε : ℝ⁺ .").replace("] ⇒", "], ε : ℝ⁺[ε] ⇒").replace("0.5", "ε")
    (tmp_path / "vary.eps.duet").write_text(vary, encoding="utf-8")
    (tmp_path / "x.duet").write_text(CURRIED, encoding="utf-8")
    (tmp_path / "people.csv").write_text("31\n44\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def ledger(folder: Path, duetpy: Duetpy) -> Path:
    assert duetpy("ledger", "create", "l", "--budget", "epsilon=10").code == 0
    return folder / "l"


def entries(path: Path) -> int:
    return len(Ledger(path).state().entries)


def process(*arguments: str, prepare: Callable[[], object] | None = None, **streams: int) -> tuple[int, str]:
    """The exit code and standard error of a process whose streams are prepared as they are inherited."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        env=environment(),
        check=False,
        preexec_fn=prepare,
        **{"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **streams},
    )
    return done.returncode, (done.stderr or b"").decode()


def close_output() -> None:
    os.close(1)


def close_both() -> None:
    os.close(1)
    os.close(2)


EVERY = [
    ("check", "x.duet"),
    ("check", "x.duet", "--format", "json"),
    ("check", "x.duet", "--format", "sarif"),
    ("cost", "sum.eps.duet"),
    ("calibrate", "vary.eps.duet", "--budget", "epsilon=1", "--vary", "ε"),
    ("audit", "sum.eps.duet", "--trials", "10"),
    ("schema", "people.csv"),
    ("explain", "D0311"),
    ("ledger", "show", "l"),
    ("ledger", "verify", "l"),
    ("--version",),
    ("--help",),
    ("check", "--help"),
]


@pytest.mark.parametrize("words", EVERY)
@pytest.mark.sparse(7)
def test_what_cannot_be_written_is_no_success(ledger: Path, words: tuple[str, ...]) -> None:
    code, told = process(*words, prepare=close_output)
    assert code == 70
    assert told.endswith(UNWRITTEN_LINE)
    assert "Traceback" not in told


@pytest.mark.parametrize("words", [EVERY[0], EVERY[-1], ("ledger", "show", "l"), RUN])
@pytest.mark.sparse(4)
def test_without_both_streams_nothing_crashes(ledger: Path, words: tuple[str, ...]) -> None:
    assert process(*words, prepare=close_both)[0] == 70
    assert entries(ledger) == 0


def test_without_standard_error_a_run_goes_on(ledger: Path) -> None:
    assert process(*RUN, prepare=lambda: os.close(2))[0] == 0
    assert process("check", "absent.duet", prepare=lambda: os.close(2))[0] == 1
    assert process("check", prepare=lambda: os.close(2))[0] == 2
    assert entries(ledger) == 2


def nobody() -> int:
    """A pipe that nobody reads from any more."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


WAYS = [
    RUN,
    (*RUN, "--format", "json"),
    (*RUN, "--out", "result.txt"),
    (*RUN, "--on-bad-row", "default", "--set", "m=2"),
]


@pytest.mark.parametrize("words", WAYS)
@pytest.mark.parametrize("way", ["closed", "full", "read-only", "nobody"])
@pytest.mark.sparse(5)
def test_a_run_that_cannot_show_anything_charges_nothing(
    ledger: Path, folder: Path, way: str, words: tuple[str, ...]
) -> None:
    match way:
        case "closed":
            code, told = process(*words, prepare=close_output)
        case "full":
            code, told = process(*words, stdout=os.open("/dev/full", os.O_WRONLY))
        case "read-only":
            code, told = process(*words, stdout=os.open(os.devnull, os.O_RDONLY))
        case _:
            code, told = process(*words, stdout=nobody())
    assert (code, told) == (70, NOTHING_DONE + UNWRITTEN_LINE)
    assert entries(ledger) == 0
    assert not (folder / "result.txt").exists()


def test_a_run_that_does_not_find_out_is_charged_for_nothing(
    ledger: Path, duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control."""
    with monkeypatch.context() as patch:
        patch.setattr(Console, "can_show", lambda _: True)
        patch.setattr("sys.stdout", None)
        assert duetpy(*RUN).code == 70
    assert entries(ledger) == 2


def test_a_ledger_of_which_nothing_can_be_told_is_not_begun(folder: Path) -> None:
    assert process("ledger", "create", "new", "--budget", "epsilon=1", prepare=close_output) == (70, UNWRITTEN_LINE)
    assert not (folder / "new").exists()


class Full(io.TextIOWrapper):
    """A file on a disk that is full, which nobody can tell before something is written."""

    def write(self, text: str, /) -> int:
        if text:
            raise OSError(errno.ENOSPC, "No space left on device")
        return 0


class Left(io.TextIOWrapper):
    """A pipe whose reader leaves just before something is written."""

    def write(self, text: str, /) -> int:
        if text:
            raise BrokenPipeError
        return 0


STAYS = "any charge of this run to the ledger stays\n"
AGAIN = "the release is stored there: repeat the run to see it at no cost\n"
LOST = "the release cannot be shown again: repeating the run is charged again\n"


@pytest.mark.parametrize("stream", [Full, Left])
@pytest.mark.parametrize("words", WAYS[:2])
def test_a_charge_whose_release_was_not_shown(
    ledger: Path,
    folder: Path,
    duetpy: Duetpy,
    monkeypatch: pytest.MonkeyPatch,
    stream: type[io.TextIOWrapper],
    words: tuple[str, ...],
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", stream(io.BytesIO()))
        outcome = duetpy(*words)
    assert (outcome.code, outcome.err) == (70, UNWRITTEN_LINE + STAYS + AGAIN)
    assert entries(ledger) == 2
    again = duetpy(*RUN, "--format", "json")
    assert again.code == 0
    assert json.loads(again.out)["ledger"]["replayed"]
    assert entries(ledger) == 2
    # And so is that which was not shown the second time.
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", stream(io.BytesIO()))
        outcome = duetpy(*RUN)
    assert (outcome.code, outcome.err) == (70, UNWRITTEN_LINE + AGAIN)


def test_a_release_that_is_not_found_again_is_lost(
    ledger: Path, folder: Path, duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The data is another file at the end than at the beginning, so the output is kept for no later run."""
    drawn = mechanisms._drawn

    def changing(*given: Any) -> Any:
        (folder / "people.csv").write_text("1\n2\n", encoding="utf-8")
        return drawn(*given)

    with monkeypatch.context() as patch:
        patch.setattr(mechanisms, "_drawn", changing)
        patch.setattr("sys.stdout", Full(io.BytesIO()))
        outcome = duetpy(*RUN)
    assert (outcome.code, outcome.err) == (70, UNWRITTEN_LINE + STAYS + LOST)
    assert not json.loads(duetpy(*RUN, "--format", "json").out)["ledger"]["replayed"]
    assert entries(ledger) == 4


def test_a_result_that_cannot_be_written_to_its_file(
    ledger: Path, duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        outcome = duetpy(*RUN, "--out", "result.txt")
    assert outcome.code == 70
    # Of a result that nobody can see, nothing is said to be protected.
    told = "duetpy: result.txt could not be written: No space left on device\n"
    assert (outcome.out, outcome.err) == ("", told + STAYS + AGAIN)


@pytest.mark.parametrize(
    ("option", "error"), [("--out", OSError), ("--report", OSError), ("--report", KeyboardInterrupt)]
)
def test_no_part_of_a_result_is_left_in_its_file(
    folder: Path, duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch, option: str, error: type[BaseException]
) -> None:
    """A disk that gets full ends a file anywhere: what is cut off of a number is another number."""
    target = folder / "result.html"

    def cut_off(path: Path, data: str, **_: str) -> int:
        path.write_bytes(data.encode()[:100])
        raise error

    monkeypatch.setattr(Path, "write_text", cut_off)
    outcome = duetpy(*RUN[:4], option, target.name)
    assert outcome.code == (70 if error is OSError else 130)
    assert ("result.html could not be written" in outcome.err) == (error is OSError)
    assert target.read_bytes() == b""


def test_standard_output_carries_the_result_alone(ledger: Path, folder: Path, duetpy: Duetpy) -> None:
    """Also of a run that writes the result to a file: it asks nothing of standard output then."""
    outcome = duetpy(*RUN, "-v")
    assert re.fullmatch(r"value,error95\n-?[\d.]+,[\d.]+\n", outcome.out)
    kinds = [line.partition(":")[0] for line in outcome.err.splitlines()]
    assert kinds == ["Privacy", "Release", "Ledger"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", Full(io.BytesIO()))
        outcome = duetpy(*RUN, "--out", "result.txt")
    assert outcome.code == 0
    assert "±" in (folder / "result.txt").read_text(encoding="utf-8")
    assert [line.partition(":")[0] for line in outcome.err.splitlines()] == ["Privacy", "Ledger"]


def test_a_run_without_a_ledger_says_nothing_of_one(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", Full(io.BytesIO()))
        outcome = duetpy(*RUN[:4])
    assert (outcome.code, outcome.err) == (70, UNWRITTEN_LINE)


def test_a_stream_that_is_closed_gives_its_number_to_no_file(folder: Path) -> None:
    """Or what a library says on standard error would be written into the data, the result or the ledger."""
    probe = (
        "import os, signal; from duetpy.cli import main as m; m.main = lambda: 0 if os.open('mine', os.O_CREAT) > 2 else 9; "
        "m.entry()"
    )
    for closed in ((0,), (1,), (2,), (0, 1, 2)):
        done = subprocess.run(
            [sys.executable, "-c", probe],
            env=environment(),
            check=False,
            preexec_fn=lambda closed=closed: [os.close(number) for number in closed],
        )
        assert done.returncode == 0
