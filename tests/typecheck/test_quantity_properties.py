"""Quantities against an independent evaluation of the same expressions.

Mutants of the order have to be caught by the very check that the order passes.
"""

from __future__ import annotations

import functools
import math
import pickle
import re
from fractions import Fraction

import mpmath
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from duetpy.typecheck.quantity import (
    INFINITY,
    ONE,
    ZERO,
    KindVar,
    Quantity,
    QuantityTooLarge,
    enclosure,
    exp,
    limits,
    log,
    maximum,
    minimum,
    operations,
    order,
)
from duetpy.typecheck.quantity.arithmetic import atomic
from tests.effort import often
from tests.typecheck.quantity_trees import (
    BINARY,
    DIGITS,
    GRID,
    LEAVES,
    POLYNOMIALS,
    SLACK,
    TREES,
    UNARY,
    VALUATIONS,
    M,
    N,
    Unknown,
    X,
    Y,
    bound,
    branches,
    build,
    built,
    known,
    number,
    oracle,
)

quick = settings(
    max_examples=often(300, 80),
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much],
)


# Evaluation


@quick
@given(TREES, VALUATIONS)
def test_evaluation_brackets_the_truth(tree, values):
    quantity, truth = built(tree), known(tree, values)
    lower, upper = quantity.evaluate(values, up=False), quantity.evaluate(values, up=True)
    with mpmath.workdps(DIGITS):
        assert bound(lower) <= truth * (1 + SLACK)
        assert truth * (1 - SLACK) <= bound(upper)
        if mpmath.mpf("1e-400") < truth < mpmath.mpf("1e2900"):
            assert bound(upper) - bound(lower) <= truth * mpmath.mpf("1e-30")


@quick
@given(TREES, VALUATIONS)
def test_float_evaluation_is_next_to_the_truth_and_on_the_side_asked_for(tree, values):
    quantity, _ = built(tree), known(tree, values)
    lower, upper = quantity.evaluate_float(values, up=False), quantity.evaluate_float(values, up=True)
    exact = quantity.evaluate(values, up=True)
    if isinstance(exact, Fraction) and exact == quantity.evaluate(values, up=False):
        assert max(Fraction(lower), Fraction(repr(lower))) <= exact
        assert math.isinf(upper) or exact <= min(Fraction(upper), Fraction(repr(upper)))
    # At most one float lies between the two, when the truth is too close to it to tell the side.
    steps = [lower, math.nextafter(lower, math.inf), math.nextafter(math.nextafter(lower, math.inf), math.inf)]
    assert upper in steps or lower in (0.0, 1.7976931348623157e308)


@quick
@given(TREES)
def test_coefficients_and_exponents_are_never_floats(tree):
    for monomial, coefficient in built(tree).terms.items():
        assert type(coefficient) in (int, Fraction)
        assert coefficient > 0
        assert all(type(exponent) in (int, Fraction) and exponent for exponent in monomial.factors.values())


@quick
@given(TREES, VALUATIONS)
def test_claims_of_sign_finiteness_and_limits_hold(tree, values):
    quantity, truth = built(tree), known(tree, values)
    assert not (quantity.positive() and truth == 0)
    assert not (quantity.finite() and truth == mpmath.inf)
    assert (quantity.constant is not None) <= (not quantity.variables())
    if not quantity.is_infinite:
        lower, upper = limits.of_quantity(quantity)
        with mpmath.workdps(DIGITS):
            assert number(lower) <= truth * (1 + SLACK)
            assert upper is None or truth * (1 - SLACK) <= number(upper)


def test_rounding_to_the_nearest_is_caught(monkeypatch):
    monkeypatch.setattr(enclosure, "_outward", lambda context, function, argument: function(argument))
    with pytest.raises(AssertionError):
        test_evaluation_brackets_the_truth.hypothesis.inner_test(("^", 2, Fraction(1, 2)), {})


# Equality


@quick
@given(TREES, TREES, VALUATIONS)
def test_equal_normal_forms_have_equal_values(left, right, values):
    if built(left) == built(right):
        assert hash(built(left)) == hash(built(right))
        first, second = known(left, values), known(right, values)
        with mpmath.workdps(DIGITS):
            assert first == second or abs(first - second) <= SLACK * second


LAWS = {
    "addition commutes": lambda a, b, c: (a + b, b + a),
    "multiplication commutes": lambda a, b, c: (a * b, b * a),
    "addition associates": lambda a, b, c: ((a + b) + c, a + (b + c)),
    "multiplication associates": lambda a, b, c: ((a * b) * c, a * (b * c)),
    "multiplication distributes": lambda a, b, c: (a * (b + c), a * b + a * c),
    "zero is neutral": lambda a, b, c: (a + 0, a),
    "one is neutral": lambda a, b, c: (a * 1, a),
    "doubling": lambda a, b, c: (a + a, 2 * a),
    "maximum commutes": lambda a, b, c: (maximum(a, b), maximum(b, a)),
    "minimum commutes": lambda a, b, c: (minimum(a, b), minimum(b, a)),
    "maximum is idempotent": lambda a, b, c: (maximum(a, a), a),
    "a maximum scales": lambda a, b, c: (3 * maximum(a, b), maximum(3 * a, 3 * b)),
    "a minimum scales": lambda a, b, c: (minimum(a, b) / 7, minimum(a / 7, b / 7)),
    "square roots square": lambda a, b, c: (a.sqrt() * a.sqrt(), a),
}


@pytest.mark.parametrize("law", LAWS)
def test_a_law_holds_between_normal_forms(law):
    @settings(quick, max_examples=often(80, 12))
    @given(TREES, TREES, TREES)
    def holds(first, second, third):
        quantities = built(first), built(second), built(third)
        try:
            left, right = LAWS[law](*quantities)
        except QuantityTooLarge:
            return
        assert left == right, (left, right)

    holds()


FIELD_LAWS = {
    "division cancels a factor": lambda a, b, c: (a * b / b, a),
    "a fraction of sums": lambda a, b, c: (a / (a + b) + b / (a + b), ONE),
    "fractions add": lambda a, b, c: (a / c + b / c, (a + b) / c),
    "fractions associate": lambda a, b, c: ((a / c + b / c) + a, a / c + (b / c + a)),
    "an inverse twice": lambda a, b, c: (1 / (1 / a), a),
    "exp of a sum": lambda a, b, c: (exp(a + b / X_), exp(a) * exp(b / X_)),
    "a square under a root": lambda a, b, c: ((a * a).sqrt(), a),
    "a maximum takes a factor": lambda a, b, c: (maximum(X_ * a, X_ * b), X_ * maximum(a, b)),
}
X_ = Quantity.var(X)


@pytest.mark.parametrize("law", FIELD_LAWS)
def test_a_law_of_positive_polynomials_holds_between_normal_forms(law):
    @settings(quick, max_examples=often(80, 12))
    @given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
    def holds(first, second, third):
        left, right = FIELD_LAWS[law](built(first), built(second), built(third))
        assert left == right, (left, right)

    holds()


@quick
@given(TREES)
def test_a_pickled_quantity_is_the_same(tree):
    quantity = built(tree)
    assert pickle.loads(pickle.dumps(quantity)) == quantity


# Printing

NAMES = {"m": M, "n": N, "x": X, "y": Y}
TOKEN = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?|[a-z]+[0-9]?[a-z]*|.)")
OPERATORS = {"*": "⋅", "max": "⊔", "min": "⊓", "sqrt": "√", "log": "㏒", "inf": "∞"}
LEVELS = [
    {"⊔": maximum},
    {"⊓": minimum},
    {"+": BINARY["+"]},
    {"⋅": BINARY["*"]},
    {"/": BINARY["/"]},
]


class Reader:
    """The grammar of type-level arithmetic, extended by parentheses and calls, read by recursive descent."""

    def __init__(self, text: str) -> None:
        self.tokens = [OPERATORS.get(token, token) for token in TOKEN.findall(text)]

    def take(self, *expected: str) -> str:
        assert not expected or self.tokens[0] in expected, self.tokens
        return self.tokens.pop(0)

    def level(self, level: int = 0) -> Quantity:
        if level == len(LEVELS):
            return self.prefix()
        value = self.level(level + 1)
        while self.tokens and self.tokens[0] in LEVELS[level]:
            operation = LEVELS[level][self.take()]
            value = operation(value, self.level(level + 1))
        return value

    def prefix(self) -> Quantity:
        if self.tokens[0] in "√㏒":
            return self.prefix().sqrt() if self.take() == "√" else log(self.prefix())
        return self.primary()

    def primary(self) -> Quantity:
        token = self.take()
        if token == "(":
            value = self.level()
            self.take(")")
            return value
        if token in UNARY or token == "power":
            self.take("(")
            value = self.level()
            if token == "power":
                self.take(",")
                exponent = Fraction(self.take())
                value **= exponent / int(self.take("/") and self.take()) if self.tokens[0] == "/" else exponent
            else:
                value = UNARY[token](value)
            self.take(")")
            return value
        if token == "∞":
            return INFINITY
        return Quantity.var(NAMES[token]) if token in NAMES else Quantity.of(token)


@quick
@given(TREES, st.booleans())
def test_the_text_reads_back_as_the_same_quantity(tree, ascii):
    quantity = built(tree)
    text = quantity.show(ascii=ascii)
    reader = Reader(text)
    assert reader.level() == quantity, text
    assert not reader.tokens
    assert not ascii or text.isascii()


# Substitution

IMAGES = {
    M: st.sampled_from([M, N, ("*", M, N), ("+", M, 2), 3, ("max", M, N)]),
    X: st.sampled_from(
        [Y, ("/", Y, M), ("+", X, Y), Fraction(1, 3), ("exp", Y), ("^", Y, Fraction(1, 2)), ("tanh", X)]
    ),
}


def replaced(tree, images):
    match tree:
        case KindVar():
            return images.get(tree, tree)
        case ("^", base, exponent):
            return ("^", replaced(base, images), exponent)
        case (name, *arguments):
            return (name, *(replaced(argument, images) for argument in arguments))
        case _:
            return tree


@quick
@given(TREES, st.fixed_dictionaries(IMAGES), VALUATIONS)
def test_substitution_is_simultaneous_replacement(tree, images, values):
    quantity = built(tree)
    try:
        image = quantity.substitute({variable: build(part) for variable, part in images.items()})
    except QuantityTooLarge:
        return
    truth = known(replaced(tree, images), values)
    with mpmath.workdps(DIGITS):
        assert bound(image.evaluate(values, up=False)) <= truth * (1 + SLACK)
        assert truth * (1 - SLACK) <= bound(image.evaluate(values, up=True))


# Order

RELATED = {
    "unrelated": lambda p, q, r: (p, q),
    "a sum grows": lambda p, q, r: (p, ("+", p, q)),
    "a maximum grows": lambda p, q, r: (p, ("max", q, p)),
    "a minimum falls": lambda p, q, r: (("min", q, p), p),
    "a share falls": lambda p, q, r: (("/", p, M), p),
    "a root of a sum": lambda p, q, r: (("^", p, Fraction(1, 2)), ("^", ("+", p, q), Fraction(1, 2))),
    "a function grows": lambda p, q, r: (("tanh", p), ("tanh", ("+", p, q))),
    "an inverse falls": lambda p, q, r: (("^", ("+", p, q), Fraction(-1)), ("^", q, Fraction(-1))),
    "a product with a count": lambda p, q, r: (("*", p, q), ("*", ("*", p, M), ("max", q, r))),
    "scaled": lambda p, q, r: (("*", p, q), ("*", p, r)),
    "shifted": lambda p, q, r: (("+", p, q), ("+", r, p)),
}
#: Small expressions of what the order has rules for.
SMALL = st.recursive(
    st.sampled_from([M, N, X, Y, 1, 2]),
    lambda trees: st.one_of(
        st.tuples(st.sampled_from(["+", "*", "max", "min"]), trees, trees),
        st.tuples(st.sampled_from(["exp", "tanh", "log", "log1p"]), trees),
        st.tuples(st.just("^"), trees, st.sampled_from([Fraction(1, 2), Fraction(-1)])),
    ),
    max_leaves=3,
)
PAIRS = st.tuples(SMALL, SMALL) | st.builds(
    lambda relation, p, q, r: RELATED[relation](p, q, r),
    st.sampled_from(list(RELATED)),
    *[st.recursive(LEAVES, branches, max_leaves=4)] * 3,
)


def saturating(tree) -> bool:
    """Whether a tree has functions that bring numbers which differ so close that the digits do not tell."""
    return isinstance(tree, tuple) and (tree[0] in ("exp", "expm1", "tanh") or any(map(saturating, tree)))


def violation(pair) -> str | None:
    """A valuation at which a proved inequality is false, or None."""
    left, right = built(pair[0]), built(pair[1])
    proved, strict = left.leq(right), left.lt(right)
    if strict and not proved:
        return f"{left} < {right} is proved, and not {left} ≤ {right}"
    if not proved:
        return None
    for values in GRID:
        try:
            first, second = oracle(pair[0], values), oracle(pair[1], values)
        except Unknown:
            continue
        with mpmath.workdps(DIGITS):
            refuted = first > second * (1 + SLACK)
        if refuted:
            return f"{left} ≤ {right} is proved, and false at {values}"
        if strict and first == second and not saturating(pair):
            return f"{left} < {right} is proved, and false at {values}"
    return None


@settings(quick, max_examples=often(600, 60))
@given(PAIRS)
def test_a_proved_inequality_holds_everywhere(pair):
    assert violation(pair) is None


@quick
@given(PAIRS)
def test_what_the_order_proves_of_any_two_quantities(pair):
    left, right = built(pair[0]), built(pair[1])
    assert left.leq(left)
    assert left.leq(left + right)
    assert left.leq(left * M_)
    assert (left / M_).leq(left)
    assert ZERO.leq(left)
    assert left.leq(INFINITY)


M_ = Quantity.var(M)


@quick
@given(SMALL, SMALL)
def test_what_the_order_proves_of_maxima_and_minima(first, second):
    left, right = built(first), built(second)
    assert left.leq(maximum(left, right))
    assert right.leq(maximum(left, right))
    assert minimum(left, right).leq(left)
    assert minimum(left, right).leq(right)


@quick
@given(TREES, VALUATIONS)
def test_every_bound_that_the_search_uses_is_a_bound(tree, values):
    quantity = built(tree)
    atoms = {atom for monomial in quantity.terms for atom in monomial.factors if not isinstance(atom, KindVar)}
    try:
        pairs = [(quantity, order.relaxed(quantity)), (quantity, order.logarithms_with_constants(quantity))]
        pairs += [(atomic(atom), bound) for atom in atoms for bound in order.upper_bounds(atom)]
        pairs += [(bound, atomic(atom)) for atom in atoms for bound in order.lower_bounds(atom)]
    except QuantityTooLarge:
        return
    for smaller, larger in pairs:
        assert smaller.evaluate(values, up=False) <= larger.evaluate(values, up=True), (smaller, larger)


def limits_of_two(atom, exponent):
    """Mutant: a count is taken to be at least 2."""
    if atom in (M, N) and exponent < 0:
        return Fraction(0), Fraction(1, 2)
    return limits.of_power(atom, exponent)


MUTANTS = {
    "counts are at least two": ("of_power", limits_of_two),
    "functions are increasing in nothing": ("in_order", lambda top, bottom, effort, nesting: type(top) is type(bottom)),
    "a maximum is one of its members": (
        "cases",
        lambda left, right: (order_cases(left, right) or [None])[:1] if order_cases(left, right) else None,
    ),
    "a fund pays twice": ("payment", lambda due, amount, price: min(due, 2 * Fraction(amount) / price)),
    "a minimum bounds itself from below": ("lower_bounds", lambda atom: order_upper_bounds(atom)),
    "exponentials need no order": ("exponent_of", lambda exponents: ONE),
}
SELDOM_SEEN = ("a maximum is one of its members",)
"""It takes a thousand examples."""
order_cases, order_upper_bounds = order.cases, order.upper_bounds


@pytest.mark.parametrize(
    "mutant", [pytest.param(each, marks=[pytest.mark.thorough] * (each in SELDOM_SEEN)) for each in MUTANTS]
)
def test_a_mutant_of_the_order_is_caught(mutant, monkeypatch):
    name, replacement = MUTANTS[mutant]
    assert hasattr(order, name)
    monkeypatch.setattr(order, name, replacement)
    monkeypatch.setattr(operations, "proved", functools.cache(order.proved.__wrapped__))

    @settings(quick, max_examples=2000, database=None, phases=[Phase.generate])
    @given(st.tuples(SMALL, SMALL))
    def search(pair):
        assert violation(pair) is None

    with pytest.raises(AssertionError, match="is proved"):
        search()
