"""What no row decides of a run's arguments, where bad cells count as defaults.

Contract. `outlined` looks at everything that is public of the arguments and at nothing else: whether a file is there and can be
read, its header, the types of arrays, and, of tables with m rows, how many there are. It refuses what reading them would refuse
for such a reason, in the same words, so that a run that is refused for it is not charged; and nothing that it refuses or finds
depends on what a record holds.

A blank line at the end of a file is not a record (`duetpy.runtime.sources.csv`), unless something else says how many there are. A
setting counts every line: else whoever is in the last one would decide, by being missing, whether the run fits it. And a
table that is aligned with this one, or of the same size, says that the last line is a record where it has one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from os import PathLike

import numpy as np
from attrs import define, evolve, field, frozen

from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.grammar.ast import Norm
from duetpy.runtime.release.arguments import Arguments
from duetpy.runtime.sources.arrays import outline_arrays
from duetpy.runtime.sources.binding import (
    column_specs,
    known_number,
    parts_of,
    refuse_blocks,
    refuse_column,
    refuse_files,
    refuse_tables,
    stream_in,
)
from duetpy.runtime.sources.column_selection import DataArgument, Declared, Selection
from duetpy.runtime.sources.files import outline_file, passed
from duetpy.runtime.sources.flattening import as_columns
from duetpy.runtime.sources.given import halves_of, side_of
from duetpy.runtime.sources.looks import path_of
from duetpy.runtime.sources.persons import file_type, on_roster, persons_data, reading_file
from duetpy.runtime.sources.problems import EMPTY
from duetpy.runtime.sources.reading import Reading, refuse
from duetpy.runtime.sources.registry import is_source
from duetpy.runtime.sources.table import ColumnSpec, Outline
from duetpy.runtime.sources.verification import refuse_size, refuse_strangers, refuse_unbounded
from duetpy.runtime.values.sizes import solve
from duetpy.runtime.values.statics import KindScope
from duetpy.settings import DataFile
from duetpy.typecheck import types as t
from duetpy.typecheck.neighbours import holds_sides
from duetpy.typecheck.persons import persons_of
from duetpy.typecheck.quantity import ONE, KindVar


@frozen
class Outlined:
    """What is known of the arguments before a row is read.

    Parameters
    ----------
    kinds
        The numbers of the kind variables, those that sizes say among them.
    rows
        How many rows tables have, by parameter, where that is known.
    most
        How many rows tables of a public number of rows have at most, where that is known.
    """

    kinds: KindScope
    rows: Mapping[str, int]
    most: Mapping[str, int]


@frozen
class _Table:
    """A table that a parameter is bound to."""

    parameter: t.PrivateParameter
    type: t.Matrix
    outline: Outline

    @property
    def name(self) -> str:
        return self.parameter.name

    def goes_with(self, other: _Table) -> bool:
        """Whether both have the same number of rows: they are aligned, or their types say so."""
        is_one_size = self.type.rows is not None and self.type.rows == other.type.rows
        return is_one_size or self.parameter.unit == other.parameter.unit


def outlined(arguments: Arguments, kinds: KindScope, reading: Reading) -> Outlined:
    """Refuse what is wrong with data whatever its rows are.

    Parameters
    ----------
    arguments, reading
        The run's.
    kinds
        What is known so far: the settings, and what public tables say.

    Raises
    ------
    DuetError
        What reading and verifying the data raise for a public reason.
    """
    sizes = _Sizes(frozenset(arguments.function.kinds), dict(kinds.numbers))
    for parameter in arguments.function.parameters:
        if parameter.name in arguments.data:
            for type_, outline in _outlines(
                arguments.data[parameter.name], parameter.type, parameter.name, sizes, reading
            ):
                sizes.add(_Table(parameter, type_, outline), is_whole=_is_table(parameter.type))
    sizes.settle_rows()
    most = {table.name: max(table.outline.rows) for table in sizes.tables if table.type.rows is not None}
    return Outlined(sizes.kinds, sizes.rows, most)


def _is_table(type_: t.Type) -> bool:
    match type_:
        case t.Disc(inner) | t.Box(_, inner):
            return _is_table(inner)
        case _:
            return isinstance(type_, t.Matrix)


def _outlines(
    value: object, type_: t.Type, name: str, sizes: _Sizes, reading: Reading
) -> Iterator[tuple[t.Matrix, Outline]]:
    """The tables in a value; raises `DuetError` for what is wrong with any part of it."""
    refuse_files(value, type_, name)
    refuse_blocks(type_, name)
    persons = persons_of(type_)
    if persons is not None:
        data = persons_data(value, persons, name)
        if persons.roster is not None and isinstance(type_, t.Matrix) and type_.rows is not None:
            listed = len(on_roster(persons.roster, reading))
            refuse_size(name, "row", listed, known_number(type_.rows, sizes.kinds), type_)
        reading = evolve(reading, streamable={})
        for file in persons.names:
            with reading_file(file):
                _outline(data.files[file], file_type(persons, file, data.columns[file]), file, sizes.kinds, reading)
        return
    match type_:
        case t.Disc(inner) if holds_sides(inner):
            refuse_tables(inner, type_, name)
        case t.Disc(inner) | t.Box(_, inner):
            yield from _outlines(value, inner, name, sizes, reading)
        case t.Product(left, right) | t.With(left, right):
            first, second = halves_of(value)
            yield from _outlines(first, left, name, sizes, reading)
            yield from _outlines(second, right, name, sizes, reading)
        case t.Sum(left, right):
            side, held = side_of(value)
            # What is on a side tells no size: nothing would on the other one.
            for table in _outlines(held, left if side == "inl" else right, name, sizes, reading):
                sizes.refuse(name, *table)
        case t.SetOf(element) if isinstance(value, DataFile | DataArgument) or is_source(value):
            _outline(value, t.Matrix(Norm.LINF, None, None, t.Uniform(ONE, element)), name, sizes.kinds, reading)
        case t.SetOf(element):
            refuse_tables(element, type_, name)
            refuse_column(value, element, name, looks_at_cells=False)
        case t.Matrix():
            yield type_, _outline(value, type_, name, sizes.kinds, reading)
        case _:
            # A single value has no outline.
            return


def _outline(value: object, type_: t.Matrix, name: str, kinds: KindScope, reading: Reading) -> Outline:
    if isinstance(value, memoryview):
        value = np.asarray(value)
    parts = parts_of(type_, name)
    if parts is not None:
        own = evolve(reading, streamable={})
        return evolve(_outline(value, parts, name, kinds, own), columns=None)
    specs = column_specs(type_, name, kinds, reading)
    selection: Selection | None = None
    if isinstance(value, DataArgument):
        selection, value = value.selection, value.path
    if isinstance(value, DataFile):
        value = value.path
    rule = evolve(reading, has_public_rows=type_.rows is not None)
    if isinstance(value, str | PathLike) or is_source(value):
        if isinstance(value, str | PathLike):
            origin, found = path_of(value), outline_file(path_of(value), specs, selection, rule)
        else:
            origin, found = visible(name), passed(value, visible(name)).outline(specs, selection, rule)
        is_kept = stream_in(value, type_, name, kinds, reading) is None
        return _fitting(found, specs, origin, rule) if is_kept else found
    try:
        return outline_arrays(as_columns(value, type_, is_total=True), specs, visible(name), selection)
    except DuetError:
        raise
    except Exception:
        # A type of the caller's own may raise anything, and for a row: nobody may learn that free of charge.
        return Outline()


def _fitting(outline: Outline, specs: Declared, origin: str, reading: Reading) -> Outline:
    """An outline; raises `DuetError` D0619 if the number of rows is public and they do not fit into memory."""
    declared = [specs] * (outline.columns or 1) if isinstance(specs, ColumnSpec) else specs
    if reading.has_public_rows:
        reading.room.refuse_more(origin, max(outline.rows, default=0), declared)
    return outline


# ---------------------------------------------------------------------------------------------------------------------
# Sizes


@define
class _Sizes:
    """How many rows and columns tables have, as far as that is known."""

    unknown: frozenset[KindVar]
    numbers: dict[KindVar, Fraction]
    rows: dict[str, int] = field(factory=dict)
    tables: list[_Table] = field(factory=list)
    seen: list[tuple[str, t.Matrix, Outline]] = field(factory=list)

    @property
    def kinds(self) -> KindScope:
        return KindScope(self.numbers)

    def add(self, table: _Table, *, is_whole: bool) -> None:
        """Another table, held to the columns that its type has; `is_whole` where it is all that its parameter is."""
        columns, type_ = table.outline.columns, table.type
        if columns is not None and isinstance(type_.schema, t.Uniform):
            solve(type_.schema.count, Fraction(columns), self.unknown, self.numbers)
        self.refuse(table.name, type_, table.outline)
        if is_whole and table.outline.lines is not None:
            self.tables.append(table)

    def refuse(self, name: str, type_: t.Matrix, outline: Outline) -> None:
        """Raises `DuetError` for a table that does not fit what is known of its size."""
        self.seen.append((name, type_, outline))
        self._hold(name, type_, outline, outline.lines or frozenset())

    def settle_rows(self) -> None:
        """How many rows tables have, if that may be known; raises `DuetError` where they do not go together."""
        left = list(self.tables)
        while left:
            group = [left.pop(0)]
            for table in group:
                group += [other for other in left if table.goes_with(other)]
                left = [other for other in left if not table.goes_with(other)]
            self._settle(group)
        for name, type_, outline in self.seen:
            # What one table says of m may decide how many rows there are in one of m + 1, or in one that stood before it in a pair.
            self._hold(name, type_, outline, outline.rows)

    def _settle(self, group: list[_Table]) -> None:
        """Tables that have the same number of rows: the one that all of them can have."""
        possible = group[0].outline.rows
        for at, table in enumerate(group):
            if not possible & table.outline.rows:
                if any(other.parameter.unit == table.parameter.unit for other in group[:at]):
                    refuse_strangers([group[at - 1].name, table.name])
                _refuse_rows(table.name, table.type, table.outline, Fraction(min(possible)))
            possible = possible & table.outline.rows
        if any(self._known(table.type) is not None for table in group):
            # Every line counts, however few of them the size leaves.
            self.rows.update({table.name: max(table.outline.rows) for table in group})
        elif any(table.outline.is_certain for table in group):
            rows = min(possible - {0} if any(table.type.rows is not None for table in group) else possible)
            self.rows.update({table.name: rows for table in group})
            for quantity in (table.type.rows for table in group):
                if quantity is not None:
                    solve(quantity, Fraction(rows), self.unknown, self.numbers)

    def _known(self, type_: t.Matrix) -> Fraction | None:
        return None if type_.rows is None else known_number(type_.rows, self.kinds)

    def _hold(self, name: str, type_: t.Matrix, outline: Outline, possible: frozenset[int]) -> None:
        if outline.columns is not None:
            refuse_size(name, "column", outline.columns, known_number(type_.width, self.kinds), type_)
        refuse_unbounded(type_, name, self.kinds)
        if type_.rows is not None and outline.lines == frozenset({0}):
            raise refuse(EMPTY, f"{visible(name)}: there are no data rows")
        wanted = self._known(type_)
        if possible and wanted is not None and wanted not in possible:
            _refuse_rows(name, type_, outline, wanted)


def _refuse_rows(name: str, type_: t.Matrix, outline: Outline, wanted: Fraction) -> None:
    lines = outline.lines or frozenset()
    # Whether the first line is a row, only its look says.
    what, shown = ("row", min(lines)) if outline.is_certain else ("line", max(lines))
    refuse_size(name, what, shown, wanted, type_)
