"""Privacy amplification by shuffling: n reports of ε₀-private local randomizers, shuffled, under replacing one person's value.

Feldman, McMillan & Talwar 2023: the shuffled reports are a post-processing of the pair

    P = (A + Δ, C − A + 1 − Δ),  Q = (A + 1 − Δ, C − A + Δ),   C ~ Bin(n−1, 2/(e^{ε₀}+1)), A ~ Bin(C, ½),
                                                               Δ ~ Bern(e^{ε₀}/(e^{ε₀}+1)),

which is evaluated exactly, but for a tail of C that is added to δ; the closed form of their Theorem 3.2 is far looser.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar

from attrs import frozen

from duetpy.accounting.arrays import Array, np, special
from duetpy.accounting.losses.losses import Loss, ResponseLoss, chords, mirrored, response_renyi
from duetpy.accounting.rounding import raised

_LARGEST_LOCAL = 700.0

_TAIL_ERROR, _EXACT_TO = 1e-11, 1e6
"""The relative error of a binomial tail of up to so many trials; of more it grows like the root of their number."""

_FEW = 256
"""Up to so many ε the profile is evaluated itself; of more, by chords between `_CHORDS` places."""

_LARGEST_VARIANCE, _MOST_REPORTS = 1e6, 10**12
"""Of more reports, or where more of them can stand for another, the profile of fewer is taken: it is above theirs. A profile of
this variance takes some hundredths of a second at each ε."""

_CHORDS = 512
_NOTHING = 1e-30
_STEPS = 60


def closed_form_epsilon(count: int, local: float, delta: float) -> float | None:
    """The ε at δ of Theorem 3.2: log(1 + (e^{ε₀}−1)(4√(2 log(4/δ))/√((e^{ε₀}+1)n) + 4/n)), rounded up.

    None where ε₀ > log(n/(8 log(2/δ)) − 1), outside of which it is no theorem.
    """
    inside = count / (8.0 * math.log(2.0 / delta)) * (1.0 - 1e-14) - 1.0
    if inside <= 0.0 or local > math.log(inside) - 1e-14:
        return None
    first = 4.0 * math.sqrt(2.0 * math.log(4.0 / delta)) / math.sqrt((math.exp(local) + 1.0) * count)
    return raised(math.log1p(math.expm1(local) * (first + 4.0 / count)), 1e-14)


def shuffled_epsilon(count: float, local: float, delta: float) -> float:
    """The ε at δ of ⌊count⌋ shuffled reports: the closed form where it is a theorem, and never more than one report's ε₀."""
    if not 2.0 <= count < 2.0**53 or not 0.0 < delta < 1.0 or local > _LARGEST_LOCAL:
        return local
    closed = closed_form_epsilon(math.floor(count), local, delta)
    return local if closed is None else min(local, closed)


@frozen(eq=False, repr=False)
class ShuffleLoss(Loss):
    """The pair of Feldman, McMillan & Talwar 2023 for n reports of ε₀; it is symmetric.

    Shuffling is post-processing of the reports, so what is known of the one `report` that changes holds too.
    """

    count: int
    local: float
    report: Loss | None = None

    has_corner: ClassVar[bool] = False

    @property
    def pure(self) -> float:
        return self.local

    def renyi(self, alpha: float) -> float:
        known = response_renyi(self.local, alpha)
        return known if self.report is None else min(known, self.report.renyi(alpha))

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        size = np.abs(eps)
        if self.local > _LARGEST_LOCAL:  # nothing is gained, and e^ε₀ is no double
            return ResponseLoss(self.local).profile(eps)
        if size.size <= _FEW:
            values = shuffled_delta(self.count, self.local, size.ravel()).reshape(size.shape)
        else:
            values = _in_chords(self.count, self.local)(size)
        return mirrored(eps, np.minimum(values, ResponseLoss(self.local).profile(size)))


@lru_cache(maxsize=16)
def _in_chords(count: int, local: float) -> Callable[[Array], Array]:
    """An upper bound on the profile, from places up to where nothing is left of it."""
    top = local
    while top > 1e-9 and shuffled_delta(count, local, np.array([top / 2]))[0] < _NOTHING:
        top /= 2
    return chords(lambda at: shuffled_delta(count, local, at), 0.0, top, _CHORDS)


@lru_cache(maxsize=64)
def least_epsilon(count: int, local: float, delta: float) -> float:
    """The least ε at δ of the pair, up to the rounding of its profile: an ε at which the profile was computed to be at most δ."""
    if local > _LARGEST_LOCAL or delta <= 0.0:
        return local
    enough = enough_reports(count, local)
    if enough < count:
        return min(shuffled_epsilon(count, local, delta), least_epsilon(enough, local, delta))

    def excess(eps: float) -> float:
        """log of the profile over δ."""
        found = float(shuffled_delta(count, local, np.array([eps]))[0])
        return math.log(found / delta) if found > 0.0 else -math.inf

    low, high = 0.0, shuffled_epsilon(count, local, delta)
    above, below = excess(low), excess(high)
    if above <= 0.0:
        return 0.0
    if below > 0.0:
        return local  # the slack of the profile is more than δ
    for step in range(_STEPS):
        if high - low <= 1e-8 * high:
            break
        middle = (low + high) / 2
        if step % 3 and below > -math.inf:  # the logarithm is nearly straight; every third step halves all the same
            middle = low + (high - low) * min(max(above / (above - below), 1e-3), 0.999)
        at = excess(middle)
        if at <= 0.0:
            high, below = middle, at
        else:
            low, above = middle, at
    return high


def enough_reports(count: int, local: float) -> int:
    """So many of the reports that their profile can be computed soon.

    More reports are a post-processing of fewer: adding D ~ Bin(more, 2/(e^{ε₀}+1)) to C, and B ~ Bin(D, ½) to A, which depend
    on nobody, makes the pair of all of them. So the profile of fewer is an upper bound.
    """
    half = 2.0 / (math.exp(local) + 1.0)
    most, variance = min(count, _MOST_REPORTS), half * (1.0 - half)
    # Multiplied first: a small variance divides no double.
    return most if most * variance <= _LARGEST_VARIANCE else max(2, math.floor(_LARGEST_VARIANCE / variance))


def tail_error(trials: float) -> float:
    """More than the relative error of `betainc` as a tail of Bin(c, ½), for any c up to so many trials."""
    return _TAIL_ERROR * max(1.0, math.sqrt(trials / _EXACT_TO))


def shuffled_delta(count: int, local: float, eps: Array) -> Array:
    """δ(ε) of the pair at an array of ε ≥ 0, rounded up.

    Given C = c the outcome a of the first entry has, with p = 1 − q = e^{ε₀}/(e^{ε₀}+1) and b the law of A,

        P(a) = p b(a−1) + q b(a),      Q(a) = q b(a−1) + p b(a),      b(a−1)/b(a) = a/(c − a + 1),

    so P/Q increases in a: the sum of (P − e^ε Q)₊ is over a ≥ t for one t, and is a difference of binomial tails.
    These are incomplete beta functions (`betainc` keeps eleven digits for a million reports; `bdtrc` does not).
    """
    count = enough_reports(count, local)
    trials, half = count - 1, 2.0 / (math.exp(local) + 1.0)
    mean, spread = trials * half, math.sqrt(trials * half * (1.0 - half)) + 1.0
    low = max(0, math.floor(mean - 40.0 * spread))
    high = min(trials, math.ceil(mean + 40.0 * spread + 200.0))
    sizes = np.arange(low, high + 1)
    with np.errstate(divide="ignore"):
        rest = (trials - sizes) * math.log1p(-half) if half < 1.0 else np.where(sizes == trials, 0.0, -np.inf)
    log_count = special.gammaln(trials + 1.0) - special.gammaln(sizes + 1.0) - special.gammaln(trials - sizes + 1.0)
    logs = log_count + sizes * math.log(half) + rest
    weights = np.exp(logs)
    kept = weights > 1e-40
    # Each of the five terms of `logs` is below n log n and off by a few of its last bits.
    sizes, weights = sizes[kept], weights[kept] * (1.0 + 4e-15 * trials * math.log(trials + 2.0) + 1e-12)
    # Chernoff on the sizes left out: beyond 40 standard deviations, or of weight below 1e-40 each.
    lost = 1e-40 * (trials + 1.0) + 2.0 * math.exp(-200.0)
    p = 1.0 / (1.0 + math.exp(-local))

    def upper(least: Array) -> Array:
        """P[A ≥ least] for A ~ Bin(c, ½), by size."""
        inside = np.clip(least, 1.0, np.maximum(sizes, 1))
        tail = np.asarray(special.betainc(inside, np.maximum(sizes, 1) - inside + 1.0, 0.5))
        tail = np.where(least <= 0.0, 1.0, np.where(least > sizes, 0.0, tail))
        return np.where(sizes == 0, np.where(least <= 0.0, 1.0, 0.0), tail)

    found = np.empty(len(eps))
    for index, x in enumerate(eps.tolist()):
        if x >= local:
            found[index] = 0.0
            continue
        # P > e^ε Q  ⟺  (p − e^ε q) a > (p e^ε − q)(c − a + 1); over p, by exponentials: of a small ε₀ differences are rounding
        gain, loss = -math.expm1(x - local), -math.exp(x) * math.expm1(-local - x)
        least = np.ceil(loss / (gain + loss) * (sizes + 1.0))
        more, less = p * gain * upper(least - 1.0), p * loss * upper(least)
        excess, slack = more - less, tail_error(trials) * (more + less)
        found[index] = float(weights @ np.maximum(excess + slack, 0.0)) + lost
    return np.minimum(found, 1.0)
