"""Bounds of numbers that are computed by way of others beyond 10^3000."""

import math
from fractions import Fraction
from unittest import mock

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetpy.typecheck.quantity import Kind, KindVar, Quantity, exp, expm1, log, log1p
from tests.effort import often
from tests.typecheck import quantity_trees
from tests.typecheck.quantity_trees import X, Y, built, oracle_at

VARIABLES = {name: KindVar.fresh(name, Kind.POS) for name in "abx"}
a, b, x = map(Quantity.var, VARIABLES.values())
of = Quantity.of


def test_a_logarithm_of_what_is_out_of_range_is_in_range():
    amplified = log1p(x / 10 * expm1(a))
    for exponent in (3000, 7000, 10**6, 10**12):
        known = {VARIABLES["x"]: 1, VARIABLES["a"]: exponent}
        lower, upper = amplified.evaluate(known, up=False), amplified.evaluate(known, up=True)
        assert 0 < upper - lower < Fraction(1, 10**15)
        assert lower < exponent - Fraction("2.302585092994045") < upper + Fraction(1, 10**15)
    assert log(3 + exp(of(10**9))).evaluate({}, up=True) == pytest.approx(10**9, rel=1e-12)
    assert log(3 + exp(of(10**18))).evaluate({}, up=True) == math.inf
    assert log(3 + exp(of(10**18))).evaluate({}, up=False) > 10**17


def test_exponentials_stay_in_range_when_their_parts_do_not():
    values = {VARIABLES["x"]: 10**6, VARIABLES["a"]: 10**6 + 1}
    assert exp(x / 10**6).evaluate_float(values) == math.nextafter(math.e, 3)
    assert (exp(a) / exp(x)).evaluate_float(values) == math.nextafter(math.e, 3)
    assert (exp(x) / exp(a)).evaluate_float(values, up=False) == pytest.approx(1 / math.e)
    assert (exp(x) / exp(a + 10**6)).evaluate_float(values, up=True) == 5e-324


@pytest.mark.parametrize(
    ("larger", "smaller"),
    [
        (a * exp(x), exp(x)),  # both beyond the largest number that a bound can be
        ((2 + a * b).sqrt(), (2 + b).sqrt()),  # alike in all digits that are computed
    ],
    ids=str,
)
def test_numbers_of_equal_bounds_are_not_taken_for_equal(larger, smaller):
    values = {VARIABLES["x"]: 10_000, VARIABLES["a"]: 2, VARIABLES["b"]: Fraction(1, 10**600)}
    assert (exp(larger) / exp(smaller)).evaluate(values, up=True) > 1
    assert (exp(smaller) / exp(larger)).evaluate(values, up=False) < 1


LARGE = 10**4
DIGITS = 4500
"""Enough for the difference of two numbers up to exp(LARGE)."""
FACTORS = st.sampled_from([X, Y, 1, 2, Fraction(1, 2), 3])
EXPONENTS = st.one_of(
    FACTORS, st.tuples(st.just("*"), FACTORS, st.tuples(st.just("exp"), st.sampled_from([X, Y, LARGE])))
)
SUMS = st.one_of(EXPONENTS, st.tuples(st.just("+"), EXPONENTS, EXPONENTS))
REALS = st.sampled_from([Fraction(1), Fraction(3, 7), Fraction(5), Fraction(7000), Fraction(LARGE)])


@settings(max_examples=often(60, 15), derandomize=True, deadline=None)
@given(SUMS, SUMS, st.fixed_dictionaries({X: REALS, Y: REALS}))
def test_no_bound_of_a_quotient_of_exponentials_is_on_the_wrong_side(above, below, values):
    quotient = exp(built(above)) / exp(built(below))
    lower, upper = quotient.evaluate(values, up=False), quotient.evaluate(values, up=True)
    with mock.patch.object(quantity_trees, "LARGEST_EXPONENT", LARGE), mpmath.workdps(DIGITS):
        difference = oracle_at(above, values) - oracle_at(below, values)
        slack = mpmath.mpf("1e-50") * max(1, abs(difference))
        assert lower == 0 or mpmath.log(bound(lower)) <= difference + slack
        assert upper == math.inf or difference - slack <= mpmath.log(bound(upper))


def bound(value):
    return mpmath.inf if value == math.inf else mpmath.mpf(value.numerator) / value.denominator
