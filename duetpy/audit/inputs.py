"""Made-up inputs for a program, and their neighbours in the declared metric.

Contract. `Drawer.neighbour` returns inputs that are at distance at most 1 in one privacy unit and equal everywhere else, by
exact comparison; so whatever the audit finds on such a pair is a fault of the program's guarantee and not of the pair. Values
are drawn where rules go wrong: ties, the program's own numbers and their neighbours, zeros, huge and tiny numbers, values
that are not numbers, tables without rows, repeated rows, texts that no set of the program holds.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from attrs import field, frozen

from duetpy.diagnostics.display import given_with_set, visible
from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.grammar.compare import nodes
from duetpy.runtime.sources.reading import NOT_THIS_WAY, refuse
from duetpy.runtime.values.statics import KindScope
from duetpy.typecheck import types as t
from duetpy.typecheck.persons import Persons, columns_of, persons_of
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.show import show_type

TINY = 2.0**-30
PLAIN = (0.0, 1.0, -1.0, 0.5, -2.0, 3.0, TINY, -TINY, 1e6, -1e6)
EXTREME = (-0.0, 5e-324, 2.0**53 + 2.0, 1e300, -1e300, math.nan, math.inf, -math.inf)
"""What cells of 𝔻 may hold in a file; those that are not numbers are read as the default."""

TEXTS = ("", "a", "nowhere", "0", "NaN")
STEPS = (1.0, 1.0, 1.0, 0.5, TINY, 2.0**-10)
SHARES = ((Fraction(1), Fraction(0)), (Fraction(3, 5), Fraction(4, 5)), (Fraction(5, 13), Fraction(12, 13)))
"""Rational points of the unit circle."""

MOST_ROWS = 5
TRIES = 40

DAYS = (date.min, date(1969, 12, 31), date(2000, 2, 29), date(2024, 1, 1), date.max)

Row = list[Any]
Inputs = dict[str, Any]


class Undrawable(Exception):
    """A type of which the audit cannot draw values."""


@frozen(eq=False)
class Drawer:
    """Draws inputs.

    Parameters
    ----------
    random
        The source of choices.
    kinds
        Numbers for all sizes and parameters.
    numbers, texts, days
        What the program mentions.
    in_order
        Whether rows are added and removed only at the end, and the others keep their order: then a program that draws rows
        at random draws the same ones from both neighbours.
    recent
        Rows drawn before: equal rows are drawn again.
    """

    random: random.Random
    kinds: KindScope
    numbers: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()
    days: tuple[date, ...] = ()
    in_order: bool = False
    recent: list[float] = field(factory=list)

    # Cells

    def real(self, *, extreme: bool = False) -> float:
        choice = self.random.random()
        if extreme and choice < 0.06:
            return self.random.choice(EXTREME)
        if choice < 0.2 and self.recent:
            return self.random.choice(self.recent[-8:])
        if choice < 0.45:
            value = self.random.choice(PLAIN)
        elif choice < 0.75 and self.numbers:
            value = self.random.choice(self.numbers) + self.random.choice((0.0, 0.0, TINY, -TINY))
            value *= self.random.choice((1.0, 1.0, -1.0, 2.0))
        else:
            value = self.random.randint(-40, 40) / 8
        self.recent.append(value)
        return value

    def natural(self) -> int:
        if self.random.random() < 0.4 and self.numbers:
            near = self.random.choice(self.numbers) + self.random.choice((-1, 0, 0, 1))
            return int(min(max(0.0, near), 1e6))
        return self.random.choice((0, 1, 2, 3, 7, 1000))

    def day(self) -> date:
        """A day that the program mentions or one next to it, an end of the calendar or of a month."""
        near = self.random.choice((*DAYS, *self.days, *self.days)).toordinal() + self.random.choice((-1, 0, 0, 1))
        return date.fromordinal(min(max(near, date.min.toordinal()), date.max.toordinal()))

    def draw(self, type_: t.Type) -> Any:
        """A value of a type, as a caller would give it; raises `Undrawable`."""
        match type_:
            case t.Disc(t.Real()):
                return self.real(extreme=True)
            case t.Bounded(low, high):
                # A number outside of the range counts as its nearest end, which is for the run to see to.
                return self.random.choice((float(low), float(high), self.real(extreme=True)))
            case t.Real():
                return self.real()
            case t.Nat():
                return self.natural()
            case t.Bool():
                return self.random.random() < 0.5
            case t.Str():
                return self.random.choice((*TEXTS, *self.texts, *self.texts))
            case t.Date():
                return self.day()
            case t.Idx(size):
                return self.random.randrange(self.whole(size))
            case t.StaticNat(number):
                return self.whole(number)
            case t.StaticReal(signed):
                return self.kinds.signed(signed, None)
            case t.Disc(inner):
                return self.draw(inner)
            case t.Maybe(inner):
                return None if self.random.random() < 0.3 else self.draw(inner)
            case t.SetOf(element):
                return list(dict.fromkeys(self.draw(element) for _ in range(self.random.randrange(4))))
            case t.Product(left, right) | t.With(left, right):
                return (self.draw(left), self.draw(right))
            case t.Sum(left, right):
                is_left = self.random.random() < 0.5
                return ("inl", self.draw(left)) if is_left else ("inr", self.draw(right))
            case t.Matrix():
                return self.table(type_, self.row_count(type_))
            case _:
                raise Undrawable

    def whole(self, size: Quantity) -> int:
        return int(self.kinds.above(size, None))

    # Tables

    def row_count(self, type_: t.Matrix) -> int:
        return self.random.randrange(MOST_ROWS + 1) if type_.rows is None else self.whole(type_.rows)

    def table(self, type_: t.Matrix, count: int) -> list[Row]:
        rows: list[Row] = []
        # Rows that are all alike add up what each of them does.
        often = 1.0 if self.random.random() < 0.3 else 0.25
        for _ in range(count):
            repeated = rows and self.random.random() < often
            rows.append(list(self.random.choice(rows)) if repeated else self.row(type_))
        for at, row in enumerate(rows if persons_of(type_) is not None else ()):
            # Whoever draws persons by coins goes over them in the order of their identifiers.
            row[0] = identifier(type_, at)
        return rows

    def columns(self, type_: t.Matrix) -> list[t.Type]:
        match type_.schema:
            case t.Uniform(count, element):
                return [element] * self.whole(count)
            case t.Columns(columns):
                return [column.type for column in columns]
            case _:
                raise Undrawable

    def row(self, type_: t.Matrix) -> Row:
        columns = self.columns(type_)
        row = [self.draw(column) for column in columns]
        if len(row) > 1 and self.random.random() < 0.3 and all(is_number(column) for column in columns):
            # All the weight on one cell, or on two, or on all alike: where bounds on the length of a row are attained.
            length = self.random.choice((*self.numbers, 1.0, 1e6))
            how = self.random.randrange(3)
            at, other = self.random.sample(range(len(row)), 2)
            first, second = self.random.choice(SHARES) if how == 1 else (Fraction(1), Fraction(0))
            row = [length if how == 2 else 0.0 for _ in row]
            if how != 2:
                row[at], row[other] = length * float(first), length * float(second)
            row = [cell * self.random.choice((1.0, 1.0, -1.0)) for cell in row]
        return self.within_bound(type_, row)

    def within_bound(self, type_: t.Matrix, row: Row) -> Row:
        """A row that keeps the bound of its table's type, exactly."""
        if type_.clip is None:
            return row
        bound = self.kinds.below(type_.clip.bound, None)
        cells = [cell if math.isfinite(cell) else 0.0 for cell in row]
        for _ in range(60):
            if is_within(type_.clip.norm, [Fraction(cell) for cell in cells], bound):
                return cells
            length = float(norm_above(type_.clip.norm, [Fraction(cell) for cell in cells]))
            factor = float(bound) / length * (1 - 2.0**-50)
            cells = [cell * factor for cell in cells]
        return [0.0] * len(cells)

    # Neighbours

    def neighbour(self, types: Mapping[str, t.Type], inputs: Inputs, unit: Sequence[str]) -> Inputs | None:
        """The inputs with one unit moved by at most 1; None where no such move was found."""
        for _ in range(TRIES):
            moved = self._aligned(types, inputs, unit) if len(unit) > 1 else self._alone(types, inputs, unit[0])
            if moved is not None and moved != inputs:
                return moved
        return None

    def _alone(self, types: Mapping[str, t.Type], inputs: Inputs, name: str) -> Inputs | None:
        moved = self.move(types[name], inputs[name])
        if moved is None or self.distance(types[name], inputs[name], moved) > 1:
            return None
        return inputs | {name: moved}

    def _aligned(self, types: Mapping[str, t.Type], inputs: Inputs, unit: Sequence[str]) -> Inputs | None:
        """One row of all the tables: they are views of the same rows, or of the same persons."""
        views = {name: type_ for name in unit if isinstance(type_ := types[name], t.Matrix)}
        first = next(iter(views))
        change = self.change(views[first], len(inputs[first]))
        if change is None:
            return None
        moved = dict(inputs)
        for name, type_ in views.items():
            moved[name] = self.changed(type_, inputs[name], *change)
            is_fixed = type_.rows is not None
            if is_fixed and not t.has_discrete_rows(type_) and self.distance(type_, inputs[name], moved[name]) > 1:
                return None
        return moved

    def change(self, type_: t.Matrix, count: int) -> tuple[str, int] | None:
        """What happens to which row."""
        if type_.rows is not None:
            return ("replace", self.random.randrange(count)) if count else None
        if count and self.random.random() < 0.5:
            return ("remove", count - 1 if self.in_order else self.random.randrange(count))
        return ("add", count if self.in_order else self.random.randrange(count + 1))

    def changed(self, type_: t.Matrix, rows: list[Row], how: str, at: int) -> list[Row]:
        match how:
            case "add":
                repeated = rows and self.random.random() < 0.3
                new = list(self.random.choice(rows)) if repeated else self.row(type_)
                if persons_of(type_) is not None:
                    new[0] = identifier(type_, MOST_ROWS + at)
                return [*rows[:at], new, *rows[at:]]
            case "remove":
                return [*rows[:at], *rows[at + 1 :]]
            case _:
                return [*rows[:at], self.moved_row(type_, rows[at]), *rows[at + 1 :]]

    def move(self, type_: t.Type, value: Any) -> Any:
        """Another value that is likely at distance at most 1, or None."""
        match type_:
            case t.Real():
                return value + self.random.choice((1, -1)) * self.random.choice(STEPS)
            case t.Nat() | t.Idx():
                size = self.whole(type_.size) if isinstance(type_, t.Idx) else None
                moved = max(0, value + self.random.choice((1, -1)))
                return moved if size is None or moved < size else None
            case t.StaticNat() | t.StaticReal():
                return None
            case t.Product(left, right):
                if self.random.random() < 0.5:
                    return (moved, value[1]) if (moved := self.move(left, value[0])) is not None else None
                return (value[0], moved) if (moved := self.move(right, value[1])) is not None else None
            case t.With(left, right):
                parts = (self.move(left, value[0]), self.move(right, value[1]))
                return tuple(old if new is None else new for old, new in zip(value, parts, strict=True))
            case t.Sum(left, right):
                moved = self.move(left if value[0] == "inl" else right, value[1])
                return None if moved is None else (value[0], moved)
            case t.Matrix():
                return self.moved_table(type_, value)
            case _:
                return self.draw(type_)

    def moved_table(self, type_: t.Matrix, rows: list[Row]) -> list[Row] | None:
        if type_.rows is None and t.matches_rows(type_) and self.random.random() < 0.4 and rows:
            # The metric is the cheapest matching: rows may move a little.
            at = self.random.randrange(len(rows))
            return self.changed(type_, rows, "replace", at)
        change = self.change(type_, len(rows))
        if change is None:
            return None
        if change[0] == "replace" and len(rows) > 1 and self.random.random() < 0.4:
            spread = self.spread(type_, rows)
            if spread is not None:
                return spread
        moved = self.changed(type_, rows, *change)
        if type_.rows is None and not self.in_order and self.random.random() < 0.2:
            self.random.shuffle(moved)
            return moved if t.counts_rows(type_) else None
        return moved

    def spread(self, type_: t.Matrix, rows: list[Row]) -> list[Row] | None:
        """Several rows of real numbers, each moved a little in one cell: rules that hold far away may fail close by."""
        columns = self.columns(type_)
        if not columns or not all(isinstance(column, t.Real) for column in columns):
            return None
        count = self.random.choice([each for each in (2, 4, 8) if each <= len(rows)])
        moved = [list(row) for row in rows]
        for at in self.random.sample(range(len(rows)), count):
            # Off the axes that a row lies on, where projections turn it.
            free = [cell for cell, entry in enumerate(moved[at]) if not entry] or range(len(columns))
            moved[at][self.random.choice(free)] += self.random.choice((1, -1)) / count
            moved[at] = self.within_bound(type_, moved[at])
        return moved

    def moved_row(self, type_: t.Matrix, row: Row) -> Row:
        """A row at distance at most 1 from another."""
        columns = self.columns(type_)
        if t.has_discrete_rows(type_):
            replaced = self._replaced(type_, row)
            # Of a person on a roster the rows in the files become others.
            return replaced if persons_of(type_) is None else [row[0], *replaced[1:]]
        new = list(row)
        places = [at for at, column in enumerate(columns) if not isinstance(column, t.StaticNat | t.StaticReal)]
        if not places:
            return new
        discrete = [at for at in places if not isinstance(columns[at], t.Real | t.Nat | t.Idx)]
        if type_.norm is Norm.LINF:
            for at in places:
                moved = self.move(columns[at], row[at])
                new[at] = row[at] if moved is None else moved
        elif discrete and self.random.random() < 0.5:
            at = self.random.choice(discrete)
            new[at] = self.draw(columns[at])
        else:
            self._stepped(type_.norm, [at for at in places if isinstance(columns[at], t.Real)] or places, columns, new)
        return self.within_bound(type_, new)

    def _replaced(self, type_: t.Matrix, row: Row) -> Row:
        """Any other row: a fresh one, its opposite, one that differs in one cell, or has a cell that is hardly a number."""
        how = self.random.randrange(5)
        if how == 0 and all(is_number(column) for column in self.columns(type_)):
            return self.within_bound(type_, [-cell for cell in row])
        fresh = self.row(type_)
        if how == 1 and len(row) > 1:
            at = self.random.randrange(len(row))
            return self.within_bound(
                type_, [new if j == at else old for j, (old, new) in enumerate(zip(row, fresh, strict=False))]
            )
        if how == 2 and all(is_number(column) for column in self.columns(type_)):
            fresh[self.random.randrange(len(fresh))] = self.random.choice(EXTREME)
            return self.within_bound(type_, fresh)
        return fresh

    def _stepped(self, norm: Norm, places: Sequence[int], columns: Sequence[t.Type], new: Row) -> None:
        step = self.random.choice(STEPS)
        chosen = self.random.sample(list(places), min(len(places), 2))
        shares = self.random.choice(SHARES) if norm is Norm.L2 else (Fraction(1, 2), Fraction(1, 2))
        if len(chosen) == 1 or self.random.random() < 0.4 or not all(isinstance(columns[a], t.Real) for a in chosen):
            shares = (Fraction(1), Fraction(0))
        for at, share in zip(chosen, shares, strict=False):
            if isinstance(columns[at], t.Real):
                new[at] += self.random.choice((1, -1)) * step * float(share)
            elif share:
                moved = self.move(columns[at], new[at])
                new[at] = new[at] if moved is None else moved

    # Distances

    def distance(self, type_: t.Type, left: Any, right: Any) -> Fraction:
        """An exact upper bound on the distance of two values."""
        match type_:
            case t.Real() | t.Nat() | t.Idx():
                return abs(Fraction(left) - Fraction(right))
            case t.Product(first, second):
                return self.distance(first, left[0], right[0]) + self.distance(second, left[1], right[1])
            case t.With(first, second):
                return max(self.distance(first, left[0], right[0]), self.distance(second, left[1], right[1]))
            case t.Sum(first, second):
                return self.distance(first if left[0] == "inl" else second, left[1], right[1])
            case t.Matrix():
                return self._distance_of_tables(type_, left, right)
            case _:
                return Fraction(left != right)

    def _distance_of_tables(self, type_: t.Matrix, left: list[Row], right: list[Row]) -> Fraction:
        if type_.rows is None and t.counts_rows(type_):
            return Fraction(symmetric_difference(left, right))
        if len(left) == len(right):
            moved = ((a, b) for a, b in zip(left, right, strict=True) if a != b)
            return sum((self._distance_of_rows(type_, a, b) for a, b in moved), Fraction(0))
        more, fewer = (left, right) if len(left) > len(right) else (right, left)
        alone = next(at for at in range(len(more)) if at == len(fewer) or more[at] != fewer[at])
        if len(more) - len(fewer) != 1 or more[alone + 1 :] != fewer[alone:]:
            return Fraction(2)
        return norm_above(type_.norm, [Fraction(cell) for cell in more[alone]])

    def _distance_of_rows(self, type_: t.Matrix, left: Row, right: Row) -> Fraction:
        columns = self.columns(type_)
        return norm_above(type_.norm, [self.distance(c, a, b) for c, a, b in zip(columns, left, right, strict=True)])


def identifier(type_: t.Matrix, number: int) -> object:
    """The identifier of the person with a number; identifiers are distinct, and ordered like the numbers."""
    is_text = type_.column_types()[0] in (t.STR, t.Disc(t.STR))
    return f"person {number:03}" if is_text else number


def lines_of(persons: Persons, rows: list[Row]) -> dict[str, list[dict[str, Any]]]:
    """The lines of each file of persons, in an order that does not reveal whose they are."""
    files: dict[str, list[dict[str, Any]]] = {}
    for at, (name, file) in enumerate(persons.files, 1):
        labels = [persons.identifier.name or "", *(column.name or "" for column in columns_of(file))]
        files[name] = [dict(zip(labels, [row[0], *line], strict=True)) for row in rows for line in row[at]]
        if persons.roster is not None:
            # A line of somebody who is not on the roster, which is nobody's.
            files[name] += [{**line, labels[0]: _stranger(line[labels[0]])} for line in files[name][:1]]
        random.Random(repr(rows)).shuffle(files[name])
    return files


def _stranger(identifier: object) -> object:
    return "stranger" if isinstance(identifier, str) else 999


def symmetric_difference(left: list[Row], right: list[Row]) -> int:
    """The rows that one multiset has and the other lacks."""
    rest = [repr(row) for row in right]
    alone = 0
    for row in map(repr, left):
        if row in rest:
            rest.remove(row)
        else:
            alone += 1
    return alone + len(rest)


def is_number(type_: t.Type) -> bool:
    return isinstance(type_, t.Real) or (isinstance(type_, t.Disc) and isinstance(type_.inner, t.Real | t.Bounded))


def norm_above(kind: Norm, entries: Sequence[Fraction]) -> Fraction:
    """‖·‖ of a row of numbers; an irrational one is rounded up, by no more than 2^-60 of itself."""
    sizes = [abs(entry) for entry in entries]
    match kind:
        case Norm.L1:
            return sum(sizes, Fraction(0))
        case Norm.LINF:
            return max(sizes, default=Fraction(0))
        case Norm.L2:
            if sum(1 for size in sizes if size) <= 1:
                return max(sizes, default=Fraction(0))
            return root_above(sum((size**2 for size in sizes), Fraction(0)))


def root_above(square: Fraction) -> Fraction:
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return Fraction(top, bottom)
    shift = max(0, 128 - square.numerator.bit_length() + square.denominator.bit_length())
    shift += shift % 2
    return Fraction(math.isqrt((square.numerator << shift) // square.denominator) + 1, 1 << (shift // 2))


def is_within(kind: Norm, entries: Sequence[Fraction], bound: Fraction) -> bool:
    if kind is Norm.L2:
        return sum((entry**2 for entry in entries), Fraction(0)) <= bound**2
    return norm_above(kind, entries) <= bound


# ---------------------------------------------------------------------------------------------------------------------
# What a program mentions


def mentioned(body: ast.Node) -> tuple[tuple[float, ...], tuple[str, ...], tuple[date, ...]]:
    """The numbers, the texts and the days that stand in a program."""
    numbers: dict[float, None] = {}
    texts: dict[str, None] = {}
    days: dict[date, None] = {}
    for node in nodes(body):
        if isinstance(node, ast.RealLit | ast.NatLit | ast.RNum):
            if abs(Fraction(node.value)) < 10**9:
                numbers[float(node.value)] = None
        elif isinstance(node, ast.StrLit):
            texts[node.value] = None
        elif isinstance(node, ast.DateLit):
            days[node.value] = None
    return tuple(numbers), tuple(texts), tuple(days)


def undrawable(name: str, type_: t.Type) -> Exception:
    return refuse(
        NOT_THIS_WAY,
        f"the audit has no values for {visible(name)} : {show_type(type_)}",
        f"give one with {given_with_set([name])}, if it is public",
    )
