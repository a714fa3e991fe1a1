"""Budgets: how much may be spent, in one notion, as exact numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from attrs import frozen

from duetpy.accounting.rounding import written_down
from duetpy.by_value import ByValue
from duetpy.diagnostics.display import visible
from duetpy.grammar.spelling import GREEK
from duetpy.settings import SettingError, parse_number
from duetpy.typecheck.notions import Notion

KEPT = tuple(notion for notion in Notion if notion.info.composes is not None)
"""The notions in which a budget may be stated: those whose costs add up, part by part."""

NAMES = {
    name: part.key
    for notion in KEPT
    for part in notion.info.parts
    for name in (part.key, GREEK[part.letter], part.letter)
}
"""What the numbers of a budget may be called."""

ZERO = Fraction(0)

LEAST, MOST = Fraction(1, 10**100), Fraction(10**100)
"""Between these a number and its square are doubles, so that whatever is said of a budget can be written."""


@frozen(eq=False, repr=False)
class Budget(ByValue):
    """What may be spent: ε at a δ (none: pure), ρ, μ or their like."""

    notion: Notion
    amount: Fraction
    delta: Fraction = ZERO

    @property
    def numbers(self) -> dict[str, float]:
        """The budget as numbers by name, rounded down."""
        return {name: written_down(number) for name, number in self.exact.items()}

    @property
    def exact(self) -> dict[str, Fraction]:
        """The budget by name, exactly."""
        named = {self.notion.measure: self.amount}
        return {**named, "delta": self.delta} if self.notion.info.bounds_ratio else named


@frozen(eq=False, repr=False)
class Charge(ByValue):
    """What one run spends, in a budget's notion: an upper bound on its price, exactly."""

    amount: Fraction
    delta: Fraction = ZERO


def covers(budget: Budget, charges: Iterable[Charge]) -> bool:
    """Whether a budget covers charges together, each chosen after the ones before it were answered.

    Basic composition of ε and δ is a filter (Rogers, Roth, Ullman and Vadhan 2016, section 4), and so are the sum of ρ
    (Feldman and Zrnic 2021) and of μ² (Smith and Thakurta 2022). The sums are exact.
    """
    spent = total(budget.notion, charges)
    limit = budget.amount**2 if adds_squares(budget.notion) else budget.amount
    return spent.amount <= limit and spent.delta <= budget.delta


def adds_squares(notion: Notion) -> bool:
    """Whether what adds up is the square of what is spent."""
    return notion.info.composes == "squares"


def total(notion: Notion, charges: Iterable[Charge]) -> Charge:
    """All charges together, exactly; of μ it is the sum of the squares."""
    held = list(charges)
    square = adds_squares(notion)
    return Charge(
        exact_sum(charge.amount**2 if square else charge.amount for charge in held),
        exact_sum(charge.delta for charge in held),
    )


def exact_sum(numbers: Iterable[Fraction]) -> Fraction:
    """The sum: numbers of one denominator, of which there are many, are added as integers first."""
    numerators: dict[int, int] = {}
    for number in numbers:
        numerators[number.denominator] = numerators.get(number.denominator, 0) + number.numerator
    return sum((Fraction(above, below) for below, above in numerators.items()), ZERO)


def parse_budget(text: str) -> Budget:
    """``epsilon=1,delta=1e-6``, ``epsilon=1``, ``rho=0.5`` or ``mu=1``; raises `SettingError`."""
    found: dict[str, Fraction] = {}
    for part in text.split(","):
        name, equals, number = part.partition("=")
        key = NAMES.get(name.strip())
        if not equals or key is None:
            raise SettingError(
                f"not a valid budget: '{visible(text)}'; write epsilon=1,delta=1e-6 or epsilon=1, rho=0.5, mu=1"
            )
        if key in found:
            raise SettingError(f"{key} is given twice")
        found[key] = parse_number(number.strip())
    return budget_of(found)


def budget_of(found: Mapping[str, Fraction]) -> Budget:
    """A budget from its numbers by name; raises `SettingError`."""
    names = set(found)
    if any(number < 0 or (number == 0 and name != "delta") for name, number in found.items()):
        raise SettingError("a budget must be positive")
    if any(number and not LEAST <= number <= MOST for number in found.values()):
        raise SettingError("a budget must be between 1e-100 and 1e100")
    delta = found.get("delta", ZERO)
    for notion in KEPT:
        if names - ({"delta"} if delta == 0 and notion.info.bounds_ratio else set()) == set(notion.keys) and delta < 1:
            return Budget(notion, found[notion.measure], delta)
    others = "".join(f", or {notion.measure}=…" for notion in KEPT if not notion.info.bounds_ratio)
    raise SettingError(f"a budget must be epsilon=…, with or without delta=… below 1{others}")
