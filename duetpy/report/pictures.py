"""Pictures of what was released, of what a ledger has left, and of errors against the number that was calibrated.

Contract. A picture of a release shows nothing that the release does not say; of insecure noise it says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, cycle
from typing import TYPE_CHECKING, Any

from duetpy.accounting.budget import adds_squares
from duetpy.accounting.figures import bound, figure
from duetpy.ledger.chain import Reservation
from duetpy.ledger.show import limit, remaining, short, spent, unrecorded
from duetpy.ledger.state import State
from duetpy.report.picture import Picture, Unplottable, canvas, plain
from duetpy.runtime.release.result_table import Column, cell_text

if TYPE_CHECKING:
    from duetpy.runtime.release.release import Release

MOST_LABELS = 40
"""So many rows of a result have their names below them."""

MOST_PROGRAMS = 9
"""So many programs have a colour of their own in the picture of a ledger."""

UNVERIFIED_HATCH = "///"
"""Drawn over a charge that rests on stated costs or foreign code."""

WORD = 30
"""A longer name is cut, which is shown."""

LARGEST = 1e300
"""The ends of an axis lie beyond the numbers on it, and must be doubles."""

NO_NUMBERS = "there is nothing to plot: the result has no column of numbers"

INSECURE = "INSECURE: protects nobody,\nmust not be shown"


# ---------------------------------------------------------------------------------------------------------------------
# Releases


def released(release: Release) -> Picture:
    """Every column of numbers of a result, with error bars at 95 % if its error is known.

    Raises
    ------
    Unplottable
        Without matplotlib, or if the result has no column of numbers, or numbers that no axis can show.
    """
    table = release.table()
    if not table.rows:
        return _empty(release)
    shown = [
        place for place, column in enumerate(table.columns) if _is_drawn(column, [row[place] for row in table.rows])
    ]
    key = next((place for place in range(len(table.columns)) if place not in shown), None)
    if key is None and len(shown) > 1 and table.columns[shown[0]].error95 is None:
        key = shown.pop(0)
    if not shown:
        raise Unplottable(NO_NUMBERS)
    if any(abs(row[place] or 0) > LARGEST for row in table.rows for place in shown):
        raise Unplottable(f"the result cannot be plotted: it has numbers beyond {LARGEST:g}")
    names = ["" if key is None else _short(cell_text(row[key])) for row in table.rows]
    drawn = canvas(max(4.0, min(14.0, 1.5 + 0.5 * len(names))), 3.0 * len(shown))
    axes = drawn.subplots(len(shown), 1, squeeze=False, sharex=True)
    for place, (at,) in zip(shown, axes, strict=True):
        _bars(at, table.columns[place], [row[place] for row in table.rows])
    last = axes[-1][0]
    if len(names) == 1:
        last.set_xlim(-1.5, 1.5)
    is_labelled = len(names) <= MOST_LABELS
    last.set_xticks(range(len(names)) if is_labelled else [], names if is_labelled else [])
    if is_labelled and sum(map(len, names)) > 50:
        last.tick_params(axis="x", labelrotation=45)
    last.set_xlabel("" if key is None else _short(table.columns[key].name))
    drawn.suptitle(_title(release))
    return Picture(drawn)


def _empty(release: Release) -> Picture:
    """A picture that says that there is no row."""
    drawn = canvas(4.0, 3.0)
    drawn.text(0.5, 0.5, "no rows", ha="center", va="center")
    drawn.suptitle(_title(release))
    return Picture(drawn)


def _title(release: Release) -> str:
    return _short(release.program) if release.noise == "secure" else INSECURE


def _is_drawn(column: Column, cells: Sequence[Any]) -> bool:
    return not column.holds_days and all(_is_number(cell) or cell is None for cell in cells)


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _bars(at: Any, column: Column, cells: Sequence[float | None]) -> None:
    found = [(place, cell) for place, cell in enumerate(cells) if cell is not None]
    at.bar([place for place, _ in found], [cell for _, cell in found], yerr=column.error95, capsize=4, color="tab:blue")
    within = "" if column.error95 is None else f" (± {bound(column.error95)}, 95 %)"
    at.set_ylabel(f"{_short(column.name)}{within}")
    at.axhline(0, color="black", linewidth=0.8)


def _short(text: str) -> str:
    return plain(text if len(text) <= WORD else f"{text[: WORD - 1]}…")


# ---------------------------------------------------------------------------------------------------------------------
# Ledgers


def spending(state: State) -> Picture:
    """How much of its budget a ledger has spent, run by run; raises `Unplottable` without matplotlib."""
    budget, shares = state.budget, _shares(state)
    drawn = canvas(8.0, 1.4 + 0.9 * len(shares))
    at = drawn.subplots()
    first = next(iter(shares.values()))
    names = list(dict.fromkeys(name for name, _, _ in first))
    colours = dict(zip(names[:MOST_PROGRAMS], cycle(f"C{place}" for place in range(MOST_PROGRAMS)), strict=False))
    for place, charged in enumerate(shares.values()):
        ends = list(accumulate((share for _, share, _ in charged), initial=0.0))
        left = ends.pop()
        for hatch in dict.fromkeys(hatch for _, _, hatch in charged):
            bars = [(*bar[:2], start) for start, bar in zip(ends, charged, strict=True) if bar[2] == hatch]
            at.broken_barh(
                [(100 * start, 100 * share) for _, share, start in bars],
                (place - 0.3, 0.6),
                facecolors=[colours.get(name, "grey") for name, _, _ in bars],
                edgecolors="white",
                # An edge as wide as its bar would hide it: what is spent would look as if it were left.
                linewidths=[min(1.0, 100 * share) for _, share, _ in bars],
                hatch=hatch,
            )
        at.barh(
            place, 100 * max(0.0, 1 - left), left=100 * left, color="none", edgecolor="grey", height=0.6, linestyle=":"
        )
    for name, colour in colours.items():
        at.barh(0, 0, color=colour, label=_short(name))
    if len(names) > MOST_PROGRAMS:
        at.barh(0, 0, color="grey", label=f"{len(names) - MOST_PROGRAMS} other programs")
    if any(hatch for _, _, hatch in first):
        at.barh(0, 0, color="grey", edgecolor="white", hatch=UNVERIFIED_HATCH, label="trusted, not verified")
    at.set_yticks(range(len(shares)), list(shares))
    squares = ", of which the squares add up" if adds_squares(budget.notion) else ""
    at.set(xlim=(0, 100), xlabel=f"per cent of the budget{squares}")
    left_over = short(remaining(state), up=False) or "nothing"
    paid = f"{short(spent(state), up=True)} of {short(limit(budget), up=True)} spent"
    at.set_title(f"{_short(state.dataset)}\n{paid}, {left_over} left")
    at.invert_yaxis()
    if names:
        at.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    if unknown := "\n".join(unrecorded(state)):
        drawn.supxlabel(unknown, fontsize="small", x=0.0, ha="left")
    return Picture(drawn)


def _shares(state: State) -> dict[str, list[tuple[str, float, str]]]:
    """Of each part of a budget that is not 0, its letter and the share and the hatch of each charge, in the order of time."""
    budget = state.budget
    said = [entry.said for entry in state.entries if isinstance(entry.said, Reservation)]
    charges = [(each.program, each.charge, UNVERIFIED_HATCH if each.trusted else "") for each in said]
    power = 2 if adds_squares(budget.notion) else 1
    letters = budget.notion.letters
    found = {
        letters[0]: [(name, float((charge.amount / budget.amount) ** power), hatch) for name, charge, hatch in charges]
    }
    if budget.delta:
        found[letters[1]] = [(name, float(charge.delta / budget.delta), hatch) for name, charge, hatch in charges]
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Errors


def errors(name: str, value: float, curves: Mapping[str, Sequence[tuple[float, float]]], goal: float | None) -> Picture:
    """The error of each release against a number of the program, around the value that was found.

    Raises
    ------
    Unplottable
        Without matplotlib, or if no release has an error.
    """
    if not any(curves.values()):
        raise Unplottable("there is nothing to plot: the program adds noise to no number")
    drawn = canvas(6.0, 4.0)
    at = drawn.subplots()
    for said, points in curves.items():
        at.plot([x for x, _ in points], [y for _, y in points], label=plain(said), marker=".")
    at.axvline(value, color="black", linestyle="--", label=f"{name} = {figure(value)}")
    if goal is not None:
        at.axhline(goal, color="grey", linestyle=":", label=f"error {figure(goal)}")
    at.set(xscale="log", yscale="log", xlabel=name, ylabel="error of a number (95 %)")
    at.grid(which="both", linewidth=0.3)
    at.legend(frameon=False)
    return Picture(drawn)
