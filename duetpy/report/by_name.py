"""What Python gets by the names of parameters: found under either spelling, with a hint where a name is misspelt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from duetpy.accounting.figures import bound
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.markup import paragraph, table
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
    """What a program costs each of its parameters, in numbers; a notebook shows it as a table.

    Attributes
    ----------
    premises
        In sentences, what these numbers rest on: the side conditions that the numbers given do not settle, what is trusted, and
        how far persons with several rows are protected.
    """

    def __init__(self, premises: Iterable[str] = ()) -> None:
        super().__init__()
        self.premises = tuple(premises)

    def _repr_html_(self) -> str:
        shown = table(("parameter", "cost"), [(name, _text(numbers)) for name, numbers in self.items()])
        return shown + "".join(map(paragraph, self.premises))


def _text(numbers: Mapping[str, float | None]) -> str:
    return f"sensitivity {bound(numbers['sensitivity'])}" if "sensitivity" in numbers else numbers_text(numbers)
