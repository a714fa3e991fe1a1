"""Numbers that papers and slides print, with the set-up that gives them, each with its exact value."""

import math

import numpy as np
import pytest

from benchmarks import literature
from duetpy.accounting import convert, estimates
from duetpy.accounting.gaussian_profile import gaussian_epsilon, pure_mu, quantile
from duetpy.accounting.losses import subsampling
from duetpy.accounting.losses.losses import GaussianLoss, LaplaceLoss, Loss, ResponseLoss, laplace_renyi, response_renyi
from duetpy.accounting.losses.sampled import FixedLoss, PoissonLoss
from duetpy.accounting.losses.shuffle import closed_form_epsilon, shuffled_delta
from duetpy.accounting.named_functions import fisher_factor
from duetpy.accounting.pld import pld
from duetpy.typecheck.quantity import Quantity


def epsilon(losses: list[tuple[Loss, int]], delta: float, mu: float = 0.0, tolerance: float = 5e-6) -> float:
    answer = pld.certify(losses, mu, delta, tolerance)
    assert answer is not None
    return answer.epsilon


# Rényi slides: what an event of probability p may have on a neighbour, from (α, 0.1)-RDP.
BAD_OUTCOMES = [
    (1.1, 0.5, ".00044", ".94751"),
    (1.1, 1e-3, "9.05e-34", ".5385"),
    (1.1, 1e-6, "9.05e-67", ".2874"),
    (10.0, 0.5, ".419", ".586"),
    (10.0, 1e-3, ".00042", ".00218"),
    (10.0, 1e-6, "1.95e-7", "4.36e-6"),
    (100.0, 0.5, ".449", ".556"),
    (100.0, 1e-3, ".00084", ".00118"),
    (100.0, 1e-6, "7.87e-7", "1.27e-6"),
]


def printed(value: float, like: str) -> bool:
    """Whether a value rounds to a printed number, in the last place printed."""
    digits, _, exponent = like.partition("e")
    last = 10.0 ** -(len(digits.partition(".")[2])) * 10.0 ** int(exponent or 0)
    return abs(value - float(like)) <= 0.5 * last * (1 + 1e-9)


@pytest.mark.parametrize(("alpha", "p", "low", "high"), BAD_OUTCOMES)
def test_bad_outcomes(alpha: float, p: float, low: str, high: str) -> None:
    """[e^{−ε}p^{α/(α−1)}, (e^ε p)^{(α−1)/α}] at ε = 0.1."""
    assert printed(math.exp(-0.1) * p ** (alpha / (alpha - 1)), low)
    assert printed((math.exp(0.1) * p) ** ((alpha - 1) / alpha), high)


def test_probability_preservation_has_the_exponent_below_one() -> None:
    """(e^ε Q)^{α/(α−1)} would be false: randomized response with D₂ = 0.5 has P = 0.6868 where it allows 0.2667."""
    low, high = 0.0, 5.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if response_renyi(middle, 2.0) < 0.5 else (low, middle)
    p = 1 / (1 + math.exp(-low))
    q = 1 - p
    assert p == pytest.approx(0.686781, abs=2e-6)
    assert (math.exp(0.5) * q) ** 2 == pytest.approx(0.266680, abs=3e-6)
    assert p <= (math.exp(0.5) * q) ** 0.5 == pytest.approx(0.718617, abs=3e-6)


@pytest.mark.parametrize(
    ("epochs", "composed", "by_renyi", "by_tradeoff"),
    [(50, 30.51, 5.82, 4.34), (100, 49.88, 7.61, 5.60), (200, 83.83, 9.88, 7.58)],
)
def test_noisy_cyclic_gradient_descent(epochs: int, composed: float, by_renyi: float, by_tradeoff: float) -> None:
    """f-DP review, Table 1: n = 60000, batches of 1500, η = 0.05, λ = 0.002, L = 10, noise 1/100, δ = 1e-5."""
    batches, contraction, mu = 60_000 // 1500, 1 - 0.05 * 0.002, 10 / (1500 * 0.01)
    assert mu == pytest.approx(2 / 3)
    assert gaussian_epsilon(1e-5, literature.composed_mu(mu, epochs)) == pytest.approx(composed, abs=0.005)
    rho = literature.last_iterate_rho(mu, contraction, batches, epochs)
    assert convert.zcdp_epsilon(rho, 1e-5) == pytest.approx(by_renyi, abs=0.005)
    last = literature.last_iterate_mu(mu, contraction, batches, epochs)
    assert gaussian_epsilon(1e-5, last) == pytest.approx(by_tradeoff, abs=0.005)


@pytest.mark.parametrize(
    ("steps", "limit", "orders", "truth"),
    [(200, 0.0250, (0.0350, 0.0380), 0.0327307), (10_000, 0.2150, (0.2280, 0.2244), 0.2233177)],
)
def test_federated_analytics(steps: int, limit: float, orders: tuple[float, float], truth: float) -> None:
    """f-DP review, Figure 2: p = 0.0005, σ = 1, δ = 1e-5. The limit and its corrections lie on either side of the truth."""
    losses: list[tuple[Loss, int]] = [(PoissonLoss(0.0005, GaussianLoss(1.0)), steps)]
    found = epsilon(losses, 1e-5)
    assert truth - 1e-6 <= found <= truth * 1.0005
    by_limit = gaussian_epsilon(1e-5, estimates.limit_mu_poisson(0.0005, 1.0, steps))
    assert by_limit == pytest.approx(limit, abs=5e-5)
    assert by_limit < truth
    for order, value in zip((1, 2), orders, strict=True):
        both = max(estimates.edgeworth_epsilon(losses, 1e-5, order, reverse) for reverse in (False, True))
        assert both == pytest.approx(value, abs=6e-5)
        assert both > truth


def test_stochastic_gradient_descent() -> None:
    """q = 0.01, σ = 1, T = 10⁴, δ = 1e-5: the limit's μ = 1.3108 under-reports 6.0071 for 6.1877."""
    mu = estimates.limit_mu_poisson(0.01, 1.0, 10_000)
    assert mu == pytest.approx(1.310832, abs=1e-6)
    assert gaussian_epsilon(1e-5, mu) == pytest.approx(6.0071, abs=1e-4)
    fixed = estimates.limit_mu_fixed(0.01, 1.0, 10_000)
    assert fixed == pytest.approx(1.710142, abs=1e-6)
    assert gaussian_epsilon(1e-5, fixed) == pytest.approx(8.2570, abs=1e-4)
    found = epsilon([(PoissonLoss(0.01, GaussianLoss(1.0)), 10_000)], 1e-5)
    assert 6.1877 <= found <= 6.1880
    closer = epsilon([(PoissonLoss(0.01, GaussianLoss(1.0)), 10_000)], 1e-5, tolerance=1e-6)
    assert 6.1877 <= closer <= 6.18774 + 2e-5
    # Batches of fixed size under replacing a row are another mechanism, and cost more.
    assert epsilon([(FixedLoss(0.01, GaussianLoss(1.0)), 10_000)], 1e-5) > 8.0


def test_a_mixed_workload() -> None:
    """50 Laplace(0.1), 50 Gaussians of μ = 0.1, 10 randomized responses at 0.5, δ = 1e-6: at most 8.7290."""
    found = epsilon([(LaplaceLoss(0.1), 50), (ResponseLoss(0.5), 10)], 1e-6, mu=math.sqrt(50) * 0.1)
    assert 8.7288 <= found <= 8.7290


def test_a_hundred_times_a_tenth() -> None:
    """100 × ε = 0.1 at δ = 1e-6: the bounds that the slides and papers give, down to the exact optimum."""
    count, eps, delta = 100, 0.1, 1e-6
    slides = 4 * eps * math.sqrt(2 * count * math.log(1 / delta))
    assert slides == pytest.approx(21.026, abs=1e-3)
    assert literature.optimal_epsilon([(eps, 0.0, count)], delta) == pytest.approx(5.756, abs=1e-3)
    by_renyi = convert.curve_epsilon(lambda a: count * response_renyi(eps, a), delta)
    assert by_renyi == pytest.approx(5.073, abs=2e-3)
    assert epsilon([(ResponseLoss(eps), count)], delta) == pytest.approx(4.774567588, abs=3e-9)


CLOSED_FORM = {0.5: 0.9494, 0.6: 0.3764, 0.7: 0.1038, 0.8: 0.0181, 0.9: 0.0018, 1.0: 8e-5}
EXACT_PAIR = {0.5: 3e-6, 0.6: 1e-7, 0.7: 4e-9, 0.8: 9e-11, 0.9: 2e-12, 1.0: 2e-14}


def test_shuffling_ten_thousand_reports() -> None:
    """n = 10⁴, ε₀ = log(n/(8 log(2/10⁻⁶)) − 1) = 4.4445."""
    count = 10_000
    local = math.log(count / (8 * math.log(2e6)) - 1)
    assert local == pytest.approx(4.4445, abs=5e-5)
    for eps, value in CLOSED_FORM.items():
        low, high = 1e-12, 1.0 - 1e-12  # the δ at which the closed form gives this ε, solved without its side condition
        for _ in range(200):
            middle = math.sqrt(low * high)
            first = 4 * math.sqrt(2 * math.log(4 / middle)) / math.sqrt((math.exp(local) + 1) * count)
            larger = math.log1p(math.expm1(local) * (first + 4 / count)) > eps
            low, high = (middle, high) if larger else (low, middle)
        assert high == pytest.approx(value, rel=0.04)
    found = shuffled_delta(count, local, np.array(list(EXACT_PAIR)))
    assert np.all(found <= np.array(list(EXACT_PAIR.values())) * 1.1)
    assert found[0] == pytest.approx(2.76e-6, rel=2e-3)
    assert found[5] == pytest.approx(1.39e-14, rel=5e-3)
    assert closed_form_epsilon(count, local - 1e-9, 1e-6) is not None


def test_the_census_at_the_level_of_the_nation() -> None:
    """Nine queries, ρ = 1.95 % of 3.325 in all, δ = 1e-11: 2.63 by ρ + 2√(ρ log 1/δ), 2.32 exactly for Gaussians."""
    rho, delta = 0.0195 * 3.325, 1e-11
    assert rho + 2 * math.sqrt(rho * math.log(1 / delta)) == pytest.approx(2.63, abs=0.005)
    assert convert.zcdp_epsilon(rho, delta) == pytest.approx(2.4202, abs=1e-4)
    assert gaussian_epsilon(delta, math.sqrt(2 * rho)) == pytest.approx(2.32, abs=0.005)


def test_renyi_and_tradeoff_order_mechanisms_differently() -> None:
    """Randomized response at ε = 1 has larger total variation than N(0, 1) against N(1, 1), and smaller Rényi divergences."""
    gaussian, response = GaussianLoss(1.0), ResponseLoss(1.0)
    zero = np.array([0.0])
    assert float(gaussian.profile(zero)[0]) == pytest.approx(0.3829, abs=5e-5)
    assert float(response.profile(zero)[0]) == pytest.approx(0.4621, abs=5e-5)
    assert all(response.renyi(alpha) < gaussian.renyi(alpha) for alpha in (1.0001, 1.5, 2.0, 5.0, 50.0))


@pytest.mark.parametrize(("power", "factor"), [(1, 1.0), (2, math.sqrt(2)), (3, 1.7415), (4, 2.0139)])
def test_the_length_of_a_generalized_gaussian(power: int, factor: float) -> None:
    found = fisher_factor(Quantity.of(power)).evaluate_float({})
    assert found == pytest.approx(factor, abs=5e-5)


@pytest.mark.parametrize(
    ("eps", "mu"),
    [(0.01, 0.0125019), (0.1, 0.122326), (0.5, 0.561764), (1.0, 1.030064), (2.0, 1.800905), (5.0, 3.477429)],
)
def test_the_gaussian_parameter_of_laplace_noise(eps: float, mu: float) -> None:
    from duetpy.accounting.gaussian_profile import laplace_mu

    assert laplace_mu(eps) == pytest.approx(mu, abs=6e-7)
    assert pure_mu(eps) == pytest.approx(2 * quantile(math.exp(eps) / (1 + math.exp(eps))), rel=1e-9)


def test_a_laplace_curve_at_the_limit_of_order_one() -> None:
    """ε + e^{−ε} − 1, a removable singularity of Mironov's formula."""
    assert laplace_renyi(0.7, 1.0 + 1e-9) == pytest.approx(0.7 + math.exp(-0.7) - 1, rel=1e-6)


def test_sampling_in_renyi_as_the_original_prints_it_is_too_low() -> None:
    truth = subsampling.poisson_gaussian_renyi(0.01, 10, 0.1)
    assert truth == pytest.approx(1.13e-4, rel=0.01)
