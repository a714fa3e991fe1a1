"""What a program promises with ``ensures``, at the numbers of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from duetpy.accounting.guarantees import settle
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.typecheck.conditions import Promise
from duetpy.typecheck.errors.promises import broken
from duetpy.typecheck.quantity import KindVar


def check_promises(promises: Iterable[Promise], numbers: Mapping[KindVar, Fraction]) -> None:
    """Raise `DuetError` with every promise that these numbers break; what they do not decide is passed over."""
    told: dict[Diagnostic, None] = {}
    for promise in promises:
        for breach in settle(promise, numbers)[1]:
            notes, help = breach.notes, breach.help
            told[broken(breach.span, breach.promised, breach.unit, breach.proved, notes, help)] = None
    if told:
        raise DuetError(list(told))
