"""Rényi (α, ε): D_α(P‖Q) ≤ ε at one order α (Mironov 2017).

A term is priced at one order: the least of those that its mechanisms name, since Rényi divergence is monotone in α. There
each mechanism has the price of its own curve; a term that names no order has α = ∞, which is pure privacy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from attrs import frozen

from duetpy.accounting import convert, named_functions
from duetpy.accounting.expressions import Part, Values, product, smallest, total
from duetpy.accounting.losses.losses import CurveLoss, Loss
from duetpy.accounting.mechanisms.base import BEYOND, EVERYTHING, line_at
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.notions.interpretation import (
    Added,
    CannotPrice,
    Conditional,
    Parts,
    Premise,
    Pricer,
    Refusal,
    under,
)
from duetpy.accounting.notions.pure import Pure, amplified
from duetpy.accounting.notions.tcdp import Tcdp
from duetpy.accounting.notions.zcdp import Zcdp, only_twins, rho_from, rho_given
from duetpy.typecheck.cost import Atom, Converted, Cost, Given, Group, Repeat, Sampled, Seq, costs_in
from duetpy.typecheck.mechanism_rows import row_of
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ZERO, Quantity, QuantityTooLarge, minimum


def order_of(cost: Cost, price: Pricer) -> Quantity:
    """The least order that the mechanisms and trusted costs of a term name, or that what it converts from tCDP is bounded at.

    It is ∞ where none is named.

    Raises
    ------
    QuantityTooLarge
        The least of the orders is not a plain quantity: there is no order to price the term at.
    """
    named: dict[Quantity, None] = {}
    bounded: list[Quantity] = []
    for here in _visible(cost):
        match here:
            case Atom(_, (alpha, _), Notion.RENYI) | Given(Notion.RENYI, (alpha, _)):
                named[alpha] = None
            case Given(Notion.TCDP, (_, omega)):
                named[omega] = None
            case Converted(Notion.TCDP, body=body) if not isinstance(found := price(body, Tcdp()), Refusal):
                if not isinstance(found.parts[1], Quantity):
                    raise QuantityTooLarge("the least of the orders ω")
                bounded.append(found.parts[1])
    return minimum(minimum(*named) if named else INFINITY, *bounded)


def _visible(cost: Cost) -> Iterator[Cost]:
    """The parts of a term that are priced in Rényi: not what stands inside a conversion from another notion."""
    return costs_in(cost, lambda here: not isinstance(here, Converted) or here.inner is Notion.RENYI)


@frozen
class Renyi(Added):
    """The notion ``renyi`` at one order; a price is α, ε, and Σ nᵢ εᵢ that of a sequence (Mironov 2017, Proposition 1)."""

    order: Quantity

    notion = Notion.RENYI

    @classmethod
    def of(cls, cost: Cost, price: Pricer) -> Renyi:
        return cls(order_of(cost, price))

    def nothing(self) -> Parts:
        return (self.order, ZERO)

    def everything(self) -> Parts:
        return (self.order, INFINITY)

    def atom(self, atom: Atom) -> Parts:
        return (self.order, mechanism_of(atom).renyi(atom, self.order))

    def given(self, given: Given) -> Parts:
        match given.notion:
            case Notion.RENYI:
                return (self.order, given.params[1])  # the order is at most the given one, and D_α is monotone
            case Notion.TCDP:
                return (self.order, product(self.order, given.params[0]))  # the order is at most ω
            case Notion.PURE:
                return (self.order, self._pure(given.params[0]))
            case _:
                return (self.order, line_at(rho_given(given, Notion.RENYI), self.order))

    def _pure(self, eps: Part) -> Part:
        return eps if self.order.is_infinite else named_functions.response_renyi(eps, self.order)

    #   at α = ∞ the logarithms of ratios add
    def together(self, prices: Sequence[Parts]) -> Parts:
        if self.order.is_infinite:
            return (self.order, total([eps for _, eps in prices]))
        raise CannotPrice(
            "one change moves several inputs of one mechanism, which needs other orders than α; make them aligned parameters"
        )

    def group(self, size: Part, body: Parts) -> Parts:
        raise CannotPrice("a move by several steps needs other orders than α")

    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Parts:
        raise CannotPrice("a sampled mechanism needs the whole Rényi curve of its body, but only one order is known")

    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Parts:
        match inner:
            case Notion.PURE:
                return (self.order, self._pure(body[0]))
            case Notion.TCDP:
                return (self.order, line_at(body[0], self.order))  # the order is at most ω
            case _:
                return (self.order, line_at(rho_from(inner, body, Notion.RENYI), self.order))

    #   k²ρ·α: what holds at every order is zCDP; and the largest D_α under kε
    def grouped(self, cost: Group, size: Part, price: Pricer) -> Conditional | Refusal:
        """The smaller of what the ρ of the body and its pure ε give."""
        line, pure = price(cost.body, Zcdp()), price(cost.body, Pure())
        prices: list[Part] = []
        rests: list[Premise] = []
        if not isinstance(pure, Refusal):
            prices.append(self._pure(product(size, pure.parts[0])))
            rests += pure.premises
        if isinstance(line, Refusal):
            if not prices:
                return line
        elif not prices or not self.order.is_infinite:
            prices.append(line_at(product(size, size, line.parts[0]), self.order))
            rests += line.premises
        return Conditional((self.order, smallest(*prices)), tuple(rests))

    #   A sampled law is a mixture over who else is drawn of pairs that are equal or a step of the body apart, and D_α is
    #   quasi-convex: no more than the body costs. Gaussian noise alone has no less than its price here.
    def subsampled(self, cost: Sampled, price: Pricer) -> Conditional | Refusal:
        """The smallest of what the ρ of the body and its pure ε give, and of what the body costs without being sampled."""
        line, pure = price(cost.body, Zcdp()), price(cost.body, Pure())
        prices: list[Part] = []
        rests: list[Premise] = []
        if not isinstance(pure, Refusal):
            prices.append(self.sampled_pure(cost, pure.parts[0])[1])
            rests += pure.premises
        if not isinstance(line, Refusal) and not self.order.is_infinite:
            prices.append(self.sampled_line(cost, line.parts[0])[1])
            rests += line.premises
        if not prices:
            return under(self.sampled(cost.scheme, cost.rate, self.everything()), ())
        if not only_gaussian(cost.body) and not isinstance(whole := price(cost.body, self), Refusal):
            prices.append(whole.parts[1])
            rests += whole.premises
        return Conditional((self.order, smallest(*prices)), tuple(rests))

    #   D_α after sampling, from D_j ≤ ρj of the body at every whole order j ≤ ⌈α⌉
    def sampled_line(self, node: Sampled, rho: Part) -> Parts:
        """The price of a sampled body that is ρ-zCDP."""
        if self.order.is_infinite:
            raise CannotPrice("no mechanism of the program names an order α")
        if node.scheme == "sample":
            return (self.order, named_functions.fixed_size_renyi(self.order, node.rate, rho))
        if only_gaussian(node.body):
            return (self.order, named_functions.poisson_gaussian_renyi(self.order, node.rate, rho))
        if only_twins(node.body):
            return (self.order, named_functions.poisson_twin_renyi(self.order, node.rate, rho))
        return (self.order, named_functions.poisson_renyi(self.order, node.rate, rho))

    #   the largest D_α under what ε is amplified to; of coins, that of randomized response at ε on the rows that are kept
    def sampled_pure(self, node: Sampled, eps: Part) -> Parts:
        """The price of a sampled body whose pure ε is `eps`."""
        if node.scheme == "poisson" and not self.order.is_infinite:
            return (self.order, named_functions.poisson_response_renyi(self.order, node.rate, eps))
        return (self.order, self._pure(amplified(node.rate, eps)))

    #   ε + log(1 − 1/α) − log(δα)/(α − 1) (Canonne, Kamath & Steinke 2020, Proposition 12)
    @classmethod
    def with_slack(cls, slack: Quantity, parts: Parts) -> Part:
        alpha, eps = parts
        return eps if alpha.is_infinite else named_functions.renyi_epsilon(alpha, eps, slack)

    @classmethod
    def epsilon_at(cls, price: Parts, numbers: Sequence[float], delta: float, asked: Fraction) -> float:
        return convert.renyi_epsilon(numbers[0], numbers[1], delta)

    @classmethod
    def loss(cls, given: Given, values: Values) -> Loss:
        alpha = given.params[0].evaluate_float(values, up=False)
        eps = given.params[1].evaluate_float(values, up=True)
        return CurveLoss(math.inf, eps, alpha) if alpha > 1.0 and eps < BEYOND else EVERYTHING

    #   σ = s√(α/(2ε)) (Mironov 2017, Proposition 7)
    @classmethod
    def gaussian_rho(cls, params: tuple[Quantity, ...]) -> Part:
        alpha, eps = params
        return eps / alpha


def _is_continuous_gaussian(atom: Atom) -> bool:
    row = row_of(atom.mechanism)
    return row.is_gaussian and not row.is_whole


def only_gaussian(cost: Cost) -> bool:
    """Whether a term holds no noise but continuous Gaussian noise, in sequence."""
    return all(
        _is_continuous_gaussian(here) if isinstance(here, Atom) else isinstance(here, Seq | Repeat)
        for here in costs_in(cost)
    )
