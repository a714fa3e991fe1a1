"""What is wrong with data, gathered until all of it has been read.

Contract. A problem names a place and says what was expected there. No value of any cell ever reaches a message: the
place is a file, a line and a column, the rest is fixed wording. Problems of one kind in one column are one diagnostic, with the
first few of their lines. At most :data:`SHOWN` diagnostics are listed, the problems of all others are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from attrs import Factory, define

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError

SHOWN = 20

LISTED = 3
"""So many lines of problems of one kind are listed."""

EMPTY_CELL = "the cell is empty"

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
    RAGGED: "correct the line, or run with --on-bad-row default: then a cell that is not there counts as its default",
    ENCODING: "save the file as UTF-8, or run with --on-bad-row default: "
    "then a text that is not UTF-8 is empty, or missing if its type has a ?",
    DECIDED: "give the path of the file, columns of a type that you chose, or lists of rows, whose cells are read one by one",
    HEADER: "rename all but one of them, or pick the columns by position, such as x.csv:0-3",
}
"""What can be done about a problem of a kind, where nothing nearer is known."""


@define
class _Alike:
    """Problems of one kind in one column, or in lines as wholes: how many, and where the first few are."""

    code: str
    message: str
    unit: str
    about: str
    help: str
    numbers: list[int] = Factory(list)
    total: int = 0

    def diagnostic(self, origin: str) -> Diagnostic:
        if self.total == 1:
            place = f"{self.unit} {self.numbers[0]}" + (f", {self.about}" if self.about else "")
            return problem(self.code, self.message, origin, place, self.help)
        listed = ", ".join(f"{number:,}" for number in self.numbers) + (", …" if self.total > len(self.numbers) else "")
        if not self.about:
            message = f"{self.total:,} {self.unit}s ({listed}): {self.message}"
        elif self.message == EMPTY_CELL:
            message = f"{self.total:,} empty cells ({self.unit}s {listed})"
        else:
            message = f"{self.total:,} bad cells ({self.unit}s {listed}): {self.message}"
        return problem(self.code, message, origin, self.about, self.help)


@define
class Problems:
    """The problems found so far in one source of data, in the order of the data."""

    origin: str
    shown: list[Diagnostic | _Alike] = Factory(list)
    count: int = 0
    alike: dict[tuple[str, str, str], _Alike] = Factory(dict)

    def add(self, code: str, message: str, place: str = "", help: str = "") -> None:
        """Record one problem; ``place`` continues the origin, such as ``line 418, column 'age'``."""
        self.count += 1
        if len(self.shown) < SHOWN:
            self.shown.append(problem(code, message, self.origin, place, help))

    def add_at(
        self,
        code: str,
        message: str,
        unit: str,
        numbers: Sequence[int],
        about: str = "",
        help: str = "",
        total: int = 0,
    ) -> None:
        """Record problems of one kind.

        Parameters
        ----------
        code, message, help
            Of each.
        unit, numbers
            Where they are: ``line`` or ``row``, and which ones, in order; the first few are enough.
        about
            The column, if they are about cells.
        total
            How many there are, if not all are in `numbers`.
        """
        found = total or len(numbers)
        self.count += found
        key = (code, message, about)
        group = self.alike.get(key)
        if group is None:
            if len(self.shown) >= SHOWN:
                return
            group = self.alike[key] = _Alike(code, message, unit, about, help)
            self.shown.append(group)
        group.numbers += numbers[: LISTED - len(group.numbers)]
        group.total += found

    def raise_if_any(self) -> None:
        """Refuse the data when there is a problem.

        Raises
        ------
        DuetError
            With up to :data:`SHOWN` diagnostics and, when there are more, one that counts the rest.
        """
        if not self.count:
            return
        shown = [each if isinstance(each, Diagnostic) else each.diagnostic(self.origin) for each in self.shown]
        rest = self.count - sum(1 if isinstance(each, Diagnostic) else each.total for each in self.shown)
        if rest:
            more = f"and {counted(rest, 'more problem')}"
            shown.append(Diagnostic(shown[-1].code, more, where=shown_origin(self.origin)))
        raise DuetError(tuple(shown))


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
