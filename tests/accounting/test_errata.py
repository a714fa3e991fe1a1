"""What docs/errata.md says of the documents that this project read: each statement with numbers, recomputed.

A test is named after the entries of the page that it shows, and each shows both sides: that the printed statement fails, and
that the corrected one holds.
"""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random

import mpmath as mp
import numpy as np
import pytest

from benchmarks import literature
from duetpy.accounting import convert, estimates
from duetpy.accounting.certify import tight
from duetpy.accounting.gaussian_profile import calibrate_mu, gaussian_delta, gaussian_epsilon, laplace_mu, pure_mu
from duetpy.accounting.losses.losses import GaussianLoss, LaplaceLoss, ResponseLoss, laplace_renyi, response_renyi
from duetpy.accounting.losses.sampled import PoissonLoss
from duetpy.accounting.losses.shuffle import shuffled_delta
from duetpy.accounting.named_functions import fisher_factor
from duetpy.accounting.pld import pld
from duetpy.typecheck.cost import Atom, Repeat
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from tests.accounting.terms import binomial_delta

PAGE = Path(__file__).parents[2] / "docs" / "errata.md"


def test_every_entry_with_a_test_names_one_that_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE.read_text(encoding="utf-8")))
    assert named
    assert named <= set(globals())
    shown = {name for name in globals() if re.match(r"test_[rstf]\d", name)}
    assert shown <= named, "a check that the page does not name"


# ---------------------------------------------------------------------------------------------------------------------
# Rao Differential Privacy


def test_r1_the_printed_densities_cannot_be_normalised() -> None:
    for power in (1, 2, 3):
        inside = mp.quad(lambda x, n=power: mp.exp(abs(x) ** n), [-3, 0, 3])
        assert mp.quad(lambda x, n=power: mp.exp(abs(x) ** n), [-6, 0, 6]) > 15 * inside
        assert mp.quad(lambda x, n=power: mp.exp(-(abs(x) ** n)), [-40, 0, 40]) < 3


@pytest.mark.parametrize(("power", "sigma", "mass"), [(2, 2, 0.707107), (4, 2, 0.594604)])
def test_r2_the_printed_generalized_gaussian_has_the_wrong_mass(power: int, sigma: int, mass: float) -> None:
    constant = power / (2 * sigma * mp.gamma(mp.mpf(1) / power))
    printed = mp.quad(lambda x: mp.exp(-(abs(x) ** power) / sigma), [-40, 0, 40]) * constant
    right = mp.quad(lambda x: mp.exp(-((abs(x) / sigma) ** power)), [-40, 0, 40]) * constant
    assert float(printed) == pytest.approx(mass, abs=1e-6)
    assert float(printed) == pytest.approx(sigma ** (1 / power - 1))
    assert float(right) == pytest.approx(1.0)


def factor(power: float) -> float:
    return float(mp.sqrt(power * mp.gamma(2 - 1 / mp.mpf(power)) / mp.gamma(1 + 1 / mp.mpf(power))))


def test_r3_the_factor_of_the_generalized_gaussian() -> None:
    found = [factor(power) for power in (1, 1.5, 2, 3, 4)]
    assert found == pytest.approx([1, 1.218102, 1.414214, 1.741496, 2.013919], abs=1e-6)
    assert fisher_factor(Quantity.of(2)).evaluate_float({}) == pytest.approx(math.sqrt(2))
    assert factor(0.6) > factor(0.75) < factor(1)  # not monotone
    assert factor(0.50001) > 50


def half_plane(shift: float, first: float, second: float, constant: float) -> float:
    plus = math.sqrt(shift**2 + 2 * (first + second) ** 2)
    minus = math.sqrt(shift**2 + 2 * (first - second) ** 2)
    return constant * math.log((plus + minus) / (plus - minus))


def test_r4_the_distance_of_normal_laws_has_the_constant_of_one_root_of_two() -> None:
    special = math.sqrt(2) * math.log(2)  # σ from 1 to 2 at one mean
    assert half_plane(0, 1, 2, math.sqrt(2)) == pytest.approx(special) == pytest.approx(0.980258, abs=1e-6)
    assert half_plane(0, 1, 2, 2 * math.sqrt(2)) == pytest.approx(1.960516, abs=1e-6)


def ambient(affinity: float) -> float:
    return 2 * math.acos(affinity)


def test_r5_r10_one_pair_of_laws_has_three_distances() -> None:
    family = half_plane(1, 1, 1, math.sqrt(2))
    sphere = ambient(math.exp(-1 / 8))
    assert (family, sphere) == (pytest.approx(0.980258, abs=1e-6), pytest.approx(0.979303, abs=1e-6))
    assert sphere < family < 1.0  # 1 is the length with σ held fixed
    assert ambient(math.exp(-0.5) * 1.5) == pytest.approx(0.856008, abs=1e-6)  # Laplace, ε = 1, against 1


def test_r8_s7_an_epsilon_delta_mechanism_may_never_be_pure() -> None:
    """Gaussian noise meets (1, δ), and its loss exceeds ε with a probability above δ."""
    mu = calibrate_mu(1.0, 1e-5)
    exceeded = float(mp.ncdf(mu / 2 - 1 / mp.mpf(mu)))
    assert exceeded == pytest.approx(1.612e-4, abs=5e-8)


def test_r9_the_affinity_of_processed_laws_grows() -> None:
    draw = Random(0)
    for _ in range(200):
        p, q = ([draw.random() for _ in range(4)] for _ in range(2))
        p, q = [x / sum(p) for x in p], [x / sum(q) for x in q]
        merged = math.sqrt((p[0] + p[1]) * (q[0] + q[1])) + math.sqrt((p[2] + p[3]) * (q[2] + q[3]))
        assert merged >= sum(math.sqrt(a * b) for a, b in zip(p, q, strict=True)) - 1e-12


def test_r11_the_ambient_distance_of_a_product_is_within_the_root_of_squares() -> None:
    found = ambient(math.cos(0.5) ** 2)
    assert found == pytest.approx(1.383436, abs=1e-6)
    assert found <= math.sqrt(2)


@cache
def laplace_losses(eps: float, count: int, cells: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """The law of the loss of `count` Laplace mechanisms: P[L ≥ ℓ] = 1 − e^{−(ε−ℓ)/2}/2 on [−ε, ε], rounded down to a grid."""
    places = np.linspace(-eps, eps, cells + 1)
    above = np.append(1.0 - np.exp(-(eps - places) / 2) / 2, 0.0)
    above[0] = 1.0
    law = above[:-1] - above[1:]
    total = np.ones(1)
    for _ in range(count):
        total = np.convolve(total, law)
    return total, -eps * count + np.arange(len(total)) * (2 * eps / cells)


def laplace_delta(eps: float, count: int, at: float, cells: int = 400) -> float:
    """A lower bound on their δ."""
    chances, losses = laplace_losses(eps, count, cells)
    return float(chances @ np.maximum(0.0, -np.expm1(at - losses)))


def test_r12_root_two_is_no_epsilon_of_two_laplace_mechanisms() -> None:
    found = laplace_delta(1.0, 2, math.sqrt(2), 4000)
    # Each loss is 1 with probability 1/2, −1 with 1/2e, and 1 − u in between with density e^(−u/2)/4; u + v < a counts.
    a = 2.0 - math.sqrt(2)
    both = -math.expm1(-a) / 4
    one = (1.0 - math.exp(-a / 2)) / 2 - math.exp(-a) * math.expm1(a / 2) / 2
    neither = 4.0 - math.exp(-a / 2) * (2 * a + 4) - math.exp(-a) * (4.0 + math.exp(a / 2) * (2 * a - 4))
    exact = both + one + neither / 16
    assert exact == pytest.approx(0.14463411, abs=1e-8)
    assert found <= exact <= pld.distribution([(LaplaceLoss(1.0), 2)], 0.0, 0.14).delta(math.sqrt(2)) <= found + 3e-4


@pytest.mark.parametrize(
    ("eps", "mu"),
    [
        (0.01, 0.0125019),
        (0.1, 0.122326),
        (0.5, 0.561764),
        (1, 1.030064),
        (1.2, 1.199084),
        (2, 1.800905),
        (10, 5.419052),
    ],
)
def test_r13_the_mu_of_laplace_noise_is_not_its_epsilon(eps: float, mu: float) -> None:
    assert laplace_mu(eps) == pytest.approx(mu, rel=5e-6)
    assert (laplace_mu(eps) > eps) == (eps < 1.19479916)
    assert laplace_mu(1e-4) / 1e-4 == pytest.approx(math.sqrt(math.pi / 2), rel=1e-3)


@pytest.mark.parametrize("count", [1, 4, 25])
def test_r14_the_root_of_squares_is_no_mu_of_laplace_mechanisms(count: int) -> None:
    total = 0.1
    excess = max(
        laplace_delta(total / math.sqrt(count), count, eps) - gaussian_delta(eps, total)
        for eps in np.linspace(0.0, 0.2, 41)
    )
    assert excess > 1e-4


def test_r15_an_analytic_calibration_has_a_larger_length_than_the_classical_one() -> None:
    classical = 1 / math.sqrt(2 * math.log(1.25 / 1e-5))
    assert calibrate_mu(1.0, 1e-5) == pytest.approx(0.268051, abs=1e-6)
    assert classical == pytest.approx(0.206407, abs=1e-6)


def test_r16_vector_laplace_takes_the_sum_of_moves_and_not_their_length() -> None:
    count = 16
    assert count * (1 / count) == 1.0  # pure ε of m coordinates, each moved by 1/m
    assert math.sqrt(count * (1 / count) ** 2) == pytest.approx(1 / math.sqrt(count))


def test_r17_a_length_leaves_a_delta_that_no_epsilon_removes() -> None:
    assert 2 * math.acos(1 - 1e-3) == pytest.approx(0.08945017, abs=1e-8)
    for theta in (0.1, 1.0):
        assert literature.rao_delta(theta, 25.0) == pytest.approx(math.sin(theta / 2) ** 2, rel=1e-6)


# ---------------------------------------------------------------------------------------------------------------------
# Rényi Differential Privacy, slides


def test_s1_the_logarithm_of_the_mean_ratio_is_the_order_two() -> None:
    p, q = 0.7, 0.4
    kl = p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
    printed = math.log(p * p / q + (1 - p) ** 2 / (1 - q))
    assert (kl, printed) == (pytest.approx(0.183787, abs=1e-6), pytest.approx(0.318454, abs=1e-6))


def test_s2_s3_probability_preservation_has_the_exponent_below_one() -> None:
    low, high = 0.0, 5.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if response_renyi(middle, 2.0) < 0.5 else (low, middle)
    p = 1 / (1 + math.exp(-low))
    printed, right = (math.exp(0.5) * (1 - p)) ** 2, (math.exp(0.5) * (1 - p)) ** 0.5
    assert printed < p <= right


def test_s4_the_odds_after_seeing_the_output() -> None:
    """N(1, 1) against N(0, 1), α = 1.1, β = 20: the loss exceeds log β with probability Φ(½ − log β)."""
    alpha, beta = 1.1, 20.0
    eps = alpha / 2
    truth = float(mp.ncdf(0.5 - math.log(beta)))
    printed = math.exp(eps) / beta ** (1 / (alpha - 1))
    right = (math.exp(eps) / beta) ** (alpha - 1)
    assert truth == pytest.approx(6.284872e-3, abs=1e-9)
    assert printed < 1e-12 < truth < right == pytest.approx(0.7830386, abs=1e-7)


def test_s5_the_moment_of_the_ratio_has_the_order_below() -> None:
    """Under P = N(1, 1): E R = e and E R² = e³ for R = dP/dQ; D₂ = 1 bounds the first."""
    first, second = (mp.quad(lambda x, k=k: mp.npdf(x, 1) * mp.exp(k * (x - 0.5)), [-20, 1, 3, 20]) for k in (1, 2))
    assert float(first) == pytest.approx(math.e)
    assert float(second) == pytest.approx(math.exp(3))
    assert float(second) > math.exp((2 - 1) * 1.0)


def test_s6_group_privacy_needs_an_order_to_halve() -> None:
    """At α < 2 the printed order α/2 is below 1, where no Rényi guarantee is stated."""
    assert 1.5 / 2 < 1


def test_s8_s9_the_order_that_the_proof_sets_in() -> None:
    count, eps, q = 100, 0.1, 1e-6
    wanted = math.log(1 / q)
    printed = math.sqrt(wanted / (eps * math.sqrt(count)))
    right = math.sqrt(wanted) / (eps * math.sqrt(count))
    assert printed == pytest.approx(right)  # they agree here, where ε√n = 1 …
    assert math.sqrt(wanted / (0.2 * 10)) != pytest.approx(math.sqrt(wanted) / (0.2 * 10))  # … and only there
    by_lemma = 2 * math.sqrt(2) * eps * math.sqrt(count * wanted) - 2 * count * eps**2
    stated = 2 * eps * math.sqrt(count * wanted)
    by_half = math.sqrt(2) * eps * math.sqrt(count * wanted) - count * eps**2 / 2
    assert (by_lemma, stated, by_half) == (
        pytest.approx(8.513044, abs=1e-6),
        pytest.approx(7.433844, abs=1e-6),
        pytest.approx(4.756522, abs=1e-6),
    )


def test_s10_the_corollary_is_four_times_too_large() -> None:
    printed = 4 * 0.1 * math.sqrt(2 * 100 * math.log(1e6))
    exact = tight(
        Repeat(Quantity.of(100), Atom("rand-resp", (Quantity.of(2), Quantity.of("0.1")))), {}, Fraction(1, 10**6)
    )
    assert printed == pytest.approx(21.026087, abs=1e-6)
    assert exact.epsilon == pytest.approx(4.774567588, abs=1e-8)
    assert binomial_delta(0.1, 100, exact.epsilon * (1 - 1e-8)) > 1e-6
    assert literature.optimal_epsilon([(0.1, 0.0, 100)], 1e-6) == pytest.approx(5.756106, abs=1e-6)


def test_s11_the_curve_of_laplace_noise_at_order_one_is_a_limit() -> None:
    for eps in (0.3, 1.0, 2.0):
        limit = eps + math.exp(-eps) - 1
        assert laplace_renyi(eps, 1 + 1e-6) == pytest.approx(limit, rel=1e-5)


def test_s12_the_curve_of_randomized_response_is_right() -> None:
    p = 0.7
    eps = math.log(p / (1 - p))
    for alpha in (1.5, 2.0, 7.0):
        slide = math.log(p**alpha * (1 - p) ** (1 - alpha) + (1 - p) ** alpha * p ** (1 - alpha)) / (alpha - 1)
        assert response_renyi(eps, alpha) == pytest.approx(slide, rel=1e-9)


def test_s13_two_cells_of_the_table() -> None:
    first = math.exp(-0.1) * mp.mpf("1e-6") ** 11
    second = math.exp(-0.1) * (1e-6) ** (10 / 9)
    assert float(first) == pytest.approx(9.0484e-67, rel=1e-4)
    assert second == pytest.approx(1.9494e-7, rel=1e-4)


# ---------------------------------------------------------------------------------------------------------------------
# Tangent differential privacy


def test_t1_the_bound_of_a_gibbs_law_is_linear_and_local() -> None:
    """Replacing one of n points moves the log density by at most β/n times the oscillation; two points attain it."""
    draw = Random(1)
    worst, beyond = 0.0, 0.0
    for _ in range(2000):
        n, beta, size = 20, draw.uniform(0.5, 40), draw.randint(2, 6)
        risk = [[draw.choice([0.0, 1.0]) for _ in range(size)] for _ in range(n + 1)]
        one = np.array([sum(row[w] for row in risk[:n]) for w in range(size)]) * -beta / n
        two = np.array([sum(row[w] for row in [*risk[1:n], risk[n]]) for w in range(size)]) * -beta / n
        move = np.array([risk[n][w] - risk[0][w] for w in range(size)]) * beta / n
        ratio = (one - np.log(np.exp(one).sum())) - (two - np.log(np.exp(two).sum()))
        bound = float(move.max() - move.min())
        worst = max(worst, float(np.abs(ratio).max()) - bound)
        law = np.exp(one) / np.exp(one).sum()
        linear = float(np.abs(move - law @ move).max())
        beyond = max(beyond, float(np.abs(ratio).max()) / linear if linear else 0.0)
    assert worst <= 1e-12
    assert beyond > 1.05  # the derivative at one point is exceeded
    a, b = 30.0, -30.0  # two outcomes, one of them almost certain: the ratio tends to the bound
    before, after = np.array([a, b]), np.array([a, b]) + np.array([0.0, 1.0])
    shift = (after - np.log(np.exp(after).sum())) - (before - np.log(np.exp(before).sum()))
    assert float(np.abs(shift).max()) == pytest.approx(1.0)


# ---------------------------------------------------------------------------------------------------------------------
# A Statistical Viewpoint on Differential Privacy


def test_f2_total_variation_has_a_singular_part() -> None:
    """f₀,δ(a) = max(0, 1 − δ − a): ½∫|1 + f′| = δ/2, where the total variation is δ."""
    delta = 0.2
    integral = 0.5 * delta  # f′ = −1 up to 1 − δ, and 0 beyond
    start = 1 - delta
    assert integral == delta / 2
    assert integral + 0.5 * (1 - start) == pytest.approx(delta)


def test_f4_the_variance_of_the_limit_needs_its_second_term() -> None:
    kl_laplace = 0.1 + math.exp(-0.1) - 1
    # Of the loss: ε with probability 1/2, −ε with e^(−ε)/2, between with density e^(−(ε−ℓ)/2)/4.
    second_laplace = 0.1**2 - 2 * 0.1 + 4 - math.exp(-0.1) * (2 * 0.1 + 4)
    kl_gauss, second_gauss = 0.1**2 / 2, 0.1**2 + 0.1**4 / 4
    kl_response, second_response = 0.5 * math.tanh(0.25), 0.25
    kl = 50 * kl_laplace + 50 * kl_gauss + 10 * kl_response
    second = 50 * second_laplace + 50 * second_gauss + 10 * second_response
    squares = 50 * kl_laplace**2 + 50 * kl_gauss**2 + 10 * kl_response**2
    printed, right = 2 * kl / math.sqrt(second), 2 * kl / math.sqrt(second - squares)
    assert printed == pytest.approx(1.8388187, abs=1e-7)
    assert right == pytest.approx(1.8803837, abs=1e-7)


def certified(steps: int) -> float:
    answer = pld.certify([(PoissonLoss(0.0005, GaussianLoss(1.0)), steps)], 0.0, 1e-5)
    assert answer is not None
    return answer.epsilon


def expansion(reverse: bool) -> Callable[[float], float]:
    """δ(ε) by the second Edgeworth expansion, for 200 steps at rate 5e-4 and σ = 1; the moments by the trapezoidal rule."""
    x = np.linspace(-14.0, 16.0, 30_001)
    without, new = (np.exp(-((x - mean) ** 2) / 2) * ((x[1] - x[0]) / math.sqrt(2 * math.pi)) for mean in (0.0, 1.0))
    loss = np.log1p(0.0005 * np.expm1(x - 0.5)) * (-1 if reverse else 1)
    laws = [0.9995 * without + 0.0005 * new, without]
    scaled = []
    for law in reversed(laws) if reverse else laws:
        mean = float(law @ loss)
        second, third, fourth = (float(law @ (loss - mean) ** n) for n in (2, 3, 4))
        skew, excess = third / math.sqrt(200 * second**3), (fourth / second**2 - 3) / 200
        scaled.append((200 * mean, math.sqrt(200 * second), skew, excess))

    def tail(eps: float, mean: float, deviation: float, skew: float, excess: float) -> float:
        z = (eps - mean) / deviation
        terms = skew / 6 * (z**2 - 1) + excess / 24 * (z**3 - 3 * z) + skew**2 / 72 * (z**5 - 10 * z**3 + 15 * z)
        return float(mp.ncdf(-z) + mp.npdf(z) * terms)

    return lambda eps: tail(eps, *scaled[0]) - math.exp(eps) * tail(eps, *scaled[1])


def test_f5_f8_f13_limits_and_expansions_are_no_bounds() -> None:
    few, many = certified(200), certified(10_000)
    assert (few, many) == (pytest.approx(0.0327307, rel=5e-4), pytest.approx(0.2233177, rel=5e-4))
    limit = gaussian_epsilon(1e-5, estimates.limit_mu_poisson(0.0005, 1.0, 200))
    assert limit == pytest.approx(0.02501196, abs=1e-8)
    assert 1 - limit / 0.0327307 == pytest.approx(0.24, abs=5e-3)  # the limit theorem under-reports
    for reverse, eps in ((False, 0.03801190), (True, 0.01991292)):
        delta = expansion(reverse)
        assert delta(eps - 1e-8) > 1e-5 > delta(eps + 1e-8)


def test_f7_two_limits_of_two_ways_to_sample() -> None:
    poisson = estimates.limit_mu_poisson(0.01, 1.0, 10_000)
    fixed = estimates.limit_mu_fixed(0.01, 1.0, 10_000)
    assert (poisson, fixed) == (pytest.approx(1.310832, abs=1e-6), pytest.approx(1.710142, abs=1e-6))
    assert gaussian_epsilon(1e-5, poisson) == pytest.approx(6.007077, abs=1e-6)
    assert gaussian_epsilon(1e-5, fixed) == pytest.approx(8.257004, abs=1e-6)


def test_f10_the_exact_shuffling_pair_is_below_the_printed_row() -> None:
    local = math.log(10_000 / (8 * math.log(2e6)) - 1)
    found = [float(value) for value in shuffled_delta(10_000, local, np.array([0.7, 0.8, 0.9, 1.0]))]
    assert found == pytest.approx([3.044192e-9, 6.301471e-11, 1.027007e-12, 1.393129e-14], rel=1e-5)
    assert all(value < row for value, row in zip(found, (4e-9, 9e-11, 2e-12, 2e-14), strict=True))


def test_f11_the_census_figure_is_of_the_looser_conversion() -> None:
    rho, delta = 0.0195 * 3.325, 1e-11
    assert rho + 2 * math.sqrt(rho * math.log(1 / delta)) == pytest.approx(2.627830, abs=1e-6)
    assert convert.zcdp_epsilon(rho, delta) == pytest.approx(2.420213, abs=1e-6)


def test_f12_a_table_of_counts_moves_by_the_root_of_two_when_a_row_is_replaced() -> None:
    one, other = np.array([3.0, 1.0]), np.array([2.0, 2.0])  # a row leaves one cell and enters another
    assert float(np.linalg.norm(one - other)) == pytest.approx(math.sqrt(2))


def test_prop22_randomized_response_is_no_gaussian_of_its_rho() -> None:
    """At ε = 1: total variation .3829 (Gaussian of μ = ε) < .4621, though every Rényi divergence goes the other way."""
    gaussian, response = gaussian_delta(0.0, 1.0), math.tanh(0.5)
    assert (gaussian, response) == (pytest.approx(0.382925, abs=1e-6), pytest.approx(0.462117, abs=1e-6))
    assert all(response_renyi(1.0, alpha) <= alpha / 2 for alpha in (1.01, 1.5, 2.0, 5.0, 50.0))
    assert pure_mu(1.0) > 1.0
    assert ResponseLoss(1.0).renyi(2.0) < GaussianLoss(1.0).renyi(2.0)


def test_the_classical_calibration_is_false_for_large_epsilon() -> None:
    mu = 10.0 / math.sqrt(2 * math.log(1.25 / 1e-5))
    assert gaussian_delta(10.0, mu) == pytest.approx(2.2653744e-5, rel=1e-6)
    assert Notion.APPROX.value == "approx"
