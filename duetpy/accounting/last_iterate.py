"""Noisy cyclic gradient descent of which only the last iterate is released.

The steps of strongly convex losses contract, so a change in one batch is partly forgotten: for E epochs of l batches, with
contraction c = 1 − ηλ a step and μ₀ the Gaussian parameter of one batch, the last iterate is private with a μ that does not
grow beyond a limit, where releasing every iterate costs μ₀√E (Bok, Su & Altschuler 2024; the Rényi form
is of Altschuler & Talwar 2022). These are formulas to compare with: the checker has its own, in exact quantities.
"""

from __future__ import annotations

import math


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
