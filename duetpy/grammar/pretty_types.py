"""Types and type-level reals as text: the inverse of the parser."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from duetpy.grammar import ast
from duetpy.grammar.labels import label_text
from duetpy.grammar.layout import Mark, Piece, Text
from duetpy.grammar.levels import REXP_LEVELS, TYPE_LEVELS
from duetpy.grammar.lexer import MAX_EXPONENT
from duetpy.grammar.spelling import TWINS
from duetpy.grammar.words import Scope
from duetpy.grammar.written import Written

PLAIN_EXPONENTS = range(-4, 16)
"""A number whose first digit stands for another power of ten is written with an exponent."""

ROOT_LEVEL = 7
PREFIX_LEVEL = 6
ATOM_LEVEL = 8
"""What a sign after a type applies to: anything that binds less tightly is put in parentheses."""


class TypePrinter:
    """Makes pieces of text, in the order in which they stand there: what a name is printed as depends on those bound before.

    Parameters
    ----------
    ascii
        Whether to write the ASCII twin of each sign. A twin that the program has bound as a name is not used where it is
        bound, since it would be read as that name.
    written
        How the tree was written, where that is known.
    """

    def __init__(self, ascii: bool, written: Written | None = None) -> None:
        self.ascii = ascii
        self.written = written or Written()
        self.terms = Scope()
        self.types = Scope()

    # ------------------------------------------------------------------------------------------------- pieces

    def sign(self, kind: str) -> str:
        """A sign or word of expressions."""
        twin = TWINS.get(kind) if self.ascii else None
        return kind if twin is None or twin in self.terms.bound else twin

    def type_sign(self, kind: str) -> str:
        """A sign or word of types."""
        twin = TWINS.get(kind) if self.ascii else None
        return kind if twin is None or twin in self.types.bound else twin

    def commas(self, texts: Sequence[Text], space: Piece = " ") -> Text:
        return [[",", space, text] if index else text for index, text in enumerate(texts)]

    def parenthesized(self, needed: bool, inner: Text) -> Text:
        if not needed:
            return inner
        return [Mark.GROUP, "(", Mark.IN, Mark.CUT, inner, Mark.OUT, Mark.CUT, ")", Mark.END]

    # ------------------------------------------------------------------------------------------------- reals

    def rexp(self, node: ast.RExp, level: int = 0) -> Text:
        """A type-level real in a place where operators of `level` and tighter may stand bare."""
        if self.written.is_grouped(node):
            return self.parenthesized(True, self.bare_rexp(node, 0))
        return self.bare_rexp(node, level)

    def bare_rexp(self, node: ast.RExp, level: int) -> Text:
        match node:
            case ast.RVar(name=name):
                return name
            case ast.RNum(value=value, is_real=is_real):
                text = self.written.literal(node) or number_text(value, is_real)
                return f"({text})" if "/" in text and level > REXP_LEVELS["/"] else text
            case ast.RInf():
                return self.type_sign("∞")
            case ast.RBin(op=op, left=left, right=right):
                own = REXP_LEVELS[op]
                close = op in "⋅/"
                space = "" if close and not (self.ascii and op == "⋅") else " "
                operator = f"{space}{self.type_sign(op)}{space}"
                inner = [self.rexp(left, own), operator, self.rexp(right, own + 1)]
                return self.parenthesized(own < level, inner)
            case ast.RFun(op=op, arg=arg) if op in ("√", "㏒"):
                sign = self.type_sign(op)
                gap = " " if sign.isalpha() and sign.isascii() else ""
                inner = [sign + gap, self.rexp(arg, ROOT_LEVEL)]
                return self.parenthesized(level > ROOT_LEVEL, inner)
            case ast.RFun(op=op, arg=arg):
                return [f"{op}(", self.rexp(arg), ")"]
            case _:
                assert_never(node)

    def signed(self, negative: bool, value: ast.RExp) -> Text:
        """A static value with its sign, which takes in a product."""
        return ["-", self.rexp(value, REXP_LEVELS["⋅"])] if negative else self.rexp(value)

    # ------------------------------------------------------------------------------------------------- types

    def type(self, node: ast.Type, level: int = 0) -> Text:
        """A type in a place where operators of `level` and tighter may stand bare: 0 functions, 3 sums …"""
        if self.written.is_grouped(node):
            return self.parenthesized(True, self.bare_type(node, 0))
        return self.bare_type(node, level)

    def bare_type(self, node: ast.Type, level: int) -> Text:
        sign = self.type_sign
        match node:
            case ast.TBase(name=name):
                return sign(name)
            case ast.TVar(name=name):
                return name
            case ast.TStaticNat(value=value):
                return [sign("ℕ"), "[", self.rexp(value), "]"]
            case ast.TStaticReal(value=value, signed=signed, negative=negative):
                word = sign("ℝ" if signed else "ℝ⁺")
                return [word, "[", self.signed(negative, value), "]"]
            case ast.TIdx(size=size):
                return [sign("𝕀"), "[", self.rexp(size), "]"]
            case ast.TDisc() if self.is_short(node):
                return sign("𝔻")
            case ast.TDisc(inner=inner):
                # `𝐝 τ?` would be `(𝐝 τ)?`, and `𝐝 τ in […]` be `(𝐝 τ) in […]`.
                is_bare = isinstance(inner, ast.TMissing | ast.TWithin) and not self.written.is_grouped(inner)
                inside = self.parenthesized(is_bare, self.type(inner, PREFIX_LEVEL))
                return self.parenthesized(level > PREFIX_LEVEL, [sign("𝐝") + " ", inside])
            case ast.TMissing(inner=inner):
                return self.missing(inner, level)
            case ast.TWithin(inner=inner, low=low, high=high):
                return self.within(inner, low, high, level)
            case ast.TBag(element=element):
                return self.prefixed("bag ", element, level)
            case ast.TSet(element=element):
                return [sign("℘"), "(", self.type(element), ")"]
            case ast.TMatrix():
                return self.matrix(node)
            case ast.TRecord(fields=fields):
                return self.fields("record", fields)
            case ast.TFrame(fields=fields):
                return self.fields(sign("𝔻𝔽"), fields)
            case ast.TPersons(identifier=identifier, files=files, roster=roster):
                return [
                    "persons[",
                    self.field(identifier),
                    " | " if roster is None else f" in {roster.name} | ",
                    self.commas([self.field(file) for file in files]),
                    "]",
                ]
            case ast.TBinary(op=op, left=left, right=right):
                own = TYPE_LEVELS[op]
                both = [self.type(left, own), f" {sign(op)} ", self.type(right, own + 1)]
                return self.parenthesized(own < level, both)
            case ast.TBox():
                return self.parenthesized(level > 3, self.box(node))
            case ast.TFun():
                return self.parenthesized(level > 0, self.function(node))
            case ast.TPFun():
                return self.parenthesized(level > 0, self.private_function(node))
            case _:
                assert_never(node)

    def missing(self, inner: ast.Type, level: int) -> Text:
        """``τ?``, which takes in a 𝐝 before it."""
        return self.followed(inner, "?", level)

    def within(self, inner: ast.Type, low: ast.End, high: ast.End, level: int) -> Text:
        """``τ in [a, b]``, which does so too."""
        ends = self.commas([self.end(low), self.end(high)])
        return self.followed(inner, [" in [", ends, "]"], level)

    def end(self, node: ast.End) -> Text:
        return self.signed(node.negative, node.size)

    def followed(self, inner: ast.Type, sign: Text, level: int) -> Text:
        """A type and the sign that follows it."""
        is_prefixed = self.takes_in_prefix(inner)
        text = [self.type(inner, PREFIX_LEVEL if is_prefixed else ATOM_LEVEL), sign]
        return self.parenthesized(is_prefixed and level > PREFIX_LEVEL, text)

    def takes_in_prefix(self, inner: ast.Type) -> bool:
        """Whether a type begins with a 𝐝 that would take in the sign after the type."""
        while isinstance(inner, ast.TMissing | ast.TWithin) and not self.written.is_grouped(inner):
            inner = inner.inner
        return isinstance(inner, ast.TDisc) and not self.is_short(inner) and not self.written.is_grouped(inner)

    def is_short(self, node: ast.TDisc) -> bool:
        """Whether ``𝔻`` is written for ``𝐝 ℝ``."""
        return isinstance(node.inner, ast.TBase) and node.inner.name == "ℝ" and not self.written.is_spelled_out(node)

    def prefixed(self, word: str, inner: ast.Type, level: int) -> Text:
        return self.parenthesized(level > PREFIX_LEVEL, [word, self.type(inner, PREFIX_LEVEL)])

    def fields(self, word: str, fields: tuple[ast.FieldType, ...]) -> Text:
        return [word, "[", self.commas([self.field(field) for field in fields]), "]"]

    def field(self, field: ast.FieldType) -> Text:
        return [f"{label_text(field.name)} : ", self.type(field.type), _default(field.default)]

    def box(self, node: ast.TBox) -> Text:
        entries = [[f"{entry.name}@", self.rexp(entry.factor)] for entry in node.entries]
        return ["box[", self.commas(entries), "] ", self.type(node.inner, 4)]

    def kinds(self, kinds: tuple[ast.KindBinding, ...]) -> str:
        """``m : ℕ, n : ℕ .``; the names are bound from here on."""
        shown = ", ".join(f"{binding.name} : {self.type_sign(binding.kind.value)}" for binding in kinds)
        for binding in kinds:
            self.types.bind(binding.name)
        return f"{shown} ." if shown else "."

    def function(self, node: ast.TFun) -> Text:
        mark = len(self.types.trail)
        binder = [self.type_sign("∀"), f" {self.kinds(node.kinds)} "] if node.kinds else ""
        domain = self.type(node.domain, 3)
        arrow: Text = [f" {self.type_sign('⊸')}[", self.rexp(node.sensitivity), "] "]
        if self.written.is_bare(node.sensitivity):
            arrow = f" {self.type_sign('⊸')} "
        text = [binder, domain, arrow, self.type(node.codomain)]
        self.types.restore(mark)
        return text

    def private_function(self, node: ast.TPFun) -> Text:
        mark = len(self.types.trail)
        binder: Text = ""
        if self.written.has_quantifier(node):
            binder = [self.type_sign("∀"), f" {self.kinds(node.kinds)} "]
        params = self.commas([self.private_param(param) for param in node.params])
        text = [binder, params, f" {self.type_sign('⊸⋆')} ", self.type(node.codomain)]
        self.types.restore(mark)
        return text

    def private_param(self, node: ast.PrivateParam) -> Text:
        return [self.type(node.type, 3), "@", self.cost(node.cost)]

    def cost(self, node: ast.CostExp) -> Text:
        if len(node.parts) == 1:
            return self.rexp(node.parts[0])
        parts = [self.rexp(part) for part in node.parts]
        return [self.type_sign("⟨"), self.commas(parts), self.type_sign("⟩")]

    # ------------------------------------------------------------------------------------------------- matrices

    def norm(self, norm: ast.Norm) -> str:
        return self.type_sign(norm.value)

    def matrix(self, node: ast.TMatrix) -> Text:
        rows = self.type_sign("★") if node.rows is None else self.rexp(node.rows)
        head = f"{self.type_sign('𝕄')} [{self.norm(node.norm)}, "
        return [head, self.clip(node.clip), " | ", rows, ", ", self.schema(node.schema), "]"]

    def clip(self, node: ast.ClipBound) -> Text:
        if node.norm is None:
            return "U"
        if node.bound is None:
            return self.norm(node.norm)
        return [self.norm(node.norm), self.type_sign("≤"), self.rexp(node.bound)]

    def schema(self, node: ast.Schema, level: int = 0) -> Text:
        """A schema in a place where ``⧺`` may stand bare if `level` is 0."""
        if self.written.is_grouped(node):
            return self.parenthesized(True, self.bare_schema(node, 0))
        return self.bare_schema(node, level)

    def bare_schema(self, node: ast.Schema, level: int) -> Text:
        columns: list[Text] = []
        first = node
        while isinstance(node, ast.SCons) and (node is first or not self.written.is_grouped(node)):
            named = "" if node.name is None else f"{label_text(node.name)} : "
            default = _default(node.default)
            columns.append([named, self.type(node.element, 3), default, f" {self.type_sign('∷')} "])
            node, level = node.rest, 1
        return [columns, self.last_columns(node, level, is_first=node is first)]

    def last_columns(self, node: ast.Schema, level: int, is_first: bool) -> Text:
        if not is_first and self.written.is_grouped(node):
            return self.schema(node)
        match node:
            case ast.SCons():
                return self.schema(node)
            case ast.SEmpty():
                return "[]"
            case ast.SVar(name=name, is_discrete=is_discrete):
                return f"{self.type_sign('𝐝')} {name}" if is_discrete else name
            case ast.SUniform(count=count, element=element, default=default):
                times = " * " if self.type_sign("⋅") == "*" else "⋅"
                return [self.rexp(count, REXP_LEVELS["⋅"]), times, self.type(element, PREFIX_LEVEL), _default(default)]
            case ast.SAppend(left=left, right=right):
                inner = [self.schema(left), f" {self.type_sign('⧺')} ", self.schema(right, 1)]
                return self.parenthesized(level > 0, inner)
            case _:
                assert_never(node)


def _default(default: ast.Default | None) -> str:
    """`` else 40``."""
    match default:
        case None:
            return ""
        case ast.Default(value=bool() as truth):
            return f" else {str(truth).lower()}"
        case ast.Default(value=value):
            sign = "-" if value < 0 else ""
            return f" else {sign}{number_text(abs(Fraction(value)), isinstance(value, Fraction))}"


def number_text(value: Fraction, is_real: bool) -> str:
    """A non-negative number as the lexer reads it back; a quotient where no decimal number is equal to it."""
    scale, rest = 0, value.denominator
    for factor in (2, 5):
        count = 0
        while rest % factor == 0:
            rest //= factor
            count += 1
        scale = max(scale, count)
    if rest != 1 or (scale and not is_real):
        point = ".0" if is_real else ""
        return f"{value.numerator}{point}/{value.denominator}{point}"
    if not is_real:
        return str(value.numerator)
    digits = str(value.numerator * 10**scale // value.denominator)
    exponent = len(digits) - 1 - scale
    if value and exponent not in PLAIN_EXPONENTS:
        return _scientific(digits.rstrip("0"), exponent)
    padded = digits.rjust(scale + 1, "0")
    return f"{padded[: len(padded) - scale]}.{padded[len(padded) - scale :] or '0'}"


def _scientific(digits: str, exponent: int) -> str:
    """``d.ddde±x``, with the point moved where the exponent alone would be too large to be read."""
    if exponent > MAX_EXPONENT:
        shift = exponent - MAX_EXPONENT
        digits = digits.ljust(shift + 1, "0")
        whole, fraction, exponent = digits[: shift + 1], digits[shift + 1 :], MAX_EXPONENT
    elif exponent < -MAX_EXPONENT:
        whole, fraction, exponent = "0", "0" * (-MAX_EXPONENT - exponent - 1) + digits, -MAX_EXPONENT
    else:
        whole, fraction = digits[0], digits[1:]
    return f"{whole}.{fraction}e{exponent}" if fraction else f"{whole}e{exponent}"
