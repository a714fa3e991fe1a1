"""Contexts: by how much each input can move a value.

A context Σ maps inputs to sensitivities. An input (`Root`) is a parameter of a function, a row that a fold or a map is
looking at, or the state of a loop; it has an identity of its own, so no name can shadow another's debt. A variable bound
by ``let`` is no input: it stands for the expression bound to it, with that expression's context. So inlining a ``let``
never changes a sensitivity.

Absent means 0. Aligned parameters are one input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count

from attrs import field, frozen

from duetpy.by_value import ByValue, Shown
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, KindVar, Quantity, maximum, minimum

_identities = count(1)


@frozen(eq=False, repr=False)
class Root(ByValue):
    """One input, equal only to itself.

    Parameters
    ----------
    name
        As the program wrote it; aligned parameters are joined by ``+``.
    separated
        Whether distinct values of it are at least 1 apart; then a value of bounded diameter D is D-sensitive in it.
    identity
        A number of its own.
    """

    name: str = field(eq=False)
    separated: bool = field(eq=False)
    identity: int

    @staticmethod
    def fresh(name: str, *, separated: bool) -> Root:
        return Root(name, separated, next(_identities))


@frozen(eq=False, repr=False)
class Context(Shown):
    """An immutable map from inputs to non-zero sensitivities."""

    entries: Mapping[Root, Quantity] = field(factory=dict)

    @staticmethod
    def of(root: Root) -> Context:
        """The context of a variable: itself, once."""
        return Context({root: ONE})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and self.entries == other.entries

    def __hash__(self) -> int:
        return hash(frozenset(self.entries.items()))

    def __getitem__(self, root: Root) -> Quantity:
        return self.entries.get(root, ZERO)

    def __bool__(self) -> bool:
        return bool(self.entries)

    def __add__(self, other: Context) -> Context:
        if not self.entries:
            return other
        if not other.entries:
            return self
        merged = dict(self.entries)
        for root, quantity in other.entries.items():
            merged[root] = merged[root] + quantity if root in merged else quantity
        return Context(merged)

    def scaled(self, factor: Quantity) -> Context:
        """Every sensitivity times a factor; 0 drops all."""
        if not self.entries or factor == ONE:
            return self
        if factor.is_zero:
            return EMPTY
        return Context({root: factor * quantity for root, quantity in self.entries.items()})

    def unbounded(self) -> Context:
        """Every input at ∞."""
        return Context(dict.fromkeys(self.entries, INFINITY))

    def join(self, other: Context) -> Context:
        """The larger sensitivity of two, input by input."""
        if not self.entries:
            return other
        merged = dict(self.entries)
        for root, quantity in other.entries.items():
            merged[root] = maximum(merged[root], quantity) if root in merged else quantity
        return Context(merged)

    def without(self, *roots: Root) -> Context:
        if not any(root in self.entries for root in roots):
            return self
        return Context({root: quantity for root, quantity in self.entries.items() if root not in roots})

    def only(self, root: Root) -> Context:
        return Context({root: self.entries[root]}) if root in self.entries else EMPTY

    def map(self, change: Callable[[Quantity], Quantity]) -> Context:
        return Context({root: change(quantity) for root, quantity in self.entries.items()})

    def capped(self, diameter: Quantity) -> Context:
        """The diameter lemma: distinct values of a separated input are at least 1 apart, so a value of diameter D moves
        by at most D times their distance, whatever the sensitivity found otherwise."""
        if diameter.is_zero:
            return EMPTY  # one value: nothing can move it
        if diameter.is_infinite or not any(root.separated for root in self.entries):
            return self
        return Context(
            {
                root: _smaller(quantity, diameter) if root.separated else quantity
                for root, quantity in self.entries.items()
            }
        )

    def substitute(self, mapping: Mapping[KindVar, Quantity]) -> Context:
        return self.map(lambda quantity: quantity.substitute(mapping)) if mapping else self

    def variables(self) -> frozenset[KindVar]:
        found: set[KindVar] = set()
        for quantity in self.entries.values():
            found |= quantity.variables()
        return frozenset(found)

    def mentions(self, root: Root) -> bool:
        return root in self.entries


EMPTY = Context()


def _smaller(quantity: Quantity, bound: Quantity) -> Quantity:
    """The smaller of two bounds, without writing a ⊓ that the reader would have to resolve when one is plainly smaller."""
    if quantity.is_infinite:
        return bound
    if quantity.leq(bound):
        return quantity
    if bound.leq(quantity):
        return bound
    return minimum(quantity, bound)
