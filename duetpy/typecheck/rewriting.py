"""Types rewritten: one traversal for changes of any kind, the substitution of kind variables, and what occurs free."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias
from typing import TypeVar as TypeVariable

from attrs import evolve

from duetpy.grammar.ast import Kind, Norm
from duetpy.typecheck import cost as costs
from duetpy.typecheck.capacity import cells_of
from duetpy.typecheck.conditions import MACHINE, Condition, cells_of_variable
from duetpy.typecheck.quantity import KindVar, Quantity, Signed
from duetpy.typecheck.types import (
    Bool,
    Box,
    Clip,
    Column,
    Columns,
    Disc,
    Fun,
    Idx,
    Matrix,
    Nat,
    PFun,
    Poison,
    Product,
    Real,
    Schema,
    SchemaVar,
    SetOf,
    StaticNat,
    StaticReal,
    Str,
    Sum,
    Type,
    TypeVar,
    Uniform,
    With,
    children,
)


def rebuilt(type_: Type, change: Callable[[Type], Type]) -> Type:
    """The type with every type inside it, and then itself, changed."""

    def go(inner: Type) -> Type:
        return rebuilt(inner, change)

    match type_:
        case Matrix(schema=Uniform(count, element)):
            return change(evolve(type_, schema=Uniform(count, go(element))))
        case Matrix(schema=Columns(columns)):
            return change(evolve(type_, schema=Columns(tuple(Column(c.name, go(c.type)) for c in columns))))
        case Disc(inner) | SetOf(inner):
            return change(type(type_)(go(inner)))
        case Box(debt, inner):
            return change(Box(debt, go(inner)))
        case Sum(left, right) | Product(left, right) | With(left, right):
            return change(type(type_)(go(left), go(right)))
        case Fun():
            return change(evolve(type_, domain=go(type_.domain), codomain=go(type_.codomain)))
        case PFun():
            parameters = tuple(evolve(p, type=go(p.type)) for p in type_.parameters)
            return change(evolve(type_, parameters=parameters, codomain=go(type_.codomain)))
        case _:
            return change(type_)


Replacement: TypeAlias = Quantity | Type | Uniform | Columns | SchemaVar
Mapped: TypeAlias = Mapping[KindVar, Replacement]


def substitute(type_: Type, mapping: Mapped) -> Type:
    """Replace kind and type variables, all at once, renaming binders where they would capture."""
    if not mapping:
        return type_
    sizes = {var: value for var, value in mapping.items() if isinstance(value, Quantity)}

    def size(value: Quantity) -> Quantity:
        return value.substitute(sizes)

    def go(inner: Type) -> Type:
        return substitute(inner, mapping)

    match type_:
        case Nat() | Real() | Bool() | Str() | Poison():
            return type_
        case StaticNat(value):
            return StaticNat(size(value))
        case StaticReal(value):
            return StaticReal(Signed(value.negative, size(value.magnitude)))
        case Idx(count):
            return Idx(size(count))
        case Disc(inner):
            return Disc(go(inner))
        case Matrix(norm, clip, rows, schema):
            new_clip = clip and Clip(clip.norm, size(clip.bound))
            return Matrix(
                norm, new_clip, None if rows is None else size(rows), _substitute_schema(schema, mapping, sizes)
            )
        case SetOf(element):
            return SetOf(go(element))
        case Sum(left, right):
            return Sum(go(left), go(right))
        case Product(left, right):
            return Product(go(left), go(right))
        case With(left, right):
            return With(go(left), go(right))
        case Box(debt, inner):
            return Box(debt.substitute(sizes), go(inner))
        case Fun():
            fun, inside = _fresh_binders(type_, mapping)
            inner_sizes = {var: value for var, value in inside.items() if isinstance(value, Quantity)}
            return evolve(
                fun,
                domain=substitute(fun.domain, inside),
                sensitivity=fun.sensitivity.substitute(inner_sizes),
                codomain=substitute(fun.codomain, inside),
                conditions=_conditions(fun, inside),
            )
        case PFun():
            pfun, inside = _fresh_binders(type_, mapping)
            inner_sizes = {var: value for var, value in inside.items() if isinstance(value, Quantity)}
            parameters = tuple(
                evolve(p, type=substitute(p.type, inside), cost=costs.substitute(p.cost, inner_sizes))
                for p in pfun.parameters
            )
            return evolve(
                pfun,
                parameters=parameters,
                codomain=substitute(pfun.codomain, inside),
                conditions=_conditions(pfun, inside),
            )
        case TypeVar(var):
            replacement = mapping.get(var)
            if replacement is None or isinstance(replacement, Quantity | Uniform | Columns | SchemaVar):
                return type_
            return replacement


def _conditions(function: Fun | PFun, mapping: Mapped) -> tuple[Condition, ...]:
    """Φ with numbers put in, and of types how many cells their values have; what these already decide is kept, for who puts them
    in to demand."""
    if not function.conditions:
        return ()
    sizes: dict[KindVar, Quantity] = {}
    for variable, value in mapping.items():
        if isinstance(value, Quantity):
            sizes[variable] = value
        elif not isinstance(value, Uniform | Columns | SchemaVar) and not (cells := cells_of(value)).is_infinite:
            (own,) = cells_of_variable(variable).variables()
            sizes[own] = cells
    return tuple(dict.fromkeys(condition.substitute(sizes) for condition in function.conditions))


def _substitute_schema(schema: Schema, mapping: Mapped, sizes: Mapping[KindVar, Quantity]) -> Schema:
    match schema:
        case Uniform(count, element):
            return Uniform(count.substitute(sizes), substitute(element, mapping))
        case Columns(columns):
            return Columns(tuple(Column(c.name, substitute(c.type, mapping)) for c in columns))
        case SchemaVar(var):
            replacement = mapping.get(var)
            return replacement if isinstance(replacement, Uniform | Columns | SchemaVar) else schema


F = TypeVariable("F", Fun, PFun)


def _fresh_binders(function: F, mapping: Mapped) -> tuple[F, Mapped]:
    """The function type with binders renamed where a replacement mentions them, and the mapping to use inside."""
    inside: dict[KindVar, Replacement] = {var: value for var, value in mapping.items() if var not in function.kinds}
    mentioned = free_in_mapping(inside)
    if not any(var in mentioned for var in function.kinds):
        return function, inside
    renamed = tuple(KindVar.fresh(var.name, var.kind) for var in function.kinds)
    for old, new in zip(function.kinds, renamed, strict=True):
        inside[old] = TypeVar(new) if new.kind is Kind.TYPE else Quantity.var(new)
    return evolve(function, kinds=renamed), inside


def free_in_mapping(mapping: Mapped) -> frozenset[KindVar]:
    found: set[KindVar] = set()
    for value in mapping.values():
        if isinstance(value, Quantity):
            found |= value.variables()
        elif isinstance(value, Uniform | Columns | SchemaVar):
            found |= free_variables(Matrix(Norm.LINF, None, None, value))
        else:
            found |= free_variables(value)
    return frozenset(found)


def free_variables(type_: Type) -> frozenset[KindVar]:
    """The kind and type variables that occur free in a type."""
    found: set[KindVar] = set()
    match type_:
        case StaticNat(value) | Idx(value):
            found |= value.variables()
        case StaticReal(value):
            found |= value.magnitude.variables()
        case Matrix(_, clip, rows, schema):
            found |= clip.bound.variables() if clip else frozenset()
            found |= rows.variables() if rows is not None else frozenset()
            if isinstance(schema, Uniform):
                found |= schema.count.variables()
            elif isinstance(schema, SchemaVar):
                found.add(schema.var)
        case Box(debt, _):
            found |= debt.variables()
        case TypeVar(var):
            found.add(var)
        case Fun(sensitivity=sensitivity):
            found |= sensitivity.variables()
        case PFun(parameters=parameters):
            for parameter in parameters:
                found |= costs.variables(parameter.cost)
        case _:
            pass
    for child in children(type_):
        found |= free_variables(child)
    if isinstance(type_, Fun | PFun):
        found = found.union(*(condition.variables() for condition in type_.conditions)) - {*type_.kinds, *MACHINE}
    return frozenset(found)
