"""A literal as one of two branches next to a discrete number: the second checker's reading of what number it is."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import evolve

from duetpy.grammar import ast
from tests.soundness.reference.metrics import NAT, Disc, Within

if TYPE_CHECKING:
    from tests.soundness.reference.checker import Fact


def alike(branches: tuple[ast.SExp, ast.SExp], found: tuple[Fact, Fact]) -> tuple[Fact, Fact]:
    """What is known of two branches, of which a literal is a discrete number if the other one is."""
    (first, second), (left, right) = branches, found
    return _next_to(first, left, right), _next_to(second, right, left)


def _next_to(node: ast.SExp, found: Fact, other: Fact) -> Fact:
    match node:
        case ast.NatLit() if other.type == Disc(NAT):
            return evolve(found, type=other.type)
        case ast.NatLit(value=value) | ast.RealLit(value=value) if isinstance(other.type, Disc) and other.type != Disc(
            NAT
        ):
            number = Fraction(value)
            return evolve(found, type=Disc(Within(number, number)))
        case _:
            return found
