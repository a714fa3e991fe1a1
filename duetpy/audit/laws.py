"""The exact laws that mechanisms must have, and the noise that they need, from the theorems alone.

Nothing here is shared with the code that calibrates and draws. Probabilities of choices are sums and quadratures in doubles.

* Laplace: scale s/ε. Gaussian: s/√2ρ in zCDP and tCDP, s√(α/2ε) in Rényi, s/μ in GDP, s/θ in Rao; for (ε, δ) the least σ
  whose privacy curve Φ(s/2σ − εσ/s) − e^ε Φ(−s/2σ − εσ/s) is at most δ (Balle and Wang 2018, Theorem 8).
* Generalized Gaussian noise: s/r for a shift by r scales; in Rao s√(NΓ(2 − 1/N)/Γ(1 + 1/N))/θ, the root of the Fisher
  information of the density ∝ exp(−|z|^N).
* Canonical noise: s, and G₁ − G₂ + U between its quantiles (Awan and Slavković 2018).
* Noisy descent: ησ in every step. Where rows are zeros a step is θ ↦ (1 − ηλ)θ, so that T of them from 0 end at a normal
  variable of variance η²σ²Σ(1 − ηλ)^2t.
* exponential: weights e^{λu}, λ = ε/2s (McSherry and Talwar 2007). noisy-max: the largest λu + exponential noise.
* AboveThreshold: Lap(2/ε) on the threshold, Lap(4/ε) on each query (Dwork and Roth 2014, Algorithm 1).
* Randomised response: e^ε/(e^ε + k − 1) for the truth (Warner 1965).
* key-counts: weights e^{−ε|z|} for |z| ≤ t; of n + z what is above t.
* key-gauss: weights e^{−z²/2σ²}; of n + z what is at least T.
* keys: the closed form of the optimal selection (Desfontaines, Voss, Gipson and Mandayam 2022, Theorem 2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import KindVar

Doubles = NDArray[np.float64]
Values = Mapping[KindVar, Fraction]


def needed_scale(atom: Atom, sensitivity: Fraction, values: Values) -> float | None:
    """The least scale of noise under which the atom's price is true; None where no closed form is known here."""
    numbers = [float(param.evaluate_float(values)) for param in atom.params]
    s = float(sensitivity)
    match atom.mechanism, atom.calibration:
        case (("laplace" | "dlaplace"), _):
            return s / numbers[-1]
        case (("gauss" | "dgauss"), Notion.ZCDP | Notion.TCDP):
            return s / math.sqrt(2 * numbers[0])
        case (("gauss" | "dgauss"), Notion.RENYI):
            return s * math.sqrt(numbers[0] / (2 * numbers[1]))
        case ("gauss", Notion.GDP | Notion.RAO):
            return s / numbers[0]
        case ("gauss", Notion.APPROX):
            return s / largest_shift(numbers[0], numbers[1])
        case "dgauss", Notion.APPROX:
            return least_discrete(numbers[0], numbers[1], max(1, math.floor(s)))
        case "ggauss", Notion.RAO:
            power = numbers[0]
            logarithm = math.log(power) + float(special.gammaln(2 - 1 / power) - special.gammaln(1 + 1 / power))
            return s * math.exp(logarithm / 2) / numbers[1]
        case "ggauss", _:
            return s / numbers[1]
        case "canonical", _:
            return s
        case _:
            return None


def largest_shift(epsilon: float, delta: float) -> float:
    """The largest μ at which a normal variable and its shift by μσ are (ε, δ)-indistinguishable."""
    low, high = 0.0, 1.0
    while gaussian_delta(epsilon, high) <= delta:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if gaussian_delta(epsilon, middle) <= delta:
            low = middle
        else:
            high = middle
    return low


def least_discrete(epsilon: float, delta: float, steps: int) -> float | None:
    """The least σ of discrete Gaussian noise under which a whole number that moves by so many steps is (ε, δ)-private; None
    where that is too wide to be summed."""
    low, high = 0.0, steps / largest_shift(epsilon, delta) * 1.5 + 1.0
    if high > WIDEST or discrete_delta(epsilon, high, steps) > delta:
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if discrete_delta(epsilon, middle, steps) <= delta else (middle, high)
    return high * (1 - 1e-6)


WIDEST = 10_000


def discrete_delta(epsilon: float, sigma: float, steps: int) -> float:
    """δ at ε of discrete Gaussian noise whose value moves: Σ max(0, P(x) − e^ε P(x − steps))."""
    reach = math.ceil(40 * sigma) + steps + 1
    exponents = -(np.arange(-reach, reach + 1.0) ** 2) / (2 * max(sigma, 1e-9) ** 2)
    weights = np.exp(exponents) / np.exp(exponents).sum()
    moved = np.concatenate([np.zeros(steps), weights[:-steps]])
    return float(np.maximum(0.0, weights - math.exp(min(epsilon, 700.0)) * moved).sum())


def gaussian_delta(epsilon: float, shift: float) -> float:
    first = float(special.ndtr(shift / 2 - epsilon / shift))
    second = math.exp(min(700.0, epsilon + float(special.log_ndtr(-shift / 2 - epsilon / shift))))
    return first - second


# ---------------------------------------------------------------------------------------------------------------------
# Noise at scale 1


def laplace_below(values: Doubles) -> Doubles:
    tail = np.exp(-np.abs(values)) / 2
    return np.asarray(np.where(values < 0, tail, 1 - tail))


def gaussian_below(values: Doubles) -> Doubles:
    return np.asarray(special.ndtr(values))


def canonical_below(values: Doubles, epsilon: float, delta: float) -> Doubles:
    """Canonical noise: P(N₀ > m + v) = (1 − b)/(1 + b)⋅b^m⋅(½ − v + b/(1 − b)) for |v| ≤ ½, less what is cut off on each side."""
    ratio, cut = math.exp(-epsilon), cut_off(epsilon, delta)
    sizes = np.abs(values)
    nearest = np.rint(sizes)
    tail = (1 - ratio) / (1 + ratio) * ratio**nearest * (0.5 - (sizes - nearest) + ratio / (1 - ratio))
    kept = (tail - cut / 2) / (1 - cut)
    return np.asarray(np.where(values < 0, kept, 1 - kept))


def cut_off(epsilon: float, delta: float) -> float:
    """How much of G₁ − G₂ + U lies beyond the quantiles of canonical noise, on both sides together."""
    ratio = math.exp(-epsilon)
    return 2 * delta * ratio / (1 - ratio + 2 * delta * ratio)


def descended(length: float, weakening: float, turns: int) -> float:
    """The standard deviation of the last model in units of that of a step's noise, where all rows are zeros."""
    kept = (1 - length * weakening) ** 2
    return math.sqrt(sum(kept**turn for turn in range(turns)))


def discrete_laplace(scale: float, reach: int) -> Doubles:
    """The probabilities of −reach … reach, the ends with all that lies beyond."""
    ratio = math.exp(-1 / scale)
    inner: Doubles = (1 - ratio) / (1 + ratio) * ratio ** np.abs(np.arange(-reach, reach + 1.0))
    inner[[0, -1]] /= 1 - ratio
    return inner


def discrete_gaussian(scale: float, reach: int) -> Doubles:
    weights: Doubles = np.exp(-(np.arange(-4.0 * reach, 4 * reach + 1) ** 2) / (2 * scale**2))
    weights /= weights.sum()
    inner = weights[3 * reach : 5 * reach + 1].copy()
    inner[0] += weights[: 3 * reach].sum()
    inner[-1] += weights[5 * reach + 1 :].sum()
    return inner


# ---------------------------------------------------------------------------------------------------------------------
# Choices


def exponential(scores: Sequence[float], rate: float) -> Doubles:
    weights: Doubles = np.exp(rate * (np.array(scores) - max(scores)))
    return np.asarray(weights / weights.sum())


def noisy_max(scores: Sequence[float], rate: float) -> Doubles:
    """Who is the largest of λu + exponential noise (Ding and others 2021; McKenna and Sheldon 2020, the sum over subsets)."""
    weights = exponential(scores, rate)
    weights = weights / weights.max()
    found = np.zeros(len(scores))
    for at, own in enumerate(weights):
        others = [weight for j, weight in enumerate(weights) if j != at]
        found[at] = own * sum(
            (-1) ** size / (size + 1) * sum(math.prod(chosen) for chosen in combinations(others, size))
            for size in range(len(others) + 1)
        )
    return found


def above_threshold(threshold: float, answers: Sequence[float], epsilon: float, step: float = 1.0) -> Doubles:
    """Where AboveThreshold stops for queries of sensitivity `step`; the last place also when nothing is above."""
    quantiles = (np.arange(200_000) + 0.5) / 200_000
    noise = np.where(quantiles < 0.5, np.log(2 * quantiles), -np.log(2 * (1 - quantiles))) * 2 * step / epsilon
    going: Doubles = np.ones_like(noise)
    found = []
    for answer in answers[:-1]:
        below = laplace_below((threshold + noise - answer) * epsilon / (4 * step))
        found.append(float((going * (1 - below)).mean()))
        going = going * below
    return np.array([*found, 1 - sum(found)])


def answers(truth: int, size: int, epsilon: float) -> Doubles:
    """Randomised response."""
    scores = [1.0 if at == truth else 0.0 for at in range(size)]
    return exponential(scores, epsilon)


def kept(rows: int, epsilon: float, delta: float) -> float:
    """With what probability a key of so many rows is shown: δ(e^{nε} − 1)/(e^ε − 1) up to n₁, and from there
    (1 − e^{−jε})(1 + δ/(e^ε − 1)) + e^{−jε} π(n₁) for n₁ + j."""
    growth = math.expm1(epsilon)
    turn = 1 + math.floor(math.log((growth + 2 * delta) / ((growth + 2) * delta)) / epsilon)
    rising = delta * math.expm1(min(rows, turn) * epsilon) / growth
    left = math.exp(-max(0, rows - turn) * epsilon)
    return min(1.0, (1 - left) * (1 + delta / growth) + left * min(1.0, rising))


def limit(epsilon: float, delta: float) -> int:
    """t of key-counts: the least at which the noise is t with probability δ at most."""
    growth = math.expm1(epsilon)
    return max(1, math.ceil(math.log((growth + 2 * delta) / (delta * (growth + 2))) / epsilon))


def counted(rows: int, epsilon: float, most: int) -> Doubles:
    """With what probability a key of so many rows is not shown, then as one of t + 1, …, t + rows, for noise up to t = `most`."""
    noise = np.arange(most + 1.0 - rows, most + 1)
    weights = np.where(noise < -most, 0.0, np.exp(-epsilon * np.abs(noise)))
    found: Doubles = weights / (2 * np.exp(-epsilon * np.arange(most + 1.0)).sum() - 1)
    return np.array([1 - found.sum(), *found])


def gaussian_keys(epsilon: float, delta: float, most: int) -> tuple[float, int]:
    """σ and T of key-gauss: the least σ for which ρ = k/2σ² implies (ε, δ/2) by the best order, and the least T ≥ 2 with
    k⋅P(Z ≥ T − 1) ≤ δ/2."""
    orders = 1 + np.exp(np.linspace(-8, 14, 20_001))
    # ε + log(1 − 1/α) − log(δα)/(α − 1) for ε = ρα (Canonne, Kamath and Steinke 2020, Proposition 12).
    slack = (epsilon - np.log1p(-1 / orders) + (np.log(delta / 2) + np.log(orders)) / (orders - 1)) / orders
    sigma = math.sqrt(most / (2 * float(slack.max())))
    reach = math.ceil(40 * sigma) + 2
    tails = np.cumsum(discrete_gaussian(sigma, reach)[::-1])[::-1][reach:]
    return sigma, 1 + int(np.argmax(np.where(np.arange(len(tails)) >= 1, most * tails <= delta / 2, False)))
