"""Programs as the evaluator computes them: plain values in, by the way that data and settings take, and plain values out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from attrs import evolve

from duetpy.runtime.evaluation.evaluate import applied, expression, own_numbers
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.sources.binding import bound_value
from duetpy.runtime.sources.persons import with_roster
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.verification import verify
from duetpy.runtime.values.batching import lane
from duetpy.runtime.values.day_spans import Days
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import Injected, MatrixValue, Missing, SetValue, Value
from duetpy.typecheck import types as t
from duetpy.typecheck.persons import columns_of, persons_of
from tests.soundness.falsify import Kinds, Meant, Program, by_definition
from tests.soundness.plain import Left, Right, Table

READING = Reading(may_be_empty=True)


def by_evaluator(claim: Program) -> Meant:
    """The program as the evaluator computes it; one machine for all runs, with all that it remembers."""
    typed = claim.typed
    machine = Machine(expression=expression)

    def evaluated(kinds: Kinds, arguments: Sequence[Any]) -> Any:
        scope = KindScope(dict(kinds))
        value = expression(machine, typed.core, Frame({}, KindScope()))
        type_ = typed.type
        given_in_order = bound([(each.name, each.type) for each in claim.parameters], arguments, scope)
        for given in given_in_order:
            assert isinstance(type_, t.Fun)
            if type_.kinds:
                own = own_numbers(value, type_.kinds, kinds)
                value = evolve(value, given={**value.given, **own})
            type_ = type_.codomain
            value = applied(machine, value, given, None, typed.core)
        return inside(value)

    return evaluated


def bound(parameters: Sequence[tuple[str, t.Type]], arguments: Sequence[Any], scope: KindScope) -> list[Value]:
    """Plain values as they are bound to parameters with these names and types."""
    found: list[Value] = []
    reading = READING
    for (name, type_), argument in zip(parameters, arguments, strict=True):
        value = bound_value(as_given(argument, type_), type_, name, scope, reading)
        found.append(verify(value, type_, name, scope, reading))
        reading = with_roster(reading, name, found[-1])
    return found


def meant_by(claim: Program) -> Meant:
    """The evaluator's meaning, or the definition's where arguments cannot come from outside."""
    given = all(can_be_given(parameter.type) for parameter in claim.parameters)
    return by_evaluator(claim) if given else by_definition(claim)


def can_be_given(type_: t.Type) -> bool:
    """Whether values of a type can come from outside: not functions, or tables of anything but numbers and texts."""
    match type_:
        case t.Fun() | t.PFun() | t.TypeVar() | t.Box():
            return False
        case t.Matrix() if persons_of(type_) is not None:
            return True
        case t.Matrix():
            return all(is_cell(column) for column in type_.column_types())
        case _:
            return all(can_be_given(inner) for inner in t.children(type_))


def is_cell(type_: t.Type) -> bool:
    inner = type_.inner if isinstance(type_, t.Maybe) else type_
    inner = inner.inner if isinstance(inner, t.Disc) else inner
    return isinstance(inner, t.Real | t.Bounded | t.Nat | t.Bool | t.Str | t.Date | t.Idx | t.StaticNat | t.StaticReal)


LINES = random.Random(0)
"""In which order the lines of persons stand in their files: another one every time."""


def as_given(value: Any, type_: t.Type) -> Any:
    """A plain value in the form in which it would be given: of persons, the lines of each file."""
    persons = persons_of(type_)
    if persons is None:
        return outside(value)
    files: dict[str, list[dict[str, Any]]] = {}
    for at, (name, file) in enumerate(persons.files, 1):
        labels = [persons.identifier.name, *(column.name for column in columns_of(file))]
        lines = [(row[0], *line) for row in value.rows for line in row[at].rows]
        LINES.shuffle(lines)
        files[name] = [dict(zip(labels, map(cell, line), strict=True)) for line in lines]
    return files


def outside(value: Any) -> Any:
    """A plain value in the form in which it would be given to `duetpy.evaluate`."""
    match value:
        case Table(rows):
            return [[cell(entry) for entry in row] for row in rows]
        case Left(inner):
            return ("inl", outside(inner))
        case Right(inner):
            return ("inr", outside(inner))
        case tuple():
            return tuple(outside(part) for part in value)
        case frozenset():
            return [outside(part) for part in value]
        case _:
            return value


def cell(entry: Any) -> Any:
    if isinstance(entry, Fraction):
        double = float(entry)
        assert Fraction(double) == entry, "tables hold doubles"
        return double
    return entry


def inside(value: Value) -> Any:
    """A value of the evaluator as a plain value, exactly."""
    match value:
        case tuple():
            return (inside(value[0]), inside(value[1]))
        case SetValue(Days(span=span)):
            return frozenset(map(date.fromordinal, span))
        case SetValue(elements):
            return frozenset(inside(element) for element in elements)
        case Injected(is_left, held):
            return Left(inside(held)) if is_left else Right(inside(held))
        case Missing():
            return None
        case MatrixValue():
            columns = [value.column(at) for at in range(value.width)]
            rows = tuple(tuple(inside(lane(column, at)) for column in columns) for at in range(value.rows))
            return Table(rows, value.width, value.names)
        case _:
            return value
