"""The value of a public number at which a program spends a budget, or has an error, and no more; as text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from duetpy.accounting.budget import Budget
from duetpy.accounting.calibrate import BUDGET, ERROR, Forbidden, Found, NoCalibration, Spending, search
from duetpy.accounting.certify import DEFAULT_DELTA, bounds, tight
from duetpy.accounting.figures import at_most, bound
from duetpy.accounting.guarantees import settle
from duetpy.accounting.mechanisms.table import LAWS
from duetpy.accounting.price import Refusal, numbers
from duetpy.accounting.rounding import float_up, written_down, written_up
from duetpy.diagnostics.display import given_with_set, visible
from duetpy.diagnostics.error import DuetError
from duetpy.diagnostics.markup import block
from duetpy.report.check_text import numbers_text
from duetpy.report.comparison import protected
from duetpy.report.error_goal import ErrorGoal, needed_text
from duetpy.report.noise import error_of
from duetpy.report.premises import Premises, premises_value
from duetpy.report.pricing import Numbers, Pricing, finite
from duetpy.report.verdict import state
from duetpy.settings import SettingError, or_else, resolve
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import Cost, variables
from duetpy.typecheck.errors import obligations
from duetpy.typecheck.notions import LETTERS, Notion
from duetpy.typecheck.quantity import Kind, KindVar, Quantity
from duetpy.valuation import Valuation, declared, valuation

if TYPE_CHECKING:
    from duetpy.report.picture import Picture


STEPS = 12
"""How many points a curve has on either side."""


@frozen
class Calibration:
    """The value that spends a budget, or that has an error.

    Parameters
    ----------
    vary
        What was varied, as the program writes it.
    value
        Its value; a size is a whole number.
    budget
        The budget, or the error.
    unit
        The privacy unit that spends most.
    cost
        What that unit is charged in the program's notion; None where the notion has no price for it.
    tight
        Its certified (ε, δ).
    spent
        The share of the budget that is spent, or the error as a share of that, at most 1.
    units
        Of every unit what it is charged, and its certified (ε, δ).
    error95
        How far a number may be off in 95 of 100 runs, if an error was asked for.
    of
        The release whose error that is, if there are several.
    premises
        What the costs rest on.
    """

    vary: str
    value: int | float
    budget: Budget | ErrorGoal
    unit: str
    cost: Numbers | None
    tight: Numbers
    spent: float
    units: Mapping[str, tuple[Numbers | None, Numbers]] = field(factory=dict)
    error95: float | None = None
    of: str = ""
    premises: Premises = field(factory=Premises, eq=False)
    program: _Program | None = field(default=None, repr=False, eq=False)

    def plot(self) -> Picture:
        """The error of each release against the number that was varied; raises `Unplottable`, a `ValueError`, without matplotlib,
        or if no error is known."""
        from duetpy.report.pictures import errors

        goal = float(self.budget.amount) if isinstance(self.budget, ErrorGoal) else None
        value = Fraction(repr(self.value))
        curves = {} if self.program is None else self.program.curves(value)
        if not curves and self.program is not None:
            self.program.demand_errors(value)
        return errors(self.vary, float(self.value), curves, goal)

    def __repr__(self) -> str:
        return f"<Calibration {visible(self.vary)} = {self.value!r}: {_share(self)}{self.premises.line}>"

    def _repr_html_(self) -> str:
        return block(calibration_text(self))


@frozen
class _Program:
    """A program with all numbers given but one."""

    typed: Typed
    settings: Mapping[str, object]
    name: str
    budget: Budget | ErrorGoal
    sites: Sequence[ReleaseSite] = ()

    def values(self, value: Fraction) -> Valuation:
        return valuation(self.typed.type, {**self.settings, self.name: value})

    def kinds(self, value: Fraction) -> dict[KindVar, Fraction]:
        return self.values(value).kinds

    def spend(self, value: Fraction, quick: bool) -> Spending:
        """The largest share of the budget over the units; a value that breaks a side condition is forbidden."""
        kinds = self.kinds(value)
        forbidden = self.forbidden(value)
        if forbidden is not None:
            return forbidden
        for name, _, _, cost in protected(self.typed):
            unset = variables(cost) - set(kinds)
            if unset:
                needed = given_with_set(sorted(var.name for var in unset))
                raise NoCalibration(f"to compute the cost of {name}, give more numbers: {needed}")
        budget = self.budget
        if isinstance(budget, ErrorGoal):
            return self.unproved(kinds) or budget.spending(self.sites, self.values(value))
        most = 0.0
        for _, _, _, cost in protected(self.typed):
            at = self.measured(cost, kinds, quick, budget)
            if isinstance(at, Forbidden):
                return at
            # A number is what its shortest decimal says, which is not below the truth.
            most = max(most, math.inf if at == math.inf else float_up(Fraction(repr(at)) / budget.amount))
        return most

    def error(self, value: Fraction) -> tuple[float | None, str]:
        """The largest error of the releases that are meant, and which of several has it; None if no error was asked for."""
        errors = [(error_of(site, self.values(value)), site) for site in self.sites]
        known = [(error, site) for error, site in errors if error is not None]
        if not known:
            return None, ""
        largest, site = max(known, key=lambda each: each[0])
        return largest, f"{site.mechanism} at {site.span.place}" if len(known) > 1 else ""

    def curves(self, value: Fraction) -> dict[str, list[tuple[float, float]]]:
        """The error of each release around a value, where no condition forbids it: a tenth of it to ten times as much."""
        is_whole = declared(self.typed.type).kinds[self.name][0].kind is Kind.NAT
        near = {value * Fraction(10 ** (step / STEPS)) for step in range(-STEPS, STEPS + 1)}
        tried = sorted({Fraction(max(1, round(each))) for each in near} if is_whole else near)
        found: dict[str, list[tuple[float, float]]] = {}
        for each in tried:
            try:
                values = self.values(each)
            except SettingError:
                continue
            if self.forbidden(each) is None and self.unproved(values.kinds) is None:
                for site in self.typed.releases:
                    error = error_of(site, values)
                    if error is not None and math.isfinite(error):
                        found.setdefault(f"{site.mechanism} at {site.span.place}", []).append((float(each), error))
        return found

    def demand_errors(self, value: Fraction) -> None:
        """Ask for the numbers that an error needs; raises `Unplottable` if some are missing."""
        from duetpy.report.picture import Unplottable

        needed = [needed_text(site, self.values(value)) for site in self.typed.releases if site.atom.mechanism in LAWS]
        if any(needed):
            raise Unplottable(next(filter(None, needed)))

    def forbidden(self, value: Fraction) -> Forbidden | None:
        """The side condition or the promise of the program that a value breaks."""
        constants = {var: Quantity.of(number) for var, number in self.kinds(value).items()}
        for obligation in self.typed.obligations:
            here = obligation.substitute(constants)
            holds = here.decided()
            if holds is None and not here.variables():
                holds = False  # all numbers are there and it is not proved: nothing rests on it
            if holds is False:
                return Forbidden(f"{obligation.show()}, because {obligation.reason}", gap=obligation.relation == "∣")
        for promise in self.typed.promises:
            for breach in settle(promise, self.kinds(value))[1]:
                return Forbidden(f"the promise {breach.promised} is broken: {breach.unit} costs {breach.proved}")
        return None

    def unproved(self, kinds: Mapping[KindVar, Fraction]) -> Forbidden | None:
        """The premise of a price of the program that does not hold, where every number is known."""
        for _, _, _, cost in protected(self.typed):
            if not variables(cost) - set(kinds):
                own = numbers(cost, self.typed.notion, kinds)
                if isinstance(own, Refusal) and own.premises:
                    return Forbidden(own.premises[0].why)
        return None

    def measured(self, cost: Cost, kinds: Mapping[KindVar, Fraction], quick: bool, budget: Budget) -> Spending:
        """The certified cost of a unit in the notion of the budget.

        A value is no answer where the program's own price is not proved either: `check` and `run` would refuse it.
        """
        notion, own = budget.notion, numbers(cost, self.typed.notion, kinds)
        if isinstance(own, Refusal) and own.premises:
            return Forbidden(own.premises[0].why)
        if notion is Notion.APPROX:
            found = bounds(cost, kinds, budget.delta, quick=quick)[-1]
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


def calibrate(typed: Typed, settings: Mapping[str, object], vary: str, budget: Budget | ErrorGoal) -> Calibration:
    """The value of a number at which a program spends a budget, or has an error.

    Parameters
    ----------
    typed
        The checked program.
    settings
        All its other numbers.
    vary
        The name of the number: a size or a parameter.
    budget
        What may be spent, or how far released numbers may be off.

    Raises
    ------
    DuetError
        Where no value can be found, with the reason.
    SettingError
        Where the program has no number called `vary`, or its value is given already.
    """
    _hold(typed, settings)
    names = declared(typed.type)
    name = resolve(vary, names.names)
    if name is None:
        offered = ", ".join(visible(each) for each in names.kinds)
        said = f"you can vary {offered}" if offered else "the program has no number to vary"
        raise SettingError(f"unknown name {visible(vary)}{or_else(vary, names.kinds)}; {said}")
    if any(resolve(given, names.names) == name for given in settings):
        raise SettingError(f"{visible(name)} has a value already, so it cannot be varied")
    if not names.kinds.get(name) or not list(protected(typed)):
        raise _impossible(typed, f"the cost does not depend on {visible(name)}")
    whole = names.kinds[name][0].kind is Kind.NAT
    try:
        is_error = isinstance(budget, ErrorGoal)
        sites = budget.sites(typed.releases) if isinstance(budget, ErrorGoal) else ()
        program = _Program(typed, settings, name, budget, sites)
        found = search(program.spend, whole=whole, name=visible(name), limit=ERROR if is_error else BUDGET)
    except NoCalibration as reason:
        raise _impossible(typed, str(reason)) from None
    return _calibration(program, found, whole, _confirmed(program, found.value))


def _confirmed(program: _Program, value: Fraction) -> Premises:
    """What the cost at a value rests on; raises `DuetError` where `check` refuses the program."""
    found = state(program.typed, program.values(value))
    if not found.ok:
        raise DuetError(found.diagnostics)
    return found.premises


def _hold(typed: Typed, settings: Mapping[str, object]) -> None:
    """Refuse what the other numbers break already."""
    pricing = Pricing.of(typed, typed.notion, valuation(typed.type, settings))
    if pricing.is_refused:
        raise DuetError(pricing.diagnostics)


def _impossible(typed: Typed, reason: str) -> DuetError:
    span = typed.releases[0].span if typed.releases else typed.file.span
    return DuetError([obligations.no_value(span, reason)])


def _calibration(program: _Program, found: Found, whole: bool, premises: Premises) -> Calibration:
    typed, budget = program.typed, program.budget
    kinds = program.kinds(found.value)
    units: dict[str, tuple[Numbers | None, Numbers]] = {}
    shares: dict[str, float] = {}
    for name, _, _, cost in protected(typed):
        own = numbers(cost, typed.notion, kinds)
        certified = tight(cost, kinds, _delta(budget, own))
        units[name] = (
            None if isinstance(own, Refusal) else own,
            {"epsilon": finite(certified.epsilon), "delta": certified.delta},
        )
        share = certified.epsilon if isinstance(budget, ErrorGoal) else program.measured(cost, kinds, False, budget)
        shares[name] = share if isinstance(share, float) else math.inf
    worst = max(shares, key=shares.__getitem__)
    cost_numbers, tight_numbers = units[worst]
    value = int(found.value) if whole else float(found.value)
    error, of = program.error(found.value)
    return Calibration(
        program.name,
        value,
        budget,
        worst,
        cost_numbers,
        tight_numbers,
        found.spent,
        units,
        error,
        of,
        premises,
        program,
    )


def _delta(budget: Budget | ErrorGoal, own: Numbers | Refusal) -> Fraction:
    """The δ of what is certified: the budget's, or, if an error was asked for, that of the program itself."""
    if isinstance(budget, Budget):
        return budget.delta if budget.notion.info.bounds_ratio else DEFAULT_DELTA
    stated = None if isinstance(own, Refusal) else own.get("delta")
    return Fraction(repr(stated)) if stated and stated < 1.0 else DEFAULT_DELTA


def calibration_text(found: Calibration, *, of_ledger: bool = False) -> str:
    """A calibration for people; of what is left of a ledger with how to run, since a run is charged at its own δ otherwise."""
    value = str(found.value) if isinstance(found.value, int) else repr(found.value)
    lines = [f"{visible(found.vary)} = {value}\n"]
    is_error = isinstance(found.budget, ErrorGoal)
    lines.append(f"  {'error ' if is_error else 'budget'}   {_budget(found)}\n")
    if found.cost is not None:
        is_certified = isinstance(found.budget, Budget) and found.budget.delta
        counted = "; the budget counts the tight one" if is_certified else ""
        lines.append(
            f"  cost     {numbers_text(found.cost)}   of {visible(found.unit)}, in the program's notion{counted}\n"
        )
    lines.append(f"  tight    {numbers_text(found.tight)}\n")
    if not is_error:
        lines.append(f"  spends   {_per_cent(found)} % of the budget\n")
    lines += [f"  {said}\n" for said in found.premises]
    if of_ledger and isinstance(found.budget, Budget) and found.budget.delta:
        lines.append(f"  run      with --delta {_exact(found.budget.delta)}, so that the ledger is charged at this δ\n")
    return "".join(lines)


def _budget(found: Calibration) -> str:
    if isinstance(found.budget, ErrorGoal):
        where = "" if found.budget.line is None else f" at line {found.budget.line}"
        of = f"   of {found.of}, the least accurate release" if found.of else ""
        return f"±{bound(found.error95)} (95 %){where}{of}"
    parts = found.budget.numbers.items()
    return ", ".join(f"{LETTERS[name]} = {at_most(number)}" for name, number in parts if name != "delta" or number)


def _share(found: Calibration) -> str:
    if isinstance(found.budget, ErrorGoal):
        return f"error {_budget(found)}"
    return f"spends {_per_cent(found)} % of {_budget(found)}"


def _per_cent(found: Calibration) -> str:
    return bound(written_up(100 * Fraction(repr(found.spent))))


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
        **_goal_value(found),
        **premises_value(found.premises),
        "units": {
            name: {"cost": None if cost is None else dict(cost), "tight": dict(certified)}
            for name, (cost, certified) in found.units.items()
        },
    }


def _goal_value(found: Calibration) -> dict[str, Any]:
    if isinstance(found.budget, ErrorGoal):
        asked = written_down(found.budget.amount)
        return {"error": {"asked": asked, "line": found.budget.line, "error95": found.error95}}
    return {"budget": found.budget.numbers}
