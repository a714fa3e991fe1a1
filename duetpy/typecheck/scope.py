"""Names in scope while a program is judged.

The checker walks a program depth first, so one mutable table with undo serves every binder; a program of ten thousand
nested lets then costs ten thousand table entries and no copies, also where functions wait in it for their first use.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import TypeAlias, TypeVar

from attrs import define, field

from duetpy.by_value import Shown
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import KindVar

_FROM = " from "


def imported_name(name: str, file: str) -> str:
    """The name of an imported definition that shares its name with another file's: no program can write it."""
    return f"{name}{_FROM}{file}"


def plain_name(name: str) -> str:
    """The name as its own file writes it."""
    return name.partition(_FROM)[0]


Bound = TypeVar("Bound")
Stack: TypeAlias = "list[tuple[int, Bound]]"
"""What a name was bound to, the innermost last, each with its place among all that is bound."""


@define(eq=False, repr=False)
class Scope(Shown):
    """Term variables and kind variables in scope."""

    _terms: dict[str, Stack[Judged]] = field(factory=dict)
    _kinds: dict[str, Stack[KindVar]] = field(factory=dict)
    _called: dict[str, Stack[KindVar]] = field(factory=dict)
    """Kind variables by what they are called in texts."""
    _height: int = 0
    _hidden: tuple[tuple[int, int], ...] = ()
    """Places that are out of sight, as intervals in their order that do not touch."""

    @property
    def height(self) -> int:
        """How much is bound now, to come back to with `before`."""
        return self._height

    def lookup(self, name: str) -> Judged | None:
        return self._seen(self._terms.get(name, ()))

    def lookup_kind(self, name: str) -> KindVar | None:
        return self._seen(self._kinds.get(name, ()))

    def terms(self) -> list[tuple[str, Judged]]:
        """The term variables in sight, in the order in which their names were first bound."""
        found = [(name, self._seen(stack)) for name, stack in self._terms.items()]
        return [(name, judged) for name, judged in found if judged is not None]

    def kinds(self) -> dict[str, KindVar]:
        """The kind variables in sight, by their names as written."""
        return {name: seen for name, stack in self._kinds.items() if (seen := self._seen(stack)) is not None}

    def push(self, name: str, judged: Judged) -> None:
        self._bind(self._terms, name, judged)

    def pop(self, name: str) -> None:
        self._terms[name].pop()
        self._height -= 1

    @contextmanager
    def binding(self, *bindings: tuple[str, Judged]) -> Iterator[None]:
        for name, judged in bindings:
            self.push(name, judged)
        try:
            yield
        finally:
            for name, _ in bindings:
                self.pop(name)

    @contextmanager
    def binding_kinds(self, variables: Mapping[KindVar, str]) -> Iterator[None]:
        """Kind variables with their names as written in scope within ``with``."""
        for variable, written in variables.items():
            self._called.setdefault(variable.name, []).append((self._height, variable))
            self._bind(self._kinds, written, variable)
        try:
            yield
        finally:
            for variable, written in variables.items():
                self._called[variable.name].pop()
                self._kinds[written].pop()
            self._height -= len(variables)

    def free_name(self, written: str) -> str:
        """What a kind variable of a name is called in texts: the name, or where it hides another variable in sight, m_2 for m."""
        if not written or self._seen(self._called.get(written, ())) is None:
            return written
        count = len(self._kinds.get(written, ()))
        while True:
            count += 1
            name = f"{written}_{count}"
            # A name that the program writes anywhere is not given to another variable.
            if name not in self._kinds and self._seen(self._called.get(name, ())) is None:
                return name

    @contextmanager
    def before(self, height: int) -> Iterator[None]:
        """The scope as it was at an outer place: what was bound since is out of sight."""
        outer = self._hidden
        self._hidden = (*(each for each in outer if each[1] <= height), (height, self._height))
        try:
            yield
        finally:
            self._hidden = outer

    def replace(self, name: str, old: Judged, new: Judged) -> None:
        """Put what is known now of a name in the place of what was."""
        stack = self._terms[name]
        at = next(at for at in range(len(stack) - 1, -1, -1) if stack[at][1] is old)
        stack[at] = stack[at][0], new

    def suggestion(self, name: str) -> str | None:
        """A name in scope that is spelled almost alike, capital letters aside, or that begins with this one."""
        from difflib import get_close_matches

        known = [other for other, _ in self.terms() if _FROM not in other]
        close = get_close_matches(name, known, n=1, cutoff=0.75)
        alike = [other for other in known if other.casefold() == name.casefold()]
        longer = [other for other in known if len(name) > 2 and other.startswith(name)]
        return next(iter([*alike, *close, *longer]), None)

    def _bind(self, table: dict[str, Stack[Bound]], name: str, bound: Bound) -> None:
        table.setdefault(name, []).append((self._height, bound))
        self._height += 1

    def _seen(self, stack: Sequence[tuple[int, Bound]]) -> Bound | None:
        """The innermost of a stack that is in sight."""
        at = len(stack) - 1
        for low, high in reversed(self._hidden):
            if at >= 0 and low <= stack[at][0] < high:
                at = bisect_left(stack, low, key=itemgetter(0)) - 1
        return stack[at][1] if at >= 0 else None
