"""(ρ, ω)-tCDP: D_α(P‖Q) ≤ ρα for 1 < α < ω (Bun, Dwork, Rothblum & Steinke 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from duetpy.accounting.closed import Closed, Part, largest, product, smallest, total
from duetpy.accounting.interpretation import CannotPrice, Interpretation, Parts
from duetpy.accounting.zcdp import rho_from, rho_given, rho_of
from duetpy.typecheck.cost import Atom, Given, Notion
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, Quantity, log
from duetpy.typecheck.stated import GAUSSIAN


class Tcdp(Interpretation):
    """The notion ``tcdp``; a price is ρ, ω. What holds at every order has ω = ∞."""

    notion: ClassVar[Notion] = Notion.TCDP

    def nothing(self) -> Parts:
        return (ZERO, INFINITY)

    def everything(self) -> Parts:
        return (INFINITY, INFINITY)

    def atom(self, atom: Atom) -> Parts:
        if atom.mechanism in GAUSSIAN and atom.calibration is Notion.TCDP:
            return atom.params
        return (rho_of(atom), INFINITY)

    def given(self, given: Given) -> Parts:
        if given.notion is Notion.RENYI:
            return self.converted(Notion.RENYI, None, given.params)
        return given.params if given.notion is Notion.TCDP else (rho_given(given, Notion.TCDP), INFINITY)

    #   (Σ nᵢ ρᵢ, min ω) (Bun, Dwork, Rothblum & Steinke 2018)
    def sequence(self, prices: Sequence[tuple[Parts, Quantity]]) -> Parts:
        rho = total([product(count, price[0]) for price, count in prices])
        return (rho, smallest(*(price[1] for price, _ in prices)))

    def choice(self, prices: Sequence[Parts]) -> Parts:
        return (largest(*(price[0] for price in prices)), smallest(*(price[1] for price in prices)))

    def together(self, prices: Sequence[Parts]) -> Parts:
        raise CannotPrice(
            "one change moves several inputs of one mechanism, which tCDP does not price; make them aligned parameters"
        )

    #   (k²ρ, ω/k): by induction with D_α(P‖Q) ≤ kα/(kα−k+1)·D_{kα−k+1}(P‖R) + D_{kα/(k−1)}(R‖Q), where P‖R is one step at an
    #   order below ω and R‖Q are k − 1 steps at an order below ω/(k−1)
    def group(self, size: Part, body: Parts) -> Parts:
        rho, omega = body
        if omega.is_infinite:
            return (product(size, size, rho), omega)
        if isinstance(size, Closed) or isinstance(omega, Closed):
            raise CannotPrice("a group whose size is no plain quantity has no closed tCDP price")
        return (product(size, size, rho), omega / size)

    #   ρ, q ∈ (0, 0.1]    log(1/q) ≥ 3ρ(2 + log₂(1/ρ))    ω ≥ log(1/q)/(2ρ)
    #   ──────────────────────────────────────────────────────────────────────    b of m rows without replacement
    #   (13 q² ρ, log(1/q)/(4ρ))                                                  (BDRS 2018)
    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Parts:
        rho, _ = body
        if scheme != "sample":
            raise CannotPrice("the amplification theorem of tCDP is for rows drawn without replacement; use sample")
        if isinstance(rho, Closed):
            raise CannotPrice("the ρ to amplify is no plain quantity")
        if rho.is_zero:
            return self.nothing()
        return (13 * rate * rate * rho, log(ONE / rate) / (4 * rho))

    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Parts:
        match inner:
            case Notion.TCDP:
                return body
            case Notion.RENYI:
                return (body[1], body[0])  # D_β ≤ D_α ≤ ε ≤ εβ for 1 < β ≤ α
            case _:
                return (rho_from(inner, body, Notion.TCDP), INFINITY)
