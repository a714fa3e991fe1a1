"""Runs that are killed at a step. Not a test: it forks, so it is run as a process of its own, without threads.

    python -m tests.ledger.dying FOLDER EACH [late]

For each step of a run in turn, or for one of EACH of them, a child is killed there, with a signal that nobody catches. A line of
JSON tells what is left: the name of the step, the names of those before it, what the child had printed, what the ledger says,
and what the next run gets. With `late` the charge is written after the release, as a careless ledger does.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from duetpy.cli.console import Console
from duetpy.cli.main import main
from duetpy.ledger.chain import Completion
from duetpy.ledger.show import spent
from duetpy.ledger.store import Ledger
from duetpy.runtime.release import charged_run, mechanisms, run

PROGRAM = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
  laplace[auto, 0.4] <xs> { mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 100.0] (row#[0, 0]) } }
"""
RUN = ["run", "sum.eps.duet", "--data", "people.csv", "--ledger", "l", "--format", "json"]


class Steps:
    """Counts steps and dies at one of them."""

    def __init__(self, last: int, log: Path) -> None:
        self.left, self.log = last, log

    def __call__(self, name: str) -> None:
        with open(self.log, "a", encoding="utf-8") as log:
            log.write(f"{name}\n")
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: Any, attribute: str, name: str) -> None:
        """A step before and one after a function."""
        inner: Callable[..., Any] = getattr(owner, attribute)

        def outer(*given: Any, **named: Any) -> Any:
            self(f"before {name}")
            found = inner(*given, **named)
            self(f"after {name}")
            return found

        put(owner, attribute, outer)


def put(owner: Any, attribute: str, value: object) -> None:
    """In this child only."""
    setattr(owner, attribute, value)


def watch(steps: Steps) -> None:
    """Put steps around all that a run does to the ledger, the data and the output."""

    class Watched(sqlite3.Connection):
        def execute(self, statement: str, *given: Any) -> sqlite3.Cursor:
            word = statement.split()[0]
            if word not in ("BEGIN", "INSERT", "COMMIT"):
                return super().execute(statement, *given)
            steps(f"before {word}")
            found = super().execute(statement, *given)
            steps(f"after {word}")
            return found

    connect = sqlite3.connect
    put(sqlite3, "connect", lambda *given, **named: connect(*given, factory=Watched, **named))
    steps.around(charged_run.Booking, "data_digest", "digest")
    steps.around(run, "_read", "read")
    steps.around(charged_run.Booking, "reserve", "charge")
    steps.around(mechanisms, "_drawn", "draw")
    steps.around(charged_run.Booking, "complete", "storing")
    steps.around(Console, "_out", "output")


def write_late() -> None:
    """The control: what is charged is kept in memory until the release is there."""
    reserve, complete = charged_run.Booking.reserve, charged_run.Booking.complete
    held: list[Any] = []

    def no_reserve(self: charged_run.Booking, values: Any) -> Any:
        held.append(values)
        nothing: Any = None
        return charged_run.Booked(nothing, nothing, charged_run.owed(self.arguments, values))

    def late(self: charged_run.Booking, booked: Any, release: Any) -> Any:
        return complete(self, reserve(self, held.pop()), release)

    put(charged_run.Booking, "reserve", no_reserve)
    put(charged_run.Booking, "complete", late)


def child(work: Callable[[], int]) -> tuple[int, str]:
    """What a child returns or dies of, and what it prints."""
    output = Path("output")
    pid = os.fork()
    if not pid:
        code = 99
        try:
            file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, 1)
            os.dup2(file, 2)
            code = work()
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), output.read_text(encoding="utf-8")


def left(last: int, is_late: bool) -> dict[str, Any] | None:
    """What is left of a run that is killed at a step; None where it has fewer."""
    for path in Path().glob("l*"):
        path.unlink()
    assert child(lambda: main(["ledger", "create", "l", "--budget", "epsilon=1"]))[0] == 0
    log = Path("steps")
    log.write_text("", encoding="utf-8")

    def dying() -> int:
        if is_late:
            write_late()
        watch(Steps(last, log))
        return main(RUN)

    code, printed = child(dying)
    if code != -signal.SIGKILL:
        assert code == 0, printed
        return None
    state = Ledger(Path("l")).state()
    again_code, again = child(lambda: main(RUN))
    return {
        "steps": log.read_text(encoding="utf-8").splitlines(),
        "printed": printed,
        "spent": spent(state)["epsilon"],
        "stored": any(isinstance(entry.said, Completion) for entry in state.entries),
        "again": json.loads(again) if again_code == 0 else again,
        "spent again": spent(Ledger(Path("l")).state())["epsilon"],
    }


def tell(folder: str, each: str, *words: str) -> None:
    os.chdir(folder)
    Path("sum.eps.duet").write_text(PROGRAM, encoding="utf-8")
    Path("people.csv").write_text("31\n44\n", encoding="utf-8")
    # What a run imports is imported once. The threads of this one have ended before the first fork.
    main(["ledger", "create", "l", "--budget", "epsilon=1", "--dataset", "warm"])
    main(RUN)
    last = 1
    while (found := left(last, "late" in words)) is not None:
        print(json.dumps(found), flush=True)
        last += int(each)


if __name__ == "__main__":
    tell(*sys.argv[1:])
