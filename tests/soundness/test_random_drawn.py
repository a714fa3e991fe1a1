"""Random programs that draw rows of several tables: the laws of neighbours, computed exactly, are as close as the price says."""

from __future__ import annotations

from collections import Counter

import pytest

from duetpy.typecheck.notions import Notion
from tests.effort import often
from tests.soundness.broken.table import BROKEN
from tests.soundness.falsify import Refused
from tests.soundness.generate_drawn import random_drawn_program
from tests.soundness.mutants import planted
from tests.soundness.witness import Witness, column, used

NOTIONS = (Notion.PURE, Notion.APPROX, Notion.PURE, Notion.ZCDP, Notion.GDP, Notion.RENYI)
QUICK = range(often(150, 45))


def examined(seed: int, told: Counter[str], pairs: int = 4) -> str | None:
    """The neighbours of a program that are further apart than its price."""
    made, notion = random_drawn_program(seed, pairs), NOTIONS[seed % len(NOTIONS)]
    before = tuple(column(*cells) for cells in made.before)
    for cells in made.after:
        after = tuple(column(*each) for each in cells)
        witness = Witness("sample", notion, made.text, before, after, ())
        try:
            part = used(witness)
        except Refused:
            told["refused"] += 1
            return None
        told["pairs"] += 1
        told["tight"] += part > 0.98
        if part > 1 + 1e-6:
            return f"{notion}: {part} of the price is used\n{made.text}\n{made.before}\n{cells}"
    return None


def test_neighbours_are_no_further_apart_than_the_price_says() -> None:
    told: Counter[str] = Counter()
    for seed in QUICK:
        assert (broken := examined(seed, told)) is None, f"seed {seed}: {broken}"
    assert told["pairs"] > 2 * len(QUICK)
    assert told["tight"] > 0.05 * told["pairs"]


@pytest.mark.parametrize(
    ("name", "seeds"),
    [
        ("another table tells nothing of which rows were drawn", (48, 67)),
        ("the first table says how well drawn rows hide", (2, 14)),
    ],
)
def test_rows_that_other_tables_give_away_are_seen(name: str, seeds: tuple[int, ...]) -> None:
    (mutant,) = (each for each in BROKEN if each.name == name)
    with planted(mutant):
        assert all(examined(seed, Counter()) for seed in seeds)
