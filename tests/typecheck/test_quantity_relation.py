"""Relations of quantities are decided only where they are proved."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from duetpy.typecheck.quantity import (
    INFINITY,
    ONE,
    ZERO,
    Comparison,
    Kind,
    KindVar,
    Quantity,
    Relation,
    Signed,
    decided,
    denominator,
    exp,
    log,
    maximum,
)
from tests.effort import often

of = Quantity.of
M, N = KindVar.fresh("m", Kind.NAT), KindVar.fresh("n", Kind.NAT)
m, n = Quantity.var(M), Quantity.var(N)
ORDERS: tuple[Relation, ...] = ("<", "≤")
X = KindVar.fresh("x", Kind.POS)
x = Quantity.var(X)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (m, ONE),
        (m / 2, of(2)),
        (m / n + ONE, n),
        (m / 6 + m / (of(4) * n), of(12) * n),
        (x, ONE),
        (ONE / (m + n), m + n),
    ],
)
def test_what_a_number_is_divided_by(number: Quantity, expected: Quantity) -> None:
    assert denominator(number) == expected


@pytest.mark.parametrize(
    ("left", "relation", "right", "expected"),
    [
        (of(1), "<", of(2), True),
        (of(2), "<", of(2), False),
        (of(2), "≤", of(2), True),
        (of(3), "≤", of(2), False),
        (m, "≤", m + ONE, True),
        (m + ONE, "<", m, False),
        (m, "<", of(5), None),
        (m, "≤", ONE, None),
        (m, "≤", INFINITY, True),
        (of(3), "∣", of(12), True),
        (of(5), "∣", of(12), False),
        (m, "∣", of(12) * m, True),
        (m, "∣", of(12), None),
        (m, "∣", m * n, True),
        (ONE, "∣", m * n + of(2) * m, True),
        (of(2), "∣", of(2) * maximum(m, n * n), True),
        (of(2), "∣", m, None),
        (ONE, "∣", of(2).sqrt(), False),
        (ONE, "∣", of(2).sqrt() * m, None),
        (of(2), "∣", of(2).sqrt() + of(3), False),
        # It is 2, but no digits that are computed say so.
        (ONE, "∣", log(of(4)) / log(of(2)), None),
        (ONE, "∣", exp(of(10**9)), None),
        (of(2), "∣", maximum(m, of(3)), None),
        (ONE, "∣", x, None),
        (ONE, "∣", maximum(m, x), None),
        (ONE, "∣", m**2 / n, None),
        (ONE, "∣", m.sqrt(), None),
        (x, "∣", of(3) * x, True),
        (ZERO, "∣", of(12), False),
        (ZERO, "∣", ZERO, True),
    ],
)
def test_a_relation(left: Quantity, relation: Relation, right: Quantity, expected: bool | None) -> None:
    assert decided(left, relation, right) is expected


a, b, c = (KindVar.fresh(name, Kind.POS) for name in "abc")
A, B, C = map(Quantity.var, (a, b, c))


def at_most(left: Quantity, right: Quantity) -> Comparison:
    """left ≤ right"""
    return Comparison(Signed(False, left), False, Signed(False, right))


@pytest.mark.parametrize(
    ("found", "fails"),
    [
        (at_most(of(3), of(2)), True),
        (at_most(of(2), of(2)), False),
        (at_most(A, of(2)).substitute({a: of(3)}), True),
        (at_most(A, of(2)).substitute({a: B + ONE}).substitute({b: of(2)}), True),
        (at_most(A, of(2)).substitute({a: B}).substitute({b: C}).substitute({c: of(3)}), True),
        (at_most(A / B, of(2)).substitute({a: of(3), b: ONE}), True),
        # A run finds the roots to so many digits, one after the other.
        (at_most(A * B, ONE).substitute({a: of(2).sqrt(), b: of(2).sqrt()}), False),
        (at_most(A.sqrt() * B.sqrt(), ONE).substitute({a: of(2), b: of(2)}), False),
        (at_most(A.sqrt() * B.sqrt(), ONE).substitute({a: C, b: C}).substitute({c: of(2)}), False),
        (at_most(A, ONE).substitute({a: B * C}).substitute({b: of(2).sqrt(), c: of(2).sqrt()}), False),
        (at_most(A, B).substitute({a: C, b: C / of(2)}).substitute({c: of(2).sqrt()}), False),
        (at_most(A.sqrt() * B.sqrt(), ONE).substitute({a: B}).substitute({b: of(2)}), False),
        (at_most(of(2), of(2).sqrt()), False),
        (at_most(of(2).sqrt(), ONE), False),
    ],
)
def test_a_test_fails_where_a_run_finds_that_it_does(found: Comparison, fails: bool) -> None:
    assert found.fails({}) is fails
    assert not found.variables()


def test_of_a_test_and_its_opposite_one_fails() -> None:
    for number in (2, 3, 4):
        test = at_most(A, of(3)).substitute({a: of(number)})
        assert [test.fails({}), test.opposite().fails({})] == [number > 3, number <= 3]


def test_numbers_that_are_known_later_decide_as_those_that_are_put_in() -> None:
    inner = at_most(A, of(2)).substitute({a: B + C})
    assert inner.variables() == {b, c}
    assert not inner.fails({b: Fraction(3)})
    assert inner.fails({b: Fraction(3), c: Fraction(1)})
    assert inner.opposite().opposite() == inner


def test_tests_that_differ_by_names_are_one_under_the_same_names() -> None:
    one, other = at_most(A, of(2)), at_most(B, of(2))
    assert one.substitute({a: C}) == other.substitute({b: C})
    outer = one.substitute({a: B + ONE}).substitute({b: C})
    assert outer == one.substitute({a: A + ONE}).substitute({a: C}) == one.substitute({a: C + ONE})
    assert outer.show() == "c + 1 ≤ 2"


def test_a_name_that_no_call_has_put_anything_in_for_is_changed_too() -> None:
    found = at_most(A, B).substitute({a: C + ONE}).substitute({c: A, b: x})
    assert found.show() == "a + 1 ≤ x"
    assert found.fails({a: Fraction(2), X: Fraction(1)})


def holds(left: Quantity, relation: Relation, right: Quantity, at: dict[KindVar, Fraction]) -> bool:
    one, other = (side.evaluate(at, up=True) for side in (left, right))
    return one < other if relation == "<" else one <= other


def test_a_test_proves_what_is_true_wherever_it_holds() -> None:
    """Against small numbers: of what is proved nothing is false there, and what a test says itself is proved."""
    random = Random(5)
    sides = [*map(of, (0, 1, 2, 3)), m, n, m / 2, of(2) * m, m + ONE, m / n, m * n, of(Fraction(3, 2)), maximum(m, n)]
    places = [{M: Fraction(a), N: Fraction(b)} for a, b in product(range(1, 5), repeat=2)]
    proved = 0
    for _ in range(often(20_000, 1_500)):
        low, high, left, right = (random.choice(sides) for _ in range(4))
        own, relation = random.choice(ORDERS), random.choice(ORDERS)
        test = Comparison(Signed(False, low), own == "<", Signed(False, high))
        assert test.proves(low, own, high) or not high.positive() or (own == "<" and test.proves(low + ONE, "≤", high))
        if test.proves(left, relation, right):
            proved += 1
            assert all(holds(left, relation, right, at) for at in places if holds(low, own, high, at))
    assert proved > 200


def test_what_a_run_may_find_otherwise_proves_nothing() -> None:
    """A root is known to so many digits; a parameter may stand for one, and so may what a call puts in."""
    five, ten = Signed.of(5), Signed.of(10)
    for low, high in ((five, Signed(False, m.sqrt())), (five, Signed(False, x)), (Signed.of(-5), Signed(False, m))):
        assert not Comparison(low, False, high).proves(low.magnitude, "≤", high.magnitude)
    called = Comparison(five, False, Signed(False, m)).substitute({M: n + ONE})
    assert not called.proves(of(5), "≤", n + ONE)
    assert not Comparison(five, False, Signed(False, m)).proves(of(5), "∣", m)
    assert not Comparison(five, False, ten).proves(of(5), "≤", INFINITY)
