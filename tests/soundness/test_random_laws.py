"""Random programs whose laws on two neighbours are computed: these are as close as every number says that is stated of the cost."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.effort import often
from tests.soundness.broken.table import BROKEN
from tests.soundness.mutants import planted
from tests.soundness.statements import disagreements_with_a_law
from tests.soundness.whole_laws import NOTIONS, examined_law, examined_wider

QUICK = range(often(100, 8))


def test_laws_are_as_close_as_what_is_stated() -> None:
    told: Counter[str] = Counter()
    for seed in QUICK:
        assert (wrong := examined_law(seed, told)) is None, f"seed {seed}: {wrong}"
    assert told["accepted"] > 0.7 * len(QUICK)
    assert told["finite"] > 0.6 * len(QUICK)
    assert told["pairs"] > 2 * len(QUICK)
    assert told["close"] > 0.05 * told["pairs"]


@pytest.mark.slow
def test_many_laws_are_as_close_as_what_is_stated() -> None:
    told: Counter[str] = Counter()
    for seed in range(1000, 3000):
        assert (wrong := examined_law(seed, told)) is None, f"seed {seed}: {wrong}"


WIDER = range(often(100, 8))


def test_laws_of_more_forms_are_as_close_as_what_is_stated() -> None:
    told: Counter[str] = Counter()
    for seed in WIDER:
        assert (wrong := examined_wider(seed, told)) is None, f"seed {seed}: {wrong}"
    assert told["accepted"] > 0.8 * len(WIDER)
    assert told["finite"] > 0.7 * len(WIDER)
    assert told["pairs"] > 4 * len(WIDER)
    assert told["close"] > 0.05 * told["pairs"]


@pytest.mark.slow
def test_many_laws_of_more_forms_are_as_close_as_what_is_stated() -> None:
    told: Counter[str] = Counter()
    for seed in range(1000, 3000):
        assert (wrong := examined_wider(seed, told)) is None, f"seed {seed}: {wrong}"
    assert told["promised"] > 50


@pytest.mark.parametrize("seed", range(often(24, 1)))
def test_every_place_states_the_same_cost(seed: int, tmp_path: Path) -> None:
    for attempt in range(seed, seed + 1000, len(NOTIONS)):
        found = disagreements_with_a_law(attempt, NOTIONS[seed % len(NOTIONS)], tmp_path)
        if found is not None:
            assert not found
            return
    pytest.fail("all programs are refused")


SEEN = {
    "Laplace noise is half as telling": 8,
    "pure ε is half its μ": 63,
    "pure ε counts a repeated mechanism once": 81,
    "a Gibbs choice moves in one direction only": 91,
    "the ρ of tCDP does not add": 95,
    "a sampled ε is qε": 126,
    "a promise holds for a move of any size": 176,
    "batches are charged for their features only": 194,
    "the δ of a group is kδ": 199,
}
SEEN_IN_MORE_FORMS = {
    "a person with rows in two tables pays for the first": 226,
    "a row that is joined with k others moves the join by one row": 213,
    "flat moves by a row a person": 9,
    "several parts of a row cost as much as one": 25,
    "every promise is kept": 9,
    "a promise is kept by what costs more": 18,
}
"""Broken rules, each with a program that shows it."""


@pytest.mark.parametrize("name", SEEN | SEEN_IN_MORE_FORMS)
@pytest.mark.sparse(4)
def test_a_broken_rule_is_seen(name: str) -> None:
    (mutant,) = (mutant for mutant in BROKEN if mutant.name == name)
    examined, seed = (examined_law, SEEN[name]) if name in SEEN else (examined_wider, SEEN_IN_MORE_FORMS[name])
    with planted(mutant):
        assert examined(seed, Counter()) is not None
