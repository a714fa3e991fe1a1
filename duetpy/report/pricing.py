"""The prices of a program's privacy units: as formulas, as numbers, and as the numeric accountant's certified (ε, δ).

A price is a theorem under its premises. Those of a formula are required where numbers are missing; once all numbers are known,
the price and its premises are those of the term with the numbers in it, and a premise that is not proved of them is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import isinf
from typing import TypeAlias

from attrs import define, evolve, field, frozen

from duetpy.accounting.figures import figure
from duetpy.accounting.gathering import gathered
from duetpy.accounting.guarantees import Pending, settle
from duetpy.accounting.notions.interpretation import Premise
from duetpy.accounting.price import Price, Refusal, price, settled, value
from duetpy.by_value import ByValue, Shown
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.source import Span
from duetpy.typecheck.check import Typed
from duetpy.typecheck.conditions import Obligation, Promise
from duetpy.typecheck.cost import Cost, is_free, is_unbounded, substitute, variables
from duetpy.typecheck.errors import obligations, privacy, promises
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Comparison, KindVar, Quantity, Relation
from duetpy.valuation import Valuation

Numbers: TypeAlias = Mapping[str, float | None]
"""Figures by the notion's own names; None is ∞."""

UNWRITTEN = "?"
"""Stands for a formula that does not exist, or is too large to be written."""


@frozen(eq=False, repr=False)
class Priced(ByValue):
    """The cost of a privacy unit, as formulas and as numbers."""

    shown: Mapping[str, str]
    value: Numbers | None = None
    tight: Numbers | None = None
    method: str = ""


Meaning = tuple[Relation, Quantity, Quantity | None, tuple[Comparison, ...]]


@define(eq=False, repr=False)
class Pricing(Shown):
    """The prices of a program's privacy units, with what they require and what was refused on the way."""

    typed: Typed
    notion: Notion
    values: Valuation
    delta: Fraction | None
    diagnostics: list[Diagnostic]
    open: dict[Meaning, Obligation] = field(factory=dict)
    broken: set[Meaning] = field(factory=set)

    @staticmethod
    def of(typed: Typed, notion: Notion, values: Valuation, delta: Fraction | None = None) -> Pricing:
        """The prices of a program whose side conditions are settled as far as its numbers go."""
        pricing = Pricing(typed, notion, values, delta, list(typed.diagnostics))
        for obligation in typed.obligations:
            pricing.demand(obligation)
        return pricing

    @property
    def is_refused(self) -> bool:
        return any(diagnostic.is_error for diagnostic in self.diagnostics)

    @property
    def pending(self) -> list[Obligation]:
        """What the numbers do not settle, each said once: nothing that is proved where another one of them holds."""
        kept: dict[Obligation, frozenset[KindVar]] = {}
        for each in self.open.values():
            # Nothing follows from conditions on other numbers, nor from which number divides another.
            named = frozenset[KindVar]() if each.relation == "∣" else each.variables()
            near = [other for other, variables in kept.items() if not named.isdisjoint(variables)]
            if not any(each.follows_from(other) for other in near):
                for other in near:
                    if other.follows_from(each):
                        del kept[other]
                kept[each] = named
        return list(kept)

    def demand(self, obligation: Obligation) -> None:
        """Settle a side condition by the numbers given: it holds, it is refused, or it is left to be required.

        One that no further number can decide is refused.
        """
        holds = obligation.substitute(self.values.quantities).decided()
        if holds:
            return
        if holds is None and not obligation.variables() <= self.values.kinds.keys():
            if obligation.is_of_user:
                self.open.setdefault(_meaning(obligation), obligation)
            return
        self.refuse(obligation, is_false=holds is False)

    def refuse(self, obligation: Obligation, *, is_false: bool) -> None:
        """Say once that a side condition fails of the numbers given, or that it is not certain."""
        if (meaning := _meaning(obligation)) not in self.broken:
            self.broken.add(meaning)
            self.diagnostics.append(_broken(obligation, self.values, is_false=is_false))

    def promised(self) -> tuple[Pending, ...]:
        """What ``ensures`` promises and only further numbers can decide; broken promises are reported."""
        found: dict[Pending, None] = {}
        for promise in self.typed.promises:
            pending, breaches = settle(promise, self.values.kinds)
            found.update(dict.fromkeys(pending))
            for breach in breaches:
                told = promises.broken(
                    breach.span, breach.promised, breach.unit, breach.proved, breach.notes, breach.help
                )
                if told not in self.diagnostics:
                    self.diagnostics.append(told)
        return tuple(found)

    def required(self, promised: Iterable[Pending | Promise]) -> tuple[str, ...]:
        """What is left to be required, each said once."""
        return tuple(dict.fromkeys([*(each.show() for each in self.pending), *(each.show() for each in promised)]))

    def priced(self, cost: Cost) -> Priced:
        """The cost of one unit."""
        cost = gathered(cost)
        found = price(cost, self.notion)
        if not variables(cost) <= self.values.kinds.keys():
            return self.formula(cost, found)
        shown = self.unwritten if isinstance(found, Refusal) else found.show()
        at_numbers = settled(cost, self.notion, self.values.kinds)
        if isinstance(at_numbers, Refusal):
            self.rest(at_numbers.premises)
            if not at_numbers.premises:
                self.diagnostics.append(self.unpriced(at_numbers))
            return Priced(shown)
        if self.is_refused:
            return Priced(shown)
        if not isinstance(found, Refusal) and not found.explains(at_numbers, self.values.kinds):
            shown = self.unwritten if found.unproved(self.values.kinds) else at_numbers.show()
        figures = value(at_numbers)
        return Priced(shown, figures, *self.tightened(cost, figures))

    def formula(self, cost: Cost, found: Price | Refusal) -> Priced:
        """The cost of one unit of which some numbers are missing: a formula, and its conditions are required.
        If there is no formula over all its variables, there may be one with the known numbers.
        """
        if isinstance(found, Refusal) and self.values.kinds:
            found = price(substitute(cost, self.values.quantities), self.notion)
        if isinstance(found, Refusal):
            self.diagnostics.append(self.unpriced(found))
            return Priced(self.unwritten)
        self.rest(found.premises)
        return Priced(found.show())

    @property
    def unwritten(self) -> dict[str, str]:
        return dict.fromkeys(self.notion.keys, UNWRITTEN)

    def rest(self, premises: Iterable[Premise]) -> None:
        """Demand what a price rests on."""
        for obligation in as_obligations(premises, self.place):
            self.demand(obligation)

    def tightened(self, cost: Cost, figures: Numbers) -> tuple[Numbers, str]:
        """The numeric accountant's (ε, δ) at the δ asked for, else at the cost's own, and the method that gave it."""
        if is_unbounded(cost):
            return {"epsilon": None, "delta": None}, ""
        if is_free(cost):
            return {"epsilon": 0.0, "delta": 0.0}, ""
        from duetpy.accounting.certify import DEFAULT_DELTA, tight

        self.hold(figures)
        own = figures.get("delta")
        delta = self.delta if self.delta is not None else Fraction(repr(own)) if own else DEFAULT_DELTA
        found = tight(cost, self.values.kinds, delta)
        return {"epsilon": finite(found.epsilon), "delta": found.delta}, f"{found.kind}: {found.method}"

    def hold(self, figures: Numbers) -> None:
        """Refuse the cost of a whole program whose δ is 1 or more: it guarantees nothing."""
        delta = figures.get("delta")
        if delta is not None and delta >= 1.0:
            self.diagnostics.append(obligations.unguaranteed(self.place, figure(delta)))

    @property
    def place(self) -> Span:
        """Where to point when the cost of a whole program is at fault: at its first mechanism, else at all of it."""
        releases = self.typed.releases
        return releases[0].span if releases else self.typed.file.span

    def unpriced(self, refusal: Refusal) -> Diagnostic:
        return privacy.no_price(self.place, self.notion, refusal.reason)


# ---------------------------------------------------------------------------------------------------------------------
# Obligations


def as_obligations(premises: Iterable[Premise], place: Span) -> list[Obligation]:
    """What prices rest on, as what a program demands at a place."""
    return [Obligation(each.left, each.relation, each.right, each.why, place, each.under) for each in premises]


def _meaning(obligation: Obligation) -> Meaning:
    """What is the same for two side conditions that say the same, as ``b ≤ m`` and ``b/m ≤ 1`` do."""
    left, right = obligation.left, obligation.right
    if right.positive() and right.finite():
        return obligation.relation, left / right, None, obligation.under
    return obligation.relation, left, right, obligation.under


def _broken(obligation: Obligation, values: Valuation, *, is_false: bool) -> Diagnostic:
    """A side condition that fails of the numbers given, or is not certain of them, with the numbers."""
    told = obligation.left.variables() | obligation.right.variables()
    given = [f"{var.name} = {figure(float(values.kinds[var]))}" for var in told if var in values.kinds]
    if is_false:
        diagnostic = obligations.obligation_fails(obligation.span, obligation)
    else:
        diagnostic = obligations.obligation_undecided(obligation.span, obligation)
    return evolve(diagnostic, notes=(f"given {', '.join(sorted(given))}", *diagnostic.notes)) if given else diagnostic


def finite(number: float) -> float | None:
    """A number as reports hold it: None for ∞."""
    return None if isinf(number) else number
