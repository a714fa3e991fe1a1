"""All cells of one column at once.

Contract. For each cell, what ``cells.py`` says of it alone. Cells are UTF-8, each with a line feed behind it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duetpy.runtime.sources.cells import is_missing, parse_number, total_number
from duetpy.runtime.sources.plain import PlainColumn, parse_plain
from duetpy.runtime.sources.regular import RegularBlock
from duetpy.runtime.sources.table import ColumnSpec, Kind

Mask = NDArray[np.bool_]


def numbers_of(lines: RegularBlock, position: int, column: ColumnSpec) -> tuple[NDArray[np.float64], Mask | None]:
    """The values of a numeric column, its default in place of bad cells (the nearest number in its range in place of one outside
    of it), and which cells are bad; None if none is."""
    missing, is_bad, cells = None, None, b""
    if column.missing is None:
        plain = lines.plain(position)
    else:
        cells = lines.column(position)
        missing = _missing(cells, column, lines.quoted(position))
        if missing is not None:
            listed = cells.split(b"\n")
            for place in np.flatnonzero(missing).tolist():
                listed[place] = b"0"
            cells = b"\n".join(listed)
        plain = parse_plain(cells)
    if plain is not None and _are_of_kind(plain, column):
        values = plain.values
        if column.within is not None:
            low, high = column.within
            outside = (values < low) | (values > high)
            values, is_bad = np.clip(values, low, high), outside if outside.any() else None
    else:
        values, is_bad = _one_by_one(cells or lines.column(position), column)
    if missing is not None:
        values[missing] = np.nan
        is_bad = None if is_bad is None else is_bad & ~missing
    return values, is_bad if is_bad is not None and is_bad.any() else None


def texts_of(
    lines: RegularBlock, position: int, column: ColumnSpec, longest: int | None
) -> list[str] | list[str | None]:
    """The texts of a column, its default in place of those that have more characters than the limit."""
    cells = lines.column(position)
    words = cells.decode().split("\n")[:-1]
    # One string for all cells that are alike takes less room, and strings are hashed once each.
    kept = {word: word if longest is None or len(word) <= longest else column.text for word in set(words)}
    texts = [kept[word] for word in words]
    missing = _missing(cells, column, lines.quoted(position))
    if missing is not None:
        for place in np.flatnonzero(missing).tolist():
            texts[place] = None
    return texts


def _missing(cells: bytes, column: ColumnSpec, is_quoted: Mask | None) -> Mask | None:
    """Which cells are missing values; None if none can be."""
    if column.missing is None:
        return None
    listed = cells.split(b"\n")[:-1]
    markers = {cell for cell in set(listed) if is_missing(cell, column, is_quoted=False)}
    missing = np.fromiter((cell in markers for cell in listed), dtype=np.bool_, count=len(listed))
    return missing if is_quoted is None else missing & ~is_quoted


def _one_by_one(cells: bytes, column: ColumnSpec) -> tuple[NDArray[np.float64], Mask | None]:
    listed = cells.split(b"\n")[:-1]
    parsed = {cell: parse_number(cell, column) for cell in set(listed)}
    bad = {cell for cell, value in parsed.items() if value is None}
    known = {cell: total_number(cell, column) if value is None else value for cell, value in parsed.items()}
    values = np.array([known[cell] for cell in listed])
    return values, np.array([cell in bad for cell in listed]) if bad else None


def _are_of_kind(plain: PlainColumn, column: ColumnSpec) -> bool:
    """Whether plain numbers are of the kind of their column for certain; when in doubt, no."""
    if column.kind is Kind.REAL:
        return True
    if column.kind is Kind.DATE or not plain.digits_only:
        return False
    if column.kind is Kind.BOOL:
        return bool((plain.lengths == 1).all() and (plain.values <= 1).all())
    # Whole numbers that are rounded are beyond 2⁵³, and so is what they are rounded to: too large for any column.
    return column.holds_natural(int(plain.values.max()))
