"""CSV files in which one physical line is one record.

Contract. A file is cut at line feeds and at nothing else: a quoted cell may hold commas but no line break, and a lone
carriage return or a vertical tab is part of a cell. So what a line holds can change one record only. (A reader that
lets quotes span lines turns one missing quote into the loss of a file.) A byte order mark at the start and a carriage
return before a line feed are dropped. Two ways to treat bad rows:

``refuse``
    For the person who holds the data. The whole file is checked and every problem raised together, by file, line and
    column, never by value. Blank lines are accepted at the end only.
``default``
    For everyone else. Reading is total: too few cells and bad cells become the column's default, further cells are
    ignored, a blank line is a record of defaults, and nothing that is raised depends on a record. One blank line at the
    very end is not a record. (If any number were skipped, a record that turns blank could take blank ones before it
    along; for the same reason a line counts as ended by its line feed, which only a last line with content may lack.)
    What fixes the shape of the table must then be public: whether there is a header follows from declared or
    picked *names*, or from ``header``; failing these it is guessed from the first line, and the table says so.

Memory holds the table, and one chunk of the file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

from duetpy.interp.sources.cells import parse_number, split_cells
from duetpy.interp.sources.problems import COLUMNS, EMPTY, RAGGED, UNREADABLE, Problems, refuse
from duetpy.interp.sources.records import LONGEST_LINE, Layout, RecordReader, is_blank, lines_of
from duetpy.interp.sources.selection import ByPosition, Declared, Header, Selection, bind, declared_names
from duetpy.interp.sources.table import BLOCK_ROWS, ColumnSpec, Table

HeaderRule: TypeAlias = Literal["auto", "yes", "no"]
BadRowRule: TypeAlias = Literal["refuse", "default"]

_CHUNK = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MISSING = {b"", b"na", b"n/a", b"nan", b"null", b"none", b"nil", b"inf", b"-inf", b"+inf", b"-", b"?", b"."}
"""Words for a missing number. They speak neither for a header nor for a record."""


def read_csv(
    path: str | os.PathLike[str],
    columns: Declared,
    header: HeaderRule = "auto",
    selection: Selection | None = None,
    on_bad_row: BadRowRule = "refuse",
    block_rows: int = BLOCK_ROWS,
) -> Table:
    """Read a CSV file into a table of declared columns.

    Parameters
    ----------
    path
        A regular file in UTF-8.
    columns
        The declared columns; or one declaration for as many columns as the file (or the selection) has.
    header
        Whether the first line holds names. ``auto`` recognises it by the declared names, or by being no number in the
        numeric columns.
    selection
        Columns picked by name or position; None for all.
    on_bad_row
        ``refuse`` or ``default``, see above.
    block_rows
        Rows a block of the resulting table.

    Returns
    -------
    Table
        One row a record, the columns in the order of their declaration.

    Raises
    ------
    DuetError
        D0601 the file cannot be read; D0602 it is empty; D0603 a column is missing or not declared; D0607 a name is
        twice in the header. With ``refuse`` also D0602 no record, D0604 bad cells, D0605 lines of the wrong shape,
        D0606 bytes that are not UTF-8.
    """
    origin = os.fspath(path)
    with open_file(origin) as handle:
        try:
            return _read(handle, origin, columns, header, selection, on_bad_row, block_rows)
        except OSError as fault:
            refuse(UNREADABLE, f"cannot be read: {fault.strerror or 'input error'}", origin)


PACKED = frozenset({".gz", ".bz2", ".xz", ".zst", ".zip"})
BINARY = frozenset(
    {".parquet", ".feather", ".arrow", ".orc", ".xlsx", ".xls", ".ods", ".sqlite", ".duckdb", ".npy", ".npz"}
)
"""Ends of the names of files that hold no lines. What is in a file must not decide how it is read, but its name is public."""


def open_file(origin: str) -> BinaryIO:
    """Open a regular file. Pipes and devices would give other bytes the next time, or none for ever."""
    ending = Path(origin).suffix.lower()
    if ending in PACKED | BINARY:
        way = (
            "unpack it first" if ending in PACKED else "write it as CSV first, or read it in Python and give the table"
        )
        refuse(UNREADABLE, f"cannot be read: a {ending} file is no CSV", origin, help=way)
    try:
        if not stat.S_ISREG(os.stat(origin).st_mode):
            refuse(UNREADABLE, "cannot be read: not a regular file", origin)
        return Path(origin).open("rb")
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else None
        refuse(UNREADABLE, f"cannot be read: {reason or 'not a path'}", origin)


def _read(
    handle: BinaryIO,
    origin: str,
    columns: Declared,
    header: HeaderRule,
    selection: Selection | None,
    on_bad_row: BadRowRule,
    block_rows: int,
) -> Table:
    blocks = whole_lines(handle)
    # Only the first line says anything about the shape of the file.
    sample = list(islice(blocks, 1))
    if not sample and (on_bad_row == "refuse" or header == "yes"):
        refuse(EMPTY, "is empty", origin)
    if on_bad_row == "refuse" and is_blank(_first_line(sample)):
        _refuse_blank_start(chain(sample, blocks), origin)
    layout = _layout(sample, origin, columns, header, selection, on_bad_row)
    reader = RecordReader(layout, on_bad_row == "default", os.fstat(handle.fileno()).st_size, Problems(origin))
    for block in chain(sample, blocks):
        reader.read(block)
    return reader.finish(block_rows)


def whole_lines(handle: BinaryIO) -> Iterator[bytes]:
    """The file without its byte order mark, in blocks that end in a line feed; the last line gets one if need be."""
    pending, is_start = b"", True
    while chunk := handle.read(max(_CHUNK, len(_BYTE_ORDER_MARK))):
        if is_start:
            chunk, is_start = chunk.removeprefix(_BYTE_ORDER_MARK), False
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield pending + chunk[:cut]
            pending = chunk[cut:]
        else:
            # One byte above the limit is kept, so that the line is known to be too long.
            pending = (pending + chunk)[: LONGEST_LINE + 1]
    if pending:
        yield pending + b"\n"


def _first_line(sample: list[bytes]) -> bytes:
    return lines_of(sample[0][: sample[0].index(b"\n") + 1])[0] if sample else b""


def _refuse_blank_start(blocks: Iterator[bytes], origin: str) -> None:
    if all(is_blank(line) for block in blocks for line in lines_of(block)):
        refuse(EMPTY, "is empty", origin)
    refuse(RAGGED, "the line is blank", origin, "line 1")


def _layout(
    sample: list[bytes],
    origin: str,
    declared: Declared,
    header: HeaderRule,
    selection: Selection | None,
    on_bad_row: BadRowRule,
) -> Layout:
    cells, _ = split_cells(_first_line(sample))
    names = declared_names(declared, selection)
    is_total = on_bad_row == "default"
    if header == "auto" and not (is_total and names is not None):
        has_header = bool(sample) and _looks_like_header(cells, declared, selection, names)
    else:
        # Under ``default`` declared names ask for a header: the first line shall not decide.
        has_header = header != "no"
    found = _header(cells, names, header, origin) if has_header else None
    # Where rows are protected singly, no line but a header says how many columns there are.
    public_width = len(cells) if found is not None or not is_total else None
    return Layout(
        bind(declared, selection, found, public_width, origin),
        width=len(cells),
        has_header=has_header,
        is_guessed=header == "auto" and names is None,
    )


def _looks_like_header(
    cells: list[bytes], declared: Declared, selection: Selection | None, names: tuple[str, ...] | None
) -> bool:
    """Whether a first line is a header: it holds all declared names, or words and no value in the numeric columns."""
    words = [spoken_name(cell) for cell in cells]
    if names is not None and set(names) <= set(words):
        return True
    bindings = _tentative(cells, declared, selection)
    numeric = [(cells[at], column) for column, at in bindings if at < len(cells) and column.kind.is_numeric]
    is_word = [
        cell.strip(b" \t").lower() not in MISSING for cell, column in numeric if parse_number(cell, column) is None
    ]
    return any(is_word) and len(is_word) == len(numeric)


def _tentative(cells: list[bytes], declared: Declared, selection: Selection | None) -> list[tuple[ColumnSpec, int]]:
    """Declared columns with the positions they have if there is no header."""
    positions = selection.positions if isinstance(selection, ByPosition) else range(len(cells))
    if isinstance(declared, ColumnSpec):
        return [(declared, at) for at in positions]
    return list(zip(declared, positions, strict=False))


def spoken_name(cell: bytes) -> str:
    return cell.decode("utf-8", errors="replace").strip()


def _header(cells: list[bytes], names: tuple[str, ...] | None, header: HeaderRule, origin: str) -> Header:
    refuse_lone_returns(cells, origin)
    found = tuple(spoken_name(cell) for cell in cells)
    return Header(found, is_stated=header == "yes" or any(name in found for name in names or ()))


def refuse_lone_returns(header: list[bytes], origin: str) -> None:
    """Where lines end in carriage returns alone, the first line is the whole file: its cells are no names, and none is told."""
    if any(b"\r" in cell for cell in header):
        message = "the lines end in carriage returns, and the first one would be the whole file"
        refuse(COLUMNS, message, origin, help="save the file with line feeds at the ends of its lines")
