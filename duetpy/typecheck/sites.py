"""The mechanisms that a program runs, each with the numbers of the calls that lead to it.

A mechanism in a function over kind variables is calibrated by what a call puts in for them: in ``f@[ . xs, ε / 2]`` the ε of
``f`` is ε/2. What no call reaches is not run. A function that is handed on as a value keeps its own variables.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TypeAlias

from attrs import evolve

from duetpy.typecheck import core
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.quantity import KindVar, Quantity

MOST_CALLS = 1_000
"""Where more calls with numbers of their own lead to mechanisms, these are shown as they are written."""

Numbers: TypeAlias = Mapping[KindVar, Quantity]


def sites_of(program: core.Node) -> tuple[ReleaseSite, ...]:
    """The mechanisms in the order of the text; one that several calls reach stands there for each that gives other numbers."""
    functions = {
        node.name: node.bound
        for node in core.nodes(program)
        if isinstance(node, core.Let | core.PLet) and isinstance(node.bound, core.PLam)
    }
    places = {node.site: place for place, node in enumerate(_mechanisms(program))}
    found: dict[tuple[int, ReleaseSite], None] = {}
    pending: deque[tuple[core.Node, Numbers]] = deque([(program, {})])
    seen: set[tuple[str, tuple[object, ...]]] = set()
    while pending:
        root, numbers = pending.popleft()
        inside: list[core.Node] = [root]
        while inside:
            node = inside.pop()
            called: str | None = None
            match node:
                case core.Mechanism(site=site):
                    found[places[site], _at(site, numbers)] = None
                case core.PApp(function=core.Var(name=name), instance=instance) if name in functions:
                    called, values = name, instance.values
                case core.Var(name=name) if name in functions:
                    called, values = name, ()
                case _:
                    pass
            if called is not None:
                given = {**numbers, **_given(functions[called].kinds, values, numbers)}
                key = called, tuple(given.items())
                if key not in seen:
                    seen.add(key)
                    pending.append((functions[called].body, given))
            if len(seen) > MOST_CALLS:
                return tuple(places)
            inside += reversed(_below(node, functions))
    return tuple([site for _, site in sorted(found, key=lambda each: each[0])])


def _mechanisms(program: core.Node) -> list[core.Mechanism]:
    return [node for node in core.nodes(program) if isinstance(node, core.Mechanism)]


def _below(node: core.Node, functions: Mapping[str, core.PLam]) -> list[core.Node]:
    """What runs where the form does: a function does where it is called."""
    match node:
        case core.Let(name=name, body=body) | core.PLet(name=name, body=body) if name in functions:
            return [body]
        case core.PApp(function=core.Var(name=name), args=args) if name in functions:
            return [*args]
        case _:
            return core.children(node)


def _given(kinds: tuple[KindVar, ...], values: tuple[Quantity | None, ...], numbers: Numbers) -> Numbers:
    """What a call puts in, in terms of the kind variables of the program."""
    pairs = zip(kinds, values, strict=False)
    return {variable: value.substitute(numbers) for variable, value in pairs if value is not None}


def _at(site: ReleaseSite, numbers: Numbers) -> ReleaseSite:
    if not numbers:
        return site
    return evolve(
        site,
        sensitivity=site.sensitivity.substitute(numbers),
        inferred=site.inferred.substitute(numbers),
        atom=evolve(site.atom, params=tuple([param.substitute(numbers) for param in site.atom.params])),
        shape=tuple([length.substitute(numbers) for length in site.shape]),
        repeats=site.repeats.substitute(numbers),
    )
