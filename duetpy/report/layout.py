"""Laying words out in columns of a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from duetpy.diagnostics.display import SPELLING, width
from duetpy.diagnostics.text import PLAIN, Palette


class Lay(Protocol):
    """A way of laying out a table for people: its text, each line ended. The row `strong` stands out."""

    def __call__(self, header: Sequence[str], rows: Sequence[Sequence[str]], strong: int | None = None) -> str: ...


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


def in_parts(columns: int | None = None, palette: Palette = PLAIN) -> Lay:
    """Cells as they are under their heading; for a terminal of a width, a wider table is shown in several parts."""

    def lay(header: Sequence[str], rows: Sequence[Sequence[str]], strong: int | None = None) -> str:
        cells = [header, *rows]
        blocks = [cells] if columns is None else in_blocks(cells, columns)
        return "\n".join(_headed(aligned(block, indent=""), palette) for block in blocks)

    return lay


def without_heading(indent: str, palette: Palette = PLAIN) -> Lay:
    """Signs spelt as the answer has them, and no heading."""

    def lay(header: Sequence[str], rows: Sequence[Sequence[str]], strong: int | None = None) -> str:
        lines = table(rows, indent).splitlines()
        return "".join(f"{palette.strong(line) if at == strong else line}\n" for at, line in enumerate(lines))

    return lay


def _headed(text: str, palette: Palette) -> str:
    heading, _, rows = text.partition("\n")
    return f"{palette.strong(heading)}\n{rows}"


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
