"""(ε, δ): H_{e^ε}(P‖Q) ≤ δ. Basic and advanced composition, group privacy, amplification, and conversions with slack."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from typing import ClassVar

from duetpy.accounting.expressions import Closed, Part, Values, product, smallest, square, total
from duetpy.accounting.gaussian_profile import calibrate_mu
from duetpy.accounting.losses.losses import Loss
from duetpy.accounting.mechanisms.base import leaky
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.named_functions import gaussian_mu, shuffled_epsilon
from duetpy.accounting.noise_parameters import epsilon_delta
from duetpy.accounting.notions.interpretation import (
    UNNAMED_DELTA,
    Added,
    CannotPrice,
    Parts,
    no_slack,
    reading_of,
)
from duetpy.accounting.notions.pure import amplified
from duetpy.accounting.quantity_bounds import plain
from duetpy.typecheck.cost import Atom, Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, ZERO, Quantity, exp, expm1, log, minimum, tanh

_ORDERS_TRIED = 3
"""Of so many inputs moved together every order is tried; of more, the one given: any order is a valid bound."""


class Approx(Added):
    """The notion ``approx``; a price is ε, δ. Both add (Dwork, Kenthapadi, McSherry, Mironov & Naor 2006)."""

    notion: ClassVar[Notion] = Notion.APPROX
    loss_is_exact = True

    def atom(self, atom: Atom) -> Parts:
        return mechanism_of(atom).approx(atom)

    def given(self, given: Given) -> Parts:
        match given.notion:
            case Notion.APPROX:
                return given.params
            case Notion.PURE:
                return (given.params[0], ZERO)
            case notion if notion.info.block is not None:
                raise CannotPrice(
                    f"a cost in {notion.info.name} has no (ε, δ) without a δ: write {notion.info.block}[δ] {{ … }}"
                )
            case notion:
                raise no_slack(notion, "(ε, δ)")

    #   ε′ = min(kε, kε·tanh(ε/2) + ε√(2k log(1/δ′)))      δ = 1 − (1 − δ′)(1 − δ₀)^k ≤ kδ₀ + δ′
    #   (Kairouz, Oh & Viswanath 2015, Theorem 3.5; the sum bounds the product by Bernoulli's inequality)
    def advanced(self, count: Quantity, slack: Quantity, body: Parts) -> Parts:
        whole, delta = body
        eps = plain(whole)
        if eps is None:
            raise CannotPrice(
                "the ε of the loop's body is not a plain quantity; use loop, or aloop around the mechanism"
            )
        basic = count * eps
        moments = count * eps * tanh(eps / 2) + eps * (2 * count * log(ONE / slack)).sqrt()
        return (minimum(basic, moments), total([product(count, delta), slack]))

    #   H_{xy}(P‖Q) ≤ H_x(P‖R) + x H_y(R‖Q): (ε₁ + ε₂, δ₁ + e^{ε₁} δ₂), in whichever order is better
    def together(self, prices: Sequence[Parts]) -> Parts:
        eps = total([price[0] for price in prices])
        if all(price[1].is_zero for price in prices):
            return (eps, ZERO)
        orders = permutations(prices) if len(prices) <= _ORDERS_TRIED else [tuple(prices)]
        return (eps, smallest(*(self._path(order) for order in orders)))

    def _path(self, order: Sequence[Parts]) -> Part:
        before: Quantity = ZERO
        terms: list[Part] = []
        for eps, delta in order:
            terms.append(product(exp(before), delta))
            bound = plain(eps)
            if bound is None:
                raise CannotPrice("the ε of an input that is moved with others is not a plain quantity")
            before = before + bound
        return total(terms)

    #   (kε, δ(e^{kε} − 1)/(e^ε − 1)): k steps, δ + e^ε δ + … + e^{(k−1)ε} δ
    def group(self, size: Part, body: Parts) -> Parts:
        whole, delta = body
        if delta.is_zero:
            return (product(size, whole), ZERO)
        eps = plain(whole)
        if eps is None or isinstance(size, Closed):
            raise CannotPrice("a group of a size or a cost that is not a plain quantity has no closed (ε, δ)")
        factor = size if eps.is_zero else expm1(size * eps) / expm1(eps)
        return (product(size, whole), product(delta, factor))

    #   (log(1 + q(e^ε − 1)), qδ) (Balle, Barthe & Gaboardi 2018, Theorems 8 and 9)
    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Parts:
        return (amplified(rate, body[0]), product(rate, body[1]))

    #   ε₀ ≤ log(n/(8 log(2/δ)) − 1)
    #   ────────────────────────────────────────────────────────────────────────      of n shuffled ε₀-private reports; ε₀
    #   (log(1 + (e^{ε₀} − 1)(4√(2 log(4/δ))/√((e^{ε₀} + 1)n) + 4/n)), δ)             where the premise or the gain is missing
    #                                                                                 (Feldman, McMillan & Talwar 2023)
    def shuffled(self, count: Quantity, body: Parts) -> Parts:
        if not body[1].is_zero or body[0].is_zero:
            return body
        return (shuffled_epsilon(count, body[0], UNNAMED_DELTA), UNNAMED_DELTA)

    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Parts:
        if inner is Notion.PURE:
            return (body[0], ZERO)
        if slack is None or not inner.info.is_guarantee:
            raise no_slack(inner, "(ε, δ)")
        measure = body[inner.keys.index(inner.measure)]
        if measure.is_zero:
            return self.nothing()
        if measure.is_infinite:
            return self.everything()
        eps = reading_of(inner).with_slack(slack, body)
        if eps is None:
            raise no_slack(inner, "(ε, δ)")
        return (eps, slack)

    @classmethod
    def epsilon_at(cls, price: Parts, numbers: Sequence[float], delta: float, asked: Fraction) -> float:
        own = price[1].evaluate({}, up=True) if isinstance(price[1], Quantity) else numbers[1]
        return numbers[0] if own <= asked else math.inf

    @classmethod
    def loss(cls, given: Given, values: Values) -> Loss:
        return leaky(given.params, values)

    #   σ = s/μ at the largest μ that is (ε, δ)-private (Balle & Wang 2018)
    @classmethod
    def gaussian_shift(cls, params: tuple[Quantity, ...]) -> Part:
        return gaussian_mu(*params)

    @classmethod
    def gaussian_rho(cls, params: tuple[Quantity, ...]) -> Part:
        return product(Quantity.of(1) / 2, square(gaussian_mu(*params)))

    @classmethod
    def gaussian_scale(cls, params: tuple[Quantity, ...], values: Values) -> Fraction:
        return 1 / Fraction(calibrate_mu(*epsilon_delta(params, values)))
