"""Values that may be missing, in both judgements.

τ? holds the values of τ and none, at distance 1 wherever they differ: a neighbour's cell may be missing, or be there, like any
other change of it. What `or-else` and `is-missing` cost, the prelude says.
"""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.typecheck import elaborate, rewriting
from duetpy.typecheck import types as t
from duetpy.typecheck.cells import may_be_missing
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.choices import branches, either
from duetpy.typecheck.context import EMPTY
from duetpy.typecheck.errors import missing
from duetpy.typecheck.judgement import Charged, Judged
from duetpy.typecheck.literals import goes_by, judge_branch


#   ────────────────────────
#   Γ ⊢ none[τ] : τ? ; ∅
def nothing(checker: Checker, node: ast.Nothing) -> Judged:
    inner = elaborate.type_(checker, node.type)
    if isinstance(inner, t.Poison):
        return Judged(inner)
    if not may_be_missing(inner) or rewriting.free_variables(inner):
        return checker.refuse(missing.cannot_be_missing(node.type.span, inner), EMPTY)
    checker.annotations.missing[node] = inner
    return Judged(t.Maybe(inner))


def part(checker: Checker, node: ast.SExp, judged: Judged) -> t.Type:
    """τ of a value of type τ?."""
    if isinstance(judged.type, t.Maybe):
        return judged.type.inner
    if not isinstance(judged.type, t.Poison):
        checker.report(missing.not_missing(node.span, judged.type))
    return t.POISON


#   Γ ⊢ e : τ? ; Σ      Γ, x : τ ; ∞⊙Σ ⊢ e₁ : σ ; Σ₁      Γ ⊢ e₂ : σ ; Σ₂
#   ───────────────────────────────────────────────────────────────────────
#   Γ ⊢ case e { some x ⇒ e₁ ; none ⇒ e₂ } : σ ; ∞⊙Σ ⊞ (Σ₁ ⊔ Σ₂)
#
# A step of e may be from a value to none, and so from one branch to the other; or from a value of τ to any other, however far away.
# Where e stays the same, the same branch is evaluated, with the same x. What is discrete, or has a range, moves by no more than its
# diameter after all (`Judged.capped`).
def case(checker: Checker, node: ast.CaseMissing) -> Judged:
    scrutinee = checker.judge(node.scrutinee)
    inner = part(checker, node.scrutinee, scrutinee)
    moved = scrutinee.context.unbounded()

    # A literal shows nothing about the type, and is judged by the other branch.
    there: Judged | None = None
    if not goes_by(node.there, node.absent):
        with checker.scope.binding((node.name.text, Judged(inner, moved))):
            there = checker.judge(node.there)
    absent = judge_branch(checker, node.absent, there)
    return branches(checker, node, there or judge_branch(checker, node.there, absent), absent, moved)


#   Γ ⊢ e : τ? ; Σ      Γ, x : τ ; ∅ ⊢ p : σ ; Π₁      Γ ⊢ q : σ ; Π₂
#   ──────────────────────────────────────────────────────────────────      which branch runs is seen, and all of Σ is in the
#   Γ ⊢ case e { some x ⇒ p ; none ⇒ q } : σ ; ∞⊙Σ ⊞ (Π₁ ⊔ Π₂)              clear, so that x is public from then on
def private_case(checker: Checker, node: ast.PCaseMissing) -> Charged:
    scrutinee = checker.judge(node.scrutinee)
    inner = part(checker, node.scrutinee, scrutinee)
    with checker.scope.binding((node.name.text, Judged(inner))):
        there = checker.judge_private(node.there)
    return either(checker, node, scrutinee, there, checker.judge_private(node.absent))
