"""The syntax of sensitivity expressions, and of privacy expressions, which hold one another."""

from __future__ import annotations

from typing import TypeAlias

from attrs import field, frozen

from duetpy.grammar.ast_leaves import (
    Aligned,
    BoolLit,
    DateLit,
    Guarantee,
    Hole,
    Name,
    NatLit,
    Nothing,
    Opaque,
    Param,
    PHole,
    RealLit,
    StaticNat,
    StaticReal,
    StrLit,
    Var,
)
from duetpy.grammar.ast_types import KindBinding, Node, Norm, RExp, Type
from duetpy.trees import REFERENCES, bound_in


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
    name: Name = field(metadata=bound_in("body"))
    bound: SExp
    body: SExp


@frozen(eq=False, repr=False)
class LetPair(Node):
    """``let ⟨x, y⟩ = e in e′``."""

    left: Name = field(metadata=bound_in("body"))
    right: Name = field(metadata=bound_in("body"))
    bound: SExp
    body: SExp


@frozen(eq=False, repr=False)
class Lam(Node):
    """``sλ κs . x : τ, … ⇒ e``."""

    kinds: tuple[KindBinding, ...]
    params: tuple[Param, ...] = field(metadata=bound_in("body"))
    body: SExp


@frozen(eq=False, repr=False)
class PLam(Node):
    """``pλ κs . x : τ, … ⇒ p ensures …``."""

    kinds: tuple[KindBinding, ...]
    params: tuple[Param | Aligned, ...] = field(metadata=bound_in("body"))
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
    left: Name = field(metadata=bound_in("left_body"))
    left_body: SExp
    right: Name = field(metadata=bound_in("right_body"))
    right_body: SExp


@frozen(eq=False, repr=False)
class CaseMissing(Node):
    """``case e { some x ⇒ e₁ ; none ⇒ e₂ }``."""

    scrutinee: SExp
    name: Name = field(metadata=bound_in("there"))
    there: SExp
    absent: SExp


@frozen(eq=False, repr=False)
class Record(Node):
    """``{ a = e, b = e′ }``: a name for each value."""

    names: tuple[Name, ...]
    values: tuple[SExp, ...]


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
    index: Name = field(metadata=bound_in("body"))
    state: Name = field(metadata=bound_in("body"))
    body: SExp


@frozen(eq=False, repr=False)
class MCreate(Node):
    norm: Norm
    rows: SExp
    cols: SExp
    row: Name = field(metadata=bound_in("body"))
    col: Name = field(metadata=bound_in("body"))
    body: SExp


@frozen(eq=False, repr=False)
class Map(Node):
    """``mmap``, ``mmap-row``, ``mmap-col``, ``bmap``, ``mapDF`` over one or two collections; `form` is the keyword."""

    form: str
    args: tuple[SExp, ...]
    names: tuple[Name, ...] = field(metadata=bound_in("body"))
    body: SExp


@frozen(eq=False, repr=False)
class Fold(Node):
    """``mfold-row init, xs { acc, row ⇒ body }``."""

    init: SExp
    arg: SExp
    state: Name = field(metadata=bound_in("body"))
    row: Name = field(metadata=bound_in("body"))
    body: SExp


@frozen(eq=False, repr=False)
class Filter(Node):
    """``mfilter xs { row ⇒ body }``."""

    arg: SExp
    row: Name = field(metadata=bound_in("body"))
    body: SExp


@frozen(eq=False, repr=False)
class Flat(Node):
    """``flat[k] xs { row ⇒ body }``: of the table that the body makes of each row, k rows at most."""

    most: SExp
    arg: SExp
    row: Name = field(metadata=bound_in("body"))
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
    """``partitionDF[e, a, e′]``, ``joinDF₁⧼a⧽[e, e′]``, ``joinDF[k]⧼a⧽[e, e′]`` with k as the first argument,
    ``addColDF⧼a⧽ e``; `form` is the keyword."""

    form: str
    column: Name
    args: tuple[SExp, ...]


@frozen(eq=False, repr=False)
class Return(Node):
    value: SExp


@frozen(eq=False, repr=False)
class Bind(Node):
    """``x ← p ; q``."""

    name: Name = field(metadata=bound_in("then"))
    first: PExp
    then: PExp


@frozen(eq=False, repr=False)
class PLet(Node):
    """``let x = e in p``."""

    name: Name = field(metadata=bound_in("body"))
    bound: SExp
    body: PExp


@frozen(eq=False, repr=False)
class PLetPair(Node):
    left: Name = field(metadata=bound_in("body"))
    right: Name = field(metadata=bound_in("body"))
    bound: SExp
    body: PExp


@frozen(eq=False, repr=False)
class PIf(Node):
    guard: SExp
    then: PExp
    otherwise: PExp


@frozen(eq=False, repr=False)
class PCase(Node):
    scrutinee: SExp
    left: Name = field(metadata=bound_in("left_body"))
    left_body: PExp
    right: Name = field(metadata=bound_in("right_body"))
    right_body: PExp


@frozen(eq=False, repr=False)
class PCaseMissing(Node):
    """``case e { some x ⇒ p ; none ⇒ q }``."""

    scrutinee: SExp
    name: Name = field(metadata=bound_in("there"))
    there: PExp
    absent: PExp


@frozen(eq=False, repr=False)
class PApp(Node):
    """``f@[ηs . es]``."""

    function: SExp
    kinds: tuple[RExp | Type, ...]
    args: tuple[SExp, ...]


@frozen(eq=False, repr=False)
class PLoop(Node):
    """``loop k on init <xs> { i, x ⇒ p }``; with `slack` (δ′) it is ``aloop``. `private` is None where it was left out."""

    slack: SExp | None
    count: SExp
    init: SExp
    private: tuple[Name, ...] | None = field(metadata=REFERENCES)
    index: Name = field(metadata=bound_in("body"))
    state: Name = field(metadata=bound_in("body"))
    body: PExp


@frozen(eq=False, repr=False)
class Mechanism(Node):
    """A mechanism: ``laplace[s, ε] <xs> { e }`` and its kin.

    Parameters
    ----------
    name
        ``laplace mlaplace gauss mgauss bgauss ggauss dlaplace dgauss canonical exponential AboveThreshold rand-resp
        noisy-max gibbs given``.
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
    private: tuple[Name, ...] | None = field(metadata=REFERENCES)
    binder: Name | None = field(metadata=bound_in("body"))
    body: SExp


@frozen(eq=False, repr=False)
class Parallel(Node):
    """``parallel[xs, keys] { row ⇒ e } { key, part ⇒ p }``; with `most`, ``parallel[g, xs, keys] …``, a row has several keys."""

    most: SExp | None
    table: SExp
    keys: SExp
    row: Name = field(metadata=bound_in("key_of"))
    key_of: SExp
    key: Name = field(metadata=bound_in("body"))
    part: Name = field(metadata=bound_in("body"))
    body: PExp


@frozen(eq=False, repr=False)
class PMap(Node):
    """``mmapp e { x ⇒ p }`` and ``pmap-col e { x ⇒ p }``; `form` is the keyword."""

    form: str
    arg: SExp
    name: Name = field(metadata=bound_in("body"))
    body: PExp


@frozen(eq=False, repr=False)
class PFoldRows(Node):
    """``pfld-rows[batch, init, xs, ys, f]``."""

    batch: SExp
    init: SExp
    features: SExp
    labels: SExp
    function: SExp


@frozen(eq=False, repr=False)
class Sample(Node):
    """``sample[b] xs, ys { x, y ⇒ p }``, ``poisson[q] …``, ``shuffle[n] …``; `scheme` is the keyword."""

    scheme: str
    size: SExp
    tables: tuple[SExp, ...]
    names: tuple[Name, ...] = field(metadata=bound_in("body"))
    body: PExp


@frozen(eq=False, repr=False)
class Convert(Node):
    """``ZCDP[δ] { p }`` and its kin: the body is priced in the notion that `form` names."""

    form: str
    slack: SExp | None
    body: PExp


@frozen(eq=False, repr=False)
class RandNat(Node):
    """``rand-nat[a, b]``: a uniform number, for nobody's data."""

    low: SExp
    high: SExp


SExp: TypeAlias = (
    Var
    | NatLit
    | RealLit
    | StrLit
    | BoolLit
    | DateLit
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
    | Nothing
    | CaseMissing
    | Case
    | Record
    | SetLit
    | If
    | Loop
    | MCreate
    | Map
    | Fold
    | Filter
    | Flat
    | Index
    | Update
    | FieldOf
    | Select
    | FrameOp
    | Opaque
    | Hole
)

PExp: TypeAlias = (
    Return
    | Bind
    | PLet
    | PLetPair
    | PIf
    | PCase
    | PCaseMissing
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
