"""Privacy loss distributions against exact compositions: never below the truth, next to it, in both directions."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import fft
from scipy.special import ndtr

from duetpy.accounting.gaussian_profile import gaussian_delta, gaussian_epsilon
from duetpy.accounting.losses.composed import CurveProfile
from duetpy.accounting.losses.derived import ChoiceLoss
from duetpy.accounting.losses.generalized_gaussian import GeneralizedGaussianLoss
from duetpy.accounting.losses.losses import (
    BoundedRangeLoss,
    CurveLoss,
    GaussianLoss,
    KaryLoss,
    LaplaceLoss,
    LeakyLoss,
    Loss,
    ResponseLoss,
    below_chords,
    gaussian_profile,
)
from duetpy.accounting.losses.sampled import FixedLoss, PoissonLoss
from duetpy.accounting.pld import grid, pld
from duetpy.accounting.pld.tilt import choose_tilt
from tests.accounting import exact_losses as exact
from tests.effort import often


def epsilon(losses: list[tuple[Loss, int]], delta: float, mu: float = 0.0, tolerance: float = 1e-5) -> float:
    answer = pld.certify(losses, mu, delta, tolerance)
    assert answer is not None
    return answer.epsilon


# ---------------------------------------------------------------------------------------------------------------------
# The grid

LOSSES: list[Loss] = [
    GaussianLoss(0.8),
    LaplaceLoss(1.3),
    ResponseLoss(0.7),
    KaryLoss(1.1, 6),
    BoundedRangeLoss(2.0),
    LeakyLoss(1e-4, ResponseLoss(0.5)),
    GeneralizedGaussianLoss(3.0, 0.6),
    PoissonLoss(0.1, GaussianLoss(1.5)),
    PoissonLoss(0.3, LaplaceLoss(2.0)),
    FixedLoss(0.2, GaussianLoss(1.0)),
    ChoiceLoss((GaussianLoss(0.5), LaplaceLoss(0.9))),
    CurveProfile(((CurveLoss(0.3), 1),)),
]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("step", [0.37, 0.05, 0.0031])
@pytest.mark.sparse(5)
def test_what_is_on_the_grid_dominates_the_loss(loss: Loss, reverse: bool, step: float) -> None:
    masses = grid.discretize(loss, step, 1e-12, reverse)
    places = (masses.first + np.arange(len(masses.mass))) * step
    assert masses.mass.sum() + masses.infinite == pytest.approx(1.0, abs=1e-12)
    dense = np.union1d(np.linspace(-8.0, 12.0, 401), [places[0] - step, *places])
    # Of a bound that is not convex the grid may hold less: a profile is below the chords of its bounds.
    least = below_chords(dense, loss.profile(dense, reverse))
    for eps, truth in zip(dense.tolist(), least.tolist(), strict=True):
        if -2.5 <= eps <= 4.0:
            on_grid = masses.infinite + float(masses.mass @ -np.expm1(np.minimum(eps - places, 0.0)))
            assert on_grid >= truth * (1 - 1e-11) - 1e-15
            assert on_grid <= truth + step + 1e-9 or isinstance(loss, CurveProfile)


@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss.leak == 0.0 and loss.symmetric][:5], ids=str)
def test_both_masses_of_the_pair_are_laws(loss: Loss) -> None:
    """Σ P = 1 and Σ P e^{−ℓ} = Q of what is finite, which is at most 1: connecting the dots keeps both."""
    masses = grid.discretize(loss, 0.01, 1e-14, False)
    places = (masses.first + np.arange(len(masses.mass))) * 0.01
    assert float(masses.mass @ np.exp(-places)) == pytest.approx(1.0, abs=1e-6)


def test_a_common_step_divides_what_has_a_common_measure() -> None:
    assert grid.common_measure([0.1, 0.5, 0.25]) == pytest.approx(0.05)
    root = math.sqrt(2)
    assert grid.common_measure([root, 2 * root, 1.5 * root]) == pytest.approx(root / 2)
    assert grid.common_measure([1.0, root]) is None
    assert grid.common_measure([]) is None
    for anchors in ([0.1, 0.5], [1 / 3, 0.2], [0.7]):
        step = grid.rounded_step(anchors, grid.common_measure(anchors), 0.01)
        assert step <= 0.01
        for anchor in anchors:
            assert round(anchor / step) * step >= anchor
            assert round(anchor / step) * step == pytest.approx(anchor, rel=1e-14)


# ---------------------------------------------------------------------------------------------------------------------
# Compositions that are known exactly

RATIOS = [Fraction(21, 20), Fraction(6, 5), Fraction(3, 2), Fraction(2), Fraction(5)]


@settings(max_examples=often(40, 15), deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.sampled_from(RATIOS), st.sampled_from([2, 3, 9]), st.integers(1, 3)), min_size=1, max_size=3),
    st.floats(-12, -0.5),
)
def test_never_below_an_exact_composition(parts: list[tuple[Fraction, int, int]], log_delta: float) -> None:
    delta = 10**log_delta
    pair: tuple[exact.Law, exact.Law] = ({0: Fraction(1)}, {0: Fraction(1)})
    losses: dict[Loss, int] = {}
    for grown, size, count in parts:
        pair = exact.product(pair, exact.power(exact.response(grown, size), count))
        loss = KaryLoss(math.log(grown), size)
        losses[loss] = losses.get(loss, 0) + count
    eps = epsilon(list(losses.items()), delta)
    found = exact.delta(pair, Fraction(math.exp(eps)))
    assert found <= Fraction(delta) * (1 + Fraction(1, 10**12))
    if eps > 1e-6:
        assert exact.delta(pair, Fraction(math.exp(eps * (1 - 1e-3)))) > Fraction(delta) * Fraction(999, 1000)


@settings(max_examples=often(25, 10), deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.sampled_from(RATIOS), st.integers(1, 9)), min_size=1, max_size=3),
    st.sampled_from([1e-2, 1e-5]),
)
def test_never_below_a_bounded_range_mechanism(parts: list[tuple[Fraction, int]], delta: float) -> None:
    """Any two-point pairs of the range, one after another, are covered."""
    pair: tuple[exact.Law, exact.Law] = ({0: Fraction(1)}, {0: Fraction(1)})
    losses: dict[Loss, int] = {}
    for grown, share in parts:
        one = exact.two_point(grown, 1 + (grown - 1) * Fraction(share, 10))
        pair = exact.product(pair, exact.power(one, 2))
        loss = BoundedRangeLoss(math.log(grown))
        losses[loss] = losses.get(loss, 0) + 2
    eps = epsilon(list(losses.items()), delta)
    assert exact.delta(pair, Fraction(math.exp(eps))) <= Fraction(delta)


@pytest.mark.parametrize("delta", [1e-1, 1e-3, 1e-6])
def test_never_below_a_composition_of_unlike_losses(delta: float) -> None:
    """Twelve losses of which no two are alike, and which have no common measure."""
    pair: tuple[exact.Law, exact.Law] = ({0: Fraction(1)}, {0: Fraction(1)})
    losses: list[tuple[Loss, int]] = []
    for at in range(12):
        grown = 1 + Fraction(at + 3, 29 - at)
        pair = exact.product(pair, exact.response(grown))
        losses.append((ResponseLoss(math.log(grown)), 1))
    eps = epsilon(losses, delta)
    assert exact.delta(pair, Fraction(math.exp(eps))) <= Fraction(delta) * (1 + Fraction(1, 10**12))
    assert exact.delta(pair, Fraction(math.exp(eps * (1 - 1e-3)))) > Fraction(delta)


@pytest.mark.parametrize("count", [3, 40, 1500])
def test_a_search_asks_for_no_less_than_the_moments(count: int) -> None:
    """The coarse moments of many losses, of which each has a few places, are above the true ones and next to them."""
    losses: list[tuple[Loss, int]] = [(LaplaceLoss(0.1 + at / count), 1 + at % 3) for at in range(count)]
    parts = pld.discretized(losses, 2.0**-9, 1e-20, False)
    for tilt in (1e-3, 0.5, 3.0, 20.0):
        exact_one, coarse = (parts.log_moment(tilt, quick=quick) for quick in (False, True))
        assert exact_one * (1 - 1e-12) <= coarse <= exact_one + count * tilt * 0.15
        one_by_one = math.fsum(part.count * part.moments.log_moment(tilt) for part in parts.each)
        assert exact_one == pytest.approx(one_by_one, rel=1e-12)


def test_of_many_losses_a_common_measure_is_not_worth_its_grid() -> None:
    """Sixty ε with four decimals: the grid that holds all their corners would have a million cells."""
    few, many = ([(LaplaceLoss(1.0 + at / 10_000), 1) for at in range(count)] for count in (3, 60))
    steps = [pld._steps(losses, 0.0, 1e-6, 1e-15, 5e-6)[0][-1] for losses in (few, many)]
    assert steps[0] <= 1e-4 * (1 + 1e-9) < 3e-4 < steps[1]


def binomial_delta(eps: float, count: int, at: float) -> mp.mpf:
    """δ of `count` randomized responses, to fifty digits (Kairouz, Oh & Viswanath 2015, Theorem 3.3)."""
    e, x = mp.mpf(eps), mp.mpf(at)
    p = 1 / (1 + mp.exp(-e))
    terms = [
        mp.binomial(count, j) * p ** (count - j) * (1 - p) ** j * (1 - mp.exp(x - (count - 2 * j) * e))
        for j in range(count + 1)
        if (count - 2 * j) * e > x
    ]
    return mp.fsum(terms)


@pytest.mark.parametrize("count", [1, 10, 100, 1000])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-15, 1e-30, 1e-100])
@pytest.mark.sparse(3)
def test_copies_of_pure_privacy_are_exact(count: int, delta: float) -> None:
    answer = pld.certify([(ResponseLoss(0.1), count)], 0.0, delta)
    assert answer is not None
    assert answer.exact
    assert binomial_delta(0.1, count, answer.epsilon) <= delta
    if answer.epsilon > 0:
        assert binomial_delta(0.1, count, answer.epsilon * (1 - 1e-7)) > delta * (1 - 1e-6)


def test_the_exact_optimum_of_a_hundred() -> None:
    assert epsilon([(ResponseLoss(0.1), 100)], 1e-6) == pytest.approx(4.774567588, abs=3e-9)


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-6, 1e-15, 1e-100, 1e-250])
@pytest.mark.parametrize("mu", [0.3, 1.0, 3.0])
@pytest.mark.sparse(5)
def test_gaussians_on_the_grid_meet_the_closed_form_from_above(delta: float, mu: float) -> None:
    truth = gaussian_epsilon(delta, mu)
    found = epsilon([(GaussianLoss(mu / 10), 100)], delta)
    assert truth <= found * (1 + 1e-12)
    assert found <= truth * (1 + 1e-4) + 1e-6


@pytest.mark.parametrize("delta", [1e-3, 1e-8, 1e-20])
def test_a_gaussian_beside_the_grid_meets_the_closed_form(delta: float) -> None:
    found = epsilon([(GaussianLoss(0.3), 9)], delta, mu=1.2)
    truth = gaussian_epsilon(delta, 1.5)
    assert truth <= found * (1 + 1e-12)
    assert found <= truth * (1 + 1e-4)


@pytest.mark.parametrize(("mu", "delta"), [(0.3, 1e-250), (1.0, 1e-100), (60.0, 1e-40)])
def test_beside_a_gaussian_all_mass_counts_that_a_double_holds(mu: float, delta: float) -> None:
    """What is next to nothing on the grid leaves the Gaussian alone: its ε is tens of standard deviations above all masses."""
    found = epsilon([(ResponseLoss(1e-6), 1)], delta, mu=mu)
    truth = gaussian_epsilon(delta, mu)
    assert truth <= found * (1 + 1e-12)
    assert found <= truth * (1 + 1e-4)


def laplace_below(eps: float, count: int, delta: float, bins: int = 600) -> float:
    """An ε below the true one: Laplace outputs in bins are post-processing, and their losses are rounded down."""
    edges = np.linspace(0.0, eps, bins + 1)
    tail = 0.5 * math.exp(-eps)
    # Outcome x in (0, ε) of scale 1 has loss ε − 2x; both ends are atoms.
    p = np.concatenate([[0.5], 0.5 * (np.exp(-edges[:-1]) - np.exp(-edges[1:])), [tail]])
    losses = np.concatenate([[eps], eps - 2 * edges[1:], [-eps]])
    step = 2 * eps / bins
    places = np.round((losses + eps) / step).astype(int)
    one = np.zeros(bins + 1)
    np.add.at(one, places, p)
    many = one
    for _ in range(count - 1):
        many = np.convolve(many, one)
    at = (np.arange(len(many)) * step) - count * eps
    low, high = 0.0, count * eps
    for _ in range(60):
        middle = (low + high) / 2
        if float(many @ np.maximum(0.0, -np.expm1(np.minimum(middle - at, 0.0)))) > delta:
            low = middle
        else:
            high = middle
    return low


@pytest.mark.parametrize(("eps", "count"), [(0.5, 1), (0.5, 2), (0.2, 10), (1.0, 20)])
@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-8])
@pytest.mark.sparse(5)
def test_laplace_lies_just_above_a_lower_bound(eps: float, count: int, delta: float) -> None:
    below = laplace_below(eps, count, delta)
    found = epsilon([(LaplaceLoss(eps), count)], delta)
    assert below <= found
    assert found <= below + 2 * eps / 600 * count / 2 + 1e-3


def sampled_gaussian_bounds(rate: float, mu: float, count: int, delta: float, step: float) -> tuple[float, float]:
    """ε of Poisson-sampled Gaussians from below and above, by losses rounded down and up; the row is removed."""
    size = 1 << 21
    first = math.floor(math.log1p(-rate) / step) - 1
    edges = np.arange(first, first + int(1.2 / step)) * step
    argument = (np.exp(edges) - (1 - rate)) / rate
    x = np.where(argument > 0, (np.log(np.maximum(argument, 1e-300)) + mu * mu / 2) / mu, -np.inf)
    lower = (1 - rate) * ndtr(x) + rate * ndtr(x - mu)
    upper = (1 - rate) * ndtr(-x) + rate * ndtr(mu - x)
    mass = np.where(x[:-1] > 0, upper[:-1] - upper[1:], lower[1:] - lower[:-1])
    padded = np.zeros(size)
    padded[: len(mass)] = mass
    many = np.maximum(fft.irfft(fft.rfft(padded) ** count, size), 0.0)
    found = []
    for shift in (0, 1):
        at = (count * (first + shift) + np.arange(size)) * step
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            above = (at > middle) & (at < 1.9)
            if float(many[above] @ -np.expm1(middle - at[above])) > delta:
                low = middle
            else:
                high = middle
        found.append(high)
    return found[0], found[1]


@pytest.mark.thorough("accounting/test_errata.py::test_f5_f8_f13_limits_and_expansions_are_no_bounds")
def test_sampled_gaussians_lie_between_brute_force_bounds() -> None:
    below, above = sampled_gaussian_bounds(0.0005, 1.0, 200, 1e-5, 1e-6)
    found = epsilon([(PoissonLoss(0.0005, GaussianLoss(1.0)), 200)], 1e-5)
    assert below <= found <= above + 1e-4
    assert found == pytest.approx(0.0327307, abs=3e-5)


def test_one_direction_alone_is_not_enough() -> None:
    """The control: composing only (Q‖P) of a sampled Gaussian claims less than the truth."""
    loss = PoissonLoss(0.0005, GaussianLoss(1.0))
    both = epsilon([(loss, 200)], 1e-5)
    added = pld.distribution([(loss, 200)], 0.0, 1e-5, reverse=True).epsilon(1e-5)
    removed = pld.distribution([(loss, 200)], 0.0, 1e-5, reverse=False).epsilon(1e-5)
    assert added < 0.7 * removed
    assert max(added, removed) <= both * 1.01


# ---------------------------------------------------------------------------------------------------------------------
# Laws


@pytest.mark.parametrize(
    "loss",
    [
        LaplaceLoss(0.3),
        KaryLoss(0.4, 5),
        BoundedRangeLoss(0.3),
        PoissonLoss(0.05, GaussianLoss(0.8)),
        FixedLoss(0.05, LaplaceLoss(1.0)),
    ],
    ids=str,
)
def test_more_copies_and_less_delta_cost_more(loss: Loss) -> None:
    answers = [epsilon([(loss, count)], 1e-6) for count in (1, 3, 10, 40)]
    assert answers == sorted(answers)
    answers = [epsilon([(loss, 10)], delta) for delta in (1e-2, 1e-4, 1e-8, 1e-12)]
    assert answers == sorted(answers)


def test_the_order_and_the_grouping_of_parts_do_not_matter() -> None:
    one = epsilon([(LaplaceLoss(0.2), 5), (KaryLoss(0.3, 4), 7)], 1e-6)
    two = epsilon([(KaryLoss(0.3, 4), 7), (LaplaceLoss(0.2), 5)], 1e-6)
    assert one == pytest.approx(two, rel=1e-6)


def test_a_leak_above_delta_leaves_nothing() -> None:
    assert epsilon([(LeakyLoss(1e-5, ResponseLoss(0.1)), 3)], 1e-5) == math.inf
    assert epsilon([(LeakyLoss(1e-5, ResponseLoss(0.1)), 3)], 4e-5) <= 0.3


def test_a_black_box_with_a_leak_is_exact() -> None:
    """(ε, δ)-privacy k times: 1 − (1−δ)^k of leak together with k randomized responses."""
    eps = epsilon([(LeakyLoss(1e-8, ResponseLoss(0.1)), 50)], 1e-6)
    leak = 1 - (1 - mp.mpf("1e-8")) ** 50
    delta = leak + (1 - leak) * binomial_delta(0.1, 50, eps)
    assert mp.mpf("0.999999e-6") <= delta <= mp.mpf("1e-6")


def power(mass: list[int], count: int) -> list[int]:
    """The coefficients of (Σ mᵢ xⁱ)ᵏ, as the digits of one large number."""
    slot = count * sum(mass).bit_length() + 1
    whole = sum(m << (slot * index) for index, m in enumerate(mass)) ** count
    return [(whole >> (slot * place)) & ((1 << slot) - 1) for place in range(count * (len(mass) - 1) + 1)]


@pytest.mark.parametrize("count", [1, 12, 60, 300])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.sparse(5)
def test_errors_of_the_transform_are_covered(count: int, share: float) -> None:
    """The composed masses are at least the exact ones in every cell of the window, though few frequencies are left of many."""
    loss, step, scale = KaryLoss(0.5, 3), 0.5, 1 << 60  # finer than the last digit of a mass
    parts = pld.discretized([(loss, count)], step, 1e-20, False)
    tilt, window = pld.choose_tilt(parts, 0.0, 1e-6, step, max(share, 1e-6))
    found = pld.compose(parts, step, tilt, window)
    masses = power([int(Fraction(float(m)) * scale) for m in parts.each[0].masses.mass], count)
    assert all(float(m) * scale == int(float(m) * scale) for m in parts.each[0].masses.mass)
    for index, log in enumerate(found.logs):
        place = found.first + index - count * parts.each[0].masses.first
        truth = Fraction(masses[place], scale**count) if 0 <= place < len(masses) else Fraction(0)
        assert Fraction(math.exp(min(log, 5.0))) * (1 + Fraction(1, 10**12)) >= truth


@pytest.mark.parametrize("count", [10**6, 10**9])
def test_a_great_many_copies(count: int) -> None:
    eps = 1e-4
    found = epsilon([(ResponseLoss(eps), count)], 1e-6)
    # In the limit of many copies the composition is Gaussian with μ = ε√k.
    assert found == pytest.approx(gaussian_epsilon(1e-6, eps * math.sqrt(count)), rel=2e-3)


def test_losses_too_wide_for_a_grid_are_left_to_other_methods() -> None:
    assert pld.certify([(LaplaceLoss(1e5), 2)], 0.0, 1e-6) is None
    with pytest.raises(FloatingPointError):
        pld.table([(LaplaceLoss(1e5), 2)], 1e-6, reverse=False)


@pytest.mark.parametrize(("local", "delta"), [(7.5e-9, 1e-30), (7.5e-9, 1e-17), (1e-100, 1e-110), (1e-4, 1e-40)])
def test_small_losses_are_told_apart_by_steep_tilts(local: float, delta: float) -> None:
    with mp.workdps(200):
        found = pld.certify([(ResponseLoss(local), 100)], 0.0, delta)
        assert found is not None
        assert binomial_delta(local, 100, found.epsilon) <= delta
        assert binomial_delta(local, 100, found.epsilon * (1 - 1e-6)) > delta
        assert found.exact


def test_what_the_transforms_blur_is_not_called_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    clear = pld.certify([(ResponseLoss(0.1), 200)], 0.0, 1e-30)
    assert clear is not None
    assert clear.exact
    monkeypatch.setattr(pld, "choose_tilt", lambda parts, mu, delta, *others: choose_tilt(parts, mu, 1e-3, *others))
    blurred = pld.certify([(ResponseLoss(0.1), 200)], 0.0, 1e-30)
    assert blurred is not None
    assert not blurred.exact


@pytest.mark.parametrize(("local", "count", "delta"), [(1e-100, 100, 1e-110), (0.1, 100, 1e-60)])
def test_what_fell_off_to_the_left_counts_at_an_epsilon_below_the_window(
    local: float, count: int, delta: float
) -> None:
    """At the steepest tilt of many losses nearly all mass is left of the window."""
    parts = pld.discretized([(ResponseLoss(local), count)], local, 1e-10 * delta, reverse=False)
    for share in (1.0, 0.25, 4.0**-5):
        steep, window = choose_tilt(parts, 0.0, delta, local, share)
        found = pld.compose(parts, local, steep, window)
        assert window.first > -count
        for place in (0, 20, window.first // 2, window.first - 1, window.first, window.first + 1):
            assert found.delta(place * local) >= binomial_delta(local, count, place * local)


@pytest.mark.parametrize("step", [0.7, 2.0])
def test_a_profile_on_a_wide_grid_is_the_sum_over_all_of_it(step: float) -> None:
    """Some five hundred and a thousand wide: by blocks on the grid, place by place in the other way."""
    found = pld.Distribution(step, -200, np.log(np.random.default_rng(3).dirichlet(np.ones(700)) * 0.9), 0.1)
    for place, value in list(zip(found.positions().tolist(), pld.on_grid(found).tolist(), strict=True))[::7]:
        assert value == pytest.approx(found.delta(place), rel=3e-9)


@pytest.mark.parametrize("share", [1e-3, 0.03, 1.0])
def test_no_more_falls_off_to_the_right_than_a_window_says(share: float) -> None:
    """Of a thousand coins, exactly: some windows end before the largest loss, by a small tilt next to where that is allowed."""
    eps, count, delta = 0.006, 1000, 1e-9
    parts = pld.discretized([(ResponseLoss(eps), count)], eps, 1e-30, reverse=False)
    window = choose_tilt(parts, 0.0, delta, eps, share)[1]
    end = window.first + window.size - 1
    assert end < count
    with mp.workdps(40):
        likely = 1 / (1 + mp.exp(-mp.mpf(eps)))
        beyond = [k for k in range(count + 1) if 2 * k - count > end]
        mass = mp.fsum(mp.binomial(count, k) * likely**k * (1 - likely) ** (count - k) for k in beyond)
        assert mass <= window.lost <= 1e-9 * delta


@pytest.mark.parametrize("mu", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("eps", [0.0, 0.5, 1.5, 2.5, 4.0, 7.0])
def test_a_mass_that_was_cut_off_to_the_left_is_bounded(mu: float, eps: float) -> None:
    """Half of the mass at 2 is kept, and half of it at 1 is not."""
    whole = pld.Distribution(1.0, 1, np.log([0.5, 0.5]), 0.0, mu)
    cut = pld.Distribution(1.0, 2, np.log([0.5]), 0.0, mu, tilt=1.0, left=math.log(0.5) + 1.0)
    without = pld.Distribution(1.0, 2, np.log([0.5]), 0.0, mu)
    assert cut.delta(eps) >= whole.delta(eps)
    assert without.delta(eps) < whole.delta(eps) or (mu == 0.0 and eps >= 1.0)
    # The same of masses at 4 and 6, on a grid whose places are twice as far apart.
    whole, cut = evolve(whole, step=2.0, first=2), evolve(cut, step=2.0, first=3, left=math.log(0.5) + 4.0)
    assert cut.delta(eps) >= whole.delta(eps)


@pytest.mark.parametrize(("tilt", "mu"), [(10.0, 3.0), (1.0, 9.0), (3.0, 4.0)])
def test_a_mass_that_was_cut_off_far_to_the_left_is_bounded_by_its_tilt(tilt: float, mu: float) -> None:
    """Half of all mass is at 0, far to the left of the window; ε is where the bound of this tilt is the best one."""
    eps = mu * mu * (tilt + 0.5)
    cut = pld.Distribution(1.0, 10**4, np.array([-1e4]), 0.0, mu, tilt=tilt, left=math.log(0.5))
    assert cut.delta(eps) >= 0.5 * gaussian_delta(eps, mu) > 0.0


@pytest.mark.parametrize("mu", [1e-6, 0.1, 1.0, 30.0])
def test_masses_far_from_epsilon_count_fully_or_not_at_all(mu: float) -> None:
    found = pld.Distribution(0.5, -3000, np.log(np.random.default_rng(5).dirichlet(np.ones(6000))), 0.0, mu)
    for eps in (-700.0, 0.0, 0.3, 41.0, 1000.0, 1600.0, 2400.0):
        all_of_it = float(found.masses() @ gaussian_profile(eps - found.positions(), mu))
        assert all_of_it <= found.delta(eps) <= all_of_it * (1 + 2e-9)


def test_a_small_gaussian_costs_no_more_at_a_small_delta_for_what_fell_off_to_the_left() -> None:
    local, mu, delta = 0.1739626312520941, 1.2047576549818145e-05, 2.9048777563902516e-167
    found = epsilon([(ResponseLoss(local), 2)], delta, mu)
    assert found <= 2 * local + gaussian_epsilon(delta, mu) * (1 + 1e-6)


def test_a_grid_that_was_too_fine_to_be_used_holds_no_loss_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    losses: list[tuple[Loss, int]] = [(ResponseLoss(0.1), 2000)]
    fine = pld.certify(losses, 0.0, 1e-6)
    assert fine is not None
    assert fine.exact
    monkeypatch.setattr(pld, "MAX_CELLS", 600)
    coarse = pld.certify(losses, 0.0, 1e-6)
    assert coarse is not None
    assert not coarse.exact
    assert fine.epsilon * 1.001 < coarse.epsilon < fine.epsilon + 4 * coarse.grid_error
