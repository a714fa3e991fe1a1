"""Which columns of the data are meant, and what they are bound to.

Contract. :func:`parse_data_argument` reads ``[NAME=]PATH[:COLUMNS]`` without looking at any file. :func:`bind` turns
declared columns and a selection into positions in the data, from public facts alone: the header, or the number of
columns. If the declared columns have names and there is a header, they are bound by name, and what else the data holds is
not read; otherwise by position, and there are no others. A missing column is refused and named, and so is one that was picked
and is not declared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar, assert_never

from attrs import evolve, frozen

from duetpy.diagnostics.closest import closest
from duetpy.grammar.labels import label_text
from duetpy.runtime.sources.cells import parse_real
from duetpy.runtime.sources.problems import COLUMNS, HEADER, HELP, Problems, counted, refuse
from duetpy.runtime.sources.registry import scheme_in
from duetpy.runtime.sources.table import ColumnSpec

MOST_POSITIONS = 100_000
"""A range such as 0-999999999 is a slip of the hand; it must not fill the memory."""


@frozen
class ByName:
    """Columns picked by the names in the header."""

    names: tuple[str, ...]


@frozen
class ByPosition:
    """Columns picked by position, from 0."""

    positions: tuple[int, ...]


Selection: TypeAlias = ByName | ByPosition


@frozen
class DataArgument:
    """What follows ``--data``: the parameter to bind, where one is named, the path and the columns, where some are."""

    name: str | None
    path: str
    selection: Selection | None = None


@frozen
class Binding:
    """A declared column and the position in the data that it is read from."""

    column: ColumnSpec
    position: int

    @property
    def title(self) -> str:
        """The column in messages."""
        return f"column {self.position + 1}" if self.column.name is None else f"column '{self.column.name}'"


Declared: TypeAlias = Sequence[ColumnSpec] | ColumnSpec
"""The declared columns one by one; or one declaration for however many columns there are."""

MOST_COMPARED = 1_000
"""In headers of more names than this no name is looked for that is spelt almost like one that is missing."""

LONGEST_SHOWN = 60
"""Names are cut to this many characters in messages."""

Item = TypeVar("Item", str, int)

_NAME = re.compile(r"[^\W\d][\w'′-]*(?:\.[^\W\d][\w'′-]*)?")
_POSITIONS = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


SQL = "sql:"
"""How a query begins that stands for a table. Colons in it are its own."""


def parse_data_argument(text: str, is_file: Callable[[str], bool] = lambda path: False) -> DataArgument:
    """Read ``[NAME=]PATH[:COLUMNS]``.

    ``COLUMNS`` is a list of header names (``age,income``) or of positions and ranges counted from 0 (``0-3``, ``10``,
    ``0-3,7``). What precedes the first ``=`` is the parameter when it is spelled like one; a colon that a slash or
    backslash follows belongs to the path, and so do all colons of a name for which `is_file` holds.

    Raises
    ------
    ValueError
        When the path or the columns are missing or malformed. The message is meant for the person at the command line.
    """
    name, equals, rest = text.partition("=")
    if not (equals and _NAME.fullmatch(name)):
        name, rest = "", text
    path, selection = (rest, None) if is_file(rest) else parse_path(rest)
    if not path:
        raise ValueError(f"'{text}' does not name a file")
    return DataArgument(name or None, path, selection)


def parse_path(text: str) -> tuple[str, Selection | None]:
    """Read ``PATH[:COLUMNS]``; raises ValueError for columns that are malformed."""
    scheme = scheme_in(text)
    if scheme == SQL:
        return text, None
    start = len(scheme)
    path, colon, columns = text[start:].rpartition(":")
    path = text[:start] + path
    if not colon or "/" in columns or "\\" in columns:
        return text, None
    return path, parse_selection(columns)


def parse_selection(text: str) -> Selection:
    """Read a list of header names, or a list of positions and ranges.

    Raises
    ------
    ValueError
        When the list is empty, repeats a column, or mixes the two kinds, or when a range runs backwards.
    """
    items = [item.strip() for item in text.split(",")]
    ranges = [_POSITIONS.fullmatch(item) for item in items]
    if not all(items):
        raise ValueError(f"'{text}' leaves out a column")
    if any(ranges) and not all(ranges):
        raise ValueError(f"'{text}' mixes positions and names")
    if not any(ranges):
        return ByName(tuple(_distinct(items, text)))
    positions: list[int] = []
    for match in filter(None, ranges):
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < first + MOST_POSITIONS:
            raise ValueError(f"'{match[0]}' is not a range of columns")
        positions.extend(range(first, last + 1))
    return ByPosition(tuple(_distinct(positions, text)))


def _distinct(items: list[Item], text: str) -> list[Item]:
    if len(set(items)) < len(items):
        raise ValueError(f"'{text}' picks a column twice")
    return items


@frozen
class Header:
    """The names in the first line.

    Parameters
    ----------
    names
        One name a column, in order.
    is_stated
        Whether something other than the look of the line says that it is a header: the caller, or a declared name that it
        holds. Otherwise it may be a row after all, and none of its words is repeated in a message.
    """

    names: tuple[str, ...]
    is_stated: bool


def declared_names(declared: Declared, selection: Selection | None) -> tuple[str, ...] | None:
    """The names that a header must hold for the binding, or None where columns are bound by position."""
    match selection:
        case ByName(names):
            return names
        case ByPosition():
            return None
        case None:
            if isinstance(declared, ColumnSpec):
                return None
            names = tuple(column.name for column in declared if column.name is not None)
            return names if names and len(names) == len(declared) else None
        case _:
            assert_never(selection)


def at_places(
    declared: Declared, selection: Selection | None, places: Sequence[int] | None
) -> tuple[Declared, Selection | None]:
    """Some of the columns that are declared one by one, and a selection that binds them as one of all of them would, in data whose
    columns have names. None for all."""
    if places is None or isinstance(declared, ColumnSpec):
        return declared, selection
    columns = tuple(declared[at] for at in places)
    names = tuple(column.name for column in columns if column.name is not None)
    match selection:
        case ByName() if len(names) == len(columns):
            return columns, ByName(names)
        case ByName(picked):
            return columns, ByName(tuple(picked[at] for at in places))
        case ByPosition(positions):
            return columns, ByPosition(tuple(positions[at] for at in places))
        case None:
            return columns, None if declared_names(declared, None) is not None else ByPosition(tuple(places))
        case _:
            assert_never(selection)


def bind(
    declared: Declared,
    selection: Selection | None,
    header: Header | None,
    width: int | None,
    origin: str,
    help: str = "",
) -> tuple[Binding, ...]:
    """Say from which position in the data each declared column is read.

    Parameters
    ----------
    declared
        The declared columns, or one declaration for all columns.
    selection
        The columns that the caller picked, or None for all.
    header
        The names in the data, or None where it has none.
    width
        The number of columns in the data; None where it is not known, and then only declared columns are bound.
    origin
        The name of the data in messages.
    help
        What to do if the number of columns is another one.

    Raises
    ------
    DuetError
        D0603 for a column that is missing, not declared or out of range; D0607 for one that the header names twice.
    """
    picked = _picked(declared, selection, header, width, origin, help)
    names = header.names if header is not None else ()
    if isinstance(declared, ColumnSpec):
        shown = names if header is not None and header.is_stated else ()
        return tuple(
            Binding(evolve(declared, name=shown[position] if position < len(shown) else None), position)
            for position in picked
        )
    wanted = [column.name for column in declared]
    if header is not None and not isinstance(selection, ByPosition) and wanted and None not in wanted:
        return _bind_by_name(declared, picked, header, origin, is_picked=selection is not None)
    if len(picked) != len(declared):
        verb = "is" if len(declared) == 1 else "are"
        refuse(COLUMNS, f"{counted(len(picked), 'column')}, but {len(declared)} {verb} declared", origin, help=help)
    return tuple(Binding(column, position) for column, position in zip(declared, picked, strict=True))


def _picked(
    declared: Declared, selection: Selection | None, header: Header | None, width: int | None, origin: str, help: str
) -> list[int]:
    match selection:
        case ByName(names):
            if header is None:
                refuse(COLUMNS, "there is no header row in which to find columns by name", origin)
            return _positions_of(names, header, origin)
        case ByPosition(positions):
            if width is not None and max(positions) >= width:
                refuse(COLUMNS, f"there is no column at position {max(positions)}, counted from 0", origin, help=help)
            return list(positions)
        case None:
            if width is not None:
                return list(range(width))
            if isinstance(declared, ColumnSpec):
                refuse(COLUMNS, "the number of columns is not known", origin, help=_STATE_COLUMNS)
            return list(range(len(declared)))
        case _:
            assert_never(selection)


_STATE_COLUMNS = "say how many, such as --set n=4, or pick them by position, such as x.csv:0-3"


def _positions_of(names: Sequence[str], header: Header, origin: str) -> list[int]:
    """Where the header holds each name, exactly once."""
    problems = Problems(origin)
    _demand(names, Counter(header.names), header, problems)
    problems.raise_if_any()
    return [header.names.index(name) for name in names]


_NO_HEADER = f"{HELP[COLUMNS]}; if the file has no header, write the declared names above the rows, or add --header no"


def _demand(names: Sequence[str], counts: Counter[str], header: Header, problems: Problems) -> None:
    for name in names:
        if counts[name] == 0:
            help_ = _meant(name, header) or ("" if header.is_stated else _NO_HEADER)
            if name in header.names:
                help_ = f"pick it too: x.csv:{','.join(map(label_text, names))}" if header.is_stated else HELP[COLUMNS]
            problems.add(COLUMNS, f"the column '{name}' is missing", help=help_)
        elif counts[name] > 1:
            problems.add(HEADER, f"the header names the column '{name}' more than once")


def _bind_by_name(
    declared: Sequence[ColumnSpec], picked: list[int], header: Header, origin: str, *, is_picked: bool
) -> tuple[Binding, ...]:
    """Every declared column is among the picked ones once. No column that somebody picked is left over; others are not read."""
    names = [column.name or "" for column in declared]
    counts = Counter(header.names[position] for position in picked)
    problems = Problems(origin)
    _demand(names, counts, header, problems)
    for position in picked if is_picked else ():
        if header.names[position] not in names:
            problems.add(COLUMNS, f"{_shown_name(header, position)} is not declared")
    problems.raise_if_any()
    places = {header.names[position]: position for position in picked}
    return tuple(Binding(column, places[name]) for column, name in zip(declared, names, strict=True))


def _meant(name: str, header: Header) -> str:
    """What to do about a column that is missing although the header has a name that is spelt almost alike. What the header says is
    shown only where it is certain that it is no row."""
    if len(header.names) > MOST_COMPARED or len(name) > LONGEST_SHOWN:
        return ""
    found = closest(name, [other for other in header.names if 0 < len(other) <= LONGEST_SHOWN])
    if not found:
        return ""
    shown = _shown_name(header, header.names.index(found[0]))
    what = shown if shown.startswith("the column '") else f"the heading of {shown}"
    # Only of what is certain to be a heading: of a line that may be a row nothing is said that its signs decide.
    if what is shown and label_text(found[0]) != found[0]:
        return f"{what} is spelt almost alike: if you mean it, write {label_text(found[0])} in the program"
    return f"{what} is spelt almost alike: compare the letters, upper and lower case too, and write both alike"


def _shown_name(header: Header, position: int) -> str:
    """A column of the data, by name where it is certain that the name is no cell of a row."""
    name = header.names[position]
    if header.is_stated and name.isprintable() and name and parse_real(name.encode()) is None:
        return f"the column '{name[:LONGEST_SHOWN]}'"
    return f"column {position + 1}"
