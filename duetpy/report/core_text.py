"""The core of a program as text: what ``check --core`` prints.

It is a program that stands alone, and nothing is printed that has not been checked again and proved to be the same.
"""

from __future__ import annotations

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar.pretty import show_file
from duetpy.library import Library
from duetpy.loading import source_of
from duetpy.source import Span
from duetpy.typecheck.agreement import proves_the_same
from duetpy.typecheck.check import Typed, check_file
from duetpy.typecheck.writing import written
from duetpy.typecheck.writing_types import Unwritable


def core_text(typed: Typed) -> str | Diagnostic:
    """The core of a program without errors, as a program; or why no program says the same."""
    assert typed.type is not None
    try:
        text = show_file(written(typed.core, typed.notion))
    except Unwritable as reason:
        return _refused(reason.span, f"the core contains {reason.what}")
    library = Library()
    loaded = library.add(source_of("<core>", text))
    again = check_file(
        loaded.file,
        name=loaded.name,
        notion=typed.notion,
        notion_origin="notion line",
        load=library.load,
        syntax=loaded.diagnostics,
    )
    if again.type is None or not proves_the_same(typed, again):
        return _refused(typed.core.span, "what would be printed is not proved to have the same type and cost")
    return text


def _refused(span: Span, reason: str) -> Diagnostic:
    return Diagnostic(
        "D0092",
        "the core of this program cannot be printed",
        span,
        reason,
        help="run `duetpy check` without --core: the program itself is accepted",
    )
