"""What mechanisms share: parameters in brackets, the inputs listed between < and >, and the sensitivity that is claimed."""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.source import Span
from duetpy.typecheck import types as t
from duetpy.typecheck.blame import culprit
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.conditions import COVERED
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.errors import names, obligations, privacy, sensitivity, shapes, stretching
from duetpy.typecheck.errors.causes import unbounded_cause
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.mechanism_rows import FORMS, row_of
from duetpy.typecheck.quantity import ONE, ZERO, Quantity


def static_parameters(
    checker: Checker, node: ast.Mechanism, names: tuple[str, ...], judged: list[Judged | None]
) -> tuple[Quantity, ...] | None:
    """ε, δ, ρ … as static positive numbers, with the side conditions of each; they are the last in the brackets."""
    values: list[Quantity] = []
    optional = row_of(FORMS[node.name].noise).optional if node.name in FORMS else ()
    for name, param, written in zip(names, judged, node.params[-len(names) :], strict=True):
        if param is None or written is None:
            checker.report(privacy.auto_misplaced(node.span, node.name, name))
            return None
        value = static_value(checker, written, param, node.name, name)
        if value is None:
            return None
        if name == "N":
            checker.obligate(ONE, "≤", value, f"the power N of {node.name} is at least 1", written.span)
        elif name not in optional:
            checker.obligate(ZERO, "<", value, f"{name} of {node.name} is positive", written.span)
        if name == "δ":
            checker.obligate(value, "<", ONE, f"δ of {node.name} is a probability", written.span)
        if name in ("α", "ω"):
            checker.obligate(ONE, "<", value, f"the order {name} of {node.name} is above 1", written.span)
        values.append(value)
    return tuple(values)


def static_value(checker: Checker, node: ast.SExp, judged: Judged, form: str, name: str) -> Quantity | None:
    match judged.type:
        case t.StaticReal(value) if not value.negative:
            return value.magnitude
        case t.StaticReal(value):
            checker.report(obligations.parameter_negative(node.span, form, name, value.show()))
            return None
        case t.StaticNat(natural):
            return natural
        case t.Poison():
            return None
        case other:
            checker.report(obligations.parameter_not_static(node.span, form, name, other))
            return None


def static_whole(checker: Checker, written: ast.SExp, judged: Judged, what: str) -> Quantity | None:
    """A known number of things: a natural number, since there are no 2.5 things."""
    match judged.type:
        case t.StaticNat(count):
            return count
        case t.Poison():
            return None
        case other:
            checker.report(shapes.needs_static_count(written.span, other, what))
            return None


def listing(checker: Checker, node: ast.Mechanism, body: Judged) -> tuple[Context, Context]:
    """The part of the body's context that the noise protects, and the part that it does not."""
    covered(checker, body.context, node.body.span)
    listed = listed_roots(checker, node.private)
    if listed is None:
        return body.context, Context()
    inside = body.context.without(*(root for root in body.context.entries if root not in listed))
    return inside, body.context.without(*inside.entries)


def covered(checker: Checker, moved: Context, span: Span) -> None:
    """Demand that the noise covers what rounding adds to a move, where something moves."""
    if moved and not moved.rounding.is_zero:
        checker.obligate(moved.rounding, "≤", COVERED, "the noise covers what is rounded", span)


def claimed(
    checker: Checker, node: ast.Mechanism, declared: Judged | None, listed: Context, inferred: Quantity
) -> Quantity | None:
    """The sensitivity that the noise is calibrated for; None, with a diagnostic, if it does not cover the inferred one.

    None too if something in the body was refused, even if the body does not use it: nobody knows on what it would depend.
    """
    body = node.body
    if refused_within(checker, body.span):
        return None
    for root, s in listed.entries.items():
        if not s.finite():
            known = checker.scope.lookup(root.name)
            # How far two tables are apart follows from the type that was refused.
            if known is not None and t.is_poisoned(known.type):
                return None
            at = culprit(body, root, checker.concluded, checker.annotations.addends)
            cause = unbounded_cause(at, checker.concluded)
            checker.report(sensitivity.unbounded_sensitivity(node, at, root.name, cause, node.private is None))
            return None
    # An unknown name in the list has been reported already; the body may depend on the input that it was meant for.
    is_misnamed = any(checker.scope.lookup(name.text) is None for name in node.private or ())
    if declared is None:
        if inferred.is_zero:
            if not is_misnamed:
                if node.params[0] is None:
                    checker.report(privacy.nothing_to_protect(body.span, node.name))
                else:
                    checker.report(privacy.no_risk_to_protect(body.span, node.name))
            return None
        return inferred
    written = node.params[0]
    assert written is not None
    bound = static_value(checker, written, declared, node.name, "the sensitivity")
    if bound is None:
        return None
    checker.obligate(ZERO, "<", bound, f"the sensitivity of {node.name} is positive", written.span)
    refused_roots = [(root, s) for root, s in listed.entries.items() if not s.leq(bound)]
    for root, s in refused_roots:
        proved_larger = bound.lt(s)
        reasons = stretching.stretching(body, checker.concluded, checker.annotations.addends)
        checker.report(
            sensitivity.sensitivity_too_small(node, written.span, root.name, s, bound, proved_larger, reasons)
        )
    if refused_roots:
        return None
    if not listed and not is_misnamed:
        checker.report(privacy.protects_nothing(body.span, node.name))
    return bound


def refused_within(checker: Checker, span: Span) -> bool:
    """Whether something in this part of the text was refused, or stands for what was refused elsewhere."""
    told = (diagnostic.span for diagnostic in checker.told if diagnostic.is_error)
    return any(at and span.contains(at) for at in (*told, *(node.span for node in checker.refused)))


def listed_roots(checker: Checker, private: tuple[ast.Name, ...] | None) -> frozenset[Root] | None:
    """The inputs named between angle brackets; None where the list was left out."""
    if private is None:
        return None
    found: set[Root] = set()
    for name in private:
        if not name.text:
            continue
        judged = checker.scope.lookup(name.text)
        if judged is None:
            checker.report(names.unbound(name.span, name.text, checker.scope))
        elif not judged.context and not isinstance(judged.type, t.Poison):
            checker.report(privacy.listed_is_public(name.span, name.text))
        else:
            found |= set(judged.context.entries)
    return frozenset(found)
