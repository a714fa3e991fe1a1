"""Rényi curves of mechanisms on Poisson-sampled rows, from those of the mechanisms, without the factor 3 of Zhu & Wang 2019.

Let P be the law of outcomes with the row, Q without it, X = P/Q, and

    F(P, Q) = E_Q[(1 − q + qX)^α] = 1 + Σ_{k=2}^α B_k (M_k − 1),    B_k = C(α,k) (1−q)^{α−k} q^k,    M_k = e^{(k−1)D_k(P‖Q)},
    R(P, Q) = E_Q[(1 − q + qX)^{1−α}],

so that log F and log R over α − 1 are the divergences of the sampled mechanism where the row goes and where it comes. For every
y > 0, with v = 1 − q + qy and u = 1 − q + q/y,

    v^{1−α} − v^α ≤ y (u^α − u^{1−α}):                                                                                   (*)

let y ≤ 1, so v ≤ 1 ≤ u and uv = 1 + q(1−q)(y + 1/y − 2) ≥ 1; with θ = α − ½ the two sides are 2√v sinh(θ log 1/v) and
2y√u sinh(θ log u). The quotient of the second by the first grows with θ because log u ≥ log 1/v, and is 1 at θ = ½, where
both are q(1 − y). For y > 1 it is the same with 1/y. The expectation of (*) under Q is

    R(P, Q) + R(Q, P) ≤ F(P, Q) + F(Q, P).

* Where P and Q can be exchanged by renaming outcomes, F and R do not tell which is which: R ≤ F, and the curve is log F/(α−1).
* Else R(Q, P) ≥ 1 (Jensen) and R(Q, P) ≥ 1 + C(α,2)q²(M₂−1) − C(α+1,3)q³(M₃−1) (Taylor, whose next term is positive) give, with
  bounds M_k on both sides,

    R ≤ 1 + 2 Σ_{k≥2} B_k (M_k−1),      R ≤ 1 + B₂(M₂−1) + 2 Σ_{k≥3} B_k (M_k−1) + C(α+1,3) q³ (M₃−1).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from duetpy.accounting.arrays import Array, np
from duetpy.accounting.losses.subsampling import (
    BEYOND,
    between_orders,
    log_binomials,
    log_quotient,
    size_of,
)
from duetpy.accounting.rounding import UNIT_ROUNDOFF, raised


def twin_renyi(rate: float, alpha: float, curve: Callable[[int], Array]) -> float:
    """D_α of a mechanism on rows that are each kept with probability `rate`, in both directions, rounded up.

    Parameters
    ----------
    rate
        q, in [0, 1].
    alpha
        α > 1.
    curve
        The numbers D_2, …, D_n, for a whole n ≥ 2, of a pair that dominates the mechanism and can be exchanged.
    """
    return between_orders(lambda order: _at_order(rate, order, curve, twin=True), alpha)


def any_renyi(rate: float, alpha: float, curve: Callable[[int], Array]) -> float:
    """The same of any mechanism, from numbers that bound its own D_2, …, D_n in both directions."""
    return between_orders(lambda order: _at_order(rate, order, curve, twin=False), alpha)


def _at_order(rate: float, order: int, curve: Callable[[int], Array], *, twin: bool) -> float:
    if rate == 0.0:
        return 0.0
    base, k = curve(max(order, 3)), np.arange(2.0, max(order, 3) + 1.0)
    if rate >= 1.0:
        return float(base[order - 2])
    if base[0] == 0.0:  # equal laws
        return 0.0
    if not float(base[: order - 1].max()) < BEYOND:
        return math.inf
    excess = _log_expm1((k - 1) * base)  # log(M_k − 1)
    log_rate, log_rest = math.log(rate), math.log1p(-rate)
    own, k = excess[: order - 1], k[: order - 1]
    chances = k * log_rate + (order - k) * log_rest
    logs = own + chances + log_binomials(order, 2)
    sizes = 2.0 * np.abs(own) - chances + size_of(order)
    if twin:
        return log_quotient(0.0, logs, sizes, order, 0.0)
    twice = log_quotient(0.0, logs + math.log(2.0), sizes, order, 0.0)
    third = math.log((order + 1.0) * order * (order - 1.0) / 6.0) + 3.0 * log_rate + float(excess[1])
    later = np.append(logs + np.where(k > 2.0, math.log(2.0), 0.0), third)
    span = np.append(sizes, 2.0 * abs(float(excess[1])) - 3.0 * log_rate + size_of(order))
    return min(twice, log_quotient(0.0, later, span, order, 0.0))


def _log_expm1(x: Array) -> Array:
    """log(e^x − 1) for x ≥ 0, −∞ at 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(x + np.log(-np.expm1(-x)))


#   F = ((1 − q + qe^ε)^α + e^ε (1 − q + qe^{−ε})^α + k − 2)/(e^ε + k − 1)
def response_renyi(rate: float, alpha: float, eps: float, size: int = 2) -> float:
    """D_α of randomized response of k answers at ε on Poisson-sampled rows, at every α > 1, rounded up: for k = 2 that of any
    ε-private mechanism."""
    if rate == 0.0 or eps == 0.0:
        return 0.0
    if not eps < 700.0 or not rate <= 1.0:
        return math.inf
    # Of all rows, log(1 − q + qe^{−ε}) is −ε; from an ε of 37 on, no double would be left of it.
    up, down = math.log1p(rate * math.expm1(eps)), math.log1p(rate * math.expm1(-eps)) if rate < 1.0 else -eps
    if alpha * up > 600.0:
        return math.inf
    share = 1.0 / (1.0 + (size - 1) * math.exp(-eps))  # of the true answer
    gain, loss = share * math.exp(-eps) * math.expm1(alpha * up), share * -math.expm1(alpha * down)
    # The first orders of the two cancel, and their rounding stays: of an exponential that of what it is taken of.
    slack = (1.0 + alpha * up) * gain + (1.0 - alpha * down) * loss
    excess = max(gain - loss, 0.0) + 16 * UNIT_ROUNDOFF * slack
    return raised(math.log1p(excess) / (alpha - 1.0), 1e-13)
