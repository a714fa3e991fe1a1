"""Replacing variables."""

from __future__ import annotations

from collections.abc import Mapping

from duetpy.typecheck.quantity import elementary, extrema, form
from duetpy.typecheck.quantity.arithmetic import power, settled
from duetpy.typecheck.quantity.kinds import Kind, KindVar
from duetpy.typecheck.quantity.rational import Number, OutsideDomain


def admits(variable: KindVar, image: form.Quantity) -> bool:
    """Whether the image is proved to lie in the domain of the variable at every valuation.

    That a quantity is an integer is taken from the kinds of its parts, not from here: of a symbolic image of an ``ℕ``
    variable only ``≥ 1`` and ``< ∞`` are proved.
    """
    value = image.constant
    match variable.kind:
        case Kind.NAT:
            if value is not None:
                return value >= 1 and value.denominator == 1
            return image.finite() and form.ONE.leq(image)
        case Kind.POS:
            return image.finite() and image.positive()
        case Kind.TYPE:
            return False


def excludes(variable: KindVar, image: form.Quantity) -> bool:
    """Whether the image lies outside the domain of the variable at every valuation, by its form."""
    if image.is_infinite or image.is_zero or variable.kind is Kind.TYPE:
        return True
    return image.constant is not None and not admits(variable, image)


def substitute(value: form.Quantity, mapping: Mapping[KindVar, form.Quantity]) -> form.Quantity:
    """``value`` with the variables replaced, simultaneously; see :meth:`Quantity.substitute`."""
    for variable, image in mapping.items():
        if excludes(variable, image):
            raise OutsideDomain(f"{variable.name} : {variable.kind.value} cannot be {image.show()}")
    return _Substitution(mapping).quantity(value)


class _Substitution:
    """One simultaneous substitution, which rebuilds every shared part once.

    The recursion is as deep as the quantity, which ``DEPTH_LIMIT`` bounds.
    """

    def __init__(self, mapping: Mapping[KindVar, form.Quantity]) -> None:
        self.mapping = mapping
        self.affected = frozenset(mapping)
        self.done: dict[form.Atom, form.Quantity] = {}

    def quantity(self, value: form.Quantity) -> form.Quantity:
        if self.affected.isdisjoint(value.variables()):
            return value
        result = form.ZERO
        for monomial, coefficient in value.terms.items():
            kept: dict[form.Atom, Number] = {}
            changed = form.ONE
            for atom, exponent in monomial.factors.items():
                if self.affected.isdisjoint(form.atom_facts(atom).variables):
                    kept[atom] = exponent
                else:
                    changed = changed * power(self.atom(atom), exponent)
            result = result + settled({form.Monomial(kept): coefficient}) * changed
        return result

    def atom(self, atom: form.Atom) -> form.Quantity:
        known = self.done.get(atom)
        if known is None:
            known = self.done[atom] = self.rebuilt(atom)
        return known

    def rebuilt(self, atom: form.Atom) -> form.Quantity:
        match atom:
            case KindVar():
                return self.mapping[atom]
            case form.Root(base=number):
                return form.rational(number)
            case form.Compound(base=base):
                return self.quantity(base)
            case form.Extremum(lattice=form.Lattice.MAX, listed=members):
                return extrema.maximum(*(self.quantity(member) for member in members))
            case form.Extremum(listed=members):
                return extrema.minimum(*(self.quantity(member) for member in members))
            case form.Applied(function=function, argument=argument):
                image = self.quantity(argument)
                match function:
                    case form.Function.LOG:
                        return elementary.log(image)
                    case form.Function.EXP:
                        return elementary.exp(image)
                    case form.Function.EXPM1:
                        return elementary.expm1(image)
                    case form.Function.LOG1P:
                        return elementary.log1p(image)
                    case form.Function.TANH:
                        return elementary.tanh(image)
                    case form.Function.RECIPROCAL:
                        return power(image, -1)
                    case form.Function.WHOLE:
                        return image
