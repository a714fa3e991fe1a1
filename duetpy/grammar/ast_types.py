"""The syntax of kinds, type-level reals and types."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from attrs import frozen

from duetpy.source import Span
from duetpy.trees import Tree


class Kind(Enum):
    """The kinds of type-level variables."""

    NAT = "ℕ"
    POS = "ℝ⁺"
    TYPE = "☆K"


class Norm(Enum):
    """The norms that a row can be measured in."""

    L1 = "L1"
    L2 = "L2"
    LINF = "L∞"


@frozen(eq=False, repr=False)
class Node(Tree):
    """A piece of the tree and the text that it was read from. A form without parts of its own is a plain class."""

    span: Span

    def __repr__(self) -> str:
        """The form and its text: short and flat, however deep the tree below."""
        return f"<{type(self).__name__} {self.span.text[:40]!r}>"


@frozen(eq=False, repr=False)
class KindBinding(Node):
    """``m : ℕ``."""

    name: str
    kind: Kind


@frozen(eq=False, repr=False)
class RVar(Node):
    name: str


@frozen(eq=False, repr=False)
class RNum(Node):
    """A non-negative numeral; `is_real` tells ``2.0`` from ``2``, which matters only for its kind."""

    value: Fraction
    is_real: bool


class RInf(Node):
    """``∞``."""


@frozen(eq=False, repr=False)
class RBin(Node):
    """``⊔ ⊓ + ⋅ /``."""

    op: str
    left: RExp
    right: RExp


@frozen(eq=False, repr=False)
class RFun(Node):
    """``√ ㏒`` and the function-call spellings ``exp expm1 log1p tanh`` that printed costs use."""

    op: str
    arg: RExp


RExp: TypeAlias = RVar | RNum | RInf | RBin | RFun


@frozen(eq=False, repr=False)
class TBase(Node):
    """``ℕ ℝ 𝔹 𝕊``; `name` is the Unicode spelling. ``𝔻`` is ``TDisc(TBase("ℝ"))``."""

    name: str


@frozen(eq=False, repr=False)
class TVar(Node):
    name: str


@frozen(eq=False, repr=False)
class TStaticNat(Node):
    """``ℕ[η]``."""

    value: RExp


@frozen(eq=False, repr=False)
class TStaticReal(Node):
    """``ℝ⁺[η]`` (`signed` false) or ``ℝ[±η]`` (`signed` true, `negative` for the minus sign)."""

    value: RExp
    signed: bool
    negative: bool


@frozen(eq=False, repr=False)
class TIdx(Node):
    """``𝕀[η]``."""

    size: RExp


@frozen(eq=False, repr=False)
class TDisc(Node):
    """``𝐝 τ`` and ``𝔻``."""

    inner: Type


@frozen(eq=False, repr=False)
class TMissing(Node):
    """``τ?``: a value of τ, or none."""

    inner: Type


@frozen(eq=False, repr=False)
class End(Node):
    """One end of a range: a size, or what is as far below 0."""

    negative: bool
    size: RExp


@frozen(eq=False, repr=False)
class TWithin(Node):
    """``𝔻 in [0, 120]``: the values of `inner` between two numbers."""

    inner: Type
    low: End
    high: End


@frozen(eq=False, repr=False)
class ClipBound(Node):
    """``U`` (`norm` None), ``L2`` or ``L2≤b``."""

    norm: Norm | None
    bound: RExp | None


@frozen(eq=False, repr=False)
class Default(Node):
    """``else 40`` after the type of a column: what stands in the place of a bad cell. A natural number is an `int`."""

    value: int | Fraction | bool


class SEmpty(Node):
    """``[]``."""


@frozen(eq=False, repr=False)
class SUniform(Node):
    """``n⋅τ``."""

    count: RExp
    element: Type
    default: Default | None = None


@frozen(eq=False, repr=False)
class SCons(Node):
    """``τ ∷ rest`` or ``age : τ ∷ rest``."""

    name: str | None
    element: Type
    rest: Schema
    default: Default | None = None


@frozen(eq=False, repr=False)
class SVar(Node):
    """``ς``: any columns; ``𝐝 ς``: any of which all are discrete."""

    name: str
    is_discrete: bool = False


@frozen(eq=False, repr=False)
class SAppend(Node):
    """``a ⧺ b``."""

    left: Schema
    right: Schema


Schema: TypeAlias = SEmpty | SUniform | SCons | SVar | SAppend


@frozen(eq=False, repr=False)
class TMatrix(Node):
    """``𝕄 [ℓ, c | rows, schema]``; `rows` is None for ★."""

    norm: Norm
    clip: ClipBound
    rows: RExp | None
    schema: Schema


@frozen(eq=False, repr=False)
class TBag(Node):
    element: Type


@frozen(eq=False, repr=False)
class TSet(Node):
    element: Type


@frozen(eq=False, repr=False)
class FieldType(Node):
    """``age : τ`` inside a record or a frame."""

    name: str
    type: Type
    default: Default | None = None


@frozen(eq=False, repr=False)
class TRecord(Node):
    fields: tuple[FieldType, ...]


@frozen(eq=False, repr=False)
class TFrame(Node):
    """``𝔻𝔽[…]``: a bag of records."""

    fields: tuple[FieldType, ...]


@frozen(eq=False, repr=False)
class Roster(Node):
    """``in roster`` in a type of persons: the parameter, a set, whose elements the persons are."""

    name: str


@frozen(eq=False, repr=False)
class TPersons(Node):
    """``persons[patient : 𝕊 | visits : 𝔻𝔽[…], …]``: for each person the rows that each file has of them.

    With ``persons[patient : 𝕊 in roster | …]`` the persons are the elements of a set, an earlier parameter of the same function.
    """

    identifier: FieldType
    files: tuple[FieldType, ...]
    roster: Roster | None = None


@frozen(eq=False, repr=False)
class TBinary(Node):
    """``τ₁ + τ₂``, ``τ₁ × τ₂``, ``τ₁ & τ₂``; `op` is the Unicode sign."""

    op: str
    left: Type
    right: Type


@frozen(eq=False, repr=False)
class BoxEntry(Node):
    """``x@η`` inside ``box[…]``."""

    name: str
    factor: RExp


@frozen(eq=False, repr=False)
class TBox(Node):
    entries: tuple[BoxEntry, ...]
    inner: Type


@frozen(eq=False, repr=False)
class TFun(Node):
    """``∀ κs . τ₁ ⊸[s] τ₂``."""

    kinds: tuple[KindBinding, ...]
    domain: Type
    sensitivity: RExp
    codomain: Type


@frozen(eq=False, repr=False)
class CostExp(Node):
    """A cost as written: ``ε``, ``⟨ε, δ⟩``, ``∞`` or ``0``; the notion says how many parts it has."""

    parts: tuple[RExp, ...]


@frozen(eq=False, repr=False)
class PrivateParam(Node):
    """``τ@p`` in a privacy-function type."""

    type: Type
    cost: CostExp


@frozen(eq=False, repr=False)
class TPFun(Node):
    """``∀ κs . τ₁@p₁, τ₂@p₂ ⊸⋆ τ``."""

    kinds: tuple[KindBinding, ...]
    params: tuple[PrivateParam, ...]
    codomain: Type


Type: TypeAlias = (
    TBase
    | TVar
    | TStaticNat
    | TStaticReal
    | TIdx
    | TDisc
    | TMissing
    | TWithin
    | TMatrix
    | TBag
    | TSet
    | TRecord
    | TFrame
    | TPersons
    | TBinary
    | TBox
    | TFun
    | TPFun
)
