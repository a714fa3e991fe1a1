"""The gradients of the loss family, as folds over blocks of rows.

Contract. Row i contributes w ⊗ xᵢ, the weights of the loss (`duetpy.runtime.evaluation.loss_functions`) times the row, and
∇ is the mean. The rule for ∇ says how long a row's contribution is and how far changing a label moves it. Both hold of what
is computed here, not only of the formula:

* the weights are shrunk and multiplied with the row, two roundings, for which the shrinking makes up: the products are no
  larger than |xᵢⱼ|, and those of LR for the two labels together are no larger than |xᵢⱼ|, exactly;
* the product is cut off towards zero to a multiple of 2^e, which makes nothing larger;
* contributions are whole numbers of steps 2^e below 2^39, so a block of 2^13 rows sums exactly in doubles, and the sums
  of blocks are Python's integers: order, block size and threads cannot change a bit; the scale of the loss multiplies them
  at the end, as a rational number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from attrs import frozen

from duetpy.accounting.rounding import float_down
from duetpy.runtime.engines import Engine
from duetpy.runtime.evaluation.loss_functions import SMALLEST, Loss, weights
from duetpy.runtime.exact.exact_sum import exact_total
from duetpy.runtime.exact.rationals import Doubles, Numbers, of_integers, plain, rounded, saturated, to_double
from duetpy.runtime.values.values import MatrixValue, numbers_of

BLOCK = 1 << 13
STEP_BITS = 39
LOGISTIC = Loss("LR")


@frozen(eq=False, repr=False)
class Examples:
    """Features of shape (rows, columns) and labels of shape (rows,), as blocks."""

    features: Doubles
    labels: Doubles
    block_rows: int = BLOCK

    @property
    def rows(self) -> int:
        return len(self.labels)

    def blocks(self) -> Iterator[Examples]:
        for start in range(0, self.rows, self.block_rows):
            stop = start + self.block_rows
            yield Examples(self.features[start:stop], self.labels[start:stop], self.block_rows)


def examples(features: MatrixValue, labels: MatrixValue, block_rows: int = BLOCK) -> Examples:
    """The doubles of a feature and a label matrix, column by column in memory."""
    grid = numbers_of(features)
    doubles = grid.doubles
    if doubles is None:
        # Rounding may lengthen a row; this shortens it by more.
        doubles = rounded(grid) * (1.0 - 2.0**-40)
    return Examples(np.asfortranarray(doubles), np.ascontiguousarray(rounded(numbers_of(labels))[:, 0]), block_rows)


@frozen
class GradientSum:
    """The sum of all contributions in whole steps, as a fold over `Examples`.

    Parameters
    ----------
    loss
        The loss; its scale is left out.
    model
        θ, of shape (classes⋅columns,).
    exponent
        e, with b ≤ 2^(e + 39) for the bound b on the norm of every row.
    """

    loss: Loss
    model: Doubles
    exponent: int

    def zero(self) -> tuple[int, ...]:
        return (0,) * len(self.model)

    def absorb(self, total: tuple[int, ...], block: Examples) -> tuple[int, ...]:
        for start in range(0, block.rows, BLOCK):
            features, labels = block.features[start : start + BLOCK], block.labels[start : start + BLOCK]
            total = self.merge(total, self._steps(features, labels))
        return total

    def merge(self, left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(a + b for a, b in zip(left, right, strict=True))

    def _steps(self, features: Doubles, labels: Doubles) -> tuple[int, ...]:
        weight = weights(self.loss, self.model, features, labels) * self.loss.shrink
        exponent = self.exponent
        totals: list[int] = []
        with np.errstate(under="ignore"):
            if abs(exponent) > 900:
                features, exponent = np.ldexp(features, -exponent), 0
            weight *= math.ldexp(1.0, -exponent)
            for at in range(self.loss.classes):
                steps = features * weight[:, at, None]
                np.trunc(steps, out=steps)
                totals += [int(total) for total in steps.sum(axis=0).tolist()]
        return tuple(totals)


def mean_gradient(
    model: MatrixValue,
    features: MatrixValue,
    labels: MatrixValue,
    engine: Engine,
    block_rows: int = BLOCK,
    loss: Loss = LOGISTIC,
) -> MatrixValue:
    """∇[loss | θ; xs, ys]: exact multiples of 2^e/m, and no longer than the loss allows."""
    assert features.clip is not None, "the checker lets only bounded rows through"
    norm, bound = features.clip
    exponent = math.frexp(to_double(bound))[1] - STEP_BITS
    fold = GradientSum(loss, _model(model), exponent)
    totals = engine.fold(examples(features, labels, block_rows), fold)
    unit = Fraction(2) ** exponent * loss.scale / features.rows
    clip = (norm, bound * loss.scale * loss.length(norm))
    return MatrixValue(1, of_integers(list(totals), unit, (1, len(totals))), clip=clip)


def _model(model: MatrixValue) -> Doubles:
    return np.asarray(rounded(numbers_of(model))[0], dtype=np.float64)


# ---------------------------------------------------------------------------------------------------------------------
# Discrete gradients


@frozen
class PlainSum:
    """The exact sums of the columns of all rows' gradients, as a fold over `Examples`."""

    loss: Loss
    model: Doubles

    def zero(self) -> tuple[Fraction, ...]:
        return (Fraction(0),) * len(self.model)

    def absorb(self, total: tuple[Fraction, ...], block: Examples) -> tuple[Fraction, ...]:
        rows = gradients(self.loss, self.model, block)
        return self.merge(total, tuple(exact_total(rows[:, at]) for at in range(rows.shape[1])))

    def merge(self, left: tuple[Fraction, ...], right: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        return tuple(a + b for a, b in zip(left, right, strict=True))


def gradients(loss: Loss, model: Doubles, block: Examples) -> Doubles:
    """Every row's gradient, class after class; the weight is shrunk and subnormal products are 0, so no entry is too large."""
    weight = weights(loss, model, block.features, block.labels) * loss.shrink
    width = block.features.shape[1]
    rows = np.empty((block.rows, loss.classes * width), order="F")
    with np.errstate(over="ignore", under="ignore"):
        for at in range(loss.classes):
            rows[:, at * width : (at + 1) * width] = block.features * weight[:, at, None]
        if loss.scale != 1:
            rows = saturated(rows * float_down(loss.scale))
    rows[np.abs(rows) < SMALLEST] = 0.0
    return rows


def discrete_mean(
    model: MatrixValue, features: MatrixValue, labels: MatrixValue, engine: Engine, loss: Loss = LOGISTIC
) -> MatrixValue:
    """U∇[loss | θ; xs, ys]: the mean gradient of rows without a bound, as one discrete row."""
    totals = engine.fold(examples(features, labels), PlainSum(loss, _model(model)))
    mean = np.array([[to_double(total / features.rows) for total in totals]])
    return MatrixValue(1, plain(mean))


def row_gradients(model: MatrixValue, features: MatrixValue, labels: MatrixValue, loss: Loss = LOGISTIC) -> MatrixValue:
    """row∇[loss | θ; xs, ys]: a discrete row for each row, no longer than the loss allows."""
    block = examples(features, labels)
    rows: Numbers = plain(np.asfortranarray(gradients(loss, _model(model), block)))
    clip = None
    if features.clip is not None:
        norm, bound = features.clip
        clip = (norm, bound * loss.scale * loss.length(norm))
    return MatrixValue(features.rows, rows, lanes=None, clip=clip)
