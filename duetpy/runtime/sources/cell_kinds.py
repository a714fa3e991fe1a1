"""Which kinds of cells a column may have, by the type that a library or a file gives it: letters of numpy's types."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from numbers import Real
from typing import assert_never

import numpy as np

from duetpy.runtime.sources.arrow_columns import DAYS, NUMBER
from duetpy.runtime.sources.table import ColumnSpec, Kind

OBJECTS = "O"
NUMBERS = frozenset("biuf" + NUMBER + OBJECTS)
"""The kinds of numpy's types whose cells can be numbers, and in which no cell has changed another: of numbers, truth values and
objects. A span of time makes spans of the numbers next to it, and a complex number complex ones."""
TEXTS = frozenset("UT" + OBJECTS)
"""Those whose cells can be texts."""
DATES = frozenset("M" + DAYS + OBJECTS)
"""Those whose cells can be days."""


def kinds_of(column: ColumnSpec) -> frozenset[str]:
    """The kinds of numpy's types that a column may have."""
    match column.kind:
        case Kind.DATE:
            return DATES
        case Kind.TEXT:
            return TEXTS
        case Kind.REAL | Kind.NAT | Kind.BOOL:
            return NUMBERS
        case _:
            assert_never(column.kind)


def is_stranger(kind: Kind) -> Callable[[object], bool]:
    """What no cell of a column of objects may be."""
    match kind:
        case Kind.DATE:
            return lambda cell: _is_text(cell) or _is_number(cell)
        case Kind.TEXT:
            return _is_number
        case _:
            return _is_text


def _is_text(cell: object) -> bool:
    return isinstance(cell, (str, bytes))


def _is_number(cell: object) -> bool:
    # In a column of texts, pandas marks a missing value with nan.
    return isinstance(cell, (Real, Decimal, np.bool_)) and not (
        isinstance(cell, (float, np.floating)) and math.isnan(cell)
    )
