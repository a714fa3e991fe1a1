"""The largest and the smallest of many quotients: as long as these are, and of the value of one."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

import pytest

from duetpy.typecheck.quantity import Kind, KindVar, Quantity, maximum, minimum


def quotients(count):
    """Costs of many branches, each over a sum of its own, and the variables in them."""
    variables = [KindVar.fresh(f"e{at}", Kind.POS) for at in range(8)]
    e = [Quantity.var(variable) for variable in variables]
    found = [
        e[at % 8] * (1 + at // 8) / (e[(3 * at + 1 + at // 8) % 8] + (1 + at) * e[(5 * at + 2) % 8])
        for at in range(count)
    ]
    return found, variables


@pytest.mark.parametrize("extremum", [maximum, minimum])
def test_an_extremum_of_quotients_is_as_long_as_they_are(extremum):
    """Over a common denominator each would be multiplied out with all others: thirty of them had a million nodes."""
    for count in (6, 12, 24, 48):
        members, _ = quotients(count)
        together = extremum(*members)
        one_by_one = reduce(extremum, members)
        assert together == one_by_one
        assert together.facts().weight <= 2 * sum(member.facts().weight for member in members)


@pytest.mark.parametrize(("extremum", "pick"), [(maximum, max), (minimum, min)])
def test_an_extremum_of_quotients_has_the_value_of_one(extremum, pick):
    members, variables = quotients(20)
    value = extremum(*members)
    for turn in range(30):
        at = {
            variable: Fraction(1 + (turn * (rank + 3) * 7919) % 101, 1 + turn % 7)
            for rank, variable in enumerate(variables)
        }
        assert value.evaluate(at, up=True) == pick(member.evaluate(at, up=True) for member in members)
    assert all(member.leq(value) if extremum is maximum else value.leq(member) for member in members)


def test_sums_over_different_roots_of_one_sum_have_their_value():
    """Terms over (x + y)^(1/2) and over (x + y)^(1/3) have no common denominator."""
    x, y = (KindVar.fresh(name, Kind.POS) for name in "xy")
    a, b = Quantity.var(x), Quantity.var(y)
    powers = [Fraction(above, below) for below in (1, 2, 3) for above in (1, 2, 3)]
    for p in powers:
        for q in powers:
            total = a / (a + b) ** p + b / (a + b) ** q
            for one, other in ((Fraction(1), Fraction(3)), (Fraction(1, 8), Fraction(7))):
                truth = float(one) / float(one + other) ** float(p) + float(other) / float(one + other) ** float(q)
                assert total.evaluate_float({x: one, y: other}) == pytest.approx(truth, rel=1e-12)
