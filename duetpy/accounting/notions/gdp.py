"""μ-Gaussian privacy: T(P, Q) ≥ G_μ, no easier to tell than N(0, 1) from N(μ, 1) (Dong, Roth & Su 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from duetpy.accounting.expressions import Part, largest, product, root, square, total
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.named_functions import pure_mu
from duetpy.accounting.notions.interpretation import CannotPrice, Interpretation, Parts
from duetpy.typecheck.cost import Atom, Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ZERO, Quantity


class Gdp(Interpretation):
    """The notion ``gdp``; a price is μ."""

    notion: ClassVar[Notion] = Notion.GDP

    def nothing(self) -> Parts:
        return (ZERO,)

    def everything(self) -> Parts:
        return (INFINITY,)

    def atom(self, atom: Atom) -> Parts:
        return (mechanism_of(atom).mu(atom),)

    def given(self, given: Given) -> Parts:
        match given.notion:
            case Notion.GDP:
                return given.params
            case Notion.PURE:
                return (pure_mu(given.params[0]),)
            case Notion.APPROX if given.params[1].is_zero:
                return (pure_mu(given.params[0]),)
            case notion:
                raise CannotPrice(f"a cost in {notion.info.name} implies no Gaussian privacy")

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
        match inner:
            case Notion.GDP:
                return body
            case Notion.PURE:
                return (pure_mu(body[0]),)
            case _:
                raise CannotPrice(f"a price in {inner.info.name} implies no Gaussian privacy")
