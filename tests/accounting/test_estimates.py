"""Estimates of the literature: what they are, when the literature has none, and that nothing takes them for a cost."""

import math
from contextlib import suppress
from random import Random

import pytest

from duetpy.accounting.certify import tight
from duetpy.accounting.estimates import LARGEST, Unestimated, estimates, limit_mu
from duetpy.accounting.losses.losses import GaussianLoss, LaplaceLoss
from duetpy.typecheck.cost import Cost, Sampled, Seq
from duetpy.typecheck.notions import Notion
from tests.accounting.random_costs import random_cost
from tests.accounting.terms import gauss, given, laplace, of, repeated
from tests.test_architecture import MODULES, imports


def guesses(cost: Cost, delta: float) -> dict[str, float | None]:
    return {each.method: each.epsilon for each in estimates(cost, {}, delta)}


def test_of_stochastic_gradient_descent() -> None:
    """Rate 0.01, σ = 1, 10⁴ steps, δ = 1e-5: the limit is below the truth, 6.18774; batches of fixed size have another limit."""
    steps = repeated(10_000, Sampled("poisson", of("0.01"), gauss(Notion.GDP, 1)))
    found = guesses(steps, 1e-5)
    assert list(found) == ["central limit", "first Edgeworth expansion", "second Edgeworth expansion"]
    assert found["central limit"] == pytest.approx(6.0071, abs=1e-4)
    assert all(each != pytest.approx(6.18774, abs=1e-3) for each in found.values())
    fixed = repeated(10_000, Sampled("sample", of("0.01"), gauss(Notion.GDP, 1)))
    assert guesses(fixed, 1e-5)["central limit"] == pytest.approx(8.2570, abs=1e-4)


def test_of_federated_analytics() -> None:
    """Rate 5e-4, σ = 1, 200 steps, δ = 1e-5: the truth, .03273, lies between the limit and the expansions."""
    steps = repeated(200, Sampled("poisson", of("0.0005"), gauss(Notion.GDP, 1)))
    assert list(guesses(steps, 1e-5).values()) == pytest.approx([0.0250, 0.0350, 0.0380], abs=6e-5)


def test_gaussian_noise_is_its_own_limit() -> None:
    cost = Seq((gauss(Notion.GDP, 1), repeated(8, gauss(Notion.ZCDP, "0.5"))))
    exact = tight(cost, {}, 1e-6)
    assert exact.kind == "exact"
    assert list(guesses(cost, 1e-6).values()) == pytest.approx([exact.epsilon] * 3, rel=1e-9)


def test_the_limit_of_laplace_noise_is_made_of_its_moments() -> None:
    """E[L] = ε + e^{−ε} − 1 and Var[L] = 3 − 4εe^{−ε} − 2e^{−ε} − e^{−2ε}; of other noise the moments are added."""
    eps = 0.7
    mean = eps + math.exp(-eps) - 1
    variance = 3 - 4 * eps * math.exp(-eps) - 2 * math.exp(-eps) - math.exp(-2 * eps)
    assert limit_mu(((LaplaceLoss(eps), 50),)) == pytest.approx(2 * 50 * mean / math.sqrt(50 * variance), rel=1e-4)
    both = 2 * (50 * mean + 0.5) / math.sqrt(50 * variance + 1)
    assert limit_mu(((LaplaceLoss(eps), 50), (GaussianLoss(1.0), 1))) == pytest.approx(both, rel=1e-4)


@pytest.mark.parametrize(
    ("cost", "reason"),
    [
        (given(Notion.APPROX, 1, "1e-9"), "a part may fail with probability δ"),
        (repeated(10**120, laplace("0.1")), "of so many runs or steps"),
        (given(Notion.ZCDP, 1), "only a bound on the Rényi curve of a part is known"),
        (repeated(9, laplace("1e-12")), "cannot be computed closely enough"),
        (gauss(Notion.GDP, "1e-200"), "too small or too large for its moments"),
        (gauss(Notion.GDP, "1e-110"), "too small or too large for its moments"),
        (Sampled("poisson", of("1e-200"), gauss(Notion.GDP, 1)), "too small or too large for its moments"),
        (Sampled("poisson", of("1e-200"), laplace("1e-200")), "too small or too large for its moments"),
    ],
)
def test_where_a_loss_has_no_moments_there_is_no_estimate(cost: Cost, reason: str) -> None:
    with pytest.raises(Unestimated, match=reason):
        estimates(cost, {}, 1e-6)


@pytest.mark.filterwarnings("error")
def test_any_cost_has_estimates_or_a_reason() -> None:
    counted = 0
    for seed in range(24):
        with suppress(Unestimated):
            found = estimates(random_cost(Random(seed), 2), {}, 1e-5)
            assert all(each.epsilon is None or 0.0 <= each.epsilon <= LARGEST for each in found)
            counted += 1
    assert counted > 8


def test_nothing_but_the_option_reads_an_estimate() -> None:
    """No price, bound, calibration, ledger or run is made with these files."""
    users = {
        name: {other for other, path in MODULES.items() if name in imports(path)}
        for name in ("duetpy.accounting.estimates", "duetpy.report.estimates")
    }
    assert users == {
        "duetpy.accounting.estimates": {"duetpy.report.estimates"},
        "duetpy.report.estimates": {"duetpy.cli.cost"},
    }
