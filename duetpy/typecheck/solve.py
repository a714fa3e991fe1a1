"""Solving for kind variables by matching a wanted type against an actual one.

`collect` only gathers what the variables would have to be; whether the actual type then fits is decided by `coerce` on the
instantiated type. So a wrong guess can refuse a program but never accept one.
"""

from __future__ import annotations

from duetpy.grammar.ast import Kind
from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import KindVar, Quantity
from duetpy.typecheck.rewriting import Replacement
from duetpy.typecheck.subtype import is_finer, widen


def collect(wanted: t.Type, actual: t.Type, unknown: frozenset[KindVar], solved: dict[KindVar, Replacement]) -> None:
    """Add to `solved` what matching `actual` against `wanted` says of the `unknown` variables; the first word stands."""

    def number(pattern: Quantity, value: Quantity) -> None:
        _solve(pattern, value, unknown, solved)

    def go(inner_wanted: t.Type, inner_actual: t.Type) -> None:
        collect(inner_wanted, inner_actual, unknown, solved)

    match wanted, actual:
        case t.TypeVar(variable), _:
            if variable in unknown:
                # A range stands in 𝐝 only, and a variable may stand anywhere.
                solved.setdefault(variable, t.REAL if isinstance(actual, t.Bounded) else actual)
        case t.StaticNat(pattern), t.StaticNat(value):
            number(pattern, value)
        case t.StaticReal(pattern), t.StaticReal(value):
            number(pattern.magnitude, value.magnitude)
        case t.Idx(pattern), t.Idx(value):
            number(pattern, value)
        case t.Idx(pattern), t.StaticNat(value):
            number(pattern, value + 1)
        case (t.Disc(inner), t.Disc(found)) | (t.Maybe(inner), t.Maybe(found)) | (t.SetOf(inner), t.SetOf(found)):
            go(inner, found)
        case t.Disc(inner) | t.Maybe(inner), _:
            go(inner, widen(actual))
        case (t.Product(a, b), t.Product(c, d)) | (t.Sum(a, b), t.Sum(c, d)) | (t.With(a, b), t.With(c, d)):
            go(a, c)
            go(b, d)
        case t.Box(_, inner), t.Box(_, found):
            go(inner, found)
        case t.Fun(), t.Fun():
            go(wanted.domain, actual.domain)
            number(wanted.sensitivity, actual.sensitivity)
            go(wanted.codomain, actual.codomain)
        case t.PFun(), t.PFun():
            for ours, theirs in zip(wanted.parameters, actual.parameters, strict=False):
                go(ours.type, theirs.type)
            go(wanted.codomain, actual.codomain)
        case t.Matrix(), t.Matrix():
            _collect_matrix(wanted, actual, unknown, solved)
        case _:
            pass


def _collect_matrix(
    wanted: t.Matrix, actual: t.Matrix, unknown: frozenset[KindVar], solved: dict[KindVar, Replacement]
) -> None:
    if wanted.rows is not None and actual.rows is not None:
        _solve(wanted.rows, actual.rows, unknown, solved)
    if wanted.clip is not None and actual.clip is not None and is_finer(actual.clip.norm, wanted.clip.norm):
        _solve(wanted.clip.bound, actual.clip.bound, unknown, solved)
    match wanted.schema, actual.schema:
        case t.SchemaVar(variable), schema:
            if variable in unknown:
                solved.setdefault(variable, schema)
        case t.Uniform(pattern, element), t.Uniform() | t.Columns():
            _solve(pattern, actual.width, unknown, solved)
            for found in actual.column_types() if actual.element is None else (actual.element,):
                collect(element, found, unknown, solved)
        case t.Columns(columns), t.Columns(others):
            for column, theirs in zip(columns, others, strict=False):
                collect(column.type, theirs.type, unknown, solved)
        case _:
            pass


def _solve(pattern: Quantity, value: Quantity, unknown: frozenset[KindVar], solved: dict[KindVar, Replacement]) -> None:
    """What a number says of the variable that is wanted in its place."""
    variable = as_variable(pattern)
    if variable is not None and variable in unknown:
        solved.setdefault(variable, value)


def as_variable(quantity: Quantity) -> KindVar | None:
    """The variable that a quantity is, if it is one bare variable."""
    found = quantity.variables()
    if len(found) != 1:
        return None
    (variable,) = found
    return variable if quantity == Quantity.var(variable) else None


def fits_kind(variable: KindVar, value: Replacement) -> bool:
    """Whether a variable of that kind may stand for the value."""
    if variable.kind is Kind.TYPE:
        return not isinstance(value, Quantity)
    return isinstance(value, Quantity)
