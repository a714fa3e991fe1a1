"""Diagnostics that need no more than words put into a text.

``shapes.toml``, next to ``shapes.py``, holds those of that file under the names by which the rules raise them, as in
``shapes.not_a_matrix(span, form, type)``. What has to look at the fault before it speaks is a function of ``shapes.py``, and
is called in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from os.path import dirname

from attrs import evolve, frozen

from duetpy.diagnostics import texts
from duetpy.diagnostics.diagnostic import Diagnostic, Label
from duetpy.source import Span
from duetpy.typecheck.conditions import Obligation
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.show import show_type
from duetpy.typecheck.types import Box, Type, is_poisoned, parts_of

NAMESAKES = (
    "the two types look alike, but a name in the brackets of box stands for two different things: rename one of them"
)


def are_namesakes(one: Type, other: Type) -> bool:
    """Whether two types with boxes are written alike, and differ in what the names of the boxes stand for."""
    return one != other and show_type(one) == show_type(other) and any(isinstance(part, Box) for part in parts_of(one))


@frozen(eq=False, repr=False)
class Text(texts.Text):
    """A text into which types, quantities and side conditions may be put."""

    def __call__(
        self, span: Span | None, *values: object, notes: Sequence[str] = (), labels: tuple[Label, ...] = ()
    ) -> Diagnostic:
        types = [value for value in values if isinstance(value, Type)]
        alike = [NAMESAKES] if any(are_namesakes(one, other) for one, other in combinations(types, 2)) else []
        made = texts.Text.__call__(self, span, *values, notes=(*alike, *notes), labels=labels)
        return evolve(made, follows=True) if any(map(is_poisoned, types)) else made

    def shown(self, value: object) -> str:
        if isinstance(value, Quantity | Obligation):
            return value.show()
        return show_type(value) if isinstance(value, Type) else texts.Text.shown(self, value)


@cache
def table(room: str) -> Mapping[str, Text]:
    """The texts next to ``room.py``, read when something is refused."""
    return texts.read(f"{dirname(__file__)}/{room}.toml", Text)


def text_of(module: str, name: str) -> Text:
    """What a file has in addition to its own functions: a text of its table."""
    found = None if name.startswith("__") else table(module.rpartition(".")[2]).get(name)
    if found is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return found
