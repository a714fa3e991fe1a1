"""Arithmetic on static numbers is arithmetic: what a type says a number is, it is, whatever its variables are."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from duetpy.typecheck.constant_folding import fold
from duetpy.typecheck.quantity import ONE, Kind, KindVar, Quantity, Signed
from duetpy.typecheck.types import StaticNat, StaticReal, Type

M, X = KindVar.fresh("m", Kind.NAT), KindVar.fresh("x", Kind.POS)
m, x = Quantity.var(M), Quantity.var(X)
VALUES = [{M: 1, X: Fraction(1, 4)}, {M: 4, X: Fraction(9)}, {M: 2, X: Fraction(2)}]
NATURALS: list[Type] = [StaticNat(value) for value in (ONE, Quantity.of(3), m, m + 2)]
REALS: list[Type] = [
    StaticReal(Signed(sign, value))
    for sign in (False, True)
    for value in (ONE, Quantity.of("0.3"), Quantity.of(7), x, m + x, 1 / x)
]

OF_REALS = {
    "sum": lambda one, other: one + other,
    "difference": lambda one, other: one - other,
    "product": lambda one, other: one * other,
    "quotient": lambda one, other: one / other,
    "larger": max,
    "smaller": min,
    "magnitude": abs,
    "root": math.sqrt,
    "logarithm": math.log,
}
OF_NATURALS = {
    "sum": lambda one, other: one + other,
    "difference": lambda one, other: max(0, one - other),
    "product": lambda one, other: one * other,
    "remainder": lambda one, other: one % other,
    "larger": max,
    "smaller": min,
    "embedded": lambda one: one,
}
ONE_OPERAND = ("magnitude", "root", "logarithm", "embedded")


def number(type_: Type, values: dict[KindVar, Fraction]) -> float:
    found = type_.value.evaluate(values, up=True)
    return float(found)


@pytest.mark.parametrize(
    ("operation", "compute", "operands"),
    [
        *((name, compute, REALS) for name, compute in OF_REALS.items()),
        *((name, compute, NATURALS) for name, compute in OF_NATURALS.items()),
    ],
)
def test_a_static_number_is_what_its_operands_make(operation, compute, operands) -> None:
    looked = 0
    for args in product(operands, repeat=1 if operation in ONE_OPERAND else 2):
        folded = fold(operation, args)
        if isinstance(folded, StaticNat | StaticReal):
            for values in VALUES:
                truth = compute(*(number(arg, values) for arg in args))
                assert number(folded, values) == pytest.approx(truth, rel=1e-12, abs=1e-12), (args, values)
                looked += 1
    assert looked >= 3
