"""What is revealed with a small probability: δ covers it before anything else is taken from it."""

import math
from fractions import Fraction

import numpy as np
import pytest

from duetpy.accounting.certify import bounds
from duetpy.accounting.losses.losses import gaussian_profile
from duetpy.accounting.losses_of_cost import composition
from duetpy.typecheck.cost import Seq, Together
from duetpy.typecheck.notions import Notion
from tests.accounting import exact_losses as exact
from tests.accounting.terms import given, repeated


@pytest.mark.parametrize(("leak", "rho"), [("0.009", "0.5"), ("0.0099", "0.02"), ("0.005", "2")])
def test_what_leaks_is_taken_off_the_delta_that_is_asked_for(leak: str, rho: str) -> None:
    """What leaks with probability δ₀, after Gaussian noise: of δ no more than δ − δ₀ is left for the noise."""
    cost = Seq((given(Notion.APPROX, "0.001", leak), given(Notion.ZCDP, rho)))
    shift = float((2 * Fraction(rho)) ** 0.5)
    for quick in (True, False):
        for bound in bounds(cost, {}, Fraction("0.01"), quick=quick):
            lost = float(leak) + (1.0 - float(leak)) * float(exact.gaussian_delta(bound.epsilon, shift))
            assert lost <= 0.01, bound.method


@pytest.mark.parametrize(("eps", "leak"), [("1", "0.009"), ("0.1", "0.0099"), ("3", "0.001")])
def test_what_a_trusted_mechanism_leaks_is_taken_off_delta(eps: str, leak: str) -> None:
    """Else it is randomized response, of which the profile is known."""
    for bound in bounds(given(Notion.APPROX, eps, leak), {}, Fraction("0.01")):
        answer = max(0.0, math.exp(float(eps)) - math.exp(bound.epsilon)) / (1.0 + math.exp(float(eps)))
        assert float(leak) + (1.0 - float(leak)) * answer <= 0.01 * (1.0 + 1e-9), bound.method


@pytest.mark.parametrize("delta", ["0.009", "0.0099999"])
def test_below_what_a_trusted_mechanism_leaks_nothing_is_promised(delta: str) -> None:
    for bound in bounds(given(Notion.APPROX, "1", "0.01"), {}, Fraction(delta)):
        assert bound.epsilon == math.inf


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("runs", [1, 2])
@pytest.mark.parametrize(("eps", "leak", "mu"), [(1.0, 1e-4, 1.0), (0.5, 0.009, 0.3)])
def test_two_inputs_of_which_one_leaks_leak_no_more(
    eps: float, leak: float, mu: float, runs: int, turned: bool
) -> None:
    """They may be answered side by side: one through randomized response that leaks, the other with Gaussian noise."""
    moved = (given(Notion.APPROX, str(eps), str(leak)), given(Notion.GDP, str(mu)))
    cost = repeated(runs, Together(moved[::-1] if turned else moved))
    yes, kept = 1.0 / (1.0 + math.exp(-eps)), (1.0 - leak) ** runs
    certified = bounds(cost, {}, Fraction("0.02"))[-1].epsilon
    rest = np.array([certified - eps * (2 * k - runs) for k in range(runs + 1)])
    answers = [math.comb(runs, k) * yes**k * (1.0 - yes) ** (runs - k) for k in range(runs + 1)]
    assert 1.0 - kept + kept * float(answers @ gaussian_profile(rest, mu * math.sqrt(runs))) <= 0.02
    assert certified < 6.0
    assert bounds(cost, {}, Fraction(str(leak)))[-1].epsilon == math.inf
    assert all(loss.renyi(3.0) == math.inf for loss, _ in composition(cost, {}))
