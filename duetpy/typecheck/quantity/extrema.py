"""The largest and the smallest of several quantities, in normal form.

Members that are themselves such an extremum are flattened, repeated and dominated members are dropped, a common term
is taken out of the extremum and a common factor in front of it: max(a+2b, a+2c) is a + 2·max(b, c).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from duetpy.typecheck.quantity import form
from duetpy.typecheck.quantity.arithmetic import atomic, product, replace_atom, settled
from duetpy.typecheck.quantity.rational import Number, QuantityTooLarge
from duetpy.typecheck.quantity.refutation import is_above, profiles
from duetpy.typecheck.quantity.sums import canonical, content, divided, least_exponents, subtracted

#: More members than this are refused, since each is compared with each.
MEMBER_LIMIT = 256
#: How much it may cost to compare two members, since extrema are made in the midst of proofs too.
DOMINANCE = 200


def maximum(*values: form.Quantity) -> form.Quantity:
    """The largest of the values; 0 of none."""
    if any(value.is_infinite for value in values):
        return form.INFINITY
    return _extremum(form.Lattice.MAX, [value for value in values if value.terms], form.ZERO)


def minimum(*values: form.Quantity) -> form.Quantity:
    """The smallest of the values; ∞ of none."""
    if any(value.is_zero for value in values):
        return form.ZERO
    return _extremum(form.Lattice.MIN, [value for value in values if not value.is_infinite], form.INFINITY)


def _extremum(lattice: form.Lattice, values: Sequence[form.Quantity], neutral: form.Quantity) -> form.Quantity:
    if not values:
        return neutral
    if len(values) == 1:
        return values[0]
    places = _undominated(lattice, _flattened(lattice, values))
    whole = frozenset.intersection(*places.values())
    if whole:
        # All that is left comes from one of the values; where from several, they are equal in value.
        return min({values[place] for place in whole}, key=form.Quantity.show)
    members = list(places)
    common = _common_terms([member.terms for member in members])
    if common:
        members = [_without(member.terms, common) for member in members]
        if any(member.is_zero for member in members):
            rest = minimum(*members) if lattice is form.Lattice.MIN else maximum(*members)
            return settled(common) + rest
    coefficient, factor = _common_factor([member.terms for member in members])
    scaled = [settled(divided(member.terms, coefficient, factor)) for member in members]
    result = product(settled(canonical(coefficient, factor)), atomic(form.extremum(lattice, scaled)))
    return settled(common) + result if common else result


def _flattened(lattice: form.Lattice, values: Iterable[form.Quantity]) -> dict[form.Quantity, frozenset[int]]:
    """The values with every extremum of the same kind spread out, and for each the places of the values it is from.

    A sum is increasing in an atom whose exponents in it are positive, so it passes over the extremum: 1 + max(a, b) is
    max(1 + a, 1 + b).
    """
    found: dict[form.Quantity, frozenset[int]] = {}
    places: dict[form.Quantity, set[int]] = {}
    for place, value in enumerate(values):
        places.setdefault(value, set()).add(place)
    waiting = [(value, frozenset(origins)) for value, origins in reversed(places.items())]
    reached: dict[form.Quantity, frozenset[int]] = {}
    while waiting:
        value, origins = waiting.pop()
        before = reached.get(value, frozenset())
        if origins <= before:
            # Many ways may lead to one value: it is spread out once.
            continue
        reached[value] = before | origins
        atom = _increasing_extremum(lattice, value)
        if atom is None:
            found[value] = reached[value]
        else:
            waiting.extend((replace_atom(value, atom, member), origins) for member in atom.listed)
        if len(found) + len(waiting) > MEMBER_LIMIT:
            raise QuantityTooLarge(f"a maximum or minimum of more than {MEMBER_LIMIT} quantities")
    return found


def _increasing_extremum(lattice: form.Lattice, value: form.Quantity) -> form.Extremum | None:
    """An extremum in the terms of a sum that is increasing in it."""
    falling: set[form.Extremum] = set()
    rising: dict[form.Extremum, None] = {}
    for monomial in value.terms:
        for atom, exponent in monomial.factors.items():
            if isinstance(atom, form.Extremum) and atom.lattice is lattice:
                if exponent > 0:
                    rising[atom] = None
                else:
                    falling.add(atom)
    return next((atom for atom in rising if atom not in falling), None)


def _undominated(
    lattice: form.Lattice, values: Mapping[form.Quantity, frozenset[int]]
) -> dict[form.Quantity, frozenset[int]]:
    """The values without those that another one is proved to dominate.

    Those from one place were members of one extremum and have been compared before.
    """
    sampled = profiles(values)

    def is_dominated(value: form.Quantity, other: form.Quantity) -> bool:
        if lattice is form.Lattice.MIN:
            value, other = other, value
        return not is_above(sampled[value], sampled[other]) and value.leq(other, effort=DOMINANCE)

    kept: dict[form.Quantity, frozenset[int]] = {}
    for value, places in values.items():
        others = [other for other, origins in kept.items() if origins.isdisjoint(places)]
        if not any(is_dominated(value, other) for other in others):
            for other in others:
                if is_dominated(other, value):
                    del kept[other]
            kept[value] = places
    return kept


def _common_terms(sums: Sequence[form.Terms]) -> form.Terms:
    """What every one of the sums contains: of each term the least coefficient."""
    first, *others = sums
    return {
        monomial: min(coefficient, *(terms[monomial] for terms in others))
        for monomial, coefficient in first.items()
        if all(monomial in terms for terms in others)
    }


def _common_factor(sums: Sequence[form.Terms]) -> tuple[Number, dict[form.Atom, Number]]:
    """The common factor of all terms, but no denominator that is a sum or an extremum and not common to all members.

    Over a common denominator of theirs, every member would be multiplied out with those of all others.
    """
    coefficient, factor = content(sums)
    own = [least_exponents(list(terms)) for terms in sums]
    for atom, exponent in list(factor.items()):
        if exponent < 0 and isinstance(atom, form.Compound | form.Extremum):
            factor[atom] = min(max(exponents.get(atom, 0) for exponents in own), 0)
    return coefficient, {atom: exponent for atom, exponent in factor.items() if exponent}


def _without(terms: form.Terms, common: form.Terms) -> form.Quantity:
    left = dict(terms)
    subtracted(left, common)
    return settled(left)
