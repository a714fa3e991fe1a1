"""The value of a public number at which a program spends a budget and no more, as a value, as text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from attrs import field, frozen

from duetpy.accounting.budget import Budget
from duetpy.accounting.calibrate import Forbidden, Found, NoCalibration, Spending, search
from duetpy.accounting.certify import DEFAULT_DELTA, bounds, tight
from duetpy.accounting.price import Refusal, numbers
from duetpy.accounting.rounding import float_up
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.diagnostics.markup import block
from duetpy.report.check_text import numbers_text
from duetpy.report.comparison import protected
from duetpy.report.numbers import at_most
from duetpy.report.pricing import Numbers, Pricing, finite
from duetpy.settings import SettingError, or_else, resolve
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import Cost, variables
from duetpy.typecheck.errors import obligations
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Kind, KindVar, Quantity
from duetpy.valuation import declared, valuation


@frozen
class Calibration:
    """The value that spends a budget.

    Parameters
    ----------
    vary
        What was varied, as the program writes it.
    value
        Its value: a whole number where it is one.
    budget
        The budget.
    unit
        The privacy unit that spends most of it.
    cost
        What that unit is charged in the program's notion; None where the notion has no price for it.
    tight
        Its certified (ε, δ).
    spent
        The share of the budget that is spent, at most 1.
    """

    vary: str
    value: int | float
    budget: Budget
    unit: str
    cost: Numbers | None
    tight: Numbers
    spent: float
    units: Mapping[str, tuple[Numbers | None, Numbers]] = field(factory=dict)

    def __repr__(self) -> str:
        return f"<Calibration {visible(self.vary)} = {self.value!r}: {_share(self)}>"

    def _repr_html_(self) -> str:
        return block(calibration_text(self))


@frozen
class _Program:
    """A program with all numbers given but one."""

    typed: Typed
    settings: Mapping[str, object]
    name: str
    budget: Budget

    def kinds(self, value: Fraction) -> dict[KindVar, Fraction]:
        return valuation(self.typed.type, {**self.settings, self.name: value}).kinds

    def spend(self, value: Fraction, quick: bool) -> Spending:
        """The largest share of the budget over the units; a value that breaks a side condition is forbidden."""
        kinds = self.kinds(value)
        forbidden = self.forbidden(value)
        if forbidden is not None:
            return forbidden
        most = 0.0
        for name, _, _, cost in protected(self.typed):
            unset = variables(cost) - set(kinds)
            if unset:
                needed = " ".join(f"--set {var.name}=…" for var in sorted(unset, key=lambda var: var.name))
                raise NoCalibration(f"to compute the cost of {name}, give more numbers: {needed}")
            at = self.measured(cost, kinds, quick)
            if isinstance(at, Forbidden):
                return at
            # A number is what its shortest decimal says, which is not below the truth.
            most = max(most, math.inf if at == math.inf else float_up(Fraction(repr(at)) / self.budget.amount))
        return most

    def forbidden(self, value: Fraction) -> Forbidden | None:
        """The side condition of the program that a value breaks."""
        constants = {var: Quantity.of(number) for var, number in self.kinds(value).items()}
        for obligation in self.typed.obligations:
            here = obligation.substitute(constants)
            holds = here.decided()
            if holds is None and not here.variables():
                holds = False  # all numbers are there and it is not proved: nothing rests on it
            if holds is False:
                return Forbidden(f"{obligation.show()}, because {obligation.reason}", gap=obligation.relation == "∣")
        return None

    def measured(self, cost: Cost, kinds: Mapping[KindVar, Fraction], quick: bool) -> Spending:
        """The certified cost of a unit in the notion of the budget.

        A value is no answer where the program's own price is not proved either: `check` and `run` would refuse it.
        """
        notion, own = self.budget.notion, numbers(cost, self.typed.notion, kinds)
        if isinstance(own, Refusal) and own.premises:
            return Forbidden(own.premises[0].why)
        if notion is Notion.APPROX:
            found = bounds(cost, kinds, self.budget.delta, quick=quick)[-1]
            if found.conditions:
                return Forbidden(found.conditions[0])
            return found.epsilon
        price = own if notion is self.typed.notion else numbers(cost, notion, kinds)
        if isinstance(price, Refusal):
            if price.premises:
                return Forbidden(price.premises[0].why)
            raise NoCalibration(f"the program has no cost in the notion of the budget: {price.reason}")
        amount = price[notion.measure]
        return math.inf if amount is None else amount


def calibrate(typed: Typed, settings: Mapping[str, object], vary: str, budget: Budget) -> Calibration:
    """The value of a number at which a program spends a budget.

    Parameters
    ----------
    typed
        The checked program.
    settings
        All its other numbers.
    vary
        The name of the number: a size or a parameter.
    budget
        What may be spent.

    Raises
    ------
    DuetError
        Where no value can be found, with the reason.
    SettingError
        Where `vary` is no number of the program, or is given already.
    """
    _hold(typed, settings)
    names = declared(typed.type)
    name = resolve(vary, names.names)
    if name is None:
        offered = ", ".join(visible(each) for each in names.kinds) or "nothing"
        raise SettingError(f"unknown name {visible(vary)}{or_else(vary, names.kinds)}; you can vary {offered}")
    if any(resolve(given, names.names) == name for given in settings):
        raise SettingError(f"{visible(name)} has a value already, so it cannot be varied")
    if not names.kinds.get(name) or not list(protected(typed)):
        raise _impossible(typed, f"the cost does not depend on {visible(name)}")
    program = _Program(typed, settings, name, budget)
    whole = names.kinds[name][0].kind is Kind.NAT
    try:
        found = search(program.spend, whole=whole, name=visible(name))
    except NoCalibration as reason:
        raise _impossible(typed, str(reason)) from None
    return _calibration(program, found, whole)


def _hold(typed: Typed, settings: Mapping[str, object]) -> None:
    """Refuse what the other numbers break already."""
    pricing = Pricing.of(typed, typed.notion, valuation(typed.type, settings))
    if pricing.is_refused:
        raise DuetError(pricing.diagnostics)


def _impossible(typed: Typed, reason: str) -> DuetError:
    span = typed.releases[0].span if typed.releases else typed.file.span
    return DuetError([obligations.no_value(span, reason)])


def _calibration(program: _Program, found: Found, whole: bool) -> Calibration:
    typed, budget = program.typed, program.budget
    kinds = program.kinds(found.value)
    delta = budget.delta if budget.notion.info.bounds_ratio else DEFAULT_DELTA
    units: dict[str, tuple[Numbers | None, Numbers]] = {}
    shares: dict[str, float] = {}
    for name, _, _, cost in protected(typed):
        own = numbers(cost, typed.notion, kinds)
        bound = tight(cost, kinds, delta)
        units[name] = (
            None if isinstance(own, Refusal) else own,
            {"epsilon": finite(bound.epsilon), "delta": bound.delta},
        )
        share = program.measured(cost, kinds, False)
        shares[name] = share if isinstance(share, float) else math.inf
    worst = max(shares, key=shares.__getitem__)
    cost_numbers, tight_numbers = units[worst]
    value = int(found.value) if whole else float(found.value)
    return Calibration(program.name, value, budget, worst, cost_numbers, tight_numbers, found.spent, units)


def calibration_text(found: Calibration, *, of_ledger: bool = False) -> str:
    """A calibration for people; of what is left of a ledger with how to run, since a run is charged at its own δ otherwise."""
    value = str(found.value) if isinstance(found.value, int) else repr(found.value)
    lines = [f"{visible(found.vary)} = {value}\n"]
    lines.append(f"  budget   {_budget(found)}\n")
    if found.cost is not None:
        lines.append(f"  cost     {numbers_text(found.cost)}   of {visible(found.unit)}, in the program's notion\n")
    lines.append(f"  tight    {numbers_text(found.tight)}\n")
    lines.append(f"  spends   {100 * found.spent:.6g} % of the budget\n")
    if of_ledger and found.budget.delta:
        lines.append(f"  run      with --delta {_exact(found.budget.delta)}, so that the ledger is charged at this δ\n")
    return "".join(lines)


def _budget(found: Calibration) -> str:
    return ", ".join(f"{name} = {at_most(number)}" for name, number in found.budget.numbers.items())


def _share(found: Calibration) -> str:
    return f"spends {100 * found.spent:.6g} % of {_budget(found)}"


def _exact(number: Fraction) -> str:
    """A number as a setting is read."""
    shortest = repr(float(number))
    return shortest if Fraction(shortest) == number else str(number)


def calibration_value(found: Calibration) -> dict[str, Any]:
    """A calibration as a value that ``json`` can write; ``cost`` and ``tight`` are those of the unit that spends most."""
    return {
        "vary": found.vary,
        "value": found.value,
        "cost": None if found.cost is None else dict(found.cost),
        "tight": dict(found.tight),
        "unit": found.unit,
        "budget": found.budget.numbers,
        "units": {
            name: {"cost": None if cost is None else dict(cost), "tight": dict(certified)}
            for name, (cost, certified) in found.units.items()
        },
    }
