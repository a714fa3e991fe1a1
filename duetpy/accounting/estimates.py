"""Estimates of a cost by limit theorems of the literature. They guarantee nothing, and nothing accepts them.

They are neither upper nor lower bounds. In DP-SGD (rate 0.01, σ = 1, 10⁴ steps, δ = 1e-5) the central limit gives ε = 6.007, but
the truth is 6.188; with rate 5e-4 and 200 steps the second Edgeworth expansion gives 0.0380, and the truth is 0.0327.

No price, bound, budget or ledger is computed from an `Estimate`: a test checks that only ``cost --estimates`` imports this file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

from attrs import frozen

from duetpy.accounting.certify import deep, settled_term
from duetpy.accounting.expressions import Values
from duetpy.accounting.gathering import gathered
from duetpy.accounting.gaussian_profile import cdf, density, gaussian_epsilon
from duetpy.accounting.losses.composed import Composition
from duetpy.accounting.losses.losses import CurveLoss, GaussianLoss, Loss
from duetpy.accounting.losses.sampled import FixedLoss, PoissonLoss
from duetpy.accounting.losses_of_cost import NOTHING_KNOWN, composition
from duetpy.typecheck.cost import Cost

LARGEST = 700.0
"""No larger ε is estimated: e^ε would be no double."""

LIMIT = "Dong, Roth & Su 2022; Bu, Dong, Long & Su 2020"
EXPANSION = "Zheng, Dong, Long & Su 2020"

_CELLS = (1 << 18, 1 << 15)
_AGREEMENT = 0.01
"""Moments on two grids may differ by this share of the variance."""


@frozen
class Estimate:
    """What one method guesses.

    Parameters
    ----------
    method, source
        The method, and who it is by.
    epsilon
        The ε at which its δ(ε) falls to the δ that was asked for; None if it finds none.
    """

    method: str
    source: str
    epsilon: float | None


class Unestimated(ValueError):
    """There is no estimate; the text says why."""


def estimates(cost: Cost, values: Values, delta: float) -> tuple[Estimate, ...]:
    """What each method guesses of a cost at δ; raises `Unestimated` where the moments of a loss are not known.

    Parameters
    ----------
    cost
        What a program does to one input, finite and not zero.
    values
        A number for every variable of it.
    delta
        0 < δ < 1.
    """
    settled = settled_term(gathered(cost), values)
    if deep(settled):
        raise Unestimated("the program's cost nests too deep")
    parts = composition(settled, {})
    if not parts:
        raise Unestimated("nothing is spent")
    for loss, _ in parts:
        if isinstance(loss, CurveLoss):
            raise Unestimated("only a bound on the Rényi curve of a part is known")
        if loss.leak >= 1.0:
            raise Unestimated(f"{NOTHING_KNOWN}, whose loss has no mean")
        if loss.leak > 0.0:
            raise Unestimated("a part may fail with probability δ, and then its loss is infinite and has no mean")
    try:
        return tuple(_guesses(parts, delta))
    except ArithmeticError:  # a variance or its powers are no doubles
        raise Unestimated("the loss of a part is too small or too large for its moments to be computed") from None


def _guesses(parts: Composition, delta: float) -> Iterator[Estimate]:
    ways = (False,) if all(loss.symmetric for loss, _ in parts) else (False, True)
    with_limit = max(gaussian_epsilon(delta, limit_mu(parts, reverse)) for reverse in ways)
    yield Estimate("central limit", LIMIT, with_limit if with_limit <= LARGEST else None)
    for order, method in ((1, "first Edgeworth expansion"), (2, "second Edgeworth expansion")):
        guesses = [edgeworth_epsilon(parts, delta, order, reverse) for reverse in ways]
        yield Estimate(method, EXPANSION, max(guesses) if max(guesses) < LARGEST else None)


# ---------------------------------------------------------------------------------------------------------------------
# The central limit


def limit_mu(parts: Composition, reverse: bool = False) -> float:
    """μ of the Gaussian that a composition of many losses comes close to: 2 Σ E[L] / √Σ Var[L] under P (Dong, Roth & Su 2022,
    Theorem 3.4). Of sampled Gaussian noise, the mean and variance of its own limit."""
    mean = variance = 0.0
    for loss, count in parts:
        match loss:
            case PoissonLoss(rate, GaussianLoss(mu)) if mu > 0.0:
                square = limit_mu_poisson(rate, 1.0 / mu, 1) ** 2
                own = (square / 2, square)
            case FixedLoss(rate, GaussianLoss(mu)) if mu > 0.0:
                square = limit_mu_fixed(rate, 1.0 / mu, 1) ** 2
                own = (square / 2, square)
            case _:
                found = cumulants(loss, reverse)[0]
                own = (found[0], found[1])
        mean += count * own[0]
        variance += count * own[1]
    return 2 * mean / math.sqrt(variance)


def limit_mu_poisson(rate: float, sigma: float, steps: int) -> float:
    """μ of Poisson-sampled Gaussian noise in the limit: q√(T(e^{1/σ²} − 1)) (Bu, Dong, Long & Su 2020)."""
    return rate * math.sqrt(steps * _expm1(1.0 / sigma**2))


def limit_mu_fixed(rate: float, sigma: float, steps: int) -> float:
    """μ of Gaussian noise on batches of fixed size in the limit: √2 q√T √(e^{μ₁²}Φ(3μ₁/2) + 3Φ(−μ₁/2) − 2), μ₁ = 1/σ.

    For replacing a row (Dong, Roth & Su 2022, Corollary 5.4); not interchangeable with the Poisson formula.
    """
    one = 1.0 / sigma
    inner = (_expm1(one * one) + 1.0) * cdf(1.5 * one) + 3.0 * cdf(-one / 2) - 2.0
    return math.sqrt(2.0) * rate * math.sqrt(steps) * math.sqrt(inner)


def _expm1(x: float) -> float:
    if x > LARGEST:
        raise Unestimated("the noise of a part is too small for a limit")
    return math.expm1(x)


# ---------------------------------------------------------------------------------------------------------------------
# Edgeworth expansions


def edgeworth_epsilon(parts: Composition, delta: float, order: int, reverse: bool = False) -> float:
    """The ε at which the expansion's δ(ε) falls to δ; `LARGEST` where it does not."""
    low, high = 0.0, 1.0
    while edgeworth_delta(parts, high, order, reverse) > delta and high < LARGEST:
        high = min(2 * high, LARGEST)
    for _ in range(60):
        middle = (low + high) / 2
        if edgeworth_delta(parts, middle, order, reverse) > delta:
            low = middle
        else:
            high = middle
    return high


def edgeworth_delta(parts: Composition, eps: float, order: int, reverse: bool = False) -> float:
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


Cumulants = tuple[float, float, float, float]


@lru_cache(maxsize=64)
def cumulants(loss: Loss, reverse: bool = False) -> tuple[Cumulants, Cumulants]:
    """The first four cumulants of the loss under P and under Q; raises `Unestimated` where two grids do not agree on them."""
    if isinstance(loss, GaussianLoss):
        square = loss.mu * loss.mu
        return (square / 2, square, 0.0, 0.0), (-square / 2, square, 0.0, 0.0)
    fine, coarse = (_cumulants(loss, reverse, cells) for cells in _CELLS)
    for one, other in zip(fine, coarse, strict=True):
        variance = one[1]
        if not (variance > 0.0 and abs(other[1] - variance) <= _AGREEMENT * variance):
            raise Unestimated("the moments of a part cannot be computed closely enough")
        if abs(other[0] - one[0]) > _AGREEMENT * variance:
            raise Unestimated("the moments of a part cannot be computed closely enough")
    return fine


def _cumulants(loss: Loss, reverse: bool, cells: int) -> tuple[Cumulants, Cumulants]:
    import numpy as np

    from duetpy.accounting.pld.grid import discretize, reach

    widest = max(reach(loss, 1e-16, reverse), reach(loss, 1e-16, not reverse))
    step = 2.0 * widest / cells
    masses = discretize(loss, step, 1e-16, reverse)
    places = (masses.first + np.arange(len(masses.mass))) * step
    found: list[Cumulants] = []
    with np.errstate(over="raise", invalid="raise"):
        for weight in (masses.mass, masses.mass * np.exp(-places)):
            weight = weight / weight.sum()
            mean = float(weight @ places)
            second, third, fourth = (float(weight @ (places - mean) ** n) for n in (2, 3, 4))
            found.append((mean, second, third, fourth - 3 * second**2))
    return found[0], found[1]
