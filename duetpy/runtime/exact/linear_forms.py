"""Linear forms of doubles added, multiplied, divided, changed at some places, and put together.

Contract. All is exact. What an entry is made of may be for one row to decide (its product is a double, it is beyond the numbers of
which a product is two doubles), but how long the others take is not: they stay linear forms of doubles, and only such an entry is a
fraction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from itertools import product as pairs
from typing import Any

import numpy as np
from attrs import evolve

from duetpy.runtime.exact.rationals import (
    ONE,
    SAFE,
    ZERO,
    Doubles,
    Mask,
    Numbers,
    Objects,
    Term,
    as_doubles,
    at_places,
    blended,
    constant,
    halves,
    is_other,
    of_fractions,
    places_of,
    plain,
    rounded,
    select,
    signs,
    to_double,
)

MAXIMAL_TERMS = 256
"""A longer sum is `shortened`, so that no operation is quadratic in the length of a program."""

TERMS_TOGETHER = 32
"""A linear form with more terms than this takes as much memory as fractions: tables are `shortened`, and factors make no more pairs
of terms."""

# ---------------------------------------------------------------------------------------------------------------------
# Entries apart


def replaced(value: Numbers, places: Mask, entries: list[Fraction]) -> Numbers:
    """The numbers with others at some places."""
    others = Numbers((), at_places(places, entries), value.shape, value.is_natural)
    return select(places, others, value)


def shortened(value: Numbers, most: int) -> Numbers:
    """The same numbers with at most so many terms: an entry of which another term is not 0 is a fraction, and no other one is.

    A row of which a product is no double makes a term more for all rows. Those terms stay that are not 0 in the most entries, so
    that one row does not decide how long all others take.
    """
    if _size(value) <= most:
        return value
    terms, rest = list(value.terms), value.constant
    if isinstance(rest, Fraction) and rest != 0:
        # Next to fractions, a number is a term.
        terms, rest = [*terms, (rest, np.ones(value.shape))], ZERO
    terms.sort(key=lambda term: np.count_nonzero(term[1]), reverse=True)
    is_long = np.logical_or.reduce([array != 0.0 for _, array in terms[most:]])
    entries = entries_at(evolve(value, terms=tuple(terms), constant=rest), is_long).tolist()
    found = replaced(evolve(value, terms=tuple(terms[:most]), constant=rest), is_long, entries)
    return evolve(found, terms=tuple(term for term in found.terms if term[1].any()))


def _size(value: Numbers) -> int:
    """The number of terms, the constant among them: next to fractions, which one row may bring, it is a term as well."""
    return len(value.terms) + (isinstance(value.constant, Fraction) and value.constant != 0)


def entries_at(value: Numbers, places: Mask) -> Objects:
    """The entries at some places."""
    return value.each(lambda array: array[places], (int(np.count_nonzero(places)),)).fractions()


def apart(
    value: Numbers, places: Mask, alone: Callable[[Fraction], Fraction], others: Callable[[Numbers], Numbers]
) -> Numbers:
    """What a function makes of all numbers together, except that at some places each number is computed alone."""
    together = others(select(places, _nothing(value.shape), value))
    return replaced(together, places, [alone(value.exactly(at)) for at in places_of(places)])


def with_doubles(value: Numbers) -> tuple[Doubles, Mask]:
    """The doubles next to numbers, and where the numbers are no doubles."""
    near = rounded(value)
    if near is value.doubles:
        return near, np.zeros(value.shape, dtype=np.bool_)
    return near, signs(add(value, plain(-near))) != 0.0


def _nothing(shape: tuple[int, ...]) -> Numbers:
    return constant(0, shape)


# ---------------------------------------------------------------------------------------------------------------------
# Sums, products and quotients


def collected(terms: list[Term]) -> list[Term]:
    """The terms of one array as one term, and none that is a multiple by 0."""
    by_array: dict[int, Term] = {}
    for factor, array in terms:
        known = by_array.get(id(array))
        by_array[id(array)] = (factor if known is None else known[0] + factor, array)
    return [term for term in by_array.values() if term[0] != 0]


def add(left: Numbers, right: Numbers) -> Numbers:
    """Entry by entry."""
    terms = collected([*left.terms, *right.terms])
    one, other = left.constant, right.constant
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        constant: Fraction | Objects = one + other
    else:
        # Next to fractions, a number is a term: fractions that are 0 stay so.
        terms += [(each, np.ones(left.shape)) for each in (one, other) if isinstance(each, Fraction) and each != 0]
        constant = _summed([each for each in (one, other) if not isinstance(each, Fraction)])
    total = Numbers(tuple(terms), constant, left.shape, left.is_natural and right.is_natural)
    return shortened(total, MAXIMAL_TERMS)


def _summed(arrays: list[Objects]) -> Objects:
    found = arrays[0]
    for array in arrays[1:]:
        places = is_other(array)
        found = found.copy()
        found[places] = found[places] + array[places]
    return found


def product(left: Numbers, right: Numbers) -> Numbers:
    """Entry by entry. The product of two doubles is the sum of two, unless it over- or underflows (Dekker 1971)."""
    alone = _unsafe(left) | _unsafe(right)
    first, second = _without(left, alone), _without(right, alone)
    alone |= _with_rare_terms(first, second)
    if not alone.any():
        return _product_in_doubles(first, second)
    entries = (entries_at(left, alone) * entries_at(right, alone)).tolist()
    return replaced(_product_in_doubles(_without(first, alone), _without(second, alone)), alone, entries)


def _without(value: Numbers, places: Mask) -> Numbers:
    """The same numbers, all terms of which are 0 at places with each fraction among them."""
    rest = value.constant if isinstance(value.constant, Fraction) else ZERO
    if not places.any():
        return evolve(value, constant=rest)
    terms = [(factor, blended(places, np.float64(0.0), array)) for factor, array in value.terms]
    return evolve(value, terms=tuple(term for term in terms if term[1].any()), constant=rest)


def _with_rare_terms(left: Numbers, right: Numbers) -> Mask:
    """Where one of the rarest terms of two factors is not 0. Of the others there are no more than `TERMS_TOGETHER` pairs.

    Terms that one row brings are the first of these, and no term of all rows is among them that would not be without that row.
    """
    sizes = [_size(left), _size(right)]
    found = np.zeros(left.shape, dtype=np.bool_)
    if sizes[0] * sizes[1] <= TERMS_TOGETHER:
        return found
    every = [(side, array != 0.0) for side, each in enumerate((left, right)) for _, array in each.terms]
    for side, places in sorted(every, key=lambda term: np.count_nonzero(term[1])):
        if sizes[0] * sizes[1] > TERMS_TOGETHER:
            found |= places
            sizes[side] -= 1
    return found


def _product_in_doubles(left: Numbers, right: Numbers) -> Numbers:
    assert isinstance(left.constant, Fraction)
    assert isinstance(right.constant, Fraction)
    terms: list[Term] = []
    for (factor, array), (other_factor, other) in pairs(left.terms, right.terms):
        together = array * other
        terms += [(factor * other_factor, part) for part in (together, product_rest(array, other, together))]
    terms += [(factor * right.constant, array) for factor, array in left.terms]
    terms += [(left.constant * factor, array) for factor, array in right.terms]
    terms = collected(terms)
    # The first term is kept even if it is 0 in each row: of two columns of doubles the product is one, if it is one in each row.
    kept = terms[:1] + [term for term in terms[1:] if term[1].any()]
    natural = left.is_natural and right.is_natural
    return Numbers(tuple(kept), left.constant * right.constant, left.shape, natural)


def _unsafe(value: Numbers) -> Mask:
    """Where a product is not to be computed in doubles."""
    found = np.zeros(value.shape, dtype=np.bool_)
    for _, array in value.terms:
        size = np.abs(array)
        found |= (size != 0.0) & ((size >= SAFE) | (size <= 1 / SAFE))
    return found if isinstance(value.constant, Fraction) else found | is_other(value.constant)


def safe_doubles(value: Numbers) -> tuple[Doubles, Mask]:
    """Those doubles of which no product over- or underflows, nor the rest of one; 0 for other numbers, and where these are."""
    near, is_odd = with_doubles(value)
    is_odd |= _unsafe(plain(near))
    return np.where(is_odd, 0.0, near), is_odd


def product_rest(left: Doubles, right: Doubles, together: Doubles) -> Doubles:
    """What rounding took away from the products of doubles, exactly (Dekker 1971)."""
    left_head, left_tail = halves(left)
    right_head, right_tail = halves(right)
    return (
        (left_head * right_head - together) + left_head * right_tail + left_tail * right_head
    ) + left_tail * right_tail


def quotient(left: Numbers, right: Numbers) -> Numbers:
    """Entry by entry, 0 where the divisor is 0."""
    pairs = zip(left.fractions().ravel().tolist(), right.fractions().ravel().tolist(), strict=True)
    return of_fractions([top / bottom if bottom else ZERO for top, bottom in pairs], left.shape)


# ---------------------------------------------------------------------------------------------------------------------
# One below the other, and side by side


def joined(parts: Sequence[Numbers]) -> Numbers:
    """Numbers one below the other."""
    ends = np.cumsum([0, *(part.shape[0] for part in parts)]).tolist()
    places = [slice(start, end) for start, end in pairwise(ends)]
    return _together(parts, places, (ends[-1], *parts[0].shape[1:]))


def side_by_side(columns: Sequence[Numbers]) -> Numbers:
    """Numbers of shape (rows,) as the columns of one array of shape (rows, columns)."""
    places = [(slice(None), at) for at in range(len(columns))]
    return _together(columns, places, (columns[0].shape[0], len(columns)))


def _together(parts: Sequence[Numbers], places: Sequence[Any], shape: tuple[int, ...]) -> Numbers:
    """Numbers that are put at some places of one array."""
    natural = all(part.is_natural for part in parts)
    doubles = [as_doubles(part) for part in parts]
    if all(array is not None for array in doubles):
        whole = np.empty(shape, order="F")
        for place, values in zip(places, doubles, strict=True):
            whole[place] = values
        return plain(whole, natural=natural)
    constants = [part.constant for part in parts if isinstance(part.constant, Fraction)]
    shared = constants[0] if len(constants) == len(parts) and len(set(constants)) == 1 else ZERO
    found: dict[tuple[Fraction, int], Doubles] = {}
    for part, place in zip(parts, places, strict=True):
        terms: list[tuple[Fraction, Doubles | float]] = [*part.terms]
        if isinstance(part.constant, Fraction) and part.constant != shared:
            near = to_double(part.constant)
            terms.append((ONE, near) if near == part.constant else (part.constant, 1.0))
        # Terms of several parts with one factor are one.
        seen: Counter[Fraction] = Counter()
        for factor, array in terms:
            key = (factor, seen[factor])
            seen[factor] += 1
            if key not in found:
                found[key] = np.zeros(shape, order="F")
            found[key][place] = array
    rest: Fraction | Objects = shared
    if len(constants) < len(parts):
        rest = np.full(shape, ZERO, dtype=np.object_)
        for part, place in zip(parts, places, strict=True):
            if not isinstance(part.constant, Fraction):
                rest[place] = part.constant
    made = tuple((factor, array) for (factor, _), array in found.items())
    return shortened(Numbers(made, rest, shape, natural), TERMS_TOGETHER)
