"""The audit's laws and tests against independent ones."""

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from duetpy.audit import laws, statistics
from duetpy.audit.end_to_end import event_bound, largest_bound
from duetpy.audit.samplers import ALPHA, continuous, seen_slip
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from tests.accounting.terms import of

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


def test_what_lies_beyond_the_ends_is_at_the_ends() -> None:
    near = laws.discrete_laplace(2.5, 3), laws.discrete_gaussian(2.5, 3)
    for law, wide in zip(near, (laws.discrete_laplace(2.5, 60), laws.discrete_gaussian(2.5, 60)), strict=True):
        assert np.allclose(law[1:-1], wide[58:63], rtol=1e-4)
        assert law[0] == pytest.approx(wide[:58].sum(), rel=1e-4)
        assert law[-1] == pytest.approx(wide[63:].sum(), rel=1e-4)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (1.0, 0.01), (3.0, 0.1)])
def test_canonical_noise_has_the_law_of_its_sum(epsilon: float, delta: float) -> None:
    """G₁ − G₂ + U, by a sum over the whole numbers, without the share q beyond the quantiles."""
    ratio = math.exp(-epsilon)
    cut = 2 * delta * ratio / (1 - ratio + 2 * delta * ratio)
    places = np.array([-1.75, -0.5, -0.25, 0.0, 0.25, 1.125, 2.0])
    for at, found in zip(places, laws.canonical_below(places, epsilon, delta), strict=True):
        chances = ((k, (1 - ratio) / (1 + ratio) * ratio ** abs(k)) for k in range(-200, 201))
        below = sum(chance * min(1.0, max(0.0, at - k + 0.5)) for k, chance in chances)
        if cut / 2 <= below <= 1 - cut / 2:
            assert found == pytest.approx((below - cut / 2) / (1 - cut), rel=1e-9, abs=1e-12)


def test_choices_have_their_weights() -> None:
    weights = [math.exp(0.7 * score) for score in (-900.0, 3.0, 2.5)]
    assert laws.exponential([-900.0, 3.0, 2.5], 0.7) == pytest.approx([w / sum(weights) for w in weights])
    assert laws.exponential([2000.0, 1999.0], 1.0)[0] == pytest.approx(1 / (1 + math.exp(-1)))
    told = math.exp(0.7) / (math.exp(0.7) + 3)
    assert laws.answers(2, 4, 0.7) == pytest.approx([(1 - told) / 3, (1 - told) / 3, told, (1 - told) / 3])


@pytest.mark.parametrize(
    ("atom", "squared"),
    [
        (Atom("laplace", (of("0.5"),)), 16.0),
        (Atom("dlaplace", (of("0.5"),)), 16.0),
        (Atom("gauss", (of("0.5"),), Notion.ZCDP), 4.0),
        (Atom("dgauss", (of("0.5"),), Notion.ZCDP), 4.0),
        (Atom("gauss", (of("0.5"), of(9)), Notion.TCDP), 4.0),
        (Atom("gauss", (of(5), of("0.5")), Notion.RENYI), 20.0),
        (Atom("gauss", (of("0.5"),), Notion.GDP), 16.0),
        (Atom("gauss", (of("0.5"),), Notion.RAO), 16.0),
        (Atom("ggauss", (of(3), of("0.5"))), 16.0),
        (Atom("ggauss", (of(1), of("0.5")), Notion.RAO), 16.0),
        # The Fisher information of the density ∝ exp(−|x|³) is 3 Γ(5/3)/Γ(4/3).
        (Atom("ggauss", (of(3), of("0.5")), Notion.RAO), 48 * math.gamma(5 / 3) / math.gamma(4 / 3)),
        (Atom("canonical", (of("0.5"), of("0.01"))), 4.0),
    ],
    ids=repr,
)
def test_the_noise_that_a_price_needs_is_that_of_its_theorem(atom: Atom, squared: float) -> None:
    needed = laws.needed_scale(atom, Fraction(2), {})
    assert needed is not None
    assert needed**2 == pytest.approx(squared, rel=1e-9)


@pytest.mark.parametrize(("epsilon", "sigma", "steps"), [(0.5, 1.5, 1), (1.0, 3.0, 2), (0.0, 2.0, 1)])
def test_the_curve_of_discrete_gaussian_noise_is_its_sum(epsilon: float, sigma: float, steps: int) -> None:
    law = {z: math.exp(-z * z / (2 * sigma * sigma)) for z in range(-200, 201)}
    total = math.fsum(law.values())
    truth = math.fsum(max(0.0, w - math.exp(epsilon) * law.get(z - steps, 0.0)) for z, w in law.items()) / total
    assert laws.discrete_delta(epsilon, sigma, steps) == pytest.approx(truth, rel=1e-9)


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


def upper_tail(counts: list[int], chances: list[float]) -> float:
    """Pearson's sum, and the tail of the Gamma law of half as many degrees of freedom as there are cells but one."""
    total = sum(counts)
    distance = sum(
        (seen - total * chance) ** 2 / (total * chance) for seen, chance in zip(counts, chances, strict=True)
    )
    return float(mpmath.gammainc((len(counts) - 1) / 2, distance / 2, regularized=True))


def test_a_chi_square_is_the_upper_tail_of_its_law() -> None:
    for counts, chances in (([30, 50, 120], [0.2, 0.3, 0.5]), ([61, 39], [0.5, 0.5]), ([9, 30, 31, 30], [0.25] * 4)):
        assert statistics.chi_square(counts, chances) == pytest.approx(upper_tail(counts, chances), rel=1e-9)
    # Of 400 the first two cells expect 4 and 8: they are one, of 12.
    thin = statistics.chi_square([11, 9, 12, 368], [0.01, 0.02, 0.03, 0.94])
    assert thin == pytest.approx(upper_tail([20, 12, 368], [0.03, 0.03, 0.94]), rel=1e-9)
    assert statistics.chi_square([3, 1], [0.5, 0.5]) == 1.0  # too few to say anything


def test_what_must_never_happen_is_seen_once() -> None:
    assert statistics.chi_square([1, 999_999], [0.0, 1.0]) == 0.0
    assert statistics.chi_square([0, 400, 600], [0.0, 0.4, 0.6]) == pytest.approx(1.0)


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.9])
def test_a_coin_is_tested_exactly_on_both_sides(chance: float) -> None:
    masses = [math.comb(12, k) * chance**k * (1 - chance) ** (12 - k) for k in range(13)]
    for heads in range(13):
        truth = min(1.0, 2 * min(sum(masses[: heads + 1]), sum(masses[heads:])))
        assert statistics.coin(heads, 12, chance) == pytest.approx(truth, rel=1e-9)


def test_distances_and_means_have_their_limit_laws() -> None:
    below = np.sort(RANDOM.uniform(size=500) ** 1.1)
    gaps = [abs(at - rank / 500) for index, at in enumerate(below) for rank in (index, index + 1)]
    reach = max(gaps) * math.sqrt(500)
    series = 2 * sum((-1) ** (k - 1) * math.exp(-2 * k * k * reach * reach) for k in range(1, 100))
    assert statistics.kolmogorov(below) == pytest.approx(series, rel=1e-6)
    values = np.array([1.0, 2.0, 6.0, 7.0])
    score = (4.0 - 3.5) * 2.0 / 0.8
    assert statistics.mean_of(values, 3.5, 0.8) == pytest.approx(math.erfc(score / math.sqrt(2)), rel=1e-12)
    assert statistics.mean_of(2 * 3.5 - values, 3.5, 0.8) == pytest.approx(math.erfc(score / math.sqrt(2)), rel=1e-12)


def test_an_event_that_tells_inputs_apart_is_found_and_bounded() -> None:
    one, two = ([[x] for x in RANDOM.laplace(at, 1.0, 20_000)] for at in (0.0, 1.0))
    epsilon, event = event_bound(one, two, 0.0)
    assert 0.8 < epsilon < 1.0
    assert event.startswith("the event: number 1")
    same = [[x] for x in RANDOM.laplace(0.0, 1.0, 20_000)]
    assert event_bound(one, same, 0.0)[0] < 0.1
    apart, _ = event_bound([[1.0]] * 1000, [[1.0, 2.0]] * 1000, 0.0)
    assert apart == pytest.approx(largest_bound(500))


def test_an_event_is_looked_for_on_both_sides() -> None:
    """On [0, 1] and on [0, 2]: all of the first is twice as likely, and half of the second never happens in the first."""
    near, far = ([[x] for x in RANDOM.uniform(0.0, width, 4_000)] for width in (1.0, 2.0))
    for one, two in ((near, far), (far, near)):
        assert event_bound(one, two, 0.0)[0] > 4.0
