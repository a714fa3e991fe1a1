"""Rényi curves on Poisson-sampled rows: above exact laws in both directions, attained, and below what was asked before."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from random import Random

import mpmath as mp
import numpy as np
import pytest

from duetpy.accounting.losses.composed import ComposedLoss
from duetpy.accounting.losses.derived import ChoiceLoss, GroupLoss
from duetpy.accounting.losses.discrete import DiscreteGaussianLoss
from duetpy.accounting.losses.discrete_laplace import DiscreteLaplaceLoss
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
    laplace_renyi,
)
from duetpy.accounting.losses.losses import response_renyi as response_curve
from duetpy.accounting.losses.poisson_curves import any_renyi, response_renyi, twin_renyi
from duetpy.accounting.losses.sampled import FixedLoss, PoissonLoss
from duetpy.accounting.losses.subsampling import LARGEST_ORDER, amplified_epsilon, multiples, poisson_renyi
from duetpy.accounting.losses.twins import is_twin
from duetpy.accounting.notions.zcdp import only_twins
from duetpy.accounting.price import Price, numbers, price
from duetpy.typecheck.cost import Advanced, Atom, Choice, Converted, Cost, Given, Group, Repeat, Sampled, Seq, Together
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from tests.effort import often

Law = list[tuple[mp.mpf, mp.mpf]]
"""The chances of each outcome under two laws."""


def of(number: float | str) -> Quantity:
    return Quantity.of(str(number))


def divergence(pairs: Law, alpha: mp.mpf | int | float) -> mp.mpf:
    return mp.log(mp.fsum(p ** mp.mpf(alpha) * q ** (1 - mp.mpf(alpha)) for p, q in pairs)) / (mp.mpf(alpha) - 1)


def worst(law: Law, alpha: float) -> mp.mpf:
    return max(divergence(law, alpha), divergence([(q, p) for p, q in law], alpha))


def sampled(law: Law, rate: float) -> Law:
    share = mp.mpf(rate)
    return [((1 - share) * q + share * p, q) for p, q in law]


def curve_of(law: Law) -> Callable[[int], np.ndarray]:
    """Its own orders in the worse direction, rounded up."""
    at_order = cache(lambda order: float(worst(law, order)) * (1 + 1e-14))
    return lambda last: np.array([at_order(order) for order in range(2, last + 1)])


def answers(eps: float, size: int = 2) -> Law:
    yes = 1 / (1 + (size - 1) * mp.exp(-mp.mpf(eps)))
    no = (1 - yes) / (size - 1)
    return [(yes, no), (no, yes), ((size - 2) * no, (size - 2) * no)][:size]


def whole_noise(weight: Callable[[int], mp.mpf], shift: int, reach: int) -> Law:
    total = mp.fsum(weight(x) for x in range(-reach, reach + 1))
    return [(weight(x) / total, weight(x - shift) / total) for x in range(-reach + shift, reach + 1)]


def anything(draw: Random) -> Law:
    """Two laws on a few outcomes that may be close, or far apart in one direction."""
    size, spread = draw.choice([2, 2, 3, 5]), draw.choice([0.01, 0.3, 2.0])
    first = [mp.mpf(draw.random() ** draw.choice([1, 4, 12]) + 1e-9) for _ in range(size)]
    second = [p * mp.exp(mp.mpf(draw.gauss(0, spread))) for p in first]
    return [(p / mp.fsum(first), q / mp.fsum(second)) for p, q in zip(first, second, strict=True)]


def test_the_inequality_that_both_bounds_rest_on() -> None:
    with mp.workdps(40):
        for rate in (0.001, 0.1, 0.5, 0.99):
            for log_y in (-20, -3, -0.5, -0.01, 0.01, 0.5, 3, 20):
                y, q = mp.exp(mp.mpf(log_y)), mp.mpf(rate)
                v, u = 1 - q + q * y, 1 - q + q / y
                for alpha in (1, 1.01, 1.5, 2, 7, 40):
                    a = mp.mpf(alpha)
                    assert v ** (1 - a) - v**a <= y * (u**a - u ** (1 - a)) + mp.mpf(10) ** -30


@pytest.mark.parametrize("seed", range(6))
def test_any_mechanism_is_below_the_bound_in_both_directions(seed: int) -> None:
    draw = Random(f"poisson {seed}")
    with mp.workdps(40):
        for _ in range(often(15, 5)):
            law, rate = anything(draw), draw.choice([0.001, 0.01, 0.1, 0.5, 0.9])
            curve = curve_of(law)
            for order in (2, 3, 4, 9, 24):
                found = any_renyi(rate, order, curve)
                true = worst(sampled(law, rate), order)
                assert true <= mp.mpf(found) * (1 + mp.mpf(10) ** -13) + mp.mpf(10) ** -25
            found = any_renyi(rate, 2.7, curve)
            assert worst(sampled(law, rate), 2.7) <= mp.mpf(found) * (1 + mp.mpf(10) ** -13) + mp.mpf(10) ** -25


PAIRS: list[tuple[str, Callable[[], Law], Loss]] = [
    ("response", lambda: answers(0.8), ComposedLoss(((ResponseLoss(0.8), 1),))),
    (
        "two responses",
        lambda: [(p * r, q * s) for p, q in answers(0.8) for r, s in answers(0.3)],
        ComposedLoss(((ResponseLoss(0.8), 1), (ResponseLoss(0.3), 1))),
    ),
    ("five answers", lambda: _of_five(1.2), KaryLoss(1.2, 5)),
    (
        "discrete Laplace",
        lambda: whole_noise(lambda x: mp.exp(-mp.mpf("0.4") * abs(x)), 3, 250),
        DiscreteLaplaceLoss(1.2, 3),
    ),
]


def _of_five(eps: float) -> Law:
    rest = 1 / (mp.exp(mp.mpf(eps)) + 4)
    return [(1 - 4 * rest, rest), (rest, 1 - 4 * rest), *[(rest, rest)] * 3]


@pytest.mark.parametrize(("name", "make", "loss"), PAIRS, ids=[name for name, _, _ in PAIRS])
def test_what_can_be_exchanged_is_at_the_bound(name: str, make: Callable[[], Law], loss: Loss) -> None:
    """At whole orders exactly, and where the row comes no further than where it goes."""
    assert is_twin(loss)
    with mp.workdps(40):
        law = make()
        own = curve_of(law)
        for rate in (0.003, 0.2, 0.7):
            curve, mixed = PoissonLoss(rate, loss), sampled(law, rate)
            for order in (2, 3, 5, 12):
                goes, comes = divergence(mixed, order), divergence([(q, p) for p, q in mixed], order)
                assert comes <= goes
                found = min(twin_renyi(rate, order, own), curve.renyi(order))
                assert goes <= found <= goes * (1 + mp.mpf(10) ** -8) + mp.mpf(10) ** -13
            for alpha in (1.01, 1.4, 3.3):
                assert worst(mixed, alpha) <= curve.renyi(alpha)


def test_laplace_noise_is_at_the_bound() -> None:
    eps, rate = 0.9, 0.05
    with mp.workdps(25):
        e, q = mp.mpf(eps), mp.mpf(rate)

        def ratio(x: mp.mpf) -> mp.mpf:
            return 1 - q + q * mp.exp(abs(x) - abs(x - e))

        for alpha in (2, 3, 8):
            goes, comes = (
                mp.log(mp.quad(lambda x, a=power: ratio(x) ** a * mp.exp(-abs(x)) / 2, [-60, 0, e, 60])) / (alpha - 1)
                for power in (alpha, 1 - alpha)
            )
            assert comes <= goes
            found = PoissonLoss(rate, LaplaceLoss(eps)).renyi(alpha)
            assert goes * (1 - mp.mpf(10) ** -12) <= found <= goes * (1 + mp.mpf(10) ** -8)


def test_the_discrete_gaussian_is_below_the_bound() -> None:
    with mp.workdps(30):
        law = whole_noise(lambda x: mp.exp(-(mp.mpf(x) ** 2) / (2 * mp.mpf(4))), 2, 60)
        loss = DiscreteGaussianLoss(2, 2.0, 0.5)
        assert is_twin(loss)
        for rate in (0.01, 0.3):
            for order in (2, 3, 6):
                assert worst(sampled(law, rate), order) <= PoissonLoss(rate, loss).renyi(order)


@pytest.mark.parametrize("eps", [1e-6, 0.02, 0.7, 3.0, 20.0])
@pytest.mark.parametrize("rate", [1e-7, 0.001, 0.2, 0.9, 1.0])
@pytest.mark.parametrize("size", [2, 3, 50])
def test_randomized_response_is_exact_at_every_order(rate: float, eps: float, size: int) -> None:
    with mp.workdps(60):
        for alpha in (1.0001, 1.3, 2.0, 9.5, 200.0):
            true = worst(sampled(answers(eps, size), rate), alpha)
            found = mp.mpf(response_renyi(rate, alpha, eps, size))
            assert PoissonLoss(rate, KaryLoss(eps, size)).renyi(alpha) <= found * (1 + mp.mpf(10) ** -12)
            if mp.isinf(found):
                assert alpha * eps > 300
                continue
            first = alpha * rate * math.expm1(eps)  # what cancels, of which the rounding stays
            assert (
                true
                <= found
                <= true * (1 + mp.mpf(10) ** -11) + mp.mpf(10) ** -14 * alpha * first / (alpha - 1) + mp.mpf(10) ** -300
            )


def test_randomized_response_of_a_large_loss_is_rounded_up_near_order_one() -> None:
    """There two exponentials cancel, each as inexact as its exponent is large."""
    draw = Random(0)
    with mp.workdps(250):
        for _ in range(often(400, 100)):
            rate, eps, alpha = (
                10.0 ** draw.uniform(-7, -1),
                draw.uniform(20.0, 300.0),
                1.0 + 10.0 ** draw.uniform(-5, -3),
            )
            true = worst(sampled(answers(eps), rate), alpha)
            assert true <= mp.mpf(response_renyi(rate, alpha, eps)) <= true * (1 + mp.mpf(10) ** -6)


@pytest.mark.parametrize("eps", [1.0, 36.0, 37.0, 50.0, 600.0])
def test_of_all_rows_randomized_response_is_itself(eps: float) -> None:
    """Where 1 − e^−ε is 1 in doubles, no logarithm of 0 is asked for."""
    for alpha in (1.5, 4.0, 33.0):
        everything = response_renyi(1.0, alpha, eps)
        assert everything == math.inf or everything == pytest.approx(response_curve(eps, alpha), rel=1e-9)
        assert everything >= response_renyi(math.nextafter(1.0, 0.0), alpha, eps) * (1 - 1e-12)
    cost = Seq(
        (Atom("gauss", (of(4), of("0.1")), Notion.RENYI), Sampled("poisson", of(1), Atom("laplace", (of(eps),))))
    )
    found = numbers(cost, Notion.RENYI, {})
    assert isinstance(found, dict)
    assert found["epsilon"] == pytest.approx(response_curve(eps, 4.0) + 0.1, rel=0.5 / eps)


@pytest.mark.parametrize("order", [2, 3, 4, 7, 40])
def test_sums_over_orders_are_never_below_sixty_digits(order: int) -> None:
    draw = Random(order)
    with mp.workdps(60):
        for _ in range(12):
            rate, rho = 10.0 ** draw.uniform(-9, -0.001), 10.0 ** draw.uniform(-9, 1.2)
            q, r = mp.mpf(rate), mp.mpf(rho)
            excess = {k: mp.expm1(k * (k - 1) * r) for k in range(2, max(order, 3) + 1)}
            chances = {k: mp.binomial(order, k) * q**k * (1 - q) ** (order - k) for k in range(2, order + 1)}
            terms = {k: chances[k] * excess[k] for k in chances}
            twin, third = mp.fsum(terms.values()), mp.binomial(order + 1, 3) * q**3 * excess[3]
            other = min(2 * twin, 2 * twin - terms[2] + third)
            for inside, found in (
                (twin, twin_renyi(rate, order, multiples(rho))),
                (other, any_renyi(rate, order, multiples(rho))),
            ):
                true = mp.log1p(inside) / (order - 1)
                assert true <= found <= true * (1 + mp.mpf(10) ** -9) + mp.mpf(10) ** -300


@pytest.mark.parametrize(
    ("rate", "rho", "order", "factor"),
    [(0.01, 0.01, 10, 3.0), (0.1, 0.01, 5, 5.0), (0.01, 1e-4, 10, 200.0), (0.01, 0.1, 20, 1.25)],
)
def test_it_is_below_the_bound_with_the_factor_of_three(rate: float, rho: float, order: int, factor: float) -> None:
    assert any_renyi(rate, order, multiples(rho)) * factor <= poisson_renyi(rate, order, multiples(rho))
    assert twin_renyi(rate, order, multiples(rho)) <= any_renyi(rate, order, multiples(rho))


def test_ends() -> None:
    for bound in (any_renyi, twin_renyi):
        assert bound(0.0, 5.0, multiples(0.3)) == 0.0
        assert bound(1.0, 5.0, multiples(0.3)) == pytest.approx(1.5)
        assert bound(0.1, 5.0, multiples(0.0)) <= 1e-300
        assert bound(0.1, LARGEST_ORDER + 1.0, multiples(0.3)) == math.inf
        assert bound(0.1, 5.0, multiples(1e101)) == math.inf
        # Of a curve that ends at an order, what is below it is known.
        assert bound(0.1, 2.0, lambda last: np.array([0.1, math.inf, math.inf][: last - 1])) < 0.01
        assert bound(0.1, 3.0, lambda last: np.array([0.1, math.inf, math.inf][: last - 1])) == math.inf
    assert response_renyi(0.0, 2.0, 1.0) == 0.0
    assert response_renyi(0.5, 2.0, 0.0) == 0.0
    assert response_renyi(0.5, 2.0, math.inf) == math.inf
    assert response_renyi(0.5, 1e9, 1.0) == math.inf


def test_which_losses_can_be_exchanged() -> None:
    pairs = (
        GaussianLoss(0.3),
        LaplaceLoss(0.3),
        ResponseLoss(0.3),
        KaryLoss(0.3, 4),
        GeneralizedGaussianLoss(3.0, 0.2),
    )
    assert all(map(is_twin, pairs))
    others = (
        BoundedRangeLoss(0.3),
        CurveLoss(0.3),
        PoissonLoss(0.1, LaplaceLoss(0.3)),
        GroupLoss(2, LaplaceLoss(0.3)),
        LeakyLoss(1e-9, ResponseLoss(0.3)),
        ChoiceLoss(pairs[:2]),
    )
    assert not any(map(is_twin, others))
    assert not is_twin(ComposedLoss(((LaplaceLoss(0.3), 2), (CurveLoss(0.1), 1))))


LAPLACE, CHOSEN = Atom("laplace", (of("0.3"),)), Atom("exponential", (of("0.3"),))


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        (LAPLACE, True),
        (Atom("gauss", (of("0.3"),), Notion.ZCDP), True),
        (Atom("dgauss", (of("0.3"),), Notion.ZCDP, 2), True),
        (Atom("dgauss", (of("0.3"),), Notion.ZCDP), False),
        (Atom("rand-resp", (of(3), of("0.3"))), True),
        (CHOSEN, False),
        (Atom("gibbs", (of("0.3"),)), False),
        (Atom("ggauss", (of(3), of("0.3"))), False),
        (Given(Notion.PURE, (of(1),)), True),
        (Given(Notion.GDP, (of(1),)), True),
        (Given(Notion.ZCDP, (of(1),)), False),
        (Given(Notion.TCDP, (of(1), of(9))), False),
        (Seq((LAPLACE, Repeat(of(3), LAPLACE))), True),
        (Seq((LAPLACE, CHOSEN)), False),
        (Choice((LAPLACE, Given(Notion.PURE, (of(1),)))), False),
        (Seq((LAPLACE, Choice((LAPLACE, LAPLACE)))), False),
        (Advanced(of(3), of("1e-9"), LAPLACE), True),
        (Converted(Notion.PURE, None, CHOSEN), True),
        (Converted(Notion.ZCDP, None, CHOSEN), False),
        (Converted(Notion.ZCDP, None, LAPLACE), True),
        (Converted(Notion.TCDP, None, LAPLACE), False),
        (Converted(Notion.RENYI, None, LAPLACE), False),
        (Group(of(2), LAPLACE), False),
        (Together((LAPLACE, LAPLACE)), False),
        (Sampled("poisson", of("0.1"), LAPLACE), False),
    ],
)
def test_which_terms_can_be_exchanged(cost: Cost, expected: bool) -> None:
    assert only_twins(cost) is expected


AT_TEN = Atom("gauss", (of(10), of("1e-12")), Notion.RENYI)


@pytest.mark.parametrize(
    ("body", "rate", "factor"),
    [
        (LAPLACE, "0.01", 1.05),
        (Atom("rand-resp", (of(2), of(1))), "0.01", 2.5),
        (Repeat(of(50), Atom("laplace", (of("0.1"),))), "0.01", 1.3),
        (Given(Notion.ZCDP, (of("0.01"),)), "0.1", 4.0),
        (Given(Notion.PURE, (of(3),)), "0.02", 1.5),
    ],
)
def test_prices_at_an_order_are_lower_and_above_the_numeric_curve(body: Cost, rate: str, factor: float) -> None:
    found = numbers(Seq((Sampled("poisson", of(rate), body), AT_TEN)), Notion.RENYI, {})
    assert isinstance(found, dict)
    eps = found["epsilon"]
    assert eps is not None
    q = float(rate)
    own, pure = numbers(body, Notion.ZCDP, {}), numbers(body, Notion.PURE, {})
    before = math.inf
    if isinstance(own, dict) and own["rho"] is not None:
        before = poisson_renyi(q, 10, multiples(own["rho"]))
    if isinstance(pure, dict) and pure["epsilon"] is not None:
        before = min(before, response_curve(amplified_epsilon(q, pure["epsilon"]), 10))
    assert eps * factor <= before


@pytest.mark.parametrize("scheme", ["poisson", "sample"])
@pytest.mark.parametrize("rate", ["1", "0.9999", "0.5", "0.01"])
def test_no_price_of_a_sample_is_above_that_of_its_body(scheme: str, rate: str) -> None:
    body = Seq((Atom("laplace", (of(50),)), Atom("gauss", (of(4), of("0.1")), Notion.RENYI)))
    whole, part = (numbers(cost, Notion.RENYI, {}) for cost in (body, Sampled(scheme, of(rate), body)))
    assert isinstance(whole, dict)
    assert isinstance(part, dict)
    assert whole["alpha"] == part["alpha"] == 4.0
    assert whole["epsilon"] is not None
    assert part["epsilon"] is not None
    assert part["epsilon"] <= whole["epsilon"]
    # P ≥ qV, so that D₄ of the sample is at least log(q⁴e^{3D₄})/3 for the D₄ of the Laplace noise.
    assert part["epsilon"] >= laplace_renyi(50.0, 4.0) + math.log(float(rate)) * 4 / 3 - 1e-9


@pytest.mark.parametrize("rate", [1e-9, 0.01, 0.5])
@pytest.mark.parametrize("alpha", [1.001, 1.5, 7.3, 2000.0])
def test_no_curve_of_a_sample_is_above_that_of_its_pure_epsilon(rate: float, alpha: float) -> None:
    for eps in (0.1, 3.0, 100.0):
        most = response_renyi(rate, alpha, eps)
        for loss in (DiscreteLaplaceLoss(eps, 3), KaryLoss(eps, 10), BoundedRangeLoss(eps), LaplaceLoss(eps)):
            assert PoissonLoss(rate, loss).renyi(alpha) <= most


def test_the_formula_says_which_bound_it_is() -> None:
    def shown(body: Cost) -> str:
        found = price(Seq((Sampled("poisson", of("0.1"), body), AT_TEN)), Notion.RENYI)
        assert isinstance(found, Price)
        return found.show()["epsilon"]

    assert "poisson-gauss(10, 0.1, 0.1)" in shown(Atom("gauss", (of("0.1"),), Notion.ZCDP))
    assert "poisson(10, 0.1, 0.1)" in shown(Given(Notion.ZCDP, (of("0.1"),)))
    text = shown(LAPLACE)
    assert "poisson-pure(10, 0.1, 0.3)" in text
    assert "poisson-twin(10, 0.1, " in text


def test_pure_bodies_without_an_order_are_amplified() -> None:
    found = numbers(Sampled("poisson", of("0.1"), LAPLACE), Notion.RENYI, {})
    assert isinstance(found, dict)
    assert found["alpha"] is None
    assert found["epsilon"] == pytest.approx(math.log1p(0.1 * math.expm1(0.3)))
    assert Fraction(found["epsilon"] or 0) >= Fraction(math.log1p(0.1 * math.expm1(0.3))) * (1 - Fraction(1, 10**12))


@pytest.mark.parametrize("sampled", [PoissonLoss, FixedLoss])
def test_no_curve_is_known_of_a_sample_of_what_may_leak(sampled: type[PoissonLoss | FixedLoss]) -> None:
    """The curve of what leaks is that of the rest, and no sample of it is: its own leak is as much smaller as it is rarer."""
    leaky = LeakyLoss(0.01, ResponseLoss(1.0))
    assert leaky.renyi(2.0) < math.inf
    assert sampled(0.5, leaky).renyi(2.0) == math.inf
    assert sampled(0.5, leaky).leak == pytest.approx(0.005)
    assert sampled(0.5, ResponseLoss(1.0)).renyi(2.0) < math.inf


@pytest.mark.parametrize("order", [2, 3, 6])
@pytest.mark.parametrize("rate", [0.01, 0.3])
def test_of_what_no_pair_dominates_no_more_is_claimed_than_of_any_mechanism(rate: float, order: int) -> None:
    """The bounds of any mechanism in mpmath: what can be exchanged has a lower one, of which these losses have no proof."""
    moments = [mp.exp(mp.mpf(k - 1) * k / 10) for k in range(2, max(order, 3) + 1)]
    q = mp.mpf(rate)
    weights = [mp.binomial(order, k) * (1 - q) ** (order - k) * q**k for k in range(2, order + 1)]
    parts = [weight * (moment - 1) for weight, moment in zip(weights, moments, strict=False)]
    third = mp.binomial(order + 1, 3) * q**3 * (moments[1] - 1)
    zhu = (1 - q) ** (order - 1) * (order * q - q + 1) + weights[0] * moments[0]
    zhu += 3 * mp.fsum(weight * moment for weight, moment in zip(weights[1:], moments[1:], strict=False))
    bounds = (
        1 + 2 * mp.fsum(parts),
        1 + parts[0] + 2 * mp.fsum(parts[1:]) + third,
        zhu,
        mp.exp((order - 1) * mp.mpf(order) / 10),
    )
    least = min(mp.log(bound) for bound in bounds) / (order - 1)
    assert PoissonLoss(rate, CurveLoss(0.1)).renyi(float(order)) >= least * (1 - mp.mpf("1e-13"))


def test_a_sample_without_replacement_is_no_sample_of_coins() -> None:
    """Three points at distance 1 in the plane: c in most samples, and the row is a or b. Their D₂ is above that of coins.

    By Cauchy and Schwarz ∫(P − Q)²/Q ≥ q²V²/∫g²Q for g = (a − b)/c, V = ∫(a − b)²/c and Q = (1 − q)c + qb; the integrals of
    products of Gaussians are exponentials.
    """
    q, once = 0.01, Atom("gauss", (of(2), of(1)), Notion.RENYI)
    spread = 2 * math.e - 2 * math.exp(0.5)
    with_b = math.e**2 - 2 * math.e**2 + math.e**3
    least = math.log1p(q**2 * spread**2 / ((1 - q) * spread + q * with_b))
    found = numbers(Sampled("sample", of(str(q)), once), Notion.RENYI, {})
    coins = numbers(Sampled("poisson", of(str(q)), once), Notion.RENYI, {})
    assert isinstance(found, dict)
    assert isinstance(coins, dict)
    assert found["alpha"] == coins["alpha"] == 2.0
    assert found["epsilon"] is not None
    assert coins["epsilon"] is not None
    assert coins["epsilon"] < least <= found["epsilon"]
