"""Side conditions: what must hold of static numbers for a judgement to be true.

A condition that mentions the kind variables of a function is a part of the function's type, as its sensitivity is:

    ∀ κs | Φ . τ₁ ⊸[s] τ₂          Φ holds of the numbers that a call puts in for κs

So a condition goes wherever the function goes. A call demands Φ of what it puts in, in the terms of the caller; where one
function stands for another, Φ of the one that is given must follow from Φ of the one that is asked for (`follows`).
What is left at the end mentions the program's own sizes and parameters, and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import ClassVar, TypeAlias

from attrs import evolve, field, frozen

from duetpy.by_value import ByValue
from duetpy.source import Span
from duetpy.typecheck import cost as costs
from duetpy.typecheck.cost import Cost
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, Comparison, Kind, KindVar, Quantity, Relation, decided
from duetpy.typecheck.stated import stated

CELLS = KindVar.fresh("memory", Kind.NAT)
"""How many cells of a table fit in the memory that a run may use."""

LARGEST = KindVar.fresh("largest", Kind.POS)
"""What every static number stays below, so that a run can compute it."""

MACHINE = frozenset({CELLS, LARGEST})
"""Limits of the machine. They have numbers in a run only, and no program can mention them."""

COVERED = Quantity.of(1 << 1000)
"""So many units of rounding (`duetpy.typecheck.context.Context.rounding`) are covered by the margin of the noise: 2^-968 of what
no mechanism takes less than 2^-900 of, with a margin of 2^-40."""

FEW_CELLS = 10_000
"""So many cells always fit."""


@frozen(eq=False, repr=False)
class MeasureOf(KindVar):
    """A number that says something of the type that a type variable `of` stands for: known where the type is."""

    of: KindVar


def cells_of_variable(variable: KindVar) -> Quantity:
    """The cells of a value of a type variable, the same wherever it is mentioned."""
    return Quantity.var(MeasureOf(f"cells({variable.name})", Kind.NAT, -2 * variable.uid, variable))


def growth_of_variable(variable: KindVar) -> Quantity:
    """What `duetpy.typecheck.capacity.growth_of` says of a type variable, the same wherever it is mentioned."""
    return Quantity.var(MeasureOf(f"growth({variable.name})", Kind.NAT, -2 * variable.uid - 1, variable))


@frozen(eq=False, repr=False)
class Obligation(ByValue):
    """``left relation right``: true of the numbers that the program is run with, or the program is refused.

    Parameters
    ----------
    left, relation, right
        What must hold.
    reason, span
        Why, and the place in the program that it comes from. Two obligations that say the same are equal.
    under
        Tests on static numbers around that place: it is not reached where one of them fails, and nothing is demanded.
    """

    left: Quantity
    relation: Relation
    right: Quantity
    reason: str = field(eq=False)
    span: Span = field(eq=False)
    under: tuple[Comparison, ...] = ()

    def variables(self) -> frozenset[KindVar]:
        """The variables that it mentions, those of types included."""
        found = self.left.variables() | self.right.variables()
        sizes = frozenset(each.of if isinstance(each, MeasureOf) else each for each in found)
        return sizes.union(*(test.variables() for test in self.under))

    def substitute(self, mapping: Mapping[KindVar, Quantity]) -> Obligation:
        left, right = self.left.substitute(mapping), self.right.substitute(mapping)
        return evolve(self, left=left, right=right, under=_substituted(self.under, mapping))

    @property
    def is_of_machine(self) -> bool:
        """Whether it compares with a limit of the machine: nothing that a program could require of its user."""
        return not MACHINE.isdisjoint(self.right.variables())

    @property
    def is_of_rounding(self) -> bool:
        """Whether it bounds errors of rounding, which any number of a sensible size does: no report asks it of the user."""
        return self.right == COVERED

    @property
    def is_of_user(self) -> bool:
        """Whether who uses the program has to see to it."""
        return not (self.is_of_machine or self.is_of_rounding)

    def decided(self) -> bool | None:
        """Whether it holds; None where neither that nor its opposite is proved."""
        if is_unreached(self.under):
            return True
        if self.is_of_machine:
            cells = self.left.constant
            fits = CELLS in self.right.variables() and cells is not None and cells <= FEW_CELLS
            return True if fits else None
        if any(test.proves(self.left, self.relation, self.right) for test in self.under):
            return True
        holds = decided(self.left, self.relation, self.right)
        return None if holds is False and self.under else holds

    def follows_from(self, other: Obligation) -> bool:
        """Whether it is proved wherever the other one holds: the order of quantities is transitive."""
        if not set(other.under) <= set(self.under) or "∣" in (self.relation, other.relation):
            return self == other
        is_strong_enough = other.relation == "<" or self.relation == "≤"
        return is_strong_enough and self.left.leq(other.left) and other.right.leq(self.right)

    def show(self, ascii: bool = False) -> str:
        shown = self.stated(ascii)
        tests = " and ".join(test.show(ascii) for test in self.under)
        return f"{shown} if {tests}" if tests else shown

    def stated(self, ascii: bool) -> str:
        """What must hold where the tests do."""
        relation = {"<": "<", "≤": "<=", "∣": "|"}[self.relation] if ascii else self.relation
        return f"{self.left.show(ascii)} {relation} {self.right.show(ascii)}"


@frozen(eq=False, repr=False)
class Growth(Obligation):
    """An obligation on types: how values grow with private rows (`duetpy.typecheck.capacity.growth_of`) is bounded."""

    def stated(self, ascii: bool) -> str:
        names = sorted(each.of.name for each in self.left.variables() if isinstance(each, MeasureOf))
        kept = f"values of {' and '.join(names)}" if names else "what is kept"
        return f"{kept} with no {'sets, ' if self.right == ONE else ''}functions or tables of unknown size"


@frozen(eq=False, repr=False)
class Limit(ByValue):
    """One conjunct of ``ensures``: a part of the cost is at most `bound`.

    Of α and ω it is the order that the guarantee reaches up to: ``α ≤ 10, ε ≤ 1`` promises ε ≤ 1 at every order up to 10.
    """

    letter: str
    bound: Quantity
    span: Span = field(eq=False)

    def show(self, ascii: bool = False) -> str:
        return f"{self.letter} {'<=' if ascii else '≤'} {self.bound.show(ascii)}"


@frozen(eq=False, repr=False)
class Promise(ByValue):
    """What a privacy function promises of its cost; whether it is kept is the accountant's to say.

    Parameters
    ----------
    notion
        The notion that its letters are of.
    limits
        What is promised, all of it of every unit.
    units
        The privacy units of the function by name, with the cost of each.
    under
        As of an `Obligation`.
    """

    notion: Notion
    limits: tuple[Limit, ...]
    units: tuple[tuple[str, Cost], ...]
    under: tuple[Comparison, ...] = ()

    is_of_user: ClassVar[bool] = True

    @property
    def span(self) -> Span:
        return self.limits[0].span

    @property
    def reason(self) -> str:
        return "a privacy function promises this"

    def variables(self) -> frozenset[KindVar]:
        found = {variable for limit in self.limits for variable in limit.bound.variables()}
        for _, cost in self.units:
            found |= costs.variables(cost)
        return frozenset(found).union(*(test.variables() for test in self.under))

    def substitute(self, mapping: Mapping[KindVar, Quantity]) -> Promise:
        limits = tuple(evolve(limit, bound=limit.bound.substitute(mapping)) for limit in self.limits)
        units = tuple((name, costs.substitute(cost, mapping)) for name, cost in self.units)
        return evolve(self, limits=limits, units=units, under=_substituted(self.under, mapping))

    def is_plain(self) -> bool:
        """Whether it is kept whatever the numbers are, by sums of the parameters of mechanisms alone."""
        if self.notion.info.composes is None:  # one with orders: none is compared here
            return False
        letters = self.notion.letters
        known = [stated(cost, self.notion) for _, cost in self.units]
        return all(
            parts is not None and all(parts[letters.index(limit.letter)].leq(limit.bound) for limit in self.limits)
            for parts in known
        )

    def show(self, ascii: bool = False) -> str:
        return ", ".join(limit.show(ascii) for limit in self.limits)


Condition: TypeAlias = Obligation | Promise


def _substituted(tests: tuple[Comparison, ...], mapping: Mapping[KindVar, Quantity]) -> tuple[Comparison, ...]:
    """The tests with numbers put in, without those that certainly hold."""
    return tuple(test for test in (each.substitute(mapping) for each in tests) if not test.opposite().fails({}))


def is_unreached(tests: tuple[Comparison, ...], numbers: Mapping[KindVar, Fraction] | None = None) -> bool:
    """Whether one of the tests around a place certainly fails."""
    return any(test.fails(numbers or {}) for test in tests)


#   Φ′ ∋ φ′ ⊢ φ        by the order on quantities
#   ───────────────────────────────────────────────      or φ is proved of all numbers
#   Φ′ ⊢ φ
def follows(condition: Condition, known: Collection[Condition]) -> bool:
    """Whether a condition is proved of all numbers, or wherever what is known holds."""
    if condition in known:
        return True
    match condition:
        case Obligation():
            if condition.decided():
                return True
            return any(isinstance(each, Obligation) and condition.follows_from(each) for each in known)
        case Promise():
            return condition.is_plain()


#   a ≤ b      b ≤ c under the same tests
#   ──────────────────────────────────────      a, b numerals: only the larger is kept
#   a ≤ c
def strongest(found: Collection[Condition]) -> list[Condition]:
    """Side conditions without those that another one implies: of numerals below the same quantity the largest decides."""
    largest: dict[object, Fraction] = {}
    for condition in found:
        if (numeral := _numeral(condition)) is not None:
            bounded = _bounded(condition)
            largest[bounded] = max(numeral, largest.get(bounded, numeral))
    return [each for each in found if (numeral := _numeral(each)) is None or numeral == largest[_bounded(each)]]


def _numeral(condition: Condition) -> Fraction | None:
    """The number that must lie below a bound, if it is a number."""
    return condition.left.constant if isinstance(condition, Obligation) and condition.relation != "∣" else None


def _bounded(condition: Condition) -> object:
    """What that is, how it is compared, and where."""
    assert isinstance(condition, Obligation)
    return condition.relation, condition.right, condition.under
