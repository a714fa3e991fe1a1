"""Files that are imported when something in them is first used: most rules and diagnostics never are in the check of one program.

A package whose ``__getattr__`` is ``imported_later(__name__)`` hands out a stand-in for each of its files, so the files that use it
import it as usual, ``from duetpy.typecheck.rules import joins``.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any


class Later:
    """A file of a package, to those who only call what is in it."""

    __slots__ = ("_found", "_module")

    def __init__(self, module: str) -> None:
        self._module = module
        self._found: ModuleType | None = None

    def __getattr__(self, name: str) -> Any:
        # Rules ask for this at every form, and importing takes its time even of what is there. While another thread imports the
        # file, Python's table of modules has half of it already; whoever imports it waits for the whole.
        if self._found is None:
            self._found = import_module(self._module)
        return getattr(self._found, name)


def imported_later(package: str) -> Callable[[str], Later]:
    """How a package finds the files of which none has been imported yet."""

    def find(name: str) -> Later:
        if name.startswith("__"):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return Later(f"{package}.{name}")

    return find
