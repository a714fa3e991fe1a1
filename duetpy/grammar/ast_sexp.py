"""The syntax of sensitivity expressions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from attrs import frozen

from duetpy.grammar.ast_types import KindBinding, Node, Norm, RExp, Type

if TYPE_CHECKING:
    from duetpy.grammar.ast_pexp import PExp


@frozen(eq=False, repr=False)
class Name(Node):
    """A binding occurrence of a variable, with the place where it was written."""

    text: str


@frozen(eq=False, repr=False)
class Var(Node):
    name: str


@frozen(eq=False, repr=False)
class NatLit(Node):
    """``3``; negative integers are allowed and are dynamic reals-in-waiting: their type is ℝ."""

    value: int


@frozen(eq=False, repr=False)
class RealLit(Node):
    value: Fraction


@frozen(eq=False, repr=False)
class StrLit(Node):
    value: str


@frozen(eq=False, repr=False)
class BoolLit(Node):
    value: bool


@frozen(eq=False, repr=False)
class StaticNat(Node):
    """``ℕ[3]``."""

    value: RExp


@frozen(eq=False, repr=False)
class StaticReal(Node):
    """``ℝ⁺[2.0]``, ``ℝ[-0.5]``."""

    value: RExp
    signed: bool
    negative: bool


@frozen(eq=False, repr=False)
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
        Static expressions in brackets: the bound of ``mclip[L2, b]``, the two of ``clip[lo, hi]``, the number of a loss, then the
        length and the regularisation of a step.
    loss
        The loss of a gradient (``LR``, ``HUBER`` …), else None.
    """

    name: str
    args: tuple[SExp, ...]
    norm: Norm | None = None
    bounds: tuple[SExp, ...] = ()
    loss: str | None = None


@frozen(eq=False, repr=False)
class Let(Node):
    name: Name
    bound: SExp
    body: SExp


@frozen(eq=False, repr=False)
class LetPair(Node):
    """``let ⟨x, y⟩ = e in e′``."""

    left: Name
    right: Name
    bound: SExp
    body: SExp


@frozen(eq=False, repr=False)
class Param(Node):
    """``x : τ``; the type may be left out where the use determines it."""

    name: Name
    type: Type | None


@frozen(eq=False, repr=False)
class Aligned(Node):
    """``⟨xs : τ₁, ys : τ₂⟩``: views of the same rows, one privacy unit."""

    params: tuple[Param, ...]


@frozen(eq=False, repr=False)
class Lam(Node):
    """``sλ κs . x : τ, … ⇒ e``."""

    kinds: tuple[KindBinding, ...]
    params: tuple[Param, ...]
    body: SExp


@frozen(eq=False, repr=False)
class Guarantee(Node):
    """One conjunct of ``ensures``: ``ε ≤ 1``."""

    letter: str
    bound: RExp


@frozen(eq=False, repr=False)
class PLam(Node):
    """``pλ κs . x : τ, … ⇒ p ensures …``."""

    kinds: tuple[KindBinding, ...]
    params: tuple[Param | Aligned, ...]
    body: PExp
    ensures: tuple[Guarantee, ...] = ()


@frozen(eq=False, repr=False)
class App(Node):
    function: SExp
    argument: SExp


@frozen(eq=False, repr=False)
class TypeApp(Node):
    """``f@[ηs]``; an argument that follows is an `App` around it."""

    function: SExp
    arguments: tuple[RExp | Type, ...]


@frozen(eq=False, repr=False)
class Pair(Node):
    """``⟨e₁, e₂⟩``, or ``⟨e₁ & e₂⟩`` when `lazy`."""

    left: SExp
    right: SExp
    lazy: bool = False


@frozen(eq=False, repr=False)
class Inject(Node):
    """``inl[τ] e`` / ``inr[τ] e``; the type is that of the other side and may be left out."""

    side: str
    other: Type | None
    arg: SExp


@frozen(eq=False, repr=False)
class Case(Node):
    """``case e { inl x ⇒ e₁ ; inr y ⇒ e₂ }``."""

    scrutinee: SExp
    left: Name
    left_body: SExp
    right: Name
    right_body: SExp


@frozen(eq=False, repr=False)
class SetLit(Node):
    elements: tuple[SExp, ...]


@frozen(eq=False, repr=False)
class If(Node):
    guard: SExp
    then: SExp
    otherwise: SExp


@frozen(eq=False, repr=False)
class Loop(Node):
    """``loop k on init { i, x ⇒ body }``."""

    count: SExp
    init: SExp
    index: Name
    state: Name
    body: SExp


@frozen(eq=False, repr=False)
class MCreate(Node):
    norm: Norm
    rows: SExp
    cols: SExp
    row: Name
    col: Name
    body: SExp


@frozen(eq=False, repr=False)
class Map(Node):
    """``mmap``, ``mmap-row``, ``mmap-col``, ``bmap``, ``mapDF`` over one or two collections; `form` is the keyword."""

    form: str
    args: tuple[SExp, ...]
    names: tuple[Name, ...]
    body: SExp


@frozen(eq=False, repr=False)
class Fold(Node):
    """``mfold-row init, xs { acc, row ⇒ body }``."""

    init: SExp
    arg: SExp
    state: Name
    row: Name
    body: SExp


@frozen(eq=False, repr=False)
class Filter(Node):
    """``mfilter xs { row ⇒ body }``."""

    arg: SExp
    row: Name
    body: SExp


@frozen(eq=False, repr=False)
class Index(Node):
    """``e#[i, j]`` or, with `col` None, ``e#[i]`` (a whole row)."""

    matrix: SExp
    row: SExp
    col: SExp | None


@frozen(eq=False, repr=False)
class Update(Node):
    """``e#[i, j ↦ e′]``."""

    matrix: SExp
    row: SExp
    col: SExp
    value: SExp


@frozen(eq=False, repr=False)
class FieldOf(Node):
    """``row⧼age⧽`` or ``row.age``."""

    record: SExp
    name: Name


@frozen(eq=False, repr=False)
class Select(Node):
    """``xs.[age, income]``."""

    table: SExp
    names: tuple[Name, ...]


@frozen(eq=False, repr=False)
class FrameOp(Node):
    """``partitionDF[e, a, e′]``, ``joinDF₁⧼a⧽[e, e′]``, ``addColDF⧼a⧽ e``; `form` is the keyword."""

    form: str
    column: Name
    args: tuple[SExp, ...]


@frozen(eq=False, repr=False)
class Opaque(Node):
    """``opaque "module:function" : τ``."""

    target: str
    type: Type


@frozen(eq=False, repr=False)
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
