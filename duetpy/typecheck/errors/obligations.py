"""D05xx: side conditions on static numbers, and the parameters of mechanisms."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic, Label
from duetpy.source import Span
from duetpy.typecheck.conditions import MACHINE, Condition, Growth, Obligation
from duetpy.typecheck.errors.texts import Text, text_of


def condition_lost(span: Span, lost: Sequence[Condition]) -> Diagnostic:
    """A function stands for another that demands less of its sizes."""
    return text_of(__name__, "condition_lost")(span, _stated(lost[0]), _sizes(lost), labels=_labels(lost))


def condition_of_given(span: Span, lost: Sequence[Condition]) -> Diagnostic:
    """A function takes functions that demand less of their sizes than those that it would be given."""
    return text_of(__name__, "condition_of_given")(span, _stated(lost[0]), _sizes(lost), labels=_labels(lost))


def _sizes(lost: Sequence[Condition]) -> list[str]:
    return sorted({variable.name for condition in lost for variable in condition.variables() - MACHINE})


def _labels(lost: Sequence[Condition]) -> tuple[Label, ...]:
    return tuple(Label(condition.span, f"{_stated(condition)}: {condition.reason}") for condition in lost[:3])


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
