"""Types, sizes, costs and columns: what the grammar reads as one → the nodes of each.

A piece of a type says only how it was written. Where it is used it becomes a type, a type-level real, a kind or a list of
columns (`type_of`, `rexp_of`, `kind_of`, `schema_of`). The trees are at most `MAX_HEIGHT` high (the links of a column
list count as one), so that every later pass may recurse over a type; what is written deeper is refused with D0009.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar import ast
from duetpy.grammar.labels import fault_of
from duetpy.grammar.pieces import Piece
from duetpy.grammar.texts import told
from duetpy.grammar.type_pieces import KINDS, LEVELS, OF_SIZES, OF_TYPES, TypePieces, is_type, uniform
from duetpy.source import Source, Span

MAX_HEIGHT = 100
"""A type or type-level real may be so many nodes high."""

MAX_COLUMNS = 150
"""A schema may list so many columns one by one (``n⋅τ`` has any number of them)."""

NORMS = {"L1": ast.Norm.L1, "L2": ast.Norm.L2, "L∞": ast.Norm.LINF}


class Unread(Exception):
    """A part of a type could not be read, and this has been reported."""


Complain: TypeAlias = Callable[[Diagnostic, Span | None], None]
T = TypeVar("T")


def number_of(text: str) -> Fraction:
    """The exact value of a number token."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    power = int(exponent or 0) - len(fraction)
    digits = int(whole + fraction)
    return Fraction(digits * 10**power) if power >= 0 else Fraction(digits, 10**-power)


class TypeBuilder(TypePieces):
    """Makes the nodes of types; a method without a leading underscore is called when its rule has been read."""

    source: Source
    complain: Complain
    is_whole: Callable[[Span], bool]
    """Whether all that stands in a span could be read."""

    opaque = False
    """Whether the type of foreign code is being made, where a bare ``⊸`` claims nothing and so means ``⊸[∞]``."""

    hushed = False
    """Whether a mistake in what is being made has already been reported."""

    def say(self, message: str, advice: str, *, span: Span, label: str = "", code: str = "D0005") -> None:
        """Report an error, once."""
        if not self.hushed:
            self.complain(Diagnostic(code, message, span, label, help=advice), None)

    def tell(self, name: str, span: Span, *values: object, around: Span | None = None) -> None:
        """Report a mistake by the name of its text; `around` is where another mistake could lead to it."""
        self.complain(told(name, span, *values), around)

    def span(self, piece: Piece) -> Span:
        return Span(self.source, piece.start, piece.end)

    def label_of(self, piece: Piece) -> str:
        """What a column is called, by a word or by a text."""
        fault = fault_of(piece.value) if piece.type == "STRING" and piece.value is not None else None
        if fault is not None:
            self.tell("no_column_name", self.span(piece), fault)
        return piece.value or ""

    def norm(self, c: list[Piece]) -> Piece:
        return Piece("norm", NORMS[c[0].type], c[0].start, c[0].end)

    # ------------------------------------------------------------------------------------------------- uses

    def type_of(self, piece: Piece, opaque: bool = False) -> ast.Type | None:
        """The type that a piece is; None if it is not a type, which has been reported."""
        return self._made(piece, lambda: self._typed(piece), opaque)

    def rexp_of(self, piece: Piece) -> ast.RExp | None:
        """The type-level real that a piece is; None if it is not one, which has been reported."""
        return self._made(piece, lambda: self._real(piece))

    def argument_of(self, piece: Piece) -> ast.RExp | ast.Type | None:
        """An argument of ``f@[…]``; a name alone is a type-level real, whatever its kind."""
        return self.type_of(piece) if is_type(piece) else self.rexp_of(piece)

    def cost_of(self, piece: Piece) -> ast.CostExp:
        """``ε`` or ``⟨ε, δ⟩``."""
        if piece.type != "costs":
            return ast.CostExp(self.span(piece), (self._real(piece),))
        return ast.CostExp(self.span(piece), tuple(self._real(part) for part in _listed(piece.value[1])))

    def signed_of(self, word: str, pieces: Sequence[Piece]) -> tuple[bool, ast.RExp] | None:
        """What stands in the brackets of ``ℝ[-0.5]``, its sign apart."""
        return self._made(pieces[-1], lambda: self._signed(word, pieces))

    def _made(self, piece: Piece, make: Callable[[], T], opaque: bool = False) -> T | None:
        if piece.height > MAX_HEIGHT or piece.nesting > MAX_HEIGHT:
            advice = f"keep a type, and the terms of a formula in it, below {MAX_HEIGHT} levels"
            self.say("this type is nested too deeply", advice, code="D0009", span=self.span(piece))
            return None
        hushed = self.hushed
        self.opaque, self.hushed = opaque, hushed or not self.is_whole(self.span(piece))
        try:
            return make()
        except Unread:
            return None
        finally:
            self.opaque, self.hushed = False, hushed

    def _fault(self, piece: Piece, message: str, advice: str, label: str = "", code: str = "D0005") -> Unread:
        self.say(message, advice, label=label, code=code, span=self.span(piece))
        return Unread()

    def _found(self, piece: Piece) -> str:
        return f"`{self.source.text[piece.start : piece.end][:40]}`"

    # ------------------------------------------------------------------------------------------------- reals

    def _real(self, piece: Piece) -> ast.RExp:
        while piece.type == "tgroup":
            piece = piece.value
        span = self.span(piece)
        match piece.type:
            case "tvar":
                if piece.value is None:
                    raise Unread
                return ast.RVar(span, piece.value)
            case "tnumber":
                return ast.RNum(span, number_of(piece.value.value), piece.value.type == "DECIMAL")
            case "tinfinity":
                return ast.RInf(span)
            case "tcall":
                return ast.RFun(span, piece.value[0].value, self._real(piece.value[2]))
            case "tprefix" if piece.value[0].type in ("√", "㏒"):
                return ast.RFun(span, piece.value[0].type, self._real(piece.value[1]))
            case "tinfix" if piece.value[1].type in OF_SIZES:
                left, op, right = piece.value
                return ast.RBin(span, op.type, self._real(left), self._real(right))
            case _:
                raise self._fault(
                    piece,
                    f"expected a size or a number, found {self._found(piece)}",
                    "write a type-level variable, a number or a formula",
                    "expected a type-level expression",
                )

    def _signed(self, word: str, pieces: Sequence[Piece]) -> tuple[bool, ast.RExp]:
        """A static value: a minus sign is allowed in ``ℝ[…]`` and takes in a product."""
        if len(pieces) == 1:
            return False, self._real(pieces[0])
        if word != "ℝ":
            raise self._fault(pieces[0], f"`{word}[…]` cannot contain a negative number", "write `ℝ[-…]`", "negative")
        value = pieces[1]
        if value.type == "tinfix" and LEVELS[value.value[1].type] < LEVELS["⋅"]:
            raise self._fault(value.value[1], "a minus sign before a sum is unclear", "write `ℝ[-(… + …)]`", "unclear")
        return True, self._real(value)

    # ------------------------------------------------------------------------------------------------- types

    def _typed(self, piece: Piece) -> ast.Type:
        while piece.type == "tgroup":
            piece = piece.value
        span, c = self.span(piece), piece.value
        match piece.type:
            case "tvar":
                if c is None:
                    raise Unread
                return ast.TVar(span, c)
            case "tbase":
                return self._base(piece)
            case "tstatic":
                negative, value = self._signed(c[0].type, c[2:-1])
                if c[0].type == "ℕ":
                    return ast.TStaticNat(span, value)
                return ast.TStaticReal(span, value, c[0].type == "ℝ", negative)
            case "tindex":
                return ast.TIdx(span, self._real(c[2]))
            case "tset":
                return ast.TSet(span, self._typed(c[2]))
            case "record":
                fields = tuple(self._field(member) for member in c[2:-1:2])
                return (ast.TRecord if c[0].type == "record" else ast.TFrame)(span, fields)
            case "persons":
                roster = self._roster(c[3]) if c[3].type == "roster" else None
                files = tuple(self._field(member) for member in c[4 if roster is None else 5 : -1 : 2])
                return ast.TPersons(span, self._field(c[2]), files, roster)
            case "matrix":
                clip = self._clip(c[4])
                rows = None if c[6].type == "star" else self._real(c[6])
                return ast.TMatrix(span, c[2].value, clip, rows, self._schema(c[8]))
            case "tprefix" if c[0].type == "bag":
                return ast.TBag(span, self._typed(c[1]))
            case "tprefix" if c[0].type == "𝐝":
                return self._discrete(c[0], c[1])
            case "tmissing":
                return ast.TMissing(span, self._typed(c[0]))
            case "within":
                return ast.TWithin(span, self._typed(c[0]), *self._range(c[2]))
            case "box":
                return ast.TBox(span, tuple(self._entry(entry) for entry in c[2:-2:2]), self._typed(c[-1]))
            case "tinfix" if c[1].type in OF_TYPES:
                return ast.TBinary(span, c[1].type, self._typed(c[0]), self._typed(c[2]))
            case "function":
                return ast.TFun(span, (), self._typed(c[0]), self._sensitivity(c[1:-1]), self._typed(c[-1]))
            case "pfunction":
                param = ast.PrivateParam(Span(self.source, c[0].start, c[2].end), self._typed(c[0]), self.cost_of(c[2]))
                return ast.TPFun(span, (), (param,), self._typed(c[-1]))
            case "forall":
                return ast.TFun(
                    span, self._kinds(c[0]), self._typed(c[1]), self._sensitivity(c[2:-1]), self._typed(c[-1])
                )
            case "pforall":
                params = tuple(
                    ast.PrivateParam(self.span(view), self._typed(view.value[0]), self.cost_of(view.value[2]))
                    for view in c[1].value[::2]
                )
                return ast.TPFun(span, self._kinds(c[0]), params, self._typed(c[-1]))
            case _:
                raise self._fault(
                    piece, f"expected a type, found {self._found(piece)}", "write a type", "expected a type"
                )

    def _discrete(self, sign: Piece, operand: Piece) -> ast.Type:
        """``𝐝 τ``; ``𝐝 τ?`` is ``(𝐝 τ)?``, and ``𝐝 τ in […]`` is ``(𝐝 τ) in […]``."""
        span = Span(self.source, sign.start, operand.end)
        if operand.type == "tmissing":
            return ast.TMissing(span, self._discrete(sign, operand.value[0]))
        if operand.type == "within":
            return ast.TWithin(span, self._discrete(sign, operand.value[0]), *self._range(operand.value[2]))
        return ast.TDisc(span, self._typed(operand))

    def _range(self, piece: Piece) -> tuple[ast.End, ast.End]:
        """``[a, b]``."""
        low, high = piece.value
        if low is None or high is None:
            raise Unread
        return low, high

    def _base(self, piece: Piece) -> ast.Type:
        span = self.span(piece)
        match piece.value:
            case "𝔻":
                return ast.TDisc(span, ast.TBase(span, "ℝ"))
            case "ℝ⁺":
                advice = (
                    "write `static ε : ℝ⁺` for a number that is set for each run, or the number itself, as in `ℝ⁺[0.5]`"
                )
                self.say("expected `[` after `ℝ⁺`", advice, span=span, label="expected `[` after this")
                raise Unread
            case "☆K":
                raise self._fault(piece, f"expected a type, found {self._found(piece)}", "write a type", "a kind")
            case word:
                return ast.TBase(span, word)

    def _sensitivity(self, c: Sequence[Piece]) -> ast.RExp:
        """``⊸[s]``."""
        if len(c) > 1:
            return self._real(c[2])
        if self.opaque:
            return ast.RInf(self.span(c[0]))
        if c[0].start == c[0].end:
            raise Unread
        end = Span(self.source, c[0].end, c[0].end)
        self.say("expected `[` before the sensitivity of `⊸`", "write `[`", span=end, label="expected `[`")
        raise Unread

    def _kinds(self, piece: Piece) -> tuple[ast.KindBinding, ...]:
        return tuple(ast.KindBinding(self.span(kind), kind.value[0], kind.value[1]) for kind in piece.value[0])

    def _field(self, piece: Piece) -> ast.FieldType:
        name, _, type_ = piece.value
        if name.value is None:
            raise Unread
        return ast.FieldType(self.span(piece), self.label_of(name), *self._cells(type_))

    def _roster(self, piece: Piece) -> ast.Roster:
        _, name = piece.value
        if name.value is None:
            raise Unread
        return ast.Roster(self.span(name), name.value)

    def _cells(self, piece: Piece) -> tuple[ast.Type, ast.Default | None]:
        """``τ`` and ``τ else 40``: what the cells of a column are, and what stands in the place of a bad one."""
        if piece.type != "defaulted":
            return self._typed(piece), None
        type_, _, default = piece.value
        return self._typed(type_), self._default(default)

    def _default(self, piece: Piece) -> ast.Default:
        return ast.Default(self.span(piece), piece.value.value)

    def _entry(self, piece: Piece) -> ast.BoxEntry:
        name, _, factor = piece.value
        return ast.BoxEntry(self.span(piece), name.value or "", self._real(factor))

    def _clip(self, piece: Piece) -> ast.ClipBound:
        """``U``, ``L2`` or ``L2≤b``."""
        c = piece.value
        if c[0].type == "U":
            return ast.ClipBound(self.span(piece), None, None)
        return ast.ClipBound(self.span(piece), c[0].value, self._real(c[2]) if len(c) > 1 else None)

    def kind_of(self, name: ast.Name, piece: Piece | None) -> ast.KindBinding | None:
        """A kind variable of ``sλ`` or ``pλ``, which the grammar reads as a parameter."""
        if piece is not None and piece.type == "tbase" and piece.value in KINDS:
            return ast.KindBinding(Span(self.source, name.span.start, piece.end), name.text, KINDS[piece.value])
        if piece is None:
            found = name.span.end
            self.say(
                f"expected `:` after `{name.text}`",
                "write `:`",
                span=Span(self.source, found, found),
                label="expected `:` and a kind",
            )
        elif piece.type != "tvar" or piece.value is not None:
            what = f"the name {self._found(piece)}" if piece.type == "tvar" else self._found(piece)
            advice = "the kinds are `ℕ` (Nat), `ℝ⁺` (Real+) and `☆K` (Type)"
            self.say(f"expected a kind, found {what}", advice, span=self.span(piece), label="not a kind")
        return None

    # ------------------------------------------------------------------------------------------------- columns

    def _schema(self, piece: Piece) -> ast.Schema:
        if piece.type == "append":
            parts = []
            while piece.type == "append":
                parts.append(piece)
                piece = piece.value[0]
            made = self._schema(piece)
            for part in reversed(parts):
                made = ast.SAppend(self.span(part), made, self._schema(part.value[2]))
            return made
        links = []
        while piece.type == "cons":
            links.append(piece)
            piece = piece.value[-1]
            if len(links) > MAX_COLUMNS:
                advice = f"a schema lists at most {MAX_COLUMNS} columns"
                raise self._fault(links[0], "this schema lists too many columns", advice, code="D0009")
        columns = [self._column(link) for link in links]
        schema = self._last_columns(piece)
        for link, (name, (element, default)) in zip(reversed(links), reversed(columns), strict=True):
            schema = ast.SCons(self.span(link), name, element, schema, default)
        return schema

    def _column(self, link: Piece) -> tuple[str | None, tuple[ast.Type, ast.Default | None]]:
        c = link.value
        if uniform(c[-3].value[0] if c[-3].type == "defaulted" else c[-3]) is not None:
            advice = "write `⧺` (or `++`)"
            raise self._fault(c[-2], "join columns `n⋅τ` to others with `⧺`", advice, "not `∷`")
        return self.label_of(c[0]) if len(c) > 3 else None, self._cells(c[-3])

    def _last_columns(self, piece: Piece) -> ast.Schema:
        default = self._default(piece.value[2]) if piece.type == "defaulted" else None
        parts = uniform(piece if default is None else piece.value[0])
        if parts is not None:
            return ast.SUniform(self.span(piece), self._real(parts[0]), self._typed(parts[1]), default)
        span = self.span(piece)
        match piece.type:
            case "empty":
                return ast.SEmpty(span)
            case "tgroup":
                return self._schema(piece.value)
            case "tvar":
                if piece.value is None:
                    raise Unread
                return ast.SVar(span, piece.value)
            case "tprefix" if piece.value[0].type == "𝐝" and piece.value[1].type == "tvar":
                if piece.value[1].value is None:
                    raise Unread
                return ast.SVar(span, piece.value[1].value, is_discrete=True)
            case _:
                raise self._fault(
                    piece,
                    f"expected the columns of `𝕄`, found {self._found(piece)}",
                    "columns are `n⋅τ`, `τ₁ ∷ τ₂ ∷ []`, or `name : τ ∷ …`",
                    "expected columns",
                )


def _listed(piece: Piece) -> Sequence[Piece]:
    """The members of a list, without its commas."""
    members: Sequence[Piece] = piece.value
    return members[::2]
