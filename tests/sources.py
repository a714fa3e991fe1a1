"""The sources of the package as syntax trees, made once for all tests of a process: to make them takes seconds."""

import ast
from functools import cache
from pathlib import Path


def parsed(path: Path) -> ast.Module:
    """The tree of a file as it is now: pytest gives the folder of a test that has passed to the next one."""
    return _tree(path.read_text(encoding="utf-8"))


@cache
def _tree(text: str) -> ast.Module:
    return ast.parse(text)
