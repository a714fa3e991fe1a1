"""A ledger for somebody else: a table, JSON, or a page.

All of them hold every charge with its hash, and the budget rounded as ``ledger show`` rounds it. None holds the key of the
ledger, a digest of data, or what was released.
"""

from __future__ import annotations

from typing import Any

from duetpy.diagnostics.markup import paragraph, table
from duetpy.ledger.show import amounts, remaining, spent, value
from duetpy.ledger.state import State
from duetpy.report.check_text import RELATIONS
from duetpy.report.page import page, section
from duetpy.report.result_csv import csv_text
from duetpy.runtime.release.result_table import Column, Table


def ledger_csv(state: State, *, on_terminal: bool = False) -> str:
    """One line per charge under a header; the parts of a cost have columns of their own."""
    shown = value(state)
    parts = list(shown["budget"])
    columns = ("number", "at", "program", "unit", *parts, "trusted", "released", "hash")
    rows = [_row(entry, parts) for entry in shown["entries"]]
    return csv_text(Table(tuple(Column(name) for name in columns), tuple(rows)), on_terminal=on_terminal)


def _row(entry: dict[str, Any], parts: list[str]) -> tuple[Any, ...]:
    costs = (entry["cost"].get(part, 0.0) for part in parts)
    said = (entry["number"], entry["at"], entry["program"], entry["unit"])
    return (*said, *costs, _trusted(entry), entry["released"], entry["hash"])


def _trusted(entry: dict[str, Any]) -> str:
    """What a charge rests on in addition to the proof, as one cell."""
    return "not recorded" if entry["trusted"] is None else "; ".join(entry["trusted"])


def _relation(neighbours: str | None) -> str:
    """The relation of a ledger in words; if it has a part for each kind of input, the parts are written as they are kept."""
    return "not fixed before the first charge" if neighbours is None else RELATIONS.get(neighbours, neighbours)


def ledger_html(state: State) -> str:
    """A page for whoever answers for the data."""
    shown = value(state)
    totals = [
        ("budget", amounts(shown["budget"])),
        ("spent", amounts(spent(state))),
        ("left", amounts(remaining(state)) or "nothing"),
        ("notion", state.budget.notion.info.headline),
        ("neighbours", _relation(state.neighbours)),
        ("receipt", f"{len(state.entries)}:{state.head}"),
    ]
    header = ("number", "at", "program", "protects", "cost", "trusted", "result", "hash")
    rows = [
        (
            str(entry["number"]),
            entry["at"],
            entry["program"],
            entry["unit"],
            amounts(entry["cost"]),
            _trusted(entry),
            "stored" if entry["released"] else "not finished: charged nevertheless",
            entry["hash"],
        )
        for entry in shown["entries"]
    ]
    return page(
        f"Privacy budget of {state.dataset}",
        (
            section("Budget", table(("what", "value"), totals)),
            section("Charges", table(header, rows) if rows else paragraph("nothing was charged")),
            section("How to read this", paragraph(_MEANING)),
        ),
    )


_MEANING = """\
The budget and what is spent are rounded up, what is left is rounded down.
A cost is proved, except for what is trusted: costs that the program states itself, and foreign code.
Every entry contains the hash of the one before it.
`duetpy ledger verify --receipt` tells whether the ledger still has the entry of the receipt.
The page shows the ledger at the moment of the export.
Whoever can write to the file of the ledger can restore an older copy; a receipt kept elsewhere reveals that.
"""
