"""Written types and sizes, read at numbers for the kind variables."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import get_args

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from tests.soundness.reference.metrics import (
    And,
    Arrow,
    Ball,
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
    widened,
    widened_cell,
)
from tests.soundness.reference.numbers import INF, ONE, Num, larger, smaller

FORMERS = get_args(Type)


def number(node: ast.RExp, kinds: Mapping[str, object]) -> Num:
    match node:
        case ast.RVar(name=name):
            found = kinds[name]
            assert isinstance(found, Num)
            return found
        case ast.RNum(value=value):
            return Num.exactly(Fraction(value))
        case ast.RInf():
            return INF
        case ast.RBin(op=op, left=left, right=right):
            a, b = number(left, kinds), number(right, kinds)
            match op:
                case "⊔":
                    return larger(a, b)
                case "⊓":
                    return smaller(a, b)
                case "+":
                    return a + b
                case "⋅":
                    return a * b
                case _:
                    return a / b
        case ast.RFun(op="√", arg=arg):
            return number(arg, kinds).root()
        case ast.RFun(op="㏒", arg=arg):
            return number(arg, kinds).logarithm()
        case _:
            raise TypeError(node)


def type_of(node: ast.Type, kinds: Mapping[str, object]) -> Type:
    match node:
        case ast.TBase(name=name):
            return Plain(name)
        case ast.TVar(name=name):
            found = kinds[name]
            assert isinstance(found, FORMERS)
            return found
        case ast.TStaticNat(value=value):
            return Static(number(value, kinds), True)
        case ast.TStaticReal(value=value, negative=negative):
            known = number(value, kinds)
            return Static(known.negated() if negative else known, False)
        case ast.TIdx(size=size):
            return Index(number(size, kinds))
        case ast.TDisc(inner=inner):
            under = type_of(inner, kinds)
            return under if isinstance(under, Disc) else Disc(under)
        case ast.TMissing(inner=inner):
            return Maybe(type_of(inner, kinds))
        case ast.TWithin(inner=inner, low=low, high=high):
            ends = (value_of(low), value_of(high))
            cell = Disc(Within(*ends))
            return Maybe(cell) if isinstance(type_of(inner, kinds), Maybe) else cell
        case ast.TMatrix(norm=norm, clip=clip, rows=rows, schema=schema):
            bound = None
            if clip.norm is not None:
                bound = Ball(clip.norm, ONE if clip.bound is None else number(clip.bound, kinds))
            return Table(norm, bound, None if rows is None else number(rows, kinds), columns_of(schema, kinds))
        case ast.TRecord(fields=fields):
            return Table(Norm.LINF, None, ONE, tuple((each.name, type_of(each.type, kinds)) for each in fields))
        case ast.TFrame(fields=fields):
            return Table(Norm.LINF, None, None, tuple((each.name, type_of(each.type, kinds)) for each in fields))
        case ast.TPersons(identifier=identifier, files=files, roster=roster):
            blocks = tuple((file.name, Disc(type_of(file.type, kinds))) for file in files)
            listed = None if roster is None else number(ast.RVar(roster.span, f"|{roster.name}|"), kinds)
            return Table(Norm.LINF, None, listed, ((identifier.name, type_of(identifier.type, kinds)), *blocks))
        case ast.TSet(element=element):
            return SetOf(type_of(element, kinds))
        case ast.TBinary(op=op, left=left, right=right):
            former = {"×": Times, "&": And, "+": Plus}[op]
            return former(type_of(left, kinds), type_of(right, kinds))
        case ast.TFun(kinds=(), domain=domain, sensitivity=sensitivity, codomain=codomain):
            return Arrow(type_of(domain, kinds), number(sensitivity, kinds), type_of(codomain, kinds))
        case _:
            raise TypeError(node)


def value_of(end: ast.End) -> Fraction:
    assert isinstance(end.size, ast.RNum)
    return -Fraction(end.size.value) if end.negative else Fraction(end.size.value)


def columns_of(schema: ast.Schema, kinds: Mapping[str, object]) -> tuple[tuple[str | None, Type], ...]:
    match schema:
        case ast.SEmpty():
            return ()
        case ast.SUniform(count=count, element=element):
            return ((None, type_of(element, kinds)),) * int(number(count, kinds).floor)
        case ast.SCons(name=name, element=element, rest=rest):
            return ((name, type_of(element, kinds)), *columns_of(rest, kinds))
        case ast.SAppend(left=left, right=right):
            return columns_of(left, kinds) + columns_of(right, kinds)
        case _:
            raise TypeError(schema)


def read_off(node: ast.Type, actual: Type, wanted: set[str], found: dict[str, object]) -> None:
    """What an argument of a type says of the kind variables in the type that was written for it."""

    def size(pattern: ast.RExp, value: Num) -> None:
        if isinstance(pattern, ast.RVar) and pattern.name in wanted:
            found.setdefault(pattern.name, value)

    match node, actual:
        case ast.TVar(name=name), _:
            if name in wanted:
                found.setdefault(name, actual)
        case ast.TStaticNat(value=pattern), Static(value, True):
            size(pattern, value)
        case ast.TStaticReal(value=pattern), Static(value, False):
            size(pattern, value.magnitude())
        case ast.TIdx(size=pattern), Index(value):
            size(pattern, value)
        case ast.TDisc(inner=inner), _:
            read_off(inner, actual.inner if isinstance(actual, Disc) else widened(actual), wanted, found)
        case ast.TSet(element=element), SetOf(inner):
            read_off(element, inner, wanted, found)
        case ast.TBinary(left=a, right=b), Times(c, d) | And(c, d) | Plus(c, d):
            read_off(a, c, wanted, found)
            read_off(b, d, wanted, found)
        case ast.TFun(domain=a, sensitivity=s, codomain=b), Arrow(c, t, d):
            read_off(a, c, wanted, found)
            size(s, t)
            read_off(b, d, wanted, found)
        case ast.TMatrix(clip=clip, rows=rows, schema=schema), Table(rows=known):
            if rows is not None and known is not None:
                size(rows, known)
            if clip.bound is not None and actual.ball is not None:
                size(clip.bound, actual.ball.bound)
            if isinstance(schema, ast.SUniform):
                size(schema.count, actual.width)
                is_one = len(set(map(widened_cell, actual.types))) == 1
                for column in (actual.element,) if is_one else actual.types:
                    read_off(schema.element, column, wanted, found)
        case _:
            pass
