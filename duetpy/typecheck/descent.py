"""One step of gradient descent on a smooth loss: what a step moves, the next step moves no further."""

from __future__ import annotations

from fractions import Fraction

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import errors
from duetpy.typecheck import types as t
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.gradients import fitting, loss_of, mean, measure
from duetpy.typecheck.judged import Judged
from duetpy.typecheck.quantity import ONE, Quantity, Signed

TWO = Quantity.of(2)

SMOOTHNESS = {"LR": Quantity.of(Fraction(1, 4)), "LS": ONE, "HUBER": ONE}
"""By loss, how fast its weight grows with the margin: 0 ≤ w(z) − w(z′) ≤ L⋅(z − z′) for z ≥ z′."""


#   ‖w‖ ≤ W      ‖w − w′‖ ≤ D for two labels      w grows by L at most      β = L⋅b²      η⋅(2λ + β) ≤ 2
#   Γ ⊢ θ : 𝕄[L2, _ | 1, n⋅ℝ] ; Σ_θ      Γ ⊢ xs : 𝕄[_, L2≤b | m, n⋅𝔻] ; Σ_x      Γ ⊢ ys : 𝕄[_, _ | m, 1⋅𝔻] ; Σ_y
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ step∇[loss, η, λ | θ; xs, ys] : 𝕄[L2, U | 1, n⋅ℝ] ; c⊙Σ_θ ⊞ (2W⋅η⋅b/m)⊙Σ_x ⊞ (D⋅η⋅b/m)⊙Σ_y
#   and 2W⋅η⋅b/m for an input whose rows are the rows of both xs and ys; c = 1 − η⋅λ where that is known, else 1/(1 + η⋅λ)
#
# The step is θ − η⋅(∇ + λ⋅θ). For two models it moves by (1 − ηλ)⋅v − η⋅H⋅v, where v is how far the models are apart and H, a
# mean of s⋅x⊗x with 0 ≤ s ≤ L, has its eigenvalues in [0, β]: by at most max(|1 − ηλ|, |1 − η(λ + β)|)⋅‖v‖, and this is
# 1 − ηλ under the obligation. Quantities have no differences of variables; (1 − u)⋅(1 + u) ≤ 1.
def judge_step(checker: Checker, node: ast.Prim, args: list[Judged], bounds: list[Judged]) -> Judged:
    """step∇[loss, η, λ | θ; xs, ys]."""
    model, features, labels = args
    together = model.context + features.context + labels.context
    smoothness = SMOOTHNESS.get(node.loss or "")
    if smoothness is None:
        return checker.refuse(errors.loss_not_smooth(node.span, node.loss or ""), together)
    loss = loss_of(checker, node, bounds[:-2], Norm.L2)
    length, weakening = (_static(judged) for judged in bounds[-2:])
    if length is None or weakening is None:
        return checker.refuse(errors.step_not_static(node.bounds[-2 if length is None else -1].span), together)
    shape = None if loss is None else fitting(checker, node, args, loss.classes)
    if loss is None or shape is None:
        return Judged(t.POISON, together)
    xs, _ = shape
    if xs.clip is None:
        return checker.refuse(errors.gradient_unclipped(node.args[1].span, xs), together)
    measure(checker, node, xs)
    assert isinstance(model.type, t.Matrix)
    bound = xs.clip.bound * t.norm_factor(xs.clip.norm, Norm.L2, xs.width)
    stretch = t.norm_factor(model.type.norm, Norm.L2, xs.width)
    steepness = smoothness * bound * bound
    checker.obligate(length * (TWO * weakening + steepness), "≤", TWO, "a step of this length contracts", node.span)
    moved = mean(loss, Judged(model.type), features, labels, evolve(xs, clip=t.Clip(Norm.L2, bound))).context
    context = model.context.scaled(contraction(length * weakening) * stretch) + moved.scaled(length)
    return Judged(t.Matrix(Norm.L2, None, ONE, t.Uniform(xs.width, t.REAL)), context)


def contraction(u: Quantity) -> Quantity:
    """1 − u for u ≤ 1, or a bound on it where that has no form."""
    rest = Signed(False, ONE) - Signed(False, u)
    return ONE / (ONE + u) if rest is None or rest.negative else rest.magnitude


def _static(bound: Judged) -> Quantity | None:
    """A static number that is not negative."""
    match bound.type:
        case t.StaticReal(Signed(False, magnitude)) | t.StaticNat(magnitude):
            return magnitude
        case _:
            return None
