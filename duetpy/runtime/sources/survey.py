"""What the columns of a CSV file look like: a guess to start a program from.

Contract. The guess depends on every row that is read, so it is private as the rows are. It holds kinds of columns and the
words of a header, and never a cell: a first line counts as a header where the caller says so, or where it holds words in
every column that is otherwise of numbers (as for a run whose columns have no names yet). A word is kept only if it is a
short text with a letter in it, no cell of its column, and no other column has it. At most :data:`MOST_LINES` lines are read.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from enum import Enum

from attrs import Factory, define, frozen

from duetpy.grammar.labels import fault_of
from duetpy.runtime.sources.cells import parse_date, parse_natural, parse_real, parse_truth, quoted_cells, split_cells
from duetpy.runtime.sources.column_selection import MOST_POSITIONS
from duetpy.runtime.sources.csv import MISSING, HeaderRule, refuse_lone_returns, separator_of, spoken_name
from duetpy.runtime.sources.opening import lines_from, whole_lines
from duetpy.runtime.sources.problems import COLUMNS, EMPTY, refuse
from duetpy.runtime.sources.records import LONGEST_LINE, is_blank, lines_of
from duetpy.runtime.sources.table import GREATEST_NATURAL
from duetpy.runtime.values import letters

MOST_LINES = 100_000
FEW = 12
"""Whole numbers that take no more values than this are taken for codes of categories."""

MOST_SPELLINGS = 100
"""Spellings of texts are compared in columns that take no more values than this."""

_IDENTIFIERS = re.compile(
    rb"(?i)(^|[_ .-])(id|ids|uid|uuid|ssn|nhs|mrn|iban|passport|account|login|username|email|e-mail|name"
    rb"|person|patient|customer|client|user|member|subject|participant|respondent|employee|worker|student|pupil|author|player"
    rb"|passenger|rider|driver|borrower|tenant|donor|voter|subscriber|guest|visitor)($|[_ .-])"
)
"""Headings of columns that name persons, or things that are theirs."""

LONGEST_NAME = 60
"""A longer first cell is no heading that is shown."""


class Look(Enum):
    """What the cells of a column look like."""

    NUMBER = "numbers"
    CODE = "few whole numbers"
    TRUTH = "truth values"
    DATE = "dates"
    TEXT = "texts"


@frozen
class Column:
    """A column: its name if the header has one that can be read, what it looks like, and whether all cells do; whether cells of
    it occur in several rows although its heading is one of identifiers; whether some are missing that are not texts; whether
    all others are natural numbers; and whether texts in it differ only in capital letters or in spaces at their ends."""

    name: str | None
    look: Look
    is_whole: bool
    repeats: bool = False
    may_be_missing: bool = False
    is_natural: bool = False
    has_spellings: bool = False


@frozen
class Survey:
    """The columns of a file.

    Parameters
    ----------
    columns
        From left to right.
    separator
        What stands between two cells.
    has_header
        Whether the first line was taken for a header, and `is_stated` whether the caller said so or not.
    is_even
        Whether a run would take every line: as many cells as there are columns, in UTF-8, not too long, and no line blank but
        at the end.
    has_rows
        Whether there is a line that is no header.
    is_whole
        Whether the file was read to its end.
    """

    columns: tuple[Column, ...]
    separator: bytes
    has_header: bool
    is_stated: bool
    is_even: bool
    has_rows: bool
    is_whole: bool


@define(repr=False)
class _Tally:
    """What has been seen of one column."""

    filled: int = 0
    reals: int = 0
    truths: int = 0
    dates: int = 0
    naturals: int = 0
    missing: int = 0
    empty: int = 0
    distinct: set[int] = Factory(set)
    holds_first: bool = False
    identifiers: set[bytes] | None = None
    repeats: bool = False
    spellings: dict[str, bytes] = Factory(dict)
    has_spellings: bool = False

    def add(self, cell: bytes, first: bytes | None, is_quoted: bool) -> None:
        """Count a cell. Only one that is empty, and not in quotation marks, is missing to a run without other instructions."""
        word = cell.strip(b" \t").lower()
        if word in MISSING:
            self.empty += not word and not is_quoted
            self.missing += 1
            return
        self.filled += 1
        if len(self.spellings) <= MOST_SPELLINGS:
            spelt = cell.decode("utf-8", "replace").strip(letters.WHITE_SPACE).translate(letters.SMALL)
            self.has_spellings |= self.spellings.setdefault(spelt, cell) != cell
        if self.identifiers is not None and not self.repeats:
            self.repeats = cell in self.identifiers
            self.identifiers.add(cell)
        self.holds_first = self.holds_first or cell == first
        self.truths += cell.strip(b" \t").lower() in (b"true", b"false") and parse_truth(cell) is not None
        self.dates += parse_date(cell) is not None
        if parse_real(cell) is None:
            return
        self.reals += 1
        natural = parse_natural(cell)
        if natural is not None and natural <= GREATEST_NATURAL:
            self.naturals += 1
            if len(self.distinct) <= FEW:
                self.distinct.add(natural)

    def look(self) -> Look:
        """Numbers where most cells are: a stray word in a column of numbers is a bad cell and no category."""
        if self.filled and self.truths == self.filled:
            return Look.TRUTH
        if self.filled and self.dates == self.filled:
            return Look.DATE
        if 2 * self.reals <= self.filled:
            return Look.TEXT
        is_code = self.naturals == self.reals == self.filled > len(self.distinct) and len(self.distinct) <= FEW
        return Look.CODE if is_code else Look.NUMBER

    def is_whole(self) -> bool:
        """Whether a run would take every cell."""
        match self.look():
            case Look.TEXT:
                return True
            case Look.TRUTH | Look.DATE:
                return self.missing == self.empty
            case Look.CODE | Look.NUMBER:
                return self.missing == self.empty and self.reals == self.filled

    def column(self, name: str | None, has_header: bool) -> Column:
        look = self.look()
        return Column(
            name,
            look,
            self.is_whole(),
            has_header and self.repeats,
            look is not Look.TEXT and self.empty > 0,
            0 < self.naturals == self.filled,
            look is Look.TEXT and len(self.spellings) <= MOST_SPELLINGS and self.has_spellings,
        )


def survey(path: str | os.PathLike[str], header: HeaderRule = "auto") -> Survey:
    """Look at the columns of a CSV file.

    Raises
    ------
    DuetError
        D0601 the file cannot be read; D0602 it is empty; D0603 its first line is all of it, or has too many columns.
    """
    origin = os.fspath(path)
    found = _surveyed(origin, header, is_header=header != "no")
    # A line that turns out to be a row does not say what separates its cells.
    return found if found.has_header else _surveyed(origin, header, is_header=False)


def _surveyed(origin: str, header: HeaderRule, *, is_header: bool) -> Survey:
    with lines_from(origin) as handle:
        return _survey(_lines(whole_lines(handle)), origin, header, is_header)


def _lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    for block in blocks:
        yield from lines_of(block)


def _survey(lines: Iterator[bytes], origin: str, header: HeaderRule, may_be_header: bool) -> Survey:
    line = next(lines, b"")
    separator = separator_of(origin, line[:LONGEST_LINE] if may_be_header else None)
    first, keeps_rule = split_cells(line[:LONGEST_LINE], separator)
    if first == [b""]:
        refuse(EMPTY, "is empty, or its first line is", origin)
    if len(first) > MOST_POSITIONS:
        refuse(COLUMNS, f"has more than {MOST_POSITIONS:,} columns", origin)
    tallies = [_Tally(identifiers=set() if may_be_header and _IDENTIFIERS.search(word) else None) for word in first]
    first_quoted = quoted_cells(line[:LONGEST_LINE], separator)
    is_first_even = keeps_rule and _is_text(line)
    blanks, read, is_even, is_whole, has_rows = 0, 1, True, True, False
    for line in lines:
        if read >= MOST_LINES:
            is_whole = False
            break
        read += 1
        if is_blank(line, separator):
            blanks += 1
            continue
        is_even, has_rows, blanks = is_even and not blanks, True, 0
        cells, keeps_rule = split_cells(line[:LONGEST_LINE], separator)
        is_even = is_even and keeps_rule and len(cells) == len(first) and _is_text(line)
        quoted = quoted_cells(line[:LONGEST_LINE], separator)
        for at, (tally, cell, word) in enumerate(zip(tallies, cells, first, strict=False)):
            tally.add(cell, word, at in quoted)
    has_header = header == "yes" or (header == "auto" and may_be_header and _looks_like_header(first, tallies))
    if has_header:
        refuse_lone_returns(first, origin)
    else:
        for at, (tally, cell) in enumerate(zip(tallies, first, strict=True)):
            tally.add(cell, None, at in first_quoted)
        is_even, has_rows = is_even and is_first_even, True
    names = _names(first, tallies) if has_header else [None] * len(first)
    columns = tuple(tally.column(name, has_header) for name, tally in zip(names, tallies, strict=True))
    return Survey(columns, separator, has_header, header != "auto", is_even, has_rows, is_whole)


def _is_text(line: bytes) -> bool:
    try:
        return len(line) <= LONGEST_LINE and line.decode("utf-8") is not None
    except UnicodeDecodeError:
        return False


def _looks_like_header(first: list[bytes], tallies: list[_Tally]) -> bool:
    """As a run decides for columns without names: no value above any column of numbers or truth values, and a word."""
    above = [(cell, tally.look()) for cell, tally in zip(first, tallies, strict=True) if tally.look() is not Look.TEXT]
    is_word = [
        cell.strip(b" \t").lower() not in MISSING for cell, look in above if _VALUES.get(look, parse_real)(cell) is None
    ]
    return any(is_word) and len(is_word) == len(above)


_VALUES = {Look.TRUTH: parse_truth, Look.DATE: parse_date}
"""How the cells of columns are read that are not of numbers."""


def _names(first: list[bytes], tallies: list[_Tally]) -> list[str | None]:
    """The words of a header that a program can use as names, each once, and none of them a cell of its column."""
    words = [spoken_name(cell) for cell in first]
    counts = Counter(words)
    return [
        word if _is_name(word) and counts[word] == 1 and not tally.holds_first else None
        for word, tally in zip(words, tallies, strict=True)
    ]


def _is_name(word: str) -> bool:
    """Whether a word is a short text with a letter in it, and no value."""
    is_value = any(parse(word.encode()) is not None for parse in (parse_real, parse_truth, parse_date))
    return len(word) <= LONGEST_NAME and fault_of(word) is None and any(map(str.isalpha, word)) and not is_value
