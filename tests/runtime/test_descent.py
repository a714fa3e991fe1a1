"""A step of descent: the weight it is made of, and that it brings models closer, however close they are."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from duetpy.runtime.evaluation.descent import Weight, descent, logistic_values
from duetpy.runtime.evaluation.loss_functions import Loss
from duetpy.runtime.exact.rationals import of_fractions, plain
from duetpy.runtime.values.values import MatrixValue, numbers_of

UNIT = Fraction(1, 1 << 60)


def test_the_logistic_weight_never_falls_and_grows_by_a_quarter_at_most() -> None:
    values = logistic_values()
    steps = [after - before for before, after in pairwise(values)]
    assert values[0] == 0
    assert min(steps) >= 0
    assert max(steps) * UNIT <= Fraction(1, 4) / (1 << 12)
    assert values[-1] * UNIT <= Fraction(1, 2)


@pytest.mark.parametrize("label", [1.0, -1.0])
@pytest.mark.parametrize("exponent", [-1333, -40, -3])
def test_the_logistic_weight_is_the_derivative_of_the_loss(label: float, exponent: int) -> None:
    weight, source = Weight(Loss("LR"), exponent), random.Random(1)
    for z in [0.0, 1e-9, 0.5, -0.5, 3.3, 31.999, -32.0, 40.0, *(source.uniform(-20, 20) for _ in range(200))]:
        margin = math.floor(Fraction(z) / Fraction(2) ** exponent)
        near = float(margin * Fraction(2) ** exponent)
        expected = -label / (1 + math.exp(label * near))
        assert abs(float(weight(margin, label) * weight.unit) - expected) < 1e-9


@pytest.mark.parametrize("exponent", [-1333, -100, -12, -5])
def test_the_weights_of_two_labels_and_of_opposite_margins_add_up_to_one(exponent: int) -> None:
    weight, source = Weight(Loss("LR"), exponent), random.Random(2)
    for _ in range(200):
        margin = source.randint(-(40 << 1), 40 << 1) << max(0, -exponent - 1) | source.getrandbits(3)
        assert (weight(margin, -1.0) - weight(margin, 1.0)) * weight.unit == 1
        assert (weight(margin, -1.0) + weight(-margin, -1.0)) * weight.unit == 1


@pytest.mark.parametrize(("loss", "steepest"), [(Loss("LR"), Fraction(1, 4)), (Loss("HUBER", Fraction(5, 3)), 1)])
def test_a_weight_is_steep_nowhere(loss: Loss, steepest: Fraction) -> None:
    weight, source = Weight(loss, -1333), random.Random(3)
    for _ in range(2000):
        margin = int(source.uniform(-9, 9) * 2**60) << 1273 | source.getrandbits(1273)
        further = margin + (1 << source.randrange(1340))
        growth = (weight(further, 1.0) - weight(margin, 1.0)) * weight.unit
        assert 0 <= growth <= steepest * (further - margin) * Fraction(1, 1 << 1333)
        assert abs(weight(margin, 1.0)) * weight.unit <= loss.scale


@pytest.mark.parametrize("apart", [Fraction(1, 1 << 1270), Fraction(1, 1 << 80), Fraction(1, 1 << 30), Fraction(1)])
@pytest.mark.parametrize(("name", "length"), [("LR", Fraction(2)), ("LS", Fraction(1, 2))])
def test_a_step_brings_two_models_closer_however_close_they_are(name: str, length: Fraction, apart: Fraction) -> None:
    # Rows of length 2: β is 1 or 4.
    generator = np.random.default_rng(4)
    rows = generator.normal(size=(7, 3))
    rows *= 1.999 / np.linalg.norm(rows, axis=1)[:, None]
    xs = MatrixValue(7, plain(rows))
    ys = MatrixValue(7, plain(np.where(rows[:, :1] > 0, 1.0, -1.0)))
    weakening = Fraction(1, 10)
    for direction in ([1, 0, 0], [1, -2, 3], [0, 5, -1]):
        start = [Fraction(3, 7), Fraction(-2), Fraction(1, 3)]
        start = [Fraction(round(entry * (1 << 1280)), 1 << 1280) for entry in start]
        moved = [entry + apart * step for entry, step in zip(start, direction, strict=True)]
        before, after = (
            descent(Loss(name), length, weakening, MatrixValue(1, of_fractions(model, (1, 3))), xs, ys, Fraction(2))
            for model in (start, moved)
        )
        difference = numbers_of(after).fractions()[0] - numbers_of(before).fractions()[0]
        kept = 1 - length * weakening
        assert sum(entry**2 for entry in difference) <= kept**2 * apart**2 * sum(step**2 for step in direction)


def test_a_step_without_regularisation_follows_the_mean_gradient() -> None:
    xs = MatrixValue(2, plain(np.array([[0.5, 0.0], [0.0, 0.25]])))
    ys = MatrixValue(2, plain(np.array([[1.0], [-1.0]])))
    start = MatrixValue(1, of_fractions([Fraction(0), Fraction(0)], (1, 2)))
    made = descent(Loss("LR"), Fraction(4), Fraction(0), start, xs, ys, Fraction(1))
    assert numbers_of(made).fractions()[0].tolist() == [Fraction(1, 2), Fraction(-1, 4)]
