"""How much memory an expression holds, and what is counted of it: for `duetpy.runtime.release.footprint`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from attrs import frozen

from duetpy.typecheck.quantity import KindVar, OutsideDomain, Quantity

Functions: TypeAlias = frozenset[int]
"""Functions by number, of which the counter knows the rest."""
NONE: Functions = frozenset()


@frozen
class Amount:
    """Bytes of tables and functions, of which every lane of a body has its own, and of calls, of which it has not."""

    held: int = 0
    calls: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.held + other.held, self.calls + other.calls)

    def times(self, count: int) -> Amount:
        return Amount(self.held * count, self.calls)

    def or_more(self, other: Amount) -> Amount:
        return Amount(max(self.held, other.held), max(self.calls, other.calls))

    @property
    def bytes(self) -> int:
        return self.held + self.calls


NOTHING = Amount()


@frozen
class Counted:
    """What an expression holds: see `duetpy.runtime.release.footprint`."""

    peak: Amount = NOTHING
    kept: Amount = NOTHING
    functions: Functions = NONE

    def then(self, after: Counted) -> Counted:
        """This, and another one at the same time."""
        peak = self.peak.or_more(self.kept + after.peak)
        return Counted(peak, self.kept + after.kept, self.functions | after.functions)

    def either(self, other: Counted) -> Counted:
        """This, or another one."""
        return Counted(self.peak.or_more(other.peak), self.kept.or_more(other.kept), self.functions | other.functions)


EMPTY = Counted()


def evaluated(size: Quantity, numbers: Mapping[KindVar, Fraction]) -> Fraction | None:
    """The number that a quantity is, or one hardly above it; None where nothing says which it is."""
    try:
        number = size.evaluate(numbers, up=True)
    except (KeyError, OutsideDomain):
        return None
    return number if isinstance(number, Fraction) else None


def shown_bytes(amount: int) -> str:
    """A number of bytes, as people say it."""
    for unit, size in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20)):
        if amount >= size:
            return f"{min(amount, size * 10**15) / size:.3g} {unit}"
    return f"{amount} bytes"
