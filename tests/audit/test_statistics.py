"""The audit's laws and tests against independent ones."""

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from duetpy.audit import laws, statistics
from duetpy.audit.end_to_end import event_bound, largest_bound
from duetpy.audit.samplers import ALPHA, continuous, seen_slip

RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-5), (4.0, 0.01), (0.5, 1e-9)])
def test_the_gaussian_curve_is_the_analytic_one(epsilon: float, delta: float) -> None:
    shift = laws.largest_shift(epsilon, delta)

    def curve(mu: float) -> mpmath.mpf:
        eps, move = mpmath.mpf(epsilon), mpmath.mpf(mu)
        return mpmath.ncdf(move / 2 - eps / move) - mpmath.exp(eps) * mpmath.ncdf(-move / 2 - eps / move)

    with mpmath.workdps(40):
        assert curve(shift * (1 + 1e-7)) > delta > curve(shift * (1 - 1e-7))


def test_noisy_max_sums_over_subsets() -> None:
    scores, rate = [0.0, 1.0, -0.5, 0.5], 1.3
    drawn = rate * np.array(scores) + RANDOM.exponential(1.0, (200_000, 4))
    counts = np.bincount(drawn.argmax(axis=1), minlength=4)
    assert statistics.chi_square(counts, laws.noisy_max(scores, rate)) > ALPHA
    assert statistics.chi_square(counts, laws.exponential(scores, rate)) < ALPHA


def test_above_threshold_has_its_law() -> None:
    queries, epsilon, count = [-3.0, 0.0, 1.0], 0.8, 200_000
    limit = RANDOM.laplace(0.0, 2 / epsilon, count)
    noisy = np.array(queries) + RANDOM.laplace(0.0, 4 / epsilon, (count, 3))
    above = noisy >= limit[:, None]
    stops = np.where(above.any(axis=1), above.argmax(axis=1), 2)
    counts = np.bincount(stops, minlength=3)
    assert statistics.chi_square(counts, laws.above_threshold(0.0, queries, epsilon)) > ALPHA
    assert statistics.chi_square(counts, laws.above_threshold(0.0, queries, epsilon * 1.2)) < ALPHA


def test_discrete_laws_are_laws() -> None:
    for law in (laws.discrete_laplace(2.5, 40), laws.discrete_gaussian(2.5, 40), laws.answers(1, 4, 0.7)):
        assert math.isclose(law.sum(), 1.0, rel_tol=1e-12)
        assert (law >= 0).all()
    steps = list(pairwise(laws.discrete_laplace(2.5, 40)[41:80]))
    assert all(math.isclose(b / a, math.exp(-1 / 2.5), rel_tol=1e-9) for a, b in steps)


@pytest.mark.parametrize("slip", [0.9, 1.1])
def test_a_wrong_scale_is_seen_and_a_right_one_is_not(slip: float) -> None:
    values = RANDOM.laplace(0.0, 1.0, 50_000)
    assert min(continuous(values, laws.laplace_below, 1.0, 2.0, 6.0).values()) > ALPHA
    assert min(continuous(values * slip, laws.laplace_below, 1.0, 2.0, 6.0).values()) < ALPHA
    assert min(continuous(np.abs(values), laws.laplace_below, 1.0, 2.0, 6.0).values()) < ALPHA
    assert min(continuous(np.full(50_000, np.nan), laws.laplace_below, 1.0, 2.0, 6.0).values()) == 0.0


def test_what_could_be_seen_shrinks_with_the_sample() -> None:
    def tests(values: np.ndarray) -> dict[str, float]:
        return continuous(values, laws.gaussian_below, 2.0, 1.0, 3.0)

    few, many = (seen_slip(tests, RANDOM.normal(size=count)) for count in (3_000, 300_000))
    assert few is not None
    assert many is not None
    assert many < few


def test_a_bound_on_a_probability_holds() -> None:
    assert statistics.at_least(0, 10, 0.01) == 0.0
    assert statistics.at_most(10, 10, 0.01) == 1.0
    for heads in (1, 5, 9):
        low = statistics.at_least(heads, 10, 0.01)
        assert math.isclose(sum(math.comb(10, k) * low**k * (1 - low) ** (10 - k) for k in range(heads, 11)), 0.01)
        high = statistics.at_most(heads, 10, 0.01)
        assert math.isclose(sum(math.comb(10, k) * high**k * (1 - high) ** (10 - k) for k in range(heads + 1)), 0.01)


def test_an_event_that_tells_inputs_apart_is_found_and_bounded() -> None:
    one, two = ([[x] for x in RANDOM.laplace(at, 1.0, 20_000)] for at in (0.0, 1.0))
    epsilon, event = event_bound(one, two, 0.0)
    assert 0.8 < epsilon < 1.0
    assert event.startswith("the event: number 1")
    same = [[x] for x in RANDOM.laplace(0.0, 1.0, 20_000)]
    assert event_bound(one, same, 0.0)[0] < 0.1
    apart, _ = event_bound([[1.0]] * 1000, [[1.0, 2.0]] * 1000, 0.0)
    assert apart == pytest.approx(largest_bound(500))
