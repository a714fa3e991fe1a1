"""Columns of a table about people, and what reading a file of it gives."""

from collections.abc import Callable

import pytest
from hypothesis import settings

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.table import ColumnSpec, Kind, Table
from tests.effort import often

QUICK = settings(max_examples=often(300, 50), derandomize=True, deadline=None)

REAL = ColumnSpec(None, Kind.REAL)
AGE = ColumnSpec("age", Kind.NAT, default=18)
INCOME = ColumnSpec("income", Kind.REAL)
NAME = ColumnSpec("name", Kind.TEXT, default="nobody")
VIP = ColumnSpec("vip", Kind.BOOL)
CLASS = ColumnSpec("class", Kind.NAT, below=3)
PEOPLE = (AGE, INCOME, NAME, VIP)

Reader = Callable[..., Table]


def refusals(read: Reader, content: bytes, columns=REAL, **options) -> list[tuple[str, str, str]]:
    with pytest.raises(DuetError) as caught:
        read(content, columns, **options)
    return [(one.code, one.where, one.message) for one in caught.value.diagnostics]


def rows_of(table: Table) -> list[tuple]:
    """The records of a table, column by column as declared."""
    columns = [table.column(at).tolist() for at in range(len(table.columns))]
    return list(zip(*columns, strict=True)) if columns else [()] * table.rows
