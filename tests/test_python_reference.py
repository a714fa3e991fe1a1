"""docs/python.md is what its script writes, and has an entry with a text for every public name."""

import inspect
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import duetpy

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def tool() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "tools" / "python_reference.py"))


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


def test_the_page_is_up_to_date(tool: dict[str, Any], page: str) -> None:
    assert page == tool["page"](), "run python tools/python_reference.py"


def test_every_public_name_has_an_entry(page: str) -> None:
    headings = re.findall(r"^## duetpy\.(\w+)$", page, re.MULTILINE)
    assert sorted(headings) == sorted(set(duetpy.__all__) - {"__version__"})
    assert {f"duetpy.engines.{name}" for name in duetpy.engines.__all__} <= set(
        re.findall(r"^### (\S+)$", page, re.MULTILINE)
    )


def test_every_public_method_has_an_entry(tool: dict[str, Any], page: str) -> None:
    classes = [getattr(duetpy, name) for name in duetpy.__all__ if inspect.isclass(getattr(duetpy, name))]
    found = [f"{owner.__name__}.{name}" for owner in classes for name, _ in tool["members"](owner)]
    assert {"Checked.run", "Checked.parameters", "Checked.releases", "Release.to_pandas", "Program.check"} <= set(found)
    assert set(found) <= set(re.findall(r"^### (\S+)$", page, re.MULTILINE))


def test_every_entry_has_a_text(page: str) -> None:
    entries = re.split(r"^##+ .*$", page, flags=re.MULTILINE)[1:]
    texts = [
        [line for line in entry.splitlines() if line and not line.startswith((" ", "-", "*"))] for entry in entries
    ]
    assert len(texts) > 30
    assert all(texts)
