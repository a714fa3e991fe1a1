"""docs/soundness.md says of each rule what the tables of this directory say."""

from __future__ import annotations

from tests.soundness.summary import PAGE, counted, written


def test_the_page_has_the_counts_of_the_tables() -> None:
    assert [(page, mutants, attained, claims) for page, mutants, _, attained, claims, _ in written()] == counted()


def test_every_broken_rule_of_the_page_is_caught() -> None:
    assert all(caught == mutants > 0 for _, mutants, caught, *_ in written())


def test_a_claim_that_is_not_attained_has_a_reason() -> None:
    for page, _, _, attained, claims, reason in written():
        assert bool(reason) == (attained < claims or not claims), page


def test_the_page_names_its_commands() -> None:
    text = PAGE.read_text("utf-8")
    assert "`make mutants`" in text
    assert "`make tightness`" in text
