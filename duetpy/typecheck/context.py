"""Contexts: by how much each input can move a value.

A context Σ maps inputs to sensitivities. An input (`Root`) is a parameter of a function, a row that a fold or a map is
looking at, or the state of a loop; it has an identity of its own, so no name can shadow another's debt. A variable bound
by ``let`` is no input: it stands for the expression bound to it, with that expression's context. So inlining a ``let``
never changes a sensitivity.

Absent means 0. Aligned parameters are one input.

Three forms on reals round, so that a value may move a little more than Σ says, if an input moves at all. A context counts these
errors as it counts an input of its own, in units of 2^-1968 (`Context.rounding`): what stretches a value stretches them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count

from attrs import field, frozen

from duetpy.by_value import ByValue, Shown
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, KindVar, Quantity, maximum, minimum

_identities = count(1)

MANY = Quantity.of(1 << 64)
"""No table has more rows than this, and no loop more turns."""


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
    """An immutable map from inputs to non-zero sensitivities.

    Parameters
    ----------
    entries
        The sensitivities.
    rounding
        How far rounding moves the value as well, if one of the inputs moves, in units of 2^-1968. For a value that no input moves
        it says nothing; what a function rounds whenever it is called stands in its type (`duetpy.typecheck.types.Fun`).
    """

    entries: Mapping[Root, Quantity] = field(factory=dict)
    rounding: Quantity = ZERO

    @staticmethod
    def of(root: Root) -> Context:
        """The context of a variable: itself, once."""
        return Context({root: ONE})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and (self.entries, self.rounding) == (other.entries, other.rounding)

    def __hash__(self) -> int:
        return hash((frozenset(self.entries.items()), self.rounding))

    def __getitem__(self, root: Root) -> Quantity:
        return self.entries.get(root, ZERO)

    def __bool__(self) -> bool:
        return bool(self.entries)

    def __add__(self, other: Context) -> Context:
        if self.is_empty:
            return other
        if other.is_empty:
            return self
        merged = dict(self.entries)
        for root, quantity in other.entries.items():
            merged[root] = merged[root] + quantity if root in merged else quantity
        return Context(merged, self.rounding + other.rounding)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said: of no input, and of no rounding."""
        return not self.entries and self.rounding.is_zero

    def scaled(self, factor: Quantity) -> Context:
        """Every sensitivity times a factor; 0 drops all."""
        if self.is_empty or factor == ONE:
            return self
        if factor.is_zero:
            return EMPTY
        # Where nothing bounds a factor, no input that is named here is protected, but one that a body binds may be: whatever
        # goes over the rows of a table adds up the errors of so many rows.
        times = MANY if factor.is_infinite else factor
        scaled = {root: factor * quantity for root, quantity in self.entries.items()}
        return Context(scaled, self.rounding if self.rounding.is_zero else times * self.rounding)

    def unbounded(self) -> Context:
        """Every input at ∞."""
        return self.scaled(INFINITY)

    def rounded(self, by: Quantity = ONE) -> Context:
        """A value that is also rounded: each number of a table moves by at most 2^-2046, and the table by one unit as a whole."""
        return self if by.is_zero else Context(self.entries, self.rounding + by)

    def join(self, other: Context) -> Context:
        """The larger sensitivity of two, input by input."""
        if self.is_empty:
            return other
        merged = dict(self.entries)
        for root, quantity in other.entries.items():
            merged[root] = maximum(merged[root], quantity) if root in merged else quantity
        return Context(merged, _larger(self.rounding, other.rounding))

    def without(self, *roots: Root) -> Context:
        if not any(root in self.entries for root in roots):
            return self
        kept = {root: quantity for root, quantity in self.entries.items() if root not in roots}
        return Context(kept, self.rounding)

    def only(self, root: Root) -> Context:
        return Context({root: self.entries[root]}, self.rounding) if root in self.entries else EMPTY

    def map(self, change: Callable[[Quantity], Quantity]) -> Context:
        return Context({root: change(quantity) for root, quantity in self.entries.items()}, self.rounding)

    def capped(self, diameter: Quantity) -> Context:
        """The diameter lemma: distinct values of a separated input are at least 1 apart, so a value of diameter D moves
        by at most D times their distance, whatever the sensitivity found otherwise, and however it is rounded."""
        if diameter.is_zero:
            return EMPTY  # one value: nothing can move it
        if diameter.is_infinite or not any(root.separated for root in self.entries):
            return self
        capped = {
            root: _smaller(quantity, diameter) if root.separated else quantity
            for root, quantity in self.entries.items()
        }
        covers = all(root.separated and diameter.leq(quantity) for root, quantity in self.entries.items())
        return Context(capped, ZERO if covers else self.rounding)

    def substitute(self, mapping: Mapping[KindVar, Quantity]) -> Context:
        if not mapping:
            return self
        entries = self.map(lambda quantity: quantity.substitute(mapping)).entries
        return Context(entries, self.rounding.substitute(mapping))

    def variables(self) -> frozenset[KindVar]:
        found = set(self.rounding.variables())
        for quantity in self.entries.values():
            found |= quantity.variables()
        return frozenset(found)

    def mentions(self, root: Root) -> bool:
        return root in self.entries


EMPTY = Context()


def _larger(one: Quantity, other: Quantity) -> Quantity:
    """The larger of two errors, without a ⊔ where neither rounds."""
    if one.is_zero or other.is_zero:
        return one + other
    return maximum(one, other)


def _smaller(quantity: Quantity, bound: Quantity) -> Quantity:
    """The smaller of two bounds, without writing a ⊓ that the reader would have to resolve when one is plainly smaller."""
    if quantity.is_infinite:
        return bound
    if quantity.leq(bound):
        return quantity
    if bound.leq(quantity):
        return bound
    return minimum(quantity, bound)
