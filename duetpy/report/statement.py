"""What ``check`` proves about one program, as a value: the text and the JSON report are two ways to print it.

    Typed program ─settings→ Statement ─→ text, JSON

The checker leaves cost terms over the program's own variables. Here they are priced in the notion of the file, and, once
every variable has a number, evaluated and handed to the numeric accountant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from attrs import evolve, field, frozen

from duetpy.accounting.price import Price, Refusal, price
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.typecheck import errors
from duetpy.typecheck.check import Typed
from duetpy.typecheck.core import ReleaseSite
from duetpy.typecheck.cost import Cost, Notion, is_free, is_unbounded
from duetpy.typecheck.judged import Obligation
from duetpy.typecheck.quantity import OutsideDomain, Quantity
from duetpy.typecheck.show import show_type
from duetpy.typecheck.types import Bag, Fun, Matrix, PFun, PrivateParameter, Type, children
from duetpy.valuation import Valuation, functions

Numbers: TypeAlias = Mapping[str, float | None]
"""Figures by the notion's own names; None is ∞."""

KEYS: Mapping[Notion, tuple[str, ...]] = MappingProxyType(
    {
        Notion.PURE: ("epsilon",),
        Notion.APPROX: ("epsilon", "delta"),
        Notion.RENYI: ("alpha", "epsilon"),
        Notion.ZCDP: ("rho",),
        Notion.TCDP: ("rho", "omega"),
        Notion.GDP: ("mu",),
        Notion.RAO: ("theta",),
    }
)
"""The parts of a cost in each notion, in order."""

DEFAULT_DELTA = Fraction(1, 10**6)
"""The δ of a tight (ε, δ) where neither the command line nor the program's own cost names one."""

REPLACE, ADD_REMOVE, MIXED = "replace-one", "add-remove", "mixed"


@frozen
class Parameter:
    """What is proved about one parameter of a program.

    Parameters
    ----------
    name, type
        As the program writes them.
    unit
        The privacy unit: aligned parameters share one, their names joined by ``+``.
    neighbours
        ``replace-one`` or ``add-remove``: how two neighbouring inputs differ.
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


@frozen
class Statement:
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
    obligations: tuple[Obligation, ...] = field(default=(), repr=False)

    @property
    def ok(self) -> bool:
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)


def state(typed: Typed, values: Valuation, delta: Fraction | None = None) -> Statement:
    """What is proved about a program, with the numbers that it was given.

    Parameters
    ----------
    typed
        The checked program.
    values
        Numbers for some or all of its kind variables.
    delta
        The δ of the tight (ε, δ); the cost's own, else 1e-6, where None.
    """
    diagnostics = list(typed.diagnostics)
    pending: list[Obligation] = []
    for obligation in typed.obligations:
        settled = _settled(obligation, values)
        if settled is None:
            pending.append(obligation)
        elif not settled:
            diagnostics.append(_broken(obligation, values))
    parameters: list[Parameter] = []
    result = typed.type
    for function in valuations.functions(typed.type):
        result = function.codomain
        if isinstance(function, Fun):
            parameters.append(_sensitive(function, values))
        else:
            parameters += _private(function, typed.notion, values, delta, diagnostics)
    protected = [parameter.neighbours for parameter in parameters if parameter.private]
    relations = set(protected or [parameter.neighbours for parameter in parameters])
    return Statement(
        file=typed.name,
        notion=typed.notion,
        notion_origin=typed.notion_origin,
        type=None if typed.type is None else show_type(typed.type),
        parameters=tuple(parameters),
        result=None if result is None else show_type(result),
        requires=tuple(obligation.show() for obligation in pending),
        releases=typed.releases,
        diagnostics=tuple(diagnostics),
        neighbours=relations.pop() if len(relations) == 1 else MIXED if relations else REPLACE,
        obligations=tuple(pending),
    )


# ---------------------------------------------------------------------------------------------------------------------
# Obligations


def _settled(obligation: Obligation, values: Valuation) -> bool | None:
    """Whether an obligation holds of the numbers given; None while they do not decide it."""
    left = obligation.left.substitute(values.quantities)
    right = obligation.right.substitute(values.quantities)
    strict = obligation.relation == "<"
    if left.lt(right) if strict else left.leq(right):
        return True
    if right.leq(left) if strict else right.lt(left):
        return False
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Parameters


def _sensitive(function: Fun, values: Valuation) -> Parameter:
    number = function.sensitivity.substitute(values.quantities)
    return Parameter(
        name=function.name,
        type=show_type(function.domain),
        unit=function.name,
        neighbours=neighbours(function.domain),
        private=False,
        sensitivity=function.sensitivity.show(),
        value={"sensitivity": _number(number)} if not number.variables() else None,
    )


def neighbours(type_: Type) -> str:
    """How two neighbouring values of a type differ: rows of an unknown number come and go, anything else is replaced."""
    found = set()
    pending = [type_]
    while pending:
        here = pending.pop()
        if isinstance(here, Bag) or (isinstance(here, Matrix) and here.rows is None):
            found.add(ADD_REMOVE)
        elif isinstance(here, Matrix):
            found.add(REPLACE)
        else:
            pending.extend(children(here))
    return MIXED if len(found) > 1 else found.pop() if found else REPLACE
