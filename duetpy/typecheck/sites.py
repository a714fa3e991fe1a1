"""The mechanisms that a program runs, each with the numbers of the calls that lead to it and how often these run.

A mechanism in a function over kind variables is calibrated by what a call puts in for them: in ``f@[ . xs, ε / 2]`` the ε of
``f`` is ε/2. It runs as often as the call does, times the turns of the loops around it in the function. What no call reaches is
not run. A function that is handed on as a value keeps its own variables, and may run any number of times (∞).
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import TypeAlias

from attrs import define, evolve, frozen

from duetpy.typecheck import core
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, KindVar, Quantity

MOST_CALLS = 1_000
"""Where more calls with numbers of their own lead to mechanisms, these are shown as they are written."""

Numbers: TypeAlias = Mapping[KindVar, Quantity]


@frozen(eq=False)
class _Function:
    """A privacy function that has a name; the functions that it calls have larger places."""

    place: int
    value: core.PLam


@define(eq=False)
class _Run:
    """What runs with certain numbers, and how often as far as is known."""

    root: core.Node
    numbers: Numbers
    times: Quantity


def sites_of(program: core.Node) -> tuple[ReleaseSite, ...]:
    """The mechanisms in the order of the text; one that several calls reach stands there for each that gives other numbers."""
    functions = _functions(program)
    as_written = tuple([node.site for node in core.nodes(program) if isinstance(node, core.Mechanism)])
    places = {site: place for place, site in enumerate(as_written)}
    found: dict[tuple[int, ReleaseSite], Quantity] = {}
    runs = [_Run(program, {}, ONE)]
    known: dict[tuple[int, tuple[object, ...]], _Run] = {}
    # Callers come before what they call, so that how often a function runs is known when its turn comes.
    pending = [(-1, 0)]
    while pending:
        if len(runs) > MOST_CALLS:
            return as_written
        run = runs[heapq.heappop(pending)[1]]
        for node in _inside(run.root, functions):
            match node:
                case core.Mechanism(site=site):
                    listed = places[site], _at(evolve(site, repeats=ONE), run.numbers)
                    found[listed] = found.get(listed, ZERO) + run.times * site.repeats.substitute(run.numbers)
                    continue
                case core.PApp(function=core.Var(name=name), instance=instance, repeats=repeats) if name in functions:
                    function, values = functions[name], instance.values
                case core.Var(name=name) if name in functions:
                    function, values, repeats = functions[name], (), INFINITY
                case _:
                    continue
            given = {**run.numbers, **_given(function.value.kinds, values, run.numbers)}
            key = function.place, tuple(given.items())
            if key not in known:
                heapq.heappush(pending, (function.place, len(runs)))
                known[key] = _Run(function.value.body, given, ZERO)
                runs.append(known[key])
            known[key].times += run.times * repeats.substitute(run.numbers)
    in_order = sorted(found.items(), key=lambda item: item[0][0])
    return tuple([evolve(site, repeats=times) for (_, site), times in in_order])


def _functions(program: core.Node) -> Mapping[str, _Function]:
    """The privacy functions by each of their names.

    A function calls what is defined before it or inside it, that is, what comes after it when the program is read from its end.
    """
    places: dict[core.Node, int] = {}
    pending = [program]
    while pending:
        node = pending.pop()
        places[node] = len(places)
        pending += core.children(node)
    functions: dict[str, _Function] = {}
    for node in core.nodes(program):
        match node:
            case core.Let(name=name, bound=core.PLam() as value) | core.PLet(name=name, bound=core.PLam() as value):
                functions[name] = _Function(places[value], value)
            case core.Let(name=name, bound=core.Var(name=other)) | core.PLet(name=name, bound=core.Var(name=other)):
                if other in functions:
                    functions[name] = functions[other]
            case _:
                pass
    return functions


def _inside(root: core.Node, functions: Mapping[str, _Function]) -> list[core.Node]:
    """The forms that run where one does: those of a function that has a name run where it is called."""
    found: list[core.Node] = []
    pending = [root]
    while pending:
        node = pending.pop()
        found.append(node)
        match node:
            case core.Let(name=name, body=body) | core.PLet(name=name, body=body) if name in functions:
                pending.append(body)
            case core.PApp(function=core.Var(name=name), args=args) if name in functions:
                pending += reversed(args)
            case _:
                pending += reversed(core.children(node))
    return found


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
    )
