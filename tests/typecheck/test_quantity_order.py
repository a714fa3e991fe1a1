"""The order of quantities by example: what is proved, what is not, and how long a question takes."""

from __future__ import annotations

import itertools

import pytest

from duetpy.typecheck.quantity import (
    INFINITY,
    ONE,
    ZERO,
    Kind,
    KindVar,
    Quantity,
    exp,
    expm1,
    kinds,
    limits,
    log,
    log1p,
    maximum,
    minimum,
    order,
    refutation,
    sums,
    tanh,
)
from tests.typecheck.letters import a, b, c, delta, epsilon, k, m, n, of, x

PROVED = [
    (1 / m, ONE),
    (2 / m, of(2)),
    (x / m, x),
    (m.sqrt(), m),
    (m, m * n),
    (a, a + b),
    (a, maximum(a, b)),
    (minimum(a, b), a),
    (1 / (m + 1), 1 / m),
    (1 / (a + b), 1 / a),
    (a * a + b * b, (a + b) ** 2),
    (m + n, m * n + 1),
    (m + n + k, m * n * k + 2),
    (of(2).sqrt(), of("1.5")),
    (of("1.41421356"), of(2).sqrt()),
    (of(2).sqrt() + of(3).sqrt(), of("3.1463")),
    (exp(ONE), of("2.7183")),
    (of(2).sqrt() * a, of("1.5") * a),
    (log(a), log(a + b)),
    (exp(a), exp(a + b)),
    (exp(1 / m), exp(ONE)),
    (1 / exp(a), ONE),
    (exp(a) / exp(b), exp(a)),
    (expm1(a), expm1(2 * a)),
    (log1p(a / m), log1p(a)),
    (tanh(a), tanh(a + b)),
    (tanh(x), ONE),
    (tanh(x), x),
    (epsilon * tanh(epsilon / 2), epsilon**2 / 2),
    (log1p(x), x),
    (x, expm1(x)),
    (1 + x, exp(x)),
    (1 + log(m), m),
    (1 + log(m), m + x),
    (2 * a + a * log(n), 2 * a * n),
    (log(1 / delta), 1 / delta),
    (log1p(b / m * expm1(epsilon)), log1p(b * expm1(epsilon))),
    ((a * a + b * b).sqrt(), a + b),
    (maximum(a, b), (a * a + b * b).sqrt()),
    ((a * a + b * b).sqrt(), (a * a + b * b + c).sqrt()),
    (m / maximum(m, n), ONE),
    (maximum(a, b), a + b),
    (maximum(a, b) + minimum(a, b), a + b),
    (a / (b + c), maximum(a / (b + c), b)),
    (maximum(a / (b + c), b), a / (b + c) + b),
    (maximum(a / (b + c), b / (a + c)), maximum(a, b) / c),
    (minimum(a / (b + c), b / (a + c)), a / c),
    (minimum(a, b) * c, maximum(a, b) * c),
    (maximum(a, b) ** 2, a * a + b * b),
    (1 / maximum(a, b), 1 / a),
    (1 / log(a + b), 1 / log(a)),
    (x + x / m, 2 * x),
    (ZERO, x),
    (x, INFINITY),
    (exp(of(10**6)), exp(of(10**6) + 1)),
]


@pytest.mark.parametrize(("left", "right"), PROVED)
def test_an_inequality_is_proved(left, right):
    assert left.leq(right)


NOT_PROVED = [
    (ONE, 1 / m),
    (a, b),
    (a, m),
    (a, a * b),
    (a, a.sqrt()),
    (maximum(a, b), a),
    (a, minimum(a, b)),
    (a + b, a),
    (m * n, m),
    (m, of(10**6)),
    (a, log1p(a)),
    (of("1.5"), of(2).sqrt()),
    (INFINITY, x),
    (x, ZERO),
    (1 + log(a), a),
    (a + b, maximum(a, b)),
    (exp(a + b), exp(a)),
    (exp(a) * tanh(b), tanh(2 * b)),
    (1 / log(m), of(10)),
    ((a + b) ** 2, a * a + b * b),
    # False where n is large although true at every small sample: 10¹⁰⁰ is not a bound of n.
    (n, of(10**100)),
    (n * of("1e-100"), ONE),
    # What covers a term has a coefficient of its own.
    (ONE, m / 2),
    (m + n, m * n),
    # Each of two terms takes two of the three.
    (minimum(a, of(2)) * b + minimum(c, of(2)) * b, 3 * b),
    (1 / log(a), 1 / log(a + b)),
    (log1p(a), tanh(a)),
    (maximum(1 / m, a), ONE),
    # False only where m and n are 1, where a is next to 0, and where m is about 18.
    (of(3), m + n),
    (2 * a, a * m * n),
    (1 + log(a), a + of("0.999999")),
    (1 + log(m) ** 3, of("1.35") * m),
    # False where m is 9, and true at every small sample.
    (1 + tanh(m / 10 + 9 / m), maximum(m / 10 + 9 / m, ONE)),
    # Neither increasing nor decreasing in the extremum, and true where a⋅b is below 10¹⁰⁰.
    (maximum(a, b) + of("1e100") / maximum(a, b), a + of("1e100") / a),
    (a + of("1e100") / a, minimum(a, b) + of("1e100") / minimum(a, b)),
    # The same with what bounds the extremum, and true where a⋅b is above 10⁻¹⁰⁰.
    (a + of("1e-100") / a, maximum(a, b) + of("1e-100") / maximum(a, b)),
    (minimum(a, b) + of("1e-100") / minimum(a, b), a + of("1e-100") / a),
    # Of two products with exponentials only these cancel: true where c is below 10¹⁰⁰.
    (exp(tanh(a)) * log(1 + c / 10**100), exp(a)),
    (exp(tanh(a)) * expm1(c / 10**100), exp(a)),
    # Once one of them has covered tanh(a), nothing is left for the other.
    (tanh(a), tanh(a + b) * tanh(a + c)),
    # What stands next to the root of a sum stays there: true where x is below 10¹⁰⁰⋅(√a + √b).
    (of("1e-100") * x * (a + b).sqrt(), (a + b).sqrt() * (a.sqrt() + b.sqrt())),
]


@pytest.mark.parametrize(("left", "right"), NOT_PROVED)
def test_a_false_inequality_is_not_proved(left, right):
    assert not left.leq(right)
    assert not left.lt(right)


def test_strict_order():
    assert m.lt(m + 1)
    assert x.lt(2 * x)
    assert (1 / m).lt(of(2))
    assert ZERO.lt(x)
    assert of(2).sqrt().lt(of("1.415"))
    assert x.lt(INFINITY)
    assert not INFINITY.lt(INFINITY)
    assert not x.lt(x)
    assert not (1 / m).lt(ONE)
    assert not ZERO.lt(log(m))
    assert not (1 / log(m)).lt(2 / log(m))
    assert not x.lt(x + log(a))
    assert not (1 / m).lt(1 + log(a))
    assert not tanh(log(of(2))).lt(of("0.6"))  # it is 0.6
    assert not of("0.6").lt(tanh(log(of(2))))
    assert not minimum(1 / log(a), ONE).lt(ONE)
    assert minimum(1 / log(a), ONE).lt(of(2))


def test_the_limits_of_an_extremum_hold_for_each_of_its_members():
    """The upper limit of a maximum is the largest of all of them, the lower one of a minimum the smallest; not seen by samples."""
    low, high = 1 + tanh(x), of("1.5") + tanh(a)
    assert limits.of_quantity(maximum(low, high)) == (of("1.5").constant, of("2.5").constant)
    assert limits.of_quantity(minimum(low, high)) == (1, 2)
    assert limits.of_quantity(maximum(low, b)) == (1, None)
    assert limits.of_quantity(minimum(low, b)) == (0, 2)
    # False only where x is above 10¹⁰⁰.
    assert not maximum(tanh(a), 2 * tanh(x / 10**100)).leq(ONE)


def test_bounds_of_several_atoms_are_taken_one_after_the_other():
    # tanh(1/L) ≤ 1/L brings L into a denominator, where a larger L is no upper bound any more.
    logarithm = log(m + 1)
    bound = order.relaxed(tanh(1 / logarithm) + logarithm)
    assert bound == 1 / logarithm + logarithm


# How long a question takes


@pytest.mark.parametrize("start", [0, 1, 11, 2067, 34011])
def test_samples_do_not_depend_on_what_was_made_before(start, monkeypatch):
    def outcomes(first):
        uids = itertools.count(first)
        monkeypatch.setattr(kinds, "_uids", uids)
        u, v = Quantity.var(KindVar.fresh("u", Kind.POS)), Quantity.var(KindVar.fresh("v", Kind.NAT))
        pairs = [
            (u * v, u + v),
            (u**2, v),
            (v.sqrt(), u * 3),
            (maximum(u, v), u + 1),
            (v, v * v),
            (u + v, minimum(u, v)),
        ]
        return [refutation.refuted(left, right) for left, right in pairs]

    assert outcomes(10**6 + start) == outcomes(10**7)


def test_a_goal_costs_by_what_it_weighs():
    """Without that, one question about nested extrema took minutes."""
    value, other = x + a * b, (x * a).sqrt() + b
    for _ in range(3):
        value, other = maximum(minimum(value + a, b * other), other * value), minimum(value * other, other + b)
    weight = value.facts().weight + other.facts().weight
    assert weight > 4_000
    with pytest.raises(order.Exhausted):
        order.goal(value, other, False, order.Effort(weight // order.NODES), 0)


@pytest.mark.parametrize(
    ("small", "base"), [(x * b, 1 / n + exp(n)), (x * b, a + exp(m * a) ** 2), (expm1(x * 10**6), m * (b + n))]
)
def test_the_powers_of_a_bound_are_little_work_together(small, base, monkeypatch):
    """Every term may hold another power of exp or of n, and 1 + n in the place of each took a minute."""
    products = itertools.count()
    add = sums.accumulate

    def counted(*term):
        assert next(products) < 60_000
        add(*term)

    large = base**40
    monkeypatch.setattr(sums, "accumulate", counted)
    assert not small.leq(large)


def test_the_powers_of_a_denominator_are_little_work_together(monkeypatch):
    """Every numerator is multiplied by another power of each denominator, which took minutes."""
    products = itertools.count()
    add = sums.accumulate

    def counted(*term):
        assert next(products) < 60_000
        add(*term)

    fractions = sum((m**i / n / (a + b + c) ** i + k**i / (a + m) ** i for i in range(1, 8)), ZERO)
    other = sum((m**i / n / (a + c + x) ** i + k**i / (a + n + x) ** i for i in range(1, 8)), ZERO)
    monkeypatch.setattr(sums, "accumulate", counted)
    assert not fractions.leq(other)
    assert fractions.leq(fractions + other)
