"""What the benchmarks compare is comparable: every program checks, and what is written by hand computes the same.

Nothing here looks at a time.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import growth, large
from benchmarks.__main__ import chosen
from benchmarks.by_hand import PROGRAMS
from benchmarks.contest import Contender, Failed, agree, contending, same, specification
from benchmarks.measure import Line, judged
from benchmarks.peers import PEERS
from benchmarks.table import as_json, table
from benchmarks.tasks import TASKS, Task, power_of_ten
from benchmarks.worker import duetpy, flat, loaded
from duetpy.runtime.sources import registry

ROOT = Path(__file__).parents[1]
COMPUTED = {task.by_hand or task.name for task in TASKS}


def answers(task: Task, folder: Path) -> dict[str, np.ndarray]:
    """What everybody computes for a task without noise, at its tiny size."""
    spec = specification(task, task.tiny, folder)
    data, turns = loaded(folder, spec["files"]), task.tiny.turns
    programs = {"duetpy": duetpy(spec)} | PROGRAMS[spec["computes"]]
    return {name: np.array(list(flat(run(data, spec["exact"], turns, False)))) for name, run in programs.items()}


@pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])
def test_what_is_written_by_hand_computes_the_same(task: Task, tmp_path: Path) -> None:
    ours, *others = answers(task, tmp_path).values()
    assert others
    assert np.abs(ours).max() > 0
    assert all(same(ours, theirs) for theirs in others)


@pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])
def test_every_size_of_a_task_is_one_that_its_program_takes(task: Task) -> None:
    assert task.tiny.rows <= task.usual.rows <= task.full.rows
    # A rate of turns needs two of them; and the data agree only in a run that leaves nothing to chance.
    for size in (task.tiny, task.usual, task.full):
        assert (size.turns > 1) == (task.turns is not None)
        assert size.rounds > 0


@pytest.mark.parametrize("program", large.PROGRAMS)
def test_rows_that_are_made_when_they_are_asked_for_are_those_of_a_table(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_REGISTERED", {})
    monkeypatch.setattr(large, "BLOCK_ROWS", 700)
    large.opened()
    streamed, kept = (
        flat(large.result(program, "synthetic:2000", "threads", stream=stream)) for stream in (True, False)
    )
    found = list(streamed)
    assert found == list(kept)
    assert program != "mean" or abs(found[0] - 0.5) < 0.1


def test_an_answer_that_differs_by_more_than_rounding_is_not_the_same() -> None:
    ours = np.array([1.0, 2.0, 3.0])
    assert same(ours, ours * (1 + 1e-9))
    assert not same(ours, ours + np.array([0.0, 0.0, 0.001]))
    assert not same(ours, ours[:2])
    assert not same(ours, np.array([1.0, 2.0, np.nan]))


class Fixed:
    """A contender that gives one answer."""

    name = "fixed"

    def __init__(self, found: np.ndarray) -> None:
        self.found = found

    def answer(self, turns: int) -> np.ndarray:
        return self.found


def test_a_contender_that_computes_something_else_is_refused() -> None:
    ours = np.array([1.0, 2.0])
    right: Any = Fixed(ours)
    wrong: Any = Fixed(2 * ours)
    agree(TASKS[0], ours, right, 1)
    with pytest.raises(Failed, match="does not compute the same"):
        agree(TASKS[0], ours, wrong, 1)


def test_whatever_is_written_belongs_to_a_task() -> None:
    assert set(PROGRAMS) == COMPUTED
    assert {name for programs in PEERS.values() for name in programs} <= COMPUTED
    for task in TASKS:
        assert task.goal.against == "numpy" or (task.by_hand or task.name) in PEERS[task.goal.against]


def test_programs_that_grow_are_accepted() -> None:
    for name, (program, sizes) in growth.FAMILIES.items():
        assert growth.seconds(program(sizes[0]))[1] == "accepted", name
        assert growth.PROMISED.get(name, sizes[0]) in sizes


def timed(name: str, **cpu: float) -> Contender:
    process: Any = None
    found = Contender(name, process)
    found.cpu = {1: [cpu["one"]], 3: [cpu["three"]]}
    found.wall = {1: [cpu["one"]], 3: [cpu["clock"]]}
    return found


def test_whoever_is_best_in_any_respect_is_timed_again() -> None:
    whole = timed("whole", one=1.0, three=2.0, clock=9.0)
    clock = timed("clock", one=4.0, three=9.0, clock=2.0)
    turn = timed("turn", one=8.9, three=9.0, clock=9.0)
    none = timed("none", one=5.0, three=9.0, clock=9.0)
    assert [each.name for each in contending([whole, clock, turn, none], 3)] == ["whole", "clock", "turn"]


def test_turns_that_load_hides_have_no_time() -> None:
    found = timed("loop", one=1.0, three=2.0, clock=2.0)
    assert found.a_turn(3) == 0.5
    found.cpu = {1: [1.0, 1.1, 1.0], 3: [2.0, 2.0, 1.8]}
    assert found.a_turn(3) == pytest.approx(0.45)
    found.cpu[3][1] = 1.2
    assert found.a_turn(3) is None
    found.cpu[3][1] = 1.0
    assert found.a_turn(3) is None


def test_a_goal_against_a_library_that_is_missing_is_neither_reached_nor_missed() -> None:
    mean = next(task for task in TASKS if task.name == "mean")
    assert judged(mean, 0.5, {"diffprivlib": "not installed"}) == ("≤ 1 diffprivlib", None)
    assert judged(mean, 0.5, {"diffprivlib": 1.5}) == ("≤ 1 diffprivlib", False)
    assert judged(mean, 5.0, {"diffprivlib": 0.9}) == ("≤ 1 diffprivlib", True)


def test_the_table_has_a_verdict_for_every_goal() -> None:
    lines = [
        Line("a", cpu=0.5, ratio=1.25, rounds=(1.0, 1.5, 3.0), goal="≤ 2 numpy", reached=True),
        Line("b", ratio=25.0, peers={"polars": 1.5, "opendp": "not installed"}, goal="≤ 2 numpy", reached=False),
        Line("c", goal="≤ 1 opendp", note="grows as n^1.0"),
        Line("d"),
    ]
    _, *rows = table(lines).splitlines()
    assert [len(rows), "1.50 (1.00–3.00)" in rows[0], " 500 " in rows[0]] == [4, True, True]
    verdicts = [{"reached", "MISSED", "?"} & set(row.split()) for row in rows]
    assert verdicts == [{"reached"}, {"MISSED"}, {"?"}, set()]
    assert rows[1].endswith("polars 1.50×, opendp not installed")
    assert json.loads(json.dumps(as_json(lines, {})))["lines"][0]["rounds"] == [1.0, 1.5, 3.0]


@pytest.mark.parametrize(("number", "shown"), [(200, "200"), (10**6, "10⁶"), (3 * 10**5, "3·10⁵"), (12345, "12,345")])
def test_sizes_are_shown_as_powers_of_ten(number: int, shown: str) -> None:
    assert power_of_ten(number) == shown


@pytest.mark.parametrize("words", [["--rounds", "0"], ["--peers", "no-such-python"], ["--only", "nonsense"]])
def test_a_wish_that_cannot_be_met_is_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        chosen(words)


def test_the_command_prints_what_was_measured_and_on_what_machine() -> None:
    words = ["--scale", "tiny", "--only", "sum", "--rounds", "2", "--json", "--peers", sys.executable]
    done = subprocess.run([sys.executable, "-m", "benchmarks", *words], cwd=ROOT, capture_output=True, check=True)
    found = json.loads(done.stdout)
    assert {"system", "processor", "cores", "load", "python", "packages"} == set(found["machine"])
    assert found["machine"]["packages"]["numpy"] == np.__version__
    line, _ = found["lines"]  # and that of a file that is read again
    assert line["title"] == "sum, 500"
    assert len(line["rounds"]) == 2
    assert all(line[key] > 0 for key in ("cpu", "wall", "check", "ratio", "wall_ratio"))
    for name in ("diffprivlib", "opendp"):
        is_there = importlib.util.find_spec(name) is not None
        assert is_there == (line["peers"][name] != "not installed")
