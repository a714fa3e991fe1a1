"""Values of a type, and other values near and far from them.

Where a rule is wrong, it is wrong at particular places: at zero, at ties and near-ties, at literals of the program, at the
rim of a clip ball, at huge numbers, where many entries or rows change, where rows are added or removed. So values are drawn from
such places more often than from between them.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from attrs import field, frozen

from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.persons import persons_of
from duetpy.typecheck.quantity import Quantity
from tests.soundness.metrics import columns_of
from tests.soundness.plain import Left, Number, Right, Table

TINY = Fraction(1, 2**30)
COMMON = (0, 1, -1, Fraction(1, 2), -2, 3, TINY, -TINY, 10**6, -(10**6))
STEPS = (TINY, TINY, Fraction(1, 1024), Fraction(1, 2), 1, 1, 2, 100, 2 * 10**6)
STRINGS = ("", "NY", "VT", "ca", "1", " 2", "Ä", "NYC")
DAYS = (
    date.min,
    date(1969, 12, 31),
    date(2023, 12, 31),
    date(2024, 2, 28),
    date(2024, 2, 29),
    date(2024, 3, 1),
    date.max,
)
MOST_ROWS = 4

RATIONAL_POINTS = ((Fraction(3, 5), Fraction(4, 5)), (Fraction(5, 13), Fraction(12, 13)), (Fraction(1), Fraction(0)))
"""Points of the unit circle."""


def natural(value: Quantity) -> int:
    constant = value.constant
    assert constant is not None
    assert constant.denominator == 1
    return int(constant)


@frozen(eq=False)
class Drawer:
    """Draws values.

    Parameters
    ----------
    random
        The source of choices.
    landmarks
        Numbers that the program mentions.
    recent
        What was drawn last: equal keys and ties are made of repetitions.
    """

    random: random.Random
    landmarks: tuple[Fraction, ...] = ()
    recent: deque[Fraction] = field(factory=lambda: deque(maxlen=12))

    # Numbers

    def real(self) -> Fraction:
        value = self._real()
        self.recent.append(value)
        return value

    def _real(self) -> Fraction:
        choice = self.random.random()
        if choice < 0.2 and self.recent:
            return self.random.choice(self.recent)
        if choice < 0.45:
            return Fraction(self.random.choice(COMMON))
        if choice < 0.7 and self.landmarks:
            return as_double(self.random.choice(self.landmarks) + self.random.choice((0, 0, TINY, -TINY)))
        return Fraction(self.random.randint(-40, 40), 8)

    def natural(self) -> int:
        choice = self.random.random()
        if choice < 0.3 and self.landmarks:
            return max(0, int(self.random.choice(self.landmarks)) + self.random.choice((-1, 0, 0, 1)))
        return self.random.choice((0, 1, 2, 3, 7, 1000))

    def near(self, value: Number) -> Fraction:
        """Another real number, often close."""
        choice = self.random.random()
        if choice < 0.6:
            return as_double(Fraction(value) + self.random.choice((1, -1)) * self.random.choice(STEPS))
        return -Fraction(value) if choice < 0.8 else self.real()

    # Values of a type

    def draw(self, type_: t.Type) -> Any:
        match type_:
            case t.Real() | t.Disc(t.Real()):
                return self.real()
            case t.Bounded(low, high):
                return brought(type_, self.random.choice((low, high, self.real())))
            case t.Nat():
                return self.natural()
            case t.Bool():
                return self.random.random() < 0.5
            case t.Str():
                return self.random.choice(STRINGS)
            case t.Date():
                return self.random.choice(DAYS)
            case t.StaticNat(value):
                return natural(value)
            case t.StaticReal(value):
                magnitude = value.magnitude.constant
                assert magnitude is not None
                return -magnitude if value.negative else magnitude
            case t.Idx(size):
                return self.random.randrange(natural(size))
            case t.Maybe(inner):
                return None if self.random.random() < 0.3 else self.draw(inner)
            case t.Disc(t.Matrix(rows=None) as block):
                return in_order(self.table(block))
            case t.Disc(inner) | t.Box(_, inner):
                return self.draw(inner)
            case t.SetOf(element):
                return frozenset(self.draw(element) for _ in range(self.random.randrange(4)))
            case t.Product(left, right) | t.With(left, right):
                return (self.draw(left), self.draw(right))
            case t.Sum(left, right):
                return Left(self.draw(left)) if self.random.random() < 0.5 else Right(self.draw(right))
            case t.Matrix():
                return told_apart(type_, self.table(type_))
            case t.Fun():
                return self.function(type_, self.real())
            case _:
                raise TypeError(f"no values for {type_}")

    def move(self, type_: t.Type, value: Any) -> Any:
        """Another value of the type, at any distance."""
        match type_:
            case t.Real() | t.Disc(t.Real()):
                return self.near(value)
            case t.Bounded():
                return brought(type_, self.near(value)) if self.random.random() < 0.7 else self.draw(type_)
            case t.Nat():
                step = self.random.choice((1, 1, -1, 2, 10))
                return max(0, value + step) if self.random.random() < 0.7 else self.natural()
            case t.Product(left, right) | t.With(left, right):
                both = self.random.randrange(3)
                first = self.move(left, value[0]) if both != 0 else value[0]
                return (first, self.move(right, value[1]) if both != 1 else value[1])
            case t.Sum(left, right):
                match value:
                    case Left(inner):
                        return Left(self.move(left, inner))
                    case Right(inner):
                        return Right(self.move(right, inner))
                raise AssertionError(value)
            case t.Maybe(inner):
                return (
                    self.draw(inner)
                    if value is None
                    else None
                    if self.random.random() < 0.5
                    else self.move(inner, value)
                )
            case t.Disc(t.Matrix(rows=None) as block):
                return in_order(self.moved_table(block, value))
            case t.Disc(inner) | t.Box(_, inner):
                return self.move(inner, value)
            case t.SetOf(element):
                # All sets are at distance 1, however much they differ.
                return value ^ frozenset({self.draw(element)}) if self.random.random() < 0.5 else self.draw(type_)
            case t.Matrix():
                return told_apart(type_, self.moved_table(type_, value))
            case _:
                return self.draw(type_)

    # Functions: z ↦ s⋅|z| + c for s the sensitivity, from reals; constants elsewhere

    def function(self, type_: t.Fun, shift: Fraction) -> Any:
        slope = type_.sensitivity.constant
        if not isinstance(type_.codomain, t.Real):
            result = self.draw(type_.codomain)
            return lambda _: result
        if isinstance(type_.domain, t.Real) and slope is not None:
            return lambda z: slope * abs(z) + shift
        return lambda _: shift

    # Tables

    def table(self, type_: t.Matrix) -> Table:
        width = natural(type_.width)
        count = natural(type_.rows) if type_.rows is not None else self.random.randrange(MOST_ROWS + 1)
        rows: list[tuple[Any, ...]] = []
        for _ in range(count):
            repeated = rows and self.random.random() < 0.25
            rows.append(self.random.choice(rows) if repeated else self.row(type_, width))
        # From a stream of its own: what is drawn next does not hang on it.
        once = None if rows else Drawer(random.Random(width), self.landmarks).row(type_, width)
        return Table(tuple(rows), width, names_of(type_), once)

    def row(self, type_: t.Matrix, width: int) -> tuple[Any, ...]:
        columns = columns_of(type_, width)
        if width > 1 and self.random.random() < 0.35 and all(column in (t.REAL, t.DATA) for column in columns):
            return self.bounded(type_, self.direction(width))
        return self.bounded(type_, [self.draw(column) for column in columns])

    def direction(self, width: int) -> list[Fraction]:
        """A row of length 1 or of a number that the program mentions: along an axis, in a plane, or along the diagonal."""
        length = self.random.choice((*(mark for mark in self.landmarks if mark), Fraction(1)))
        entries = [Fraction(0)] * width
        choice = self.random.randrange(3)
        if choice == 0:
            entries = [Fraction(1, width)] * width
        else:
            places = self.random.sample(range(width), 2)
            shares = self.random.choice(RATIONAL_POINTS) if choice == 1 else (Fraction(1), Fraction(0))
            for place, share in zip(places, shares, strict=True):
                entries[place] = share
        return [as_double(entry * length) for entry in entries]

    def bounded(self, type_: t.Matrix, entries: Sequence[Any]) -> tuple[Any, ...]:
        """A row inside the ranges and the ball that the type promises, often on their rims."""
        entries = [brought(*each) for each in zip(columns_of(type_, len(entries)), entries, strict=True)]
        if type_.clip is None:
            return tuple(entries)
        bound = type_.clip.bound.constant
        assert bound is not None
        return tuple(map(towards_zero, within_ball(self.random, type_.clip.norm, bound, entries)))

    def moved_table(self, type_: t.Matrix, value: Table) -> Table:
        rows = list(value.rows)
        if type_.rows is None:
            self._come_and_go(type_, value.width, rows)
        elif rows:
            self._change(type_, value.width, rows)
        return value.with_rows(tuple(rows))

    def _come_and_go(self, type_: t.Matrix, width: int, rows: list[tuple[Any, ...]]) -> None:
        """Rows are added, removed, replaced, or put in another order."""
        for _ in range(self.random.choice((1, 1, 1, 2, 4))):
            choice = self.random.random()
            if choice < 0.4 or not rows:
                rows.insert(self.random.randrange(len(rows) + 1), self.row(type_, width))
            elif choice < 0.75:
                rows.pop(self.random.randrange(len(rows)))
            else:
                self._change(type_, width, rows)
        if self.random.random() < 0.3:
            self.random.shuffle(rows)

    def _change(self, type_: t.Matrix, width: int, rows: list[tuple[Any, ...]]) -> None:
        columns = columns_of(type_, width)
        several = self.random.random() < 0.25
        chosen = range(len(rows)) if several else [self.random.randrange(len(rows))]
        how = self.random.randrange(9)
        step = self.random.choice(STEPS) * self.random.choice((1, -1))
        for i in chosen:
            row = list(rows[i])
            if how == 0:
                row = [self.draw(column) for column in columns]
            elif how == 1:
                row = [-entry if isinstance(entry, Fraction) else entry for entry in row]
            elif how == 2:
                # All entries the same way, as the L∞ norm likes it.
                row = [as_double(entry + step) if isinstance(entry, Fraction) else entry for entry in row]
            elif how >= 6 and all(isinstance(entry, Fraction) for entry in row):
                row = self.nudged(row, how)
            elif how == 3 and len(rows) > 1:
                row = list(self.random.choice(rows))
            elif how == 4:
                j = self.random.randrange(width) if width else 0
                row[j : j + 1] = [self.move(columns[j], row[j])] if width else []
            else:
                row = [
                    self.move(column, entry) if self.random.random() < 0.5 else entry
                    for column, entry in zip(columns, row, strict=True)
                ]
            still = [isinstance(column, t.StaticReal | t.StaticNat) for column in columns]
            row = [old if stays else new for stays, old, new in zip(still, rows[i], row, strict=True)]
            rows[i] = self.bounded(type_, row)

    def nudged(self, row: Sequence[Fraction], how: int) -> list[Fraction]:
        """One entry, all but the longest, or all one against another, a little: where scaling to a ball stretches most."""
        small = self.random.choice((TINY, Fraction(1, 1024), Fraction(1, 64)))
        longest = max(range(len(row)), key=lambda k: abs(row[k]), default=0)
        j = longest if how == 7 or not row else self.random.randrange(len(row))
        if how == 6:
            steps = [small if k == j else Fraction(0) for k in range(len(row))]
        elif how == 7:
            steps = [Fraction(0) if k == j else small for k in range(len(row))]
        else:
            # Against x xᵀ, the part that scaling takes away.
            side = self.random.choice((1, -1))
            steps = [small * side * (1 if k == j or row[k] * row[j] <= 0 else -1) for k in range(len(row))]
        return [as_double(entry + step) for entry, step in zip(row, steps, strict=True)]


def in_order(block: Table) -> Table:
    """The rows of a block in the one order that they have: column after column, what is missing first."""
    return block.with_rows(
        tuple(sorted(block.rows, key=lambda row: [(entry is not None, 0 if entry is None else entry) for entry in row]))
    )


def told_apart(type_: t.Matrix, table: Table) -> Table:
    """Of a table of persons, those that files can hold: each identifier once, and not the empty text, with a row in some file; in
    the order of the identifiers, as they are bound."""
    if persons_of(type_) is None:
        return table
    found = {row[0]: row for row in table.rows if row[0] != "" and any(block.rows for block in row[1:])}
    return table.with_rows(tuple(found[who] for who in sorted(found)))


def rosters_of(names: Sequence[str], types: Sequence[t.Type]) -> dict[int, int]:
    """The places of the tables of persons on a roster, each with the place of the roster. A type with a number in the place of its
    size does not say it any more."""
    found = {at: persons_of(type_) for at, type_ in enumerate(types)}
    return {at: names.index(each.roster) for at, each in found.items() if each is not None and each.roster is not None}


def on_rosters(places: Mapping[int, int], values: Sequence[Any]) -> list[Any]:
    """The values, with the persons of each table those on its roster, in its order."""
    changed = list(values)
    for at, roster in places.items():
        rows = changed[at].rows
        is_text = any(isinstance(row[0], str) for row in rows)
        listed: list[Any] = sorted(text for text in STRINGS if text) if is_text else list(range(len(rows)))
        changed[roster] = frozenset(listed[: len(rows)])
        changed[at] = changed[at].with_rows(tuple((who, *row[1:]) for who, row in zip(listed, rows, strict=False)))
    return changed


def brought(type_: t.Type, value: Any) -> Any:
    """The nearest value of a type with a range, between the doubles that are read where an end is written; any other as it is."""
    match type_:
        case t.Bounded(low, high):
            return min(max(as_double(value), as_double(low)), as_double(high))
        case t.Disc(inner) | t.Maybe(inner) if value is not None:
            return brought(inner, value)
        case _:
            return value


def as_double(value: Fraction) -> Fraction:
    """The nearest double: data are doubles."""
    return Fraction(float(value))


def towards_zero(value: Fraction) -> Fraction:
    """The double next to a number on the side of 0, so that a rounded row is no longer than the row."""
    double = float(value)
    if abs(Fraction(double)) > abs(value):
        double = math.nextafter(double, 0.0)
    return Fraction(double)


def names_of(type_: t.Matrix) -> tuple[str | None, ...] | None:
    match type_.schema:
        case t.Columns(columns):
            return tuple(column.name for column in columns)
        case _:
            return None


def within_ball(source: random.Random, norm: Norm, bound: Fraction, entries: Sequence[Any]) -> tuple[Any, ...]:
    """The entries scaled into the ball: as they are where they fit, else to its rim or a little inside."""
    numbers = [Fraction(entry) for entry in entries]
    if not numbers:
        return ()
    if norm is Norm.LINF:
        return tuple(min(max(entry, -bound), bound) for entry in numbers)
    total = sum((abs(entry) for entry in numbers), Fraction(0))
    if norm is Norm.L1:
        return tuple(entry * bound / total for entry in numbers) if total > bound else tuple(numbers)
    if sum(entry**2 for entry in numbers) <= bound**2:
        return tuple(numbers)
    if len(numbers) > 1 and source.random() < 0.5:
        i, j = source.sample(range(len(numbers)), 2)
        rim = [Fraction(0)] * len(numbers)
        for place, share in zip((i, j), source.choice(RATIONAL_POINTS), strict=True):
            rim[place] = bound * share * (1 if numbers[place] >= 0 else -1)
        return tuple(rim)
    return tuple(entry * bound / total for entry in numbers)


def probes(type_: t.Type) -> list[Any]:
    """Some arguments of a function, the same every time."""
    drawer = Drawer(random.Random(7))
    return [drawer.draw(type_) for _ in range(6)]
