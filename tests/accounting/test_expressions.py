"""Closed forms: each function grows where it says, its numbers are not below the truth, and its operations are what they say."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import mpmath as mp
import pytest

from duetpy.accounting import conversions, expressions, named_functions
from duetpy.accounting.expressions import Closed, Named, Part
from duetpy.accounting.losses import discrete_laplace
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, Kind, KindVar, Quantity, QuantityTooLarge


def of(number: float | str) -> Quantity:
    return Quantity.of(Fraction(number))


def named(part: Part) -> Named:
    assert isinstance(part, Closed)
    assert isinstance(part.operation, Named)
    return part.operation


LADDERS = [
    (named_functions.laplace_rho, [[0.01, 0.5, 2.0, 9.0]]),
    (named_functions.laplace_mu, [[0.01, 0.5, 2.0, 9.0]]),
    (named_functions.pure_mu, [[0.01, 0.5, 2.0, 9.0]]),
    (named_functions.gaussian_mu, [[0.1, 1.0, 4.0], [1e-9, 1e-6, 1e-3]]),
    (named_functions.gaussian_epsilon, [[0.1, 1.0, 3.0], [1e-9, 1e-6, 1e-3]]),
    (named_functions.discrete_gaussian_rho, [[0.1, 1.0, 4.0], [1e-9, 1e-6, 1e-3]]),
    (conversions.concentrated_epsilon, [[0.01, 0.5, 3.0], [1e-9, 1e-6, 1e-3]]),
    (conversions.truncated_epsilon, [[0.01, 0.5, 3.0], [1.25, 2.0, 5.0], [1e-9, 1e-6, 1e-3]]),
    (discrete_laplace.discrete_laplace_rho, [[0.1, 1.0, 4.0], [1.0, 2.0, 9.0]]),
    (named_functions.laplace_renyi, [[0.1, 1.0, 4.0], [1.25, 2.0, 9.0]]),
    (named_functions.response_renyi, [[0.1, 1.0, 4.0], [1.25, 2.0, 9.0]]),
    (named_functions.fixed_size_renyi, [[1.25, 2.0, 9.0], [0.01, 0.1, 0.5], [0.01, 0.1, 1.0]]),
    (named_functions.poisson_renyi, [[1.25, 2.0, 9.0], [0.01, 0.1, 0.5], [0.01, 0.1, 1.0]]),
    (named_functions.poisson_response_renyi, [[1.25, 2.0, 9.0], [0.01, 0.1, 0.5], [0.01, 0.1, 1.0]]),
    (named_functions.poisson_gaussian_renyi, [[1.25, 2.0, 9.0], [0.01, 0.1, 0.5], [0.01, 0.1, 1.0]]),
    (named_functions.fisher_factor, [[1.0, 1.5, 2.0, 7.0]]),
    (named_functions.inverse_fisher, [[1.0, 1.5, 2.0, 7.0]]),
    (named_functions.shuffled_epsilon, [[10_000.0, 50_000.0, 10.0**6], [0.1, 1.0, 2.0], [1e-9, 1e-6, 1e-3]]),
]
"""A function, and for each argument some places in increasing order."""


@pytest.mark.parametrize(("function", "ladders"), LADDERS)
def test_a_function_grows_in_the_arguments_that_it_rounds_up(
    function: Callable[..., Part], ladders: list[list[float]]
) -> None:
    """Of an argument it rounds down it decreases: its value at the rounded ones is then never below the truth."""
    own = named(function(*(of(ladder[1]) for ladder in ladders)))
    assert len(own.signs) == len(ladders)
    for index, (ladder, sign) in enumerate(zip(ladders, own.signs, strict=True)):
        for middle in (1, 0):
            row = [each[middle] for each in ladders]
            values = [own.function(*row[:index], place, *row[index + 1 :]) for place in ladder]
            for here, there in pairwise(values if sign > 0 else values[::-1]):
                assert here <= there, (own.name, index, values)
            assert min(values) < max(values)


def number(part: Part, *, up: bool = True) -> float:
    return part.evaluate_float({}, up=up)


def surrounds(part: Part, truth: mp.mpf) -> bool:
    """Both ends enclose the truth, and are near."""
    low, high = number(part, up=False), number(part)
    return bool(low <= truth <= high <= low * (1 + 1e-6))


@pytest.mark.parametrize("eps", ["1/100", "1/2", "3", "20"])
def test_functions_of_epsilon_enclose_the_truth(eps: str) -> None:
    at = mp.mpf(Fraction(eps).numerator) / Fraction(eps).denominator
    with mp.workdps(50):
        assert surrounds(named_functions.laplace_rho(of(eps)), at + mp.exp(-at) - 1)
        # 2 Φ⁻¹(x) = 2 √2 erf⁻¹(2x − 1)
        assert surrounds(named_functions.laplace_mu(of(eps)), 2 * mp.sqrt(2) * mp.erfinv(1 - mp.exp(-at / 2)))
        assert surrounds(named_functions.pure_mu(of(eps)), 2 * mp.sqrt(2) * mp.erfinv(mp.tanh(at / 2)))
        for alpha in ("5/4", "2", "9"):
            order = mp.mpf(Fraction(alpha).numerator) / Fraction(alpha).denominator
            noise = mp.log(
                order / (2 * order - 1) * mp.exp((order - 1) * at) + (order - 1) / (2 * order - 1) * mp.exp(-order * at)
            )
            assert surrounds(named_functions.laplace_renyi(of(eps), of(alpha)), noise / (order - 1))
            answer = mp.log((mp.exp(order * at) + mp.exp((1 - order) * at)) / (1 + mp.exp(at)))
            assert surrounds(named_functions.response_renyi(of(eps), of(alpha)), answer / (order - 1))


@pytest.mark.parametrize("power", ["1", "3/2", "2", "8"])
def test_the_factors_of_the_generalized_gaussian_enclose_the_truth(power: str) -> None:
    with mp.workdps(50):
        n = mp.mpf(Fraction(power).numerator) / Fraction(power).denominator
        truth = mp.sqrt(n * mp.gamma(2 - 1 / n) / mp.gamma(1 + 1 / n))
        assert surrounds(named_functions.fisher_factor(of(power)), truth)
        assert surrounds(named_functions.inverse_fisher(of(power)), 1 / truth)


def test_orders_and_probabilities_out_of_range_claim_nothing() -> None:
    half, two = of("1/2"), of(2)
    for part in (
        conversions.truncated_epsilon(half, ONE, half),
        conversions.truncated_epsilon(half, half, half),
        named_functions.renyi_epsilon(ONE, half, of("1/1000")),
        named_functions.laplace_renyi(two, ONE),
        named_functions.response_renyi(two, ONE),
        named_functions.fixed_size_renyi(ONE, half, half),
        named_functions.fixed_size_renyi(two, two, half),
        named_functions.poisson_renyi(ONE, half, half),
        named_functions.poisson_renyi(two, two, half),
        named_functions.poisson_response_renyi(ONE, half, half),
        named_functions.poisson_response_renyi(two, two, half),
        named_functions.poisson_gaussian_renyi(ONE, half, half),
        named_functions.poisson_gaussian_renyi(two, two, half),
        named_functions.gaussian_mu(ONE, ONE),
        named_functions.gaussian_mu(ONE, two),
        named_functions.discrete_gaussian_rho(ONE, ONE),
        named_functions.discrete_gaussian_rho(ONE, two),
        named_functions.fisher_factor(half),
        named_functions.inverse_fisher(half),
    ):
        assert number(part) == math.inf
        assert number(part, up=False) == math.inf
    assert named_functions.laplace_rho(INFINITY).is_infinite
    assert named_functions.gaussian_epsilon(INFINITY, half).is_infinite
    assert not conversions.truncated_epsilon(half, INFINITY, half).is_infinite


EXPRESSIONS = [named_functions.laplace_rho(of(place)) for place in ("1/2", "2", "7")]
TRUTHS = [mp.mpf(place) + mp.exp(-mp.mpf(place)) - 1 for place in ("0.5", "2", "7")]


def test_operations_on_expressions_enclose_the_truth() -> None:
    first, second, third = TRUTHS
    third_part = of("1/3")
    assert surrounds(expressions.total([*EXPRESSIONS, third_part, ONE]), first + second + third + mp.mpf(4) / 3)
    assert surrounds(expressions.product(*EXPRESSIONS, third_part), first * second * third / 3)
    assert surrounds(expressions.largest(*EXPRESSIONS, third_part), third)
    assert surrounds(expressions.largest(EXPRESSIONS[0], of(4)), mp.mpf(4))
    assert surrounds(expressions.smallest(*EXPRESSIONS[1:], of(3)), second)
    assert surrounds(expressions.smallest(*EXPRESSIONS[1:], third_part), mp.mpf(1) / 3)
    assert surrounds(expressions.square(EXPRESSIONS[1]), second**2)
    assert surrounds(expressions.root(EXPRESSIONS[1]), mp.sqrt(second))
    assert (
        expressions.square(expressions.root(EXPRESSIONS[1]))
        == expressions.root(expressions.square(EXPRESSIONS[1]))
        == EXPRESSIONS[1]
    )


def test_nothing_and_everything_among_the_operands() -> None:
    part = EXPRESSIONS[0]
    assert expressions.total([part, ZERO]) == part
    assert expressions.total([part, INFINITY]).is_infinite
    assert expressions.total([]).is_zero
    assert expressions.product(part, ONE) == part
    assert expressions.product(part, ZERO).is_zero
    assert expressions.product(part, INFINITY).is_infinite
    assert expressions.product() == ONE
    assert expressions.largest(part, ZERO) == part
    assert expressions.largest(part, INFINITY).is_infinite
    assert expressions.smallest(part, INFINITY) == part
    assert expressions.smallest(part, ZERO).is_zero


def test_a_part_that_is_put_together_in_two_steps_counts_each_operand() -> None:
    first, second, third = EXPRESSIONS
    one, two = expressions.total([first, of(1)]), expressions.total([second, third, of(2)])
    assert surrounds(expressions.total([one, two]), sum(TRUTHS) + 3)
    assert surrounds(expressions.total([first, first]), 2 * TRUTHS[0])  # the same twice is no maximum
    assert surrounds(
        expressions.product(expressions.product(first, of(2)), expressions.product(second, of(3))),
        TRUTHS[0] * TRUTHS[1] * 6,
    )


def test_a_whole_number_is_rounded_up() -> None:
    count = KindVar.fresh("k", Kind.NAT)
    share = KindVar.fresh("x", Kind.POS)
    assert expressions.whole(of("5/2")) == of(3)
    assert expressions.whole(of(3)) == of(3)
    assert expressions.whole(Quantity.var(count)) == Quantity.var(count)
    for part in (Quantity.var(share), Quantity.var(count) / 2, Quantity.var(count).sqrt(), ONE / Quantity.var(count)):
        ceiling = expressions.whole(part)
        assert ceiling.evaluate_float({count: Fraction(7), share: Fraction(7, 3)}, up=True) == math.ceil(
            part.evaluate({count: Fraction(7), share: Fraction(7, 3)}, up=True)
        )


def test_an_expression_that_is_nested_too_deep_is_refused() -> None:
    part: Part = EXPRESSIONS[0]
    for _ in range(expressions.DEPTH_LIMIT - 1):
        part = named_functions.laplace_rho(part)
    with pytest.raises(QuantityTooLarge, match="nested too deep"):
        named_functions.laplace_rho(part)


def test_a_product_is_no_less_than_the_truth_though_two_of_its_factors_make_no_double() -> None:
    small, large = named_functions.pure_mu(of("1e-200")), named_functions.gaussian_mu(of("1e300"), of("1e-6"))
    each, other = Fraction(small.evaluate_float({})), Fraction(large.evaluate_float({}))
    for factors in ((small, small, large), (small, large, small), (large, small, small)):
        found = Fraction(expressions.product(*factors).evaluate_float({}))
        assert each * each * other <= found <= each * each * other * Fraction(1 + 1e-14)
