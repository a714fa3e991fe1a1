"""What is wrong with data, gathered until all of it has been read.

Contract. A problem names a place and says what was expected there. No value of any cell ever reaches a message: the
place is a file, a line and a column, the rest is fixed wording. At most :data:`SHOWN` problems are listed one by one, the
others are counted.
"""

from __future__ import annotations

from typing import NoReturn

from attrs import Factory, define

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError

SHOWN = 20

STANDARD_INPUT = "-"
"""The path of standard input."""

UNREADABLE = "D0601"
EMPTY = "D0602"
COLUMNS = "D0603"
BAD_CELL = "D0604"
RAGGED = "D0605"
ENCODING = "D0606"
HEADER = "D0607"
DECIDED = "D0618"

HELP = {
    UNREADABLE: "give the path of a file that can be read",
    EMPTY: "give data with at least one row",
    COLUMNS: "pick the columns that the program declares, in its order: x.csv:age,income by name, x.csv:0-3 by position",
    RAGGED: "correct the line, or run with --on-bad-row default to count its cells as 0",
    ENCODING: "save the file as UTF-8, or run with --on-bad-row default, which reads invalid bytes as �",
    DECIDED: "give the path of the file, columns of a type that you chose, or lists of rows, whose cells are read one by one",
    HEADER: "rename all but one of them, or pick the columns by position, such as x.csv:0-3",
}
"""What can be done about a problem of a kind, where nothing nearer is known."""


@define
class Problems:
    """The problems found so far in one source of data, in the order of the data."""

    origin: str
    shown: list[Diagnostic] = Factory(list)
    count: int = 0

    def add(self, code: str, message: str, place: str = "", help: str = "") -> None:
        """Record one problem; ``place`` continues the origin, such as ``line 418, column 'age'``."""
        self.count += 1
        if self.count <= SHOWN:
            self.shown.append(problem(code, message, self.origin, place, help))

    def raise_if_any(self) -> None:
        """Refuse the data when there is a problem.

        Raises
        ------
        DuetError
            With up to :data:`SHOWN` diagnostics and, when there are more, one that counts the rest.
        """
        if not self.count:
            return
        rest = self.count - len(self.shown)
        if rest:
            more = f"and {counted(rest, 'more problem')}"
            self.shown.append(Diagnostic(self.shown[-1].code, more, where=shown_origin(self.origin)))
        raise DuetError(tuple(self.shown))


def counted(count: int, thing: str) -> str:
    """A number of things in words: ``1 cell``, ``2 cells``."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def shown_origin(origin: str) -> str:
    """A path as a person says it."""
    return "standard input" if origin == STANDARD_INPUT else origin


def problem(code: str, message: str, origin: str, place: str = "", help: str = "") -> Diagnostic:
    """One diagnostic about data."""
    named = shown_origin(origin)
    where = f"{named}, {place}" if place else named
    return Diagnostic(code=code, message=message, where=where, help=help or HELP.get(code, ""))


def refuse(code: str, message: str, origin: str, place: str = "", help: str = "") -> NoReturn:
    """Refuse the data for one public reason."""
    # No cause is kept: the text of a decoding error, for one, quotes the bytes.
    raise DuetError((problem(code, message, origin, place, help),)) from None
