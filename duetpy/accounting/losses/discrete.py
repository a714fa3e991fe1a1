"""The discrete Gaussian on one whole number that moves by a known whole number of steps: its own privacy loss.

P(x) ∝ exp(−x²/2σ²) on the integers is log-concave, so the loss of x against its shift by Δ, (2xΔ − Δ²)/2σ² from the shifted
centre, increases with x, the best sets are half-lines, and a shift by fewer steps is no easier to distinguish:

    δ(ε) = max over k of F̄(k − Δ) − e^ε F̄(k),      F̄(j) = P(X ≥ j).

A run draws with a σ that is up to 2^−40 of itself above the one that the atom names, since the sensitivity is raised by that. Let σ
grow by the share u. The sum of exp(−x²/2σ²) grows by at most that share, as d log Σ/d log σ = E[x²]/σ² ≤ 1 (Canonne, Kamath &
Steinke 2020), and each summand by at most the factor exp(u x²/σ²). So F̄(j) changes by a share of at most 1600u + 2u < 2e-9 up to
j = 39σ; what lies beyond has less than 1e-300 of the mass. `_MARGIN` is four times that, and covers rounding as well: the bound

    (1 + η) F̄(k − Δ) − (1 − η) e^ε F̄(k) + 1e-300

holds for every σ in between. In several dimensions a shift has no half-lines, and the Rényi curve is used.
"""

from __future__ import annotations

import math
from functools import lru_cache

from attrs import frozen

from duetpy.accounting.arrays import Array, np
from duetpy.accounting.losses.losses import CurveLoss, Loss, mirrored
from duetpy.accounting.rounding import multiple, raised

_MARGIN = 8e-9
_LEAST = 1e-300
_REACH = 40
_NARROWEST, _WIDEST = 0.05, 4000.0
"""σ in between is tabulated; there the zCDP curve is kept."""

_LARGEST_RHO = 500.0


def shifted(steps: int, sigma: float, rho: float) -> Loss:
    """The loss of a discrete Gaussian that is `rho`-zCDP and moves by so many steps: its own law where that is tabulated."""
    if rho > _LARGEST_RHO or not _NARROWEST <= sigma <= _WIDEST:
        return CurveLoss(rho)
    return DiscreteGaussianLoss(steps, sigma, rho)


@frozen(eq=False, repr=False)
class DiscreteGaussianLoss(Loss):
    """The discrete Gaussian of parameter σ against its shift by `steps`; `rho` = steps²/2σ², rounded up."""

    steps: int
    sigma: float
    rho: float

    def renyi(self, alpha: float) -> float:
        return raised(self.rho * alpha, 1e-13)

    def grouped(self, size: int) -> Loss:
        """A shift by `size` times as many steps."""
        rho = multiple(size * size, self.rho)
        return CurveLoss(rho) if rho > _LARGEST_RHO else DiscreteGaussianLoss(size * self.steps, self.sigma, rho)

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        size = np.minimum(np.abs(eps), 700.0)
        tails, last = _upper_tails(self.sigma)

        def tail(first: Array) -> Array:
            return tails[np.clip(first, -last, last + 1).astype(np.int64) + last]

        # The k at which the bound is largest; a k that is too small by one where it hardly matters costs less than the margin.
        best = (size - 2 * _MARGIN) * (self.sigma**2 / self.steps) + self.steps / 2
        k = np.ceil(best - 1e-12 * (1.0 + np.abs(best)))
        # A tail that is next to no double has lost its digits, which e^ε would bring back: nothing is taken off for it.
        known = np.where(tail(k) > _LEAST, tail(k), 0.0)
        upper = (1.0 + _MARGIN) * tail(k - self.steps) - (1.0 - _MARGIN) * np.exp(size) * known
        return mirrored(eps, np.maximum(upper, 0.0) + _LEAST)


@lru_cache(maxsize=64)
def _upper_tails(sigma: float) -> tuple[Array, int]:
    """P(X ≥ j) for j from −r to r + 1, summed from the smallest on, and r = 40σ, beyond which it is taken to be 0."""
    last = math.ceil(_REACH * sigma) + 1
    places = np.arange(-last, last + 1)
    weights = np.exp(-0.5 * (places / sigma) ** 2)
    tails = np.cumsum(weights[::-1])[::-1]
    return np.append(tails / tails[0], 0.0), last
