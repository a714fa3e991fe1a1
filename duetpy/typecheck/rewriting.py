"""Types rewritten: one traversal for changes of any kind, the substitution of kind variables, and what occurs free."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias, cast
from typing import TypeVar as TypeVariable

from attrs import evolve

from duetpy.grammar.ast import Kind
from duetpy.trees import AnyTree, Tree, map_children, map_parts, parts, scoping
from duetpy.typecheck import cost as costs
from duetpy.typecheck.capacity import cells_of, growth_of
from duetpy.typecheck.cells import discrete_columns
from duetpy.typecheck.conditions import MACHINE, Condition, Obligation, Promise, cells_of_variable, growth_of_variable
from duetpy.typecheck.context import Context
from duetpy.typecheck.quantity import ONE, KindVar, Quantity, Signed, maximum
from duetpy.typecheck.types import Columns, Fun, Node, PFun, SchemaVar, Type, TypeVar, Uniform


def rebuilt(type_: Type, change: Callable[[Type], Type]) -> Type:
    """The type with every type inside it, and then itself, changed."""
    return change(map_children(type_, Node, lambda inner: rebuilt(cast(Type, inner), change)))


Replacement: TypeAlias = Quantity | Type | Uniform | Columns | SchemaVar
Mapped: TypeAlias = Mapping[KindVar, Replacement]


def substitute(type_: Type, mapping: Mapped) -> Type:
    """Replace kind and type variables, all at once, renaming binders where they would capture."""
    return cast(Type, _substituted(type_, mapping, _sizes(mapping))) if mapping else type_


def _substituted(part: object, mapping: Mapped, sizes: Mapping[KindVar, Quantity]) -> object:
    """What becomes of a type or of a part of one."""
    match part:
        case Quantity() | Signed() | Context():
            return part.substitute(sizes)
        case costs.Node():
            return costs.substitute(cast(costs.Cost, part), sizes)
        case TypeVar(var):
            replacement = mapping.get(var)
            return replacement if isinstance(replacement, Node) else part
        case SchemaVar(var, is_discrete):
            replacement = mapping.get(var)
            if isinstance(replacement, TypeVar):
                return SchemaVar(replacement.var, is_discrete)
            if not isinstance(replacement, Uniform | Columns | SchemaVar):
                return part
            return discrete_columns(replacement) if is_discrete else replacement
        case Fun() | PFun():
            function, inside = _fresh_binders(part, mapping)
            changed = _with_parts(function, inside, _sizes(inside)) if inside else function
            return evolve(changed, conditions=_conditions(function, inside))
        case Tree():
            return _with_parts(part, mapping, sizes)
        case _:
            return part


def _with_parts(node: AnyTree, mapping: Mapped, sizes: Mapping[KindVar, Quantity]) -> AnyTree:
    return map_parts(node, lambda part: _substituted(part, mapping, sizes))


def _sizes(mapping: Mapped) -> dict[KindVar, Quantity]:
    return {var: value for var, value in mapping.items() if isinstance(value, Quantity)}


def _conditions(function: Fun | PFun, mapping: Mapped) -> tuple[Condition, ...]:
    """Φ with numbers put in, and of types how many cells their values have and how these grow; what is decided by that is kept, for
    who puts them in to demand."""
    if not function.conditions:
        return ()
    sizes: dict[KindVar, Quantity] = {}
    for variable, value in mapping.items():
        if isinstance(value, Quantity):
            sizes[variable] = value
            continue
        (growth,) = growth_of_variable(variable).variables()
        sizes[growth] = growth_of(value)
        if not isinstance(value, Uniform | Columns | SchemaVar) and not (cells := cells_of(value)).is_infinite:
            (own,) = cells_of_variable(variable).variables()
            # A table of no rows or columns, which is refused where it is written, has no cells.
            sizes[own] = maximum(cells, ONE)
    return tuple(dict.fromkeys(condition.substitute(sizes) for condition in function.conditions))


def _fresh_binders(function: Fun | PFun, mapping: Mapped) -> tuple[Fun | PFun, Mapped]:
    """The function type with binders renamed where a replacement mentions them, and the mapping to use inside."""
    inside: dict[KindVar, Replacement] = {var: value for var, value in mapping.items() if var not in function.kinds}
    mentioned = free_in_mapping(inside)
    if not any(var in mentioned for var in function.kinds):
        return function, inside
    renamed = tuple(KindVar.fresh(var.name, var.kind) for var in function.kinds)
    for old, new in zip(function.kinds, renamed, strict=True):
        inside[old] = TypeVar(new) if new.kind is Kind.TYPE else Quantity.var(new)
    return evolve(function, kinds=renamed), inside


F = TypeVariable("F", bound=Fun | PFun)


def with_binders(function: F, binders: tuple[KindVar, ...]) -> F:
    """The function type with other binders, which occur nowhere in it."""
    renaming: dict[KindVar, Replacement] = {
        old: TypeVar(new) if new.kind is Kind.TYPE else Quantity.var(new)
        for old, new in zip(function.kinds, binders, strict=True)
    }
    renamed = substitute(evolve(function, kinds=()), renaming)
    assert isinstance(renamed, type(function))
    return evolve(renamed, kinds=binders)


def free_in_mapping(mapping: Mapped) -> frozenset[KindVar]:
    return frozenset().union(*(free_variables(value) for value in mapping.values()))


def free_variables(part: object) -> frozenset[KindVar]:
    """The kind and type variables that occur free in a type, or in a part of one."""
    match part:
        case KindVar():
            return frozenset((part,))
        case Quantity() | Signed() | Context():
            return part.variables()
        case Obligation() | Promise():
            return part.variables() - MACHINE
        case costs.Node():
            return costs.variables(cast(costs.Cost, part))
        case Tree():
            found: set[KindVar] = set()
            for inner in parts(part):
                found |= free_variables(inner)
            return frozenset(found.difference(*(getattr(part, binder) for binder in scoping(type(part)).binding)))
        case _:
            return frozenset()
