"""Every option of every command is on the page about the command line, and a test gives it to its command."""

import ast
import runpy
from functools import cache
from pathlib import Path

import pytest

from tests.cli.harness import ROOT
from tests.sources import parsed

TOOL = runpy.run_path(str(ROOT / "tools" / "command_line.py"))
GRAMMARS = {name: parser for name, _, parser in TOOL["grammars"]()}
OPTIONS = [
    (name, tuple(action.option_strings)) for name, parser in GRAMMARS.items() for action in TOOL["options"](parser)
]
LONGEST = 300
"""A longer text in a test is a program or a page."""


def test_the_page_is_up_to_date() -> None:
    assert (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8") == TOOL["page"](), (
        "run python tools/command_line.py"
    )


def test_the_page_has_every_command() -> None:
    assert len(GRAMMARS) > 13
    assert {"check", "run", "ledger export"} <= GRAMMARS.keys()


@cache
def words(path: Path) -> frozenset[str]:
    """The words in the texts of a test, options without the values that are written into them."""
    texts = [node.value for node in ast.walk(parsed(path)) if isinstance(node, ast.Constant)]
    found = [word for text in texts if isinstance(text, str) and len(text) < LONGEST for word in text.split()]
    return frozenset([*found, *(word.partition("=")[0] for word in found if word.startswith("-"))])


@pytest.mark.parametrize(("command", "names"), OPTIONS, ids=lambda each: each if isinstance(each, str) else each[-1])
def test_a_test_gives_every_option_to_its_command(command: str, names: tuple[str, ...]) -> None:
    tests = [path for path in sorted((ROOT / "tests").rglob("test_*.py")) if path != Path(__file__)]
    assert any(set(command.split()) <= words(path) and not words(path).isdisjoint(names) for path in tests)
