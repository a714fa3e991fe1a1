"""The product of two matrices.

Contract. Products of real numbers are exact, because the checker's factors are about real numbers, except that entries are cut
off after 2048 binary places: repeated squares would fill any memory. The checker counts that error. Products under the discrete
metric are rounded, entry by entry in an order that depends on nothing else, so that a row of the result is a function of
its own row on the left. A library's matrix product would be neither.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from attrs import evolve

from duetpy.runtime.exact import rationals
from duetpy.runtime.exact.exact_sum import exact_total
from duetpy.runtime.exact.linear_forms import add, product_rest, safe_doubles
from duetpy.runtime.exact.rationals import (
    Doubles,
    Numbers,
    constant,
    of_fractions,
    plain,
    rounded,
    saturated,
)
from duetpy.runtime.values.values import MatrixValue, Ragged, Store, Value, numbers_of

LONG = 64
"""From this many summands on, an entry is summed by itself; shorter ones are linear forms of the columns on the left."""


PLACES = 2048
"""So many binary places are kept of an entry (`duetpy.typecheck.context.Context`)."""

_OF_FACTORS = 1024 + 64
"""So many more of what doubles are multiplied by: 256 of them at most are added up, and none is larger than 2^1024."""


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
    """The numbers without the places that are not kept: of factors and not of entries, of which there may be many."""
    factors = [(_towards_zero(factor, PLACES + _OF_FACTORS), array) for factor, array in value.terms]
    terms = tuple((factor, array) for factor, array in factors if factor != 0)
    if isinstance(value.constant, Fraction):
        return evolve(value, terms=terms, constant=_towards_zero(value.constant, PLACES))
    entries = np.empty(value.shape, dtype=np.object_)
    entries.ravel()[:] = [_towards_zero(entry, PLACES) for entry in value.constant.ravel().tolist()]
    return evolve(value, terms=terms, constant=entries)


def _towards_zero(value: Fraction, places: int) -> Fraction:
    if value.denominator.bit_length() <= places:
        return value
    units = (abs(value.numerator) << places) // value.denominator
    return Fraction(units if value > 0 else -units, 1 << places)


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
