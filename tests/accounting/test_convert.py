"""Conversions against the notions' own definitions, fifty digits, and each other."""

import math

import mpmath as mp
import pytest

from benchmarks import literature
from duetpy.accounting import convert
from duetpy.accounting.gaussian_profile import gaussian_epsilon
from duetpy.accounting.price import numbers
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity


@pytest.mark.parametrize(
    ("rho", "simple", "best", "limit"),
    [
        (0.1, 2.450788, 2.141939, 1.994527),
        (0.5, 5.756522, 5.221534, 4.886554),
        (2.0, 12.513043, 11.688596, 10.997151),
        (10.0, 33.507880, 32.221661, 30.578882),
    ],
)
def test_zcdp_at_one_in_a_million(rho: float, simple: float, best: float, limit: float) -> None:
    """Bun & Steinke's formula, the best order, and the Gaussian below which no conversion can go."""
    assert rho + 2 * math.sqrt(rho * math.log(1e6)) == pytest.approx(simple, abs=6e-7)
    assert convert.zcdp_epsilon(rho, 1e-6) == pytest.approx(best, abs=6e-7)
    assert gaussian_epsilon(1e-6, math.sqrt(2 * rho)) == pytest.approx(limit, abs=6e-7)


@pytest.mark.parametrize(("rho", "share"), [(0.001, 0.29), (0.1, 0.14), (5.0, 0.05)])
def test_what_the_formula_of_zcdp_loses(rho: float, share: float) -> None:
    """The shares on docs/notions/approx.md."""
    simple = rho + 2 * math.sqrt(rho * math.log(1e6))
    assert simple / convert.zcdp_epsilon(rho, 1e-6) - 1 == pytest.approx(share, abs=5e-3)


@pytest.mark.parametrize("mu", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-15])
def test_a_conversion_covers_the_gaussian_that_it_holds_for(mu: float, delta: float) -> None:
    truth = gaussian_epsilon(delta, mu)
    for alpha in (1.01, 1.5, 3.0, 10.0, 100.0, 1e4):
        eps = convert.renyi_epsilon(alpha, alpha * mu * mu / 2, delta)
        assert eps >= truth
        assert eps <= max(0.0, alpha * mu * mu / 2 + math.log(1 / delta) / (alpha - 1)) * (1 + 1e-12)
    assert convert.zcdp_epsilon(mu * mu / 2, delta) >= truth
    for omega in (1.1, 3.0, 1e6):
        assert convert.tcdp_epsilon(mu * mu / 2, omega, delta) >= convert.zcdp_epsilon(mu * mu / 2, delta) * (1 - 1e-9)


def test_delta_and_epsilon_of_a_renyi_bound_are_inverse() -> None:
    for alpha, eps in ((1.5, 0.3), (10.0, 1.0), (200.0, 4.0)):
        for delta in (1e-3, 1e-9):
            at = convert.renyi_epsilon(alpha, eps, delta)
            if at > 0:
                assert literature.renyi_delta(alpha, eps, at) == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize("power", [15, 42, 91, 275])
@pytest.mark.parametrize("share", [1.0000001, 2.0, 10.0])
def test_logarithms_that_cancel_leave_their_last_digits_in_the_bound(power: int, share: float) -> None:
    """Where δα is next to 1, the least ε is next to nothing, and log δ + log α is off by more than all of it."""
    for step in range(1, 40):
        alpha = float(f"{1 + step / 41}e{power}")
        delta, eps = 1.00000001 / alpha, share / alpha
        with mp.workdps(2 * power + 40):
            order, least = mp.mpf(alpha) - 1, mp.mpf(eps)
            least += mp.log1p(-1 / mp.mpf(alpha)) - mp.log(mp.mpf(delta) * alpha) / order
            assert convert.renyi_epsilon(alpha, eps, delta) >= least


def test_the_zero_of_a_conversion_is_total_variation() -> None:
    eps = 0.02
    assert convert.renyi_epsilon(2.0, eps, math.sqrt(-math.expm1(-eps)) * 1.0001) == 0.0
    assert convert.renyi_epsilon(2.0, 10.0, 1.0) == 0.0


def test_conversions_at_the_ends() -> None:
    assert convert.renyi_epsilon(2.0, 1.0, 0.0) == math.inf
    assert convert.renyi_epsilon(math.inf, 1.0, 1e-6) == 1.0
    assert convert.renyi_epsilon(1.0, 1.0, 1e-6) == math.inf
    assert convert.zcdp_epsilon(0.0, 1e-6) == convert.tcdp_epsilon(0.0, 5.0, 1e-6) == 0.0
    assert convert.curve_epsilon(lambda _: math.inf, 1e-6) == math.inf
    assert convert.curve_epsilon(lambda _: 1.0, 0.0) == math.inf


@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.5])
def test_what_is_left_of_no_guarantee_is_none(delta: float) -> None:
    assert convert.pure_epsilon(math.inf, delta) == math.inf
    assert convert.laplace_epsilon(math.inf, delta) == math.inf
    assert convert.bounded_range_epsilon(math.inf, delta) == math.inf
    assert convert.kary_epsilon(math.inf, 3, delta) == math.inf


@pytest.mark.parametrize(("eps", "delta"), [(1.0, 1e-6), (0.1, 1e-9), (8.0, 1e-3)])
def test_calibration_of_rho_is_the_largest(eps: float, delta: float) -> None:
    rho = convert.calibrate_rho(eps, delta)
    assert convert.zcdp_epsilon(rho, delta) <= eps
    assert convert.zcdp_epsilon(rho * 1.0001, delta) > eps
    with pytest.raises(ValueError, match="calibration"):
        convert.calibrate_rho(eps, 1.0)


@pytest.mark.parametrize("eps", [1e-310, 1e-200, 1e-130, 1e-20, 1e20])
@pytest.mark.parametrize("delta", [1e-320, 1e-300, 1e-6, 1.0 - 1e-12])
def test_calibration_of_rho_for_absurd_numbers_is_no_negative_number(eps: float, delta: float) -> None:
    """The ρ of a small ε and δ is far below ε; where it is below all doubles, it is 0, and nothing is drawn."""
    rho = convert.calibrate_rho(eps, delta)
    assert rho >= 0.0
    assert convert.zcdp_epsilon(rho, delta) <= eps
    # ρ + 2√(ρ log(1/δ)) = ε at this ρ (Bun & Steinke 2016), which the best order does not fall below.
    known = (eps / (math.sqrt(eps - math.log(delta)) + math.sqrt(-math.log(delta)))) ** 2
    assert rho >= known * (1.0 - 1e-3) or known < 1e-300
    cost = Atom("dgauss", (Quantity.of(repr(eps)), Quantity.of(repr(delta))), Notion.APPROX)
    stated = numbers(cost, Notion.ZCDP, {})
    assert isinstance(stated, dict)
    assert stated["rho"] is not None
    assert stated["rho"] > rho


@pytest.mark.parametrize("eps", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-4, 0.02])
def test_single_mechanisms_invert_their_profiles(eps: float, delta: float) -> None:
    e = mp.mpf(eps)

    def pure(x: mp.mpf) -> mp.mpf:
        return (mp.exp(e) - mp.exp(x)) / (1 + mp.exp(e))

    def laplace(x: mp.mpf) -> mp.mpf:
        return 1 - mp.exp((x - e) / 2)

    def ranged(x: mp.mpf) -> mp.mpf:
        return (mp.exp(e / 2) - mp.exp(x / 2)) ** 2 / mp.expm1(e)

    def kary(x: mp.mpf) -> mp.mpf:
        return (mp.exp(e) - mp.exp(x)) / (mp.exp(e) + 6)

    for profile, found in (
        (pure, convert.pure_epsilon(eps, delta)),
        (laplace, convert.laplace_epsilon(eps, delta)),
        (ranged, convert.bounded_range_epsilon(eps, delta)),
        (kary, convert.kary_epsilon(eps, 7, delta)),
    ):
        if found > 0:
            assert profile(mp.mpf(found)) <= delta
            assert profile(mp.mpf(found) - mp.mpf("1e-12")) > delta * (1 - 1e-9) - mp.mpf("1e-12")
        else:
            assert profile(mp.mpf(0)) <= delta


@pytest.mark.parametrize(
    ("eps", "count", "delta"),
    [
        (36.54647113685232, 2, 0.9999999999999997),
        (11.998241591712839, 2, 0.9999876900239846),
        (50.0, 10**9, 1 - 1e-9),
        (36.90584274181126, 2, 0.9999999805110921),
        (4.0, 10, 0.858),
        (710.0, 2, 1 - 2.0**-53),
    ],
)
def test_next_to_the_largest_delta_the_last_digits_decide(eps: float, count: int, delta: float) -> None:
    """1 − δ(1 + (k − 1)e^−ε) is next to 0 there, and has few of the digits that it is computed from."""
    with mp.workdps(400):
        e, d = mp.mpf(eps), mp.mpf(delta)
        for found, rest in (
            (convert.kary_epsilon(eps, count, delta), 1 - d * (1 + (count - 1) * mp.exp(-e))),
            (convert.pure_epsilon(eps, delta), 1 - d * (1 + mp.exp(-e))),
            (convert.bounded_range_epsilon(eps, delta), (1 - mp.sqrt(d * -mp.expm1(-e))) ** 2),
        ):
            assert rest <= 0 or found >= e + mp.log(rest)


def test_optimal_composition_is_below_the_older_bounds() -> None:
    """100 times ε = 0.1 at δ = 1e-6: Dwork–Rothblum–Vadhan 6.308, Kairouz–Oh–Viswanath here 5.756."""
    eps, count, delta = 0.1, 100, 1e-6
    older = eps * math.sqrt(2 * count * math.log(1 / delta)) + count * eps * math.expm1(eps)
    found = literature.optimal_epsilon([(eps, 0.0, count)], delta)
    assert older == pytest.approx(6.308, abs=1e-3)
    assert found == pytest.approx(5.756, abs=1e-3)
    assert literature.optimal_epsilon([(eps, 0.0, 2)], delta) == pytest.approx(0.2)
    assert literature.optimal_epsilon([(eps, 0.0, 100)], 0.0) == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("kappa", "values"),
    [(0.01, (0.0707, 5.69e-3, 1.44e-3)), (0.1, (0.222, 0.0550, 0.0144))],
)
def test_a_kl_bound_alone_is_far_too_weak(kappa: float, values: tuple[float, ...]) -> None:
    for eps, truth in zip((0.0, 1.0, 5.0), values, strict=True):
        assert convert.kl_delta(kappa, eps) == pytest.approx(truth, rel=4e-3)
    assert convert.kl_delta(kappa, 50.0) == pytest.approx(kappa * 0.01852, rel=1e-2)
    assert convert.kl_delta(0.0, 1.0) == 0.0


@pytest.mark.parametrize("theta", [0.1, 1.0, 3.0])
def test_a_length_has_a_floor(theta: float) -> None:
    """δ never falls below sin²(θ/2), whatever ε."""
    floor = math.sin(theta / 2) ** 2
    values = [literature.rao_delta(theta, eps) for eps in (0.0, 0.5, 2.0, 10.0, 40.0)]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(floor, rel=1e-9)
    assert values[0] == pytest.approx(math.sin(theta / 2), rel=1e-12)
    grown = mp.exp(mp.mpf(2))
    truth = (1 - grown + mp.sqrt(grown**2 - 2 * grown * mp.cos(mp.mpf(theta)) + 1)) / 2
    assert literature.rao_delta(theta, 2.0) == pytest.approx(float(truth), rel=1e-12)
    assert literature.rao_delta(4.0, 1.0) == 1.0


def test_a_truncated_curve_says_nothing_at_orders_above_its_own() -> None:
    """Of an order ω next to 1, and of none above 1, which is what a group may leave of it."""
    rho, omega, mass, loss = 0.01, 1.00001, 1e-12, 1.15e6

    # With chance 1e-12 an outcome e^1150000 times likelier than under the neighbour: that is (0.01, 1.00001)-tCDP.
    def divergence(alpha: float) -> float:
        moment = mass * math.expm1((alpha - 1) * loss) + mass * (1 - math.exp(-loss)) * (alpha - 1)
        return math.log1p(moment) / (alpha - 1)

    assert all(divergence(1 + (omega - 1) * share) <= rho for share in (1e-6, 0.1, 0.5, 0.9, 1.0))
    assert divergence(1 + 1e-4) > rho * 1.0001
    assert convert.tcdp_epsilon(rho, omega, 0.9 * mass) >= loss + math.log(0.1)
    for none in (1.0, 2 / 3, 0.0):
        assert convert.tcdp_epsilon(rho, none, 0.5) == math.inf
        assert convert.tcdp_epsilon(0.0, none, 0.5) == math.inf
    orders: list[float] = []

    def curve(alpha: float) -> float:
        orders.append(alpha)
        return 0.1

    convert.curve_epsilon(curve, 1e-6, 1.7)
    assert 1.69 < max(orders) <= 1.7
    assert convert.zcdp_epsilon(5e-324, 1e-6) == 0.0
    assert 0.0 < convert.zcdp_epsilon(1e-9, 5e-324) < 1e-2
