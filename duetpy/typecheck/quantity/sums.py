"""Sums of monomials: products, common factors, exact quotients and roots, and common denominators.

Every operation but :func:`subtracted` is on positive terms, of which none cancels another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import comb, floor, gcd, lcm

from duetpy.typecheck.quantity.form import Atom, Compound, Monomial, Root, Terms
from duetpy.typecheck.quantity.rational import (
    Number,
    QuantityTooLarge,
    exact_root,
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
#: A common denominator and a root of a sum are looked for up to this many terms.
SEARCH_LIMIT = 64


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


def expandable(terms: Terms, *exponents: int) -> bool:
    """Whether powers of a sum can be multiplied out within the limit, all of them together."""
    if any(exponent > EXPANSION_LIMIT for exponent in exponents):
        return False
    return sum(comb(each + len(terms) - 1, each) * each for each in exponents) <= EXPANSION_LIMIT


def expanded(terms: Terms, exponent: int) -> Terms:
    """A positive whole power of a sum, multiplied out."""
    if not expandable(terms, exponent):
        raise QuantityTooLarge("a power of a sum with too many terms")
    result = terms
    for _ in range(exponent - 1):
        result = multiplied(result, terms)
    return result


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
    pivots = frozenset(denominator_compounds(terms))
    groups: dict[frozenset[tuple[Compound, Number]], Terms] = {}
    for monomial, coefficient in terms.items():
        parts = frozenset(
            (atom, exponent % 1)
            for atom, exponent in monomial.factors.items()
            if exponent % 1 and isinstance(atom, Compound) and atom in pivots
        )
        groups.setdefault(parts, {})[monomial] = coefficient
    result: Terms = {}
    for group in groups.values():
        for monomial, coefficient in over_one_denominator(group, pivots).items():
            accumulate(result, monomial, coefficient)
    return result


def over_one_denominator(group: Terms, pivots: frozenset[Compound]) -> Terms:
    least = {
        atom: exponent
        for atom, exponent in least_exponents(list(group)).items()
        if isinstance(atom, Compound) and atom in pivots
    }
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
