"""The gradients of the logistic loss, as folds over blocks of rows.

Contract. Row i contributes g(xᵢ, yᵢ) = ∓σ(∓θ·xᵢ)·xᵢ for labels above 0 and the others, and ∇ is the mean. The rule for ∇ says
that a row's contribution is no longer than the row (b), and that changing a label moves it by at most b. Both hold of
what is computed here, not only of the formula:

* the weights of the two labels are 1/(1 + t) and t/(1 + t) for one double t = e^{-|z|} (whatever its error), each after two
  roundings; both are shrunk by 2^-50 and multiplied with the row, two more roundings; (1 + 2^-53)⁴(1 - 2^-50) < 1, so the
  products for the two labels are together no larger than |xᵢⱼ|, exactly;
* the product is cut off towards zero to a multiple of 2^e, which makes nothing larger;
* contributions are whole numbers of steps 2^e below 2^39, so a block of 2^13 rows sums exactly in doubles, and the sums
  of blocks are Python's integers: order, block size and threads cannot change a bit;
* margins are summed column after column, elementwise: a row's bits depend on the row alone. A matrix product would be
  quicker, but its sum over a row may depend on where in the block the row stands.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from attrs import frozen

from duetpy.interp.engines import Engine
from duetpy.interp.exact import Doubles, Numbers, of_integers, plain, rounded, to_double
from duetpy.interp.totals import exact_total
from duetpy.interp.values import MatrixValue, numbers_of

BLOCK = 1 << 13
STEP_BITS = 39
SHRINK = 1.0 - 2.0**-50


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


def weights(model: Doubles, features: Doubles, labels: Doubles) -> Doubles:
    """For every row the signed weight ∓σ(∓θ·x), by which the gradient of its loss multiplies the row."""
    margin = np.zeros(len(labels))
    with np.errstate(all="ignore"):
        for at, factor in enumerate(model.tolist()):
            margin += features[:, at] * factor
        # Huge models overflow, and opposite infinities have no sum: any function of the row will do.
        margin = np.nan_to_num(margin, copy=False)
        odds = np.exp(-np.abs(margin))
    heavy, light = 1.0 / (1.0 + odds), odds / (1.0 + odds)
    is_right = margin >= 0.0
    return np.where(labels > 0.0, -np.where(is_right, light, heavy), np.where(is_right, heavy, light))


@frozen
class GradientSum:
    """The sum of all contributions in whole steps, as a fold over `Examples`.

    Parameters
    ----------
    model
        θ, of shape (columns,).
    exponent
        e, with b ≤ 2^(e + 39) for the bound b on the norm of every row.
    """

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
        weight = weights(self.model, features, labels) * SHRINK
        exponent = self.exponent
        with np.errstate(under="ignore"):
            if abs(exponent) > 900:
                features, exponent = np.ldexp(features, -exponent), 0
            weight *= math.ldexp(1.0, -exponent)
            steps = features * weight[:, None]
        np.trunc(steps, out=steps)
        return tuple(int(total) for total in steps.sum(axis=0).tolist())


def mean_gradient(
    model: MatrixValue, features: MatrixValue, labels: MatrixValue, engine: Engine, block_rows: int = BLOCK
) -> MatrixValue:
    """∇[LR | θ; xs, ys]: exact multiples of 2^e/m, and no longer than the rows."""
    assert features.clip is not None, "the checker lets only bounded rows through"
    _, bound = features.clip
    exponent = math.frexp(to_double(bound))[1] - STEP_BITS
    fold = GradientSum(_model(model), exponent)
    totals = engine.fold(examples(features, labels, block_rows), fold)
    unit = Fraction(2) ** exponent / features.rows
    return MatrixValue(1, of_integers(list(totals), unit, (1, len(totals))), clip=features.clip)


def _model(model: MatrixValue) -> Doubles:
    return np.asarray(rounded(numbers_of(model))[0], dtype=np.float64)


# ---------------------------------------------------------------------------------------------------------------------
# Discrete gradients


@frozen
class PlainSum:
    """The exact sums of the columns of all rows' gradients, as a fold over `Examples`."""

    model: Doubles

    def zero(self) -> tuple[Fraction, ...]:
        return (Fraction(0),) * len(self.model)

    def absorb(self, total: tuple[Fraction, ...], block: Examples) -> tuple[Fraction, ...]:
        rows = gradients(self.model, block)
        return self.merge(total, tuple(exact_total(rows[:, at]) for at in range(rows.shape[1])))

    def merge(self, left: tuple[Fraction, ...], right: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        return tuple(a + b for a, b in zip(left, right, strict=True))


def gradients(model: Doubles, block: Examples) -> Doubles:
    """Every row's gradient; an entry is no larger than the row's, as the weight is shrunk and subnormal products are 0."""
    weight = weights(model, block.features, block.labels) * SHRINK
    with np.errstate(under="ignore"):
        rows = block.features * weight[:, None]
    rows[np.abs(rows) < 2.0**-1022] = 0.0
    return rows


def discrete_mean(model: MatrixValue, features: MatrixValue, labels: MatrixValue, engine: Engine) -> MatrixValue:
    """U∇[LR | θ; xs, ys]: the mean gradient of rows without a bound, as one discrete row."""
    totals = engine.fold(examples(features, labels), PlainSum(_model(model)))
    mean = np.array([[to_double(total / features.rows) for total in totals]])
    return MatrixValue(1, plain(mean, discrete=True))


def row_gradients(model: MatrixValue, features: MatrixValue, labels: MatrixValue) -> MatrixValue:
    """row∇[LR | θ; xs, ys]: a discrete row for each row, no longer than the row of the features."""
    block = examples(features, labels)
    rows: Numbers = plain(np.asfortranarray(gradients(_model(model), block)), discrete=True)
    return MatrixValue(features.rows, rows, lanes=None, clip=features.clip)
