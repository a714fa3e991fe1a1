"""How much memory an expression holds, and what is counted of it: for `duetpy.runtime.release.footprint`."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TypeAlias

from attrs import frozen

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.values.memory import BYTES_TOGETHER
from duetpy.runtime.values.statics import KindScope
from duetpy.source import Span
from duetpy.typecheck import core
from duetpy.typecheck.capacity import held_of
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.types import Matrix, StaticNat

TOO_LARGE = "D0706"

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


def evaluated(size: Quantity, kinds: KindScope) -> Fraction | None:
    """The number that a quantity is, or one hardly above it; None where nothing says which it is, and where it is not finite."""
    if size.is_infinite or not kinds.knows(size.variables()):
        return None
    number = kinds.closed(size).evaluate(kinds.numbers, up=True)
    return number if isinstance(number, Fraction) else None


def number_of(node: core.Expression, kinds: KindScope) -> Fraction | None:
    """The natural number that an expression is, where its type or its text says it."""
    if isinstance(node.static, StaticNat):
        return evaluated(node.static.value, kinds)
    if isinstance(node, core.StaticNumber):
        return evaluated(node.number.magnitude, kinds)
    return Fraction(node.value) if isinstance(node, core.Literal) and isinstance(node.value, int) else None


def drawn(node: core.Sample | core.PFoldRows, kinds: KindScope) -> Counted:
    """The rows of a sample or of a batch, as far as the numbers of rows of its tables are public."""
    cells = 0
    for table in node.tables if isinstance(node, core.Sample) else (node.features, node.labels):
        most = 0
        for type_ in table.types:
            rows = evaluated(type_.rows, kinds) if isinstance(type_, Matrix) and type_.rows is not None else None
            held = evaluated(held_of(type_), kinds)
            if rows and held:
                most = max(most, ceil(held / rows * min(rows, _rows_drawn(node, rows, kinds))))
        cells += most
    amount = Amount(BYTES_TOGETHER * cells)
    return Counted(amount, amount)


def _rows_drawn(node: core.Sample | core.PFoldRows, rows: Fraction, kinds: KindScope) -> Fraction | int:
    """How many of some rows are held at once; those that `poisson` draws have no public number."""
    if isinstance(node, core.Sample) and node.scheme == "shuffle":
        return 1
    return number_of(node.size if isinstance(node, core.Sample) else node.batch, kinds) or rows


def shown_bytes(amount: int) -> str:
    """A number of bytes, as people say it."""
    for unit, size in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20)):
        if amount >= size:
            return f"{min(amount, size * 10**15) / size:.3g} {unit}"
    return f"{amount} bytes"


def too_much(amount: Amount, memory: int, span: Span) -> DuetError:
    """D0706, where a program may hold more than the memory of the run."""
    return DuetError(
        (
            Diagnostic(
                TOO_LARGE,
                f"this may hold about {shown_bytes(amount.bytes)} in memory at once, which does not fit in the "
                f"memory of this run, {shown_bytes(memory)}",
                span,
                "made here",
                notes=(
                    "this follows from public sizes alone; no row was read",
                    "all tables that may exist at the same time are counted; a function keeps those that it mentions",
                ),
                help="choose smaller sizes, or allow more memory: --memory 64GiB (in Python, _memory='64GiB')",
            ),
        )
    )


def uncounted(span: Span) -> DuetError:
    """D0706, where what a program holds cannot be counted."""
    return DuetError(
        (
            Diagnostic(
                TOO_LARGE,
                "cannot count the memory of the functions that this makes from functions",
                span,
                "made here",
                notes=("a run counts memory before any row is read, so that no row decides whether it fits",),
                help="make fewer functions from functions: let a loop pass on numbers and tables, and give its "
                "number of iterations as a number",
            ),
        )
    )
