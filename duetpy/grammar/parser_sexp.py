"""Sensitivity expressions: operators, application, and what stands after an expression.

The levels, loosest first: ``∧ ∨``; ``≡ ∈ < ≤``; ``⊔``; ``⊓``; ``+ -``; ``⋅ ×``; ``/ %``; prefix ``√ ㏒``; prefix words
such as ``real``. Tightest is the chain: an atom, its arguments, ``#[…]``, ``⧼…⧽`` and ``@[…]`` in the order written, so
that ``f x#[i, j]`` is ``(f x)#[i, j]`` and ``real xs#[i, j]`` is ``real (xs#[i, j])``. A field ``row.age`` belongs to
its atom.

``let``, ``sλ`` and ``if`` reach as far to the right as they can. Where a privacy expression may stand as well
(`private`), a privacy application ``f@[m . xs]`` may be what is read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial

from duetpy.grammar.ast import (
    App,
    BoolLit,
    FieldOf,
    FrameOp,
    Hole,
    Index,
    Inject,
    Name,
    NatLit,
    Norm,
    PApp,
    PExp,
    Prim,
    RealLit,
    RExp,
    Select,
    SExp,
    StaticNat,
    StaticReal,
    StrLit,
    Type,
    TypeApp,
    Update,
    Var,
)
from duetpy.grammar.brackets import starts_definition
from duetpy.grammar.cursor import Fault
from duetpy.grammar.foreign import FOREIGN_OPERATORS
from duetpy.grammar.operators import Operand, Operators
from duetpy.grammar.parser_rexps import number_of
from duetpy.grammar.parser_types import TypeParser
from duetpy.grammar.spelling import CLOSERS, RESERVED
from duetpy.source import Span
from duetpy.trampoline import Task, call

INFIX_LEVELS: dict[str, int] = {
    "∧": 1,
    "∨": 1,
    "≡": 2,
    "∈": 2,
    "<": 2,
    "≤": 2,
    "≟": 2,
    "⊔": 3,
    "⊓": 4,
    "+": 5,
    "-": 5,
    "⋅": 6,
    "×": 6,
    "/": 7,
    "%": 7,
}
ROOT_LEVEL = 8
WORD_LEVEL = 10


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ROOTS = _words("√ ㏒")
PREFIXES = ROOTS | _words(
    """dyn real rows cols tr idx disc discf conv mconv box unbox count fst snd sign floor ceil round exp
    clip mclip renorm addColDF inl inr"""
)
MECHANISMS = _words(
    """laplace mlaplace gauss mgauss bgauss ggauss dlaplace dgauss canonical exponential AboveThreshold rand-resp
    noisy-max gibbs given noisy-descent"""
)
CONVERSIONS = _words("ZCDP RENYI EPSDP GDP TCDP")
SAMPLERS = _words("sample poisson shuffle")
PRIVATE_FORMS = MECHANISMS | CONVERSIONS | SAMPLERS | _words("return aloop parallel mmapp pmap-col pfld-rows rand-nat")
FORMS = _words(
    """( ⟨ pλ ℕ ℝ ℝ⁺ ℘ loop mcreate mmap mmap-row mmap-col bmap mapDF mfold-row mfilter zip chunks join₁ ∇ U∇ row∇ step∇
    partitionDF joinDF₁ unionAll case opaque"""
)
"""Kinds that begin an atom of more than one token."""

BRACKETED: dict[str, str] = {
    **dict.fromkeys(MECHANISMS | SAMPLERS | _words("renorm ∇ U∇ row∇ step∇ join₁ ℕ ℝ ℝ⁺"), "["),
    **dict.fromkeys(CONVERSIONS, "[{"),
    "℘": "{",
    "joinDF₁": "⧼",
}
"""Kinds that begin a form only where one of these brackets follows; without it a soft word among them is a name."""

LITERALS = (NatLit, RealLit, StrLit, BoolLit, StaticNat, StaticReal)
"""What cannot be applied: an operand after one of these belongs to something else."""

_SIMPLE_ATOMS = _words("name nat decimal string true false bad")
_NEVER_NAMES = _words("def ensures ⊔ ⊓ ∧ ∨ ∈ opaque case sλ pλ")
"""Kinds of soft words that cannot be read as a name where an operand must stand."""


class SExpParser(TypeParser, ABC):
    """Reads sensitivity expressions; `form` and `pexp` are left to the parsers of the binding forms."""

    in_definition = False
    """Whether a definition is being read, whose end only a new line can show."""

    @abstractmethod
    def form(self, kind: str) -> Task[SExp]:
        """An atom that is a form of its own, such as ``mmap xs { x ⇒ e }``; the current token is of that kind."""

    @abstractmethod
    def pexp(self) -> Task[PExp]:
        """A privacy expression."""

    @abstractmethod
    def open_form(self, kind: str) -> Task[SExp]:
        """``let``, ``sλ`` or ``if``, which reach to the right as far as they can."""

    # ------------------------------------------------------------------------------------------------- operators

    def sexp(self, first: Operand[SExp] | None = None) -> Task[SExp]:
        """A sensitivity expression, whose first operand may have been read already."""
        result = yield from call(self.expression(first=first))
        assert not isinstance(result, PApp)
        return result

    def expression(self, private: bool = False, first: Operand[SExp] | None = None) -> Task[SExp | PApp]:
        """An expression whose first operand may have been read already."""
        operators: Operators[SExp] = Operators(self.source)
        while True:
            kind = self.kind()
            while first is None and kind in PREFIXES and self.role(kind) == "prefix":
                yield from call(self.prefix(kind, operators))
                kind = self.kind()
            start = self.start if first is None else first.start
            if first is None and (
                kind in ("let", "sλ", "if") or self.at_bare_binding() or (kind == "def" and self.at_inner_definition())
            ):
                operand: SExp | PApp = yield from call(self.open_form(kind))
            else:
                operand = yield from call(self.chain(private, first))
            first = None
            if isinstance(operand, PApp):
                if not operators.pending:
                    return operand
                self.misplaced(operand.span)
                operand = Hole(operand.span)
            operators.operand(operand, start, self.end)
            kind = self.foreign_operator() or self.kind()
            level = INFIX_LEVELS.get(kind)
            if level is None or (kind == "<" and self.at_name_list()):
                return operators.finish().node
            if kind == "≟":
                advice = "write `-` for subtraction or `≡` for equality"
                self.warn("D0015", "`≟` is read as subtraction", advice, "subtraction")
                kind = "-"
            self.pos += 1
            operators.infix(level, partial(_infix, kind))

    def foreign_operator(self) -> str | None:
        """The operator that is meant where one of another language stands: told of, and all but its last token read."""
        for sign in FOREIGN_OPERATORS:
            last = self.pos + len(sign.kinds) - 1
            if last + 1 >= len(self.kinds) or tuple(self.kinds[self.pos : last + 1]) != sign.kinds:
                continue
            if all(map(self.touches, range(self.pos + 1, last + 1))) and self.begins_operand(last + 1):
                self.complain(f"there is no operator `{sign.written}`", sign.advice, label="no operator")
                self.pos = last
                return sign.meant
        return None

    def begins_operand(self, index: int) -> bool:
        """Whether an expression may begin at a token."""
        kind = self.kinds[index]
        return kind in _SIMPLE_ATOMS or kind in FORMS or kind in PREFIXES or kind == "-" or self.is_word(index)

    def prefix(self, kind: str, operators: Operators[SExp]) -> Task[None]:
        """One prefix operator with what stands in its brackets."""
        start = self.start
        self.pos += 1
        make: Callable[[Span, SExp], SExp] = partial(_prefix, kind, None, ())
        if kind in ROOTS:
            operators.prefix(ROOT_LEVEL, start, make)
            return
        bracket = self.kind() == "["
        if kind in ("inl", "inr"):
            other = (
                self.measured(lambda: self.bracketed("[", self.any_type, f"the type of `{kind}`")) if bracket else None
            )
            make = partial(_inject, kind, other)
        elif kind == "addColDF":
            make = partial(_add_column, self.column(kind))
        elif kind == "clip" and bracket:
            bounds = yield from call(self.bracketed_list(2, 2, "after the bounds of `clip`"))
            make = partial(_prefix, kind, None, bounds)
        elif kind in ("mclip", "renorm"):
            if not bracket:
                message = f"expected `[` and a norm after `{kind}`"
                raise self.fault(message, f"write `{kind}[L2]`", label="expected `[`")
            inside = yield from call(self.enclosed(partial(self.norm_and_bound, kind), f"after the norm of `{kind}`"))
            make = _unreadable if inside is None else partial(_prefix, kind, *inside)
        elif kind == "sign" and [self.ahead(0), self.ahead(1), self.ahead(2)] == ["@", "[", "]"]:
            self.pos += 3
        operators.prefix(WORD_LEVEL, start, make)

    def norm_and_bound(self, kind: str) -> Task[tuple[Norm, tuple[SExp, ...]]]:
        """``L2`` or ``L2, b`` in the brackets of ``mclip`` and ``renorm``."""
        norm = self.norm(f"the norm of `{kind}`")
        if kind == "mclip" and self.accept(","):
            return norm, ((yield from call(self.sexp())),)
        return norm, ()

    def at_bare_binding(self) -> bool:
        """Whether ``x =`` stands here, with its ``let`` forgotten."""
        return self.is_word(self.pos) and self.kinds[self.pos + 1] == "=" and self.kinds[self.pos] != "let"

    def at_inner_definition(self) -> bool:
        """Whether ``def x =`` stands here, which can only be meant for a ``let``."""
        return starts_definition(self.tokens, self.pos) and not self.heads_line(self.pos)

    def column(self, what: str) -> Name:
        """``⧼age⧽``."""
        if self.kind() != "⧼":
            self.miss("⧼", f"after `{what}`")
            raise Fault
        self.nesting = 0
        return self.bracketed("⧼", partial(self.label, "the name of a column"), "the name of a column")

    def at_name_list(self) -> bool:
        """Whether ``<`` opens the list of private names, ``<xs, ys>``: no comparison ends in ``>``."""
        index = self.pos + 1
        while self.is_word(index) and self.kinds[index + 1] == ",":
            index += 2
        return self.kinds[index] == ">" or (self.is_word(index) and self.kinds[index + 1] == ">")

    # ------------------------------------------------------------------------------------------------- chains

    def chain(self, private: bool, first: Operand[SExp] | None) -> Task[SExp | PApp]:
        """An atom with its arguments and postfixes."""
        if first is None:
            start = self.start
            node = self.simple() or (yield from call(self.atom()))
        else:
            start, node = first.start, first.node
        while True:
            match self.kind():
                case "#":
                    node = yield from call(self.subscript(node, start))
                case "⧼":
                    name = self.column("an expression")
                    node = FieldOf(self.since(start), node, name)
                case ".":
                    node = self.field(node, start) if self.at_field() else self.stray_point(node)
                case "←":
                    advice = "bind in a privacy expression; in a comparison put a space: `x < -1`"
                    raise self.fault("`←` cannot stand in a sensitivity expression", advice, label="not here")
                case "@":
                    applied = yield from call(self.type_application(node, start, private))
                    if isinstance(applied, PApp):
                        return applied
                    node = applied
                case "bad":
                    # Whatever it stands for, what is around it is not applied to it.
                    self.pos += 1
                    node = _spoilt(self.since(start), node)
                case "[" if self.touches(self.pos):
                    node = self.bare_brackets(node, start)
                case _ if isinstance(node, LITERALS) and self.kinds[self.pos - 1] != ")":
                    return node
                case kind if self.starts_argument(kind):
                    argument = self.simple() or (yield from call(self.atom()))
                    node = App(self.since(start), node, argument)
                case kind if not self.newline_before(self.pos) and (kind == "sλ" or self.role(kind) == "prefix"):
                    argument = yield from call(self.bare_argument(kind))
                    node = App(self.since(start), node, argument)
                case _:
                    return node

    def starts_argument(self, kind: str) -> bool:
        """Whether an argument stands here."""
        if kind == "name":
            if self.kinds[self.pos + 1] in ("←", "="):
                return False
        elif self.role(kind) not in ("simple", "form", "name"):
            return False
        # Inside a definition and outside of brackets, what heads a line begins something new.
        return not (self.in_definition and not self.enclosures and self.heads_line(self.pos))

    def role(self, kind: str) -> str:
        """What the current token, of that kind, begins: ``simple``, ``form``, ``prefix``, ``name``, or nothing."""
        if kind in _SIMPLE_ATOMS:
            return "simple"
        if kind in BRACKETED and self.ahead(1) not in BRACKETED[kind]:
            return "name" if self.is_soft() else ""
        if kind in PREFIXES:
            return "prefix"
        if kind in FORMS:
            return "form"
        return "name" if self.is_soft() and kind not in _NEVER_NAMES and kind not in PRIVATE_FORMS else ""

    def begins_private(self, kind: str) -> bool:
        """Whether the current token, of that kind, begins a privacy expression of its own."""
        return kind in PRIVATE_FORMS and not (self.is_soft() and self.ahead(1) not in BRACKETED[kind])

    def bare_argument(self, kind: str) -> Task[SExp]:
        """An argument without the parentheses that it needs, as in ``f real x``: told of, and read."""
        self.complain(
            f"{self.found()} needs parentheses as an argument",
            "write `( … )` around the argument",
            label="not an argument by itself",
        )
        if kind == "sλ":
            return (yield from call(self.open_form(kind)))
        operators: Operators[SExp] = Operators(self.source)
        while self.role(self.kind()) == "prefix":
            yield from call(self.prefix(self.kind(), operators))
        start = self.start
        operand = yield from call(self.chain(False, None))
        assert not isinstance(operand, PApp)
        operators.operand(operand, start, self.end)
        return operators.finish().node

    def subscript(self, matrix: SExp, start: int) -> Task[SExp]:
        """``e#[i, j]``, ``e#[i]`` or ``e#[i, j ↦ e′]``."""
        self.pos += 1
        if self.kind() != "[":
            self.miss("[", "after `#`")
            raise Fault
        parts: list[SExp] | None = yield from call(self.enclosed(self.subscripts, "after the index"))
        match parts:
            case [row]:
                return Index(self.since(start), matrix, row, None)
            case [row, col]:
                return Index(self.since(start), matrix, row, col)
            case [row, col, value]:
                return Update(self.since(start), matrix, row, col, value)
            case _:
                return Hole(self.since(start))

    def subscripts(self) -> Task[list[SExp]]:
        parts = [(yield from call(self.sexp()))]
        if self.accept(","):
            parts.append((yield from call(self.sexp())))
            if self.accept("↦"):
                parts.append((yield from call(self.sexp())))
        return parts

    def bare_brackets(self, node: SExp, start: int) -> SExp:
        """``xs[0]``, where other languages pick a part: told of, and skipped."""
        self.complain(
            "brackets alone pick nothing",
            "write `xs#[i, j]` for a cell, `xs#[i]` for a row, `row.age` for a column",
            label="not an index",
        )
        self.leap(self.pos)
        return _spoilt(self.since(start), node)

    def at_field(self) -> bool:
        """Whether ``.age`` or ``.[age, income]`` stands here, with no space in it."""
        return (
            self.touches(self.pos)
            and self.touches(self.pos + 1)
            and (self.is_word(self.pos + 1) or self.kinds[self.pos + 1] == "[")
        )

    def field(self, record: SExp, start: int) -> SExp:
        self.pos += 1
        if self.kinds[self.pos] != "[":
            name = self.label("the name of a column")
            return FieldOf(self.since(start), record, name)
        self.nesting = 0
        column = partial(self.label, "the name of a column")
        names = self.bracketed("[", lambda: self.listed(column), "the names of columns")
        return Select(self.since(start), record, names)

    def stray_point(self, node: SExp) -> SExp:
        """Tell of a point that no field name follows; what was read before it, or the field that is meant."""
        start, point = self.tokens[self.pos - 1].start, self.pos
        if self.kinds[point - 1] in ("nat", "decimal"):
            message = (
                "a number has one point"
                if self.kinds[point - 1] == "decimal"
                else "a number needs a digit after its point"
            )
            self.complain(message, "write `1.0` for `1.`", label="expected a digit")
            self.pos += 2 if self.kinds[point + 1] in ("nat", "decimal") else 1
            return node
        self.complain("no space may stand around the point of a field", "write `row.age`", label="a space")
        self.pos += 1
        if self.is_word(self.pos):
            name = self.label("the name of a column")
            return FieldOf(self.since(start), node, name)
        return node

    def type_application(self, function: SExp, start: int, private: bool) -> Task[SExp | PApp]:
        """``f@[ηs]``, or ``f@[ηs . es]`` where a privacy expression may stand."""
        self.pos += 1
        if self.kind() != "[":
            self.miss("[", "after `@`")
            raise Fault
        inside = yield from call(self.enclosed(self.type_arguments, "after the arguments of `@`"))
        if inside is None:
            return Hole(self.since(start))
        kinds, args = inside
        if args is None:
            return TypeApp(self.since(start), function, kinds)
        result = PApp(self.since(start), function, kinds, args)
        if private:
            return result
        self.misplaced(result.span)
        return Hole(result.span)

    def type_arguments(self) -> Task[tuple[tuple[RExp | Type, ...], tuple[SExp, ...] | None]]:
        kinds: tuple[RExp | Type, ...] = ()
        if self.type_kind() not in ("]", "."):
            kinds = self.listed(self.rexp_or_type)
        if not self.accept("."):
            return kinds, None
        if self.kind() == "]":
            return kinds, ()
        args = yield from call(self.sexps())
        return kinds, args

    def sexps(self) -> Task[tuple[SExp, ...]]:
        """One or more, with commas between."""
        items = [(yield from call(self.sexp()))]
        while self.accept(","):
            items.append((yield from call(self.sexp())))
        return tuple(items)

    def bracketed_list(self, least: int, most: int, place: str) -> Task[tuple[SExp, ...]]:
        """``[e, e]`` with so many expressions; holes where it could not be read."""
        if self.kind() != "[":
            self.miss("[", place.replace("after", "before", 1))
            raise Fault
        at, before = self.here(), self.pos
        items = yield from call(self.enclosed(self.sexps, place))
        if items is None:
            return tuple(Hole(at) for _ in range(least))
        if not least <= len(items) <= most:
            wanted = str(least) if least == most else f"{least} or {most}"
            self.complain(
                f"expected {wanted} expressions in the brackets, found {len(items)}",
                "add or remove some",
                code="D0014",
                span=Span(self.source, self.tokens[before].start, self.end),
            )
            return tuple(Hole(at) for _ in range(least))
        return items

    # ------------------------------------------------------------------------------------------------- atoms

    def simple(self) -> SExp | None:
        """A name or a literal, with the fields that follow it; None where something else stands."""
        token = self.tokens[self.pos]
        span = Span(self.source, token.start, token.end)
        node: SExp
        match self.kind():
            case "name":
                node = Var(span, token.text)
            case "nat":
                node = NatLit(span, int(token.text))
            case "decimal":
                node = RealLit(span, number_of(token))
            case "string":
                node = StrLit(span, token.text)
            case "true" | "false" as kind:
                node = BoolLit(span, kind == "true")
            case "bad":
                node = Hole(span)
            case _:
                return None
        self.pos += 1
        while self.kinds[self.pos] == "." and self.at_field():
            node = self.field(node, token.start)
        return node

    def atom(self) -> Task[SExp]:
        """An atom that is no name and no literal; a hole where an expression is missing."""
        kind, start = self.kind(), self.start
        if kind == "-" and self.kinds[self.pos + 1] in ("nat", "decimal") and self.touches(self.pos + 1):
            return self.negative(start)
        role = self.role(kind)
        if role == "form":
            node: SExp = yield from call(self.form(kind))
            while self.kinds[self.pos] == "." and self.at_field():
                node = self.field(node, start)
            return node
        if role == "name":
            self.pos += 1
            return Var(self.since(start), self.tokens[self.pos - 1].text)
        return (yield from call(self.missing(kind)))

    def negative(self, start: int) -> SExp:
        """``-3``, ``-0.5``."""
        self.pos += 1
        token = self.next()
        if token.kind == "nat":
            return NatLit(self.since(start), -int(token.text))
        return RealLit(self.since(start), -number_of(token))

    def missing(self, kind: str) -> Task[SExp]:
        """What can be said and done where an expression should stand and none does."""
        at = self.here()
        if self.quiet == self.pos - 1 and self.kinds[self.pos - 1] in INFIX_LEVELS:
            # An operator that lacks both its operands is one mistake.
            self.quiet = self.pos
        if self.begins_private(kind):
            node = yield from call(self.pexp())
            self.misplaced(node.span)
            return Hole(node.span)
        text = self.tokens[self.pos].text
        if kind == "-":
            self.complain("there is no unary minus", "write `0.0 - x`, or a number such as `-1.0`", label="unary minus")
            self.pos += 1
            self.quiet = self.pos
            return self.simple() or (yield from call(self.atom()))
        if kind == ".":
            self.complain("a number needs a digit before its point", "write `0.5` for `.5`", label="expected a number")
        elif kind in ("⊔", "⊓", "∧", "∨", "∈") and text.isalpha():
            self.complain(
                f"`{text}` stands between its two arguments",
                f"write `a {text} b`",
                label="expected an expression before this",
            )
        elif text in RESERVED and kind not in ("in", "then", "else", "on"):
            self.complain(
                f"expected an expression, found the reserved word `{text}`",
                "write an expression; a reserved word cannot be a name",
                label="expected an expression",
            )
        else:
            before = self.tokens[self.pos - 1] if self.pos else None
            place = f" after `{before.text}`" if before and before.kind in INFIX_LEVELS else ""
            self.complain(
                f"expected an expression{place}, found {self.found()}",
                "write an expression here",
                label="expected an expression",
            )
            if kind in ("end", *CLOSERS, "in", ";", ",", "then", "else") or kind in INFIX_LEVELS:
                return Hole(at)
            if starts_definition(self.tokens, self.pos):
                return Hole(at)
        raise Fault

    # ------------------------------------------------------------------------------------------------- errors

    def misplaced(self, span: Span) -> None:
        """Tell of a privacy expression where a sensitivity expression must stand."""
        self.complain(
            "a privacy expression cannot stand here",
            "release it first: `x ← …; …`, and use `x`",
            code="D0011",
            span=span,
            label="a privacy expression",
            notes=("only the body of `pλ` and the bodies of loops and mechanisms over one release something",),
        )


def _spoilt(span: Span, node: SExp) -> SExp:
    """An expression followed by what could not be read: nothing is said of the whole, and the part is judged."""
    return Prim(span, "≡", (node, Hole(span)))


def _unreadable(span: Span, arg: SExp) -> SExp:
    return Hole(span)


def _prefix(name: str, norm: Norm | None, bounds: tuple[SExp, ...], span: Span, arg: SExp) -> SExp:
    return Prim(span, name, (arg,), norm, bounds)


def _infix(name: str, span: Span, left: SExp, right: SExp) -> SExp:
    return Prim(span, name, (left, right))


def _inject(side: str, other: Type | None, span: Span, arg: SExp) -> SExp:
    return Inject(span, side, other, arg)


def _add_column(column: Name, span: Span, arg: SExp) -> SExp:
    return FrameOp(span, "addColDF", column, (arg,))
