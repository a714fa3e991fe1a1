"""Random programs that find keys: neighbours under the same outputs lose no more than is claimed."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.effort import often
from tests.soundness.broken.table import BROKEN
from tests.soundness.mutants import planted
from tests.soundness.whole_keys import examined_keys

QUICK = range(80)


def test_random_keys_lose_no_more_than_is_claimed() -> None:
    told: Counter[str] = Counter()
    for seed in range(count := often(250, 60)):
        outcome = examined_keys(seed)
        assert not outcome.failures, f"seed {seed}: {outcome.failures[0]}"
        told += outcome.told
    assert told["keys: accepted"] > 0.6 * count
    assert told["keys: finite pairs"] > 2 * count
    assert told["keys: pairs that move a coin"] > 2 * count
    assert outcome.seed == count - 1


CAUGHT = (
    "all keys of a row cost as much as one",
    "a replaced row moves the keys that it has and not those that it had",
    "a move by several rows is charged as one",
    "a table that is not listed is free",
    "every key of a row counts",
)


@pytest.mark.parametrize("name", CAUGHT)
@pytest.mark.sparse(2)
def test_a_broken_rule_is_seen(name: str) -> None:
    (mutant,) = (mutant for mutant in BROKEN if mutant.name == name)
    with planted(mutant):
        assert any(examined_keys(seed).failures for seed in QUICK)


@pytest.mark.parametrize("seed", [742, 848])
def test_what_else_finds_the_keys_of_a_row_is_seen(seed: int) -> None:
    """Few random programs find keys through another input."""
    (mutant,) = (each for each in BROKEN if each.name == "what finds the keys of a row is free")
    assert not examined_keys(seed).failures
    with planted(mutant):
        assert examined_keys(seed).failures
