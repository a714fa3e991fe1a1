"""ρ-zCDP: D_α(P‖Q) ≤ ρα for all α > 1 (Bun & Steinke 2016). ρ adds; groups cost k²ρ; there is no amplification."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from duetpy.accounting import conversions, convert, named_functions
from duetpy.accounting.expressions import Part, Values, product, root, square, total
from duetpy.accounting.losses.losses import CurveLoss, Loss
from duetpy.accounting.mechanisms.base import below
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.notions.interpretation import Added, CannotPrice, Parts, no_slack, reading_of
from duetpy.typecheck.cost import Advanced, Atom, Converted, Cost, Given, Repeat, Seq, Zero, costs_in
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity


class Zcdp(Added):
    """The notion ``zcdp``; a price is ρ, and Σ nᵢ ρᵢ that of a sequence (Bun & Steinke 2016, Lemma 1.7)."""

    notion: ClassVar[Notion] = Notion.ZCDP

    def atom(self, atom: Atom) -> Parts:
        return (mechanism_of(atom).rho(atom),)

    def given(self, given: Given) -> Parts:
        return (rho_given(given, Notion.ZCDP),)

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

    @classmethod
    def implied_rho(cls, parts: Parts) -> Part:
        return parts[0]

    #   the least over α of ρα + log(1 − 1/α) − log(δα)/(α − 1) (Canonne, Kamath & Steinke 2020, Proposition 12)
    @classmethod
    def with_slack(cls, slack: Quantity, parts: Parts) -> Part:
        return conversions.concentrated_epsilon(parts[0], slack)

    @classmethod
    def epsilon_at(cls, price: Parts, numbers: Sequence[float], delta: float, asked: Fraction) -> float:
        return convert.zcdp_epsilon(numbers[0], delta) if numbers[0] < math.inf else math.inf

    @classmethod
    def loss(cls, given: Given, values: Values) -> Loss:
        return below(CurveLoss, given.params[0].evaluate_float(values, up=True))

    #   σ = s/√(2ρ) (Bun & Steinke 2016, Proposition 1.6)
    @classmethod
    def gaussian_rho(cls, params: tuple[Quantity, ...]) -> Part:
        return params[0]


def rho_given(given: Given, outer: Notion) -> Part:
    """The ρ of a trusted cost, wanted for a price in `outer`."""
    if given.notion is Notion.APPROX and given.params[1].is_zero:
        return named_functions.pure_rho(given.params[0])
    return rho_from(given.notion, given.params, outer)


def rho_from(inner: Notion, body: Parts, outer: Notion) -> Part:
    """The ρ, at every order, that a price in another notion implies without slack; wanted for a price in `outer`."""
    rho = reading_of(inner).implied_rho(body)
    if rho is None:
        raise no_slack(inner, outer.info.name)
    return rho


def only_twins(cost: Cost) -> bool:
    """Whether the ρ of a term is that of pairs of laws that renaming outcomes exchanges, one after the other.

    See `duetpy.accounting.losses.twins`.
    """
    for here in costs_in(cost, lambda part: not isinstance(part, Converted) or part.inner is Notion.ZCDP):
        match here:
            case Atom() if mechanism_of(here).has_pair(here):
                continue
            case Given(notion) if reading_of(notion).has_pair:
                continue
            case Converted(inner) if inner is Notion.ZCDP or reading_of(inner).has_pair:
                continue
            case Zero() | Seq() | Repeat() | Advanced():
                continue
            case _:
                return False
    return True
