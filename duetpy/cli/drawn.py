"""What a terminal shows if rich is installed: tables with rules whose cells go on below themselves, pages, a bar, a spinner.

This is the only file that knows rich. It is imported on a terminal on which more than plain text is wanted
(`Console.is_drawn`), and shows the words of the plain text. Every text that comes from a program or from data is a `Text`
here, in which rich looks for no markup.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from duetpy.diagnostics.display import SPELLING, width

if TYPE_CHECKING:
    from duetpy.ledger.state import State
    from duetpy.report.layout import Lay

HEADING = "bold cyan"
GAP = 3
BAR = 40
"""How wide a bar is, in columns."""

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CORRECTED = re.compile(r"(?m)^(```.*) fixed$")


def laid_out(plain: Lay, columns: int, indent: int = 0) -> Lay:
    """The way of laying out tables on a terminal of a width.

    Parameters
    ----------
    plain
        How the plain text lays out a table. So does this where a drawn one would break words and numbers.
    columns
        How wide the terminal is.
    indent
        So many columns stay free at the left.
    """

    def lay(header: Sequence[str], rows: Sequence[Sequence[str]], strong: int | None = None) -> str:
        if _least([header, *rows]) > columns - indent:
            return plain(header, rows, strong)
        columns_of_cells = [*zip(*rows, strict=True)]
        numbers = {at for at, cells in enumerate(columns_of_cells) if all(map(_is_number, cells))}
        cells = [_below_points(each) if at in numbers else each for at, each in enumerate(columns_of_cells)]
        table = Table(box=SIMPLE_HEAD, header_style=HEADING, show_edge=False)
        for at, name in enumerate(header):
            table.add_column(Text(name), justify="right" if at in numbers else "left", overflow="fold")
        for at, row in enumerate(zip(*cells, strict=True)):
            table.add_row(*[Text(cell) for cell in row], style="bold" if at == strong else None)
        lines = _shown(table, columns - indent).strip("\n").split("\n")
        return "".join(f"{' ' * indent}{line}".rstrip() + "\n" for line in lines)

    return lay


def spelt(lay: Lay) -> Lay:
    """A way of laying out tables whose signs are spelt as the answer has them."""

    def lay_spelt(header: Sequence[str], rows: Sequence[Sequence[str]], strong: int | None = None) -> str:
        spell = SPELLING.get()
        return lay(header, [[spell(cell) for cell in row] for row in rows], strong)

    return lay_spelt


def page(markdown: str, columns: int) -> str:
    """A page of Markdown, without the addresses of its links."""
    text = _CORRECTED.sub(r"Corrected:\n\n\1", _LINK.sub(r"\1", markdown))
    return _shown(Markdown(text, code_theme="ansi_dark"), columns)


def ledger(state: State, columns: int) -> str:
    """A ledger: what is spent, a bar of it, every charge."""
    from duetpy.ledger.show import charges, limit, receipt_text, spent, spent_text, unrecorded
    from duetpy.report.layout import without_heading

    name, budget = next(iter(limit(state.budget).items()))
    bar = ProgressBar(total=budget or 1.0, completed=min(spent(state)[name], budget), width=min(BAR, columns - 2))
    entries = charges(state)
    lay = laid_out(without_heading("  "), columns)
    shown = lay(("entry", "at", "cost", "program"), entries) if entries else ""
    more = "".join(f"{line}\n" for line in (*unrecorded(state), receipt_text(state)))
    return f"{spent_text(state)}\n{_shown(bar, columns)}\n{shown}{more}"


@contextmanager
def spinner(stream: TextIO, what: str) -> Iterator[None]:
    """A spinner with the seconds that have passed; it disappears at the end."""
    shown = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    terminal = Console(file=stream, force_terminal=True)
    with Progress(*shown, console=terminal, transient=True, redirect_stdout=False, redirect_stderr=False) as progress:
        progress.add_task(what, total=None)
        yield


def _least(rows: Sequence[Sequence[str]]) -> int:
    """How wide a table is at least, with a column free on both sides of each cell and one between them."""
    widest = [
        max((width(word) for cell in cells for word in cell.split()), default=0) for cells in zip(*rows, strict=True)
    ]
    return sum(widest) + GAP * len(widest)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _below_points(numbers: Sequence[str]) -> list[str]:
    """Numbers with spaces behind them, so that aligned at the right they have their decimal points below each other."""
    behind = [len(number) - len(number.partition(".")[0]) for number in numbers]
    return [number + " " * (max(behind) - each) for number, each in zip(numbers, behind, strict=True)]


def _shown(what: RenderableType, columns: int) -> str:
    terminal = Console(file=io.StringIO(), force_terminal=True, width=columns, highlight=False, emoji=False)
    with terminal.capture() as capture:
        terminal.print(what)
    # Nothing needs the spaces up to the edge of the terminal.
    return "\n".join(line.rstrip(" ") for line in capture.get().split("\n"))
