"""The (ε, δ) of ρ by the best order: the formula's own least value, above what ρ allows, and less than was asked before."""

from __future__ import annotations

import math

import mpmath as mp
import pytest

from duetpy.accounting.certify import tight
from duetpy.accounting.conversions import concentrated_epsilon_at, truncated_epsilon_at
from duetpy.accounting.price import Price, numbers, price
from duetpy.typecheck.cost import Advanced, Atom, Converted, Group, Repeat, Sampled, Together
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from tests.accounting.exact_losses import gaussian_delta

RHOS = (1e-12, 1e-4, 0.005, 0.1, 0.5, 2.0, 10.0, 300.0)
DELTAS = (0.3, 1e-2, 1e-6, 1e-12, 1e-60)


def of(number: float | str) -> Quantity:
    return Quantity.of(str(number))


def at_order(rho: mp.mpf, delta: mp.mpf, alpha: mp.mpf) -> mp.mpf:
    return rho * alpha + mp.log(1 - 1 / alpha) - mp.log(delta * alpha) / (alpha - 1)


def least(rho: float, delta: float, omega: float = math.inf) -> mp.mpf:
    """The least value of the formula over the orders up to ω: where it is first, by a grid, and then by golden section."""
    r, d = mp.mpf(rho), mp.mpf(delta)
    end = min(math.log10(omega - 1), 12.0)
    places = [mp.mpf(-4) + (mp.mpf(end) + 4) * i / 800 for i in range(801)]

    def value(place: mp.mpf) -> mp.mpf:
        return at_order(r, d, 1 + mp.mpf(10) ** place)

    best = min(range(801), key=lambda i: value(places[i]))
    low, high = places[max(best - 1, 0)], places[min(best + 1, 800)]
    for _ in range(120):
        a, b = low + (high - low) * mp.mpf("0.382"), low + (high - low) * mp.mpf("0.618")
        low, high = (low, b) if value(a) < value(b) else (a, high)
    return max(mp.mpf(0), min(value(low), value(places[best])))


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.sparse(5)
def test_it_is_the_least_value_over_the_orders(rho: float, delta: float) -> None:
    with mp.workdps(40):
        true, found = least(rho, delta), mp.mpf(concentrated_epsilon_at(rho, delta))
        assert found <= true * (1 + mp.mpf(10) ** -9) + mp.mpf(10) ** -13
        # Below it stands only what total variation says: δ ≥ √(1 − e^{−ρα}) at an order above 1.
        assert found >= true or delta**2 >= -math.expm1(-rho)


@pytest.mark.parametrize("omega", [1.001, 1.7, 4.0, 1e3])
@pytest.mark.parametrize("delta", [1e-2, 1e-9])
@pytest.mark.parametrize("rho", [1e-3, 0.1, 2.0])
@pytest.mark.sparse(5)
def test_it_is_the_least_value_over_the_orders_up_to_omega(rho: float, delta: float, omega: float) -> None:
    with mp.workdps(40):
        true, found = least(rho, delta, omega), mp.mpf(truncated_epsilon_at(rho, omega, delta))
        assert true <= found <= true * (1 + mp.mpf(10) ** -9)


@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-12])
@pytest.mark.parametrize("rho", [0.005, 0.1, 0.5, 2.0, 10.0])
def test_it_is_between_the_gaussian_and_what_was_asked_before(rho: float, delta: float) -> None:
    """N(0, 1) against N(√2ρ, 1) is ρ-zCDP; the formula without the constants of the order is 5 to 25 % larger."""
    found = concentrated_epsilon_at(rho, delta)
    with mp.workdps(40):
        assert gaussian_delta(found, math.sqrt(2 * rho)) <= delta
    before = rho + 2 * math.sqrt(rho * math.log(1 / delta))
    assert found <= before / (1.12 if rho < 0.2 and delta > 1e-10 else 1.02)


def test_extremes() -> None:
    assert concentrated_epsilon_at(0.0, 1e-6) == 0.0
    assert concentrated_epsilon_at(1.0, 1.0) == 0.0
    assert concentrated_epsilon_at(1.0, 0.0) == math.inf
    assert concentrated_epsilon_at(math.inf, 1e-6) == math.inf
    assert truncated_epsilon_at(1.0, 1.0, 1e-6) == math.inf
    assert concentrated_epsilon_at(1e200, 1e-6) >= 1e200
    assert concentrated_epsilon_at(1e-200, 1e-300) < 1e-90


@pytest.mark.parametrize(
    ("inner", "body"),
    [
        (Notion.ZCDP, Repeat(of(10), Atom("gauss", (of("0.03"),), Notion.ZCDP))),
        (Notion.ZCDP, Atom("laplace", (of("0.5"),))),
        (Notion.TCDP, Atom("gauss", (of("0.3"), of(9)), Notion.TCDP)),
        (Notion.TCDP, Atom("gauss", (of("0.3"), of("1e9")), Notion.TCDP)),
    ],
)
def test_a_block_costs_that_and_can_be_used_as_any_other(inner: Notion, body: Atom) -> None:
    block = Converted(inner, of("1e-6"), body)
    own, block_price = numbers(body, inner, {}), numbers(block, Notion.APPROX, {})
    assert isinstance(own, dict)
    assert isinstance(block_price, dict)
    rho, omega = own["rho"], own.get("omega")
    assert rho is not None
    assert block_price["epsilon"] == pytest.approx(truncated_epsilon_at(rho, omega or math.inf, 1e-6), rel=1e-9)
    assert tight(block, {}, 1e-6).epsilon <= block_price["epsilon"]


@pytest.mark.parametrize(
    "around",
    [
        lambda block: Sampled("sample", of("0.01"), block),
        lambda block: Sampled("poisson", of("0.01"), block),
        lambda block: Advanced(of(10), of("1e-7"), block),
        lambda block: Group(of(2), block),
        lambda block: Together((block, block)),
    ],
    ids=["sample", "poisson", "aloop", "group", "together"],
)
def test_what_needs_a_plain_quantity_has_one(around: object) -> None:
    """The formula that bounds the best order: what could be priced before still can."""
    assert callable(around)
    cost = around(Converted(Notion.ZCDP, of("1e-6"), Atom("gauss", (of("0.1"),), Notion.ZCDP)))
    found = price(cost, Notion.APPROX)
    assert isinstance(found, Price)
    assert tight(cost, {}, 1e-4).epsilon < math.inf


def test_a_line_says_nothing_of_orders_beyond_its_last() -> None:
    """An outcome with probability 2⋅10⁻⁶, and a loss of 2: its curve is below 0.01α up to 5, and its ε at 10⁻⁶ is 2 − log 2."""
    with mp.workdps(40):
        p, q = mp.mpf("2e-6"), mp.mpf("2e-6") * mp.exp(-2)
        for alpha in (mp.mpf("1.001"), mp.mpf(2), mp.mpf(5)):
            for a, b in ((p, q), (q, p)):
                moment = a**alpha * b ** (1 - alpha) + (1 - a) ** alpha * (1 - b) ** (1 - alpha)
                assert mp.log(moment) / (alpha - 1) <= mp.mpf("0.01") * alpha
        assert p - mp.exp(2 - mp.log(2)) * q >= mp.mpf("0.999e-6")
    assert truncated_epsilon_at(0.01, 5.0, 0.999e-6) >= 2 - math.log(2)
