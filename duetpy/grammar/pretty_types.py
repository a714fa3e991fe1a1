"""Types and type-level reals as text: the inverse of `parser_types` and `parser_rexps`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from duetpy.grammar.ast import (
    ClipBound,
    CostExp,
    FieldType,
    KindBinding,
    Norm,
    PrivateParam,
    RBin,
    RExp,
    RFun,
    RInf,
    RNum,
    RVar,
    SAppend,
    Schema,
    SCons,
    SEmpty,
    SUniform,
    SVar,
    TBag,
    TBase,
    TBinary,
    TBox,
    TDisc,
    TFrame,
    TFun,
    TIdx,
    TMatrix,
    TPFun,
    TRecord,
    TSet,
    TStaticNat,
    TStaticReal,
    TVar,
    Type,
)
from duetpy.grammar.cursor import Scope
from duetpy.grammar.layout import Mark, Piece
from duetpy.grammar.lexer import MAX_EXPONENT
from duetpy.grammar.parser_rexps import REXP_LEVELS
from duetpy.grammar.parser_types import TYPE_LEVELS
from duetpy.grammar.spelling import TWINS
from duetpy.trampoline import Task, call

PLAIN_EXPONENTS = range(-4, 16)
"""A number whose first digit stands for another power of ten is written with an exponent."""

ROOT_LEVEL = 7
PREFIX_LEVEL = 6
ATOM_LEVEL = 9

Parts = Sequence[Piece | Task[None]]


class TypePrinter:
    """Collects pieces of text.

    Parameters
    ----------
    ascii
        Whether to write the ASCII twin of each sign. A twin that the program has bound as a name is not used where it is
        bound, since it would be read as that name.
    """

    def __init__(self, ascii: bool) -> None:
        self.ascii = ascii
        self.out: list[Piece] = []
        self.terms = Scope()
        self.types = Scope()

    # ------------------------------------------------------------------------------------------------- pieces

    def emit(self, *parts: Piece) -> None:
        self.out.extend(parts)

    def sign(self, kind: str) -> str:
        """A sign or word of expressions."""
        twin = TWINS.get(kind) if self.ascii else None
        return kind if twin is None or twin in self.terms.bound else twin

    def type_sign(self, kind: str) -> str:
        """A sign or word of types."""
        twin = TWINS.get(kind) if self.ascii else None
        return kind if twin is None or twin in self.types.bound else twin

    def sequence(self, *parts: Piece | Task[None]) -> Task[None]:
        for part in parts:
            if isinstance(part, (str, Mark)):
                self.out.append(part)
            else:
                yield from call(part)

    def commas(self, tasks: Sequence[Task[None]], space: Piece = " ") -> Task[None]:
        for index, task in enumerate(tasks):
            if index:
                self.emit(",", space)
            yield from call(task)

    def parenthesized(self, needed: bool, inner: Task[None]) -> Task[None]:
        if not needed:
            return inner
        return self.sequence(Mark.GROUP, "(", Mark.IN, Mark.CUT, inner, Mark.OUT, Mark.CUT, ")", Mark.END)

    # ------------------------------------------------------------------------------------------------- reals

    def rexp(self, node: RExp, level: int = 0) -> Task[None]:
        """A type-level real in a place where operators of `level` and tighter may stand bare."""
        yield from ()
        match node:
            case RVar(name=name):
                self.emit(name)
            case RNum(value=value, is_real=is_real):
                text = number_text(value, is_real)
                self.emit(f"({text})" if "/" in text and level > REXP_LEVELS["/"] else text)
            case RInf():
                self.emit(self.type_sign("∞"))
            case RBin(op=op, left=left, right=right):
                own = REXP_LEVELS[op]
                close = op in "⋅/"
                space = "" if close and not (self.ascii and op == "⋅") else " "
                operator = f"{space}{self.type_sign(op)}{space}"
                inner = self.sequence(self.rexp(left, own), operator, self.rexp(right, own + 1))
                yield from call(self.parenthesized(own < level, inner))
            case RFun(op=op, arg=arg) if op in ("√", "㏒"):
                sign = self.type_sign(op)
                gap = " " if sign.isalpha() and sign.isascii() else ""
                inner = self.sequence(sign + gap, self.rexp(arg, ROOT_LEVEL))
                yield from call(self.parenthesized(level > ROOT_LEVEL, inner))
            case RFun(op=op, arg=arg):
                yield from call(self.sequence(f"{op}(", self.rexp(arg), ")"))
            case _:
                assert_never(node)

    def signed(self, negative: bool, value: RExp) -> Task[None]:
        """A static value with its sign, which takes in a product."""
        return self.sequence("-", self.rexp(value, REXP_LEVELS["⋅"])) if negative else self.rexp(value)

    # ------------------------------------------------------------------------------------------------- types

    def type(self, node: Type, level: int = 0) -> Task[None]:
        """A type in a place where operators of `level` and tighter may stand bare: 0 functions, 3 sums …"""
        yield from ()
        sign = self.type_sign
        match node:
            case TBase(name=name):
                self.emit(sign(name))
            case TVar(name=name):
                self.emit(name)
            case TStaticNat(value=value):
                yield from call(self.sequence(sign("ℕ"), "[", self.rexp(value), "]"))
            case TStaticReal(value=value, signed=signed, negative=negative):
                word = sign("ℝ" if signed else "ℝ⁺")
                yield from call(self.sequence(word, "[", self.signed(negative, value), "]"))
            case TIdx(size=size):
                yield from call(self.sequence(sign("𝕀"), "[", self.rexp(size), "]"))
            case TDisc(inner=TBase(name="ℝ")):
                self.emit(sign("𝔻"))
            case TDisc(inner=inner):
                yield from call(self.prefixed(sign("𝐝") + " ", inner, level))
            case TBag(element=element):
                yield from call(self.prefixed("bag ", element, level))
            case TSet(element=element):
                yield from call(self.sequence(sign("℘"), "(", self.type(element), ")"))
            case TMatrix():
                yield from call(self.matrix(node))
            case TRecord(fields=fields):
                yield from call(self.fields("record", fields))
            case TFrame(fields=fields):
                yield from call(self.fields(sign("𝔻𝔽"), fields))
            case TBinary(op=op, left=left, right=right):
                own = TYPE_LEVELS[op]
                both = self.sequence(self.type(left, own), f" {sign(op)} ", self.type(right, own + 1))
                yield from call(self.parenthesized(own < level, both))
            case TBox():
                yield from call(self.parenthesized(level > 3, self.box(node)))
            case TFun():
                yield from call(self.parenthesized(level > 0, self.function(node)))
            case TPFun():
                yield from call(self.parenthesized(level > 0, self.private_function(node)))
            case _:
                assert_never(node)

    def prefixed(self, word: str, inner: Type, level: int) -> Task[None]:
        return self.parenthesized(level > PREFIX_LEVEL, self.sequence(word, self.type(inner, PREFIX_LEVEL)))

    def fields(self, word: str, fields: tuple[FieldType, ...]) -> Task[None]:
        tasks = [self.sequence(f"{field.name} : ", self.type(field.type)) for field in fields]
        return self.sequence(word, "[", self.commas(tasks), "]")

    def box(self, node: TBox) -> Task[None]:
        entries = [self.sequence(f"{entry.name}@", self.rexp(entry.factor)) for entry in node.entries]
        return self.sequence("box[", self.commas(entries), "] ", self.type(node.inner, 4))

    def kinds(self, kinds: tuple[KindBinding, ...]) -> str:
        """``m : ℕ, n : ℕ .``; the names are bound from here on."""
        shown = ", ".join(f"{binding.name} : {self.type_sign(binding.kind.value)}" for binding in kinds)
        for binding in kinds:
            self.types.bind(binding.name)
        return f"{shown} ." if shown else "."

    def function(self, node: TFun) -> Task[None]:
        mark = len(self.types.trail)
        if node.kinds:
            self.emit(self.type_sign("∀"), f" {self.kinds(node.kinds)} ")
        yield from call(self.type(node.domain, 3))
        self.emit(f" {self.type_sign('⊸')}[")
        yield from call(self.rexp(node.sensitivity))
        self.emit("] ")
        yield from call(self.type(node.codomain))
        self.types.restore(mark)

    def private_function(self, node: TPFun) -> Task[None]:
        mark = len(self.types.trail)
        self.emit(self.type_sign("∀"), f" {self.kinds(node.kinds)} ")
        yield from call(self.commas([self.private_param(param) for param in node.params]))
        self.emit(f" {self.type_sign('⊸⋆')} ")
        yield from call(self.type(node.codomain))
        self.types.restore(mark)

    def private_param(self, node: PrivateParam) -> Task[None]:
        return self.sequence(self.type(node.type, 3), "@", self.cost(node.cost))

    def cost(self, node: CostExp) -> Task[None]:
        if len(node.parts) == 1:
            return self.rexp(node.parts[0])
        parts = [self.rexp(part) for part in node.parts]
        return self.sequence(self.type_sign("⟨"), self.commas(parts), self.type_sign("⟩"))

    # ------------------------------------------------------------------------------------------------- matrices

    def norm(self, norm: Norm) -> str:
        return self.type_sign(norm.value)

    def matrix(self, node: TMatrix) -> Task[None]:
        rows = self.type_sign("★") if node.rows is None else self.rexp(node.rows)
        head = f"{self.type_sign('𝕄')} [{self.norm(node.norm)}, "
        return self.sequence(head, self.clip(node.clip), " | ", rows, ", ", self.schema(node.schema), "]")

    def clip(self, node: ClipBound) -> Task[None]:
        if node.norm is None:
            return self.sequence("U")
        if node.bound is None:
            return self.sequence(self.norm(node.norm))
        return self.sequence(self.norm(node.norm), self.type_sign("≤"), self.rexp(node.bound))

    def schema(self, node: Schema, level: int = 0) -> Task[None]:
        """A schema in a place where ``⧺`` may stand bare if `level` is 0."""
        yield from ()
        while isinstance(node, SCons):
            if node.name is not None:
                self.emit(f"{node.name} : ")
            yield from call(self.type(node.element, 3))
            self.emit(f" {self.type_sign('∷')} ")
            node, level = node.rest, 1
        match node:
            case SEmpty():
                self.emit("[]")
            case SVar(name=name):
                self.emit(name)
            case SUniform(count=count, element=element):
                yield from call(self.rexp(count, REXP_LEVELS["⋅"]))
                self.emit(" * " if self.type_sign("⋅") == "*" else "⋅")
                yield from call(self.type(element, PREFIX_LEVEL))
            case SAppend(left=left, right=right):
                inner = self.sequence(self.schema(left), f" {self.type_sign('⧺')} ", self.schema(right, 1))
                yield from call(self.parenthesized(level > 0, inner))
            case _:
                assert_never(node)


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
