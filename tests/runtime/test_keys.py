"""Which key a number is equal to: by a list of all whole numbers between close keys, by a search among others."""

from datetime import date
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve

from duetpy.runtime.exact.rationals import LARGEST, Numbers, of_fractions, plain
from duetpy.runtime.exact.whole_numbers import GREATEST_NATURAL, of_integers
from duetpy.runtime.values.matrix_ops import _Division, codes_of, parts_of
from duetpy.runtime.values.values import Dates, MatrixValue, Missing, Value
from tests.runtime.runs import go

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


LARGE = 1 << 53
NATURAL_KEYS: dict[str, list[Value]] = {
    "none is a double": [LARGE + 1, LARGE + 3, 3 * LARGE + 1],
    "next to each other": [LARGE + at for at in range(-2, 6)],
    "next to each other, in no order": [LARGE + at for at in (3, 0, -1, 2, 1)],
    "beyond every double": [(1 << 1023) + 1, 1 << 1023, GREATEST_NATURAL, GREATEST_NATURAL - 1],
    "small and large": [0, 1, 7, LARGE - 1, LARGE, LARGE + 1, (1 << 70) + 1],
}
NATURALS = [
    *(0, 1, 2, 7, LARGE // 2),
    *(LARGE + at for at in range(-3, 7)),
    *(3 * LARGE + at for at in (0, 1, 2)),
    *((1 << 70) + at for at in (-1, 0, 1)),
    *((1 << 1023) + at for at in (-1, 0, 1)),
    *(GREATEST_NATURAL - at for at in (0, 1, 2)),
]


def as_terms(values: list[int]) -> Numbers:
    """The same numbers as sums of arrays of doubles."""
    return of_integers(values, Fraction(1), (len(values),))


@pytest.mark.parametrize("keys", NATURAL_KEYS.values(), ids=NATURAL_KEYS)
@pytest.mark.parametrize(
    "values",
    [
        of_fractions(NATURALS, (len(NATURALS),), natural=True),
        evolve(as_terms(NATURALS), is_natural=True),
    ],
    ids=["as fractions", "as sums"],
)
def test_a_natural_number_has_the_place_of_the_key_that_it_is(values: Numbers, keys: list[Value]) -> None:
    found = codes_of(values, len(NATURALS), keys).tolist()
    assert found == [keys.index(value) if value in keys else -1 for value in NATURALS]


def test_natural_numbers_that_are_doubles_have_the_place_of_the_key_that_they_are() -> None:
    doubles = [0, 5, LARGE - 1, LARGE, LARGE + 2, LARGE + 4]
    values = plain(np.array(doubles, dtype=np.float64), natural=True)
    keys: list[Value] = [LARGE + 1, LARGE + 2, LARGE + 3, LARGE, 5]
    assert codes_of(values, len(doubles), keys).tolist() == [-1, 4, -1, 3, 1, -1]


PARTS = """pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, 1⋅ℕ], ε : ℝ⁺[ε] ⇒
  parallel[xs, ℘{KEYS}] { r ⇒ (r#[0, 0]) + 9007199254740991 } { k, part ⇒
    c ← laplace[auto, ε] <part> { real (rows part) } ; return ⟨k, c⟩ }"""


@pytest.mark.parametrize("keys", [(1, 2), (2, 3), (0, 1, 2, 3, 4), (4, 2, 6)])
def test_rows_are_counted_in_the_part_of_their_key_alone(keys: tuple[int, ...]) -> None:
    """Rows 1, 1, 2, 3, 3, 3 and 5 have keys beyond 2⁵³ of which every second one is no double."""
    written = ", ".join(str(LARGE - 1 + key) for key in keys)
    rows = [1, 1, 2, 3, 3, 3, 5]
    found = go(PARTS.replace("KEYS", written), {"xs": [[row] for row in rows]}, how={"insecure_noise": "none"}, ε=1.0)
    assert dict(found.result) == {LARGE - 1 + key: rows.count(key) for key in keys}


@pytest.mark.parametrize("rows", [0, 1, 50, 2**14 + 3])
def test_parts_are_the_rows_of_their_code_in_order_and_are_counted_without_them(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng(rows)
    cells, codes = draw.normal(size=(rows, 2)), draw.integers(-1, 5, size=rows)
    source = MatrixValue(rows, plain(cells), ("a", "b"))
    asked: list[int] = []
    places = _Division.places
    monkeypatch.setattr(_Division, "places", lambda division, at: [asked.append(at), places(division, at)][1])
    parts = parts_of(source, codes, 6)
    assert [part.rows for part in parts] == [int((codes == code).sum()) for code in range(6)]
    assert [(part.width, part.names) for part in parts] == [(2, ("a", "b"))] * 6
    assert not asked
    for code, part in reversed(list(enumerate(parts))):
        assert isinstance(part.store, Numbers)
        assert part.store.doubles is not None
        assert part.store.doubles.tolist() == cells[codes == code].tolist()
        assert part.names == ("a", "b")
    assert asked == [5, 4, 3, 2, 1, 0]


def test_keys_are_found_alike_in_long_columns_and_in_short_ones() -> None:
    draw = np.random.default_rng(3)
    values = draw.choice([0.0, 1.0, 2.5, 3.0, -1.0, 1e300, 40.0], size=2**15 + 7)
    for keys in ([3, 0, 1, 40], [Fraction(5, 2), Fraction(40), Fraction(10) ** 300]):
        found = codes_of(plain(values), len(values), keys).tolist()
        each = {value: codes_of(plain(np.array([value])), 1, keys)[0] for value in np.unique(values)}
        assert found == [each[value] for value in values.tolist()]


def test_of_keys_that_are_one_double_the_first_counts_and_each_code_has_its_place() -> None:
    tiny = Fraction(1, 10**40)
    keys = [Fraction(5) + tiny, Fraction(5), Fraction(7)]
    assert codes_of(plain(np.array([5.0, 7.0, 6.0])), 3, keys).tolist() == [0, 2, -1]
    far = [Fraction(2**60), Fraction(2**60 + 256)]
    values = np.array([2.0**60, 2.0**60 + 256.0, 2.0**60 + 512.0])
    assert codes_of(plain(values), 3, far).tolist() == [0, 1, -1]
    many = [Fraction(at) for at in range(40_000)]
    assert codes_of(plain(np.array([39_999.0, 0.0])), 2, many).tolist() == [39_999, 0]
    beyond: list[int | Fraction] = [*range(40_000), 2**53 + 1]
    grown = of_integers([2**53 + 1, 3], Fraction(1), (2,))
    assert codes_of(evolve(grown, is_natural=True), 2, beyond).tolist() == [40_000, 3]


@pytest.mark.parametrize("keys", [[], ["a"], [2], [5, 2, 9, 2], [None, 9, 1]])
def test_the_place_of_a_day_is_that_of_the_first_key_equal_to_it(keys: list[int | str | None]) -> None:
    listed = [
        Missing(date.min) if key is None else date.fromordinal(key) if isinstance(key, int) else key for key in keys
    ]
    days = np.arange(1, 12)
    expected = [keys.index(day) if day in keys else -1 for day in days.tolist()]
    assert codes_of(Dates(days), len(days), listed).tolist() == expected
