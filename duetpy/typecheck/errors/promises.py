"""Diagnostics of ``ensures``: promises that cannot be made, and promises that are not kept."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.source import Span
from duetpy.typecheck.errors.texts import Text, text_of
from duetpy.typecheck.notions import Notion


def no_such_part(span: Span, letter: str, notion: Notion, letters: Sequence[str]) -> Diagnostic:
    offered = [f"{each} ≤ …" for each in letters]
    return text_of(__name__, "no_such_part")(span, letter, notion, tuple(letters), offered)


def broken(span: Span, promised: str, name: str, proved: str, notes: tuple[str, ...], help: str) -> Diagnostic:
    return text_of(__name__, "broken")(span, promised, name, proved, help, notes=notes)


def __getattr__(name: str) -> Text:
    return text_of(__name__, name)
