"""Losses of one family, ordered by its parameters."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.accounting.losses.generalized_gaussian import GeneralizedGaussianLoss
from duetpy.accounting.losses.losses import BoundedRangeLoss, CurveLoss, GaussianLoss, LaplaceLoss, Loss, ResponseLoss


def dominant(branches: Sequence[Loss]) -> Loss | None:
    """A loss of the family of all branches that dominates each of them; None where they are of no one family.

    A smaller shift of log-concave noise is no easier to tell; a smaller ε or range is a larger one too; and D_α below one of
    several bounds is below the largest, at the orders that all of them have.
    """
    if (
        len(
            {
                (type(branch), branch.power if isinstance(branch, GeneralizedGaussianLoss) else None)
                for branch in branches
            }
        )
        > 1
    ):
        return None
    match branches[0]:
        case GaussianLoss() | LaplaceLoss() | BoundedRangeLoss() | ResponseLoss() | GeneralizedGaussianLoss():
            return max(branches, key=_strength)
        case CurveLoss():
            curves = [branch for branch in branches if isinstance(branch, CurveLoss)]
            slope, cap = max(each.slope for each in curves), max(each.cap for each in curves)
            return CurveLoss(slope, cap, min(each.order for each in curves))
        case _:
            return None


def _strength(loss: Loss) -> float:
    """The number that a loss of an ordered family grows with."""
    match loss:
        case GaussianLoss(size) | LaplaceLoss(size) | BoundedRangeLoss(size) | ResponseLoss(size):
            return size
        case GeneralizedGaussianLoss(_, size):
            return size
        case _:
            raise TypeError(f"{type(loss).__name__} is not ordered by one number")
