"""What the primitives of ``prelude.duet`` compute, one function a name.

Contract. Every kernel is total: no argument makes it fail, and none makes it return nan or an infinity. A quotient and a
remainder by 0 are 0, as are the root of a negative number and the logarithm of one that is not positive; a difference
of naturals stops at 0; numbers beyond the largest double become that double. Kernels take values with lanes and
without; an argument without lanes counts for every lane.

Numbers are exact where the checker relies on |x - y| (see `duetpy.runtime.exact.rationals`). Where it relies on nothing, as under
the discrete metric, arithmetic is that of doubles (`ROUNDING`). Natural numbers are compared as they are, other numbers as the
nearest doubles, so that 0.3 in a program is 0.3 in the data.

A number comes out the same with lanes and without: whether there are lanes may be for other rows to decide.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from datetime import date
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from duetpy.accounting.rounding import LARGEST
from duetpy.grammar.ast import Norm
from duetpy.runtime.evaluation import dates, row_choices, texts
from duetpy.runtime.evaluation.hyperbolic import hyperbolic_tangent
from duetpy.runtime.exact import linear_forms, rationals, whole_numbers
from duetpy.runtime.exact.rationals import Doubles, Numbers, constant, plain, rounded, saturated, to_double
from duetpy.runtime.values.batching import (
    copied,
    counted,
    evolve_matrix,
    join,
    lanes_in,
    set_of,
    spread,
    take,
)
from duetpy.runtime.values.choosing import select
from duetpy.runtime.values.clipping import clipped
from duetpy.runtime.values.comparing import both, either, equal, member
from duetpy.runtime.values.values import (
    Dates,
    MatrixValue,
    Missing,
    MissingLanes,
    Ragged,
    SetLanes,
    SetValue,
    Truths,
    Value,
    matrix_of_columns,
)

ZERO = Fraction(0)


def _numbers(value: Value, lanes: int) -> Numbers:
    laned = value if isinstance(value, Numbers) else spread(value, lanes)
    if not isinstance(laned, Numbers):
        raise Ragged
    return laned


def _scalar(value: Value) -> Fraction:
    assert isinstance(value, int | Fraction), "the checker lets only numbers through"
    return Fraction(value)


def _natural(value: int) -> int:
    return min(value, whole_numbers.GREATEST_NATURAL)


# ---------------------------------------------------------------------------------------------------------------------
# Missing values


def or_else(value: Value, default: Value) -> Value:
    match value:
        case Missing():
            return default
        case MissingLanes(is_there, held):
            return select(is_there, held, default)
        case _:
            return value


def is_missing(value: Value) -> Value:
    return Truths(~value.is_there) if isinstance(value, MissingLanes) else isinstance(value, Missing)


# ---------------------------------------------------------------------------------------------------------------------
# Arithmetic


def plus(left: Value, right: Value) -> Value:
    if (lanes := lanes_in(left, right)) is not None:
        return whole_numbers.bounded(linear_forms.add(_numbers(left, lanes), _numbers(right, lanes)))
    if isinstance(left, int) and isinstance(right, int):
        return _natural(left + right)
    return _scalar(left) + _scalar(right)


def minus(left: Value, right: Value) -> Value:
    if (lanes := lanes_in(left, right)) is not None:
        difference = linear_forms.add(_numbers(left, lanes), rationals.negated(_numbers(right, lanes)))
        return whole_numbers.maximum(difference, constant(0, difference.shape)) if difference.is_natural else difference
    if isinstance(left, int) and isinstance(right, int):
        return max(0, left - right)
    return _scalar(left) - _scalar(right)


def times(left: Value, right: Value) -> Value:
    if (lanes := lanes_in(left, right)) is not None:
        return whole_numbers.bounded(_laned_product(left, right, lanes))
    if isinstance(left, int) and isinstance(right, int):
        return _natural(left * right)
    return _scalar(left) * _scalar(right)


def _laned_product(left: Value, right: Value, lanes: int) -> Numbers:
    if isinstance(left, Numbers) and not isinstance(right, Numbers):
        return rationals.scaled(left, _scalar(right))
    if isinstance(right, Numbers) and not isinstance(left, Numbers):
        return rationals.scaled(right, _scalar(left))
    return linear_forms.product(_numbers(left, lanes), _numbers(right, lanes))


def over(left: Value, right: Value) -> Value:
    if (lanes := lanes_in(left, right)) is not None:
        if isinstance(left, Numbers) and not isinstance(right, Numbers):
            divisor = _scalar(right)
            return rationals.scaled(left, 1 / divisor if divisor else ZERO)
        return linear_forms.quotient(_numbers(left, lanes), _numbers(right, lanes))
    divisor = _scalar(right)
    return _scalar(left) / divisor if divisor else ZERO


def remainder(left: Value, right: Value) -> Value:
    if (lanes := lanes_in(left, right)) is not None:
        return whole_numbers.remainder(_numbers(left, lanes), _numbers(right, lanes))
    assert isinstance(left, int)
    assert isinstance(right, int)
    return left % right if right else 0


def larger(left: Value, right: Value) -> Value:
    if (lanes := lanes_in(left, right)) is not None:
        return whole_numbers.maximum(_numbers(left, lanes), _numbers(right, lanes))
    assert isinstance(left, int | Fraction)
    assert isinstance(right, int | Fraction)
    return max(left, right)


def smaller(left: Value, right: Value) -> Value:
    if (lanes := lanes_in(left, right)) is not None:
        return whole_numbers.minimum(_numbers(left, lanes), _numbers(right, lanes))
    assert isinstance(left, int | Fraction)
    assert isinstance(right, int | Fraction)
    return min(left, right)


def _pointwise(value: Value, function: Callable[[Doubles], Doubles]) -> Value:
    """A function of doubles; numpy computes the one and the many alike."""
    if isinstance(value, Numbers):
        return plain(function(np.ascontiguousarray(rounded(value))))
    return Fraction(float(function(np.array([to_double(_scalar(value))]))[0]))


def root(value: Value) -> Value:
    return _pointwise(value, lambda doubles: np.sqrt(np.maximum(doubles, 0.0)))


def logarithm(value: Value) -> Value:
    return _pointwise(value, lambda doubles: np.log(np.where(doubles > 0.0, doubles, 1.0)))


def sign(value: Value) -> Value:
    if isinstance(value, Numbers):
        return plain(rationals.signs(value))
    number = _scalar(value)
    return Fraction((number > 0) - (number < 0))


def magnitude(value: Value) -> Value:
    """|x|, exact."""
    if not isinstance(value, Numbers):
        return abs(_scalar(value))
    if value.doubles is not None:
        return plain(np.abs(value.doubles))
    return rationals.select(rationals.signs(value) >= 0, value, rationals.negated(value))


def exponential(value: Value) -> Value:
    with np.errstate(over="ignore", under="ignore"):
        return _pointwise(value, lambda doubles: saturated(np.exp(doubles)))


def floor(value: Value) -> Value:
    return whole_numbers.floor(value) if isinstance(value, Numbers) else Fraction(math.floor(_scalar(value)))


def ceiling(value: Value) -> Value:
    return whole_numbers.ceiling(value) if isinstance(value, Numbers) else Fraction(math.ceil(_scalar(value)))


def nearest(value: Value) -> Value:
    return whole_numbers.nearest(value) if isinstance(value, Numbers) else Fraction(round(_scalar(value)))


def as_real(value: Value) -> Value:
    return evolve(value, is_natural=False) if isinstance(value, Numbers) else _scalar(value)


def unchanged(value: Value) -> Value:
    return value


def remeasured(value: Value, norm: Norm) -> Value:
    """The same values, whatever norm they are measured in."""
    del norm
    return value


# ---------------------------------------------------------------------------------------------------------------------
# Comparisons, truth values, sets, pairs


def less(left: Value, right: Value) -> Value:
    if (lanes := lanes_in(left, right)) is not None:
        first, second = _ordered(left, right, lanes)
        return Truths(first < second)
    if isinstance(left, date) and isinstance(right, date):
        return left < right
    if isinstance(left, int) and isinstance(right, int):
        return left < right
    return to_double(_scalar(left)) < to_double(_scalar(right))


def at_most(left: Value, right: Value) -> Value:
    if (lanes := lanes_in(left, right)) is not None:
        first, second = _ordered(left, right, lanes)
        return Truths(first <= second)
    if isinstance(left, date) and isinstance(right, date):
        return left <= right
    if isinstance(left, int) and isinstance(right, int):
        return left <= right
    return to_double(_scalar(left)) <= to_double(_scalar(right))


def _ordered(left: Value, right: Value, lanes: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numbers or days, as arrays that are in their order."""
    first, second = spread(left, lanes), spread(right, lanes)
    if isinstance(first, Dates) and isinstance(second, Dates):
        return first.values, second.values
    return whole_numbers.compared(_numbers(first, lanes), _numbers(second, lanes))


def union_all(sets: Value) -> Value:
    """In lanes, what is the same element in several of the sets is one: a loop that joins a set with itself makes none."""
    if isinstance(sets, SetValue):
        return set_of([one for inner in sets.elements if isinstance(inner, SetValue) for one in inner.elements])
    assert isinstance(sets, SetLanes)
    every = {id(one): one for inner in sets.elements for one in _elements(inner)}
    return SetLanes(tuple(every.values()))


def _elements(value: Value) -> Sequence[Value]:
    if not isinstance(value, SetValue | SetLanes):
        raise Ragged  # sets of different sizes
    return value.elements


def first_part(pair: Value) -> Value:
    assert isinstance(pair, tuple)
    return pair[0]


def second_part(pair: Value) -> Value:
    assert isinstance(pair, tuple)
    return pair[1]


def as_double(value: Value) -> Value:
    """The nearest double, as which a number under the discrete metric is kept; anything else is itself."""
    match value:
        case Numbers():
            return plain(rounded(value), natural=value.is_natural)
        case bool():
            return value
        case int():
            return int(to_double(value))
        case Fraction():
            return Fraction(to_double(value))
        case _:
            return value


def _of_two_doubles(
    operation: Callable[[Doubles, Doubles | np.float64], Doubles],
    alone: Callable[[float, float], float],
    *,
    has_naturals: bool = True,
) -> Callable[[Value, Value], Value]:
    """Arithmetic of doubles, rounded once, on the doubles nearest to the operands: by numpy in lanes, by Python for one number.

    Of naturals the result is one, and a difference stops at 0, if the operation `has_naturals`.
    """

    def computed(left: Value, right: Value) -> Value:
        lanes = lanes_in(left, right)
        if lanes is None:
            value = alone(to_double(_scalar(left)), to_double(_scalar(right)))
            one = min(max(value, -LARGEST), LARGEST)
            are_natural = has_naturals and isinstance(left, int) and isinstance(right, int)
            return int(max(one, 0.0)) if are_natural else Fraction(one)
        first, second = _numbers(left, lanes), _numbers(right, lanes)
        natural = has_naturals and first.is_natural and second.is_natural
        with np.errstate(all="ignore"):
            top = rationals.in_shape(rationals.nearest(first), first.shape)
            values = saturated(operation(top, rationals.nearest(second)))
        return plain(np.maximum(values, 0.0) if natural else values, natural=natural)

    return computed


def _divided(top: Doubles, bottom: Doubles | np.float64) -> Doubles:
    if isinstance(bottom, np.float64):
        return top / bottom if bottom else np.zeros(top.shape)
    return np.divide(top, bottom, out=np.zeros(top.shape), where=bottom != 0)


ROUNDING: dict[str, Callable[..., Value]] = {
    "+": _of_two_doubles(np.add, operator.add),
    "-": _of_two_doubles(np.subtract, operator.sub),
    "⋅": _of_two_doubles(np.multiply, operator.mul),
    "/": _of_two_doubles(_divided, lambda top, bottom: top / bottom if bottom else 0.0, has_naturals=False),
    "mclip": partial(clipped, rounds=True),
}
"""The kernels of arithmetic that no finite sensitivity rests on, and of what is done to discrete rows."""


# ---------------------------------------------------------------------------------------------------------------------
# Matrices


def row_count(matrix: Value) -> Value:
    assert isinstance(matrix, MatrixValue)
    return matrix.rows


def column_count(matrix: Value) -> Value:
    assert isinstance(matrix, MatrixValue)
    return matrix.width


def entry_count(value: Value) -> Value:
    """How many entries are true, or not 0."""
    assert isinstance(value, MatrixValue)
    found = np.zeros(value.height)
    for at in range(value.width):
        column = value.column(at)
        if isinstance(column, Truths):
            found += column.values
        else:
            assert isinstance(column, Numbers), "the checker lets only truth values and numbers through"
            found += rationals.signs(column) != 0.0
    if value.lanes is None:
        return Fraction(int(found.sum()))
    return plain(found.reshape(value.lanes, value.rows).sum(axis=1))


def transposed(value: Value) -> Value:
    assert isinstance(value, MatrixValue)
    lanes, rows, width = counted(value.lanes), value.rows, value.width
    if isinstance(value.store, Numbers):
        shape = (lanes * width, rows)
        turned = value.store.each(
            lambda array: array.reshape(lanes, rows, width).transpose(0, 2, 1).reshape(shape), shape
        )
        return MatrixValue(width, turned, None, value.lanes)
    # All columns one after another, then the entries of lane l, row i, column j in their new places.
    entries = join([value.column(at) for at in range(width)])
    lane, column = np.arange(lanes)[:, None], np.arange(width)[None, :]
    columns = [take(entries, (column * (lanes * rows) + lane * rows + row).ravel()) for row in range(rows)]
    return matrix_of_columns(columns, width, value.lanes)


def zipped(left: Value, right: Value) -> Value:
    """Two tables side by side: one column of pairs of rows."""
    assert isinstance(left, MatrixValue)
    assert isinstance(right, MatrixValue)
    lanes = left.lanes if left.lanes is not None else right.lanes
    if lanes is not None:
        left, right = _spread_matrix(left, lanes), _spread_matrix(right, lanes)
    pair: Value = (_row_lanes(left), _row_lanes(right))
    return MatrixValue(left.rows, (pair,), None, lanes)


def _spread_matrix(matrix: MatrixValue, lanes: int) -> MatrixValue:
    laned = copied(matrix, lanes)
    assert isinstance(laned, MatrixValue)
    return laned


def _row_lanes(matrix: MatrixValue) -> MatrixValue:
    return evolve_matrix(matrix, matrix.store, 1, matrix.height)


def clamped(value: Value, low: Fraction, high: Fraction) -> Value:
    """``clip[lo, hi]``; where the bounds are the wrong way round, everything is the upper one."""
    if isinstance(value, Numbers):
        return whole_numbers.clamped(value, low, high)
    return min(max(_scalar(value), low), high)


KERNELS: dict[str, Callable[..., Value]] = {
    "or-else": or_else,
    "is-missing": is_missing,
    "+": plus,
    "-": minus,
    "⋅": times,
    "/": over,
    "%": remainder,
    "⊔": larger,
    "⊓": smaller,
    "√": root,
    "㏒": logarithm,
    "≡": equal,
    "<": less,
    "≤": at_most,
    "∧": both,
    "∨": either,
    "∈": member,
    "year": dates.year,
    "month": dates.month,
    "day": dates.day,
    "weekday": dates.weekday,
    "month-start": dates.month_start,
    "days": dates.days_between,
    "add-days": dates.days_later,
    "dates": dates.days_from_to,
    "length": texts.length,
    "prefix": texts.beginning,
    "suffix": texts.end,
    "lower": texts.lowered,
    "upper": texts.raised,
    "trim": texts.trimmed,
    "contains": texts.contains,
    "starts": texts.starts,
    "number": texts.number,
    "text": texts.written,
    "unionAll": union_all,
    "real": as_real,
    "dyn": unchanged,
    "abs": magnitude,
    "sign": sign,
    "floor": floor,
    "ceil": ceiling,
    "round": nearest,
    "exp": exponential,
    "tanh": hyperbolic_tangent,
    "disc": as_double,
    "conv": unchanged,
    "fst": first_part,
    "snd": second_part,
    "first": row_choices.first,
    "last": row_choices.last,
    "mode": row_choices.mode,
    "elements": row_choices.elements,
    "distinct": row_choices.distinct,
    "rows": row_count,
    "cols": column_count,
    "count": entry_count,
    "tr": transposed,
    "mclip": clipped,
    "mconv": unchanged,
    "renorm": remeasured,
}
"""The kernel of every primitive in the prelude. What stands in brackets, a norm and a bound, comes after the operands."""
