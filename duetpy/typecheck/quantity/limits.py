"""Constants between which a quantity lies at every valuation.

A pair ``(lower, upper)``: the quantity is ≥ ``lower`` and, unless ``upper`` is None, ≤ ``upper``, everywhere.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from duetpy.typecheck.quantity import form
from duetpy.typecheck.quantity.enclosure import Precision, Value
from duetpy.typecheck.quantity.evaluation import apply
from duetpy.typecheck.quantity.kinds import Kind, KindVar
from duetpy.typecheck.quantity.rational import Number

Limits = tuple[Fraction, Fraction | None]

NOTHING: Limits = (Fraction(0), None)
DIGITS = 40


def of_quantity(value: form.Quantity) -> Limits:
    if value.is_infinite:
        return NOTHING
    lower, upper = Fraction(0), Fraction(0)
    bounded = True
    for monomial, coefficient in value.terms.items():
        low, high = of_monomial(monomial)
        lower += low * coefficient
        if high is None:
            bounded = False
        else:
            upper += high * coefficient
    return lower, upper if bounded else None


def of_monomial(monomial: form.Monomial) -> Limits:
    lower, upper = Fraction(1), Fraction(1)
    bounded = True
    for atom, exponent in monomial.factors.items():
        low, high = of_power(atom, exponent)
        lower *= low
        if high is None:
            bounded = False
        else:
            upper *= high
    return lower, upper if bounded else None


@lru_cache(maxsize=8192)
def of_power(atom: form.Atom, exponent: Number) -> Limits:
    """The limits of an atom under an exponent of either sign."""
    lower, upper = of_atom(atom)
    precision = Precision(DIGITS)
    if exponent < 0:
        least = Fraction(0) if upper is None else floor_of(precision.power(upper, exponent))
        return least, None if lower == 0 else ceiling_of(precision.power(lower, exponent))
    most = None if upper is None else ceiling_of(precision.power(upper, exponent))
    return floor_of(precision.power(lower, exponent)), most


@lru_cache(maxsize=8192)
def of_atom(atom: form.Atom) -> Limits:
    match atom:
        case KindVar(kind=Kind.NAT):
            return Fraction(1), None
        case KindVar():
            return NOTHING
        case form.Root(base=number):
            return Fraction(number), Fraction(number)
        case form.Compound(base=base):
            return of_quantity(base)
        case form.Extremum(lattice=lattice, listed=members):
            return of_extremum(lattice, [of_quantity(member) for member in members])
        case form.Applied(function=function, argument=argument):
            return of_function(function, *of_quantity(argument))


def of_extremum(lattice: form.Lattice, members: list[Limits]) -> Limits:
    lowers = [lower for lower, _ in members]
    uppers = [upper for _, upper in members if upper is not None]
    if lattice is form.Lattice.MAX:
        return max(lowers), max(uppers) if len(uppers) == len(members) else None
    return min(lowers), min(uppers, default=None)


def of_function(function: form.Function, lower: Fraction, upper: Fraction | None) -> Limits:
    precision = Precision(DIGITS)
    if function is form.Function.RECIPROCAL:
        least = Fraction(0) if upper is None else floor_of(precision.reciprocal(upper))
        return least, ceiling_of(precision.reciprocal(lower))
    least = floor_of(apply(precision, function, lower))
    if upper is None:
        return least, Fraction(1) if function is form.Function.TANH else None
    return least, ceiling_of(apply(precision, function, upper))


def floor_of(value: Value) -> Fraction:
    if isinstance(value, Fraction):
        return value
    # Only the inverse of 0 is infinite from below; 0 is a lower bound of it.
    return Fraction(value.lower) if value.lower.is_finite() else Fraction(0)


def ceiling_of(value: Value) -> Fraction | None:
    if isinstance(value, Fraction):
        return value
    return Fraction(value.upper) if value.upper.is_finite() else None
