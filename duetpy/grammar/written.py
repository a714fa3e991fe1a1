"""How a tree was written where its text left a choice: parentheses, braces, signs that mean another, numerals, line breaks.

The printer asks. Of a tree that stands in no text nothing is known, and it chooses.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from enum import Enum, auto

from attrs import frozen

from duetpy.grammar import ast
from duetpy.grammar.levels import GROUPED_OTHERWISE
from duetpy.grammar.lexer import Token

_NUMERAL = re.compile(r"-?[0-9]+(_[0-9]+)*(\.[0-9]+(_[0-9]+)*)?([eE][+-]?[0-9]+)?")


class Short(Enum):
    """Signs that stand for a longer expression."""

    TURNED = auto()
    """``a > b`` for ``b < a``, ``a ≥ b`` for ``b ≤ a``"""
    UNEQUAL = auto()
    """``a ≠ b`` for ``(a ≡ b) ≡ false``"""
    NOT = auto()
    """``¬ a`` for ``a ≡ false``"""
    MINUS = auto()
    """``-a`` for ``0.0 - a``"""


class Written:
    """Of a tree that stands in no text."""

    before_stop = ""
    """What stands before the semicolon that ends a step."""

    def is_grouped(self, node: ast.Node) -> bool:
        """Whether parentheses stand around it."""
        return False

    def is_told_apart(self, first: str, second: str) -> bool:
        """Whether parentheses show how operators are grouped that follow each other."""
        return (first, second) in GROUPED_OTHERWISE

    def is_braced(self, branch: ast.Node) -> bool:
        """Whether braces stand around a branch of ``if``."""
        return True

    def begins_line(self, node: ast.Node) -> bool:
        """Whether a line begins with it, or with the parentheses around it."""
        return False

    def shares_line(self, node: ast.Let | ast.LetPair) -> bool:
        """Whether what follows ``in`` stands on the line of one that ``let`` alone takes up."""
        return False

    def breaks_else(self, otherwise: ast.Node) -> bool:
        """Whether the ``else`` before a branch begins a line."""
        return False

    def short(self, node: ast.SExp) -> Short | None:
        """The sign that stands for it."""
        return None

    def literal(self, node: ast.Node) -> str | None:
        """The numeral or string, letter for letter."""
        return None

    def has_point(self, function: ast.Node) -> bool:
        """Whether a point stands before parameters that follow no kinds."""
        return True

    def is_called_on(self, node: ast.PApp) -> bool:
        """Whether ``f[a, b] e`` stands for ``f@[ . e, a, b]``."""
        return False

    def is_static(self, param: ast.Param) -> bool:
        """Whether ``static`` declares a kind variable with it."""
        return False

    def has_quantifier(self, node: ast.TPFun) -> bool:
        """Whether a type of privacy functions begins with ``∀``."""
        return True

    def is_bare(self, sensitivity: ast.RExp) -> bool:
        """Whether an arrow stands without the sensitivity that it means."""
        return False

    def is_spelled_out(self, node: ast.TDisc) -> bool:
        """Whether ``𝐝 ℝ`` stands for ``𝔻``."""
        return False

    def in_angles(self, node: ast.FieldOf) -> bool:
        """Whether a column was picked with ``⧼⧽``."""
        return False


@frozen(eq=False, repr=False)
class WrittenIn(Written):
    """Of a tree that stands in a text that could be read.

    Parameters
    ----------
    text
        The text.
    tokens
        Its tokens.
    grouped, braced
        What stands directly between parentheses, and as a branch between braces: where it starts and ends.
    """

    text: str
    tokens: Sequence[Token]
    grouped: frozenset[tuple[int, int]]
    braced: frozenset[tuple[int, int]]

    before_stop = " "

    def is_grouped(self, node: ast.Node) -> bool:
        return (node.span.start, node.span.end) in self.grouped

    def is_told_apart(self, first: str, second: str) -> bool:
        return False

    def is_braced(self, branch: ast.Node) -> bool:
        return (branch.span.start, branch.span.end) in self.braced

    def begins_line(self, node: ast.Node) -> bool:
        at = self._index(node.span.start)
        while at > 0 and self.tokens[at - 1].kind == "(":
            at -= 1
        return self._is_first(at)

    def shares_line(self, node: ast.Let | ast.LetPair) -> bool:
        body = node.body
        return "\n" not in node.span.text and not isinstance(body, ast.Let | ast.LetPair | ast.PLet | ast.PLetPair)

    def breaks_else(self, otherwise: ast.Node) -> bool:
        at = self._index(otherwise.span.start) - 1
        while at > 0 and self.tokens[at].kind != "else":
            at -= 1
        return self._is_first(at)

    def _is_first(self, at: int) -> bool:
        """Whether a token is the first of its line, and not of the text."""
        return at > 0 and "\n" in self.text[self.tokens[at - 1].end : self.tokens[at].start]

    def _index(self, start: int) -> int:
        """The token that starts at a place."""
        return bisect_left(self.tokens, start, key=lambda token: token.start)

    def short(self, node: ast.SExp) -> Short | None:
        # What the builder puts in has the place of the sign that it is meant by.
        match node:
            case ast.Prim(args=(_, ast.BoolLit(value=False) as sign)) if sign.span.text not in ("false", ""):
                return Short.NOT if sign.span.start == node.span.start else Short.UNEQUAL
            case ast.Prim(args=(ast.RealLit(value=0) as sign, _)) if sign.span.text == "-":
                return Short.MINUS
            case ast.Prim(args=(one, other)) if other.span.start < one.span.start:
                return Short.TURNED
            case _:
                return None

    def literal(self, node: ast.Node) -> str | None:
        text = node.span.text
        if isinstance(node, ast.Import):
            return text[text.index('"') :]
        is_string = isinstance(node, ast.StrLit) and text.startswith('"')
        return text if is_string or _NUMERAL.fullmatch(text) else None

    def has_point(self, function: ast.Node) -> bool:
        return self.tokens[self._index(function.span.start) + 1].kind == "."

    def is_called_on(self, node: ast.PApp) -> bool:
        return len(node.args) > 1 and node.args[1].span.start < node.args[0].span.start

    def is_static(self, param: ast.Param) -> bool:
        return param.span.start < param.name.span.start

    def has_quantifier(self, node: ast.TPFun) -> bool:
        return self.tokens[self._index(node.span.start)].kind == "∀"

    def is_bare(self, sensitivity: ast.RExp) -> bool:
        return isinstance(sensitivity, ast.RInf) and sensitivity.span.text in ("⊸", "-o")

    def is_spelled_out(self, node: ast.TDisc) -> bool:
        return node.inner.span != node.span

    def in_angles(self, node: ast.FieldOf) -> bool:
        return node.span.text.endswith(("⧽", ".>"))
