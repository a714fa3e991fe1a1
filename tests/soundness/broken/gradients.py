"""Gradients of the logistic loss."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

GRADIENTS = (
    Mutant(
        "the mean gradient moves by b/m",
        "gradients",
        "per_row = per_label * 2",
        "per_row = per_label",
        ("grad-lr",),
    ),
    Mutant(
        "the mean gradient ignores the bound",
        "gradients",
        "per_label = xs.clip.bound / xs.rows",
        "per_label = ONE / xs.rows",
        ("grad-lr",),
    ),
    Mutant(
        "labels are free",
        "gradients",
        "+ features.context.scaled(per_row) + labels.context.scaled(per_label)",
        "+ features.context.scaled(per_row)",
        ("grad-lr",),
    ),
    Mutant(
        "the model is 1-sensitive",
        "gradients",
        "context = model.context.unbounded() + features.context.scaled(per_row)",
        "context = model.context + features.context.scaled(per_row)",
        ("grad-lr",),
    ),
    Mutant(
        "a model made of the data is free",
        "gradients",
        "context.without(unit) + Context.of(unit).scaled(per_row * moved) + model.context.only(unit).unbounded()",
        "context.without(unit) + Context.of(unit).scaled(per_row * moved)",
        ("grad-lr",),
    ),
    Mutant(
        "a row of features and label together moves the mean by b/m",
        "gradients",
        "Context.of(unit).scaled(per_row * moved) + model",
        "Context.of(unit).scaled(per_label * moved) + model",
        ("grad-lr",),
    ),
    Mutant(
        "discrete gradients of aligned rows forget the model",
        "gradients",
        "context = context.without(unit) + Context.of(unit).scaled(moved) + model.context.only(unit).unbounded()",
        "context = context.without(unit) + Context.of(unit).scaled(moved)",
        ("rowgrad-lr", "ugrad-lr"),
    ),
    Mutant(
        "a discrete mean moves by 1/m",
        "gradients",
        "context = model.context.unbounded() + features.context + labels.context\n",
        "context = model.context.unbounded() + (features.context + labels.context).scaled(ONE / (xs.rows or ONE))\n",
        ("ugrad-lr", "rowgrad-lr"),
    ),
)
