"""The privacy loss distribution of a composition, as a certified upper bound on its profile.

Every loss is put on a grid (`duetpy.accounting.pld.grid`), and the masses are convolved by Fourier transforms. The bound survives
rounding because every step errs to one side:

* the masses on the grid dominate the loss;
* before a Fourier transform the masses are tilted by e^{λℓ} towards the answer, so that an error is small relative to the
  masses that matter; a bound on the error of the transforms (Higham 2002, Theorem 24.2) is added to every cell;
* mass that falls off the window to the right is bounded by Chernoff's inequality and put at +∞; what falls off to the left
  counts for nothing at an ε in the window, and is bounded by its tilt at a smaller ε, or where a Gaussian is still to be added.

Gaussian factors never enter the grid: they compose to one Gaussian, and δ(ε) = Σ_j P_j δ_G(ε − ℓ_j).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from duetpy.accounting.arrays import Array
from duetpy.accounting.losses.losses import PROFILE_ERROR, Loss, gaussian_profile
from duetpy.accounting.pld.grid import common_measure, discretize, reach, rounded_step
from duetpy.accounting.pld.tilt import LOST, NEGLIGIBLE, Moments, Part, Parts, Window, chernoff, choose_tilt, least
from duetpy.accounting.rounding import UNIT_ROUNDOFF
from duetpy.by_value import ByValue, Shown

Spectrum: TypeAlias = NDArray[np.complex128]

MAX_CELLS = 1 << 20
"""The longest transform; a wider window is covered by a coarser grid."""

_TRANSFORM_CONSTANT = 16.0
"""Higham 2002, Theorem 24.2 has 6.7 for radix two and exact-to-rounding twiddles; mixed radices are within twice that."""

_FAR = 40.0
"""Beyond so many standard deviations a Gaussian has less mass than the least double; e^−40 is less than a last bit of 1."""

_WIDEST = 1e4
"""A loss above this is beyond what exponentials of doubles hold with room to spare."""

_FINEST, _FEW = 1 << 15, 8
"""How many steps of a grid that holds the corners of all profiles may span one loss, of so few; of more losses, fewer."""


@frozen(eq=False, repr=False)
class Distribution(Shown):
    """The loss of a composition on a grid, in one direction; every mass is an upper bound.

    Parameters
    ----------
    step, first, logs
        Logarithms of the masses at (first + i)·step.
    infinite
        The mass at +∞.
    mu
        Where positive, an independent Gaussian loss of this parameter is still to be added.
    tilt, error
        e^{error − tilt·ℓ} of the mass at ℓ is there for the error of the transforms only.
    left
        Logarithm of more than the total of m e^{tilt·ℓ} over the masses m that fell off to the left.
    """

    step: float
    first: int
    logs: Array
    infinite: float
    mu: float = 0.0
    tilt: float = 0.0
    error: float = -math.inf
    left: float = -math.inf

    def positions(self) -> Array:
        return np.asarray((self.first + np.arange(len(self.logs))) * self.step, dtype=np.float64)

    def _counted(self, eps: float) -> int:
        """The first place whose mass may count towards δ(ε): without Gaussian, what lies two cells below ε has weight 0."""
        if self.mu > 0.0:
            return 0
        widest = self.step * max(abs(self.first), abs(self.first + len(self.logs)))
        below = eps - 8 * UNIT_ROUNDOFF * (abs(eps) + widest)
        return min(max(0, math.floor(below / self.step) - self.first - 2), len(self.logs) - 1)

    def _weights(self, eps: float, start: int) -> Array:
        """How much of the mass in each place from `start` on counts towards δ(ε)."""
        at = np.asarray((self.first + np.arange(start, len(self.logs))) * self.step, dtype=np.float64)
        # The rounding of positions is covered by asking for a slightly smaller ε.
        gap = eps - at - 4 * UNIT_ROUNDOFF * (abs(eps) + np.abs(at))
        if self.mu == 0.0:
            return np.asarray(-np.expm1(np.minimum(gap, 0.0)))
        # What lies far below ε is lifted above it with a chance that no double holds; what lies far above it counts in full.
        reach = self.mu * (_FAR + self.mu / 2)
        begin, end = np.searchsorted(-gap, (-reach, _FAR))
        weights = np.ones_like(gap)
        weights[:begin] = 0.0
        weights[begin:end] = gaussian_profile(gap[begin:end], self.mu) * (1.0 + PROFILE_ERROR)
        return weights

    def masses(self) -> Array:
        """The masses themselves."""
        return np.asarray(np.exp(np.minimum(self.logs, 0.0)))

    def delta(self, eps: float) -> float:
        """An upper bound on δ(ε)."""
        return self._delta(eps, self.masses())

    def _delta(self, eps: float, masses: Array) -> float:
        start = self._counted(eps)
        total = float(np.add.reduce(masses[start:] * self._weights(eps, start)))
        # 1e-9 covers the sum of up to 2^20 terms
        return min(1.0, self.infinite + self._of_left(eps) + total * (1.0 + 1e-9))

    def _of_left(self, eps: float) -> float:
        """More than what fell off to the left adds to δ(ε): (1 − e^{ε − ℓ})₊ ≤ e^{λ(ℓ − ε)}, also in the mean over a Gaussian, of
        which no more is added than all mass at the left end would add."""
        if self.left == -math.inf or (self.mu == 0.0 and eps >= self.first * self.step):
            return 0.0
        gaussian = (self.tilt * self.mu) * ((self.tilt + 1.0) * self.mu) / 2
        by_tilt = math.exp(min(self.left + gaussian - self.tilt * eps, 0.0))
        if self.mu == 0.0:
            return by_tilt
        gap = np.array([eps - self.first * self.step])
        return min(by_tilt, float(gaussian_profile(gap, self.mu)[0]) * (1.0 + PROFILE_ERROR))

    def noise(self, eps: float) -> float:
        """How much of `delta` is there for errors only."""
        start = self._counted(eps)
        logs = np.minimum(self.error - self.tilt * self.positions()[start:], 0.0)
        return float(np.add.reduce(np.exp(logs) * self._weights(eps, start))) + self._of_left(eps)

    def is_clear(self, eps: float) -> bool:
        """Whether an ε that was found is next to the least: of δ next below it, which is too much, errors are a tiny share."""
        below = eps * (1.0 - 2e-9)
        return eps == 0.0 or self.noise(below) <= _NOISE * self.delta(below)

    def epsilon(self, delta: float) -> float:
        """An ε ≥ 0 with δ(ε) ≤ δ: the least one up to a share 1e-9; ∞ if there is no such ε."""
        if self.infinite >= delta:
            return math.inf
        masses = self.masses()
        return least(lambda eps: self._delta(eps, masses), delta, self._bracket(delta, masses))

    def _bracket(self, delta: float, masses: Array) -> tuple[float, float]:
        """Two ε ≥ 0 between which δ(ε) falls to δ, as far as the grid tells; the search repairs a wrong guess.

        Without Gaussian, they are less than a share 1e-9 apart. Next below a place x of the grid, with the masses m and the
        shrunk masses m e^{x − ℓ} from x on, δ(ε) = δ(∞) + Σm − e^{ε − x} Σ m e^{x − ℓ}, which is solved for ε.
        """
        at = self.positions()
        if self.mu > 0.0:
            return 0.0, max(float(at[-1]) + self.mu * (self.mu + 1.0), 1e-9 * self.step)
        begin = min(max(0, -self.first), len(at) - 1)
        at, mass = at[begin:], masses[begin:]
        beyond = np.cumsum(mass[::-1])[::-1]
        shrunk = np.cumsum((mass * np.exp(-np.minimum(at, 700.0)))[::-1])[::-1]
        enough = np.flatnonzero(self.infinite + beyond - np.exp(np.minimum(at, 700.0)) * shrunk <= delta)
        index = int(enough[0]) if len(enough) else len(at) - 1
        place = float(at[index])
        own = float(np.add.reduce(mass[index:] * np.exp(np.maximum(place - at[index:], -700.0)))) * (1.0 + 1e-9)
        over = self.infinite + float(beyond[index]) * (1.0 + 1e-9) - delta
        guess = place + math.log(over / own) if over > 0.0 and own > 0.0 else place
        lowest = max(0.0, place - self.step)
        guess = min(max(guess, lowest), max(place, lowest))
        return guess * (1.0 - 9e-10), max(1e-9 * self.step, guess * (1.0 + 5e-11))


def on_grid(distribution: Distribution) -> Array:
    """δ at every grid point, up to rounding: H_k = Σ_{m > k} e^{−(m−k−1)h} (1 − e^{−h}) T_m with T the tails of the mass.

    In the longest floats of the machine: whoever composes the result many times divides its noise by the step.
    """
    step = distribution.step
    mass = np.exp(np.minimum(distribution.logs, 0.0)).astype(np.longdouble)
    tails = np.cumsum(mass[::-1])[::-1]
    values = np.empty(len(mass), dtype=np.longdouble)
    behind, block = np.longdouble(0.0), max(1, int(200.0 / step))  # by blocks, so that no exponential overflows
    for end in range(len(mass), 0, -block):
        begin = max(0, end - block)
        following = np.append(tails[begin + 1 : end], tails[end] if end < len(mass) else 0.0)
        decay = np.exp(-np.longdouble(step) * np.arange(end - begin))
        sums = np.cumsum((following * decay)[::-1])[::-1] / decay
        values[begin:end] = -np.expm1(-np.longdouble(step)) * sums + behind * decay[::-1] * np.exp(-np.longdouble(step))
        behind = values[begin]
    return np.asarray(np.minimum(values * (1.0 + 1e-9) + distribution.infinite, 1.0), dtype=np.float64)


def compose(parts: Parts, step: float, tilt: float, window: Window) -> Distribution:
    """The composition of all parts in a window, exact up to bounds that are added."""
    from scipy import fft

    kept = sum(part.count * math.log1p(-min(part.masses.infinite, 1.0 - 2.0**-53)) for part in parts.each)
    infinite = -math.expm1(kept) * (1.0 + 1e-12)
    if len(parts.each) == 1 and parts.each[0].count == 1:
        masses = parts.each[0].masses
        with np.errstate(divide="ignore"):
            return Distribution(step, masses.first, np.log(masses.mass), infinite)
    size = int(fft.next_fast_len(window.size, real=True))
    spectrum, error, log_total, shift = _product(parts, step, tilt, size)
    result = np.asarray(fft.irfft(spectrum, size))
    error += 2.0 * _transform_error(size) * _norm(result)
    values = np.maximum(result, 0.0) + error
    # Entry j of the circular result is the mass at shift + j + t·size for the t that puts it into the window.
    values = np.roll(values, shift - window.first)
    places = (window.first + np.arange(size)) * step
    exponent = log_total - tilt * places
    logs = np.log(values) + exponent + 8 * UNIT_ROUNDOFF * (abs(log_total) + abs(tilt) * np.abs(places) + 1.0)
    lowest = sum(part.count * part.masses.first for part in parts.each)
    left = log_total + NEGLIGIBLE + 1e-3 if window.first > lowest else -math.inf
    error = log_total + math.log(max(error, 1e-300))
    return Distribution(step, window.first, logs, infinite + window.lost, tilt=tilt, error=error, left=left)


def _transform_error(size: int) -> float:
    """A bound on ‖error‖₂/‖result‖₂ of a transform of this size."""
    return _TRANSFORM_CONSTANT * UNIT_ROUNDOFF * max(1.0, math.log2(size))


def _norm(values: Array) -> float:
    """‖values‖₂, up to a share 1e-9. The linear algebra of numpy would wait for threads that another program keeps busy."""
    return math.sqrt(float(np.add.reduce(values * values))) * (1.0 + 1e-9)


_NOTHING = math.log(1e-40)
"""Log of the modulus below which a frequency of the composition is left out."""


def _product(parts: Parts, step: float, tilt: float, size: int) -> tuple[Spectrum, float, float, int]:
    """The spectrum of the tilted composition; a bound on the error it causes in a cell; log of the total; first index.

    With zᵢ the spectrum of part i, nᵢ its count and eᵢ the error of its transform, ‖eᵢ‖₂ ≤ Eᵢ, the product is off by at most
    Σᵢ nᵢ |eᵢ| Πⱼ(|zⱼ| + Eⱼ)^{nⱼ}/(|zᵢ| + Eᵢ) at each frequency, and a cell by the mean of that over the frequencies, which
    the Cauchy–Schwarz inequality bounds by the norms. Frequencies at which the product is nothing are left out as soon as
    that is seen: of a long composition few are left.
    """
    from scipy import fft

    half = size // 2 + 1
    alive = np.arange(half)
    product, log_bound = np.ones(half, dtype=np.complex128), np.zeros(half)
    log_total, shift, powers, growth = 0.0, 0, 0, 0.0
    errors: list[tuple[float, Array]] = []
    for part in parts.each:
        log_moment = part.moments.log_moment(tilt)
        places = (part.masses.first + np.arange(len(part.masses.mass))) * step
        with np.errstate(divide="ignore"):
            tilted = np.exp(np.log(part.masses.mass) + tilt * places - log_moment)
        # The rounding of the exponents adds up to |λℓ| + |K| units.
        tilted *= 1.0 + 1e-13 + 8 * UNIT_ROUNDOFF * (abs(tilt) * np.abs(places) + abs(log_moment))
        folded = np.zeros(size)
        for start in range(0, len(tilted), size):
            piece = tilted[start : start + size]
            folded[: len(piece)] += piece
        spectrum = np.asarray(fft.rfft(folded))
        error = _transform_error(size) * math.sqrt(size) * _norm(folded)
        bound = np.log(np.abs(spectrum) + error)
        errors.append((part.count * error, bound))
        log_bound += part.count * bound
        growth += part.count * max(float(bound.max()), 0.0)
        some = log_bound[alive] > _NOTHING
        alive = alive[some]
        product = product[some] * _power(spectrum[alive], part.count)
        log_total += part.count * log_moment
        shift += part.count * part.masses.first
        powers += part.count
    whole = np.zeros(half, dtype=np.complex128)
    whole[alive] = product
    with np.errstate(over="ignore"):
        left = log_bound[alive]
        spread = sum(scaled * _norm(np.exp(left - own[alive])) for scaled, own in errors)
        # Half a spectrum stands for the whole: twice the sum, √2 times the norm. The second term is the rounding of powers:
        # less than √5 units for a product of complex numbers (Brent, Percival & Zimmermann 2007). The third is what was left
        # out, and can have grown by the parts that came after.
        error = math.sqrt(2.0) * spread / size + 64 * UNIT_ROUNDOFF * powers * float(np.exp(left).sum()) / size
        error += math.exp(_NOTHING + min(growth, 700.0))
    return whole, error * (1.0 + 1e-6), log_total, shift


def _power(base: Spectrum, exponent: int) -> Spectrum:
    """The powers of an array, by squaring."""
    found = np.ones_like(base)
    while exponent:
        if exponent & 1:
            found = found * base
        exponent >>= 1
        if exponent:
            base = base * base
    return found


def _tabulated(distribution: Distribution) -> Callable[[Array], Array]:
    """The profile of a distribution as a function: on its grid by suffix sums, between by lines in e^ε, which is exact."""
    step = distribution.step
    places = distribution.positions()
    values, widest = on_grid(distribution), np.abs(places).max()
    following = np.append(values[1:], distribution.infinite)

    def profile(eps: Array) -> Array:
        at = eps - 4 * UNIT_ROUNDOFF * (np.abs(eps) + widest)
        index = np.clip(np.floor((at - places[0]) / step), 0.0, len(places) - 1.0).astype(np.int64)
        # (e^x − 1)/(e^h − 1) for the x ≤ h beyond the place, by exponentials of what is not positive: a wide h overflows none.
        beyond = np.clip(at - places[index], 0.0, step)
        share = np.exp(beyond - step) * np.expm1(-beyond) / math.expm1(-step) * (1.0 - 1e-12)
        inside = values[index] + share * (following[index] - values[index])
        # Left of the grid: the chord from H = 1 at e^ε = 0, above a convex function.
        left = 1.0 - np.exp(np.minimum(at - places[0], 0.0)) * (1.0 - values[0])
        return np.asarray(np.where(at < places[0], left, inside))

    return profile


Composition: TypeAlias = Sequence[tuple[Loss, int]]


@frozen(eq=False, repr=False)
class Answer(ByValue):
    """An ε that is certified at a δ.

    `grid_error` estimates by how much the grid, not the mechanisms, raised it. `exact` says that the grid holds every loss
    as it is, and that δ is far above the error of the transforms: no less is true but for rounding.
    """

    epsilon: float
    grid_error: float
    exact: bool


@contextmanager
def _refusing() -> Iterator[None]:
    """Where what is not a number comes up, it is a `FloatingPointError` and no mass: what a comparison with it leaves out would
    be missing in a bound."""
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="raise"):
        yield


def discretized(losses: Composition, step: float, tail: float, reverse: bool) -> Parts:
    """Every loss on the grid; raises `FloatingPointError` where one has no mass there, or none that is a number."""
    parts = []
    for loss, count in losses:
        masses = discretize(loss, step, tail, reverse)
        if not (np.isfinite(masses.mass).all() and masses.mass.any()):
            raise FloatingPointError("a loss has no place on the grid")
        parts.append(Part(masses, count, Moments.of(masses, step)))
    return Parts.of(parts)


def _steps(losses: Composition, mu: float, delta: float, tail: float, tolerance: float) -> tuple[list[float], bool]:
    """Steps of the grid, the last of which answers within the tolerance, and whether it holds every loss exactly.

    A coarser step before it measures the error.
    """
    widest = max(reach(loss, tail, reverse) for loss, _ in losses for reverse in (False, True))
    anchors = sorted({loss.anchor for loss, _ in losses if loss.anchor is not None})
    measure = common_measure(anchors)
    if measure is not None and widest / measure * len(losses) > _FINEST * _FEW:
        measure = None
    if measure is not None and all(loss.atomic for loss, _ in losses):
        return [rounded_step(anchors, measure, math.inf)], True
    coarse = rounded_step(anchors, measure, widest / 64)
    steepest, answer = chernoff(discretized(losses, coarse, tail, False), mu, delta)
    # A cell splits its mass to its ends, which adds at most h²/6 on average to the variance V of the loss; log E e^{λL}
    # grows by λ(λ+1)/2 times that, and ε by its 1/λ.
    count = sum(count for loss, count in losses if not loss.atomic or measure is None)
    square = 12.0 * tolerance * max(answer, 1e-3 * min(widest, 1.0)) / max(count, 1)
    # Of small losses the quotient itself may be no double.
    wanted = math.sqrt(square) / math.sqrt(steepest + 1.0)
    step = rounded_step(anchors, measure, max(min(wanted, widest / 64), 4 * widest / MAX_CELLS))
    return [rounded_step(anchors, measure, 2 * step), step] if 2 * step < widest else [step], False


def certify(losses: Composition, mu: float, delta: float, tolerance: float = 5e-6) -> Answer | None:
    """An ε for which the composition of the losses and of a Gaussian of parameter μ is (ε, δ)-private.

    Parameters
    ----------
    losses
        Losses with a profile, with their numbers of copies; at least one.
    mu
        The Gaussian parameter of all Gaussian factors together, √Σμ²; 0 for none.
    delta
        0 < δ < 1.
    tolerance
        The share of ε that the grid may add.

    Returns
    -------
    Answer or None
        ε is an upper bound whatever the tolerance. None where the losses are too wide for any grid, or too wide or too narrow for
        doubles.
    """
    try:
        with _refusing():
            return _certified(losses, mu, delta, tolerance)
    except ArithmeticError:
        return None


def _cut_off(losses: Composition, delta: float) -> float:
    """The mass that may be cut off each loss; raises `FloatingPointError` where they are too wide for any grid, or for doubles."""
    tail = LOST * delta / sum(count for _, count in losses)
    if tail < 1e-290 or max(reach(loss, tail, reverse) for loss, _ in losses for reverse in (False, True)) > _WIDEST:
        raise FloatingPointError("no grid is wide enough")
    return tail


def _certified(losses: Composition, mu: float, delta: float, tolerance: float) -> Answer:
    tail = _cut_off(losses, delta)
    both = (False, True) if any(not loss.symmetric for loss, _ in losses) else (False,)
    steps, exact = _steps(losses, mu, delta, tail, tolerance)
    solved = {reverse: _solved(losses, steps[-1], mu, delta, tail, reverse) for reverse in both}
    worst = max(both, key=lambda reverse: solved[reverse][0])
    best, found = solved[worst]
    if len(steps) == 1 and found.step == steps[0]:
        return Answer(best, 0.0, exact and best < math.inf and found.is_clear(best))
    # The coarser grid is asked in the direction that decides; the other one is, should that have helped.
    wider = max(steps[0], 2.0 * found.step)
    try:
        coarse = _solved(losses, wider, mu, delta, tail, worst)[0]
    except FloatingPointError:  # how much the grid adds is not known
        return Answer(best, best, False)
    error = abs(coarse - best)
    if coarse < best:
        best = min(best, max([coarse, *(_solved(losses, wider, mu, delta, tail, not worst)[0] for _ in both[1:])]))
    return Answer(best, error, False)


_EASED = tuple(4.0**-turn for turn in range(6))
"""Shares of Chernoff's tilt to try: it is too steep where ε lies far below Chernoff's bound. Without a tilt, the errors of the
transforms are a share of all mass, and the whole profile is as accurate."""

_DOUBLINGS = 24
"""How often a step is doubled in search of a grid that is not too large."""

_NOISE = 1e-5
"""Share of δ that the error of the transforms may take before another tilt is tried."""


def _solved(
    losses: Composition, step: float, mu: float, delta: float, tail: float, reverse: bool, level: bool = False
) -> tuple[float, Distribution]:
    """The least ε at δ in one direction over a few tilts, or at none (`level`), and the distribution that gave it.

    A step for which the window has too many cells is doubled. Of very many copies each of which moves by a cell or more, no
    step is wide enough: then a `FloatingPointError` is raised.
    """
    for _ in range(_DOUBLINGS):
        found = _solved_at(losses, step, mu, delta, tail, reverse, level)
        if found is not None:
            return found
        step *= 2
    raise FloatingPointError("no grid is wide enough")


def _solved_at(
    losses: Composition, step: float, mu: float, delta: float, tail: float, reverse: bool, level: bool
) -> tuple[float, Distribution] | None:
    """The same on one grid; None where it would have too many cells."""
    parts = discretized(losses, step, tail, reverse)
    best: tuple[float, Distribution] | None = None
    for share in (0.0,) if level else _EASED:
        tilt, window = choose_tilt(parts, mu, delta, step, share)
        if max(window.size, *(len(part.masses.mass) for part in parts.each)) > MAX_CELLS:
            if best is not None:
                break
            return None
        found = evolve(compose(parts, step, tilt, window), mu=mu)
        eps = found.epsilon(delta)
        inside = eps < float(found.positions()[-1]) + found.mu
        stalled = inside and best is not None and eps > best[0] * (1.0 - 1e-3)
        if best is None or eps < best[0]:
            best = (eps, found)
        settled = found.error == -math.inf or found.infinite >= delta or (inside and found.is_clear(eps))
        if settled or stalled:
            break
    return best


def distribution(
    losses: Composition, mu: float, delta: float, reverse: bool = False, tolerance: float = 1e-5, level: bool = False
) -> Distribution:
    """The composition of losses and of a Gaussian in one direction, most accurate where δ(ε) is near δ."""
    tail = _cut_off(losses, delta)
    step = _steps(losses, mu, delta, tail, tolerance)[0][-1]
    return _solved(losses, step, mu, delta, tail, reverse, level)[1]


def table(losses: Composition, delta: float, reverse: bool, *, level: bool = False) -> Callable[[Array], Array]:
    """The profile of a composition in one direction as a function, most accurate where it is near δ or, `level`, above.

    Raises
    ------
    ArithmeticError
        The losses are too wide for any grid, or too wide or too narrow for doubles.
    """
    with _refusing():
        return _tabulated(distribution(losses, 0.0, delta, reverse, 1e-6, level))
