"""The value of a quantity at a valuation, rounded in a direction that is asked for."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import inf, isinf, nextafter

from duetpy.typecheck.quantity import form
from duetpy.typecheck.quantity.enclosure import INFINITE, LOGARITHMIC, Enclosure, Precision, Value
from duetpy.typecheck.quantity.kinds import Kind, KindVar
from duetpy.typecheck.quantity.rational import OutsideDomain

#: Digits of the arithmetic, in turn, until the bounds are close enough.
DIGITS = (60, 125, 250, 500)
#: How close: the bounds differ by at most this, relative to the lower one.
CLOSE = Decimal("1e-31")


def evaluate(value: form.Quantity, values: Mapping[KindVar, Fraction | int], *, up: bool) -> Fraction | float:
    """The value of a quantity where its variables have the given values.

    Rational results are exact. Others are at least the truth when ``up`` and at most the truth when not, with a
    relative error of at most 1e-30, except that

    * ∞ is the float ``inf``;
    * an irrational value above 10^3000 (such as exp(10⁹)) counts as ``inf`` up and as about 10^3000 down, one below
      10^−3000 as a positive number that small up and as 0 down, in the result and on the way to it, but not on the way to
      its logarithm;
    * a truth that 500 digits do not tell from 0 (a logarithm of a number that close to 1) gives 0 down.

    Raises
    ------
    KeyError
        A variable has no value.
    OutsideDomain
        A value is outside the domain of its variable.
    """
    bound = Decimal(0)
    for digits in DIGITS:
        precision = Precision(digits)
        bounds = Evaluation(values, precision).quantity(value)
        if isinstance(bounds, Fraction):
            return bounds
        if bounds.lower.is_infinite():
            return inf
        bound = bounds.upper if up else bounds.lower
        width = precision.up.subtract(bounds.upper, bounds.lower)
        if width <= precision.down.multiply(bounds.lower, CLOSE):
            break
    return inf if bound.is_infinite() else Fraction(bound)


def evaluate_float(value: form.Quantity, values: Mapping[KindVar, Fraction | int], *, up: bool = True) -> float:
    """The value as a float that is at least the truth when ``up``, at most the truth when not, and so is its shortest decimal.

    A float stands for that decimal wherever it is printed. ``inf`` stands for ∞, and when ``up`` also for what is above the
    largest float.
    """
    exact = evaluate(value, values, up=up)
    if isinstance(exact, float):
        return exact
    try:
        nearest = exact.numerator / exact.denominator
    except OverflowError:
        nearest = inf
    if isinf(nearest):
        return inf if up else sys.float_info.max
    while not _is_beyond(nearest, exact, up=up):
        nearest = nextafter(nearest, inf if up else -inf)
    return nearest


def _is_beyond(number: float, exact: Fraction, *, up: bool) -> bool:
    if isinf(number):
        return True
    ends = (Fraction(number), Fraction(repr(number)))
    return min(ends) >= exact if up else max(ends) <= exact


class Evaluation:
    """One evaluation at one precision, which evaluates every shared part once.

    The recursion is as deep as the quantity, which ``DEPTH_LIMIT`` bounds.
    """

    def __init__(self, values: Mapping[KindVar, Fraction | int], precision: Precision) -> None:
        self.values = values
        self.precision = precision
        self.done: dict[form.Atom, Value] = {}

    def quantity(self, value: form.Quantity) -> Value:
        if value.is_infinite:
            return INFINITE
        result: Value = Fraction(0)
        for monomial, coefficient in value.terms.items():
            result = self.precision.add(result, self.precision.multiply(Fraction(coefficient), self.monomial(monomial)))
        return result

    def monomial(self, monomial: form.Monomial) -> Value:
        result: Value = Fraction(1)
        raising: Value = Fraction(0)
        lowering: Value = Fraction(0)
        for atom, exponent in monomial.factors.items():
            if isinstance(atom, form.Applied) and atom.function is form.Function.EXP:
                # exp(t)^e is exp(e·t), and exp(s)/exp(t) is exp(s − t): the parts may be out of range.
                argument = self.quantity(atom.argument)
                if exponent > 0:
                    raising = self.precision.add(raising, self.precision.multiply(Fraction(exponent), argument))
                else:
                    lowering = self.precision.add(lowering, self.precision.multiply(Fraction(-exponent), argument))
            else:
                result = self.precision.multiply(result, self.precision.power(self.atom(atom), exponent))
        return self.precision.multiply(result, self.precision.exp_of_difference(raising, lowering))

    def atom(self, atom: form.Atom) -> Value:
        known = self.done.get(atom)
        if known is None:
            known = self.done[atom] = self.computed(atom)
        return known

    def computed(self, atom: form.Atom) -> Value:
        match atom:
            case KindVar():
                return variable_value(atom, self.values[atom])
            case form.Root(base=number):
                return Fraction(number)
            case form.Compound(base=base):
                return self.quantity(base)
            case form.Extremum(lattice=lattice, listed=members):
                return self.extremum(lattice, [self.quantity(member) for member in members])
            case form.Applied(function=form.Function.LOG | form.Function.LOG1P as function, argument=argument):
                is_wide = self.precision.magnitude == LOGARITHMIC
                wide = self if is_wide else Evaluation(self.values, Precision(self.precision.digits, LOGARITHMIC))
                return apply(wide.precision, function, wide.quantity(argument))
            case form.Applied(function=function, argument=argument):
                return apply(self.precision, function, self.quantity(argument))

    def extremum(self, lattice: form.Lattice, members: list[Value]) -> Value:
        pick = max if lattice is form.Lattice.MAX else min
        exact = [member for member in members if isinstance(member, Fraction)]
        if len(exact) == len(members):
            return pick(exact)
        bounds = [self.precision.enclosed(member) for member in members]
        return Enclosure(pick(bound.lower for bound in bounds), pick(bound.upper for bound in bounds))


def variable_value(variable: KindVar, value: Fraction | int) -> Fraction:
    """The value given to a variable, checked against its kind."""
    if not isinstance(value, int | Fraction):
        raise TypeError(f"an exact number is needed for {variable.name}, not {type(value).__name__}")
    inside = value >= 1 and value.denominator == 1 if variable.kind is Kind.NAT else value > 0
    if not inside:
        raise OutsideDomain(f"{variable.name} : {variable.kind.value} cannot be {value}")
    return Fraction(value)


def apply(precision: Precision, function: form.Function, argument: Value) -> Value:
    """A function of a number, outward."""
    match function:
        case form.Function.LOG:
            return precision.log(argument)
        case form.Function.EXP:
            return precision.exp(argument)
        case form.Function.EXPM1:
            return precision.expm1(argument)
        case form.Function.LOG1P:
            return precision.log1p(argument)
        case form.Function.TANH:
            return precision.tanh(argument)
        case form.Function.RECIPROCAL:
            return precision.reciprocal(argument)
        case form.Function.WHOLE:
            return argument
