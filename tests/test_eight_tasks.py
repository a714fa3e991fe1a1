"""The transcript in docs/eight-tasks.md: no question takes more than two refusals, and each refusal leads to the next try.

`tests/test_documents.py` runs its blocks and compares what they print.
"""

import re
import runpy
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from duetpy.cli.main import main
from tests.pages import ROOT, Block, Page, blocks, commands

PAGE = "docs/eight-tasks.md"
WORD = re.compile(r"[\w'-]+|\{ ?-|\?")
TASKS = 8


def sections() -> list[list[Block]]:
    """The blocks below each heading with a number."""
    lines = (ROOT / PAGE).read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines, 1) if re.match(r"## \d", line)]
    ends = [*starts[1:], len(lines) + 1]
    found = list(blocks(PAGE))
    return [[block for block in found if start < block.line < end] for start, end in zip(starts, ends, strict=True)]


def refusals(section: list[Block]) -> Iterator[str]:
    """What the refused commands of a section print."""
    for block in section:
        if block.language == "console":
            yield from (each.printed for each in commands(block) if re.search(r"^error\[", each.printed, re.MULTILINE))


def test_there_are_eight_tasks() -> None:
    assert len(sections()) == TASKS
    assert all(any(block.language in ("console", "ipython") for block in section) for section in sections())


@pytest.mark.parametrize("at", range(TASKS))
def test_a_task_takes_two_refusals_at_most(at: int) -> None:
    assert len(list(refusals(sections()[at]))) <= 2


def test_there_are_refusals() -> None:
    assert sum(len(list(refusals(section))) for section in sections()) >= 8


@pytest.mark.parametrize("at", range(TASKS))
def test_a_refusal_leads_to_the_next_try(at: int) -> None:
    """Each help of a refused program names something that the next program, or its file name, has and the refused one lacks."""
    section = sections()[at]
    tries = [block for block in section if block.language == "duet"]
    for before, after in pairwise(tries):
        between = [block for block in section if before.line < block.line < after.line]
        for printed in refusals(between):
            for help_ in re.findall(r"^help: (.*)$", printed, re.MULTILINE):
                new = words(after) - words(before)
                assert new & set(WORD.findall(help_)), (help_, new)


def words(block: Block) -> set[str]:
    return {*WORD.findall(block.text), *block.words[1].split(".")}


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the script and the programs of the page."""
    monkeypatch.chdir(tmp_path)
    for block in blocks(PAGE):
        if block.language in ("duet", "python"):
            Path(block.words[1]).write_text(block.text, encoding="utf-8")
    return tmp_path


def make(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["make.py", str(rows)])
    runpy.run_path("make.py", run_name="__main__")


@pytest.mark.usefixtures("clinic")
def test_the_picture_shows_each_number_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    container = pytest.importorskip("matplotlib.container")
    make(500, monkeypatch)
    page = Page(PAGE)
    for block in blocks(PAGE):
        if block.language == "ipython":
            page._cell(block)
    assert not page.wrong
    (axes,) = page.shown[-1].figure.axes
    bars = next(each for each in axes.containers if isinstance(each, container.BarContainer))
    released = page.notebook.user_ns["bins"]
    assert [bar.get_height() for bar in bars] == [row["patients"] for row in released.result]
    assert len(bars) == 6
    (lines,) = bars.errorbar.lines[2]
    error = released.releases[0]["error95"]
    heights = [segment[:, 1] for segment in lines.get_segments()]
    assert [(high - low) / 2 for low, high in heights] == pytest.approx([error] * 6)


LAST = ["count-3.eps.duet", "mean-3.eps.duet", "median-3.eps.duet", "histogram-2.eps.duet", "regression-1.eps.duet"]


def test_the_last_tries_are_those_of_the_page() -> None:
    last = {block.words[1].rpartition("-")[0]: block.words[1] for block in blocks(PAGE) if block.language == "duet"}
    assert sorted(last.values()) == sorted([*LAST, "wards-2.ed.duet"])


@pytest.mark.slow
@pytest.mark.usefixtures("clinic")
@pytest.mark.parametrize("program", [*LAST, "wards-2.ed.duet"])
def test_a_million_rows(program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    make(1_000_000, monkeypatch)
    delta = ["--set", "delta=1e-9"] if ".ed." in program else []
    assert main(["run", program, "--data", "clinic.csv", "--set", "eps=1", *delta]) == 0
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) >= 2
    assert "one `patient` with all their rows in clinic.csv" in captured.err
