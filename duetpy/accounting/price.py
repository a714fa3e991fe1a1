"""The symbolic price of a cost term in a notion: what ``check`` prints, and what its numbers are.

    price(cost, notion) = the notion's parts, or a refusal that names the smallest part of the term that it cannot price

Only exact quantities and closed forms over them are involved, and neither numpy nor scipy. A price is an upper bound on the
privacy loss for every valuation under which the `conditions` hold.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias, assert_never

from attrs import frozen

from duetpy.accounting.approx import Approx
from duetpy.accounting.closed import Part, Values, smallest, whole
from duetpy.accounting.gdp import Gdp
from duetpy.accounting.interpretation import CannotPrice, Interpretation, Parts
from duetpy.accounting.pure import Pure
from duetpy.accounting.rao import Rao
from duetpy.accounting.renyi import Renyi, converted_within, least_order
from duetpy.accounting.rounding import written_down, written_up
from duetpy.accounting.tcdp import Tcdp
from duetpy.accounting.zcdp import Zcdp
from duetpy.trampoline import Task, call, run
from duetpy.typecheck.cost import (
    Advanced,
    Atom,
    Choice,
    Converted,
    Cost,
    Given,
    Group,
    NonPrivate,
    Notion,
    Repeat,
    Sampled,
    Seq,
    Shuffled,
    Together,
    Zero,
    children,
    substitute,
)
from duetpy.typecheck.quantity import ONE, Order, Quantity, QuantityTooLarge, decided, log, minimum

KEYS: Mapping[Notion, tuple[str, ...]] = {
    Notion.PURE: ("epsilon",),
    Notion.APPROX: ("epsilon", "delta"),
    Notion.RENYI: ("alpha", "epsilon"),
    Notion.ZCDP: ("rho",),
    Notion.TCDP: ("rho", "omega"),
    Notion.GDP: ("mu",),
    Notion.RAO: ("theta",),
}
"""The names of a price's parts, in order."""

TOO_LARGE = "the formula is too large to be written; set sizes and parameters to get its number"

ORDERS = frozenset({"alpha", "omega"})
"""Parts that bound from below: a smaller one claims less."""


@frozen
class Price:
    """A cost in a notion.

    Parameters
    ----------
    notion
        The notion.
    parts
        Its numbers, in the order of `KEYS`.
    """

    notion: Notion
    parts: tuple[Part, ...]

    @property
    def is_infinite(self) -> bool:
        """Whether nothing is protected."""
        return self.parts[KEYS[self.notion].index(_measure(self.notion))].is_infinite

    def show(self, ascii: bool = False) -> dict[str, str]:
        """The parts as text, by their names."""
        return {key: part.show(ascii) for key, part in zip(KEYS[self.notion], self.parts, strict=True)}


@frozen
class Refusal:
    """A cost that a notion cannot price.

    Parameters
    ----------
    node
        The smallest part of the term that has no price.
    reason
        Why, and what to write instead.
    """

    node: Cost
    reason: str


Condition: TypeAlias = tuple[Quantity, Order, Quantity, str]
"""left, ``"<"`` or ``"≤"``, right, and what it says: a price holds where its conditions do."""


def _measure(notion: Notion) -> str:
    return "epsilon" if notion is Notion.RENYI else KEYS[notion][0]


def interpretation(notion: Notion, cost: Cost) -> Interpretation:
    """The notion's reading of a term: of Rényi, the one at the term's own order."""
    match notion:
        case Notion.PURE:
            return Pure()
        case Notion.APPROX:
            return Approx()
        case Notion.RENYI:
            return Renyi(order_of(cost))
        case Notion.ZCDP:
            return Zcdp()
        case Notion.TCDP:
            return Tcdp()
        case Notion.GDP:
            return Gdp()
        case Notion.RAO:
            return Rao()
        case _:
            assert_never(notion)


def order_of(cost: Cost) -> Quantity:
    """The Rényi order at which a term is priced; ω of what is converted from tCDP bounds it too.

    Raises
    ------
    QuantityTooLarge
        The least of the orders is no plain quantity: there is no order to price the term at.
    """
    orders = [least_order(cost)]
    for converted in converted_within(cost, Notion.TCDP):
        found = price(converted.body, Notion.TCDP)
        if isinstance(found, Price):
            omega = found.parts[1]
            if not isinstance(omega, Quantity):
                raise QuantityTooLarge("the least of the orders ω")
            orders.append(omega)
    return minimum(*orders)


def price(cost: Cost, notion: Notion) -> Price | Refusal:
    """The symbolic price of a term.

    Parameters
    ----------
    cost
        What a program does to one input.
    notion
        The notion to price it in.

    Returns
    -------
    Price or Refusal
        A refusal names the smallest part of the term for which the notion has no sound rule.
    """
    try:
        found = run(_priced(cost, interpretation(notion, cost)))
    except QuantityTooLarge:
        return Refusal(cost, TOO_LARGE)
    return found if isinstance(found, Refusal) else Price(notion, found)


def _priced(cost: Cost, reading: Interpretation) -> Task[Parts | Refusal]:
    bodies: list[Parts] = []
    counts: list[Quantity] = []
    if not isinstance(cost, Converted | Group | Sampled):
        for child, count in _tallied(cost):
            body = yield from call(_priced(child, reading))
            if isinstance(body, Refusal):
                return body
            bodies.append(body)
            counts.append(count)
    try:
        match cost:
            case Zero():
                return reading.nothing()
            case NonPrivate():
                return reading.everything()
            case Atom():
                return reading.atom(cost)
            case Given():
                return reading.given(cost)
            case Seq():
                return reading.sequence(list(zip(bodies, counts, strict=True)))
            case Repeat(count=count):
                return reading.sequence([(bodies[0], count)])
            case Advanced(count, slack, _):
                return reading.advanced(count, slack, bodies[0])
            case Choice():
                return reading.choice(bodies)
            case Together():
                return reading.together(bodies)
            case Shuffled(count=count):
                return reading.shuffled(count, bodies[0])
            case Group():
                return (yield from call(_group(cost, reading)))
            case Sampled():
                return (yield from call(_sampled(cost, reading)))
            case Converted():
                return (yield from call(_converted(cost, reading)))
            case _:
                assert_never(cost)
    except CannotPrice as refusal:
        return Refusal(cost, str(refusal))
    except QuantityTooLarge:
        return Refusal(cost, TOO_LARGE)


def _tallied(cost: Cost) -> Sequence[tuple[Cost, Quantity]]:
    """The costs directly inside, with equal mechanisms of a sequence counted instead of repeated."""
    if not isinstance(cost, Seq):
        return [(child, ONE) for child in children(cost)]
    leaves = Counter(part for part in cost.parts if isinstance(part, Atom | Given))
    others = [(part, ONE) for part in cost.parts if not isinstance(part, Atom | Given)]
    return [*((leaf, Quantity.of(times)) for leaf, times in leaves.items()), *others]


def _group(cost: Group, reading: Interpretation) -> Task[Parts | Refusal]:
    size = whole(cost.size)
    if isinstance(reading, Renyi):
        rho = yield from call(_priced(cost.body, Zcdp()))
        return rho if isinstance(rho, Refusal) else reading.group_of_line(size, rho[0])
    body = yield from call(_priced(cost.body, reading))
    return body if isinstance(body, Refusal) else reading.group(size, body)


def _sampled(cost: Sampled, reading: Interpretation) -> Task[Parts | Refusal]:
    if not isinstance(reading, Renyi):
        body = yield from call(_priced(cost.body, reading))
        return body if isinstance(body, Refusal) else reading.sampled(cost.scheme, cost.rate, body)
    rho = yield from call(_priced(cost.body, Zcdp()))
    pure = yield from call(_priced(cost.body, Pure()))
    prices: list[Parts] = []
    if not isinstance(pure, Refusal):
        prices.append(reading.sampled_pure(Pure().sampled(cost.scheme, cost.rate, pure)[0]))
    if not isinstance(rho, Refusal) and not reading.order.is_infinite:
        prices.append(reading.sampled_line(cost, rho[0]))
    if not prices:
        return reading.sampled(cost.scheme, cost.rate, reading.everything())
    return (reading.order, smallest(*(parts[1] for parts in prices)))


def _converted(cost: Converted, reading: Interpretation) -> Task[Parts | Refusal]:
    inner = reading if reading.notion is cost.inner else interpretation(cost.inner, cost.body)
    body = yield from call(_priced(cost.body, inner))
    return body if isinstance(body, Refusal) else reading.converted(cost.inner, cost.slack, body)


# ---------------------------------------------------------------------------------------------------------------------
# Numbers


def value(price: Price, values: Values) -> dict[str, float | None]:
    """The price as numbers by name, each rounded to the side that claims less; None is ∞.

    Raises
    ------
    KeyError
        A variable has no value.
    """
    constants = {variable: Quantity.of(number) for variable, number in values.items()}
    numbers: dict[str, float | None] = {}
    for key, part in zip(KEYS[price.notion], price.parts, strict=True):
        # Numbers first: √(2⋅0.005⋅k) at k = 1 is 0.1, of which an enclosure of roots would be a little more.
        numbers[key] = _number(part.substitute(constants), values, up=key not in ORDERS)
    return numbers


def _number(part: Part, values: Values, *, up: bool) -> float | None:
    """A part as a float whose shortest decimal text is the truth or on the given side of it; None for ∞."""
    if isinstance(part, Quantity):
        exact = part.evaluate(values, up=up)
        if isinstance(exact, Fraction):
            near = written_up(exact) if up else written_down(exact)
            return near if abs(near) < math.inf else None
        return None
    number = part.evaluate_float(values, up=up)
    return None if math.isinf(number) else number


def numbers(cost: Cost, notion: Notion, values: Values) -> dict[str, float | None] | Refusal:
    """The price of a term at a valuation, also where its formula would be too large to write."""
    constants = {variable: Quantity.of(number) for variable, number in values.items()}
    found = price(substitute(cost, constants), notion)
    return found if isinstance(found, Refusal) else value(found, values)


# ---------------------------------------------------------------------------------------------------------------------
# Side conditions

_TCDP_LIMIT = Quantity.of("0.1")


def conditions(cost: Cost, notion: Notion) -> list[Condition]:
    """The side conditions under which the price in this notion is a theorem; those that are proved are left out."""
    found: dict[Condition, None] = {}
    pending: list[tuple[Cost, Notion]] = [(cost, notion)]
    while pending:
        here, within = pending.pop()
        for condition in _own_conditions(here, within):
            found[condition] = None
        inner = here.inner if isinstance(here, Converted) else within
        pending.extend((child, inner) for child in reversed(children(here)))
    return [(left, relation, right, why) for left, relation, right, why in found if not decided(left, relation, right)]


def _own_conditions(cost: Cost, notion: Notion) -> list[Condition]:
    match cost:
        case Atom("ggauss", (power, _), _):
            return [(ONE, "≤", power, "the power of a generalized Gaussian is at least 1")]
        case Atom("canonical", (_, delta), _):
            return [(delta, "<", ONE, "δ is a probability")]
        case Atom("rand-resp", (size, _), _):
            return [(Quantity.of(2), "≤", size, "randomized response has at least two answers")]
        case Atom(_, params, Notion.APPROX) | Given(Notion.APPROX, params) if len(params) == 2:
            return [(params[1], "<", ONE, "δ is a probability")]
        case Atom(_, (alpha, _), Notion.RENYI) | Given(Notion.RENYI, (alpha, _)):
            return [(ONE, "<", alpha, "the order α is above 1")]
        case Atom(_, (_, omega), Notion.TCDP) | Given(Notion.TCDP, (_, omega)):
            return [(ONE, "<", omega, "the order ω is above 1")]
        case Advanced(slack=slack):
            return [(slack, "<", ONE, "δ′ of aloop is a probability")]
        case Converted(slack=slack) if slack is not None:
            return [(slack, "<", ONE, "δ of a conversion is a probability")]
        case Group() if notion is Notion.TCDP:
            return _group_conditions(cost)
        case Sampled(rate=rate):
            own: list[Condition] = [(rate, "≤", ONE, "no more rows are sampled than there are")]
            return own + (_tcdp_conditions(cost) if notion is Notion.TCDP else [])
        case _:
            return []


def _group_conditions(cost: Group) -> list[Condition]:
    """A group of k steps is promised something at orders below ω/k only, and nothing where that is no order."""
    body, size = price(cost.body, Notion.TCDP), whole(cost.size)
    if isinstance(body, Refusal) or not isinstance(size, Quantity):
        return []
    omega = body.parts[1]
    if not isinstance(omega, Quantity) or omega.is_infinite:
        return []
    return [(size, "<", omega, "orders are left to a group: ω/k is above 1")]


def _tcdp_conditions(cost: Sampled) -> list[Condition]:
    """The premises of the amplification theorem of Bun, Dwork, Rothblum & Steinke 2018."""
    body = price(cost.body, Notion.TCDP)
    if isinstance(body, Refusal):
        return []
    rho, omega = body.parts
    if not isinstance(rho, Quantity) or not isinstance(omega, Quantity) or rho.is_zero or rho.is_infinite:
        return []
    wanted = log(ONE / cost.rate)
    found: list[Condition] = [
        (cost.rate, "≤", _TCDP_LIMIT, "at most one row in ten is sampled, as the amplification of tCDP asks"),
        (rho, "≤", _TCDP_LIMIT, "ρ is at most 0.1, as the amplification of tCDP asks"),
        (
            3 * rho * (2 + log(ONE / rho) / log(Quantity.of(2))),
            "≤",
            wanted,
            "log(1/q) ≥ 3ρ(2 + log₂(1/ρ)), as the amplification of tCDP asks",
        ),
    ]
    if not omega.is_infinite:
        found.append((wanted / (2 * rho), "≤", omega, "ω ≥ log(1/q)/(2ρ), as the amplification of tCDP asks"))
    return found
