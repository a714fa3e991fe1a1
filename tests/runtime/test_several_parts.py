"""`parallel` of rows with several keys: in which parts a row lies is a function of the row."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import duetpy
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.persons import OF_PARTS
from tests.soundness.mutants import planted

DEPTS = ("a", "b", "c", "d")
KEYS = "mfold-row ℘{p.patient}, p.visits { seen, v ⇒ unionAll ℘{seen, ℘{v.dept}} }"
TEXT = (
    "pλ ε : ℝ⁺ . people : persons[patient : 𝕊 | visits : 𝔻𝔽[dept : 𝕊]], ε : ℝ⁺[ε] ⇒ "
    'parallel[2, people, ℘{{"a", "b", "c", "d"}}] {{ p ⇒ {keys} }} {{ dept, part ⇒ '
    "number ← laplace[1, ε] <part> {{ real (rows part) }} ; return ⟨dept, number⟩ }}"
)


def ran(lines: list[tuple[str, str]], keys: str = KEYS) -> dict[str, int]:
    """How many persons each part has, where a person has these departments."""
    visits = {"patient": [who for who, _ in lines], "dept": [dept for _, dept in lines]}
    program = duetpy.parse(TEXT.format(keys=keys), notion="eps").check()
    found: Any = program.run(people={"visits": visits}, ε=1, _insecure_noise="none", _on_bad_row="drop").result
    return {dept: int(number) for dept, number in found}


def puts_a_person_into_two_parts_at_most() -> None:
    draw = random.Random(5)
    lines = [(f"p{draw.randrange(30)}", draw.choice((*DEPTS, "x", "y"))) for _ in range(120)]
    everybody = ran(lines)
    alone: Counter[str] = Counter()
    for who in dict(lines):
        own = [line for line in lines if line[0] == who]
        mine = ran(own)
        alone.update(mine)
        listed = {dept for _, dept in own} & set(DEPTS)
        # Departments that are not listed take no place of those that are.
        assert sum(mine.values()) == min(2, len(listed))
        assert {dept for dept, number in mine.items() if number} <= listed
    assert everybody == dict(alone)


def prefers_no_parts() -> None:
    """Within five standard deviations, which 3,000 persons leave once in 10^6 tests."""
    found = ran([(f"p{who}", dept) for who in range(3000) for dept in DEPTS])
    assert sum(found.values()) == 6000
    assert all(abs(number - 1500) < 5 * np.sqrt(750) for number in found.values()), found


CHECKS: dict[str, Callable[[], None]] = {"parts": puts_a_person_into_two_parts_at_most, "even": prefers_no_parts}


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_holds(check: str) -> None:
    CHECKS[check]()


@pytest.mark.parametrize("mutant", OF_PARTS, ids=lambda mutant: mutant.name)
def test_what_is_wrong_with_parts_is_found(mutant: Mutant) -> None:
    (check,) = mutant.rules
    with planted(mutant), pytest.raises(AssertionError):
        CHECKS[check]()


@pytest.mark.parametrize("keys", [KEYS, '℘{p.patient, "a", "b", "d"}'], ids=["sets of any size", "sets of one size"])
def test_a_person_is_in_no_more_parts_than_count(keys: str) -> None:
    lines = [("p", "a"), ("p", "b"), ("q", "a"), ("q", "b"), ("q", "c"), ("c", "d"), ("c", "b"), ("c", "a")]
    assert sum(ran(lines, keys).values()) == 3 * 2


def test_rows_may_have_no_key_and_there_may_be_no_rows() -> None:
    assert ran([]) == dict.fromkeys(DEPTS, 0)
    assert ran([("p", "x")]) == dict.fromkeys(DEPTS, 0)
    assert ran([("p", "a"), ("q", "b")], keys='℘{"d", "z"}') == {"a": 0, "b": 0, "c": 0, "d": 2}


@pytest.mark.parametrize("again", DEPTS)
def test_the_order_of_lines_changes_nothing(again: str) -> None:
    lines = [*(("p", dept) for dept in DEPTS), ("p", again), ("q", "a")]
    assert ran(lines) == ran(lines[::-1])
