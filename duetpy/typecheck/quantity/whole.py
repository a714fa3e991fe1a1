"""Whether a quantity is a whole number."""

from __future__ import annotations

from math import lcm

from duetpy.typecheck.quantity import form
from duetpy.typecheck.quantity.arithmetic import settled
from duetpy.typecheck.quantity.kinds import Kind, KindVar
from duetpy.typecheck.quantity.rational import Number
from duetpy.typecheck.quantity.sums import canonical, least_exponents


def is_whole(value: form.Quantity) -> bool:
    """Whether the quantity is by its form a whole number at every valuation."""
    return not value.is_infinite and all(
        isinstance(coefficient, int) and all(_is_whole_power(*pair) for pair in monomial.factors.items())
        for monomial, coefficient in value.terms.items()
    )


def _is_whole_power(atom: form.Atom, exponent: Number) -> bool:
    if not isinstance(exponent, int) or exponent < 0:
        return False
    match atom:
        case KindVar(kind=Kind.NAT):
            return True
        case form.Extremum(listed=members):
            return all(map(is_whole, members))
        case _:
            return False


def denominator(value: form.Quantity) -> form.Quantity:
    """What the terms of the quantity are divided by: the quantity is whole where this divides its product with it."""
    least = least_exponents(list(value.terms))
    scale = lcm(*(coefficient.denominator for coefficient in value.terms.values()))
    return settled(canonical(scale, {atom: -exponent for atom, exponent in least.items() if exponent < 0}))
