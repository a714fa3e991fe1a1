"""Diagnostics that need no more than words put into a text.

``shapes.toml``, next to ``shapes.py``, holds those of that file under the names by which the rules raise them, as in
``shapes.not_a_matrix(span, form, type)``. What has to look at the fault before it speaks is a function of ``shapes.py``, and
is called in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, reduce
from os.path import dirname

from attrs import frozen

from duetpy.diagnostics.diagnostic import Diagnostic, Label, Severity
from duetpy.source import Span
from duetpy.typecheck.conditions import Obligation
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.show import show_type
from duetpy.typecheck.types import Type

FIELD = re.compile(r"\{(\w+)((?:\.\w+)*)(?::(and|or))?\}")
"""``{found}``: a word, a number, a type or a quantity as it is shown; ``{notion.value}``: what is known of it by that name;
``{names}``: a list, with commas, or with the word of ``{names:and}``. Other braces are those of programs."""


@frozen
class Text:
    """An entry of a table. What it `takes` after the place is named, in this order, in the other parts."""

    code: str
    message: str
    takes: str = ""
    label: str = ""
    notes: Sequence[str] = ()
    help: str = ""
    rule: str | None = None
    severity: str = "error"

    def __call__(
        self, span: Span | None, *values: object, notes: Sequence[str] = (), labels: tuple[Label, ...] = ()
    ) -> Diagnostic:
        """The diagnostic at a place; more notes come after those of the entry."""
        known = dict(zip(self.takes.split(), values, strict=True))

        def put(text: str) -> str:
            return FIELD.sub(lambda found: _shown(known[found[1]], found[2], found[3]), text)

        return Diagnostic(
            self.code,
            put(self.message),
            span,
            put(self.label),
            labels=labels,
            notes=(*map(put, self.notes), *notes),
            help=put(self.help),
            rule=None if self.rule is None else put(self.rule),
            severity=Severity(self.severity),
        )


def _shown(value: object, path: str, word: str | None) -> str:
    found = reduce(getattr, path.split(".")[1:], value)
    match found:
        case str() | int():
            return str(found)
        case Quantity() | Obligation():
            return found.show()
        case list() | tuple():
            return (f" {word} " if word else ", ").join(found)
        case _:
            assert isinstance(found, Type)
            return show_type(found)


@cache
def table(room: str) -> Mapping[str, Text]:
    """The texts next to ``room.py``, read when something is refused."""
    import tomllib

    with open(f"{dirname(__file__)}/{room}.toml", "rb") as file:
        return {name: Text(**entry) for name, entry in tomllib.load(file).items()}


def text_of(module: str, name: str) -> Text:
    """What a file has besides its own functions: a text of its table."""
    found = None if name.startswith("__") else table(module.rpartition(".")[2]).get(name)
    if found is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return found
