"""The weights with which a loss multiplies the rows of the features, for many rows at once, in whole numbers.

Contract. `weights` returns whole numbers w of shape (rows, classes), in steps of 2^-19 of the loss's scale, of which the rules for
gradients hold exactly, whatever the margins are:

* every |w| is at most 2^19, and a row of w is at most 1, 2, √2 or 1 times 2^19 long as the checker's rule says;
* for LR the weights for the two labels are h − 2^19 and h, for one whole number h;
* for SOFTMAX they are P_j for each class j, and P_y − 2^19 for the class y of the label, with the same P for every label. P_j is
  2^19⋅e_j/s rounded down, for whole numbers e_j with the sum s. So all P_j add up to at most 2^19, and those of the other classes
  to at most 2^19 − P_y: a row is at most 2⋅(2^19 − P_y) long in L1, and √2⋅(2^19 − P_y) in L2.

σ and the exponential function are read out of a table, at the nearest multiple of 2^-14. The table and all else is made of
operations that IEEE 754 rounds exactly: weights are the same on every processor, and a function of the row alone.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.accounting.rounding import float_down
from duetpy.runtime.exact.rationals import Doubles

WEIGHT_BITS = 19
ONE = 2.0**WEIGHT_BITS

_NODE_BITS, _REACH = 14, 16
"""Beyond a margin of 16, σ is 0 or 1 to 22 places."""
_ROUNDING = 1.5 * 2.0**52
"""Added to a double that is far smaller, it leaves the nearest whole number in the last bits of the sum."""
_SUM_BITS = 33


@frozen
class Loss:
    """A loss with its numbers.

    Parameters
    ----------
    name
        LR, HINGE, LS, HUBER or SOFTMAX.
    scale
        What the weights are multiples of: the threshold of HUBER, else 1.
    classes
        The number of classes of SOFTMAX, else 1.
    """

    name: str = "LR"
    scale: Fraction = Fraction(1)
    classes: int = 1

    @property
    def reach_bits(self) -> int:
        """k, where margins are to be brought within 2^k: so far out, σ and the exponential function have long been constant."""
        return 36 if self.name in ("LR", "SOFTMAX") else 1023


def loss_named(name: str, numbers: list[Fraction]) -> Loss:
    match name:
        case "SOFTMAX":
            return Loss(name, classes=int(numbers[0]))
        case "HUBER" if numbers:
            return Loss(name, scale=numbers[0])
        case _:
            return Loss(name)


def targets(loss: Loss, labels: Doubles) -> Doubles:
    """What a loss makes of labels: one step for those above 0 (LR), ±1 (HINGE), the class (SOFTMAX), or the label itself."""
    match loss.name:
        case "LR":
            return np.where(labels > 0.0, ONE, 0.0)
        case "HINGE":
            return np.where(labels > 0.0, 1.0, -1.0)
        case "SOFTMAX":
            return np.floor(np.clip(labels, 0.0, loss.classes - 1.0))
        case _:
            return labels


def weights(loss: Loss, margins: Doubles, wanted: Doubles, unit: float = 1.0) -> Doubles:
    """The weights of every row in whole steps, from its margin for each class, within `reach_bits`, and its target. Margins are
    given in units of a power of two."""
    if loss.name == "LR":
        # σ(z), and σ(z) − 1 for labels above 0.
        return np.asarray(rising().take(_places(margins, unit, _REACH << _NODE_BITS), mode="clip") - wanted[:, None])
    margins = margins * unit
    match loss.name:
        case "HINGE":
            # −y where y z < 1, else 0.
            return wanted[:, None] * -ONE * (wanted[:, None] * margins < 1.0)
        case "SOFTMAX":
            return _softmax(margins, wanted)
        case _:
            return _residual(margins, wanted[:, None], loss.scale)


def _residual(margins: Doubles, labels: Doubles, scale: Fraction) -> Doubles:
    """z − y in units of c, brought into [−1, 1]."""
    threshold = float_down(scale)
    with np.errstate(over="ignore"):
        residual = margins - labels
        share = residual / threshold if threshold else np.sign(residual)
    return np.rint(np.clip(share, -1.0, 1.0) * ONE)


def _softmax(margins: Doubles, own: Doubles) -> Doubles:
    """p_j, and p_y − 1 for the class of the label.

    A quotient that is not whole is at least 1/s from the next whole number, and s is at most 2^33: rounding it does not reach that.
    """
    odds = falling_in_steps(margins.shape[1]).take(_places(margins.max(axis=1)[:, None] - margins, 1.0, 0), mode="clip")
    steps: Doubles = np.floor(odds * ONE / odds.sum(axis=1)[:, None])
    steps[np.arange(len(own)), own.astype(np.intp)] -= ONE
    return steps


# ---------------------------------------------------------------------------------------------------------------------
# Tables


def _places(values: Doubles, unit: float, zero: int) -> NDArray[np.int64]:
    """The nearest multiples of 2^-14 of numbers up to 2^37, which are given in units of a power of two. The place of 0 is `zero`,
    an even number, so that ties between two of them end as they do without it."""
    near = values * (unit * 2.0**_NODE_BITS)
    near += _ROUNDING + zero
    places = near.view(np.int64)
    places -= np.float64(_ROUNDING).view(np.int64)
    return places


@cache
def falling(bits: int, reach: int) -> Doubles:
    """e^−t at the multiples t of 2^-bits from 0 to `reach`: powers of powers, multiplied one after another."""
    step = float(sum(Fraction(-1, 1 << bits) ** k / math.factorial(k) for k in range(12)))
    width, last = 1 << 9, reach << bits
    fine = np.multiply.accumulate(np.array([1.0] + [step] * width))
    coarse = np.multiply.accumulate(np.array([1.0] + [fine[-1]] * (last // width)))
    powers: Doubles = np.multiply.outer(coarse, fine[:-1]).ravel()[: last + 1]
    return powers


@cache
def rising() -> NDArray[np.float32]:
    """σ at the multiples of 2^-14 from −16 to 16 in whole steps, which single precision holds."""
    heavy = np.rint(ONE / (1.0 + falling(_NODE_BITS, _REACH)))
    return np.concatenate([ONE - heavy[:0:-1], heavy]).astype(np.float32)


@cache
def falling_in_steps(classes: int) -> Doubles:
    """`falling` in steps so fine that the sum over so many classes is at most 2^33; at 16 nothing is left."""
    steps = np.rint(falling(_NODE_BITS, _REACH) * 2.0 ** (_SUM_BITS - classes.bit_length()))
    steps[-1] = 0.0
    return steps
