"""The places that rows come from, as a ledger keeps them: whose people a charge is for.

Contract. A place says the same in every run. Of two places of which one begins with the other, the shorter one holds the people of
both, as a file does of each of its tables. The empty one is that of data of which nothing shows whose it is: it may be anybody's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import TypeAlias, TypeVar

from attrs import frozen

T = TypeVar("T")

Place: TypeAlias = tuple[str, ...]
"""The whole path of a file; that, and a table in it; `OF_SOURCES` and the parts of an identity; or empty. All but a path are as
Python writes them."""

Grouped: TypeAlias = tuple[tuple[Place, ...], ...]
"""Places, those of the same people together; the empty one for each object in memory."""

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


@frozen
class Contradiction:
    """Two places that one run counts as of the same people and another one as of different people.

    Parameters
    ----------
    one, other
        The places.
    is_possible
        Whether they are of the same people only if data in memory is a copy of one of them.
    """

    one: Place
    other: Place
    is_possible: bool


class _Same:
    """Who is who, as far as all runs say so. It takes time in proportion to the number of places, not to its square.

    A set of places of the same people that holds one object in memory may be of the people of any one other place. If it holds
    two, each may be a copy of another one, and all places may be of the same people.
    """

    def __init__(self, groups: Sequence[Sequence[Place]]) -> None:
        self._above: dict[Place, Place] = {place: place for group in groups for place in group if place}
        for first, *more in ([place for place in group if place] for group in groups if any(group)):
            for place in more:
                self._join(first, place)
        for place in self._above:
            for shorter in _beginnings(place):
                self._join(shorter, place)
        in_memory = Counter[Place]()
        for group in groups:
            in_memory[self._set_of(next(filter(None, group), ()))] += group.count(())
        self.may_be_all = any(number > 1 for number in in_memory.values())
        self._of_anybody = {place for place, number in in_memory.items() if number}
        self._longer: dict[Place, set[Place]] = {}
        for place in self._above:
            for shorter in _beginnings(place):
                self._longer.setdefault(shorter, set()).add(self._set_of(place))

    def _set_of(self, place: Place) -> Place:
        """What stands for the places of the same people."""
        while (above := self._above.get(place, place)) != place:
            self._above[place] = self._above.get(above, above)
            place = above
        return place

    def _join(self, one: Place, other: Place) -> None:
        if one in self._above:
            self._above[self._set_of(one)] = self._set_of(other)

    def _sets(self, group: Iterable[Place]) -> set[Place]:
        """What stands for those that hold people of a group."""
        found = set[Place]()
        for place in group:
            found |= self._longer.get(place, set())
            found |= {self._set_of(each) for each in (place, *_beginnings(place)) if each in self._above}
        return found

    def pairs(self, files: Grouped) -> Iterator[tuple[tuple[Place, ...], tuple[Place, ...], bool]]:
        """Two groups of a run that may be of the same people, and whether data in memory has to be a copy for that."""
        known = [group for group in files if () not in group]
        by_set: dict[Place, list[tuple[Place, ...]]] = {}
        for group in known:
            for each in self._sets(group):
                by_set.setdefault(each, []).append(group)
        for each, groups in by_set.items():
            yield from ((one, other, False) for one, other in combinations(groups, 2))
            if each in self._of_anybody:
                yield from ((one, other, True) for one, other in product(groups, known) if one is not other)
        if self.may_be_all:
            yield from ((one, other, True) for one, other in combinations(known, 2))


def _beginnings(place: Place) -> Iterator[Place]:
    """The shorter places that hold the people of a place."""
    return (place[:length] for length in range(1, len(place)))


def contradiction(charged: Sequence[Grouped]) -> Contradiction | None:
    """Where two runs say of two places who is who in two ways; None where all agree."""
    same = _Same([group for files in charged for group in files if len(group) > 1])
    for files in dict.fromkeys(charged):
        for one, other, is_possible in same.pairs(files):
            # A run that reads all of a source and a part of it has charged a person for both.
            if not may_share(one, other):
                return Contradiction(one[0], other[0], is_possible)
    return None


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
