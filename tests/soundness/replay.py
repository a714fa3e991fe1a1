"""Privacy expressions replayed: the noise inputs of two neighbours, under the same noisy outputs, against the claimed cost.

With the outputs of all mechanisms frozen, a program is a list of noise inputs. The privacy loss of a pair of neighbours at
these outputs is at most the sum over mechanisms of ε times how far the noise input moved in units of the sensitivity that the
noise was calibrated for, and Laplace noise attains it. So for programs in pure ε-differential privacy the claimed ε must be at
least that sum; and where the two lists differ in length, place or shape, or something is returned as it is, nothing finite
is enough.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from attrs import Factory, define, frozen

from duetpy.accounting.price import Price, price
from duetpy.grammar import ast
from duetpy.typecheck import rewriting
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import Annotations
from duetpy.typecheck.check import Typed
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import KindVar, Quantity
from tests.soundness.definition import Meaning, number_at, read_kinds
from tests.soundness.drawing import Drawer, on_rosters, rosters_of
from tests.soundness.falsify import Kinds, Refused, about, check, holds, numbers_in
from tests.soundness.left_out import all_arguments
from tests.soundness.metrics import distance
from tests.soundness.plain import Left, Number, Right, Table


@frozen
class Call:
    """One run of one mechanism: where it stands, its ε, and what the noise was added to, in units of its sensitivity."""

    node: ast.Node
    epsilon: Number
    inputs: tuple[Number, ...]


@frozen
class Shown:
    """Something returned as it is."""

    node: ast.Node
    value: Any


KEYS = tuple(map(Fraction, (0, 1, 3)))
"""The keys that a frozen output may show."""


@frozen
class Found:
    """How many rows had each key, for a coin of so much ε and δ a row."""

    node: ast.Node
    epsilon: Number
    delta: Number
    counts: Mapping[Any, int]

    def coins(self, other: Found) -> int:
        """How many coins have moved, each counted as often as it moved by a row."""
        keys = self.counts.keys() | other.counts.keys()
        return sum(abs(self.counts.get(key, 0) - other.counts.get(key, 0)) for key in keys)


@frozen(eq=False)
class Boxed:
    """What is in a box: nobody sees it until it is opened, and equal to any other box until then."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Boxed)

    def __hash__(self) -> int:
        return 0


@frozen(eq=False)
class PrivacyFunction:
    node: ast.PLam
    names: Mapping[str, Any]
    kinds: Kinds


def bound_arguments(
    annotations: Annotations, function: PrivacyFunction, given: Sequence[Any]
) -> tuple[dict[str, Any], Kinds]:
    """The names of a function's parameters with their values, and what these say of its kinds."""
    params = [
        p for group in function.node.params for p in (group.params if isinstance(group, ast.Aligned) else (group,))
    ]
    inside = dict(function.kinds)
    for domain, value in zip(annotations.domains[function.node], given, strict=True):
        read_kinds(domain, value, inside)
    return {param.name.text: value for param, value in zip(params, given, strict=True)}, inside


Record: TypeAlias = Call | Shown | Found
"""What a run does that shows something."""


@define(eq=False)
class Replay(Meaning):
    """A run with frozen outputs; keeps a record."""

    annotations: Annotations
    outputs: random.Random
    record: list[Record] = Factory(list)

    def of(self, node: ast.SExp, names: Mapping[str, Any], kinds: Kinds) -> Any:
        if isinstance(node, ast.PLam):
            return PrivacyFunction(node, names, kinds)
        return Meaning.of(self, node, names, kinds)

    def primitive(self, node: ast.Prim, names: Mapping[str, Any], kinds: Kinds) -> Any:
        match node.name:
            case "box":
                return Boxed(self.of(node.args[0], names, kinds))
            case "unbox":
                return self.of(node.args[0], names, kinds).value
            case _:
                return Meaning.primitive(self, node, names, kinds)

    def private(self, node: ast.PExp, names: Mapping[str, Any], kinds: Kinds) -> Any:
        match node:
            case ast.Return(value=value):
                shown = self.of(value, names, kinds)
                self.record.append(Shown(node, shown))
                return shown
            case ast.Bind(name=name, first=first, then=then):
                released = self.private(first, names, kinds)
                return self.private(then, {**names, name.text: released}, kinds)
            case ast.PLet(name=name, bound=bound, body=body):
                return self.private(body, {**names, name.text: self.of(bound, names, kinds)}, kinds)
            case ast.PLetPair(left=left, right=right, bound=bound, body=body):
                first_part, second_part = self.of(bound, names, kinds)
                return self.private(body, {**names, left.text: first_part, right.text: second_part}, kinds)
            case ast.PIf(guard=guard, then=then, otherwise=otherwise):
                return self.private(then if self.of(guard, names, kinds) else otherwise, names, kinds)
            case ast.PCase():
                return self.private_case(node, names, kinds)
            case ast.RandNat(low=low, high=high):
                # The number is no output of an input: any two runs may draw the same one.
                bounds = self.of(low, names, kinds), self.of(high, names, kinds)
                self.record.append(Shown(node, bounds))
                return self.outputs.randint(bounds[0], max(bounds))
            case ast.PCaseMissing(scrutinee=scrutinee, name=name, there=there, absent=absent):
                value = self.of(scrutinee, names, kinds)
                if value is None:
                    return self.private(absent, names, kinds)
                return self.private(there, {**names, name.text: value}, kinds)
            case ast.PApp(function=function, args=args):
                called, given = self.of(function, names, kinds), [self.of(arg, names, kinds) for arg in args]
                return self.called(called, all_arguments(called.node, args, given, self.annotations.types))
            case ast.PLoop(count=count, init=init, index=index, state=state, body=body):
                value = self.of(init, names, kinds)
                self.record.append(Shown(node, value))
                for turn in range(int(self.of(count, names, kinds))):
                    value = self.private(body, {**names, index.text: turn, state.text: value}, kinds)
                return value
            case ast.Convert(body=body):
                return self.private(body, names, kinds)
            case ast.Mechanism():
                return self.mechanism(node, names, kinds)
            case _:
                return self.many(node, names, kinds)

    def private_case(self, node: ast.PCase, names: Mapping[str, Any], kinds: Kinds) -> Any:
        match self.of(node.scrutinee, names, kinds):
            case Left(value):
                return self.private(node.left_body, {**names, node.left.text: value}, kinds)
            case Right(value):
                return self.private(node.right_body, {**names, node.right.text: value}, kinds)
            case other:
                raise AssertionError(other)

    def called(self, function: PrivacyFunction, given: Sequence[Any]) -> Any:
        bound, inside = bound_arguments(self.annotations, function, given)
        return self.private(function.node.body, {**function.names, **bound}, inside)

    def many(self, node: ast.PExp, names: Mapping[str, Any], kinds: Kinds) -> Any:
        """Forms that run a body on parts."""
        match node:
            case ast.Parallel(table=table, keys=keys, key=key, part=part, body=body):
                source = self.of(table, names, kinds)
                in_order = sorted(self.of(keys, names, kinds), key=repr)
                own = [self.keys_of_row(node, source.with_rows((entries,)), names, kinds) for entries in source.rows]
                results = []
                for wanted in in_order:
                    rows = tuple(entries for entries, found in zip(source.rows, own, strict=True) if wanted in found)
                    inside = {**names, key.text: wanted, part.text: source.with_rows(rows)}
                    results.append(self.private(body, inside, kinds))
                return frozenset(results)
            case ast.PMap(form=form, arg=arg, name=name, body=body):
                source = self.of(arg, names, kinds)
                if form == "pmap-col":
                    columns = [Table(tuple((row[j],) for row in source.rows), 1) for j in range(source.width)]
                    return Table(
                        (tuple(self.private(body, {**names, name.text: c}, kinds) for c in columns),), source.width
                    )
                grid = tuple(
                    tuple(self.private(body, {**names, name.text: entry}, kinds) for entry in row)
                    for row in source.rows
                )
                return Table(grid, source.width)
            case ast.PFoldRows(batch=batch, init=init, features=features, labels=labels, function=function):
                size, state = int(self.of(batch, names, kinds)), self.of(init, names, kinds)
                self.record.append(Shown(node, state))
                xs, ys = self.of(features, names, kinds), self.of(labels, names, kinds)
                run = self.of(function, names, kinds)
                for at in range(0, len(xs.rows) - size + 1, size):
                    state = self.called(run, [*(s.with_rows(s.rows[at : at + size]) for s in (xs, ys)), state])
                return state
            case ast.Sample(scheme="shuffle", tables=tables, names=rows, body=body):
                # With all outputs frozen the order does not matter: all reports alike are a shuffle of themselves.
                sources = {name.text: self.of(table, names, kinds) for table, name in zip(tables, rows, strict=True)}
                count = len(next(iter(sources.values())).rows)
                reports = [
                    self.private(
                        body,
                        {**names, **{name: source.with_rows((source.rows[at],)) for name, source in sources.items()}},
                        kinds,
                    )
                    for at in range(count)
                ]
                return Table(tuple((report,) for report in reports), 1)
            case _:
                raise TypeError(type(node).__name__)

    def mechanism(self, node: ast.Mechanism, names: Mapping[str, Any], kinds: Kinds) -> Any:
        site = self.annotations.releases[node]
        if node.name in ("keys", "key-counts", "key-gauss"):
            epsilon, delta = each_key(node, [number_at(param, kinds) for param in site.atom.params])
            self.record.append(Found(node, epsilon, delta, self.keys(node, names, kinds)))
            shown = [key for key in KEYS if self.outputs.random() < 0.5]
            return frozenset(key if node.name == "keys" else (key, 5) for key in shown)
        scale, epsilon = number_at(site.sensitivity, kinds), number_at(site.atom.params[-1], kinds)
        inputs, output = self.noise_inputs(node, names, kinds)
        match node.name, node.params:
            case "gibbs", (ast.Node() as beta,):  # as it is written: exp(−β⋅risk) loses 2β for each unit
                scale, epsilon = 1, 2 * self.of(beta, names, kinds)
            case "ggauss", (_, _, ast.Node() as wide):  # N = 1: the density falls by e a scale
                scale, epsilon = self.of(wide, names, kinds), 1
            case "canonical", _:  # the density falls by e^ε from cell to cell
                epsilon = number_at(site.atom.params[0], kinds)
        self.record.append(Call(node, epsilon, tuple(Fraction(value) / Fraction(scale) for value in inputs)))
        return output

    def keys(self, node: ast.Mechanism, names: Mapping[str, Any], kinds: Kinds) -> dict[Any, int]:
        """How many rows have each key; of a row's keys those count that come first in some order."""
        assert node.candidates is not None
        assert node.binder is not None
        assert node.params[0] is not None
        source, most = self.of(node.candidates, names, kinds), int(self.of(node.params[0], names, kinds))
        counts: dict[Any, int] = {}
        for entries in source.rows:
            found = self.of(node.body, {**names, node.binder.text: source.with_rows((entries,))}, kinds)
            several = found if isinstance(found, frozenset) else {found}
            for key in sorted(several - {None}, key=repr)[:most]:
                counts[key] = counts.get(key, 0) + 1
        return counts

    def noise_inputs(self, node: ast.Mechanism, names: Mapping[str, Any], kinds: Kinds) -> tuple[list[Number], Any]:
        """What noise is added to, and the frozen output."""
        match node.name:
            case "dlaplace" | "dgauss":
                return [self.of(node.body, names, kinds)], Fraction(self.outputs.randint(-10, 10))
            case "laplace" | "ggauss" | "gauss" | "canonical":
                return [self.of(node.body, names, kinds)], Fraction(self.outputs.randint(-40, 40), 4)
            case "mlaplace" | "mgauss":
                table = self.of(node.body, names, kinds)
                drawn = tuple(tuple(Fraction(self.outputs.randint(-40, 40), 4) for _ in row) for row in table.rows)
                return [entry for row in table.rows for entry in row], Table(drawn, table.width)
            case "exponential" | "noisy-max" | "gibbs":
                assert node.candidates is not None
                assert node.binder is not None
                (row,) = self.of(node.candidates, names, kinds).rows
                scores = [self.of(node.body, {**names, node.binder.text: candidate}, kinds) for candidate in row]
                return scores, self.outputs.randrange(len(scores))
            case "AboveThreshold":
                _, queries, _ = node.params
                assert queries is not None
                (functions,) = self.of(queries, names, kinds).rows
                argument = self.of(node.body, names, kinds)
                return [function(argument) for function in functions], self.outputs.randrange(len(functions))
            case "rand-resp":
                size = node.params[0]
                assert size is not None
                return [self.of(node.body, names, kinds)], self.outputs.randrange(int(self.of(size, names, kinds)))
            case other:
                raise TypeError(other)


def each_key(node: ast.Mechanism, params: Sequence[Number]) -> tuple[Number, Number]:
    """The parts of ε and δ of one key: of `key-gauss`, which is priced for all keys of a row, an even share."""
    epsilon, delta, *most = params
    return (epsilon / most[0], delta / most[0]) if node.name == "key-gauss" else (epsilon, delta)


def loss(before: Sequence[Record], after: Sequence[Record]) -> Number:
    """The privacy loss of two records at worst, ∞ where they differ in kind."""
    if [entry.node for entry in before] != [entry.node for entry in after]:
        return math.inf
    total: Number = Fraction(0)
    for left, right in zip(before, after, strict=True):
        match left, right:
            case Call(), Call():
                if len(left.inputs) != len(right.inputs) or left.epsilon != right.epsilon:
                    return math.inf
                total += left.epsilon * moved(left, right)
            case Found(), Found():
                if left.epsilon != right.epsilon or left.delta != right.delta:
                    return math.inf
                total += left.epsilon * left.coins(right)
            case Shown(), Shown():
                if left.value is not right.value and (callable(left.value) or left.value != right.value):
                    return math.inf
            case _:
                return math.inf
    return total


def moved(left: Call, right: Call) -> Number:
    """How far the noise input moved, in the norm of the mechanism's theorem."""
    steps = [abs(a - b) for a, b in zip(left.inputs, right.inputs, strict=True)]
    name = left.node.name if isinstance(left.node, ast.Mechanism) else ""
    if name == "rand-resp":
        return 1 if any(steps) else 0
    return sum(steps, Fraction(0)) if name == "mlaplace" else max(steps, default=0)


# ---------------------------------------------------------------------------------------------------------------------
# Claims


@frozen(eq=False)
class Private:
    """A privacy function with its claim: for each unit, its parameters' positions and its ε."""

    text: str
    typed: Typed
    function: t.PFun
    units: tuple[tuple[tuple[int, ...], Quantity], ...]

    @property
    def landmarks(self) -> tuple[Fraction, ...]:
        assert self.typed.body is not None
        return numbers_in(self.typed.body)

    @property
    def rosters(self) -> dict[int, int]:
        """The places of tables of persons, each with that of its roster."""
        parameters = self.function.parameters
        return rosters_of([each.name for each in parameters], [each.type for each in parameters])


def private_program(text: str) -> Private:
    """What is claimed of a program in pure ε; raises `Refused` where it was refused or has no price."""
    typed = check(text, Notion.PURE)
    if not typed.ok or not isinstance(typed.type, t.PFun):
        raise Refused(*(f"{d.code} {d.message}" for d in typed.diagnostics))
    units = []
    for number in dict.fromkeys(parameter.unit for parameter in typed.type.parameters):
        members = tuple(i for i, parameter in enumerate(typed.type.parameters) if parameter.unit == number)
        found = price(typed.type.parameters[members[0]].cost, Notion.PURE)
        if not isinstance(found, Price):
            raise Refused(found.reason)
        (epsilon,) = found.parts
        assert isinstance(epsilon, Quantity)
        units.append((members, epsilon))
    return Private(text, typed, typed.type, tuple(units))


@frozen
class Step:
    """Two neighbours in a unit."""

    unit: tuple[str, ...]
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    lost: Number
    claimed: Number

    @property
    def is_exposed(self) -> bool:
        """Whether more is lost than is claimed."""
        if self.lost <= self.claimed:
            return False
        return self.lost == math.inf or float(self.lost) > float(self.claimed) * (1 + 1e-9)

    @property
    def spent(self) -> float:
        """The part of a finite claim that is lost."""
        return float(self.lost) / float(self.claimed) if self.claimed not in (0, math.inf) else 0.0


def steps(claim: Private, count: int, seed: int = 0) -> Iterator[Step]:
    """Random neighbours in each unit, with what is lost and what is claimed."""
    source = random.Random(seed)
    drawer = Drawer(source, claim.landmarks)
    for _ in range(count):
        kinds = valuation(claim, source)
        if kinds is None:
            continue
        mapping: dict[KindVar, rewriting.Replacement] = {
            variable: Quantity.of(value) for variable, value in kinds.items()
        }
        types = [rewriting.substitute(parameter.type, mapping) for parameter in claim.function.parameters]
        before = on_rosters(claim.rosters, [drawer.draw(type_) for type_ in types])
        for members, epsilon in claim.units:
            after = stepped(drawer, types, before, members, claim.rosters)
            if after is not None:
                names = tuple(claim.function.parameters[i].name for i in members)
                claimed = math.inf if epsilon.is_infinite else number_at(epsilon, kinds)
                yield Step(names, tuple(before), tuple(after), lost_between(claim, before, after), claimed)


def exposed(claim: Private, count: int, seed: int = 0) -> Step | None:
    """A pair of neighbours that loses more than is claimed, if the search finds one."""
    return next((step for step in steps(claim, count, seed) if step.is_exposed), None)


def valuation(claim: Private, source: random.Random) -> Kinds | None:
    for _ in range(20):
        kinds = {
            variable: Fraction(source.choice((1, 2, 4) if variable.kind is ast.Kind.NAT else (1, 2)))
            for variable in claim.function.kinds
        }
        if all(holds(obligation, kinds) for obligation in about(claim.typed.obligations, kinds)):
            return kinds
    return None


def stepped(
    drawer: Drawer,
    types: Sequence[t.Type],
    arguments: Sequence[Any],
    members: tuple[int, ...],
    rosters: Mapping[int, int] | None = None,
) -> list[Any] | None:
    """A neighbour: the unit's parameters moved by at most 1; aligned tables by one row in all of them."""
    for _ in range(12):
        after = list(arguments)
        if len(members) > 1:
            first = arguments[members[0]]
            place = drawer.random.randrange(len(first.rows))
            for i in members:
                kind = types[i]
                assert isinstance(kind, t.Matrix)
                rows = list(arguments[i].rows)
                rows[place] = drawer.row(kind, arguments[i].width)
                after[i] = arguments[i].with_rows(tuple(rows))
            return after
        (i,) = members
        after[i] = drawer.move(types[i], arguments[i])
        after = on_rosters(rosters or {}, after)
        if distance(types[i], arguments[i], after[i]) <= 1:
            return after
    return None


def lost_between(claim: Private, before: Sequence[Any], after: Sequence[Any]) -> Number:
    records = []
    for arguments in (before, after):
        replay = Replay(claim.typed.annotations, random.Random(11))
        assert claim.typed.body is not None
        replay.called(replay.of(claim.typed.body, {}, {}), arguments)
        records.append(replay.record)
    return loss(*records)
