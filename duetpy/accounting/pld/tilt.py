"""Where to look in a composition: exponential tilts, Chernoff bounds, the window of the grid that matters, and its ε."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.accounting.arrays import Array
from duetpy.accounting.pld.grid import Masses
from duetpy.by_value import ByValue, Shown

LOST = 1e-9
"""Share of the target δ that cutting tails and windows may cost."""

_FLOOR = math.log(1e-6)
"""Log of the error of a cell after the transforms, 1e-16 of the whole, over the share 1e-10 of δ that it may take."""

_SMALL_WINDOW = 1 << 16
"""A window that is not worth shrinking."""

NEGLIGIBLE = math.log(1e-16)
"""Log of the tilted mass that a window may leave out."""


@frozen(eq=False, repr=False)
class Moments(Shown):
    """Log moment generating function of the masses of one loss."""

    positions: Array
    logs: Array

    @staticmethod
    def of(masses: Masses, step: float) -> Moments:
        some = masses.mass > 0.0
        positions = np.asarray((masses.first + np.flatnonzero(some)) * step, dtype=np.float64)
        return Moments(positions, np.log(masses.mass[some]))

    def coarse(self, places: int) -> Moments:
        """The same, moved up to few places if there are more than twice as many: an upper bound for λ ≥ 0, used to search."""
        if len(self.positions) <= 2 * places:
            return self
        ends = np.linspace(0, len(self.positions), places + 1).astype(np.int64)
        sums = np.add.reduceat(np.exp(self.logs), ends[:-1])
        some = sums > 0.0
        return Moments(self.positions[ends[1:] - 1][some], np.log(sums[some]))

    def log_moment(self, tilt: float) -> float:
        exponents = self.logs + tilt * self.positions
        peak = float(exponents.max())
        return peak + math.log(float(np.exp(exponents - peak).sum()))


@frozen(eq=False, repr=False)
class Part(Shown):
    """`count` copies of a loss on the grid."""

    masses: Masses
    count: int
    moments: Moments


_PLACES = 1 << 15
"""Places of all coarse moments together."""


@frozen(eq=False, repr=False)
class Parts(Shown):
    """All losses of a composition on the grid, and their coarse moments, one behind the other: an array takes as long as a few
    numbers, of which a search over many losses would otherwise ask each loss."""

    each: tuple[Part, ...]
    positions: Array
    logs: Array
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    counts: Array

    @staticmethod
    def of(each: Sequence[Part]) -> Parts:
        places = min(512, max(32, _PLACES // len(each)))
        coarse = [part.moments.coarse(places) for part in each]
        lengths = np.array([len(moments.positions) for moments in coarse])
        return Parts(
            tuple(each),
            np.concatenate([moments.positions for moments in coarse]),
            np.concatenate([moments.logs for moments in coarse]),
            np.cumsum(lengths) - lengths,
            lengths,
            np.array([float(part.count) for part in each]),
        )

    def log_moment(self, tilt: float, *, quick: bool) -> float:
        """K(λ) = log E e^{λL} of the composition; `quick`, of its coarse bound."""
        if not quick:
            return sum(part.count * part.moments.log_moment(tilt) for part in self.each)
        exponents = self.logs + tilt * self.positions
        peaks = np.maximum.reduceat(exponents, self.starts)
        sums = np.add.reduceat(np.exp(exponents - np.repeat(peaks, self.lengths)), self.starts)
        return float(np.add.reduce(self.counts * (peaks + np.log(sums))))


def golden(score: Callable[[float], float], low: float, high: float, steps: int = 32) -> float:
    """The place of the least score in an interval, to within a share 1e-6 of it where the score has one valley."""
    ratio = (math.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    at_a, at_b = score(a), score(b)
    for _ in range(steps):
        if at_a <= at_b:
            high, b, at_b = b, a, at_a
            a = high - ratio * (high - low)
            at_a = score(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + ratio * (high - low)
            at_b = score(b)
    return (low + high) / 2


def least(delta: Callable[[float], float], goal: float, bracket: tuple[float, float]) -> float:
    """An ε ≥ 0 with δ(ε) ≤ goal: the least one up to a share 1e-9; ∞ when there seems to be none."""
    low, high = bracket
    at_low, at_high = delta(low), delta(high)
    while at_low <= goal:
        if low == 0.0:
            return 0.0
        low, high, at_high = low / 2 if low > 1e-9 else 0.0, low, at_low
        at_low = delta(low)
    while at_high > goal:
        if high > 1e12:
            return math.inf
        low, at_low, high = high, at_high, 2 * high
        at_high = delta(high)
    # False position on log δ, which is nearly a line in a cell and nearly a parabola in the large (Illinois rule: the weight
    # of an end that stays is halved).
    target, weight = math.log(goal), 0.0
    for _ in range(100):
        if high - low <= 1e-9 * high:
            break
        above = math.log(at_low) - target
        below = target - math.log(at_high) if at_high > 0.0 else above
        above, below = (above / 2**-weight, below) if weight < 0.0 else (above, below / 2**weight)
        share = min(max(above / (above + below), 1e-3), 1.0 - 1e-3) if above + below > 0.0 else 0.5
        # The answer is aimed a little above the root, so that the upper end moves onto it.
        middle = min(low + share * (high - low) + 2e-10 * high, high - 1e-3 * (high - low))
        value = delta(middle)
        if value <= goal:
            high, at_high, weight = middle, value, min(weight, 0.0) - 1.0
        else:
            low, at_low, weight = middle, value, max(weight, 0.0) + 1.0
    return high


def _gaussian_moment(tilt: float, mu: float) -> float:
    """K(λ) = log E e^{λL} of a Gaussian loss, and 0 of none, also where λ² is no double."""
    return (tilt * mu) * ((tilt + 1.0) * mu) / 2


_STEEP = 1e4
"""From about this λ on, the bound for a small δ takes into account that what is just above ε adds little to δ."""


def chernoff(parts: Parts, mu: float, delta: float) -> tuple[float, float]:
    """A λ, and the ε of Chernoff's bound min_λ (K(λ) + log 1/δ)/λ on the composition.

    λ is the smallest whose bound is within one percent of the least: where ε is next to the largest loss there is, the least
    bound is reached at λ = ∞ only, and so steep a tilt would drown everything below the largest loss.
    """

    def bound(log_tilt: float) -> float:
        tilt = math.exp(log_tilt)
        # (1 − e^{ε − ℓ})₊ ≤ e^{λ(ℓ − ε)}/(1 + λ), which matters where all losses are small.
        gain = math.log(delta) + math.log1p(tilt / _STEEP)
        return (parts.log_moment(tilt, quick=True) + _gaussian_moment(tilt, mu) - gain) / tilt

    # The smaller all losses are, the steeper is the tilt that tells them apart.
    widest = min(max(float(parts.positions.max()), 1e-290), 1.0)
    high = golden(bound, math.log(1e-4), math.log(1e7 / widest))
    least, low = bound(high), math.log(1e-4)
    for _ in range(30):
        middle = (low + high) / 2
        if bound(middle) <= 1.01 * least:
            high = middle
        else:
            low = middle
    return math.exp(high), least


@frozen(eq=False, repr=False)
class Window(ByValue):
    """Grid indices `first … first + size − 1`, and a bound on the mass to the right of them."""

    first: int
    size: int
    lost: float


def window_of(parts: Parts, step: float, tilt: float, delta: float) -> Window:
    """Indices outside of which there is no mass that matters.

    Mass beyond the right end is bounded twice by Chernoff's inequality: as it is, it goes to +∞; tilted, it comes back at the
    left, where taking the tilt off again would magnify it.
    """
    lowest = sum(part.count * part.masses.first for part in parts.each)
    highest = sum(part.count * part.masses.last for part in parts.each)
    base = parts.log_moment(tilt, quick=False)
    ends = [_right_end(parts, 0.0, 0.0, math.log(LOST * delta), tilt), _right_end(parts, tilt, base, NEGLIGIBLE, tilt)]
    end = min(highest, math.ceil(max(ends) / step) + 1)
    lost = 0.0 if end == highest else LOST * delta

    def left(log_gap: float) -> float:
        gap = math.exp(log_gap)
        return -(NEGLIGIBLE + base - parts.log_moment(tilt - gap, quick=True)) / gap

    scale = max(tilt, 1.0)
    gap = math.exp(golden(left, math.log(1e-3 * scale), math.log(1e3 * scale)))
    begin = max(lowest, math.floor((NEGLIGIBLE + base - parts.log_moment(tilt - gap, quick=False)) / gap / step))
    begin = min(begin, end - 1)
    return Window(begin, end - begin + 1, lost)


def _right_end(parts: Parts, start: float, base: float, budget: float, tilt: float) -> float:
    """A loss above which the masses tilted by `start` (of log total `base`) are at most e^budget of the whole."""

    def right(log_gap: float) -> float:
        gap = math.exp(log_gap)
        return (parts.log_moment(start + gap, quick=True) - base - budget) / gap

    scale = max(tilt, 1.0)
    gap = math.exp(golden(right, math.log(1e-3 * scale), math.log(1e4 * scale)))
    return (parts.log_moment(start + gap, quick=False) - base - budget) / gap


def choose_tilt(parts: Parts, mu: float, delta: float, step: float, eased: float = 1.0) -> tuple[float, Window]:
    """The tilt λ of the transforms, a share `eased` of Chernoff's or less, and the window that it needs.

    At Chernoff's λ the tilted composition is centred on the answer. Where tails are heavy, a smaller λ needs a far smaller
    window; it will do as long as the error of the transforms stays far below δ.
    """
    steepest, eps = chernoff(parts, mu, delta)
    steepest *= eased
    best, window = steepest, window_of(parts, step, steepest, delta)
    for share in (0.5, 0.25, 0.1):
        if steepest == 0.0 or window.size <= _SMALL_WINDOW:
            break
        tilt = share * steepest
        error = (
            parts.log_moment(tilt, quick=True)
            + _gaussian_moment(tilt, mu)
            - tilt * eps
            - math.log(tilt * step)
            + _FLOOR
        )
        if error > math.log(delta):
            break
        smaller = window_of(parts, step, tilt, delta)
        if smaller.size < window.size:
            best, window = tilt, smaller
    return best, window
