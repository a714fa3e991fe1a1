"""What is known of the privacy loss of one mechanism: its pure bound, its Rényi curve, its profile.

A loss describes a pair of output laws (P, Q) that dominates the mechanism on all neighbours: the mechanism's outputs are a
post-processing of the pair (Zhu, Dong & Wang 2022), so that whatever holds of the composition of such pairs
holds of the adaptive composition of the mechanisms. Three views of it:

``pure``
    sup log P/Q, the least ε with δ = 0.
``renyi(α)``
    an upper bound on D_α(P‖Q) and on D_α(Q‖P).
``profile(ε)``
    δ(ε) = H_{e^ε}(P‖Q) = ∫ (P − e^ε Q)₊ for an array of real ε, or of Q‖P in the `reverse` direction; it may be larger,
    never smaller, except for a relative error of `PROFILE_ERROR` that the caller adds.

Only the third imports numpy. A loss of which only the Rényi curve is known is a `CurveLoss`; several of them are composed
through their curves before a profile is made.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from typing import ClassVar

from attrs import evolve, frozen

from duetpy.accounting.arrays import Array, np, special
from duetpy.accounting.rounding import UNIT_ROUNDOFF, raised
from duetpy.by_value import ByValue

PROFILE_ERROR = 2e-11
"""Relative error that every profile stays under; whoever needs an upper bound multiplies by one plus this."""

CURVE_ERROR = 1e-13


@frozen(eq=False, repr=False)
class Loss(ByValue, ABC):
    """The privacy loss of one mechanism; see the module's text."""

    symmetric: ClassVar[bool] = True

    has_corner: ClassVar[bool] = True
    """Whether the profile has a corner at the pure bound."""

    @property
    def pure(self) -> float:
        """sup log P/Q over both directions, rounded up."""
        return math.inf

    @property
    def leak(self) -> float:
        """The mass on which P/Q is infinite: δ(∞), rounded up."""
        return 0.0

    def renyi(self, alpha: float) -> float:
        """An upper bound on D_α in both directions, for α > 1."""
        return self.pure

    @abstractmethod
    def profile(self, eps: Array, reverse: bool = False) -> Array:
        """δ(ε) for an array of real ε."""

    @property
    def anchor(self) -> float | None:
        """A loss value that the grid should hold, because the profile has a corner there."""
        return self.pure if self.has_corner and 0.0 < self.pure < math.inf else None

    @property
    def atomic(self) -> bool:
        """Whether 0 and ± the anchor are the only finite values of the loss: a grid through them holds it exactly."""
        return False


@frozen(eq=False, repr=False)
class PureLoss(Loss):
    """The worst loss of a family that is ordered by its pure ε."""

    eps: float

    @property
    def pure(self) -> float:
        return self.eps

    def stronger(self, eps: float) -> PureLoss:
        """The member of the family with a larger ε."""
        return evolve(self, eps=eps)


def mirrored(eps: Array, upper: Array) -> Array:
    """The profile of a symmetric pair at all ε, from its values `upper` at |ε|: δ(−ε) = 1 − e^{−ε} + e^{−ε} δ(ε)."""
    shrunk = np.exp(-np.abs(eps))
    return np.where(eps >= 0.0, upper, -np.expm1(-np.abs(eps)) + shrunk * upper)


_PLACES = 4096
"""At so many places a profile that is slow to compute is evaluated; chords lie between."""


def chords(upper: Callable[[Array], Array], low: float, high: float, count: int = _PLACES) -> Callable[[Array], Array]:
    """An upper bound on a profile from `low` on, from few places: it is convex in e^ε, so below its chords.

    Beyond `high` it is what it is there, since a profile does not rise.
    """
    # Denser where ε is small: there a profile falls fast and bends.
    places = low + max(high * (1.0 + 1e-12) - low, 1e-9) * np.linspace(0.0, 1.0, count + 1) ** 2
    steps = np.diff(places)
    known = below_chords(places, upper(places))
    falls = np.minimum(np.diff(known), 0.0)

    def between(size: Array) -> Array:
        index = np.clip(np.searchsorted(places, size, side="right") - 1, 0, count - 1)
        step = steps[index]
        beyond = np.clip(size - places[index], 0.0, step)
        # (e^x − 1)/(e^h − 1), by exponentials of what is not positive: a wide h overflows none.
        share = np.exp(beyond - step) * np.expm1(-beyond) / np.expm1(-step)
        return np.asarray(known[index] + share * (1.0 - 1e-12) * falls[index])

    return between


def below_chords(places: Array, known: Array) -> Array:
    """Bounds on a profile at rising ε, each lowered to the least chord in e^ε between two others: a minimum of convex bounds
    need not be convex, and a profile is."""
    corners = np.arange(len(known))
    # A corner that is not below the chord of its neighbours is on or above the least chord, whatever else is dropped with it.
    while len(corners) > 2:
        at, values = places[corners], known[corners]
        left = -np.expm1(at[:-2] - at[1:-1])
        right = np.expm1(np.minimum(at[2:] - at[1:-1], 700.0))
        below = (values[1:-1] - values[:-2]) * right < (values[2:] - values[1:-1]) * left
        if below.all():
            break
        corners = corners[np.concatenate(([True], below, [True]))]
    if len(corners) == len(known):
        return known
    index = np.searchsorted(corners[1:], np.arange(len(known)), side="left").clip(0, len(corners) - 2)
    start, end = corners[index], corners[index + 1]
    with np.errstate(over="ignore", invalid="ignore"):
        share = np.expm1(places - places[start]) / np.expm1(places[end] - places[start])
    share = np.where(np.isnan(share), 0.0, share).clip(0.0, 1.0) * (1.0 - 1e-12)
    return np.asarray(np.minimum(known, known[start] + share * np.minimum(known[end] - known[start], 0.0)))


def by_chords(upper: Callable[[Array], Array], size: Array) -> Array:
    """An upper bound on a profile at an array of ε ≥ 0; if they are many, from few of them."""
    if size.size <= 2 * _PLACES:
        return upper(size)
    return chords(upper, float(size.min()), float(size.max()))(size)


@frozen(eq=False, repr=False)
class GaussianLoss(Loss):
    """N(0, 1) against N(μ, 1): the Gaussian mechanism, and the worst case of μ-Gaussian privacy."""

    mu: float

    def renyi(self, alpha: float) -> float:
        return raised(alpha * self.mu * self.mu / 2, CURVE_ERROR)

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        return gaussian_profile(eps, self.mu)


def gaussian_profile(eps: Array, mu: float) -> Array:
    """δ(ε; μ) = φ(a)(R(a) − R(b)) of `duetpy.accounting.gaussian_profile`, for an array of real ε."""
    if mu == 0.0:
        upper = np.zeros_like(eps)
        return mirrored(eps, upper)
    with np.errstate(over="ignore"):
        ratio = np.minimum(np.abs(eps) / mu, 1e8)
    a, b = ratio - mu / 2, ratio + mu / 2
    # The last factor covers the rounding of a and b; for a > 39 the density is below the least double.
    with np.errstate(over="ignore"):
        density = np.exp(-0.5 * a * a) / math.sqrt(2 * math.pi)
    density = density * (1.0 + 16 * UNIT_ROUNDOFF * (1.0 + np.minimum(np.abs(a), 40.0)) * b)
    root = math.sqrt(math.pi / 2)

    def mills(z: Array) -> Array:
        return root * np.asarray(special.erfcx(z / math.sqrt(2)))

    # Of a large μ the rounding of a moves Φ(−a) by more than the error that every profile may have.
    tail = np.asarray(special.ndtr(4 * UNIT_ROUNDOFF * b - a))
    wide = np.where(a < 0.0, tail - density * mills(b), density * (mills(np.maximum(a, 0.0)) - mills(b)))
    if mu >= 0.01 * max(1.0, float(a.max(initial=0.0))):
        return mirrored(eps, wide)
    # Where R(a) − R(b) would cancel, the integral of −R′(z) = 1 − z R(z) over [a, b], as in the scalar version.
    nodes, weights = _four_nodes()
    # Where the integral is used, nothing is below −1.
    middle = np.maximum(ratio[..., None] + (mu / 2) * nodes, -1.0)
    # 1 − z R(z) loses digits like z²; it is at most 1/(z² + 1), which is used where the density is negligible.
    slope = np.where(middle > 45.0, 1.0 / (middle * middle + 1.0), 1.0 - middle * mills(middle))
    narrow = density * (mu / 2) * (slope @ weights)
    return mirrored(eps, np.where(mu < 0.01 * np.maximum(1.0, a), narrow, wide))


@cache
def _four_nodes() -> tuple[Array, Array]:
    """Those of Gauss and Legendre on [−1, 1], and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(4)
    return nodes, weights


class ResponseLoss(PureLoss):
    """Binary randomized response at ε: the worst case of ε-privacy (Kairouz, Oh & Viswanath 2015)."""

    @property
    def atomic(self) -> bool:
        return True

    def renyi(self, alpha: float) -> float:
        return response_renyi(self.eps, alpha)

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        inside = -np.expm1(np.minimum(eps - self.eps, 0.0)) / (1.0 + math.exp(-self.eps))
        return np.where(eps >= -self.eps, inside, -np.expm1(np.minimum(eps, 0.0)))


def response_renyi(eps: float, alpha: float) -> float:
    """D_α of randomized response at ε: log(p e^{(α−1)ε} + (1−p) e^{−(α−1)ε})/(α−1), p = 1/(1+e^{−ε})."""
    if eps == math.inf:
        return math.inf
    below = math.exp(-eps)
    order = alpha - 1.0
    value = eps + (math.log1p(below * math.exp(-2.0 * (order * eps))) - math.log1p(below)) / order
    return min(eps, response_rho(eps) * alpha, raised(value, CURVE_ERROR) + 8 * UNIT_ROUNDOFF / order)


def response_rho(eps: float) -> float:
    """The least ρ for which every ε-private mechanism is ρ-zCDP: ε tanh(ε/2), rounded up.

    ρ = D₁ of randomized response. Its Rényi divergence satisfies D_α ≤ α D₁: with θ = α − 1/2, the centred log moment
    K(θ) = log cosh(εθ) has K‴ ≤ 0 for θ ≥ 0, and g = K(θ) − K(1/2) − (θ² − 1/4) D₁ is even with g = g′ = 0 at 1/2; so
    g″ integrates to 0 over [0, 1/2] and decreases: g″ ≤ 0, so g ≤ 0, beyond.
    """
    return raised(eps * math.tanh(eps / 2), CURVE_ERROR) if eps < math.inf else math.inf


@frozen(eq=False, repr=False)
class KaryLoss(PureLoss):
    """k-ary randomized response: the true answer with probability e^ε/(e^ε + k − 1), else one of the others."""

    size: int

    @property
    def atomic(self) -> bool:
        return True

    def renyi(self, alpha: float) -> float:
        return min(response_renyi(self.eps, alpha), self._curve(alpha))

    def _curve(self, alpha: float) -> float:
        """log(p^α q^{1−α} + q^α p^{1−α} + (k−2)q)/(α−1), p = e^ε q, q = 1/(e^ε + k − 1), by its excess over 1.

        With e = e^ε the sum is q(e^α + e^{1−α} + k − 2), and 1 is q(e + 1 + k − 2).
        """
        order = alpha - 1.0
        if alpha * self.eps > 600.0:
            return math.inf
        share = 1.0 / (1.0 + (self.size - 1) * math.exp(-self.eps))
        # q e (e^{α−1} − 1) + q (e^{1−α} − 1), without cancellation between the two for small (α−1)ε
        excess = share * (math.expm1(order * self.eps) + math.exp(-self.eps) * math.expm1(-order * self.eps))
        slack = 8 * UNIT_ROUNDOFF * share * math.expm1(order * self.eps)
        return raised(math.log1p(max(excess, 0.0) + slack) / order, CURVE_ERROR)

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        # Only the true answer has a positive loss, ε, and it has mass p.
        mass = 1.0 / (1.0 + (self.size - 1) * math.exp(-self.eps))
        return mirrored(eps, -mass * np.expm1(np.minimum(np.abs(eps) - self.eps, 0.0)))


class LaplaceLoss(PureLoss):
    """Laplace noise of scale Δ/ε against its shift by Δ."""

    def renyi(self, alpha: float) -> float:
        return laplace_renyi(self.eps, alpha)

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        inside = -np.expm1(np.minimum(eps - self.eps, 0.0) / 2)
        return np.where(eps >= -self.eps, inside, -np.expm1(np.minimum(eps, 0.0)))


def laplace_renyi(eps: float, alpha: float) -> float:
    """D_α of the Laplace mechanism (Mironov 2017, Proposition 6):

    log(α/(2α−1) e^{(α−1)ε} + (α−1)/(2α−1) e^{−αε})/(α−1).
    """
    if eps == math.inf:
        return math.inf
    order = alpha - 1.0
    # Twice an order may be no double.
    rest = math.log1p((order / alpha) * math.exp(eps - 2.0 * (alpha * eps)))
    value = eps + (rest - math.log1p(order / alpha)) / order
    return min(eps, laplace_rho(eps) * alpha, raised(value, CURVE_ERROR) + 8 * UNIT_ROUNDOFF / order)


def laplace_rho(eps: float) -> float:
    """The least ρ for which Laplace noise of scale Δ/ε is ρ-zCDP: ε + e^{−ε} − 1, rounded up.

    That is D₁, so no smaller ρ will do. That it will: with θ = α − 1/2, (α−1) D_α = ∫₀^ε (y(s) − 1/2) ds where y solves
    y′ = θ² − y², y(0) = 1/2; and Y(s) = 1/2 + (θ² − 1/4)(1 − e^{−s}) has Y(0) = 1/2 and Y′ ≥ θ² − Y² for θ ≥ 1/2, so y ≤ Y,
    and (α−1) D_α ≤ ∫₀^ε (θ² − 1/4)(1 − e^{−s}) ds = α(α−1) D₁.
    """
    if eps == math.inf:
        return math.inf
    if eps > 0.5:
        return raised(eps + math.expm1(-eps), 1e-14)
    # Σ_{n ≥ 2} (−ε)ⁿ/n!; alternating and decreasing, so the first omitted term bounds the error.
    term, total = eps * eps / 2, 0.0
    for n in range(3, 24):
        total += term
        term *= -eps / n
    return raised(total, 1e-14)


class BoundedRangeLoss(PureLoss):
    """A mechanism of which the losses on any two neighbours fill an interval of length ≤ ε that contains 0.

    The exponential mechanism is one (Dong, Durfee & Rogers 2020). The worst pairs have two outcomes, of losses t and
    t − ε for 0 ≤ t ≤ ε; their profiles (e^ε − e^t)(1 − e^{x−t})/(e^ε − 1) have the upper envelope, reached at
    t = (x + ε)/2,

        δ(x) = (e^{ε/2} − e^{x/2})²/(e^ε − 1)        for |x| ≤ ε.
    """

    def renyi(self, alpha: float) -> float:
        return min(raised(alpha * self.eps * self.eps / 8, CURVE_ERROR), response_renyi(self.eps, alpha))

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        if self.eps == 0.0:
            return -np.expm1(np.minimum(eps, 0.0))
        root = np.expm1(np.clip(eps - self.eps, -2 * self.eps, 0.0) / 2)
        inside = root * (root / -math.expm1(-self.eps))  # the square of a small one is no double
        return np.where(eps >= -self.eps, inside, -np.expm1(np.minimum(eps, 0.0)))


@frozen(eq=False, repr=False)
class LeakyLoss(Loss):
    """With probability δ everything is revealed, else a loss: (ε, δ)-privacy with randomized response inside.

    Every (ε, δ)-private mechanism is a post-processing of it (Kairouz, Oh & Viswanath 2015).
    """

    delta: float
    inner: Loss

    @property
    def leak(self) -> float:
        return self.delta

    def renyi(self, alpha: float) -> float:
        """Of the part that does not leak: the caller accounts for `leak`."""
        return self.inner.renyi(alpha)

    @property
    def anchor(self) -> float | None:
        return self.inner.anchor

    @property
    def atomic(self) -> bool:
        return self.inner.atomic

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        return self.delta + (1.0 - self.delta) * self.inner.profile(eps, reverse)


@frozen(eq=False, repr=False)
class CurveLoss(Loss):
    """A mechanism of which a Rényi curve alone is known.

    D_α ≤ min(slope·α, cap) for 1 < α < order: ρ-zCDP and (ρ, ω)-tCDP have a slope, (α, ε)-RDP has a cap (RDP is monotone
    in α), the discrete Gaussian has the slope Δ²/2σ² (Canonne, Kamath & Steinke, 'The Discrete Gaussian', 2020).
    """

    slope: float
    cap: float = math.inf
    order: float = math.inf

    def renyi(self, alpha: float) -> float:
        if alpha > self.order:
            return math.inf
        return min(raised(self.slope * alpha, CURVE_ERROR), self.cap) if self.slope < math.inf else self.cap

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        return curve_profile(self.renyi, eps)


_ORDERS = tuple(math.exp(x / 6.0) for x in range(-36, 84))
"""α − 1 for the conversion of a curve to a profile: from 0.0025 to 1e6 in steps of 18 %."""


def curve_profile(curve: Callable[[float], float], eps: Array) -> Array:
    """A profile that a Rényi curve implies.

    δ(ε) ≤ exp((α−1)(D_α − ε)) (1 − 1/α)^α/(α−1) for every α (Canonne, Kamath & Steinke 2020, Proposition 12), and
    δ(ε) ≤ δ(0) ≤ √(1 − e^{−D_α}) (Bretagnolle & Huber 1979, as total variation ≤ √(1 − e^{−KL}) and KL ≤ D_α).
    """
    known = [(order, curve(1.0 + order)) for order in _ORDERS]

    def upper(size: Array) -> Array:
        log_delta = np.zeros_like(size)
        for order, at in known:
            if at < math.inf:
                constant = -(1.0 + order) * math.log1p(1.0 / order) - math.log(order) + 1e-13 * (1.0 + order * at)
                with np.errstate(over="ignore"):
                    log_delta = np.minimum(log_delta, order * (at - size) + constant + 1e-13 * order * size)
                log_delta = np.minimum(log_delta, 0.5 * math.log(-math.expm1(-max(at, 1e-300))) + 1e-14)
        return np.asarray(np.exp(log_delta))

    return mirrored(eps, by_chords(upper, np.abs(eps)))
