"""The sources of the package as syntax trees, made once for all tests of a process: to make them takes seconds."""

import ast
from functools import cache
from pathlib import Path


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
