"""How often each rule was used, by the page that proves it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.soundness.reference.names import RULES
from tests.soundness.whole_private import PAGES, PROMISED

EVERY = RULES | PAGES | PROMISED
FOREIGN = frozenset({"given", "opaque"})
"""What is said of code that is not in the language: there is nothing to run at random."""


def rows(fired: Counter[str]) -> Iterator[tuple[int, str, str]]:
    """(times, rule, page) in the order of the pages."""
    for rule, page in sorted(EVERY.items(), key=lambda item: item[1]):
        yield fired[rule], rule, page


def table(fired: Counter[str]) -> list[str]:
    return [f"{times:9,}  {rule:44} {page}" for times, rule, page in rows(fired)]


def pages() -> set[str]:
    """The pages of rules."""
    return {page.stem for page in (Path(__file__).parents[2] / "docs" / "rules").glob("*.md")} - {"README"}


def untried() -> list[str]:
    """The pages of which no rule is made at random."""
    return sorted(pages() - set(EVERY.values()) - FOREIGN)
