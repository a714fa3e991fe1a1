"""CSV files in which one physical line is one record.

Contract. A file is cut at line feeds and at nothing else: a quoted cell may hold commas but no line break, and a lone
carriage return or a vertical tab is part of a cell. So what a line holds can change one record only. (A reader that
lets quotes span lines turns one missing quote into the loss of a file.) A byte order mark at the start of a line and a
carriage return before a line feed are dropped. Three ways to treat bad rows:

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
    What is public can be had without a look at the records: `CsvFile.outline`.
``drop``
    As ``default``, but a line of which ``refuse`` would complain is no record: that a line is bad depends on nothing but
    itself. Only for tables whose number of rows is private.

Cells are separated by commas; by tabs in a file whose name ends in ``.tsv``; or by what separates the names in the first line,
a semicolon or a tab too, if that line is a header. No row decides it.

Memory holds the table, and one chunk of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import BinaryIO, Literal, TypeAlias

from attrs import evolve, frozen

from duetpy.runtime.sources.cells import (
    COMMA,
    SEMICOLON,
    TAB,
    first_cells,
    is_missing,
    parse_number,
    split_cells,
)
from duetpy.runtime.sources.column_selection import ByPosition, Declared, Header, Selection, bind, declared_names
from duetpy.runtime.sources.opening import TABBED, endings, lines_from, size_of, whole_lines
from duetpy.runtime.sources.problems import COLUMNS, EMPTY, RAGGED, Problems, refuse
from duetpy.runtime.sources.records import Layout, RecordReader, is_blank, lines_of
from duetpy.runtime.sources.room import Room
from duetpy.runtime.sources.table import BLOCK_ROWS, ColumnSpec, Outline, Table

HeaderRule: TypeAlias = Literal["auto", "yes", "no"]
BadRowRule: TypeAlias = Literal["refuse", "default", "drop"]

SEPARATORS = (COMMA, SEMICOLON, TAB)
MISSING = {b"", b"na", b"n/a", b"nan", b"null", b"none", b"nil", b"inf", b"-inf", b"+inf", b"-", b"?", b"."}
"""Words for a missing number. They speak neither for a header nor for a record."""


@frozen
class CsvFile:
    """A CSV file, and how it is read.

    Parameters
    ----------
    origin
        The path of a regular file in UTF-8.
    columns
        The declared columns; or one declaration for as many columns as the file (or the selection) has.
    header
        Whether the first line holds names. ``auto`` recognises it by the declared names, or by being no number in the
        numeric columns.
    selection
        Columns picked by name or position; None for all.
    on_bad_row
        ``refuse``, ``default`` or ``drop``, see above.
    """

    origin: str
    columns: Declared
    header: HeaderRule = "auto"
    selection: Selection | None = None
    on_bad_row: BadRowRule = "refuse"

    def read(self, block_rows: int = BLOCK_ROWS, rows: int | None = None, room: Room | None = None) -> Table:
        """The table of the declared columns: one row a record, the columns in the order of their declaration.

        Parameters
        ----------
        block_rows
            Rows a block of the table.
        rows
            How many records there are at most, where something else says so: with ``default`` a blank line at the end is one,
            too, unless it would be one too many.
        room
            The memory for the table; None for any amount.

        Raises
        ------
        DuetError
            D0601 the file cannot be read; D0602 it is empty; D0603 a column is missing or not declared; D0607 a name is
            twice in the header. With ``refuse`` also D0602 no record, D0604 bad cells, D0605 lines of the wrong shape,
            D0606 bytes that are not UTF-8. D0619 the rows do not fit into memory.
        """
        with lines_from(self.origin) as handle:
            reader, blocks = self._reader(handle, rows, room)
            for block in blocks:
                reader.read(block)
            return reader.finish(block_rows)

    def tables(self, rows: int | None, room: Room, places: Sequence[int] | None = None) -> Iterator[Table]:
        """The table that `read` reads in runs of rows, which are not kept; raises as that does, after the last one. There has to
        be room for each run. Of the declared columns it has those at some places, or all."""
        with lines_from(self.origin) as handle:
            # Without the size of the file, memory is taken for the rows that are there.
            reader, blocks = self._reader(handle, rows, room, places)
            reader.size = None
            for block in blocks:
                reader.read(block)
                reader.settle_certain()
                yield reader.take(BLOCK_ROWS)
            yield reader.finish(BLOCK_ROWS)

    def outline(self) -> Outline:
        """What is public of the file if it is read with ``default``: of a record, no more than whether the last one is blank.
        Raises D0601, D0602, D0603 and D0607, as `read` does."""
        with lines_from(self.origin) as handle:
            blocks = whole_lines(handle)
            sample = list(islice(blocks, 1))
            if not sample and self.header == "yes":
                refuse(EMPTY, "is empty", self.origin)
            has_header = self._stated_header(is_total=True)
            separator = separator_of(self.origin, _first_line(sample) if has_header else None, self._names)
            width = self._outlined_width(sample, has_header, separator)
            lines, last = 0, b""
            for block in chain(sample, blocks):
                lines += block.count(b"\n")
                last = block[block.rfind(b"\n", 0, -1) + 1 :]
            headers = (0, 1) if has_header is None else (int(has_header),)
            records = frozenset(max(0, lines - each) for each in headers)
            return Outline(records, width, has_header is not None, lines > 0 and is_blank(lines_of(last)[0], separator))

    def separator(self) -> bytes:
        """What stands between the cells, as `read` reads them, and raises as that does."""
        with lines_from(self.origin) as handle:
            return self._layout(list(islice(whole_lines(handle), 1))).separator

    # -----------------------------------------------------------------------------------------------------------------
    # What the first line says

    @property
    def _names(self) -> tuple[str, ...] | None:
        return declared_names(self.columns, self.selection)

    @property
    def _is_total(self) -> bool:
        return self.on_bad_row != "refuse"

    def _outlined_width(self, sample: list[bytes], has_header: bool | None, separator: bytes) -> int | None:
        if has_header is None and isinstance(self.columns, ColumnSpec) and self.selection is None:
            # The look of the first line says how many there are, or that nothing says it.
            return None
        found, width = None, None
        if has_header:
            cells, _ = split_cells(_first_line(sample), separator)
            found, width = self._header(cells), len(cells)
        return len(bind(self.columns, self.selection, found, width, self.origin))

    def _reader(
        self, handle: BinaryIO, rows: int | None, room: Room | None, places: Sequence[int] | None = None
    ) -> tuple[RecordReader, Iterator[bytes]]:
        """What makes rows of the blocks of a file, and these."""
        blocks = whole_lines(handle)
        # Only the first line says anything about the shape of the file.
        sample = list(islice(blocks, 1))
        if not sample and (not self._is_total or self.header == "yes"):
            refuse(EMPTY, "is empty", self.origin)
        if not self._is_total and is_blank(_first_line(sample)):
            _refuse_blank_start(chain(sample, blocks), self.origin)
        layout = self._layout(sample)
        if room is not None:
            layout = evolve(layout, bindings=room.limited(layout.bindings))
        if places is not None:
            layout = evolve(layout, bindings=tuple(layout.bindings[at] for at in places))
        reader = RecordReader(layout, self.on_bad_row, size_of(handle), Problems(self.origin), rows, room)
        return reader, chain(sample, blocks)

    def _layout(self, sample: list[bytes]) -> Layout:
        line, names = _first_line(sample), self._names
        has_header = self._stated_header(is_total=self._is_total)
        # A line that may be a row does not say what separates its cells.
        may_be_row = has_header is False or (has_header is None and self._is_total)
        separator = separator_of(self.origin, None if may_be_row else line, names)
        if has_header is None:
            has_header = bool(sample) and (self._needs_header or self._looks_like_header(line, separator))
            separator = separator if has_header else separator_of(self.origin, None, names)
        if not has_header and self._is_total:
            # The line is a record, and no line but a header says how many columns there are. Persons have those that are declared.
            bindings = bind(self.columns, self.selection, None, None, self.origin)
            width = len(bindings) if any(binding.column.identifies for binding in bindings) else None
        else:
            cells, _ = split_cells(line, separator)
            width = len(cells)
            found = self._header(cells) if has_header else None
            advice = "" if has_header else self._no_header()
            bindings = bind(self.columns, self.selection, found, width, self.origin, advice)
        return Layout(
            bindings,
            width=width,
            has_header=has_header,
            is_guessed=self.header == "auto" and names is None,
            separator=separator,
        )

    def _no_header(self) -> str:
        """What to do if a first line counts as a row though the columns have names; nothing if somebody said that it is one."""
        names = self._names
        if names is None or self.header != "auto" or len(", ".join(names)) > LONGEST_LIST:
            return ""
        return (
            "the first line counts as a row, because it does not contain all names that the program declares "
            f"({', '.join(names)}); if it is a header, add --header yes, and the error says which name is missing"
        )

    def _stated_header(self, *, is_total: bool) -> bool | None:
        """Whether the first line is a header, where that is public; None where its look decides."""
        if self.header != "auto":
            return self.header == "yes"
        # Under ``default`` and ``drop`` declared names ask for a header: the first line shall not decide.
        return True if self._names is not None and is_total else None

    @property
    def _needs_header(self) -> bool:
        """Whether only names can show that a first line is a header, and the columns have names: if a header that lacks one of
        them counted as a row, a column that is spelt wrongly would be read as whole lines."""
        declared = () if isinstance(self.columns, ColumnSpec) else self.columns
        return self._names is not None and not any(column.kind.is_numeric for column in declared)

    def _looks_like_header(self, line: bytes, separator: bytes) -> bool:
        """Whether a first line is a header: it holds all declared names, or words and no value in the numeric columns."""
        most = self._tentative_reach() if self._is_total else None
        cells = split_cells(line, separator)[0] if most is None else first_cells(line, most, separator)
        words = [spoken_name(cell) for cell in cells]
        if self._names is not None and set(self._names) <= set(words):
            return True
        bindings = self._tentative(cells)
        # A number outside of the range of its column is no word.
        numeric = [
            (cells[at], evolve(column, within=None))
            for column, at in bindings
            if at < len(cells) and column.kind.is_numeric
        ]
        is_word = [
            cell.strip(b" \t").lower() not in MISSING and not is_missing(cell, column, is_quoted=False)
            for cell, column in numeric
            if parse_number(cell, column) is None
        ]
        return any(is_word) and len(is_word) == len(numeric)

    def _tentative_reach(self) -> int | None:
        """How many cells of a line may be looked at, if it is no header; None for all."""
        if isinstance(self.selection, ByPosition):
            return max(self.selection.positions) + 1
        return None if isinstance(self.columns, ColumnSpec) else len(self.columns)

    def _tentative(self, cells: list[bytes]) -> list[tuple[ColumnSpec, int]]:
        """Declared columns with the positions they have if there is no header."""
        positions = self.selection.positions if isinstance(self.selection, ByPosition) else range(len(cells))
        if isinstance(self.columns, ColumnSpec):
            return [(self.columns, at) for at in positions]
        return list(zip(self.columns, positions, strict=False))

    def _header(self, cells: list[bytes]) -> Header:
        refuse_lone_returns(cells, self.origin)
        found = tuple(spoken_name(cell) for cell in cells)
        return Header(found, is_stated=self.header == "yes" or any(name in found for name in self._names or ()))


def _first_line(sample: list[bytes]) -> bytes:
    return lines_of(sample[0][: sample[0].index(b"\n") + 1])[0] if sample else b""


def _refuse_blank_start(blocks: Iterator[bytes], origin: str) -> None:
    if all(is_blank(line) for block in blocks for line in lines_of(block)):
        refuse(EMPTY, "is empty", origin)
    refuse(RAGGED, "the line is blank", origin, "line 1")


LONGEST_LIST = 100
"""Messages show this many characters of names."""


def separator_of(origin: str, header: bytes | None, names: tuple[str, ...] | None = None) -> bytes:
    """What stands between the cells of a file: what its name says, or what separates the most of the names that its header must
    hold, or the first separator in its header; a comma if there is no header (None)."""
    if endings(origin)[0] == TABBED:
        return TAB
    if header is None:
        return COMMA
    words = {each: [spoken_name(cell) for cell in split_cells(header, each)[0]] for each in SEPARATORS}
    found = {each: len(set(names or ()).intersection(words[each])) for each in SEPARATORS}
    best = max(SEPARATORS, key=found.__getitem__)
    return best if found[best] else next((each for each in SEPARATORS if len(words[each]) > 1), COMMA)


def spoken_name(cell: bytes) -> str:
    return cell.decode("utf-8", errors="replace").strip()


def refuse_lone_returns(header: list[bytes], origin: str) -> None:
    """Where lines end in carriage returns alone, the first line is the whole file: its cells are not names, and none is shown."""
    if any(b"\r" in cell for cell in header):
        message = "the lines end in carriage returns only, so the whole file would be one line"
        refuse(COLUMNS, message, origin, help="save the file with line feeds as line ends")
