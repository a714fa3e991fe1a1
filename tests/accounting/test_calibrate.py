import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetpy.accounting.calibrate import Forbidden, NoCalibration, Spending, search


def of(function: Callable[[float], float]) -> Callable[[Fraction, bool], Spending]:
    return lambda value, quick: function(float(value))


@given(edge=st.floats(min_value=-23.9, max_value=23.9), power=st.sampled_from([0.25, 1.0, 2.0, 3.0, -0.5, -1.0, -4.0]))
def test_the_edge_is_found_over_the_whole_range_from_the_private_side(edge: float, power: float) -> None:
    at = 10.0**edge
    found = search(of(lambda value: (value / at) ** power), whole=False, name="x")
    assert found.rises == (power > 0)
    assert found.spent <= 1.0
    assert (float(found.value) / at) ** power <= 1.0
    assert float(found.value) == pytest.approx(at, rel=1e-8)


@given(edge=st.integers(min_value=1, max_value=10**11), rises=st.booleans())
def test_the_edge_of_whole_numbers_is_exact(edge: int, rises: bool) -> None:
    found = search(of(lambda value: value / edge if rises else edge / value), whole=True, name="n")
    assert found.value == edge


def test_a_step_is_found_where_the_cost_jumps_to_infinity() -> None:
    found = search(of(lambda value: 0.5 + value / 1e9 if value <= 37.25 else math.inf), whole=False, name="x")
    assert float(found.value) == pytest.approx(37.25, rel=1e-8)
    assert found.value <= Fraction("37.25")


@pytest.mark.parametrize(("total", "edge", "answer"), [(360, 100.0, 90), (5690, 1e6, 5690), (1000, 250.0, 250)])
def test_only_divisors_are_tried_where_one_must_be_chosen(total: int, edge: float, answer: int) -> None:
    def spend(value: Fraction, quick: bool) -> Spending:
        if value > total:
            return Forbidden("it is at most the total")
        return float(value) / edge if total % value == 0 else Forbidden("it divides the total", gap=True)

    assert search(spend, whole=True, name="b").value == answer


def test_one_possible_value_is_no_range_to_search() -> None:
    with pytest.raises(NoCalibration, match="only one of the tried values of b"):
        search(lambda value, quick: Forbidden("it divides 97", gap=True) if value > 1 else 0.5, whole=True, name="b")


def test_a_value_that_is_forbidden_ends_the_range() -> None:
    def spend(value: Fraction, quick: bool) -> Spending:
        return Forbidden("a share is at most 1") if value > 1 else float(value) / 10

    assert search(spend, whole=False, name="q").value == 1


def test_a_shorter_decimal_is_preferred_where_it_is_as_good() -> None:
    assert search(of(lambda value: 20 * value), whole=False, name="x").value == Fraction("0.05")


def test_the_tight_cost_decides_and_not_the_quick_one() -> None:
    found = search(lambda value, quick: float(value) * (5.0 if quick else 1.0), whole=False, name="x")
    assert found.value == 1


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda value: 0.5, "does not depend on x"),
        (lambda value: 0.0, "at every value of x that was tried, it spends nothing of the budget"),
        (lambda value: 0.5 + abs(math.log(value)), "neither rises nor falls"),
        (lambda value: 2.0 + value, "no value of x meets the budget: at x = 1e-24 it spends 2 times"),
        (lambda value: math.inf, "does not depend on x"),
        (lambda value: value / 1e25, "every value of x that was tried is within the budget, up to 1e[+]24"),
    ],
)
def test_where_there_is_no_edge_the_reason_is_told(function: Callable[[float], float], reason: str) -> None:
    with pytest.raises(NoCalibration, match=reason):
        search(of(function), whole=False, name="x")


def test_where_nothing_may_be_chosen_the_reason_is_the_condition() -> None:
    with pytest.raises(NoCalibration, match="δ < 1"):
        search(lambda value, quick: Forbidden("δ < 1"), whole=False, name="x")


def test_a_range_within_one_power_of_ten_is_searched() -> None:
    def spend(value: Fraction, quick: bool) -> Spending:
        return float(value) if Fraction("0.03") <= value <= Fraction("0.1") else Forbidden("no")

    assert search(spend, whole=False, name="ρ").value == Fraction("0.1")


@pytest.mark.parametrize("whole", [True, False])
def test_no_value_is_priced_twice(whole: bool) -> None:
    asked: list[tuple[Fraction, bool]] = []

    def spend(value: Fraction, quick: bool) -> float:
        asked.append((value, quick))
        return float(value) / 777.7

    found = search(spend, whole=whole, name="k")
    assert found.spent <= 1.0
    assert len(asked) == len(set(asked)) > 10
