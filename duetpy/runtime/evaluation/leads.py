"""What follows from what, where each conclusion has a single premise: asked of many tables, the steps are found once.

Contract. What is reached takes time in proportion to what is reached, not to all that there is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from attrs import define, field


@define(eq=False)
class Leads:
    """Steps from one fact to another."""

    _steps: dict[Hashable, list[Hashable]] = field(factory=dict, init=False)

    def add(self, premise: Hashable, conclusion: Hashable) -> None:
        """Whatever has the premise has the conclusion, too."""
        self._steps.setdefault(premise, []).append(conclusion)

    def reached(self, given: Iterable[Hashable]) -> set[Hashable]:
        """The given facts, and all that follow from them."""
        found = set(given)
        pending = list(found)
        while pending:
            for fact in self._steps.get(pending.pop(), ()):
                if fact not in found:
                    found.add(fact)
                    pending.append(fact)
        return found
