"""Budgets: how much may be spent, in one notion, as exact numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from attrs import frozen

from duetpy.accounting.rounding import written_down
from duetpy.diagnostics.display import visible
from duetpy.settings import SettingError, parse_number
from duetpy.typecheck.notions import Notion

NAMES = {
    "epsilon": "epsilon",
    "eps": "epsilon",
    "ε": "epsilon",
    "delta": "delta",
    "δ": "delta",
    "rho": "rho",
    "ρ": "rho",
    "mu": "mu",
    "μ": "mu",
}
"""What the numbers of a budget may be called."""

ZERO = Fraction(0)

LEAST, MOST = Fraction(1, 10**100), Fraction(10**100)
"""Between these a number and its square are doubles, so that whatever is said of a budget can be written."""


@frozen
class Budget:
    """What may be spent: ε at a δ (none: pure), ρ or μ."""

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
        match self.notion:
            case Notion.ZCDP:
                return {"rho": self.amount}
            case Notion.GDP:
                return {"mu": self.amount}
            case _:
                return {"epsilon": self.amount, "delta": self.delta}


@frozen
class Charge:
    """What one run spends, in a budget's notion: an upper bound on its price, exactly."""

    amount: Fraction
    delta: Fraction = ZERO


def covers(budget: Budget, charges: Iterable[Charge]) -> bool:
    """Whether a budget covers charges together, each chosen after the ones before it were answered.

    Basic composition of ε and δ is a filter (Rogers, Roth, Ullman and Vadhan 2016, section 4), and so are the sum of ρ
    (Feldman and Zrnic 2021) and of μ² (Smith and Thakurta 2022). The sums are exact.
    """
    spent = total(budget.notion, charges)
    limit = budget.amount**2 if budget.notion is Notion.GDP else budget.amount
    return spent.amount <= limit and spent.delta <= budget.delta


def total(notion: Notion, charges: Iterable[Charge]) -> Charge:
    """All charges together, exactly; of μ it is the sum of the squares."""
    held = list(charges)
    square = notion is Notion.GDP
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
    if names == {"rho"}:
        return Budget(Notion.ZCDP, found["rho"])
    if names == {"mu"}:
        return Budget(Notion.GDP, found["mu"])
    if names == {"epsilon"} or (names == {"epsilon", "delta"} and found["delta"] == 0):
        return Budget(Notion.PURE, found["epsilon"])
    if names == {"epsilon", "delta"} and found["delta"] < 1:
        return Budget(Notion.APPROX, found["epsilon"], found["delta"])
    raise SettingError("a budget must be epsilon=…, with or without delta=… below 1, or rho=…, or mu=…")
