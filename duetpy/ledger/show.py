"""A ledger as numbers, as text and as JSON. What is spent is rounded up, what remains is rounded down."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from duetpy.accounting.budget import Budget
from duetpy.accounting.rounding import written_down, written_up
from duetpy.ledger.chain import RELEASED, RESERVED, Entry
from duetpy.typecheck.cost import Notion

if TYPE_CHECKING:
    from duetpy.ledger.store import State

LETTERS = {"epsilon": "ε", "delta": "δ", "rho": "ρ", "mu": "μ"}


def spent(state: State) -> dict[str, float]:
    """What has been charged, by name, rounded up."""
    total = state.spent
    amount = _root(total.amount, up=True) if state.budget.notion is Notion.GDP else written_up(total.amount) + 0.0
    return _named(state.budget, amount, written_up(total.delta) + 0.0)


def remaining(state: State) -> dict[str, float]:
    """What may still be charged, by name, rounded down."""
    total = state.spent
    if state.budget.notion is Notion.GDP:
        amount = _root(state.budget.amount**2 - total.amount, up=False)
    else:
        amount = written_down(state.budget.amount - total.amount)
    return _named(state.budget, amount + 0.0, written_down(state.budget.delta - total.delta) + 0.0)


def _named(budget: Budget, amount: float, delta: float) -> dict[str, float]:
    names = list(budget.exact)
    return dict(zip(names, (amount, delta), strict=False))


def _root(square: Fraction, *, up: bool) -> float:
    """√square as a float on the given side of it."""
    near = math.sqrt(square)
    while up and Fraction(near) ** 2 < square:
        near = math.nextafter(near, math.inf)
    while not up and Fraction(near) ** 2 > square:
        near = math.nextafter(near, 0.0)
    return near


def amounts(numbers: Mapping[str, float]) -> str:
    """``ε = 0.5, δ = 1e-6``; a δ of 0 in a pure ledger is left out."""
    shown = [f"{LETTERS[name]} = {_written(value)}" for name, value in numbers.items() if name != "delta" or value]
    return ", ".join(shown)


def _written(value: float) -> str:
    """A number in full, without a decimal point where it is whole."""
    return f"{value:g}" if value == float(f"{value:g}") else repr(value)


def value(state: State) -> dict[str, Any]:
    """As printed by ``ledger show --format json``."""
    return {
        "dataset": state.dataset,
        "notion": state.budget.notion.value,
        "budget": state.budget.numbers,
        "spent": spent(state),
        "remaining": remaining(state),
        "head": state.head,
        "entries": [_entry(entry, state) for entry in state.entries if entry.kind == RESERVED],
    }


def _entry(entry: Entry, state: State) -> dict[str, Any]:
    charge = entry.charge
    return {
        "number": entry.number,
        "at": entry.at,
        "program": entry.body["program"],
        "unit": entry.body["unit"],
        "cost": _named(state.budget, written_up(charge.amount) + 0.0, written_up(charge.delta) + 0.0),
        "released": any(e.kind == RELEASED and e.body["entry"] == entry.number for e in state.entries),
        "hash": entry.hash,
    }


def text(state: State) -> str:
    """As printed by ``ledger show``."""
    lines = [
        f"{state.dataset}: {amounts(spent(state))} of {amounts(state.budget.numbers)} spent, "
        f"{amounts(remaining(state)) or 'nothing'} left"
    ]
    for entry in value(state)["entries"]:
        fate = "" if entry["released"] else "   not finished: charged all the same"
        lines.append(f"  {entry['number']:>4}  {entry['at']}  {amounts(entry['cost'])}  {entry['program']}{fate}")
    lines.append(f"receipt {len(state.entries)}:{state.head}")
    return "\n".join(lines) + "\n"
