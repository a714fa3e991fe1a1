"""A lexer for Pygments, under the entry point ``pygments.lexers``: the parts of a program, each as a class of Pygments.

Only Pygments loads this file. Nothing else of the package imports it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pygments import token
from pygments.lexer import Lexer
from pygments.token import _TokenType

from duetpy.highlight.classes import Shown
from duetpy.highlight.parts import parts

_OF_CLASS: dict[Shown, _TokenType] = {
    Shown.MECHANISM: token.Name.Builtin,
    Shown.CONSTANT: token.Keyword.Constant,
    Shown.PRIMITIVE: token.Name.Function,
    Shown.TYPE: token.Keyword.Type,
    Shown.DECLARATION: token.Keyword.Declaration,
    Shown.KEYWORD: token.Keyword,
    Shown.OPERATOR: token.Operator,
    Shown.PUNCTUATION: token.Punctuation,
    Shown.NAME: token.Name,
    Shown.COLUMN: token.Name.Attribute,
    Shown.NATURAL: token.Number.Integer,
    Shown.DECIMAL: token.Number.Float,
    Shown.STRING: token.String,
    Shown.WRONG: token.Error,
    Shown.COMMENT: token.Comment.Single,
    Shown.LONG_COMMENT: token.Comment.Multiline,
    Shown.SPACE: token.Whitespace,
}


class DuetLexer(Lexer):
    """Programs of duetpy."""

    name = "Duet"
    aliases: ClassVar = ["duet", "duetpy"]
    filenames: ClassVar = ["*.duet"]
    mimetypes: ClassVar = ["text/x-duet"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """The tokens of a text with their places; all of the text is in one of them."""
        for part in parts(text):
            yield part.start, _OF_CLASS[part.shown], text[part.start : part.end]
