"""The losses of mechanisms that see only a part of the rows."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar

from attrs import frozen

from duetpy.accounting.arrays import Array, np
from duetpy.accounting.losses import poisson_curves
from duetpy.accounting.losses.losses import (
    GaussianLoss,
    KaryLoss,
    Loss,
    ResponseLoss,
    mirrored,
    response_renyi,
)
from duetpy.accounting.losses.subsampling import (
    amplified_epsilon,
    between_orders,
    fixed_size_at,
    poisson_gaussian_renyi,
    poisson_renyi,
)
from duetpy.accounting.losses.twins import is_twin
from duetpy.accounting.rounding import raised


@frozen(eq=False, repr=False)
class SampledLoss(Loss):
    """A mechanism that sees a part of the rows, each with a probability of `rate`: ε and δ are amplified alike.

    Parameters
    ----------
    rate, base
        The probability, and what the mechanism loses on the rows that it sees.
    is_deep
        Whether many samples are drawn one from another inside: to amplify the curve at one order takes all orders of the curve
        inside, and so on, so that of such a sample nothing but ε and δ is amplified.
    """

    rate: float
    base: Loss
    is_deep: bool = False

    has_corner: ClassVar[bool] = False

    @property
    def pure(self) -> float:
        return amplified_epsilon(self.rate, self.base.pure)

    @property
    def leak(self) -> float:
        return raised(self.rate * self.base.leak, 1e-15) if self.base.leak > 0.0 else 0.0

    def renyi(self, alpha: float) -> float:
        if self.leak > 0.0:
            return math.inf
        known = min(response_renyi(self.pure, alpha), self.base.renyi(alpha))  # D_α is quasi-convex
        return known if self.is_deep else min(known, self._amplified(alpha))

    @abstractmethod
    def _amplified(self, alpha: float) -> float:
        """What sampling makes of the curve of the base."""


@frozen(eq=False, repr=False)
class PoissonLoss(SampledLoss):
    """A mechanism that sees each row with probability `rate`, under adding or removing a row.

    With (P, Q) the pair of the base (row present, row absent), the pair is ((1−q)Q + qP, Q), and by Theorem 2 of Balle,
    Barthe & Gaboardi 2018 (advanced joint convexity), with x = e^ε,

        H_x((1−q)Q + qP ‖ Q) = q H_{1+(x−1)/q}(P ‖ Q)                            the row is removed,
        H_x(Q ‖ (1−q)Q + qP) = (1 − x(1−q))₊ H_{xq/(1−x(1−q))}(Q ‖ P)            the row is added (`reverse`).
    """

    symmetric: ClassVar[bool] = False

    def _amplified(self, alpha: float) -> float:
        return sampled_curve(self.rate, alpha, self.base)

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        grown = np.expm1(np.minimum(eps, 700.0))
        with np.errstate(over="ignore"):  # of a rate next to the least double, −∞ is what is below all doubles
            argument = np.minimum(grown, 1e300 * self.rate) / self.rate  # a profile is larger at a smaller ε
        if reverse:
            # 1 − x(1−q) is q times 1 + this; logarithms of small q would cancel.
            share = -argument * (1.0 - self.rate)
            share = share + 1e-15 * (1.0 + np.abs(share))
            some = share > -1.0
            share = np.where(some, share, 0.0)
            inner = eps - np.log1p(share)
            inner = np.maximum(inner - 2e-15 * (1.0 + np.abs(inner)), -1e300)
            return np.where(some, np.minimum(self.rate * (1.0 + share), 1.0) * self.base.profile(inner, True), 0.0)
        some = argument > -1.0
        inner = np.log1p(np.where(some, argument, 0.0))
        inner = inner - 2e-15 * (1.0 + np.abs(inner))
        return np.where(some, self.rate * self.base.profile(inner, False), -grown)


LARGEST_SAMPLED_ORDER = 512
"""Orders above this are not summed when a curve is searched."""


def sampled_curve(rate: float, alpha: float, base: Loss) -> float:
    """D_α of a mechanism on Poisson-sampled rows, in both directions: exact for randomized response, for Gaussian noise at whole
    orders."""
    if isinstance(base, GaussianLoss) and alpha <= LARGEST_SAMPLED_ORDER:
        return poisson_gaussian_renyi(rate, alpha, raised(base.mu * base.mu / 2, 1e-15))
    known = poisson_curves.response_renyi(rate, alpha, base.pure, base.size if isinstance(base, KaryLoss) else 2)
    if isinstance(base, ResponseLoss | KaryLoss) or alpha > LARGEST_SAMPLED_ORDER:
        return known
    return min(known, between_orders(lambda order: _sampled_at(rate, order, base), alpha))


@lru_cache(maxsize=1 << 12)
def _sampled_at(rate: float, order: int, base: Loss) -> float:
    curve = whole_orders(base)
    if is_twin(base):
        return poisson_curves.twin_renyi(rate, float(order), curve)
    return min(poisson_renyi(rate, float(order), curve), poisson_curves.any_renyi(rate, float(order), curve))


def whole_orders(loss: Loss) -> Callable[[int], Array]:
    """D_2, …, D_n of a loss: what subsampling sums over, again and again of the same loss."""

    def orders(last: int) -> Array:
        return _orders_to(loss, 1 << (last - 1).bit_length())[: last - 1]

    return orders


@lru_cache(maxsize=64)
def _orders_to(loss: Loss, last: int) -> Array:
    return np.array([loss.renyi(float(order)) for order in range(2, last + 1)])


@frozen(eq=False, repr=False)
class FixedLoss(SampledLoss):
    """A mechanism that sees b of m rows drawn without replacement, `rate` = b/m, under replacing a row.

    For e^ε = 1 + q(e^{ε₀} − 1) with ε₀ ≥ 0, δ(ε) ≤ q δ₀(ε₀) in either direction (Balle, Barthe & Gaboardi 2018,
    Theorem 9), where δ₀ is the profile of the base under replacing a row of the sample.
    """

    def _amplified(self, alpha: float) -> float:
        return between_orders(lambda order: _fixed_at(self.rate, order, self.base), alpha)

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        inner = np.log1p(np.minimum(np.expm1(np.minimum(np.abs(eps), 700.0)), 1e300 * self.rate) / self.rate)
        inner = inner - 2e-15 * (1.0 + np.abs(inner))
        return mirrored(eps, self.rate * worst_profile(self.base, inner))


@lru_cache(maxsize=1 << 12)
def _fixed_at(rate: float, order: int, base: Loss) -> float:
    return fixed_size_at(rate, order, whole_orders(base), base.pure)


def worst_profile(loss: Loss, eps: Array) -> Array:
    """The larger profile of both directions."""
    forward = loss.profile(eps, False)
    return forward if loss.symmetric else np.maximum(forward, loss.profile(eps, True))
