"""What surrounds the place that is being judged: the notion, the names in scope, the tests under which it is reached; and what has
been found so far that is wrong or is left to be shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from attrs import define, evolve, field

from duetpy.by_value import Shown
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.source import Span
from duetpy.typecheck.conditions import Condition, Obligation, strongest
from duetpy.typecheck.errors import obligations
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ZERO, Comparison, KindVar, Quantity, Relation
from duetpy.typecheck.scope import Scope

MAX_DIAGNOSTICS = 100
"""At most this many are reported per program, as for its text."""


@define(eq=False, repr=False)
class Surroundings(Shown):
    """What types are elaborated in, and promises and conditions stated."""

    notion: Notion
    allowed: Quantity = field(default=ZERO, kw_only=True)
    """How much a function may round whose type is written down, in the units of a context: types do not say."""
    scope: Scope = field(factory=Scope)
    told: dict[Diagnostic, None] = field(factory=dict)
    """What is wrong, in the order in which it was found."""
    conditions: dict[Condition, None] = field(factory=dict)
    """What is left to be shown of the numbers around the place that is being judged: the sizes and parameters of the functions
    that it stands in."""
    hiding: dict[str, str] = field(factory=dict)
    """The kind variables that hide others, by what texts call them, with their names as written."""
    tests: tuple[Comparison, ...] = ()
    """The tests on static numbers under which that place is reached."""

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return list(self.told)

    def report(self, diagnostic: Diagnostic) -> None:
        """Report something wrong, once; beyond what a person reads, only that there is more."""
        if len(self.told) < MAX_DIAGNOSTICS or (diagnostic.is_error and not any(told.is_error for told in self.told)):
            self.told[self._with_hiding(diagnostic)] = None

    def _with_hiding(self, diagnostic: Diagnostic) -> Diagnostic:
        """A diagnostic that says which variables the ones are that it does not call by their names."""
        texts = " ".join((diagnostic.message, diagnostic.label, *(each.message for each in diagnostic.labels)))
        named = [called for called in self.hiding if re.search(rf"(?<!\w){re.escape(called)}(?!\w)", texts)]
        notes = [
            f"{called} is the inner one of two variables with the name {self.hiding[called]}: give it a name of its own"
            for called in named
        ]
        return evolve(diagnostic, notes=(*notes, *diagnostic.notes)) if notes else diagnostic

    def obligate(self, left: Quantity, relation: Relation, right: Quantity, reason: str, span: Span) -> None:
        """Demand a relation of static numbers: proved now, refused now, or left to be shown of the actual numbers."""
        self.demand(Obligation(left, relation, right, reason, span))

    def demand(self, condition: Condition) -> None:
        """Demand a condition at this place, and so under the tests around it."""
        here = condition
        if self.tests or condition.under:
            tests = dict.fromkeys(test for test in (*self.tests, *condition.under) if not test.opposite().fails({}))
            here = evolve(condition, under=tuple(tests))
        holds = here.decided() if isinstance(here, Obligation) else None
        if holds is False:
            assert isinstance(here, Obligation)
            self.report(obligations.obligation_fails(here.span, here))
        elif holds is None:
            self.conditions.setdefault(here)

    @contextmanager
    def under(self, test: Comparison | None) -> Iterator[None]:
        """A branch that is reached only where a test holds."""
        outer = self.tests
        self.tests = outer if test is None else (*outer, test)
        try:
            yield
        finally:
            self.tests = outer

    @contextmanager
    def abstracting(self, kinds: tuple[KindVar, ...]) -> Iterator[list[Condition]]:
        """The body of a function over kind variables. At the end the list holds what it demands of them; what it demands of
        others is demanded around it."""
        found: list[Condition] = []
        outer, self.conditions = self.conditions, {}
        try:
            yield found
        finally:
            for condition in strongest(self.conditions):
                if condition.variables().isdisjoint(kinds):
                    outer.setdefault(condition)
                else:
                    found.append(condition)
            self.conditions = outer
