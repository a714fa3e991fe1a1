"""A result as a table: columns with names, and rows.

    return { headcount = n, mean = s / n }        headcount,mean
    return ⟨mean, √ variance⟩                     mean,value
    parallel … return ⟨key, ⟨number, total⟩⟩      key,number,total      one row per part
    a matrix                                      its columns by name, else column_1, column_2, …
    a set                                         one row per element; per record in sets of records, as nested parallels return
    anything else                                 one cell

What a column is called is what the program calls it: the field of a record, or the variable that is returned, through lets that
rename it. A component that has no name is `key` in the first column of a pair and `value` elsewhere; a name that occurs twice is
numbered from the second on.
A component that is not a single number, truth value or text (a matrix within a pair, a side of a sum) is one cell of JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from attrs import field, frozen

from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.lowering import MARK
from duetpy.typecheck.quantity import ONE

if TYPE_CHECKING:
    from duetpy.typecheck.check import Typed

Errors: TypeAlias = tuple[float | None, ...]
"""For each component of a result how far 95 of 100 of its numbers are at most from what was measured; None where not known."""


@frozen
class Column:
    """A column of a result.

    Parameters
    ----------
    name
        Its name.
    error95
        How far 95 of 100 of its numbers are at most from what was measured; None where not known.
    holds_days
        Whether its cells, which are texts, name days.
    """

    name: str
    error95: float | None = None
    holds_days: bool = False


@frozen
class Table:
    """A result as rows of cells, which are values in plain Python.

    Parameters
    ----------
    columns, rows
        The columns, and the rows with a cell for each.
    is_one_value
        Whether the result itself is the only cell.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_one_value: bool = False

    def with_errors(self) -> Table:
        """The table with a column next to every column of released numbers that says how far off they may be.

        It is called ``error95`` if it is the only one, else ``NAME_error95`` after the column that it belongs to; numbered where a
        column of the result has that name, which keeps it.
        """
        known = [column for column in self.columns if column.error95 is not None]
        errors = ["error95"] if len(known) == 1 else [f"{column.name}_error95" for column in known]
        own = [column.name for column in self.columns]
        names = self._beside(own, _distinct([*own, *errors])[len(own) :])
        rows = [tuple(self._beside(row, [column.error95 for column in known])) for row in self.rows]
        return Table(tuple(map(Column, names)), tuple(rows))

    def _beside(self, cells: Iterable[Any], errors: Iterable[Any]) -> Iterator[Any]:
        """What each column has, and next to each of released numbers what its errors have."""
        rest = iter(errors)
        for column, cell in zip(self.columns, cells, strict=True):
            yield cell
            if column.error95 is not None:
                yield next(rest)


@frozen
class Component:
    """A component of the results of a program: its name, and where the mechanism stands whose release it is."""

    name: str | None
    place: tuple[int, str | None] | None


@frozen
class Shape:
    """What the results of a program look like: their type, and their components, or those of each element of a set."""

    type: t.Type
    components: tuple[Component, ...]

    def errors(self, releases: Sequence[dict[str, Any]]) -> Errors:
        """How far off each component may be, given the mechanisms that ran. They are known by their lines, so that only those of a
        run of this very text say it: a ledger keeps what was found."""
        return tuple([_error(part, releases) for part in self.components])

    def named(self, result: Any) -> Any:
        """The result of a run in plain Python, with each record as a dictionary of its fields in their order.

        A ledger keeps the fields in the order of their names, and those of older runs without any.
        """
        return _named(result, self.type)

    def table(self, result: Any, errors: Errors) -> Table:
        """The result of a run of the program as a table; `errors` has one for each component, or is empty where none is known."""
        known = errors if len(errors) == len(self.components) else (None,) * len(self.components)
        match self.type:
            case t.Matrix() if fields_of(self.type) is None:
                rows = tuple([tuple(row) for row in result])
                names = _column_names(self.type, rows)
                days = [_is_day(type_) for type_ in self.type.column_types()] or [False]
                each = days if len(days) == len(names) else days[:1] * len(names)
                return Table(tuple([Column(name, known[0], day) for name, day in zip(names, each, strict=True)]), rows)
            case t.SetOf():
                element, depth = rows_in(self.type)
                for _ in range(depth - 1):
                    result = chain.from_iterable(result)
                rows = tuple([tuple(_cells(value, element)) for value in result])
                return Table(self._columns(known), rows)
            case _:
                has_parts = isinstance(self.type, t.Product | t.With | t.Matrix)
                return Table(self._columns(known), (tuple(_cells(result, self.type)),), not has_parts)

    @property
    def has_numbers(self) -> bool:
        """Whether a column of the table holds numbers."""
        if isinstance(self.type, t.Matrix):
            return any(map(_is_number, self.type.column_types()))
        return any(map(_is_number, _part_types(rows_in(self.type)[0])))

    def _columns(self, errors: Errors) -> tuple[Column, ...]:
        first = "key" if isinstance(self.type, t.SetOf) and len(self.components) > 1 else "value"
        names = [part.name or ("value" if at else first) for at, part in enumerate(self.components)]
        each = zip(_distinct(names), errors, _part_types(rows_in(self.type)[0]), strict=True)
        return tuple([Column(name, error, _is_day(type_)) for name, error, type_ in each])


def fields_of(type_: t.Type) -> tuple[t.Column, ...] | None:
    """The fields of a record; None of any other type. A row of a table is a record where all of its columns have names."""
    match type_:
        case t.Matrix(rows=rows, schema=t.Columns(columns)) if rows == ONE and all(each.name for each in columns):
            return columns
        case _:
            return None


def rows_in(type_: t.Type) -> tuple[t.Type, int]:
    """The type of a row of the table that shows a result, and how many sets deep the rows lie in it."""
    found, depth = type_, 0
    while isinstance(found, t.SetOf):
        found, depth = _plain(found.element), depth + 1
    # Without the names of a record nobody would see which elements were in one set.
    if depth > 1 and fields_of(found) is None:
        assert isinstance(type_, t.SetOf)
        return type_.element, 1
    return found, depth


def shape_of(typed: Typed) -> Shape:
    """What the results of a checked program look like."""
    type_ = _plain(typed.type.codomain if isinstance(typed.type, t.PFun) else t.POISON)
    reader = _Reader()
    node = reader.made(typed.core)
    row, depth = rows_in(type_)
    for _ in range(depth):
        node = reader.element(node)
    return Shape(type_, tuple(reader.components(row, node)))


def column_cells(table: Table) -> dict[str, list[Any]]:
    """The cells of each column by its name, all of one type that every library has, or None; what has parts is JSON, as in CSV."""
    columns = zip(*table.rows, strict=True) if table.rows else _none(table)
    return {
        column.name: list(map(_day, cells)) if column.holds_days else _alike(cells)
        for column, cells in zip(table.columns, columns, strict=True)
    }


def _day(cell: str | None) -> date | None:
    return None if cell is None else date.fromisoformat(cell)


def _alike(cells: Sequence[Any]) -> list[Any]:
    """The cells of a column. Where a whole number has more than 64 bits, all are doubles; texts where there is no such double."""
    found = [cell if isinstance(cell, bool | int | float | str | None) else cell_text(cell) for cell in cells]
    if all(not isinstance(cell, int) or -(2**63) <= cell < 2**63 for cell in found):
        return found
    try:
        return [cell if cell is None else float(cell) for cell in found]
    except OverflowError:
        return [cell if cell is None else cell_text(cell) for cell in found]


def _none(table: Table) -> list[tuple[()]]:
    return [()] * len(table.columns)


def cell_text(cell: Any) -> str:
    """A cell as text: a number has all digits of a double and no ``.0``, a text is itself, what has parts is JSON; nothing of a
    missing value."""
    match cell:
        case None:
            return ""
        case str():
            return cell
        case float():
            return repr(cell).removesuffix(".0")
        case _:
            return json.dumps(cell, ensure_ascii=False)


# ---------------------------------------------------------------------------------------------------------------------
# Columns


def _error(component: Component, releases: Sequence[dict[str, Any]]) -> float | None:
    """The error of a component; None where the mechanisms of its line do not agree on one."""
    if component.place is None:
        return None
    errors = {entry["error95"] for entry in releases if (entry["line"], entry.get("file")) == component.place}
    return errors.pop() if len(errors) == 1 else None


def _column_names(type_: t.Matrix, rows: Sequence[Sequence[Any]]) -> list[str]:
    """The names of the columns of a matrix; as in Polars, those that have none are numbered from 1."""
    if isinstance(type_.schema, t.Columns):
        named = [column.name for column in type_.schema.columns]
    else:
        # Of a table without rows only its type says how many columns it has, if anything does.
        count = type_.width.constant
        named = [None] * (len(rows[0]) if rows else 1 if count is None else int(count))
    return _distinct([name or f"column_{at}" for at, name in enumerate(named, 1)])


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, each that was there before with a number that makes it another one."""
    written = frozenset(names)
    found: dict[str, None] = {}
    for name in names:
        chosen, count = name, 1
        while chosen in found or (count > 1 and chosen in written):
            count += 1
            chosen = f"{name}_{count}"
        found[chosen] = None
    return list(found)


def _cells(value: Any, type_: t.Type) -> Iterator[Any]:
    """The components of a value, those of nested pairs in their order."""
    plain = _plain(type_)
    if isinstance(plain, t.Product | t.With):
        left, right = value
        yield from _cells(left, plain.left)
        yield from _cells(right, plain.right)
    elif fields_of(plain) is not None:
        yield from value.values()
    else:
        yield value


def _named(value: Any, type_: t.Type) -> Any:
    """A value in plain Python with its records as dictionaries; what a side of a sum holds stays as it is."""
    plain = _plain(type_)
    match plain:
        case t.Product(left, right) | t.With(left, right):
            return (_named(value[0], left), _named(value[1], right))
        case t.SetOf(element):
            return [_named(each, element) for each in value]
        case t.Maybe(inner):
            return None if value is None else _named(value, inner)
        case t.Matrix() if (fields := fields_of(plain)) is not None:
            cells = [value[field.name] for field in fields] if isinstance(value, dict) else value[0]
            return {field.name: _named(cell, field.type) for field, cell in zip(fields, cells, strict=True)}
        case _:
            return value


def _part_types(type_: t.Type) -> Iterator[t.Type]:
    """The types of the components of a value, as `_cells` takes it apart."""
    plain = _plain(type_)
    if isinstance(plain, t.Product | t.With):
        yield from _part_types(plain.left)
        yield from _part_types(plain.right)
    elif (fields := fields_of(plain)) is not None:
        yield from (field.type for field in fields)
    else:
        yield plain


def _is_day(type_: t.Type) -> bool:
    """Whether values of a type are days, as far as they are not missing."""
    return isinstance(_found(type_), t.Date)


def _is_number(type_: t.Type) -> bool:
    """Whether values of a type are numbers, as far as they are not missing."""
    return isinstance(_found(type_), t.Real | t.Nat | t.Idx | t.StaticReal | t.StaticNat)


def _found(type_: t.Type) -> t.Type:
    """The type of a value that is not missing."""
    plain = _plain(type_)
    return _plain(plain.inner) if isinstance(plain, t.Maybe) else plain


def _plain(type_: t.Type) -> t.Type:
    """A type as far as it says how a value looks."""
    while isinstance(type_, t.Disc | t.Box):
        type_ = type_.inner
    return type_


# ---------------------------------------------------------------------------------------------------------------------
# What the program calls them


@frozen
class _Reader:
    """Finds in a program where its result comes from; `bound` holds what the names on the way stand for."""

    bound: dict[str, core.Node] = field(factory=dict)

    def made(self, node: core.Node | None) -> core.Node | None:
        """The form whose value a form has: past what is bound before it."""
        while True:
            match node:
                case core.PLam() | core.Convert() | core.PLetPair() | core.LetPair():
                    node = node.body
                case core.PLet() | core.Let():
                    self.bound[node.name] = node.bound
                    node = node.body
                case core.Bind():
                    self.bound[node.name] = node.first
                    node = node.then
                case core.Return():
                    node = node.value
                case _:
                    return node

    def origin(self, node: core.Node | None) -> core.Node | None:
        """The same, past the variables that hold the value and into the functions that return it."""
        found = self.made(node)
        while True:
            match found:
                case core.Var(name=name) if name in self.bound:
                    found = self.made(self.bound[name])
                case core.PApp(function=function):
                    found = self.origin(function)
                case _:
                    return found

    def element(self, node: core.Node | None) -> core.Node | None:
        """The form that makes each element of a set, where that is what `parallel` returns for each part."""
        found = self.origin(node)
        return self.made(found.body) if isinstance(found, core.Parallel) else None

    def components(self, type_: t.Type, node: core.Node | None) -> list[Component]:
        """The components of a value of a type that a form makes."""
        plain = _plain(type_)
        if isinstance(plain, t.Product | t.With):
            pair = self.origin(node)
            left, right = (pair.left, pair.right) if isinstance(pair, core.Pair) else (None, None)
            return self.components(plain.left, left) + self.components(plain.right, right)
        fields = fields_of(plain)
        if fields is not None:
            return self.fields(fields, node)
        made = self.made(node)
        # The core distinguishes two variables of one name by a sign that no name may contain.
        name = made.name.partition(MARK)[0] if isinstance(made, core.Var) else None
        released = self.origin(made)
        return [Component(name, released.site.place if isinstance(released, core.Mechanism) else None)]

    def fields(self, fields: tuple[t.Column, ...], node: core.Node | None) -> list[Component]:
        """The fields of a record that a form makes."""
        record = self.origin(node)
        values = record.values if isinstance(record, core.Record) else [record] * len(fields)
        released = [self.origin(value) for value in values]
        places = [each.site.place if isinstance(each, core.Mechanism) else None for each in released]
        return [Component(field.name, place) for field, place in zip(fields, places, strict=True)]
