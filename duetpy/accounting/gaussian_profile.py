"""The Gaussian mechanism, exactly: its profile δ(ε; μ), the inverse in ε, and the calibration of the noise.

μ = Δ/σ is the sensitivity in units of the noise. The profile is (Balle & Wang 2018, Theorem 8; Dong, Roth & Su 2022,
Corollary 2.13)

    δ(ε; μ) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2).

With a = ε/μ − μ/2, b = ε/μ + μ/2 and the Mills ratio R(z) = Φ(−z)/φ(z), e^ε φ(b) = φ(a), so that

    δ = φ(a) (R(a) − R(b)) = φ(a) ∫_a^b S(z) dz,     S(z) = −R′(z) = 1 − z R(z) > 0,

which loses no digits in the tails: δ = 1e-300 is as accurate as δ = 0.1. Every function here rounds to the safe side:
a δ and an ε upwards, a calibrated μ downwards. Only the standard library is used.
"""

from __future__ import annotations

import math
from fractions import Fraction

from duetpy.accounting.rounding import UNIT_ROUNDOFF, float_down, raised

_ROOT_HALF_PI = math.sqrt(math.pi / 2)
_ROOT_TWO_PI = math.sqrt(2 * math.pi)
_ROOT_TWO = math.sqrt(2)

# Nodes and weights of the four-point Gauss–Legendre rule on [−1, 1] (Abramowitz & Stegun 1964, Table 25.4).
_NODES = (
    (-0.8611363115940526, 0.34785484513745385),
    (-0.33998104358485626, 0.6521451548625461),
    (0.33998104358485626, 0.6521451548625461),
    (0.8611363115940526, 0.34785484513745385),
)

# Below this ratio of μ to the distance of a from 0, R(a) − R(b) would cancel; the integral of S is used instead.
_NARROW = 0.01

# Above this μ the rounding of a is covered by a larger ε.
_WIDE = 1e6

# Relative error of δ beyond what the rounding of a and b causes; see `test_gaussian.py` for the comparison with 50 digits.
_PROFILE_ERROR = 2e-12


def density(z: float) -> float:
    """φ(z), the standard normal density."""
    return math.exp(-0.5 * z * z) / _ROOT_TWO_PI


def cdf(z: float) -> float:
    """Φ(z), the standard normal distribution function, accurate in both tails."""
    return 0.5 * math.erfc(-z / _ROOT_TWO)


def quantile(p: float) -> float:
    """Φ⁻¹(p) to a few units in the last place, for 0 < p < 1.

    Newton steps on log Φ from the tail bound √(2 log(1/p)); the smaller of p and 1 − p is inverted, so that pass the
    smaller tail (`quantile(1 - p)` has lost the digits already).
    """
    if not 0.0 < p < 1.0:
        raise ValueError(f"a quantile is asked for at {p}, outside (0, 1)")
    if p > 0.5:
        return -quantile(1.0 - p)
    return 0.0 if p == 0.5 else quantile_of_log(math.log(p))


_FAR = -1e9
"""Of a quantile below this the tail bound has all digits that a double holds."""


def quantile_of_log(target: float) -> float:
    """Φ⁻¹(e^target) for a target below log ½, also where e^target is below every double."""
    z = -math.sqrt(2.0) * math.sqrt(-target - math.log(2.0))
    if z < _FAR:
        return z
    for _ in range(60):
        ratio = mills(-z)
        # log Φ(z) = log R(−z) + log φ(z), and its derivative is 1/R(−z).
        error = math.log(ratio) - 0.5 * z * z - math.log(_ROOT_TWO_PI) - target
        step = error * ratio
        z -= step
        if abs(step) <= 4 * UNIT_ROUNDOFF * (1.0 + abs(z)):
            break
    return z


def _continued(z: float) -> float:
    """K(z) with R(z) = 1/(z + K(z)): Laplace's continued fraction, for z ≥ 2.

    The error after n terms falls like exp(−2 z √(2n)): below 1e-20 with the n used here.
    """
    terms = 20 + int(320.0 / (z * z))
    value = 0.0
    for n in range(terms, 0, -1):
        value = n / (z + value)
    return value


def mills(z: float) -> float:
    """R(z) = Φ(−z)/φ(z), for z > −37."""
    if z < 2.0:
        return _ROOT_HALF_PI * math.exp(0.5 * z * z) * math.erfc(z / _ROOT_TWO)
    return 1.0 / (z + _continued(z))


def _mills_slope(z: float) -> float:
    """S(z) = 1 − z R(z) = −R′(z), without cancellation."""
    if z < 2.0:
        return 1.0 - z * mills(z)
    tail = _continued(z)
    return tail / (z + tail)


def _profile(eps: float, mu: float) -> tuple[float, float]:
    """δ(ε; μ) for ε ≥ 0 < μ, and a bound on its relative error."""
    ratio = eps / mu
    a, b = ratio - mu / 2, ratio + mu / 2
    error = _PROFILE_ERROR + 16 * UNIT_ROUNDOFF * (1.0 + abs(a)) * b
    if mu > _WIDE:  # a has lost more digits than a relative error can cover: the profile of an ε that is not larger
        a -= 4 * UNIT_ROUNDOFF * b
        error = _PROFILE_ERROR + 16 * UNIT_ROUNDOFF * (1.0 + min(abs(a), 40.0)) ** 2
    if mu < _NARROW * max(1.0, a):
        half = mu / 2
        area = half * sum(weight * _mills_slope(ratio + half * node) for node, weight in _NODES)
        return density(a) * area, error
    if a >= 0.0:
        return density(a) * (mills(a) - mills(b)), error
    return cdf(-a) - density(a) * mills(b), error


def gaussian_delta(eps: float, mu: float) -> float:
    """The least δ for which a Gaussian mechanism of parameter μ is (ε, δ)-private, rounded up.

    Parameters
    ----------
    eps
        ε, any finite real; for a negative one, δ(ε) = 1 − e^ε + e^ε δ(−ε) by the symmetry of the pair.
    mu
        μ = Δ/σ ≥ 0.

    Returns
    -------
    float
        An upper bound on δ(ε; μ), within 1e-11 of it relatively for |ε|, μ ≤ 1000.

    Notes
    -----
    Balle & Wang 2018, Theorem 8.
    """
    if math.isnan(eps) or math.isnan(mu) or mu < 0.0:
        raise ValueError("the profile of a Gaussian mechanism takes a real ε and a μ ≥ 0")
    if mu == math.inf:
        return 1.0
    if eps < 0.0:
        return min(1.0, raised(-math.expm1(eps) + math.exp(eps) * gaussian_delta(-eps, mu), 1e-14))
    if mu == 0.0 or eps == math.inf:
        return 0.0
    if eps / mu - mu / 2 > 1e9:  # φ(a) underflows, and the true δ is below the least double
        return math.nextafter(0.0, 1.0)
    value, error = _profile(eps, mu)
    return min(1.0, raised(value, error))


def gaussian_epsilon(delta: float, mu: float) -> float:
    """The least ε ≥ 0 for which a Gaussian mechanism of parameter μ is (ε, δ)-private, rounded up.

    Parameters
    ----------
    delta
        0 ≤ δ ≤ 1.
    mu
        μ = Δ/σ ≥ 0.

    Returns
    -------
    float
        An ε with δ(ε; μ) ≤ δ; ∞ when δ = 0 < μ. The k-fold composition of a Gaussian mechanism is one of parameter
        √k·μ (Dong, Roth & Su 2022, Corollary 3.3), so this is the exact answer for any number of them.
    """
    if mu == 0.0 or delta >= 1.0:
        return 0.0
    if delta <= 0.0 or mu == math.inf:
        return math.inf
    if gaussian_delta(0.0, mu) <= delta:
        return 0.0
    low, high = 0.0, mu * mu / 2 + mu * math.sqrt(-2.0 * math.log(delta))  # Bun & Steinke 2016, Proposition 1.3
    while gaussian_delta(high, mu) > delta:  # that is a theorem of real numbers, and this one was rounded
        low, high = high, high * (1.0 + 1e-12)
    target = math.log(delta)
    eps = high
    for _ in range(80):
        value = gaussian_delta(eps, mu)
        if value > delta:
            low = eps
        else:
            high = eps
        if high - low <= 1e-13 * high:
            break
        # d log δ / dε = −φ(a) R(b) / δ; a step that leaves the bracket is replaced by its middle.
        a = eps / mu - mu / 2
        slope = density(a) * mills(a + mu) / value
        step = eps + (math.log(value) - target) / slope if slope > 0.0 else low
        # A Newton step that has all but converged is pushed across the root, so that the bracket closes from both sides.
        step += 1e-13 * high if value > delta else -1e-13 * high
        eps = step if low < step < high else (low + high) / 2
    return high


def calibrate_mu(eps: Fraction | float, delta: Fraction | float) -> float:
    """The largest μ for which a Gaussian mechanism is (ε, δ)-private, rounded down: the analytic calibration.

    Parameters
    ----------
    eps
        ε ≥ 0; a fraction is rounded down.
    delta
        0 < δ < 1; a fraction is rounded down.

    Returns
    -------
    float
        A μ with δ(ε; μ) ≤ δ, within 1e-11 of the largest relatively. The noise is σ = Δ/μ.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    Balle & Wang 2018, Algorithm 1, solved in μ. It holds for every ε; the classical σ = Δ√(2 log(1.25/δ))/ε is a theorem
    for ε < 1 only, and false from about ε = 8 on.
    """
    target_eps, target = float_down(eps), float_down(delta)
    if not 0.0 <= target_eps < math.inf or not 0.0 < target < 1.0:
        raise ValueError("the analytic calibration takes 0 ≤ ε < ∞ and 0 < δ < 1")
    low, high = 0.0, 1.0
    while gaussian_delta(target_eps, high) <= target:
        low, high = high, 2 * high
    while low == 0.0:
        half = high / 2
        if gaussian_delta(target_eps, half) <= target:
            low = half
        else:
            high = half
    mu = math.sqrt(low) * math.sqrt(high)  # the product may be no double
    for _ in range(80):
        value = gaussian_delta(target_eps, mu)
        if value <= target:
            low = mu
        else:
            high = mu
        if high - low <= 1e-13 * high:
            break
        # ∂δ/∂μ = φ(a), so that d log δ / d log μ = μ φ(a)/δ.
        slope = mu * density(target_eps / mu - mu / 2) / value
        step = mu * math.exp((math.log(target) - math.log(value)) / slope) if slope > 0.0 else low
        step *= 1.0 + 1e-13 if value <= target else 1.0 - 1e-13
        mu = step if low < step < high else math.sqrt(low) * math.sqrt(high)
    return low


def pure_mu(eps: float) -> float:
    """The least μ for which every ε-private mechanism is μ-Gaussian private: 2Φ⁻¹(e^ε/(1+e^ε)), rounded up.

    The trade-off function of randomized response at ε has its one corner at (1/(1+e^ε), 1/(1+e^ε)); the convex G_μ
    through (0, 1), that corner and (1, 0) lies below its chords.
    """
    return _symmetric_mu(eps, math.tanh(eps / 2), -eps - math.log1p(math.exp(-eps)))


def laplace_mu(eps: float) -> float:
    """The least μ for which the Laplace mechanism of scale Δ/ε is μ-Gaussian private: 2Φ⁻¹(1 − e^{−ε/2}/2), rounded up.

    Both profiles have the value 1 − e^{−ε/2} at 0 and, by symmetry, the same slope there. For x > 0 the Gaussian profile
    falls more slowly: with t = x/μ, d/dt [e^{μt/2} Φ(−t−μ/2)] ≤ 0 by the bound R(z) ≤ 1/z at z = t + μ/2 ≥ μ/2, so
    e^x Φ(−x/μ−μ/2) ≤ e^{x/2} Φ(−μ/2) = e^{(x−ε)/2}/2, which is the slope of 1 − e^{(x−ε)/2}.
    """
    return _symmetric_mu(eps, -math.expm1(-eps / 2), -eps / 2 - math.log(2.0))


def _symmetric_mu(eps: float, variation: float, log_tail: float) -> float:
    """The μ with total variation 2Φ(μ/2) − 1 = `variation`, of which log Φ(−μ/2) = `log_tail`, rounded up; 2ε for the least ε."""
    if eps == math.inf:
        return math.inf
    if eps <= 1e-300:
        return 0.0 if eps == 0.0 else raised(2 * eps, 0.0)
    if variation > 0.5:
        return raised(-2.0 * quantile_of_log(log_tail), 1e-12)
    # 2Φ(h) − 1 = erf(h/√2): solved in h directly, so that a small variation keeps its digits.
    h = variation * _ROOT_HALF_PI
    for _ in range(60):
        step = (math.erf(h / _ROOT_TWO) - variation) / (2.0 * density(h))
        h -= step
        if abs(step) <= 2 * UNIT_ROUNDOFF * h:
            break
    return raised(2.0 * h, 1e-12)
