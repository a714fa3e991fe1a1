"""What Python gets by the names of parameters: found under either spelling, with a hint where a name is misspelt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from duetpy.accounting.figures import bound
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.markup import table
from duetpy.report.check_text import numbers_text
from duetpy.settings import or_else, resolve

T = TypeVar("T")


class ByName(dict[str, T]):
    """A dictionary by names as the program writes them. ``["eps"]`` finds ``ε`` too."""

    def __missing__(self, name: Any) -> T:
        meant = resolve(name, list(self)) if isinstance(name, str) else None
        if meant is None:
            raise KeyError(f"{visible(str(name))}{or_else(str(name), self)}")
        return self[meant]


class Costs(ByName[dict[str, float | None]]):
    """What a program costs each of its parameters, in numbers; a notebook shows it as a table."""

    def _repr_html_(self) -> str:
        return table(("parameter", "cost"), [(name, _text(numbers)) for name, numbers in self.items()])


def _text(numbers: Mapping[str, float | None]) -> str:
    return f"sensitivity {bound(numbers['sensitivity'])}" if "sensitivity" in numbers else numbers_text(numbers)
