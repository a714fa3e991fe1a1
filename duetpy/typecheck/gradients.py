"""The gradients of the loss family.

Each loss is a function of the margin θ·x and the label y with a derivative of known size; row i's gradient is that
derivative times row i of the features, so its norm is at most the derivative's bound times the row's.
"""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import errors
from duetpy.typecheck import types as t
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Context
from duetpy.typecheck.judged import Judged
from duetpy.typecheck.quantity import ONE, maximum

LOSSES = ("LR",)


def judge_gradient(checker: Checker, node: ast.Prim, args: list[Judged]) -> Judged:
    """∇[LR | θ; xs, ys], the mean over rows of the gradient of the logistic loss."""
    model, features, labels = args
    together = model.context + features.context + labels.context
    if node.loss not in LOSSES:
        return checker.refuse(errors.unsupported(node.span, f"the loss {node.loss}"), together)
    shape = _shape(checker, node, args)
    if shape is None:
        return Judged(t.POISON, together)
    xs, ys = shape
    if node.name != "∇":
        return discrete(node.name, model, features, labels, xs)
    if xs.clip is None:
        return checker.refuse(errors.gradient_unclipped(node.args[1].span, xs), together)
    return logistic(model, features, labels, xs, ys)


#   Γ ⊢ θ : 𝕄[_, _ | 1, n⋅ℝ] ; Σ_θ      Γ ⊢ xs : 𝕄[_, ℓ≤b | m, n⋅𝔻] ; Σ_x      Γ ⊢ ys : 𝕄[_, _ | m, 1⋅𝔻] ; Σ_y
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ ∇[LR | θ; xs, ys] : 𝕄[ℓ, ℓ≤b | 1, n⋅ℝ] ; ∞⊙Σ_θ ⊞ (2b/m)⊙Σ_x ⊞ (b/m)⊙Σ_y
#   and 2b/m for an input whose rows are the rows of both xs and ys
#
# Row i contributes −y·σ(−y θ·x)·x/m with y = ±1 and σ ∈ (0, 1): a vector of norm ≤ b/m. Two such vectors are ≤ 2b/m apart;
# changing only the label swaps −σ(−θ·x)·x for σ(θ·x)·x, and σ(−z) + σ(z) = 1, so that is b/m exactly. One replaced
# row of aligned data changes one contribution.
def logistic(model: Judged, features: Judged, labels: Judged, xs: t.Matrix, ys: t.Matrix) -> Judged:
    assert xs.clip is not None
    assert xs.rows is not None
    per_label = xs.clip.bound / xs.rows
    per_row = per_label * 2
    context = model.context.unbounded() + features.context.scaled(per_row) + labels.context.scaled(per_label)
    unit = features.rows_of
    if unit is not None and unit == labels.rows_of:
        # One replaced row of the unit replaces one contribution, feature and label together.
        moved = maximum(features.context[unit], labels.context[unit])
        context = (
            context.without(unit) + Context.of(unit).scaled(per_row * moved) + model.context.only(unit).unbounded()
        )
    result = t.Matrix(xs.clip.norm, xs.clip, ONE, t.Uniform(xs.width, t.REAL))
    return Judged(result, context)


#   Γ ⊢ θ : 𝕄[_, _ | 1, n⋅ℝ] ; Σ_θ      Γ ⊢ xs : 𝕄[_, c | m, n⋅𝔻] ; Σ_x      Γ ⊢ ys : 𝕄[_, _ | m, 1⋅𝔻] ; Σ_y
#   ─────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ U∇[LR | θ; xs, ys] : 𝕄[L∞, U | 1, n⋅𝔻] ; ∞⊙Σ_θ ⊞ Σ_x ⊞ Σ_y          the mean, as one discrete row
#   Γ ⊢ row∇[LR | θ; xs, ys] : 𝕄[L∞, c | m, n⋅𝔻] ; ∞⊙Σ_θ ⊞ Σ_x ⊞ Σ_y        one discrete row for each row
#
# A discrete distance that is not 0 is at least 1, so no mean makes it 1/m. Row i's gradient is a function of row i of both
# and no longer than row i of the features; an input whose rows are the rows of both moves one row.
def discrete(name: str, model: Judged, features: Judged, labels: Judged, xs: t.Matrix) -> Judged:
    context = model.context.unbounded() + features.context + labels.context
    unit = features.rows_of
    if unit is not None and unit == labels.rows_of:
        moved = maximum(features.context[unit], labels.context[unit])
        context = context.without(unit) + Context.of(unit).scaled(moved) + model.context.only(unit).unbounded()
    if name == "U∇":
        return Judged(t.Matrix(Norm.LINF, None, ONE, t.Uniform(xs.width, t.DATA)), context)
    rows_of = unit if unit is not None and unit == labels.rows_of and not model.context.mentions(unit) else None
    return Judged(t.Matrix(Norm.LINF, xs.clip, xs.rows, t.Uniform(xs.width, t.DATA)), context, rows_of=rows_of)


def _shape(checker: Checker, node: ast.Prim, args: list[Judged]) -> tuple[t.Matrix, t.Matrix] | None:
    """The feature and label matrices, when the three arguments fit together."""
    matrices: list[t.Matrix] = []
    for argument, judged in zip(node.args, args, strict=True):
        if not isinstance(judged.type, t.Matrix):
            checker.report(errors.not_a_matrix(argument.span, node.name, judged.type))
            return None
        matrices.append(judged.type)
    theta, xs, ys = matrices
    if theta.rows != ONE or not _all(theta, t.Real):
        checker.report(errors.gradient_model(node.args[0].span, theta))
        return None
    if xs.rows is None or ys.rows is None:
        checker.report(errors.aligns_unknown_rows(node.span, "a gradient"))
        return None
    if not _all(xs, t.Disc) or not _all(ys, t.Disc) or ys.width != ONE:
        checker.report(errors.gradient_data(node.span, xs, ys))
        return None
    if xs.rows != ys.rows or theta.width != xs.width:
        checker.report(errors.gradient_shapes(node.span, theta, xs, ys))
        return None
    return xs, ys


def _all(matrix: t.Matrix, former: type[t.Type]) -> bool:
    columns = matrix.column_types()
    if former is t.Disc:
        return all(isinstance(column, t.Disc) and isinstance(column.inner, t.Real) for column in columns)
    return all(isinstance(column, former | t.StaticReal) for column in columns)
