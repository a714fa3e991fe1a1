"""How often each rule was used, by the page that proves it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.soundness.reference.names import RULES
from tests.soundness.whole_private import PAGES, PROMISED

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
EVERY = RULES | PAGES | PROMISED
FOREIGN = frozenset({"given", "opaque"})
"""What is said of code that is not in the language: there is nothing to run at random."""


def rows(fired: Counter[str]) -> Iterator[tuple[int, str, str]]:
    """(times, rule, page) in the order of the pages."""
    for rule, page in sorted(EVERY.items(), key=lambda item: item[1]):
        yield fired[rule], rule, page


def table(fired: Counter[str]) -> list[str]:
    return [f"{times:9,}  {rule:44} {page}" for times, rule, page in rows(fired)]


HEAD = """# Coverage

This table shows how often random whole programs used each rule, and the page that proves the rule. Each program was accepted,
run on neighbours by the evaluator, compared with its definition and judged by a second checker; each privacy program was
replayed and compared with its cost.
A rule with 0 was not used by so few programs: the default tests check that 6,000 programs use every rule, and `make soundness`,
which prints this table for 20,000, fails if a rule is not used.
There are no random programs for code that is not in the language (given, opaque).
"""


def page(lines: list[str], count: int) -> str:
    """docs/coverage.md, of what was printed."""
    return "\n".join(
        [
            HEAD,
            f"`python -m tests.soundness {count} --write` prints this and writes this page:",
            "",
            "```",
            *lines,
            "```",
            "",
        ]
    )


def written() -> dict[str, tuple[int, str]]:
    """The times and the page of each rule, as docs/coverage.md has them."""
    _, block, _ = PAGE.read_text("utf-8").split("```")
    found: dict[str, tuple[int, str]] = {}
    for line in block.strip("\n").partition("\n\n")[0].splitlines():
        times, rest = line.split(maxsplit=1)
        rule, of = rest.rsplit(maxsplit=1)
        found[rule.strip()] = int(times.replace(",", "")), of
    return found


def pages() -> set[str]:
    """The pages of rules."""
    return {page.stem for page in (Path(__file__).parents[2] / "docs" / "rules").glob("*.md")} - {"README"}


def untried() -> list[str]:
    """The pages of which no rule is made at random."""
    return sorted(pages() - set(EVERY.values()) - FOREIGN)
