"""Diagnostics as JSON values: the shape that ``--format json`` promises.

Lines and columns count code points from one; the end is just past the last code point.
"""

from __future__ import annotations

from typing import Any

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.source import Span


def diagnostic_value(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as a value that ``json`` can write; `span` is None where there is no program text to point at."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "rule": diagnostic.rule,
        "message": diagnostic.message,
        "help": diagnostic.help,
        "file": None if diagnostic.span is None else diagnostic.span.source.name,
        "span": None if diagnostic.span is None else span_value(diagnostic.span),
        "label": diagnostic.label,
        "labels": [
            {"message": label.message, "file": label.span.source.name, "span": span_value(label.span)}
            for label in diagnostic.labels
        ],
        "notes": list(diagnostic.notes),
        "where": diagnostic.where or None,
    }


def span_value(span: Span) -> dict[str, int]:
    line, column = span.begin
    end_line, end_column = span.finish
    return {"line": line, "column": column, "end_line": end_line, "end_column": end_column}
