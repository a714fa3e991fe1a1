"""Noise that does not follow its arguments: a constant, or a variance that is taken for a standard deviation.

DiffPrivacyInference.jl draws with a constant scale whatever sensitivity and ε are asked for. The spread of what is released is
measured while sensitivity and price change.
"""

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from duetpy.diagnostics.error import DuetError
from duetpy.program import parse
from duetpy.report.release_text import privacy_text
from duetpy.runtime.release import mechanisms
from tests.effort import often

COUNT = 4000
LAPLACE = (
    "pλ s : ℝ⁺, ε : ℝ⁺ . x : ℝ, s : ℝ⁺[s], ε : ℝ⁺[ε] ⇒ "
    f"mlaplace[s, ε] <x> {{ mcreate[L1 | ℕ[1], ℕ[{COUNT}]] {{ i, j ⇒ 0.0 }} }}\n"
)
GAUSS = (
    "pλ s : ℝ⁺, ρ : ℝ⁺ . x : ℝ, s : ℝ⁺[s], ρ : ℝ⁺[ρ] ⇒ "
    f"mgauss[s, ρ] <x> {{ mcreate[L2 | ℕ[1], ℕ[{COUNT}]] {{ i, j ⇒ 0.0 }} }}\n"
)
ROOMS = [(1.0, 1.0), (2.0, 1.0), (1.0, 0.5), (0.1, 2.0), (100.0, 0.01)]


def spread(text: str, notion: str, parameter: str, sensitivity: float, price: float) -> float:
    release = parse(text, notion=notion).check().run(x=0.0, s=sensitivity, _insecure_noise=9, **{parameter: price})
    return float(np.std(np.array(release.result[0])))


def constant_noise(sensitivity: float, epsilon: float, delta: float) -> float:
    """The control: the standard deviation that DiffPrivacyInference.jl draws with, of no argument."""
    return (2 * math.log(1.25 / 0.1) * 2 / 500**2) / 0.1**2


def follows(found: list[float], wanted: list[float]) -> bool:
    # 4,000 draws: the deviation of a measured spread is 1.8 % for Laplace noise, and 1.1 % for Gaussian.
    return all(abs(one / other - 1) < 0.1 for one, other in zip(found, wanted, strict=True))


def test_laplace_noise_follows_sensitivity_and_epsilon() -> None:
    found = [spread(LAPLACE, "eps", "ε", s, ε) for s, ε in ROOMS]
    assert follows(found, [math.sqrt(2) * s / ε for s, ε in ROOMS])


def test_gaussian_noise_follows_sensitivity_and_rho() -> None:
    found = [spread(GAUSS, "zcdp", "ρ", s, ρ) for s, ρ in ROOMS]
    assert follows(found, [s / math.sqrt(2 * ρ) for s, ρ in ROOMS])
    # A variance in the place of a standard deviation would be seen.
    assert not follows([each**2 for each in found], [s / math.sqrt(2 * ρ) for s, ρ in ROOMS])


def test_a_constant_is_seen() -> None:
    found = [constant_noise(s, ε, 1e-5) for s, ε in ROOMS]
    assert not follows(found, [math.sqrt(2) * s / ε for s, ε in ROOMS])


MEANS = """\
pλ m : ℕ, δ : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], δ : ℝ⁺[δ] ⇒
  gauss[auto, 1.0, δ] <xs> { mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 1.0] (r#[0, 0]) } }
"""


@pytest.mark.parametrize(("delta", "is_told"), [(1e-6, False), (0.04, False), (0.05, True), (0.3, True)])
def test_a_delta_that_allows_to_publish_a_row_is_told_of(delta: float, is_told: bool) -> None:
    release = parse(MEANS).check().run(xs=[[0.5]] * 20, δ=delta)
    assert ("is not below 1/20" in privacy_text(release)) == is_told


def test_a_row_that_is_published_outright_keeps_to_its_delta() -> None:
    """The control: one of 20 rows, picked at random, is (0, 1/20)-private, and somebody's row lies open each time."""
    rows = [[float(number)] for number in range(20)]
    changed = [[-1.0], *rows[1:]]
    open_to = [sum(row == [-1.0] for row in table) / len(table) for table in (rows, changed)]
    assert open_to[1] - open_to[0] == 1 / 20


@pytest.mark.parametrize(("delta", "code"), [(0.9, 0), (1.0, 1), (2.0, 1)])
def test_a_delta_of_one_is_refused(delta: float, code: int) -> None:
    checked = parse(MEANS).check()
    if code:
        with pytest.raises(DuetError):
            checked.run(xs=[[0.5]] * 20, δ=delta, _insecure_noise=1)
    else:
        checked.run(xs=[[0.5]] * 20, δ=delta, _insecure_noise=1)


def prices(count: int) -> list[float]:
    dice = random.Random(5)
    return [round(dice.uniform(0.01, 3), 3) for _ in range(count)]


def test_noise_is_drawn_at_exactly_its_price(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sensitivity over scale is at most ε, as fractions of the decimals that were asked for."""
    scales: list[Fraction] = []
    inner = mechanisms._drawn

    def noted(steps: Any, drawn: Any, *rest: Any) -> Any:
        scales.append(Fraction(drawn.scale))
        return inner(steps, drawn, *rest)

    monkeypatch.setattr(mechanisms, "_drawn", noted)
    checked = parse("pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[auto, ε] <x> { x }\n", notion="eps").check()
    for price in prices(often(40, 8)):
        checked.run(x=0.0, ε=price, _insecure_noise=1)
        assert 1 / scales[-1] <= Fraction(str(price))
    assert len(scales) == often(40, 8)


def test_a_scale_that_is_divided_in_doubles_costs_more_than_its_price() -> None:
    """The control: 1/ε rounded to the nearest double is too small for about half of all ε."""
    beyond = sum(1 / Fraction(1 / price) > Fraction(str(price)) for price in prices(400))
    assert 100 < beyond < 300


@pytest.mark.parametrize("epsilon", [4.0, 8.0, 10.0, 20.0])
def test_the_classic_formula_is_not_used_beyond_its_theorem(epsilon: float) -> None:
    """σ = s⋅√(2 ln(1.25/δ))/ε is proved for ε < 1. The exact δ of the noise that is drawn is at most the one that is asked for."""
    text = "pλ ε : ℝ⁺, δ : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε], δ : ℝ⁺[δ] ⇒ gauss[1.0, ε, δ] <x> { x }\n"
    delta = 1e-5
    release = parse(text).check().run(x=0.0, ε=epsilon, δ=delta, _insecure_noise=1)
    assert exact_delta(release.releases[0]["scale"], epsilon) <= delta * (1 + 1e-9)


def test_the_classic_formula_breaks_its_promise() -> None:
    """The control: at δ = 1e-5 it wastes noise at ε = 1, and gives too little from about 8.5 on."""
    delta = 1e-5
    kept = [
        exact_delta(math.sqrt(2 * math.log(1.25 / delta)) / epsilon, epsilon) <= delta for epsilon in (1, 8, 9, 10, 20)
    ]
    assert kept == [True, True, False, False, False]


def exact_delta(sigma: float, epsilon: float) -> float:
    """Balle and Wang 2018, theorem 8, at sensitivity 1."""

    def phi(value: float) -> float:
        return math.erfc(-value / math.sqrt(2)) / 2

    return phi(0.5 / sigma - epsilon * sigma) - math.exp(epsilon) * phi(-0.5 / sigma - epsilon * sigma)
