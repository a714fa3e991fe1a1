"""What is wrong with a program, as an editor shows it: at a place of the text, with all that there is to say in one message."""

from __future__ import annotations

from attrs import frozen

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.loading import resolve_import
from duetpy.lsp.documents import Document
from duetpy.source import Span


@frozen
class Problem:
    """A diagnostic at a place of the document, in code points, with the other places that it names."""

    start: int
    end: int
    code: str
    message: str
    is_error: bool
    related: tuple[tuple[Span, str], ...]


def problems(document: Document) -> list[Problem]:
    """All that `check` reports. What is wrong in an imported file is shown at the import."""
    return [problem(document, found) for found in document.diagnostics]


def problem(document: Document, found: Diagnostic) -> Problem:
    """A diagnostic at its place in a document."""
    span, related = found.span, [(each.span, each.message) for each in found.labels]
    if span is not None and span.source is not document.source:
        related.insert(0, (span, found.label or found.message))
        span = _import_of(document, span.source.name)
    start, end = (0, 0) if span is None else (span.start, span.end)
    return Problem(start, end, found.code, _message(found), found.is_error, tuple(related))


def _message(found: Diagnostic) -> str:
    """A diagnostic as a text without an excerpt: what is wrong, why, and what to do."""
    first = f"{found.where}: {found.message}" if found.where else found.message
    lines = [
        first,
        *([found.label] if found.label else []),
        *found.notes,
        *([f"help: {found.help}"] if found.help else []),
    ]
    return "\n".join(lines)


def _import_of(document: Document, name: str) -> Span | None:
    """The import of a document that names a file, or through which it is read."""
    spans = {resolve_import(document.name, each.path): each.span for each in document.file.imports}
    return spans.get(name) or next(iter(spans.values()), None)
