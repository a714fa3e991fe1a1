"""Rényi divergence from a profile: a certified upper bound for losses whose curve has no formula.

Every divergence is an integral of hockey sticks (Sason & Verdú 2016). For D_α, with x = e^s,

    e^{(α−1)D_α(P‖Q)} = 1 + α(α−1) ∫₀^∞ [e^{(α−1)s} H_{e^s}(P‖Q) + e^{−αs} H_{e^s}(Q‖P)] ds.

H is convex and falls in e^s, so on a cell its chord in e^s is above it, and the weighted chord has a closed form. What lies beyond
the last cell is at most α E[e^{(α−1)L}; L > S], which the caller bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from duetpy.accounting.arrays import Array, np
from duetpy.accounting.rounding import raised

CELLS = 2048
"""The interval is cut into so many cells; the bound exceeds the truth by a share of about the square of a cell."""

_HIGHEST = 600.0
"""Exponents beyond this are left to overflow nowhere: nothing is claimed there."""


def places_to(end: float) -> Array:
    """The ends of the cells."""
    return np.linspace(0.0, end, CELLS + 1)


def renyi_of_profile(profile: Callable[[float], Array], alpha: float, end: float, tail: float) -> float:
    """D_α of a symmetric pair, rounded up.

    Parameters
    ----------
    profile
        Of an end, upper bounds on δ(s) at the ends of the cells, `places_to(end)`. It is not asked where nothing is claimed.
    alpha
        α > 1.
    end
        The last s of the cells.
    tail
        An upper bound on E[e^{(α−1)L}; L > end].
    """
    order = alpha - 1.0
    if alpha * end > _HIGHEST or not math.isfinite(tail):
        return math.inf
    places, known = places_to(end), profile(end)
    step = float(places[1] - places[0])
    left, drop = known[:-1], np.minimum(np.diff(known), 0.0)
    total = 0.0
    for rate in (order, -alpha):
        # ∫₀^d e^{rt} dt and ∫₀^d e^{rt} (e^t − 1)/(e^d − 1) dt, the latter rounded down: it multiplies what falls.
        whole = _integral(rate, step)
        part = _falling(rate, step, whole)
        weights = np.exp(rate * places[:-1])
        total += float(weights @ (left * whole + drop * part))
    excess = alpha * order * total * (1.0 + 1e-9) + alpha * tail
    return raised(math.log1p(excess) / order, 1e-12)


def _falling(rate: float, step: float, whole: float) -> float:
    """∫₀^d e^{rt} (e^t − 1)/(e^d − 1) dt, rounded down."""
    if step < 1e-4:  # the difference below would cancel; (e^t − 1)/(e^d − 1) ≥ e^{−d} t/d
        return math.exp(-step + min(0.0, rate * step)) * step / 2 * (1.0 - 1e-12)
    return (_integral(rate + 1.0, step) - whole) / math.expm1(step) * (1.0 - 1e-9)


def _integral(rate: float, step: float) -> float:
    return step if rate == 0.0 else math.expm1(rate * step) / rate
