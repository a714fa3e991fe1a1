"""μ-Gaussian privacy: T(P, Q) ≥ G_μ, no easier to tell than N(0, 1) from N(μ, 1) (Dong, Roth & Su 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from duetpy.accounting import gaussian_profile
from duetpy.accounting.expressions import Part, Values, largest, product, root, square, total
from duetpy.accounting.losses.losses import GaussianLoss, Loss
from duetpy.accounting.mechanisms.base import below, lower
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.named_functions import gaussian_epsilon, pure_mu
from duetpy.accounting.notions.interpretation import CannotPrice, Interpretation, Parts, reading_of
from duetpy.typecheck.cost import Atom, Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ZERO, Quantity


class Gdp(Interpretation):
    """The notion ``gdp``; a price is μ."""

    notion: ClassVar[Notion] = Notion.GDP
    loss_is_exact = True
    has_pair = True

    def nothing(self) -> Parts:
        return (ZERO,)

    def everything(self) -> Parts:
        return (INFINITY,)

    def atom(self, atom: Atom) -> Parts:
        return (mechanism_of(atom).mu(atom),)

    def given(self, given: Given) -> Parts:
        if given.notion is Notion.APPROX and given.params[1].is_zero:
            return (pure_mu(given.params[0]),)
        return (_implied(given.notion, given.params, "cost"),)

    #   √(Σ nᵢ μᵢ²), exact (Dong, Roth & Su 2022, Corollary 3.3)
    def sequence(self, prices: Sequence[tuple[Parts, Quantity]]) -> Parts:
        if len(prices) == 1 and prices[0][1].constant == 1:
            return prices[0][0]
        return (root(total([product(count, square(mu)) for (mu,), count in prices])),)

    def choice(self, prices: Sequence[Parts]) -> Parts:
        return (largest(*(mu for (mu,) in prices)),)

    #   G_μ₁ then G_μ₂ along the path: the shifts add (Dong, Roth & Su 2022, Theorem 2.14)
    def together(self, prices: Sequence[Parts]) -> Parts:
        return (total([mu for (mu,) in prices]),)

    def group(self, size: Part, body: Parts) -> Parts:
        return (product(size, body[0]),)

    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Parts:
        raise CannotPrice("a sampled Gaussian mechanism is not Gaussian; its numeric (ε, δ) is the tight one")

    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Parts:
        return (_implied(inner, body, "price"),)

    @classmethod
    def implied_rho(cls, parts: Parts) -> Part:
        return product(Quantity.of(1) / 2, square(parts[0]))

    @classmethod
    def implied_mu(cls, parts: Parts) -> Part:
        return parts[0]

    @classmethod
    def with_slack(cls, slack: Quantity, parts: Parts) -> Part:
        return gaussian_epsilon(parts[0], slack)

    @classmethod
    def epsilon_at(cls, price: Parts, numbers: Sequence[float], delta: float, asked: Fraction) -> float:
        return gaussian_profile.gaussian_epsilon(delta, numbers[0])

    @classmethod
    def loss(cls, given: Given, values: Values) -> Loss:
        return below(GaussianLoss, given.params[0].evaluate_float(values, up=True))

    #   σ = s/μ (Dong, Roth & Su 2022, Theorem 2.7)
    @classmethod
    def gaussian_shift(cls, params: tuple[Quantity, ...]) -> Part:
        return params[0]

    @classmethod
    def gaussian_rho(cls, params: tuple[Quantity, ...]) -> Part:
        return params[0] * params[0] / 2

    @classmethod
    def gaussian_scale(cls, params: tuple[Quantity, ...], values: Values) -> Fraction:
        return 1 / lower(params[0], values)

    @classmethod
    def gaussian_formula(cls, params: tuple[Quantity, ...]) -> Quantity:
        return 1 / params[0]


def _implied(inner: Notion, parts: Parts, what: str) -> Part:
    mu = reading_of(inner).implied_mu(parts)
    if mu is None:
        raise CannotPrice(f"a {what} in {inner.info.name} implies no Gaussian privacy")
    return mu
