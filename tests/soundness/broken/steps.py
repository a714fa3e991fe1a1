"""Steps of descent, and what repeating them adds up to."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

STEPS = (
    Mutant(
        "a step on long rows may be as long as one on short rows",
        "rules.gradients",
        "steepness = smoothness * bound * bound",
        "steepness = smoothness",
        ("step-ls",),
    ),
    Mutant(
        "a step contracts by three times its regularisation",
        "repetition",
        "return ONE / (ONE + u)",
        "return ONE / (ONE + u * 3)",
        ("step-lr",),
    ),
    Mutant(
        "a step contracts by 1 - 2ηλ",
        "repetition",
        "rest = Signed(False, ONE) - Signed(False, u)",
        "rest = Signed(False, ONE) - Signed(False, u * 2)",
        ("step-lr", "step-ls"),
    ),
    Mutant(
        "rows move a step by no more than the gradient, however long it is",
        "rules.gradients",
        "+ moved.scaled(length)",
        "+ moved",
        ("step-ls", "step-lr"),
    ),
    Mutant(
        "a model is measured in any norm",
        "rules.gradients",
        "stretch = t.norm_factor(model.type.norm, Norm.L2, xs.width)",
        "stretch = ONE",
        ("step-ls",),
    ),
    Mutant(
        "a geometric series is short of its first term",
        "repetition",
        "else ONE + ONE / gain.magnitude",
        "else ONE / gain.magnitude",
        ("loop",),
    ),
)
