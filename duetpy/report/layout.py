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


def in_blocks(rows: Sequence[Sequence[str]], columns: int, gap: str = "   ") -> list[list[Sequence[str]]]:
    """A table as several, each with the first column, none wider than a number of columns as far as its cells let that be."""
    widths = [max(map(width, cells)) for cells in zip(*rows, strict=True)]
    if len(widths) < 3 or sum(widths) + len(gap) * (len(widths) - 1) <= columns:
        return [list(rows)]
    groups: list[list[int]] = []
    left = 0
    for column in range(1, len(widths)):
        needed = len(gap) + widths[column]
        if not groups or needed > left:
            groups.append([0])
            left = columns - widths[0]
        groups[-1].append(column)
        left -= needed
    return [[[row[column] for column in group] for row in rows] for group in groups]


def padded(text: str, columns: int) -> str:
    """A text with spaces up to a number of columns."""
    return _padded(SPELLING.get()(text), columns)


def _padded(text: str, columns: int) -> str:
    return text + " " * max(0, columns - width(text))
