"""A table in memory: what every data source ends in, and what engines fold over.

Contract. A :class:`Table` has a fixed number of rows and of columns, each column of a declared :class:`Kind`. Numeric
columns (reals, naturals, truth values, days by their number) live in one float64 matrix and hold finite numbers only, with one
zero; text columns live in one matrix of strings. In a column whose cells may be missing, nan and None stand for those that are.
Both are read-only. The blocks of a table are its consecutive runs of
``block_rows`` rows, views and not copies, whoever asks.

The rows are private: a table prints as its shape, cannot be compared, and reveals nothing else about itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date
from enum import Enum
from typing import assert_never

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

BLOCK_ROWS = 8192
"""Rows a block: with some ten columns it fits the second-level cache of a core."""

GREATEST_NATURAL = (1 << 53) - 1
"""The largest natural number that no other integer is rounded to as a double; larger ones are not accepted."""


class Kind(Enum):
    """What the cells of a column are."""

    REAL = "real"
    NAT = "nat"
    BOOL = "bool"
    DATE = "date"
    TEXT = "str"

    @property
    def is_numeric(self) -> bool:
        return self is not Kind.TEXT


Default = float | int | bool | str | date

FIRST_DAY, LAST_DAY = date.min.toordinal(), date.max.toordinal()
"""The numbers of 0001-01-01 and of 9999-12-31; the days between them are numbered in their order."""

NO_CELL = frozenset({b""})
"""What stands in a line where a cell is missing: nothing, without quotes."""


@frozen
class ColumnSpec:
    """One declared column.

    Parameters
    ----------
    name
        The name by which a header is searched, or None for a column known by its position.
    kind
        What its cells are.
    default
        What stands in for a bad or missing cell; by default 0, false, 0001-01-01 or the empty text.
    below
        For naturals: every cell must be less than this, as an index type demands.
    within
        For reals: the least and the greatest number that a cell may be.
    longest
        For texts: how many characters a cell may have; None for any number.
    missing
        The unquoted cells of a line that are missing values; None where no value of the column may be missing.
    identifies
        Whether a cell says whose line it is: a guess which cell of a line that is would make the lines of one person those of many.

    Raises
    ------
    ValueError
        When the default is not a value of the column.
    """

    name: str | None
    kind: Kind
    default: Default | None = None
    below: int | None = field(default=None)
    within: tuple[float, float] | None = field(default=None)
    longest: int | None = None
    missing: frozenset[bytes] | None = None
    identifies: bool = False

    def __attrs_post_init__(self) -> None:
        if self.below is not None and (self.kind is not Kind.NAT or self.below < 1):
            raise ValueError("only a column of naturals has an upper limit, of at least 1")
        if self.within is not None and (self.kind is not Kind.REAL or not self.within[0] <= self.within[1]):
            raise ValueError("only a column of reals has a range, and its first end is not above its second one")
        if self.default is not None and not self._holds(self.default):
            raise ValueError("the default of a column must be one of its values")

    def _holds(self, value: Default) -> bool:
        match self.kind:
            case Kind.REAL:
                return not isinstance(value, str | date) and math.isfinite(value) and self.holds_real(value)
            case Kind.NAT:
                return isinstance(value, int) and not isinstance(value, bool) and self.holds_natural(value)
            case Kind.BOOL:
                return isinstance(value, bool)
            case Kind.DATE:
                return isinstance(value, date)
            case Kind.TEXT:
                return isinstance(value, str)
            case _:
                assert_never(self.kind)

    def holds_natural(self, value: int) -> bool:
        """Whether a natural number is in the range of the column."""
        return 0 <= value <= GREATEST_NATURAL and (self.below is None or value < self.below)

    def holds_real(self, value: float) -> bool:
        """Whether a real number is in the range of the column."""
        return self.within is None or self.within[0] <= value <= self.within[1]

    def nearest(self, value: float) -> float:
        """The number in the range of the column that is nearest to a number: one outside of the range counts as it."""
        return value if self.within is None else min(max(value, self.within[0]), self.within[1])

    @property
    def may_be_missing(self) -> bool:
        """Whether a cell of the column may hold no value."""
        return self.missing is not None

    @property
    def number(self) -> float:
        """The default of a numeric column; nan for a missing value."""
        if self.may_be_missing:
            return math.nan
        if self.kind is Kind.DATE:
            return float(self.default.toordinal() if isinstance(self.default, date) else FIRST_DAY)
        return self.nearest(
            0.0 if self.default is None or isinstance(self.default, str | date) else float(self.default)
        )

    @property
    def text(self) -> str | None:
        """The default of a text column; None for a missing value."""
        if self.may_be_missing:
            return None
        return self.default if isinstance(self.default, str) else ""


@frozen
class Outline:
    """What is public of data whatever its rows are.

    Parameters
    ----------
    lines
        How many rows there are, if a blank line at the end is one: two numbers where the first line may be a row or none. None
        where nobody knows before the rows are read.
    columns
        How many columns are read; None where only the rows would say.
    is_certain
        Whether it is public that the first line is a row, or that it is not one.
    ends_blank
        Whether there is a blank line at the end, which may be a row or not.
    """

    lines: frozenset[int] | None = None
    columns: int | None = None
    is_certain: bool = True
    ends_blank: bool = False

    @property
    def rows(self) -> frozenset[int]:
        """How many rows there can be."""
        lines = self.lines or frozenset()
        return lines | {number - 1 for number in lines if number and self.ends_blank}


@frozen(eq=False, repr=False)
class Table:
    """Rows of declared columns.

    Parameters
    ----------
    columns
        The columns in order, each with its name where one is known.
    numbers
        The numeric columns in that order, shape (rows, numeric columns).
    texts
        The text columns in that order, shape (rows, text columns).
    block_rows
        Rows a block.
    header_guessed
        Whether nothing but the look of the first line said if it was a header. A caller that promises privacy for that
        line too should ask for a plain yes or no.

    Raises
    ------
    ValueError
        When the shapes do not fit together.
    """

    columns: tuple[ColumnSpec, ...]
    numbers: NDArray[np.float64]
    texts: NDArray[np.object_]
    block_rows: int = BLOCK_ROWS
    header_guessed: bool = False

    def __attrs_post_init__(self) -> None:
        numeric = sum(column.kind.is_numeric for column in self.columns)
        if self.numbers.shape != (self.rows, numeric) or self.texts.shape != (self.rows, len(self.columns) - numeric):
            raise ValueError("the columns of a table do not fit its shape")
        if self.block_rows < 1:
            raise ValueError("a block has at least one row")
        self.numbers.flags.writeable = False
        self.texts.flags.writeable = False

    def __repr__(self) -> str:
        return f"<private table, {self.rows} rows, {len(self.columns)} columns>"

    @property
    def rows(self) -> int:
        return int(self.numbers.shape[0])

    @property
    def names(self) -> tuple[str | None, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    def column(self, position: int) -> NDArray[np.float64] | NDArray[np.object_]:
        """The cells of one column, by its position among all columns, as a view of shape (rows,)."""
        numeric = self.columns[position].kind.is_numeric
        within = sum(column.kind.is_numeric is numeric for column in self.columns[:position])
        return self.numbers[:, within] if numeric else self.texts[:, within]

    def slice(self, start: int, stop: int) -> Table:
        """The rows from ``start`` up to ``stop``, as views."""
        return evolve(self, numbers=self.numbers[start:stop], texts=self.texts[start:stop])

    def blocks(self) -> Iterator[Table]:
        """The rows in runs of ``block_rows``, in order; an empty table has no block."""
        for start in range(0, self.rows, self.block_rows):
            yield self.slice(start, min(start + self.block_rows, self.rows))


def no_texts(rows: int) -> NDArray[np.object_]:
    """The text part of a table without text columns."""
    return np.empty((rows, 0), dtype=np.object_)
