"""What is known of one loss, or of two inputs moved together, without a grid."""

import math
from random import Random
from typing import ClassVar

import mpmath as mp
import numpy as np
import pytest
from attrs import frozen

from duetpy.accounting.convert import pure_epsilon
from duetpy.accounting.gaussian_profile import gaussian_epsilon
from duetpy.accounting.losses import subsampling
from duetpy.accounting.losses.derived import GroupLoss, TogetherLoss, joint_line, shared
from duetpy.accounting.losses.inversion import profile_epsilon
from duetpy.accounting.losses.losses import (
    CurveLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    ResponseLoss,
    below_chords,
    chords,
    curve_profile,
)
from duetpy.accounting.losses.sampled import FixedLoss, PoissonLoss
from tests.accounting.test_properties import sampled_deltas

ORDERS = (1.1, 1.5, 2.0, 5.0, 17.0)


@pytest.mark.parametrize("mu", [0.01, 0.7, 4.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.1])
def test_the_profile_of_one_loss_is_inverted(mu: float, delta: float) -> None:
    found = profile_epsilon(GaussianLoss(mu), delta)
    assert found == pytest.approx(gaussian_epsilon(delta, mu), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(("rate", "mu"), [(0.1, 1.0), (0.5, 2.0), (0.9, 0.5)])
def test_both_directions_of_sampled_noise_are_covered(rate: float, mu: float) -> None:
    found = profile_epsilon(PoissonLoss(rate, GaussianLoss(mu)), 1e-3)
    assert max(sampled_deltas(rate, mu, found)) <= 1e-3
    assert max(sampled_deltas(rate, mu, found * (1 - 1e-6))) > 1e-3


@pytest.mark.parametrize("loss", [LaplaceLoss(0.3), FixedLoss(0.1, LaplaceLoss(0.3))])
def test_no_more_than_the_pure_epsilon_is_answered(loss: Loss) -> None:
    assert profile_epsilon(loss, 0.0) == pytest.approx(loss.pure, rel=1e-12)
    assert profile_epsilon(CurveLoss(0.1), 0.0) == math.inf


@pytest.mark.parametrize(("one", "two"), [(0.3, 0.05), (0.02, 0.02), (1e-4, 2.0)])
def test_moving_two_inputs_along_one_line_costs_the_square_of_the_sum(one: float, two: float) -> None:
    """Normal laws at 0, √2ρ₁ and √2ρ₁ + √2ρ₂ attain (√ρ₁ + √ρ₂)²α; of each ρα is known up to an order alone."""
    truth = (math.sqrt(one) + math.sqrt(two)) ** 2
    loss = TogetherLoss(CurveLoss(one, math.inf, 50.0), CurveLoss(two, math.inf, 80.0))
    slope, order = joint_line(CurveLoss(one, math.inf, 50.0), CurveLoss(two, math.inf, 80.0))
    assert slope == pytest.approx(truth, rel=1e-12)
    assert order < 80.0
    for alpha in ORDERS:
        assert truth * alpha <= loss._by_hoelder(alpha)
        assert truth * alpha <= loss.renyi(alpha)
        assert alpha >= order or loss.renyi(alpha) <= truth * alpha * (1 + 1e-12)


@pytest.mark.parametrize(("one", "two"), [((0.3, 50.0), (0.05, 80.0)), ((0.01, 9.0), (0.4, 7.0))])
def test_a_line_ends_where_neither_way_of_moving_has_known_orders(
    one: tuple[float, float], two: tuple[float, float]
) -> None:
    _, end = joint_line(CurveLoss(one[0], math.inf, one[1]), CurveLoss(two[0], math.inf, two[1]))

    def served(alpha: float) -> bool:
        """Whether (kα−1)/(k−1) and kα at the best k = 1 + √(ρ₁/ρ₂) are orders that are known."""
        ways = []
        for (slope, order), (other, limit) in ((one, two), (two, one)):
            k = 1 + math.sqrt(slope / other)
            ways.append(k * alpha <= limit and (k * alpha - 1) / (k - 1) <= order)
        return any(ways)

    assert served(end * (1 - 1e-9))
    assert not served(end * (1 + 1e-9))


@pytest.mark.parametrize("least", [-6.0, -323.0])
def test_a_line_does_not_end_above_the_orders_that_are_known(least: float) -> None:
    """Also where a ρ is next to the least double, of which a share has few digits."""
    draw = Random(7)
    for _ in range(100):
        one, two = 10 ** draw.uniform(least, least + 8.0), 10 ** draw.uniform(-6, 2)
        first, second = (1.0 + 10 ** draw.uniform(0, 6) for _ in range(2))
        first *= math.sqrt(two) / math.sqrt(one)
        slope, end = joint_line(CurveLoss(one, math.inf, first), CurveLoss(two, math.inf, second))
        ratio = mp.sqrt(mp.mpf(one) / mp.mpf(two))
        known = max(
            min(mp.mpf(limit) / (1 + root), (root * mp.mpf(order) + 1) / (1 + root))
            for root, order, limit in ((ratio, first, second), (1 / ratio, second, first))
        )
        assert known * (1 - mp.mpf("1e-13")) <= end <= known
        assert slope >= (mp.sqrt(mp.mpf(one)) + mp.sqrt(mp.mpf(two))) ** 2


def test_a_line_that_ends_far_out_is_not_one_at_all_orders() -> None:
    """There is an end where one of the products on the way to it is beyond the doubles."""
    _, end = joint_line(CurveLoss(1e20, math.inf, 1e300), CurveLoss(1.0))
    assert end == pytest.approx(1e300, rel=1e-9)


@frozen
class OneSided(Loss):
    """Nothing is lost in one direction, and randomized response in the other."""

    symmetric: ClassVar[bool] = False

    def profile(self, eps: np.ndarray, reverse: bool = False) -> np.ndarray:
        lost = ResponseLoss(0.7).profile(eps)
        return lost if reverse else -np.expm1(np.minimum(eps, 0.0))


def test_the_worse_direction_decides() -> None:
    assert profile_epsilon(OneSided(), 1e-3) == pytest.approx(pure_epsilon(0.7, 1e-3), rel=1e-9)


def test_the_bound_by_parts_covers_two_orders_of_which_nothing_else_is_known() -> None:
    loss = TogetherLoss(CurveLoss(math.inf, 0.2, 40.0), CurveLoss(math.inf, 0.1, 40.0))
    assert 0.3 <= loss.renyi(2.0) < 0.6
    assert loss.renyi(41.0) == math.inf
    assert shared([CurveLoss(0.1), CurveLoss(0.2)]) == CurveLoss(joint_line(CurveLoss(0.1), CurveLoss(0.2))[0])


def test_moved_together_is_never_below_noise_that_two_inputs_shift() -> None:
    loss = TogetherLoss(GaussianLoss(0.4), LaplaceLoss(0.5))
    # Two answers, one with either noise: both move at once, and any mechanism may look at both.
    steps = mp.linspace(-40, 40, 1601)
    widths = [steps[at + 1] - steps[at] for at in range(len(steps) - 1)]
    middles = [(steps[at] + steps[at + 1]) / 2 for at in range(len(widths))]
    laplace = [mp.exp(-abs(x)) * w / 2 for x, w in zip(middles, widths, strict=True)]
    lost = [abs(x - mp.mpf("0.5")) - abs(x) for x in middles]
    for eps in (0.0, 0.3, 1.0, 2.5):
        shown = float(loss.profile(np.array([eps]))[0])
        truth = mp.mpf(0)
        for mass, loss_there in zip(laplace, lost, strict=True):
            rest = eps - float(loss_there)
            mu = 0.4
            truth += mass * (mp.ncdf(mu / 2 - rest / mu) - mp.exp(rest) * mp.ncdf(-mu / 2 - rest / mu))
        assert float(truth) <= shown * (1 + 1e-3)


def test_a_minimum_of_bounds_is_lowered_to_its_chords() -> None:
    eps = np.linspace(0.0, 20.0, 501)
    one, two = 0.9 * np.exp(-3.0 * eps), 0.05 * np.exp(-0.2 * eps)
    lowered = below_chords(eps, np.minimum(one, two))
    assert (lowered <= np.minimum(one, two)).all()
    assert (lowered < np.minimum(one, two) * 0.99).any()
    slopes = np.diff(lowered) / np.diff(np.exp(eps))
    assert (np.diff(slopes) >= -1e-9 * np.abs(slopes[:-1])).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_least_chords_are_those_of_all_pairs(seed: int) -> None:
    """However the values lie: in waves, with noise, above or below each other."""
    random = np.random.default_rng(seed)
    eps = np.sort(random.uniform(0.0, 5.0, 60))
    values = np.exp(-eps) * (1.0 + 0.2 * np.sin((seed + 1) * eps)) * random.uniform(0.9, 1.0, 60)
    values = np.minimum.accumulate(values)
    lowered, grown = below_chords(eps, values), np.exp(eps)
    for at in range(1, 59):
        lines = [
            values[i] + (values[j] - values[i]) * (grown[at] - grown[i]) / (grown[j] - grown[i])
            for i in range(at)
            for j in range(at + 1, 60)
        ]
        assert lowered[at] == pytest.approx(min(values[at], *lines), rel=1e-9)


@pytest.mark.parametrize("corner", [2.0, 50.0, 1e4])
def test_a_convex_profile_stays(corner: float) -> None:
    eps = np.linspace(0.0, 20.0, 4097)
    profile = 0.7 * np.maximum(1 - np.exp(eps) / corner, 0.0) + 0.3 * np.exp(-eps)
    assert (below_chords(eps, profile) >= profile * (1 - 1e-11)).all()


@pytest.mark.parametrize(("low", "high"), [(0.0, 6.0), (2.0, 900.0)])
def test_between_two_places_lies_the_line_in_the_exponential(low: float, high: float) -> None:
    """Above the profile, and no lower or higher than the line between two of nine places; beyond the last as high as there."""
    places = [low + (high * (1.0 + 1e-12) - low) * (i / 8) ** 2 for i in range(9)]
    known = GaussianLoss(1.5).profile(np.array(places))
    between = chords(GaussianLoss(1.5).profile, low, high, 8)
    for i in range(8):
        for share in (0.0, 0.1, 0.5, 0.93):
            at = places[i] + share * (places[i + 1] - places[i])
            with mp.workdps(30):
                part = mp.expm1(mp.mpf(at) - places[i]) / mp.expm1(mp.mpf(places[i + 1]) - places[i])
                line = float(known[i] + part * mp.mpf(known[i + 1] - known[i]))
            found = float(between(np.array([at]))[0])
            assert line * (1 - 1e-13) <= found <= line * (1 + 1e-10) + 2e-12 * known[i]
            assert found >= float(GaussianLoss(1.5).profile(np.array([at]))[0])
    assert float(between(np.array([high + 5.0]))[0]) == pytest.approx(known[-1], abs=1e-11)


def test_a_factor_that_no_double_holds_bounds_nothing() -> None:
    """Of A the first input makes 1e-310 to ½, and the second 0 to 1e-310: e^700 times that is small, and its like are not."""
    far = TogetherLoss(OneSided(), CurveLoss(0.1))
    assert float(far.profile(np.array([3000.0]))[0]) <= 1.0
    for eps in (1450.0, 1900.0):
        step = eps / 2
        known = float(curve_profile(CurveLoss(360.0).renyi, np.array([step]))[0])
        lost = known * mp.exp(mp.mpf(eps) - step)
        shown = float(GroupLoss(2, CurveLoss(360.0)).profile(np.array([eps]))[0])
        assert min(lost, 1) <= shown * (1 + 1e-9)


def test_where_one_of_two_is_pure_the_other_has_the_rest() -> None:
    """H ≤ H_x of the noise, where the pure one needs no δ: ε is what the noise needs, and the pure ε."""
    for pure in (0.13, 0.1313, 0.14, 650.0, 900.0):
        found = profile_epsilon(TogetherLoss(GaussianLoss(0.25), ResponseLoss(pure)), 1e-6)
        assert found <= (gaussian_epsilon(1e-6, 0.25) + pure) * (1 + 1e-9)


def test_equal_laws_stay_equal_in_a_sample() -> None:
    assert FixedLoss(0.1, CurveLoss(0.0)).renyi(3.0) <= 1e-300
    assert subsampling.fixed_size_renyi(0.1, 3.0, lambda last: np.zeros(last - 1), math.inf) == 0.0
    assert subsampling.poisson_renyi(0.1, 3.0, lambda last: np.full(last - 1, math.nan)) == math.inf
