"""Tables of rows made of tables of persons: what stays of a person is that person's affair."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from duetpy.runtime.exact.rationals import of_fractions, plain
from duetpy.runtime.release.noiseless import evaluate
from duetpy.runtime.values.hashes import hashed, of_number, of_text
from duetpy.runtime.values.values import MissingLanes, Texts, Truths
from tests.soundness import plain_flat
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.persons import OF_FLAT
from tests.soundness.mutants import planted

TYPE = "persons[patient : 𝕊 | visits : 𝔻𝔽[date : Date?, cost : 𝔻]]"
KEEP = 3


def flat(people: Any, most: int = KEEP, block: str = "p.visits") -> list[tuple[Any, ...]]:
    found = evaluate(f"sλ people : {TYPE} ⇒ flat[{most}] people {{ p ⇒ {block} }}", people={"visits": people})
    return [tuple(row) for row in found]


def lines(persons: int, most: int, seed: int = 1) -> list[dict[str, Any]]:
    draw = random.Random(seed)
    made = [
        {
            "patient": f"p{who}",
            "date": draw.choice([None, date(2024, 2, 29), date(2023, 12, 31)]),
            "cost": draw.randrange(4) / 2,
        }
        for who in range(persons)
        for _ in range(draw.randrange(most))
    ]
    draw.shuffle(made)
    return made


def keeps_what_is_kept_of_each_alone() -> None:
    everybody = lines(40, 9)
    together = flat(everybody)
    rows = Counter(line["patient"] for line in everybody)
    assert Counter(row[0] for row in together) == {who: min(KEEP, count) for who, count in rows.items()}
    for who in rows:
        own = [line for line in everybody if line["patient"] == who]
        alone = flat(own)
        assert Counter(alone) == Counter(row for row in together if row[0] == who)
        assert Counter(alone) <= Counter(flat(own, 100))


def prefers_no_rows() -> None:
    """All rows of a person stay equally often: within five standard deviations, which 4,000 persons leave once in 10^6
    tests; also where no cell tells persons apart, but for what is in their rows."""
    count, rows = 4000, 6
    for keep_name in (True, False):
        people = [
            {"patient": f"p{who}", "date": None, "cost": 10.0 * who + place}
            for who in range(count)
            for place in range(rows)
        ]
        table = "people" if keep_name else "people.[visits]"
        text = f"sλ people : {TYPE} ⇒ flat[2] {table} {{ p ⇒ p.visits }}"
        costs = [row[-1] for row in evaluate(text, people={"visits": people})]
        often = Counter(int(cost) % 10 for cost in costs)
        wanted = count * 2 / rows
        assert sum(often.values()) == 2 * count
        assert all(abs(often[place] - wanted) < 5 * np.sqrt(wanted * (1 - 2 / rows)) for place in range(rows)), often
        pairs = Counter(tuple(sorted((int(a) % 10, int(b) % 10))) for a, b in zip(costs[::2], costs[1::2], strict=True))
        assert len(pairs) == 15
        assert all(abs(found - count / 15) < 5 * np.sqrt(count / 15) for found in pairs.values()), pairs


def gives_equal_cells_equal_numbers() -> None:
    cells = [Fraction(0), Fraction(1, 2), Fraction(-3), Fraction(2) ** 60, Fraction(1, 3)]
    kept = hashed(of_fractions(cells, (len(cells),)))
    doubles = hashed(plain(np.array([-0.0, 0.5, -3.0, 2.0**60])))
    assert kept[:4].tolist() == doubles.tolist() == hashed(plain(np.array([0.0, 0.5, -3.0, 2.0**60]))).tolist()
    assert kept.tolist() == [of_number(cell) for cell in cells] == [plain_flat.number_of(cell) for cell in cells]
    assert of_number(Fraction(10) ** 400) == of_text(str(10**400))
    texts = np.array(["", "a", "Ä", "a"], dtype=np.object_)
    assert hashed(Texts(texts)).tolist() == [plain_flat.number_of(text) for text in texts]
    there = np.array([True, False, True, False])
    assert hashed(MissingLanes(there, Truths(there))).tolist() == [
        plain_flat.number_of(cell) for cell in (True, None) * 2
    ]


CHECKS: dict[str, Callable[[], None]] = {
    "alone": keeps_what_is_kept_of_each_alone,
    "even": prefers_no_rows,
    "cells": gives_equal_cells_equal_numbers,
}


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_holds(check: str) -> None:
    CHECKS[check]()


@pytest.mark.parametrize("mutant", OF_FLAT, ids=lambda mutant: mutant.name)
def test_what_is_wrong_with_flat_is_found(mutant: Mutant) -> None:
    (check,) = mutant.rules
    with planted(mutant), pytest.raises(AssertionError):
        CHECKS[check]()


@pytest.mark.parametrize(
    "block", ["p.visits", "mfilter p.visits { v ⇒ v.cost < 1.0 }", "joinDF₁⧼cost⧽[p.visits, p.visits.[cost]]"]
)
def test_no_block_of_persons_changes_what_stays(block: str) -> None:
    text = f"sλ people : {TYPE} ⇒ flat[2] people {{ p ⇒ {block} }}"
    everybody = lines(30, 6)
    found = [evaluate(text, people={"visits": everybody}, _block_rows=size) for size in (1, 3, 8192)]
    assert found[0] == found[1] == found[2]


def test_no_more_rows_of_a_person_stay_than_count() -> None:
    rows = Counter({"p0": 1, "p1": KEEP, "p2": KEEP + 1, "p3": 9})
    everybody = [{"patient": who, "date": None, "cost": float(at)} for who in rows for at in range(rows[who])]
    assert Counter(row[0] for row in flat(everybody)) == {who: min(KEEP, count) for who, count in rows.items()}


def test_rows_of_nobody_and_persons_without_rows() -> None:
    assert flat([]) == []
    assert flat(lines(5, 5), block="mfilter p.visits { v ⇒ false }") == []
    # A public table, and one whose shape differs from person to person, are put together as well.
    assert len(flat(lines(9, 5), 5, "joinDF₁⧼cost⧽[p.visits, p.visits.[cost]]")) == len(lines(9, 5))
