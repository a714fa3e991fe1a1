"""Rényi curves of subsampled mechanisms: sums over whole orders, evaluated in logarithms.

K(α) = (α−1) D_α is a log moment, so it is convex in α, and K(1) = 0: between whole orders the chord of bounds is a bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache

from duetpy.accounting.arrays import Array, np
from duetpy.accounting.rounding import raised

LARGEST_ORDER = 4096
"""Orders above this are not summed; nothing is claimed there."""

BEYOND = 1e100
"""Divergences above this are not summed either: their multiples may be no doubles."""


def log_binomials(order: int, first: int) -> Array:
    """log C(order, k) for k = first, …, order."""
    table = _log_factorials()
    found: Array = table[order] - table[first : order + 1] - table[: order - first + 1][::-1]
    return found


def size_of(order: int) -> float:
    """What the logarithms of factorials in a binomial coefficient add up to at most, and some more."""
    return 4.0 + 4.0 * order * math.log(order)


@cache
def _log_factorials() -> Array:
    return np.array([math.lgamma(n + 1) for n in range(LARGEST_ORDER + 1)])


def multiples(rho: float) -> Callable[[int], Array]:
    """The whole orders of a curve D_j = ρj, rounded up."""

    def orders(last: int) -> Array:
        with np.errstate(over="ignore"):  # ∞ bounds them too
            return np.nextafter(rho * np.arange(2.0, last + 1.0), math.inf)

    return orders


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


def amplified_epsilon(rate: float, eps: float) -> float:
    """log(1 + q(e^ε − 1)): pure privacy of a subsampled mechanism (Balle, Barthe & Gaboardi 2018, Theorem 8), rounded up."""
    if rate == 0.0 or eps == 0.0:
        return 0.0
    if eps > 700.0:
        # log(1 + e^x) of an x that the two may make out of far larger numbers.
        grown = eps + math.log(rate) + 1e-15 * eps
        return raised(max(grown, 0.0) + math.log1p(math.exp(-abs(grown))), 1e-14)
    return raised(math.log1p(rate * math.expm1(eps)), 1e-14)


def fixed_size_renyi(rate: float, alpha: float, curve: Callable[[int], Array], pure: float) -> float:
    """D_α of a mechanism on b of m rows drawn without replacement, under replacing a row; rounded up.

    Parameters
    ----------
    rate
        q = b/m, in [0, 1].
    alpha
        α > 1.
    curve
        The numbers D_2, …, D_n of the base for a whole n ≥ 2, under replacing a row of the sample.
    pure
        D_∞ of the base, ∞ where it has none.

    Notes
    -----
    Wang, Balle & Kasiviswanathan 2019, Theorem 9, for whole α ≥ 2:

        (α−1) D_α ≤ log(1 + Σ_{j=2}^α q^j C(α,j) M_j)

    where M_j bounds the moment E|V/R − V′/R|^j of three neighbours, V and V′ on samples with the row, R on one without it:

        M₂ = min{4(e^{D₂}−1), e^{D₂} min{2, (e^{D_∞}−1)²}},      M_j = e^{(j−1)D_j} min{2, (e^{D_∞}−1)^j}.

    The logarithm of a moment is convex in j (Lyapunov's inequality), so that a chord between bounds on two moments is a bound on
    those between: log M_j may be as little as log M₂ + (j−2)/(m−2)·(log M_m − log M₂) for any m ≥ j. The theorem as it is
    printed lacks that; without it the term of j = 3 does not vanish with D.
    """
    return between_orders(lambda order: fixed_size_at(rate, order, curve, pure), alpha)


def fixed_size_at(rate: float, order: int, curve: Callable[[int], Array], pure: float) -> float:
    """The same at a whole order, up to `LARGEST_ORDER`."""
    if rate == 0.0 or pure == 0.0:
        return 0.0
    base = curve(reach_of(order))
    if base[0] == 0.0:  # equal laws
        return 0.0
    if not max(float(base[0]), float(base[order - 2])) < BEYOND:
        return math.inf
    moments, start = _moments(base, pure)
    j = np.arange(2.0, order + 1.0)
    factors, chances = moments[: order - 1], j * math.log(rate)
    sizes = 4.0 * (np.abs(factors) + abs(start)) - chances + size_of(order)
    return log_quotient(0.0, factors + chances + log_binomials(order, 2), sizes, order, 0.0)


def reach_of(order: int) -> int:
    """The last order that the bound at an order looks at: chords from the second moment to later ones may lie lower."""
    return min(LARGEST_ORDER, 2 * order + 254)


def _moments(base: Array, pure: float) -> tuple[Array, float]:
    """log M_j for j = 2, …, from D₂, …, by the lowest chords from the second on; and log M₂."""
    m = np.arange(2.0, len(base) + 2.0)
    with np.errstate(over="ignore", invalid="ignore"):
        logs = (m - 1) * base + np.minimum(math.log(2.0), m * _log_expm1(pure))
    start = min(float(logs[0]), math.log(4.0) + _log_expm1(float(base[0])))
    slopes = (logs[1:] - start) / (m[1:] - 2.0)
    lowest = np.minimum.accumulate(slopes[::-1])[::-1]
    return np.append(start, start + (m[1:] - 2.0) * lowest), start


def poisson_renyi(rate: float, alpha: float, curve: Callable[[int], Array]) -> float:
    """D_α of a mechanism on rows that are each kept with probability `rate`, under adding or removing a row; rounded up.

    Zhu & Wang 2019, the general upper bound, for whole α ≥ 2:

        (α−1) D_α ≤ log((1−q)^{α−1}(αq − q + 1) + C(α,2) q² (1−q)^{α−2} e^{D₂}
                        + 3 Σ_{l=3}^α C(α,l) (1−q)^{α−l} q^l e^{(l−1)D_l}).
    """
    return between_orders(lambda order: _poisson(rate, order, curve), alpha)


def _poisson(rate: float, order: int, curve: Callable[[int], Array]) -> float:
    if rate == 0.0:
        return 0.0
    base, j = curve(order), np.arange(2.0, order + 1.0)
    if rate >= 1.0:
        return float(base[-1])
    if not float(base[-1]) < BEYOND:
        return math.inf
    log_rest = math.log1p(-rate)
    moments, chances = (j - 1) * base, j * math.log(rate) + (order - j) * log_rest
    logs = moments + chances + log_binomials(order, 2)
    logs[1:] += math.log(3.0)
    first = (order - 1) * log_rest + math.log1p((order - 1) * rate)
    return log_quotient(first, logs, moments - chances + size_of(order), order, -2 * order * log_rest)


def log_quotient(first: float, logs: Array, sizes: Array, order: int, drift: float) -> float:
    """log(e^first + Σ e^logs) over α − 1, rounded up.

    Of each logarithm, `sizes` is the sum of the sizes of what it was added up from; it is right to 1e-15 of that. `drift` is
    the same of `first`, for which most of the sum may be made up again by the rest.
    """
    safe = logs + 1e-15 * sizes
    largest = float(safe.max())
    if not largest < math.inf:
        return math.inf
    peak = max(first, largest)
    rest = float(np.exp(safe - peak).sum()) * (1.0 + 1e-14)  # numpy adds in pairs: 4096 numbers to 3e-15
    total = first + math.log1p(rest) if peak == first else peak + math.log(rest + math.exp(first - peak))
    return max(0.0, raised((total + 1e-15 * drift + 1e-14 * abs(total)) / (order - 1), 1e-15))


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
    """The same at a whole order, up to `LARGEST_ORDER`."""
    if not rho < BEYOND:
        return math.inf
    if rate == 0.0:
        return 0.0
    k = np.arange(1.0, order + 1.0)
    log_rest = math.log1p(-rate)
    moments, chances = k * (k - 1) * rho, k * math.log(rate) + (order - k) * log_rest
    logs = moments + chances + log_binomials(order, 1)
    return log_quotient(order * log_rest, logs, moments - chances + size_of(order), order, -2 * order * log_rest)
