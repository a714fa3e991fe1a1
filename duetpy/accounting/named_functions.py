"""The functions in prices in addition to sums, products, maxima and roots, and how they are shown."""

from __future__ import annotations

import math
from collections.abc import Callable

from duetpy.accounting import convert, gaussian_profile
from duetpy.accounting.expressions import ATOM, Closed, Named, Part
from duetpy.accounting.losses import generalized_gaussian, losses, poisson_curves, shuffle, subsampling
from duetpy.accounting.rounding import raised
from duetpy.typecheck.quantity import (
    INFINITY,
    Quantity,
    tanh,
)


def function_of(
    name: str,
    template: str,
    level: int,
    inside: int,
    signs: tuple[int, ...],
    function: Callable[..., float],
    bound: Callable[..., Quantity | None] | None = None,
) -> Callable[..., Part]:
    """A `Named` function of parts: ∞ where an argument is that it increases in, else the expression."""
    named = Named(name, template, level, inside, signs, function, bound)

    def apply(*arguments: Part) -> Part:
        if any(argument.is_infinite for argument, sign in zip(arguments, signs, strict=True) if sign > 0):
            return INFINITY
        return Closed(named, arguments)

    return apply


def _calibrated(search: Callable[[float, float], float], error: float) -> Callable[[float, float], float]:
    """An upper bound on what calibrates noise for (ε, δ); ∞ where δ is no probability."""

    def at(eps: float, delta: float) -> float:
        return raised(search(eps, delta), error) if 0.0 < delta < 1.0 and eps < math.inf else math.inf

    return at


def at_order(curve: Callable[..., float]) -> Callable[..., float]:
    """A curve in ε, α and other numbers that is ε at α = ∞ and nothing at α ≤ 1."""

    def at(eps: float, alpha: float, *others: float) -> float:
        if alpha == math.inf:
            return eps
        return curve(eps, alpha, *others) if alpha > 1.0 else math.inf

    return at


def _of_sample(curve: Callable[[float, float, float], float]) -> Callable[[float, float, float], float]:
    """A curve of rate, α and another number, as a function of α, the rate and that, where these are an order and a rate."""

    def at(alpha: float, rate: float, number: float) -> float:
        return curve(rate, alpha, number) if alpha > 1.0 and rate <= 1.0 else math.inf

    return at


# A mixture is no further from another than its parts: D_α is quasi-convex, and ρα a bound.
def _fixed_size(rate: float, alpha: float, rho: float) -> float:
    sampled = subsampling.fixed_size_renyi(rate, alpha, subsampling.multiples(rho), math.inf)
    return min(sampled, raised(rho * alpha, 1e-15))


def _poisson(rate: float, alpha: float, rho: float) -> float:
    curve = subsampling.multiples(rho)
    sampled = min(subsampling.poisson_renyi(rate, alpha, curve), poisson_curves.any_renyi(rate, alpha, curve))
    return min(sampled, raised(rho * alpha, 1e-15))


def _poisson_response(rate: float, alpha: float, eps: float) -> float:
    amplified = subsampling.amplified_epsilon(rate, eps)
    return amplified if alpha == math.inf else min(amplified, poisson_curves.response_renyi(rate, alpha, eps))


def pure_rho(eps: Quantity) -> Quantity:
    """The ρ of ε-privacy, ε·tanh(ε/2)."""
    return INFINITY if eps.is_infinite else eps * tanh(eps / 2)


laplace_rho = function_of("laplace-rho", "{0} + exp(-{0}) - 1", 2, 4, (1,), losses.laplace_rho, pure_rho)
"""The ρ of Laplace noise."""

laplace_mu = function_of("laplace-mu", "2⋅Φ⁻¹(1 - exp(-{0}/2)/2)", 3, 4, (1,), gaussian_profile.laplace_mu)
"""The μ of Laplace noise."""

pure_mu = function_of("pure-mu", "2⋅Φ⁻¹(exp({0})/(1 + exp({0})))", 3, 0, (1,), gaussian_profile.pure_mu)
"""The μ of ε-privacy."""

gaussian_mu = function_of(
    "gaussian-mu", "μ({0}, {1})", ATOM, 0, (1, 1), _calibrated(gaussian_profile.calibrate_mu, 1e-10)
)
"""The μ of Gaussian noise that the analytic calibration gives for (ε, δ)."""

gaussian_epsilon = function_of(
    "gaussian-epsilon", "ε({0}, {1})", ATOM, 0, (1, -1), lambda mu, delta: gaussian_profile.gaussian_epsilon(delta, mu)
)
"""The ε of μ-Gaussian privacy at δ."""

discrete_gaussian_rho = function_of(
    "discrete-gaussian-rho", "ρ({0}, {1})", ATOM, 0, (1, 1), _calibrated(convert.calibrate_rho, 1e-9)
)
"""The ρ of discrete Gaussian noise calibrated for (ε, δ) through zCDP."""

renyi_epsilon = function_of(
    "renyi-epsilon", "{1} + ㏒(1 - 1/{0}) - ㏒({2}⋅{0})/({0} - 1)", 2, 4, (-1, 1, -1), convert.renyi_epsilon
)
"""The ε of (α, ε)-RDP at δ. A smaller α with the same ε is also true, so α is rounded down."""

laplace_renyi = function_of(
    "laplace-renyi",
    "㏒({1}/(2⋅{1} - 1)⋅exp(({1} - 1)⋅{0}) + ({1} - 1)/(2⋅{1} - 1)⋅exp(-{1}⋅{0}))/({1} - 1)",
    3,
    4,
    (1, 1),
    at_order(losses.laplace_renyi),
)
"""D_α of Laplace noise, as a function of ε and α."""

response_renyi = function_of(
    "response-renyi",
    "㏒((exp({1}⋅{0}) + exp((1 - {1})⋅{0}))/(1 + exp({0})))/({1} - 1)",
    3,
    4,
    (1, 1),
    at_order(losses.response_renyi),
)
"""The largest D_α under ε-privacy, as a function of ε and α."""

fixed_size_renyi = function_of(
    "fixed-size-renyi", "sampled({0}, {1}, {2})", ATOM, 0, (1, 1, 1), _of_sample(_fixed_size)
)
"""D_α of ρ-zCDP on b of m rows, as a function of α, b/m and ρ (Wang, Balle & Kasiviswanathan 2019, Theorem 9)."""

poisson_renyi = function_of("poisson-renyi", "poisson({0}, {1}, {2})", ATOM, 0, (1, 1, 1), _of_sample(_poisson))
"""D_α of ρ-zCDP on Poisson-sampled rows, as a function of α, q and ρ (Zhu & Wang 2019; `poisson_curves`)."""

poisson_twin_renyi = function_of(
    "poisson-twin-renyi",
    "poisson-twin({0}, {1}, {2})",
    ATOM,
    0,
    (1, 1, 1),
    _of_sample(subsampling.poisson_gaussian_renyi),
)
"""D_α on Poisson-sampled rows of what is no easier to distinguish than an exchangeable pair with D_α ≤ ρα: `poisson_curves`."""

poisson_response_renyi = function_of(
    "poisson-response-renyi", "poisson-pure({0}, {1}, {2})", ATOM, 0, (1, 1, 1), _of_sample(_poisson_response)
)
"""The largest D_α under ε-privacy on Poisson-sampled rows, as a function of α, q and ε."""

poisson_gaussian_renyi = function_of(
    "poisson-gaussian-renyi",
    "poisson-gauss({0}, {1}, {2})",
    ATOM,
    0,
    (1, 1, 1),
    _of_sample(subsampling.poisson_gaussian_renyi),
)
"""D_α of a Gaussian mechanism of ρ = μ²/2 on Poisson-sampled rows (Mironov, Talwar & Zhang 2019, §3.3)."""


def fisher(power: float, sign: int = 1) -> float:
    """√(N Γ(2−1/N)/Γ(1+1/N)): the root of the Fisher information of the density ∝ exp(−|x|^N), for N ≥ 1; or its inverse."""
    if power < 1.0:
        return math.inf
    logs = math.log(power) + math.lgamma(2.0 - 1.0 / power) - math.lgamma(1.0 + 1.0 / power)
    return raised(math.exp(sign * logs / 2), 1e-13)


fisher_factor = function_of("fisher-factor", "√({0}⋅Γ(2 - 1/{0})/Γ(1 + 1/{0}))", 4, 4, (1,), fisher)
"""The Rao length of a shift by one scale of a generalized Gaussian of power N, increasing for N ≥ 1."""


inverse_fisher = function_of(
    "inverse-fisher", "√(Γ(1 + 1/{0})/({0}⋅Γ(2 - 1/{0})))", 4, 4, (-1,), lambda power: fisher(power, -1)
)
"""The shift, in scales, of a Rao length of 1; it decreases in N ≥ 1."""


generalized_gaussian_epsilon = function_of(
    "generalized-gaussian-epsilon", "ε({0}, {1}, {2})", ATOM, 0, (1, 1, -1), generalized_gaussian.generalized_epsilon
)
"""The ε at δ of noise ∝ exp(−|x|^N) against its shift by `ratio`, as a function of N, ratio and δ.

It need not be monotone in N, which is rounded to a double: the profile's own slack covers that."""


shuffled_epsilon = function_of(
    "shuffled-epsilon", "shuffled({0}, {1}, {2})", ATOM, 0, (-1, 1, -1), shuffle.shuffled_epsilon
)
"""The ε at δ of n shuffled reports of ε₀, as a function of n, ε₀ and δ (Feldman, McMillan & Talwar 2023, Theorem 3.2)."""
