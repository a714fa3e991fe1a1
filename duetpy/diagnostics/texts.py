"""Texts of diagnostics, kept in tables: an entry says what is wrong and what to do, and names the words that are put into it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TypeVar

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.diagnostics.diagnostic import Diagnostic, Label, Severity
from duetpy.source import Span

FIELD = re.compile(r"\{(\w+)((?:\.\w+)*)(?::([a-z ]+))?\}")
"""``{found}``: a word, a number, or what else is put in as it is shown; ``{notion.value}``: what is known of it by that name;
``{names}``: a list, with commas, or with the word of ``{names:and}``; ``{found:part}``: a number with what it counts, one part or
several parts. Other braces are those of programs."""


@frozen(eq=False, repr=False)
class Text(ByValue):
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
            return FIELD.sub(lambda found: self._filled(known[found[1]], found[2], found[3]), text)

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

    def _filled(self, value: object, path: str, word: str | None) -> str:
        found = reduce(getattr, path.split(".")[1:], value)
        if isinstance(found, list | tuple):
            return (f" {word} " if word else ", ").join(found)
        counted = "" if word is None else f" {word}" if found == 1 else f" {word}s"
        return f"{self.shown(found)}{counted}"

    def shown(self, value: object) -> str:
        """A word or a number, as it is put in."""
        assert isinstance(value, str | int), value
        return str(value)


AnyText = TypeVar("AnyText", bound=Text)


def read(file: str, made: type[AnyText]) -> Mapping[str, AnyText]:
    """The texts of a table, by their names."""
    import tomllib

    with open(file, "rb") as opened:
        return {name: made(**entry) for name, entry in tomllib.load(opened).items()}
