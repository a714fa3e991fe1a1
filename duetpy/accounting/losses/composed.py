"""The composition of losses: equal ones together, all Gaussian ones as one, and the profile that several tilts bound."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import ClassVar, TypeAlias

from attrs import frozen

from duetpy.accounting.arrays import Array, np
from duetpy.accounting.losses.losses import CurveLoss, GaussianLoss, Loss, ResponseLoss, curve_profile
from duetpy.accounting.rounding import raised

Composition: TypeAlias = tuple[tuple[Loss, int], ...]
"""Losses with their numbers of copies."""


def merged(parts: Iterable[tuple[Loss, int]]) -> Composition:
    """Equal losses together, and all Gaussian losses as one: their composition is Gaussian with μ² = Σ μᵢ²."""
    counts: Counter[Loss] = Counter()
    for loss, count in parts:
        if loss.pure != 0.0:
            counts[loss] += count
    squares = [(loss.mu, count) for loss, count in counts.items() if isinstance(loss, GaussianLoss)]
    found = [(loss, count) for loss, count in counts.items() if count > 0 and not isinstance(loss, GaussianLoss)]
    mu = squares[0][0] if len(squares) == 1 and squares[0][1] == 1 else root_sum_square(squares)
    return (*found, (GaussianLoss(mu), 1)) if mu != 0.0 else tuple(found)


def root_sum_square(parts: Sequence[tuple[float, int]]) -> float:
    """√(Σ nᵢ μᵢ²), rounded up."""
    if not parts:
        return 0.0
    # Over a power of two, which rounds nothing: the square of a small μ is no double.
    unit = math.ldexp(1.0, math.frexp(max(mu for mu, _ in parts))[1])
    return raised(unit * math.sqrt(math.fsum(count * (mu / unit) * (mu / unit) for mu, count in parts)), 1e-15)


@frozen(eq=False, repr=False)
class _Added(Loss):
    """Losses whose Rényi curves add."""

    parts: Composition

    def renyi(self, alpha: float) -> float:
        return raised(sum(count * loss.renyi(alpha) for loss, count in self.parts), 1e-15 * len(self.parts))


@frozen(eq=False, repr=False)
class ComposedLoss(_Added):
    """Adaptive composition, tabulated where its profile is asked for."""

    symmetric: ClassVar[bool] = False

    @property
    def pure(self) -> float:
        return raised(sum(count * loss.pure for loss, count in self.parts), 1e-15 * len(self.parts))

    @property
    def leak(self) -> float:
        kept = sum(count * math.log1p(-min(loss.leak, 1.0 - 2.0**-53)) for loss, count in self.parts)
        return raised(-math.expm1(kept), 1e-14) if kept < 0.0 else 0.0

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        return tabulated(self.parts, reverse)(eps)


def composed(parts: Iterable[tuple[Loss, int]]) -> Loss:
    """The composition as one loss."""
    found = merged(parts)
    if not found:
        return ResponseLoss(0.0)
    return found[0][0] if len(found) == 1 and found[0][1] == 1 else ComposedLoss(found)


@lru_cache(maxsize=16)
def tabulated(parts: Composition, reverse: bool) -> Callable[[Array], Array]:
    """The profile of a composition as a function: the least of the bounds that several tilts give, and no tilt.

    What samples are drawn for has all of its profile amplified, not only what is near some δ.
    """
    from duetpy.accounting.pld import pld

    curves = tuple((loss, count) for loss, count in parts if isinstance(loss, CurveLoss))
    rest = [(loss, count) for loss, count in parts if not isinstance(loss, CurveLoss)]
    if curves:
        rest.append((CurveProfile(curves), 1))
    tables = []
    for delta, level in ((0.1, True), (0.1, False), (1e-6, False), (1e-12, False)):
        try:
            tables.append(pld.table(rest, delta, reverse, level=level))
        except ArithmeticError:  # no grid is wide enough, or none fine enough: nothing is claimed
            tables.append(np.ones_like)

    def profile(eps: Array) -> Array:
        return np.asarray(np.minimum.reduce([table(eps) for table in tables]))

    return profile


@frozen(eq=False, repr=False)
class CurveProfile(_Added):
    """The composition of mechanisms of which Rényi curves are known: their curves add, and imply one profile."""

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        return curve_profile(self.renyi, eps)
