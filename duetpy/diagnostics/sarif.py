"""Diagnostics as a SARIF 2.1.0 log (OASIS, 27 March 2020), which code hosts and editors read.

Columns count Unicode code points (`columnKind`), as everywhere else in this package.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from duetpy.diagnostics.catalogue import title
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.source import Span

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
STANDARD_INPUT = "-"


def sarif_log(diagnostics: Iterable[tuple[str, Diagnostic]], version: str) -> dict[str, Any]:
    """One run of the checker over any number of files, as a SARIF log.

    Parameters
    ----------
    diagnostics
        Each with the name of the file that was being checked, which stands in for a place where a diagnostic has none.
    version
        The version of this package.
    """
    found = list(diagnostics)
    codes = sorted({diagnostic.code for _, diagnostic in found})
    rules = [{"id": code, "shortDescription": _message(title(code) or code)} for code in codes]
    driver = {"name": "duetpy", "version": version, "rules": rules}
    results = [_result(file, diagnostic, codes.index(diagnostic.code)) for file, diagnostic in found]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }


def _result(file: str, diagnostic: Diagnostic, index: int) -> dict[str, Any]:
    place = f"{diagnostic.where}: " if diagnostic.where else ""
    paragraphs = [place + diagnostic.message, *diagnostic.notes]
    if diagnostic.help:
        paragraphs.append(f"help: {diagnostic.help}")
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": diagnostic.severity.value,
        "message": _message("\n".join(paragraphs)),
    }
    if diagnostic.span is not None or not _is_unnamed(file):
        result["locations"] = [_location(file, diagnostic.span, diagnostic.label)]
    if diagnostic.labels:
        result["relatedLocations"] = [_location(file, label.span, label.message) for label in diagnostic.labels]
    return result


def _message(text: str) -> dict[str, str]:
    """A text as a message. A single brace would begin the place of an argument (§3.11.5), and `](` a link (§3.11.6)."""
    return {"text": text.replace("{", "{{").replace("}", "}}").replace("](", "\\](")}


def _is_unnamed(name: str) -> bool:
    return name == STANDARD_INPUT or name.startswith("<")


def _location(file: str, span: Span | None, message: str) -> dict[str, Any]:
    name = file if span is None else span.source.name
    physical: dict[str, Any] = {"artifactLocation": _artifact(name)}
    if span is not None:
        line, column = span.begin
        end_line, end_column = span.finish
        physical["region"] = {
            "startLine": line,
            "startColumn": column,
            "endLine": end_line,
            "endColumn": end_column,
        }
    location: dict[str, Any] = {"physicalLocation": physical}
    if message:
        location["message"] = _message(message)
    return location


def _artifact(name: str) -> dict[str, Any]:
    """A file by its URI, relative as it was given; a text that came from no file has only a description."""
    if _is_unnamed(name):
        return {"description": {"text": "standard input"}}
    path = PurePath(name)
    return {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix(), safe="/", errors="surrogateescape")}
