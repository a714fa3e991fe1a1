"""Diagnostics that need no more than words put into a text.

``shapes.toml``, next to ``shapes.py``, holds those of that file under the names by which the rules raise them, as in
``shapes.not_a_matrix(span, form, type)``. What has to look at the fault before it speaks is a function of ``shapes.py``, and
is called in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from os.path import dirname

from attrs import frozen

from duetpy.diagnostics import texts
from duetpy.typecheck.conditions import Obligation
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.show import show_type
from duetpy.typecheck.types import Type


@frozen(eq=False, repr=False)
class Text(texts.Text):
    """A text into which types, quantities and side conditions may be put."""

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
