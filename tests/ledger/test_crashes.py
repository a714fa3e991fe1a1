"""A run that is killed at any of its steps: nothing was drawn, or shown, that is not charged, and the next run goes on from what
is left."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.effort import IS_THOROUGH

ROOT = Path(__file__).parents[2]


def records(folder: Path, each: int, *words: str) -> Iterator[dict[str, Any]]:
    """What is left of a run for one of `each` steps, as long as it is asked for."""
    command = [sys.executable, "-m", "tests.ledger.dying", str(folder), str(each), *words]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as dying:
        assert dying.stdout is not None
        try:
            yield from (json.loads(line) for line in dying.stdout if line.startswith('{"steps"'))
            assert dying.wait() == 0
        finally:
            dying.kill()


def uncharged(record: dict[str, Any]) -> bool:
    """Whether noise was asked for, or something was printed, and the ledger has no record of it."""
    return ("before draw" in record["steps"] or bool(record["printed"])) and not record["spent"]


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    # Steps come in pairs, before something and after it: an odd number skips neither kind.
    return list(records(tmp_path_factory.mktemp("kills"), 1 if IS_THOROUGH else 3))


@pytest.mark.thorough("test_what_was_drawn_or_shown_was_charged")
def test_every_step_is_one_to_be_killed_at(kills: list[dict[str, Any]]) -> None:
    last = [record["steps"][-1] for record in kills]
    named = {"BEGIN", "INSERT", "COMMIT", "digest", "read", "charge", "draw", "storing", "output"}
    assert {f"{when} {name}" for name in named for when in ("before", "after")} <= set(last)
    # One commit is of the charge and one of what was released.
    assert last.count("after COMMIT") == 2
    assert [record["steps"][:-1] for record in kills[1:]] == [record["steps"] for record in kills[:-1]]


def test_what_was_drawn_or_shown_was_charged(kills: list[dict[str, Any]]) -> None:
    assert not any(uncharged(record) for record in kills)
    assert {record["spent"] for record in kills} == {0.0, 0.4}
    # From the first commit on it is charged, and before it is not.
    assert all((record["spent"] == 0.4) == ("after COMMIT" in record["steps"]) for record in kills)


def test_a_run_after_a_kill_is_stored_or_charged_anew(kills: list[dict[str, Any]]) -> None:
    for record in kills:
        assert record["again"]["ledger"]["replayed"] == record["stored"]
        assert record["spent again"] == (0.4 if record["stored"] else record["spent"] + 0.4)
        if record["printed"]:
            assert record["again"]["result"] == json.loads(record["printed"])["result"]


@pytest.mark.thorough("test_what_was_drawn_or_shown_was_charged")
def test_a_ledger_that_is_written_late_is_seen(tmp_path: Path) -> None:
    """The control."""
    with closing(records(tmp_path, 1, "late")) as found:
        assert any(uncharged(record) for record in found)
