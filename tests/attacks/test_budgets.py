"""Ledgers that lose count: sums of doubles, two processes at once, a kill between the release and the record, a replay.

Next to each is the ledger that many write first, and which the attack breaks.
"""

import json
import math
import multiprocessing
import sqlite3
import statistics
import threading
from contextlib import closing
from fractions import Fraction
from functools import reduce
from operator import add
from pathlib import Path

import pytest

from duetpy.accounting.budget import Charge, parse_budget
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.show import charged, remaining, spent
from duetpy.ledger.state import State
from duetpy.ledger.store import Ledger, create
from duetpy.program import parse
from tests.effort import often
from tests.ledger.test_store import reserve


class JsonLedger:
    """The control: a sum of doubles in a JSON file that is read, compared and written, after the release."""

    def __init__(self, path: Path, budget: float) -> None:
        self.path = path
        path.write_text(json.dumps({"budget": budget, "spent": 0.0}), encoding="utf-8")

    def may(self, amount: float) -> bool:
        state = json.loads(self.path.read_text(encoding="utf-8"))
        return bool(state["spent"] + amount <= state["budget"])

    def write(self, amount: float) -> None:
        state = json.loads(self.path.read_text(encoding="utf-8"))
        state["spent"] += amount
        self.path.write_text(json.dumps(state), encoding="utf-8")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "l"
    create(made, parse_budget("epsilon=0.3"), "people")
    return made


def test_sums_are_exact(path: Path) -> None:
    assert not 0.1 + 0.1 + 0.1 <= 0.3
    # From Python 3.12 on, `sum` makes up for what each addition loses.
    assert reduce(add, [0.1] * 10) < 1.0
    for _ in range(3):
        reserve(path, Charge(Fraction(1, 10)))
    with pytest.raises(DuetError):
        reserve(path, Charge(Fraction(1, 10**30)))
    assert spent(Ledger(path).state())["epsilon"] == 0.3


def test_thirds_are_printed_as_more_spent_and_less_left(tmp_path: Path) -> None:
    path, budget = tmp_path / "l", parse_budget("epsilon=1,delta=1e-6")
    third = Charge(Fraction(1, 3), Fraction(1, 3 * 10**6))
    create(path, budget, "people")
    reserve(path, third)
    state = Ledger(path).state()
    for name, exact in (("epsilon", third.amount), ("delta", third.delta)):
        assert all(Fraction(repr(each[name])) > exact for each in (spent(state), charged(budget, third)))
        assert Fraction(repr(remaining(state)[name])) < budget.exact[name] - exact


def test_a_sum_of_doubles_grants_for_ever(tmp_path: Path) -> None:
    """Charges below half an ulp of what was spent vanish; as fractions they do not."""
    control = JsonLedger(tmp_path / "j", 1.0)
    control.write(1.0 - 2.0**-53)
    for _ in range(100):
        assert control.may(2.0**-55)
        control.write(2.0**-55)
    large = tmp_path / "large"
    create(large, parse_budget("epsilon=1"), "people")
    reserve(large, Charge(1 - Fraction(1, 2**53)))
    granted = 0
    try:
        for _ in range(100):
            reserve(large, Charge(Fraction(1, 2**55)))
            granted += 1
    except DuetError:
        pass
    assert granted == 4


def test_two_readers_of_a_file_both_spend_the_rest(tmp_path: Path, path: Path) -> None:
    """Both look before either writes: in the control both are granted the last 0.3."""
    control = JsonLedger(tmp_path / "j", 0.3)
    meeting = threading.Barrier(2)
    granted: list[str] = []

    def naive() -> None:
        is_covered = control.may(0.3)
        meeting.wait()
        if is_covered:
            granted.append("json")

    def ours() -> None:
        meeting.wait()
        try:
            reserve(path, Charge(Fraction(3, 10)))
            granted.append("ledger")
        except DuetError:
            pass

    for work in (naive, ours):
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert granted.count("json") == 2
    assert granted.count("ledger") == 1


def test_nobody_else_may_write_from_when_a_ledger_is_read_for_a_charge(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    read = Ledger._read

    def noted(ledger: Ledger, database: sqlite3.Connection) -> State:
        found = read(ledger, database)
        with closing(sqlite3.connect(path, timeout=0)) as other, pytest.raises(sqlite3.OperationalError) as caught:
            other.execute("BEGIN IMMEDIATE")
        told.append(str(caught.value))
        return found

    monkeypatch.setattr(Ledger, "_read", noted)
    reserve(path, Charge(Fraction(1, 100)))
    assert told == ["database is locked"]


def ask(path: Path, count: int, results: "multiprocessing.Queue[int]") -> None:
    granted = 0
    for _ in range(count):
        try:
            reserve(path, Charge(Fraction(1, 100)))
            granted += 1
        except DuetError:
            continue
    results.put(granted)


@pytest.mark.thorough("test_nobody_else_may_write_from_when_a_ledger_is_read_for_a_charge")
def test_racing_processes_are_granted_no_more_than_there_is(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results: multiprocessing.Queue[int] = context.Queue()
    workers = [context.Process(target=ask, args=(path, 20, results)) for _ in range(3)]
    for worker in workers:
        worker.start()
    granted = sum(results.get() for _ in workers)
    for worker in workers:
        worker.join()
    assert granted == 30


PROGRAM = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ laplace[auto, ℝ⁺[0.1]] <xs> { clip[0.0, 1.0] (xs#[ℕ[0], ℕ[0]]) }\n"


def test_the_record_comes_before_the_release(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed where the noise is drawn: the charge is there."""
    from duetpy.runtime.release import mechanisms

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(mechanisms, "_drawn", killed)
    checked = parse(PROGRAM, notion="eps").check()
    with pytest.raises(KeyboardInterrupt):
        checked.run(xs=[[0.5]], _ledger=path)
    assert spent(Ledger(path).state())["epsilon"] == 0.1


def test_a_record_that_comes_after_the_release_is_lost(tmp_path: Path) -> None:
    """The control: shown, then killed; whoever saw the answer paid nothing for it."""
    control = JsonLedger(tmp_path / "j", 0.3)
    shown: list[float] = []

    def release(is_killed: bool) -> None:
        shown.append(0.5)
        if is_killed:
            raise KeyboardInterrupt
        control.write(0.1)

    with pytest.raises(KeyboardInterrupt):
        release(is_killed=True)
    assert shown
    assert json.loads(control.path.read_text(encoding="utf-8"))["spent"] == 0.0


def test_the_same_again_draws_no_new_noise(path: Path, tmp_path: Path) -> None:
    data = tmp_path / "x.csv"
    data.write_text("0.5\n0.25\n", encoding="utf-8")
    checked = parse(PROGRAM, notion="eps").check()
    answers = {checked.run(xs=str(data), _ledger=path).result for _ in range(20)}
    assert len(answers) == 1
    assert spent(Ledger(path).state())["epsilon"] == 0.1


def test_answers_that_are_free_are_averaged() -> None:
    """The control: without a ledger the mean of many answers has far less noise than one."""
    checked = parse(PROGRAM, notion="eps").check()
    answers = [checked.run(xs=[[0.5], [0.25]], _insecure_noise=seed).result for seed in range(often(400, 100))]
    one, mean = statistics.pstdev(answers), statistics.fmean(answers)
    assert one > 10
    assert abs(mean - 0.5) < 5 * one / math.sqrt(len(answers))


def test_a_copy_of_the_rows_is_charged_to_the_same_people(path: Path, tmp_path: Path) -> None:
    """A ledger is kept for people, not for a file: what the file is called makes no new budget."""
    checked = parse(PROGRAM, notion="eps").check()
    for number in range(3):
        copy = tmp_path / f"copy{number}.csv"
        copy.write_text(f"0.5\n0.25\n0.{number}\n", encoding="utf-8")
        checked.run(xs=str(copy), _ledger=path)
    (tmp_path / "more.csv").write_text("0.5\n0.75\n", encoding="utf-8")
    with pytest.raises(DuetError):
        checked.run(xs=str(tmp_path / "more.csv"), _ledger=path)
    assert spent(Ledger(path).state())["epsilon"] == 0.3


def test_a_budget_for_a_file_is_fresh_for_its_copy() -> None:
    """The control: a budget that is looked up by the path of the data."""
    left: dict[str, float] = {}
    granted = 0
    for name in ("people.csv", "copy1.csv", "copy2.csv"):
        while left.get(name, 0.3) >= 0.1:
            left[name] = left.get(name, 0.3) - 0.1
            granted += 1
    assert granted > 3
