"""Sums of what rows contribute, if all that this looks at is how one cell compares with numbers: as scores of candidates do.

    mfold-row 0.0, xs { total, row ⇒ total + clip (sign (row.x - candidate)) }        for one candidate after another
    rows (mfilter xs { row ⇒ row.x < candidate })

Between two numbers that the cell is compared with, every row contributes the same. So the column is sorted once, the rows between
the numbers are counted by bisection, and the term is computed for one row of each kind. Whether a sum is found in this way depends
on the program and on how often it goes over a table, never on a cell or a private size.

A number t that is not a double lies between two of them. Exact arithmetic compares a cell with t, and arithmetic of doubles with
one of these two, whichever is nearer: so at both of them what a row contributes may change.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from fractions import Fraction

import numpy as np
from attrs import define, field, frozen

from duetpy.accounting.rounding import LARGEST, float_down, float_up
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.evaluation.rows import Places
from duetpy.runtime.exact.rationals import Doubles, Numbers, plain
from duetpy.runtime.values.batching import evolve_matrix, take
from duetpy.runtime.values.values import MatrixValue, Store
from duetpy.typecheck import core
from duetpy.typecheck.direction import MAXIMAL_NESTING
from duetpy.typecheck.facts import facts_of


@define(eq=False, repr=False)
class Comparisons:
    """What the term of a row compares a cell of it with.

    Parameters
    ----------
    machine, frame
        Where the fold is evaluated.
    row
        The name of the row.
    column
        The place of the cell; None where none was found.
    limits
        The numbers.
    """

    machine: Machine
    frame: Frame
    row: str
    column: int | None = None
    limits: list[Fraction] = field(factory=list)
    _cells: dict[str, int] = field(factory=dict)

    def __repr__(self) -> str:
        return "<private numbers>"

    def are_all_of(self, node: core.Expression, nesting: int = 0) -> bool:
        """Whether an expression looks at nothing else of the row; they are collected."""
        if not self._sees_row(node):
            return True
        if node.static is not None or nesting > MAXIMAL_NESTING:
            return False

        def inner(*parts: core.Expression) -> bool:
            return all(self.are_all_of(part, nesting + 1) for part in parts)

        match node:
            case core.Prim(bounds=bounds) if any(map(self._sees_row, bounds)):
                return False
            case core.Prim(name=name, args=args) if facts_of(name).compares:
                return self._is_with_number(*args) or inner(*args)
            case core.Prim(name=name, args=(arg,)) if facts_of(name).is_sided:
                arg = _bare(arg)
                if isinstance(arg, core.Prim) and facts_of(arg.name).static == "difference":
                    return self._is_with_number(*arg.args)
                return self._is_new(self._cell(arg), Fraction(0)) or inner(arg)
            case core.Prim():
                return inner(*node.args)
            case core.If(test=None):
                return inner(node.guard, node.then, node.otherwise)
            case core.App():
                return inner(node.function, node.argument)
            case core.Let():
                cell = self._cell(node.bound)
                if cell is None:
                    return inner(node.bound, node.body)
                self._cells[node.name] = cell
                return inner(node.body)
            case _:
                return False

    def _sees_row(self, node: core.Expression) -> bool:
        names = self.machine.captures.of(node)
        return self.row in names or not names.isdisjoint(self._cells)

    def _is_with_number(self, left: core.Expression, right: core.Expression) -> bool:
        """Whether one is a cell of the row, and the other a number that is known without the term."""
        left_cell, right_cell = self._cell(left), self._cell(right)
        if (left_cell is None) == (right_cell is None):
            return False
        cell, other = (left_cell, right) if left_cell is not None else (right_cell, left)
        if not self.machine.captures.of(other) <= self.frame.names.keys():
            return False
        limit = self.machine.value(other, self.frame)
        return isinstance(limit, int | Fraction) and self._is_new(cell, Fraction(limit))

    def _is_new(self, cell: int | None, limit: Fraction) -> bool:
        if cell is None or self.column not in (None, cell):
            return False
        self.column = cell
        self.limits.append(limit)
        return True

    def _cell(self, node: core.Expression) -> int | None:
        """The place of the cell of the row that an expression is."""
        match _bare(node):
            case core.Var(name=name):
                return self._cells.get(name)
            case core.Field(record=core.Var(name=name), place=place) if name == self.row:
                return place
            case core.Index(matrix=core.Var(name=name), col=core.Expression() as place) if name == self.row:
                if self.machine.captures.of(place) <= self.frame.names.keys():
                    found = self.machine.value(place, self.frame)
                    return found if isinstance(found, int) else None
            case _:
                pass
        return None


def _bare(node: core.Expression) -> core.Expression:
    while isinstance(node, core.Prim) and facts_of(node.name).is_same:
        node = node.args[0]
    return node


def sorted_for(node: core.RowFold | core.Filter) -> Hashable | None:
    """What the column is known by that may be sorted for a form, the same for all forms over a table that look at the same place;
    None of forms that compare nothing, or add up matrices."""
    if isinstance(node, core.RowFold) and (node.sign != "+" or node.of_matrices):
        return None
    inner = list(core.nodes(node.term if isinstance(node, core.RowFold) else node.body))
    if not any(isinstance(one, core.Prim) and _looks_at_sign(one.name) for one in inner):
        return None
    places = frozenset(one.place for one in inner if isinstance(one, core.Field))
    return (node.arg.name, places) if isinstance(node.arg, core.Var) else node


def _looks_at_sign(name: str) -> bool:
    facts = facts_of(name)
    return bool(facts.compares) or facts.is_sided


@frozen(eq=False, repr=False)
class Kinds:
    """The rows of a table by how a cell compares with some numbers: one row of each kind, and how many there are."""

    one_of_each: MatrixValue
    counts: list[int]

    def __repr__(self) -> str:
        return "<private kinds>"

    def total(self, terms: Numbers) -> Fraction:
        """The sum over all rows of what they contribute."""
        return sum((count * terms.exactly((at,)) for at, count in enumerate(self.counts) if count), Fraction(0))


def kinds_of_rows(source: MatrixValue, place: int, limits: list[Fraction]) -> Kinds | None:
    """The rows by the cell at a place; None of no rows, or where the column is no column of doubles."""
    column = source.column(place) if 0 <= place < source.width else None
    if not isinstance(column, Numbers) or column.doubles is None or not source.rows:
        return None
    ordered = _in_order(source, place, column.doubles)
    borders = _borders(limits)
    first, last = np.searchsorted(ordered, borders, "left"), np.searchsorted(ordered, borders, "right")
    # Below the first border, at it, between it and the second, at that …
    ends = np.concatenate([np.stack([first, last], axis=1).ravel(), [source.rows]])
    counts = np.diff(ends, prepend=0)
    cells = np.empty(len(counts))
    cells[1::2] = borders
    with np.errstate(over="ignore"):
        cells[0], cells[2::2] = np.nextafter(borders[0], -math.inf), np.nextafter(borders, math.inf)
    if column.is_natural:
        cells = np.where(cells < borders[0], np.maximum(np.floor(cells), 0.0), np.ceil(cells))
    return Kinds(_with_cells(source, place, np.clip(cells, -LARGEST, LARGEST) + 0.0), counts.tolist())


def number_kept(compared: Comparisons, body: core.Expression, source: MatrixValue, places: Places) -> int | None:
    """How many rows a filter keeps, from the second time on; None if its condition looks at more than how one cell compares with
    numbers."""
    if not compared.are_all_of(body) or compared.column is None:
        return None
    kinds = kinds_of_rows(source.settle(), compared.column, compared.limits)
    return None if kinds is None else sum(kinds.counts[at] for at in places.of(kinds.one_of_each).tolist())


def is_sorted(source: MatrixValue, place: int | None = None) -> bool:
    """Whether a column of a table is kept in order, or any of them: for a sum of another form, or of another mechanism."""
    places = range(source.width) if place is None else (place,)
    return bool(source.memo) and any(("in order", at) in source.memo for at in places)


def _in_order(source: MatrixValue, place: int, cells: Doubles) -> Doubles:
    """The cells of a column, sorted, once for all sums."""
    key = ("in order", place)
    known = source.memo.get(key)
    if known is None:
        known = source.remembered(key, MatrixValue(source.rows, plain(np.sort(cells)[:, None])))
    assert isinstance(known.store, Numbers)
    assert known.store.doubles is not None
    return known.store.doubles[:, 0]


def _borders(limits: list[Fraction]) -> Doubles:
    """The doubles at or next to some numbers, in order."""
    beside = [bound(limit) for limit in limits for bound in (float_down, float_up)]
    return np.unique(np.clip(beside, -LARGEST, LARGEST))


def _with_cells(source: MatrixValue, place: int, cells: Doubles) -> MatrixValue:
    """Rows of which nothing matters but the cells at a place."""
    store: Store
    if isinstance(source.store, Numbers):
        array = np.zeros((len(cells), source.width), order="F")
        array[:, place] = cells
        store = plain(array, natural=source.store.is_natural)
    else:
        some = np.zeros(len(cells), dtype=np.intp)
        columns = [take(column, some) for column in source.store]
        column = columns[place]
        assert isinstance(column, Numbers)
        columns[place] = plain(cells, natural=column.is_natural)
        store = tuple(columns)
    return evolve_matrix(source, store, len(cells), None)
