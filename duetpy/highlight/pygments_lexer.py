"""A lexer for Pygments, under the entry point ``pygments.lexers``: the language's own lexer, with a class for each token.

Only Pygments loads this file. Nothing else of the package imports it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from pygments import token
from pygments.lexer import Lexer
from pygments.token import _TokenType

from duetpy.grammar.lexer import Token, tokenize
from duetpy.highlight.classes import Shown, classes
from duetpy.source import Source

_OF_CLASS: dict[Shown, _TokenType] = {
    Shown.MECHANISM: token.Name.Builtin,
    Shown.CONSTANT: token.Keyword.Constant,
    Shown.PRIMITIVE: token.Name.Function,
    Shown.TYPE: token.Keyword.Type,
    Shown.DECLARATION: token.Keyword.Declaration,
    Shown.KEYWORD: token.Keyword,
    Shown.OPERATOR: token.Operator,
    Shown.PUNCTUATION: token.Punctuation,
}

_OF_LITERAL: dict[str, _TokenType] = {
    "name": token.Name,
    "nat": token.Number.Integer,
    "decimal": token.Number.Float,
    "string": token.String,
    "bad": token.Error,
}

_MARKS = re.compile(r"\{-|-\}")


class DuetLexer(Lexer):
    """Programs of duetpy."""

    name = "Duet"
    aliases: ClassVar = ["duet", "duetpy"]
    filenames: ClassVar = ["*.duet"]
    mimetypes: ClassVar = ["text/x-duet"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """The tokens of a text with their places; all of the text is in one of them."""
        tokens, _ = tokenize(Source("<text>", text))
        known, at, before = classes(), 0, None
        for found in tokens[:-1]:
            yield from _trivia(text, at, found.start)
            shown = _OF_LITERAL.get(found.kind)
            if shown is None:
                is_field = _is_field(text, before, found)
                shown = token.Name.Attribute if is_field else _OF_CLASS[known[found.kind]]
            yield found.start, shown, text[found.start : found.end]
            at, before = found.end, found
        yield from _trivia(text, at, len(text))


def _is_field(text: str, before: Token | None, found: Token) -> bool:
    """Whether a word is the name of a column: it touches a point that touches what it is a part of."""
    if before is None or before.kind != "." or before.end != found.start or not found.text[:1].isalpha():
        return False
    return before.start > 0 and not text[before.start - 1].isspace()


def _trivia(text: str, start: int, end: int) -> Iterator[tuple[int, _TokenType, str]]:
    """Spaces and comments between two tokens."""
    at = start
    while at < end:
        if text.startswith("--", at):
            stop = text.find("\n", at, end)
            stop, shown = (end if stop == -1 else stop), token.Comment.Single
        elif text.startswith("{-", at):
            stop, shown = _end_of_block(text, at, end), token.Comment.Multiline
        else:
            stop = next((here for here in range(at, end) if text.startswith(("--", "{-"), here)), end)
            shown = token.Whitespace
        yield at, shown, text[at:stop]
        at = stop


def _end_of_block(text: str, start: int, end: int) -> int:
    """Where a comment ends, which may hold others."""
    depth = 0
    for mark in _MARKS.finditer(text, start, end):
        depth += 1 if mark.group() == "{-" else -1
        if not depth:
            return mark.end()
    return end
