"""Two neighbours of a program, with the price that is claimed of it.

The laws of what is released on the two are computed exactly, and held against the price: no rule may claim less than they
differ by, and a rule that is called tight differs by all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from attrs import frozen

from duetpy.accounting.price import Refusal, numbers, price
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import Cost
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import KindVar
from tests.soundness.definition import read_kinds
from tests.soundness.distributions import Laws, spent
from tests.soundness.falsify import Refused, about, check, holds
from tests.soundness.plain import Table


@frozen
class Witness:
    """A program, its price for one input, and two values of its inputs that differ by one step.

    Parameters
    ----------
    rule
        The rule that it is about.
    notion
        The notion of the program.
    text
        The program.
    before, after
        The neighbours: the values of all parameters.
    claims
        The price of what moves, as printed.
    tight
        Whether the neighbours use up all of the price, except for the rounding of noise to a grid.
    """

    rule: str
    notion: Notion
    text: str
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    claims: tuple[str, ...]
    tight: bool = True


def column(*entries: Any) -> Table:
    return Table(tuple((Fraction(entry) if isinstance(entry, float | int) else entry,) for entry in entries), 1)


def table(*rows: Sequence[Any]) -> Table:
    return Table(tuple(tuple(Fraction(entry) for entry in row) for row in rows), len(rows[0]))


@frozen(eq=False)
class Claim:
    """What the checker says of a witness's program."""

    typed: Typed
    function: t.PFun
    cost: Cost
    kinds: dict[KindVar, Fraction]


def claimed(witness: Witness) -> Claim:
    """The claim at the witness's neighbours; raises `Refused` where the program was refused."""
    typed = check(witness.text, witness.notion)
    if not typed.ok or not isinstance(typed.type, t.PFun):
        raise Refused(*(f"{d.code} {d.message}" for d in typed.diagnostics))
    kinds: dict[KindVar, Fraction] = {}
    moved: dict[int, Cost] = {}
    for parameter, x, y in zip(typed.type.parameters, witness.before, witness.after, strict=True):
        read_kinds(parameter.type, x, kinds)
        if x != y:
            moved[parameter.unit] = parameter.cost
    (cost,) = moved.values()
    if not all(holds(obligation, kinds) for obligation in about(typed.obligations, kinds)):
        raise Refused("the obligations fail")
    return Claim(typed, typed.type, cost, kinds)


def shown(witness: Witness) -> tuple[str, ...]:
    """The price as printed."""
    found = price(claimed(witness).cost, witness.notion)
    assert not isinstance(found, Refusal), found.reason
    return tuple(found.show().values())


def priced_parts(claim: Claim, notion: Notion) -> list[float]:
    """The price in numbers; raises `Refused` if there is no price."""
    found = numbers(claim.cost, notion, claim.kinds)
    if isinstance(found, Refusal):
        raise Refused(found.reason)
    return [float("inf") if number is None else number for number in found.values()]


def used(witness: Witness) -> float:
    """The part of the claimed price that the neighbours use up: above 1 the rule is refuted."""
    claim = claimed(witness)
    parts = priced_parts(claim, witness.notion)
    laws = Laws(claim.typed.annotations)
    assert claim.typed.body is not None
    function = laws.of(claim.typed.body, {}, {})
    return spent(witness.notion, parts, (laws.called(function, witness.before), laws.called(function, witness.after)))


def one(number: float) -> tuple[Fraction]:
    return (Fraction(number),)


PURE, APPROX, RENYI, ZCDP, TCDP, GDP = (
    Notion.PURE,
    Notion.APPROX,
    Notion.RENYI,
    Notion.ZCDP,
    Notion.TCDP,
    Notion.GDP,
)
