"""The ε at δ of generalized Gaussian noise: a search over its certified profile."""

from __future__ import annotations

import math

from duetpy.accounting.convert import laplace_epsilon
from duetpy.accounting.gaussian import gaussian_epsilon
from duetpy.accounting.losses import PROFILE_ERROR, GeneralizedGaussianLoss
from duetpy.accounting.rounding import raised

_PLACES = 64
_LARGEST = 2.0**20


def generalized_epsilon(power: float, ratio: float, delta: float) -> float:
    """An ε for which density ∝ exp(−|x|^N) and its shift by `ratio` are (ε, δ)-close, hardly above the least.

    Parameters
    ----------
    power
        N ≥ 1.
    ratio
        The shift in units of the scale, at least 0.
    delta
        0 ≤ δ < 1.

    Returns
    -------
    float
        Closed forms for N = 1 (Laplace) and N = 2 (Gaussian with μ = √2·ratio). Else an ε at which the certified profile was
        seen to be at most δ; ∞ where none below 2^20 is.
    """
    if power < 1.0 or ratio == math.inf:
        return math.inf
    if ratio == 0.0:
        return 0.0
    if power == 1.0:
        return laplace_epsilon(ratio, delta)
    if power == 2.0:
        return gaussian_epsilon(delta, raised(math.sqrt(2.0) * ratio, 1e-15))
    import numpy as np

    loss = GeneralizedGaussianLoss(power, ratio)
    low, high = 0.0, 1.0
    while not loss.profile(np.array([high]))[0] * (1.0 + PROFILE_ERROR) <= delta:
        low, high = high, 2.0 * high
        if high > _LARGEST:
            return math.inf
    for _ in range(9):
        places = np.linspace(low, high, _PLACES + 1)
        fits = loss.profile(places) * (1.0 + PROFILE_ERROR) <= delta
        first = int(np.argmax(fits)) if fits.any() else _PLACES
        low, high = float(places[max(first - 1, 0)]), float(places[first])
        if first == 0:
            break
    return high
