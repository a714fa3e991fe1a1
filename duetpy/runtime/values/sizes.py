"""What an argument says of the kind variables in its parameter's type: the rows of a matrix are its m."""

from __future__ import annotations

from fractions import Fraction

from duetpy.runtime.values.values import MatrixValue, Value
from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import KindVar, Quantity
from duetpy.typecheck.solve import as_variable


def match_kinds(wanted: t.Type, value: Value, unknown: frozenset[KindVar], solved: dict[KindVar, Fraction]) -> None:
    """Add to `solved` what an argument says of the unknown kind variables in its type: how many rows and columns it has."""
    match wanted:
        case t.StaticNat(pattern):
            if isinstance(value, int):
                solve(pattern, Fraction(value), unknown, solved)
        case t.StaticReal(signed):
            if isinstance(value, int | Fraction):
                solve(signed.magnitude, abs(Fraction(value)), unknown, solved)
        case t.Product(left, right) | t.With(left, right):
            if isinstance(value, tuple):
                match_kinds(left, value[0], unknown, solved)
                match_kinds(right, value[1], unknown, solved)
        case t.Box(_, inner) | t.Disc(inner):
            match_kinds(inner, value, unknown, solved)
        case t.Matrix():
            if isinstance(value, MatrixValue):
                _match_matrix(wanted, value, unknown, solved)
        case _:
            pass


def _match_matrix(
    wanted: t.Matrix, value: MatrixValue, unknown: frozenset[KindVar], solved: dict[KindVar, Fraction]
) -> None:
    if wanted.rows is not None:
        solve(wanted.rows, Fraction(value.rows), unknown, solved)
    if isinstance(wanted.schema, t.Uniform):
        solve(wanted.schema.count, Fraction(value.width), unknown, solved)


def solve(pattern: Quantity, number: Fraction, unknown: frozenset[KindVar], solved: dict[KindVar, Fraction]) -> None:
    """Add to `solved` the number of a quantity that is an unknown variable."""
    variable = as_variable(pattern)
    if variable is not None and variable in unknown:
        solved.setdefault(variable, number)
