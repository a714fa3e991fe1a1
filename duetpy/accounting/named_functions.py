"""The functions that prices are made of besides sums, products, maxima and roots, with how they are shown."""

from __future__ import annotations

import math
from collections.abc import Callable

from duetpy.accounting import gaussian_profile
from duetpy.accounting.expressions import ATOM, Closed, Named, Part
from duetpy.accounting.losses import losses, poisson_curves, subsampling
from duetpy.accounting.rounding import raised
from duetpy.typecheck.quantity import (
    INFINITY,
    Quantity,
    tanh,
)


def applied_to(function: Named) -> Callable[..., Part]:
    """A function of parts: ∞ where an argument is that it increases in, else the expression."""

    def apply(*arguments: Part) -> Part:
        if any(argument.is_infinite for argument, sign in zip(arguments, function.signs, strict=True) if sign > 0):
            return INFINITY
        return Closed(function, arguments)

    return apply


def _gaussian_parameter(eps: float, delta: float) -> float:
    """An upper bound on the μ of Gaussian noise calibrated for (ε, δ); ∞ where δ is no probability."""
    return (
        raised(gaussian_profile.calibrate_mu(eps, delta), 1e-10) if 0.0 < delta < 1.0 and eps < math.inf else math.inf
    )


def _gaussian_epsilon(mu: float, delta: float) -> float:
    return gaussian_profile.gaussian_epsilon(delta, mu)


def _renyi_epsilon(alpha: float, eps: float, delta: float) -> float:
    from duetpy.accounting.convert import renyi_epsilon

    return renyi_epsilon(alpha, eps, delta)


def _discrete_gaussian_rho(eps: float, delta: float) -> float:
    from duetpy.accounting.convert import calibrate_rho

    return raised(calibrate_rho(eps, delta), 1e-9) if 0.0 < delta < 1.0 and eps < math.inf else math.inf


def _at_order(curve: Callable[[float, float], float]) -> Callable[[float, float], float]:
    """A curve in ε and α that is ε at α = ∞ and nothing at α ≤ 1."""

    def at(eps: float, alpha: float) -> float:
        if alpha == math.inf:
            return eps
        return curve(eps, alpha) if alpha > 1.0 else math.inf

    return at


def _fixed_size(alpha: float, rate: float, rho: float) -> float:
    if not alpha > 1.0 or rate > 1.0:
        return math.inf
    sampled = subsampling.fixed_size_renyi(rate, alpha, subsampling.multiples(rho), math.inf)
    return min(
        sampled, raised(rho * alpha, 1e-15)
    )  # a mixture is no further from another than its parts: D_α is quasi-convex


def _poisson(alpha: float, rate: float, rho: float) -> float:
    if not alpha > 1.0 or rate > 1.0:
        return math.inf
    curve = subsampling.multiples(rho)
    sampled = min(subsampling.poisson_renyi(rate, alpha, curve), poisson_curves.any_renyi(rate, alpha, curve))
    return min(sampled, raised(rho * alpha, 1e-15))


def _poisson_gaussian(alpha: float, rate: float, rho: float) -> float:
    return subsampling.poisson_gaussian_renyi(rate, alpha, rho) if alpha > 1.0 and rate <= 1.0 else math.inf


def _poisson_response(alpha: float, rate: float, eps: float) -> float:
    if not alpha > 1.0 or rate > 1.0:
        return math.inf
    amplified = subsampling.amplified_epsilon(rate, eps)
    return amplified if alpha == math.inf else min(amplified, poisson_curves.response_renyi(rate, alpha, eps))


def _pure_rho(eps: Quantity) -> Quantity:
    return eps * tanh(eps / 2)


laplace_rho = applied_to(Named("laplace-rho", "{0} + exp(-{0}) - 1", 2, 4, (1,), losses.laplace_rho, _pure_rho))
"""The ρ of Laplace noise."""

laplace_mu = applied_to(Named("laplace-mu", "2⋅Φ⁻¹(1 - exp(-{0}/2)/2)", 3, 4, (1,), gaussian_profile.laplace_mu))
"""The μ of Laplace noise."""

pure_mu = applied_to(Named("pure-mu", "2⋅Φ⁻¹(exp({0})/(1 + exp({0})))", 3, 0, (1,), gaussian_profile.pure_mu))
"""The μ of ε-privacy."""

gaussian_mu = applied_to(Named("gaussian-mu", "μ({0}, {1})", ATOM, 0, (1, 1), _gaussian_parameter))
"""The μ of Gaussian noise that the analytic calibration gives for (ε, δ)."""

gaussian_epsilon = applied_to(Named("gaussian-epsilon", "ε({0}, {1})", ATOM, 0, (1, -1), _gaussian_epsilon))
"""The ε of μ-Gaussian privacy at δ."""

discrete_gaussian_rho = applied_to(
    Named("discrete-gaussian-rho", "ρ({0}, {1})", ATOM, 0, (1, 1), _discrete_gaussian_rho)
)
"""The ρ of discrete Gaussian noise calibrated for (ε, δ) through zCDP."""

renyi_epsilon = applied_to(
    Named("renyi-epsilon", "{1} + ㏒(1 - 1/{0}) - ㏒({2}⋅{0})/({0} - 1)", 2, 4, (-1, 1, -1), _renyi_epsilon)
)
"""The ε of (α, ε)-RDP at δ. A smaller α with the same ε is also true, so α is rounded down."""

laplace_renyi = applied_to(
    Named(
        "laplace-renyi",
        "㏒({1}/(2⋅{1} - 1)⋅exp(({1} - 1)⋅{0}) + ({1} - 1)/(2⋅{1} - 1)⋅exp(-{1}⋅{0}))/({1} - 1)",
        3,
        4,
        (1, 1),
        _at_order(losses.laplace_renyi),
    )
)
"""D_α of Laplace noise, as a function of ε and α."""

response_renyi = applied_to(
    Named(
        "response-renyi",
        "㏒((exp({1}⋅{0}) + exp((1 - {1})⋅{0}))/(1 + exp({0})))/({1} - 1)",
        3,
        4,
        (1, 1),
        _at_order(losses.response_renyi),
    )
)
"""The largest D_α under ε-privacy, as a function of ε and α."""

fixed_size_renyi = applied_to(Named("fixed-size-renyi", "sampled({0}, {1}, {2})", ATOM, 0, (1, 1, 1), _fixed_size))
"""D_α of ρ-zCDP on b of m rows, as a function of α, b/m and ρ (Wang, Balle & Kasiviswanathan 2019, Theorem 9)."""

poisson_renyi = applied_to(Named("poisson-renyi", "poisson({0}, {1}, {2})", ATOM, 0, (1, 1, 1), _poisson))
"""D_α of ρ-zCDP on Poisson-sampled rows, as a function of α, q and ρ (Zhu & Wang 2019; `poisson_curves`)."""

poisson_twin_renyi = applied_to(
    Named("poisson-twin-renyi", "poisson-twin({0}, {1}, {2})", ATOM, 0, (1, 1, 1), _poisson_gaussian)
)
"""D_α on Poisson-sampled rows of what is no easier to tell than a pair with D_α ≤ ρα that can be exchanged: `poisson_curves`."""

poisson_response_renyi = applied_to(
    Named("poisson-response-renyi", "poisson-pure({0}, {1}, {2})", ATOM, 0, (1, 1, 1), _poisson_response)
)
"""The largest D_α under ε-privacy on Poisson-sampled rows, as a function of α, q and ε."""

poisson_gaussian_renyi = applied_to(
    Named("poisson-gaussian-renyi", "poisson-gauss({0}, {1}, {2})", ATOM, 0, (1, 1, 1), _poisson_gaussian)
)
"""D_α of a Gaussian mechanism of ρ = μ²/2 on Poisson-sampled rows (Mironov, Talwar & Zhang 2019, §3.3)."""


def fisher(power: float) -> float:
    """√(N Γ(2−1/N)/Γ(1+1/N)): the root of the Fisher information of the density ∝ exp(−|x|^N), for N ≥ 1."""
    if power < 1.0:
        return math.inf
    logs = math.log(power) + math.lgamma(2.0 - 1.0 / power) - math.lgamma(1.0 + 1.0 / power)
    return raised(math.exp(logs / 2), 1e-13)


fisher_factor = applied_to(Named("fisher-factor", "√({0}⋅Γ(2 - 1/{0})/Γ(1 + 1/{0}))", 4, 4, (1,), fisher))
"""The Rao length of a shift by one scale of a generalized Gaussian of power N, increasing for N ≥ 1."""


def _inverse_fisher(power: float) -> float:
    if power < 1.0:
        return math.inf
    logs = math.log(power) + math.lgamma(2.0 - 1.0 / power) - math.lgamma(1.0 + 1.0 / power)
    return raised(math.exp(-logs / 2), 1e-13)


inverse_fisher = applied_to(Named("inverse-fisher", "√(Γ(1 + 1/{0})/({0}⋅Γ(2 - 1/{0})))", 4, 4, (-1,), _inverse_fisher))
"""The shift, in scales, of a Rao length of 1; it decreases in N ≥ 1."""


def _generalized_epsilon(power: float, ratio: float, delta: float) -> float:
    from duetpy.accounting.losses.generalized_gaussian import generalized_epsilon

    return generalized_epsilon(power, ratio, delta)


generalized_gaussian_epsilon = applied_to(
    Named("generalized-gaussian-epsilon", "ε({0}, {1}, {2})", ATOM, 0, (1, 1, -1), _generalized_epsilon)
)
"""The ε at δ of noise ∝ exp(−|x|^N) against its shift by `ratio`, as a function of N, ratio and δ.

It need not be monotone in N, which is rounded to a double: the profile's own slack covers that."""


def _shuffled(count: float, local: float, delta: float) -> float:
    from duetpy.accounting.losses.shuffle import shuffled_epsilon

    return shuffled_epsilon(count, local, delta)


shuffled_epsilon = applied_to(Named("shuffled-epsilon", "shuffled({0}, {1}, {2})", ATOM, 0, (-1, 1, -1), _shuffled))
"""The ε at δ of n shuffled reports of ε₀, as a function of n, ε₀ and δ (Feldman, McMillan & Talwar 2023, Theorem 3.2)."""
