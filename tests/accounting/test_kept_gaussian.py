"""Numbers of rows with Gaussian noise: what the proof asks of σ and of the limit, in exact numbers, and what is said of sizes."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from duetpy.accounting.convert import zcdp_epsilon
from duetpy.accounting.kept_counts import threshold
from duetpy.accounting.kept_gaussian import calibrated, chance, log_tail, sizes_gaussian
from duetpy.accounting.price import price
from duetpy.audit import laws
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from tests.accounting.terms import of

CASES = [("1", "1e-6", 1), ("1", "1e-6", 16), ("0.1", "1e-9", 3), ("8", "1e-3", 4), ("5", "0.5", 2), ("0.5", "0.3", 40)]


def tail(first: int, variance: Fraction) -> Decimal:
    """P(Z ≥ j), to thirty digits."""
    with localcontext(prec=50):
        wide = Decimal(variance.numerator) / Decimal(variance.denominator)
        reach = 20 * math.isqrt(math.ceil(variance)) + 20
        weights = {z: (-Decimal(z * z) / (2 * wide)).exp() for z in range(-reach, reach + 1)}
        return sum((weight for z, weight in weights.items() if z >= first), Decimal(0)) / sum(weights.values())


@pytest.mark.parametrize(("eps", "del_", "most"), CASES)
def test_what_nobody_else_has_is_shown_with_half_of_delta_at_most(eps: str, del_: str, most: int) -> None:
    variance, limit = calibrated(Fraction(eps), Fraction(del_), most)
    allowed = Decimal(del_) / 2
    assert most * tail(limit - 1, variance) <= allowed
    # The bound is hardly larger than the chance itself.
    assert limit == 2 or most * tail(limit - 3 - limit // 100, variance) > allowed


@pytest.mark.parametrize(("eps", "del_", "most"), CASES)
def test_what_others_have_too_is_covered_by_the_other_half(eps: str, del_: str, most: int) -> None:
    variance, _ = calibrated(Fraction(eps), Fraction(del_), most)
    rho = most / (2 * variance)
    assert zcdp_epsilon(math.nextafter(float(rho), math.inf), float(del_) / 2) <= float(eps) * (1 + 1e-12)
    assert zcdp_epsilon(1.0001 * float(rho), float(del_) / 2) > float(eps)


@pytest.mark.parametrize(("eps", "del_", "most"), CASES)
def test_the_bound_on_a_tail_is_one(eps: str, del_: str, most: int) -> None:
    variance, limit = calibrated(Fraction(eps), Fraction(del_), most)
    for first in range(1, limit + 3, 1 + limit // 10):
        assert math.exp(log_tail(first, variance)) >= float(tail(first, variance))


@pytest.mark.parametrize("variance", ["0.005", "0.05", "0.2", "0.5", "1", "3"])
def test_the_bound_on_a_tail_is_one_of_little_noise_too(variance: str) -> None:
    for first in (1, 2, 3):
        bound, truth = log_tail(first, Fraction(variance)), float(tail(first, Fraction(variance)).ln())
        assert truth <= bound <= truth + 1.0


@pytest.mark.parametrize(("eps", "del_", "most"), CASES)
def test_the_audit_finds_the_same_noise(eps: str, del_: str, most: int) -> None:
    variance, limit = calibrated(Fraction(eps), Fraction(del_), most)
    sigma, least = laws.gaussian_keys(float(eps), float(del_), most)
    assert math.sqrt(variance) == pytest.approx(sigma, rel=1e-5)
    assert least <= limit <= least + 1 + least // 100


@pytest.mark.parametrize(
    ("eps", "del_", "most"), [("1e-4", "1e-6", 1), ("1", "0", 1), ("1", "1", 1), ("1", "1e-61", 1), ("1", "1e-6", 0)]
)
def test_nothing_is_computed_out_of_range(eps: str, del_: str, most: int) -> None:
    with pytest.raises(ValueError, match="at least"):
        calibrated(Fraction(eps), Fraction(del_), most)


def test_a_key_is_shown_as_often_as_its_law_says() -> None:
    for eps, del_, most in CASES[:4]:
        variance, limit = calibrated(Fraction(eps), Fraction(del_), most)
        for rows in (1, limit // 2, limit, limit + 3, 2 * limit):
            assert chance(rows, variance, limit) == pytest.approx(float(tail(limit - rows, variance)), rel=5e-3)
    found = sizes_gaussian(Fraction(1), Fraction(1, 10**6), 16)
    assert found[0][0] == 1
    assert [share > least for (_, share), least in zip(found[1:], (0.01, 0.1, 0.5, 0.9, 0.99), strict=True)] == [
        True
    ] * 5


def test_many_keys_of_a_row_need_fewer_rows_than_with_noise_for_each() -> None:
    limits = {k: calibrated(Fraction(1), Fraction(1, 10**6), k)[1] for k in (1, 2, 4, 16)}
    assert limits == {1: 25, 2: 35, 4: 50, 16: 103}
    assert {k: threshold(Fraction(1, k), Fraction(1, 10**6 * k)) + 1 for k in limits} == {1: 15, 2: 28, 4: 54, 16: 211}


def test_all_keys_of_a_row_cost_epsilon_and_delta_once() -> None:
    found = price(Atom("key-gauss", (of("0.5"), of("1e-6"), of("16"))), Notion.APPROX)
    assert [str(part) for part in found.parts] == [str(of("0.5")), str(of("1e-6"))]
