"""Kinds and type-level reals, and what types share with them: how deep they may nest.

The trees made here and in `parser_types` are at most `MAX_HEIGHT` high (the links of a column list count as one), so
that every later pass may recurse over a type. What is written deeper is refused with D0009.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import NoReturn, TypeVar

from duetpy.grammar.ast import Kind, KindBinding, Node, RBin, RExp, RFun, RInf, RNum, RVar
from duetpy.grammar.compare import height
from duetpy.grammar.cursor import Cursor, Fault
from duetpy.grammar.lexer import Token
from duetpy.grammar.operators import Operators
from duetpy.source import Span

MAX_HEIGHT = 100
"""A type or type-level real may be so many nodes high."""

REXP_LEVELS = {"⊔": 2, "⊓": 3, "+": 4, "⋅": 5, "/": 6}
REXP_FUNCTIONS = ("exp", "expm1", "log1p", "tanh")

T = TypeVar("T")
N = TypeVar("N", bound=Node)


def number_of(token: Token) -> Fraction:
    """The exact value of a number token."""
    mantissa, _, exponent = token.text.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    power = int(exponent or 0) - len(fraction)
    digits = int(whole + fraction)
    return Fraction(digits * 10**power) if power >= 0 else Fraction(digits, 10**-power)


class RExpParser(Cursor):
    """Reads kinds and type-level reals."""

    nesting = 0

    # ------------------------------------------------------------------------------------------------- measure

    def measured(self, read: Callable[[], N]) -> N:
        """What `read` reads, unless it is too high; not to be used while a type is being read."""
        begin = self.pos
        self.nesting = 0
        node = read()
        self.check_height(node, begin)
        return node

    def check_height(self, node: Node, begin: int) -> None:
        """Refuse a tree that is too high; one that is short in tokens cannot be."""
        if self.pos - begin > MAX_HEIGHT and height(node) > MAX_HEIGHT:
            self.too_deep(Span(self.source, self.tokens[begin].start, self.end))

    def too_deep(self, span: Span) -> NoReturn:
        advice = f"keep a type, and the terms of a formula in it, below {MAX_HEIGHT} levels"
        self.complain("this type is nested too deeply", advice, code="D0009", span=span)
        raise Fault

    def deeper(self, read: Callable[[], T]) -> T:
        """Read what stands inside brackets, unless that is too deep."""
        self.nesting += 1
        if self.nesting > MAX_HEIGHT:
            self.too_deep(self.here())
        result = read()
        self.nesting -= 1
        return result

    def bracketed(self, opener: str, read: Callable[[], T], what: str) -> T:
        """`what` between brackets."""
        self.expect_type(opener, f"before {what}")
        opened = self.pos - 1
        try:
            result = self.deeper(read)
            self.close(opened, f"after {what}")
        except Fault:
            self.leap(opened)
            raise
        return result

    def accept_type(self, kind: str) -> bool:
        if self.type_kind() == kind:
            self.pos += 1
            return True
        return False

    def expect_type(self, kind: str, place: str) -> None:
        self.skip_bad(kind)
        if not self.accept_type(kind):
            self.miss(kind, place)
            raise Fault

    # ------------------------------------------------------------------------------------------------- kinds

    def kinds_of(self, what: str) -> tuple[KindBinding, ...]:
        """``m : ℕ, n : ℕ .``, the dot included; the names are bound from here on."""
        bindings: list[KindBinding] = []
        while self.type_kind() != ".":
            if bindings:
                self.expect_type(",", f"or `.` after the kinds of {what}")
            name = self.name("the name of a type-level variable")
            self.expect_type(":", f"after `{name.text}`")
            kind = self.kind_word()
            bindings.append(KindBinding(self.since(name.span.start), name.text, kind))
            self.types.bind(name.text)
        self.pos += 1
        return tuple(bindings)

    def kind_word(self) -> Kind:
        match self.type_kind():
            case "ℕ":
                kind = Kind.NAT
            case "ℝ⁺":
                kind = Kind.POS
            case "☆K":
                kind = Kind.TYPE
            case "ℝ" if self.ahead(1) == "+" and self.touches(self.pos + 1):
                self.pos += 1
                kind = Kind.POS
            case _:
                raise self.fault(
                    f"expected a kind, found {self.found()}",
                    "the kinds are `ℕ` (Nat), `ℝ⁺` (Real+) and `☆K` (Type)",
                    label="not a kind",
                )
        self.pos += 1
        return kind

    # ------------------------------------------------------------------------------------------------- reals

    def rexp(self) -> RExp:
        """A type-level real, not too high."""
        return self.measured(self.any_rexp)

    def any_rexp(self, stop: int = -1) -> RExp:
        """A type-level real that ends before the token `stop`."""
        return self.rexp_at(0, stop)

    def rexp_at(self, minimum: int, stop: int = -1) -> RExp:
        """A type-level real made of operators of level `minimum` or tighter."""
        operators: Operators[RExp] = Operators(self.source)
        while True:
            kind, start = self.type_kind(), self.start
            if kind in ("√", "㏒"):
                self.pos += 1
                operators.prefix(7, start, partial(_function, kind))
                continue
            operators.operand(self.rexp_atom(), start, self.end)
            kind = self.type_kind()
            level = REXP_LEVELS.get(kind, -1)
            if level < minimum or level < 0 or self.pos == stop:
                return operators.finish().node
            self.pos += 1
            operators.infix(level, partial(_formula, kind))

    def rexp_atom(self) -> RExp:
        start = self.start
        token = self.tokens[self.pos]
        match self.type_kind():
            case _ if token.text in REXP_FUNCTIONS and self.ahead(1) == "(" and token.text not in self.types.bound:
                self.pos += 1
                arg = self.bracketed("(", self.any_rexp, f"the argument of `{token.text}`")
                return RFun(self.since(start), token.text, arg)
            case "name":
                self.pos += 1
                return RVar(self.since(start), token.text)
            case "nat" | "decimal" as kind:
                self.pos += 1
                return RNum(self.since(start), number_of(token), kind == "decimal")
            case "∞":
                self.pos += 1
                return RInf(self.since(start))
            case "(":
                return self.bracketed("(", self.any_rexp, "the expression in parentheses")
            case _ if self.is_soft():
                self.pos += 1
                return RVar(self.since(start), token.text)
            case _:
                raise self.fault(
                    f"expected a size or a number, found {self.found()}",
                    "write a type-level variable, a number or a formula of them",
                    label="expected a type-level expression",
                )


def _function(op: str, span: Span, arg: RExp) -> RExp:
    return RFun(span, op, arg)


def _formula(op: str, span: Span, left: RExp, right: RExp) -> RExp:
    return RBin(span, op, left, right)
