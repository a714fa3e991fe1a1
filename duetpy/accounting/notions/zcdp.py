"""ρ-zCDP: D_α(P‖Q) ≤ ρα for all α > 1 (Bun & Steinke 2016). ρ adds; groups cost k²ρ; there is no amplification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from duetpy.accounting.expressions import Part, largest, product, root, square, total
from duetpy.accounting.mechanisms.base import pure_rho
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.notions.interpretation import CannotPrice, Interpretation, Parts
from duetpy.typecheck.cost import Atom, Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ZERO, Quantity


class Zcdp(Interpretation):
    """The notion ``zcdp``; a price is ρ."""

    notion: ClassVar[Notion] = Notion.ZCDP

    def nothing(self) -> Parts:
        return (ZERO,)

    def everything(self) -> Parts:
        return (INFINITY,)

    def atom(self, atom: Atom) -> Parts:
        return (mechanism_of(atom).rho(atom),)

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
