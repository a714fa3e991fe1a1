"""Floating-point samples of quantities: a quick way to see that an order cannot be proved.

The only conclusion from a sample is that a search would fail, so rounding does no harm.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from duetpy.typecheck.quantity.form import Applied, Atom, Compound, Extremum, Function, Lattice, Quantity, Root
from duetpy.typecheck.quantity.kinds import Kind, KindVar

#: Values for variables of the two kinds, one a sample, in an order of its own for each variable.
NATURALS = (1.0, 2.0, 1e6, 3.0, 37.0, 1.0, 1e3)
REALS = (1.0, 0.5, 1e-5, 1e5, 2.0, 1e-2, 30.0)
#: How far one side must be above the other.
MARGIN = 1 + 1e-9


Profile = tuple[float, ...]
"""The values of a quantity at the samples."""


def refuted(left: Quantity, right: Quantity) -> bool:
    """Whether ``left > right`` at one of the samples."""
    variables = _ranked([left, right])
    return is_above(profile(left, variables), profile(right, variables))


def is_above(left: Profile, right: Profile) -> bool:
    """Whether the first quantity is larger at one of the samples."""
    return any(second < math.inf and first > second * MARGIN for first, second in zip(left, right, strict=True))


def profiles(values: Collection[Quantity]) -> dict[Quantity, Profile]:
    """The profiles of quantities that are compared with each other."""
    variables = _ranked(values)
    return {value: profile(value, variables) for value in values}


def _ranked(values: Iterable[Quantity]) -> tuple[KindVar, ...]:
    # By rank, not by identity: the same question has the same samples wherever in a process it is asked.
    found = frozenset().union(*(value.variables() for value in values))
    return tuple(sorted(found, key=lambda variable: variable.uid))


@lru_cache(maxsize=8192)
def profile(value: Quantity, variables: tuple[KindVar, ...]) -> Profile:
    """The values of a quantity at the samples of its variables."""
    ranks = {variable: rank for rank, variable in enumerate(variables, 1)}
    return tuple(_Sample(ranks, sample).approximate(value) for sample in range(len(NATURALS)))


def _at(variable: KindVar, rank: int, sample: int) -> float:
    """The value of a variable in a sample: picked by a multiplicative hash of its rank."""
    place = (rank * 2_654_435_761 >> 3 * sample) % len(NATURALS)
    return NATURALS[place] if variable.kind is Kind.NAT else REALS[place]


class _Sample:
    """One sample, and the atoms already computed at it."""

    def __init__(self, ranks: Mapping[KindVar, int], number: int) -> None:
        self.ranks = ranks
        self.number = number
        self.known: dict[Atom, float] = {}

    def approximate(self, value: Quantity) -> float:
        """The value to about 15 digits; NaN where floats do not reach, which compares as nothing."""
        try:
            return self.sum(value)
        except (OverflowError, ZeroDivisionError, ValueError):
            return math.nan

    def sum(self, value: Quantity) -> float:
        if value.is_infinite:
            return math.inf
        result = 0.0
        for monomial, coefficient in value.terms.items():
            term = float(coefficient)
            for atom, exponent in monomial.factors.items():
                term *= self.atom(atom) ** float(exponent)
            result += term
        return result

    def atom(self, atom: Atom) -> float:
        known = self.known.get(atom)
        if known is None:
            known = self.known[atom] = self.computed(atom)
        return known

    def computed(self, atom: Atom) -> float:
        match atom:
            case KindVar():
                return _at(atom, self.ranks[atom], self.number)
            case Root(base=number):
                return float(number)
            case Compound(base=base):
                return self.sum(base)
            case Extremum(lattice=lattice, listed=members):
                pick = max if lattice is Lattice.MAX else min
                return pick(self.sum(member) for member in members)
            case Applied(function=function, argument=argument):
                return _function(function, self.sum(argument))


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
