"""ρ-zCDP: D_α(P‖Q) ≤ ρα for all α > 1 (Bun & Steinke 2016). ρ adds; groups cost k²ρ; there is no amplification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from duetpy.accounting.closed import (
    Part,
    discrete_gaussian_rho,
    gaussian_mu,
    laplace_rho,
    largest,
    product,
    root,
    square,
    total,
)
from duetpy.accounting.discrete_laplace import discrete_laplace_rho, shift_of
from duetpy.accounting.interpretation import (
    AS_GAUSSIAN,
    AS_LAPLACE,
    BOUNDED_RANGE,
    CannotPrice,
    Interpretation,
    Parts,
    no_bound,
    shift_in_scale,
)
from duetpy.typecheck.cost import Atom, Given, Notion
from duetpy.typecheck.quantity import INFINITY, ZERO, Quantity, minimum, tanh
from duetpy.typecheck.stated import GAUSSIAN, pure_epsilon_of


class Zcdp(Interpretation):
    """The notion ``zcdp``; a price is ρ."""

    notion: ClassVar[Notion] = Notion.ZCDP

    def nothing(self) -> Parts:
        return (ZERO,)

    def everything(self) -> Parts:
        return (INFINITY,)

    def atom(self, atom: Atom) -> Parts:
        return (rho_of(atom),)

    def given(self, given: Given) -> Parts:
        return (rho_given(given, Notion.ZCDP),)

    #   Σ nᵢ ρᵢ (Bun & Steinke 2016, Lemma 1.7)
    def sequence(self, prices: Sequence[tuple[Parts, Quantity]]) -> Parts:
        return (total([product(count, rho) for (rho,), count in prices]),)

    def choice(self, prices: Sequence[Parts]) -> Parts:
        return (largest(*(rho for (rho,) in prices)),)

    #   (Σ √ρᵢ)²: by D_α(P‖Q) ≤ kα/(kα−1) D_{(kα−1)/(k−1)}(P‖R) + D_{kα}(R‖Q) the sum is at most
    #   α(ρ₁k/(k−1) + ρ₂k), whose least value over k > 1 is α(√ρ₁ + √ρ₂)²
    def together(self, prices: Sequence[Parts]) -> Parts:
        return (square(total([root(rho) for (rho,) in prices])),)

    #   k²ρ (Bun & Steinke 2016, Proposition 1.9)
    def group(self, size: Part, body: Parts) -> Parts:
        return (product(size, size, body[0]),)

    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Parts:
        raise CannotPrice("zCDP is not amplified by sampling; sample inside RENYI[δ] { … } or in an (ε, δ) program")

    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Parts:
        return (rho_from(inner, body, Notion.ZCDP),)


def rho_of(atom: Atom) -> Part:
    """The ρ of one mechanism."""
    if atom.mechanism in GAUSSIAN | AS_GAUSSIAN:
        return _gaussian_rho(atom)
    if atom.mechanism == "ggauss" and atom.params[0].constant == 2:
        return square(shift_in_scale(atom))  # density ∝ exp(−(x/s)²) is N(0, s²/2): μ = √2 Δ/s
    eps = pure_epsilon_of(atom)
    if eps is None:
        raise no_bound(atom, "ρ")
    if atom.mechanism in AS_LAPLACE or atom.mechanism == "ggauss":
        return laplace_rho(eps)
    steps = shift_of(atom)
    if steps is not None:
        return discrete_laplace_rho(eps, Quantity.of(steps))
    if atom.mechanism in BOUNDED_RANGE:
        return minimum(eps * eps / 8, pure_rho(eps))
    return pure_rho(eps)


#   ρ = ε·tanh(ε/2), the largest KL divergence under ε-privacy; that D_α ≤ α D₁ then is shown at `losses.response_rho`.
#   For a range of length ε, ρ = ε²/8: with K(λ) = log E e^{λL}, K(0) = K(−1) = 0 and K″ ≤ ε²/4 (Popoviciu), so that
#   K(λ) ≤ λ(λ+1)ε²/8 for λ ≥ 0 (Cesar & Rogers 2021).
def pure_rho(eps: Quantity) -> Quantity:
    """The ρ of ε-privacy."""
    return INFINITY if eps.is_infinite else eps * tanh(eps / 2)


#   σ = s/√(2ρ); ε = αs²/2σ²; σ = s/μ; σ = s/θ; the analytic calibration for (ε, δ): ρ = μ²/2 throughout
def _gaussian_rho(atom: Atom) -> Part:
    match atom.calibration:
        case Notion.ZCDP | Notion.TCDP:
            return atom.params[0]
        case Notion.RENYI:
            alpha, eps = atom.params
            return eps / alpha
        case Notion.GDP | Notion.RAO:
            return atom.params[0] * atom.params[0] / 2
        case Notion.APPROX if atom.mechanism == "dgauss":
            return discrete_gaussian_rho(*atom.params)
        case Notion.APPROX:
            return product(Quantity.of(1) / 2, square(gaussian_mu(*atom.params)))
        case _:
            raise CannotPrice(f"{atom.mechanism} is calibrated in no notion that has noise for it")


def rho_given(given: Given, outer: Notion) -> Part:
    """The ρ of a trusted cost, wanted for a price in `outer`."""
    if given.notion is Notion.APPROX and given.params[1].is_zero:
        return pure_rho(given.params[0])
    return rho_from(given.notion, given.params, outer)


def rho_from(inner: Notion, body: Parts, outer: Notion) -> Part:
    """The ρ, at every order, that a price in another notion implies without slack; wanted for a price in `outer`."""
    match inner:
        case Notion.ZCDP:
            return body[0]
        case Notion.PURE if isinstance(body[0], Quantity):
            return pure_rho(body[0])
        case Notion.GDP:
            return product(Quantity.of(1) / 2, square(body[0]))
        case Notion.TCDP if body[1].is_infinite:
            return body[0]
        case _:
            raise CannotPrice(f"a price in {inner.info.name} implies none in {outer.info.name}")
