"""The ε at δ of generalized Gaussian noise: a search over its certified profile."""

from __future__ import annotations

import math
from functools import lru_cache, partial

from attrs import frozen

from duetpy.accounting.arrays import Array, np, special
from duetpy.accounting.convert import laplace_epsilon
from duetpy.accounting.gaussian_profile import gaussian_epsilon
from duetpy.accounting.losses.divergence import places_to, renyi_of_profile
from duetpy.accounting.losses.inversion import profile_epsilon
from duetpy.accounting.losses.losses import (
    CURVE_ERROR,
    PROFILE_ERROR,
    LaplaceLoss,
    Loss,
    gaussian_profile,
    laplace_renyi,
    mirrored,
)
from duetpy.accounting.rounding import UNIT_ROUNDOFF, raised


@lru_cache(maxsize=64)
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
        Closed forms for N = 1 (Laplace) and N = 2 (Gaussian with μ = √2·ratio). Else the smaller of an ε at which the
        certified profile was seen to be at most δ and of the loss beyond which all mass is at most δ; ∞ at δ = 0.
    """
    if power < 1.0 or ratio == math.inf:
        return math.inf
    if ratio == 0.0:
        return 0.0
    if power == 1.0:
        return laplace_epsilon(ratio, delta)
    if power == 2.0:
        return gaussian_epsilon(delta, raised(math.sqrt(2.0) * ratio, 1e-15))
    loss = GeneralizedGaussianLoss(power, ratio)
    return min(profile_epsilon(loss, delta), loss.beyond(delta))


_UNSEEN = 1e-300
"""Tails below the least double are not 0: of a power above 1 no ε has δ(ε) = 0."""

_FLAT = 1e-30
"""e^{−x} is 1 for x below this, but for a share that no double holds."""


@frozen(eq=False, repr=False)
class GeneralizedGaussianLoss(Loss):
    """Density ∝ exp(−|x|^N) against its shift by `ratio` = Δ/scale, for N ≥ 1.

    For N ≥ 1 the density is log-concave, so the loss of an outcome increases along the shift: with y measured from the middle
    of the two densities it is |y + r/2|^N − |y − r/2|^N, and δ(ε) = F̄(t − r/2) − e^ε F̄(t + r/2) at the t of loss ε, where
    F̄ is the upper tail. It is evaluated at a t of a loss L that is surely no more than ε, with e^L: that is δ(L) ≥ δ(ε).
    """

    power: float
    ratio: float

    @property
    def pure(self) -> float:
        return self.ratio if self.power == 1.0 else math.inf

    def renyi(self, alpha: float) -> float:
        if self.power == 1.0:
            return laplace_renyi(self.ratio, alpha)
        if self.power == 2.0:
            return raised(alpha * self.ratio * self.ratio, CURVE_ERROR)
        return generalized_renyi(self.power, self.ratio, alpha)

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        if self.power == 1.0:
            return LaplaceLoss(self.ratio).profile(eps)
        if self.power == 2.0:
            return gaussian_profile(eps, math.sqrt(2) * self.ratio)
        target = np.abs(eps)
        half = self.ratio / 2
        low, high = np.zeros_like(target), np.ones_like(target)
        with np.errstate(over="ignore", invalid="ignore"):  # a loss beyond the doubles is not short of any target
            for _ in range(1100):
                short = sum(self._loss(high)) < target
                if not short.any():
                    break
                high = np.where(short, 2 * high, high)
            for _ in range(100):
                middle = (low + high) / 2
                short = sum(self._loss(middle)) < target
                low, high = np.where(short, middle, low), np.where(short, high, middle)
            loss, error = self._loss(low)
            least = np.minimum(np.fmax(loss - error, 0.0), 700.0)  # no loss at y ≥ 0 is below 0
            # A tail changes by 2N⋅max(1, z^N) times the share by which z does, at most.
            share = 8 * UNIT_ROUNDOFF * (self.power + 8)
            slack = np.minimum(1e-11 + share * np.fmax(1.0, (low + half) ** self.power), 1.0)
        ahead = self._tail(low - half)
        value = ahead - np.exp(least) * self._tail(low + half)
        return mirrored(eps, np.maximum(value, 0.0) + slack * ahead + _UNSEEN)

    def beyond(self, delta: float) -> float:
        """An ε for N > 1 such that larger losses have no more mass than δ, rounded up; ∞ at δ = 0.

        F̄(z) = Γ(1/N, z^N)/2Γ(1/N) ≤ e^{−z^N}/2 for z ≥ 1, as Γ(s, x) ≤ x^{s−1} e^{−x} for s ≤ 1 ≤ Γ(s).
        """
        if not delta > 0.0:
            return math.inf
        place = raised((-math.log(2.0 * min(delta, 0.1))) ** (1.0 / self.power), 1e-14)
        with np.errstate(over="ignore", invalid="ignore"):
            loss, error = self._loss(np.array([raised(place + self.ratio / 2, 1e-15)]))
        return raised(float((loss + error)[0]), 1e-15)

    def _loss(self, y: Array) -> tuple[Array, Array]:
        """The loss of outcomes y ≥ 0, and a bound on its rounding.

        The last bit of what is raised to N is N times as much of the power, and that of N is log z^N times as much.
        """
        further = (y + self.ratio / 2) ** self.power
        unit = np.expm1((2 * self.power + 24) * UNIT_ROUNDOFF)
        return further - np.abs(y - self.ratio / 2) ** self.power, unit * further

    def _tail(self, z: Array) -> Array:
        """The mass of the density above z: Γ(1/N, z^N)/2Γ(1/N) for z ≥ 0.

        Where z^N is next to nothing, and for a large N no double any more, the density is flat: ½ − z/2Γ(1 + 1/N).
        """
        with np.errstate(over="ignore", under="ignore"):  # nothing lies beyond the doubles
            lifted = np.abs(z) ** self.power
        tail = np.asarray(special.gammaincc(1.0 / self.power, lifted)) / 2
        tail = np.where(lifted < _FLAT, 0.5 - np.abs(z) / (2.0 * math.gamma(1.0 + 1.0 / self.power)), tail)
        return np.where(z >= 0.0, tail, 1.0 - tail)


@lru_cache(maxsize=4096)
def generalized_renyi(power: float, ratio: float, alpha: float) -> float:
    """D_α of a generalized Gaussian of power N > 1 against its shift by `ratio`, from its profile, rounded up.

    With y from the middle of the two densities, E[e^{(α−1)L}] is the integral of c e^{h(y)},

        h(y) = (α−1)|y + r/2|^N − α|y − r/2|^N,

    which beyond its peak is concave and falling, so that the integral beyond t is at most c e^{h(t)}/|h′(t)|.
    """
    if not 1.0 < power < 64.0 or not 0.0 < ratio < math.inf or not 1.0 < alpha < math.inf:
        return 0.0 if ratio == 0.0 else math.inf
    half = ratio / 2

    def height(y: float) -> float:
        return float((alpha - 1.0) * (y + half) ** power - alpha * abs(y - half) ** power)

    def slope(y: float) -> float:
        return float(power * ((alpha - 1.0) * (y + half) ** (power - 1.0) - alpha * (y - half) ** (power - 1.0)))

    try:
        end = half + 1.0
        while slope(end) >= -1.0:
            end *= 1.25
        peak = max(height(half), height(end / 1.25), 0.0)
        while height(end) > peak - 80.0 or height(end) > -80.0:
            end *= 1.25  # the same few ends for all orders
        tail = power / (2.0 * math.gamma(1.0 / power)) * math.exp(height(end)) / -slope(end)
        last = (end + half) ** power - (end - half) ** power
        return renyi_of_profile(partial(_generalized_profile, power, ratio), alpha, last, tail * (1.0 + 1e-9))
    except ArithmeticError:
        return math.inf


@lru_cache(maxsize=256)
def _generalized_profile(power: float, ratio: float, end: float) -> Array:
    return GeneralizedGaussianLoss(power, ratio).profile(places_to(end)) * (1.0 + PROFILE_ERROR)
