"""Rényi (α, ε): D_α(P‖Q) ≤ ε at one order α (Mironov 2017).

A term is priced at one order: the least of those that its mechanisms name, since Rényi divergence is monotone in α. There
each mechanism has the price of its own curve; a term that names no order has α = ∞, which is pure privacy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from duetpy.accounting.expressions import Part, largest, product, total
from duetpy.accounting.losses.twins import only_twins
from duetpy.accounting.mechanisms.base import line_at
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.named_functions import (
    fixed_size_renyi,
    poisson_gaussian_renyi,
    poisson_renyi,
    poisson_response_renyi,
    poisson_twin_renyi,
    response_renyi,
)
from duetpy.accounting.notions.interpretation import CannotPrice, Interpretation, Parts
from duetpy.accounting.notions.pure import amplified
from duetpy.accounting.notions.zcdp import rho_from, rho_given
from duetpy.typecheck.cost import Atom, Converted, Cost, Given, Repeat, Sampled, Seq, costs_in
from duetpy.typecheck.mechanism_rows import row_of
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ZERO, Quantity, minimum


def least_order(cost: Cost) -> Quantity:
    """The least order that the mechanisms and trusted costs of a term name; ∞ where none does."""
    found: dict[Quantity, None] = {}
    for here in _visible(cost):
        match here:
            case Atom(_, (alpha, _), Notion.RENYI) | Given(Notion.RENYI, (alpha, _)):
                found[alpha] = None
            case Given(Notion.TCDP, (_, omega)):
                found[omega] = None
    return minimum(*found) if found else INFINITY


def converted_within(cost: Cost, inner: Notion) -> list[Converted]:
    """What a term converts from another notion, on its own level."""
    return [here for here in _visible(cost) if isinstance(here, Converted) and here.inner is inner]


def _visible(cost: Cost) -> Iterator[Cost]:
    """The parts of a term that are priced in Rényi: not what stands inside a conversion from another notion."""
    return costs_in(cost, lambda here: not isinstance(here, Converted) or here.inner is Notion.RENYI)


@frozen
class Renyi(Interpretation):
    """The notion ``renyi`` at one order; a price is α, ε."""

    order: Quantity

    notion = Notion.RENYI

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
        return eps if self.order.is_infinite else response_renyi(eps, self.order)

    #   Σ nᵢ εᵢ at one order (Mironov 2017, Proposition 1)
    def sequence(self, prices: Sequence[tuple[Parts, Quantity]]) -> Parts:
        return (self.order, total([product(count, price[1]) for price, count in prices]))

    def choice(self, prices: Sequence[Parts]) -> Parts:
        return (self.order, largest(*(price[1] for price in prices)))

    def together(self, prices: Sequence[Parts]) -> Parts:
        raise CannotPrice(
            "one change moves several inputs of one mechanism, which needs other orders than α; make them aligned parameters"
        )

    def group(self, size: Part, body: Parts) -> Parts:
        raise CannotPrice("a move by several steps needs other orders than α")

    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Parts:
        raise CannotPrice("a sampled mechanism needs the whole Rényi curve of what it runs, and one order is known")

    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Parts:
        match inner:
            case Notion.RENYI:
                return body
            case Notion.PURE:
                return (self.order, self._pure(body[0]))
            case Notion.TCDP:
                return (self.order, line_at(body[0], self.order))  # the order is at most ω
            case _:
                return (self.order, line_at(rho_from(inner, body, Notion.RENYI), self.order))

    #   k²ρ·α: what holds at every order is zCDP
    def group_of_line(self, size: Part, rho: Part) -> Parts:
        """The price of a move by `size` steps of what is ρ-zCDP."""
        return (self.order, line_at(product(size, size, rho), self.order))

    #   D_α after sampling, from D_j ≤ ρj of the body at every whole order j ≤ ⌈α⌉
    def sampled_line(self, node: Sampled, rho: Part) -> Parts:
        """The price of a sampled body that is ρ-zCDP."""
        if self.order.is_infinite:
            raise CannotPrice("no mechanism of the program names an order α")
        if node.scheme == "sample":
            return (self.order, fixed_size_renyi(self.order, node.rate, rho))
        if only_gaussian(node.body):
            return (self.order, poisson_gaussian_renyi(self.order, node.rate, rho))
        if only_twins(node.body):
            return (self.order, poisson_twin_renyi(self.order, node.rate, rho))
        return (self.order, poisson_renyi(self.order, node.rate, rho))

    #   the largest D_α under what ε is amplified to; of coins, that of randomized response at ε on the rows that are kept
    def sampled_pure(self, node: Sampled, eps: Part) -> Parts:
        """The price of a sampled body whose pure ε is `eps`."""
        if node.scheme == "poisson" and not self.order.is_infinite:
            return (self.order, poisson_response_renyi(self.order, node.rate, eps))
        return (self.order, self._pure(amplified(node.rate, eps)))


def _is_continuous_gaussian(atom: Atom) -> bool:
    row = row_of(atom.mechanism)
    return row.is_gaussian and not row.is_whole


def only_gaussian(cost: Cost) -> bool:
    """Whether a term holds no noise but continuous Gaussian noise, in sequence."""
    return all(
        _is_continuous_gaussian(here) if isinstance(here, Atom) else isinstance(here, Seq | Repeat)
        for here in costs_in(cost)
    )
