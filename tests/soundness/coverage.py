"""How often each rule was used, by the page that proves it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.soundness.reference.names import RULES


def rows(fired: Counter[str]) -> Iterator[tuple[int, str, str]]:
    """(times, rule, page) in the order of the pages."""
    for rule, page in sorted(RULES.items(), key=lambda item: item[1]):
        yield fired[rule], rule, page


def table(fired: Counter[str]) -> list[str]:
    return [f"{times:9,}  {rule:44} {page}" for times, rule, page in rows(fired)]
