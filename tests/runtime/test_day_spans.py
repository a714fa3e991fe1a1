"""Sets of days between two cells: nothing that one row decides takes as long as there are days in them."""

import datetime as dt
import random
from itertools import product

import numpy as np
import pytest

from duetpy.runtime.release import key_counts
from duetpy.runtime.release.key_counts import counted, in_parts
from duetpy.runtime.release.noiseless import evaluate
from duetpy.runtime.values.batch_size import cells_each
from duetpy.runtime.values.batching import set_of, sort_key, stack
from duetpy.runtime.values.comparing import member
from duetpy.runtime.values.day_spans import Days
from duetpy.runtime.values.values import (
    Apart,
    Dates,
    MatrixValue,
    Missing,
    MissingLanes,
    SetLanes,
    SetValue,
    Truths,
    Value,
    dates_of,
    matrix_of_columns,
    texts_of,
)
from tests.runtime.runs import go

FEW = 64
FIRST, LAST = dt.date.min, dt.date.max
START = dt.date(2024, 2, 28).toordinal()


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The places at which a set of days was asked for a day."""
    found: list[object] = []
    of_span = Days.__getitem__

    def asked(days: Days, at: int) -> object:
        found.append(at)
        return of_span(days, at)

    monkeypatch.setattr(Days, "__getitem__", asked)
    return found


@pytest.mark.parametrize(
    ("holds", "wanted"),
    [
        ("r.d ∈ dates r.a r.b", 1),
        ("r.d ∈ dates r.b r.a", 0),
        ("dates r.a r.b ≡ dates r.a r.d", 0),
        ("dates r.a r.b ≡ dates (add-days r.a (-1)) r.b", 1),
        ("dates r.a r.b ≡ ℘{r.a, r.b}", 0),
        ("⟨1, dates r.a r.b⟩ ≡ ⟨1, dates r.a r.b⟩", 1),
        ("dates r.a r.b ∈ ℘{dates r.a r.d, dates r.a r.b}", 1),
        ("(if r.d < r.a then dates r.b r.b else dates r.a r.b) ≡ dates r.a r.b", 1),
    ],
)
def test_ten_thousand_years_are_as_quick_as_a_week(holds: str, wanted: int, looked_at: list[object]) -> None:
    program = f"sλ xs : 𝔻𝔽[d : Date, a : Date, b : Date] ⇒ rows (mfilter xs {{ r ⇒ {holds} }})"
    assert evaluate(program, xs=[[dt.date(2024, 2, 29), FIRST, LAST]]) == wanted
    assert len(looked_at) <= FEW


def days(first: int, length: int) -> SetValue:
    return SetValue(Days(range(START + first, START + first + length)))


def listed(*numbers: int) -> SetValue:
    return set_of([dt.date.fromordinal(START + number) for number in numbers])


def test_days_that_follow_one_another_are_compared_as_any_days_are() -> None:
    sets = [days(first, length) for first, length in product(range(3), range(4))]
    sets += [
        listed(*numbers)
        for numbers in ((), (1,), (0, 1), (0, 2), (1, 2), (0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3), (2, 4))
    ]

    def spelt_out(each: SetValue) -> tuple[object, ...]:
        return (len(each.elements), tuple(sort_key(element) for element in each.elements))

    for one, other in product(sets, repeat=2):
        assert (sort_key(one) == sort_key(other)) is (spelt_out(one) == spelt_out(other))
        assert (sort_key(one) < sort_key(other)) is (spelt_out(one) < spelt_out(other))
        assert sort_key(one) != sort_key(other) or hash(sort_key(one)) == hash(sort_key(other))


def test_a_day_that_is_missing_is_not_between_two_others() -> None:
    first, one = dt.date.fromordinal(START), dt.date.fromordinal(START + 1)
    assert sort_key(set_of([Missing(first), one])) != sort_key(days(0, 2))
    assert member(Missing(one), days(0, 2)) is False
    laned = MissingLanes(np.array([True, False]), dates_of([one, one]))
    assert truths(member(laned, days(0, 2))) == [True, False]


def truths(value: Value) -> list[bool]:
    assert isinstance(value, Truths)
    return [bool(each) for each in value.values]


def test_whether_a_day_is_among_others_is_the_same_in_lanes() -> None:
    source = random.Random(0)
    asked = [dt.date.fromordinal(START + source.randint(-3, 9)) for _ in range(40)]
    for among in (days(0, 0), days(0, 1), days(0, 5), days(-9, 7)):
        alone = [member(day, among) for day in asked]
        assert alone == [day in set(among.elements) for day in asked]
        assert truths(member(dates_of(asked), among)) == alone
    assert isinstance(dates_of(asked), Dates)


def test_days_count_as_so_many_cells_and_are_not_made_for_that(looked_at: list[object]) -> None:
    assert cells_each(SetValue(Days(range(FIRST.toordinal(), LAST.toordinal() + 1)))) == LAST.toordinal()
    assert not looked_at


# ---------------------------------------------------------------------------------------------------------------------
# Days as keys: which of them count


@pytest.mark.parametrize(
    "body",
    [
        "k <- keys[2, 1.0, 1e-6] xs { r => dates r.a r.b } ; return k",
        'parallel[2, xs, Set{date "2024-02-29", date "2024-03-01"}] { r => dates r.a r.b } { k, part => return k }',
    ],
)
def test_of_ten_thousand_years_as_few_days_are_made_as_count(body: str, looked_at: list[object]) -> None:
    shown = go(
        f"plam xs : DF[a : Date, b : Date] => {body}", {"xs": [[FIRST, LAST]]}, "approx", {"insecure_noise": "none"}
    ).result
    assert len(shown) == 2
    assert len(looked_at) <= FEW


def people(number: int) -> MatrixValue:
    return matrix_of_columns([texts_of([f"person {at}" for at in range(number)])], number, None)


@pytest.mark.parametrize("at_once", [1, 7, 1 << 16])
def test_which_days_count_does_not_depend_on_how_they_are_stored(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_counts, "DAYS_AT_ONCE", at_once)
    spans = [days(at % 5, 9) for at in range(40)]
    one_by_one = [set_of(list(span.elements)) for span in spans]
    side_by_side = SetLanes(tuple(stack([span.elements[at] for span in one_by_one]) for at in range(9)))
    some, many = list(days(3, 4).elements), list(days(-20, 60).elements)
    for most in (1, 2, 5, 9):
        ways = [Apart(tuple(spans)), Apart(tuple(one_by_one)), side_by_side]
        first, *others = [counted(way, people(40), most, has_several=True) for way in ways]
        assert all(other == first for other in others)
        assert sum(number for _, number in first) == 40 * most
        for wanted in (some, many):
            parts = [[part.tolist() for part in in_parts(way, people(40), most, wanted)] for way in ways]
            assert parts[0] == parts[1] == parts[2]
            listed = [sum(day in span.elements for day in wanted) for span in one_by_one]
            assert sum(map(len, parts[0])) == sum(min(most, number) for number in listed)


def test_which_days_of_a_row_count_is_for_the_row_alone_to_decide() -> None:
    spans, rows = [days(at % 3, 8) for at in range(20)], people(20)
    together = dict(counted(Apart(tuple(spans)), rows, 3, has_several=True))
    alone: dict[Value, int] = {}
    for at, span in enumerate(spans):
        own = matrix_of_columns([texts_of([f"person {at}"])], 1, None)
        for day, number in counted(Apart((span,)), own, 3, has_several=True):
            alone[day] = alone.get(day, 0) + number
    assert together == alone


def test_no_day_is_favoured() -> None:
    """Over rows that differ in nothing but a name, each of eight days is as often among the two that count."""
    number = 4000
    counts = counted(Apart((days(0, 8),) * number), people(number), 2, has_several=True)
    assert len(counts) == 8
    assert all(abs(found - number / 4) < 6 * (number * 3 / 16) ** 0.5 for _, found in counts)
