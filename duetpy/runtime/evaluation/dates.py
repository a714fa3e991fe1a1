"""Functions of days, of one or of one in each lane. All are total, and computed in whole numbers."""

from __future__ import annotations

import math
from datetime import date
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from duetpy.runtime.exact.rationals import Numbers, plain, rounded, to_double
from duetpy.runtime.values.batching import lanes_in, spread
from duetpy.runtime.values.day_spans import Days
from duetpy.runtime.values.values import Dates, NeverLaned, SetValue, Value

FIRST, LAST = date.min.toordinal(), date.max.toordinal()
"""0001-01-01 and 9999-12-31, counted as in `Dates`."""

_EPOCH = date(1970, 1, 1).toordinal()
"""The day from which numpy counts."""


def year(value: Value) -> Value:
    return _natural(_months(value) // 12 + 1970) if isinstance(value, Dates) else _one(value).year


def month(value: Value) -> Value:
    return _natural(_months(value) % 12 + 1) if isinstance(value, Dates) else _one(value).month


def day(value: Value) -> Value:
    return _natural(value.values - _starts(value) + 1) if isinstance(value, Dates) else _one(value).day


def weekday(value: Value) -> Value:
    # 0001-01-01 is a Monday.
    return _natural((value.values - 1) % 7 + 1) if isinstance(value, Dates) else _one(value).isoweekday()


def month_start(value: Value) -> Value:
    return Dates(_starts(value)) if isinstance(value, Dates) else _one(value).replace(day=1)


def days_between(first: Value, second: Value) -> Value:
    if (lanes := lanes_in(first, second)) is not None:
        return plain((_lanes(second, lanes).values - _lanes(first, lanes).values).astype(np.float64))
    return Fraction(_one(second).toordinal() - _one(first).toordinal())


def days_later(start: Value, count: Value) -> Value:
    """Of a number the nearest double counts, as of all that is measured by 0 or 1."""
    if (lanes := lanes_in(start, count)) is not None:
        numbers = spread(count, lanes)
        assert isinstance(numbers, Numbers), "the checker lets only numbers through"
        steps = np.clip(np.trunc(rounded(numbers)), -LAST, LAST).astype(np.int64)
        return Dates(np.clip(_lanes(start, lanes).values + steps, FIRST, LAST))
    assert isinstance(count, int | Fraction)
    steps_alone = math.trunc(to_double(Fraction(count)))
    return date.fromordinal(min(max(_one(start).toordinal() + steps_alone, FIRST), LAST))


def days_from_to(first: Value, last: Value) -> Value:
    if lanes_in(first, last) is not None:
        raise NeverLaned
    return SetValue(Days(range(_one(first).toordinal(), _one(last).toordinal() + 1)))


def _one(value: Value) -> date:
    assert isinstance(value, date), "the checker lets only days through"
    return value


def _lanes(value: Value, lanes: int) -> Dates:
    laned = spread(value, lanes)
    assert isinstance(laned, Dates), "the checker lets only days through"
    return laned


def _natural(values: NDArray[np.int64]) -> Numbers:
    return plain(values.astype(np.float64), natural=True)


def _months(value: Dates) -> NDArray[np.int64]:
    """Months since January 1970."""
    return (value.values - _EPOCH).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)


def _starts(value: Dates) -> NDArray[np.int64]:
    """The first days of the months."""
    return _months(value).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + _EPOCH
