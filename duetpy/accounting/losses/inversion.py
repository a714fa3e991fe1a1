"""The ε at δ of one loss, from its profile alone: no grid, and so nothing lost to one."""

from __future__ import annotations

import math

from duetpy.accounting.arrays import Array, Mask, np
from duetpy.accounting.losses.losses import PROFILE_ERROR, Loss

_PLACES = 64
_LARGEST = 2.0**20


def profile_epsilon(loss: Loss, delta: float) -> float:
    """An ε at which a loss is (ε, δ)-private in both directions, hardly above the least that its profile shows.

    Parameters
    ----------
    loss
        One mechanism.
    delta
        0 ≤ δ < 1.

    Returns
    -------
    float
        An ε at which the profile was seen to be at most δ, so that the search need not be right to be trusted; the pure ε
        where that is less, ∞ where none below 2^20 was found.
    """
    if delta == 0.0:  # no profile is 0 because it is too small for a double
        return loss.pure

    def fits(places: Array) -> Mask:
        enough: Mask = loss.profile(places) * (1.0 + PROFILE_ERROR) <= delta
        return enough if loss.symmetric else enough & (loss.profile(places, True) * (1.0 + PROFILE_ERROR) <= delta)

    low, high = 0.0, min(1.0, loss.pure)
    while not fits(np.array([high]))[0]:
        low, high = high, 2.0 * high
        if high > _LARGEST or low >= loss.pure:
            return loss.pure if loss.leak == 0.0 else math.inf
    for _ in range(9):
        places = np.linspace(low, high, _PLACES + 1)
        enough = fits(places)
        first = int(np.argmax(enough)) if enough.any() else _PLACES
        low, high = float(places[max(first - 1, 0)]), float(places[first])
        if first == 0:
            break
    return high
