"""Quantities by example: normal forms, values, texts, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from duetpy.typecheck.quantity import (
    INFINITY,
    ONE,
    ZERO,
    Kind,
    KindVar,
    OutsideDomain,
    Quantity,
    QuantityTooLarge,
    Signed,
    admits,
    exp,
    expm1,
    extrema,
    log,
    log1p,
    log_is_safe,
    maximum,
    minimum,
    tanh,
)
from duetpy.typecheck.quantity.arithmetic import replace_atom
from tests.typecheck.letters import HALF, VARIABLES, a, b, c, delta, epsilon, k, m, n, of, x

# Variables


def test_variables_are_equal_by_identity_and_not_by_name():
    first, second = KindVar.fresh("m", Kind.NAT), KindVar.fresh("m", Kind.NAT)
    assert first != second
    assert first == KindVar("renamed", Kind.NAT, first.uid)
    assert hash(first) == hash(KindVar("renamed", Kind.NAT, first.uid))
    assert Quantity.var(first) != Quantity.var(second)
    assert not Quantity.var(first).leq(Quantity.var(second))


def test_a_type_is_no_quantity():
    with pytest.raises(OutsideDomain, match="τ is a type"):
        Quantity.var(KindVar.fresh("τ", Kind.TYPE))


def test_variables_of_a_quantity():
    assert (2 * a / m + log(n)).variables() == {VARIABLES["a"], VARIABLES["m"], VARIABLES["n"]}
    assert (a / a).variables() == frozenset()


# Numbers


def test_decimal_literals_are_read_exactly():
    assert of("1e-6").constant == Fraction(1, 10**6)
    assert (of("0.1") + of("0.2")).constant == Fraction(3, 10)
    assert of("2.0") == of(2) == of(Fraction(4, 2))
    assert of("1_000") == of(1000)
    assert (16777217 * x).leq(16777217 * x)
    assert not (16777217 * x).leq(16777216 * x)
    assert not of("1.00000001").leq(ONE)


@pytest.mark.parametrize("value", [-1, Fraction(-1, 3), "-0.5", "nan", "Infinity", "one", ""])
def test_what_is_no_non_negative_number_is_refused(value):
    with pytest.raises(OutsideDomain):
        of(value)


@pytest.mark.parametrize(
    "operation", [lambda: of(0.5), lambda: x * 0.5, lambda: 0.5 + x, lambda: x / 2.0, lambda: x**0.5]
)
def test_floats_are_refused(operation):
    with pytest.raises(TypeError):
        operation()


def test_there_is_no_subtraction():
    with pytest.raises(TypeError):
        x - 1


# Normal forms

SAME = [
    ("defect A: the cross term of a square", (a + b) ** 2, a * a + 2 * a * b + b * b),
    ("defect A: as a product", (a + b) * (a + b), a * a + 2 * a * b + b * b),
    ("half a square of a sum", (a + b) ** 2 / 2, a * a / 2 + a * b + b * b / 2),
    ("a count and a decimal", of("2.0") * (1 / m), of(2) * (1 / m)),
    ("a fraction cancels", (m / n) * n, m),
    ("factors commute", m * n, n * m),
    ("the root of a square", (a**2).sqrt(), a),
    ("the root of a multiple", (4 * a).sqrt(), 2 * a.sqrt()),
    ("a root of a number", of(12).sqrt(), 2 * of(3).sqrt()),
    ("a root below the bar", 1 / of(2).sqrt(), of(2).sqrt() / 2),
    ("roots of numbers multiply", of(2).sqrt() * of(6).sqrt(), 2 * of(3).sqrt()),
    ("a rational root", of(Fraction(8, 27)) ** Fraction(2, 3), of(Fraction(4, 9))),
    ("a root of a square of a large prime", of(4099**2).sqrt(), of(4099)),
    ("a root of a sixth power of one", of(4099**6) ** Fraction(1, 4), 4099 * of(4099).sqrt()),
    ("the root of a square of a sum", (a * a + 2 * a * b + b * b).sqrt(), a + b),
    ("the inverse of a square of a sum", 1 / (a * a + 2 * a * b + b * b), (1 / (a + b)) * (1 / (a + b))),
    ("a cube under a root", ((a + 2 * b) ** 3) ** Fraction(1, 3), a + 2 * b),
    ("a sum over itself", (a + b) / (a + b), ONE),
    ("shares of a sum", a / (a + b) + b / (a + b), ONE),
    ("shares of a sum, one by one", (a / (a + b) + c) + b / (a + b), c + 1),
    ("a common factor of a denominator", 2 * a / (4 * a * b + 2 * a), 1 / (2 * b + 1)),
    ("two roots of a sum", (a + b).sqrt() * (a + b).sqrt(), a + b),
    ("a root over a root", (a + b).sqrt() / (a + b), 1 / (a + b).sqrt()),
    ("nested fractions", 1 / (m + 1 / n), n / (m * n + 1)),
    ("a maximum scales", 2 * maximum(a, b), maximum(2 * a, 2 * b)),
    ("a maximum over a count", maximum(a, b) / m, maximum(b / m, a / m)),
    ("a maximum of sums", maximum(a + b, a + c), a + maximum(c, b)),
    ("a maximum is flat", maximum(maximum(a, b), c), maximum(a, maximum(c, b), b)),
    ("a maximum passes over a sum", maximum(maximum(a, b) + 1, c), maximum(a + 1, b + 1, c)),
    ("a dominated member", maximum(2 / m, 1 / m), 2 / m),
    ("a maximum over one sum", maximum(a / (b + c), 2 * b / (b + c)), maximum(a, 2 * b) / (b + c)),
    ("a maximum over sums", maximum(maximum(a / (b + c), b / (a + c)), c), maximum(c, b / (a + c), a / (b + c))),
    ("a maximum over powers of a sum", maximum(a / (b + c) ** 2, b / (b + c)), maximum(a / (b + c), b) / (b + c)),
    ("a minimum over maxima", minimum(a / maximum(b, c), b), minimum(b, a / maximum(c, b), a / maximum(b, c))),
    ("a dominated member of a minimum", minimum(a, a + b), a),
    ("absorption", maximum(a, minimum(a, b)), a),
    ("absorption of a maximum", minimum(a, maximum(a, b)), a),
    ("one member", maximum(a), a),
    ("exp of a sum", exp(a) * exp(b), exp(a + b)),
    ("exp of a multiple", exp(a) ** 3 / exp(a / 2), exp(a * Fraction(5, 2))),
    ("exp of log", exp(log(m)), m),
    ("exp of log, clamped", exp(2 * log(a)), maximum(a, ONE) ** 2),
    ("exp of log1p", exp(log1p(a)), a + 1),
    ("log of exp", log(exp(a + b)), a + b),
    ("log1p of expm1", log1p(expm1(a)), a),
    ("expm1 of log1p", expm1(log1p(a)), a),
    ("log of at most one", log(1 / m), ZERO),
    ("functions at zero", exp(ZERO) + expm1(ZERO) + log1p(ZERO) + tanh(ZERO), ONE),
]


@pytest.mark.parametrize(("left", "right"), [pair[1:] for pair in SAME], ids=[pair[0] for pair in SAME])
def test_expressions_of_one_quantity_are_equal(left, right):
    assert left == right
    assert hash(left) == hash(right)


DIFFERENT = [
    (a, b),
    (a + b, a * b),
    (maximum(a, b), minimum(a, b)),
    (log(a), log1p(a)),
    (a.sqrt(), a),
    # log a is 0 for a ≤ 1, where its inverse is ∞ and their product 0.
    (log(a) / log(a), ONE),
]


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_different_quantities_are_not_equal(left, right):
    assert left != right


def test_a_quantity_is_not_a_number():
    assert ONE != 1
    assert of(2).constant == 2
    assert of(2).sqrt().constant is None
    assert x.constant is None
    assert INFINITY.constant is None
    assert ZERO.constant == 0


def test_zero_and_infinity():
    assert ZERO * INFINITY == ZERO
    assert INFINITY * ZERO == ZERO
    assert 0 * x == ZERO
    assert x + INFINITY == INFINITY
    assert INFINITY * x == INFINITY
    assert log(m) * INFINITY == INFINITY
    assert 1 / ZERO == INFINITY
    assert x / 0 == INFINITY
    assert 1 / INFINITY == ZERO
    assert x / INFINITY == ZERO
    assert INFINITY.sqrt() == exp(INFINITY) == log(INFINITY) == INFINITY
    assert tanh(INFINITY) == ONE
    assert maximum(x, INFINITY) == INFINITY
    assert minimum(x, INFINITY) == x
    assert maximum() == ZERO
    assert minimum() == INFINITY
    assert x**0 == ONE
    assert ZERO.is_zero
    assert not x.is_zero
    assert INFINITY.is_infinite
    assert not x.is_infinite


def test_what_may_be_zero_does_not_cancel():
    values = {VARIABLES["m"]: 1}
    share = (2 * log(m)) / log(m)
    assert share.evaluate(values, up=True) == 0
    assert (1 / log(m)).evaluate(values, up=True) == math.inf
    assert (log(m) ** 2 / log(m)).evaluate(values, up=True) == 0


def test_signs_and_finiteness():
    assert x.positive()
    assert (x + log(m)).positive()
    assert not log(m).positive()
    assert log(m + 1).positive()
    assert log(1 + x).positive()
    assert not ZERO.positive()
    assert INFINITY.positive()
    assert not INFINITY.finite()
    assert (x / m).finite()
    assert not (1 / log(m)).finite()
    assert tanh(1 / log(m)).finite()
    assert minimum(1 / log(m), x).finite()


def test_log_is_plain_only_where_the_argument_is_at_least_one():
    assert log_is_safe(m)
    assert log_is_safe(1 + a)
    assert not log_is_safe(1 / delta)
    assert log(1 / delta).evaluate({VARIABLES["δ′"]: 2}, up=True) == 0


# Values


def test_rational_values_are_exact():
    values = {VARIABLES["b"]: Fraction(1, 3), VARIABLES["m"]: 4}
    assert (2 * b / m).evaluate(values, up=True) == Fraction(1, 6)
    assert (2 * b / m).evaluate(values, up=False) == Fraction(1, 6)
    assert m.sqrt().evaluate(values, up=True) == 2
    assert (1 / (m + b)).evaluate(values, up=False) == Fraction(3, 13)
    assert maximum(b, 1 / m).evaluate(values, up=True) == Fraction(1, 3)
    assert m.sqrt().evaluate_float(values) == 2.0


def test_other_values_are_enclosed():
    lower, upper = of(2).sqrt().evaluate({}, up=False), of(2).sqrt().evaluate({}, up=True)
    assert lower**2 < 2 < upper**2
    assert upper - lower < Fraction(1, 10**30)
    assert of(2).sqrt().evaluate_float({}, up=True) == math.nextafter(math.sqrt(2), 0) + 2**-52
    assert of("0.1").evaluate_float({}, up=True) == 0.1
    assert of("0.1").evaluate_float({}, up=False) == math.nextafter(0.1, 0)


@pytest.mark.parametrize("places", range(1, 30))
def test_a_float_and_the_decimal_that_it_prints_as_lie_on_the_side_asked_for(places):
    for near in (Fraction(1, 10), Fraction(3, 10), Fraction(2, 3)):
        for number in (near + Fraction(1, 10**places), near - Fraction(5, 10 ** (places + 1))):
            upper, lower = (of(number).evaluate_float({}, up=up) for up in (True, False))
            assert number <= min(Fraction(upper), Fraction(repr(upper)))
            assert number >= max(Fraction(lower), Fraction(repr(lower)))


def test_values_out_of_range_stay_on_their_side():
    value = exp(of(10**9))
    assert value.evaluate({}, up=True) == math.inf
    assert Fraction(10) ** 2900 < value.evaluate({}, up=False) < math.inf
    assert value.evaluate_float({}, up=False) == 1.7976931348623157e308
    assert (1 / value).evaluate({}, up=False) == 0
    assert 0 < (1 / value).evaluate({}, up=True) < Fraction(1, 10**2900)
    assert (1 / value).evaluate_float({}, up=True) == 5e-324
    assert of(10**400).evaluate_float({}, up=True) == math.inf
    assert INFINITY.evaluate({}, up=False) == math.inf
    assert (2 * INFINITY).evaluate_float({}, up=False) == math.inf


def test_small_arguments_keep_their_digits():
    tiny = Fraction(1, 10**300)
    for function in (expm1, log1p, tanh):
        lower = function(x).evaluate({VARIABLES["x"]: tiny}, up=False)
        upper = function(x).evaluate({VARIABLES["x"]: tiny}, up=True)
        assert 0 < upper - lower < tiny * Fraction(1, 10**30)
        assert abs(upper - tiny) < tiny * Fraction(1, 10**30)
    near_one = log(1 + x).evaluate({VARIABLES["x"]: Fraction(1, 10**60)}, up=True)
    assert abs(near_one * 10**60 - 1) < Fraction(1, 10**30)


@pytest.mark.parametrize(
    ("variable", "value"), [("m", 0), ("m", -1), ("m", Fraction(3, 2)), ("a", 0), ("a", -2), ("a", Fraction(-1, 3))]
)
def test_a_value_outside_the_domain_is_refused(variable, value):
    with pytest.raises(OutsideDomain, match=variable):
        (m + a).evaluate({VARIABLES["m"]: 1, VARIABLES["a"]: 1, VARIABLES[variable]: value}, up=True)


def test_a_missing_value_and_a_float_are_refused():
    with pytest.raises(KeyError):
        (m + a).evaluate({VARIABLES["m"]: 1}, up=True)
    with pytest.raises(TypeError):
        a.evaluate({VARIABLES["a"]: 0.5}, up=True)


# Substitution


def test_substitution_is_simultaneous():
    swapped = (a / b).substitute({VARIABLES["a"]: b, VARIABLES["b"]: a})
    assert swapped == b / a
    assert (m * k).substitute({VARIABLES["m"]: k, VARIABLES["k"]: m + k}) == k * m + k * k


def test_substitution_normalises_again():
    variables = {VARIABLES["a"]: of(2), VARIABLES["b"]: of(8)}
    assert (a * b).sqrt().substitute(variables) == of(4)
    assert maximum(a, b).substitute(variables) == of(8)
    assert (1 / (a + b)).substitute(variables) == of("0.1")
    assert exp(log1p(a) + c).substitute(variables) == 3 * exp(c)
    assert log(a / b).substitute(variables) == ZERO
    assert tanh(a).substitute({VARIABLES["a"]: a + b}) == tanh(a + b)


@pytest.mark.parametrize(
    ("variable", "image"),
    [("a", ZERO), ("a", INFINITY), ("m", ZERO), ("m", of("0.5")), ("m", of("1.5")), ("m", INFINITY)],
)
def test_an_image_outside_the_domain_is_refused(variable, image):
    assert not admits(VARIABLES[variable], image)
    with pytest.raises(OutsideDomain, match=variable):
        (a + m).substitute({VARIABLES[variable]: image})


def test_an_image_that_may_be_outside_is_not_admitted_and_stays_sound():
    assert not admits(VARIABLES["a"], log(1 / delta))
    assert admits(VARIABLES["a"], log(m + 1))
    assert admits(VARIABLES["m"], m * n + 3)
    assert not admits(VARIABLES["m"], 1 / m)
    image = (1 / a).substitute({VARIABLES["a"]: log(1 / delta)})
    assert image == 1 / log(1 / delta)
    assert image.evaluate({VARIABLES["δ′"]: 2}, up=True) == math.inf


# Texts

TEXTS = [
    (2 / m, "2/m", "2/m"),
    (k * epsilon, "k⋅ε", "k*ε"),
    (2 * b / m, "2⋅b/m", "2*b/m"),
    (m.sqrt(), "√m", "sqrt m"),
    (m * n, "m⋅n", "m*n"),
    (INFINITY, "∞", "inf"),
    (ZERO, "0", "0"),
    (of(HALF), "0.5", "0.5"),
    (of("0.02"), "0.02", "0.02"),
    (of(Fraction(1, 3)), "1/3", "1/3"),
    (of("1e-6"), "1e-6", "1e-6"),
    (3 * x / 10**300, "3e-300⋅x", "3e-300*x"),
    (of("0.0001"), "0.0001", "0.0001"),
    (of(16777217), "16777217", "16777217"),
    (of("1.25e-7") * x, "1.25e-7⋅x", "1.25e-7*x"),
    (a / (b * c), "a/(b⋅c)", "a/(b*c)"),
    (epsilon * tanh(epsilon / 2), "ε⋅tanh(ε/2)", "ε*tanh(ε/2)"),
    (log(1 / delta), "㏒(1/δ′)", "log(1/δ′)"),
    ((2 * k * log(1 / delta)).sqrt(), "√(2⋅k⋅㏒(1/δ′))", "sqrt(2*k*log(1/δ′))"),
    (exp(epsilon), "exp(ε)", "exp(ε)"),
    (exp(2 * a + b) / exp(c), "exp(2⋅a + b)/exp(c)", "exp(2*a + b)/exp(c)"),
    ((a + b) ** 2, "a⋅a + 2⋅a⋅b + b⋅b", "a*a + 2*a*b + b*b"),
    (1 / (m + 1), "1/(m + 1)", "1/(m + 1)"),
    (1 / (a + b) / (c + 1), "1/(a + b)/(c + 1)", "1/(a + b)/(c + 1)"),
    (1 / (m + 1) + 5, "(5⋅m + 6)/(m + 1)", "(5*m + 6)/(m + 1)"),
    (maximum(2 * a, 2 * b), "2⋅a ⊔ 2⋅b", "2*a max 2*b"),
    (minimum(1 / m, a) + c, "(1/m ⊓ a) + c", "(1/m min a) + c"),
    (maximum(a, b) * minimum(b, c), "(a ⊔ b)⋅(b ⊓ c)", "(a max b)*(b min c)"),
    (1 / log(m), "1/㏒m", "1/log m"),
    (m ** Fraction(3, 4), "√m⋅√√m", "sqrt m*sqrt sqrt m"),
    (m ** Fraction(1, 3), "power(m, 1/3)", "power(m, 1/3)"),
    (m**20, "power(m, 20)", "power(m, 20)"),
    (2 * epsilon / 3, "2⋅ε/3", "2*ε/3"),
]


@pytest.mark.parametrize(("quantity", "unicode", "ascii"), TEXTS, ids=[text for _, text, _ in TEXTS])
def test_text(quantity, unicode, ascii):
    assert quantity.show() == unicode
    assert quantity.show(ascii=True) == ascii
    assert repr(quantity) == f"Quantity({unicode})"


# What is too large


def repeated(function, value, times=10_000):
    for _ in range(times):
        value = function(value)
    return value


TOO_LARGE = {
    "a power of a number": lambda: of(2) ** 10**9,
    "a literal": lambda: of("1e1000000000"),
    "a tiny literal": lambda: of("1e-1000000000"),
    "a long literal": lambda: of("1" * 10**6),
    "roots of roots": lambda: repeated(Quantity.sqrt, x),
    "roots of sums": lambda: repeated(lambda value: value.sqrt() + 1, a + b),
    "squares of squares": lambda: repeated(lambda value: value * value, x),
    "squares of sums": lambda: repeated(lambda value: value * value, a + b),
    "logarithms": lambda: repeated(log, x),
    "exponentials": lambda: repeated(exp, x),
    "doubling": lambda: repeated(lambda value: log(value) + (value + exp(value)).sqrt(), x),
    "maxima and minima": lambda: repeated(lambda value: maximum(minimum(value + a, b * value), value * value), x),
    "many members": lambda: maximum(*(Quantity.var(KindVar.fresh("v", Kind.POS)) for _ in range(300))),
    "a product of many sums": lambda: repeated(
        lambda value: value * (Quantity.var(KindVar.fresh("v", Kind.POS)) + 1), x, 100
    ),
}


@pytest.mark.parametrize("case", TOO_LARGE)
def test_what_is_too_large_is_refused(case):
    with pytest.raises(QuantityTooLarge):
        TOO_LARGE[case]()


def test_the_extremum_of_many_equal_quantities_is_one_of_them():
    assert maximum(*[ONE] * 1_000) == minimum(*[ONE] * 1_000) == ONE
    assert maximum(*[a, maximum(b, c)] * 500) == maximum(a, b, c)


def test_a_quantity_to_which_many_ways_lead_is_spread_out_once(monkeypatch):
    spread = []
    monkeypatch.setattr(extrema, "replace_atom", lambda *asked: spread.append(asked) or replace_atom(*asked))
    lines = [maximum(*(of(i) * a + of(8 - i) * b for i in range(9) if i != left)) for left in range(2, 6)]
    assert maximum(sum(lines, ZERO), ONE) == maximum(*(of(i) * a + of(32 - i) * b for i in range(33)), ONE)
    assert len(spread) < 8**3


def test_a_power_that_is_not_multiplied_out_stays_one_factor():
    power = ((a + b) ** 999) ** 999
    assert power == (a + b) ** 998001
    assert power.show() == "power(a + b, 998001)"
    assert power.leq((a + b + c) ** 998001)
    assert power.evaluate({VARIABLES["a"]: HALF, VARIABLES["b"]: HALF}, up=True) == 1
    assert power.substitute({VARIABLES["a"]: ONE, VARIABLES["b"]: c}) == (1 + c) ** 998001


def test_long_sums_are_fine():
    variables = [Quantity.var(KindVar.fresh("v", Kind.POS)) for _ in range(2000)]
    total = sum(variables, ZERO)
    assert total == sum(reversed(variables), ZERO)
    assert total.leq(total + 1)
    assert not (total + 1).leq(total)
    assert total.show().count("+") == 1999
    assert (total / m).leq(total)


def test_a_question_about_large_quantities_ends():
    product = ONE
    for _ in range(60):
        product = product * maximum(
            Quantity.var(KindVar.fresh("v", Kind.POS)), Quantity.var(KindVar.fresh("w", Kind.POS))
        )
    assert not product.leq(ONE)
    assert product.leq(2 * product)


# Signed numbers


def test_signed_numbers():
    minus_half, two = Signed.of(-HALF), Signed.of(2)
    assert minus_half.negative
    assert abs(minus_half) == of(HALF)
    assert minus_half * two == Signed.of(-1)
    assert minus_half * minus_half == Signed.of(Fraction(1, 4))
    assert minus_half + two == Signed.of(Fraction(3, 2))
    assert minus_half - two == Signed.of(Fraction(-5, 2))
    assert two - two == Signed.of(0)
    assert minus_half / two == Signed.of(Fraction(-1, 4))
    assert two / Signed.of(0) is None
    assert two / Signed(False, log(m)) is None
    assert Signed(True, ZERO) == Signed.of(0) == -Signed.of(0)
    assert Signed(True, x).show() == "-x"
    assert Signed(True, x + 1).show() == "-(x + 1)"
    assert Signed.of(-2).show() == "-2"


def test_signed_differences_are_known_only_without_subtraction():
    assert Signed(False, 2 * m) - Signed(False, m) == Signed(False, m)
    assert Signed(False, m) - Signed(False, 2 * m) == Signed(True, m)
    assert Signed(False, a + b) - Signed(False, b) == Signed(False, a)
    assert Signed(False, m) - Signed.of(1) is None
    assert Signed(False, INFINITY) - Signed(False, INFINITY) is None
    assert Signed(False, INFINITY) - Signed(False, x) == Signed(False, INFINITY)
    # 1/log m is ∞ where m = 1, and ∞ − ∞ is nothing.
    assert Signed(False, 2 / log(m)) - Signed(False, 1 / log(m)) is None


def test_signed_order_and_values():
    assert Signed.of(-3).leq(Signed.of(-2))
    assert not Signed.of(-2).leq(Signed.of(-3))
    assert Signed.of(-3).leq(Signed(False, log(m)))
    assert not Signed.of(1).leq(Signed.of(-1))
    assert Signed(True, x).leq(Signed(True, x / m))
    root = Signed(True, of(2).sqrt())
    assert root.evaluate({}, up=False) < root.evaluate({}, up=True) < 0
    assert Signed(True, INFINITY).evaluate({}, up=True) == -math.inf
    assert Signed(True, x).substitute({VARIABLES["x"]: of(3)}) == Signed.of(-3)
