"""Directed rounding: what is written is on the side that claims less, and is the nearest such number."""

import math
from fractions import Fraction

import mpmath as mp
import pytest

from duetpy.accounting import certify
from duetpy.accounting.certify import tight
from duetpy.accounting.convert import curve_epsilon
from duetpy.accounting.losses.losses import LaplaceLoss, LeakyLoss, ResponseLoss
from duetpy.accounting.rounding import (
    LARGEST,
    at_least_zero,
    claimed,
    float_down,
    float_up,
    lowered,
    raised,
    reached,
    short_up,
    written_down,
    written_up,
)
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from tests.accounting.terms import given, of

NUMBERS = [
    Fraction(0),
    Fraction(1, 3),
    Fraction(2, 3),
    Fraction(1, 10),
    Fraction(1, 10) + Fraction(1, 10**30),
    Fraction(1, 10) - Fraction(1, 10**30),
    Fraction(0.1),
    Fraction(0.3),
    Fraction(5),
    Fraction(2**60 + 1),
    Fraction(2**53 + 1),
    Fraction(1, 10**330),
    Fraction(10**400, 10**330 + 7),
]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_written_number_is_the_least_text_that_is_not_below(number: Fraction) -> None:
    up, down = written_up(number), written_down(number)
    assert Fraction(repr(up)) >= number > Fraction(repr(math.nextafter(up, -math.inf)))
    assert Fraction(repr(down)) <= number < Fraction(repr(math.nextafter(down, math.inf)))
    assert math.copysign(1.0, up) == math.copysign(1.0, down) == 1.0


def test_a_number_beyond_the_doubles_is_written_as_no_less() -> None:
    beyond = Fraction(10) ** 400
    assert written_up(beyond) == math.inf
    assert written_down(beyond) == LARGEST
    assert raised(math.inf, 0.0) == math.inf
    assert float_up(0.1) == float_down(0.1) == 0.1  # a double is its own bound


@pytest.mark.parametrize("number", [0.1, 0.3, 1e23, 5e-324, 2.0**-30, 7.0, 2.0**53])
def test_a_printed_bound_stands_for_its_text_and_for_its_double(number: float) -> None:
    """0.1 is above one tenth as a double, and 0.3 below three: the one who reads the text and the one who reads the double
    are both right."""
    assert claimed(number) >= max(Fraction(number), Fraction(repr(number)))
    assert claimed(number) in (Fraction(number), Fraction(repr(number)))
    assert reached(number) <= min(Fraction(number), Fraction(repr(number)))
    assert reached(number) in (Fraction(number), Fraction(repr(number)))


@pytest.mark.parametrize("value", [0.1, 3.0, -0.1, -3.0, 1e300])
def test_a_relative_error_is_passed_on_both_sides(value: float) -> None:
    share = Fraction(1, 2**20)
    assert Fraction(raised(value, 2.0**-20)) > Fraction(value) + abs(Fraction(value)) * share
    assert Fraction(lowered(value, 2.0**-20)) < Fraction(value) - abs(Fraction(value)) * share
    assert raised(value, 2.0**-20) - value <= abs(value) * 2.0**-19
    assert value - lowered(value, 2.0**-20) <= abs(value) * 2.0**-19


def test_where_the_arithmetic_leaves_no_number_there_is_no_bound() -> None:
    """`max(0.0, nan)` is 0: a cost whose arithmetic fails would be free."""
    assert raised(math.nan, 1e-15) == at_least_zero(math.nan) == math.inf
    assert lowered(math.nan, 1e-15) == -math.inf
    assert raised(-math.inf, 1e-15) == -LARGEST
    assert lowered(math.inf, 1e-15) == LARGEST
    assert at_least_zero(-1.0) == 0.0
    assert at_least_zero(2.0) == 2.0
    assert curve_epsilon(lambda alpha: math.nan, 1e-6) == math.inf


@pytest.mark.parametrize(
    "number",
    [
        Fraction(2**200 + 1, 3**150),
        Fraction(1, 3**400),
        Fraction(7**500, 3**150),
        Fraction(1, 2**20 + 7),
        Fraction(2, 3**13) + 1,
        Fraction(3**640, 7**361),
    ],
)
def test_a_long_fraction_becomes_a_decimal_that_is_not_below_it(number: Fraction) -> None:
    short = short_up(number)
    assert number <= short <= number * (1 + Fraction(1, 10**59))
    assert 10**1100 % short.denominator == 0


@pytest.mark.parametrize(
    "number", [Fraction(0), Fraction(1, 3), Fraction(5, 2**20 - 3), Fraction(1, 10**40), Fraction(1, 2**1074)]
)
def test_a_short_fraction_is_kept(number: Fraction) -> None:
    assert short_up(number) == number


def test_a_fraction_stands_for_itself_also_where_it_is_a_double() -> None:
    """The decimal that 5/2³⁰ prints as is above it: what costs that δ does not fit this one."""
    stated, asked = "4.6566128730773926e-09", Fraction(5, 2**30)
    assert float(asked) == float(stated)
    assert asked < Fraction(stated)
    cost = Atom("canonical", (of(1), of(stated)))
    assert tight(cost, {}, Fraction(stated)).epsilon == tight(cost, {}, float(stated)).epsilon == 1.0
    assert tight(cost, {}, asked).epsilon > 1.0


@pytest.mark.parametrize(
    "delta", [Fraction(1, 3), Fraction(1, 10**6) + Fraction(1, 10**30), Fraction(5, 2**30), Fraction(1, 10)]
)
def test_the_delta_of_a_bound_is_not_below_what_was_asked_for(delta: Fraction) -> None:
    shown = tight(Atom("laplace", (of(1),)), {}, delta).delta
    assert Fraction(repr(shown)) >= delta
    assert shown == pytest.approx(float(delta), rel=1e-15)


@pytest.mark.parametrize("near", [1e-3, 1e-30, 1e-80, 1e-90])
def test_a_bucket_is_above_what_is_in_it(near: float) -> None:
    step = math.floor(128.0 * math.log2(near))
    for share in range(400):
        eps = 2.0 ** (step / 128.0) * (1.0 + share * 1e-15)
        ((found, _), (leaky, _)) = certify._bucketed([(LaplaceLoss(eps), 1), (LeakyLoss(eps, ResponseLoss(1.0)), 1)])
        assert eps <= found.pure <= eps * 1.006
        assert eps <= leaky.leak <= eps * 1.006


def test_no_bucket_of_what_leaks_is_above_1() -> None:
    ((found, _),) = certify._bucketed([(LeakyLoss(0.999, ResponseLoss(1.0)), 1)])
    assert found.leak == 1.0


@pytest.mark.parametrize("above", ["2e-6", "1e-7", "3e-9", "1e-12", "1e-15"])
@pytest.mark.parametrize("notion", [Notion.RENYI, Notion.TCDP])
def test_an_order_next_to_one_is_rounded_down_where_it_is_converted(notion: Notion, above: str) -> None:
    """The double next to 1 + 1e-15 is larger, and what is divided by the order less 1 a tenth too small."""
    order, delta = 1 + Fraction(above), Fraction(1, 10**6)
    cost = given(notion, *((order, "0.5") if notion is Notion.RENYI else ("0.5", order)))
    with mp.workdps(40):
        alpha = mp.mpf(order.numerator) / order.denominator
        own = 0.5 if notion is Notion.RENYI else alpha / 2
        true = own + mp.log(1 - 1 / alpha) - mp.log(alpha / 10**6) / (alpha - 1)
        for bound in certify.bounds(cost, {}, delta):
            assert mp.mpf(bound.epsilon) >= true
