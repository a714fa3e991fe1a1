"""The gradients of the loss family, as folds over blocks of rows.

Contract. Row i contributes w ⊗ xᵢ, the weights of the loss (`duetpy.runtime.evaluation.loss_functions`) times the row, and
∇ is the mean. The rule for ∇ says how long a row's contribution is and how far changing a label moves it. Both hold of what
is computed here, not only of the formula, since everything is a whole number of public steps:

* a row of features is rounded to multiples of 2^e, with b ≤ 2^(e + 22) for the bound b on its norm. One that comes out longer
  than b is cut off towards zero instead, so every row is within the bound, exactly;
* models are cut off to multiples of a power of two, and are then at most 2^31 long in the dual of the norm of the rows. Whatever
  part of a margin is added up, it is at most the product of the two norms, 2^53 (Hölder);
* weights are multiples of 2^-19, of at most 1, so the contributions of 2^12 rows add up to at most 2^(22 + 19 + 12) = 2^53;
* int64 adds up the sums within a block of at most 2^22 rows, and Python's integers those of blocks.

So matrix products of doubles are exact (`duetpy.runtime.exact.whole_products`), and neither order nor layout, blocks, threads,
library or processor can change a bit. The scale of the loss multiplies the sum at the end, as a rational number.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from duetpy.accounting.rounding import float_down
from duetpy.grammar.ast import Norm
from duetpy.runtime.engines import Engine, SerialEngine
from duetpy.runtime.evaluation.loss_functions import ONE, WEIGHT_BITS, Loss, targets, weights
from duetpy.runtime.evaluation.rows import ROWS_AT_ONCE, Block, Tables, derived, rows_of
from duetpy.runtime.exact.exact_sum import exact_total
from duetpy.runtime.exact.linear_forms import add
from duetpy.runtime.exact.rationals import (
    Doubles,
    Objects,
    plain,
    rounded,
    saturated,
    signs,
    to_double,
)
from duetpy.runtime.exact.whole_numbers import of_integers
from duetpy.runtime.exact.whole_products import power_above, product, times_two_to
from duetpy.runtime.values.clipping import in_blocks
from duetpy.runtime.values.values import MatrixValue, numbers_of

BLOCK = 1 << 13
SUMMED = 1 << 12
CELLS = 1 << 20
"""Cells of a block of rows in whole steps: such a block is a view, and goes through the cache in parts of `SUMMED` rows."""
FEATURE_BITS, MODEL_BITS = 22, 31
SMALLEST = 2.0**-1022
SHRINK = 1.0 - 2.0**-50
"""Makes up for three roundings, of 2^-53 each."""
LOGISTIC = Loss("LR")


@frozen(eq=False, repr=False)
class Examples:
    """Features of shape (rows, columns) and labels of shape (rows,), or what a loss makes of these."""

    features: Doubles
    labels: Doubles

    @property
    def rows(self) -> int:
        return len(self.labels)


def examples(features: MatrixValue, labels: MatrixValue) -> Examples:
    """The doubles of a feature and a label matrix, column by column in memory."""
    return Examples(np.asfortranarray(_doubles(features)), _labels(labels))


def _doubles(features: MatrixValue) -> Doubles:
    """The entries as doubles, each a function of itself alone: one that is not a double becomes the next double towards zero, so
    that no row gets longer."""
    grid = numbers_of(features)
    doubles = rounded(grid)
    if grid.doubles is not None:
        return doubles
    is_too_large = np.sign(doubles) * signs(add(grid, plain(-doubles))) < 0.0
    return np.where(is_too_large, np.nextafter(doubles, 0.0), doubles)


def _remembered(table: MatrixValue, step: Stepped | Targets, engine: Engine) -> MatrixValue:
    """What a step makes of a table, remembered by it, so that a loop makes it once."""
    known = table.memo.get(step)
    if known is None:
        known = table.remembered(step, derived((table,), step, engine, ROWS_AT_ONCE))
    return known if known.is_streamed else known.settle()


@frozen
class Targets:
    """What a loss makes of labels."""

    loss: Loss
    keeps_all: bool = field(default=True, init=False)

    def of(self, tables: Tables) -> MatrixValue:
        (labels,) = tables
        return MatrixValue(labels.rows, plain(targets(self.loss, _labels(labels))[:, None]))


def _labels(labels: MatrixValue) -> Doubles:
    return np.ascontiguousarray(rounded(numbers_of(labels))[:, 0])


@frozen(eq=False, repr=False)
class GradientSum:
    """The sum of all contributions in whole steps, as a fold over features in whole steps and targets.

    Parameters
    ----------
    loss
        The loss; its scale is left out.
    model
        θ in whole steps, of shape (columns, classes).
    unit
        What a step of the features times one of the model is.
    """

    loss: Loss
    model: Doubles
    unit: float

    def zero(self) -> Objects:
        return np.zeros(self.model.size, dtype=np.object_)

    def absorb(self, total: Objects, block: Block) -> Objects:
        steps, wanted = [rounded(numbers_of(piece)) for piece in block.made().pieces]
        found = np.zeros(self.model.size, dtype=np.int64)
        for start in range(0, len(steps), SUMMED):
            features, labels = steps[start : start + SUMMED], wanted[start : start + SUMMED, 0]
            weight = weights(self.loss, product(features, self.model), labels, self.unit)
            found += product(weight.T, features).astype(np.int64).ravel()
        return self.merge(total, found)

    def merge(self, left: Objects, right: NDArray[np.generic]) -> Objects:
        return np.asarray(left + right.astype(np.object_), dtype=np.object_)


def in_steps(
    features: MatrixValue, norm: Norm, bound: Fraction, exponent: int, engine: Engine | None = None
) -> MatrixValue:
    """Rows within a bound in whole steps 2^exponent, and still within it."""
    return _remembered(features, Stepped(norm, bound, exponent), engine or SerialEngine())


@frozen
class Stepped:
    """Rows within a bound in whole steps 2^exponent, a block at a time."""

    norm: Norm
    bound: Fraction
    exponent: int
    keeps_all: bool = field(default=True, init=False)

    def of(self, tables: Tables) -> MatrixValue:
        (features,) = tables
        rows = _doubles(features)
        steps = np.empty(rows.shape, order="F")
        for block in in_blocks(rows):
            exact = times_two_to(rows[block], -self.exponent)
            near = np.rint(exact, out=steps[block])
            too_long = _beyond(near, self.norm, self.bound / Fraction(2) ** self.exponent)
            near[too_long] = np.trunc(exact[too_long])
        return MatrixValue(features.rows, plain(steps))


def _beyond(steps: Doubles, norm: Norm, bound: Fraction) -> NDArray[np.intp]:
    """Which rows of whole numbers are longer than a bound of at most 2^22: so little longer that sums are exact."""
    sizes = steps * steps if norm is Norm.L2 else np.abs(steps)
    each = sizes.max(axis=1, initial=0.0) if norm is Norm.LINF else product(sizes, np.ones(steps.shape[1]))
    return np.flatnonzero(each > math.floor(bound**2 if norm is Norm.L2 else bound))


def gradient_sum(loss: Loss, model: Doubles, norm: Norm, exponent: int) -> GradientSum:
    """The fold for a model of shape (classes⋅columns,) and features in steps 2^exponent, at most 2^22 of them long in a norm."""
    whole, own = model_in_steps(model.reshape(loss.classes, -1), norm)
    unit = math.ldexp(1.0, min(max(exponent + own, -1074), loss.reach_bits - FEATURE_BITS - MODEL_BITS))
    return GradientSum(loss, np.ascontiguousarray(whole.T), unit)


def model_in_steps(model: Doubles, norm: Norm) -> tuple[Doubles, int]:
    """θ for every class in whole steps 2^k, cut off towards zero; k is the least for which all have room in the dual norm."""
    exponent = math.frexp(np.abs(model).max(initial=0.0))[1] - MODEL_BITS
    while True:
        steps = np.trunc(np.ldexp(model, -exponent))
        if all(_has_room([abs(int(step)) for step in one], norm) for one in steps.tolist()):
            return steps, exponent
        exponent += 1


def _has_room(sizes: list[int], norm: Norm) -> bool:
    """Whether whole numbers are at most 2^31 long in the dual of a norm."""
    match norm:
        case Norm.L1:
            return max(sizes, default=0) <= 1 << MODEL_BITS
        case Norm.L2:
            return sum(size * size for size in sizes) <= 1 << 2 * MODEL_BITS
        case Norm.LINF:
            return sum(sizes) <= 1 << MODEL_BITS


def mean_gradient(
    model: MatrixValue,
    features: MatrixValue,
    labels: MatrixValue,
    bounded: tuple[Norm, Fraction],
    engine: Engine,
    block_rows: int = ROWS_AT_ONCE,
    loss: Loss = LOGISTIC,
) -> MatrixValue:
    """∇[loss | θ; xs, ys] of rows that are `bounded`: exact multiples of 2^(e − 19)⋅c/m, and no longer than the loss allows."""
    norm, bound = bounded
    exponent = power_above(bound) - FEATURE_BITS
    tables = (in_steps(features, norm, bound, exponent, engine), _remembered(labels, Targets(loss), engine))
    totals = engine.fold(rows_of(tables, block_rows, CELLS), gradient_sum(loss, _model(model), norm, exponent)).tolist()
    unit = Fraction(2) ** (exponent - WEIGHT_BITS) * loss.scale / features.rows
    return MatrixValue(1, of_integers(totals, unit, (1, len(totals))))


def _model(model: MatrixValue) -> Doubles:
    return np.asarray(rounded(numbers_of(model))[0], dtype=np.float64)


# ---------------------------------------------------------------------------------------------------------------------
# Discrete gradients


@frozen
class PlainSum:
    """The exact sums of the columns of all rows' gradients, as a fold over features and labels."""

    loss: Loss
    model: Doubles

    def zero(self) -> tuple[Fraction, ...]:
        return (Fraction(0),) * len(self.model)

    def absorb(self, total: tuple[Fraction, ...], block: Block) -> tuple[Fraction, ...]:
        rows = gradients(self.loss, self.model, examples(*block.made().pieces))
        return self.merge(total, tuple(exact_total(rows[:, at]) for at in range(rows.shape[1])))

    def merge(self, left: tuple[Fraction, ...], right: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        return tuple(a + b for a, b in zip(left, right, strict=True))


def gradients(loss: Loss, model: Doubles, block: Examples) -> Doubles:
    """Every row's gradient, class after class; the weight is shrunk and subnormal products are 0, so no entry is too large."""
    width = block.features.shape[1]
    margins = np.stack([_margin(one, block.features) for one in model.reshape(loss.classes, -1)], axis=1)
    margins = np.clip(margins, -(2.0**loss.reach_bits), 2.0**loss.reach_bits)
    weight = weights(loss, margins, targets(loss, block.labels)) * (SHRINK / ONE)
    rows = np.empty((block.rows, loss.classes * width), order="F")
    with np.errstate(over="ignore", under="ignore"):
        for at in range(loss.classes):
            rows[:, at * width : (at + 1) * width] = block.features * weight[:, at, None]
        if loss.scale != 1:
            rows = saturated(rows * float_down(loss.scale))
    rows[np.abs(rows) < SMALLEST] = 0.0
    return rows


def _margin(model: Doubles, features: Doubles) -> Doubles:
    """Summed column after column, as a function of the row alone: a matrix product of rows without a bound rounds, and how may
    depend on where in the block a row stands."""
    margin: Doubles = np.zeros(len(features))
    with np.errstate(all="ignore"):
        for at, factor in enumerate(model.tolist()):
            margin += features[:, at] * factor
    # Huge models overflow, and opposite infinities have no sum: any function of the row will do.
    return np.nan_to_num(margin, copy=False)


def discrete_mean(
    model: MatrixValue, features: MatrixValue, labels: MatrixValue, engine: Engine, loss: Loss = LOGISTIC
) -> MatrixValue:
    """U∇[loss | θ; xs, ys]: the mean gradient of rows without a bound, as one discrete row."""
    totals = engine.fold(rows_of((features, labels), BLOCK), PlainSum(loss, _model(model)))
    mean = np.array([[to_double(total / features.rows) for total in totals]])
    return MatrixValue(1, plain(mean))


@frozen(eq=False, repr=False)
class RowGradients:
    """The gradient of each row, a block at a time."""

    loss: Loss
    model: Doubles
    keeps_all: bool = field(default=True, init=False)

    def of(self, tables: Tables) -> MatrixValue:
        block = examples(*tables)
        return MatrixValue(block.rows, plain(np.asfortranarray(gradients(self.loss, self.model, block))))


def row_gradients(
    model: MatrixValue,
    features: MatrixValue,
    labels: MatrixValue,
    loss: Loss = LOGISTIC,
    engine: Engine | None = None,
) -> MatrixValue:
    """row∇[loss | θ; xs, ys]: a discrete row for each row, no longer than the loss allows."""
    return derived((features, labels), RowGradients(loss, _model(model)), engine or SerialEngine(), BLOCK)
