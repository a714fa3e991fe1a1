"""``ensures``: what a privacy function promises of its cost.

A promise is a side condition like any other (`duetpy.typecheck.conditions`): one over the kind variables of its function is a
part of the function's type. Whether it is kept is the accountant's to say (`duetpy.accounting.guarantees`).
"""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.typecheck import elaborate
from duetpy.typecheck import types as t
from duetpy.typecheck.conditions import Limit, Promise
from duetpy.typecheck.errors import promises as problems
from duetpy.typecheck.quantity import ONE
from duetpy.typecheck.surroundings import Surroundings
from duetpy.typecheck.units import units_of


def written(checker: Surroundings, node: ast.PLam) -> tuple[Limit, ...]:
    """The limits that a privacy function names, its kind variables being in scope."""
    found: list[Limit] = []
    for guarantee in node.ensures:
        if not checker.notion.info.is_guarantee:
            checker.report(problems.rao_promises_nothing(guarantee.span))
            return ()
        if guarantee.letter not in checker.notion.letters:
            checker.report(
                problems.no_such_part(guarantee.span, guarantee.letter, checker.notion, checker.notion.letters)
            )
            continue
        bound = elaborate.quantity(checker, guarantee.bound)
        if guarantee.letter == "δ":
            checker.obligate(bound, "<", ONE, "a promised δ is a probability below 1", guarantee.span)
        if not bound.is_infinite:
            found.append(Limit(guarantee.letter, bound, guarantee.span))
    return tuple(found)


def demanded(checker: Surroundings, limits: tuple[Limit, ...], parameters: tuple[t.PrivateParameter, ...]) -> None:
    """Demand what a privacy function promises."""
    if not limits:
        return
    units = tuple((unit.name, unit.cost) for unit in units_of(parameters))
    checker.demand(Promise(checker.notion, limits, units))
