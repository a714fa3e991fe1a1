"""Laying words out in columns of a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from duetpy.diagnostics.display import SPELLING, width


def table(rows: Iterable[Sequence[str]], indent: str = "  ", gap: str = "   ") -> str:
    """Rows with their cells in columns, each row ended; the last cell of a row is not padded."""
    return aligned((map(SPELLING.get(), row) for row in rows), indent, gap)


def aligned(rows: Iterable[Iterable[str]], indent: str = "  ", gap: str = "   ") -> str:
    """The same, with the cells as they are."""
    gathered = [tuple(row) for row in rows]
    widths: list[int] = []
    for row in gathered:
        for column, cell in enumerate(row[:-1]):
            if column == len(widths):
                widths.append(0)
            widths[column] = max(widths[column], width(cell))
    lines = (
        indent + gap.join([*(_padded(cell, widths[column]) for column, cell in enumerate(row[:-1])), *row[-1:]])
        for row in gathered
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def padded(text: str, columns: int) -> str:
    """A text with spaces up to a number of columns."""
    return _padded(SPELLING.get()(text), columns)


def _padded(text: str, columns: int) -> str:
    return text + " " * max(0, columns - width(text))
