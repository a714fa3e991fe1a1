"""What a notion must say to price a cost term: one method for each constructor of the term.

A price is a tuple of parts in the notion's own order. A rule that is a theorem under premises only returns its price with them,
as a `Conditional`: there is no other way to a premise, so that a price and what it rests on cannot come apart. A method that
has no sound rule, or cannot say what its price rests on, raises `CannotPrice` with a reason and a remedy; the dispatcher in
`duetpy.accounting.price` adds the node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeAlias

from attrs import frozen

from duetpy.accounting.expressions import Part, Values
from duetpy.typecheck.cost import Atom, Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Comparison, Order, Quantity, QuantityTooLarge, decided

Parts: TypeAlias = tuple[Part, ...]


@frozen
class Premise:
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
        holds = decided(self.left, self.relation, self.right)
        return None if holds is False and self.under else holds

    def at(self, values: Values) -> bool | None:
        """Whether it holds of the numbers given; None where they do not decide it."""
        if any(test.fails(values) for test in self.under):
            return True
        constants = {variable: Quantity.of(number) for variable, number in values.items()}
        try:
            return decided(self.left.substitute(constants), self.relation, self.right.substitute(constants))
        except QuantityTooLarge:
            return None

    def show(self) -> str:
        tests = " and ".join(test.show() for test in self.under)
        shown = f"{self.left.show()} {self.relation} {self.right.show()}"
        return f"{shown} if {tests}" if tests else shown


@frozen
class Conditional:
    """A price that is a theorem where its premises hold."""

    parts: Parts
    premises: tuple[Premise, ...] = ()


Rule: TypeAlias = Parts | Conditional
"""What a rule gives: a price that rests on nothing, or one with what it rests on."""

UNNAMED_DELTA = Quantity.of("1e-6")
"""The δ at which (ε, δ) prices what names no δ of its own; `duetpy.accounting.certify` answers at any other."""


class CannotPrice(Exception):
    """A notion has no sound rule for a constructor; the text says why and what to write instead."""


class Interpretation(ABC):
    """One notion's reading of the cost term."""

    notion: ClassVar[Notion]

    @abstractmethod
    def nothing(self) -> Parts:
        """The price of spending nothing."""

    @abstractmethod
    def everything(self) -> Parts:
        """The price of releasing the input in the clear."""

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

    @abstractmethod
    def choice(self, prices: Sequence[Parts]) -> Rule:
        """A public choice: the larger, part by part."""

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
        """A price in another notion, converted to this one."""


def no_slack(inner: Notion, outer: str) -> CannotPrice:
    """The refusal of a conversion that does not exist."""
    return CannotPrice(f"a price in {inner.info.name} implies none in {outer}")
