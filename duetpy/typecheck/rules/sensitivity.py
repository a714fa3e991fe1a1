"""The sensitivity judgement Γ ⊢ e : τ ; Σ for literals, bindings, pairs, sums, choices and loops.

Read `Σ₁ ⊞ Σ₂` for the sum of contexts, `s⊙Σ` for scaling and `Σ ⊔ Σ′` for the larger of two. Functions, matrices and
primitives have files of their own. Every rule may assume that the judgements of its parts are right, and must hold for all
values of the parts: s is a Lipschitz constant, never 'what happens at distance 1'.
"""

from __future__ import annotations

from typing import assert_never

from attrs import evolve

from duetpy.grammar import ast
from duetpy.typecheck import elaborate, let_inference
from duetpy.typecheck import types as t
from duetpy.typecheck.boxes import repaid
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.choices import branches
from duetpy.typecheck.context import EMPTY, Context, Root
from duetpy.typecheck.errors import names, sensitivity, shapes
from duetpy.typecheck.judgement import Judged, degree_of
from duetpy.typecheck.literals import goes_by, judge_alike, judge_branch
from duetpy.typecheck.parts import closed, judge_guard, opened, pair_parts, sum_parts
from duetpy.typecheck.quantity import Quantity, Signed
from duetpy.typecheck.repetition import amplification, state_keeps, turns_of
from duetpy.typecheck.subtype import is_comparable, join_types, widen


#   Γ(x) = τ ; Σ
#   ─────────────            a parameter stands for itself, a let-bound name for what it was bound to
#   Γ ⊢ x : τ ; Σ
def variable(checker: Checker, node: ast.Var) -> Judged:
    found = let_inference.named(checker, node)
    if found is None:
        return checker.refuse(names.unbound(node.span, node.name, checker.scope), EMPTY)
    return found


#   ───────────────────      a literal depends on nothing; numbers are known statically
#   Γ ⊢ 2.5 : ℝ⁺[2.5] ; ∅
def literal(
    checker: Checker,
    node: ast.NatLit | ast.RealLit | ast.StrLit | ast.BoolLit | ast.DateLit | ast.StaticNat | ast.StaticReal,
) -> Judged:
    match node:
        case ast.NatLit(value=value) if value >= 0:
            return Judged(t.StaticNat(Quantity.of(value)))
        case ast.NatLit(value=value):
            return Judged(t.StaticReal(Signed(True, Quantity.of(-value))))
        case ast.RealLit(value=value):
            return Judged(t.StaticReal(Signed.of(value)))
        case ast.StrLit():
            return Judged(t.STR)
        case ast.BoolLit():
            return Judged(t.BOOL)
        case ast.DateLit():
            return Judged(t.DATE)
        case ast.StaticNat(value=value):
            size = elaborate.size(checker, value)
            checker.annotations.numbers[node] = Signed(False, size)
            return Judged(t.StaticNat(size))
        case ast.StaticReal(value=value, negative=negative):
            number = Signed(negative, elaborate.quantity(checker, value))
            checker.annotations.numbers[node] = number
            return Judged(t.StaticReal(number))
        case _:
            assert_never(node)


#   Γ ⊢ e₁ : τ₁ ; Σ₁      Γ, x : τ₁ ; Σ₁ ⊢ e₂ : τ₂ ; Σ₂
#   ─────────────────────────────────────────────────      x stands for e₁, debts included
#   Γ ⊢ let x = e₁ in e₂ : τ₂ ; Σ₂
def let_spine(checker: Checker, node: ast.Let) -> Judged:
    bound_names: list[str] = []
    placeholders: list[Judged] = []
    here: ast.SExp = node
    try:
        while isinstance(here, ast.Let):
            judged = let_inference.bound(checker, here.name.text, here.bound)
            checker.scope.push(here.name.text, judged)
            bound_names.append(here.name.text)
            placeholders.append(judged)
            here = here.body
        result = checker.judge(here)
        let_inference.end(checker, placeholders)
        return result
    finally:
        for name in reversed(bound_names):
            checker.scope.pop(name)


#   Γ ⊢ e₁ : τ₁ × τ₂ ; Σ₁      Γ, x : τ₁, y : τ₂ ⊢ e₂ : τ ; Σ₂
#   ──────────────────────────────────────────────────────────────      distances of a pair add
#   Γ ⊢ let ⟨x, y⟩ = e₁ in e₂ : τ ; (Σ₂(x) ⊔ Σ₂(y))⊙Σ₁ ⊞ Σ₂∖x,y          of an &-pair the larger counts: Σ₂(x) ⊞ Σ₂(y)
#
# Where e₁ is written as a pair, or is a name of one, x and y are lets.
def let_pair(checker: Checker, node: ast.LetPair) -> Judged:
    bound = checker.judge(node.bound)
    if bound.parts:
        left, right = bound.parts
        with checker.scope.binding((node.left.text, left), (node.right.text, right)):
            return checker.judge(node.body)
    parts = pair_parts(checker, node.bound, bound)
    x, y, left, right = opened(node.left.text, node.right.text, parts, bound.degree)
    with checker.scope.binding((node.left.text, left), (node.right.text, right)):
        body = checker.judge(node.body)
    return closed(body, x, y, bound)


#   Γ ⊢ e₁ : τ₁ ; Σ₁      Γ ⊢ e₂ : τ₂ ; Σ₂             distances add in τ₁ × τ₂,
#   ───────────────────────────────────────            and the larger one counts in τ₁ & τ₂
#   Γ ⊢ ⟨e₁, e₂⟩ : τ₁ × τ₂ ; Σ₁ ⊞ Σ₂
def pair(checker: Checker, node: ast.Pair) -> Judged:
    left = checker.judge(node.left)
    right = checker.judge(node.right)
    if isinstance(left.type, t.Poison) or isinstance(right.type, t.Poison):
        return Judged(t.POISON, left.context + right.context)
    parts = left.bound_to(node.left), right.bound_to(node.right)
    if node.lazy:
        return Judged(t.With(left.type, right.type), left.context.join(right.context), parts=parts)
    return Judged(t.Product(left.type, right.type), left.context + right.context, parts=parts)


#   Γ ⊢ e : τ₁ ; Σ
#   ──────────────────────────────
#   Γ ⊢ inl[τ₂] e : τ₁ + τ₂ ; Σ
def injection(checker: Checker, node: ast.Inject) -> Judged:
    inner = checker.judge(node.arg)
    if node.other is None:
        return checker.refuse(shapes.injection_needs_type(node.span, node.side), inner.context)
    other = elaborate.type_(checker, node.other)
    if isinstance(inner.type, t.Poison):
        return inner
    type_ = t.Sum(inner.type, other) if node.side == "inl" else t.Sum(other, inner.type)
    return Judged(type_, inner.context, degree=degree_of(inner))


#   Γ ⊢ e : τ₁ + τ₂ ; Σ      Γ, x : τ₁ ; Σ ⊢ e₁ : τ ; Σ₁      Γ, y : τ₂ ; Σ ⊢ e₂ : τ ; Σ₂
#   ──────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ case e { inl x ⇒ e₁ ; inr y ⇒ e₂ } : τ ; Σ₁ ⊔ Σ₂ ⊔ Σ
#
# The two injections are infinitely far apart, so no finite move of e crosses over, and x is a name for what e holds. A move that
# does cross over is infinite, and has been charged ∞ where it was made (an `if`): without Σ in the join, that ∞ would be
# forgotten where neither branch looks at its part.
def case(checker: Checker, node: ast.Case) -> Judged:
    scrutinee = checker.judge(node.scrutinee)
    left_type, right_type = sum_parts(checker, node.scrutinee, scrutinee)
    with checker.scope.binding((node.left.text, Judged(left_type, scrutinee.context, degree=scrutinee.degree))):
        left = checker.judge(node.left_body)
    with checker.scope.binding((node.right.text, Judged(right_type, scrutinee.context, degree=scrutinee.degree))):
        right = checker.judge(node.right_body)
    judged = branches(checker, node, left, right, EMPTY)
    return evolve(judged, context=judged.context.join(scrutinee.context))


#   Γ ⊢ e₁ : 𝔹 ; Σ₁      Γ ⊢ e₂ : τ ; Σ₂      Γ ⊢ e₃ : τ ; Σ₃
#   ─────────────────────────────────────────────────────────      a guard that moves can swap the branches
#   Γ ⊢ if e₁ then e₂ else e₃ : τ ; ∞⊙Σ₁ ⊞ (Σ₂ ⊔ Σ₃)
def conditional(checker: Checker, node: ast.If) -> Judged:
    guard, test = judge_guard(checker, node)
    # A literal shows nothing about its test, and is judged by the other branch.
    then: Judged | None = None
    if not goes_by(node.then, node.otherwise):
        with checker.under(test):
            then = checker.judge(node.then)
    with checker.under(test and test.opposite()):
        otherwise = judge_branch(checker, node.otherwise, then)
    if then is None:
        then = judge_branch(checker, node.then, otherwise)
    return branches(checker, node, then, otherwise, guard.context.unbounded())


#   Γ ⊢ eᵢ : τ ; Σᵢ      sep(τ) ≥ 1
#   ───────────────────────────────      a set is discrete: one element that changes is one step
#   Γ ⊢ ℘{e₁, …} : ℘ τ ; Σ₁ ⊞ …
def set_literal(checker: Checker, node: ast.SetLit) -> Judged:
    context = EMPTY
    element: t.Type | None = None
    for item, judged in zip(node.elements, judge_alike(checker, node.elements), strict=True):
        if not is_comparable(judged.type) and not t.is_poisoned(judged.type):
            return checker.refuse(sensitivity.not_comparable(item.span, "℘", judged.type), context + judged.context)
        separated = t.is_separated(judged.type) or t.is_poisoned(judged.type)
        context = context + (judged.context if separated else judged.context.unbounded())
        joined = judged.type if element is None else join_types(element, judged.type)
        if joined is None:
            assert element is not None
            return checker.refuse(shapes.elements_differ(item.span, element, judged.type), context)
        element = joined
    if element is None:
        return checker.refuse(shapes.empty_set(node.span), context)
    # Elements of sets are compared, so a static real among them is data like any other.
    element = widen(element)
    if isinstance(element, t.Real):
        element = t.DATA
    return Judged(t.SetOf(element), context)


#   Γ ⊢ k : ℕ[k] ; Σ₁      Γ ⊢ e₀ : τ ; Σ₀      Γ, i : ℕ, x : τ ⊢ e : τ ; Σ      s = Σ(x), C = Σ∖i,x
#   ───────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ loop k on e₀ { i, x ⇒ e } : τ ; Σ₁ ⊞ s^k⊙Σ₀ ⊞ (1 + s + … + s^(k−1))⊙C
#
# By induction on k: one turn maps a distance D to at most s·D + C. Where k is not static: s ≤ 1 and C = 0, else ∞.
def loop(checker: Checker, node: ast.Loop) -> Judged:
    count = checker.judge(node.count)
    init = checker.judge(node.init)
    state_type = widen(init.type, checker.allowed)
    state = Root.fresh(node.state.text, separated=t.is_separated(state_type))
    bindings = (
        (node.index.text, Judged(t.NAT)),
        (node.state.text, Judged(state_type, Context.of(state))),
    )
    with checker.scope.binding(*bindings):
        body = checker.judge(node.body)
    state_keeps(checker, node.body, body, state_type, node.state.text)
    captured = body.context.without(state)
    turns = turns_of(checker, node.count, count)
    if turns is None and count.context.entries:
        checker.counted[node.count] = tuple(sorted({root.name for root in count.context.entries}))
    on_state, on_rest = amplification(body.context[state], turns)
    context = count.context.unbounded() + init.context.scaled(on_state) + captured.scaled(on_rest)
    return Judged(repaid(state_type, {state: captured + init.context}), context)
