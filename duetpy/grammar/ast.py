"""The syntax tree: frozen nodes with spans, one closed union for each syntactic class.

The tree holds names as written; who binds what is decided by the checker. Nodes compare by identity, so that a node can
key a table; `duetpy.grammar.compare.same` compares two trees up to spans.

Ordinary primitives (``rows``, ``+``, ``mclip[L2]`` …), which bind nothing and take their arguments by value, are all
`Prim` nodes: their meaning is declared in ``prelude.duet``. Every form that binds a name has a node of its own.
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from attrs import field, frozen

from duetpy.source import Span


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


@frozen(eq=False)
class Node:
    span: Span = field(repr=False)


@frozen(eq=False)
class KindBinding(Node):
    """``m : ℕ``."""

    name: str
    kind: Kind


# ---------------------------------------------------------------------------------------------------------------------
# Type-level reals


@frozen(eq=False)
class RVar(Node):
    name: str


@frozen(eq=False)
class RNum(Node):
    """A non-negative numeral; `is_real` tells ``2.0`` from ``2``, which matters only for its kind."""

    value: Fraction
    is_real: bool


@frozen(eq=False)
class RInf(Node):
    """``∞``."""


@frozen(eq=False)
class RBin(Node):
    """``⊔ ⊓ + ⋅ /``."""

    op: str
    left: RExp
    right: RExp


@frozen(eq=False)
class RFun(Node):
    """``√ ㏒`` and the function-call spellings ``exp expm1 log1p tanh`` that printed costs use."""

    op: str
    arg: RExp


RExp: TypeAlias = RVar | RNum | RInf | RBin | RFun


# ---------------------------------------------------------------------------------------------------------------------
# Types


@frozen(eq=False)
class TBase(Node):
    """``ℕ ℝ 𝔹 𝕊``; `name` is the Unicode spelling. ``𝔻`` is ``TDisc(TBase("ℝ"))``."""

    name: str


@frozen(eq=False)
class TVar(Node):
    name: str


@frozen(eq=False)
class TStaticNat(Node):
    """``ℕ[η]``."""

    value: RExp


@frozen(eq=False)
class TStaticReal(Node):
    """``ℝ⁺[η]`` (`signed` false) or ``ℝ[±η]`` (`signed` true, `negative` for the minus sign)."""

    value: RExp
    signed: bool
    negative: bool


@frozen(eq=False)
class TIdx(Node):
    """``𝕀[η]``."""

    size: RExp


@frozen(eq=False)
class TDisc(Node):
    """``𝐝 τ`` and ``𝔻``."""

    inner: Type


@frozen(eq=False)
class ClipBound(Node):
    """``U`` (`norm` None), ``L2`` or ``L2≤b``."""

    norm: Norm | None
    bound: RExp | None


@frozen(eq=False)
class SEmpty(Node):
    """``[]``."""


@frozen(eq=False)
class SUniform(Node):
    """``n⋅τ``."""

    count: RExp
    element: Type


@frozen(eq=False)
class SCons(Node):
    """``τ ∷ rest`` or ``age : τ ∷ rest``."""

    name: str | None
    element: Type
    rest: Schema


@frozen(eq=False)
class SVar(Node):
    name: str


@frozen(eq=False)
class SAppend(Node):
    """``a ⧺ b``."""

    left: Schema
    right: Schema


Schema: TypeAlias = SEmpty | SUniform | SCons | SVar | SAppend


@frozen(eq=False)
class TMatrix(Node):
    """``𝕄 [ℓ, c | rows, schema]``; `rows` is None for ★."""

    norm: Norm
    clip: ClipBound
    rows: RExp | None
    schema: Schema


@frozen(eq=False)
class TBag(Node):
    element: Type


@frozen(eq=False)
class TSet(Node):
    element: Type


@frozen(eq=False)
class FieldType(Node):
    """``age : τ`` inside a record or a frame."""

    name: str
    type: Type


@frozen(eq=False)
class TRecord(Node):
    fields: tuple[FieldType, ...]


@frozen(eq=False)
class TFrame(Node):
    """``𝔻𝔽[…]``: a bag of records."""

    fields: tuple[FieldType, ...]


@frozen(eq=False)
class TBinary(Node):
    """``τ₁ + τ₂``, ``τ₁ × τ₂``, ``τ₁ & τ₂``; `op` is the Unicode sign."""

    op: str
    left: Type
    right: Type


@frozen(eq=False)
class BoxEntry(Node):
    """``x@η`` inside ``box[…]``."""

    name: str
    factor: RExp


@frozen(eq=False)
class TBox(Node):
    entries: tuple[BoxEntry, ...]
    inner: Type


@frozen(eq=False)
class TFun(Node):
    """``∀ κs . τ₁ ⊸[s] τ₂``."""

    kinds: tuple[KindBinding, ...]
    domain: Type
    sensitivity: RExp
    codomain: Type


@frozen(eq=False)
class CostExp(Node):
    """A cost as written: ``ε``, ``⟨ε, δ⟩``, ``∞`` or ``0``; the notion says how many parts it has."""

    parts: tuple[RExp, ...]


@frozen(eq=False)
class PrivateParam(Node):
    """``τ@p`` in a privacy-function type."""

    type: Type
    cost: CostExp


@frozen(eq=False)
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
    | TMatrix
    | TBag
    | TSet
    | TRecord
    | TFrame
    | TBinary
    | TBox
    | TFun
    | TPFun
)


# ---------------------------------------------------------------------------------------------------------------------
# Sensitivity expressions


@frozen(eq=False)
class Name(Node):
    """A binding occurrence of a variable, with the place where it was written."""

    text: str


@frozen(eq=False)
class Var(Node):
    name: str


@frozen(eq=False)
class NatLit(Node):
    """``3``; negative integers are allowed and are dynamic reals-in-waiting: their type is ℝ."""

    value: int


@frozen(eq=False)
class RealLit(Node):
    value: Fraction


@frozen(eq=False)
class StrLit(Node):
    value: str


@frozen(eq=False)
class BoolLit(Node):
    value: bool


@frozen(eq=False)
class StaticNat(Node):
    """``ℕ[3]``."""

    value: RExp


@frozen(eq=False)
class StaticReal(Node):
    """``ℝ⁺[2.0]``, ``ℝ[-0.5]``."""

    value: RExp
    signed: bool
    negative: bool


@frozen(eq=False)
class Prim(Node):
    """A primitive applied to its arguments: ``rows e``, ``e + e``, ``mclip[L2, 2.0] e``, ``∇[LR | θ; xs, ys]``.

    Parameters
    ----------
    name
        The Unicode spelling, which is the name in ``prelude.duet``: ``+``, ``⋅``, ``≡``, ``rows``, ``mclip``, ``∇`` …
    args
        The arguments in the order written.
    norm
        The norm in brackets (``mclip[L1]``, ``renorm[L2]``), else None.
    bounds
        Static expressions in brackets: the bound of ``mclip[L2, b]``, the two of ``clip[lo, hi]``.
    loss
        The loss of a gradient (``LR``), else None.
    """

    name: str
    args: tuple[SExp, ...]
    norm: Norm | None = None
    bounds: tuple[SExp, ...] = ()
    loss: str | None = None


@frozen(eq=False)
class Let(Node):
    name: Name
    bound: SExp
    body: SExp


@frozen(eq=False)
class LetPair(Node):
    """``let ⟨x, y⟩ = e in e′``."""

    left: Name
    right: Name
    bound: SExp
    body: SExp


@frozen(eq=False)
class Param(Node):
    """``x : τ``; the type may be left out where the use determines it."""

    name: Name
    type: Type | None


@frozen(eq=False)
class Aligned(Node):
    """``⟨xs : τ₁, ys : τ₂⟩``: views of the same rows, one privacy unit."""

    params: tuple[Param, ...]


@frozen(eq=False)
class Lam(Node):
    """``sλ κs . x : τ, … ⇒ e``."""

    kinds: tuple[KindBinding, ...]
    params: tuple[Param, ...]
    body: SExp


@frozen(eq=False)
class Guarantee(Node):
    """One conjunct of ``ensures``: ``ε ≤ 1``."""

    letter: str
    bound: RExp


@frozen(eq=False)
class PLam(Node):
    """``pλ κs . x : τ, … ⇒ p ensures …``."""

    kinds: tuple[KindBinding, ...]
    params: tuple[Param | Aligned, ...]
    body: PExp
    ensures: tuple[Guarantee, ...] = ()


@frozen(eq=False)
class App(Node):
    function: SExp
    argument: SExp


@frozen(eq=False)
class TypeApp(Node):
    """``f@[ηs]``; an argument that follows is an `App` around it."""

    function: SExp
    arguments: tuple[RExp | Type, ...]


@frozen(eq=False)
class Pair(Node):
    """``⟨e₁, e₂⟩``, or ``⟨e₁ & e₂⟩`` when `lazy`."""

    left: SExp
    right: SExp
    lazy: bool = False


@frozen(eq=False)
class Inject(Node):
    """``inl[τ] e`` / ``inr[τ] e``; the type is that of the other side and may be left out."""

    side: str
    other: Type | None
    arg: SExp


@frozen(eq=False)
class Case(Node):
    """``case e { inl x ⇒ e₁ ; inr y ⇒ e₂ }``."""

    scrutinee: SExp
    left: Name
    left_body: SExp
    right: Name
    right_body: SExp


@frozen(eq=False)
class SetLit(Node):
    elements: tuple[SExp, ...]


@frozen(eq=False)
class If(Node):
    guard: SExp
    then: SExp
    otherwise: SExp


@frozen(eq=False)
class Loop(Node):
    """``loop k on init { i, x ⇒ body }``."""

    count: SExp
    init: SExp
    index: Name
    state: Name
    body: SExp


@frozen(eq=False)
class MCreate(Node):
    norm: Norm
    rows: SExp
    cols: SExp
    row: Name
    col: Name
    body: SExp


@frozen(eq=False)
class Map(Node):
    """``mmap``, ``mmap-row``, ``mmap-col``, ``bmap``, ``mapDF`` over one or two collections; `form` is the keyword."""

    form: str
    args: tuple[SExp, ...]
    names: tuple[Name, ...]
    body: SExp


@frozen(eq=False)
class Fold(Node):
    """``mfold-row init, xs { acc, row ⇒ body }``."""

    init: SExp
    arg: SExp
    state: Name
    row: Name
    body: SExp


@frozen(eq=False)
class Filter(Node):
    """``mfilter xs { row ⇒ body }``."""

    arg: SExp
    row: Name
    body: SExp


@frozen(eq=False)
class Index(Node):
    """``e#[i, j]`` or, with `col` None, ``e#[i]`` (a whole row)."""

    matrix: SExp
    row: SExp
    col: SExp | None


@frozen(eq=False)
class Update(Node):
    """``e#[i, j ↦ e′]``."""

    matrix: SExp
    row: SExp
    col: SExp
    value: SExp


@frozen(eq=False)
class FieldOf(Node):
    """``row⧼age⧽`` or ``row.age``."""

    record: SExp
    name: Name


@frozen(eq=False)
class Select(Node):
    """``xs.[age, income]``."""

    table: SExp
    names: tuple[Name, ...]


@frozen(eq=False)
class FrameOp(Node):
    """``partitionDF[e, a, e′]``, ``joinDF₁⧼a⧽[e, e′]``, ``addColDF⧼a⧽ e``; `form` is the keyword."""

    form: str
    column: Name
    args: tuple[SExp, ...]


@frozen(eq=False)
class Opaque(Node):
    """``opaque "module:function" : τ``."""

    target: str
    type: Type


@frozen(eq=False)
class Hole(Node):
    """Stands where a syntax error was; the parser has told of it already and no later pass may tell again."""


SExp: TypeAlias = (
    Var
    | NatLit
    | RealLit
    | StrLit
    | BoolLit
    | StaticNat
    | StaticReal
    | Prim
    | Let
    | LetPair
    | Lam
    | PLam
    | App
    | TypeApp
    | Pair
    | Inject
    | Case
    | SetLit
    | If
    | Loop
    | MCreate
    | Map
    | Fold
    | Filter
    | Index
    | Update
    | FieldOf
    | Select
    | FrameOp
    | Opaque
    | Hole
)


# ---------------------------------------------------------------------------------------------------------------------
# Privacy expressions


@frozen(eq=False)
class Return(Node):
    value: SExp


@frozen(eq=False)
class Bind(Node):
    """``x ← p ; q``."""

    name: Name
    first: PExp
    then: PExp


@frozen(eq=False)
class PLet(Node):
    """``let x = e in p``."""

    name: Name
    bound: SExp
    body: PExp


@frozen(eq=False)
class PLetPair(Node):
    left: Name
    right: Name
    bound: SExp
    body: PExp


@frozen(eq=False)
class PIf(Node):
    guard: SExp
    then: PExp
    otherwise: PExp


@frozen(eq=False)
class PCase(Node):
    scrutinee: SExp
    left: Name
    left_body: PExp
    right: Name
    right_body: PExp


@frozen(eq=False)
class PApp(Node):
    """``f@[ηs . es]``."""

    function: SExp
    kinds: tuple[RExp | Type, ...]
    args: tuple[SExp, ...]


@frozen(eq=False)
class PLoop(Node):
    """``loop k on init <xs> { i, x ⇒ p }``; with `slack` (δ′) it is ``aloop``. `private` is None where it was left out."""

    slack: SExp | None
    count: SExp
    init: SExp
    private: tuple[Name, ...] | None
    index: Name
    state: Name
    body: PExp


@frozen(eq=False)
class Mechanism(Node):
    """A mechanism: ``laplace[s, ε] <xs> { e }`` and its kin.

    Parameters
    ----------
    name
        ``laplace mlaplace gauss mgauss bgauss ggauss dlaplace dgauss exponential AboveThreshold rand-resp noisy-max
        gibbs given``.
    params
        The expressions in brackets in the order written; None stands for ``auto``.
    candidates
        The candidate matrix of ``exponential``, ``noisy-max`` and ``gibbs``, else None.
    private
        The names between angle brackets; None when they were left out.
    binder
        The candidate's name where the body binds one, else None.
    """

    name: str
    params: tuple[SExp | None, ...]
    candidates: SExp | None
    private: tuple[Name, ...] | None
    binder: Name | None
    body: SExp


@frozen(eq=False)
class Parallel(Node):
    """``parallel[xs, keys] { row ⇒ e } { key, part ⇒ p }``."""

    table: SExp
    keys: SExp
    row: Name
    key_of: SExp
    key: Name
    part: Name
    body: PExp


@frozen(eq=False)
class PMap(Node):
    """``mmapp e { x ⇒ p }`` and ``pmap-col e { x ⇒ p }``; `form` is the keyword."""

    form: str
    arg: SExp
    name: Name
    body: PExp


@frozen(eq=False)
class PFoldRows(Node):
    """``pfld-rows[batch, init, xs, ys, f]``."""

    batch: SExp
    init: SExp
    features: SExp
    labels: SExp
    function: SExp


@frozen(eq=False)
class Sample(Node):
    """``sample[b] xs, ys { x, y ⇒ p }``, ``poisson[q] …``, ``shuffle[n] …``; `scheme` is the keyword."""

    scheme: str
    size: SExp
    tables: tuple[SExp, ...]
    names: tuple[Name, ...]
    body: PExp


@frozen(eq=False)
class Convert(Node):
    """``ZCDP[δ] { p }`` and its kin: the body is priced in the notion that `form` names."""

    form: str
    slack: SExp | None
    body: PExp


@frozen(eq=False)
class RandNat(Node):
    """``rand-nat[a, b]``: a uniform number, for nobody's data."""

    low: SExp
    high: SExp


@frozen(eq=False)
class PHole(Node):
    """A privacy expression that could not be read; told of already."""


PExp: TypeAlias = (
    Return
    | Bind
    | PLet
    | PLetPair
    | PIf
    | PCase
    | PApp
    | PLoop
    | Mechanism
    | Parallel
    | PMap
    | PFoldRows
    | Sample
    | Convert
    | RandNat
    | PHole
)


# ---------------------------------------------------------------------------------------------------------------------
# Files


@frozen(eq=False)
class Import(Node):
    path: str


@frozen(eq=False)
class Def(Node):
    name: Name
    value: SExp


@frozen(eq=False)
class File(Node):
    """``[notion N;] { import "path"; } { def name = e } [ e ]``."""

    notion: str | None
    imports: tuple[Import, ...]
    definitions: tuple[Def, ...]
    body: SExp | None


@frozen(eq=False)
class PrimitiveDecl(Node):
    """``prim mclip[L2, b] : τ``, a line of ``prelude.duet``.

    Parameters
    ----------
    name
        The Unicode spelling, as in `Prim`.
    brackets
        What stands in brackets after the name, as written: a norm, the name of a loss, names of static arguments.
    type
        The signature.
    doc, example
        The ``-- |`` lines above it, joined, and the ``-- >`` line; empty where there are none.
    """

    name: str
    brackets: tuple[str | Norm, ...]
    type: Type
    doc: str
    example: str
