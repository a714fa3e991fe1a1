"""What the type of a parameter declares of sizes, bounds and numbers, verified of what is bound to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NoReturn

import numpy as np

from duetpy.accounting.rounding import float_up
from duetpy.diagnostics.display import visible
from duetpy.grammar.ast import Norm
from duetpy.runtime.exact.rationals import Doubles, Mask, Numbers, plain, rounded, to_double
from duetpy.runtime.sources.binding import known_number
from duetpy.runtime.sources.cell_types import VERIFIED, column_defaults, column_types, inner_type, stand_in_for
from duetpy.runtime.sources.problems import BAD_CELL, EMPTY, SHOWN, Problems
from duetpy.runtime.sources.reading import BOUND, SIZES, Reading, refuse, wrong
from duetpy.runtime.values.batching import evolve_matrix, set_of, take_rows
from duetpy.runtime.values.clipping import clamp_entries, exceeds, scale_rows
from duetpy.runtime.values.statics import KindScope, shown_number
from duetpy.runtime.values.values import Injected, MatrixValue, Missing, SetValue, Value, matrix_of_columns
from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import KindVar
from duetpy.typecheck.show import show_type

# ---------------------------------------------------------------------------------------------------------------------
# Sizes and bounds


def verify(value: Value, type_: t.Type, name: str, kinds: KindScope, reading: Reading) -> Value:
    """A bound argument with the sizes, the bound and the numbers that its type declares, in whatever part; raises `DuetError`.

    Where bad rows become defaults, a row that is too long is a bad row too, and is brought within the bound; where they are left
    out, so is this one.
    """
    match type_, value:
        case (t.Matrix(), MatrixValue()):
            return _verified_matrix(value, type_, name, kinds, reading)
        case (t.Disc(inner) | t.Box(_, inner), _):
            return verify(value, inner, name, kinds, reading)
        case (t.Product(left, right) | t.With(left, right), (first, second)):
            return (verify(first, left, name, kinds, reading), verify(second, right, name, kinds, reading))
        case (t.Sum(left, right), Injected(is_left, held)):
            return Injected(is_left, verify(held, left if is_left else right, name, kinds, reading))
        case (t.Maybe(), Missing()):
            return value
        case (t.Maybe(inner), _):
            return verify(value, inner, name, kinds, reading)
        case (t.SetOf(element), SetValue(elements)):
            return set_of([verify(each, element, name, kinds, reading) for each in elements])
        case (t.Idx() | t.StaticNat() | t.StaticReal(), int() | Fraction()):
            return _verified_number(value, type_, name, kinds, reading)
        case _:
            return value


def _verified_number(
    value: int | Fraction, type_: t.Idx | t.StaticNat | t.StaticReal, name: str, kinds: KindScope, reading: Reading
) -> int | Fraction:
    """A number of a type that says which ones there are; that of a static type exactly, as cells were read as doubles."""
    stand_in = stand_in_for(type_, kinds)
    if isinstance(type_, t.Idx) and value < kinds.below(type_.size, None):
        return value
    is_it = not isinstance(type_, t.Idx) and to_double(value) == to_double(stand_in)
    if not is_it and reading.on_bad_row == "refuse":
        raise wrong(name, type_, ": its type determines the numbers")
    return stand_in


def _verified_matrix(value: MatrixValue, type_: t.Matrix, name: str, kinds: KindScope, reading: Reading) -> MatrixValue:
    if type_.rows is not None:
        if not value.rows:
            raise refuse(EMPTY, f"{visible(name)}: there are no data rows")
        refuse_size(name, "row", value.rows, known_number(type_.rows, kinds), type_)
    refuse_size(name, "column", value.width, known_number(type_.width, kinds), type_)
    if value.is_streamed:
        # There is nothing that its type says of cells or rows: see `duetpy.runtime.sources.binding.stream_in`.
        return value
    if reading.on_bad_row == "drop":
        value = _kept(value, np.logical_not(_of_other_types(value, type_, kinds).any(axis=1)))
    value = _typed_cells(value, type_, name, kinds, reading)
    if type_.clip is None:
        return value
    bound = kinds.below(type_.clip.bound, None)
    return _within(value, type_, bound, name, kinds, reading)


def _kept(value: MatrixValue, where: Mask) -> MatrixValue:
    """The rows where the mask holds."""
    index = np.flatnonzero(where)
    return value if len(index) == value.rows else evolve_matrix(value, take_rows(value.store, index), len(index), None)


def _of_other_types(value: MatrixValue, type_: t.Matrix, kinds: KindScope) -> Mask:
    """Which cells do not have the number that their type promises, of shape (rows, columns)."""
    bad = np.zeros((value.rows, value.width), dtype=np.bool_)
    for at, element in enumerate(column_types(type_, value.width)):
        column, inner = value.column(at), inner_type(element)
        if isinstance(column, Numbers) and isinstance(inner, VERIFIED):
            bad[:, at] = _strangers(rounded(column), inner, kinds, to_double(stand_in_for(inner, kinds)))
    return bad


def refuse_size(name: str, what: str, found: int, wanted: Fraction | None, type_: t.Matrix) -> None:
    """Raise D0612 if a table does not have the number of rows or columns of its type."""
    if wanted is not None and found != wanted:
        shown = f"{found} {what}" + ("" if found == 1 else "s")
        raise refuse(
            SIZES,
            f"{visible(name)} has {shown}, but {show_type(type_)} has {shown_number(wanted)} in this run",
            help="omit the size, or give data of that size; a size is the same in all tables that mention it",
        )


def refuse_strangers(names: Iterable[str]) -> NoReturn:
    """Raise D0612 for aligned tables that have not the same number of rows."""
    raise refuse(SIZES, f"{' and '.join(map(visible, names))} are aligned but do not have the same number of rows")


def refuse_unaligned(parameters: Sequence[t.PrivateParameter], values: Sequence[Value]) -> None:
    """Aligned tables have the same number of rows. Adding or removing a row changes all of them, so this reveals nothing."""
    rows: dict[int, dict[str, int]] = {}
    for parameter, value in zip(parameters, values, strict=True):
        if isinstance(value, MatrixValue):
            rows.setdefault(parameter.unit, {})[parameter.name] = value.rows
    for unit in rows.values():
        if len(set(unit.values())) > 1:
            refuse_strangers(list(unit))


def _typed_cells(value: MatrixValue, type_: t.Matrix, name: str, kinds: KindScope, reading: Reading) -> MatrixValue:
    """Cells of a static type are the number that it says, and those of an index type lie below its size, which may have
    become known only with the table. Where bad rows become defaults, a cell that is not becomes that number, or the default."""
    columns: list[Value] = []
    changed = False
    defaults = column_defaults(type_, value.width)
    for at, element in enumerate(column_types(type_, value.width)):
        column = value.column(at)
        inner = inner_type(element)
        if isinstance(column, Numbers) and isinstance(inner, VERIFIED):
            cells, stand_in = rounded(column), Fraction(defaults[at] or stand_in_for(inner, kinds))
            default = to_double(stand_in)
            bad = _strangers(cells, inner, kinds, default)
            if bad.any() and reading.on_bad_row == "refuse":
                _refuse_cells(bad, at, type_, name)
            if not isinstance(element, t.Disc) and not isinstance(inner, t.Idx) and default != stand_in:
                # The type is about the number itself, and the cells hold the double next to it.
                column = Numbers((), stand_in, column.shape, column.is_natural)
                changed = True
            elif bad.any():
                cells = np.where(bad, default, cells)
                column = plain(cells, natural=column.is_natural)
                changed = True
        columns.append(column)
    return matrix_of_columns(columns, value.rows, None, value.names) if changed else value


def _strangers(cells: Doubles, element: t.Idx | t.StaticNat | t.StaticReal, kinds: KindScope, default: float) -> Mask:
    """The cells that are not of the type."""
    if isinstance(element, t.Idx):
        return np.asarray(cells >= to_double(kinds.below(element.size, None)), dtype=np.bool_)
    return np.asarray(cells != default, dtype=np.bool_)


def _refuse_cells(bad: Mask, at: int, type_: t.Matrix, name: str) -> None:
    problems = Problems(visible(name))
    places = np.flatnonzero(bad)
    for row in places[:SHOWN].tolist():
        problems.add(
            BAD_CELL,
            f"the cell is not a value of {show_type(type_)}",
            f"data row {row + 1} (a header is not counted), column {at + 1}",
        )
    problems.count = len(places)
    problems.raise_if_any()


def refuse_unbounded(type_: t.Matrix, name: str, kinds: KindScope, width: int | None = None) -> None:
    """Raise D0611 for a bound on rows that no row keeps, as far as the numbers in the type are known."""
    number = known_number(type_.width, kinds)
    count = width if width is not None else None if number is None else int(number)
    if type_.clip is None or count is None:
        return
    if any(isinstance(inner_type(element), t.Bool | t.Str | t.Date) for element in column_types(type_, count)):
        raise wrong(name, type_, ": rows of texts, dates or truth values have no length")
    if any(isinstance(element, t.Maybe) for element in column_types(type_, count)):
        raise wrong(name, type_, ": rows in which a value may be missing have no length")
    if any(_leaves_out_0(inner_type(element)) for element in column_types(type_, count)):
        # A row that is too long is brought closer to 0.
        raise wrong(name, type_, ": in rows of a certain length a range must contain 0")
    statics = [part for element in column_types(type_, count) for part in _static_variables(inner_type(element))]
    if not kinds.knows({*statics, *type_.clip.bound.variables()}):
        return
    if exceeds(_least(_told(type_, count, kinds)), type_.clip.norm, kinds.below(type_.clip.bound, None))[0]:
        raise wrong(name, type_, ": the numbers in its type make rows longer than their bound")


def _leaves_out_0(element: t.Type) -> bool:
    return isinstance(element, t.Bounded) and not element.low <= 0 <= element.high


def _static_variables(element: t.Type) -> Iterable[KindVar]:
    match element:
        case t.StaticNat(number):
            return number.variables()
        case t.StaticReal(signed):
            return signed.magnitude.variables()
        case _:
            return ()


def _told(type_: t.Matrix, width: int, kinds: KindScope) -> list[Fraction | None]:
    """The numbers that the types of columns say."""
    types = [inner_type(element) for element in column_types(type_, width)]
    return [
        Fraction(stand_in_for(element, kinds)) if isinstance(element, t.StaticNat | t.StaticReal) else None
        for element in types
    ]


def _least(told: Iterable[Fraction | None]) -> Doubles:
    """The shortest row with the numbers that the types say."""
    return np.array([[0.0 if number is None else float_up(abs(number)) for number in told]])


def _within(
    value: MatrixValue, type_: t.Matrix, bound: Fraction, name: str, kinds: KindScope, reading: Reading
) -> MatrixValue:
    """The table with the bound that its rows are held to; its columns stay what they are, each by itself."""
    assert type_.clip is not None
    norm = type_.clip.norm
    told = _told(type_, value.width, kinds)
    least = _least(told)
    refuse_unbounded(type_, name, kinds, value.width)
    columns = [column for at in range(value.width) if isinstance(column := value.column(at), Numbers)]
    if isinstance(value.store, Numbers):
        rows = rounded(value.store)
    else:
        rows = np.empty((value.rows, value.width), order="F")
        for at, column in enumerate(columns):
            # A number that is not a double counts as the next one from 0.
            rows[:, at] = rounded(column) if told[at] is None else least[0, at]
    too_long = np.flatnonzero(exceeds(rows, norm, bound))
    if not len(too_long):
        return value
    if reading.on_bad_row == "drop":
        return _kept(value, np.isin(np.arange(value.rows), too_long, invert=True))
    if reading.on_bad_row == "refuse":
        problems = Problems(visible(name))
        for at in too_long[:SHOWN].tolist():
            problems.add(
                BOUND,
                f"the row is longer in {norm.value} than its type says",
                f"data row {at + 1} (a header is not counted)",
            )
        problems.count = len(too_long)
        problems.raise_if_any()
    if any(number is not None for number in told):
        # These stay; of the other cells nothing does.
        shorter = rows.copy(order="F")
        shorter[too_long] = 0.0
    elif norm is Norm.LINF:
        shorter = rounded(clamp_entries(plain(rows), bound))
    else:
        shorter = scale_rows(rows, norm, bound)
    made: list[Value] = []
    for at, (column, number) in enumerate(zip(columns, told, strict=True)):
        # Rounding down keeps whole numbers whole, and lengthens no row.
        cells = np.floor(shorter[:, at]) if column.is_natural else shorter[:, at]
        changed = plain(np.ascontiguousarray(cells), natural=column.is_natural)
        made.append(changed if number is None else column)
    return matrix_of_columns(made, value.rows, None, value.names)
