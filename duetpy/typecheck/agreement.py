"""Whether two programs are proved to be the same: one type, one cost of every parameter, the same releases.

Kind variables have identities, so those of the two are first brought to the same ones: by the order in which functions bind
them, in the program and in its type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never, cast

from attrs import evolve

from duetpy.depth import DEEPER
from duetpy.grammar.ast import Kind
from duetpy.trees import Tree, map_children, map_parts
from duetpy.typecheck import core, rewriting
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.conditions import Condition, Obligation, Promise
from duetpy.typecheck.quantity import Comparison, KindVar, Quantity


def proves_the_same(one: Typed, other: Typed) -> bool:
    """Whether two programs without errors, of one core but for names, have the same type, costs, releases and conditions."""
    return one.notion is other.notion and _proved(one) == _proved(other)


def _proved(typed: Typed) -> object:
    """Everything that is proved of a program, in terms of kind variables that depend on where they are bound only."""
    binders = [node.kinds for node in core.nodes(typed.core) if isinstance(node, core.Lam | core.PLam)]
    variables = list(dict.fromkeys(variable for kinds in binders for variable in kinds))
    mapping = {variable: KindVar("", variable.kind, -1 - place) for place, variable in enumerate(variables)}
    sizes = {old: Quantity.var(new) for old, new in mapping.items() if new.kind is not Kind.TYPE}
    assert typed.type is not None
    releases = [
        (
            site.mechanism,
            site.sensitivity.substitute(sizes),
            site.inferred.substitute(sizes),
            _priced(site.atom, sizes),
            [length.substitute(sizes) for length in site.shape],
            site.repeats.substitute(sizes),
            None if site.candidates is None else site.candidates.substitute(sizes),
        )
        for site in typed.releases
    ]
    conditions: list[object] = []
    type_ = _renamed(typed.type, 0, sizes, conditions)
    return type_, conditions, _parameters(typed.type), releases


def _parameters(type_: t.Type) -> list[str]:
    """The names that the arguments of a program are given by."""
    names: list[str] = []
    while isinstance(type_, t.Fun):
        names += [*(variable.name for variable in type_.kinds), type_.name]
        type_ = type_.codomain
    if isinstance(type_, t.PFun):
        names += [*(v.name for v in type_.kinds), *(parameter.name for parameter in type_.parameters)]
    return names


def _renamed(type_: t.Type, level: int, sizes: Mapping[KindVar, Quantity], conditions: list[object]) -> t.Type:
    """A type whose bound kind variables are numbers, by how many are bound around them; its conditions are noted in a list."""
    if isinstance(type_, t.Fun | t.PFun):
        new = tuple([KindVar("", v.kind, -(10**9) - level - at) for at, v in enumerate(type_.kinds)])
        mapping: dict[KindVar, rewriting.Replacement] = {
            old: t.TypeVar(fresh) if fresh.kind is Kind.TYPE else Quantity.var(fresh)
            for old, fresh in zip(type_.kinds, new, strict=True)
        }
        opened = rewriting.substitute(evolve(type_, kinds=()), mapping)
        assert isinstance(opened, t.Fun | t.PFun)
        conditions.extend([_demanded(condition, sizes) for condition in opened.conditions])
        type_ = evolve(opened, kinds=new, conditions=())
        if isinstance(type_, t.PFun):
            priced = tuple([evolve(each, cost=_priced(each.cost, sizes)) for each in type_.parameters])
            type_ = evolve(type_, parameters=priced)
        level += len(new)
    return map_children(type_, t.Node, lambda inner: _renamed(cast(t.Type, inner), level, sizes, conditions))


def _demanded(condition: Condition, sizes: Mapping[KindVar, Quantity]) -> object:
    """What a condition demands. It may still mention variables of functions that were called, and their parameters by name."""
    tests = [_tested(test, sizes) for test in condition.under]
    match condition:
        case Obligation(left=left, relation=relation, right=right):
            return left.substitute(sizes), relation, right.substitute(sizes), tests
        case Promise(notion=notion, limits=limits, units=units):
            bounds = [(limit.letter, limit.bound.substitute(sizes)) for limit in limits]
            return notion, bounds, [_priced(cost, sizes) for _, cost in units], tests
        case _:
            assert_never(condition)


def _priced(cost: costs.Cost, sizes: Mapping[KindVar, Quantity]) -> costs.Cost:
    """A cost, with the tests in it."""

    def changed(part: object) -> object:
        if isinstance(part, Comparison):
            return _tested(part, sizes)
        if isinstance(part, Quantity):
            return part.substitute(sizes)
        if isinstance(part, Tree):
            with DEEPER:
                return map_parts(part, changed)
        return part

    return cast(costs.Cost, changed(cost))


def _tested(test: Comparison, sizes: Mapping[KindVar, Quantity]) -> Comparison:
    """A test in the variables of the program, also in what calls have put in for them."""
    stages: list[tuple[tuple[KindVar, Quantity], ...]] = []
    for stage in test.stages:
        images = {_one(sizes, variable): image.substitute(sizes) for variable, image in stage}
        stages.append(tuple(sorted(images.items(), key=lambda item: item[0].uid)))
    return Comparison(test.left.substitute(sizes), test.strict, test.right.substitute(sizes), tuple(stages))


def _one(sizes: Mapping[KindVar, Quantity], variable: KindVar) -> KindVar:
    (found,) = sizes.get(variable, Quantity.var(variable)).variables()
    return found
