"""Whether the rows of a source fit into memory.

Contract. What is compared with the memory is a count that the source says before a cell is read, or that is reached while it is
read: never the size of a compressed file, which does not show how much is in it. For rows of numbers, the count alone decides.
Where bad cells count as defaults and the number of rows is public, so is the answer: a text has no more characters than there is
memory for in every row, and a longer one is a bad cell. Where the number of rows is private, what is compared is the memory of the
machine, and nothing that a caller may choose: else one could search for the number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from attrs import evolve, frozen

from duetpy.runtime.sources.column_selection import Binding
from duetpy.runtime.sources.problems import refuse
from duetpy.runtime.sources.table import ColumnSpec

TOO_LARGE = "D0619"

NUMBER_BYTES = 16
"""A double, and the array that it is read from."""
TEXT_BYTES = 96
"""A text without characters and where it is kept: CPython takes 49 to 76 bytes for the text, 8 for each of two places."""
CHARACTER_BYTES = 4
"""The most that CPython takes for a character."""
SHORTEST_LIMIT = 64
"""If each text has room for fewer characters than this, the rows are refused."""


@frozen
class Room:
    """The memory for one table.

    Parameters
    ----------
    memory
        In bytes.
    is_public
        Whether the number of rows is public, and a caller may only see what follows from that.
    rows
        How many rows there are at most; None where that is not known before they are read.
    """

    memory: int
    is_public: bool = False
    rows: int | None = None

    def fits(self, rows: int, columns: Sequence[ColumnSpec], characters: int = 0) -> bool:
        """Whether so many rows fit, whose texts have so many characters."""
        numbers = sum(column.kind.is_numeric for column in columns)
        a_text = TEXT_BYTES + (CHARACTER_BYTES * SHORTEST_LIMIT if self.is_public else 0)
        a_row = numbers * NUMBER_BYTES + (len(columns) - numbers) * a_text
        kept = 0 if self.is_public else CHARACTER_BYTES * characters
        return rows * a_row + kept <= self.memory

    def refuse_more(self, origin: str, rows: int, columns: Sequence[ColumnSpec], characters: int = 0) -> None:
        """Raise D0619 if so many rows do not fit."""
        if not self.fits(rows, columns, characters):
            refuse_large(origin)

    def longest(self, columns: Sequence[ColumnSpec]) -> int | None:
        """How many characters a text may have; None where that is decided by all texts together."""
        texts = sum(not column.kind.is_numeric for column in columns)
        if not self.is_public or not texts or not self.rows:
            return None
        left = self.memory // self.rows - (len(columns) - texts) * NUMBER_BYTES
        return max(0, left // texts - TEXT_BYTES) // CHARACTER_BYTES

    def limited(self, bindings: Sequence[Binding]) -> tuple[Binding, ...]:
        """Columns with the limit to their texts."""
        longest = self.longest([binding.column for binding in bindings])
        if longest is None:
            return tuple(bindings)
        return tuple(
            binding
            if binding.column.kind.is_numeric
            else evolve(binding, column=evolve(binding.column, longest=longest))
            for binding in bindings
        )


def refuse_large(origin: str) -> NoReturn:
    """Raise D0619. How many rows there are may be private, so that it is not told."""
    refuse(TOO_LARGE, "has more rows, or longer texts, than fit into memory", origin, help=_HELP)


_HELP = "allow more with --memory 64GiB if the machine has it, or give fewer columns or rows"
