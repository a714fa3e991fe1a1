"""The places that rows come from, as a ledger keeps them: whose people a charge is for.

Contract. A place says the same in every run. Of two places of which one begins with the other, the shorter one holds the people of
both, as a file does of each of its tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import TypeAlias

Place: TypeAlias = tuple[str, ...]
"""The whole path of a file; that, and a table in it; or `OF_SOURCES` and the parts of an identity. All but a path are as Python
writes them."""

Grouped: TypeAlias = tuple[tuple[Place, ...], ...]
"""Places, those of the same people together."""

OF_SOURCES = "source"
"""How the place of a source with an identity begins, which no whole path does."""


def begins(one: Sequence[object], other: Sequence[object]) -> bool:
    """Whether one of two places, or marks of files, begins with the other."""
    return all(part == another for part, another in zip(one, other, strict=False))


def may_share(group: Iterable[Place], other: Iterable[Place]) -> bool:
    """Whether some place of a group holds people of a place of another one."""
    return any(begins(one, another) for one, another in product(group, other))


def merged(
    groups: Iterable[Iterable[Place]], is_one: Callable[[set[Place], set[Place]], bool] = may_share
) -> list[set[Place]]:
    """The groups, those that are one as one; unless something else is said, those that may share people."""
    found: list[set[Place]] = []
    for group in map(set, groups):
        same = [other for other in found if is_one(other, group)]
        found = [*(other for other in found if other not in same), group.union(*same)]
    return found


def place_text(place: Place) -> str:
    """A place in messages, and where a ledger compares texts: no two places have one text."""
    first, *more = place
    if not more:
        return first
    parts = ", ".join(more)
    return f"{first} {parts}" if first == OF_SOURCES else f"table {parts} of {first}"


def grouped(said: object) -> Grouped:
    """Groups of places as JSON has them; raises `TypeError` for anything else."""
    groups = _listed(said)
    places = [[_listed(place) for place in _listed(group)] for group in groups]
    if not all(
        group and all(place and all(isinstance(part, str) for part in place) for place in group) for group in places
    ):
        raise TypeError("not groups of places")
    return tuple(tuple(tuple(map(str, place)) for place in group) for group in places)


def _listed(said: object) -> list[object]:
    if not isinstance(said, list):
        raise TypeError("not a list")
    return said
