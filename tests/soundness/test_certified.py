"""Laws that a cost allows are within its certified ε, and steps of groups are alike where they are said to be."""

from functools import cache

import pytest

from tests.soundness.alike import STEPS, alike
from tests.soundness.certified import CERTIFIED, Certified, used
from tests.soundness.distributions import TOLERANCE

share = cache(used)


@pytest.mark.parametrize("each", CERTIFIED, ids=lambda each: f"{each.rule} at {each.delta}")
def test_laws_are_within_the_certified_bound(each: Certified) -> None:
    assert share(each) <= 1 + TOLERANCE


def test_rows_of_one_kind_that_coins_keep_use_up_the_bound() -> None:
    assert max(share(each) for each in CERTIFIED if each.rule == "poisson") > 0.99


@pytest.mark.parametrize(("rule", "text", "wanted"), STEPS)
def test_steps_are_alike_where_one_table_moves(rule: str, text: str, wanted: tuple[bool, ...]) -> None:
    assert alike(text) == wanted, rule
