"""From the lines of a file to the rows of a table.

Contract. Given where the columns are, one line makes one row, whatever it holds; only blank lines at the end make none, and bad
lines if these are left out.
Blocks whose lines have the same cells are read by columns (``regular.py``), which gives the same rows.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from attrs import Factory, define, field, frozen
from numpy.typing import NDArray

from duetpy.runtime.sources import compiled
from duetpy.runtime.sources.cells import (
    COMMA,
    TAB,
    count_cells,
    expected,
    first_cells,
    is_missing,
    keeps_rule,
    marked_cells,
    parse_number,
    parse_text,
    quoted_cells,
    shown_end,
    split_cells,
    total_number,
)
from duetpy.runtime.sources.column_selection import Binding
from duetpy.runtime.sources.problems import BAD_CELL, EMPTY, EMPTY_CELL, ENCODING, LISTED, RAGGED, Problems, counted
from duetpy.runtime.sources.regular import RegularBlock, cut
from duetpy.runtime.sources.room import Room
from duetpy.runtime.sources.table import ColumnSpec, Kind, Table, no_texts
from duetpy.runtime.sources.whole_columns import numbers_of, texts_of

LONGEST_LINE = 1 << 24
"""Bytes of a line that are read; a longer line is a bad row, and its rest is ignored."""

MOST_COLUMNS = LONGEST_LINE // 2 + 1
"""A line of more cells than this is longer than one that is read, unless they are empty."""

QUICK_BYTES = 1 << 21
"""The longest block that takes the quick way, which needs some ten times its memory. Only one with a long line is longer."""

SPARE_BYTES = 1 << 27
"""Memory for rows that are only expected, beyond that of twice the rows that were read."""

UNKNOWN_SHARE = 1.5
"""How much is read in the end, compared with what has been read, where nothing says it: memory then grows by half at a time."""


@frozen
class Layout:
    """Where the columns are.

    Parameters
    ----------
    bindings
        Every declared column and its position, in the order of declaration.
    width
        The number of cells that a line should have. Where bad rows are refused, a line of another width is one; where they are
        left out and there is a header, too. None where nothing but a row would say it.
    has_header
        Whether the first line holds names.
    is_guessed
        Whether only the look of the first line said so.
    separator
        What stands between two cells.
    """

    bindings: tuple[Binding, ...]
    width: int | None
    has_header: bool
    is_guessed: bool
    separator: bytes = COMMA

    @property
    def columns(self) -> tuple[ColumnSpec, ...]:
        return tuple(binding.column for binding in self.bindings)

    @property
    def may_miss(self) -> bool:
        """Whether there is a column whose cells may be missing."""
        return any(binding.column.may_be_missing for binding in self.bindings)

    @property
    def certain_width(self) -> int | None:
        """How many cells a line must have for it to be known whose it is: in any other, what says it may be in another cell, in a
        part of one or in several. None where nobody asks."""
        return self.width if any(binding.column.identifies for binding in self.bindings) else None

    def quoted(self, line: bytes) -> frozenset[int]:
        """Which cells of a line are quoted, where that makes a difference."""
        return quoted_cells(line, self.separator, self.reach) if self.may_miss else frozenset()

    def marked(self, line: bytes) -> tuple[frozenset[int], frozenset[int]]:
        """The same, and which cells are bad for the quotes in the line, where a bad cell is missing: nobody is known by a guess."""
        return marked_cells(line, self.separator, self.reach) if self.may_miss else (frozenset(), frozenset())

    @property
    def reach(self) -> int:
        """How many cells of a line there may be something to read in."""
        return max((binding.position + 1 for binding in self.bindings), default=0)


def lines_of(block: bytes) -> list[bytes]:
    """The lines of a block, without their ends, cut at the limit (with one byte more where they were longer)."""
    lines = block.split(b"\n")[:-1]
    if b"\r" in block:
        lines = [line.removesuffix(b"\r") for line in lines]
    if len(block) > LONGEST_LINE:
        lines = [line[: LONGEST_LINE + 1] for line in lines]
    return lines


def is_blank(line: bytes, separator: bytes = COMMA) -> bool:
    """Whether a line holds nothing but spaces. Tabs are spaces where no cells stand between them."""
    return not line.strip(b" \r" if separator == TAB else b" \t\r")


@define
class RecordReader:
    """Turns blocks of whole lines into rows.

    Parameters
    ----------
    layout
        Where the columns are.
    on_bad_row
        Whether bad rows are problems, become defaults, or are left out.
    size
        The number of bytes to read, from which the memory for the rows is estimated; None where it is not known.
    problems
        What has been found wrong.
    most
        How many rows there are at most, where something else says so.
    room
        The memory for the table; None for any amount.
    """

    layout: Layout
    on_bad_row: Literal["refuse", "default", "drop"]
    size: int | None
    problems: Problems
    most: int | None = None
    room: Room | None = None
    characters: int = 0
    line: int = 0
    blanks: int = 0
    bytes_read: int = 0
    rows: int = 0
    taken: int = 0
    numbers: NDArray[np.float64] = field(init=False)
    texts: list[NDArray[np.object_]] = Factory(list)

    def __attrs_post_init__(self) -> None:
        self.numbers = np.empty((0, sum(column.kind.is_numeric for column in self.layout.columns)))

    def read(self, block: bytes) -> None:
        """Read the next block, which ends in a line feed."""
        self.bytes_read += len(block)
        if self.layout.has_header and self.line == 0:
            block = block[block.index(b"\n") + 1 :]
            self.line = 1
        if not block:
            return
        regular = self._regular(block)
        if regular is None:
            self._read_lines(lines_of(block))
            return
        self._settle_blanks(self.blanks)
        self.line += block.count(b"\n")
        self._append(*regular)

    def finish(self, block_rows: int) -> Table:
        """The table of all rows, or of those since the last `take`.

        Raises
        ------
        DuetError
            Where bad rows are refused: with every problem found, or because there is no row.
        """
        if self.on_bad_row != "refuse":
            # One blank line at the end is no record, unless something else says that it is: see the contract of csv.py.
            is_spare = self.blanks > 0 and (self.most is None or self.rows + self.blanks > self.most)
            self._settle_blanks(self.blanks - int(is_spare))
        elif not self.rows and not self.problems.count:
            self.problems.add(EMPTY, "there are no data rows")
        self.problems.raise_if_any()
        return self.take(block_rows)

    def settle_certain(self) -> None:
        """Make records of the blank lines that are records whatever follows, so that they need not be counted up."""
        if self.on_bad_row == "default" and self.blanks > 1:
            self._settle_blanks(self.blanks - 1)
            self.blanks = 1

    def take(self, block_rows: int) -> Table:
        """The table of the rows since the last time, which are not kept."""
        columns = self.layout.columns
        numeric, rows = self.numbers.shape[1], self.rows - self.taken
        # The first array, without rows, gives the shape where there is no other.
        texts = [np.empty((0, len(columns) - numeric), dtype=np.object_), *self.texts]
        words = np.concatenate(texts) if len(columns) > numeric else no_texts(rows)
        numbers, self.numbers, self.texts = self.numbers, np.empty((0, numeric)), []
        self.taken, self.characters = self.rows, 0
        numbers.resize((rows, numeric), refcheck=False)
        return Table(columns, numbers, words, block_rows=block_rows, header_guessed=self.layout.is_guessed)

    def _regular(self, block: bytes) -> tuple[NDArray[np.float64], NDArray[np.object_]] | None:
        """The rows of a regular block; None if its lines are to be read one by one, as for the problems of bad cells."""
        layout = self.layout
        if len(block) > min(QUICK_BYTES, LONGEST_LINE) or not _is_text(block):
            return None
        # A row says only of its own block how many cells its lines have: of all others, it would decide how long they take.
        width = layout.width or count_cells(lines_of(block[: block.index(b"\n") + 1])[0], layout.separator)
        lines = None if width is None or layout.reach > width else self._cut(block, width)
        if lines is None:
            return None
        numeric = self.numbers.shape[1]
        numbers = np.empty((len(lines), numeric))
        texts = np.empty((len(lines), len(layout.bindings) - numeric), dtype=np.object_)
        is_good = np.ones(len(lines), dtype=np.bool_)
        filled = [0, 0]
        for binding in layout.bindings:
            column, position = binding.column, binding.position
            place = filled[column.kind.is_numeric]
            filled[column.kind.is_numeric] += 1
            if not column.kind.is_numeric:
                longest = column.longest if self.on_bad_row == "default" else None
                texts[:, place] = texts_of(lines, position, column, longest)
                continue
            numbers[:, place], is_bad = numbers_of(lines, position, column)
            if is_bad is not None:
                if self.on_bad_row == "refuse":
                    return None
                is_good &= ~is_bad
        return (numbers[is_good], texts[is_good]) if self.on_bad_row == "drop" else (numbers, texts)

    def _cut(self, block: bytes, width: int) -> RegularBlock | None:
        layout, found = self.layout, None
        if max(self.size or 0, self.bytes_read) >= compiled.LARGE and compiled.is_there():
            positions = [binding.position for binding in layout.bindings]
            found = compiled.cut(block, width, layout.separator, positions)
        return cut(block, width, layout.separator) if found is None else found

    def _read_lines(self, lines: list[bytes]) -> None:
        numbers: list[list[float]] = []
        texts: list[list[str | None]] = []
        read = {"refuse": self._checked_record, "default": self._total_record, "drop": self._good_record}[
            self.on_bad_row
        ]
        for line in lines:
            self.line += 1
            if is_blank(line, self.layout.separator):
                self.blanks += 1
                continue
            if self.blanks:
                self._append_lists(numbers, texts)
                numbers, texts = [], []
                self._settle_blanks(self.blanks, before=1)
            read(line, numbers, texts)
        self._append_lists(numbers, texts)

    def _settle_blanks(self, count: int, before: int = 0) -> None:
        """Turn ``count`` blank lines into records of defaults, or into problems; ``before`` lines were read since."""
        if self.on_bad_row == "default":
            columns = self.layout.columns
            if self.room is not None:
                self.room.refuse_more(self.problems.origin, self.rows + count - self.taken, columns)
            defaults = [column.number for column in columns if column.kind.is_numeric]
            words = np.array([column.text for column in columns if not column.kind.is_numeric], dtype=np.object_)
            self._append(np.tile(np.array(defaults), (count, 1)), np.tile(words, (count, 1)))
        elif self.on_bad_row == "refuse":
            first = self.line - before - count + 1
            if count:
                lines = range(first, first + min(count, LISTED))
                self.problems.add_at(RAGGED, "the line is blank", "line", lines, total=count)
        self.blanks = 0

    def _total_record(self, line: bytes, numbers: list[list[float]], texts: list[list[str | None]]) -> None:
        """One row from any line: total, and from this line alone."""
        width = self.layout.certain_width
        # One cell more than there should be shows that there are too many.
        most = self.layout.reach if width is None else width + 1
        cells = first_cells(line[:LONGEST_LINE], most, self.layout.separator)
        is_guess = width is not None and (len(cells) != width or len(line) > LONGEST_LINE)
        quoted, uncertain = self.layout.marked(line[:LONGEST_LINE])
        row: list[float] = []
        words: list[str | None] = []
        for binding in self.layout.bindings:
            column = binding.column
            cell = cells[binding.position] if binding.position < len(cells) else None
            if cell is not None and is_missing(cell, column, binding.position in quoted):
                cell = None
            if column.may_be_missing and binding.position in uncertain:
                cell = None
            if column.identifies and is_guess:
                cell = None
            if column.kind is Kind.TEXT:
                text = None if cell is None else parse_text(cell, column)
                words.append(column.text if text is None else text)
            else:
                row.append(column.number if cell is None else total_number(cell, column))
        numbers.append(row)
        texts.append(words)

    def _good_record(self, line: bytes, numbers: list[list[float]], texts: list[list[str | None]]) -> None:
        """One row from a good line, and none from a bad one: from this line alone, and what says how long lines are is no line."""
        separator, width, reach = self.layout.separator, self.layout.width, self.layout.reach
        # One cell more than there should be shows that there are too many: the others take neither time nor memory.
        cells = first_cells(line, reach if width is None else width + 1, separator)
        is_whole = len(cells) >= reach if width is None else len(cells) == width
        if len(line) > LONGEST_LINE or not is_whole or not keeps_rule(line, separator):
            return
        row: list[float] = []
        words: list[str | None] = []
        quoted = self.layout.quoted(line)
        try:
            line.decode()
            for binding in self.layout.bindings:
                cell, column = cells[binding.position], binding.column
                if is_missing(cell, column, binding.position in quoted):
                    _append_default(column, row, words)
                elif column.kind is Kind.TEXT:
                    words.append(cell.decode())
                elif (value := parse_number(cell, column)) is not None:
                    row.append(value)
        except UnicodeDecodeError:
            return
        if len(row) + len(words) == len(self.layout.bindings):
            numbers.append(row)
            texts.append(words)

    def _checked_record(self, line: bytes, numbers: list[list[float]], texts: list[list[str | None]]) -> None:
        """One row from a good line; a problem from every bad cell of a bad one."""
        if self._is_malformed(line):
            return
        cells, is_regular = split_cells(line, self.layout.separator)
        if not is_regular:
            self.problems.add_at(RAGGED, "the quotes do not enclose whole cells", "line", [self.line])
        elif len(cells) != self.layout.width:
            message = f"{counted(len(cells), 'cell')} instead of {self.layout.width}"
            self.problems.add_at(RAGGED, message, "line", [self.line])
        else:
            row: list[float] = []
            words: list[str | None] = []
            quoted = self.layout.quoted(line)
            for binding in self.layout.bindings:
                cell = cells[binding.position]
                if is_missing(cell, binding.column, binding.position in quoted):
                    _append_default(binding.column, row, words)
                elif binding.column.kind is Kind.TEXT:
                    words.append(cell.decode())
                elif (value := parse_number(cell, binding.column)) is not None:
                    row.append(value)
                else:
                    self._add_bad_cell(binding, is_empty=not cell.strip(b" \t"))
            if len(row) + len(words) == len(self.layout.bindings):
                numbers.append(row)
                texts.append(words)

    def _is_malformed(self, line: bytes) -> bool:
        """Whether the bytes of the line are no text at all, or too many."""
        if len(line) > LONGEST_LINE:
            self.problems.add_at(RAGGED, f"the line is longer than {LONGEST_LINE:,} bytes", "line", [self.line])
            return True
        if not line.isascii():
            try:
                line.decode()
            except UnicodeDecodeError:
                self.problems.add_at(ENCODING, "the line is not UTF-8", "line", [self.line])
                return True
        return False

    def _add_bad_cell(self, binding: Binding, *, is_empty: bool) -> None:
        column = binding.column
        what, advice = expected(column), f"correct the cell, or {_count_as(column, _IN_FILES)}"
        if is_empty:
            may = "" if column.may_be_missing else "if cells may be missing, put ? after the type of the column; else "
            what, advice = EMPTY_CELL, may + advice
        self.problems.add_at(BAD_CELL, what, "line", [self.line], binding.title, advice)

    def _append_lists(self, numbers: list[list[float]], texts: list[list[str | None]]) -> None:
        if numbers:
            words = np.array(texts, dtype=np.object_).reshape(len(texts), len(texts[0]))
            self._append(np.array(numbers, dtype=np.float64).reshape(len(numbers), len(numbers[0])), words)

    def _append(self, numbers: NDArray[np.float64], texts: NDArray[np.object_]) -> None:
        """Copy rows to the end of the table; its memory grows to what the file's size lets expect."""
        needed = self.rows + len(numbers) - self.taken
        if self.room is not None:
            self.characters += characters_in(texts) if not self.room.is_public else 0
            self.room.refuse_more(self.problems.origin, needed, self.layout.columns, self.characters)
        if needed > len(self.numbers):
            share = UNKNOWN_SHARE if self.size is None else max(1, self.size) / max(1, self.bytes_read)
            # The first lines may be unlike the rest: what is expected beyond twice the rows that there are is kept small.
            spare = SPARE_BYTES // (self.numbers.itemsize * max(1, numbers.shape[1]))
            room = max(needed, min(int(needed * share * 1.02) + 1, 2 * needed + spare))
            self.numbers.resize((room, numbers.shape[1]), refcheck=False)
        self.numbers[needed - len(numbers) : needed] = numbers
        self.rows += len(numbers)
        if texts.shape[1]:
            self.texts.append(texts)


def _is_text(block: bytes) -> bool:
    """Whether the bytes are UTF-8."""
    try:
        return block.isascii() or bool(block.decode())
    except UnicodeDecodeError:
        return False


def _append_default(column: ColumnSpec, row: list[float], words: list[str | None]) -> None:
    """A missing value in a row that is being read."""
    if column.kind is Kind.TEXT:
        words.append(column.text)
    else:
        row.append(column.number)


def characters_in(texts: NDArray[np.object_]) -> int:
    """How many characters texts have; those that are missing have none."""
    return sum(map(len, filter(None, texts.ravel().tolist())))


def _in_range(column: ColumnSpec) -> str:
    """The words of a help for a column whose numbers lie in a range."""
    default = shown_end(column.number)
    declared = column.may_be_missing or column.default is not None
    before = "" if declared else f"write `else {default}` after the type and "
    rest = "is missing" if column.may_be_missing else f"counts as {default}"
    return (
        f"declare a wider range, or {before}run with --on-bad-row default: "
        f"then a number outside of the range counts as its nearest end, and any other bad cell {rest}"
    )


_IN_FILES = "if a word stands for a missing value, add --missing WORD; or "


def instead_of_value(column: ColumnSpec, *, is_object: bool) -> str:
    """What to do about a bad cell of data in memory: of an object of Python, that a text is not read as a number or a day."""
    if not is_object:
        return f"correct the cell, or {_count_as(column, '')}"
    wanted = {Kind.TEXT: "", Kind.DATE: " (a datetime.date, not a text)", Kind.BOOL: " (True or False, not a text)"}
    is_missing = "give None for a missing value; or "
    return f"correct the cell{wanted.get(column.kind, ' (a number, not a text)')}, or {_count_as(column, is_missing)}"


def _count_as(column: ColumnSpec, is_missing: str) -> str:
    """The words of a help that mentions the other rule for bad rows; `is_missing` says how cells are given that may be missing."""
    if column.within is not None:
        return _in_range(column)
    if column.may_be_missing:
        return f"{is_missing}run with --on-bad-row default to count it as missing"
    if column.kind is Kind.DATE:
        return "declare it `Date?` and run with --on-bad-row default to count it as missing"
    if column.kind is not Kind.TEXT and column.default is None:
        words, default = "", "0"
        if column.kind is Kind.BOOL:
            words, default = 'declare it `Str` and compare it with a word such as "yes", or ', "false"
        return (
            f"{words}write `else {default}` after the type and run with --on-bad-row default to count it as {default}"
        )
    default = repr(column.text) if column.kind is Kind.TEXT else f"{column.number:g}"
    return f"run with --on-bad-row default to count it as {default}"
