"""Diagnostics of values that may be missing."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.source import Span
from duetpy.typecheck.errors.texts import Text, text_of
from duetpy.typecheck.types import Bool, Date, Disc, Matrix, Maybe, Str, Type


def not_computed_with(name: str, found: Sequence[Type], operands: Sequence[Span]) -> Diagnostic | None:
    """A form that takes no value that may be missing; None where it was given none."""
    for span, type_ in zip(operands, found, strict=True):
        if isinstance(type_, Maybe):
            return text_of(__name__, "missing_operand")(span, name, type_, f"{_written(span)} or-else {_plain(type_)}")
        if isinstance(type_, Matrix) and any(isinstance(column, Maybe) for column in type_.column_types()):
            return text_of(__name__, "missing_column")(span, name, type_)
    return None


def missing_row(span: Span, name: str, found: Type) -> Diagnostic:
    """A column of a row that may be missing, as the first row of a table is."""
    return text_of(__name__, "missing_row")(span, name, found, _written(span).removeprefix("(").removesuffix(")"))


def _plain(type_: Maybe) -> str:
    """Some value of a type, as a program writes it."""
    inner = type_.inner.inner if isinstance(type_.inner, Disc) else type_.inner
    match inner:
        case Bool():
            return "false"
        case Str():
            return '""'
        case Date():
            return 'date "2000-01-01"'
        case _:
            return "0"


def _written(span: Span) -> str:
    return span.text if len(span.text) <= 40 and "\n" not in span.text else "…"


def __getattr__(name: str) -> Text:
    return text_of(__name__, name)
