"""The Gaussian mechanism against fifty digits, and the sides to which everything is rounded."""

import math
import random
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from duetpy.accounting import gaussian_profile
from duetpy.accounting.gaussian_profile import gaussian_delta
from duetpy.accounting.losses.losses import PROFILE_ERROR
from duetpy.accounting.losses.losses import gaussian_profile as array_profile
from tests.accounting.exact_losses import gaussian_delta as exact_delta
from tests.effort import often


def places(count: int) -> list[tuple[float, float]]:
    """ε and μ over many magnitudes, with δ from 1 down to 1e-300."""
    draw = random.Random(17)
    found = []
    while len(found) < count:
        mu = 10 ** draw.uniform(-6, 2.3)
        eps = (draw.uniform(-6, 36) + mu / 2) * mu if len(found) % 2 else 10 ** draw.uniform(-8, 3)
        if eps >= 0 and (eps / mu - mu / 2) < 36:
            found.append((eps, mu))
    return found


@pytest.mark.parametrize("sign", [1, -1])
def test_profile_is_above_the_truth_and_next_to_it(sign: int) -> None:
    for eps, mu in places(600):
        if sign < 0 and eps > 500:
            continue
        truth = exact_delta(sign * eps, mu)
        found = gaussian_profile.gaussian_delta(sign * eps, mu)
        assert found >= truth or found == 1.0
        assert found <= truth * (1 + mp.mpf("3e-11"))


def test_profiles_of_large_shifts_are_above_the_truth() -> None:
    draw = random.Random(18)
    for _ in range(often(400, 60)):
        mu = 10 ** draw.uniform(2, 8)
        eps = (draw.choice([draw.uniform(-2, 0), draw.uniform(0, 36)]) + mu / 2) * mu
        truth = exact_delta(eps, mu)
        for found in (gaussian_delta(eps, mu), array_profile(np.array([eps]), mu)[0] * (1 + PROFILE_ERROR)):
            assert truth <= found <= truth * (1 + 1e-11 * (10 + mu))


def test_profile_at_the_ends() -> None:
    assert gaussian_profile.gaussian_delta(1.0, 0.0) == 0.0
    assert gaussian_profile.gaussian_delta(0.0, math.inf) == 1.0
    assert 0.0 < gaussian_profile.gaussian_delta(1000.0, 0.1) < 1e-300
    assert gaussian_profile.gaussian_delta(-2.0, 0.0) >= 1 - math.exp(-2.0)
    with pytest.raises(ValueError, match="μ ≥ 0"):
        gaussian_profile.gaussian_delta(1.0, -1.0)


@pytest.mark.parametrize(
    ("delta", "mu"), [(1e-6, 1.0), (1e-15, 0.1), (1e-300, 5.0), (1e-5, 1e-3), (0.3, 1.0), (1e-6, 200.0), (1e-30, 0.01)]
)
def test_epsilon_is_the_least(delta: float, mu: float) -> None:
    eps = gaussian_profile.gaussian_epsilon(delta, mu)
    assert exact_delta(eps, mu) <= delta
    assert exact_delta(eps * (1 - 1e-10), mu) > delta


def test_epsilon_at_the_ends() -> None:
    assert gaussian_profile.gaussian_epsilon(0.5, 0.1) == 0.0
    assert gaussian_profile.gaussian_epsilon(1.0, 50.0) == 0.0
    assert gaussian_profile.gaussian_epsilon(0.0, 0.1) == math.inf
    assert gaussian_profile.gaussian_epsilon(0.0, 0.0) == 0.0
    assert gaussian_profile.gaussian_epsilon(1e-9, math.inf) == math.inf


@pytest.mark.parametrize(
    ("eps", "delta"),
    [(1.0, 1e-5), (10.0, 1e-5), (0.01, 1e-10), (100.0, 1e-300), (0.0, 0.1), (1e-9, 1e-12), (3.0, 0.9), (500.0, 1e-6)],
)
def test_calibration_is_the_largest_that_is_private(eps: float, delta: float) -> None:
    mu = gaussian_profile.calibrate_mu(eps, delta)
    assert exact_delta(eps, mu) <= delta
    assert exact_delta(eps, mu * (1 + 1e-10)) > delta


@pytest.mark.parametrize(("eps", "delta"), [(1e-300, 1e-300), (1e-320, 1e-300), (1e-250, 1e-305), (0.0, 1e-307)])
def test_calibration_of_hardly_anything(eps: float, delta: float) -> None:
    mu = gaussian_profile.calibrate_mu(eps, delta)
    with mp.workdps(700):
        assert 0 < exact_delta(eps, mu) <= delta < exact_delta(eps, mu * (1 + 1e-6))


def test_calibration_of_fractions_goes_to_the_private_side() -> None:
    eps, delta = Fraction(1, 3), Fraction(1, 3 * 10**6)
    mu = gaussian_profile.calibrate_mu(eps, delta)
    third = mp.mpf(1) / 3
    assert exact_delta(third, mu) <= third / 10**6


@pytest.mark.parametrize(("eps", "delta"), [(1.0, 0.0), (1.0, 1.0), (-1.0, 0.1), (math.inf, 0.1), (1.0, -0.5)])
def test_calibration_refuses_what_is_no_guarantee(eps: float, delta: float) -> None:
    with pytest.raises(ValueError, match="analytic calibration"):
        gaussian_profile.calibrate_mu(eps, delta)


@pytest.mark.parametrize(("eps", "ratio"), [(8.0, 0.80), (9.0, 1.36), (10.0, 2.27), (20.0, 153.0)])
def test_the_classical_calibration_is_caught_where_it_is_false(eps: float, ratio: float) -> None:
    """σ = √(2 log(1.25/δ))/ε is no theorem beyond ε = 1, and false from about 8.4 on."""
    delta = 1e-5
    classical = eps / math.sqrt(2 * math.log(1.25 / delta))
    true_delta = gaussian_profile.gaussian_delta(eps, classical)
    assert true_delta / delta == pytest.approx(ratio, rel=0.01)
    assert (classical > gaussian_profile.calibrate_mu(eps, delta)) == (ratio > 1)


@pytest.mark.parametrize("p", [1e-300, 1e-20, 1e-5, 0.1, 0.3, 0.5, 0.7, 0.999])
def test_quantile_inverts_the_distribution_function(p: float) -> None:
    z = gaussian_profile.quantile(p)
    assert mp.mpf(gaussian_profile.cdf(z)) == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize("p", [0.0, 1.0, -0.1, 2.0])
def test_quantile_refuses_no_probability(p: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        gaussian_profile.quantile(p)


@pytest.mark.parametrize("eps", [1e-12, 1e-5, 0.01, 0.1, 0.5, 1.0, 1.2, 2.0, 5.0, 10.0, 60.0])
def test_the_mu_of_pure_mechanisms(eps: float) -> None:
    e = mp.mpf(eps)
    laplace = 2 * mp.sqrt(2) * mp.erfinv(1 - mp.exp(-e / 2))
    pure = 2 * mp.sqrt(2) * mp.erfinv(mp.tanh(e / 2))
    for found, truth in ((gaussian_profile.laplace_mu(eps), laplace), (gaussian_profile.pure_mu(eps), pure)):
        assert truth <= found <= truth * (1 + mp.mpf("1e-11"))


@pytest.mark.parametrize("eps", [0.01, 0.1, 0.5, 1.0, 1.2, 2.0, 5.0, 10.0])
def test_the_mu_of_pure_mechanisms_dominates_and_no_smaller_one_does(eps: float) -> None:
    """Over the whole profile, the three claims of `gdp`: Laplace, ε-privacy, and a range of length ε."""

    def laplace(x: float) -> float:
        return -math.expm1((x - eps) / 2)

    def pure(x: float) -> float:
        return -math.expm1(x - eps) / (1 + math.exp(-eps))

    def ranged(x: float) -> float:
        return math.expm1((x - eps) / 2) ** 2 / -math.expm1(-eps)

    for profile, mu in (
        (laplace, gaussian_profile.laplace_mu(eps)),
        (pure, gaussian_profile.pure_mu(eps)),
        (ranged, gaussian_profile.pure_mu(eps / 2)),
    ):
        grid = [eps * i / 200 for i in range(201)]
        assert all(profile(x) <= gaussian_profile.gaussian_delta(x, mu) * (1 + 1e-9) for x in grid)
        assert any(profile(x) > gaussian_profile.gaussian_delta(x, mu * 0.999) for x in grid)


def test_the_inequality_behind_the_range() -> None:
    """φ(h)(2Φ(h) − 1) ≥ hΦ(h)Φ(−h), on which the μ of a bounded range rests (docs/notions/gdp.md)."""
    count = often(4000, 500)
    for i in range(1, count):
        h = 40 * i / count
        low = mp.erfc(mp.mpf(h) / mp.sqrt(2)) / 2
        assert mp.npdf(h) * (1 - 2 * low) > h * low * (1 - low)


@pytest.mark.parametrize("eps", [650.0, 709.0, 710.0, 1399.0, 1401.0, 1e4, 1e8, 1e17])
def test_the_mu_of_what_protects_next_to_nothing(eps: float) -> None:
    """Where e^−ε is below every double the tail Φ(−μ/2) is asked for by its logarithm."""
    for mu, tail in (
        (gaussian_profile.pure_mu(eps), -mp.mpf(eps)),
        (gaussian_profile.laplace_mu(eps), -mp.mpf(eps) / 2 - mp.log(2)),
    ):
        with mp.workdps(40):
            assert mp.log(mp.erfc(mp.mpf(mu) / mp.sqrt(8)) / 2) <= tail
            assert mp.log(mp.erfc(mp.mpf(mu) * (1 - mp.mpf("1e-11")) / mp.sqrt(8)) / 2) > tail
    assert gaussian_profile.pure_mu(1e300) < gaussian_profile.pure_mu(1.7e308) < math.inf


def test_the_mu_of_nothing_and_of_everything() -> None:
    assert gaussian_profile.pure_mu(0.0) == gaussian_profile.laplace_mu(0.0) == 0.0
    assert gaussian_profile.pure_mu(math.inf) == gaussian_profile.laplace_mu(math.inf) == math.inf


@pytest.mark.parametrize("mu", [1e6, 3e9, 1e10, 2.6e13, 4.1e16, 1.3e19, 2.3e21])
@pytest.mark.parametrize("place", [-1e3, -20.0, -1.0, 0.0, 3.0, 20.0])
def test_an_overwhelming_shift_is_not_hidden_by_rounding(mu: float, place: float) -> None:
    """At ε = μ(a + μ/2) the profile is next to Φ(−a), however many digits ε/μ − μ/2 loses; ε/μ alone says nothing."""
    eps = mu * (place + mu / 2)

    def true(at: float, shift: float) -> mp.mpf:
        left = mp.mpf(at) / mp.mpf(shift) - mp.mpf(shift) / 2
        return mp.ncdf(-left) - mp.npdf(left) / (left + mp.mpf(shift))  # R(b) ≤ 1/b

    with mp.workdps(80):
        assert gaussian_profile.gaussian_delta(eps, mu) >= true(eps, mu)
        for delta in (0.5, 1e-6, 1e-100):
            assert true(gaussian_profile.gaussian_epsilon(delta, mu), mu) <= delta
            assert true(eps, gaussian_profile.calibrate_mu(eps, delta)) <= delta
