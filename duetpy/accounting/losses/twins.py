"""Losses no easier to distinguish than a pair of laws that renaming outcomes exchanges, with the Rényi curve that is claimed.

Shifts of symmetric noise are such pairs, as is randomized response; so are products of them. A step of a sequence may depend on
what was released before, so one pair must dominate it whatever that was: bounding the curves of several pairs is not enough. That
is why these are left out: a range of ε, whose ε²/8 holds for each mechanism of that range and for none that dominates them all; a
discrete Gaussian shift in several dimensions or by unknown steps; and a choice, which released values may decide.
"""

from __future__ import annotations

from duetpy.accounting.losses.composed import ComposedLoss
from duetpy.accounting.losses.discrete import DiscreteGaussianLoss
from duetpy.accounting.losses.discrete_laplace import DiscreteLaplaceLoss
from duetpy.accounting.losses.generalized_gaussian import GeneralizedGaussianLoss
from duetpy.accounting.losses.losses import GaussianLoss, KaryLoss, LaplaceLoss, Loss, ResponseLoss


def is_twin(loss: Loss) -> bool:
    """Whether the curve of a loss bounds that of such a pair, which dominates the mechanism."""
    pending = [loss]
    while pending:
        match pending.pop():
            case GaussianLoss() | LaplaceLoss() | ResponseLoss() | KaryLoss() | GeneralizedGaussianLoss():
                continue
            case DiscreteGaussianLoss() | DiscreteLaplaceLoss():
                continue
            case ComposedLoss(parts):
                pending += [part for part, _ in parts]
            case _:
                return False
    return True
