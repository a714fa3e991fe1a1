"""Which way a function of one argument goes: as the argument grows it never falls, or never rises.

Numbers grow along the line, tables of unknown size by rows that are added. The judgement is a syntactic one and is about
values alone; no metric is involved. Whatever it does not know goes no way, and that is always sound.
"""

from __future__ import annotations

from enum import Enum

from duetpy.grammar import ast
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.fold_patterns import MAXIMAL_NESTING, mentions


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


def goes_one_way(body: ast.SExp) -> bool:
    """Whether a body is a function `sλ x ⇒ e` that goes one way in x, at all values of the names around it, which one the same
    at all of them."""
    while isinstance(body, ast.Let):
        body = body.body
    if not isinstance(body, ast.Lam) or len(body.params) != 1:
        return False
    return direction(body.body, body.params[0].name.text) is not None


#   e without x : still      x : up      e₁ : d      e₂ : d′       d and d′ are not opposite
#                                        ─────────────────────────────────────────────────────────────────────────
#                                        e₁ + e₂, e₁ ⊔ e₂, e₁ ⊓ e₂ : d ∨ d′      e₁ - e₂ : d ∨ −d′ where it exists
#
#   e : d      c > 0 a literal                                e₁ : d      e₂ : d′      g without x
#   ──────────────────────────────────────────────────────    ────────────────────────────────────
#   c ⋅ e, e / c, clip[a, b] e, real e, dyn e, rows e : d     if g then e₁ else e₂ : d ∨ d′
#
#   e : d      p without x
#   ─────────────────────────      a row that is added is kept or is not, and the others stay as they are
#   mfilter e { r ⇒ p } : d
#
# Rounded to doubles each of these is as monotone as it is exactly. The difference of natural numbers that stops at 0 is too.
def direction(node: ast.SExp, name: str, nesting: int = 0) -> Direction | None:
    """Which way an expression goes while a name grows and all others stay; None where it is not known."""
    if not mentions(node, name):
        return Direction.STILL
    if nesting > MAXIMAL_NESTING:
        return None
    deeper = nesting + 1
    match node:
        case ast.Var():
            return Direction.UP
        case ast.Prim() if stated := facts_of(node.name).direction:
            return _through(stated, node.args, name, deeper)
        case ast.Prim(name="clip", args=(inner,), bounds=bounds) if not any(mentions(bound, name) for bound in bounds):
            return direction(inner, name, deeper)
        case ast.Filter(arg=inner, row=row, body=body) if row.text != name and not mentions(body, name):
            return direction(inner, name, deeper)
        case ast.If(guard=guard, then=then, otherwise=otherwise) if not mentions(guard, name):
            return same_way(direction(then, name, deeper), direction(otherwise, name, deeper))
        case ast.Let(name=bound_name, bound=bound, body=body) if bound_name.text != name and not mentions(bound, name):
            return direction(body, name, deeper)
        case _:
            return None


def _through(stated: tuple[str, ...], args: tuple[ast.SExp, ...], name: str, nesting: int) -> Direction | None:
    """Which way a primitive goes, of which is stated how it goes as each of its operands grows."""
    found: Direction | None = Direction.STILL
    for position, (goes, argument) in enumerate(zip(stated, args, strict=True)):
        here = direction(argument, name, nesting)
        if here is None:
            return None
        if goes in ("factor", "fixed") and here is not Direction.STILL:
            others = args[:position] + args[position + 1 :]
            if goes == "fixed" or not all(map(is_positive, others)):
                return None
        found = same_way(found, here.turned() if goes == "down" else here)
    return found


def is_positive(node: ast.SExp) -> bool:
    """Whether an expression is plainly a number above 0: a literal."""
    match node:
        case ast.NatLit(value=value):
            return value > 0
        case ast.RealLit(value=value):
            return value > 0
        case _:
            return False
