"""What a notion must say to price a cost term: one method for each constructor of the term.

A notion is one class in the file of this folder that has its name: `reading_of` finds it there, and no file lists them. What
others ask of a notion they ask by a method: what a price implies in other notions, at a δ or as a loss, and how Gaussian noise is
calibrated.

A price is a tuple of parts in the notion's own order. A rule that is a theorem under premises only returns its price with them,
as a `Conditional`: there is no other way to a premise, so that a price and what it rests on cannot come apart. A method that
has no sound rule, or cannot say what its price rests on, raises `CannotPrice` with a reason and a remedy; the dispatcher in
`duetpy.accounting.price` adds the node.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import ClassVar, TypeAlias

from attrs import frozen

import duetpy.accounting.notions
from duetpy.accounting.expressions import Part, Values, largest, product, smallest, total
from duetpy.accounting.figures import at_most, bound
from duetpy.accounting.losses.losses import Loss
from duetpy.accounting.noise_parameters import lower
from duetpy.accounting.rounding import root_up, written_down, written_up
from duetpy.by_value import ByValue
from duetpy.typecheck.cost import Atom, Cost, Given, Group, Sampled
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ZERO, Comparison, Order, Quantity, QuantityTooLarge, decided

Parts: TypeAlias = tuple[Part, ...]

LONGEST_NUMBER = 20
"""A longer number was computed, and stands in no program."""


@frozen(eq=False, repr=False)
class Premise(ByValue):
    """``left < right`` or ``left ≤ right``, and what that says: a price is a theorem where its premises hold.

    `under` are the tests on static numbers without which the part of the term that rests on it is not reached.
    """

    left: Quantity
    relation: Order
    right: Quantity
    why: str
    under: tuple[Comparison, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether it holds at every valuation; None where neither that nor its opposite is proved."""
        if any(test.proves(self.left, self.relation, self.right) for test in self.under):
            return True
        holds = decided(self.left, self.relation, self.right)
        return None if holds is False and self.under else holds

    def at(self, values: Values) -> bool | None:
        """Whether it holds of the numbers given; None where they do not decide it."""
        if any(test.fails(values) for test in self.under):
            return True
        constants = {variable: Quantity.of(number) for variable, number in values.items()}
        try:
            holds = decided(self.left.substitute(constants), self.relation, self.right.substitute(constants))
        except QuantityTooLarge:
            return None
        is_reached = all(test.opposite().fails(values) for test in self.under)
        return holds if is_reached or holds else None

    def show(self) -> str:
        tests = " and ".join(test.show() for test in self.under)
        shown = f"{_shown(self.left, up=True)} {self.relation} {_shown(self.right, up=False)}"
        return f"{shown} if {tests}" if tests else shown

    @property
    def in_words(self) -> str:
        return f"{self.show()} ({self.why})"


def _shown(side: Quantity, *, up: bool) -> str:
    """A side of a premise. The bits of a number that is computed say nothing: it is rounded to where the premise says more."""
    number, text = side.constant, side.show()
    if number is None or len(text) <= LONGEST_NUMBER:
        return text
    exact = Fraction(number)
    return bound(written_up(exact)) if up else at_most(written_down(exact))


@frozen(eq=False, repr=False)
class Conditional(ByValue):
    """A price that is a theorem where its premises hold."""

    parts: Parts
    premises: tuple[Premise, ...] = ()


Rule: TypeAlias = Parts | Conditional
"""What a rule gives: a price that rests on nothing, or one with what it rests on."""


@frozen(eq=False, repr=False)
class Refusal(ByValue):
    """A cost that a notion cannot price.

    Parameters
    ----------
    node
        The smallest part of the term that has no price.
    reason
        Why, and what to write instead.
    premises
        Where the price rests on what is not proved of the numbers: that, over the variables of the term where these can say it.
    """

    node: Cost
    reason: str
    premises: tuple[Premise, ...] = ()


def under(found: Rule, below: Sequence[Premise], own: Sequence[Premise] = ()) -> Conditional:
    """What a rule gives, with the premises of what it was made of."""
    if isinstance(found, Conditional):
        return Conditional(found.parts, (*own, *found.premises, *below))
    return Conditional(found, (*own, *below))


def after(body: Conditional | Refusal, rule: Callable[[Parts], Rule]) -> Conditional | Refusal:
    """What a rule makes of one price, under what that rests on."""
    return body if isinstance(body, Refusal) else under(rule(body.parts), body.premises)


UNNAMED_DELTA = Quantity.of("1e-6")
"""The δ at which (ε, δ) prices what names no δ of its own; `duetpy.accounting.certify` answers at any other."""


class CannotPrice(Exception):
    """A notion has no sound rule for a constructor; the text says why and what to write instead."""


class Interpretation(ABC):
    """One notion's reading of the cost term."""

    notion: ClassVar[Notion]

    loss_is_exact: ClassVar[bool] = False
    """Whether `loss` is a pair of laws that a trusted cost allows, and not only a bound on their curve."""

    has_pair: ClassVar[bool] = False
    """Whether `implied_rho` is that of a pair of laws which renaming outcomes exchanges, and which dominates what has the price."""

    @classmethod
    def of(cls, cost: Cost, price: Pricer) -> Interpretation:
        """The reading of one term: of a notion that prices at an order, at the term's own."""
        return cls()

    def nothing(self) -> Parts:
        """The price of spending nothing; it holds at every order."""
        return tuple(INFINITY if part.is_order else ZERO for part in self.notion.info.parts)

    def everything(self) -> Parts:
        """The price of releasing the input in the clear."""
        return (INFINITY,) * len(self.notion.info.parts)

    @abstractmethod
    def atom(self, atom: Atom) -> Rule:
        """The price of one run of one mechanism."""

    @abstractmethod
    def given(self, given: Given) -> Rule:
        """The price of a trusted cost, converted where a sound conversion without slack exists."""

    @abstractmethod
    def sequence(self, prices: Sequence[tuple[Parts, Quantity]]) -> Rule:
        """Adaptive composition of prices, each so many times."""

    def advanced(self, count: Quantity, slack: Quantity, body: Parts) -> Rule:
        """Composition with a slack δ′ to spend; a notion that needs none composes as usual."""
        return self.sequence([(body, count)])

    def choice(self, prices: Sequence[Parts]) -> Rule:
        """A public choice: the larger, part by part; of orders the least."""
        return self._by_part(lambda at: largest(*(price[at] for price in prices)), prices)

    def _by_part(self, others: Callable[[int], Part], prices: Iterable[Parts]) -> Parts:
        """The least of each order, and what becomes of the other parts."""
        every = list(prices)
        parts = enumerate(self.notion.info.parts)
        return tuple(smallest(*(each[at] for each in every)) if part.is_order else others(at) for at, part in parts)

    @abstractmethod
    def together(self, prices: Sequence[Parts]) -> Rule:
        """One mechanism of which a change moves several inputs by a step each."""

    @abstractmethod
    def group(self, size: Part, body: Parts) -> Rule:
        """A move by `size` whole steps."""

    @abstractmethod
    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Rule:
        """The body on a random part of the rows."""

    def shuffled(self, count: Quantity, body: Parts) -> Rule:
        """Shuffling is post-processing of the reports, so the cost of one report bounds it."""
        return body

    @abstractmethod
    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Rule:
        """A price in another notion, which is not this one, converted to it."""

    # -------------------------------------------------------------------------------- bodies that other notions price

    def grouped(self, cost: Group, size: Part, price: Pricer) -> Conditional | Refusal:
        """The price of a group of `size` steps, from that of its body."""
        return after(price(cost.body, self), lambda parts: self.group(size, parts))

    def subsampled(self, cost: Sampled, price: Pricer) -> Conditional | Refusal:
        """The price of a sample, from that of its body."""
        return after(price(cost.body, self), lambda parts: self.sampled(cost.scheme, cost.rate, parts))

    # -------------------------------------------------------------------------------- what a price in this notion implies

    @classmethod
    def implied_rho(cls, parts: Parts) -> Part | None:
        """The ρ, at every order; None where it implies none without slack."""
        return None

    @classmethod
    def implied_mu(cls, parts: Parts) -> Part | None:
        """The μ; None where it implies none."""
        return None

    @classmethod
    def with_slack(cls, slack: Quantity, parts: Parts) -> Part | None:
        """The ε at δ = `slack`, of a price that is neither 0 nor ∞; None where it implies none."""
        return None

    @classmethod
    def epsilon_at(cls, price: Parts, numbers: Sequence[float], delta: float, asked: Fraction) -> float:
        """The ε that a price implies at a δ, rounded up; ∞ where it implies none.

        Parameters
        ----------
        price, numbers
            The price, and its parts as numbers that claim no more.
        delta, asked
            The δ as a float that is not above it, and exactly.
        """
        return math.inf

    @classmethod
    @abstractmethod
    def loss(cls, given: Given, values: Values) -> Loss:
        """The worst loss that a trusted cost in this notion allows, or its Rényi curve, at numbers for the variables."""

    # -------------------------------------------------------------------------------- Gaussian noise calibrated in it

    @classmethod
    def gaussian_rho(cls, params: tuple[Quantity, ...]) -> Part | None:
        """ρ = s²/2σ² of Gaussian noise whose parameters are these; None where the notion calibrates none."""
        return None

    @classmethod
    def gaussian_shift(cls, params: tuple[Quantity, ...]) -> Part | None:
        """μ = s/σ of such noise."""
        rho = cls.gaussian_rho(params)
        return (2 * rho).sqrt() if isinstance(rho, Quantity) else None

    @classmethod
    def gaussian_scale(cls, params: tuple[Quantity, ...], values: Values) -> Fraction | None:
        """σ of such noise for a sensitivity of 1, rounded up; raises `ValueError` where a parameter allows none."""
        rho = cls.gaussian_rho(params)
        return root_up(1 / (2 * lower(rho, values))) if isinstance(rho, Quantity) else None

    @classmethod
    def gaussian_formula(cls, params: tuple[Quantity, ...]) -> Quantity | None:
        """The same as a formula; None where there is no closed form."""
        rho = cls.gaussian_rho(params)
        return 1 / (2 * rho).sqrt() if isinstance(rho, Quantity) else None


class Added(Interpretation):
    """A notion in which costs of steps in sequence add up, part by part, at the least of their orders."""

    def sequence(self, prices: Sequence[tuple[Parts, Quantity]]) -> Parts:
        def summed(at: int) -> Part:
            return total([product(count, price[at]) for price, count in prices])

        return self._by_part(summed, (price for price, _ in prices))


Pricer: TypeAlias = Callable[[Cost, Interpretation], Conditional | Refusal]
"""Prices a term in a reading."""


@cache
def reading_of(notion: Notion) -> type[Interpretation]:
    """The class that is the notion's arithmetic, in the file of this folder that is named after the notion."""
    found: type[Interpretation] = next(
        each
        for each in vars(import_module(f"{duetpy.accounting.notions.__name__}.{notion.name.lower()}")).values()
        if isinstance(each, type) and issubclass(each, Interpretation) and getattr(each, "notion", None) is notion
    )
    return found


def no_slack(inner: Notion, outer: str) -> CannotPrice:
    """The refusal of a conversion that does not exist."""
    return CannotPrice(f"a cost in {inner.info.name} implies no cost in {outer}")
