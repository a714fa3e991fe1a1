"""Names and literals: what a rule of the grammar has read → the node that it is."""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.grammar.build_terms import TermBuilder
from duetpy.grammar.build_types import number_of
from duetpy.grammar.dates import date_of
from duetpy.grammar.pieces import Piece


class LiteralBuilder(TermBuilder):
    """Makes what holds no expression."""

    def var(self, c: list[Piece]) -> Piece:
        return self.made(ast.Hole(self.span(c[0])) if c[0].value is None else ast.Var(self.span(c[0]), c[0].value), c)

    def number(self, c: list[Piece]) -> Piece:
        span, text = self.span(c[0]), c[0].value
        return self.made(ast.NatLit(span, int(text)) if c[0].type == "NAT" else ast.RealLit(span, number_of(text)), c)

    def negative(self, c: list[Piece]) -> Piece:
        node, span = c[1].value, self.over(c)
        return self.made((ast.NatLit if isinstance(node, ast.NatLit) else ast.RealLit)(span, -node.value), c)

    def text(self, c: list[Piece]) -> Piece:
        span, value = self.span(c[0]), c[0].value
        return self.made(ast.Hole(span) if value is None else ast.StrLit(span, value), c)

    def date(self, c: list[Piece]) -> Piece:
        """``date "2024-02-29"``."""
        span, written = self.over(c), c[1].value
        if written is None:
            return self.made(ast.Hole(span), c)
        day = date_of(written)
        if day is None:
            self.tell("no_date", self.span(c[1]))
            return self.made(ast.Hole(span), c)
        return self.made(ast.DateLit(span, day), c)

    def truth(self, c: list[Piece]) -> Piece:
        return self.made(ast.BoolLit(self.span(c[0]), c[0].type == "true"), c)

    def static(self, c: list[Piece]) -> Piece:
        """``ℕ[3]``, ``ℝ⁺[2.0]``, ``ℝ[-0.5]``."""
        word, span = c[0].type, self.over(c)
        inside = self.signed_of(word, c[2:-1])
        node: ast.SExp
        if inside is None:
            node = ast.Hole(span)
        elif word == "ℕ":
            node = ast.StaticNat(span, inside[1])
        else:
            node = ast.StaticReal(span, inside[1], word == "ℝ", inside[0])
        return self.made(node, c)
