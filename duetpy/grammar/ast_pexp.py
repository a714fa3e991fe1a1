"""The syntax of privacy expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from attrs import frozen

from duetpy.grammar.ast_types import Node, RExp, Type

if TYPE_CHECKING:
    from duetpy.grammar.ast_sexp import Name, SExp


@frozen(eq=False, repr=False)
class Return(Node):
    value: SExp


@frozen(eq=False, repr=False)
class Bind(Node):
    """``x ← p ; q``."""

    name: Name
    first: PExp
    then: PExp


@frozen(eq=False, repr=False)
class PLet(Node):
    """``let x = e in p``."""

    name: Name
    bound: SExp
    body: PExp


@frozen(eq=False, repr=False)
class PLetPair(Node):
    left: Name
    right: Name
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
    left: Name
    left_body: PExp
    right: Name
    right_body: PExp


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
    private: tuple[Name, ...] | None
    index: Name
    state: Name
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
    private: tuple[Name, ...] | None
    binder: Name | None
    body: SExp


@frozen(eq=False, repr=False)
class Parallel(Node):
    """``parallel[xs, keys] { row ⇒ e } { key, part ⇒ p }``."""

    table: SExp
    keys: SExp
    row: Name
    key_of: SExp
    key: Name
    part: Name
    body: PExp


@frozen(eq=False, repr=False)
class PMap(Node):
    """``mmapp e { x ⇒ p }`` and ``pmap-col e { x ⇒ p }``; `form` is the keyword."""

    form: str
    arg: SExp
    name: Name
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
    names: tuple[Name, ...]
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


@frozen(eq=False, repr=False)
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
