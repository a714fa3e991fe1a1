"""What a cost rests on that nobody verified, in the words with which every display and every ledger tells it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from duetpy.diagnostics.display import visible
from duetpy.typecheck.annotations import ReleaseSite

TRUSTED = "given"

UNVERIFIED = "its stated cost is trusted, not verified"
UNKNOWN = "foreign code; only its type is known"

MOST = 2
"""So many stand in one line."""


def trusted(releases: Iterable[ReleaseSite], foreign: Iterable[str]) -> tuple[str, ...]:
    """Foreign code, and the costs that a program states itself."""
    given = [
        f"release {TRUSTED} at {visible(site.span.place)}: {UNVERIFIED}"
        for site in releases
        if site.mechanism == TRUSTED
    ]
    return (*dict.fromkeys(given), *(f"runs {target}: {UNKNOWN}" for target in foreign))


def in_one_line(told: Sequence[str]) -> tuple[str, ...]:
    """The first ones, and how many more there are."""
    more = (f"{len(told) - MOST} more",) if len(told) > MOST else ()
    return (*told[:MOST], *more)
