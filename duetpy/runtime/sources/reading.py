"""How tables are read, and refusals of what is given: they name the parameter and the place, never what is there."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import field, frozen

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.csv import BadRowRule, HeaderRule
from duetpy.runtime.sources.room import Room
from duetpy.runtime.sources.table import BLOCK_ROWS
from duetpy.runtime.values.memory import available
from duetpy.runtime.values.values import SetValue
from duetpy.typecheck import types as t
from duetpy.typecheck.show import show_type

MISSING = "D0608"
NOT_THIS_WAY = "D0609"
UNKNOWN = "D0610"
WRONG_VALUE = "D0611"
SIZES = "D0612"
BOUND = "D0613"
NO_DEFAULT = "D0614"
NO_DROP = "D0620"


@frozen
class Reading:
    """How tables are read.

    Parameters
    ----------
    on_bad_row
        ``refuse``, ``default`` or ``drop``, as in ``run --on-bad-row``.
    header
        Whether files have a header.
    block_rows
        Rows a block.
    may_be_empty
        Whether a table of unknown size may have no rows at all.
    memory
        The bytes that tables of the sizes in the program may take; all that the machine has, where None.
    rows
        How many rows a table has at most, where something else than its own lines says so.
    holds_types
        Whether columns are refused whose type one cell may have decided.
    most
        How many rows a table of a public number of rows has at most; None where that is not known.
    has_public_rows
        Whether the number of rows is public.
    missing
        What stands in a line for a missing value, in addition to an empty cell.
    streamable
        The parameters whose tables the program goes over row by row only, each with the columns that it looks at, or None for all.
    sampled
        The parameters of whose tables the program draws samples only: their rows stay together in memory.
    streams
        Whether such tables are read again for each pass, also where there is room for them.
    rosters
        The sets that have been read, by the name of the parameter: persons may be those in one.
    identifier
        The column that says whose each line is, where a file of persons is read.
    """

    on_bad_row: BadRowRule = "refuse"
    header: HeaderRule = "auto"
    block_rows: int = BLOCK_ROWS
    may_be_empty: bool = False
    memory: int | None = None
    rows: int | None = None
    holds_types: bool = True
    most: int | None = None
    has_public_rows: bool = False
    missing: frozenset[str] = frozenset()
    streamable: Mapping[str, frozenset[int] | None] = field(factory=dict, hash=False)
    sampled: frozenset[str] = frozenset()
    streams: bool = False
    rosters: Mapping[str, SetValue] = field(factory=dict, hash=False)
    identifier: str | None = None

    @property
    def is_total(self) -> bool:
        """Whether nothing that a row says stops the run."""
        return self.on_bad_row != "refuse"

    @property
    def room(self) -> Room:
        """The memory for the table that is read."""
        memory = available() if self.memory is None else self.memory
        if not self.is_total or self.has_public_rows:
            return Room(memory, is_public=self.is_total, rows=self.most)
        return Room(available())


def refuse(code: str, message: str, help: str = "") -> DuetError:
    """A refusal of what was given for a parameter."""
    return DuetError((Diagnostic(code, message, help=help),))


def wrong(name: str, type_: t.Type, what: str = "") -> DuetError:
    """A value that its parameter cannot take. The value itself may be anyone's and is not told."""
    return refuse(WRONG_VALUE, f"{visible(name)} : {show_type(type_)} cannot be this{what}")


def of_public(reading: Reading) -> Reading:
    """How public files are read: they may have a heading that only the caller knows of, and are never read in part."""
    return Reading(header="yes" if reading.header == "yes" else "auto")


def markers_of(missing: object) -> frozenset[str]:
    """What stands for a missing value; raises ValueError for what no cell can be."""
    if isinstance(missing, str) or not isinstance(missing, Collection) or not all(isinstance(m, str) for m in missing):
        raise ValueError("missing is not a list of texts")
    markers = frozenset(missing)
    if any(not marker.strip() or marker != marker.strip(" \t") or set(marker) & set('",;\t\r\n') for marker in markers):
        raise ValueError(
            "a word for missing values cannot contain a quote or a separator, or begin or end with a space"
        )
    try:
        "".join(markers).encode()
    except UnicodeEncodeError:
        raise ValueError("a word for missing values is not UTF-8") from None
    return markers
