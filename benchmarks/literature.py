"""Formulas of the literature to compare the accountant with: no program is priced by any of them.

* Advanced composition, the δ of one Rényi order, and the δ of a Fisher–Rao distance are upper bounds.
* The steps of noisy cyclic gradient descent on strongly convex losses contract, so a change in one batch is partly forgotten: for
  E epochs of l batches, with contraction c = 1 − ηλ a step and μ₀ the Gaussian parameter of one batch, the last iterate is private
  with a μ that does not grow beyond a limit, where releasing every iterate costs μ₀√E (Bok, Su & Altschuler 2024; the Rényi form
  is of Altschuler & Talwar 2022). The checker has its own formula, in exact quantities.
"""

from __future__ import annotations

import math

from duetpy.accounting.rounding import raised

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
