"""One step of gradient descent, in whole numbers.

Contract. The rule for step∇ says that a step brings two models closer together, however close they were: no rounding of the
margins may tear them apart, so nothing is computed in doubles here.

* A model is brought to multiples of 2^-2048, and so is what a step makes of it (`settled`): the checker counts the error.
* Features are cut off towards zero to multiples of 2^e, 2^-53 of the bound of a row: rows get no longer.
* A margin is then a whole number of units 2^(e − 2048), and a weight a function of it on whole numbers that grows, by at most
  L steps a step: LS and HUBER clamp the residual, and LR is the piecewise linear function through the values of σ at the
  multiples of 2^-12, held constant beyond ±32. It is within 10⁻⁹ of σ, and its values at z and −z add up to 1 exactly.
* Sums and the step itself are exact.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.accounting.rounding import LARGEST
from duetpy.runtime.engines import Engine, SerialEngine
from duetpy.runtime.evaluation.gradient import BLOCK, examples
from duetpy.runtime.evaluation.loss_functions import Loss, falling
from duetpy.runtime.evaluation.rows import Block, rows_of
from duetpy.runtime.exact.rationals import Doubles, Objects, of_fractions, to_double
from duetpy.runtime.values.values import MatrixValue, numbers_of

_MODEL_BITS, _GREATEST_BITS = 2048, 2400
_ROW_BITS = 53

_NODE_BITS = 12
_REACH = 32
_VALUE_BITS = 60


def descent(
    loss: Loss,
    length: Fraction,
    weakening: Fraction,
    model: MatrixValue,
    features: MatrixValue,
    labels: MatrixValue,
    bound: Fraction,
    engine: Engine | None = None,
) -> MatrixValue:
    """step∇[loss, η, λ | θ; xs, ys]: θ − η⋅(∇ + λ⋅θ), of rows within a bound."""
    exponent = math.frexp(to_double(bound))[1] - _ROW_BITS
    entries = [round(entry * (1 << _MODEL_BITS)) for entry in numbers_of(model).fractions()[0].tolist()]
    weight = Weight(loss, exponent - _MODEL_BITS)
    fold = StepSum(weight, np.array(entries, dtype=np.object_), exponent)
    sums = (engine or SerialEngine()).fold(rows_of((features, labels), BLOCK), fold).tolist()
    unit = weight.unit * Fraction(2) ** exponent * length / features.rows
    kept = (1 - length * weakening) / (1 << _MODEL_BITS)
    moved = [settled(kept * entry - unit * total) for entry, total in zip(entries, sums, strict=True)]
    return MatrixValue(1, of_fractions(moved, (1, len(moved))))


def settled(value: Fraction) -> Fraction:
    """A number with at most some thousand bits.

    Repeated products have ever longer denominators. One of more than 2400 bits is rounded to a multiple of 2^-2048, and a
    magnitude beyond the largest double becomes that double.
    """
    if value.denominator.bit_length() > _GREATEST_BITS:
        value = Fraction(round(value * (1 << _MODEL_BITS)), 1 << _MODEL_BITS)
    if abs(value.numerator) > value.denominator << 1024:
        return Fraction(LARGEST) if value > 0 else -Fraction(LARGEST)
    return value


def in_steps(rows: Doubles, exponent: int) -> NDArray[np.int64]:
    """Doubles of less than 2^62 steps 2^exponent in whole steps, cut off towards zero."""
    # What is rounded here is subnormal, so less than a step.
    return np.trunc(np.ldexp(rows, -exponent)).astype(np.int64)


def _in_steps(value: float, exponent: int) -> int:
    """A double in whole steps 2^exponent, cut off towards zero."""
    top, bottom = value.as_integer_ratio()
    shift = bottom.bit_length() - 1 + exponent
    size = abs(top) >> shift if shift > 0 else abs(top) << -shift
    return size if top > 0 else -size


class Weight:
    """The weight of a row in whole multiples of `unit`, from its margin in whole multiples of 2^exponent."""

    def __init__(self, loss: Loss, exponent: int) -> None:
        self._loss, self._exponent = loss, exponent
        if loss.name == "LR":
            self._fine = max(0, -exponent - _NODE_BITS)
            self._one = 1 << (_VALUE_BITS + self._fine)
            self.unit = Fraction(1, self._one)
        else:
            self.unit = Fraction(2) ** exponent
            self._most = math.floor(loss.scale / self.unit)

    def __call__(self, margin: int, label: float) -> int:
        if self._loss.name == "LR":
            # σ(z) for the label −1; for the label 1 it is σ(z) − 1.
            return self._logistic(margin) - (self._one if label > 0.0 else 0)
        residual = margin - _in_steps(label, self._exponent)
        return min(max(residual, -self._most), self._most)

    def _logistic(self, margin: int) -> int:
        values, fine = logistic_values(), self._fine
        size = abs(margin) << max(0, self._exponent + _NODE_BITS)
        node, rest = size >> fine, size & ((1 << fine) - 1)
        node, rest = (node, rest) if node < len(values) - 1 else (len(values) - 2, 1 << fine)
        above = (values[node] << fine) + (values[node + 1] - values[node]) * rest
        half = self._one >> 1
        return half + above if margin > 0 else half - above


@cache
def logistic_values() -> tuple[int, ...]:
    """σ(j⋅2⁻¹²) − 1/2 for j = 0 … 32⋅2¹², in units 2⁻⁶⁰: from 0 up, by 2⁻¹²/4 at most a step, to less than 1/2."""
    values = ((1.0 / (1.0 + falling(_NODE_BITS, _REACH)) - 0.5) * 2.0**_VALUE_BITS).astype(np.int64).tolist()
    greatest = 1 << (_VALUE_BITS - _NODE_BITS - 2)
    found = [0]
    for before, after in pairwise(values):
        found.append(min(found[-1] + min(max(after - before, 0), greatest), 1 << (_VALUE_BITS - 1)))
    return tuple(found)


@frozen(eq=False, repr=False)
class StepSum:
    """The sum of what all rows contribute, in whole steps, as a fold over features and labels.

    Parameters
    ----------
    weight
        The weight of a row.
    model
        θ in whole multiples of 2^-2048, of shape (columns,).
    exponent
        Features are cut off to multiples of 2^exponent.
    """

    weight: Weight
    model: Objects
    exponent: int

    def zero(self) -> Objects:
        return np.zeros(len(self.model), dtype=np.object_)

    def absorb(self, total: Objects, block: Block) -> Objects:
        rows = examples(*block.made().pieces)
        steps = in_steps(rows.features, self.exponent).astype(np.object_)
        found = map(self.weight, (steps @ self.model).tolist(), rows.labels.tolist())
        return self.merge(total, np.array(list(found), dtype=np.object_) @ steps)

    def merge(self, left: Objects, right: Objects) -> Objects:
        return np.asarray(left + right, dtype=np.object_)
