"""The weights with which a loss multiplies the rows of the features, for many rows at once.

Contract. `weights` returns doubles w of shape (rows, classes), and the rules for gradients hold of them exactly, times the
loss's scale, once they are shrunk by `shrink`, multiplied with a row of features and with the scale, each rounded to the
nearest double:

* every |w| is at most 1, and a row of w is at most 1, 2, √2 or 1 long as the checker's rule says;
* for LR, and for SOFTMAX class by class, the weights for two labels differ by at most 1 + 2⁻⁵²: for LR they are 1/(1 + t) and
  t/(1 + t) for one double t, whatever its error, and for SOFTMAX p and 1 − p for one double p; classes that are neither
  label have the same double for both;
* for SOFTMAX the probabilities p_j = e_j/s of all classes add up to at most 1 + (k + 1)⋅2⁻⁵²: the sum s is at least
  (1 − 2⁻⁵³)^(k−1)⋅Σ e_j, as each of its k − 1 additions rounds, and a quotient under 2⁻¹⁰²² is made 0.

Each row's weights are a function of the row alone: margins are summed column after column, elementwise. A matrix product would be
quicker, but its sum over a row may depend on where in the block the row stands.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from attrs import frozen

from duetpy.accounting.rounding import float_down
from duetpy.grammar.ast import Norm
from duetpy.runtime.exact.rationals import Doubles

SMALLEST = 2.0**-1022


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
    def shrink(self) -> float:
        """Makes up for all roundings of a contribution: at most k + 6 of 2⁻⁵³ each, against k⋅2⁻⁵⁰."""
        return 1.0 - self.classes * 2.0**-50

    def length(self, norm: Norm) -> Fraction:
        """An upper bound on the norm of a row's weights, in units of the scale."""
        if self.name != "SOFTMAX":
            return Fraction(1)
        return {Norm.L1: Fraction(2), Norm.L2: Fraction(1.4142135623730952), Norm.LINF: Fraction(1)}[norm]


def loss_named(name: str, numbers: list[Fraction]) -> Loss:
    match name:
        case "SOFTMAX":
            return Loss(name, classes=int(numbers[0]))
        case "HUBER" if numbers:
            return Loss(name, scale=numbers[0])
        case _:
            return Loss(name)


def weights(loss: Loss, model: Doubles, features: Doubles, labels: Doubles) -> Doubles:
    """The weights of every row, in units of the loss's scale."""
    width = features.shape[1]
    margins = np.empty((len(labels), loss.classes), order="F")
    for at in range(loss.classes):
        margins[:, at] = _margin(model[at * width : (at + 1) * width], features)
    match loss.name:
        case "LR":
            return _logistic(margins, labels)
        case "HINGE":
            return _hinge(margins, labels)
        case "SOFTMAX":
            return _softmax(margins, labels)
        case _:
            return _residual(margins, labels, loss.scale)


def _margin(model: Doubles, features: Doubles) -> Doubles:
    margin: Doubles = np.zeros(len(features))
    with np.errstate(all="ignore"):
        for at, factor in enumerate(model.tolist()):
            margin += features[:, at] * factor
    # Huge models overflow, and opposite infinities have no sum: any function of the row will do.
    return np.nan_to_num(margin, copy=False)


def _logistic(margins: Doubles, labels: Doubles) -> Doubles:
    """∓σ(∓z) for labels above 0 and the others."""
    margin = margins[:, 0]
    with np.errstate(under="ignore"):
        odds = np.exp(-np.abs(margin))
        heavy, light = 1.0 / (1.0 + odds), odds / (1.0 + odds)
    is_right = margin >= 0.0
    return np.where(labels > 0.0, -np.where(is_right, light, heavy), np.where(is_right, heavy, light))[:, None]


def _hinge(margins: Doubles, labels: Doubles) -> Doubles:
    """−y where y z < 1, else 0."""
    signs = np.where(labels > 0.0, 1.0, -1.0)
    return np.where(signs * margins[:, 0] < 1.0, -signs, 0.0)[:, None]


def _residual(margins: Doubles, labels: Doubles, scale: Fraction) -> Doubles:
    """z − y brought into [−c, c], divided by c."""
    threshold = float_down(scale)
    with np.errstate(over="ignore"):
        residual = np.nan_to_num(margins[:, 0] - labels)
    if threshold == 0.0:
        residual, threshold = np.sign(residual), 1.0
    return np.asarray(np.clip(residual, -threshold, threshold) / threshold, dtype=np.float64)[:, None]


def _softmax(margins: Doubles, labels: Doubles) -> Doubles:
    """p_j, and p_y − 1 for the class of the label, which is the label brought into 0 … k − 1 and rounded down."""
    classes = margins.shape[1]
    total = np.zeros(len(labels))
    with np.errstate(over="ignore", under="ignore"):
        odds = np.exp(margins - margins.max(axis=1)[:, None])
        for at in range(classes):
            total += odds[:, at]
        chances: Doubles = np.asarray(odds / total[:, None], dtype=np.float64)
    chances[chances < SMALLEST] = 0.0
    own = np.floor(np.clip(labels, 0.0, classes - 1.0)).astype(np.intp)
    rows = np.arange(len(labels))
    chances[rows, own] -= 1.0
    return chances
