"""How runs end that release nothing, and what that means for the budget.

Contract. Before noise is drawn, how a run ends is decided by what is public (where bad cells count as defaults), and it costs
what a ledger was charged for it. Afterwards it may be decided by the noise, which depends on data: such an end never says
that nothing was spent. What an end means for the budget stands with the last diagnostic, so that it is in JSON and in Python too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from attrs import evolve

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release.mechanisms import Randomness

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


def failed(diagnostics: Sequence[Diagnostic], is_charged: bool, randomness: Randomness) -> DuetError:
    """Why there is no release, and what that means for the budget."""
    meaning = _meaning(is_charged, randomness)
    if not meaning:
        return DuetError(tuple(diagnostics))
    *others, last = diagnostics
    said = (*others, evolve(last, notes=(*last.notes, meaning)))
    if not randomness.was_asked:
        return Spent(said)
    return stopped((SpentAfterNoise if is_charged else AfterNoise)(said), is_charged, randomness)


def _meaning(is_charged: bool, randomness: Randomness) -> str:
    """What an end means for the budget; the empty text where nothing was spent."""
    if randomness.was_asked:
        return DRAWN_AND_CHARGED if is_charged else DRAWN
    return CHARGED if is_charged else ""


def stopped(error: Stop, is_charged: bool, randomness: Randomness) -> Stop:
    """The end of a run, with a note of what it means for the budget, if anything was spent."""
    if meaning := _meaning(is_charged, randomness):
        error.add_note(meaning)
    return error
