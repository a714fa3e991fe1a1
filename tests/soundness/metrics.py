"""The distance of two values of a type: the table of the language's metrics, written out on plain values.

Nothing here is shared with the checker but the types themselves. Sizes in types are numerals.

| type | distance |
|---|---|
| ℝ, ℕ, 𝕀 | the absolute difference |
| 𝐝 τ, τ?, 𝔹, 𝕊, Date, ℘ τ | 0 or 1 |
| ℕ[n], ℝ⁺[r] | 0 |
| τ × σ, τ & σ | the sum, the larger one |
| τ + σ | ∞ across the sides |
| τ ⊸ σ | the largest over arguments (here: over some arguments, so a lower bound) |
| rows | the norm of the entries' distances |
| 𝕄, m rows | the sum over rows |
| 𝕄, ★ rows | all columns real: the cheapest matching of rows; else the size of the symmetric difference as multisets |
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from tests.soundness.plain import Left, Number, Right, Table

INFINITY = math.inf


def distance(type_: t.Type, left: Any, right: Any, up: bool = False) -> Number:
    """d(left, right) in the metric of a type without kind variables.

    A fraction is the truth; where that is irrational, it is no further than 10⁻⁶⁰ below it, or above it when `up`.
    """
    match type_:
        case t.Nat() | t.Real() | t.Idx():
            return abs(left - right)
        case t.StaticNat() | t.StaticReal():
            return 0 if left == right else INFINITY
        case t.Disc() | t.Maybe() | t.Bool() | t.Str() | t.Date() | t.SetOf():
            return 0 if left == right else 1
        case t.Product(first, second):
            return distance(first, left[0], right[0], up) + distance(second, left[1], right[1], up)
        case t.With(first, second):
            return max(distance(first, left[0], right[0], up), distance(second, left[1], right[1], up))
        case t.Sum(first, second):
            match left, right:
                case Left(a), Left(b):
                    return distance(first, a, b, up)
                case Right(a), Right(b):
                    return distance(second, a, b, up)
                case _:
                    return INFINITY
        case t.Box(_, inner):
            return distance(inner, left, right, up)
        case t.Fun():
            return distance_of_functions(type_, left, right, up)
        case t.Matrix():
            return distance_of_tables(type_, left, right, up)
        case _:
            raise TypeError(f"no metric for {type_}")


def distance_of_functions(type_: t.Fun, left: Any, right: Any, up: bool) -> Number:
    from tests.soundness.drawing import probes

    return max((distance(type_.codomain, left(probe), right(probe), up) for probe in probes(type_.domain)), default=0)


DIGITS = 10**60


def root(square: Fraction, up: bool) -> Fraction:
    """The root of a fraction: exactly if the root is a fraction."""
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return Fraction(top, bottom)
    return Fraction(math.isqrt(square.numerator * DIGITS * DIGITS // square.denominator) + up, DIGITS)


def norm(kind: Norm, entries: Sequence[Number], up: bool = False) -> Number:
    """‖·‖_ℓ of a row of distances."""
    if any(entry == INFINITY for entry in entries):
        return INFINITY
    match kind:
        case Norm.L1:
            return sum(entries, Fraction(0))
        case Norm.L2:
            if sum(1 for entry in entries if entry) <= 1:
                return max(entries, default=0)
            if any(isinstance(entry, float) for entry in entries):
                return math.hypot(*map(float, entries))
            return root(sum((Fraction(entry) ** 2 for entry in entries), Fraction(0)), up)
        case Norm.LINF:
            return max(entries, default=0)


def columns_of(type_: t.Matrix, width: int) -> list[t.Type]:
    match type_.schema:
        case t.Uniform(_, element):
            return [element] * width
        case t.Columns(columns):
            return [column.type for column in columns]
        case t.SchemaVar():
            raise TypeError("a schema variable")


def distance_of_rows(type_: t.Matrix, left: Sequence[Any], right: Sequence[Any], up: bool = False) -> Number:
    columns = columns_of(type_, len(left))
    return norm(type_.norm, [distance(c, a, b, up) for c, a, b in zip(columns, left, right, strict=True)], up)


def distance_of_tables(type_: t.Matrix, left: Table, right: Table, up: bool = False) -> Number:
    if left.rows and right.rows and left.width != right.width:
        return INFINITY
    if type_.rows is not None:
        if len(left.rows) != len(right.rows):
            return INFINITY
        return sum((distance_of_rows(type_, a, b, up) for a, b in zip(left.rows, right.rows, strict=True)), Fraction(0))
    columns = columns_of(type_, max(left.width, right.width))
    if columns and all(isinstance(column, t.Real) for column in columns):
        return cheapest_matching(type_, left, right, up)
    first, second = (Counter(identity(type_, table)) for table in (left, right))
    return sum(((first - second) + (second - first)).values())


def identity(type_: t.Matrix, table: Table) -> list[Any]:
    """The rows, such that equal rows are equal: a table in a cell is the same in any order of its rows."""
    columns = columns_of(type_, table.width)
    return [tuple(same(column, entry) for column, entry in zip(columns, row, strict=True)) for row in table.rows]


def same(type_: t.Type, value: Any) -> Any:
    match type_:
        case t.Matrix(rows=rows):
            entries = identity(type_, value)
            return tuple(entries) if rows is not None else frozenset(Counter(entries).items())
        case t.Product(left, right) | t.With(left, right):
            return (same(left, value[0]), same(right, value[1]))
        case _:
            return value


def cheapest_matching(type_: t.Matrix, left: Table, right: Table, up: bool = False) -> Number:
    """Over all ways of pairing rows: paired rows cost their distance, the others their norm."""

    def alone(row: Sequence[Any]) -> Number:
        return norm(type_.norm, [abs(entry) for entry in row], up)

    fewer, more = sorted((left.rows, right.rows), key=len)
    prices = [[min(distance_of_rows(type_, a, b, up), alone(a) + alone(b)) for b in more] for a in fewer]
    if len(fewer) <= 3 and len(more) <= 4:
        return min(
            sum((prices[i][j] for i, j in enumerate(chosen)), Fraction(0))
            + sum((alone(row) for j, row in enumerate(more) if j not in chosen), Fraction(0))
            for chosen in permutations(range(len(more)), len(fewer))
        )
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    # A row of the larger table that stays alone is paired with nothing, for its norm.
    nothing = [[alone(row) for row in more]] * (len(more) - len(fewer))
    grid = np.array([[float(price) for price in row] for row in [*prices, *nothing]])
    at_row, at_column = linear_sum_assignment(grid)
    table = [*prices, *nothing]
    return sum((table[i][j] for i, j in zip(at_row, at_column, strict=True)), Fraction(0))
