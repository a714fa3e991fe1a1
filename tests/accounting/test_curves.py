"""Rényi curves: exact ones against sums in fifty digits, numeric ones against integrals, and never below."""

import math
from fractions import Fraction
from random import Random

import mpmath as mp
import pytest

from duetpy.accounting import convert
from duetpy.accounting.arrays import Array
from duetpy.accounting.certify import bounds, tight
from duetpy.accounting.losses.divergence import places_to, renyi_of_profile
from duetpy.accounting.losses.generalized_gaussian import GeneralizedGaussianLoss
from duetpy.accounting.losses.losses import CurveLoss, GaussianLoss, KaryLoss, LaplaceLoss, ResponseLoss, response_renyi
from duetpy.accounting.losses.sampled import PoissonLoss
from duetpy.accounting.losses.subsampling import between_orders
from duetpy.accounting.notion_comparison import compare
from duetpy.typecheck.cost import Seq
from duetpy.typecheck.notions import Notion
from tests.accounting.terms import gauss, given, laplace, response


def test_a_line_is_not_below_its_slope_times_the_order() -> None:
    draw = Random(5)
    for _ in range(200):
        alpha, size = 1.0 + 10 ** draw.uniform(-6, 6), 10 ** draw.uniform(-6, 3)
        product, square = Fraction(alpha) * Fraction(size), Fraction(alpha) * Fraction(size) ** 2
        assert product <= Fraction(CurveLoss(size).renyi(alpha)) <= product * (1 + Fraction(1, 10**12))
        assert square / 2 <= Fraction(GaussianLoss(size).renyi(alpha)) <= square * (1 + Fraction(1, 10**12)) / 2
        assert square <= Fraction(GeneralizedGaussianLoss(2.0, size).renyi(alpha)) <= square * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("size", [2, 3, 10, 1000])
@pytest.mark.parametrize("eps", ["0.001", "0.3", "2", "20"])
@pytest.mark.parametrize("alpha", ["1.0001", "1.5", "2", "7", "25"])
def test_k_ary_randomized_response(size: int, eps: str, alpha: str) -> None:
    e, a = mp.mpf(eps), mp.mpf(alpha)
    q = 1 / (mp.exp(e) + size - 1)
    p = q * mp.exp(e)
    truth = mp.log(p**a * q ** (1 - a) + q**a * p ** (1 - a) + (size - 2) * q) / (a - 1)
    found = KaryLoss(float(eps), size).renyi(float(alpha))
    assert truth * (1 - mp.mpf(10) ** -13) <= found <= truth * (1 + mp.mpf(10) ** -6) + mp.mpf(10) ** -12
    assert found <= response_renyi(float(eps), float(alpha))


def generalized(power: float, ratio: float, alpha: float) -> mp.mpf:
    n, r, a = mp.mpf(power), mp.mpf(ratio), mp.mpf(alpha)
    constant = n / (2 * mp.gamma(1 / n))
    places = [-30, -5, -1, -r / 2, 0, r / 2, 1 + r / 2, 3 + a * r, 10 + a * r, 40 + 2 * a * r]
    total = mp.quad(lambda y: mp.exp((a - 1) * abs(y + r / 2) ** n - a * abs(y - r / 2) ** n), places)
    return mp.log(constant * total) / (a - 1)


@pytest.mark.parametrize(
    ("power", "ratio", "alpha"),
    [
        (1.5, 0.3, 2.0),
        (1.5, 0.3, 1.1),
        (1.25, 1.0, 4.0),
        (3.0, 0.2, 2.5),
        (3.0, 0.05, 8.0),
        (4.0, 0.5, 1.5),
        (2.5, 0.01, 20.0),
    ],
)
@pytest.mark.sparse(3)
def test_the_generalized_gaussian_lies_just_above_the_integral(power: float, ratio: float, alpha: float) -> None:
    truth = generalized(power, ratio, alpha)
    found = GeneralizedGaussianLoss(power, ratio).renyi(alpha)
    assert truth <= found <= truth * (1 + mp.mpf("1e-3")), (float(truth), found)


def test_the_integral_reaches_as_far_as_a_high_order_asks() -> None:
    """At α = 20 the integrand is largest where the slopes of the two powers meet, 40 shifts out."""
    truth = generalized(3.0, 0.1, 20.0)
    assert truth <= GeneralizedGaussianLoss(3.0, 0.1).renyi(20.0) <= truth * (1 + mp.mpf("1e-3"))


def test_no_profile_is_computed_of_a_curve_that_claims_nothing() -> None:
    def profile(end: float) -> Array:
        raise AssertionError(f"a profile up to {end}")

    assert renyi_of_profile(profile, 1.5, 500.0, 0.0) == math.inf


@pytest.mark.parametrize("eps", [1e-8, 0.002, 0.1, 0.2, 0.3, 2.0])
@pytest.mark.parametrize("alpha", [1.01, 1.5, 2.0, 30.0, 250.0])
def test_a_profile_that_is_its_own_chords_has_its_curve(eps: float, alpha: float) -> None:
    """Randomized response: δ(s) = (e^ε − e^s)/(e^ε + 1), a line in e^s, so that narrow cells lose no more than wide ones."""
    grown, a = mp.exp(mp.mpf(eps)), mp.mpf(alpha)
    truth = mp.log((grown**a + grown ** (1 - a)) / (grown + 1)) / (a - 1)
    found = renyi_of_profile(lambda end: ResponseLoss(eps).profile(places_to(end)), alpha, eps, 0.0)
    assert truth <= found <= truth * (1 + mp.mpf("1e-3"))


@pytest.mark.parametrize("end", [0.5, 1.0, 2.0, 8.0])
@pytest.mark.parametrize("alpha", [1.5, 2.0, 5.0])
def test_what_lies_beyond_the_last_cell_counts(end: float, alpha: float) -> None:
    """A Gaussian of μ = 1: its loss is N(1/2, 1), and E[e^{(α−1)L}; L > s] a tail of N(α − 1/2, 1)."""
    order = mp.mpf(alpha) - 1
    tail = mp.exp(order / 2 + order**2 / 2) * mp.ncdf(order + 0.5 - end)
    found = renyi_of_profile(lambda last: GaussianLoss(1.0).profile(places_to(last)), alpha, end, float(tail))
    assert alpha / 2 <= found


def test_the_numeric_curve_near_the_powers_that_have_a_formula_agrees_with_them() -> None:
    gaussian = GeneralizedGaussianLoss(2.0 + 1e-9, 0.4).renyi(3.0)
    assert gaussian == pytest.approx(GeneralizedGaussianLoss(2.0, 0.4).renyi(3.0), rel=1e-4)
    laplace = GeneralizedGaussianLoss(1.0 + 1e-6, 0.4).renyi(3.0)
    assert laplace == pytest.approx(LaplaceLoss(0.4).renyi(3.0), rel=1e-3)


def sampled(rate: float, mu: float, alpha: float, *, reverse: bool) -> mp.mpf:
    q, m, a = mp.mpf(rate), mp.mpf(mu), mp.mpf(alpha)

    power = 1 - a if reverse else a

    def powers(x: mp.mpf) -> mp.mpf:
        """A power of the mixture times what is left of a power of N(0, 1): the ratio of the two is 1 − q + q e^{mx − m²/2}."""
        return (1 - q + q * mp.exp(m * (x - m / 2))) ** power * mp.npdf(x)

    places = [-40, -10, -3, 0, 1, 3, 6, 10, 20, 40, 80]
    with mp.workdps(25):
        return mp.log(mp.quad(powers, places)) / (a - 1)


@pytest.mark.parametrize(
    ("rate", "mu", "alpha"), [(0.01, 1.0, 2.0), (0.01, 1.0, 2.5), (0.1, 1.0, 3.3), (0.5, 0.5, 1.1), (0.2, 2.0, 4.9)]
)
@pytest.mark.sparse(3)
def test_a_sampled_gaussian_is_above_both_directions_and_exact_at_whole_orders(
    rate: float, mu: float, alpha: float
) -> None:
    found = PoissonLoss(rate, GaussianLoss(mu)).renyi(alpha)
    forward, backward = (sampled(rate, mu, alpha, reverse=reverse) for reverse in (False, True))
    assert max(forward, backward) <= found
    if alpha == round(alpha):
        assert found == pytest.approx(float(forward), rel=1e-8)


def test_the_chord_of_a_log_moment_bounds_it_between_whole_orders() -> None:
    loss = LaplaceLoss(0.7)
    draw = Random(0)
    for _ in range(200):
        alpha = 1.0 + 10.0 ** draw.uniform(-3, 2)
        assert loss.renyi(alpha) <= between_orders(lambda order: loss.renyi(float(order)), alpha) * (1 + 1e-12)
    assert between_orders(lambda order: 1.0, 1e9) == math.inf


@pytest.mark.parametrize(("mu", "tau"), [(0.3, 0.9), (0.9, 0.3), (0.5, 1.0), (0.0, 1.0), (2.0, 0.0)])
def test_a_concentrated_loss_is_within_the_line_that_a_program_may_trust(mu: float, tau: float) -> None:
    xi, rho = convert.mean_concentrated(mu, tau)
    line = max(mu, tau * tau / 2)
    gaps = [alpha * line - (xi + rho * alpha) for alpha in (1.0 + 10.0 ** (step / 4.0) for step in range(-24, 25))]
    assert min(gaps) >= -1e-9 * max(line, 1.0)
    # No smaller line will do: α = 1 asks for μ, and α = ∞ for τ²/2.
    assert (
        min(gap / alpha for gap, alpha in zip(gaps, (1.0 + 10.0 ** (s / 4.0) for s in range(-24, 25)), strict=True))
        < 1e-5
    )


def test_a_concentrated_loss_of_gaussian_noise_is_its_zcdp() -> None:
    for mu in (0.1, 1.0, 3.0):
        xi, rho = convert.mean_concentrated(mu * mu / 2, mu)
        assert xi == pytest.approx(0.0, abs=1e-14)
        assert rho == pytest.approx(mu * mu / 2)
    with pytest.raises(ValueError, match="τ ≥ 0"):
        convert.mean_concentrated(1.0, -1.0)


@pytest.mark.parametrize("last", [8.77382515119388, 9.2048, 100.04, 3.0004])
def test_the_order_that_is_shown_is_one_at_which_the_curve_is_known(last: float) -> None:
    """Of a small ρ the last order is the best, and rounded to four digits it may lie beyond the end."""
    cost = given(Notion.TCDP, "0.0001", repr(last))
    (row,) = (each for each in compare(cost, Notion.TCDP, {}, Fraction(1, 10**6)) if each.curve)
    assert row.value is not None
    assert row.value["alpha"] is not None
    assert last * 0.97 < row.value["alpha"] <= last
    assert row.value["epsilon"] == pytest.approx(1e-4 * row.value["alpha"])


def test_a_curve_next_to_a_loss_has_a_distribution() -> None:
    """It knows of the curve no less than that the noise may be Gaussian, and of the loss more than its curve."""
    cost, noise = (Seq((each, laplace(1))) for each in (given(Notion.ZCDP, "0.1"), gauss(Notion.ZCDP, "0.1")))
    assert tight(noise, {}).epsilon < tight(cost, {}).epsilon < bounds(cost, {}, quick=True)[-1].epsilon


def test_what_a_distribution_says_of_gaussian_noise_is_a_bound() -> None:
    noise = Seq((response(1), gauss(Notion.ZCDP, "0.1")))
    assert tight(noise, {}).kind == "upper"
