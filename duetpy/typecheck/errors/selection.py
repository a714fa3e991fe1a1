"""D042x: mechanisms that choose, samples, and runs over many parts."""

from __future__ import annotations

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.source import Span
from duetpy.typecheck.errors.choosing import chosen
from duetpy.typecheck.errors.texts import Text, text_of
from duetpy.typecheck.types import Matrix


def join_of_cells(span: Span, table: Matrix) -> Diagnostic:
    return text_of(__name__, "join_of_cells")(span, table, chosen(table, "ys"))


def __getattr__(name: str) -> Text:
    return text_of(__name__, name)
