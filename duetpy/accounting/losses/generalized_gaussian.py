"""The ε at δ of generalized Gaussian noise: a search over its certified profile."""

from __future__ import annotations

import math

from duetpy.accounting.convert import laplace_epsilon
from duetpy.accounting.gaussian_profile import gaussian_epsilon
from duetpy.accounting.losses.inversion import profile_epsilon
from duetpy.accounting.losses.losses import GeneralizedGaussianLoss
from duetpy.accounting.rounding import raised


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
    return profile_epsilon(GeneralizedGaussianLoss(power, ratio), delta)
