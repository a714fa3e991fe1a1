"""(ρ, ω)-tCDP: D_α(P‖Q) ≤ ρα for 1 < α < ω (Bun, Dwork, Rothblum & Steinke 2018)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from duetpy.accounting import convert
from duetpy.accounting.conversions import concentrated_epsilon, truncated_epsilon
from duetpy.accounting.expressions import Closed, Part, Values, product
from duetpy.accounting.losses.losses import CurveLoss, Loss
from duetpy.accounting.losses.sampled_lines import lower_quantity, orders_of_curve, upper_quantity
from duetpy.accounting.mechanisms.base import BEYOND, EVERYTHING
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.notions.interpretation import Added, CannotPrice, Conditional, Parts, Premise, Rule
from duetpy.accounting.notions.zcdp import Zcdp, rho_from, rho_given
from duetpy.typecheck.cost import Atom, Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ONE, Quantity, log

_LIMIT = Quantity.of("0.1")
"""Up to here ρ and the rate are amplified."""


class Tcdp(Added):
    """The notion ``tcdp``; a price is ρ, ω. What holds at every order has ω = ∞.

    A sequence has (Σ nᵢ ρᵢ, min ω) (Bun, Dwork, Rothblum & Steinke 2018).
    """

    notion: ClassVar[Notion] = Notion.TCDP

    def atom(self, atom: Atom) -> Parts:
        return mechanism_of(atom).tcdp(atom)

    def given(self, given: Given) -> Parts:
        if given.notion is Notion.RENYI:
            return self.converted(Notion.RENYI, None, given.params)
        return given.params if given.notion is Notion.TCDP else (rho_given(given, Notion.TCDP), INFINITY)

    def together(self, prices: Sequence[Parts]) -> Parts:
        raise CannotPrice(
            "one change moves several inputs of one mechanism, for which tCDP has no cost; make them aligned parameters"
        )

    #   k < ω
    #   ───────────      by induction with D_α(P‖Q) ≤ kα/(kα−k+1)·D_{kα−k+1}(P‖R) + D_{kα/(k−1)}(R‖Q), where P‖R is one step at
    #   (k²ρ, ω/k)       an order below ω and R‖Q are k − 1 steps at an order below ω/(k−1); where ω/k is no order above 1,
    #                    nothing is promised
    def group(self, size: Part, body: Parts) -> Rule:
        rho, omega = body
        if omega.is_infinite:
            return (product(size, size, rho), omega)
        if isinstance(size, Closed) or isinstance(omega, Closed):
            raise CannotPrice("a group whose size is not a plain quantity has no closed cost in tCDP")
        left = Premise(size, "<", omega, "a group keeps some orders: ω/k is above 1")
        return Conditional((product(size, size, rho), omega / size), (left,))

    #   ρ, q ∈ (0, 0.1]    log(1/q) ≥ 3ρ(2 + log₂(1/ρ))    ω ≥ log(1/q)/(2ρ)
    #   ──────────────────────────────────────────────────────────────────────    b of m rows without replacement
    #   (13 q² ρ, log(1/q)/(4ρ))                                                  (BDRS 2018)
    #
    # Of numbers, at all orders at which the whole curve of the sample is below that line: see `sampled_lines`.
    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Rule:
        rho, omega = upper_quantity(body[0]), lower_quantity(body[1])
        if scheme != "sample":
            raise CannotPrice("the amplification theorem of tCDP is for rows drawn without replacement; use sample")
        if rho is None or omega is None:
            unknown = "ρ" if rho is None else "ω"
            raise CannotPrice(
                f"the {unknown} to amplify is not a plain quantity; set sizes and parameters to get its number"
            )
        if rho.is_zero:
            return self.nothing()
        if rho.is_infinite:
            return self.everything()
        wanted = log(ONE / rate)
        theorem = Conditional(
            (13 * rate * rate * rho, wanted / (4 * rho)),
            (
                Premise(rate, "≤", _LIMIT, "at most one row in ten is sampled, as the amplification of tCDP requires"),
                Premise(rho, "≤", _LIMIT, "ρ is at most 0.1, as the amplification of tCDP requires"),
                Premise(
                    3 * rho * (2 + log(ONE / rho) / log(Quantity.of(2))),
                    "≤",
                    wanted,
                    "log(1/q) ≥ 3ρ(2 + log₂(1/ρ)), as the amplification of tCDP requires",
                ),
                Premise(wanted / (2 * rho), "≤", omega, "ω ≥ log(1/q)/(2ρ), as the amplification of tCDP requires"),
            ),
        )
        return orders_of_curve(rate, rho, omega, theorem)

    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Parts:
        if inner is Notion.RENYI:
            return (body[1], body[0])  # D_β ≤ D_α ≤ ε ≤ εβ for 1 < β ≤ α
        return (rho_from(inner, body, Notion.TCDP), INFINITY)

    @classmethod
    def implied_rho(cls, parts: Parts) -> Part | None:
        return parts[0] if parts[1].is_infinite else None

    #   as of ρ-zCDP, over 1 < α ≤ ω
    @classmethod
    def with_slack(cls, slack: Quantity, parts: Parts) -> Part:
        rho, omega = parts
        return concentrated_epsilon(rho, slack) if omega.is_infinite else truncated_epsilon(rho, omega, slack)

    @classmethod
    def epsilon_at(cls, price: Parts, numbers: Sequence[float], delta: float, asked: Fraction) -> float:
        return convert.tcdp_epsilon(numbers[0], numbers[1], delta) if numbers[0] < math.inf else math.inf

    @classmethod
    def loss(cls, given: Given, values: Values) -> Loss:
        rho = given.params[0].evaluate_float(values, up=True)
        omega = given.params[1].evaluate_float(values, up=False)
        return CurveLoss(rho, math.inf, omega) if rho < BEYOND and omega > 1.0 else EVERYTHING

    # What is drawn is Gaussian at every order, so that it has the noise of ρ-zCDP.
    gaussian_rho = Zcdp.gaussian_rho
