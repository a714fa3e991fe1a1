"""What kind variables stand for at a call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar as TypeVariable

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Kind
from duetpy.source import Span
from duetpy.typecheck import capacity, elaborate, rewriting
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import Instance, KindArgument
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.errors import names
from duetpy.typecheck.quantity import ONE, ZERO, KindVar, Quantity, admits, denominator
from duetpy.typecheck.solve import collect, fits_kind

F = TypeVariable("F", t.Fun, t.PFun)


#   Γ demands Φ[ηs/κs], and that ηs are in the range of κs
def instantiated(
    checker: Checker,
    node: ast.Node,
    function: F,
    solved: Mapping[KindVar, rewriting.Replacement],
    span: Span | None = None,
) -> F | None:
    """A function type with its kind variables replaced; None, once refused, where a number is out of their range.

    What the side conditions come to is demanded here, but for those on variables that stay open. The run gets what was
    put in: data does not say all of it, such as bounds of rows.
    """
    for variable, value in solved.items():
        if isinstance(value, Quantity) and not in_range(checker, variable, value, span or node.span):
            return None
    values = [solved.get(variable) for variable in function.kinds]
    checker.annotations.instances[node] = Instance(
        tuple(value if isinstance(value, Quantity) else None for value in values),
        tuple(_cells_of(value) for value in values),
        checker.repeats,
    )
    left = tuple(variable for variable in function.kinds if variable not in solved)
    instance = rewriting.substitute(evolve(function, kinds=left), solved)
    assert isinstance(instance, type(function))
    types = frozenset(variable for variable in solved if variable.kind is Kind.TYPE) - rewriting.free_in_mapping(solved)
    # What is put in for the columns of a table cannot stand for a type, nor the other way round.
    unchanged = sorted(variable.name for variable in types & rewriting.free_variables(instance)) if types else []
    if unchanged:
        checker.report(names.columns_and_type(span or node.span, unchanged[0]))
        return None
    for condition in instance.conditions:
        if condition.variables().isdisjoint(instance.kinds):
            checker.demand(condition)
    kept = tuple(each for each in instance.conditions if not each.variables().isdisjoint(instance.kinds))
    return evolve(instance, conditions=kept)


def _cells_of(value: rewriting.Replacement | None) -> Quantity | None:
    if value is None or isinstance(value, Quantity | t.Uniform | t.Columns | t.SchemaVar):
        return None
    cells = capacity.held_of(value)
    return None if cells.is_infinite else cells


def told_by(
    checker: Checker, node: ast.Node, function: F, pairs: Iterable[tuple[t.Type, t.Type]], span: Span | None = None
) -> F | None:
    """A function type with what matching its parameters against actual types says of its kind variables: all of them, or it is
    refused."""
    solved: dict[KindVar, rewriting.Replacement] = {}
    pairs = list(pairs)
    for wanted, actual in pairs:
        collect(wanted, actual, frozenset(function.kinds), solved)
    solved = {variable: value for variable, value in solved.items() if fits_kind(variable, value)}
    missing = [variable.name for variable in function.kinds if variable not in solved]
    if missing:
        checker.report(names.cannot_infer(span or node.span, missing, pairs))
        return None
    return instantiated(checker, node, function, solved, span)


def in_range(checker: Checker, variable: KindVar, value: Quantity, span: Span) -> bool:
    """Demand what kind variables range over: whole numbers ≥ 1 (ℕ) and numbers > 0 (ℝ⁺), all finite; the order relies on it.

    False where the value is plainly outside, so that nothing may be put in for the variable.
    """
    if variable.kind is Kind.NAT:
        checker.obligate(ONE, "≤", value, f"{variable.name} is a size, and sizes are at least 1", span)
        if value.constant is None and not value.is_infinite:
            below = denominator(value)
            checker.obligate(below, "∣", value * below, f"{variable.name} is a size, and sizes are whole numbers", span)
    else:
        checker.obligate(ZERO, "<", value, f"{variable.name} is a positive real", span)
    if not value.is_infinite and capacity.degree(value) > 1:
        for obligation in capacity.computable(value, span):
            checker.demand(obligation)
    if value.is_infinite:
        checker.report(names.infinite_argument(span, variable.name))
    elif value.constant is not None and not admits(variable, value) and value.constant >= 1:
        checker.report(names.wrong_kind(span, value.show(), "a whole number (ℕ)", "a real number"))
    return not value.is_infinite and (value.constant is None or admits(variable, value))


def at_kinds(
    checker: Checker, node: ast.TypeApp | ast.PApp, function: F, written: tuple[ast.RExp | ast.Type, ...]
) -> F | None:
    """A function type at the kind arguments that are written; None, once refused, where they do not fit."""
    if not written:
        return function
    if len(written) != len(function.kinds):
        checker.report(names.kind_arity(node.span, len(function.kinds), len(written)))
        return None
    mapping: dict[KindVar, rewriting.Replacement] = {}
    kept: list[KindArgument] = []
    for variable, argument in zip(function.kinds, written, strict=True):
        value = kind_argument(checker, variable, argument)
        if value is None:
            return None
        mapping[variable] = value
        kept.append(value)
    checker.annotations.arguments[node] = tuple(kept)
    return instantiated(checker, node, function, mapping)


_NUMBERS = (ast.RVar, ast.RNum, ast.RInf, ast.RBin, ast.RFun)


def kind_argument(checker: Checker, variable: KindVar, argument: ast.RExp | ast.Type) -> KindArgument | None:
    if variable.kind is Kind.TYPE:
        if isinstance(argument, ast.RVar):
            found = checker.scope.lookup_kind(argument.name)
            if found is not None and found.kind is Kind.TYPE:
                return t.TypeVar(found)
        elif not isinstance(argument, _NUMBERS):
            return elaborate.type_(checker, argument)
        checker.report(names.wrong_kind(argument.span, argument.span.text, "a type", "a number"))
        return None
    if not isinstance(argument, _NUMBERS):
        checker.report(names.wrong_kind(argument.span, argument.span.text, "a number", "a type"))
        return None
    return elaborate.size(checker, argument) if variable.kind is Kind.NAT else elaborate.quantity(checker, argument)
