"""What is revealed with a small probability: δ covers it before anything else is taken from it."""

import math
from fractions import Fraction

import pytest

from duetpy.accounting.certify import bounds
from duetpy.typecheck.cost import Seq
from duetpy.typecheck.notions import Notion
from tests.accounting import exact_losses as exact
from tests.accounting.terms import given


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
