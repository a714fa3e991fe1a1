"""The two checkers side by side on one program."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from attrs import frozen

from duetpy.grammar import ast
from duetpy.typecheck import types as t
from duetpy.typecheck.quantity import KindVar, Quantity
from tests.soundness.falsify import Program, nodes
from tests.soundness.reference.checker import LEMMAS, Reference
from tests.soundness.reference.metrics import (
    And,
    Arrow,
    Ball,
    Box,
    Disc,
    Index,
    Maybe,
    Plain,
    Plus,
    SetOf,
    Static,
    Table,
    Times,
    Type,
    Within,
)
from tests.soundness.reference.numbers import Num

CLOSE = Fraction(1, 10**25)


@frozen
class Compared:
    """What the two checkers say at numbers for the kind variables.

    Parameters
    ----------
    first, second
        By parameter: the first checker's sensitivity and the second's, ∞ as a float.
    same_type
        Whether the results' types are the same.
    open_ended
        Whether the program has irrational or symbolic numbers, whose order the first may leave open: then it may claim less
        than the second, which sees their values.
    fired
        How often the second used each of its rules.
    """

    first: tuple[Fraction | float, ...]
    second: tuple[Fraction | float, ...]
    same_type: bool
    open_ended: bool
    fired: Counter[str]

    @property
    def agree(self) -> bool:
        return self.same_type and all(map(close, self.first, self.second))

    @property
    def excused(self) -> bool:
        """Whether the first claims no less than the second, where it may claim more."""
        return self.open_ended and not self.first_is_bolder

    @property
    def first_is_bolder(self) -> bool:
        """Whether the first claims less than the second can justify."""
        return any(one < other and not close(one, other) for one, other in zip(self.first, self.second, strict=True))


def close(left: Fraction | float, right: Fraction | float) -> bool:
    if left == math.inf or right == math.inf:
        return left == right
    return abs(Fraction(left) - Fraction(right)) <= CLOSE * (1 + abs(Fraction(left)))


def second_opinion(
    body: ast.SExp, kinds: Mapping[str, Fraction], lemmas: frozenset[str] = LEMMAS
) -> tuple[tuple[Num, ...], Type, Counter[str]]:
    """The sensitivities of a function's parameters, and what its result is."""
    assert isinstance(body, ast.Lam)
    check = Reference(lemmas)
    numbers: dict[str, object] = {name: Num.exactly(value, name) for name, value in kinds.items()}
    here = check.abstraction(body, {}, numbers, factors=1).type
    found = []
    while isinstance(here, Arrow):
        found.append(here.sensitivity)
        here = here.codomain
    return tuple(found), here, check.fired


def compared(claim: Program, kinds: Mapping[KindVar, Fraction], lemmas: frozenset[str] = LEMMAS) -> Compared:
    assert claim.typed.body is not None
    named = {variable.name: value for variable, value in kinds.items()}
    found, result, fired = second_opinion(claim.typed.body, named, lemmas)
    first = tuple(parameter.sensitivity.evaluate(kinds, up=True) for parameter in claim.parameters)
    second = tuple(math.inf if s.low is None else s.high for s in found)
    same_type = is_same_type(claim.at(kinds).result, result)
    named_primitives = {node.name for node in nodes(claim.typed.body) if isinstance(node, ast.Prim)}
    return Compared(first, second, same_type, bool(kinds) or bool(named_primitives & {"√", "㏒"}), fired)


def is_same_number(quantity: Quantity, number: Num) -> bool:
    return close(quantity.evaluate({}, up=True), math.inf if number.low is None else number.high)


def is_same_type(first: t.Type, second: Type) -> bool:
    match first, second:
        case (
            (t.Real(), Plain("ℝ"))
            | (t.Nat(), Plain("ℕ"))
            | (t.Bool(), Plain("𝔹"))
            | (t.Str(), Plain("𝕊"))
            | (t.Date(), Plain("Date"))
        ):
            return True
        case t.StaticNat(value), Static(number, True):
            return is_same_number(value, number)
        case t.StaticReal(value), Static(number, False):
            shown = number.negated() if value.negative else number
            return is_same_number(value.magnitude, shown)
        case t.Idx(size), Index(number):
            return is_same_number(size, number)
        case t.Disc(t.Bounded(a, b)), Disc(Within(c, d)):
            return (a, b) == (c, d)
        case (t.Disc(a), Disc(b)) | (t.Maybe(a), Maybe(b)) | (t.SetOf(a), SetOf(b)) | (t.Box(_, a), Box(_, b)):
            return is_same_type(a, b)
        case (t.Product(a, b), Times(c, d)) | (t.With(a, b), And(c, d)) | (t.Sum(a, b), Plus(c, d)):
            return is_same_type(a, c) and is_same_type(b, d)
        case t.Matrix(), Table():
            return is_same_table(first, second)
        case _:
            return False


def is_same_bound(first: t.Clip | None, second: Ball | None) -> bool:
    if first is None or second is None:
        return first is None and second is None
    return first.norm is second.norm and is_same_number(first.bound, second.bound)


def is_same_table(first: t.Matrix, second: Table) -> bool:
    if (first.rows is None) != (second.rows is None) or first.norm is not second.norm:
        return False
    if first.rows is not None and second.rows is not None and not is_same_number(first.rows, second.rows):
        return False
    if not is_same_bound(first.clip, second.ball):
        return False
    columns = first.schema.columns if isinstance(first.schema, t.Columns) else None
    if columns is None:
        return is_same_number(first.width, second.width) and all(
            is_same_type(kind, column) for kind in first.column_types() for column in second.types
        )
    return len(columns) == len(second.columns) and all(
        column.name == name and is_same_type(column.type, type_)
        for column, (name, type_) in zip(columns, second.columns, strict=True)
    )
