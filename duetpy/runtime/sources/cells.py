"""The grammar of a cell and of a line.

Contract. Everything here is total and looks at one line only.

    line    = cell { separator cell }
    cell    = '"' { any byte but '"', or '""' } '"'  |  any bytes but '"' and the separator
    real    = [sign] ( digits [ "." digits ] | "." digits ) [ ("e" | "E") [sign] digits ]
    natural = ["+"] digits [ "." zeros ]
    date    = digit digit digit digit "-" digit digit "-" digit digit, a day of the calendar from the year 1 on
    truth   = "true" | "false" (in any case) | "1" | "0"

The separator is a comma, a semicolon or a tab, the same in all of a file. Digits are the ten of
ASCII. Spaces and tabs around a number, a truth value or a date do not count; in a text they do. What
``float`` reads beyond that (``1_000``, digits of other scripts, ``nan``, ``inf``) is not a number here, and neither is a
number beyond the largest double. A line that breaks the rule of quotes is still cut into cells, always in the same way.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import assert_never

from duetpy.grammar.dates import date_of
from duetpy.runtime.sources.table import GREATEST_NATURAL, ColumnSpec, Kind

LONGEST_NUMBER = 1100
"""The longest exact decimal of a double has 1,077 characters; longer cells are no numbers."""

COMMA, SEMICOLON, TAB = b",", b";", b"\t"
"""What may stand between two cells."""

_REAL = re.compile(rb"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NATURAL = re.compile(rb"\+?([0-9]+)(?:\.0+)?")
_MOST_DIGITS = len(str(GREATEST_NATURAL))
_DATE_LENGTH = len("2024-02-29")
_INSIDE = re.compile(rb'(?:[^"]++|"")*+')
"""What stands in a quoted cell. Nothing is tried twice, so that a long line takes time in proportion to its length."""
_QUOTED = re.compile(rb'"' + _INSIDE.pattern + rb'"')
_TRUTHS = {b"true": 1.0, b"1": 1.0, b"false": 0.0, b"0": 0.0}


def split_cells(line: bytes, separator: bytes = COMMA) -> tuple[list[bytes], bool]:
    """Cut a line into its cells, quotes removed, and say whether it keeps the rule of quotes.

    A quoted cell that is never closed reaches to the end of the line; what follows a closing quote belongs to the cell;
    a quote inside an unquoted cell stands for itself.
    """
    if b'"' not in line:
        return line.split(separator), True
    cells: list[bytes] = []
    keeps_rule = True
    for cell, is_regular, _ in _cells(line, separator):
        cells.append(cell)
        keeps_rule = keeps_rule and is_regular
    return cells, keeps_rule


def first_cells(line: bytes, most: int, separator: bytes = COMMA) -> list[bytes]:
    """The first cells of a line, as `split_cells` cuts it: the cells after them take neither time nor memory."""
    if b'"' not in line:
        return line.split(separator, most)[:most]
    return [cell for cell, _, _ in islice(_cells(line, separator), most)]


def quoted_cells(line: bytes, separator: bytes = COMMA, most: int | None = None) -> frozenset[int]:
    """Which cells of a line begin with a quote, or which of its first ones."""
    if b'"' not in line:
        return frozenset()
    return frozenset(at for at, (_, _, is_quoted) in enumerate(islice(_cells(line, separator), most)) if is_quoted)


def marked_cells(line: bytes, separator: bytes, most: int) -> tuple[frozenset[int], frozenset[int]]:
    """Which of the first cells of a line begin with a quote; and which break the rule of quotes, or come after a quoted one that
    does: where that ends, and so which cell is which, is a guess."""
    if b'"' not in line:
        return frozenset(), frozenset()
    quoted, uncertain = set[int](), set[int]()
    is_certain = True
    for at, (_, keeps, is_quoted) in enumerate(islice(_cells(line, separator), most)):
        if is_quoted:
            quoted.add(at)
        if not (keeps and is_certain):
            uncertain.add(at)
        is_certain = is_certain and (keeps or not is_quoted)
    return frozenset(quoted), frozenset(uncertain)


def is_missing(cell: bytes, column: ColumnSpec, is_quoted: bool) -> bool:
    """Whether a cell says that there is no value; spaces around it count in a text, as they do elsewhere."""
    if column.missing is None or is_quoted:
        return False
    return (cell if column.kind is Kind.TEXT else cell.strip(b" \t")) in column.missing


def keeps_rule(line: bytes, separator: bytes = COMMA) -> bool:
    """Whether a line keeps the rule of quotes, without a look at each cell in Python."""
    return b'"' not in line or _regular(separator).fullmatch(line) is not None


@lru_cache(maxsize=8)
def _regular(separator: bytes) -> re.Pattern[bytes]:
    cell = rb'(?:%s|[^"%s]*+)' % (_QUOTED.pattern, separator)
    return re.compile(rb"%s(?:%s%s)*+" % (cell, separator, cell))


def count_cells(line: bytes, separator: bytes = COMMA) -> int | None:
    """How many cells a line has, without keeping them; None if it breaks the rule of quotes."""
    return _QUOTED.sub(b"", line).count(separator) + 1 if keeps_rule(line, separator) else None


def _cells(line: bytes, separator: bytes) -> Iterator[tuple[bytes, bool, bool]]:
    """The cells of a line, whether each keeps the rule of quotes, and whether it begins with one."""
    start = 0
    while True:
        text, closed, is_quoted = b"", True, line.startswith(b'"', start)
        if is_quoted:
            text, start, closed = _quoted(line, start + 1)
        end = line.find(separator, start)
        end = len(line) if end == -1 else end
        bare = line[start:end]
        # After a closing quote only the separator may come; in a bare cell no quote may.
        yield text + bare, closed and b'"' not in bare and not (is_quoted and bare), is_quoted
        if end == len(line):
            return
        start = end + 1


def _quoted(line: bytes, start: int) -> tuple[bytes, int, bool]:
    """The text of a quoted cell from behind its first quote, the place behind its last, and whether it has a last.

    Two quotes stand for one, so a run of an even number of quotes closes nothing, and the last of an odd number does.
    """
    inside = _INSIDE.match(line, start)
    assert inside is not None, "nothing may stand there"
    end = inside.end()
    return line[start:end].replace(b'""', b'"'), min(end + 1, len(line)), end < len(line)


def parse_real(cell: bytes) -> float | None:
    """The double nearest to a decimal, or None where the cell is no finite number. Zero has no sign."""
    cell = cell.strip(b" \t")
    if len(cell) > LONGEST_NUMBER or not _REAL.fullmatch(cell):
        return None
    value = float(cell)
    return value + 0.0 if math.isfinite(value) else None


def parse_natural(cell: bytes) -> int | None:
    """The natural number that a cell spells, or None if it is not one, or larger than any that a table holds."""
    cell = cell.strip(b" \t")
    match = _NATURAL.fullmatch(cell) if len(cell) <= LONGEST_NUMBER else None
    if match is None:
        return None
    # How many digits Python takes for a number is a setting of the process: there are never many here.
    digits = match[1].lstrip(b"0") or b"0"
    number = int(digits) if len(digits) <= _MOST_DIGITS else GREATEST_NATURAL + 1
    return number if number <= GREATEST_NATURAL else None


def parse_truth(cell: bytes) -> float | None:
    """1 for true, 0 for false, or None."""
    return _TRUTHS.get(cell.strip(b" \t").lower())


def parse_date(cell: bytes) -> float | None:
    """The number of the day that a cell spells, or None."""
    cell = cell.strip(b" \t")
    day = date_of(cell.decode("ascii")) if len(cell) == _DATE_LENGTH and cell.isascii() else None
    return None if day is None else float(day.toordinal())


def parse_number(cell: bytes, column: ColumnSpec) -> float | None:
    """The value of a cell of a numeric column, or None where it is bad."""
    match column.kind:
        case Kind.REAL:
            real = parse_real(cell)
            return real if real is not None and column.holds_real(real) else None
        case Kind.NAT:
            natural = parse_natural(cell)
            return float(natural) if natural is not None and column.holds_natural(natural) else None
        case Kind.BOOL:
            return parse_truth(cell)
        case Kind.DATE:
            return parse_date(cell)
        case Kind.TEXT:
            return None
        case _:
            assert_never(column.kind)


def parse_text(cell: bytes, column: ColumnSpec) -> str | None:
    """The text of a cell of a text column, or None where it is bad: no UTF-8, or too long."""
    try:
        text = cell.decode()
    except UnicodeDecodeError:
        return None
    return text if column.longest is None or len(text) <= column.longest else None


def total_number(cell: bytes, column: ColumnSpec) -> float:
    """The value of a cell of a numeric column where bad cells become defaults: a number outside of the range counts as the
    nearest one in it."""
    value = parse_number(cell, column)
    if value is None and column.within is not None:
        outside = parse_real(cell)
        value = None if outside is None else column.nearest(outside)
    return column.number if value is None else value


def shown_end(number: float) -> str:
    """An end of a range in as many digits as it needs."""
    return repr(number).removesuffix(".0")


def expected(column: ColumnSpec) -> str:
    """What is wrong with a bad cell of a column: fixed wording from the declaration alone."""
    match column.kind:
        case Kind.REAL if column.within is not None:
            low, high = map(shown_end, column.within)
            return f"not a number in [{low}, {high}]"
        case Kind.REAL:
            return "not a number"
        case Kind.NAT if column.below is not None:
            return f"not a natural number below {column.below}"
        case Kind.NAT:
            return "not a natural number below 2^53"
        case Kind.BOOL:
            return "neither true nor false"
        case Kind.DATE:
            return "not a date such as 2024-02-29"
        case Kind.TEXT:
            return "not a text"
        case _:
            assert_never(column.kind)
