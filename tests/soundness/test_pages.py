"""Every page of docs/rules has programs that show its rules to be true, a broken rule, and an attained bound or a reason."""

from __future__ import annotations

import pytest

from tests.soundness.broken.table import BROKEN
from tests.soundness.pages import RULES, page_of, pages, without_pages
from tests.soundness.tightness import rows
from tests.soundness.traps import traps

WITHOUT_TIGHTNESS = ("upper bound", "∞ is needed", "no finite", "0 is the least")


def test_every_rule_that_is_named_has_a_page() -> None:
    assert (
        without_pages({trap.rule for trap in traps()} | {rule for mutant in BROKEN for rule in mutant.rules}) == set()
    )


@pytest.mark.parametrize("page", pages())
def test_a_page_has_programs_and_a_broken_rule(page: str) -> None:
    assert any(page_of(trap.rule) == page for trap in traps())
    assert any(page_of(rule) == page for mutant in BROKEN for rule in mutant.rules)


def test_a_broken_rule_names_rules_that_have_programs() -> None:
    known = {trap.rule for trap in traps()}
    assert {rule for mutant in BROKEN for rule in mutant.rules} <= known


@pytest.mark.parametrize("page", pages())
def test_a_page_says_where_its_bound_is_attained_or_why_not(page: str) -> None:
    _, _, said = (RULES / f"{page}.md").read_text("utf-8").replace("## Tight", "**Tight.**").partition("**Tight.**")
    assert said.strip()
    if not any(row.page == page and row.is_tight for row in rows()):
        assert any(words in said.lower() for words in WITHOUT_TIGHTNESS)
