"""Linear forms of doubles multiplied, changed at some places, and put together.

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
    SAFE,
    ZERO,
    Doubles,
    Mask,
    Numbers,
    Objects,
    Term,
    add,
    as_doubles,
    at_places,
    constant,
    halves,
    is_other,
    places_of,
    plain,
    rounded,
    select,
    signs,
)

TERMS_TOGETHER = 32
"""A linear form with more terms than this takes as much memory as fractions, and products and tables become these."""

# ---------------------------------------------------------------------------------------------------------------------
# Entries apart


def replaced(value: Numbers, places: Mask, entries: list[Fraction]) -> Numbers:
    """The numbers with others at some places."""
    others = Numbers((), at_places(places, entries), value.shape, value.is_natural)
    return select(places, others, value)


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
# Products


def product(left: Numbers, right: Numbers) -> Numbers:
    """Entry by entry. The product of two doubles is the sum of two, unless it over- or underflows (Dekker 1971)."""
    natural = left.is_natural and right.is_natural
    if (len(left.terms) + 1) * (len(right.terms) + 1) > TERMS_TOGETHER:
        return Numbers((), left.fractions() * right.fractions(), left.shape, natural)
    unsafe = _unsafe(left) | _unsafe(right)
    if unsafe.any():
        entries = [left.exactly(at) * right.exactly(at) for at in places_of(unsafe)]
        left, right = (select(unsafe, _nothing(each.shape), each) for each in (left, right))
        return replaced(product(left, right), unsafe, entries)
    assert isinstance(left.constant, Fraction)
    assert isinstance(right.constant, Fraction)
    terms: list[Term] = []
    for (factor, array), (other_factor, other) in pairs(left.terms, right.terms):
        together = array * other
        terms += [(factor * other_factor, part) for part in (together, product_rest(array, other, together))]
    terms += [(factor * right.constant, array) for factor, array in left.terms]
    terms += [(left.constant * factor, array) for factor, array in right.terms]
    terms = [term for term in terms if term[0]]
    # The first term is kept in any case: of two columns of doubles the product is one, if it is one in each row.
    kept = terms[:1] + [term for term in terms[1:] if term[1].any()]
    return Numbers(tuple(kept), left.constant * right.constant, left.shape, natural)


def _unsafe(value: Numbers) -> Mask:
    """Where a product is not to be computed in doubles."""
    found = np.zeros(value.shape, dtype=np.bool_)
    for _, array in value.terms:
        size = np.abs(array)
        found |= (size != 0.0) & ((size >= SAFE) | (size <= 1 / SAFE))
    return found if isinstance(value.constant, Fraction) else found | is_other(value.constant)


def is_safe(values: Doubles) -> bool:
    """Whether no product of such numbers over- or underflows, nor the rest of one."""
    return not _unsafe(plain(values)).any()


def product_rest(left: Doubles, right: Doubles, together: Doubles) -> Doubles:
    """What rounding took away from the products of doubles, exactly (Dekker 1971)."""
    left_head, left_tail = halves(left)
    right_head, right_tail = halves(right)
    return (
        (left_head * right_head - together) + left_head * right_tail + left_tail * right_head
    ) + left_tail * right_tail


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
            terms.append((part.constant, 1.0))
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
    total = Numbers(tuple((factor, array) for (factor, _), array in found.items()), rest, shape, natural)
    return evolve(total, terms=(), constant=total.fractions()) if len(found) > TERMS_TOGETHER else total
