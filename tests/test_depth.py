"""Programs that nest deeply: recursion takes memory and no C stack, and what nests too deeply is refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from duetpy import depth, library
from duetpy.depth import DEEPER, FIRST, FRAMES, MAX_LEVELS, RESERVE, Levels
from duetpy.grammar.compare import first_below, height
from duetpy.grammar.parser import parse_file
from duetpy.program import parse
from duetpy.source import Source
from tests.effort import IS_THOROUGH, often

ROOT = Path(__file__).parents[1]


def down(levels: int) -> int:
    """A function that goes down so many levels, and says so."""
    with DEEPER:
        return 1 + down(levels - 1) if levels > 1 else 1


def unannounced(levels: int) -> int:
    return 1 + unannounced(levels - 1) if levels > 1 else 1


def failing(levels: int) -> int:
    with DEEPER:
        return failing(levels - 1) if levels > 1 else 1 // (levels - 1)


def allowed(levels: int) -> int:
    """The limit so many levels down."""
    with DEEPER:
        return allowed(levels - 1) if levels > 1 else sys.getrecursionlimit()


def after(calls: int, levels: int) -> int:
    """What goes down so many levels, far down in functions that do not say so."""
    return after(calls - 1, levels) if calls else down(levels)


def test_what_is_announced_has_room() -> None:
    limit = sys.getrecursionlimit()
    assert down(200_000) == 200_000
    assert sys.getrecursionlimit() == limit


def test_what_is_not_announced_has_none() -> None:
    """The control."""
    with pytest.raises(RecursionError):
        unannounced(200_000)


def test_the_limit_is_the_old_one_after_an_error() -> None:
    limit = sys.getrecursionlimit()
    with pytest.raises(ZeroDivisionError):
        failing(50_000)
    assert sys.getrecursionlimit() == limit
    assert down(50_000) == 50_000


def test_who_calls_from_far_down_has_room_too() -> None:
    limit = sys.getrecursionlimit()
    assert after(limit - 200, 1_000) == 1_000
    assert sys.getrecursionlimit() == limit


def test_the_limit_stays_near() -> None:
    """What is not ours, and calls itself without end, is stopped about as soon as without us."""
    limit = sys.getrecursionlimit()
    assert allowed(FIRST) <= limit + RESERVE
    assert allowed(1_000) <= limit + RESERVE + 3_000 * FRAMES


def test_levels_announced_together_have_room_together() -> None:
    with Levels(5_000):
        assert unannounced(FRAMES * 5_000) == FRAMES * 5_000


def test_threads_do_not_take_each_others_room() -> None:
    limit = sys.getrecursionlimit()
    found: list[int] = []
    start, middle = threading.Barrier(2), threading.Barrier(2)

    def first() -> None:
        start.wait()
        found.append(down(1_000))
        middle.wait()

    def second() -> None:
        with Levels(50_000):
            start.wait()
            middle.wait()
            # The other one has left, and this one is as deep as it said.
            found.append(unannounced(50_000 * FRAMES // 10))

    threads = [threading.Thread(target=work) for work in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [1_000, 50_000 * FRAMES // 10]
    assert sys.getrecursionlimit() == limit


def test_a_limit_that_is_set_meanwhile_is_kept() -> None:
    limit = sys.getrecursionlimit()
    try:
        with Levels(1_000):
            sys.setrecursionlimit(123_456)
        assert sys.getrecursionlimit() == 123_456
    finally:
        sys.setrecursionlimit(limit)


def test_an_interruption_on_the_way_in_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(level: int, ahead: int) -> None:
        raise KeyboardInterrupt

    limit = sys.getrecursionlimit()
    with monkeypatch.context() as patch:
        patch.setattr(depth, "_make_room", interrupted)
        with pytest.raises(KeyboardInterrupt):
            down(1)
    assert down(50_000) == 50_000
    assert sys.getrecursionlimit() == limit


# ---------------------------------------------------------------------------------------------------------------------
# Programs

LEVELS = 400
KILOBYTES = 128 if sys.version_info < (3, 13) else 176
"""Since 3.13 Python takes a little C stack to free lists in lists, up to a depth that is its own."""


def nested(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.nested", str(LEVELS), str(KILOBYTES), *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_handler_that_comes_while_the_limit_is_raised_reads_a_program() -> None:
    """A handler of signals runs in the thread that it interrupts, wherever that is."""
    done = threading.Event()

    def interrupted() -> None:
        with depth._LIMIT._lock:
            parse("1 + 2").check()
        done.set()

    threading.Thread(target=interrupted, daemon=True).start()
    assert done.wait(60)


def test_a_copy_of_the_process_does_not_wait_for_threads_that_it_has_not() -> None:
    """Another thread was about to raise the limit when the process was copied."""
    held, over = threading.Event(), threading.Event()

    def raising() -> None:
        with depth._LIMIT._lock:
            held.set()
            over.wait(60)

    other = threading.Thread(target=raising)
    other.start()
    held.wait(60)
    child = os.fork()
    if not child:
        signal.alarm(20)  # whoever waits for ever is ended
        parse("1 + 2").check()
        os._exit(0)
    over.set()
    other.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_no_form_takes_c_stack() -> None:
    """Every form in itself is read, checked, printed, priced and run in a thread that has next to no stack; in brief each eighth
    form."""
    found = nested("--every", "1" if IS_THOROUGH else "8")
    assert found.returncode == 0, found.stdout + found.stderr
    lines = found.stdout.splitlines()
    assert lines[-1] == "done"
    assert sum(line.endswith(": ran") for line in lines) > often(35, 4)


def test_a_recursion_through_c_takes_it() -> None:
    """The control."""
    assert "done" not in nested("--control").stdout


def sums(terms: int) -> str:
    return "sλ x : ℝ ⇒ " + " + ".join(["x"] * terms)


def test_what_nests_too_deeply_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "MAX_LEVELS", 1_000)
    # The file, the function, and a sum of n terms has n levels.
    assert parse(sums(998)).state().ok
    state = parse(sums(999)).state()
    (found,) = state.diagnostics
    assert (found.code, found.message) == ("D0009", "this expression is nested too deeply")
    assert found.span is not None
    assert found.span.begin == (1, 12)
    assert not state.ok


def test_a_definition_that_nests_too_deeply_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "MAX_LEVELS", 1_000)
    text = f"def f = {sums(2_000)};\nf 1.0"
    assert [diagnostic.code for diagnostic in parse(text).state().diagnostics] == ["D0009"]


def test_chains_do_not_nest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "MAX_LEVELS", 100)
    lets = "sλ x : ℝ ⇒ " + "let x = x + 1.0 in " * 1_000 + "x"
    assert parse(lets).state().ok
    binds = "pλ x : ℝ ⇒ " + "y ← laplace[1.0, 1.0] <x> { x } ; let z = 1.0 in " * 500 + "return y"
    assert parse(binds, notion="eps").state().ok


def test_levels_are_counted_from_the_file_down() -> None:
    file, _ = parse_file(Source("<test>", sums(20)))
    assert height(file) == 22
    assert first_below(file, 22) is None
    beyond = first_below(file, 21)
    assert beyond is not None
    assert beyond.span.begin == (1, 12)


@pytest.mark.slow
def test_the_deepest_and_the_next() -> None:
    assert parse(sums(MAX_LEVELS - 2)).state().ok
    assert [found.code for found in parse(sums(MAX_LEVELS - 1)).state().diagnostics] == ["D0009"]
