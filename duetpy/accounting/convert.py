"""Conversions between notions, as numbers: each is a theorem, and each result is rounded to its safe side.

What is missing is missing because it is false: no zCDP and no finite set of Rényi orders implies Gaussian privacy, and no
(ε, δ) with δ > 0 implies a Rényi bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from duetpy.accounting.rounding import LARGEST, at_least_zero, lowered, raised


def renyi_epsilon(alpha: float, eps: float, delta: float) -> float:
    """The ε of (α, ε)-RDP at δ: ε + log(1 − 1/α) − log(δα)/(α−1), at least 0, rounded up.

    Canonne, Kamath & Steinke 2020, Proposition 12; and 0 where δ ≥ √(1 − e^{−ε}), as total variation is at most that
    (Bretagnolle & Huber 1979) and D₁ ≤ D_α.
    """
    if delta >= 1.0:
        return 0.0
    if delta <= 0.0 or not alpha > 1.0 or math.isinf(eps):
        return eps if math.isinf(alpha) else math.inf
    if delta * delta >= raised(-math.expm1(-eps), 1e-15):
        return 0.0
    if math.isinf(alpha):
        return eps
    order = alpha - 1.0
    rest = math.log1p(1.0 / order)
    value = eps - rest - (math.log(delta) + math.log(alpha)) / order
    # Where δα is next to 1 the logarithms cancel, and their last digits stay.
    return at_least_zero(value + 4e-15 * (eps + (math.log(alpha) - math.log(delta)) / order + rest))


def curve_epsilon(curve: Callable[[float], float], delta: float, largest: float = 1e7) -> float:
    """The least ε at δ over all orders 1 < α ≤ `largest` of a Rényi curve, rounded up.

    The bound holds at every α, so that the search may be as coarse as it likes: a grid in log(α − 1), then golden section
    around its best point. Where no order is above 1 nothing is known, and the answer is ∞.
    """
    if delta >= 1.0:
        return 0.0
    if delta <= 0.0 or not largest > 1.0:
        return math.inf

    def bound(log_order: float) -> float:
        alpha = min(1.0 + math.exp(log_order), largest)
        return renyi_epsilon(alpha, curve(alpha), delta)

    high = math.log(largest - 1.0)
    low = min(math.log(1e-4), high - 1.0)
    grid = [low + (high - low) * i / 60 for i in range(61)]
    values = [bound(x) for x in grid]
    best = min(range(61), key=values.__getitem__)
    if math.isinf(values[best]):
        return math.inf
    left, right = grid[max(best - 1, 0)], grid[min(best + 1, 60)]
    found = values[best]
    ratio = (math.sqrt(5) - 1) / 2
    for _ in range(40):
        a, b = right - ratio * (right - left), left + ratio * (right - left)
        at_a, at_b = bound(a), bound(b)
        found = min(found, at_a, at_b)
        if at_a <= at_b:
            right = b
        else:
            left = a
    return found


def zcdp_epsilon(rho: float, delta: float) -> float:
    """The ε of ρ-zCDP at δ: the best order of D_α ≤ ρα, rounded up."""
    if rho == 0.0:
        return 0.0
    return curve_epsilon(lambda alpha: raised(rho * alpha, 1e-15), delta, _enough_orders(rho, delta))


def tcdp_epsilon(rho: float, omega: float, delta: float) -> float:
    """The ε of (ρ, ω)-tCDP at δ: the best order α ≤ ω of D_α ≤ ρα, rounded up (D_α is continuous from below in α).

    With ω ≤ 1 it bounds nothing, and ε is ∞.
    """
    if rho == 0.0 or not omega > 1.0:
        return 0.0 if omega > 1.0 else math.inf
    return curve_epsilon(lambda alpha: raised(rho * alpha, 1e-15), delta, min(omega, _enough_orders(rho, delta)))


def _enough_orders(rho: float, delta: float) -> float:
    """An order beyond the best one, 1 + √(log(1/δ)/ρ)."""
    return 10.0 + 10.0 * math.sqrt(min(-math.log(delta) / rho, 1e300)) if 0.0 < delta < 1.0 else 10.0


def calibrate_rho(eps: float, delta: float) -> float:
    """The largest ρ for which ρ-zCDP implies (ε, δ), by the best order; rounded down, to 0 if no double is left of it."""
    if not 0.0 < delta < 1.0 or not 0.0 < eps < math.inf:
        raise ValueError("a calibration takes 0 < ε < ∞ and 0 < δ < 1")
    low, high = 0.0, min(eps + eps * eps, LARGEST)  # a search down from ∞ would end where it began
    while zcdp_epsilon(high, delta) <= eps:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = low + (high - low) / 2 if low > 0.0 else high / 4
        if not low < middle < high:
            break
        if zcdp_epsilon(middle, delta) <= eps:
            low = middle
        else:
            high = middle
    return max(0.0, lowered(low, 1e-15))


_ROUNDED = 1.0 - 2e-15
"""What is taken off a number of which a logarithm of the rest to 1 is asked for: near 1 its last bits decide the rest."""


def _left(eps: float, factor: float, rest: float, unit: float = 4e-16) -> float:
    """ε + factor·log(1 − rest), at least 0 and rounded up."""
    if rest >= 1.0:
        return 0.0
    value = eps + factor * math.log1p(-rest)
    return min(eps, at_least_zero(value + unit * (eps + abs(value - eps) + 1.0)))


def pure_epsilon(eps: float, delta: float) -> float:
    """The ε′ of ε-privacy at δ: log(e^ε − δ(1 + e^ε)), at least 0, rounded up; that of randomized response of two answers."""
    return eps if delta <= 0.0 else kary_epsilon(eps, 2, delta)


def laplace_epsilon(eps: float, delta: float) -> float:
    """The ε′ of Laplace noise of scale Δ/ε at δ: ε + 2 log(1 − δ), at least 0, rounded up."""
    return _left(eps, 2.0, delta)


def bounded_range_epsilon(eps: float, delta: float) -> float:
    """The ε′ of a mechanism of range ε at δ: 2 log(e^{ε/2} − √(δ(e^ε − 1))), at least 0, rounded up."""
    return _left(eps, 2.0, math.sqrt(delta * -math.expm1(-eps)) * _ROUNDED, 1e-15)


def kary_epsilon(eps: float, size: int, delta: float) -> float:
    """The ε′ of k-ary randomized response at δ: log(e^ε − δ(e^ε + k − 1)), at least 0, rounded up."""
    return _left(eps, 1.0, delta * (1.0 + (size - 1) * math.exp(-eps)) * _ROUNDED)


def joint_approx(pairs: list[tuple[float, float]]) -> tuple[float, float]:
    """(Σε, δ₁ + e^{ε₁} δ₂ + …) of several inputs that are moved together, each (ε, δ)-private, rounded up.

    Any order of them is valid; that of falling δ e^{-…} and its opposite are tried.
    """
    best = 1.0
    for order in (sorted(pairs), sorted(pairs, reverse=True)):
        total, before = 0.0, 0.0
        for eps, delta in order:
            if delta > 0.0:
                total += math.exp(before) * delta if before < 700.0 else 1.0
            before += eps
        # The last digit of an exponent of up to 700 moves the power by a share of up to 1e-13.
        best = min(best, raised(total, 1e-13 * len(pairs)))
    return raised(sum(eps for eps, _ in pairs), 1e-15 * len(pairs)), best


def mean_concentrated(mu: float, tau: float) -> tuple[float, float]:
    """The (ξ, ρ) with D_α ≤ ξ + ρα of a loss of mean ≤ μ, of which L − E L is τ-subgaussian: (μ − τ²/2, τ²/2).

    (α−1) D_α = log E e^{(α−1)L} ≤ (α−1)μ + (α−1)²τ²/2. This (μ, τ)-concentrated privacy (Dwork & Rothblum 2016) is not closed
    under post-processing, but the bound on D_α is, so it is turned into that at once.
    """
    if not 0.0 <= mu < math.inf or not 0.0 <= tau < math.inf:
        raise ValueError("a concentrated loss has a mean μ ≥ 0 and a width τ ≥ 0")
    return raised(mu - lowered(tau * tau / 2, 1e-15), 1e-15), raised(tau * tau / 2, 1e-15)


def kl_delta(kappa: float, eps: float) -> float:
    """The δ at ε of a bound KL(P‖Q) ≤ κ alone, to about 1e-9: the largest p − e^ε q with kl(p, q) ≤ κ.

    It falls like κ/ε only, which is why a KL bound is shown and never accepted as a guarantee.
    """
    if kappa == 0.0:
        return 0.0

    def divergence(p: float, q: float) -> float:
        first = p * math.log(p / q) if p > 0.0 else 0.0
        second = (1 - p) * math.log((1 - p) / (1 - q)) if p < 1.0 else 0.0
        return first + second

    def excess(p: float) -> float:
        low, high = 0.0, p  # the least q ≤ p with kl(p, q) ≤ κ
        for _ in range(200):
            middle = (low + high) / 2
            if middle > 0.0 and divergence(p, middle) <= kappa:
                high = middle
            else:
                low = middle
        return p - math.exp(eps) * high

    places = [10 ** (-8 + 8 * i / 400) for i in range(401)]
    best = max(range(401), key=lambda i: excess(places[i]))
    left, right = places[max(best - 1, 0)], places[min(best + 1, 400)]
    for _ in range(100):
        a, b = left + (right - left) / 3, right - (right - left) / 3
        left, right = (a, right) if excess(a) < excess(b) else (left, b)
    return max(0.0, excess((left + right) / 2))
