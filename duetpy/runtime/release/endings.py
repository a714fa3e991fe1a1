"""How runs end that release nothing, and what that means for the budget.

Contract. Before noise is drawn, how a run ends is decided by what is public (where bad cells count as defaults), and it costs
what a ledger was charged for it. Afterwards it may be decided by the noise, which depends on data: such an end never says
that nothing was spent. What an end means for the budget stands with the last diagnostic, so that it is in JSON and in Python too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from attrs import define, evolve

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release.mechanisms import Randomness
from duetpy.runtime.sources.reading import WRONG_VALUE, refuse
from duetpy.runtime.sources.room import TOO_LARGE
from duetpy.settings import TOO_LONG
from duetpy.typecheck.quantity import QuantityTooLarge

FAULT = "D0901"
NO_MEMORY = "there is too little memory for this run"

DRAWN = "noise was drawn: what this run costs counts as spent"
CHARGED = "any charge of this run to the ledger stays"
DRAWN_AND_CHARGED = f"noise was drawn: {CHARGED}"

Stop = TypeVar("Stop", bound=BaseException)


class Spent(DuetError):
    """A run that failed after it was charged: nothing was released, and the charge stays."""


class AfterNoise(DuetError):
    """A run that failed after noise was drawn."""


class SpentAfterNoise(Spent, AfterNoise):
    """A run that failed after it was charged and noise was drawn."""


@define
class Spending:
    """What a run has spent so far, whenever it ends.

    Parameters
    ----------
    randomness
        Where its noise comes from, which knows whether any was drawn.
    is_charged
        Whether it may have been charged to a ledger: the charge was written, or whatever stopped the run came while it was.
    """

    randomness: Randomness
    is_charged: bool = False

    @property
    def meaning(self) -> str:
        """What an end now means for the budget; the empty text where nothing was spent."""
        if self.randomness.was_asked:
            return DRAWN_AND_CHARGED if self.is_charged else DRAWN
        return CHARGED if self.is_charged else ""


def ended(cause: BaseException, spending: Spending) -> DuetError | KeyboardInterrupt | SystemExit:
    """How a run ends that something stopped: an exception without the history and the words of its cause, except those of a
    diagnostic."""
    match cause:
        case DuetError():
            return failed(cause.diagnostics, spending)
        case MemoryError():
            # What is read is counted, and what is computed from it is not.
            help = "run it where there is more memory, or give fewer rows"
            return failed(refuse(TOO_LARGE, NO_MEMORY, help).diagnostics, spending)
        case QuantityTooLarge():
            return failed(refuse(WRONG_VALUE, TOO_LONG).diagnostics, spending)
        case KeyboardInterrupt():
            return _noted(KeyboardInterrupt(), spending)
        case SystemExit():
            return _noted(SystemExit(cause.code if type(cause.code) is int else 1), spending)
        case _:
            fault = Diagnostic(FAULT, "an internal error stopped the run; nothing was released")
            return failed((fault,), spending)


def failed(diagnostics: Sequence[Diagnostic], spending: Spending) -> DuetError:
    """Why there is no release, and what that means for the budget."""
    if not spending.meaning:
        return DuetError(tuple(diagnostics))
    *others, last = diagnostics
    said = (*others, evolve(last, notes=(*last.notes, spending.meaning)))
    if not spending.randomness.was_asked:
        return Spent(said)
    return _noted((SpentAfterNoise if spending.is_charged else AfterNoise)(said), spending)


def _noted(error: Stop, spending: Spending) -> Stop:
    if spending.meaning:
        error.add_note(spending.meaning)
    return error
