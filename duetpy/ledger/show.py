"""A ledger as numbers, as text and as JSON. The budget and what is spent are rounded up, what remains is rounded down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Any

from duetpy.accounting.budget import Budget, Charge, adds_squares
from duetpy.accounting.rounding import root_down, root_up, written_down, written_up
from duetpy.diagnostics.display import visible
from duetpy.ledger.chain import Completion, Entry, Reservation
from duetpy.ledger.state import State
from duetpy.typecheck.notions import LETTERS
from duetpy.typecheck.unverified import in_one_line

UNRECORDED = (
    "An earlier version wrote some entries, without recording whether they rest on stated costs or foreign code."
)


def spent(state: State) -> dict[str, float]:
    """What has been charged, by name, rounded up."""
    total = state.spent
    amount = root_up(total.amount) if adds_squares(state.budget.notion) else total.amount
    return _named(state.budget, written_up(amount), written_up(total.delta))


def limit(budget: Budget) -> dict[str, float]:
    """A budget by name, rounded up: no more is ever spent, and never less printed than what was."""
    return {name: written_up(number) for name, number in budget.exact.items()}


def charged(budget: Budget, charge: Charge) -> dict[str, float]:
    """What one run was or would be charged, by name, rounded up."""
    return _named(budget, written_up(charge.amount), written_up(charge.delta))


def remaining(state: State) -> dict[str, float]:
    """What may still be charged, by name, rounded down."""
    total = state.spent
    if adds_squares(state.budget.notion):
        amount = root_down(state.budget.amount**2 - total.amount)
    else:
        amount = state.budget.amount - total.amount
    return _named(state.budget, written_down(amount), written_down(state.budget.delta - total.delta))


def _named(budget: Budget, amount: float, delta: float) -> dict[str, float]:
    names = list(budget.exact)
    return dict(zip(names, (amount, delta), strict=False))


def amounts(numbers: Mapping[str, float]) -> str:
    """``ε = 0.5, δ = 1e-6``; a δ of 0 in a pure ledger is left out."""
    shown = [f"{LETTERS[name]} = {_written(value)}" for name, value in numbers.items() if name != "delta" or value]
    return ", ".join(shown)


def short(numbers: Mapping[str, float], *, up: bool) -> str:
    """The same with five digits: a budget and what was spent are rounded up, what is left is rounded down."""
    rounding = Context(prec=5, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return amounts({name: float(rounding.create_decimal(repr(value))) for name, value in numbers.items()})


def _written(value: float) -> str:
    """A number in full, without a decimal point where it is whole."""
    text = f"{value:g}" if value == float(f"{value:g}") else repr(value)
    mantissa, sign, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if sign else text


def value(state: State) -> dict[str, Any]:
    """As printed by ``ledger show --format json``."""
    released = {entry.said.entry for entry in state.entries if isinstance(entry.said, Completion)}
    return {
        "dataset": state.dataset,
        "notion": state.budget.notion.value,
        "neighbours": state.neighbours,
        "budget": limit(state.budget),
        "spent": spent(state),
        "remaining": remaining(state),
        "head": state.head,
        "entries": [
            _entry(entry, entry.said, state.budget, entry.number in released)
            for entry in state.entries
            if isinstance(entry.said, Reservation)
        ],
    }


def _entry(entry: Entry, said: Reservation, budget: Budget, is_released: bool) -> dict[str, Any]:
    return {
        "number": entry.number,
        "at": entry.at,
        "program": said.program,
        "unit": said.unit,
        "cost": charged(budget, said.charge),
        "trusted": None if said.trusted is None else list(said.trusted),
        "released": is_released,
        "hash": entry.hash,
    }


def text(state: State) -> str:
    """As printed by ``ledger show``."""
    entries = charges(state)
    widest = max((len(entry[2]) for entry in entries), default=0)
    lines = [f"  {number:>4}  {at}  {cost:<{widest}}  {said}" for number, at, cost, said in entries]
    return "".join(f"{line}\n" for line in [spent_text(state), *lines, *unrecorded(state), receipt_text(state)])


def spent_text(state: State) -> str:
    """What is spent of the budget, and what is left."""
    left = short(remaining(state), up=False) or "nothing"
    return f"{visible(state.dataset)}: {short(spent(state), up=True)} of {short(limit(state.budget), up=True)} spent, {left} left"


def charges(state: State) -> list[tuple[str, str, str, str]]:
    """Every charge: its number, when it was made, the cost, and the program, with what is unusual about it."""
    return [
        (
            str(entry["number"]),
            entry["at"],
            short(entry["cost"], up=True),
            "   ".join([visible(entry["program"]), *_unusual(entry)]),
        )
        for entry in value(state)["entries"]
    ]


def _unusual(entry: Mapping[str, Any]) -> Iterator[str]:
    if not entry["released"]:
        yield "not finished: charged nevertheless"
    yield from map(visible, in_one_line(entry["trusted"] or ()))


def unrecorded(state: State) -> list[str]:
    """What is not known of charges that an earlier version wrote, in lines."""
    said = (entry.said for entry in state.entries)
    is_whole = all(each.trusted is not None for each in said if isinstance(each, Reservation))
    return [] if is_whole else [UNRECORDED]


def receipt_text(state: State) -> str:
    """What is kept elsewhere, to find out whether the ledger is still the same."""
    return f"receipt {len(state.entries)}:{state.head}"
