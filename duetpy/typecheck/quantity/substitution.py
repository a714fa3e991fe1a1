"""Replacing variables."""

from __future__ import annotations

from collections.abc import Mapping

from duetpy.typecheck.quantity import elementary, extrema
from duetpy.typecheck.quantity.arithmetic import power, settled
from duetpy.typecheck.quantity.form import (
    ONE,
    ZERO,
    Applied,
    Atom,
    Compound,
    Extremum,
    Function,
    Lattice,
    Monomial,
    Quantity,
    Root,
    atom_facts,
    rational,
)
from duetpy.typecheck.quantity.kinds import Kind, KindVar
from duetpy.typecheck.quantity.rational import Number, OutsideDomain


def admits(variable: KindVar, image: Quantity) -> bool:
    """Whether the image is proved to lie in the domain of the variable at every valuation.

    That a quantity is an integer is taken from the kinds of its parts, not from here: of a symbolic image of an ``ℕ``
    variable only ``≥ 1`` and ``< ∞`` are proved.
    """
    value = image.constant
    match variable.kind:
        case Kind.NAT:
            if value is not None:
                return value >= 1 and value.denominator == 1
            return image.finite() and ONE.leq(image)
        case Kind.POS:
            return image.finite() and image.positive()
        case Kind.TYPE:
            return False


def excludes(variable: KindVar, image: Quantity) -> bool:
    """Whether the image lies outside the domain of the variable at every valuation, by its form."""
    if image.is_infinite or image.is_zero or variable.kind is Kind.TYPE:
        return True
    return image.constant is not None and not admits(variable, image)


def substitute(value: Quantity, mapping: Mapping[KindVar, Quantity]) -> Quantity:
    """``value`` with the variables replaced, simultaneously; see :meth:`Quantity.substitute`."""
    for variable, image in mapping.items():
        if excludes(variable, image):
            raise OutsideDomain(f"{variable.name} : {variable.kind.value} cannot be {image.show()}")
    return _Substitution(mapping).quantity(value)


class _Substitution:
    """One simultaneous substitution, which rebuilds every shared part once.

    The recursion is as deep as the quantity, which ``DEPTH_LIMIT`` bounds.
    """

    def __init__(self, mapping: Mapping[KindVar, Quantity]) -> None:
        self.mapping = mapping
        self.affected = frozenset(mapping)
        self.done: dict[Atom, Quantity] = {}

    def quantity(self, value: Quantity) -> Quantity:
        if self.affected.isdisjoint(value.variables()):
            return value
        result = ZERO
        for monomial, coefficient in value.terms.items():
            kept: dict[Atom, Number] = {}
            changed = ONE
            for atom, exponent in monomial.factors.items():
                if self.affected.isdisjoint(atom_facts(atom).variables):
                    kept[atom] = exponent
                else:
                    changed = changed * power(self.atom(atom), exponent)
            result = result + settled({Monomial(kept): coefficient}) * changed
        return result

    def atom(self, atom: Atom) -> Quantity:
        known = self.done.get(atom)
        if known is None:
            known = self.done[atom] = self.rebuilt(atom)
        return known

    def rebuilt(self, atom: Atom) -> Quantity:
        match atom:
            case KindVar():
                return self.mapping[atom]
            case Root(base=number):
                return rational(number)
            case Compound(base=base):
                return self.quantity(base)
            case Extremum(lattice=Lattice.MAX, listed=members):
                return extrema.maximum(*(self.quantity(member) for member in members))
            case Extremum(listed=members):
                return extrema.minimum(*(self.quantity(member) for member in members))
            case Applied(function=function, argument=argument):
                image = self.quantity(argument)
                match function:
                    case Function.LOG:
                        return elementary.log(image)
                    case Function.EXP:
                        return elementary.exp(image)
                    case Function.EXPM1:
                        return elementary.expm1(image)
                    case Function.LOG1P:
                        return elementary.log1p(image)
                    case Function.TANH:
                        return elementary.tanh(image)
                    case Function.RECIPROCAL:
                        return power(image, -1)
                    case Function.WHOLE:
                        return image
