"""What ``check`` proves about one program, as a value: the text and the JSON report are two ways to print it.

    Typed program ─settings→ Statement ─→ text, JSON

The checker leaves cost terms over the program's own variables. Here they are priced in the notion of the file, and, once
every variable has a number, evaluated and handed to the numeric accountant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from attrs import evolve, field, frozen

from duetpy.accounting.guarantees import Pending
from duetpy.accounting.price import Price, number, price
from duetpy.by_value import ByValue
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import visible
from duetpy.report.counted_rows import counted_rows
from duetpy.report.premises import Premises, in_several
from duetpy.report.pricing import Numbers, Pricing, as_obligations
from duetpy.source import Span
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.check import Typed
from duetpy.typecheck.conditions import Condition, Obligation, follows
from duetpy.typecheck.cost import Given, is_free, is_unbounded
from duetpy.typecheck.neighbours import REPLACE, is_in_parts, neighbours, relation, replaced, shows_rows
from duetpy.typecheck.notions import LETTERS, Notion
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.show import show_type
from duetpy.typecheck.types import Fun, PFun, Type
from duetpy.typecheck.units import units_of
from duetpy.typecheck.unverified import trusted
from duetpy.valuation import Valuation, functions


@frozen(eq=False, repr=False)
class Parameter(ByValue):
    """What is proved about one parameter of a program.

    Parameters
    ----------
    name, type
        As the program writes them.
    unit
        The privacy unit: aligned parameters share one, their names joined by ``+``.
    neighbours
        ``replace-one``, ``add-remove`` or ``step``: how two neighbouring inputs differ.
    replaced
        What differs where something is replaced.
    is_in_parts
        Whether a change of one person may be several steps of it.
    shows_rows
        Whether it costs nothing and shows a number of rows.
    sensitivity
        Of a sensitivity function: symbolic, ``0`` and ``∞`` included; None for a privacy function.
    cost
        Of a privacy function: the parts of the cost in the program's notion, symbolic; None for a sensitivity function.
    value
        The same as numbers, where nothing is left symbolic; None as a number is ∞.
    tight
        The certified (ε, δ) of the numeric accountant, where nothing is left symbolic.
    """

    name: str
    type: str
    unit: str
    neighbours: str
    private: bool
    sensitivity: str | None = None
    cost: Mapping[str, str] | None = None
    value: Numbers | None = None
    tight: Numbers | None = None
    method: str = ""
    replaced: str = "one row of it"
    is_in_parts: bool = False
    shows_rows: bool = False

    def __repr__(self) -> str:
        if self.cost is None:
            return f"<Parameter {visible(self.name)}: sensitivity {self.formula}>"
        return f"<Parameter {visible(self.name)}: {'costs' if self.private else 'not protected, cost'} {self.formula}>"

    @property
    def formula(self) -> str:
        """The sensitivity or the cost as a text, symbolic."""
        if self.cost is None:
            return str(self.sensitivity)
        return ", ".join(f"{LETTERS[name]} = {text}" for name, text in self.cost.items())

    @property
    def without_numbers(self) -> str:
        """Why there is no value. In Python, a name that a program gives to its own δ may be that of an option."""
        own = "; give delta as δ=…, since delta=… is the δ of an (ε, δ)" if "delta" in self.formula else ""
        return f"the cost of {visible(self.name)} needs a number for each name in {self.formula}{own}"


@frozen(eq=False, repr=False)
class Statement(ByValue):
    """What is proved about one program; see the names in ``check --format json``."""

    file: str
    notion: Notion
    notion_origin: str
    type: str | None
    parameters: tuple[Parameter, ...]
    result: str | None
    requires: tuple[str, ...]
    releases: tuple[ReleaseSite, ...]
    diagnostics: tuple[Diagnostic, ...]
    neighbours: str = REPLACE
    foreign: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()
    obligations: tuple[Obligation, ...] = field(default=(), repr=False)
    promises: tuple[Pending, ...] = field(default=(), repr=False)
    values: Valuation = field(factory=Valuation, repr=False)

    @property
    def premises(self) -> Premises:
        """What its numbers rest on."""
        units = {each.unit: each.neighbours for each in self.parameters if each.private}
        pairs = [each.name for each in self.parameters if each.private and each.is_in_parts]
        sizes = [each.name for each in self.parameters if each.shows_rows]
        several = tuple(in_several(units, pairs, sizes))
        return Premises(self.requires, trusted(self.releases, self.foreign), self.counted, several)

    @property
    def ok(self) -> bool:
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)

    def released(self) -> list[dict[str, object]]:
        """The mechanisms, as in ``check --format json``; none of a program that is refused."""
        from duetpy.report.noise import release_value

        return [release_value(site, self.values) for site in self.releases] if self.ok else []


def refused(name: str, notion: Notion, notion_origin: str, diagnostics: tuple[Diagnostic, ...]) -> Statement:
    """The statement about a program that could not be read."""
    return Statement(name, notion, notion_origin, None, (), None, (), (), diagnostics)


def state(typed: Typed, values: Valuation, delta: Fraction | None = None, notion: Notion | None = None) -> Statement:
    """What is proved about a program, with the numbers that it was given.

    Parameters
    ----------
    typed
        The checked program.
    values
        Numbers for some or all of its kind variables.
    delta
        The δ of the tight (ε, δ); the cost's own, else 1e-6, where None.
    notion
        Price the same program in this notion instead of its own.
    """
    notion = notion or typed.notion
    pricing = Pricing.of(typed, notion, values, delta)
    open_promises = pricing.promised()
    parameters: list[Parameter] = []
    result = typed.type
    for function in functions(typed.type):
        result = function.codomain
        if isinstance(function, Fun):
            parameters.append(_sensitive(function, values))
        else:
            parameters += _private(function, pricing)
    pending = pricing.pending
    asked = {each.show() for each in pending}
    open_promises = tuple(each for each in open_promises if each.show() not in asked)
    return Statement(
        file=typed.name,
        notion=notion,
        notion_origin=typed.notion_origin,
        type=None if typed.type is None else program_type(typed.type, pricing.place),
        parameters=tuple(parameters),
        result=None if result is None else show_type(result),
        requires=pricing.required(open_promises),
        releases=typed.releases,
        diagnostics=tuple(pricing.diagnostics),
        neighbours=_relation(parameters),
        foreign=typed.foreign,
        counted=tuple(counted_rows(typed)) if not any(each.is_error for each in pricing.diagnostics) else (),
        obligations=tuple(pending),
        promises=open_promises,
        values=values,
    )


def program_type(type_: Type, place: Span) -> str:
    """The type of a program, with the prices of its parameters in place of their cost terms, where these can be written, and with
    what they rest on."""
    if not isinstance(type_, PFun):
        return show_type(type_)
    parameters = []
    rests: list[Condition] = [*type_.conditions]
    for parameter in type_.parameters:
        found = price(parameter.cost, type_.notion)
        if isinstance(found, Price) and not is_unbounded(parameter.cost) and not is_free(parameter.cost):
            parts = tuple(part for part in found.parts if isinstance(part, Quantity))
            if len(parts) == len(found.parts):
                parameter = evolve(parameter, cost=Given(type_.notion, parts))
                rests += (each for each in as_obligations(found.premises, place) if not follows(each, rests))
        parameters.append(parameter)
    return show_type(evolve(type_, parameters=tuple(parameters), conditions=tuple(rests)))


def _relation(parameters: list[Parameter]) -> str:
    """The neighbouring relation of a program: that of the parameters it protects, else of all."""
    protected = [parameter.neighbours for parameter in parameters if parameter.private]
    return relation(protected or [parameter.neighbours for parameter in parameters])


# ---------------------------------------------------------------------------------------------------------------------
# Parameters


def _sensitive(function: Fun, values: Valuation) -> Parameter:
    known = function.sensitivity.substitute(values.quantities)
    return Parameter(
        name=function.name,
        type=show_type(function.domain),
        unit=function.name,
        neighbours=neighbours(function.domain),
        private=False,
        sensitivity=function.sensitivity.show(),
        value=None if known.variables() else {"sensitivity": number(known)},
    )


def _private(function: PFun, pricing: Pricing) -> Iterator[Parameter]:
    """What is proved about the parameters of a privacy function, each with the cost of its unit."""
    units = {name: unit for unit in units_of(function.parameters) for name in unit.names}
    priced = {unit.name: pricing.priced(unit.cost) for unit in dict.fromkeys(units.values())}
    for parameter in function.parameters:
        unit = units[parameter.name].name
        cost = priced[unit]
        yield Parameter(
            name=parameter.name,
            type=show_type(parameter.type),
            unit=unit,
            neighbours=neighbours(parameter.type),
            private=not is_free(parameter.cost) and not is_unbounded(parameter.cost),
            cost=cost.shown,
            value=cost.value,
            tight=cost.tight,
            method=cost.method,
            replaced=replaced(parameter.type),
            is_in_parts=is_in_parts(parameter.type),
            shows_rows=is_free(parameter.cost) and shows_rows(parameter.type),
        )
