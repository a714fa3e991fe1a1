"""μ-Gaussian privacy: T(P, Q) ≥ G_μ: P and Q are no easier to distinguish than N(0, 1) and N(μ, 1) (Dong, Roth & Su 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from duetpy.accounting import gaussian_profile
from duetpy.accounting.expressions import Part, Values, product, square
from duetpy.accounting.losses.losses import GaussianLoss, Loss
from duetpy.accounting.mechanisms.base import below
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.named_functions import gaussian_epsilon, pure_mu
from duetpy.accounting.notions.interpretation import CannotPrice, Parts, reading_of
from duetpy.accounting.notions.lengths import Length
from duetpy.typecheck.cost import Atom, Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity


class Gdp(Length):
    """The notion ``gdp``; a price is μ."""

    notion: ClassVar[Notion] = Notion.GDP
    loss_is_exact = True
    has_pair = True

    def atom(self, atom: Atom) -> Parts:
        return (mechanism_of(atom).mu(atom),)

    def given(self, given: Given) -> Parts:
        if given.notion is Notion.APPROX and given.params[1].is_zero:
            return (pure_mu(given.params[0]),)
        return (_implied(given.notion, given.params, "cost"),)

    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Parts:
        raise CannotPrice("a sampled Gaussian mechanism is not Gaussian; its numeric (ε, δ) is the tight one")

    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Parts:
        return (_implied(inner, body, "cost"),)

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


def _implied(inner: Notion, parts: Parts, what: str) -> Part:
    mu = reading_of(inner).implied_mu(parts)
    if mu is None:
        raise CannotPrice(f"a {what} in {inner.info.name} implies no Gaussian privacy")
    return mu
