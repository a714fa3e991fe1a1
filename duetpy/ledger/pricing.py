"""What a program is charged in a ledger's notion: the least upper bound that the accountant knows, as an exact number.

A number that is not a decimal and has a large denominator is rounded up at the sixtieth digit: sums of such numbers would grow with
every charge.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from duetpy.accounting.budget import ZERO, Budget, Charge
from duetpy.accounting.certify import tight
from duetpy.accounting.expressions import Part
from duetpy.accounting.price import Price, settled
from duetpy.accounting.rounding import claimed, short_up
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.typecheck.cost import Cost, is_free
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import KindVar, Quantity

NO_CHARGE = "D0721"

Values = Mapping[KindVar, Fraction]


def charge(cost: Cost, budget: Budget, values: Values, delta: Fraction | None) -> Charge:
    """The charge for a cost at the actual numbers.

    In (ε, δ) the charge is at `delta`, or, where that is not given, at the δ that the cost has by itself. What depends on no data
    spends nothing at any δ.

    Raises
    ------
    DuetError
        D0721 where the notion has no price for the program, or no δ to price it at.
    """
    if is_free(cost):
        return Charge(ZERO)
    own = settled(cost, budget.notion, values)
    parts = [_exact(part) for part in own.parts] if isinstance(own, Price) else None
    if budget.notion is Notion.APPROX:
        return _approximate(cost, parts, values, delta)
    if parts is None or parts[0] is None:
        reason = "its cost in that notion is unbounded" if isinstance(own, Price) else own.reason
        kept = budget.notion.info.name if budget.notion.info.bounds_ratio else budget.notion.letters[0]
        raise _refused(f"a ledger kept in {kept} cannot be charged for this program", reason)
    return Charge(short_up(parts[0]))


def _approximate(cost: Cost, parts: list[Fraction | None] | None, values: Values, delta: Fraction | None) -> Charge:
    own_epsilon, own_delta = parts if parts is not None else (None, None)
    at = own_delta if delta is None else delta
    if at is None:
        raise _refused(
            "missing value for the δ that this run may spend",
            "the program has no δ of its own, and the ledger is kept in ε and δ",
            "add --delta 1e-7",
        )
    bound = tight(cost, values, at).epsilon
    candidates = [] if bound == float("inf") else [claimed(bound)]
    if own_epsilon is not None and own_delta is not None and own_delta <= at:
        candidates.append(own_epsilon)
    if not candidates:
        raise _refused(
            "a ledger kept in ε and δ cannot be charged for this program", f"no ε is known at δ = {float(at):g}"
        )
    return Charge(short_up(min(candidates)), short_up(at))


def _exact(part: Part) -> Fraction | None:
    """A part as a fraction that is at least the truth; None for ∞."""
    if isinstance(part, Quantity):
        found = part.evaluate({}, up=True)
        return found if isinstance(found, Fraction) else None
    number = part.evaluate_float({}, up=True)
    return None if number == float("inf") else claimed(number)


def _refused(
    message: str, reason: str, help: str = "keep a ledger in a notion in which the program has a cost"
) -> DuetError:
    return DuetError((Diagnostic(NO_CHARGE, message, notes=(reason,), help=help),))
