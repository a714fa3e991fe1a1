"""Profiles and Rényi curves of single mechanisms against exact fractions, quadrature and fifty digits."""

import math
from fractions import Fraction
from itertools import pairwise
from random import Random

import mpmath as mp
import numpy as np
import pytest

from duetpy.accounting.losses import subsampling
from duetpy.accounting.losses.composed import ComposedLoss, CurveProfile, composed, merged
from duetpy.accounting.losses.derived import ChoiceLoss, GroupLoss, TogetherLoss, grouped, shared, zcdp
from duetpy.accounting.losses.discrete import DiscreteGaussianLoss
from duetpy.accounting.losses.generalized_gaussian import GeneralizedGaussianLoss
from duetpy.accounting.losses.losses import (
    PROFILE_ERROR,
    BoundedRangeLoss,
    CurveLoss,
    GaussianLoss,
    KaryLoss,
    LaplaceLoss,
    LeakyLoss,
    Loss,
    ResponseLoss,
    laplace_renyi,
    laplace_rho,
    response_renyi,
    response_rho,
)
from duetpy.accounting.losses.sampled import FixedLoss, PoissonLoss
from duetpy.accounting.losses.shuffle import ShuffleLoss
from tests.accounting import exact_losses as exact
from tests.effort import often

GRID = np.linspace(-6.0, 6.0, 97)

SYMMETRIC: list[Loss] = [
    GaussianLoss(0.7),
    GaussianLoss(0.004),
    LaplaceLoss(1.3),
    ResponseLoss(2.0),
    KaryLoss(2.0, 5),
    BoundedRangeLoss(1.5),
    LeakyLoss(1e-3, ResponseLoss(0.5)),
    GeneralizedGaussianLoss(3.0, 0.8),
    GeneralizedGaussianLoss(1.5, 0.3),
    FixedLoss(0.1, GaussianLoss(1.0)),
    GroupLoss(3, FixedLoss(0.1, LaplaceLoss(1.0))),
    CurveLoss(0.1),
    TogetherLoss(GaussianLoss(0.5), LaplaceLoss(0.7)),
]


def at(loss: Loss, eps: float, reverse: bool = False) -> float:
    return float(loss.profile(np.array([eps]), reverse)[0])


@pytest.mark.parametrize("loss", SYMMETRIC, ids=str)
def test_a_symmetric_profile_mirrors(loss: Loss) -> None:
    """δ(−ε) = 1 − e^{−ε} + e^{−ε} δ(ε) for a pair that equals its reverse."""
    right, left = loss.profile(np.abs(GRID)), loss.profile(-np.abs(GRID))
    expected = -np.expm1(-np.abs(GRID)) + np.exp(-np.abs(GRID)) * right
    assert left == pytest.approx(expected, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("loss", [*SYMMETRIC, PoissonLoss(0.2, GaussianLoss(1.0))], ids=str)
@pytest.mark.parametrize("reverse", [False, True])
def test_a_profile_falls_and_lies_between_its_limits(loss: Loss, reverse: bool) -> None:
    values = loss.profile(GRID, reverse)
    assert np.all(np.diff(values) <= 1e-12)
    assert np.all(values >= -np.expm1(np.minimum(GRID, 0.0)) - 1e-12)
    assert np.all(values <= 1.0 + 1e-12)


@pytest.mark.parametrize("mu", [0.003, 0.05, 0.7, 3.0, 40.0])
def test_gaussian_profile(mu: float) -> None:
    for a in (-3.0, -0.3, 0.0, 0.5, 3.0, 12.0, 30.0):
        eps = (a + mu / 2) * mu
        truth = exact.gaussian_delta(eps, mu)
        assert at(GaussianLoss(mu), eps) == pytest.approx(float(truth), rel=1.5e-11, abs=1e-300)


@pytest.mark.parametrize("grown", [Fraction(11, 10), Fraction(3), Fraction(50)])
@pytest.mark.parametrize("size", [2, 3, 7])
def test_randomized_response_is_exact(grown: Fraction, size: int) -> None:
    pair = exact.response(grown, size)
    eps = math.log(grown)
    for y in (Fraction(1, 60), Fraction(1, 2), Fraction(1), Fraction(21, 20), Fraction(2), Fraction(49)):
        truth = float(exact.delta(pair, y))
        assert at(KaryLoss(eps, size), math.log(y)) == pytest.approx(truth, rel=1e-12, abs=1e-15)
        if size == 2:
            assert at(ResponseLoss(eps), math.log(y)) == pytest.approx(truth, rel=1e-12, abs=1e-15)
        assert at(ResponseLoss(eps), math.log(y)) >= truth * (1 - 1e-12)
    for alpha in (1.001, 1.5, 2.0, 10.0, 300.0):
        truth = exact.renyi(pair, alpha)
        assert truth <= response_renyi(eps, alpha) * (1 + mp.mpf("1e-13"))
        if size == 2:
            assert response_renyi(eps, alpha) == pytest.approx(float(truth), rel=1e-10)


def laplace_density(shift: float, scale: float) -> object:
    return lambda x: mp.exp(-abs(x - shift) / scale) / (2 * scale)


@pytest.mark.parametrize("eps", [0.2, 1.0, 4.0])
@pytest.mark.sparse(3)
def test_laplace(eps: float) -> None:
    p, q = laplace_density(0, 1 / eps), laplace_density(1, 1 / eps)
    for x in (-0.5 * eps, 0.0, 0.4 * eps, 0.9 * eps):
        truth = exact.continuous_delta(p, q, x, [-60 / eps, 0, 1, 60 / eps])
        assert at(LaplaceLoss(eps), x) == pytest.approx(float(truth), rel=1e-9)
    for alpha in (1.01, 2.0, 7.5, 40.0):
        a = mp.mpf(alpha)
        with mp.workdps(20):
            integral = mp.quad(lambda x, a=a: p(x) ** a * q(x) ** (1 - a), [-50 / eps, 0, 1, 50 / eps])
        assert laplace_renyi(eps, alpha) == pytest.approx(float(mp.log(integral) / (a - 1)), rel=1e-9)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0, 3.0, 4.0])
@pytest.mark.parametrize("ratio", [0.3, 1.2])
@pytest.mark.sparse(7)
def test_generalized_gaussian(power: float, ratio: float) -> None:
    scale = 2 * mp.gamma(1 + 1 / mp.mpf(power))
    reach = 40.0 ** (1 / power) + ratio

    def density(shift: float) -> object:
        return lambda x: mp.exp(-(abs(x - shift) ** mp.mpf(power))) / scale

    for eps in (0.0, 0.2, 0.8):
        truth = exact.continuous_delta(density(ratio), density(0), eps, [-reach, 0, ratio, reach])
        found = at(GeneralizedGaussianLoss(power, ratio), eps)
        assert found >= float(truth) * (1 - 1e-10)
        assert found == pytest.approx(float(truth), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("eps", [0.1, 0.5, 1.0, 2.0, 6.0, 20.0])
def test_zcdp_of_pure_mechanisms_holds_at_every_order(eps: float) -> None:
    """D_α ≤ ρα with ρ = D₁, for randomized response, Laplace noise and (with ε²/8) a bounded range."""
    e = mp.mpf(eps)
    for alpha in (1.0001, 1.1, 1.5, 2.0, 3.0, 8.0, 50.0, 1000.0):
        a = mp.mpf(alpha)
        p = 1 / (1 + mp.exp(-e))
        response = mp.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)
        assert response <= response_rho(eps) * a
        laplace = mp.log(a / (2 * a - 1) * mp.exp((a - 1) * e) + (a - 1) / (2 * a - 1) * mp.exp(-a * e)) / (a - 1)
        assert laplace <= laplace_rho(eps) * a
        for share in (0.1, 0.3, 0.5, 0.8):
            t = share * e
            first = (mp.exp(e) - mp.exp(t)) / mp.expm1(e)
            ranged = mp.log(first * mp.exp((a - 1) * t) + (1 - first) * mp.exp((a - 1) * (t - e))) / (a - 1)
            assert ranged <= zcdp(BoundedRangeLoss(eps)) * a
            assert ranged <= BoundedRangeLoss(eps).renyi(alpha)
    assert response_rho(eps) == pytest.approx(float(e * mp.tanh(e / 2)), rel=1e-12)
    assert laplace_rho(eps) == pytest.approx(float(e + mp.exp(-e) - 1), rel=1e-12)


def test_a_smaller_rho_is_caught() -> None:
    """The control: 3 % less than ρ is below D_α/α near α = 1."""
    for eps in (0.1, 1.0, 5.0):
        assert response_renyi(eps, 1.0001) / 1.0001 > 0.97 * response_rho(eps)
        assert laplace_renyi(eps, 1.0001) / 1.0001 > 0.97 * laplace_rho(eps)


@pytest.mark.parametrize("grown", [Fraction(3, 2), Fraction(4)])
def test_bounded_range_covers_every_two_point_pair_and_touches_one(grown: Fraction) -> None:
    eps = math.log(grown)
    for y in (Fraction(1), Fraction(5, 4), Fraction(7, 5)):
        envelope = at(BoundedRangeLoss(eps), math.log(y))
        best = 0.0
        for i in range(1, 80):
            upper = 1 + (grown - 1) * Fraction(i, 80)
            truth = float(exact.delta(exact.two_point(grown, upper), y))
            assert truth <= envelope * (1 + 1e-12)
            best = max(best, truth)
        assert best >= envelope * 0.999


# ---------------------------------------------------------------------------------------------------------------------
# Derived losses


@pytest.mark.parametrize("rate", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("mu", [0.5, 1.5])
@pytest.mark.sparse(6)
def test_poisson_sampling_of_a_gaussian_in_both_directions(rate: float, mu: float) -> None:
    q = mp.mpf(rate)

    def absent(x: mp.mpf) -> mp.mpf:
        return mp.npdf(x)

    def present(x: mp.mpf) -> mp.mpf:
        return (1 - q) * mp.npdf(x) + q * mp.npdf(x - mu)

    loss = PoissonLoss(rate, GaussianLoss(mu))
    for eps in (-0.05, 0.0, 0.01, 0.3):
        removed = exact.continuous_delta(present, absent, eps, [-14, 0, 14])
        added = exact.continuous_delta(absent, present, eps, [-14, 0, 14])
        assert at(loss, eps) == pytest.approx(float(removed), rel=1e-8, abs=1e-12)
        assert at(loss, eps, reverse=True) == pytest.approx(float(added), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(
    ("power", "ratio", "alpha"), [(1.5, 30.0, 1.5), (1.5, 12.5, 2.0), (3.0, 6.0, 1.25), (2.5, 9.0, 2.0)]
)
@pytest.mark.sparse(4)
def test_a_generalized_gaussian_that_moves_by_many_scales_has_a_curve(power: float, ratio: float, alpha: float) -> None:
    density = power / (2 * mp.gamma(1 / mp.mpf(power)))

    def ratio_to(y: mp.mpf) -> mp.mpf:
        return density * mp.exp(-alpha * abs(y - ratio) ** power - (1 - alpha) * abs(y) ** power)

    with mp.workdps(20):
        places = sorted(
            [*(mp.mpf(place) for place in np.linspace(-60, 60 + 10 * ratio, 200)), mp.mpf(0), mp.mpf(ratio)]
        )
        heights = [ratio_to(place) for place in places]
        # What is left out is below the last digit, and the truth is no more without it.
        parts = [at for at, pair in enumerate(pairwise(heights)) if max(pair) > max(heights) / mp.mpf(10) ** 20]
        truth = mp.log(mp.quad(ratio_to, places[parts[0] : parts[-1] + 2])) / (alpha - 1)
    found = GeneralizedGaussianLoss(power, ratio).renyi(alpha)
    assert truth <= found
    assert found == math.inf or found <= truth * (1 + 1e-2)


def test_a_generalized_gaussian_that_moves_beyond_the_doubles_has_no_finite_curve() -> None:
    assert GeneralizedGaussianLoss(2.0, 1e300).renyi(2.0) == math.inf


LINES = (
    GeneralizedGaussianLoss(2.0, 0.7),
    GeneralizedGaussianLoss(1.0, 0.7),
    DiscreteGaussianLoss(3, 2.0, 1.125),
    ShuffleLoss(50, 0.7, LaplaceLoss(0.7)),
)


@pytest.mark.parametrize("loss", [*SYMMETRIC, *LINES], ids=str)
def test_a_line_is_no_lower_than_the_curve(loss: Loss) -> None:
    assert all(loss.renyi(alpha) <= zcdp(loss) * alpha * (1 + 1e-9) for alpha in (1.1, 2.0, 8.0, 40.0))
    assert zcdp(loss) < math.inf or loss not in LINES


def test_a_line_is_known_of_groups_and_of_inputs_moved_together() -> None:
    both = TogetherLoss(GaussianLoss(0.3), ResponseLoss(0.2))
    line = (math.sqrt(0.3**2 / 2) + math.sqrt(response_rho(0.2))) ** 2
    assert zcdp(both) == pytest.approx(line)
    assert zcdp(GroupLoss(3, both)) == pytest.approx(9 * line)
    assert GroupLoss(3, both).renyi(2.0) == pytest.approx(18 * line)
    assert zcdp(GroupLoss(2, PoissonLoss(0.1, GaussianLoss(1.0)))) == math.inf
    assert zcdp(TogetherLoss(GaussianLoss(0.3), LeakyLoss(1e-9, ResponseLoss(0.2)))) == math.inf


def test_a_line_that_ends_at_an_order_is_none_at_every_order() -> None:
    ends = CurveLoss(0.1, math.inf, 4.0)
    for loss in (ends, ComposedLoss(((ends, 1), (LaplaceLoss(1.0), 1))), ChoiceLoss((ends, LaplaceLoss(1.0)), True)):
        assert zcdp(loss) == math.inf
        assert GroupLoss(2, loss).renyi(100.0) == math.inf
        assert TogetherLoss(loss, LaplaceLoss(1.0)).renyi(100.0) == math.inf
        assert shared([loss, GaussianLoss(1.0)]).renyi(100.0) == math.inf
    # Of nothing there is a line at every order; what is added to it keeps its own.
    for parts in ([CurveLoss(0.0), ends], [ends, CurveLoss(0.0)]):
        assert 0.2 <= shared(parts).renyi(2.0) < shared(parts).renyi(5.0) == math.inf


def test_what_leaks_in_each_of_two_steps_may_leak_more_than_twice() -> None:
    """A row that shows itself with probability δ, and another one for which that is e^ε times as likely and δ more."""
    drawn = PoissonLoss(0.1, LeakyLoss(1e-3, ResponseLoss(2.0)))
    once = drawn.leak
    twice = math.exp(math.log1p(0.1 * math.expm1(2.0))) * once + once
    assert twice > 2.5 * once
    assert GroupLoss(2, drawn).leak >= twice
    assert TogetherLoss(drawn, drawn).leak >= twice
    for other in (LaplaceLoss(2.0), GaussianLoss(0.1)):
        assert TogetherLoss(drawn, other).leak >= once
        assert TogetherLoss(other, drawn).leak >= once


def test_the_two_directions_of_sampling_differ() -> None:
    loss = PoissonLoss(0.05, GaussianLoss(2.0))
    assert at(loss, 0.05) > at(loss, 0.05, reverse=True) + 1e-3


@pytest.mark.parametrize(("rows", "drawn"), [(3, 1), (4, 2), (5, 5)])
def test_sampling_without_replacement_covers_an_enumeration(rows: int, drawn: int) -> None:
    grown = Fraction(5)
    pair = exact.sampled_response(grown, rows, drawn)
    loss = FixedLoss(drawn / rows, ResponseLoss(math.log(grown))) if drawn < rows else ResponseLoss(math.log(grown))
    touched = False
    for y in (Fraction(1), Fraction(21, 20), Fraction(3, 2), Fraction(3)):
        for one in (pair, (pair[1], pair[0])):
            truth = float(exact.delta(one, y))
            assert truth <= at(loss, math.log(y)) * (1 + 1e-12)
            touched = touched or (truth > 0 and truth >= at(loss, math.log(y)) * (1 - 1e-9))
    assert touched


def test_twice_the_rate_is_no_bound_for_large_epsilon() -> None:
    """2(b/m)ε is false from ε ≈ 1.26 on: one of 100 rows, ε = 5, claims 0.1; the truth is 0.906."""
    loss = FixedLoss(0.01, ResponseLoss(5.0))
    assert loss.pure == pytest.approx(0.906, abs=1e-3)
    pair = exact.sampled_response(Fraction(math.exp(5.0)), 100, 1)
    assert float(exact.delta(pair, Fraction(math.exp(0.1)))) > 1e-3


@pytest.mark.parametrize("size", [2, 3, 5])
def test_groups_of_shift_families_stay_in_the_family(size: int) -> None:
    assert grouped(size, GaussianLoss(0.3)) == GaussianLoss(pytest.approx(size * 0.3))
    assert grouped(size, LaplaceLoss(0.3)) == LaplaceLoss(pytest.approx(size * 0.3))
    assert grouped(size, GeneralizedGaussianLoss(3.0, 1.3)) == GeneralizedGaussianLoss(3.0, pytest.approx(size * 1.3))
    generic = GroupLoss(size, GaussianLoss(0.3))
    for eps in (0.1, 0.5, 2.0):
        assert at(generic, eps) >= at(GaussianLoss(size * 0.3), eps)
    pure = GroupLoss(size, ResponseLoss(0.4))
    for eps in (0.1, 0.5):
        assert at(pure, eps) >= at(LaplaceLoss(size * 0.4), eps) * (1 - 1e-12)


def test_group_privacy_of_approximate_privacy() -> None:
    """(ε, δ) on k steps is (kε, δ(e^{kε} − 1)/(e^ε − 1)), not (kε, kδ)."""
    loss = grouped(4, LeakyLoss(1e-6, ResponseLoss(1.0)))
    assert isinstance(loss, LeakyLoss)
    assert loss.delta == pytest.approx(1e-6 * math.expm1(4.0) / math.expm1(1.0))
    assert loss.delta > 4e-6


def test_inputs_moved_together() -> None:
    assert shared([GaussianLoss(0.3), GaussianLoss(0.4)]) == GaussianLoss(pytest.approx(0.7))
    assert shared([LaplaceLoss(0.3), LaplaceLoss(0.4)]) == LaplaceLoss(pytest.approx(0.7))
    for step in (0.1, 0.3, 0.7):
        for parts in (7, 30, 1000):
            for family in (GaussianLoss, LaplaceLoss, BoundedRangeLoss, ResponseLoss):
                joint = shared([family(step)] * parts)
                assert Fraction(joint.mu if isinstance(joint, GaussianLoss) else joint.pure) >= parts * Fraction(step)
    curve = shared([CurveLoss(0.04), CurveLoss(0.09)])
    assert isinstance(curve, CurveLoss)
    assert curve.slope == pytest.approx(0.25)
    mixed = TogetherLoss(GaussianLoss(0.3), GaussianLoss(0.4))
    for eps in (0.05, 0.5, 1.5, 4.0):
        assert at(mixed, eps) >= at(GaussianLoss(0.7), eps)


def test_the_sum_of_zcdp_is_no_bound_for_inputs_moved_together() -> None:
    """ρ₁ + ρ₂ would be false: moving both inputs of N(x + y, σ²) moves it by 2."""
    both = shared([GaussianLoss(1.0), GaussianLoss(1.0)])
    assert both.renyi(2.0) > 2 * (zcdp(GaussianLoss(1.0)) * 2)


def test_a_choice_is_the_larger_everywhere() -> None:
    choice = ChoiceLoss((GaussianLoss(0.5), LaplaceLoss(0.8)))
    for eps in (0.0, 0.3, 0.7, 2.0):
        assert at(choice, eps) == max(at(GaussianLoss(0.5), eps), at(LaplaceLoss(0.8), eps))
    assert choice.renyi(3.0) == max(GaussianLoss(0.5).renyi(3.0), LaplaceLoss(0.8).renyi(3.0))


def test_a_curve_implies_a_profile_that_covers_its_mechanism() -> None:
    for rho in (0.01, 0.3, 2.0):
        loss = CurveLoss(rho)
        for eps in (0.0, 0.1, 1.0, 5.0, 12.0):
            assert at(loss, eps) >= at(GaussianLoss(math.sqrt(2 * rho)), eps)
    joined = CurveProfile(((CurveLoss(0.1), 2), (CurveLoss(0.3, math.inf, 20.0), 1)))
    for eps in (0.5, 3.0):
        assert at(joined, eps) >= at(GaussianLoss(1.0), eps)


def test_composition_of_gaussians_is_gaussian() -> None:
    assert merged([(GaussianLoss(0.3), 16), (GaussianLoss(0.9), 1)]) == ((GaussianLoss(pytest.approx(1.5)), 1),)
    assert composed([(GaussianLoss(0.3), 4)]) == GaussianLoss(pytest.approx(0.6))
    assert merged([(LaplaceLoss(0.1), 2), (LaplaceLoss(0.1), 3)]) == ((LaplaceLoss(0.1), 5),)


@pytest.mark.parametrize("grown", [Fraction(3, 2), Fraction(8)])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_tabulated_composition_covers_the_exact_one(reverse: bool, grown: Fraction) -> None:
    pair = exact.product(exact.power(exact.response(grown), 3), exact.response(Fraction(2), 4))
    loss = ComposedLoss(((ResponseLoss(math.log(grown)), 3), (KaryLoss(math.log(2), 4), 1)))
    for y in (Fraction(1, 10**4), Fraction(1, 5), Fraction(1), Fraction(13, 10), Fraction(2), Fraction(6), Fraction(7)):
        truth = float(exact.delta(pair, y))
        found = at(loss, math.log(y), reverse)
        assert truth * (1 - 1e-12) <= found <= truth * (1 + 1e-3) + 1e-8


@pytest.mark.parametrize("rate", [0.01, 0.2])
@pytest.mark.parametrize("alpha", [2, 5, 16])
@pytest.mark.sparse(5)
def test_sampled_renyi_curves_cover_the_truth(rate: float, alpha: int) -> None:
    mu, q, a = 0.9, mp.mpf(rate), mp.mpf(alpha)

    def divergence(p: object, r: object) -> float:
        with mp.workdps(20):
            integral = mp.quad(lambda x: p(x) ** a * r(x) ** (1 - a), [-30, -10, 0, 10, 30, 60])
        return float(mp.log(integral) / (a - 1))

    def absent(x: mp.mpf) -> mp.mpf:
        return mp.npdf(x)

    def present(x: mp.mpf) -> mp.mpf:
        return (1 - q) * mp.npdf(x) + q * mp.npdf(x - mu)

    removed, added = divergence(present, absent), divergence(absent, present)
    rho = mu * mu / 2
    gaussian = subsampling.poisson_gaussian_renyi(rate, alpha, rho)
    assert gaussian == pytest.approx(removed, rel=1e-6)
    assert added <= gaussian
    assert removed <= subsampling.poisson_renyi(rate, alpha, subsampling.multiples(rho))
    # Replacing the row at shift 0 by one at shift μ: with Q = N(0, 1), the base of the theorem has D_j = ρj.
    assert removed <= subsampling.fixed_size_renyi(rate, alpha, subsampling.multiples(rho), math.inf)


@pytest.mark.parametrize("alpha", [2, 3, 4, 7, 16, 60])
def test_sums_over_orders_are_never_below_fifty_digits(alpha: int) -> None:
    draw = Random(alpha)
    orders = range(3, alpha + 1)
    for _ in range(often(12, 4)):
        rate, rho = 10.0 ** draw.uniform(-9, -0.001), 10.0 ** draw.uniform(-8, 1.3)
        pure = draw.choice([math.inf, 10.0 ** draw.uniform(-4, 1)])
        q, r, e = mp.mpf(rate), mp.mpf(rho), mp.expm1(mp.mpf(pure))
        chosen = {j: mp.binomial(alpha, j) * q**j * mp.exp(j * (j - 1) * r) for j in range(alpha + 1)}
        rest = {j: (1 - q) ** (alpha - j) for j in range(alpha + 1)}
        second = mp.log(min(4 * mp.expm1(2 * r), mp.exp(2 * r) * min(2, e**2)))
        # By the lowest chords from the second moment on, up to the order that is looked at.
        lowest, moments = mp.inf, {2: second}
        for m in range(subsampling.reach_of(alpha), 2, -1):
            lowest = min(lowest, (m * (m - 1) * r + mp.log(min(2, e**m)) - second) / (m - 2))
            moments[m] = second + (m - 2) * lowest
        sums = (
            sum(chosen[j] * rest[j] for j in range(alpha + 1)),
            rest[0] / (1 - q) * (1 + (alpha - 1) * q)
            + chosen[2] * rest[2]
            + 3 * sum(chosen[j] * rest[j] for j in orders),
            1 + sum(mp.binomial(alpha, j) * q**j * mp.exp(moments[j]) for j in range(2, alpha + 1)),
        )
        found = (
            subsampling.poisson_gaussian_renyi(rate, alpha, rho),
            subsampling.poisson_renyi(rate, alpha, subsampling.multiples(rho)),
            subsampling.fixed_size_renyi(rate, alpha, subsampling.multiples(rho), pure),
        )
        for inside, number in zip(sums, found, strict=True):
            truth = mp.log(inside) / (alpha - 1)
            assert truth <= number <= truth * (1 + mp.mpf(10) ** -9) + mp.mpf(10) ** -12, (rate, rho, pure)


def test_the_sampled_renyi_of_the_original_is_below_the_truth() -> None:
    """1/(α−1) log(1 + 2α s^α α^α e^{(α−1)ε}) claims 1.80e-6 at s = 0.01, α = 10, ε = 1, where the truth is 1.13e-4."""
    s, alpha, eps = 0.01, 10, 1.0
    claimed = math.log1p(alpha * 2 * s**alpha * float(alpha) ** alpha * math.exp((alpha - 1) * eps)) / (alpha - 1)
    assert claimed == pytest.approx(1.80e-6, rel=0.01)
    rho = eps / alpha
    truth = subsampling.poisson_gaussian_renyi(s, alpha, rho)
    assert truth == pytest.approx(1.13e-4, rel=0.01)
    assert subsampling.fixed_size_renyi(s, alpha, subsampling.multiples(rho), math.inf) > truth > 60 * claimed


@pytest.mark.parametrize("reverse", [False, True])
def test_a_tabulated_composition_of_losses_beyond_the_exponentials_of_doubles_covers_the_exact_one(
    reverse: bool,
) -> None:
    wide, narrow = 2000, 1000
    loss = ComposedLoss(((ResponseLoss(float(wide)), 1), (ResponseLoss(float(narrow)), 1)))
    with mp.workdps(3000):
        probabilities = {each: 1 / (1 + mp.exp(-each)) for each in (wide, narrow)}
        for eps in (-3300, -2500, -1000, -1, 0, 1, 400, 990, 999, 999.5, 1100, 2500, 2993, 2999, 2999.5, 3001):
            truth = mp.mpf(0)
            for first in (wide, -wide):
                for second in (narrow, -narrow):
                    p = mp.mpf(1)
                    for size, got in ((wide, first), (narrow, second)):
                        p *= probabilities[size] if got > 0 else 1 - probabilities[size]
                    truth += p * max(mp.mpf(0), 1 - mp.exp(mp.mpf(eps) - first - second))
            assert float(truth) * (1 - 1e-12) <= at(loss, eps, reverse) <= float(truth) + 1e-8


def test_samples_of_rare_rows_are_never_below_sixty_digits() -> None:
    draw = Random(1)
    with mp.workdps(60):
        for _ in range(often(4000, 1000)):
            rate, eps = 10.0 ** draw.uniform(-10, -0.01), 10.0 ** draw.uniform(-9, 0)
            at = math.log1p(rate * math.expm1(eps)) * draw.choice([0.0, 0.5, 0.999, -(10.0 ** draw.uniform(-3, 0.3))])
            q, x = mp.mpf(rate), mp.exp(mp.mpf(at))
            inside, weight = 1 + (x - 1) / q, 1 - x * (1 - q)
            removed = q * laplace_delta(eps, mp.log(inside)) if inside > 0 else 1 - x
            added = weight * laplace_delta(eps, mp.log(x * q / weight)) if weight > 0 else mp.mpf(0)
            loss = PoissonLoss(rate, LaplaceLoss(eps))
            for true, reverse in ((removed, False), (added, True)):
                assert loss.profile(np.array([at]), reverse)[0] * (1 + mp.mpf(PROFILE_ERROR)) >= true


def laplace_delta(eps: float, at: mp.mpf) -> mp.mpf:
    """δ of Laplace noise of scale 1/ε at any loss."""
    return -mp.expm1((at - eps) / 2) if abs(at) <= eps else mp.mpf(0) if at > 0 else -mp.expm1(at)
