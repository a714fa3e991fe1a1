"""Gaussian noise on Poisson-sampled rows, where several rows are removed and added: mixtures of Gaussians (Ganesh 2024).

Let a mechanism be μ-Gaussian private in its rows, and let each row be kept with probability q. Of a group of k steps, `gone`
rows are only in the one table and `come` only in the other, gone + come ≤ k. Then the output laws are no easier to distinguish than

    Σᵢ Bin(gone, q)(i) N(iμ, 1)      and      Σⱼ Bin(come, q)(j) N(−jμ, 1).

docs/rules/sample-poisson.md has the proof. All that is asked of the mechanism is that it is μ-Gaussian private: it may be
adaptive, and the rows may move it in any directions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar

from attrs import frozen

from duetpy.accounting.arrays import Array, np, special
from duetpy.accounting.losses.losses import Loss, by_chords, chords, mirrored
from duetpy.accounting.rounding import UNIT_ROUNDOFF, raised

LARGEST_GROUP = 32
"""Of larger groups the profile of every pair takes too long; they are priced as groups of any mechanism are."""

_LEAST = 1e-298
"""Weights below this are left out of tails: the powers that they are made of may have lost their digits."""

_UNSEEN = 1e-290
"""More than all that is left out: weights below `_LEAST`, and tails below the least double, which are not 0."""

_FAR = 39.0
"""Beyond so many standard deviations a Gaussian has less mass than the least double."""

_TURNS = 100
"""Of Newton's method and of halving; ten are the rule."""

_CLOSE = 1e-13
"""Two places so close together are as good as one."""

_FEW = 256
"""At so many places the pairs that are not the worst are evaluated."""

_NODES = 10
"""Over an interval on which a Gaussian density changes by a factor of e so many points are right to the last digits."""


@frozen(eq=False, repr=False)
class MixtureLoss(Loss):
    """`size` steps, each a row that goes or comes, of Gaussian noise of parameter μ on rows kept with probability `rate`.

    The largest profile of all pairs with gone + come = size, in both directions: what is composed may have pairs of its own.
    """

    size: int
    rate: float
    mu: float

    @property
    def rho(self) -> float:
        """The least ρ known with D_α ≤ ρα: D_α is jointly quasi-convex, and of two components, at most kμ apart, it is α(kμ)²/2."""
        return raised((self.size * self.mu) ** 2 / 2, 1e-14)

    def renyi(self, alpha: float) -> float:
        return raised(self.rho * alpha, 1e-15)

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        pairs = [(self.size - come, come) for come in range(self.size + 1)]
        return mirrored(eps, largest(pairs, self.rate, self.mu, np.abs(eps)))


@frozen(eq=False, repr=False)
class OneWayLoss(Loss):
    """The same where as many rows come in all that is composed, a number from `fewest` to `most`, and the others go."""

    size: int
    fewest: int
    most: int
    rate: float
    mu: float

    symmetric: ClassVar[bool] = False

    @property
    def rho(self) -> float:
        return MixtureLoss(self.size, self.rate, self.mu).rho

    def renyi(self, alpha: float) -> float:
        return raised(self.rho * alpha, 1e-15)

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        pairs = [(self.size - come, come) for come in range(self.fewest, self.most + 1)]
        back = [(come, gone) for gone, come in reversed(pairs)]
        ahead, behind = (back, pairs) if reverse else (pairs, back)
        found = np.empty_like(eps)
        for side, each in ((eps >= 0.0, ahead), (eps < 0.0, behind)):
            if side.any():
                found[side] = mirrored(eps[side], largest(each, self.rate, self.mu, np.abs(eps[side])))
        return found


def largest(pairs: Sequence[tuple[int, int]], rate: float, mu: float, eps: Array) -> Array:
    """The largest of the profiles of pairs (gone, come) at an array of ε ≥ 0.

    The first is computed everywhere; the others, which as far as anybody has seen are smaller, at few places if there are many.
    """

    def first(at: Array) -> Array:
        return hockey_stick(*pairs[0], rate, mu, at)

    def others(at: Array) -> Array:
        return np.asarray(np.maximum.reduce([hockey_stick(*pair, rate, mu, at) for pair in pairs[1:]]))

    if len(pairs) == 1:
        return by_chords(first, eps)
    few = chords(others, float(eps.min()), float(eps.max()), _FEW) if eps.size > 2 * _FEW else others
    return by_chords(lambda at: np.maximum(first(at), few(at)), eps)


@lru_cache(maxsize=1024)
def binomial(count: int, rate: float) -> tuple[float, ...]:
    """The probabilities of 0, …, count successes, each to within 2·count + 6 units; 0 for those next to nothing."""
    chances = [math.comb(count, i) * rate**i * (1.0 - rate) ** (count - i) for i in range(count + 1)]
    return tuple(chance if chance > _LEAST else 0.0 for chance in chances)


@lru_cache(maxsize=1024)
def log_binomial(count: int, rate: float) -> tuple[float, ...]:
    """Their logarithms, also of those too small for a double, each to within 4 units of its size and of log C(count, i)."""
    kept, lost = math.log(rate), math.log1p(-rate)
    return tuple(math.log(math.comb(count, i)) + i * kept + (count - i) * lost for i in range(count + 1))


def hockey_stick(gone: int, come: int, rate: float, mu: float, eps: Array) -> Array:
    """An upper bound on H_{e^ε}(Σ Bin(gone, q)(i) N(iμ, 1) ‖ Σ Bin(come, q)(j) N(−jμ, 1)) for an array of ε ≥ 0.

    The log ratio L of the densities increases, so that H_{e^ε} = P(z > c) − e^ε Q(z > c) at L(c) = ε. It falls as ε grows: at a c
    with L(c) ≤ ε, which is found up to rounding, P(z > c) − e^{L(c)} Q(z > c) is an upper bound.
    """
    pair = _Pair(gone, come, rate, mu)
    if gone == 0:
        # No loss is above that of no row drawn, −come·log(1 − q).
        limit = raised(-come * math.log1p(-rate), 1e-14)
        inside = eps < limit
        return np.where(inside, pair.sticks(np.minimum(eps, limit)), 0.0) if inside.any() else np.zeros_like(eps)
    return pair.sticks(eps)


class _Pair:
    """The two mixtures, at places z where the tests {z > c} begin."""

    def __init__(self, gone: int, come: int, rate: float, mu: float) -> None:
        self.shifts_gone, self.gone = mu * np.arange(gone + 1.0), np.array(binomial(gone, rate))
        self.shifts_come, self.come = mu * np.arange(come + 1.0), np.array(binomial(come, rate))
        self.logs_gone, self.logs_come = np.array(log_binomial(gone, rate)), np.array(log_binomial(come, rate))
        self.mu, self.steps = mu, gone + come
        self.unit = (4 * self.steps + 32) * UNIT_ROUNDOFF
        """Relative error of a sum over the components, of which the weights have errors too."""

    def sticks(self, eps: Array) -> Array:
        """P(z > c) − e^L Q(z > c) + a bound on its rounding, at a c for each ε that is surely not too far right."""
        with np.errstate(under="ignore", over="ignore"):
            place, loss = self._solved(eps)
            upper = np.minimum(self._by_tails(place, loss), self._by_differences(place, loss))
        return np.asarray(np.clip(upper, 0.0, 1.0) + _UNSEEN)

    def _solved(self, eps: Array) -> tuple[Array, Array]:
        """A place c for each ε, and a lower bound on L(c) there; L(c) ≤ ε, hardly less."""
        found = np.full_like(eps, -0.5 * self.mu * (len(self.come) + 1))  # here P is below Q at every z
        loss = self._losses(found)[0]
        rest = np.arange(len(eps))
        low, high = found, np.maximum(self._beyond(eps), found + self.mu)
        place = high
        for _ in range(_TURNS):
            wanted = eps[rest]
            lower, upper, slope = self._losses(place)
            fits = upper <= wanted
            found[rest[fits]], loss[rest[fits]] = place[fits], lower[fits]
            low, high = np.where(fits, place, low), np.where(fits, high, place)
            error = upper - lower
            close = np.where(fits, wanted - upper <= 2.0 * error, False) | (high - low <= _CLOSE * (abs(low) + self.mu))
            if close.all():
                break
            at = place - (upper + error - wanted) / np.maximum(slope, 1e-300)
            place = np.where((at > low) & (at < high), at, low + (high - low) / 2)
            rest, low, high, place = rest[~close], low[~close], high[~close], place[~close]
        return found, loss

    def _beyond(self, eps: Array) -> Array:
        """A place with L ≥ ε, or one beyond which there is no mass: L(c) ≥ log wᵢ + iμc − (iμ)²/2 for c ≥ 0."""
        best = np.full_like(eps, _FAR + float(self.shifts_gone[-1]))
        for log, shift in zip(self.logs_gone[1:], self.shifts_gone[1:], strict=True):
            best = np.minimum(best, (eps - log) / shift + shift / 2 + 1e-9)
        return np.asarray(np.minimum(best, _FAR + float(self.shifts_gone[-1])))

    def _losses(self, place: Array) -> tuple[Array, Array, Array]:
        """Bounds on L(c) from below and from above, and its slope."""
        above, slip, rise = self._log_density(self.gone, self.logs_gone, self.shifts_gone, place)
        below, other, fall = self._log_density(self.come, self.logs_come, -self.shifts_come, place)
        error = slip + other + 4 * UNIT_ROUNDOFF * (abs(above) + abs(below))
        loss = above - below
        return loss - error, loss + error, rise - fall

    def _log_density(self, weights: Array, logs: Array, shifts: Array, place: Array) -> tuple[Array, Array, Array]:
        """log Σ wᵢ e^{sᵢ} with sᵢ = hᵢc − hᵢ²/2 for the shifts hᵢ, a bound on its error, and its slope in c."""
        if len(weights) == 1:
            return np.zeros_like(place), np.zeros_like(place), np.zeros_like(place)
        exponents = shifts * place[:, None] - shifts * shifts / 2
        sizes = np.abs(shifts) * np.abs(place)[:, None] + shifts * shifts / 2
        heights = logs + exponents
        peak = heights.max(axis=1)
        parts = np.exp(heights - peak[:, None])  # one of them is 1, however small its weight
        total = parts.sum(axis=1)
        slope = (parts * shifts).sum(axis=1) / total
        found = peak + np.log(total)
        slip = self.unit * (1.0 + np.abs(peak) + (sizes + np.abs(logs)).max(axis=1)) + _UNSEEN
        near = np.flatnonzero(heights[:, 1:].max(axis=1) <= 0.0)
        if near.size:
            little, rounding = self._near(weights, logs, exponents[near], sizes[near])
            some = np.abs(little) <= 0.5
            found[near[some]], slip[near[some]] = np.log1p(little[some]), rounding[some]
        return found, slip, slope

    def _near(self, weights: Array, logs: Array, exponents: Array, sizes: Array) -> tuple[Array, Array]:
        """Σ wᵢ (e^{sᵢ} − 1), in which w₀ has no part, where that is little; and a bound on the error of log(1 + it) up to ½."""
        wide = exponents > 1.0
        grown = np.where(
            wide,
            np.exp(np.minimum(logs + exponents, 0.0)) - weights,
            weights * np.expm1(np.minimum(exponents, 1.0)),
        )
        error = np.abs(grown) + (np.abs(grown) + weights) * (sizes + np.where(wide, np.abs(logs), 0.0))
        return np.asarray(grown.sum(axis=1)), np.asarray(2.0 * self.unit * error.sum(axis=1) + _UNSEEN)

    def _by_tails(self, place: Array, loss: Array) -> Array:
        """P(z > c) − e^L Q(z > c) from the two tails."""
        tail: Array = special.ndtr(self.shifts_gone - place[:, None]) @ self.gone
        grown: Array = self._grown_tails(self.shifts_come + place[:, None], loss) @ self.come
        return tail - grown + self._rounding(place, loss) * (tail + grown)

    def _by_differences(self, place: Array, loss: Array) -> Array:
        """The same for small losses: from how much further than N(0, 1) each component reaches, where the tails would cancel."""
        further = self._reach(self.shifts_gone, place) @ self.gone
        shorter = self._reach(-self.shifts_come, place) @ self.come
        grown = np.expm1(np.clip(loss, -1.0, 1.0))
        middle = grown * special.ndtr(-place)
        terms = further - (1.0 + grown) * shorter - middle
        sizes = further - (1.0 + grown) * shorter + np.abs(middle)
        return np.where(np.abs(loss) <= 1.0, terms + self._rounding(place, loss) * sizes, np.inf)

    def _rounding(self, place: Array, loss: Array) -> Array:
        """A relative error of tails: of their arguments, of the exponentials in them, and of scipy's functions."""
        widest = np.abs(place) + self.mu * self.steps
        squares = np.minimum(widest, 2 * _FAR) * widest + np.abs(loss)
        return np.asarray(1e-13 + self.unit + 16 * UNIT_ROUNDOFF * squares)

    @staticmethod
    def _grown_tails(at: Array, loss: Array) -> Array:
        """e^L Φ(−y), for each y of a row; less where that would overflow."""
        far = np.maximum(at, 0.0)
        scaled = np.exp(np.minimum(loss[:, None] - far * far / 2, 700.0)) * special.erfcx(far / math.sqrt(2.0)) / 2.0
        return np.asarray(np.where(at > 0.0, scaled, np.exp(np.minimum(loss, 700.0))[:, None] * special.ndtr(-at)))

    @staticmethod
    def _reach(shifts: Array, place: Array) -> Array:
        """Φ(h − c) − Φ(−c) for each shift h: by Gauss and Legendre where the two are close, else from the smaller tails."""
        nodes, weights = _gauss_legendre()
        at, shift = place[:, None], shifts[None, :]
        near = np.abs(shift) * (np.abs(at) + np.abs(shift)) <= 1.0
        step = np.where(near, shift, 0.0)
        narrow = np.zeros(at.shape[:1] + shifts.shape)
        for node, weight in zip(nodes, weights, strict=True):
            middle = step * (1.0 + node) / 2 - at
            narrow += weight * np.exp(-0.5 * middle * middle)
        narrow = narrow * step / (2.0 * math.sqrt(2.0 * math.pi))
        right = at >= 0.0
        wide = np.where(
            right, special.ndtr(shift - at) - special.ndtr(-at), special.ndtr(at) - special.ndtr(at - shift)
        )
        return np.asarray(np.where(near, narrow, wide))


@lru_cache(maxsize=1)
def _gauss_legendre() -> tuple[Array, Array]:
    """The points and the weights of the rule; to find them takes longer than to use them."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights
