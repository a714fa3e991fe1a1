"""Random privacy programs: neighbours under the same outputs lose no more than is claimed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import pytest

from duetpy.grammar import ast
from duetpy.runtime.evaluation import evaluate
from duetpy.runtime.release import driver
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import KindVar
from tests.effort import often
from tests.soundness.broken.running import HANDED_ON
from tests.soundness.broken.table import BROKEN
from tests.soundness.falsify import check_tree
from tests.soundness.generate_keys import random_keys_program
from tests.soundness.generate_private import random_private_program, random_sampling_program
from tests.soundness.mutants import planted
from tests.soundness.whole import Outcome, examined
from tests.soundness.whole_private import (
    PAGES,
    PROMISED,
    examined_boxed,
    examined_calls,
    examined_functions,
    examined_private,
    examined_sampling,
    fired,
    notion_of,
)

QUICK = range(200)
BREAKING = 240
"""The first program that breaks a promise of its own."""
FEW = (*range(often(160, 55)), BREAKING)
COVERED = range(2000)


def told_without_failure(examine: Callable[[int], Outcome], seeds: Iterable[int]) -> tuple[Counter[str], Counter[str]]:
    """What all seeds tell and which rules they fire, where none of them fails."""
    told: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for seed in seeds:
        outcome = examine(seed)
        assert not outcome.failures, f"seed {seed}: {outcome.failures[0]}"
        told += outcome.told
        asked += outcome.fired
    return told, asked


def test_random_privacy_programs_lose_no_more_than_is_claimed() -> None:
    told, asked = told_without_failure(examined_private, FEW)
    assert set(asked) >= set(PROMISED)
    assert told["private: accepted"] > 0.6 * len(FEW)
    assert told["private: finite"] > 0.7 * told["private: accepted"]


def test_random_functions_lose_no_more_than_is_claimed() -> None:
    told, _ = told_without_failure(examined_functions, range(count := often(80, 20)))
    assert told["private: finite"] > 0.8 * count
    assert told["private: pairs run"] > 0.8 * told["private: pairs"]


def test_random_calls_lose_no_more_than_is_claimed() -> None:
    told, _ = told_without_failure(examined_calls, range(count := often(80, 20)))
    assert told["private: finite"] > 0.7 * count
    assert told["private: pairs run"] > 0.8 * told["private: pairs"]


@pytest.mark.parametrize("seed", [3, 5, 11])
def test_a_run_with_other_numbers_than_were_proved_is_seen(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that puts twice the number in for a kind variable spends twice what is claimed."""
    right = evaluate.instance

    def wrong(*args: Any) -> dict[KindVar, Fraction]:
        return {variable: 2 * number for variable, number in right(*args).items()}

    monkeypatch.setattr(evaluate, "instance", wrong)
    monkeypatch.setattr(driver, "instance", wrong)
    assert examined_functions(seed).failures


def test_random_draws_lose_no_more_than_is_claimed() -> None:
    told, _ = told_without_failure(examined_sampling, range(count := often(60, 25)))
    assert told["sampling: accepted"] > 0.7 * count


def test_random_boxes_lose_no_more_than_is_claimed() -> None:
    told, _ = told_without_failure(examined_boxed, range(count := often(60, 20)))
    assert told["private: pairs run"] > 10 * count


def test_a_box_that_is_rounded_where_it_is_handed_on_is_seen() -> None:
    with planted(HANDED_ON):
        assert sum(bool(examined_boxed(seed).failures) for seed in range(10)) > 2


def test_random_privacy_programs_use_every_rule() -> None:
    unused = set(PAGES)
    for seed in COVERED:
        notion = notion_of(seed)
        made = [(random_private_program(seed, notion), notion)]
        if seed < 40:
            made.append((random_sampling_program(seed), Notion.PURE))
            made.append((random_keys_program(seed), Notion.APPROX))
        for file, here in made:
            assert isinstance(file.body, ast.PLam)
            if unused & set(fired(file.body)) and check_tree(file, here).ok:
                unused -= set(fired(file.body))
        if not unused:
            break
    assert not unused


CAUGHT = (
    ("reals become discrete for free", examined),
    ("a matrix has the diameter of a row", examined),
    ("a difference of static natural numbers is told as 0", examined),
    ("mmap charges what it captures once", examined),
)


@pytest.mark.parametrize(("name", "examine"), CAUGHT, ids=[name for name, _ in CAUGHT])
@pytest.mark.sparse(4)
def test_a_broken_rule_is_seen(name: str, examine: Callable[[int], Outcome]) -> None:
    (mutant,) = (mutant for mutant in BROKEN if mutant.name == name)
    with planted(mutant):
        assert any(examine(seed).failures for seed in QUICK)


@pytest.mark.parametrize("seed", [384, 735])
def test_another_table_that_tells_which_rows_were_drawn_is_seen(seed: int) -> None:
    (mutant,) = (each for each in BROKEN if each.name == "another table tells nothing of which rows were drawn")
    assert not examined_sampling(seed).failures
    with planted(mutant):
        assert examined_sampling(seed).failures
