"""What ``cost --estimates`` adds: guesses of the literature, next to what is certified.

xs: estimates of ε at δ = 1e-5; they guarantee nothing, and nothing accepts them as a cost
  central limit              ε ≈ 6.0071   2.9 % below what is certified   Dong, Roth & Su 2022; Bu, Dong, Long & Su 2020
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from duetpy.accounting.estimates import Estimate, Unestimated, estimates
from duetpy.accounting.figures import bound, figure
from duetpy.accounting.rounding import written_up
from duetpy.report.comparison import Comparison, Unit
from duetpy.report.layout import table

WARNING = "they guarantee nothing, and nothing accepts them as a cost"


@frozen
class Estimated:
    """The guesses about one unit, or the reason why nothing can be guessed."""

    unit: Unit
    found: tuple[Estimate, ...]
    reason: str | None = None


def estimated(compared: Comparison) -> tuple[Estimated, ...]:
    """What limits say of every unit that a program protects."""
    return tuple([_of(unit, compared) for unit in compared.units])


def _of(unit: Unit, compared: Comparison) -> Estimated:
    if unit.missing:
        return Estimated(unit, (), "numbers are missing")
    try:
        return Estimated(unit, estimates(unit.cost, compared.values.kinds, written_up(unit.delta)))
    except Unestimated as reason:
        return Estimated(unit, (), str(reason))


def estimates_text(found: tuple[Estimated, ...]) -> str:
    """The guesses as a text, each line ended."""
    return "".join(
        f"  {', '.join(each.unit.parameters)}: estimates of ε at δ = {bound(written_up(each.unit.delta))}; {WARNING}\n"
        + (table(_cells(each), indent="    ") if each.reason is None else f"    none: {each.reason}\n")
        for each in found
    )


def _cells(each: Estimated) -> Iterator[tuple[str, ...]]:
    for guess in each.found:
        if guess.epsilon is None:
            yield guess.method, "no ε", "", guess.source
        else:
            yield guess.method, f"ε ≈ {figure(guess.epsilon)}", _compared(guess.epsilon, _certified(each)), guess.source


def _certified(each: Estimated) -> float | None:
    worth = each.unit.worth
    return None if worth is None or worth.value is None else worth.value["epsilon"]


def _compared(guess: float, certified: float | None) -> str:
    """How far a guess is from what is certified, which is an upper bound on the truth."""
    if not certified:
        return ""
    share = 100 * (guess / certified - 1)
    return f"{abs(share):.2g} % {'above' if share > 0 else 'below'} what is certified"


def estimates_value(found: tuple[Estimated, ...]) -> dict[str, dict[str, Any]]:
    """The guesses as values that ``json`` can write, by unit."""
    return {
        each.unit.name: {
            "delta": written_up(each.unit.delta),
            "guarantee": False,
            "found": [
                {"method": guess.method, "source": guess.source, "epsilon": guess.epsilon} for guess in each.found
            ],
            "reason": each.reason,
        }
        for each in found
    }
