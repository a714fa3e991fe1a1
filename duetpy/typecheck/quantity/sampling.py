"""Floating-point samples of quantities: a quick way to see that an order cannot be proved.

Nothing is concluded from a sample but that a search would be in vain, so rounding does no harm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from duetpy.typecheck.quantity.form import Applied, Atom, Compound, Extremum, Function, Lattice, Quantity, Root
from duetpy.typecheck.quantity.kinds import Kind, KindVar

#: Values for variables of the two kinds, taken in turn from a different place by each variable and in each sample.
NATURALS = (1.0, 2.0, 1e6, 3.0, 37.0, 1.0, 1e3)
REALS = (1.0, 0.5, 1e-5, 1e5, 2.0, 1e-2, 30.0)
#: How far one side must be above the other.
MARGIN = 1 + 1e-9


def refuted(left: Quantity, right: Quantity) -> bool:
    """Whether ``left > right`` at one of the samples."""
    variables = sorted(left.variables() | right.variables(), key=lambda variable: variable.uid)
    for sample in range(len(NATURALS)):
        values = _valuation(variables, sample)
        first, second = _approximate(left, values), _approximate(right, values)
        if math.isfinite(second) and first > second * MARGIN:
            return True
    return False


def _valuation(variables: Sequence[KindVar], sample: int) -> dict[KindVar, float]:
    values: dict[KindVar, float] = {}
    for place, variable in enumerate(variables):
        choices = NATURALS if variable.kind is Kind.NAT else REALS
        # Steps that differ from sample to sample, so that the variables do not keep in line.
        values[variable] = choices[(sample + place * sample) % len(choices)]
    return values


def _approximate(value: Quantity, values: Mapping[KindVar, float]) -> float:
    """The value to about 15 digits; NaN where floats do not reach, which compares as nothing."""
    try:
        return _sum(value, values)
    except (OverflowError, ZeroDivisionError, ValueError):
        return math.nan


def _sum(value: Quantity, values: Mapping[KindVar, float]) -> float:
    if value.is_infinite:
        return math.inf
    result = 0.0
    for monomial, coefficient in value.terms.items():
        term = float(Fraction(coefficient))
        for atom, exponent in monomial.factors.items():
            term *= _atom(atom, values) ** float(Fraction(exponent))
        result += term
    return result


def _atom(atom: Atom, values: Mapping[KindVar, float]) -> float:
    match atom:
        case KindVar():
            return values[atom]
        case Root(base=number):
            return float(number)
        case Compound(base=base):
            return _sum(base, values)
        case Extremum(lattice=lattice, members=members):
            pick = max if lattice is Lattice.MAX else min
            return pick(_sum(member, values) for member in members)
        case Applied(function=function, argument=argument):
            return _function(function, _sum(argument, values))


def _function(function: Function, argument: float) -> float:
    match function:
        case Function.LOG:
            return math.log(max(argument, 1.0))
        case Function.EXP:
            return math.exp(argument)
        case Function.EXPM1:
            return math.expm1(argument)
        case Function.LOG1P:
            return math.log1p(argument)
        case Function.TANH:
            return math.tanh(argument)
        case Function.RECIPROCAL:
            return 1.0 / argument
        case Function.WHOLE:
            return argument
