"""The evaluator and the definition side by side on random inputs."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from duetpy.grammar import ast
from tests.soundness.drawing import Drawer
from tests.soundness.evaluated import by_evaluator
from tests.soundness.falsify import Kinds, Program, arguments_for, by_definition, nodes, valuations
from tests.soundness.plain import Left, Right, Table

JUMPING = frozenset(
    {"≡", "<", "≤", "∈", "sign", "disc", "discf", "%", "floor", "ceil", "round", "count", "∇", "U∇", "row∇"}
)
"""Primitives that may turn a rounding error into any difference."""


def disagreement(claim: Program, seed: int, draws: int = 2, at: Sequence[Kinds] = ()) -> str | None:
    """An input on which the evaluator does not compute what is meant: exactly, or closely where roots are taken; at some numbers
    for the kind variables, or at those given."""
    names = {node.name for node in nodes(claim.typed.body or claim.typed.file) if isinstance(node, ast.Prim)}
    if not claim.is_exact and names & JUMPING:
        return None
    evaluated, meant, source = by_evaluator(claim), by_definition(claim), random.Random(seed)
    for kinds in at or list(valuations(claim, source))[:2]:
        drawer = Drawer(source, claim.landmarks)
        for _ in range(draws):
            arguments = arguments_for(claim.at(kinds), drawer)
            left, right = evaluated(kinds, arguments), meant(kinds, arguments)
            if not is_close(left, right, claim.is_exact):
                return f"computed {left}\n   meant {right}\n  of {arguments} at {dict(kinds)}\n{claim.text}"
    return None


def is_close(left: Any, right: Any, exact: bool) -> bool:
    match left, right:
        case Table(), Table():
            same_width = left.width == right.width or not left.rows
            return (
                same_width
                and len(left.rows) == len(right.rows)
                and all_close(zip(left.rows, right.rows, strict=True), exact)
            )
        case bool(), _:
            return left is right
        case (Left(a), Left(b)) | (Right(a), Right(b)):
            return is_close(a, b, exact)
        case tuple(), tuple():
            return all_close(zip(left, right, strict=True), exact)
        case ((int() | Fraction() | float()), (int() | Fraction() | float())):
            # 𝔻 rounds to doubles.
            bound = Fraction(1, 10**12) if exact else Fraction(1, 10**6)
            return bool(left == right or abs(Fraction(left) - Fraction(right)) <= bound * (1 + abs(Fraction(left))))
        case _:
            return bool(left == right)


def all_close(pairs: Iterable[tuple[Any, Any]], exact: bool) -> bool:
    return all(is_close(left, right, exact) for left, right in pairs)
