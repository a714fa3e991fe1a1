"""The price of a cost term in a notion, with what it rests on: what ``check`` prints, and what its numbers are.

    price(cost, notion)             = parts under premises, or a refusal that names the smallest part of the term without a price
    settled(cost, notion, values)   = the same of the term with the numbers in it; a premise that is not proved refuses
    numbers(cost, notion, values)   = its parts as numbers

A price is an upper bound on the privacy loss for every valuation under which its premises hold. One walk over the term makes
both, so that a price has the premises of the rules that made it and of no other term: a number comes from the term with the
numbers in it, and so does what it rests on. Only exact quantities and closed forms over them are involved, and neither numpy
nor scipy.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias, assert_never

from attrs import evolve, frozen

from duetpy.accounting import premises
from duetpy.accounting.expressions import Part, Values, whole
from duetpy.accounting.notions.interpretation import (
    CannotPrice,
    Conditional,
    Interpretation,
    Parts,
    Premise,
    Refusal,
    Rule,
    after,
    reading_of,
    under,
)
from duetpy.accounting.rounding import written_down, written_up
from duetpy.by_value import ByValue
from duetpy.depth import DEEPER
from duetpy.typecheck import cost as costs
from duetpy.typecheck.notions import ORDERS, Notion
from duetpy.typecheck.quantity import ONE, Comparison, Quantity, QuantityTooLarge

__all__ = ["Price", "Refusal", "interpretation", "number", "numbers", "price", "settled", "value"]

TOO_LARGE = "the formula is too large to be written; set sizes and parameters to get its number"


@frozen(eq=False, repr=False)
class Price(ByValue):
    """A cost in a notion.

    Parameters
    ----------
    notion
        The notion.
    parts
        Its numbers, in the order of the notion.
    premises
        What it rests on, without what is proved. Where one of these fails, nothing is claimed.
    """

    notion: Notion
    parts: tuple[Part, ...]
    premises: tuple[Premise, ...] = ()

    def unproved(self, values: Values) -> tuple[Premise, ...]:
        """Its premises, but for those that are proved of the numbers given."""
        return tuple(premise for premise in self.premises if premise.at(values) is not True)

    def explains(self, at_numbers: Price, values: Values) -> bool:
        """Whether a settled price is this formula with the numbers in it: these may prove no premise, or allow a better rule."""
        if self.unproved(values):
            return False
        constants = {variable: Quantity.of(number) for variable, number in values.items()}
        pairs = zip(self.parts, at_numbers.parts, strict=True)
        return all(_about(part.substitute(constants), number) for part, number in pairs)

    @property
    def is_infinite(self) -> bool:
        """Whether nothing is protected."""
        return self.parts[self.notion.keys.index(self.notion.measure)].is_infinite

    def show(self, ascii: bool = False) -> dict[str, str]:
        """The parts as text, by their names."""
        return {key: part.show(ascii) for key, part in zip(self.notion.keys, self.parts, strict=True)}


def _about(one: Part, other: Part) -> bool:
    return one == other or math.isclose(one.evaluate_float({}), other.evaluate_float({}), rel_tol=1e-6)


def interpretation(notion: Notion, cost: costs.Cost) -> Interpretation:
    """The notion's reading of a term."""
    return reading_of(notion).of(cost, _priced)


@lru_cache(maxsize=64)
def price(cost: costs.Cost, notion: Notion) -> Price | Refusal:
    """The symbolic price of a term.

    Parameters
    ----------
    cost
        What a program does to one input.
    notion
        The notion to price it in.

    Returns
    -------
    Price or Refusal
        The price with its premises. A refusal names the smallest part of the term for which the notion has no sound rule.
    """
    try:
        found = _priced(cost, interpretation(notion, cost))
        if isinstance(found, Refusal):
            return found
        return Price(notion, found.parts, tuple(each for each in dict.fromkeys(found.premises) if not each.holds))
    except QuantityTooLarge:
        return Refusal(cost, TOO_LARGE)


def _priced(cost: costs.Cost, reading: Interpretation) -> Conditional | Refusal:
    with DEEPER:
        return _from_inside(cost, reading)


def _from_inside(cost: costs.Cost, reading: Interpretation) -> Conditional | Refusal:
    bodies: list[Parts] = []
    counts: list[Quantity] = []
    below: list[Premise] = []
    if not isinstance(cost, costs.Converted | costs.Group | costs.Sampled):
        for child, count, tests in _inside(cost):
            body = _priced(child, reading)
            if isinstance(body, Refusal):
                return body
            bodies.append(body.parts)
            below += [evolve(premise, under=(*tests, *premise.under)) for premise in body.premises]
            counts.append(count)
    try:
        own = premises.own(cost)
        found = _by_rule(cost, reading, bodies, counts)
        return found if isinstance(found, Refusal) else under(found, below, own)
    except CannotPrice as refusal:
        return Refusal(cost, str(refusal))
    except QuantityTooLarge:
        return Refusal(cost, TOO_LARGE)


def _by_rule(
    cost: costs.Cost, reading: Interpretation, bodies: Sequence[Parts], counts: Sequence[Quantity]
) -> Rule | Refusal:
    """What the rule of a constructor makes of the prices inside.

    Raises
    ------
    CannotPrice, QuantityTooLarge
        There is no such rule, or no quantity that could say what it gives.
    """
    match cost:
        case costs.Zero():
            return reading.nothing()
        case costs.NonPrivate():
            return reading.everything()
        case costs.Atom():
            return reading.atom(cost)
        case costs.Given():
            return reading.given(cost)
        case costs.Seq():
            return reading.sequence(list(zip(bodies, counts, strict=True)))
        case costs.Repeat(count=count):
            return reading.sequence([(bodies[0], count)])
        case costs.Advanced(count, slack, _):
            return reading.advanced(count, slack, bodies[0])
        case costs.Choice():
            return reading.choice(bodies)
        case costs.Together():
            return reading.together(bodies)
        case costs.Shuffled(count=count):
            return reading.shuffled(count, bodies[0])
        case costs.Group():
            return reading.grouped(cost, whole(cost.size), _priced)
        case costs.Sampled():
            return reading.subsampled(cost, _priced)
        case costs.Converted():
            return _converted(cost, reading)
        case _:
            assert_never(cost)


Tests: TypeAlias = tuple[Comparison, ...]


def _inside(cost: costs.Cost) -> Iterator[tuple[costs.Cost, Quantity, Tests]]:
    """The costs inside, how often each is charged, and the tests under which it is.

    Equal mechanisms of a sequence are counted instead of repeated, and the branches of all choices in a choice stand side by
    side: the largest of them is found at once.
    """
    match cost:
        case costs.Seq(parts):
            leaves = Counter(part for part in parts if isinstance(part, costs.Atom | costs.Given))
            yield from ((leaf, Quantity.of(times), ()) for leaf, times in leaves.items())
            yield from ((part, ONE, ()) for part in parts if not isinstance(part, costs.Atom | costs.Given))
        case costs.Choice():
            pending: list[tuple[costs.Cost, Tests]] = [(cost, ())]
            while pending:
                here, under = pending.pop()
                if not isinstance(here, costs.Choice):
                    yield here, ONE, under
                    continue
                tests = ((),) * len(here.branches) if here.test is None else ((here.test,), (here.test.opposite(),))
                pending += [(branch, (*under, *test)) for branch, test in zip(here.branches, tests, strict=True)][::-1]
        case _:
            yield from ((child, ONE, ()) for child in costs.children(cost))


def _converted(cost: costs.Converted, reading: Interpretation) -> Conditional | Refusal:
    if reading.notion is cost.inner:
        return _priced(cost.body, reading)
    body = _priced(cost.body, interpretation(cost.inner, cost.body))
    return after(body, lambda parts: reading.converted(cost.inner, cost.slack, parts))


# ---------------------------------------------------------------------------------------------------------------------
# Numbers


def settled(cost: costs.Cost, notion: Notion, values: Values) -> Price | Refusal:
    """The price of a term at numbers: that of the term with the numbers in it, and its premises are proved.

    Also where the formula over the variables would be too large to write, or rests on more.

    Returns
    -------
    Price or Refusal
        A price without variables and without premises. A refusal has the premises that are not proved of these numbers: a
        premise that cannot be decided when all numbers are known does not count as true.

    Raises
    ------
    KeyError
        A variable of the term has no value.
    """
    constants = {variable: Quantity.of(number) for variable, number in values.items()}
    term = costs.substitute(cost, constants)
    for variable in costs.variables(term):
        raise KeyError(variable)
    found = price(term, notion)
    if isinstance(found, Refusal) or not found.premises:
        return found
    why = "; ".join(premise.why for premise in found.premises)
    formula = price(cost, notion)
    # For people, over the variables of the term where the formula rests on the same.
    named = () if isinstance(formula, Refusal) else formula.unproved(values)
    is_same = {premise.why for premise in named} == {premise.why for premise in found.premises}
    return Refusal(
        term, f"its cost depends on a condition that is not certain: {why}", named if is_same else found.premises
    )


def value(found: Price) -> dict[str, float | None]:
    """A settled price as numbers by name, each rounded to the side that claims less; None is ∞.

    Raises
    ------
    KeyError
        A variable of the price has no value.
    ValueError
        The price depends on premises that are not proved, so it is not a bound.
    """
    if found.premises:
        raise ValueError(f"a price under unproved premises has no number: {found.premises[0].show()}")
    return {key: number(part, up=key not in ORDERS) for key, part in zip(found.notion.keys, found.parts, strict=True)}


def number(part: Part, *, up: bool = True) -> float | None:
    """A part without variables as a float whose shortest decimal text is the truth or on the given side of it; None for ∞."""
    if isinstance(part, Quantity):
        exact = part.evaluate({}, up=up)
        if isinstance(exact, Fraction):
            near = written_up(exact) if up else written_down(exact)
            return near if abs(near) < math.inf else None
        return None
    found = part.evaluate_float({}, up=up)
    return None if math.isinf(found) else found


def numbers(cost: costs.Cost, notion: Notion, values: Values) -> dict[str, float | None] | Refusal:
    """The numbers of the price of a term at a valuation; a refusal where it has none, or rests on what is not proved."""
    found = settled(cost, notion, values)
    return found if isinstance(found, Refusal) else value(found)
