"""A table as CSV (RFC 4180, lines ended by a line feed): a header, and cells in quotation marks where they need them.

A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a formula, and a program that somebody else wrote chooses
the texts of its result. Texts and names that begin so, or with a tab or the end of a line, begin with an apostrophe here, which
spreadsheets do not run (OWASP, 'CSV Injection'). Numbers are written by this package and stay as they are; JSON has every text as
it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duetpy.diagnostics.display import visible
from duetpy.runtime.release.result_table import Table, cell_text

_RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_QUOTED = frozenset(',;"\t\r\n')


def csv_text(table: Table, *, on_terminal: bool = False) -> str:
    """The table; on a terminal, what it might obey is shown by its number."""
    lines = [[column.name for column in table.columns], *table.rows]
    return "".join(f"{_line(cells, on_terminal)}\n" for cells in lines)


def _line(cells: Sequence[Any], on_terminal: bool) -> str:
    # A line without any sign would be an empty line, which is not a row: programs that read it pass over it.
    return ",".join(_cell(cell, on_terminal) for cell in cells) or '""'


def _cell(cell: Any, on_terminal: bool) -> str:
    if cell is None:
        # A missing value; the empty text has its quotation marks.
        return ""
    text = visible(cell_text(cell)) if on_terminal else cell_text(cell)
    if isinstance(cell, str) and text.startswith(_RUN):
        text = f"'{text}"
    needs_marks = not text or text != text.strip() or not _QUOTED.isdisjoint(text)
    return '"{}"'.format(text.replace('"', '""')) if needs_marks else text
