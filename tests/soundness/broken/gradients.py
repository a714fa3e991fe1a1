"""Gradients of the loss family."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

GRADIENTS = (
    Mutant(
        "the mean gradient moves by b/m",
        "rules.gradients",
        "per_row = loss.weight * 2 * share",
        "per_row = loss.weight * share",
        ("grad-lr",),
    ),
    Mutant(
        "the mean gradient ignores the bound",
        "rules.gradients",
        "share = xs.clip.bound / xs.rows",
        "share = ONE / xs.rows",
        ("grad-lr",),
    ),
    Mutant(
        "labels are free",
        "rules.gradients",
        "+ features.context.scaled(per_row) + labels.context.scaled(per_label)",
        "+ features.context.scaled(per_row)",
        ("grad-lr",),
    ),
    Mutant(
        "the model is 1-sensitive",
        "rules.gradients",
        "context = model.context.unbounded() + features.context.scaled(per_row)",
        "context = model.context + features.context.scaled(per_row)",
        ("grad-lr",),
    ),
    Mutant(
        "a model made of the data is free",
        "rules.gradients",
        "context.without(unit) + moved.scaled(per_row) + model.context.only(unit).unbounded()",
        "context.without(unit) + moved.scaled(per_row)",
        ("grad-lr",),
    ),
    Mutant(
        "a row of features and label together moves the mean by b/m",
        "rules.gradients",
        "moved.scaled(per_row) + model",
        "moved.scaled(per_label) + model",
        ("grad-lr",),
    ),
    Mutant(
        "discrete gradients of aligned rows forget the model",
        "rules.gradients",
        "context = context.without(unit) + moved + model.context.only(unit).unbounded()",
        "context = context.without(unit) + moved",
        ("rowgrad-lr", "ugrad-lr"),
    ),
    Mutant(
        "a discrete mean moves by 1/m",
        "rules.gradients",
        "context = model.context.unbounded() + features.context + labels.context\n",
        "context = model.context.unbounded() + (features.context + labels.context).scaled(ONE / (xs.rows or ONE))\n",
        ("ugrad-lr", "rowgrad-lr"),
    ),
    Mutant(
        "a label of the hinge loss moves its gradient by b/m",
        "rules.gradients",
        "return Loss(ONE, TWO)",
        "return Loss(ONE, ONE)",
        ("grad-hinge", "grad-ls"),
    ),
    Mutant(
        "the threshold of the Huber loss does not scale",
        "rules.gradients",
        "return Loss(threshold, threshold * 2)",
        "return Loss(ONE, TWO)",
        ("grad-huber",),
    ),
    Mutant(
        "a gradient by rows is no longer than the features, whatever the loss",
        "rules.gradients",
        "clip = None if xs.clip is None else t.Clip(xs.clip.norm, loss.weight * xs.clip.bound)",
        "clip = xs.clip",
        ("rowgrad-huber",),
    ),
    Mutant(
        "the gradients of all classes are as long as that of one",
        "rules.gradients",
        "size = {Norm.L1: TWO, Norm.L2: TWO.sqrt(), Norm.LINF: ONE}[norm]",
        "size = ONE / 2",
        ("grad-softmax",),
    ),
)
