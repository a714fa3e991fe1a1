"""An interruption that Python swallows ends the command all the same. Others are in `tests.cli.test_main`."""

import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from duetpy.cli import check as check_command
from duetpy.cli import interrupts
from duetpy.cli.run import MAYBE_CHARGED
from duetpy.ledger.store import Ledger
from duetpy.program import open_program
from duetpy.runtime.release.endings import CHARGED
from duetpy.runtime.release.run import Prepared
from tests.cli.harness import Duetpy, Write, environment
from tests.cli.programs import CLEAR, CURRIED

COUNT = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ laplace[ℝ⁺[1.0], ℝ⁺[1.0]] <xs> { clip[0.0, 1.0] (xs#[ℕ[0], ℕ[0]]) }\n"
RUN = ("run", "mean.eps.duet", "--data", "x.csv", "--ledger", "x.ledger")
INTERRUPTED = "\ninterrupted\n"
STARTING = """
import sys
before = set(sys.modules)
import duetpy.cli.main
print(*sorted(set(sys.modules) - before - {"__future__", "gc"}))
class Interrupting:
    def find_spec(name, path=None, target=None):
        if name == sys.argv[1]:
            sys.meta_path.remove(Interrupting)
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting)
duetpy.cli.main.entry()
"""


class Lock:
    """Something with a callback, as a lock of an import has."""


def swallow() -> None:
    """Be interrupted in a callback: Python has nobody to raise that in."""

    def interrupted(_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    lock = Lock()
    watch = weakref.ref(lock, interrupted)
    del lock
    assert watch() is None


@pytest.fixture(autouse=True)
def _own_handler() -> Iterator[None]:
    """Nothing of a command stays behind."""
    before, hook = signal.signal(signal.SIGINT, signal.default_int_handler), sys.unraisablehook
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert sys.unraisablehook is hook
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def ledger(duetpy: Duetpy, write: Write, tmp_path: Path) -> Path:
    write("mean.eps.duet", COUNT)
    write("x.csv", "1\n2\n")
    assert duetpy("ledger", "create", "x.ledger", "--budget", "epsilon=5").code == 0
    return tmp_path / "x.ledger"


def test_a_swallowed_interruption_ends_a_command(duetpy: Duetpy, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("x.duet", CURRIED)
    run = check_command.run

    def swallowing(*given: Any) -> int:
        swallow()
        return run(*given)

    monkeypatch.setattr(check_command, "run", swallowing)
    outcome = duetpy("check", "x.duet")
    assert (outcome.code, outcome.err) == (130, INTERRUPTED)


def test_nothing_is_charged_after_it(duetpy: Duetpy, ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def swallowing(*given: Any) -> Any:
        swallow()
        return open_program(*given)

    monkeypatch.setattr("duetpy.program.open_program", swallowing)
    outcome = duetpy(*RUN)
    assert (outcome.code, outcome.out, outcome.err) == (130, "", INTERRUPTED)
    assert Ledger(ledger).state().entries == ()


def test_it_ends_what_goes_on(duetpy: Duetpy, ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of a run that does nothing else: it is sent again, and ends the run there."""

    def going_on(*_: object) -> None:
        swallow()
        for _ in range(6000):
            time.sleep(0.01)

    monkeypatch.setattr(Prepared, "release", going_on)
    outcome = duetpy(*RUN)
    assert (outcome.code, outcome.out, outcome.err) == (130, "", f"\n{CHARGED}{INTERRUPTED}")
    assert len(Ledger(ledger).state().entries) == 1


def test_one_that_comes_while_another_is_reported_is_not_lost(
    duetpy: Duetpy, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread takes its time to start; whatever is raised meanwhile is lost with it."""
    start = threading.Thread.start
    turns = ["swallow", "report"]

    def slow(thread: threading.Thread) -> None:
        start(thread)
        if turns == ["report"]:
            turns.clear()
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5 * interrupts.PAUSE)

    monkeypatch.setattr(threading.Thread, "start", slow)

    def going_on(*_: object) -> None:
        turns.remove("swallow")
        swallow()
        for _ in range(6000):
            time.sleep(0.01)

    monkeypatch.setattr(Prepared, "release", going_on)
    outcome = duetpy(*RUN)
    assert (outcome.code, outcome.out, outcome.err) == (130, "", f"\n{CHARGED}{INTERRUPTED}")


def test_a_release_that_is_there_is_shown(duetpy: Duetpy, ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was charged."""
    from duetpy.cli import run

    released = run._release

    def swallowing(*given: Any) -> int:
        code = released(*given)
        swallow()
        return code

    monkeypatch.setattr(run, "_release", swallowing)
    outcome = duetpy(*RUN)
    assert outcome.code == 130
    assert outcome.out.startswith("value\n")
    privacy, ledger, *rest = outcome.err.splitlines(keepends=True)
    assert (privacy.partition(":")[0], ledger.partition(":")[0]) == ("Privacy", "Ledger")
    assert "".join(rest) in (INTERRUPTED, MAYBE_CHARGED + INTERRUPTED)


def test_what_else_python_cannot_raise_is_reported_as_ever(
    duetpy: Duetpy, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("x.duet", CLEAR)
    reported: list[object] = []
    run = check_command.run

    def failing(_: object) -> None:
        raise ValueError("nobody waits for this")

    def swallowing(*given: Any) -> int:
        lock = Lock()
        watch = weakref.ref(lock, failing)
        del lock
        assert watch() is None
        return run(*given)

    monkeypatch.setattr(sys, "unraisablehook", lambda found: reported.append(found.exc_type))
    monkeypatch.setattr(check_command, "run", swallowing)
    assert duetpy("check", "x.duet").code == 0
    assert reported == [ValueError]
    monkeypatch.undo()


@pytest.mark.parametrize("module", ["duetpy.cli.console", "duetpy.cli.interrupts", "signal"])
def test_one_that_comes_while_the_command_is_imported(module: str) -> None:
    """Python reports an interruption of what the script imports by itself, so that is as little as can be."""
    done = subprocess.run([sys.executable, "-c", STARTING, module], capture_output=True, text=True, env=environment())
    assert (done.returncode, done.stderr) == (130, INTERRUPTED)
    assert done.stdout.split() == ["duetpy", "duetpy.cli", "duetpy.cli.main", "duetpy.version"]
