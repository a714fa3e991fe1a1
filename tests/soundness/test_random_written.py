"""Random programs as people write them: they lose what is claimed at most, say the same in other words at the same price, and every
place that states a cost states the same one.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from attrs import evolve

from duetpy.typecheck.notions import Notion
from tests.effort import often
from tests.soundness.broken.table import BROKEN
from tests.soundness.falsify import check_tree
from tests.soundness.generate_written import random_histogram, random_program_as_written
from tests.soundness.mutants import planted
from tests.soundness.rewritten import HANDED_ON, SAME, claim_of, lowered
from tests.soundness.statements import disagreements_as_written
from tests.soundness.whole import Outcome
from tests.soundness.whole_private import examined_file

REPLAYED = (Notion.PURE, Notion.ZCDP, Notion.GDP)
ALL = (*REPLAYED, Notion.APPROX, Notion.RENYI, Notion.TCDP)
PAIRS = 4


def examined(seed: int) -> Outcome:
    """A program of a seed on neighbours, with the outputs of its mechanisms frozen."""
    notion = REPLAYED[seed % len(REPLAYED)]
    file = random_program_as_written(seed, notion, has_parameters=seed % 9 < 3)
    return examined_file(seed, file, PAIRS, notion)


def counted(seed: int) -> Outcome:
    """A histogram of a seed on neighbours."""
    notion = REPLAYED[seed % len(REPLAYED)]
    return examined_file(seed, random_histogram(seed, notion), PAIRS, notion)


def rewritten(seed: int, told: Counter[str]) -> list[str]:
    """What is wrong with the claims about a program that is written in other ways."""
    notion = ALL[seed % len(ALL)]
    file = random_program_as_written(seed, notion, has_parameters=seed % 12 < 6)
    before, source = claim_of(check_tree(file, notion)), random.Random(seed)
    assert file.body is not None
    found: list[str] = []
    for what, rewrite in (SAME | HANDED_ON).items():
        body = None if before is None else rewrite(source, file.body)
        after = None if body is None else claim_of(check_tree(evolve(file, body=body), notion))
        if before is None or after is None:
            continue
        told[what] += 1
        wrong = lowered(before, after, is_same=what in SAME)
        if wrong is not None:
            found.append(f"seed {seed}, {what}: {wrong}")
    return found


PROGRAMS = often(120, 24)
ENOUGH = 2000


def test_programs_as_written_lose_what_is_claimed_at_most() -> None:
    told: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        outcome = examined(seed)
        assert not outcome.failures, f"seed {seed}: {outcome.failures[0]}"
        told += outcome.told
    assert told["private: accepted"] > 0.5 * PROGRAMS
    assert told["private: finite"] > 0.4 * PROGRAMS
    assert told["private: pairs run"] == told["private: pairs"] > PROGRAMS


def test_histograms_lose_what_is_claimed_at_most() -> None:
    told: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        outcome = counted(seed)
        assert not outcome.failures, f"seed {seed}: {outcome.failures[0]}"
        told += outcome.told
    assert told["private: finite"] > 0.7 * PROGRAMS


def test_other_words_make_no_claim_smaller() -> None:
    told: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        assert not rewritten(seed, told)
    # Not every program has a loop that can be cut.
    assert told.keys() >= SAME.keys() - {"a loop in two"} | HANDED_ON.keys()
    assert sum(told.values()) > 6 * PROGRAMS


@pytest.mark.parametrize("seed", range(often(24, 3)))
def test_every_place_states_the_same_cost(seed: int, tmp_path: Path) -> None:
    for attempt in range(seed, seed + 1000, len(ALL)):
        found = disagreements_as_written(attempt, ALL[seed % len(ALL)], tmp_path)
        if found is not None:
            assert not found
            return
    pytest.fail("all programs are refused")


@pytest.mark.slow
def test_many_programs_as_written_lose_what_is_claimed_at_most() -> None:
    for seed in range(1000, 3000):
        outcome = examined(seed)
        assert not outcome.failures, f"seed {seed}: {outcome.failures[0]}"


SEEN = (
    "a row that is replaced moves one of many counts",
    "counts of rows that are replaced move as counts of rows that come or go",
    "a row that meets one of two conditions meets it for one column",
    "an equation of the column with anything holds for one column",
    "a comparison holds for one column",
    "a name of a let is that of the column",
)
"""Broken rules that the histograms show."""


@pytest.mark.slow
@pytest.mark.parametrize("name", SEEN)
def test_histograms_show_what_is_wrong_with_bins(name: str) -> None:
    (mutant,) = (mutant for mutant in BROKEN if mutant.name == name)
    with planted(mutant):
        assert any(counted(seed).failures for seed in range(ENOUGH))
