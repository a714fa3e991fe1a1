"""``ensures``: what a privacy function promises of its cost.

The checker writes promises down; whether they are kept is the accountant's to say (`duetpy.accounting.promises`). A promise
over the kind variables of an inner function is written down again at every call of it, over those of the caller, so that the
numbers of the whole program decide it. So are its side conditions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from duetpy.grammar import ast
from duetpy.source import Span
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.cost import Cost, Notion
from duetpy.typecheck.errors import promises as problems
from duetpy.typecheck.quantity import ONE, KindVar, Quantity

if TYPE_CHECKING:
    from duetpy.typecheck.checker import Checker


@frozen
class Limit:
    """One conjunct: a part of the cost is at most `bound`.

    Of α and ω it is the order that the guarantee reaches up to: ``α ≤ 10, ε ≤ 1`` promises ε ≤ 1 at every order up to 10.
    """

    letter: str
    bound: Quantity
    span: Span

    def show(self, ascii: bool = False) -> str:
        return f"{self.letter} {'<=' if ascii else '≤'} {self.bound.show(ascii)}"


@frozen
class Promise:
    """The promise of one privacy function.

    Parameters
    ----------
    notion
        The notion that its letters are of.
    limits
        What is promised, all of it of every unit.
    units
        The privacy units of the function by name, with what each pays.
    kinds
        The kind variables of the function.
    """

    notion: Notion
    limits: tuple[Limit, ...]
    units: tuple[tuple[str, Cost], ...]
    kinds: tuple[KindVar, ...]

    def variables(self) -> frozenset[KindVar]:
        found = {variable for limit in self.limits for variable in limit.bound.variables()}
        for _, cost in self.units:
            found |= costs.variables(cost)
        return frozenset(found)

    def substitute(self, mapping: Mapping[KindVar, Quantity]) -> Promise:
        limits = tuple(evolve(limit, bound=limit.bound.substitute(mapping)) for limit in self.limits)
        units = tuple((name, costs.substitute(cost, mapping)) for name, cost in self.units)
        return evolve(self, limits=limits, units=units, kinds=())

    def show(self) -> str:
        return ", ".join(limit.show() for limit in self.limits)


def letters(notion: Notion) -> tuple[str, ...]:
    """The parts of a cost in a notion."""
    from duetpy.typecheck.mechanisms import GAUSSIAN_PARAMETERS

    return ("ε",) if notion is Notion.PURE else GAUSSIAN_PARAMETERS[notion]


def written(checker: Checker, node: ast.PLam) -> tuple[Limit, ...]:
    """The limits that a privacy function names, its kind variables being in scope."""
    from duetpy.typecheck import elaborate

    found: list[Limit] = []
    for guarantee in node.ensures:
        if checker.notion is Notion.RAO:
            checker.report(problems.rao_promises_nothing(guarantee.span))
            return ()
        if guarantee.letter not in letters(checker.notion):
            checker.report(
                problems.no_such_part(guarantee.span, guarantee.letter, checker.notion, letters(checker.notion))
            )
            continue
        bound = elaborate.quantity(checker, guarantee.bound)
        if guarantee.letter == "δ":
            checker.obligate(bound, "<", ONE, "a promised δ is a probability below 1", guarantee.span)
        if not bound.is_infinite:
            found.append(Limit(guarantee.letter, bound, guarantee.span))
    return tuple(found)


def promise(
    checker: Checker,
    limits: tuple[Limit, ...],
    kinds: tuple[KindVar, ...],
    parameters: tuple[t.PrivateParameter, ...],
) -> None:
    """Write a promise down."""
    if not limits:
        return
    members: dict[int, list[str]] = {}
    for parameter in parameters:
        members.setdefault(parameter.unit, []).append(parameter.name)
    paid = {parameter.unit: parameter.cost for parameter in parameters}
    units = tuple(("+".join(names), paid[unit]) for unit, names in members.items())
    checker.promises.append(Promise(checker.notion, limits, units, kinds))


def called(checker: Checker, solved: Mapping[KindVar, t.Replacement]) -> None:
    """Write the promises and the side conditions of a function down for a call at some kinds."""
    sizes = {variable: value for variable, value in solved.items() if isinstance(value, Quantity)}
    checker.called(sizes)
    for known in list(checker.promises):
        if not sizes.keys().isdisjoint(known.variables()):
            here = known.substitute(sizes)
            checker.instantiated.update(sizes)
            if here not in checker.promises:
                checker.promises.append(here)
