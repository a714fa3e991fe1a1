"""Random programs that draw, shuffle, filter, trust and box: the laws of neighbours, computed exactly, are as close as prices and
certified bounds say."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest

from duetpy.accounting.certify import tight
from duetpy.typecheck.notions import Notion
from tests.effort import often
from tests.soundness.broken.hiding import HIDING
from tests.soundness.broken.mutant import Mutant
from tests.soundness.distributions import Laws, both_ways, hockey_stick, spent
from tests.soundness.falsify import Refused
from tests.soundness.generate_hiding import random_hiding_program
from tests.soundness.mutants import planted
from tests.soundness.witness import Witness, claimed, column, priced_parts

NOTIONS = (Notion.PURE, Notion.APPROX, Notion.APPROX, Notion.ZCDP, Notion.GDP, Notion.RENYI)
DELTAS = ("0.1", "0.01", "0.0001")
QUICK = range(often(150, 40))
EXCESS = 1e-6


def examined(seed: int, told: Counter[str], pairs: int = 3) -> str | None:
    """The neighbours of a program that are further apart than its price, or than a bound that is certified of it."""
    notion = NOTIONS[seed % len(NOTIONS)]
    made = random_hiding_program(seed, pairs, notion)
    before = tuple(column(*cells) for cells in made.before)
    for cells in made.after:
        after = tuple(column(*each) for each in cells)
        witness = Witness("sample", notion, made.text, before, after, ())
        try:
            claim = claimed(witness)
            parts = priced_parts(claim, notion)
        except Refused:
            told["refused"] += 1
            return None
        laws = Laws(claim.typed.annotations)
        assert claim.typed.body is not None
        function = laws.of(claim.typed.body, {}, {})
        pair = laws.called(function, before), laws.called(function, after)
        told["pairs"] += 1
        part = spent(notion, parts, pair)
        told["tight"] += part > 0.98
        where = f"\n{made.text}\n{made.before}\n{cells}"
        if part > 1 + EXCESS:
            return f"{notion}: {part} of the price is used{where}"
        for delta in DELTAS:
            epsilon = tight(claim.cost, claim.kinds, Fraction(delta)).epsilon
            lost = 0.0 if epsilon == math.inf else both_ways(lambda both, e=epsilon: hockey_stick(both, e), pair)
            told["certified"] += epsilon < math.inf
            if lost > float(delta) * (1 + EXCESS):
                return f"{notion}: at ε = {epsilon}, which is certified, δ is {lost} and not {delta}{where}"
    return None


def test_neighbours_are_no_further_apart_than_prices_and_bounds_say() -> None:
    told: Counter[str] = Counter()
    for seed in QUICK:
        assert (broken := examined(seed, told)) is None, f"seed {seed}: {broken}"
    assert told["pairs"] > 2 * len(QUICK)
    assert told["tight"] > 0.02 * told["pairs"]
    assert told["certified"] > told["pairs"]


@pytest.mark.parametrize(
    ("mutant", "seed"), list(zip(HIDING, (55, 31), strict=True)), ids=[each.name for each in HIDING]
)
def test_reports_that_hide_less_than_is_said_are_seen(mutant: Mutant, seed: int) -> None:
    assert examined(seed, Counter()) is None
    with planted(mutant):
        assert examined(seed, Counter())
