"""Whether a promised cost is kept: by the formula where the order of quantities proves it and its premises, else by the
tightest accountant.

Only upper bounds count. The price in the promise's own notion is one; of (ε, δ) and ε the numeric accountant's certified
bound is another, and of Rényi privacy its curve at the promised order; the smaller one decides. Estimates, and the Rao distance,
never do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction

from attrs import frozen

from duetpy.accounting.expressions import Part, Values
from duetpy.accounting.notions.interpretation import Premise
from duetpy.accounting.price import Price, Refusal, price, settled, value
from duetpy.accounting.quantity_bounds import plain
from duetpy.accounting.rounding import claimed, reached
from duetpy.by_value import ByValue
from duetpy.source import Span
from duetpy.typecheck.conditions import Limit, Promise
from duetpy.typecheck.cost import Cost, NonPrivate, Zero
from duetpy.typecheck.notions import ORDERS, Notion
from duetpy.typecheck.quantity import Quantity


@frozen(eq=False, repr=False)
class Pending(ByValue):
    """A promise that only numbers can decide."""

    text: str
    span: Span
    unit: str

    def show(self, ascii: bool = False) -> str:
        return self.text.replace("≤", "<=") if ascii else self.text

    @property
    def reason(self) -> str:
        return f"this is enough for the promise about {self.unit}; otherwise the accountant's best bound decides"


@frozen(eq=False, repr=False)
class Breach(ByValue):
    """A promise that is not kept: by which input, and what is proved of it."""

    limits: tuple[Limit, ...]
    unit: str
    proved: str
    notes: tuple[str, ...] = ()
    help: str = "spend less (a smaller parameter of a mechanism, fewer iterations), or promise no more than is proved"

    @property
    def promised(self) -> str:
        return ", ".join(limit.show() for limit in self.limits)

    @property
    def span(self) -> Span:
        return self.limits[0].span


def settle(promise: Promise, values: Values) -> tuple[list[Pending], list[Breach]]:
    """What is left open of a promise, and what is broken, with some numbers given."""
    known = {variable: Quantity.of(number) for variable, number in values.items()}
    asked = promise.substitute(known)
    pending: list[Pending] = []
    breaches: list[Breach] = []
    for unit, cost in asked.units:
        if isinstance(cost, Zero):
            continue
        if isinstance(cost, NonPrivate):
            breaches.append(_exposed(asked, unit, cost))
            continue
        found = price(cost, asked.notion)
        left = asked.limits if isinstance(found, Refusal) else _unproved(found, asked.limits)
        rests = () if isinstance(found, Refusal) else found.premises
        if not left and not rests:
            continue
        if asked.variables():
            pending += _open(asked, left, found, unit)
            pending += [Pending(premise.show(), asked.limits[0].span, unit) for premise in rests]
            continue
        breach = _breach(asked, unit, cost)
        if breach is not None:
            breaches.append(breach)
    return pending, breaches


def _exposed(promise: Promise, unit: str, cost: NonPrivate) -> Breach:
    reason = (f"{unit} {cost.reason}",) if cost.reason else ()
    help = (
        f"release {unit} through a mechanism that lists it; if it is public, take it as a static number (ε : ℝ⁺[ε]) or bind "
        "it outside this pλ"
    )
    return Breach(promise.limits, unit, "∞", reason, help)


def _part(found: Price, letter: str) -> Part:
    return found.parts[found.notion.letters.index(letter)]


def _unproved(found: Price, limits: Sequence[Limit]) -> tuple[Limit, ...]:
    """The limits that the formula of the price is not proved to keep, its premises taken for true."""

    def holds(limit: Limit) -> bool:
        part = _part(found, limit.letter)
        if limit.letter in ORDERS:
            return isinstance(part, Quantity) and limit.bound.leq(part)
        bound = plain(part)
        return bound is not None and bound.leq(limit.bound)

    return tuple(limit for limit in limits if not holds(limit))


def _open(asked: Promise, left: Sequence[Limit], found: Price | Refusal, unit: str) -> list[Pending]:
    """What only numbers decide of a promise: its limits as the formula of the price has them."""
    if isinstance(found, Refusal):
        return [Pending(limit.show(), limit.span, unit) for limit in left]
    if _is_of_one_order(found.notion) and any(_is_beyond(limit, found) for limit in left):
        # The formula is about orders up to its own: beyond them the curve decides.
        return [Pending(", ".join(limit.show() for limit in asked.limits), asked.limits[0].span, unit)]
    return [Pending(_compared(limit, _part(found, limit.letter)), limit.span, unit) for limit in left]


def _compared(limit: Limit, part: Part) -> str:
    """What the formula has to keep of a limit; the limit itself where the formula is a number, and does not keep it."""
    if limit.bound.number is not None and isinstance(part, Quantity) and part.number is not None:
        return limit.show()
    bound, own = limit.bound.show(), part.show()
    return f"{bound} ≤ {own}" if limit.letter in ORDERS else f"{own} ≤ {bound}"


def _is_of_one_order(notion: Notion) -> bool:
    """Whether a cost is an ε at an order."""
    return "ε" in notion.letters and not ORDERS.isdisjoint(notion.letters)


def _is_beyond(limit: Limit, found: Price) -> bool:
    """Whether a promise is made of an order above that of a price."""
    part = _part(found, limit.letter)
    return limit.letter in ORDERS and isinstance(part, Quantity) and part.lt(limit.bound)


# ---------------------------------------------------------------------------------------------------------------------
# Numbers


def _breach(promise: Promise, unit: str, cost: Cost) -> Breach | None:
    """What is broken where every number is known; None where the best bound keeps the promise."""
    found = settled(cost, promise.notion, {})
    priced = _by_letter(found, promise.notion)
    if all(_keeps(limit, priced) for limit in promise.limits):
        return None
    proved, notes = _shown(priced), _notes(found)
    epsilon, best = _limits(promise, "ε"), _best(promise, priced, cost)
    if epsilon is not None and best is not None:
        certified, where, method = best
        if claimed(certified) <= epsilon:
            return None
        proved = f"ε = {_figure(certified)}{where}"
        notes = (*notes, f"the best bound proved for {unit} is {proved} (method: {method})")
    return Breach(promise.limits, unit, proved, notes)


def _best(promise: Promise, priced: Mapping[str, float], cost: Cost) -> tuple[float, str, str] | None:
    """The least ε that the accountant certifies at the δ or the order of a promise, what that is, and the method."""
    from duetpy.accounting.certify import renyi_at, tight

    where, found, method = "", math.inf, "Rényi curve"
    if _is_of_one_order(promise.notion):
        orders = [limit.bound.evaluate_float({}, up=True) for limit in promise.limits if limit.letter in ORDERS]
        order = max(orders, default=math.inf)
        if 1.0 < order < math.inf:
            found, where = renyi_at(cost, order), f" at α = {_figure(order)}"
    elif promise.notion.info.bounds_ratio:
        delta = _limits(promise, "δ") if "δ" in promise.notion.letters else Fraction(0)
        at = _fraction(priced.get("δ", math.inf)) if delta is None else delta
        if at is not None and at < 1:
            bound = tight(cost, {}, at)
            found, method = bound.epsilon, bound.method
            where = f" at δ = {_figure(float(at))}" if "δ" in promise.notion.letters else ""
    return None if found == math.inf else (found, where, method)


def _notes(found: Price | Refusal) -> tuple[str, ...]:
    """Of a price that rests on what is not certain: on what."""
    unproved: tuple[Premise, ...] = found.premises if isinstance(found, Refusal) else ()
    return tuple(f"its cost depends on a side condition that fails: {premise.why}" for premise in unproved)


def _by_letter(found: Price | Refusal, notion: Notion) -> Mapping[str, float]:
    """The price by letter, rounded up, orders down; ∞ if the notion gives no price."""
    names = notion.letters
    if isinstance(found, Refusal):
        return {name: 0.0 if name in ORDERS else math.inf for name in names}
    figures = value(found)
    parts = [figures[key] for key in notion.keys]
    return {name: math.inf if part is None else part for name, part in zip(names, parts, strict=True)}


def _keeps(limit: Limit, priced: Mapping[str, float]) -> bool:
    number, bound = priced[limit.letter], limit.bound.evaluate({}, up=limit.letter in ORDERS)
    if limit.letter in ORDERS:
        return number == math.inf or (isinstance(bound, Fraction) and bound <= reached(number))
    return number < math.inf and isinstance(bound, Fraction) and claimed(number) <= bound


def _limits(promise: Promise, letter: str) -> Fraction | None:
    """The least bound on a part, never above the truth; None where nothing is promised of it."""
    bounds = [limit.bound.evaluate({}, up=False) for limit in promise.limits if limit.letter == letter]
    exact = [bound for bound in bounds if isinstance(bound, Fraction)]
    return min(exact) if exact else None


def _fraction(number: float) -> Fraction | None:
    return None if math.isinf(number) else claimed(number)


def _shown(priced: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {_figure(value, up=name not in ORDERS)}" for name, value in priced.items())


def _figure(number: float, *, up: bool = True) -> str:
    """A number to six digits, rounded to the side on which it claims less. The last digits of a bound depend on the processor."""
    if math.isinf(number):
        return "∞"
    rounding = Context(prec=6, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    rounded = float(rounding.create_decimal(repr(number)))
    # Six digits of the largest doubles are beyond all of them.
    short = repr(number) if math.isinf(rounded) else f"{rounded:.6g}"
    return short.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
