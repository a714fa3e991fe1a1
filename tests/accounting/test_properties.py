"""What must hold of every cost term: a few random ones always, thousands in the slow suite, over all of these tests."""

import math
from fractions import Fraction
from random import Random

import mpmath as mp
import pytest

from benchmarks import literature
from duetpy.accounting import convert
from duetpy.accounting.certify import bounds, renyi_of, tight
from duetpy.accounting.gaussian_profile import calibrate_mu, gaussian_delta, gaussian_epsilon
from duetpy.accounting.losses.losses import GaussianLoss
from duetpy.accounting.losses.sampled import PoissonLoss
from duetpy.accounting.losses_of_cost import composition, total_leak
from duetpy.accounting.price import Refusal, numbers
from duetpy.typecheck.cost import Atom, Cost, Given, Repeat, Seq
from duetpy.typecheck.notions import Notion
from tests.accounting import exact_losses as exact
from tests.accounting.random_costs import grown, mixed_delta, of, random_atom, random_cost
from tests.effort import often

QUICK = often(8, 4)
MANY = pytest.param(400, marks=pytest.mark.slow)

JITTER = 1e-4
"""Grids of different terms differ: a certified ε is within this share of the best one, and never below the truth."""


def value_of(cost: Cost, notion: Notion) -> list[float] | None:
    found = numbers(cost, notion, {})
    return None if isinstance(found, Refusal) else [math.inf if part is None else part for part in found.values()]


def epsilon(cost: Cost, delta: str = "1e-6") -> float:
    return tight(cost, {}, Fraction(delta)).epsilon


# ---------------------------------------------------------------------------------------------------------------------
# Writing a thing n times


@pytest.mark.parametrize("trials", [QUICK, MANY])
def test_repeating_is_writing_again_in_every_notion(trials: int) -> None:
    draw = Random(1)
    for _ in range(trials):
        body = random_cost(draw, draw.choice([0, 0, 1]))
        count = draw.choice([2, 3, 7])
        folded, written = Repeat(of(count), body), Seq((body,) * count)
        for notion in Notion:
            one, two = value_of(folded, notion), value_of(written, notion)
            assert (one is None) == (two is None), (notion, body)
            assert one is None or two is None or one == pytest.approx(two, rel=1e-9), (notion, body)
        assert epsilon(folded) == pytest.approx(epsilon(written), rel=JITTER), body


# ---------------------------------------------------------------------------------------------------------------------
# Coarser notions say more


@pytest.mark.parametrize("trials", [QUICK, MANY])
def test_pure_is_above_kov_is_above_the_certified(trials: int) -> None:
    draw = Random(2)
    for _ in range(trials):
        parts = [
            (f"{10 ** draw.uniform(-2.5, 0.3):.2g}", draw.choice([1, 2, 5, 20, 100])) for _ in range(draw.randint(1, 3))
        ]
        kind = draw.choice(["laplace", "noisy-max", "exponential"])
        cost = Seq(tuple(Repeat(of(count), Atom(kind, (of(eps),))) for eps, count in parts))
        delta = 10.0 ** -draw.randint(2, 12)
        pure = sum(float(eps) * count for eps, count in parts)
        kov = literature.optimal_epsilon([(float(eps), 0.0, count) for eps, count in parts], delta)
        found = tight(cost, {}, delta).epsilon
        assert found <= kov * (1 + 1e-9) <= pure * (1 + 2e-9), cost


@pytest.mark.parametrize("trials", [QUICK, MANY])
def test_zcdp_is_above_renyi_is_above_the_certified(trials: int) -> None:
    draw = Random(3)
    compared = 0
    for _ in range(trials):
        cost = random_cost(draw, 2)
        delta = 10.0 ** -draw.randint(3, 10)
        found = tight(cost, {}, delta).epsilon
        rho = value_of(cost, Notion.ZCDP)
        parts = composition(cost, {})
        if total_leak(parts) == 0.0:
            # A leak is taken off δ with a margin of 1e-12, and ε moves by about one over the order times that. Where the
            # curve attains the exact answer, the two differ by what either is rounded up by.
            curve = convert.curve_epsilon(lambda alpha, parts=parts: renyi_of(parts, alpha), delta * (1 - 2e-12))
            assert found <= curve * (1 + 1e-12), cost
            if rho is not None and rho[0] < math.inf:
                compared += 1
                for alpha in (1.5, 2.0, 8.0, 64.0):
                    assert renyi_of(parts, alpha) <= rho[0] * alpha * (1 + 1e-9), cost
        for notion in (Notion.ZCDP, Notion.GDP):
            price = value_of(cost, notion)
            if price is not None and price[0] < math.inf:
                implied = convert.zcdp_epsilon if notion is Notion.ZCDP else lambda mu, at: gaussian_epsilon(at, mu)
                assert found <= implied(price[0], delta) * (1 + 1e-12), (notion, cost)
    assert compared > trials // 20


@pytest.mark.parametrize("trials", [QUICK, MANY])
def test_each_method_is_better_than_those_before_it_and_a_smaller_delta_costs_more(trials: int) -> None:
    draw = Random(4)
    for _ in range(trials):
        cost = random_cost(draw, 2)
        found = [bound.epsilon for bound in bounds(cost, {}, Fraction("1e-6"))]
        assert found == sorted(found, reverse=True)
        quick = bounds(cost, {}, Fraction("1e-6"), quick=True)[-1].epsilon
        assert found[-1] <= quick
        assert epsilon(cost, "1e-4") <= epsilon(cost, "1e-6") * (1 + JITTER), cost


# ---------------------------------------------------------------------------------------------------------------------
# More of anything costs no less


@pytest.mark.parametrize("trials", [QUICK, MANY])
def test_a_larger_parameter_costs_no_less_in_any_notion(trials: int) -> None:
    draw = Random(5)
    for _ in range(trials):
        cost = random_cost(draw, 2)
        larger = grown(cost, draw)
        if larger is None:
            continue
        assert epsilon(cost) <= epsilon(larger) * (1 + JITTER), (cost, larger)
        for notion in Notion:
            before, after = value_of(cost, notion), value_of(larger, notion)
            if before is None or after is None or notion in (Notion.TCDP, Notion.RENYI):
                continue
            assert all(one <= other * (1 + 1e-9) for one, other in zip(before, after, strict=True)), (
                notion,
                cost,
                larger,
            )


@pytest.mark.parametrize("trials", [QUICK, MANY])
def test_one_more_step_costs_no_less(trials: int) -> None:
    draw = Random(6)
    for _ in range(trials):
        cost = random_cost(draw, 2)
        assert epsilon(cost) <= epsilon(Seq((cost, random_atom(draw)))) * (1 + JITTER), cost


# ---------------------------------------------------------------------------------------------------------------------
# The truth, to fifty digits


@pytest.mark.parametrize("trials", [often(200, 60), pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_gaussian_is_never_below_fifty_digits(trials: int) -> None:
    draw = Random(7)
    for _ in range(trials):
        mu, eps = 10.0 ** draw.uniform(-6, 2), 10.0 ** draw.uniform(-6, 2)
        truth = exact.gaussian_delta(eps, mu)
        if truth < mp.mpf(10) ** -290:
            continue
        assert truth <= gaussian_delta(eps, mu) <= truth * (1 + mp.mpf(10) ** -9), (eps, mu)
        delta = 10.0 ** draw.uniform(-200, -0.5)
        found = gaussian_epsilon(delta, mu)
        assert found == 0.0 or exact.gaussian_delta(found, mu) <= delta
        assert exact.gaussian_delta(eps, calibrate_mu(eps, delta)) <= delta


@pytest.mark.parametrize("trials", [QUICK, pytest.param(1000, marks=pytest.mark.slow)])
def test_gaussians_with_randomized_responses_are_never_below_fifty_digits(trials: int) -> None:
    draw = Random(8)
    for _ in range(trials):
        mu = draw.choice([0.0, round(10.0 ** draw.uniform(-1.5, 0.5), 3)])
        responses = [
            (round(10.0 ** draw.uniform(-1.5, 0.3), 3), draw.choice([1, 3, 10])) for _ in range(draw.randint(1, 2))
        ]
        delta = 10.0 ** -draw.randint(1, 20)
        steps: list[Cost] = [Repeat(of(count), Given(Notion.PURE, (of(str(eps)),))) for eps, count in responses]
        if mu > 0.0:
            steps.append(Atom("gauss", (of(str(mu)),), Notion.GDP))
        found = tight(Seq(tuple(steps)), {}, delta).epsilon
        assert mixed_delta(mu, responses, found) <= mp.mpf(repr(delta)), (mu, responses, delta)
        if found > 1e-6:
            assert mixed_delta(mu, responses, found * (1 - 1e-3)) > delta, "not tight"


@pytest.mark.parametrize("trials", [often(200, 60), pytest.param(20_000, marks=pytest.mark.slow)])
def test_single_mechanisms_are_never_below_their_formulas(trials: int) -> None:
    draw = Random(9)
    for _ in range(trials):
        text = f"{10 ** draw.uniform(-5, 2):.3g}"
        eps, delta = mp.mpf(text), mp.mpf(10) ** -draw.randint(1, 30)
        shown = Fraction(f"1e-{round(-float(mp.log10(delta)))}")
        laplace = max(mp.mpf(0), eps + 2 * mp.log(1 - delta))
        answer = max(mp.mpf(0), mp.log(max(mp.exp(eps) - delta * (1 + mp.exp(eps)), mp.mpf(1))))
        for cost, truth in (
            (Atom("laplace", (of(text),)), laplace),
            (Atom("rand-resp", (of(2), of(text))), answer),
            (Given(Notion.PURE, (of(text),)), answer),
        ):
            found = tight(cost, {}, shown)
            answered = mp.mpf(repr(found.epsilon))  # a double stands for the decimal that it prints as
            assert truth <= answered <= truth * (1 + mp.mpf(10) ** -9) + mp.mpf(10) ** -13, (text, delta)
            assert found.kind == "exact"


# ---------------------------------------------------------------------------------------------------------------------
# Both directions


@pytest.mark.parametrize("trials", [4, pytest.param(60, marks=pytest.mark.slow)])
def test_the_certified_answer_covers_both_directions_of_a_sampled_gaussian(trials: int) -> None:
    draw = Random(10)
    for _ in range(trials):
        rate, mu = round(draw.uniform(0.01, 0.9), 2), round(10.0 ** draw.uniform(-0.5, 0.5), 2)
        loss = PoissonLoss(rate, GaussianLoss(mu))
        for eps in (0.05, 0.5, 1.5):
            forward, backward = sampled_deltas(rate, mu, eps)
            for truth, reverse in ((forward, False), (backward, True)):
                assert truth <= profile_at(loss, eps, reverse) * (1 + mp.mpf(10) ** -10), (rate, mu, eps, reverse)


def profile_at(loss: PoissonLoss, eps: float, reverse: bool) -> float:
    import numpy as np

    return float(loss.profile(np.array([eps]), reverse)[0])


def sampled_deltas(rate: float, mu: float, eps: float) -> tuple[mp.mpf, mp.mpf]:
    """δ of ((1−q)N(0,1) + qN(μ,1), N(0,1)) and of the reverse, by where the densities cross."""
    q, m, x = mp.mpf(rate), mp.mpf(mu), mp.exp(mp.mpf(eps))

    def mixed(z: mp.mpf) -> mp.mpf:
        return (1 - q) * exact.normal_cdf(-z) + q * exact.normal_cdf(m - z)

    cross = mp.log((x - 1 + q) / q) / m + m / 2
    forward = mixed(cross) - x * exact.normal_cdf(-cross)
    weight = (1 / x - 1 + q) / q
    if weight <= 0:
        return forward, mp.mpf(0)
    other = mp.log(weight) / m + m / 2
    return forward, exact.normal_cdf(other) - x * (1 - mixed(other))
