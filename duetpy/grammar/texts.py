"""What is said of mistakes that always have the same words: the texts of ``texts.toml``, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from duetpy.diagnostics.diagnostic import Diagnostic, Label
from duetpy.diagnostics.texts import Text, read
from duetpy.grammar.definition import HERE
from duetpy.source import Span


@cache
def table() -> Mapping[str, Text]:
    """The texts, read when there is a mistake."""
    return read(f"{HERE}/texts.toml", Text)


def told(name: str, span: Span, *values: object, labels: tuple[Label, ...] = ()) -> Diagnostic:
    """A diagnostic by the name of its text, at a place, with the words that the text takes."""
    return table()[name](span, *values, labels=labels)
