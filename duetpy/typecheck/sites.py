"""The mechanisms that a program runs, each with the numbers of the calls that lead to it, and how often it runs.

A mechanism in a function over kind variables is calibrated by what a call puts in for them: in ``f@[ . xs, ε / 2]`` the ε of
``f`` is ε/2. It runs as often as the function is called, and in ``parallel`` once for each key. What no call reaches is not run. A
function that is handed on as a value keeps its own variables, and nothing says how often it is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from attrs import Factory, evolve, frozen

from duetpy.by_value import Shown
from duetpy.typecheck import core
from duetpy.typecheck.annotations import Instance, ReleaseSite
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, Kind, KindVar, Quantity, QuantityTooLarge, maximum

MOST_CALLS = 1_000
"""Where more calls with numbers of their own lead to mechanisms, or these numbers are too long, mechanisms are shown as they are
written, and nothing says how often each of them runs."""

Numbers: TypeAlias = Mapping[KindVar, Quantity]
Call: TypeAlias = tuple[str, tuple[tuple[KindVar, Quantity], ...]]
"""A function, and what stands for kind variables where it runs."""
Place: TypeAlias = tuple[int, ReleaseSite]
"""Where a mechanism stands in the text, and the mechanism as it is when it runs once."""


@frozen(eq=False, repr=False)
class Runs(Shown):
    """How often a text that runs once runs mechanisms, and calls functions."""

    sites: dict[Place, Quantity] = Factory(dict)
    calls: dict[Call, Quantity] = Factory(dict)

    def add_site(self, place: Place, times: Quantity) -> None:
        self.sites[place] = _sum(self.sites.get(place, ZERO), times)

    def add_call(self, call: Call, times: Quantity) -> None:
        self.calls[call] = _sum(self.calls.get(call, ZERO), times)

    def join(self, branches: list[Runs]) -> None:
        """One of the branches runs: nothing more often than in the branch that runs it most."""
        for place in dict.fromkeys(place for branch in branches for place in branch.sites):
            self.add_site(place, maximum(*[branch.sites.get(place, ZERO) for branch in branches]))
        for call in dict.fromkeys(call for branch in branches for call in branch.calls):
            self.add_call(call, maximum(*[branch.calls.get(call, ZERO) for branch in branches]))


@frozen(eq=False, repr=False)
class Names(Shown):
    """What the names of a program mean where how often something runs is at stake.

    Parameters
    ----------
    places
        Where each mechanism stands in the text.
    functions
        The privacy functions that have a name, by each of their names.
    sizes
        How many elements the sets have that are written out, by their names; for others a variable.
    """

    places: Mapping[ReleaseSite, int]
    functions: Mapping[str, core.PLam]
    sizes: dict[str, Quantity]

    def size(self, keys: core.Expression) -> Quantity:
        """The number of elements of a set at most; ∞ where it is neither written out nor a name."""
        match keys:
            case core.SetLit(elements=elements):
                return Quantity.of(len({_key(each) for each in elements}))
            case core.Var(name=name):
                return self.sizes[name] if name in self.sizes else _size_of(name)
            case _:
                return INFINITY


@lru_cache(maxsize=1024)
def _size_of(name: str) -> Quantity:
    """The number of elements of a set that has a name: the same number wherever it is asked for."""
    return Quantity.var(KindVar.fresh(f"|{name}|", Kind.NAT))


Turn: TypeAlias = tuple[core.Node, Numbers, Quantity, Runs]
"""A form that is to be looked at, the numbers that hold there, how often the function around it runs, and where to count."""


def sites_of(program: core.Node) -> tuple[ReleaseSite, ...]:
    """The mechanisms in the order of the text; one that several calls reach stands there for each that gives other numbers."""
    names = _names(program)
    try:
        return _called_sites(program, names)
    except QuantityTooLarge:
        return _as_written(names)


def _as_written(names: Names) -> tuple[ReleaseSite, ...]:
    return tuple([evolve(site, repeats=INFINITY) for site in names.places])


def _called_sites(program: core.Node, names: Names) -> tuple[ReleaseSite, ...]:
    total = Runs()
    # All calls of a function are known when its turn comes: it ends before those that call it.
    calls: dict[str, dict[Call, Quantity]] = {name: {} for name in _last_first(program, names)}
    _tell(_program(program, names), ONE, total, calls)
    seen = 0
    for of_function in calls.values():
        for (name, given), times in of_function.items():
            seen += 1
            if seen > MOST_CALLS:
                return _as_written(names)
            body = names.functions[name].body, dict(given), ONE
            _tell(_runs([body], names), times, total, calls)
    in_order = sorted(total.sites.items(), key=lambda each: each[0][0])
    return tuple([evolve(site, repeats=times) for (_, site), times in in_order])


def _names(program: core.Node) -> Names:
    mechanisms = [node for node in core.nodes(program) if isinstance(node, core.Mechanism)]
    functions: dict[str, core.PLam] = {}
    names = Names({node.site: place for place, node in enumerate(mechanisms)}, functions, {})
    for node in core.nodes(program):
        match node:
            case (
                core.Let(name=name, bound=core.PLam() as function) | core.PLet(name=name, bound=core.PLam() as function)
            ):
                functions[name] = function
            case core.Let(name=name, bound=core.Var(name=other)) | core.PLet(name=name, bound=core.Var(name=other)):
                if other in functions:
                    functions[name] = functions[other]
            case core.Let(name=name, bound=core.SetLit() as keys) | core.PLet(name=name, bound=core.SetLit() as keys):
                names.sizes[name] = names.size(keys)
            case _:
                pass
    return names


def _key(element: core.Expression) -> object:
    """A literal by what is written, so that it counts once; anything else by itself."""
    return (type(element.value), element.value) if isinstance(element, core.Literal) else id(element)


def _tell(runs: Runs, times: Quantity, total: Runs, calls: Mapping[str, dict[Call, Quantity]]) -> None:
    """Count what a text runs that runs so often."""
    for place, often in runs.sites.items():
        total.add_site(place, _product(often, times))
    for call, often in runs.calls.items():
        known = calls[call[0]]
        known[call] = _sum(known.get(call, ZERO), _product(often, times))


def _last_first(program: core.Node, names: Names) -> Iterator[str]:
    """The functions, those that end last in the text first."""
    inside: list[core.Node | str] = [program]
    while inside:
        match inside.pop():
            case str() as ended:
                yield ended
            case (core.Let() | core.PLet()) as node if node.name in names.functions:
                inside += [node.bound, node.name, node.body]
            case node:
                inside += core.children(node)


def _program(node: core.Node, names: Names) -> Runs:
    """What a run of the program runs: the body of the function that it is, once."""
    above: list[tuple[core.Node, Numbers, Quantity]] = []
    while True:
        match node:
            case core.Let(name=name, bound=bound, body=body):
                above += [] if name in names.functions else [(bound, {}, ONE)]
                node = body
            case core.Lam(body=body):
                node = body
            case core.PLam(body=body):
                return _runs([*above, (body, {}, ONE)], names)
            case core.Var(name=name) if name in names.functions:
                runs = _runs(above, names)
                runs.add_call((name, ()), ONE)
                return runs
            case _:
                return _runs([*above, (node, {}, ONE)], names)


def _runs(
    texts: list[tuple[core.Node, Numbers, Quantity]],
    names: Names,
) -> Runs:
    """What is run where these texts are, one after another; all but functions that are called is followed."""
    runs = Runs()
    joins: list[tuple[Runs, list[Runs]]] = []
    inside: list[Turn] = [(*text, runs) for text in reversed(texts)]
    while inside:
        node, numbers, times, into = inside.pop()
        branches: list[core.Node] = []
        below: list[Turn] = []
        match node:
            case core.Mechanism(site=site):
                once = evolve(_at(site, numbers), repeats=ONE)
                into.add_site((names.places[site], once), _product(site.repeats.substitute(numbers), times))
            case core.PApp() | core.PFoldRows():
                below += _called(node, numbers, times, into, names)
            case core.Var(name=name) if name in names.functions:
                into.add_call((name, tuple(numbers.items())), INFINITY)
            case core.PLam():
                times = INFINITY
            case core.PIf(then=one, otherwise=other) | core.PCase(left_body=one, right_body=other):
                branches = [one, other]
            case core.PCaseMissing(there=one, absent=other):
                branches = [one, other]
            case core.Parallel(keys=keys, body=body):
                below.append((body, numbers, _product(names.size(keys), times), into))
            case _:
                pass
        counts = [Runs() for _ in branches]
        if branches:
            joins.append((into, counts))
        below += [(child, numbers, times, into) for child in _below(node, names) if child not in branches]
        below += [(branch, numbers, times, count) for branch, count in zip(branches, counts, strict=True)]
        inside += reversed(below)
    for into, counts in reversed(joins):
        into.join(counts)
    return runs


def _sum(one: Quantity, other: Quantity) -> Quantity:
    """Of formulas that are too large to be written, ∞, as of what nothing says: the price of a program does not rest on it."""
    try:
        return one + other
    except QuantityTooLarge:
        return INFINITY


def _product(one: Quantity, other: Quantity) -> Quantity:
    """As `_sum`."""
    try:
        return one * other
    except QuantityTooLarge:
        return INFINITY


def _called(
    node: core.PApp | core.PFoldRows,
    numbers: Numbers,
    times: Quantity,
    into: Runs,
    names: Names,
) -> list[Turn]:
    """Count a call of a function that has a name; of one that stands in the call, its body is to be looked at."""
    often = _product(times, node.instance.repeats.substitute(numbers))
    match node.function:
        case core.Var(name=name) if name in names.functions:
            given = {**numbers, **_given(names.functions[name].kinds, node.instance, numbers)}
            into.add_call((name, tuple(given.items())), often)
            return []
        case core.PLam(kinds=kinds, body=body):
            return [(body, {**numbers, **_given(kinds, node.instance, numbers)}, often, into)]
        case other:
            return [(other, numbers, times, into)]


def _below(node: core.Node, names: Names) -> list[core.Node]:
    """What runs where the form does: a function does where it is called."""
    match node:
        case core.Let(name=name, body=body) | core.PLet(name=name, body=body) if name in names.functions:
            return [body]
        case core.PApp() | core.PFoldRows():
            return [child for child in core.children(node) if child is not node.function]
        case core.Parallel(table=table, keys=keys, key_of=key_of):
            return [table, keys, key_of]
        case _:
            return core.children(node)


def _given(kinds: tuple[KindVar, ...], instance: Instance, numbers: Numbers) -> Numbers:
    """What a call puts in, in terms of the kind variables of the program."""
    pairs = zip(kinds, instance.values, strict=False)
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
        candidates=None if site.candidates is None else site.candidates.substitute(numbers),
    )
