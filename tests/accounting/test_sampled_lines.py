"""The orders at which a sample is below the line of the theorem: as many as its curve bears out, and no more than are true."""

from __future__ import annotations

import math

import mpmath as mp
import pytest

from duetpy.accounting.convert import tcdp_epsilon
from duetpy.accounting.losses.sampled_lines import (
    is_below,
    lower_quantity,
    orders_below,
    orders_of_curve,
    upper_quantity,
)
from duetpy.accounting.losses.subsampling import LARGEST_ORDER
from duetpy.accounting.named_functions import laplace_rho, pure_mu
from duetpy.accounting.notions.interpretation import Conditional, Premise
from duetpy.accounting.price import Price, Refusal, numbers, price, settled
from duetpy.typecheck.cost import Atom, Given, Group, Repeat, Sampled
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, Kind, KindVar, Quantity
from tests.accounting.test_subsampling import by_chords

CASES = [(0.1, 0.1), (0.01, 0.1), (0.01, 0.02), (0.001, 0.1)]
MOST_ORDERS = CASES[2]


def of(number: float | str) -> Quantity:
    return Quantity.of(str(number))


def sampled(rate: float | str, rho: float | str, omega: float | str) -> Sampled:
    return Sampled("sample", of(rate), Given(Notion.TCDP, (of(rho), of(omega))))


def theorem(rate: float, rho: float) -> tuple[float, float]:
    return 13 * rate * rate * rho, math.log(1 / rate) / (4 * rho)


@pytest.mark.parametrize(
    ("rate", "rho"), [pytest.param(*case, marks=[pytest.mark.thorough] * (case == MOST_ORDERS)) for case in CASES]
)
@pytest.mark.sparse(2)
def test_every_order_that_is_claimed_is_below_the_line(rate: float, rho: float) -> None:
    """By sums of sixty digits at whole orders, and the chords between."""
    line, before = theorem(rate, rho)
    last = orders_below(rate, rho, 1e9, line)
    assert last >= 3.9 * before
    with mp.workdps(40):
        places = [2, 3, 4, last // 2, last - 1, last]
        moments = {order: (order - 1) * by_chords(rate, order, lambda j: rho * j, math.inf) for order in places}
        for order in places:
            assert moments[order] / (order - 1) <= line * order
        for low, high in ((2, 3), (3, 4), (last - 1, last)):
            for step in range(1, 20):
                alpha = low + mp.mpf(step) / 20
                chord = moments[low] + (alpha - low) * (moments[high] - moments[low])
                assert chord / (alpha - 1) <= line * alpha
        # Up to order 2 the chord starts at (1, 0): (α−1)D_α ≤ (α−1)D₂.
        assert moments[2] <= line


@pytest.mark.parametrize(("rate", "rho"), CASES)
def test_gaussian_noise_on_samples_is_below_the_line_and_leaves_it_later(rate: float, rho: float) -> None:
    """(1−q)N(0, 1) + qN(μ, 1) against N(0, 1), exactly at whole orders: some order, not far beyond, is above the line."""
    line, _ = theorem(rate, rho)
    last = orders_below(rate, rho, 1e9, line)

    def truth(order: int) -> mp.mpf:
        q, r = mp.mpf(rate), mp.mpf(rho)
        terms = (
            mp.binomial(order, k) * q**k * (1 - q) ** (order - k) * mp.exp(k * (k - 1) * r) for k in range(order + 1)
        )
        return mp.log(mp.fsum(terms)) / (order - 1)

    with mp.workdps(40):
        for order in (2, 3, last // 2, last):
            assert truth(order) <= line * order
        assert truth(2 * last) > line * 2 * last


@pytest.mark.parametrize(
    ("rate", "rho", "factor"), [(0.1, 0.1, 3.3), (0.01, 0.1, 4.8), (0.001, 0.1, 4.8), (0.001, 0.01, 4.8)]
)
def test_the_price_is_worth_less_at_a_delta(rate: float, rho: float, factor: float) -> None:
    found = numbers(sampled(rate, rho, "1e6"), Notion.TCDP, {})
    assert isinstance(found, dict)
    line, before = theorem(rate, rho)
    assert found["rho"] == pytest.approx(line, rel=1e-12)
    assert found["rho"] is not None
    assert found["omega"] is not None
    old, new = tcdp_epsilon(line, before, 1e-6), tcdp_epsilon(found["rho"], found["omega"], 1e-6)
    assert new * factor <= old


@pytest.mark.parametrize("omega", ["12", "12.7", "23.5"])
def test_no_order_above_those_of_the_body_is_claimed(omega: str) -> None:
    found = numbers(sampled("0.1", "0.1", omega), Notion.TCDP, {})
    assert isinstance(found, dict)
    assert found["omega"] == math.floor(float(omega))
    assert orders_below(0.1, 0.1, 1.9, 1e9) == 1
    assert orders_below(0.1, 0.1, 1e300, 1e9) == LARGEST_ORDER
    assert orders_below(1.0, 0.1, 100.0, 1e9) == 1
    assert orders_below(0.1, 0.1, 100.0, 1e-9) == 1


def test_the_last_order_that_is_known_is_held_to_the_line_too() -> None:
    line, _ = theorem(0.1, 0.1)
    last = orders_below(0.1, 0.1, 1e9, line)
    assert orders_below(0.1, 0.1, last, line) == last
    for more in (1, 2):
        assert orders_below(0.1, 0.1, last + more, line) == last


def test_where_the_curve_reaches_less_the_theorem_stays() -> None:
    for rate, rho in ((0.1, 0.001), (0.01, 0.001), (0.0001, 0.00001)):
        found = numbers(sampled(rate, rho, "1e9"), Notion.TCDP, {})
        assert isinstance(found, dict)
        assert found["omega"] == pytest.approx(theorem(rate, rho)[1], rel=1e-9)


@pytest.mark.parametrize(
    ("rate", "rho", "omega"), [("0.2", "0.01", "1e6"), ("0.01", "0.2", "1e6"), ("0.01", "0.1", "20")]
)
def test_where_a_premise_fails_nothing_is_priced(rate: str, rho: str, omega: str) -> None:
    found = settled(sampled(rate, rho, omega), Notion.TCDP, {})
    assert isinstance(found, Refusal)
    assert found.premises


def test_a_formula_is_the_theorems() -> None:
    q = Quantity.var(KindVar.fresh("q", Kind.POS))
    found = price(Sampled("sample", q, Given(Notion.TCDP, (of("0.1"), INFINITY))), Notion.TCDP)
    assert isinstance(found, Price)
    assert found.show() == {"rho": "1.3⋅q⋅q", "omega": "2.5⋅㏒(1/q)"}
    assert found.premises
    number = dict.fromkeys(q.variables(), of("0.01").constant or 0)
    at_number = settled(Sampled("sample", q, Given(Notion.TCDP, (of("0.1"), INFINITY))), Notion.TCDP, number)
    assert isinstance(at_number, Price)
    assert at_number.show() == {"rho": "0.00013", "omega": "46"}
    assert not found.explains(at_number, number)
    assert found.explains(found, {}) is False  # its premises are open
    plain = price(Given(Notion.TCDP, (q, INFINITY)), Notion.TCDP)
    assert isinstance(plain, Price)
    assert plain.explains(Price(Notion.TCDP, (of("0.01"), INFINITY)), number)


def test_the_price_goes_on_into_sums_and_groups() -> None:
    base = sampled("0.01", "0.1", "1e6")
    for cost, line, reach in (
        (Repeat(of(100), base), 0.013, 46.0),
        (Group(of(2), base), 0.00052, 23.0),
    ):
        found = numbers(cost, Notion.TCDP, {})
        assert isinstance(found, dict)
        assert found["rho"] == pytest.approx(line)
        assert found["omega"] == reach


def test_a_chord_is_below_a_parabola_where_their_difference_is_least() -> None:
    """Compared with the formula: the two at a thousand places."""
    for slope in (0.01, 0.3):
        for before, rise in ((0.0, 0.005), (0.02, 0.05), (0.02, 0.09), (0.0, 0.2), (0.3, 0.61), (0.3, 0.55)):
            for order in (3, 4, 7):
                places = [order - 1 + i / 1000 for i in range(1001)]
                gaps = [slope * a * (a - 1) - before - (a - order + 1) * rise for a in places]
                if abs(min(gaps)) > 1e-6:
                    assert is_below(before, before + rise, order, slope) is (min(gaps) > 0.0)
    assert is_below(0.0, 0.0999, 2, 0.1)
    assert not is_below(0.0, 0.1001, 2, 0.1)
    assert not is_below(0.1, math.inf, 5, 1e9)
    # At both ends of [2, 3] the chord is below α(α − 1), and in the middle above it.
    assert not is_below(1.9, 5.9, 3, 1.0)
    assert is_below(1.7, 5.7, 3, 1.0)


def test_quantities_on_either_side_of_a_part() -> None:
    part = laplace_rho(of("0.3"))
    above, below = upper_quantity(part), lower_quantity(part)
    assert above is not None
    assert below is not None
    with mp.workdps(30):
        true = mp.mpf("0.3") + mp.exp(mp.mpf("-0.3")) - 1
        assert mp.mpf(below.evaluate_float({}, up=False)) <= true <= mp.mpf(above.evaluate_float({}, up=True))
    eps = Quantity.var(KindVar.fresh("ε", Kind.POS))
    assert upper_quantity(laplace_rho(eps)) is not None  # a formula that bounds it
    assert lower_quantity(laplace_rho(eps)) is None
    assert upper_quantity(pure_mu(eps)) is None
    assert upper_quantity(eps) is eps
    assert lower_quantity(eps) is eps


def test_mechanisms_whose_price_is_an_expression_can_be_sampled() -> None:
    for atom in (Atom("laplace", (of("0.3"),)), Atom("dlaplace", (of("0.3"),), None, 3)):
        found = numbers(Sampled("sample", of("0.01"), atom), Notion.TCDP, {})
        assert isinstance(found, dict)
        own = numbers(atom, Notion.TCDP, {})
        assert isinstance(own, dict)
        assert own["rho"] is not None
        assert found["rho"] == pytest.approx(13e-4 * own["rho"], rel=1e-6)


def test_a_premise_that_is_not_proved_leaves_the_theorem() -> None:
    open_one = Premise(Quantity.var(KindVar.fresh("x", Kind.POS)), "<", of(1), "")
    unproved = Conditional((of("0.00013"), of("11.5")), (open_one,))
    assert orders_of_curve(of("0.01"), of("0.1"), INFINITY, unproved) is unproved
    proved = Conditional((of("0.00013"), of("11.5")), ())
    assert orders_of_curve(of("0.01"), of("0.1"), INFINITY, proved) == (of("0.00013"), of(46))
