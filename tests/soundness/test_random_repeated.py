"""Random programs that call functions again and again draw the noise that they draw without functions, and enough of it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from tests.effort import often
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.remembered import REMEMBERED
from tests.soundness.intercepted import Draw, lost
from tests.soundness.mutants import planted
from tests.soundness.whole_repeated import examined_repeated


def test_a_call_draws_what_is_drawn_without_the_function() -> None:
    told: Counter[str] = Counter()
    for seed in range(count := often(40, 5)):
        outcome = examined_repeated(seed)
        assert not outcome.failures, f"seed {seed}: {outcome.failures[0]}"
        told += outcome.told
    assert told["draws"] > 2 * count
    assert told["pairs"] == 6 * count


FIRST = {
    "parts are gone over together whatever the numbers of the call": 75,
    "parts are gone over together whatever they mention": 20,
}
"""Where the search begins for faults that few programs show."""


@pytest.mark.thorough("test_a_call_draws_what_is_drawn_without_the_function")
@pytest.mark.parametrize("mutant", REMEMBERED, ids=lambda mutant: mutant.name)
def test_what_is_remembered_of_another_call_is_seen(mutant: Mutant) -> None:
    with planted(mutant):
        assert any(examined_repeated(seed).failures for seed in range(FIRST.get(mutant.name, 0), 300))


def test_noise_that_is_too_small_is_seen() -> None:
    """The loss is what the noise that was drawn hides, whatever it should have been."""
    one, other = (Draw("laplace", Fraction(2), (Fraction(number),)) for number in (0, 5))
    assert lost([one], [other]) == Fraction(5, 2)
    assert lost([one], []) == float("inf")
    wide = [Draw("gauss", Fraction(2), (Fraction(number),)) for number in (0, 5)]
    assert lost(wide[:1], wide[1:]) == float("inf")
    assert lost(wide, wide) == 0
