"""A table that was read as the value that a program computes with."""

from __future__ import annotations

from typing import assert_never

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from duetpy.runtime.exact.rationals import plain
from duetpy.runtime.sources.table import Kind, Table
from duetpy.runtime.values.values import Dates, MatrixValue, MissingLanes, Texts, Truths, Value, matrix_of_columns
from duetpy.typecheck import types as t


def matrix_of_table(table: Table, type_: t.Matrix, *, by_rows: bool = False) -> MatrixValue:
    """A table as a matrix; numbers are laid out column by column in memory, or with `by_rows` as they are in the table."""
    names = tuple(column.name for column in type_.schema.columns) if isinstance(type_.schema, t.Columns) else None
    if len({column.kind for column in table.columns}) == 1 and not any(c.may_be_missing for c in table.columns):
        kind = table.columns[0].kind
        if kind in (Kind.REAL, Kind.NAT):
            numbers = table.numbers if by_rows else np.asfortranarray(table.numbers)
            return MatrixValue(table.rows, plain(numbers, natural=kind is Kind.NAT), names)
    columns: list[Value] = []
    for at, column in enumerate(table.columns):
        cells = table.column(at)
        if not column.may_be_missing:
            columns.append(_laned(cells, column.kind))
            continue
        # Also where no cell is missing: whether one is must not be seen in how the column is kept.
        if column.kind is Kind.TEXT:
            is_there = np.array([cell is not None for cell in cells.tolist()], dtype=np.bool_)
        else:
            is_there = np.isfinite(cells.astype(np.float64))
        held = np.where(is_there, cells, "" if column.kind is Kind.TEXT else evolve(column, missing=None).number)
        columns.append(MissingLanes(is_there, _laned(held, column.kind)))
    return matrix_of_columns(columns, table.rows, None, names)


def _laned(cells: NDArray[np.float64] | NDArray[np.object_], kind: Kind) -> Value:
    """The cells of a column of which none is missing."""
    match kind:
        case Kind.TEXT:
            return Texts(np.asarray(cells, dtype=np.object_))
        case Kind.DATE:
            return Dates(np.asarray(cells, dtype=np.int64))
        case Kind.BOOL:
            return Truths(np.asarray(cells != 0, dtype=np.bool_))
        case Kind.REAL | Kind.NAT:
            return plain(np.ascontiguousarray(cells, dtype=np.float64), natural=kind is Kind.NAT)
        case _:
            assert_never(kind)
