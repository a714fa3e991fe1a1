"""Sets of days that follow one another, which are as short as two cells and may be as long as the calendar.

Contract. Whatever asks such a set for one day, or compares it with another set, takes no longer for ten thousand years than for a
week: two cells of one row decide how many days there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import overload

from attrs import frozen


@frozen(eq=False, repr=False)
class Days(Sequence[date]):
    """Days that follow one another, each made when it is looked at."""

    span: range

    def __len__(self) -> int:
        return len(self.span)

    def __contains__(self, value: object) -> bool:
        return isinstance(value, date) and value.toordinal() in self.span

    @overload
    def __getitem__(self, at: int) -> date: ...
    @overload
    def __getitem__(self, at: slice) -> Days: ...
    def __getitem__(self, at: int | slice) -> date | Days:
        return Days(self.span[at]) if isinstance(at, slice) else date.fromordinal(self.span[at])
