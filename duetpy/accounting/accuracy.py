"""How far a noisy number may be from the true one: standard deviation, and the error that 95 of 100 runs stay within."""

from __future__ import annotations

import math
from typing import Literal

from attrs import frozen

from duetpy.accounting.gaussian import quantile
from duetpy.accounting.rounding import raised

CONFIDENCE = 0.95
"""The share of runs that stay within the error that is reported."""

Noise = Literal["laplace", "gaussian", "discrete-laplace", "discrete-gaussian", "generalized-gaussian"]

LAWS: dict[str, Noise] = {
    "laplace": "laplace",
    "gauss": "gaussian",
    "dlaplace": "discrete-laplace",
    "dgauss": "discrete-gaussian",
    "ggauss": "generalized-gaussian",
}
"""By the name of the atom of cost, the law of the noise."""


@frozen
class Accuracy:
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


def accuracy(noise: Noise, scale: float, count: int = 1, power: float = 1.0) -> Accuracy:
    """The error of `count` entries with independent noise.

    Parameters
    ----------
    noise
        ``laplace``: density e^{−|x|/b}/2b, scale b. ``gaussian``: scale σ. Both also on integers, with mass ∝ e^{−|x|/b} or
        e^{−x²/2σ²}. ``generalized-gaussian``: density ∝ e^{−(|x|/scale)^N}.
    scale
        b or σ, in the units of the entry.
    count
        How many entries are released at once, at least 1.
    power
        N of the generalized Gaussian.
    """
    if count < 1 or not 0.0 <= scale < math.inf:
        raise ValueError("an accuracy is asked for at no entries or at no scale")
    # P(largest ≤ t) = (1 − tail(t))^count = 0.95
    tail = -math.expm1(math.log(CONFIDENCE) / count)
    match noise:
        case "laplace":
            return Accuracy(raised(math.sqrt(2.0) * scale, 1e-15), raised(-scale * math.log(tail), 1e-14))
        case "gaussian":
            return Accuracy(scale, raised(-scale * quantile(tail / 2), 1e-13))
        case "discrete-laplace":
            return _discrete_laplace(scale, tail)
        case "discrete-gaussian":
            # P(X ≥ t + 1) ≤ P(N(0, σ²) ≥ t), and its variance is at most σ² (Canonne, Kamath & Steinke 2020).
            return Accuracy(scale, _whole(-scale * quantile(tail / 2)))
        case "generalized-gaussian":
            return _generalized(scale, tail, power)


def _discrete_laplace(scale: float, tail: float) -> Accuracy:
    """With q = e^{−1/b}: variance 2q/(1−q)², P(|X| > t) = 2q^{t+1}/(1+q) for whole t ≥ 0."""
    if scale == 0.0:
        return Accuracy(0.0, 0.0)
    ratio = math.exp(-1.0 / scale)
    deviation = math.sqrt(2.0 * ratio) / -math.expm1(-1.0 / scale)
    return Accuracy(raised(deviation, 1e-13), _whole(scale * math.log(2.0 / (tail * (1.0 + ratio))) - 1.0))


def _whole(error: float) -> float:
    """The whole number that is not below an error, computed with some."""
    return float(math.ceil(max(0.0, raised(error, 1e-12)))) if error < 2.0**53 else raised(error, 1e-12)


def _generalized(scale: float, tail: float, power: float) -> Accuracy:
    """(|X|/scale)^N is a Gamma variable of shape 1/N: its variance is scale²Γ(3/N)/Γ(1/N)."""
    from scipy.special import gammainccinv

    deviation = scale * math.exp((math.lgamma(3.0 / power) - math.lgamma(1.0 / power)) / 2)
    quantile_ = scale * float(gammainccinv(1.0 / power, tail)) ** (1.0 / power)
    return Accuracy(raised(deviation, 1e-13), raised(quantile_, 1e-12))
