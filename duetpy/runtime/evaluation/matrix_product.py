"""The product of two matrices.

Contract. Products of real numbers are exact, because the checker's factors are about real numbers, except that entries are cut
off after 4096 binary places: repeated squares would fill any memory. The checker counts that error. Products under the discrete
metric are rounded, entry by entry in an order that depends on nothing else, so that a row of the result is a function of
its own row on the left. A library's matrix product would be neither.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
from attrs import evolve

from duetpy.runtime.exact import rationals
from duetpy.runtime.exact.exact_sum import exact_total
from duetpy.runtime.exact.linear_forms import add, entries_at, product_rest, replaced, safe_doubles
from duetpy.runtime.exact.rationals import (
    Doubles,
    Numbers,
    constant,
    is_other,
    of_fractions,
    plain,
    rounded,
    saturated,
)
from duetpy.runtime.values.values import MatrixValue, Ragged, Store, Value, numbers_of

LONG = 64
"""From this many summands on, an entry is summed by itself; shorter ones are linear forms of the columns on the left."""


PLACES = 4096
"""So many binary places are kept of an entry (`duetpy.typecheck.context.Context`): all that a product of three doubles has."""

_OF_DOUBLES = 1074
"""All doubles are whole multiples of 2^-1074."""


def product(left: Value, right: Value, *, rounds: bool = False, is_free: bool = False) -> MatrixValue:
    """``e₁ × e₂``; the left side may have lanes. It `rounds` where the result is under the discrete metric. Where nothing finite
    is claimed of it, it `is_free` to be the doubles next to it."""
    assert isinstance(left, MatrixValue)
    assert isinstance(right, MatrixValue)
    if right.lanes is not None:
        raise Ragged
    first, second = numbers_of(left), numbers_of(right)
    if rounds:
        return MatrixValue(left.rows, discrete_product(rounded(first), rounded(second)), lanes=left.lanes)
    if right.rows >= LONG:
        grid = of_fractions(_dots(first, second), (left.height, right.width))
        store: Store = plain(rounded(grid)) if is_free else grid
        return MatrixValue(left.rows, store, lanes=left.lanes)
    made = tuple(_combination(left, second, at) for at in range(right.width))
    if is_free:
        made = tuple(plain(rounded(column)) for column in made)
    return MatrixValue(left.rows, made, lanes=left.lanes)


def discrete_product(rows: Doubles, columns: Doubles) -> Numbers:
    """Rounded, summand after summand. Opposite infinities have no sum: any function of the row will do."""
    total = np.zeros((len(rows), columns.shape[1]))
    with np.errstate(all="ignore"):
        for at in range(columns.shape[0]):
            total += rows[:, at, None] * columns[None, at, :]
    return plain(np.asfortranarray(saturated(np.nan_to_num(total))))


def _combination(left: MatrixValue, right: Numbers, at: int) -> Numbers:
    """Column `at` of the product: the columns on the left, each times a number on the right."""
    total = constant(Fraction(0), (left.height,))
    for row in range(right.shape[0]):
        column = left.column(row)
        assert isinstance(column, Numbers)
        total = add(total, rationals.scaled(column, right.exactly((row, at))))
    return cut_off(total)


def cut_off(value: Numbers) -> Numbers:
    """The numbers without the places that are not kept. That is a function of each number by itself: what it is a sum of depends on
    the other rows, and on whether they are computed together with it."""
    short, common = [], value.constant.denominator if isinstance(value.constant, Fraction) else 1
    is_long = np.full(value.shape, not _is_kept(common))
    for term in sorted(value.terms, key=lambda term: term[0].denominator):
        together = lcm(common, term[0].denominator)
        if _is_kept(together):
            short.append(term)
            common = together
        else:
            is_long |= term[1] != 0.0
    if not isinstance(value.constant, Fraction):
        is_long |= is_other(value.constant)
    kept = evolve(value, terms=tuple(short))
    if not is_long.any():
        return kept
    return replaced(kept, is_long, [_towards_zero(entry) for entry in entries_at(value, is_long).tolist()])


def _is_kept(denominator: int) -> bool:
    """Whether all places of doubles divided by a number, and of their sums, are kept."""
    return denominator.bit_length() + _OF_DOUBLES <= PLACES


def _towards_zero(value: Fraction) -> Fraction:
    if value.denominator.bit_length() <= PLACES:
        return value
    units = (abs(value.numerator) << PLACES) // value.denominator
    return Fraction(units if value > 0 else -units, 1 << PLACES)


def _dots(left: Numbers, right: Numbers) -> list[Fraction]:
    """The entries of a product without rounding, row by row. Which numbers are no doubles, or too small or large, is for one row to
    decide, so each such number is multiplied by itself: how long the others take stays the same."""
    rows, is_odd_row = safe_doubles(left)
    columns, is_odd_column = safe_doubles(right)
    entries = []
    for i in range(left.shape[0]):
        for j in range(right.shape[1]):
            odd = np.flatnonzero(is_odd_row[i] | is_odd_column[:, j]).tolist()
            alone = sum((left.exactly((i, at)) * right.exactly((at, j)) for at in odd), Fraction(0))
            entries.append(exact_dot(rows[i], columns[:, j]) + alone)
    return entries


def exact_dot(left: Doubles, right: Doubles) -> Fraction:
    """Σ leftᵢ⋅rightᵢ without rounding: each product is the sum of two doubles (Dekker 1971)."""
    together = left * right
    return exact_total(together) + exact_total(product_rest(left, right, together))
