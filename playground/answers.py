"""What the page asks of duetpy, answered as JSON: it runs in the browser, in a worker, on the package as it is.

Places are counted in units of UTF-16, as JavaScript counts them.
"""

from __future__ import annotations

import json
from bisect import bisect_right

from duetpy.diagnostics.catalogue import page
from duetpy.diagnostics.terminal import page_text
from duetpy.highlight.classes import Shown
from duetpy.highlight.parts import parts
from duetpy.lsp.actions import fixes
from duetpy.lsp.completion import completions
from duetpy.lsp.documents import Document
from duetpy.lsp.hints import hints
from duetpy.lsp.hover import hover
from duetpy.lsp.problems import Problem, problems
from duetpy.report.check_text import statement_text

COLUMNS = 80
"""The width of a page in letters."""

_last = Document.of("program.eps.duet", "")


class _Places:
    """The places of a text, in code points and in units of UTF-16."""

    def __init__(self, text: str) -> None:
        self.wide = [at for at, letter in enumerate(text) if ord(letter) > 0xFFFF]
        self.shifted = [at + number for number, at in enumerate(self.wide)]

    def units(self, offset: int) -> int:
        return offset + bisect_right(self.wide, offset - 1)

    def offset(self, units: int) -> int:
        return units - bisect_right(self.shifted, units - 1)


def check(name: str, text: str) -> str:
    """What ``duetpy check -v`` says of a program, what is wrong with it, and what is written between its words."""
    global _last
    _last = document = Document.of(name, text)
    places, statement = _Places(document.text), document.statement
    return json.dumps(
        {
            "ok": statement is not None and statement.ok,
            "text": statement_text(statement, verbose=True) if statement is not None and statement.ok else "",
            "problems": [_problem(document, places, each) for each in problems(document)],
            "hints": [
                {"at": places.units(each.offset), "text": each.text, "about": each.about}
                for each in hints(document, 0, len(document.text))
            ],
        }
    )


def _problem(document: Document, places: _Places, found: Problem) -> dict[str, object]:
    line, column = document.source.line_column(found.start)
    edits = [
        {"title": fix.title, "from": places.units(fix.start), "to": places.units(fix.end), "text": fix.text}
        for fix in fixes(document, found.start, found.end)
        if fix.diagnostic.code == found.code
    ]
    return {
        "from": places.units(found.start),
        "to": places.units(found.end),
        "place": f"{line}:{column}",
        "severity": "error" if found.is_error else "warning",
        "code": found.code,
        "message": found.message,
        "fixes": edits,
    }


def colours(text: str) -> str:
    """The parts of a text that have a colour: where each begins and ends, and its class."""
    places = _Places(text)
    plain = {Shown.SPACE, Shown.NAME, Shown.PUNCTUATION}
    return json.dumps(
        [
            [places.units(part.start), places.units(part.end), part.shown.value]
            for part in parts(text)
            if part.shown not in plain
        ]
    )


def about(units: int) -> str:
    """What is known of a place of the program that was checked last; ``null`` if nothing is."""
    places = _Places(_last.text)
    found = hover(_last, places.offset(units))
    if found is None:
        return "null"
    span = {"from": places.units(found.span.start), "to": places.units(found.span.end)}
    return json.dumps({**span, "text": found.text})


def explain(code: str) -> str:
    """The page of a diagnostic, as ``duetpy explain`` shows it."""
    return json.dumps(page_text(page(code) or "", COLUMNS))


def complete(name: str, text: str, units: int) -> str:
    """What can be written at a place: each with the text that replaces what was begun."""
    document, places = Document.of(name, text), _Places(text)
    return json.dumps(
        [
            {
                "from": places.units(found.start),
                "label": found.label or found.text,
                "text": found.text,
                "detail": found.detail,
                "kind": found.kind.value,
            }
            for found in completions(document, places.offset(units))
        ]
    )
