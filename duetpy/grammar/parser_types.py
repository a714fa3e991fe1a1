"""Types and schemas.

As in `parser_rexps`, no tree made here is too high to recurse over: brackets, arrows and column types all count.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from duetpy.grammar.ast import (
    BoxEntry,
    ClipBound,
    CostExp,
    FieldType,
    Norm,
    PrivateParam,
    RExp,
    RInf,
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
from duetpy.grammar.cursor import Fault
from duetpy.grammar.operators import Operators
from duetpy.grammar.parser_rexps import REXP_LEVELS, RExpParser
from duetpy.grammar.spelling import OPENERS
from duetpy.source import Span

MAX_COLUMNS = 150
"""A schema may list so many columns one by one (``n⋅τ`` has any number of them)."""

TYPE_LEVELS = {"+": 3, "×": 4, "&": 4}
NORMS = {"L1": Norm.L1, "L2": Norm.L2, "L∞": Norm.LINF}

_REXP_TOKENS = frozenset(REXP_LEVELS) | {"√", "㏒", "∞", "name", "nat", "decimal", "exp"}
_TYPE_WORDS = frozenset({"ℕ", "ℝ", "ℝ⁺", "𝔹", "𝕊", "𝔻", "𝕀", "𝕄", "𝔻𝔽", "record", "℘", "bag", "𝐝", "box", "∀"})

T = TypeVar("T")


class TypeParser(RExpParser):
    """Reads types by precedence, recursing only into what stands in brackets."""

    opaque = False
    """Whether the type of foreign code is being read, where a bare ``⊸`` claims nothing and so means ``⊸[∞]``."""

    # ------------------------------------------------------------------------------------------------- types

    def type(self) -> Type:
        """A type, not too high."""
        return self.measured(self.any_type)

    def rexp_or_type(self) -> RExp | Type:
        """An argument of ``f@[…]``; a name alone is read as a type-level real, whatever its kind."""
        return self.type() if self.type_ahead() else self.rexp()

    def any_type(self, domain: bool = False) -> Type:
        """A type; in a `domain`, an arrow without ∀ belongs to the function type further out."""
        start = self.start
        if self.type_kind() == "∀":
            return self.deeper(lambda: self.quantified(start, domain))
        left = self.operator_type()
        if domain:
            return left
        if self.type_kind() == "@":
            params = (self.private_param(start, left),)
            self.arrow("⊸⋆", "after the cost of a private argument")
            codomain = self.deeper(self.any_type)
            return TPFun(self.since(start), (), params, codomain)
        if self.arrow_ahead() == "⊸":
            sensitivity = self.arrow("⊸", "")
            codomain = self.deeper(self.any_type)
            return TFun(self.since(start), (), left, sensitivity, codomain)
        return left

    def quantified(self, start: int, domain: bool) -> Type:
        """``∀ κs . τ ⊸[s] τ`` or ``∀ κs . τ@p, τ@p ⊸⋆ τ``."""
        self.pos += 1
        mark = len(self.types.trail)
        kinds = self.kinds_of("`∀`")
        first_start = self.start
        first = self.any_type(domain=True)
        if self.type_kind() != "@":
            if self.arrow_ahead() != "⊸":
                raise self.fault(
                    f"expected `⊸[…]` or `@` after the argument type of `∀`, found {self.found()}",
                    "a function type is written `∀ κs . τ ⊸[s] τ` or `∀ κs . τ@ε ⊸⋆ τ`",
                    label="expected `⊸` (or `-o`)",
                )
            sensitivity = self.arrow("⊸", "")
            codomain = self.deeper(lambda: self.any_type(domain))
            self.types.restore(mark)
            return TFun(self.since(start), kinds, first, sensitivity, codomain)
        params = [self.private_param(first_start, first)]
        while self.accept_type(","):
            param_start = self.start
            params.append(self.private_param(param_start, self.any_type(domain=True)))
        self.arrow("⊸⋆", "after the private arguments")
        codomain = self.deeper(lambda: self.any_type(domain))
        self.types.restore(mark)
        return TPFun(self.since(start), kinds, tuple(params), codomain)

    def private_param(self, start: int, type_: Type) -> PrivateParam:
        """``@p`` after the type of a private argument."""
        self.expect_type("@", "after the type of a private argument")
        cost = self.cost()
        return PrivateParam(self.since(start), type_, cost)

    def cost(self) -> CostExp:
        """``ε`` or ``⟨ε, δ⟩``."""
        start = self.start
        if self.type_kind() != "⟨":
            part = self.any_rexp()
            return CostExp(self.since(start), (part,))
        parts = self.bracketed("⟨", lambda: self.listed(self.any_rexp), "the parts of the cost")
        return CostExp(self.since(start), parts)

    def listed(self, read: Callable[[], T]) -> tuple[T, ...]:
        """One or more, with commas between."""
        items = [read()]
        while self.accept_type(","):
            items.append(read())
        return tuple(items)

    def arrow_ahead(self) -> str:
        """``⊸``, ``⊸⋆`` or nothing; ``-o`` and ``-o*`` are several tokens, for ``-`` and ``o`` have other uses too."""
        kind = self.type_kind()
        if kind == "-" and self.tokens[self.pos + 1].text == "o" and self.touches(self.pos + 1):
            star = self.pos + 2
            return "⊸⋆" if self.tokens[star].text == "*" and self.touches(star) else "⊸"
        return kind if kind in ("⊸", "⊸⋆") else ""

    def arrow(self, wanted: str, place: str) -> RExp:
        """Step over an arrow; the sensitivity of ``⊸[s]``."""
        found = self.arrow_ahead()
        if found != wanted:
            self.miss(wanted, place)
            raise Fault
        start = self.start
        self.pos += 1 + len(wanted) if self.kinds[self.pos] == "-" else 1
        if wanted == "⊸⋆" or (self.opaque and self.type_kind() != "["):
            return RInf(self.since(start))
        return self.bracketed("[", self.any_rexp, "the sensitivity of `⊸`")

    def operator_type(self) -> Type:
        """Sums, products and prefixed types."""
        operators: Operators[Type] = Operators(self.source)
        while True:
            kind, start = self.type_kind(), self.start
            if kind == "box":
                self.pos += 1
                entries = self.bracketed("[", self.box_entries, "the sensitivities of `box`")
                operators.prefix(TYPE_LEVELS["+"], start, partial(_boxed, entries))
                continue
            if kind in ("bag", "𝐝"):
                self.pos += 1
                operators.prefix(6, start, TBag if kind == "bag" else TDisc)
                continue
            operators.operand(self.type_atom(), start, self.end)
            kind = self.type_kind()
            if kind not in TYPE_LEVELS:
                return operators.finish().node
            self.pos += 1
            operators.infix(TYPE_LEVELS[kind], partial(_combined, kind))

    def box_entries(self) -> tuple[BoxEntry, ...]:
        return () if self.type_kind() == "]" else self.listed(self.box_entry)

    def box_entry(self) -> BoxEntry:
        name = self.name("the name of a variable")
        self.expect_type("@", f"after `{name.text}`")
        factor = self.any_rexp()
        return BoxEntry(self.since(name.span.start), name.text, factor)

    def type_atom(self) -> Type:
        start = self.start
        kind = self.type_kind()
        match kind:
            case "(":
                return self.bracketed("(", self.any_type, "the type in parentheses")
            case "𝔹" | "𝕊":
                self.pos += 1
                return TBase(self.since(start), kind)
            case "ℕ" | "ℝ" | "ℝ⁺":
                return self.number_type(kind)
            case "𝔻":
                self.pos += 1
                return TDisc(self.since(start), TBase(self.since(start), "ℝ"))
            case "𝕀":
                self.pos += 1
                size = self.bracketed("[", self.any_rexp, "the size of `𝕀`")
                return TIdx(self.since(start), size)
            case "𝕄":
                self.pos += 1
                return self.bracketed("[", lambda: self.matrix(start), "the columns of `𝕄`")
            case "record" | "𝔻𝔽":
                self.pos += 1
                fields = self.bracketed("[", lambda: self.listed(self.field_type), f"the fields of `{kind}`")
                return (TRecord if kind == "record" else TFrame)(self.since(start), fields)
            case "℘":
                self.pos += 1
                element = self.bracketed("(", self.any_type, "the element type of `℘`")
                return TSet(self.since(start), element)
            case _ if kind == "name" or (self.is_soft() and kind not in ("∀", "def", "ensures")):
                self.pos += 1
                return TVar(self.since(start), self.tokens[self.pos - 1].text)
            case "∀" | "box" | "bag" | "𝐝":
                raise self.fault(
                    f"a type that starts with {self.found()} needs parentheses here", "write `( … )` around it"
                )
            case _:
                raise self.fault(f"expected a type, found {self.found()}", "write a type", label="expected a type")

    def number_type(self, kind: str) -> Type:
        """``ℕ``, ``ℕ[n]``, ``ℝ``, ``ℝ[±r]``, ``ℝ⁺[r]``."""
        start = self.start
        self.pos += 1
        if self.type_kind() != "[":
            if kind == "ℝ⁺":
                self.miss("[", "after `ℝ⁺`")
                raise Fault
            return TBase(self.since(start), kind)
        negative, value = self.bracketed("[", lambda: self.signed(kind), f"the value of `{kind}`")
        if kind == "ℕ":
            return TStaticNat(self.since(start), value)
        return TStaticReal(self.since(start), value, kind == "ℝ", negative)

    def signed(self, kind: str) -> tuple[bool, RExp]:
        """A static value: a minus sign is allowed in ``ℝ[…]`` and takes in a product."""
        if self.type_kind() != "-":
            return False, self.any_rexp()
        if kind != "ℝ":
            raise self.fault(f"`{kind}[…]` holds no negative number", "write `ℝ[-…]`", label="negative")
        self.pos += 1
        value = self.rexp_at(REXP_LEVELS["⋅"])
        if self.type_kind() in REXP_LEVELS:
            raise self.fault("a minus sign before a sum is unclear", "write `ℝ[-(… + …)]`", label="unclear")
        return True, value

    def field_type(self) -> FieldType:
        name = self.label("the name of a field")
        self.expect_type(":", f"after the field `{name.text}`")
        type_ = self.deeper(self.any_type)
        return FieldType(self.since(name.span.start), name.text, type_)

    # ------------------------------------------------------------------------------------------------- matrices

    def matrix(self, start: int) -> Type:
        """``ℓ, c | rows, schema`` of ``𝕄 [ℓ, c | rows, schema]``."""
        norm = self.norm("the norm of `𝕄`")
        self.expect_type(",", "after the norm of `𝕄`")
        clip = self.clip_bound()
        self.expect_type("|", "after the clip of `𝕄`")
        rows = None if self.accept_type("★") else self.any_rexp()
        self.expect_type(",", "after the rows of `𝕄`")
        schema = self.schema()
        closing = self.tokens[self.pos].end if self.kinds[self.pos] == "]" else self.end
        return TMatrix(Span(self.source, start, closing), norm, clip, rows, schema)

    def norm(self, what: str) -> Norm:
        kind = self.type_kind()
        if kind not in NORMS:
            raise self.fault(
                f"expected {what}, found {self.found()}",
                "the norms are `L1`, `L2` and `L∞` (Linf)",
                code="D0010",
                label="not a norm",
            )
        self.pos += 1
        return NORMS[kind]

    def clip_bound(self) -> ClipBound:
        """``U``, ``L2`` or ``L2≤b``."""
        start = self.start
        if self.accept_type("U"):
            return ClipBound(self.since(start), None, None)
        if self.type_kind() not in NORMS:
            raise self.fault(
                f"expected the clip of `𝕄`, found {self.found()}",
                "a clip is `U` (unclipped), a norm, or a norm with a bound such as `L2≤b`",
                code="D0010",
                label="not a clip",
            )
        norm = self.norm("a norm")
        bound = self.any_rexp() if self.accept_type("≤") else None
        return ClipBound(self.since(start), norm, bound)

    def schema(self) -> Schema:
        """Columns, joined by ``⧺``."""
        operators: Operators[Schema] = Operators(self.source)
        while True:
            start = self.start
            operators.operand(self.columns(), start, self.end)
            if not self.accept_type("⧺"):
                return operators.finish().node
            operators.infix(3, SAppend)

    def columns(self) -> Schema:
        """``τ ∷ … ∷ []``, read in a loop: a table has many columns."""
        heads: list[tuple[int, str | None, Type]] = []
        start = self.start
        while self.sign_ahead("∷", "⋅") == "∷":
            if len(heads) == MAX_COLUMNS:
                raise self.fault(
                    "this schema lists too many columns", f"a schema lists at most {MAX_COLUMNS} columns", code="D0009"
                )
            start = self.start
            name = None
            if self.is_word(self.pos) and self.kinds[self.pos + 1] == ":":
                name = self.next().text
                self.pos += 1
            element = self.deeper(self.any_type)
            self.expect_type("∷", "after the type of a column")
            heads.append((start, name, element))
        schema = self.last_columns()
        for head_start, name, element in reversed(heads):
            schema = SCons(self.since(head_start), name, element, schema)
        return schema

    def last_columns(self) -> Schema:
        start = self.start
        if self.type_kind() == "[":
            self.bracketed("[", lambda: None, "`[`: an empty schema is `[]`")
            return SEmpty(self.since(start))
        if self.sign_ahead("⋅") == "⋅":
            stop = self.last_product()
            count = self.any_rexp(stop)
            self.expect_type("⋅", "after the number of columns")
            element = self.deeper(self.any_type)
            if self.type_kind() == "∷":
                raise self.fault("columns `n⋅τ` are joined to others with `⧺`", "write `⧺` (or `++`)", label="not `∷`")
            return SUniform(self.since(start), count, element)
        if self.type_kind() == "(":
            return self.bracketed("(", self.schema, "the columns in parentheses")
        if self.is_word(self.pos) and self.kinds[self.pos + 1] == ":":
            raise self.fault(
                "a list of columns ends in `∷ []`",
                f"write `{self.tokens[self.pos].text} : τ ∷ []`",
                label="this column is not followed by `∷`",
            )
        if self.type_kind() == "name" or self.is_soft():
            self.pos += 1
            return SVar(self.since(start), self.tokens[self.pos - 1].text)
        raise self.fault(
            f"expected the columns of `𝕄`, found {self.found()}",
            "columns are `n⋅τ`, `τ₁ ∷ τ₂ ∷ []`, or `name : τ ∷ …`",
            label="expected columns",
        )

    def sign_ahead(self, *signs: str) -> str:
        """The first of `signs` before this schema ends, outside of brackets."""
        index = self.pos
        while True:
            kind = self.kinds[index]
            if kind in signs:
                return kind
            if kind in OPENERS:
                if index not in self.partner:
                    return ""
                index = self.partner[index]
            elif kind in ("⧺", ",", ";", "end", "]", ")", "}", "⟩", "⇒"):
                return ""
            index += 1

    def last_product(self) -> int:
        """The ⋅ of ``n⋅τ``: the last one that only sizes come before, since τ may be a variable like n."""
        index, last = self.pos, -1
        while True:
            kind = self.kinds[index]
            if kind == "⋅":
                last = index
            elif kind == "(" and index in self.partner:
                index = self.partner[index]
            elif kind not in _REXP_TOKENS and self.tokens[index].text not in self.types.bound:
                return last
            index += 1

    def type_ahead(self) -> bool:
        """Whether an argument of ``f@[…]`` must be a type: a word or sign in it is no part of a type-level real."""
        index, depth = self.pos, 0
        while True:
            kind = self.kinds[index]
            if self.tokens[index].text in self.types.bound:
                kind = "name"
            if kind in _TYPE_WORDS or kind in ("×", "&", "⊸", "@"):
                return True
            if kind == "(":
                depth += 1
            elif kind == ")" and depth:
                depth -= 1
            elif kind not in _REXP_TOKENS:
                return False
            index += 1


def _boxed(entries: tuple[BoxEntry, ...], span: Span, inner: Type) -> Type:
    return TBox(span, entries, inner)


def _combined(op: str, span: Span, left: Type, right: Type) -> Type:
    return TBinary(span, op, left, right)
