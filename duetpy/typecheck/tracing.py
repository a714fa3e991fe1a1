"""Contexts that remember how they came about: each operation of the calculus leaves a term next to the number that it found.

Only `why` asks for them. Every context grows out of variables, so a checker that makes the context of each variable a traced one
traces them all, and the rules run as they always do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import field, frozen

from duetpy.by_value import Shown
from duetpy.grammar import ast
from duetpy.typecheck.context import EMPTY, Context, Root
from duetpy.typecheck.quantity import INFINITY, ONE, KindVar, Quantity


@frozen(eq=False, repr=False)
class Use(Shown):
    """A name that stands for the input itself."""

    number: Quantity


@frozen(eq=False, repr=False)
class Captured(Shown):
    """A privacy function looks at the input without being given it, which every call of it would spend."""

    number: Quantity


@frozen(eq=False, repr=False)
class Sum(Shown):
    """The parts move the result independently, side by side."""

    number: Quantity
    parts: tuple[Term, ...]


@frozen(eq=False, repr=False)
class Largest(Shown):
    """One of the parts moves the result."""

    number: Quantity
    parts: tuple[Term, ...]


@frozen(eq=False, repr=False)
class Times(Shown):
    """A rule stretches by a factor."""

    number: Quantity
    factor: Quantity
    part: Term


@frozen(eq=False, repr=False)
class Capped(Shown):
    """The diameter lemma: two values are at most so far apart."""

    number: Quantity
    diameter: Quantity
    part: Term


@frozen(eq=False, repr=False)
class Unbounded(Shown):
    """A rule has no bound for what moves."""

    number: Quantity
    part: Term


@frozen(eq=False, repr=False)
class Changed(Shown):
    """A rule changes the number by itself: it counts whole steps, or gives its variables their values."""

    number: Quantity
    change: Callable[[Quantity], Quantity]
    part: Term


@frozen(eq=False, repr=False)
class Concluded(Shown):
    """The number is the one of an expression."""

    number: Quantity
    node: ast.SExp
    part: Term


Term: TypeAlias = Use | Captured | Sum | Largest | Times | Capped | Unbounded | Changed | Concluded


@frozen(eq=False, repr=False)
class Traced(Context):
    """A context with a term for each of its entries."""

    terms: Mapping[Root, Term] = field(factory=dict)

    def __add__(self, other: Context) -> Context:
        return _merged(self, other, Context.__add__(self, other), Sum)

    def __radd__(self, other: Context) -> Context:
        return _merged(other, self, Context.__add__(other, self), Sum)

    def join(self, other: Context) -> Context:
        return _merged(self, other, Context.join(self, other), Largest)

    def scaled(self, factor: Quantity) -> Context:
        found = Context.scaled(self, factor)
        return self._each(found, lambda number, part: Times(number, factor, part))

    def unbounded(self) -> Context:
        return self._each(Context.scaled(self, INFINITY), Unbounded)

    def rounded(self, by: Quantity = ONE) -> Context:
        return self._each(Context.rounded(self, by), None)

    def without(self, *roots: Root) -> Context:
        return self._each(Context.without(self, *roots), None)

    def only(self, root: Root) -> Context:
        return self._each(Context.only(self, root), None)

    def map(self, change: Callable[[Quantity], Quantity]) -> Context:
        return self._each(Context.map(self, change), lambda number, part: Changed(number, change, part))

    def capped(self, diameter: Quantity) -> Context:
        found = Context.capped(self, diameter)
        return self._each(found, lambda number, part: Capped(number, diameter, part))

    def substitute(self, mapping: Mapping[KindVar, Quantity]) -> Context:
        if not mapping:
            return self
        found = Context.substitute(self, mapping)
        return self._each(found, lambda number, part: Changed(number, lambda each: each.substitute(mapping), part))

    def concluded(self, node: ast.SExp) -> Traced:
        """The same, as what is concluded of an expression."""
        terms = {
            root: term if isinstance(term, Concluded) and term.node is node else Concluded(self[root], node, term)
            for root, term in self.terms.items()
        }
        return Traced(self.entries, self.rounding, terms)

    def _each(self, found: Context, term: Callable[[Quantity, Term], Term] | None) -> Context:
        """What an operation found, each number with the term that it left; a number that it left alone keeps its own."""
        if found is self or not found.entries:
            return found
        terms = {
            root: self.terms[root] if term is None or number is self.entries[root] else term(number, self.terms[root])
            for root, number in found.entries.items()
        }
        return Traced(found.entries, found.rounding, terms)


def _merged(one: Context, other: Context, found: Context, made: type[Sum | Largest]) -> Context:
    """What an operation on two contexts found. Inputs of which only one of them says something keep their term."""
    if found is one or found is other:
        return found
    terms: dict[Root, Term] = {}
    for root, number in found.entries.items():
        parts = tuple([side.terms[root] for side in (one, other) if isinstance(side, Traced) and root in side.terms])
        terms[root] = parts[0] if len(parts) == 1 else made(number, parts)
    return Traced(found.entries, found.rounding, terms)


def of_variable(context: Context, node: ast.SExp) -> Context:
    """The context of a name, traced: of a parameter it is a use of it, of a name for an expression what that left."""
    if not context.entries:
        return EMPTY
    if isinstance(context, Traced):
        return context.concluded(node)
    uses: dict[Root, Term] = {root: Use(number) for root, number in context.entries.items()}
    return Traced(context.entries, context.rounding, uses).concluded(node)
