"""Noisy descent runs the steps that were judged, in the order of the batches, with noise that covers the lattice."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from duetpy import parse
from duetpy.runtime.noise.noise_grid import Steps, choose_granularity, lattice_slack
from duetpy.runtime.noise.random_bits import Bits
from duetpy.runtime.release.last_iterate import noise_with_slack

PROGRAM = """pλ m : ℕ, E : ℕ, b : ℕ, σ : ℝ⁺ .
  ⟨xs : 𝕄 [L∞, U | m, 2⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻]⟩, E : ℕ[E], b : ℕ[b], σ : ℝ⁺[σ] ⇒
  noisy-descent[E, b, σ] <xs, ys> {
    step∇[LS, 0.25, 0.5 | mcreate[L2 | ℕ[1], cols xs] { i, j ⇒ 1.0 } ; mclip[L2] xs, ys]
  }"""

XS = np.array([[0.5, 0.0], [0.0, 0.5], [0.25, 0.25], [-0.5, 0.5]])
YS = np.array([[1.0], [-1.0], [0.0], [1.0]])


def expected(epochs: int, batch: int) -> np.ndarray:
    model = np.ones(2)
    for _ in range(epochs):
        for at in range(0, len(XS), batch):
            xs, ys = XS[at : at + batch], YS[at : at + batch, 0]
            weight = np.clip(xs @ model - ys, -1, 1)
            model = model - 0.25 * (weight @ xs / batch + 0.5 * model)
    return model


def test_without_noise_it_descends_batch_by_batch() -> None:
    checked = parse(PROGRAM, notion="gdp").check()
    for epochs, batch in ((1, 4), (1, 2), (3, 2), (5, 1)):
        values = {"E": epochs, "b": batch, "σ": 1}
        release = checked.run(xs=XS, ys=YS, **values, _insecure_noise="none")
        assert np.max(np.abs(np.ravel(release.result) - expected(epochs, batch))) < 1e-7


def test_the_noise_of_one_step_has_the_deviation_of_its_length() -> None:
    checked = parse(PROGRAM.replace("2⋅𝔻", "60⋅𝔻"), notion="gdp").check()
    # Without people's numbers a step of a quarter takes an eighth away from every entry.
    mean, found = np.full(60, 0.875), []
    for _ in range(10):
        found.append(np.ravel(checked.run(xs=np.zeros((4, 60)), ys=YS, E=1, b=4, σ=8).result) - mean)
    # 600 draws of deviation 2: the sum of squares over 4 is χ² with 600 degrees, within 300 of 600 but once in 10^13.
    assert 300 < np.sum(np.square(found)) / 4 < 900


def test_every_step_draws_noise_of_its_length_and_adds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, Fraction, int]] = []

    def seen(width: int, scale: Fraction, exponent: int, _: Bits) -> Steps:
        asked.append((width, scale, exponent))
        return np.array([1 << -exponent, -2 << -exponent], dtype=np.int64)

    monkeypatch.setattr("duetpy.runtime.release.last_iterate.gaussian_steps", seen)
    release = parse(PROGRAM, notion="gdp").check().run(xs=np.zeros((4, 2)), ys=YS, E=3, b=2, σ=8)
    turns, length = 6, Fraction(1, 4)
    assert len(asked) == turns
    # One of two rows of a batch, of length 1 at most and with a weight of 1 at most, is replaced.
    moved = Fraction(release.releases[0]["sensitivity"])
    assert moved == length * 2 / 2
    for width, scale, exponent in asked:
        assert width == 2
        # Each of the two roundings may move two models further apart, in each step, and a label half of `moved`.
        slack = 2 * lattice_slack(2, "L2", exponent) * Fraction(turns**0.5) / (moved / 2)
        assert 8 * length * (1 + slack) <= scale <= 8 * length * (1 + Fraction(1, 10**6))
    model = np.ones(2)
    for _ in range(turns):
        model = 0.875 * model + [1, -2]
    assert np.allclose(release.result, model)


def test_the_noise_covers_both_roundings_of_every_step() -> None:
    for turns in (1, 140, 10**6):
        moved, scale = Fraction(1, 30), Fraction(1, 5)
        exponent = choose_granularity(moved, scale)
        raised = noise_with_slack(scale, moved, 30, turns, exponent)
        # A label may move a step by half of `moved`.
        needed = scale * (1 + 2 * lattice_slack(30, "L2", exponent) * Fraction(turns**0.5) / (moved / 2))
        assert needed <= raised <= scale * (1 + Fraction(1, 10**3))
