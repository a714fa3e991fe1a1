"""Which key a number is equal to: by a list of all whole numbers between close keys, by a search among others."""

import numpy as np
import pytest

from duetpy.runtime.exact.rationals import LARGEST, plain
from duetpy.runtime.values.matrix_ops import codes_of
from duetpy.runtime.values.values import Value

KEYS: dict[str, list[Value]] = {
    "whole and close": [3, 0, -2, 7, 3],
    "whole and far apart": [0, 1 << 20, -(1 << 40)],
    "beyond what doubles tell apart": [1 << 53, (1 << 53) + 1, (1 << 53) + 2],
    "one": [5],
    "largest": [int(LARGEST), 0],
}
VALUES = [
    0.0,
    -0.0,
    0.5,
    1.0,
    3.0,
    5.0,
    7.0,
    -2.0,
    -3.0,
    1e9,
    2.0**20,
    -(2.0**40),
    2.0**53,
    2.0**53 + 2,
    LARGEST,
    -LARGEST,
]


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_a_number_has_the_place_of_the_first_key_that_is_its_double(keys: list[Value]) -> None:
    doubles = [float(key) for key in keys if isinstance(key, int)]
    found = codes_of(plain(np.array(VALUES)), len(VALUES), keys).tolist()
    assert found == [doubles.index(value) if value in doubles else -1 for value in VALUES]


def test_both_ways_find_the_same() -> None:
    close: list[Value] = list(range(0, 60, 3))
    values = plain(np.array([float(value) for value in range(-5, 70)]))
    with_one_far_away = codes_of(values, 75, [*close, 1 << 30])
    assert codes_of(values, 75, close).tolist() == with_one_far_away.tolist()
    assert with_one_far_away.max() == len(close) - 1
