"""Canonical noise: its law, its cut at quantiles, its enclosures, and runs of it."""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import duetpy
from duetpy.accounting import accuracy
from duetpy.accounting.mechanisms.table import MECHANISMS
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.noise.canonical_noise import canonical_step, exp_bounds, is_kept
from duetpy.runtime.noise.exact_sampler import discrete_laplace
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release.release import Release
from duetpy.runtime.release.run import run
from tests.effort import often

COUNT = 4000
STEP = 2.0**-20
CASES = [
    (Fraction(1), Fraction(0)),
    (Fraction(1), Fraction(1, 5)),
    (Fraction(3, 10), Fraction(1, 5)),
    (Fraction(3), Fraction(1, 2)),
    (Fraction(1, 3), Fraction(4, 5)),
    (Fraction(1, 1000), Fraction(1, 5)),
]


def below(x: Any, eps: float, delta: float) -> Any:
    """P(N ≤ x) at a number or at each of an array.

    From the published distribution function of G₁ − G₂ + U and its quantiles (Awan & Slavković 2018).
    """
    b = math.exp(-eps)

    far = np.abs(x)
    cell = np.rint(far)
    beyond = b**cell / (1 + b) * (b + (cell - far + 0.5) * (1 - b))
    uncut = np.where(np.asarray(x) <= 0, beyond, 1 - beyond)
    outside = 2 * delta * b / (1 - b + 2 * delta * b)
    return np.clip((uncut - outside / 2) / (1 - outside), 0.0, 1.0)


def distance(drawn: NDArray[np.float64], eps: float, delta: float) -> float:
    """√n times the largest distance of the empirical distribution function from the true one (Kolmogorov)."""
    drawn = np.sort(drawn)
    true = below(drawn, eps, delta)
    ranks = np.arange(len(drawn) + 1) / len(drawn)
    return math.sqrt(len(drawn)) * float(max(np.abs(true - ranks[1:]).max(), np.abs(true - ranks[:-1]).max()))


def sample(eps: Fraction, delta: Fraction, seed: int) -> NDArray[np.float64]:
    bits = InsecureBits(seed)
    return np.array([canonical_step(eps, delta, Fraction(1), -20, bits) for _ in range(COUNT)]) * STEP


@pytest.mark.parametrize(("eps", "delta"), CASES)
def test_what_is_kept_lies_between_the_quantiles(eps: Fraction, delta: Fraction) -> None:
    """By the published distribution function: outside of them it is 0 or 1."""
    for cell in (*range(9), 40, 500):
        for part in range(1, 64, 2):
            inside = below(-(cell + part / 64 - 0.5), float(eps), float(delta)) > 0.0
            assert is_kept(eps, delta, cell, part << 58, 64) is bool(inside), (cell, part)


LIMIT = 2.3
"""The statistic is above it with a chance of 5e-5 (Kolmogorov 1933: 2·exp(−2x²))."""


@pytest.mark.sparse(4)
@pytest.mark.parametrize(("eps", "delta"), CASES)
def test_the_law_is_the_published_one(eps: Fraction, delta: Fraction) -> None:
    drawn = sample(eps, delta, seed=7)
    assert distance(drawn, float(eps), float(delta)) < LIMIT
    assert abs((drawn > 0).mean() - 0.5) < 4.5 * 0.5 / math.sqrt(COUNT)


@pytest.mark.parametrize(("eps", "delta"), CASES[1:3])
def test_what_is_not_cut_or_not_spread_is_another_law(eps: Fraction, delta: Fraction) -> None:
    bits = InsecureBits(7)
    uncut = sample(eps, Fraction(0), seed=7)
    assert distance(uncut, float(eps), float(delta)) > LIMIT
    whole = np.array([discrete_laplace(1 / eps, bits) for _ in range(COUNT)], dtype=np.float64)
    assert distance(whole, float(eps), 0.0) > LIMIT


@pytest.mark.parametrize(("eps", "delta"), [(1.0, 0.05), (0.3, 0.2), (3.0, 0.5), (0.01, 0.3)])
def test_nothing_lies_beyond_the_quantile_and_the_quantile_is_reached(eps: float, delta: float) -> None:
    exact_eps, exact_delta = Fraction(eps), Fraction(delta)
    cell = next(m for m in range(1, 10**4) if is_kept(exact_eps, exact_delta, m, (1 << 64) - 1, 64) is False)
    inside = [word for word in range(1 << 10) if is_kept(exact_eps, exact_delta, cell, word, 10)]
    outside = [word for word in range(1 << 10) if is_kept(exact_eps, exact_delta, cell, word, 10) is False]
    undecided = (1 << 10) - len(inside) - len(outside)
    edge = cell + len(inside) / (1 << 10) - 0.5
    assert inside == list(range(len(inside)))
    assert outside == list(range(len(inside) + undecided, 1 << 10))
    assert undecided < 32
    slack = undecided / (1 << 10) + 1e-9
    assert below(edge, eps, delta) > 1 - slack
    assert below(edge + slack, eps, delta) == pytest.approx(1.0, abs=1e-9)
    assert is_kept(exact_eps, exact_delta, 10**6, 0, 64) is not True or delta == 0


@pytest.mark.parametrize(
    "spent", [Fraction(0), Fraction(1, 10**30), Fraction(1, 3), Fraction(1), Fraction(7), Fraction(101, 2)]
)
@pytest.mark.parametrize("precision", [8, 64, 200])
def test_exponentials_are_enclosed(spent: Fraction, precision: int) -> None:
    low, high = exp_bounds(spent, precision)
    with localcontext(Context(prec=120)):
        true = Fraction((-(Decimal(spent.numerator) / Decimal(spent.denominator))).exp())
    assert low - Fraction(1, 10**110) <= true <= high + Fraction(1, 10**110)
    assert high - low <= Fraction(8, 1 << precision)


@pytest.mark.parametrize(("eps", "delta"), CASES)
@pytest.mark.sparse(3)
def test_the_deviation_and_the_error_are_those_of_the_law(eps: Fraction, delta: Fraction) -> None:
    places = np.arange(-4 * 10**5, 4 * 10**5 + 1) / 10**4
    chance = np.diff(below(places, float(eps), float(delta)))
    middles = (places[:-1] + places[1:]) / 2
    found = MECHANISMS["canonical"].accuracy(1.0, 1, (float(eps), float(delta)))
    assert found.deviation == pytest.approx(math.sqrt(float(chance @ middles**2)), rel=1e-5)
    assert below(found.error95, float(eps), float(delta)) == pytest.approx(0.975, abs=1e-9)
    twice = MECHANISMS["canonical"].accuracy(2.0, 1, (float(eps), float(delta)))
    assert twice.error95 == pytest.approx(2 * found.error95)


def test_parameters_at_the_rim_have_an_accuracy() -> None:
    assert MECHANISMS["canonical"].accuracy(1.0, 1, (1e300, 0.5)).deviation == pytest.approx(math.sqrt(1 / 12))
    flat = MECHANISMS["canonical"].accuracy(1.0, 1, (1e-300, 1e-3))
    assert flat.deviation == pytest.approx(500 / math.sqrt(3))
    assert flat.error95 == pytest.approx(475)


@pytest.mark.parametrize(
    ("eps", "delta", "scale"), [(0, 0, 1), (1, 1, 1), (1, Fraction(-1, 2), 1), (1, 0, 0), (-1, 0, 1)]
)
def test_there_is_no_noise_out_of_range(eps: Any, delta: Any, scale: Any) -> None:
    with pytest.raises(ValueError, match="canonical noise"):
        canonical_step(Fraction(eps), Fraction(delta), Fraction(scale), 0, InsecureBits(1))


TABLE = "xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []]"
AGES = np.arange(10.0).reshape(-1, 1)


def go(parameters: str, notion: str, seed: int | str | None = None) -> Release:
    text = f"pλ . {TABLE} ⇒ canonical[auto, {parameters}] <xs> {{ real (rows (mfilter xs {{ r ⇒ r.age < 5.0 }})) }}"
    found = duetpy.parse(text, notion=notion).typed
    assert found is not None
    assert found.ok, found.diagnostics
    how: dict[str, Any] = {} if seed is None else {"insecure_noise": seed}
    return run(found, {"xs": AGES}, {}, **how)


@pytest.mark.parametrize("delta", ["0.0", "0.01"])
@pytest.mark.sparse(2)
def test_a_noisy_count(delta: str) -> None:
    count = often(150, 60)
    found = np.array([go(f"1.0, {delta}", "approx", seed).result for seed in range(count)])
    about = MECHANISMS["canonical"].accuracy(1.0, 1, (1.0, float(delta)))
    assert abs(found.mean() - 5) < 6 * about.deviation / math.sqrt(count)
    assert 0.75 * about.deviation < found.std() < 1.3 * about.deviation
    (entry,) = go(f"1.0, {delta}", "approx").releases
    assert entry["mechanism"] == "canonical"
    assert 1.0 <= entry["scale"] < 1.0001
    assert entry["error95"] == pytest.approx(about.error95, rel=1e-4)
    assert go(f"1.0, {delta}", "approx", "none").result == 5


@pytest.mark.parametrize(("eps", "delta"), [(0.01, 1e-6), (0.1, 0.01), (1.0, 1e-6), (3.0, 1e-6), (5.0, 1e-9)])
def test_where_the_noise_is_cut_off(eps: float, delta: float) -> None:
    """The place c on docs/rules/canonical.md, to half a step: what all but 1e-15 of the noise stays within."""
    farthest = accuracy.canonical(1.0, 1e-15, eps, delta).error95
    assert abs(farthest - (0.5 + math.log(1 + math.tanh(eps / 2) / delta) / eps)) < 0.5


def test_no_error_passes_the_quantile() -> None:
    edge = 1.1476
    assert below(edge, 1.0, 0.4) == pytest.approx(1.0, abs=1e-4)
    assert below(edge - 1e-3, 1.0, 0.4) < 0.9999
    assert 0.9 < max(abs(go("1.0, 0.4", "approx", seed).result - 5) for seed in range(often(60, 30))) < edge + 1e-4


@pytest.mark.parametrize("notion", ["eps", "renyi", "zcdp", "tcdp", "gdp"])
def test_without_a_leak_it_runs_in_the_other_notions(notion: str) -> None:
    assert abs(go("1.0", notion).result - 5) < 60


@pytest.mark.parametrize("eps", ["1e-300", "1e300"])
def test_noise_that_no_double_holds_is_refused(eps: str) -> None:
    if eps == "1e300":
        assert abs(go(f"{eps}, 0.1", "approx").result - 5) <= 0.5 + 1e-8
        return
    with pytest.raises(DuetError) as caught:
        go(f"{eps}, 0.1", "approx")
    assert [found.code for found in caught.value.diagnostics] == ["D0703"]


def test_noise_of_next_to_no_epsilon_is_drawn_at_once() -> None:
    """Nearly all of G₁ - G₂ is cut off: it is within 10⁶/2, where without δ it has 10¹⁰⁰ and more."""
    bits = InsecureBits(11)
    for eps in (Fraction(1, 10**12), Fraction(1, 10**100)):
        drawn = np.array([canonical_step(eps, Fraction(1, 10**6), Fraction(1), 0, bits) for _ in range(400)])
        assert np.abs(drawn).max() <= 500_000
        ranks = np.sort(drawn / 1e6 + 0.5) - (np.arange(400) + 0.5) / 400
        assert math.sqrt(400) * np.abs(ranks).max() < LIMIT  # as good as uniform
