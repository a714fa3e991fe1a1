"""Random programs on numbers in ranges: what is claimed of them is true, two checkers claim the same, and broken rules about ranges
are seen by them, some of them by no other random program.
"""

from __future__ import annotations

import pytest

from tests.effort import often
from tests.soundness.broken.table import BROKEN
from tests.soundness.generate import random_program
from tests.soundness.generate_in_ranges import random_program_in_ranges
from tests.soundness.mutants import planted
from tests.soundness.test_random_reals import is_seen, told

QUICK, MANY = range(often(120, 40)), range(1000, 4000)
SEEN = (
    "what lies in one range lies in every other one",
    "what is chosen of two numbers is in the range of the second",
    "what replaces a missing number is in the range of the number",
    "discrete values are as close as the range that they lie in is short",
    "the distance of two discrete numbers is that of the ends of their range",
    "a number that is no double is an end of a range of doubles",
    "a new cell of one column or another leaves the columns their ranges",
    "one of two tables has the ranges of the first",
    "a new cell is in the range of the others",
)
"""Broken rules."""
ALONE = (
    "discrete values are as close as the range that they lie in is short",
    "a new cell of one column or another leaves the columns their ranges",
    "one of two tables has the ranges of the first",
    "a new cell is in the range of the others",
)
"""No other random program sees these."""
ENOUGH = 1500


def test_numbers_in_ranges_keep_what_is_claimed_of_them() -> None:
    found = told(random_program_in_ranges, QUICK)
    assert found["accepted"] > 0.6 * len(QUICK)
    assert found["second opinion: the same"] == found["accepted"]


@pytest.mark.slow
def test_many_numbers_in_ranges_keep_what_is_claimed_of_them() -> None:
    told(random_program_in_ranges, MANY)


@pytest.mark.slow
@pytest.mark.parametrize("name", SEEN)
def test_a_broken_rule_of_ranges_is_seen(name: str) -> None:
    (mutant,) = (mutant for mutant in BROKEN if mutant.name == name)
    with planted(mutant):
        assert is_seen(random_program_in_ranges, range(ENOUGH))


@pytest.mark.slow
@pytest.mark.parametrize("name", ALONE)
def test_no_other_random_program_sees_these_ranges(name: str) -> None:
    (mutant,) = (mutant for mutant in BROKEN if mutant.name == name)
    others = [seed for seed in range(300) if random_program(seed) != random_program_in_ranges(seed)]
    with planted(mutant):
        assert not is_seen(random_program, others)
