"""Options of the whole suite."""

import gc
import marshal
import os
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests import effort


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="rewrite the golden files of tests/cases with what is printed now"
    )
    parser.addoption(
        "--late", action="store_true", help="take the tests of tests/late.txt too, and write the file anew"
    )


MEMORY = Path("/dev/shm")
"""Where Linux keeps files that are never written to a disk."""

ROOM = 4 << 30
"""What must be free there for the files of all tests; they are removed when the tests have passed."""


def pytest_configure(config: pytest.Config) -> None:
    effort.IS_THOROUGH = "not thorough" not in config.option.markexpr
    effort.MEASURES = config.option.late
    # A ledger waits until the disk has what it wrote, thousands of times in all tests. A run in brief waits for no disk.
    if not effort.IS_THOROUGH and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
    # The same examples every time, as everywhere in the suite, and no verdict that depends on how busy the machine is.
    settings.register_profile(
        "suite",
        max_examples=effort.often(100, 30),
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("suite")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that is imported or collected is garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


GOLDEN = (5**0.5 - 1) / 2
"""The golden ratio, less 1."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of each k cases of a test that is marked ``sparse(k)`` all but one are thorough, and so is what takes long.

    Which one differs from turn to turn, by multiples of the golden ratio, which keep no step with the values of any parameter:
    every k-th case would have the same value of a parameter that has k values. Where each of those takes long, another case is
    left in their place: what a test guards has a case in every run, if it has one that is quick. A test that a thorough one names
    as a guard is left however long it takes.
    """
    guards = named_as_guards(items)
    late = {name for name in effort.late() if not effort.MEASURES and name.partition("[")[0] not in guards}
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.nodeid in late:
            item.add_marker(pytest.mark.thorough)
        if item.get_closest_marker("sparse"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for own in cases.values():
        left = [item for at, item in enumerate(own) if is_left(at, item)]
        if all(item.nodeid in late for item in left):
            left = [item for item in own if item.nodeid not in late][:1]
        for item in own:
            if item not in left:
                item.add_marker(pytest.mark.thorough)


def named_as_guards(items: list[pytest.Item]) -> set[str]:
    """The tests that thorough ones name."""
    found = set()
    for item in items:
        if mark := item.get_closest_marker("thorough"):
            for name in mark.args:
                file, _, test = name.rpartition("::")
                found.add(f"tests/{file}::{test}" if file else f"{item.nodeid.partition('::')[0]}::{test}")
    return found


def is_left(at: int, item: pytest.Item) -> bool:
    """Whether a case of a sparse test is the one of its turn."""
    mark = item.get_closest_marker("sparse")
    assert mark is not None
    turn, place = divmod(at, mark.args[0])
    return place == int(turn * GOLDEN % 1.0 * mark.args[0])


def pytest_collection_finish() -> None:
    """What was imported and collected lives until the end: the garbage collector need not walk through it again and again."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


BEGAN = pytest.StashKey[float]()
"""The processor time before a test."""


def processor_time() -> float:
    """Seconds that this process, and the processes that it has waited for, have computed."""
    return sum(os.times()[:4])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[BEGAN] = processor_time()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The last report of a test takes its time along, to the process that writes `late.txt`."""
    report = yield
    if call.when == "teardown":
        report.taken = processor_time() - item.stash[BEGAN]
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if effort.MEASURES and report.when == "teardown":
        effort.TAKEN[report.nodeid] = report.taken


def pytest_sessionfinish(session: pytest.Session) -> None:
    if effort.MEASURES and not hasattr(session.config, "workerinput"):
        effort.write_late()


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, dict[str, Any], dict[str, Any]]:
    """Reports go from process to process by the thousand: as bytes, for what else would pack them is written in Python."""
    return {"marshalled": marshal.dumps((yield))}


@pytest.hookimpl(tryfirst=True)
def pytest_report_from_serializable(config: pytest.Config, data: dict[str, Any]) -> object:
    if "marshalled" not in data:
        return None
    return config.hook.pytest_report_from_serializable(config=config, data=marshal.loads(data["marshalled"]))


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten."""
    return bool(request.config.getoption("--update"))
