"""The pairs that attain the bounds: a rule that claims to be the exact Lipschitz constant is shown to be no larger."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from duetpy.typecheck.signatures import Signature
from tests.soundness.constructed import CLIPPED, clipping, matrix
from tests.soundness.evaluated import by_evaluator, meant_by
from tests.soundness.falsify import Program, outcome, program, trials
from tests.soundness.signatures import instances, lines, title


def ratio(text: str, before: Sequence[Any], after: Sequence[Any], **sizes: int) -> float:
    """What came out over what is allowed, at a pair."""
    claim = program(text)
    kinds = {variable: Fraction(sizes[variable.name]) for variable in claim.kinds}
    found = outcome(claim.at(kinds), meant_by(claim), kinds, before, after, exact=False)
    assert not found.refutes
    return found.ratio


@pytest.mark.parametrize("width", [2, 3, 5])
@pytest.mark.parametrize("metric", ["L1", "L2", "L∞"])
@pytest.mark.parametrize("norm", ["L1", "L2"])
def test_radial_clipping_stretches_as_much_as_its_table_says(norm: str, metric: str, width: int) -> None:
    text = CLIPPED.format(metric=metric, norm=norm)
    (before, after), factor = clipping(norm, metric, width)
    claimed = program(text).parameters[0].sensitivity
    claim = claimed.evaluate(dict.fromkeys(claimed.variables(), width), up=True)
    # The one entry that is not exact: radial L1 clipping in L∞ is max(1, n − 1), and n is claimed.
    exact = width if (norm, metric) == ("L1", "L∞") else factor
    assert math.isclose(float(claim), exact, rel_tol=1e-12)
    assert ratio(text, [before], [after], m=1, n=width) >= 0.999 * factor / float(claim)


def test_a_converted_row_moves_by_twice_the_bound() -> None:
    text = "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻] ⇒ mconv (mclip[L2] xs)"
    assert ratio(text, [matrix([1, 0])], [matrix([-1, 0])], m=1, n=2) == 1.0


def test_one_changed_entry_rescales_a_whole_discrete_row() -> None:
    text = "sλ m : ℕ, n : ℕ . xs : 𝕄 [L1, U | m, n⋅𝔻] ⇒ renorm[L1] (mclip[L1] xs)"
    assert ratio(text, [matrix([1, 1])], [matrix([1, 0])], m=1, n=2) == 1.0


GRADIENT = (
    "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, L2 | m, n⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻], θ : 𝕄 [L∞, U | 1, n⋅ℝ] ⇒ ∇[LR | θ; xs, ys]"
)


@pytest.mark.parametrize("rows", [1, 3])
def test_a_replaced_row_moves_the_mean_gradient_by_almost_2_over_m(rows: int) -> None:
    # x = (−a, √(1−a²)) and x′ = (−a, −√(1−a²)) with y = 1 and θ = (T, 0), Ta → ∞: both weights tend to 1.
    a, b = Fraction(1, 32), Fraction(math.sqrt(1 - 1 / 1024) * (1 - 2**-40))
    model, labels = matrix([4096, 0]), matrix(*[[1]] * rows)
    rest = [[0, 0]] * (rows - 1)
    before, after = matrix([-a, b], *rest), matrix([-a, -b], *rest)
    assert ratio(GRADIENT, [before, labels, model], [after, labels, model], m=rows, n=2) >= 0.999


def test_a_replaced_row_moves_a_step_by_almost_2_over_m() -> None:
    text = (
        "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, L2 | m, n⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻], θ : 𝕄 [L2, U | 1, n⋅ℝ] ⇒ "
        "step∇[LR, 1.0, 0.0 | θ; xs, ys]"
    )
    a, b = Fraction(1, 32), Fraction(math.sqrt(1 - 1 / 1024) * (1 - 2**-40))
    model, labels = matrix([4096, 0]), matrix([1])
    assert ratio(text, [matrix([-a, b]), labels, model], [matrix([-a, -b]), labels, model], m=1, n=2) >= 0.999


def test_a_label_moves_the_mean_gradient_by_1_over_m() -> None:
    xs, model = matrix([0.6, 0.79], [0, 0]), matrix([0, 0])
    got = ratio(GRADIENT, [xs, matrix([1], [1]), model], [xs, matrix([-1], [1]), model], m=2, n=2)
    assert math.isclose(got, math.hypot(0.6, 0.79), rel_tol=1e-6)


def test_aligned_features_and_labels_move_together_by_2_over_m() -> None:
    text = (
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ b : 𝔻 ∷ y : 𝔻 ∷ []], θ : 𝕄 [L∞, U | 1, 2⋅ℝ] ⇒ "
        "∇[LR | θ; mclip[L2] xs.[a, b], xs.[y]]"
    )
    model = matrix([4096, 0])
    before, after = matrix([-1, 30, 1]), matrix([-1, -30, 1])
    assert ratio(text, [before, model], [after, model], m=1) >= 0.999


STEP_OF = (
    "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, L2 | m, n⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻], θ : 𝕄 [L2, U | 1, n⋅ℝ] ⇒ "
    "step∇[{} | θ; xs, ys]"
)


@pytest.mark.parametrize(
    ("parts", "row"), [("LR, 1.0, 0.5", [1, 0]), ("LS, 2.0, 0.0", [0, 1]), ("LR, 8.0, 0.0", [0, 1])]
)
def test_a_step_brings_models_no_closer_at_right_angles_to_the_rows_or_where_its_length_is_extreme(
    parts: str, row: list[int]
) -> None:
    start, end = matrix([0, 0]), matrix([0, Fraction(1, 2**20)])
    rows, labels = matrix(row, row), matrix([0], [0])
    assert ratio(STEP_OF.format(parts), [rows, labels, start], [rows, labels, end], m=2, n=2) >= 1 - 2**-10


def test_a_row_moves_a_step_by_its_length_times_the_gradient() -> None:
    xs, others, ys, model = matrix([1, 0], [0, 0]), matrix([-1, 0], [0, 0]), matrix([1], [0]), matrix([0, 0])
    text = STEP_OF.format("LS, 1.0, 0.25")
    assert ratio(text, [xs, ys, model], [others, ys, model], m=2, n=2) >= 1 - 2**-30


def of_loss(loss: str, norm: str, width: int) -> str:
    return (
        f"sλ m : ℕ . xs : 𝕄 [L∞, {norm} | m, 2⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻], θ : 𝕄 [L∞, U | 1, {width}⋅ℝ] ⇒ "
        f"∇[{loss} | θ; xs, ys]"
    )


@pytest.mark.parametrize(("loss", "label"), [("HINGE", 1), ("LS", 9), ("HUBER, 5.0", 9)])
def test_a_row_and_a_label_attain_the_bounds_of_losses_with_a_margin(loss: str, label: int) -> None:
    text, model = of_loss(loss, "L2", 2), matrix([0, 0])
    xs, others = matrix([1, 0], [0, 0]), matrix([-1, 0], [0, 0])
    ys, turned = matrix([label], [0]), matrix([-label], [0])
    assert ratio(text, [xs, ys, model], [others, ys, model], m=2) >= 1 - 2**-30
    assert ratio(text, [xs, ys, model], [xs, turned, model], m=2) >= 1 - 2**-30


@pytest.mark.parametrize("norm", ["L1", "L2", "L∞"])
def test_a_row_and_a_label_approach_the_bounds_of_three_classes(norm: str) -> None:
    # Scores ±T for the classes 1 and 0 by the first feature: the wrong class is certain, for x and for x′ alike.
    text, big = of_loss("SOFTMAX, ℕ[3]", norm, 6), 2**20
    small = Fraction(1, 2**8)
    length = {"L1": 1 - small, "L2": Fraction(math.sqrt(1 - 2**-16) * (1 - 2**-40)), "L∞": Fraction(1)}[norm]
    model = matrix([-big, 0, big, 0, -big, 0])
    ys, turned = matrix([0]), matrix([2])
    before, after = matrix([small, length]), matrix([small, -length])
    assert ratio(text, [before, ys, model], [after, ys, model], m=1) >= 0.99
    assert ratio(text, [before, ys, model], [before, turned, model], m=1) >= 0.99


# ---------------------------------------------------------------------------------------------------------------------
# ∞ is not gratuitous

UNBOUNDED = [
    (signature, position)
    for signature in lines()
    for position, sensitivity in enumerate(signature.sensitivities)
    if sensitivity.is_infinite
]


def named(parameter: object) -> str | None:
    return title(parameter) if isinstance(parameter, Signature) else None


@pytest.mark.parametrize(("signature", "position"), UNBOUNDED, ids=named)
@pytest.mark.sparse(8)
def test_an_argument_at_infinity_has_no_lipschitz_constant(signature: Signature, position: int) -> None:
    """Some instance moves by 100 times its argument; for all lines but those of natural numbers by any multiple."""
    assert any(largest(made.program, position) >= 100 for made in instances(signature, most=12))


def largest(claim: Program, position: int) -> float:
    import random

    from tests.soundness.metrics import distance

    seen = 0.0
    for found in trials(claim, by_evaluator(claim), random.Random(3), 250):
        alone = all(x == y for i, (x, y) in enumerate(zip(found.before, found.after, strict=True)) if i != position)
        if alone and found.moved:
            apart = distance(claim.parameters[position].type, found.before[position], found.after[position])
            seen = max(seen, float(found.moved / apart) if apart else math.inf)
    return seen
