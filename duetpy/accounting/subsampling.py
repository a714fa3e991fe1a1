"""Rényi curves of subsampled mechanisms: sums over whole orders, evaluated in logarithms.

K(α) = (α−1) D_α is a log moment, so it is convex in α, and K(1) = 0: between whole orders the chord of bounds is a bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache

from duetpy.accounting.rounding import raised

LARGEST_ORDER = 4096
"""Orders above this are not summed; nothing is claimed there."""


def _log_sum(logs: Iterable[float]) -> float:
    terms = [term for term in logs if term > -math.inf]
    if not terms:
        return -math.inf
    peak = max(terms)
    return peak if peak == math.inf else peak + math.log(math.fsum(math.exp(term - peak) for term in terms))


def _log_binomial(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _log_expm1(x: float) -> float:
    if x == 0.0:
        return -math.inf
    return x + math.log(-math.expm1(-x)) if x < math.inf else math.inf


def between_orders(whole: Callable[[int], float], alpha: float) -> float:
    """A bound on D_α from bounds at whole orders from 2 on, by the chord of (α−1) D_α; rounded up."""
    if alpha > LARGEST_ORDER:
        return math.inf
    below = math.floor(alpha)
    if below == alpha and below >= 2:
        return whole(below)
    share = alpha - below
    low = (below - 1) * whole(below) if below >= 2 else 0.0
    chord = raised(((1.0 - share) * low + share * below * whole(below + 1)) / (alpha - 1.0), 1e-14)
    return min(chord, whole(below + 1))  # D_α is monotone in α too


def fixed_size_renyi(rate: float, alpha: float, curve: Callable[[float], float], pure: float) -> float:
    """D_α of a mechanism on b of m rows drawn without replacement, under replacing a row; rounded up.

    Parameters
    ----------
    rate
        q = b/m, in [0, 1].
    alpha
        α > 1.
    curve
        D_j of the base for whole j ≥ 2, under replacing a row of the sample.
    pure
        D_∞ of the base, ∞ where it has none.

    Notes
    -----
    Wang, Balle & Kasiviswanathan 2019, Theorem 9, for whole α ≥ 2:

        (α−1) D_α ≤ log(1 + q² C(α,2) min{4(e^{D₂}−1), e^{D₂} min{2, (e^{D_∞}−1)²}}
                          + Σ_{j=3}^α q^j C(α,j) e^{(j−1)D_j} min{2, (e^{D_∞}−1)^j}).
    """
    return between_orders(lambda order: _fixed_size(rate, order, curve, pure), alpha)


def _fixed_size(rate: float, order: int, curve: Callable[[float], float], pure: float) -> float:
    if order > LARGEST_ORDER:
        return math.inf
    if rate == 0.0:
        return 0.0
    log_rate, log_pure = math.log(rate), _log_expm1(pure)
    second = curve(2.0)
    third = second + min(math.log(2.0), 2 * log_pure)
    terms = [0.0, 2 * log_rate + _log_binomial(order, 2) + min(math.log(4.0) + _log_expm1(second), third)]
    for j in range(3, order + 1):
        at = curve(float(j))
        terms.append(j * log_rate + _log_binomial(order, j) + (j - 1) * at + min(math.log(2.0), j * log_pure))
    return _quotient(terms, order)


def poisson_renyi(rate: float, alpha: float, curve: Callable[[float], float]) -> float:
    """D_α of a mechanism on rows that are each kept with probability `rate`, under adding or removing a row; rounded up.

    Zhu & Wang 2019, the general upper bound, for whole α ≥ 2:

        (α−1) D_α ≤ log((1−q)^{α−1}(αq − q + 1) + C(α,2) q² (1−q)^{α−2} e^{D₂}
                        + 3 Σ_{l=3}^α C(α,l) (1−q)^{α−l} q^l e^{(l−1)D_l}).
    """
    return between_orders(lambda order: _poisson(rate, order, curve), alpha)


def _poisson(rate: float, order: int, curve: Callable[[float], float]) -> float:
    if order > LARGEST_ORDER:
        return math.inf
    if rate == 0.0:
        return 0.0
    if rate >= 1.0:
        return curve(float(order))
    log_rate, log_rest = math.log(rate), math.log1p(-rate)
    terms = [(order - 1) * log_rest + math.log1p((order - 1) * rate)]
    terms.append(_log_binomial(order, 2) + 2 * log_rate + (order - 2) * log_rest + curve(2.0))
    for j in range(3, order + 1):
        at = curve(float(j))
        terms.append(math.log(3.0) + _log_binomial(order, j) + (order - j) * log_rest + j * log_rate + (j - 1) * at)
    return _quotient(terms, order)


def _quotient(logs: list[float], order: int) -> float:
    total = _log_sum(logs)
    if total == math.inf:
        return math.inf
    # lgamma and the exponents are right to about 1e-15 of their size, of which the largest is `order` times a logarithm.
    slack = 1e-14 * (1.0 + order * (1.0 + abs(math.log(order)))) + 1e-14 * abs(total)
    return max(0.0, raised((total + slack) / (order - 1), 1e-15))


def poisson_gaussian_renyi(rate: float, alpha: float, rho: float) -> float:
    """D_α of a Gaussian mechanism of μ² = 2ρ on Poisson-sampled rows, under adding or removing a row; rounded up.

    Mironov, Talwar & Zhang 2019, §3.3, for whole α ≥ 2, exactly:

        (α−1) D_α = log Σ_{k=0}^α C(α,k) (1−q)^{α−k} q^k e^{k(k−1)ρ}.
    """
    if rate >= 1.0:
        return raised(rho * alpha, 1e-15)
    return between_orders(lambda order: poisson_gaussian_at(rate, order, rho), alpha)


@lru_cache(maxsize=1 << 14)
def poisson_gaussian_at(rate: float, order: int, rho: float) -> float:
    """The same at a whole order."""
    if order > LARGEST_ORDER:
        return math.inf
    if rate == 0.0:
        return 0.0
    log_rate, log_rest = math.log(rate), math.log1p(-rate)
    terms = [
        _log_binomial(order, k) + (order - k) * log_rest + k * log_rate + k * (k - 1) * rho for k in range(order + 1)
    ]
    return _quotient(terms, order)
