"""Sums, products and powers in normal form.

A product of polynomials is multiplied out. A sum of several terms under another power becomes a compound atom, after
its common factor has been taken out and a perfect power has been undone: √(4a² + 4ab) is 2·√a·√(a+b). Terms with
compounds in their denominators are brought to the least common denominator and cancelled, so that a/(a+b) + b/(a+b)
is 1. What would be multiplied out into too many terms stays a factor of its own (``Function.WHOLE``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import comb, floor, gcd, lcm

from duetpy.typecheck.quantity.form import (
    INFINITY,
    ONE,
    TERM_LIMIT,
    UNIT,
    ZERO,
    Applied,
    Atom,
    Compound,
    Function,
    Monomial,
    Quantity,
    Root,
    Terms,
    applied,
    atom_facts,
    compound,
    rational,
)
from duetpy.typecheck.quantity.rational import (
    Number,
    QuantityTooLarge,
    exact_root,
    factors,
    multiplicity,
    quotient,
    tidy,
    tidy_exponent,
    whole_power,
)

#: Two sums are multiplied out when this many products of terms are enough.
PRODUCT_LIMIT = 2_000
#: A power of a sum is multiplied out when this many products of terms are enough.
EXPANSION_LIMIT = 20_000
#: A sum with compounds in denominators has at most this many nodes when written out.
FRACTION_LIMIT = 100_000
#: A common denominator and a root of a sum are looked for up to this many terms.
SEARCH_LIMIT = 64


def total(left: Quantity, right: Quantity) -> Quantity:
    """The sum of two finite forms."""
    if len(left.terms) < len(right.terms):
        left, right = right, left
    terms = dict(left.terms)
    for monomial, coefficient in right.terms.items():
        accumulate(terms, monomial, coefficient)
    if left.divided or right.divided:
        return settled(terms)
    return bounded(terms)


def product(left: Quantity, right: Quantity) -> Quantity:
    """The product of two finite forms that are not zero."""
    for fraction, factor in ((left, right), (right, left)):
        if fraction.divided and len(factor.terms) > 1:
            cancelled = cancelled_product(fraction, factor)
            if cancelled is not None:
                return cancelled
    if len(left.terms) > 1 and len(right.terms) > 1 and len(left.terms) * len(right.terms) > PRODUCT_LIMIT:
        left, right = whole(left), whole(right)
    return settled(multiplied(left.terms, right.terms))


def cancelled_product(fraction: Quantity, factor: Quantity) -> Quantity | None:
    """The product with a power of one of the compounds that the fraction is divided by, None when it is none.

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


def times_power(value: Quantity, atom: Compound, exponent: Number) -> Quantity:
    """The product with a power of a compound: exponents are added, what is left of the power is multiplied out."""
    terms: Terms = {}
    for monomial, coefficient in value.terms.items():
        for found, share in canonical(coefficient, merged(monomial.factors, {atom: exponent})).items():
            accumulate(terms, found, share)
    return settled(terms)


def whole(value: Quantity) -> Quantity:
    """The same value as one factor that is never multiplied out."""
    if len(value.terms) == 1:
        return value
    return atomic(applied(Function.WHOLE, value))


def atomic(atom: Atom, exponent: Number = 1) -> Quantity:
    """An atom under an exponent that the invariants allow."""
    return Quantity({Monomial({atom: exponent}): 1})


def settled(terms: Terms) -> Quantity:
    """The quantity of a sum of terms whose denominators may still have to be combined."""
    if not any(monomial.divided for monomial in terms):
        return bounded(terms)
    terms = combined(terms)
    return bounded(terms, any(monomial.divided for monomial in terms))


def bounded(terms: Terms, divided: bool = False) -> Quantity:
    """The quantity of a sum in normal form, if it is not too long."""
    if len(terms) > TERM_LIMIT:
        raise QuantityTooLarge(f"a sum of more than {TERM_LIMIT} terms")
    if len(terms) == 1 and UNIT in terms:
        return rational(terms[UNIT])
    result = Quantity(terms, divided=divided)
    if divided and result.facts().weight > FRACTION_LIMIT:
        raise QuantityTooLarge("a fraction with too many terms")
    return result


def accumulate(terms: Terms, monomial: Monomial, coefficient: Number) -> None:
    """Add one term to a sum, in place."""
    known = terms.get(monomial)
    terms[monomial] = coefficient if known is None else tidy(known + coefficient)


# Products


def multiplied(left: Terms, right: Terms) -> Terms:
    """The product of two sums, multiplied out; denominators are not combined."""
    result: Terms = {}
    for first, first_coefficient in left.items():
        for second, second_coefficient in right.items():
            coefficient = tidy(first_coefficient * second_coefficient)
            if not first.factors or not second.factors:
                accumulate(result, second if not first.factors else first, coefficient)
            elif first.plain and second.plain:
                accumulate(result, Monomial(merged(first.factors, second.factors)), coefficient)
            else:
                for monomial, share in canonical(coefficient, merged(first.factors, second.factors)).items():
                    accumulate(result, monomial, share)
    return result


def merged(left: Mapping[Atom, Number], right: Mapping[Atom, Number], times: Number = 1) -> dict[Atom, Number]:
    """The exponents of ``left · right^times``, before roots and compounds are brought into their range."""
    exponents = dict(left)
    for atom, exponent in right.items():
        found = tidy_exponent(exponents.get(atom, 0) + exponent * times)
        if found:
            exponents[atom] = found
        else:
            del exponents[atom]
    return exponents


def canonical(coefficient: Number, exponents: dict[Atom, Number]) -> Terms:
    """One term with exponents out of range, as the sum that it is: whole powers of roots and compounds multiplied out.

    Takes over ``exponents``.
    """
    opened: list[tuple[Terms, int]] = []
    for atom, exponent in list(exponents.items()):
        count = floor(exponent)
        if isinstance(atom, Root) and count:
            coefficient = tidy(coefficient * whole_power(atom.base, count))
        elif isinstance(atom, Compound) and count >= 1:
            opened.append((atom.base.terms, count))
        else:
            continue
        rest = tidy_exponent(exponent - count)
        if rest:
            exponents[atom] = rest
        else:
            del exponents[atom]
    result = {Monomial(exponents): coefficient}
    for terms, count in opened:
        result = multiplied_within_limit(result, expanded(terms, count))
    return result


def multiplied_within_limit(left: Terms, right: Terms) -> Terms:
    if len(left) > 1 and len(right) > 1 and len(left) * len(right) > PRODUCT_LIMIT:
        raise QuantityTooLarge("a product of sums with too many terms")
    return multiplied(left, right)


def expandable(terms: Terms, exponent: int) -> bool:
    """Whether a power of a sum can be multiplied out within the limit."""
    if exponent > EXPANSION_LIMIT:
        return False
    return comb(exponent + len(terms) - 1, exponent) * exponent <= EXPANSION_LIMIT


def expanded(terms: Terms, exponent: int) -> Terms:
    """A positive whole power of a sum, multiplied out."""
    if not expandable(terms, exponent):
        raise QuantityTooLarge("a power of a sum with too many terms")
    result = terms
    for _ in range(exponent - 1):
        result = multiplied(result, terms)
    return result


# Powers


def power(value: Quantity, exponent: Number) -> Quantity:
    """``value ** exponent`` for any rational exponent; x⁰ = 1, and a negative power is the inverse of the positive."""
    if exponent == 0:
        return ONE
    if exponent == 1:
        return value
    if not value.terms:
        return INFINITY if value.is_infinite == (exponent > 0) else ZERO
    if len(value.terms) == 1:
        ((monomial, coefficient),) = value.terms.items()
        return power_of_term(coefficient, monomial, exponent)
    if exponent == floor(exponent) and exponent > 0:
        if expandable(value.terms, int(exponent)):
            return settled(expanded(value.terms, int(exponent)))
        return atomic(applied(Function.WHOLE, value), exponent)
    return power_of_sum(value, exponent)


def power_of_number(base: Number, exponent: Number) -> tuple[Number, dict[Atom, Number]]:
    """A power of a positive number as a rational number times roots of distinct bases."""
    if exponent == floor(exponent):
        return whole_power(base, int(exponent)), {}
    exact: Number = 1
    roots: dict[Atom, Number] = {}
    for part, sign in ((base.numerator, 1), (base.denominator, -1)):
        for prime, times in factors(part):
            whole_part, fraction = divmod(exponent * times * sign, 1)
            exact = tidy(exact * whole_power(prime, whole_part))
            if fraction:
                roots[Root(prime)] = tidy_exponent(fraction)
    return exact, roots


def power_of_term(coefficient: Number, monomial: Monomial, exponent: Number) -> Quantity:
    scale, exponents = power_of_number(coefficient, exponent)
    others: dict[Atom, Number] = {}
    for atom, times in monomial.factors.items():
        if exponent < 0 and not atom_facts(atom).unit:
            others[atom] = times
            continue
        raised = tidy_exponent(times * exponent)
        if isinstance(atom, Compound) and raised > 1 and not expandable(atom.base.terms, floor(raised)):
            atom = applied(Function.WHOLE, atom.base)
        exponents = merged(exponents, {atom: raised})
    result = settled(canonical(scale, exponents))
    return result * inverse_of_others(others, -exponent) if others else result


def inverse_of_others(others: dict[Atom, Number], exponent: Number) -> Quantity:
    """1/x^exponent for a product x of atoms that are not units.

    1/(x·y) is (1/x)·(1/y) unless one of them can be 0 where the other is ∞.
    """
    facts = [atom_facts(atom) for atom in others]
    if not (all(fact.finite for fact in facts) or all(fact.positive for fact in facts)):
        return atomic(applied(Function.RECIPROCAL, Quantity({Monomial(others): 1})), exponent)
    result = ONE
    for atom, times in others.items():
        times = tidy_exponent(times * exponent)
        if isinstance(atom, Applied) and atom.function is Function.RECIPROCAL:
            result = result * power(atom.argument, times)
        else:
            result = result * atomic(applied(Function.RECIPROCAL, atomic(atom)), times)
    return result


def power_of_sum(value: Quantity, exponent: Number) -> Quantity:
    """A power of two or more terms that is not a positive whole one."""
    coefficient, common = content([value.terms])
    primitive = settled(divided(value.terms, coefficient, common))
    if len(primitive.terms) == 1:
        return power(settled(canonical(coefficient, common)) * primitive, exponent)
    if exponent < 0 and not primitive.facts().unit:
        # Only a factor that is a unit may leave the denominator.
        common = {atom: times for atom, times in common.items() if atom_facts(atom).unit}
        primitive = settled(divided(value.terms, coefficient, common))
        inner = atomic(applied(Function.RECIPROCAL, primitive), -exponent)
    else:
        inner = power_of_primitive(primitive.terms, exponent)
    return power(settled(canonical(coefficient, common)), exponent) * inner


def power_of_primitive(terms: Terms, exponent: Number) -> Quantity:
    """A power of two or more terms without common factor; a negative one only of a unit."""
    base, times = unpowered(terms)
    exponent = tidy_exponent(exponent * times)
    if exponent > 1 and not expandable(base, floor(exponent)):
        return atomic(applied(Function.WHOLE, Quantity(base)), exponent)
    return settled(canonical(1, {compound(Quantity(base)): exponent}))


# Common factors


def content(sums: Sequence[Terms]) -> tuple[Number, dict[Atom, Number]]:
    """The common factor of all terms of all sums: a number, and exponents (out of range for roots, maybe).

    Of every atom the least exponent, 0 where it is absent; of the coefficients the greatest common divisor.
    """
    monomials = [monomial for terms in sums for monomial in terms]
    coefficients = [coefficient for terms in sums for coefficient in terms.values()]
    common = least_exponents(monomials)
    scale: Number = 1
    for atom in {atom for monomial in monomials for atom in monomial.factors if isinstance(atom, Root)}:
        # √2·2 and 2·√2 are one: a base under a root is counted in the coefficients too.
        common[atom] = min(
            valuation(coefficient, atom.base) + monomial.factors.get(atom, 0)
            for coefficient, monomial in zip(coefficients, monomials, strict=True)
        )
        coefficients = [
            tidy(coefficient * whole_power(atom.base, -valuation(coefficient, atom.base)))
            for coefficient in coefficients
        ]
    scale = quotient(
        gcd(*(coefficient.numerator for coefficient in coefficients)),
        lcm(*(coefficient.denominator for coefficient in coefficients)),
    )
    return scale, {atom: exponent for atom, exponent in common.items() if exponent}


def least_exponents(monomials: Sequence[Monomial]) -> dict[Atom, Number]:
    """The least exponent of every atom but roots, those that are absent somewhere counting 0 there."""
    least: dict[Atom, Number] = {}
    seen: dict[Atom, int] = {}
    for monomial in monomials:
        for atom, exponent in monomial.factors.items():
            if not isinstance(atom, Root):
                least[atom] = min(least.get(atom, exponent), exponent)
                seen[atom] = seen.get(atom, 0) + 1
    return {atom: exponent if seen[atom] == len(monomials) else min(exponent, 0) for atom, exponent in least.items()}


def valuation(value: Number, base: int) -> int:
    """The exponent of ``base`` in a positive number."""
    return multiplicity(value.numerator, base) - multiplicity(value.denominator, base)


def divided(terms: Terms, coefficient: Number, common: Mapping[Atom, Number]) -> Terms:
    """A sum without its common factor."""
    result: Terms = {}
    for monomial, share in terms.items():
        for found, part in canonical(quotient(share, coefficient), merged(monomial.factors, common, -1)).items():
            accumulate(result, found, part)
    return result


# Quotients and roots of sums, and common denominators


def exact_quotient(top: Terms, bottom: Terms) -> Terms | None:
    """The sum of positive terms that gives ``top`` when multiplied by ``bottom``, if there is one.

    Nothing cancels in a product of positive terms. So the leading term of the quotient is that of ``top`` over that of
    ``bottom``, its product with ``bottom`` lies within ``top`` term by term, and what is left is again such a product.
    """
    key = lexicographic([*top, *bottom])
    lead = max(bottom, key=key)
    left = dict(top)
    result: Terms = {}
    for monomial in sorted(top, key=key, reverse=True):
        if monomial not in left:
            continue
        step = canonical(quotient(left[monomial], bottom[lead]), merged(monomial.factors, lead.factors, -1))
        if not subtracted(left, multiplied(step, bottom)):
            return None
        for found, share in step.items():
            accumulate(result, found, share)
    return result if not left else None


def subtracted(terms: Terms, others: Terms) -> bool:
    """Take one sum out of another, in place; False when a term would become negative."""
    for monomial, coefficient in others.items():
        left = tidy(terms.get(monomial, 0) - coefficient)
        if left < 0:
            return False
        if left:
            terms[monomial] = left
        else:
            del terms[monomial]
    return True


class lexicographic:
    """A total order on the monomials over given ones that products respect: by the exponents of the atoms in turn."""

    def __init__(self, monomials: Iterable[Monomial]) -> None:
        atoms = {atom: None for monomial in monomials for atom in monomial.factors}
        # Roots last: they are numbers, and only break ties.
        self.atoms = sorted(atoms, key=lambda atom: isinstance(atom, Root))

    def __call__(self, monomial: Monomial) -> tuple[Number, ...]:
        return tuple(monomial.factors.get(atom, 0) for atom in self.atoms)


def unpowered(terms: Terms) -> tuple[Terms, int]:
    """``(base, times)`` with base^times the given sum, and times as large as is found."""
    times = 1
    for degree in (2, 3, 5, 7):
        while degree < len(terms) <= SEARCH_LIMIT:
            base = exact_root_of_sum(terms, degree)
            if base is None:
                break
            terms, times = base, times * degree
    return terms, times


def exact_root_of_sum(terms: Terms, degree: int) -> Terms | None:
    """The sum of positive terms whose ``degree``-th power is the given sum, if there is one.

    Term by term from the leading one: the leading term of what the power of the first terms leaves is that of
    degree · lead^(degree−1) · next.
    """
    key = lexicographic(terms)
    lead = max(terms, key=key)
    scale = exact_root(terms[lead], degree)
    if scale is None or not lead.plain:
        return None
    first = merged({}, lead.factors, Fraction(1, degree))
    root: Terms = {Monomial(first): scale}
    lowered = merged({}, first, degree - 1)
    while len(root) <= len(terms) and expandable(root, degree):
        left = dict(terms)
        if not subtracted(left, expanded(root, degree)):
            return None
        if not left:
            return root
        monomial = max(left, key=key)
        share = quotient(left[monomial], degree * whole_power(scale, degree - 1))
        step = Monomial(merged(monomial.factors, lowered, -1))
        if step in root or not step.plain:
            return None
        root[step] = share
    return None


def denominator_compounds(terms: Terms) -> list[Compound]:
    """The compounds with a negative exponent in some term, each once, in the order of the terms."""
    found = {
        atom: None
        for monomial in terms
        if monomial.divided
        for atom, exponent in monomial.factors.items()
        if isinstance(atom, Compound) and exponent < 0
    }
    return list(found)


def combined(terms: Terms) -> Terms:
    """The same sum with the terms over compounds brought to one denominator, and cancelled.

    Exponents of one compound that differ by an integer are brought to their least; those with different fractional
    parts stay apart.
    """
    pivots = denominator_compounds(terms)
    groups: dict[frozenset[tuple[Compound, Number]], Terms] = {}
    for monomial, coefficient in terms.items():
        parts = frozenset((pivot, monomial.factors.get(pivot, 0) % 1) for pivot in pivots)
        groups.setdefault(parts, {})[monomial] = coefficient
    result: Terms = {}
    for group in groups.values():
        for monomial, coefficient in over_one_denominator(group, pivots).items():
            accumulate(result, monomial, coefficient)
    return result


def over_one_denominator(group: Terms, pivots: list[Compound]) -> Terms:
    least = {pivot: min(monomial.factors.get(pivot, 0) for monomial in group) for pivot in pivots}
    if not any(exponent < 0 for exponent in least.values()) or estimated_size(group, least) > SEARCH_LIMIT:
        return group
    numerator: Terms = {}
    for monomial, coefficient in group.items():
        exponents = {atom: exponent for atom, exponent in monomial.factors.items() if atom not in least}
        raised: Terms = {Monomial(exponents): coefficient}
        for pivot, lowest in least.items():
            count = monomial.factors.get(pivot, 0) - lowest
            if count:
                raised = multiplied_within_limit(raised, expanded(pivot.base.terms, int(count)))
        for found, share in raised.items():
            accumulate(numerator, found, share)
    for pivot in least:
        while least[pivot] < 0:
            reduced = exact_quotient(numerator, pivot.base.terms)
            if reduced is None:
                break
            numerator = reduced
            least[pivot] += 1
    denominator = Monomial({pivot: exponent for pivot, exponent in least.items() if exponent})
    return multiplied(numerator, {denominator: 1})


def estimated_size(group: Terms, least: Mapping[Compound, Number]) -> int:
    """How many terms the numerator over one denominator has at most; past the limit, any number above it."""
    size = 0
    for monomial in group:
        here = 1
        for pivot, lowest in least.items():
            count = int(monomial.factors.get(pivot, 0) - lowest)
            if not expandable(pivot.base.terms, max(count, 1)):
                return SEARCH_LIMIT + 1
            here *= comb(count + len(pivot.base.terms) - 1, count)
        size += here
        if size > SEARCH_LIMIT:
            break
    return size
