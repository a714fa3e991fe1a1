"""The parts of a program that an editor colours: the tokens of the language's own lexer, and what stands between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from duetpy.grammar.lexer import Token, tokenize
from duetpy.highlight.classes import Shown, classes
from duetpy.source import Source

_OF_LITERAL = {
    "name": Shown.NAME,
    "nat": Shown.NATURAL,
    "decimal": Shown.DECIMAL,
    "string": Shown.STRING,
    "bad": Shown.WRONG,
}

_MARKS = re.compile(r"\{-|-\}")


@frozen
class Part:
    """A stretch of a text, in code points, and what it is shown as."""

    start: int
    end: int
    shown: Shown


def parts(text: str) -> Iterator[Part]:
    """The parts of a text in order; together they are the whole text."""
    tokens, _ = tokenize(Source("<text>", text))
    known, at, before = classes(), 0, None
    for found in tokens[:-1]:
        yield from _trivia(text, at, found.start)
        shown = _OF_LITERAL.get(found.kind)
        if shown is None:
            shown = Shown.COLUMN if _is_field(text, before, found) else known[found.kind]
        yield Part(found.start, found.end, shown)
        at, before = found.end, found
    yield from _trivia(text, at, len(text))


def _is_field(text: str, before: Token | None, found: Token) -> bool:
    """Whether a word is the name of a column: it touches a point that touches what it is a part of."""
    if before is None or before.kind != "." or before.end != found.start or not found.text[:1].isalpha():
        return False
    return before.start > 0 and not text[before.start - 1].isspace()


def _trivia(text: str, start: int, end: int) -> Iterator[Part]:
    """Spaces and comments between two tokens."""
    at = start
    while at < end:
        if text.startswith("--", at):
            stop = text.find("\n", at, end)
            stop, shown = (end if stop == -1 else stop), Shown.COMMENT
        elif text.startswith("{-", at):
            stop, shown = _end_of_block(text, at, end), Shown.LONG_COMMENT
        else:
            stop = next((here for here in range(at, end) if text.startswith(("--", "{-"), here)), end)
            shown = Shown.SPACE
        yield Part(at, stop, shown)
        at = stop


def _end_of_block(text: str, start: int, end: int) -> int:
    """Where a comment ends, which may hold others."""
    depth = 0
    for mark in _MARKS.finditer(text, start, end):
        depth += 1 if mark.group() == "{-" else -1
        if not depth:
            return mark.end()
    return end
