"""Names in scope while a program is judged.

The checker walks a program depth first, so one mutable table with undo serves every binder; a program of ten thousand
nested lets then costs ten thousand table entries and no copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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


@define(eq=False, repr=False)
class Scope(Shown):
    """Term variables and kind variables in scope, innermost last."""

    terms: dict[str, list[Judged]] = field(factory=dict)
    kinds: dict[str, list[KindVar]] = field(factory=dict)

    def lookup(self, name: str) -> Judged | None:
        found = self.terms.get(name)
        return found[-1] if found else None

    def lookup_kind(self, name: str) -> KindVar | None:
        found = self.kinds.get(name)
        return found[-1] if found else None

    def push(self, name: str, judged: Judged) -> None:
        self.terms.setdefault(name, []).append(judged)

    def pop(self, name: str) -> None:
        self.terms[name].pop()

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
    def binding_kinds(self, variables: tuple[KindVar, ...]) -> Iterator[None]:
        for variable in variables:
            self.kinds.setdefault(variable.name, []).append(variable)
        try:
            yield
        finally:
            for variable in variables:
                self.kinds[variable.name].pop()

    def heights(self) -> tuple[dict[str, int], dict[str, int]]:
        """How much is bound now, to come back to with `before`."""
        return (
            {name: len(stack) for name, stack in self.terms.items()},
            {name: len(stack) for name, stack in self.kinds.items()},
        )

    @contextmanager
    def before(self, heights: tuple[dict[str, int], dict[str, int]]) -> Iterator[None]:
        """The scope as it was at an outer place: what was bound since is out of sight."""
        terms = {name: stack[heights[0].get(name, 0) :] for name, stack in self.terms.items()}
        kinds = {name: stack[heights[1].get(name, 0) :] for name, stack in self.kinds.items()}
        for name, later in terms.items():
            del self.terms[name][len(self.terms[name]) - len(later) :]
        for name, hidden in kinds.items():
            del self.kinds[name][len(self.kinds[name]) - len(hidden) :]
        try:
            yield
        finally:
            for name, later in terms.items():
                self.terms[name].extend(later)
            for name, hidden in kinds.items():
                self.kinds[name].extend(hidden)

    def replace(self, name: str, old: Judged, new: Judged) -> None:
        """Put what is known now of a name in the place of what was."""
        stack = self.terms[name]
        at = next(place for place, judged in enumerate(stack) if judged is old)
        stack[at] = new

    def suggestion(self, name: str) -> str | None:
        """A name in scope that is spelled almost alike."""
        from difflib import get_close_matches

        known = [other for other, stack in self.terms.items() if stack and _FROM not in other]
        close = get_close_matches(name, known, n=1, cutoff=0.75)
        return close[0] if close else None
