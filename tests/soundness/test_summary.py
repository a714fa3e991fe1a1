"""docs/soundness.md says of each rule what the tables of this directory say: ``python -m tests.soundness.summary`` writes it."""

from __future__ import annotations

from attrs import evolve

from tests.soundness.summary import PAGE, counted, written


def test_the_page_has_the_counts_of_the_tables() -> None:
    assert [evolve(line, reason="") for line in written()] == counted()


def test_every_rule_of_the_page_has_a_broken_one() -> None:
    assert all(line.broken > 0 for line in written())


def test_a_claim_that_is_not_attained_has_a_reason_and_no_other() -> None:
    assert [line.page for line in written() if bool(line.reason) != line.wants_a_reason] == []


def test_the_page_names_its_commands() -> None:
    text = PAGE.read_text("utf-8")
    assert "`make mutants`" in text
    assert "`make tightness`" in text
