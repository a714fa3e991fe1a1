"""Diagnostics of ``ensures``: promises that cannot be made, and promises that are not kept."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.source import Span
from duetpy.typecheck.notions import Notion


def no_such_part(span: Span, letter: str, notion: Notion, letters: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        "D0510",
        f"a cost in {notion.info.title} has no {letter}",
        span,
        f"its parts are {', '.join(letters)}",
        help=f"promise {' or '.join(f'{each} ≤ …' for each in letters)}, or choose another notion for the file",
        rule="ensures",
    )


def rao_promises_nothing(span: Span) -> Diagnostic:
    return Diagnostic(
        "D0510",
        "a Rao distance is not a guarantee, so it cannot be promised",
        span,
        notes=("only an estimate of ε and δ follows from it",),
        help="choose another notion for the file: μ of gdp is measured in the same way",
        rule="ensures",
    )


def broken(span: Span, promised: str, name: str, proved: str, notes: tuple[str, ...], help: str) -> Diagnostic:
    return Diagnostic(
        "D0511",
        f"the promise {promised} is broken: {name} costs {proved}",
        span,
        "promised here",
        notes=notes,
        help=help,
        rule="ensures",
    )
