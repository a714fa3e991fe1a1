"""Random whole programs on persons: neighbours differ in a person, with all the rows that the files have of them.

The tests of all random programs meet persons too, now and then; here they meet nothing else, and what is wrong with a rule
for persons is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from tests.effort import often
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.persons import OF_PERSONS, PERSONS
from tests.soundness.mutants import planted
from tests.soundness.whole import Outcome, examined_persons
from tests.soundness.whole_private import examined_releases_of_persons, examined_samples_of_persons

PROGRAMS = often(120, 60)


def told_of(examine: Callable[[int], Outcome], seeds: range) -> Counter[str]:
    told: Counter[str] = Counter()
    for seed in seeds:
        outcome = examine(seed)
        assert not outcome.failures, f"seed {seed}: {outcome.failures[0]}"
        told += outcome.told + Counter({f"rule {rule}": times for rule, times in outcome.fired.items()})
    return told


def test_programs_on_persons_keep_what_is_claimed_of_them() -> None:
    told = told_of(examined_persons, range(PROGRAMS))
    assert told["accepted"] > 0.75 * PROGRAMS
    assert told["finite"] > 0.95 * told["accepted"], "a claim of ∞ cannot be refuted"
    # Programs with a size are judged at two numbers.
    assert told["second opinion: the same"] >= told["accepted"]
    assert not any("sharper, on" in opinion for opinion in told)
    by_order = sum(told[f"rule {rule}"] for rule in ("mfold-row: in order", "first", "last"))
    assert min(told["rule e.b: the rows of a person"], by_order) > PROGRAMS


def test_releases_of_persons_lose_what_is_claimed_at_most() -> None:
    told = told_of(examined_releases_of_persons, range(PROGRAMS))
    assert told["private: finite"] > 0.4 * PROGRAMS
    assert told["private: pairs run"] > 3 * PROGRAMS
    assert told["rule parallel"] > 0.1 * PROGRAMS


def test_persons_who_are_drawn_lose_what_is_claimed_at_most() -> None:
    assert told_of(examined_samples_of_persons, range(PROGRAMS // 4))["sampling: pairs"] > PROGRAMS // 4


FOUND = {
    "the rows of a person move as far as the person": 300,
    "the rows of a person stand as in the file": 30,
    "the first column alone orders the rows of a person": 60,
    "a person's rows begin with the last one of the person before": 30,
}
"""Mutants that so many random programs find."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "mutant", [each for each in (*PERSONS, *OF_PERSONS) if FOUND.get(each.name)], ids=lambda each: each.name
)
def test_random_programs_find_what_is_wrong(mutant: Mutant) -> None:
    with planted(mutant):
        assert any(examined_persons(seed).failures for seed in range(FOUND[mutant.name]))
