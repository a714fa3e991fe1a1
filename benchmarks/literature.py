"""Formulas of the literature to compare the accountant with: no program is priced by any of them.

* Estimates by the central limit theorem and its Edgeworth corrections are neither upper nor lower bounds: in DP-SGD (rate 0.01,
  σ = 1, 10⁴ steps, δ = 1e-5) the limit gives 6.007, but the truth is 6.188, and in mixtures of Laplace, Gaussian and randomized
  response it gives too much.
* Advanced composition, the δ of one Rényi order, and the δ of a Fisher–Rao distance are upper bounds.
* The steps of noisy cyclic gradient descent on strongly convex losses contract, so a change in one batch is partly forgotten: for
  E epochs of l batches, with contraction c = 1 − ηλ a step and μ₀ the Gaussian parameter of one batch, the last iterate is private
  with a μ that does not grow beyond a limit, where releasing every iterate costs μ₀√E (Bok, Su & Altschuler 2024; the Rényi form
  is of Altschuler & Talwar 2022). The checker has its own formula, in exact quantities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from duetpy.accounting.gaussian_profile import cdf, density
from duetpy.accounting.rounding import raised

if TYPE_CHECKING:
    from duetpy.accounting.losses.losses import Loss


# ---------------------------------------------------------------------------------------------------------------------
# Estimates


def limit_mu_poisson(rate: float, sigma: float, steps: int) -> float:
    """μ of Poisson-sampled Gaussian noise in the limit: q√(T(e^{1/σ²} − 1)) (Bu, Dong, Long & Su 2020)."""
    return rate * math.sqrt(steps * math.expm1(1.0 / sigma**2))


def limit_mu_fixed(rate: float, sigma: float, steps: int) -> float:
    """μ of Gaussian noise on batches of fixed size in the limit: √2 q√T √(e^{μ₁²}Φ(3μ₁/2) + 3Φ(−μ₁/2) − 2), μ₁ = 1/σ.

    For replacing a row (Dong, Roth & Su 2022, Corollary 5.4); not interchangeable with the Poisson formula.
    """
    one = 1.0 / sigma
    inner = math.exp(one * one) * cdf(1.5 * one) + 3.0 * cdf(-one / 2) - 2.0
    return math.sqrt(2.0) * rate * math.sqrt(steps) * math.sqrt(inner)


@lru_cache(maxsize=64)
def cumulants(loss: Loss, reverse: bool = False, cells: int = 1 << 18) -> tuple[list[float], list[float]]:
    """The first four cumulants of the loss under P and under Q, from a fine grid."""
    import numpy as np

    from duetpy.accounting.pld.grid import discretize, reach

    widest = max(reach(loss, 1e-16, reverse), reach(loss, 1e-16, not reverse))
    step = 2.0 * widest / cells
    masses = discretize(loss, step, 1e-16, reverse)
    places = (masses.first + np.arange(len(masses.mass))) * step
    found = []
    for weight in (masses.mass, masses.mass * np.exp(-places)):
        weight = weight / weight.sum()
        mean = float(weight @ places)
        second, third, fourth = (float(weight @ (places - mean) ** n) for n in (2, 3, 4))
        found.append([mean, second, third, fourth - 3 * second**2])
    return found[0], found[1]


def edgeworth_delta(parts: Sequence[tuple[Loss, int]], eps: float, order: int, reverse: bool = False) -> float:
    """δ(ε) = P[L > ε] − e^ε Q[L > ε] with both tails by an Edgeworth expansion of order 0 (the limit), 1 or 2.

    Zheng, Dong, Long & Su 2020, in the losses themselves.
    """
    tails = []
    for side in (0, 1):
        sums = [0.0, 0.0, 0.0, 0.0]
        for loss, count in parts:
            own = cumulants(loss, reverse)[side]
            sums = [total + count * each for total, each in zip(sums, own, strict=True)]
        mean, variance, third, fourth = sums
        deviation = math.sqrt(variance)
        tails.append(_edgeworth_tail((eps - mean) / deviation, third / deviation**3, fourth / variance**2, order))
    return tails[0] - math.exp(eps) * tails[1]


def _edgeworth_tail(z: float, skew: float, excess: float, order: int) -> float:
    """1 − F(z) with F = Φ − φ(κ₃/6 He₂ + κ₄/24 He₃ + κ₃²/72 He₅)."""
    tail = cdf(-z)
    if order >= 1:
        tail += density(z) * skew / 6 * (z * z - 1)
    if order >= 2:
        tail += density(z) * (excess / 24 * (z**3 - 3 * z) + skew**2 / 72 * (z**5 - 10 * z**3 + 15 * z))
    return tail


def edgeworth_epsilon(parts: Sequence[tuple[Loss, int]], delta: float, order: int, reverse: bool = False) -> float:
    """The ε at which the expansion's δ(ε) falls to δ."""
    low, high = 0.0, 1.0
    while edgeworth_delta(parts, high, order, reverse) > delta and high < 1e6:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if edgeworth_delta(parts, middle, order, reverse) > delta:
            low = middle
        else:
            high = middle
    return high


# ---------------------------------------------------------------------------------------------------------------------
# Bounds


def renyi_delta(alpha: float, eps: float, target: float) -> float:
    """The δ of (α, ε)-RDP at ε′ = `target` ≥ 0: e^{(α−1)(ε−ε′)} (1−1/α)^α/(α−1), rounded up (as above)."""
    if eps == math.inf:
        return 1.0
    order = alpha - 1.0
    log_delta = order * (eps - target) - alpha * math.log1p(1.0 / order) - math.log(order)
    best = min(log_delta + 1e-14 * (1.0 + order * (eps + target)), 0.5 * math.log(max(-math.expm1(-eps), 1e-300)))
    return min(1.0, raised(math.exp(min(best, 0.0)), 1e-13))


def optimal_epsilon(pairs: list[tuple[float, float, int]], slack: float) -> float:
    """The ε of a composition of (εᵢ, δᵢ)-private mechanisms, nᵢ times each, with slack δ′; the δᵢ are the caller's.

    Kairouz, Oh & Viswanath 2015, Theorem 3.5: min{Σε, Σ ε tanh(ε/2) + √(2 Σε² log(1/δ′))}, rounded up; the δ of the result
    is 1 − (1−δ′) Π(1−δᵢ).
    """
    plain = raised(math.fsum(count * eps for eps, _, count in pairs), 1e-15)
    if not 0.0 < slack < 1.0 or plain == math.inf:
        return plain
    drift = math.fsum(count * eps * math.tanh(eps / 2) for eps, _, count in pairs)
    square = math.fsum(count * eps * eps for eps, _, count in pairs)
    return min(plain, raised(drift + math.sqrt(2.0 * square * math.log(1.0 / slack)), 1e-14))


def rao_delta(theta: float, eps: float) -> float:
    """The δ at ε of a bound θ on the ambient Fisher–Rao distance 2 arccos BC: ½(1 − e^ε + √(e^{2ε} − 2e^ε cos θ + 1)).

    It never falls below sin²(θ/2). Composition of θ by √Σθ² is not proved for adaptive mechanisms: an estimate.
    """
    if theta >= math.pi:
        return 1.0
    grown = math.exp(eps)
    # The root minus (e^ε − 1) as a quotient, so that large ε loses no digits: (root² − (e^ε − 1)²) = 2e^ε(1 − cos θ).
    root = math.hypot(grown - 1.0, 2.0 * math.sqrt(grown) * math.sin(theta / 2))
    return min(1.0, raised(2.0 * grown * math.sin(theta / 2) ** 2 / (root + grown - 1.0) if root > 0.0 else 0.0, 1e-14))


# ---------------------------------------------------------------------------------------------------------------------
# The last iterate of descent


def composed_mu(batch_mu: float, epochs: int) -> float:
    """μ of all iterates: μ₀√E."""
    return batch_mu * math.sqrt(epochs)


def last_iterate_mu(batch_mu: float, contraction: float, batches: int, epochs: int) -> float:
    """μ of the last iterate of noisy cyclic gradient descent on strongly convex losses.

    Parameters
    ----------
    batch_mu
        μ₀ = L/(bσ): how far one record moves the mean gradient of its batch, in units of the noise.
    contraction
        c = 1 − ηλ, in (0, 1).
    batches
        l = n/b batches an epoch.
    epochs
        E ≥ 1.

    Notes
    -----
    μ₀√(1 + c^{2l−2} (1−c²)/(1−c^l)² (1−c^{l(E−1)})/(1+c^{l(E−1)})).
    """
    before = contraction ** (batches * (epochs - 1))
    gain = contraction ** (2 * batches - 2) * (1 - contraction**2) / (1 - contraction**batches) ** 2
    return batch_mu * math.sqrt(1.0 + gain * (1 - before) / (1 + before))


def last_iterate_rho(batch_mu: float, contraction: float, batches: int, epochs: int) -> float:
    """ρ of the last iterate by Rényi divergences: (μ₀²/2)(1 + c^{l−2} (1−c²)/(1−c^l)² (1−c^{l(E−1)}))."""
    before = contraction ** (batches * (epochs - 1))
    gain = contraction ** (batches - 2) * (1 - contraction**2) / (1 - contraction**batches) ** 2
    return batch_mu**2 / 2 * (1.0 + gain * (1 - before))
