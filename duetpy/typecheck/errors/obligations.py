"""D05xx: side conditions on static numbers, and the parameters of mechanisms."""

from __future__ import annotations

from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic, Label
from duetpy.source import Span
from duetpy.typecheck.conditions import MACHINE, Condition, Obligation
from duetpy.typecheck.show import show_type
from duetpy.typecheck.types import Type


def obligation_fails(obligation: Obligation) -> Diagnostic:
    return Diagnostic(
        "D0501",
        f"{obligation.show()} does not hold: {obligation.reason}",
        obligation.span,
        "out of range",
        notes=("outside this range there is no guarantee",),
        help="choose a value inside the range",
    )


def obligation_undecided(obligation: Obligation) -> Diagnostic:
    """All its numbers are known, and neither it nor its opposite is proved of them."""
    return Diagnostic(
        "D0501",
        f"cannot decide whether {obligation.show()} holds: {obligation.reason}",
        obligation.span,
        "neither proved nor refuted",
        notes=(
            "the two sides are too close to tell which one is larger, and outside this range there is no guarantee",
        ),
        help="choose a value well inside the range",
    )


def parameter_negative(span: Span, form: str, name: str, shown: str) -> Diagnostic:
    return Diagnostic(
        "D0501",
        f"{name} of {form} is {shown}",
        span,
        "must be positive",
        notes=("a negative parameter would cancel other costs",),
        help="give a positive static number",
    )


def parameter_not_static(span: Span, form: str, name: str, type_: Type) -> Diagnostic:
    return Diagnostic(
        "D0502",
        f"{name} of {form} must be known statically",
        span,
        f"has type {show_type(type_)}",
        notes=("the cost of a program is computed before it sees data",),
        help="use a literal, ℝ⁺[…], or a parameter of type ℝ⁺[ε] with ε : ℝ⁺ bound by the function",
    )


def too_many_conditions(span: Span, count: int) -> Diagnostic:
    return Diagnostic(
        "D0503",
        f"this function has {count} side conditions on its sizes",
        span,
        "more than the checker accepts",
        notes=("each call adds the conditions of the function that it calls, at the sizes of that call",),
        help="call fewer functions at different sizes, or give the sizes as numbers: f@[100, 2]",
    )


def condition_lost(span: Span, lost: Sequence[Condition]) -> Diagnostic:
    """A function stands for another that demands less of its sizes."""
    names = sorted({variable.name for condition in lost for variable in condition.variables() - MACHINE})
    return Diagnostic(
        "D0504",
        f"this function is correct only under a condition that its callers would not know: {_stated(lost[0])}",
        span,
        f"a caller could use any {' and '.join(names)} here",
        labels=tuple(Label(condition.span, f"{_stated(condition)}: {condition.reason}") for condition in lost[:3]),
        notes=("the expected type does not mention this condition, so no call through it would check it",),
        help="apply the function to its sizes before you pass it on, so that the condition is checked: f@[…]",
    )


def _stated(condition: Condition) -> str:
    if isinstance(condition, Obligation) and condition.is_of_machine:
        return f"{condition.left.show()} must fit in the memory of the run"
    return condition.show()
