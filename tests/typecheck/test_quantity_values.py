"""Quantities of which every value is a fraction, 0 or ∞, against the same arithmetic on these.

At numbers up to 1 a logarithm is 0 and its inverse ∞, so what holds of positive and finite numbers only is seen to fail here.
"""

from __future__ import annotations

import itertools
import math
import operator
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import mpmath as mp
import pytest

from duetpy.typecheck.quantity import (
    INFINITY,
    ONE,
    Kind,
    KindVar,
    Quantity,
    Signed,
    exp,
    expm1,
    log,
    log1p,
    maximum,
    minimum,
    tanh,
)
from duetpy.typecheck.quantity.enclosure import Enclosure, Precision
from duetpy.typecheck.quantity.enclosure import Value as Bounds
from tests.effort import often
from tests.typecheck.letters import VARIABLES, a, b, m, n, of, x

Value = Fraction | float

PLACES = tuple(
    {VARIABLES[name]: Fraction(value) for name, value in zip("mnab", values, strict=True)}
    for values in ((1, 1, 1, 1), (2, 5, 1, "1/3"), (7, 1, "1/5", 1), (3, 4, "1/2", "1/3"), (1, 100, "1/100", "9/10"))
)
"""Neither a nor b is above 1, and m and n are whole."""


def times(left: Value, right: Value) -> Value:
    return Fraction(0) if left == 0 or right == 0 else left * right


def over(left: Value, right: Value) -> Value:
    return times(left, math.inf if right == 0 else Fraction(0) if right == math.inf else 1 / right)


OPERATIONS: tuple[tuple[Callable[[Quantity, Quantity], Quantity], Callable[[Value, Value], Value]], ...] = (
    (operator.add, operator.add),
    (operator.mul, times),
    (operator.truediv, over),
    (maximum, max),
    (minimum, min),
)

LEAVES = (m, n, a, b, of(2), of(Fraction(1, 2)), of(3), ONE)
NOTHING = (log(a), log(b), tanh(log(a)), expm1(2 * log(a)), log1p(log(b)))
"""What is 0 at all places."""


def grown(source: random.Random, depth: int) -> tuple[Quantity, tuple[Value, ...]]:
    """A random quantity, and its values at the places, found from those of its parts."""
    if depth == 0 or source.random() < 0.15:
        if source.random() < 0.25:
            return source.choice(NOTHING), (Fraction(0),) * len(PLACES)
        leaf = source.choice(LEAVES)
        return leaf, tuple(leaf.evaluate(place, up=True) for place in PLACES)
    symbolic, numeric = source.choice(OPERATIONS)
    (left, lefts), (right, rights) = grown(source, depth - 1), grown(source, depth - 1)
    return symbolic(left, right), tuple(numeric(x, y) for x, y in zip(lefts, rights, strict=True))


def test_an_operation_has_the_values_of_the_operation() -> None:
    source = random.Random(1)
    for _ in range(often(4_000, 150)):
        quantity, values = grown(source, 3)
        # 0·∞ is 0, but of a symbolic factor that only may be 0 a quantity keeps ∞.
        if quantity.is_infinite:
            continue
        for place, value in zip(PLACES, values, strict=True):
            low, high = quantity.evaluate(place, up=False), quantity.evaluate(place, up=True)
            assert low <= value <= high, quantity
            assert low == high or high - low < Fraction(1, 10**30), quantity


ZERO_SUM = log(a) + log(b)
VALUES = (
    (exp(log(a)), 1),
    (1 / (log(a) / log(b)), math.inf),  # 0⋅∞ is 0
    (1 / ZERO_SUM, math.inf),
    (ZERO_SUM / ZERO_SUM, 0),
    (1 / (log(a) / log(b) + log(a) * m), math.inf),
)


def test_a_function_undoes_its_inverse_only_where_nothing_else_is_said() -> None:
    place = {VARIABLES["a"]: Fraction(3), VARIABLES["b"]: Fraction(2)}
    known = {
        log(exp(a) / exp(b)): 1,
        log(exp(b) / exp(a)): 0,
        log(exp(a) + exp(b)): math.log(math.exp(3) + math.exp(2)),
        log(2 * exp(a)): math.log(2) + 3,
        expm1(2 * log1p(a)): 15,
        expm1(log1p(a) * b): 15,
        expm1(log1p(a) ** 2): math.expm1(math.log(4) ** 2),
        log1p(2 * expm1(a)): math.log1p(2 * math.expm1(3)),
        exp(log(a) ** 2): math.exp(math.log(3) ** 2),
        exp(log(a) + log(b)): 6,
        exp(log1p(a) + log1p(b)): 12,
        exp(log(a) + log1p(b) + a): 9 * math.exp(3),
    }
    for quantity, expected in known.items():
        assert quantity.evaluate_float(place) == pytest.approx(expected, rel=1e-14), quantity


def test_what_may_be_0_is_not_said_to_be_above_0() -> None:
    for quantity in (tanh(log(a)), 1 / (1 + 1 / log(a)), 1 / maximum(1 / log(a), b), minimum(log(a), b)):
        assert not quantity.positive()
        assert not (1 / quantity).finite()
    for quantity in (exp(1 / log(a)), maximum(1 / log(a), b)):
        assert not quantity.finite()


@pytest.mark.parametrize(("quantity", "expected"), VALUES)
def test_what_may_be_0_or_infinite_does_not_cancel(quantity: Quantity, expected: Value) -> None:
    for place in PLACES:
        assert quantity.evaluate(place, up=False) == quantity.evaluate(place, up=True) == expected


def test_an_extremum_is_not_spread_out_where_it_stands_below_a_line_too() -> None:
    place = {VARIABLES["a"]: Fraction(1, 2), VARIABLES["b"]: Fraction(1, 4)}
    least, most = minimum(a, b), maximum(a, b)
    assert minimum(least + 1 / least, of(100)).evaluate(place, up=True) == Fraction(17, 4)
    assert maximum(most + 1 / most, ONE).evaluate(place, up=True) == Fraction(5, 2)


def test_infinity_over_infinity_is_no_number() -> None:
    infinite = Signed(False, INFINITY)
    assert infinite / infinite is None
    assert infinite / Signed.of(-2) == -infinite


def test_what_is_proved_of_an_order_holds_of_the_values() -> None:
    source = random.Random(2)
    for _ in range(often(1_500, 80)):
        (left, lefts), (right, rights) = grown(source, 2), grown(source, 2)
        if left.is_infinite or right.is_infinite:
            continue
        if left.leq(right):
            assert all(x <= y for x, y in zip(lefts, rights, strict=True)), (left, right)
        if left.lt(right):
            assert all(x < y for x, y in zip(lefts, rights, strict=True)), (left, right)


@pytest.mark.parametrize(
    ("symbolic", "numeric"),
    [
        (exp, math.exp),
        (expm1, math.expm1),
        (log1p, math.log1p),
        (tanh, math.tanh),
        (log, lambda x: math.log(max(x, 1))),
    ],
)
@pytest.mark.parametrize("number", ["0.5", "1", "2"])
def test_a_function_has_its_value_at_a_number(
    symbolic: Callable[[Quantity], Quantity], numeric: Callable[[float], float], number: str
) -> None:
    for up in (False, True):
        assert symbolic(of(number)).evaluate_float({}, up=up) == pytest.approx(numeric(float(number)), rel=1e-15)


def test_a_root_of_what_may_be_0_may_be_0() -> None:
    root = Precision(40).power(Enclosure(Decimal(0), Decimal("1e-3000")), Fraction(1, 3))
    assert isinstance(root, Enclosure)
    assert root.lower == 0
    assert Decimal("1e-1000") <= root.upper < Decimal("1.001e-1000")


@pytest.mark.parametrize("exponent", ["1/3", "2/7", "5/9", "10/99"])
def test_a_power_lies_between_its_bounds(exponent: str) -> None:
    power = Fraction(exponent)
    # A last digit of 10/99 moves the logarithm of the larger two by ten last digits.
    large = (Fraction(10**200 + 1), Fraction(10**425 + 1))
    for base in (Fraction(2), Fraction(999), *large, Fraction(1, 7), *(1 / each for each in large)):
        for digits in range(4, 12):
            found = Precision(digits).power(base, power)
            assert isinstance(found, Enclosure)
            low, high = Fraction(found.lower), Fraction(found.upper)
            assert low**power.denominator <= base**power.numerator <= high**power.denominator


def test_the_inverse_of_what_lies_between_bounds_lies_between_theirs() -> None:
    assert Precision(20).reciprocal(Enclosure(Decimal(2), Decimal(4))) == Enclosure(Decimal("0.25"), Decimal("0.5"))
    assert Precision(20).reciprocal(Enclosure(Decimal(0), Decimal(4))) == Enclosure(
        Decimal("0.25"), Decimal("Infinity")
    )


def test_a_rational_function_of_whole_numbers_has_no_part_that_is_none() -> None:
    """What a branch that is not taken asks for is left out only then, so that one root among whole numbers decides."""
    assert all(value.is_rational() for value in (m, m / (m + n), of("0.5"), maximum(m, n), maximum(m, n) / (m + 1)))
    root = of(2).sqrt()
    assert not any(value.is_rational() for value in (m * root, m / (m + root), maximum(m, n * root), m + n.sqrt(), a))


def test_a_quotient_of_equal_exponentials_is_one() -> None:
    grown = exp(m * a) / exp(n * b)
    assert grown.evaluate(dict.fromkeys(VARIABLES.values(), 2), up=False) == 1


FUNCTIONS: dict[str, tuple[Callable[[Precision, Fraction], Bounds], Callable[[mp.mpf], mp.mpf]]] = {
    "log": (Precision.log, lambda x: mp.log(max(x, mp.mpf(1)))),
    "exp": (Precision.exp, mp.exp),
    "expm1": (Precision.expm1, mp.expm1),
    "log1p": (Precision.log1p, mp.log1p),
    "tanh": (Precision.tanh, mp.tanh),
    "root": (lambda precision, x: precision.power(x, Fraction(1, 2)), mp.sqrt),
    "power": (lambda precision, x: precision.power(precision.enclosed(x), 7), lambda x: x**7),
    "inverse": (lambda precision, x: precision.reciprocal(precision.enclosed(x)), lambda x: 1 / x),
    "quotient of exponentials": (
        lambda precision, x: precision.exp_of_difference(x, x * x),
        lambda x: mp.exp(x - x * x),
    ),
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_lies_between_its_bounds_however_few_digits_these_have(function: str) -> None:
    """Of forty digits no test sees the last one; of few, a bound on the wrong side of the truth shows."""
    bounds, truth = FUNCTIONS[function]
    places = [Fraction(top, bottom) for top in (1, 2, 5, 11, 37) for bottom in (3, 7, 13, 10**9, 10**40)]
    with mp.workdps(120):
        above = 1 + mp.mpf(10) ** -110
        for digits in range(3, 11):
            precision = Precision(digits)
            for x in places:
                found, true = precision.enclosed(bounds(precision, x)), truth(mp.mpf(x.numerator) / x.denominator)
                assert mp.mpf(str(found.lower)) <= true * above
                assert true <= mp.mpf(str(found.upper)) * above
                assert found.lower > 0 or function == "log"


def test_a_small_number_is_written_as_the_shorter_of_a_decimal_and_a_fraction() -> None:
    assert Quantity.of("2.5e-320").show() == "2.5e-320"
    assert Quantity.of(Fraction(1, 2**200)).show() == f"1/{2**200}"


def test_the_inverse_of_a_product_has_that_of_each_factor() -> None:
    """Also next to a factor that may be 0 or ∞, which has no power below 0 in normal form."""
    places: dict[KindVar, Fraction | int] = dict.fromkeys(VARIABLES.values(), Fraction(7, 3))
    places |= {variable: 5 for variable in VARIABLES.values() if variable.kind is Kind.NAT}
    factors = [of(3), m, a, (a + b), exp(a), log(m), 1 / log(n), log(a) + log(m), minimum(1 / log(a), m), of(2).sqrt()]
    for first, second in itertools.combinations(factors, 2):
        product = first.sqrt() * second**2
        value = float(product.evaluate(places, up=True))
        for power in (-1, -2, Fraction(-1, 2)):
            inverse = float((product**power).evaluate(places, up=True))
            assert math.isclose(inverse, value ** float(power), rel_tol=1e-12), (product, power)


def test_the_inverse_of_nothing_times_infinity_is_infinite() -> None:
    """0⋅∞ is 0, so that its inverse is no product of inverses, which would be 0 too."""
    half: dict[KindVar, Fraction | int] = dict.fromkeys(VARIABLES.values(), Fraction(1, 2))
    quotient = log(a) / log(b)
    assert quotient.evaluate(half, up=True) == 0
    assert (1 / quotient).evaluate(half, up=False) == math.inf
    assert (1 / (x * quotient)).evaluate(half, up=False) == math.inf
