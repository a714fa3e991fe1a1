"""How a program keeps some columns of a table: what a help says to write."""

from __future__ import annotations

from duetpy.typecheck.types import Columns, Matrix


def chosen(table: Matrix, name: str = "xs") -> str:
    """The table with two of its columns; columns that have no names become fields of a record."""
    if _has_names(table):
        return f"{name}.[a, b]"
    return f"({by_row(table)} {name} {{ row ⇒ {{ a = row#[0, 0], b = row#[0, 1] }} }})"


def by_row(table: Matrix) -> str:
    """The form that makes a row of each row."""
    return "bmap" if table.rows is None else "mmap-row"


def _has_names(table: Matrix) -> bool:
    return isinstance(table.schema, Columns) and all(column.name is not None for column in table.schema.columns)
