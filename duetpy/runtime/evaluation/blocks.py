"""Folds over blocks of rows: adding up, picking the largest.

Contract. Each is a `Fold` of the engines' seam: ``merge`` commutes and associates exactly. What a block's rows contribute is
computed by a row body, a function from a block to a value with one lane for each row; it is pure, so it may run on any
thread. The totals are private and print as nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from attrs import frozen

from duetpy.runtime.evaluation.rows import Block, Body
from duetpy.runtime.exact import linear_forms, rationals
from duetpy.runtime.exact.cell_sums import CellSums, summed
from duetpy.runtime.exact.rationals import Numbers
from duetpy.runtime.values.batching import spread
from duetpy.runtime.values.values import MatrixValue, Truths, Value, numbers_of


@frozen(eq=False, repr=False)
class Sum:
    """The exact sum of a number a row."""

    body: Body

    def zero(self) -> Fraction:
        return Fraction(0)

    def absorb(self, total: Fraction, block: Block) -> Fraction:
        block = block.made()
        terms = spread(self.body.of(block), block.rows)
        assert isinstance(terms, Numbers)
        return total + rationals.total(terms)

    def merge(self, left: Fraction, right: Fraction) -> Fraction:
        return left + right


@frozen(eq=False, repr=False)
class MatrixSum:
    """The exact sum of a matrix a row, entry by entry, row after row."""

    body: Body
    entries: int

    def zero(self) -> CellSums:
        return CellSums(self.entries)

    def absorb(self, total: CellSums, block: Block) -> CellSums:
        block = block.made()
        terms = spread(self.body.of(block), block.rows)
        assert isinstance(terms, MatrixValue)
        shape = (block.rows, self.entries)
        return total.merged(summed(numbers_of(terms).each(lambda array: array.reshape(shape), shape)))

    def merge(self, left: CellSums, right: CellSums) -> CellSums:
        return left.merged(right)


Picking: TypeAlias = "Value | None"


@frozen(eq=False, repr=False)
class Picked:
    """The largest, the smallest, all or any of a value a row; None of no rows.

    Parameters
    ----------
    body
        What the rows of a block contribute.
    merged
        The operation on two values.
    picks
        What it finds, in the words of the prelude.
    """

    body: Body
    merged: Callable[[Value, Value], Value]
    picks: str

    def zero(self) -> Picking:
        return None

    def absorb(self, total: Picking, block: Block) -> Picking:
        block = block.made()
        if not block.rows:
            return total
        return self.merge(total, _pick(spread(self.body.of(block), block.rows), self.picks))

    def merge(self, left: Picking, right: Picking) -> Picking:
        if left is None or right is None:
            return right if left is None else left
        return self.merged(left, right)


def _pick(value: Value, picks: str) -> Value:
    if isinstance(value, Truths):
        return bool(value.values.all() if picks == "all" else value.values.any())
    assert isinstance(value, Numbers)
    doubles = value.doubles
    if doubles is not None:
        found = Fraction(float(np.max(doubles) if picks == "largest" else np.min(doubles)))
    else:
        found = _picked(value, 1.0 if picks == "largest" else -1.0)
    return found.numerator if value.is_natural and found.denominator == 1 else found


def _picked(value: Numbers, way: float) -> Fraction:
    """The number that lies furthest in one way. Rounding keeps the order, so that it is among those that are rounded to the double
    that does; of these, one after another is left with those that lie further."""
    near = rationals.rounded(value) * way
    rest = value.take(np.flatnonzero(near == near.max()))
    while rest.shape[0]:
        found = rest.exactly((rest.shape[0] // 2,))
        beyond = rationals.signs(linear_forms.add(rest, rationals.constant(-found, rest.shape))) * way
        rest = rest.take(np.flatnonzero(beyond > 0.0))
    return found
