"""The product of two matrices.

Contract. Products of real numbers are exact, as the checker's factors speak of real numbers; products under the discrete
metric are rounded, entry by entry in an order that depends on nothing else, so that a row of the result is a function of
its own row on the left. A library's matrix product would be neither.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from duetpy.runtime.exact import rationals
from duetpy.runtime.exact.exact_sum import exact_total
from duetpy.runtime.exact.rationals import (
    Doubles,
    Numbers,
    constant,
    is_safe,
    of_fractions,
    plain,
    product_rest,
    rounded,
    saturated,
)
from duetpy.runtime.values.values import MatrixValue, Ragged, Store, Value, numbers_of

LONG = 64
"""From this many summands on, an entry is summed by itself; shorter ones are linear forms of the columns on the left."""


def product(left: Value, right: Value, *, rounds: bool = False) -> MatrixValue:
    """``e₁ × e₂``; the left side may have lanes. It `rounds` where the result is under the discrete metric."""
    assert isinstance(left, MatrixValue)
    assert isinstance(right, MatrixValue)
    if right.lanes is not None:
        raise Ragged
    first, second = numbers_of(left), numbers_of(right)
    if rounds:
        return MatrixValue(left.rows, discrete_product(rounded(first), rounded(second)), lanes=left.lanes)
    rows, columns = first.doubles, second.doubles
    if right.rows >= LONG and rows is not None and columns is not None and is_safe(rows) and is_safe(columns):
        entries = [exact_dot(rows[i], columns[:, j]) for i in range(left.height) for j in range(right.width)]
        store: Store = of_fractions(entries, (left.height, right.width))
        return MatrixValue(left.rows, store, lanes=left.lanes)
    made = tuple(_combination(left, second, at) for at in range(right.width))
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
        total = rationals.add(total, rationals.scaled(column, right.exactly((row, at))))
    return total


def exact_dot(left: Doubles, right: Doubles) -> Fraction:
    """Σ leftᵢ⋅rightᵢ without rounding: each product is the sum of two doubles (Dekker 1971)."""
    together = left * right
    return exact_total(together) + exact_total(product_rest(left, right, together))
