"""The gradients of the loss family, and a step of descent along them: what it moves, the next step moves no further.

Each loss is a function of the margins of a row and of its label. Row i's gradient is w ⊗ x, a weight w for each class times
row i of the features, where all but SOFTMAX have one class. ‖w ⊗ x‖_ℓ = ‖w‖_ℓ⋅‖x‖_ℓ for L1, L2 and L∞ alike, so a bound on
the weights and one on the features make one on the gradient.
"""

from __future__ import annotations

from fractions import Fraction

from attrs import evolve, frozen

from duetpy.by_value import ByValue
from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.errors import names, sensitivity, shapes
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.parts import static_size
from duetpy.typecheck.quantity import ONE, ZERO, Quantity
from duetpy.typecheck.repetition import contraction

TWO = Quantity.of(2)

LOSSES = ("LR", "HINGE", "LS", "HUBER", "SOFTMAX")


@frozen(eq=False, repr=False)
class Loss(ByValue):
    """What is known of the weights w of a loss.

    Parameters
    ----------
    weight
        ‖w‖_ℓ is at most this.
    label
        ‖w − w′‖_ℓ is at most this for two labels and the same margins.
    classes
        How many entries w has.
    """

    weight: Quantity
    label: Quantity
    classes: Quantity = ONE


# The weights, for the margin z = θ·x. LR and HINGE take labels as y = ±1 by their sign.
#   LR          −y·σ(−y z)             |w| < 1, and the weights for the two labels add up to 1
#   HINGE       −y where y z < 1, else 0
#   LS          z − y brought into [−1, 1]
#   HUBER, c    z − y brought into [−c, c]
#   SOFTMAX, k  p − e_y, p the probabilities of the k classes, y the label brought to 0 … k − 1: ‖p − e_y‖₁ ≤ 2 and
#               ‖p − e_y‖₂² ≤ (1 − p_y)² + (Σ_{j ≠ y} p_j)² ≤ 2; another label moves w by e_y − e_y′
def loss_of(checker: Checker, node: ast.Prim, bounds: list[Judged], norm: Norm) -> Loss | None:
    """The loss of a gradient; None, with a diagnostic, if no loss has its name or its number is not what it takes."""
    number = None
    if bounds and node.loss in LOSSES:
        number = static_size(bounds[0].type)
        if number is None:
            checker.report(shapes.bound_not_static(node.span, f"the loss {node.loss}"))
            return None
        checker.obligate(ZERO, "<", number, "the number of a loss is positive", node.span)
    match node.loss, number:
        case "LR", None:
            return Loss(ONE, ONE)
        case "HINGE" | "LS", None:
            return Loss(ONE, TWO)
        case "HUBER", _:
            threshold = ONE if number is None else number
            return Loss(threshold, threshold * 2)
        case "SOFTMAX", Quantity() if isinstance(bounds[0].type, t.StaticNat):
            size = {Norm.L1: TWO, Norm.L2: TWO.sqrt(), Norm.LINF: ONE}[norm]
            return Loss(size, size, number)
        case "SOFTMAX", _:
            checker.report(shapes.loss_number(node.span, "SOFTMAX", "the number of classes: SOFTMAX, ℕ[3]"))
        case "LR" | "HINGE" | "LS", _:
            checker.report(shapes.loss_number(node.span, node.loss or "", "no number"))
        case _:
            checker.report(names.unknown_loss(node.span, node.loss or "", LOSSES))
    return None


def judge_gradient(checker: Checker, node: ast.Prim, args: list[Judged], bounds: list[Judged]) -> Judged:
    """∇[loss | θ; xs, ys], the mean over rows of the gradient of a loss, and its two discrete kin."""
    model, features, labels = args
    together = model.context + features.context + labels.context
    clip = features.type.clip if isinstance(features.type, t.Matrix) else None
    loss = loss_of(checker, node, bounds, Norm.LINF if clip is None else clip.norm)
    if loss is None:
        return Judged(t.POISON, together)
    shape = fitting(checker, node, args, loss.classes)
    if shape is None:
        return Judged(t.POISON, together)
    xs, _ = shape
    measure(checker, node, xs)
    if node.name != "∇":
        return discrete(node.name, loss, model, features, labels, xs)
    if xs.clip is None:
        return checker.refuse(sensitivity.gradient_unclipped(node.args[1].span, xs), together)
    return mean(loss, model, features, labels, xs)


#   ‖w‖_ℓ ≤ W      ‖w − w′‖_ℓ ≤ D for two labels
#   Γ ⊢ θ : 𝕄[_, _ | 1, k⋅n⋅ℝ] ; Σ_θ      Γ ⊢ xs : 𝕄[_, ℓ≤b | m, n⋅𝔻] ; Σ_x      Γ ⊢ ys : 𝕄[_, _ | m, 1⋅𝔻] ; Σ_y
#   ────────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ ∇[loss | θ; xs, ys] : 𝕄[ℓ, ℓ≤W⋅b | 1, k⋅n⋅ℝ] ; ∞⊙Σ_θ ⊞ (2W⋅b/m)⊙Σ_x ⊞ (D⋅b/m)⊙Σ_y
#   and 2W⋅b/m for an input whose rows are the rows of both xs and ys
#
# Row i contributes w ⊗ x/m: a vector of norm ≤ W⋅b/m. Two such vectors are ≤ 2W⋅b/m apart; changing only the label moves w by
# D and leaves x alone. One replaced row of aligned data changes one contribution, feature and label together.
def mean(loss: Loss, model: Judged, features: Judged, labels: Judged, xs: t.Matrix) -> Judged:
    assert xs.clip is not None
    assert xs.rows is not None
    share = xs.clip.bound / xs.rows
    per_row = loss.weight * 2 * share
    per_label = loss.label * share
    context = model.context.unbounded() + features.context.scaled(per_row) + labels.context.scaled(per_label)
    unit = features.rows_of
    if unit is not None and unit == labels.rows_of:
        # One replaced row of the unit replaces one contribution, feature and label together.
        moved = features.context.only(unit).join(labels.context.only(unit))
        context = context.without(unit) + moved.scaled(per_row) + model.context.only(unit).unbounded()
    clip = t.Clip(xs.clip.norm, loss.weight * xs.clip.bound)
    return Judged(t.Matrix(xs.clip.norm, clip, ONE, t.Uniform(loss.classes * xs.width, t.REAL)), context)


#   Γ ⊢ θ : 𝕄[_, _ | 1, k⋅n⋅ℝ] ; Σ_θ      Γ ⊢ xs : 𝕄[_, c≤b | m, n⋅𝔻] ; Σ_x      Γ ⊢ ys : 𝕄[_, _ | m, 1⋅𝔻] ; Σ_y
#   ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ U∇[loss | θ; xs, ys] : 𝕄[L∞, U | 1, k⋅n⋅𝔻] ; ∞⊙Σ_θ ⊞ Σ_x ⊞ Σ_y              the mean, as one discrete row
#   Γ ⊢ row∇[loss | θ; xs, ys] : 𝕄[L∞, c≤W⋅b | m, k⋅n⋅𝔻] ; ∞⊙Σ_θ ⊞ Σ_x ⊞ Σ_y       one discrete row for each row
#
# A discrete distance that is not 0 is at least 1, so no mean makes it 1/m. Row i's gradient is a function of row i of both
# and at most W times as long as row i of the features; an input whose rows are the rows of both moves one row. So
# row∇ of ★ tables is offered where they are views of one input: adding a row to it adds a gradient.
def discrete(name: str, loss: Loss, model: Judged, features: Judged, labels: Judged, xs: t.Matrix) -> Judged:
    context = model.context.unbounded() + features.context + labels.context
    unit = features.rows_of
    if unit is not None and unit == labels.rows_of:
        moved = features.context.only(unit).join(labels.context.only(unit))
        context = context.without(unit) + moved + model.context.only(unit).unbounded()
    schema = t.Uniform(loss.classes * xs.width, t.DATA)
    if name == "U∇":
        return Judged(t.Matrix(Norm.LINF, None, ONE, schema), context)
    rows_of = unit if unit is not None and unit == labels.rows_of and not model.context.mentions(unit) else None
    clip = None if xs.clip is None else t.Clip(xs.clip.norm, loss.weight * xs.clip.bound)
    return Judged(t.Matrix(Norm.LINF, clip, xs.rows, schema), context, rows_of=rows_of)


def fitting(
    checker: Checker, node: ast.Prim, args: list[Judged], classes: Quantity
) -> tuple[t.Matrix, t.Matrix] | None:
    """The feature and label matrices, when the three arguments fit together."""
    matrices: list[t.Matrix] = []
    for argument, judged in zip(node.args, args, strict=True):
        if not isinstance(judged.type, t.Matrix):
            checker.report(shapes.not_a_matrix(argument.span, node.name, judged.type))
            return None
        matrices.append(judged.type)
    theta, xs, ys = matrices
    if theta.rows != ONE or not _all(theta, t.Real):
        checker.report(shapes.gradient_model(node.args[0].span, theta))
        return None
    views = args[1].rows_of is not None and args[1].rows_of == args[2].rows_of
    if (xs.rows is None or ys.rows is None) and not (node.name == "row∇" and views):
        checker.report(sensitivity.aligns_unknown_rows(node.span, "a gradient"))
        return None
    if not _all(xs, t.Disc) or not _all(ys, t.Disc) or ys.width != ONE:
        checker.report(shapes.gradient_data(node.span, xs, ys))
        return None
    if xs.rows != ys.rows or theta.width != classes * xs.width:
        checker.report(shapes.gradient_shapes(node.span, theta, xs, ys))
        return None
    return xs, ys


def measure(checker: Checker, node: ast.Prim, xs: t.Matrix) -> None:
    """Tell the run how long the rows of the features are."""
    known = checker.annotations.lengths.get(node, ())
    if xs.clip is not None and xs.clip not in known:
        checker.annotations.lengths[node] = (*known, xs.clip)


def _all(matrix: t.Matrix, former: type[t.Type]) -> bool:
    columns = matrix.column_types()
    if former is t.Disc:
        return all(isinstance(column, t.Disc) and isinstance(column.inner, t.Real | t.Bounded) for column in columns)
    return all(isinstance(column, former | t.StaticReal) for column in columns)


SMOOTHNESS = {"LR": Quantity.of(Fraction(1, 4)), "LS": ONE, "HUBER": ONE}
"""By loss, how fast its weight grows with the margin: 0 ≤ w(z) − w(z′) ≤ L⋅(z − z′) for z ≥ z′."""


#   ‖w‖ ≤ W      ‖w − w′‖ ≤ D for two labels      w grows by L at most      β = L⋅b²      η⋅(2λ + β) ≤ 2
#   Γ ⊢ θ : 𝕄[L2, _ | 1, n⋅ℝ] ; Σ_θ      Γ ⊢ xs : 𝕄[_, L2≤b | m, n⋅𝔻] ; Σ_x      Γ ⊢ ys : 𝕄[_, _ | m, 1⋅𝔻] ; Σ_y
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ step∇[loss, η, λ | θ; xs, ys] : 𝕄[L2, U | 1, n⋅ℝ] ; c⊙Σ_θ ⊞ (2W⋅η⋅b/m)⊙Σ_x ⊞ (D⋅η⋅b/m)⊙Σ_y
#   and 2W⋅η⋅b/m for an input whose rows are the rows of both xs and ys; c = 1 − η⋅λ where a run finds that, else 1/(1 + η⋅λ)
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
        return checker.refuse(shapes.loss_not_smooth(node.span, node.loss or ""), together)
    loss = loss_of(checker, node, bounds[:-2], Norm.L2)
    length, weakening = (static_size(judged.type) for judged in bounds[-2:])
    if length is None or weakening is None:
        return checker.refuse(shapes.step_not_static(node.bounds[-2 if length is None else -1].span), together)
    shape = None if loss is None else fitting(checker, node, args, loss.classes)
    if loss is None or shape is None:
        return Judged(t.POISON, together)
    xs, _ = shape
    if xs.clip is None:
        return checker.refuse(sensitivity.gradient_unclipped(node.args[1].span, xs), together)
    measure(checker, node, xs)
    assert isinstance(model.type, t.Matrix)
    bound = xs.clip.bound * t.norm_factor(xs.clip.norm, Norm.L2, xs.width)
    stretch = t.norm_factor(model.type.norm, Norm.L2, xs.width)
    steepness = smoothness * bound * bound
    checker.obligate(length * (TWO * weakening + steepness), "≤", TWO, "a step of this length contracts", node.span)
    moved = mean(loss, Judged(model.type), features, labels, evolve(xs, clip=t.Clip(Norm.L2, bound))).context
    context = model.context.scaled(contraction(length, weakening) * stretch) + moved.scaled(length)
    return Judged(t.Matrix(Norm.L2, None, ONE, t.Uniform(xs.width, t.REAL)), context)
