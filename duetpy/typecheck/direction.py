"""Which way a function of one argument goes: as the argument grows it never falls, or never rises.

Numbers grow along the line, tables of unknown size by rows that are added. The judgement is a syntactic one and is about
values alone; no metric is involved. Whatever it does not know goes no way, and that is always sound.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.grammar import ast
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.fold_patterns import mentions

MAXIMAL_NESTING = 200
"""A search for what saves noise or time, and refuses nothing, goes no deeper."""


class Direction(Enum):
    """How an expression moves while one name grows: not at all, never down, never up."""

    STILL = 0
    UP = 1
    DOWN = -1

    def turned(self) -> Direction:
        """The other way."""
        return Direction(-self.value)


def same_way(one: Direction | None, other: Direction | None) -> Direction | None:
    """The direction of what moves with both; None where they may go different ways."""
    if one is None or other is None or one is other or other is Direction.STILL:
        return one if other is not None else None
    return other if one is Direction.STILL else None


@frozen(eq=False, repr=False)
class Known(ByValue):
    """How what a name stands for moves, and whether it is plainly above 0. Other names stay, and may be anything."""

    way: Direction | None
    is_positive: bool = False


Names: TypeAlias = "Mapping[str, Known]"


def goes_one_way(body: ast.SExp) -> bool:
    """Whether a body is a function `sλ x ⇒ e` that goes one way in x, at all values of the names around it, which one the same
    at all of them."""
    names: dict[str, Known] = {}
    while isinstance(body, ast.Let):
        names[body.name.text] = Known(Direction.STILL, is_positive(body.bound, names))
        body = body.body
    if not isinstance(body, ast.Lam) or len(body.params) != 1:
        return False
    return direction(body.body, {**names, body.params[0].name.text: Known(Direction.UP)}) is not None


#   e without x : still      x : up      e₁ : d      e₂ : d′       d and d′ are not opposite
#                                        ─────────────────────────────────────────────────────────────────────────
#                                        e₁ + e₂, e₁ ⊔ e₂, e₁ ⊓ e₂ : d ∨ d′      e₁ - e₂ : d ∨ −d′ where it exists
#
#   e : d      c > 0 a literal                                e₁ : d      e₂ : d′      g without x
#   ──────────────────────────────────────────────────────    ────────────────────────────────────
#   c ⋅ e, e / c, clip[a, b] e, real e, dyn e, rows e : d     if g then e₁ else e₂ : d ∨ d′
#
#   e : d      p without x                                                                 e₁ : d₁      y : d₁ ⊢ e₂ : d₂
#   ─────────────────────────      a row that is added is kept or not, the others stay     ───────────────────────────
#   mfilter e { r ⇒ p } : d                                                                let y = e₁ in e₂ : d₂
#
# A name that moves is meant by each x here. Rounded to doubles each of these is as monotone as it is exactly. The difference of
# natural numbers that stops at 0 is too.
def direction(node: ast.SExp, names: Names, nesting: int = 0) -> Direction | None:
    """Which way an expression goes while names go theirs and all others stay; None where it is not known."""
    if stays(node, names):
        return Direction.STILL
    if nesting > MAXIMAL_NESTING:
        return None
    deeper = nesting + 1
    match node:
        case ast.Var(name=name):
            return names[name].way
        case ast.Prim() if stated := facts_of(node.name).direction:
            return _through(stated, node.args, names, deeper)
        case ast.Prim(name="clip", args=(inner,), bounds=bounds) if all(stays(bound, names) for bound in bounds):
            return direction(inner, names, deeper)
        case ast.Filter(arg=inner, row=row, body=body) if row.text not in names and stays(body, names):
            return direction(inner, names, deeper)
        case ast.If(guard=guard, then=then, otherwise=otherwise) if stays(guard, names):
            return same_way(direction(then, names, deeper), direction(otherwise, names, deeper))
        case ast.Let(name=bound_name, bound=bound, body=body):
            known = Known(direction(bound, names, deeper), is_positive(bound, names))
            return direction(body, {**names, bound_name.text: known}, deeper)
        case _:
            return None


def stays(node: ast.SExp, names: Names) -> bool:
    """Whether an expression mentions no name that may move."""
    return not any(known.way is not Direction.STILL and mentions(node, name) for name, known in names.items())


def _through(stated: tuple[str, ...], args: tuple[ast.SExp, ...], names: Names, nesting: int) -> Direction | None:
    """Which way a primitive goes, of which is stated how it goes as each of its operands grows."""
    found: Direction | None = Direction.STILL
    for position, (goes, argument) in enumerate(zip(stated, args, strict=True)):
        here = direction(argument, names, nesting)
        if here is None:
            return None
        if goes in ("factor", "fixed") and here is not Direction.STILL:
            others = args[:position] + args[position + 1 :]
            if goes == "fixed" or not all(is_positive(other, names) for other in others):
                return None
        found = same_way(found, here.turned() if goes == "down" else here)
    return found


def is_positive(node: ast.SExp, names: Names) -> bool:
    """Whether an expression is plainly a number above 0: a literal, or a name for one."""
    match node:
        case ast.Var(name=name):
            return name in names and names[name].is_positive
        case ast.NatLit(value=value):
            return value > 0
        case ast.RealLit(value=value):
            return value > 0
        case _:
            return False
