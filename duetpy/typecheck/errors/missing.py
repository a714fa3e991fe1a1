"""Diagnostics of values that may be missing."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar.labels import label_text
from duetpy.source import Span
from duetpy.typecheck.errors.texts import Text, text_of
from duetpy.typecheck.quantity import ONE
from duetpy.typecheck.quantity.printing import decimal_text
from duetpy.typecheck.types import DATA, Bool, Bounded, Columns, Date, Disc, Matrix, Maybe, Str, Type, unbounded


def not_computed_with(name: str, found: Sequence[Type], operands: Sequence[Span]) -> Diagnostic | None:
    """A form that takes no value that may be missing; None where it was given none."""
    for span, type_ in zip(operands, found, strict=True):
        if isinstance(type_, Maybe):
            return text_of(__name__, "missing_operand")(
                span, name, type_, f"({quoted(span)} or-else {some_value(type_)})"
            )
        if isinstance(type_, Matrix) and any(isinstance(column, Maybe) for column in type_.column_types()):
            return text_of(__name__, "missing_column")(span, name, type_)
    return None


def missing_row(span: Span, name: str, found: Type) -> Diagnostic:
    """A column of a row that may be missing, as the first row of a table is."""
    return text_of(__name__, "missing_row")(span, name, found, quoted(span).removeprefix("(").removesuffix(")"))


def no_range_to_take(span: Span, parameters: Sequence[str], found: Type) -> Diagnostic | None:
    """A call that leaves out numbers that the type of a column says only if no cell may be missing; None of another column."""
    kept = known_numbers(quoted(span), found)
    return None if kept is None else text_of(__name__, "no_range_to_take")(span, parameters, found, kept)


def known_numbers(source: str, found: Type) -> str | None:
    """The rows of a column of numbers that have one, as a program writes them; None of a table in which none may be missing."""
    if not isinstance(found, Matrix) or found.width != ONE:
        return None
    match found.element:
        case Maybe(Disc() as held) as type_ if unbounded(held) == DATA:
            name = found.schema.columns[0].name if isinstance(found.schema, Columns) else None
            # The rows of a column without a name are cells to bmap, and still rows to mfilter.
            cell, mapped = ("row#[0, 0]", "row") if name is None else (f"row.{label_text(name)}",) * 2
            known = f"mfilter {source} {{ row ⇒ ¬ (is-missing {cell}) }}"
            return f"bmap ({known}) {{ row ⇒ {mapped} or-else {some_value(type_)} }}"
        case _:
            return None


def some_value(type_: Maybe) -> str:
    """Some value of a type, as a program writes it."""
    inner = type_.inner.inner if isinstance(type_.inner, Disc) else type_.inner
    match inner:
        case Bounded():
            return decimal_text(inner.low) or "0"
        case Bool():
            return "false"
        case Str():
            return '""'
        case Date():
            return 'date "2000-01-01"'
        case _:
            return "0"


def quoted(span: Span) -> str:
    """A part of the program in a help, if it is short."""
    return span.text if len(span.text) <= 40 and "\n" not in span.text else "…"


def as_argument(written: str) -> str:
    """A part of the program where an argument stands: in parentheses if it is more than a word."""
    return written if written.replace("_", "").isalnum() else f"({written})"


def as_operand(span: Span) -> str:
    """A part of the program before a point, or behind a function: in parentheses if it is more than a word or a column of one."""
    written = quoted(span)
    return written if written.replace(".", "").replace("-", "").replace("_", "").isalnum() else f"({written})"


def __getattr__(name: str) -> Text:
    return text_of(__name__, name)
