"""The places that rows come from, as a ledger keeps them: whose people a charge is for.

Contract. A place says the same in every run. Of two places of which one begins with the other, the shorter one holds the people of
both, as a file does of each of its tables. The empty one is that of data of which nothing shows whose it is: it may be anybody's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Place: TypeAlias = tuple[str, ...]
"""The whole path of a file; that, and a table in it; `OF_SOURCES` and the parts of an identity; or empty. All but a path are as
Python writes them."""

Grouped: TypeAlias = tuple[tuple[Place, ...], ...]
"""Places, those of the same people together."""

OF_SOURCES = "source"
"""How the place of a source with an identity begins, which no whole path does."""


def may_share(marks: Iterable[Sequence[object]], others: Iterable[Sequence[object]]) -> bool:
    """Whether some place, or mark of a source, holds people of one of the others: one of the two begins with the other."""
    pairs = product(marks, others)
    return any(all(part == own for part, own in zip(one, other, strict=False)) for one, other in pairs)


def connected(items: Iterable[T], share: Callable[[T, T], bool]) -> list[list[T]]:
    """What has people by those whom it has: what shares some, directly or through others, is one group."""
    groups: list[list[T]] = []
    for item in items:
        same = [group for group in groups if any(share(item, other) for other in group)]
        groups = [group for group in groups if group not in same]
        groups.append([other for group in same for other in group] + [item])
    return groups


def place_text(place: Place) -> str:
    """A place in messages, and where a ledger compares texts: no two places have one text, and the empty one has none."""
    if len(place) < 2:
        return "".join(place)
    first, *more = place
    parts = ", ".join(more)
    return f"{first} {parts}" if first == OF_SOURCES else f"table {parts} of {first}"


def grouped(said: object) -> Grouped:
    """Groups of places as JSON has them; raises `TypeError` for anything else."""
    groups = _listed(said)
    places = [[_listed(place) for place in _listed(group)] for group in groups]
    if not all(group and all(all(isinstance(part, str) for part in place) for place in group) for group in places):
        raise TypeError("not groups of places")
    return tuple(tuple(tuple(map(str, place)) for place in group) for group in places)


def _listed(said: object) -> list[object]:
    if not isinstance(said, list):
        raise TypeError("not a list")
    return said
