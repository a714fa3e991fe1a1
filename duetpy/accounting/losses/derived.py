"""Losses made of other losses: subsampling, public choices, group privacy, shared inputs.

Each is again a dominating pair, or an upper bound on its profile, so that any nesting of them can be composed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import ClassVar

from attrs import frozen

from duetpy.accounting.arrays import Array, np
from duetpy.accounting.convert import joint_approx
from duetpy.accounting.losses.composed import ComposedLoss
from duetpy.accounting.losses.discrete import DiscreteGaussianLoss
from duetpy.accounting.losses.discrete_laplace import DiscreteLaplaceLoss, discrete_laplace_rho_at, shared_steps
from duetpy.accounting.losses.families import dominant
from duetpy.accounting.losses.generalized_gaussian import GeneralizedGaussianLoss
from duetpy.accounting.losses.losses import (
    BoundedRangeLoss,
    CurveLoss,
    GaussianLoss,
    KaryLoss,
    LaplaceLoss,
    LeakyLoss,
    Loss,
    PureLoss,
    ResponseLoss,
    by_chords,
    chords,
    laplace_rho,
    mirrored,
    response_renyi,
    response_rho,
)
from duetpy.accounting.losses.mixtures import LARGEST_GROUP, MixtureLoss, OneWayLoss
from duetpy.accounting.losses.sampled import PoissonLoss, worst_profile
from duetpy.accounting.losses.shuffle import ShuffleLoss
from duetpy.accounting.rounding import float_down, multiple, raised


def zcdp(loss: Loss) -> float:
    """The least known ρ with D_α ≤ ρα for all α > 1; ∞ if none is known."""
    match loss:
        case GaussianLoss(mu):
            return raised(mu * mu / 2, 1e-15)
        case LaplaceLoss(eps):
            return laplace_rho(eps)
        case DiscreteLaplaceLoss(eps, steps):
            return discrete_laplace_rho_at(eps, steps)
        case BoundedRangeLoss(eps):
            return min(raised(eps * eps / 8, 1e-15), response_rho(eps))
        case GeneralizedGaussianLoss(power, ratio) if power == 2.0:
            return raised(ratio * ratio, 1e-15)
        case GeneralizedGaussianLoss(power, ratio) if power == 1.0:
            return laplace_rho(ratio)
        case ShuffleLoss(_, local, report) if report is not None:
            return min(zcdp(report), response_rho(local))
        case DiscreteGaussianLoss(_, _, rho):
            return rho
        case CurveLoss(slope, _, order):
            return slope if order == math.inf else math.inf
        case ComposedLoss(parts):
            return raised(sum(count * zcdp(part) for part, count in parts), 1e-15 * len(parts))
        case ChoiceLoss(branches):
            return max(zcdp(branch) for branch in branches)
        case MixtureLoss() | OneWayLoss():
            return loss.rho
        case GroupLoss(size, base):
            return min(raised(size * size * zcdp(base), 1e-15), response_rho(loss.pure))
        case TogetherLoss(first, second):
            return min(raised((math.sqrt(zcdp(first)) + math.sqrt(zcdp(second))) ** 2, 1e-14), response_rho(loss.pure))
        case _:
            return response_rho(loss.pure)


@frozen(eq=False, repr=False)
class ChoiceLoss(Loss):
    """One of several mechanisms, chosen by something public, and again in each step if `scattered`: the pointwise largest one."""

    branches: tuple[Loss, ...]
    scattered: bool = False

    symmetric: ClassVar[bool] = False

    @property
    def pure(self) -> float:
        return max(branch.pure for branch in self.branches)

    @property
    def leak(self) -> float:
        return max(branch.leak for branch in self.branches)

    def renyi(self, alpha: float) -> float:
        return max(branch.renyi(alpha) for branch in self.branches)

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        return np.asarray(np.maximum.reduce([branch.profile(eps, reverse) for branch in self.branches]))


_MOST = 700.0
"""Of more than e to this no double is sure: a profile times that is not bounded."""

_UNSEEN = 1e-317
"""More than a profile may lack next to the least double: a table that in each of a million places, which a power of e would bring
back."""


def _to_magnify(loss: Loss, eps: Array) -> Array:
    """The larger profile of both directions, for a factor as large as e^700: none is 0 because it is too small for a double."""
    known = worst_profile(loss, eps)
    return np.where(eps < loss.pure, known + _UNSEEN, known)


@frozen(eq=False, repr=False)
class GroupLoss(Loss):
    """A mechanism on inputs `size` steps apart.

    H_{xy}(P ‖ Q) ≤ H_x(P ‖ R) + x H_y(R ‖ Q) along the path, so δ(ε) ≤ δ₀(ε/k)(e^ε − 1)/(e^{ε/k} − 1).
    """

    size: int
    base: Loss

    has_corner: ClassVar[bool] = False

    @property
    def pure(self) -> float:
        return multiple(self.size, self.base.pure)

    @property
    def leak(self) -> float:
        return 0.0 if self.base.leak == 0.0 else 1.0

    def renyi(self, alpha: float) -> float:
        return min(response_renyi(self.pure, alpha), raised(self.size**2 * zcdp(self.base) * alpha, 1e-14))

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        # A double: NumPy 1 divides by whole numbers beyond 2^64 as by objects.
        rows = float(self.size)

        def upper(at: Array) -> Array:
            size = np.maximum(at, 1e-9)
            step = size / rows
            # (e^ε − 1)/(e^{ε/k} − 1) increases in ε, so it may be taken at a larger ε than the profile.
            with np.errstate(over="ignore"):
                grown = np.exp(size - step) * np.expm1(-size) / np.expm1(-step) * (1.0 + 1e-14)
            most = math.exp(_MOST)
            factor = np.minimum(grown, most)
            inner = at / rows * (1.0 - 1e-15)
            moved = np.where(factor < most, np.minimum(_to_magnify(self.base, inner) * factor, 1.0), 1.0)
            return moved if self.pure == math.inf else np.minimum(moved, ResponseLoss(self.pure).profile(at))

        return mirrored(eps, by_chords(upper, np.abs(eps)))


SPLITS = 32
"""Into how many parts the ε of two mechanisms that share an input is divided, in search of the best."""

_FEW = 128
"""Up to so many ε are divided into eight times as many parts, and nothing lies between chords."""

_HOELDER = (
    tuple(1.0 / (1.0 + math.exp(x / 2.0)) for x in range(-12, 13)),
    tuple(1.0 / (1.0 + math.exp(2.0 * x)) for x in range(-2, 3)),
)
"""Shares 1/p that are tried, by how often such mechanisms are nested: their numbers multiply. Of deeper ones a line is known."""


@frozen(eq=False, repr=False)
class TogetherLoss(Loss):
    """One mechanism of which a change moves two inputs: H_{xy}(P ‖ Q) ≤ H_x(P ‖ R) + x H_y(R ‖ Q), R with one moved."""

    first: Loss
    second: Loss

    has_corner: ClassVar[bool] = False

    @property
    def nesting(self) -> int:
        return max(
            (1 + part.nesting for part in (self.first, self.second) if isinstance(part, TogetherLoss)), default=0
        )

    @property
    def pure(self) -> float:
        return raised(self.first.pure + self.second.pure, 1e-15)

    @property
    def leak(self) -> float:
        # By H_x + x H_y at y = ∞ and then x = ∞, what leaks where one part leaks is no more than that.
        fewer, more = sorted((self.first.leak, self.second.leak))
        return more if fewer == 0.0 else 1.0

    def renyi(self, alpha: float) -> float:
        if self.leak > 0.0:  # what does not leak has no curve of its own
            return math.inf
        slope, order = joint_line(self.first, self.second)
        straight = raised(slope * alpha, 1e-14) if alpha < order else math.inf
        known = min(response_renyi(self.pure, alpha), straight)
        settled = slope < math.inf and order == math.inf
        return known if settled or self.nesting >= len(_HOELDER) else min(known, self._by_hoelder(alpha))

    def _by_hoelder(self, alpha: float) -> float:
        """D_α(P ‖ Q) ≤ (α−1/p)/(α−1) D_{pα}(P ‖ R) + D_{q(α−1/p)}(R ‖ Q) for 1/p + 1/q = 1 (Mironov 2017, Proposition 11)."""
        least = math.inf
        for share in _HOELDER[self.nesting]:  # 1/p
            far, near = alpha / share, (alpha - share) / (1.0 - share)
            for one, two in ((self.first, self.second), (self.second, self.first)):
                at = one.renyi(raised(far, 1e-15))
                if at < math.inf:
                    least = min(least, (alpha - share) / (alpha - 1.0) * at + two.renyi(raised(near, 1e-15)))
        return raised(least, 1e-13)

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        if eps.size <= _FEW:
            splits, one, two = 8 * SPLITS, self._worst(self.first), self._worst(self.second)
        else:
            highest = float(np.abs(eps).max(initial=0.0))
            splits = SPLITS
            one, two = (chords(self._worst(part), 0.0, highest) for part in (self.first, self.second))
        shares = np.linspace(0.0, 1.0, splits + 1)[:, None]
        corners = [part.pure for part in (self.first, self.second) if part.pure < math.inf]

        def upper(size: Array) -> Array:
            ends = [np.minimum(size, corner) for corner in corners]
            left = np.vstack([shares * size, *ends, *(np.maximum(size - end * (1.0 + 1e-12), 0.0) for end in ends)])
            right = np.maximum(size - left, 0.0) * (1.0 - 1e-15)
            grown = np.exp(np.minimum(left, _MOST)) * (1.0 + 1e-14)
            by_parts = np.minimum(one(left) + grown * two(right), two(left) + grown * one(right))
            moved: Array = np.where(left > _MOST, 1.0, by_parts).min(axis=0)
            return moved if self.pure == math.inf else np.minimum(moved, ResponseLoss(self.pure).profile(size))

        return mirrored(eps, by_chords(upper, np.abs(eps)))

    @staticmethod
    def _worst(loss: Loss) -> Callable[[Array], Array]:
        def worst(at: Array) -> Array:
            return _to_magnify(loss, at.ravel()).reshape(at.shape)

        return worst


def grouped(size: int, loss: Loss) -> Loss:
    """A loss on inputs `size` steps apart; shift families stay in their family."""
    match loss:
        case GaussianLoss(mu):
            return GaussianLoss(multiple(size, mu))
        case GeneralizedGaussianLoss(power, ratio):
            return GeneralizedGaussianLoss(power, multiple(size, ratio))
        case KaryLoss(eps, _):
            return ResponseLoss(multiple(size, eps))
        case DiscreteGaussianLoss() | DiscreteLaplaceLoss():
            return loss.grouped(size)
        case PureLoss(eps):
            return loss.stronger(multiple(size, eps))
        case CurveLoss(slope, cap, order):
            return _grouped_curve(size, slope, cap, order)
        case ComposedLoss(parts):
            return ComposedLoss(tuple((grouped(size, part), count) for part, count in parts))
        case ChoiceLoss(branches, True):
            largest = dominant(branches)
            return GroupLoss(size, loss) if largest is None else grouped(size, largest)
        case ChoiceLoss(branches):
            return ChoiceLoss(tuple(grouped(size, branch) for branch in branches))
        case LeakyLoss(delta, ResponseLoss(eps)):
            return _grouped_leaky(size, eps, delta)
        case PoissonLoss(rate, GaussianLoss(mu)) if size <= LARGEST_GROUP:
            return MixtureLoss(size, rate, mu)
        case MixtureLoss(steps, rate, mu) if size * steps <= LARGEST_GROUP:
            return MixtureLoss(size * steps, rate, mu)
        case _:
            return GroupLoss(size, loss)


def _grouped_curve(size: int, slope: float, cap: float, order: float) -> Loss:
    """(ρ, ω)-tCDP gives (k²ρ, ω/k); (α, ε)-RDP gives (α/2^c, 3^c ε) for k ≤ 2^c and α ≥ 2^{c+1} (Mironov 2017, group privacy)."""
    if slope < math.inf:
        # A quotient of doubles may be an order above ω/k, about which nothing is known.
        kept = order if order == math.inf else float_down(Fraction(order) / size)
        return CurveLoss(multiple(size * size, slope), math.inf, kept)
    halvings = max(0, (size - 1).bit_length())
    if order >= 2.0 ** (halvings + 1):
        return CurveLoss(math.inf, raised(3.0**halvings * cap, 1e-15), order / 2.0**halvings)
    return CurveLoss(math.inf)


def _grouped_leaky(size: int, eps: float, delta: float) -> Loss:
    """(ε, δ) on k steps: (kε, δ(e^{kε} − 1)/(e^ε − 1))."""
    if eps == 0.0:
        total = multiple(size, delta)
    elif size * eps > 700.0:
        total = 1.0
    else:
        # Divided first, since δ times ε may be no double. The last digit of an exponent of up to 700 moves its power by a share of
        # up to 1e-13.
        total = raised(delta * (math.expm1(size * eps) / math.expm1(eps)), 1e-13)
    return LeakyLoss(min(total, 1.0), ResponseLoss(multiple(size, eps)))


def shared(parts: Sequence[Loss]) -> Loss:
    """One mechanism of which a change moves several inputs by a step each."""
    if all(isinstance(part, LeakyLoss) or part.pure < math.inf for part in parts):
        pairs = [(part.inner.pure, part.delta) if isinstance(part, LeakyLoss) else (part.pure, 0.0) for part in parts]
        if any(delta > 0.0 for _, delta in pairs):
            total, leak = joint_approx(pairs)
            return LeakyLoss(leak, ResponseLoss(total))
    if all(isinstance(part, GaussianLoss) for part in parts):
        return GaussianLoss(
            raised(sum(part.mu for part in parts if isinstance(part, GaussianLoss)), 1e-15 * len(parts))
        )
    if all(part.pure < math.inf for part in parts):
        total = raised(sum(part.pure for part in parts), 1e-15 * len(parts))
        for family in (LaplaceLoss, BoundedRangeLoss):
            if all(isinstance(part, family) for part in parts):
                return family(total)
        steps = shared_steps(parts)
        if steps is not None:
            return DiscreteLaplaceLoss(total, steps)
        if all(isinstance(part, ResponseLoss | KaryLoss | DiscreteLaplaceLoss) for part in parts):
            return ResponseLoss(total)
    joined = parts[0]
    for part in parts[1:]:
        curve = _shared_lines(joined, part)
        joined = TogetherLoss(joined, part) if curve is None else curve
    return joined


def _shared_lines(first: Loss, second: Loss) -> Loss | None:
    """Two inputs moved together, of which D_α ≤ ρα is known at all orders and of one no more than that."""
    lines = (CurveLoss, DiscreteGaussianLoss)
    if not isinstance(first, lines) and not isinstance(second, lines):
        return None
    slope, order = joint_line(first, second)
    return CurveLoss(slope) if order == math.inf and slope < math.inf else None


def joint_line(first: Loss, second: Loss) -> tuple[float, float]:
    """(ρ, ω) with D_α ≤ ρα for 1 < α < ω where two inputs are moved together; ρ = ∞ if none is known.

    D_α(P‖Q) ≤ kα/(kα−1) D_{(kα−1)/(k−1)}(P‖R) + D_{kα}(R‖Q) for every k > 1 (Bun & Steinke 2016); k = 1 + √(ρ₁/ρ₂) makes
    that (√ρ₁ + √ρ₂)²α, where both orders are within those that are known. Either of the two may be moved first.
    """
    (slope, order), (other, limit) = _line(first), _line(second)
    if slope == math.inf or other == math.inf:
        return math.inf, math.inf
    if slope == 0.0 or other == 0.0:
        return max(slope, other), min(order, limit)
    joint = raised((math.sqrt(slope) + math.sqrt(other)) ** 2, 1e-14)
    return joint, max(_reach(slope, order, other, limit), _reach(other, limit, slope, order))


def _reach(slope: float, order: float, other: float, limit: float) -> float:
    """The orders up to which the first line serves at (kα−1)/(k−1) and the second at kα."""
    # k − 1. The root of each, since a quotient next to the least double has few digits.
    ratio = math.sqrt(slope) / math.sqrt(other)
    k = 1.0 + ratio
    # Divided first, since a product beyond the doubles would be all orders.
    return min(limit / k, ratio / k * order + 1.0 / k) * (1.0 - 1e-14)


def _line(loss: Loss) -> tuple[float, float]:
    """(ρ, ω) with D_α ≤ ρα for 1 < α < ω; ρ = ∞ if none is known."""
    match loss:
        case CurveLoss(slope, _, order):
            return slope, order
        case TogetherLoss(first, second):
            return joint_line(first, second)
        case _:
            return zcdp(loss), math.inf
