"""Random programs on real rows of unknown number: what is claimed of them is true, two checkers claim the same, and broken rules
about what adds nothing where a row is 0 are seen by them, and by no other random program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import pytest

from duetpy.grammar import ast
from tests.effort import often
from tests.soundness.broken.table import BROKEN
from tests.soundness.generate import random_program
from tests.soundness.generate_reals import random_program_on_reals
from tests.soundness.mutants import planted
from tests.soundness.whole import examined_tree

QUICK, MANY = range(often(120, 40)), range(1000, 4000)
PAIRS = 4
SEEN = (
    "real rows of unknown number are added whatever 0 adds",
    "real rows of unknown number are mapped whatever 0 goes to",
    "mmap-row over real ★ rows does not stretch",
    "a sum over real ★ rows is 1-sensitive",
    "a sum is measured in the norm of its rows",
    "a real row map on ★ need not keep zero",
    "a record of reals vanishes where one of its fields does",
    "a name that is bound again is still zero",
    "a sum or difference is 0 where one of its operands is",
    "a clip to any range leaves 0 where it is",
    "a choice is 0 where its first branch is",
)
"""Broken rules."""
ALONE = SEEN[-3:]
"""No other random program sees these."""
ENOUGH = 1000


def told(programs: Callable[[int], ast.File], seeds: Iterable[int]) -> Counter[str]:
    """What all programs tell, where nothing fails."""
    found: Counter[str] = Counter()
    for seed in seeds:
        outcome = examined_tree(seed, programs(seed), PAIRS)
        assert not outcome.failures, f"seed {seed}: {outcome.failures[0]}"
        found += outcome.told
    return found


def is_seen(programs: Callable[[int], ast.File], seeds: Iterable[int]) -> bool:
    """Whether one of the programs shows that something is wrong."""
    for seed in seeds:
        try:
            if examined_tree(seed, programs(seed), PAIRS).failures:
                return True
        except AssertionError:
            return True  # the second checker has no rule for what the broken one accepts
    return False


def test_real_rows_of_unknown_number_keep_what_is_claimed_of_them() -> None:
    found = told(random_program_on_reals, QUICK)
    assert found["accepted"] > 0.7 * len(QUICK)
    assert found["second opinion: the same"] == found["accepted"]


@pytest.mark.slow
def test_many_tables_of_real_rows_keep_what_is_claimed_of_them() -> None:
    told(random_program_on_reals, MANY)


@pytest.mark.slow
@pytest.mark.parametrize("name", SEEN)
def test_a_broken_rule_of_real_rows_is_seen(name: str) -> None:
    (mutant,) = (mutant for mutant in BROKEN if mutant.name == name)
    with planted(mutant):
        assert is_seen(random_program_on_reals, range(ENOUGH))


@pytest.mark.slow
@pytest.mark.parametrize("name", ALONE)
def test_no_other_random_program_sees_what_adds_nothing(name: str) -> None:
    (mutant,) = (mutant for mutant in BROKEN if mutant.name == name)
    others = [seed for seed in range(300) if random_program(seed) != random_program_on_reals(seed)]
    with planted(mutant):
        assert not is_seen(random_program, others)
