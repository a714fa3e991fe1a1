"""Sets of keys, on all small tables and all their neighbours: exactly what is claimed, and no rule a little kinder would do."""

from __future__ import annotations

import random
from itertools import product

import pytest

from duetpy.typecheck.notions import Notion
from tests.soundness.distributions import TOLERANCE
from tests.soundness.falsify import check
from tests.soundness.key_laws import COUNTED, GAUSSIAN, KEYED, Keyed, added, counts_of, used


def of_keyed(keyed: Keyed) -> str:
    return keyed.text


@pytest.mark.parametrize("keyed", [*KEYED, *COUNTED], ids=of_keyed)
def test_no_two_neighbours_are_further_apart_than_is_claimed(keyed: Keyed) -> None:
    share = used(keyed)
    assert 0.1 < share <= 1 + TOLERANCE


@pytest.mark.parametrize("keyed", GAUSSIAN, ids=of_keyed)
def test_no_two_neighbours_are_further_apart_with_gaussian_noise(keyed: Keyed) -> None:
    assert 0.01 < used(keyed) <= 1 + TOLERANCE


@pytest.mark.parametrize("keyed", KEYED[:5], ids=of_keyed)
def test_what_is_counted_of_a_table_is_what_is_counted_of_its_rows(keyed: Keyed) -> None:
    typed, source = check(keyed.text, Notion.APPROX), random.Random(1)
    every = list(product(keyed.words, repeat=keyed.width))
    for _ in range(20):
        table = source.choices(every, k=source.randint(1, 40))
        counts, _ = counts_of(typed, table)
        assert [dict(keys) for keys in counts] == added([counts_of(typed, [row])[0] for row in table])
