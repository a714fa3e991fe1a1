"""How far a noisy number may be from the true one: standard deviation, and the error that 95 of 100 runs stay within."""

from __future__ import annotations

import math
from typing import Literal

from attrs import frozen

from duetpy.accounting.gaussian import quantile
from duetpy.accounting.rounding import raised

CONFIDENCE = 0.95
"""The share of runs that stay within the error that is reported."""

Noise = Literal["laplace", "gaussian"]


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


def accuracy(noise: Noise, scale: float, count: int = 1) -> Accuracy:
    """The error of `count` entries with independent noise.

    Parameters
    ----------
    noise
        ``laplace``: density e^{−|x|/b}/2b, scale b. ``gaussian``: scale σ.
    scale
        b or σ, in the units of the entry.
    count
        How many entries are released at once, at least 1.
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
