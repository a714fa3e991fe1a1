"""Properties that are kept are computed without a lock that several objects share."""

import os
import threading

import pytest

from duetpy.cached import cached_property
from duetpy.program import parse


class Slow:
    """Something that is computed for as long as the test wants."""

    def __init__(self, begun: threading.Event, over: threading.Event) -> None:
        self.begun, self.over = begun, over

    @cached_property
    def value(self) -> int:
        self.begun.set()
        assert self.over.wait(60)
        return 7


def test_one_object_does_not_wait_for_another() -> None:
    begun, over, open_ = threading.Event(), threading.Event(), threading.Event()
    open_.set()
    slow = Slow(begun, over)
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    assert begun.wait(60)
    found: list[int] = []
    other = threading.Thread(target=lambda: found.append(Slow(threading.Event(), open_).value), daemon=True)
    other.start()
    other.join(30)
    over.set()
    thread.join()
    assert found == [7]
    assert slow.__dict__["value"] == slow.value == 7


def test_a_copy_of_the_process_checks_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread, which the copy does not have, was in the middle of a check."""
    from duetpy.program import Program

    begun, over = threading.Event(), threading.Event()
    judged = Program.judged

    def slow(program: Program, record: bool = False) -> object:
        if program.name == "slow":
            begun.set()
            assert over.wait(60)
        return judged(program, record)

    monkeypatch.setattr(Program, "judged", slow)
    thread = threading.Thread(target=lambda: parse("sλ x : ℝ ⇒ x", name="slow").typed)
    thread.start()
    assert begun.wait(60)
    child = os.fork()
    if child == 0:
        import signal

        signal.alarm(30)
        os._exit(0 if parse("sλ x : ℝ ⇒ x + x").check().parameters["x"].sensitivity == "2" else 1)
    over.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
