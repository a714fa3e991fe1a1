"""Losses on a grid: discrete pairs that dominate a loss, from its profile alone.

A loss with profile H is put on the grid ℓ_k = k·h by the piecewise linear (in e^ε) interpolation of H, which is convex and
nowhere below H: the pair that it belongs to dominates the loss (Doroshenko, Ghazi, Kamath, Kumar & Manurangsi 2022, 'connect
the dots'). Its tail of P-mass has the closed form

    T_k = P[L ≥ ℓ_k] = (H(ℓ_{k−1}) − e^{−h} H(ℓ_k)) / (1 − e^{−h}),

with mass H(ℓ_last) at +∞. H is evaluated above its true value, and a tail that rounding made non-monotone is raised, which
raises the profile; so the result dominates the loss whatever the rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from attrs import frozen

from duetpy.accounting.arrays import Array
from duetpy.accounting.losses.losses import PROFILE_ERROR, Loss, below_chords
from duetpy.accounting.rounding import UNIT_ROUNDOFF
from duetpy.by_value import Shown

_FEW = 1 << 14
"""Up to so many points a profile is made convex on the grid; of more it comes from chords, which are."""

_TRACE = 1e-300
"""A mass for what tells everything, which has none on the grid and would have no moments."""

_LARGEST_DENOMINATOR = 10**5
"""Numbers whose ratios have no denominator up to this have no common measure: a match to 1e-14 is too close to be chance."""


@frozen(eq=False, repr=False)
class Masses(Shown):
    """P-masses of a loss: `mass[i]` at (first + i)·h, and `infinite` at +∞."""

    first: int
    mass: Array
    infinite: float

    @property
    def last(self) -> int:
        return self.first + len(self.mass) - 1


def grid_profile(loss: Loss, points: Array, reverse: bool) -> Array:
    """An upper bound on the profile at grid points."""
    values = loss.profile(points, reverse) * (1.0 + PROFILE_ERROR)
    return np.asarray(np.minimum(np.maximum(values, -np.expm1(np.minimum(points, 0.0))), 1.0))


def reach(loss: Loss, tail: float, reverse: bool) -> float:
    """A positive x with δ(x) ≤ leak + tail: beyond it the loss may be put at +∞."""
    if loss.pure < math.inf:
        return loss.pure
    level = (loss.leak + tail) * (1.0 + 1e-6)
    high = 1.0
    while high < 1e9 and float(grid_profile(loss, np.array([high]), reverse)[0]) > level:
        high *= 2
    points = np.linspace(0.0, high, 257)
    enough = grid_profile(loss, points, reverse) <= level
    return float(points[max(1, int(np.argmax(enough)))]) if enough.any() else high


def discretize(loss: Loss, step: float, tail: float, reverse: bool) -> Masses:
    """The masses of a loss on the grid of the step, in one direction."""
    top = _cells(reach(loss, tail, reverse), step)
    bottom = _cells(reach(loss, tail, not reverse), step)
    pure = loss.pure < math.inf
    points = np.asarray(np.arange(-bottom - 1, top + 1) * step, dtype=np.float64)
    values = grid_profile(loss, points, reverse)
    if len(values) <= _FEW:
        values = below_chords(points, values)
    if pure:
        values[-1] = loss.leak
    shrink = math.exp(-step)
    tails = (values[:-1] - shrink * values[1:]) / -math.expm1(-step)
    # Rounding of the difference, at most 4 units of the larger value over 1 − e^{−h}.
    tails += 4 * UNIT_ROUNDOFF * values[:-1] / -math.expm1(-step)
    infinite = float(values[-1])
    tails = np.maximum.accumulate(np.maximum(tails, infinite)[::-1])[::-1]
    tails = np.minimum(tails, 1.0)
    tails[0] = 1.0
    mass = tails - np.append(tails[1:], infinite)
    if infinite >= 1.0:
        mass[0] = _TRACE
    return Masses(-bottom, np.maximum(mass, 0.0) * (1.0 + 8 * UNIT_ROUNDOFF), infinite)


def _cells(width: float, step: float) -> int:
    """The least k with k·step ≥ width, in doubles as the grid computes it."""
    k = math.ceil(width / step)
    while k > 0 and (k - 1) * step >= width:
        k -= 1
    while k * step < width:
        k += 1
    return k


def common_measure(numbers: Sequence[float]) -> float | None:
    """The largest number of which all the given ones are multiples, where their ratios are short fractions; else None."""
    if not numbers:
        return None
    unit = min(numbers)
    ratios = [Fraction(number / unit).limit_denominator(_LARGEST_DENOMINATOR) for number in numbers]
    if any(abs(float(ratio) * unit - number) > 1e-14 * number for ratio, number in zip(ratios, numbers, strict=True)):
        return None
    divisor = ratios[0]
    for ratio in ratios[1:]:
        divisor = Fraction(
            math.gcd(divisor.numerator * ratio.denominator, ratio.numerator * divisor.denominator),
            divisor.denominator * ratio.denominator,
        )
    return float(divisor) * unit


def rounded_step(anchors: Sequence[float], measure: float | None, at_most: float) -> float:
    """A step ≤ `at_most`, and one that divides the measure of the anchors where they have one.

    The step is rounded up so that its multiples are not below the anchors: a loss that ends at an anchor ends on the grid.
    """
    if measure is None:
        return at_most
    step = measure / max(1, math.ceil(measure / at_most))
    while any(round(anchor / step) * step < anchor for anchor in anchors):
        step = math.nextafter(step, math.inf)
    return step
