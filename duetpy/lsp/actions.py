"""The helps of diagnostics as edits.

A help is text. What it says to write is tried, and offered only if the checker agrees: then the diagnostic is gone, and no other
one has appeared. So a help that describes no edit offers nothing, and an edit that is offered does what it says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from attrs import frozen

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.text import OF_SENSITIVITY
from duetpy.grammar import ast
from duetpy.grammar.lexer import tokenize
from duetpy.lsp.documents import Document
from duetpy.lsp.judgements import Judgements
from duetpy.source import Source, Span

MOST = 8
"""So many edits are tried for one diagnostic: each takes a check."""

OF_SYNTAX = "D00"
"""A text that could not be read hides what else is wrong with it."""


@frozen
class Fix:
    """An edit that removes a diagnostic."""

    diagnostic: Diagnostic
    title: str
    start: int
    end: int
    text: str


def fixes(document: Document, start: int, end: int) -> Iterator[Fix]:
    """The edits for the diagnostics that touch a place."""
    for diagnostic in document.diagnostics:
        span = diagnostic.span
        if span is None or span.source is not document.source or span.end < start or end < span.start:
            continue
        offered: set[str] = set()
        candidates = {(fix.start, fix.end, fix.text): fix for fix in _candidates(document, diagnostic, span)}
        for fix in list(candidates.values())[:MOST]:
            if fix.title not in offered and _helps(document, fix):
                offered.add(fix.title)
                yield fix


def _helps(document: Document, fix: Fix) -> bool:
    """Whether a diagnostic is gone after an edit, and no other has come."""
    changed = document.with_text(document.text[: fix.start] + fix.text + document.text[fix.end :])
    is_syntax = fix.diagnostic.code.startswith(OF_SYNTAX)
    before = _counted(document.program.syntax if is_syntax else document.diagnostics)
    after = _counted(changed.program.syntax if is_syntax else changed.diagnostics)
    key = _key(fix.diagnostic)
    return after[key] < before[key] and not after - before


def _counted(diagnostics: tuple[Diagnostic, ...]) -> Counter[tuple[str, str]]:
    return Counter(map(_key, diagnostics))


def _key(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.code, diagnostic.message


_MEANT = re.compile(r"did you mean ([^?]+)\?")
_QUOTED = re.compile(r"`([^`…]+)`")
_IMPORT = re.compile(r'write (import "[^"]+";) at the beginning of the file$')
_WRITTEN = re.compile(r"(?:write|close it with) ([^…:;`]+?)(?:, which has that value)?$")


def _candidates(document: Document, diagnostic: Diagnostic, span: Span) -> Iterator[Fix]:
    """Edits that a help may mean."""
    help = diagnostic.help

    def instead(text: str, place: Span = span) -> Fix:
        shown = " ".join(place.text.split())
        title = f"Replace `{shown}` by `{text}`" if shown and len(shown) <= 40 else f"Write `{text}`"
        return Fix(diagnostic, title, place.start, place.end, text)

    if (meant := _MEANT.search(help)) is not None:
        for name in re.split(r", | or ", meant[1]):
            place = _name_in(span, name)
            if place is not None:
                yield instead(name.strip("`"), place)
    if help.startswith(("remove it", "remove this")):
        yield Fix(
            diagnostic, f"Remove `{span.text}`" if span.text.isprintable() else "Remove it", span.start, span.end, ""
        )
    if (imported := _IMPORT.match(help)) is not None:
        start = _first_import(document.text)
        yield Fix(diagnostic, f"Write `{imported[1]}`", start, start, f"{imported[1]}\n")
        return
    if diagnostic.code in OF_SENSITIVITY:
        if "[auto" in help:
            yield from _inferred(document, diagnostic, span)
        return
    if help.startswith(("write", "close it")):
        for text in _QUOTED.findall(help):
            if " here" in help:
                yield Fix(diagnostic, f"Insert `{text}`", span.start, span.start, text)
                yield Fix(diagnostic, f"Insert `{text}`", span.start, span.start, f"{text} ")
            elif help.startswith("close it"):
                end = span.end if "line" in help else len(document.text.rstrip("\n"))
                yield Fix(diagnostic, f"Insert `{text}`", end, end, text)
            elif _is_one_token(text) or not diagnostic.code.startswith(OF_SYNTAX):
                # Of a longer text that is to be written instead of a sign, letters stand for what the program says.
                yield instead(text)
        if (written := _WRITTEN.search(help)) is not None:
            yield instead(written[1])


def _first_import(text: str) -> int:
    """Where an import may stand first: before anything but comments and the line of the notion."""
    tokens = tokenize(Source("", text))[0]
    is_behind = len(tokens) > 3 and tokens[0].text == "notion"
    return tokens[3 if is_behind else 0].start


def _is_one_token(text: str) -> bool:
    return len(tokenize(Source("", text))[0]) == 2


def _name_in(span: Span, name: str) -> Span | None:
    """The one word of a place for which a name may be meant: the place itself, or the last word in it."""
    tokens = [
        token for token in tokenize(Source("", span.text))[0] if token.text[:1].isalpha() and token.kind != "string"
    ]
    if not tokens or not name:
        return None
    token = tokens[0] if len(tokens) == 1 else tokens[-1]
    return Span(span.source, span.start + token.start, span.start + token.end)


def _inferred(document: Document, diagnostic: Diagnostic, span: Span) -> Iterator[Fix]:
    """The sensitivity of the mechanism whose body moves more than claimed: inferred, or the one that was found."""
    holds = [
        node
        for node in Judgements(document).nodes
        if isinstance(node, ast.Mechanism) and node.span.start <= span.start and span.end <= node.span.end
    ]
    for node in holds[-1:]:
        claimed = node.params[0] if node.params else None
        if claimed is not None:
            place = claimed.span
            yield Fix(diagnostic, f"Infer the sensitivity: `{node.name}[auto, …]`", place.start, place.end, "auto")
            found = re.match(r"write a sensitivity of (.+), or ", diagnostic.help)
            if found is not None:
                for text in (found[1], f"ℝ⁺[{found[1]}]"):
                    yield Fix(diagnostic, f"Claim the sensitivity {found[1]}", place.start, place.end, text)
