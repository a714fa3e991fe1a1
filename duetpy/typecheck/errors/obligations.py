"""D05xx: side conditions on static numbers, and the parameters of mechanisms."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic, Label
from duetpy.source import Span
from duetpy.typecheck.conditions import MACHINE, Condition, Growth, Obligation
from duetpy.typecheck.errors.texts import Text, text_of


def condition_lost(span: Span, lost: Sequence[Condition], *, of_given: bool = False) -> Diagnostic:
    """A function stands for another that demands less of its sizes, or, `of_given` ones, takes one that demands less."""
    names = sorted({variable.name for condition in lost for variable in condition.variables() - MACHINE})
    labels = tuple(Label(condition.span, f"{_stated(condition)}: {condition.reason}") for condition in lost[:3])
    text = text_of(__name__, "condition_of_given") if of_given else text_of(__name__, "condition_lost")
    return text(span, _stated(lost[0]), names, labels=labels)


def obligation_fails(span: Span, obligation: Obligation) -> Diagnostic:
    """A side condition that does not hold of the numbers."""
    if obligation.is_of_rounding:
        return text_of(__name__, "rounding_stretched")(span)
    if isinstance(obligation, Growth):
        return text_of(__name__, "growth_hidden")(span, obligation)
    return text_of(__name__, "obligation_fails")(span, obligation)


def _stated(condition: Condition) -> str:
    if isinstance(condition, Obligation) and condition.is_of_machine:
        return f"{condition.left.show()} must fit in the memory of the run"
    return condition.show()


def __getattr__(name: str) -> Text:
    return text_of(__name__, name)
