"""How far a noisy number may be from the true one: standard deviation, and the error that 95 of 100 runs stay within."""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext

from attrs import frozen

from duetpy.accounting.arrays import special
from duetpy.accounting.gaussian_profile import quantile
from duetpy.accounting.rounding import raised
from duetpy.by_value import ByValue

CONFIDENCE = 0.95
"""The share of runs that stay within the error that is reported."""


@frozen(eq=False, repr=False)
class Accuracy(ByValue):
    """The error of a release.

    Parameters
    ----------
    deviation
        Standard deviation of one entry.
    error95
        In 95 of 100 runs the largest error over all entries is at most this.
    """

    deviation: float
    error95: float


def tail_of(count: int) -> float:
    """The chance of a larger error of one of `count` entries at which 95 of 100 runs stay within for all."""
    return -math.expm1(math.log(CONFIDENCE) / count)  # P(largest ≤ t) = (1 − tail(t))^count = 0.95


def laplace(scale: float, tail: float) -> Accuracy:
    return Accuracy(raised(math.sqrt(2.0) * scale, 1e-15), raised(-scale * math.log(tail), 1e-14))


def gaussian(scale: float, tail: float) -> Accuracy:
    return Accuracy(scale, raised(-scale * quantile(tail / 2), 1e-13))


def discrete_gaussian(scale: float, tail: float) -> Accuracy:
    """Summed for a narrow law; of a wide one, P(X ≥ t + 1) ≤ P(N(0, σ²) ≥ t), and its variance is at most σ² (Canonne, Kamath &
    Steinke 2020), which are close."""
    if scale > _SUMMED:
        return Accuracy(scale, _whole(-scale * quantile(tail / 2)))
    if scale == 0.0:
        return Accuracy(0.0, 0.0)
    weights = [math.exp(-(z / scale) * (z / scale) / 2) for z in range(1, math.ceil(40.0 * scale) + 1)]
    total = 1.0 + 2.0 * math.fsum(weights)
    deviation = math.sqrt(2.0 * math.fsum(z * z * weight for z, weight in enumerate(weights, 1)) / total)
    beyond, error = 0.0, len(weights)
    while error and 2.0 * (beyond + weights[error - 1]) * (1.0 + 1e-12) <= tail * total:
        error -= 1
        beyond += weights[error]
    return Accuracy(min(scale, raised(deviation, 1e-13)), float(error))


_SUMMED = 32.0
"""A σ up to which the weights of discrete Gaussian noise are added up; those beyond 40 σ are no doubles."""


def discrete_laplace(scale: float, tail: float) -> Accuracy:
    """With q = e^{−1/b}: variance 2q/(1−q)², P(|X| > t) = 2q^{t+1}/(1+q) for whole t ≥ 0."""
    if scale == 0.0:
        return Accuracy(0.0, 0.0)
    ratio = math.exp(-1.0 / scale)
    deviation = math.sqrt(2.0 * ratio) / -math.expm1(-1.0 / scale)
    return Accuracy(raised(deviation, 1e-13), _whole(scale * math.log(2.0 / (tail * (1.0 + ratio))) - 1.0))


def _whole(error: float) -> float:
    """The whole number that is not below an error, computed with some."""
    return float(math.ceil(max(0.0, raised(error, 1e-12)))) if error < 2.0**53 else raised(error, 1e-12)


def generalized_gaussian(scale: float, tail: float, power: float) -> Accuracy:
    """(|X|/scale)^N is a Gamma variable of shape 1/N: its variance is scale²Γ(3/N)/Γ(1/N)."""
    share = 1.0 / min(power, _UNIFORM)
    deviation = scale * math.exp((math.lgamma(3.0 * share) - math.lgamma(share)) / 2)
    lifted = float(special.gammainccinv(share, tail))
    # Of a large N the quantile z has a z^N that is next to nothing, or no double: there P(|X| ≤ z⋅scale) = z/Γ(1 + 1/N).
    place = lifted**share if lifted > _FLAT else (1.0 - tail) * math.gamma(1.0 + share)
    return Accuracy(raised(deviation, 1e-13), raised(scale * place, 1e-12))


_UNIFORM, _FLAT = 1e100, 1e-30
"""From this power on the law is uniform, and e^{−x} is 1 for x below this, but for a share that no double holds."""


_DIGITS = 60
"""Digits in which the moments of canonical noise are computed: what is left of them after they cancel is exact in doubles."""


_LARGEST = 1000.0
"""From this ε on, G₁ − G₂ is 0 but for a mass below every double."""


def canonical(scale: float, tail: float, eps: float, delta: float) -> Accuracy:
    """The law of G₁ − G₂ + U between its quantiles, with b = e^{−ε} and the mass q outside of them (docs/rules/canonical.md).

    P(|N| > m + v) = 2a b^m (½ − v + b/(1 − b)) for whole m ≥ 0 and −½ ≤ v ≤ ½ with m + v ≥ 0, where a = (1 − b)/(1 + b). Of
    E[N²] = 2b/(1 − b)² + 1/12 the part beyond the quantile m + v is

        2a b^m (((m + ½)³ − (m + v)³)/3 + (m² + 1/12) b/(1 − b) + 2m b/(1 − b)² + b(1 + b)/(1 − b)³),

    of which the first term is the rest of the quantile's cell.
    """
    if not eps > 0.0 or not 0.0 <= delta <= 1.0:
        raise ValueError("canonical noise has ε > 0 and 0 ≤ δ < 1")
    with localcontext(Context(prec=_DIGITS + math.ceil(4 * max(0.0, -math.log10(eps))))):
        spent, leak = Decimal(min(eps, _LARGEST)), Decimal(delta)
        ratio = (-spent).exp()
        gap = 1 - ratio
        mass = gap / (1 + ratio)
        outside = 2 * leak * ratio / (gap + 2 * leak * ratio)

        def place(beyond: Decimal) -> tuple[Decimal, Decimal]:
            """m and v with P(|N| > m + v) = beyond, before N is cut off."""
            whole = max(Decimal(0), ((2 / (beyond * (1 + ratio))).ln() / spent).to_integral_value("ROUND_CEILING") - 1)
            return whole, Decimal("0.5") + ratio / gap - beyond / (2 * mass * (-spent * whole).exp())

        variance = 2 * ratio / gap**2 + Decimal(1) / 12
        if delta > 0.0:
            whole, part = place(outside)
            rest = ((whole + Decimal("0.5")) ** 3 - (whole + part) ** 3) / 3
            rest += (whole**2 + Decimal(1) / 12) * ratio / gap + 2 * whole * ratio / gap**2
            rest += ratio * (1 + ratio) / gap**3
            variance = (variance - 2 * mass * (-spent * whole).exp() * rest) / (1 - outside)
        whole, part = place(outside + Decimal(tail) * (1 - outside))
        deviation, error = float(variance.sqrt()), float(whole + part)
    return Accuracy(raised(scale * deviation, 1e-13), raised(scale * error, 1e-13))
