"""Whether an integer literal is a natural or a real number: a real one where only a real number can stand.

A literal is natural, of type ℕ[n], unless the other operand or the context is a real number; then it is n.0, of type
ℝ⁺[n]. As one of two branches next to a discrete number it is a discrete number, of type 𝔻 in [n, n]. That is the literal
alone: sizes, indexes, the values of kinds, and what is computed from naturals stay natural. What was decided of a literal
holds wherever it is judged again, so that the run computes with the number that was judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeGuard

from duetpy.grammar import ast
from duetpy.typecheck.cells import GREATEST_CELL
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import Quantity, Signed
from duetpy.typecheck.types import Bounded, Disc, Maybe, Nat, Real, StaticReal, Type


def is_literal(node: ast.SExp) -> TypeGuard[ast.NatLit]:
    """Whether an expression is an integer literal that either number could be; one below 0 is real as it stands."""
    return isinstance(node, ast.NatLit) and node.value >= 0


def is_number(node: ast.SExp) -> TypeGuard[ast.NatLit | ast.RealLit]:
    """Whether an expression is a literal number, of whichever sort."""
    return isinstance(node, ast.NatLit | ast.RealLit)


def goes_by(node: ast.SExp, other: ast.SExp) -> bool:
    """Whether a branch is a literal that the other branch decides the sort of."""
    return is_literal(node) or (is_number(node) and not is_number(other))


def is_real(type_: Type) -> bool:
    """Whether values of a type are real numbers, if they are not missing: ℝ, ℝ⁺[r], 𝔻, 𝔻?."""
    while isinstance(type_, Disc | Maybe):
        type_ = type_.inner
    return isinstance(type_, Real | Bounded | StaticReal)


#   n a literal where a real number is demanded
#   ───────────────────────────────────────────
#   Γ ⊢ n : ℝ⁺[n] ; ∅
def judge_as(checker: Checker, node: ast.SExp, demands_real: bool) -> Judged:
    """The judgement of an expression; of an integer literal where a real number is demanded, that of the real number."""
    if not is_literal(node):
        return checker.judge(node)
    before = checker.concluded.get(node)
    if isinstance(before.type, StaticReal) if before is not None else demands_real:
        return checker.settled(node, Judged(StaticReal(Signed(False, Quantity.of(node.value)))))
    return checker.judge(node)


#   Γ ⊢ e : 𝔻 ; Σ      v a literal, the other branch          Γ ⊢ e : 𝐝 ℕ ; Σ      n a literal, the other branch
#   ──────────────────────────────────────────────          ────────────────────────────────────────────────
#   Γ ⊢ v : 𝔻 in [v, v] ; ∅                                  Γ ⊢ n : 𝐝 ℕ ; ∅
#
# No input moves a literal, at any distance. The run computes disc v, the double next to v, which is in the range (`Bounded`).
def judge_branch(checker: Checker, node: ast.SExp, other: Judged | None) -> Judged:
    """The judgement of one of two branches, if that of the other one is known."""
    if other is None or not is_number(node):
        return judge_as(checker, node, False)
    before, exact = checker.concluded.get(node), Fraction(node.value)
    match other.type if before is None else before.type:
        case Disc(Real() | Bounded()) if abs(exact) <= GREATEST_CELL:
            return checker.settled(node, Judged(Disc(Bounded(exact, exact))))
        case Disc(Nat()) if is_literal(node) and exact <= GREATEST_CELL:
            return checker.settled(node, Judged(Disc(Nat())))
        case _:
            return judge_as(checker, node, is_real(other.type))


def judge_alike(checker: Checker, nodes: Sequence[ast.SExp]) -> list[Judged]:
    """The judgements of expressions that must be numbers of one sort: a real one among them makes the literals real."""
    judged = [None if is_literal(node) else checker.judge(node) for node in nodes]
    demands_real = any(other is not None and is_real(other.type) for other in judged)
    return [judge_as(checker, node, demands_real) if j is None else j for node, j in zip(nodes, judged, strict=True)]
