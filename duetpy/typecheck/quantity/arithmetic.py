"""Sums, products and powers in normal form.

A product of polynomials is multiplied out. A sum of several terms under another power becomes a compound atom, after
its common factor has been taken out and a perfect power has been undone: √(4a² + 4ab) is 2·√a·√(a+b). Terms with
compounds in their denominators are brought to the least common denominator and cancelled, so that a/(a+b) + b/(a+b)
is 1. What would be multiplied out into too many terms stays a factor of its own (``Function.WHOLE``).
"""

from __future__ import annotations

from math import floor

from duetpy.typecheck.quantity import form
from duetpy.typecheck.quantity.rational import Number, QuantityTooLarge, factors, tidy, tidy_exponent, whole_power
from duetpy.typecheck.quantity.sums import (
    PRODUCT_LIMIT,
    accumulate,
    canonical,
    combined,
    content,
    denominator_compounds,
    divided,
    expandable,
    expanded,
    merged,
    multiplied,
    unpowered,
)

#: A sum with compounds in denominators has at most this many nodes when written out.
FRACTION_LIMIT = 100_000


def total(left: form.Quantity, right: form.Quantity) -> form.Quantity:
    """The sum of two finite forms."""
    if len(left.terms) < len(right.terms):
        left, right = right, left
    terms = dict(left.terms)
    for monomial, coefficient in right.terms.items():
        accumulate(terms, monomial, coefficient)
    if left.divided or right.divided:
        return settled(terms)
    return bounded(terms)


def product(left: form.Quantity, right: form.Quantity) -> form.Quantity:
    """The product of two finite forms that are not zero."""
    for fraction, factor in ((left, right), (right, left)):
        if fraction.divided and len(factor.terms) > 1:
            cancelled = cancelled_product(fraction, factor)
            if cancelled is not None:
                return cancelled
    if len(left.terms) > 1 and len(right.terms) > 1 and len(left.terms) * len(right.terms) > PRODUCT_LIMIT:
        left, right = whole(left), whole(right)
    return settled(multiplied(left.terms, right.terms))


def cancelled_product(fraction: form.Quantity, factor: form.Quantity) -> form.Quantity | None:
    """The product with a power of one of the compounds that the fraction is divided by, None if it is not one.

    To multiply it out and divide again would be slower, and does not always succeed where roots are involved.
    """
    pivots = denominator_compounds(fraction.terms)
    if not any(len(pivot.base.terms) <= len(factor.terms) for pivot in pivots):
        return None
    coefficient, common = content([factor.terms])
    base, times = unpowered(divided(factor.terms, coefficient, common))
    for pivot in pivots:
        if pivot.base.terms == base:
            return times_power(fraction, pivot, times) * settled(canonical(coefficient, common))
    return None


def times_power(value: form.Quantity, atom: form.Compound, exponent: Number) -> form.Quantity:
    """The product with a power of a compound: exponents are added, what is left of the power is multiplied out."""
    terms: form.Terms = {}
    for monomial, coefficient in value.terms.items():
        for found, share in canonical(coefficient, merged(monomial.factors, {atom: exponent})).items():
            accumulate(terms, found, share)
    return settled(terms)


def whole(value: form.Quantity) -> form.Quantity:
    """The same value as one factor that is never multiplied out."""
    if len(value.terms) == 1:
        return value
    return atomic(form.applied(form.Function.WHOLE, value))


def atomic(atom: form.Atom, exponent: Number = 1) -> form.Quantity:
    """An atom under an exponent that the invariants allow."""
    return form.Quantity({form.Monomial({atom: exponent}): 1})


def settled(terms: form.Terms) -> form.Quantity:
    """The quantity of a sum of terms whose denominators may still have to be combined."""
    if not any(monomial.divided for monomial in terms):
        return bounded(terms)
    terms = combined(terms)
    return bounded(terms, any(monomial.divided for monomial in terms))


def bounded(terms: form.Terms, divided: bool = False) -> form.Quantity:
    """The quantity of a sum in normal form, if it is not too long."""
    if len(terms) > form.TERM_LIMIT:
        raise QuantityTooLarge(f"a sum of more than {form.TERM_LIMIT} terms")
    if len(terms) == 1 and form.UNIT in terms:
        return form.rational(terms[form.UNIT])
    result = form.Quantity(terms, divided=divided)
    if divided and result.facts().weight > FRACTION_LIMIT:
        raise QuantityTooLarge("a fraction with too many terms")
    return result


def replace_atom(value: form.Quantity, atom: form.Atom, image: form.Quantity) -> form.Quantity:
    """The sum with an atom of its own terms (not of their arguments) replaced."""
    terms: form.Terms = {}
    for monomial, coefficient in value.terms.items():
        exponent = monomial.factors.get(atom)
        if exponent is None:
            accumulate(terms, monomial, coefficient)
            continue
        rest = form.Monomial({other: times for other, times in monomial.factors.items() if other != atom})
        part = settled({rest: coefficient}) * power(image, exponent)
        if part.is_infinite:
            return part
        for found, share in part.terms.items():
            accumulate(terms, found, share)
    return settled(terms)


# Powers


def power(value: form.Quantity, exponent: Number) -> form.Quantity:
    """``value ** exponent`` for any rational exponent; x⁰ = 1, and a negative power is the inverse of the positive."""
    if exponent == 0:
        return form.ONE
    if exponent == 1:
        return value
    if not value.terms:
        return form.INFINITY if value.is_infinite == (exponent > 0) else form.ZERO
    if len(value.terms) == 1:
        ((monomial, coefficient),) = value.terms.items()
        return power_of_term(coefficient, monomial, exponent)
    if exponent == floor(exponent) and exponent > 0:
        if expandable(value.terms, int(exponent)):
            return settled(expanded(value.terms, int(exponent)))
        return atomic(form.applied(form.Function.WHOLE, value), exponent)
    return power_of_sum(value, exponent)


def power_of_number(base: Number, exponent: Number) -> tuple[Number, dict[form.Atom, Number]]:
    """A power of a positive number as a rational number times roots of distinct bases."""
    if exponent == floor(exponent):
        return whole_power(base, int(exponent)), {}
    exact: Number = 1
    roots: dict[form.Atom, Number] = {}
    for part, sign in ((base.numerator, 1), (base.denominator, -1)):
        for prime, times in factors(part):
            whole_part, fraction = divmod(exponent * times * sign, 1)
            exact = tidy(exact * whole_power(prime, whole_part))
            if fraction:
                roots[form.Root(prime)] = tidy_exponent(fraction)
    return exact, roots


def power_of_term(coefficient: Number, monomial: form.Monomial, exponent: Number) -> form.Quantity:
    scale, exponents = power_of_number(coefficient, exponent)
    others: dict[form.Atom, Number] = {}
    for atom, times in monomial.factors.items():
        if exponent < 0 and not form.atom_facts(atom).unit:
            others[atom] = times
            continue
        raised = tidy_exponent(times * exponent)
        if isinstance(atom, form.Compound) and raised > 1 and not expandable(atom.base.terms, floor(raised)):
            atom = form.applied(form.Function.WHOLE, atom.base)
        exponents = merged(exponents, {atom: raised})
    result = settled(canonical(scale, exponents))
    return result * inverse_of_others(others, -exponent) if others else result


def inverse_of_others(others: dict[form.Atom, Number], exponent: Number) -> form.Quantity:
    """1/x^exponent for a product x of atoms that are not units.

    1/(x·y) is (1/x)·(1/y) unless one of them can be 0 where the other is ∞.
    """
    facts = [form.atom_facts(atom) for atom in others]
    if not (all(fact.finite for fact in facts) or all(fact.positive for fact in facts)):
        return atomic(form.applied(form.Function.RECIPROCAL, form.Quantity({form.Monomial(others): 1})), exponent)
    result = form.ONE
    for atom, times in others.items():
        times = tidy_exponent(times * exponent)
        if isinstance(atom, form.Applied) and atom.function is form.Function.RECIPROCAL:
            result = result * power(atom.argument, times)
        else:
            result = result * atomic(form.applied(form.Function.RECIPROCAL, atomic(atom)), times)
    return result


def power_of_sum(value: form.Quantity, exponent: Number) -> form.Quantity:
    """A power of two or more terms that is not a positive whole one."""
    coefficient, common = content([value.terms])
    primitive = settled(divided(value.terms, coefficient, common))
    if len(primitive.terms) == 1:
        return power(settled(canonical(coefficient, common)) * primitive, exponent)
    if exponent < 0 and not primitive.facts().unit:
        # Only a factor that is a unit may leave the denominator.
        common = {atom: times for atom, times in common.items() if form.atom_facts(atom).unit}
        primitive = settled(divided(value.terms, coefficient, common))
        inner = atomic(form.applied(form.Function.RECIPROCAL, primitive), -exponent)
    else:
        inner = power_of_primitive(primitive.terms, exponent)
    return power(settled(canonical(coefficient, common)), exponent) * inner


def power_of_primitive(terms: form.Terms, exponent: Number) -> form.Quantity:
    """A power of two or more terms without common factor; a negative one only of a unit."""
    base, times = unpowered(terms)
    exponent = tidy_exponent(exponent * times)
    if exponent > 1 and not expandable(base, floor(exponent)):
        return atomic(form.applied(form.Function.WHOLE, form.Quantity(base)), exponent)
    return settled(canonical(1, {form.compound(form.Quantity(base)): exponent}))
