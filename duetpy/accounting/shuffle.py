"""Privacy amplification by shuffling: n reports of ε₀-private local randomizers, shuffled, under replacing one person's value.

Feldman, McMillan & Talwar 2023: the shuffled reports are a post-processing of the pair

    P = (A + Δ, C − A + 1 − Δ),  Q = (A + 1 − Δ, C − A + Δ),   C ~ Bin(n−1, 2/(e^{ε₀}+1)), A ~ Bin(C, ½),
                                                               Δ ~ Bern(e^{ε₀}/(e^{ε₀}+1)),

which is evaluated exactly, but for a tail of C that is added to δ; the closed form of their Theorem 3.2 is far looser.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from attrs import frozen

from duetpy.accounting.losses import Loss, ResponseLoss, by_chords, mirrored, response_renyi
from duetpy.accounting.rounding import raised

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]


def closed_form_epsilon(count: int, local: float, delta: float) -> float | None:
    """The ε at δ of Theorem 3.2: log(1 + (e^{ε₀}−1)(4√(2 log(4/δ))/√((e^{ε₀}+1)n) + 4/n)), rounded up.

    None where ε₀ > log(n/(8 log(2/δ)) − 1), outside of which it is no theorem.
    """
    inside = count / (8.0 * math.log(2.0 / delta)) - 1.0
    if inside <= 0.0 or local > math.log(inside):
        return None
    first = 4.0 * math.sqrt(2.0 * math.log(4.0 / delta)) / math.sqrt((math.exp(local) + 1.0) * count)
    return raised(math.log1p(math.expm1(local) * (first + 4.0 / count)), 1e-14)


@frozen
class ShuffleLoss(Loss):
    """The pair of Feldman, McMillan & Talwar 2023 for n reports of ε₀; it is symmetric.

    Shuffling is post-processing of the reports, so what is known of the one `report` that changes holds too.
    """

    count: int
    local: float
    report: Loss | None = None

    @property
    def pure(self) -> float:
        return self.local

    @property
    def anchor(self) -> float | None:
        return None

    def renyi(self, alpha: float) -> float:
        known = response_renyi(self.local, alpha)
        return known if self.report is None else min(known, self.report.renyi(alpha))

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        import numpy as np

        size = np.abs(eps)
        values = by_chords(lambda at: shuffled_delta(self.count, self.local, at.ravel()).reshape(at.shape), size)
        return mirrored(eps, np.minimum(values, ResponseLoss(self.local).profile(size)))


def shuffled_delta(count: int, local: float, eps: Array) -> Array:
    """δ(ε) of the pair at an array of ε ≥ 0, rounded up.

    Given C = c the outcome a of the first entry has, with p = 1 − q = e^{ε₀}/(e^{ε₀}+1) and b the law of A,

        P(a) = p b(a−1) + q b(a),      Q(a) = q b(a−1) + p b(a),      b(a−1)/b(a) = a/(c − a + 1),

    so P/Q increases in a: the sum of (P − e^ε Q)₊ is over a ≥ t for one t, and is a difference of binomial tails.
    """
    import numpy as np
    from scipy.special import bdtrc, gammaln

    trials, half = count - 1, 2.0 / (math.exp(local) + 1.0)
    mean, spread = trials * half, math.sqrt(trials * half * (1.0 - half)) + 1.0
    low = max(0, math.floor(mean - 40.0 * spread))
    high = min(trials, math.ceil(mean + 40.0 * spread + 200.0))
    sizes = np.arange(low, high + 1)
    with np.errstate(divide="ignore"):
        rest = (trials - sizes) * math.log1p(-half) if half < 1.0 else np.where(sizes == trials, 0.0, -np.inf)
    logs = gammaln(trials + 1.0) - gammaln(sizes + 1.0) - gammaln(trials - sizes + 1.0) + sizes * math.log(half) + rest
    weights = np.exp(logs)
    kept = weights > 1e-40
    sizes, weights = sizes[kept], weights[kept] * (1.0 + 1e-15 * trials + 1e-12)
    # Chernoff on the sizes left out: beyond 40 standard deviations, or of weight below 1e-40 each.
    lost = 1e-40 * (trials + 1.0) + 2.0 * math.exp(-200.0)
    p = 1.0 / (1.0 + math.exp(-local))
    q = 1.0 - p if local < 30.0 else math.exp(-local) / (1.0 + math.exp(-local))

    def upper(least: Array) -> Array:
        """P[A ≥ least] for A ~ Bin(c, ½), by size."""
        tail = np.asarray(bdtrc(np.clip(least - 1.0, 0.0, None), np.maximum(sizes, 1), 0.5))
        tail = np.where(least <= 0.0, 1.0, np.where(least > sizes, 0.0, tail))
        return np.where(sizes == 0, np.where(least <= 0.0, 1.0, 0.0), tail)

    found = np.empty(len(eps))
    for index, x in enumerate(eps):
        if x >= local:
            found[index] = 0.0
            continue
        grown = math.exp(float(x))
        # P > e^ε Q  ⟺  (p − e^ε q) a > (p e^ε − q)(c − a + 1)
        gain, loss = p - grown * q, p * grown - q
        least = np.ceil(loss * (sizes + 1.0) / (gain + loss))
        before, at = upper(least - 1.0), upper(least)
        excess = (p * before + q * at) - grown * (q * before + p * at)
        slack = 1e-13 * (before + grown * at)
        found[index] = float(weights @ np.maximum(excess + slack, 0.0)) + lost
    return np.minimum(found, 1.0)
