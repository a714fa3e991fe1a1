"""Losses of one family, ordered by its parameters."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import astuple

from duetpy.accounting.losses.generalized_gaussian import GeneralizedGaussianLoss
from duetpy.accounting.losses.losses import BoundedRangeLoss, CurveLoss, GaussianLoss, LaplaceLoss, Loss, ResponseLoss

ORDERED = (GaussianLoss, LaplaceLoss, BoundedRangeLoss, ResponseLoss, GeneralizedGaussianLoss)
"""Families whose members are ordered by their last number, where they have the others in common."""


def dominant(branches: Sequence[Loss]) -> Loss | None:
    """A loss of the same family as all branches that dominates each of them; None if they are not of one family.

    A smaller shift of log-concave noise is no easier to distinguish; what holds for an ε or a range holds for any larger one; and
    D_α below one of several bounds is below the largest, at the orders that all of them have.
    """
    if all(isinstance(branch, CurveLoss) for branch in branches):
        curves = [branch for branch in branches if isinstance(branch, CurveLoss)]
        slope, cap = max(each.slope for each in curves), max(each.cap for each in curves)
        return CurveLoss(slope, cap, min(each.order for each in curves))
    if not isinstance(branches[0], ORDERED) or len({(type(branch), astuple(branch)[:-1]) for branch in branches}) > 1:
        return None
    return max(branches, key=lambda branch: astuple(branch)[-1])
