"""The laws of what a program releases, computed from its definition, and how far apart two laws are in each notion.

Every mechanism becomes a finite law: randomized response and the mechanisms that choose by their own probabilities, noise
rounded to a grid, which is post-processing and so can only hide. Samples are enumerated. Nothing is shared with the
accountant, and the noise is calibrated here again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Any, TypeAlias

from attrs import define

from duetpy.grammar import ast
from duetpy.typecheck.annotations import Annotations
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from tests.soundness.definition import Meaning, number_at
from tests.soundness.falsify import Kinds
from tests.soundness.key_numbers import coin, gaussian_number, noisy_number
from tests.soundness.left_out import all_arguments
from tests.soundness.plain import Left, Right, Table
from tests.soundness.replay import PrivacyFunction, bound_arguments

Law: TypeAlias = Mapping[Any, float]
"""Outcomes and their probabilities."""

Pair: TypeAlias = tuple[Law, Law]

TOLERANCE = 1e-6
"""What rounding may add to a ratio before it counts as a refutation."""


MOST = 100_000
"""Laws of more outcomes are not computed: that would take minutes."""


class TooManyOutcomes(Exception):
    """A law has so many outcomes that it is not computed."""


def then(law: Law, rest: Callable[[Any], Law]) -> Law:
    """Draw, then draw from what depends on the outcome."""
    found: dict[Any, float] = {}
    for outcome, chance in law.items():
        for last, other in rest(outcome).items():
            found[last] = found.get(last, 0.0) + chance * other
        if len(found) > MOST:
            raise TooManyOutcomes
    return found


def mixture(parts: Iterable[tuple[float, Law]]) -> Law:
    found: dict[Any, float] = {}
    for weight, law in parts:
        for outcome, chance in law.items():
            found[outcome] = found.get(outcome, 0.0) + weight * chance
    return found


def all_of(laws: Sequence[Law]) -> Law:
    """Independent draws, in a tuple."""
    found: dict[Any, float] = {(): 1.0}
    for law in laws:
        if len(found) * len(law) > MOST:
            raise TooManyOutcomes
        found = {(*before, here): a * b for before, a in found.items() for here, b in law.items()}
    return found


def certain(value: Any) -> Law:
    return {value: 1.0}


# ---------------------------------------------------------------------------------------------------------------------
# Noise


def normal(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


def rounded(centre: float, edges: Sequence[float], below: Callable[[float], float]) -> Law:
    """A number with symmetric noise, rounded to the middle of the cell that it falls into; `below` is the noise's P(X ≤ x)."""
    ends = [-math.inf, *edges, math.inf]
    law: dict[Any, float] = {}
    for low, high in pairwise(ends):
        # The side on which the numbers are small keeps its digits.
        near, far = (centre - high, centre - low) if low > centre else (low - centre, high - centre)
        middle = high if low == -math.inf else low if high == math.inf else (low + high) / 2
        law[Fraction(middle)] = below(far) - below(near)
    return law


def laplace(centre: float, scale: float, reach: int = 12, cell: float = 0.5) -> Law:
    def below(x: float) -> float:
        return math.exp(x / scale) / 2 if x < 0 else 1 - math.exp(-x / scale) / 2

    return rounded(centre, [scale * cell * i for i in range(-reach, reach + 1)], below)


def gauss(centre: float, deviation: float, reach: int = 20, cell: float = 0.5) -> Law:
    return rounded(centre, [deviation * cell * i for i in range(-reach, reach + 1)], lambda x: normal(x / deviation))


def canonical(centre: float, scale: float, eps: float, delta: float, parts: int = 4, reach: int = 40) -> Law:
    """The canonical noise of (ε, δ), from the definition of its distribution function: of G₁ − G₂ + U, then cut at quantiles."""
    b = math.exp(-eps)
    outside = 2 * delta * b / (1 - b + 2 * delta * b)

    def uncut(x: float) -> float:
        if x > 0 or math.isinf(x):
            return 1 - uncut(-x) if x > 0 else 0.0
        cell = math.floor(x + 0.5)
        return b**-cell * (b + (x - cell + 0.5) * (1 - b)) / (1 + b)

    def below(x: float) -> float:
        share = (uncut(x / scale) - outside / 2) / (1 - outside)
        return min(1.0, max(0.0, share))

    return rounded(centre, [scale * i / parts for i in range(-reach * parts, reach * parts + 1)], below)


def response(size: int, eps: float, truth: int) -> Law:
    other = 1 / (math.exp(eps) + size - 1)
    return {i: other * math.exp(eps) if i == truth else other for i in range(size)}


def gaussian_delta(eps: float, mu: float) -> float:
    """The δ at ε of N(0, 1) and N(μ, 1)."""
    return normal(mu / 2 - eps / mu) - math.exp(eps) * normal(-mu / 2 - eps / mu)


def shift_of(atom: Atom, params: Sequence[float]) -> float:
    """s/σ of Gaussian noise in its calibration."""
    match atom.calibration:
        case Notion.ZCDP | Notion.TCDP:
            return math.sqrt(2 * params[0])
        case Notion.GDP:
            return params[0]
        case Notion.RENYI:
            return math.sqrt(2 * params[1] / params[0])
        case Notion.APPROX:
            low, high = 0.0, 1.0
            while gaussian_delta(params[0], high) < params[1]:
                high *= 2
            for _ in range(200):
                middle = (low + high) / 2
                low, high = (middle, high) if gaussian_delta(params[0], middle) < params[1] else (low, middle)
            return low
        case other:
            raise TypeError(other)


def exponential(scores: Sequence[float], eps: float, scale: float) -> Law:
    weights = [math.exp(eps * (score - max(scores)) / (2 * scale)) for score in scores]
    return {i: weight / sum(weights) for i, weight in enumerate(weights)}


def noisy_max(scores: Sequence[float], eps: float, scale: float) -> Law:
    """Exponential noise of scale 2s/ε and the largest, as permute-and-flip (Ding and others 2021)."""
    accepted = [math.exp(eps * (score - max(scores)) / (2 * scale)) for score in scores]
    found = dict.fromkeys(range(len(scores)), 0.0)
    orders = list(permutations(range(len(scores))))
    for order in orders:
        left = 1 / len(orders)
        for i in order:
            found[i] += left * accepted[i]
            left *= 1 - accepted[i]
    return found


def above_threshold(scores: Sequence[float], threshold: float, eps: float) -> Law:
    """The first of the noisy scores above the noisy threshold, the last where none is: integrated over the threshold."""
    import numpy as np

    def tail(x: Any, scale: float) -> Any:
        return np.where(x < 0, 1 - np.exp(np.minimum(x, 0) / scale) / 2, np.exp(-np.maximum(x, 0) / scale) / 2)

    kinks = sorted({threshold, *scores})
    ends = [kinks[0] - 160 / eps, *kinks, kinks[-1] + 160 / eps]
    nodes, weights = np.polynomial.legendre.leggauss(40)
    found = dict.fromkeys(range(len(scores)), 0.0)
    for low, high in pairwise(ends):
        steps = np.linspace(low, high, 17)
        for a, b in pairwise(steps):
            at = (a + b) / 2 + (b - a) / 2 * nodes
            left = weights * (b - a) / 2 * np.exp(-np.abs(at - threshold) * eps / 2) * eps / 4
            for i, score in enumerate(scores):
                chance = tail(at - score, 4 / eps)
                found[i] += float(np.sum(left * chance))
                left = left * (1 - chance)
            found[len(scores) - 1] += float(np.sum(left))
    whole = math.fsum(found.values())
    return {i: chance / whole for i, chance in found.items()}


# ---------------------------------------------------------------------------------------------------------------------
# Programs


@define(eq=False)
class Laws(Meaning):
    """Privacy expressions as laws on what they release."""

    annotations: Annotations

    def of(self, node: ast.SExp, names: Mapping[str, Any], kinds: Kinds) -> Any:
        if isinstance(node, ast.PLam):
            return PrivacyFunction(node, names, kinds)
        return Meaning.of(self, node, names, kinds)

    def called(self, function: PrivacyFunction, given: Sequence[Any]) -> Law:
        bound, inside = bound_arguments(self.annotations, function, given)
        return self.law(function.node.body, {**function.names, **bound}, inside)

    def law(self, node: ast.PExp, names: Mapping[str, Any], kinds: Kinds) -> Law:
        match node:
            case ast.Return(value=value):
                return certain(self.of(value, names, kinds))
            case ast.Bind(name=name, first=first, then=rest):
                return then(self.law(first, names, kinds), lambda x: self.law(rest, {**names, name.text: x}, kinds))
            case ast.PLet(name=name, bound=bound, body=body):
                return self.law(body, {**names, name.text: self.of(bound, names, kinds)}, kinds)
            case ast.PLetPair(left=left, right=right, bound=bound, body=body):
                x, y = self.of(bound, names, kinds)
                return self.law(body, {**names, left.text: x, right.text: y}, kinds)
            case ast.PIf(guard=guard, then=yes, otherwise=no):
                return self.law(yes if self.of(guard, names, kinds) else no, names, kinds)
            case ast.PApp(function=function, args=args):
                called, given = self.of(function, names, kinds), [self.of(arg, names, kinds) for arg in args]
                return self.called(called, all_arguments(called.node, args, given, self.annotations.types))
            case ast.Convert(body=body):
                return self.law(body, names, kinds)
            case ast.PLoop(count=count, init=init, index=index, state=state, body=body):
                found = certain(self.of(init, names, kinds))
                for turn in range(int(self.of(count, names, kinds))):
                    found = then(
                        found,
                        lambda x, turn=turn: self.law(body, {**names, index.text: turn, state.text: x}, kinds),
                    )
                return found
            case ast.PCase(scrutinee=scrutinee, left=left, right=right, left_body=left_body, right_body=right_body):
                match self.of(scrutinee, names, kinds):
                    case Left(value):
                        return self.law(left_body, {**names, left.text: value}, kinds)
                    case Right(value):
                        return self.law(right_body, {**names, right.text: value}, kinds)
                raise TypeError("no sum")
            case ast.PCaseMissing(scrutinee=scrutinee, name=name, there=there, absent=absent):
                value = self.of(scrutinee, names, kinds)
                if value is None:
                    return self.law(absent, names, kinds)
                return self.law(there, {**names, name.text: value}, kinds)
            case ast.RandNat(low=low, high=high):
                first, last = self.of(low, names, kinds), self.of(high, names, kinds)
                return {n: 1 / (max(first, last) - first + 1) for n in range(first, max(first, last) + 1)}
            case ast.Mechanism():
                return self.mechanism(node, names, kinds)
            case _:
                return self.parts(node, names, kinds)

    def parts(self, node: ast.PExp, names: Mapping[str, Any], kinds: Kinds) -> Law:
        """Forms that run a body on parts, and on samples."""
        match node:
            case ast.Sample(scheme="shuffle", tables=tables, names=written, body=body):
                given = [self.of(table, names, kinds) for table in tables]
                count = len(given[0].rows)
                alone = [[table.with_rows((table.rows[at],)) for table in given] for at in range(count)]
                inside = [{name.text: row for name, row in zip(written, rows, strict=True)} for rows in alone]
                reports = all_of([self.law(body, {**names, **seen}, kinds) for seen in inside])
                return collected(in_any_order(reports, count), lambda drawn: table_of(drawn, count, 1))
            case ast.Sample(scheme=scheme, size=size, tables=tables, names=written, body=body):
                given = [self.of(table, names, kinds) for table in tables]
                drawn = list(samples(scheme, self.of(size, names, kinds), len(given[0].rows)))

                def run(chosen: tuple[int, ...]) -> Law:
                    parts = [table.with_rows(tuple(table.rows[i] for i in chosen)) for table in given]
                    inside = {name.text: part for name, part in zip(written, parts, strict=True)}
                    return self.law(body, {**names, **inside}, kinds)

                return mixture((chance, run(chosen)) for chance, chosen in drawn)
            case ast.Parallel(table=table, keys=keys, key=key, part=part, body=body):
                source = self.of(table, names, kinds)
                own = [self.keys_of_row(node, source.with_rows((entries,)), names, kinds) for entries in source.rows]
                runs = []
                for wanted in sorted(self.of(keys, names, kinds), key=repr):
                    rows = tuple(entries for entries, found in zip(source.rows, own, strict=True) if wanted in found)
                    inside = {**names, key.text: wanted, part.text: source.with_rows(rows)}
                    runs.append(self.law(body, inside, kinds))
                return collected(all_of(runs), frozenset)
            case ast.PMap(form=form, arg=arg, name=name, body=body):
                source = self.of(arg, names, kinds)
                if form == "pmap-col":
                    seen = [Table(tuple((row[j],) for row in source.rows), 1) for j in range(source.width)]
                    shape = (1, source.width)
                else:
                    seen = [entry for row in source.rows for entry in row]
                    shape = (len(source.rows), source.width)
                runs = [self.law(body, {**names, name.text: x}, kinds) for x in seen]
                return collected(all_of(runs), lambda entries: table_of(entries, *shape))
            case ast.PFoldRows(batch=batch, init=init, features=features, labels=labels, function=function):
                size, found = int(self.of(batch, names, kinds)), certain(self.of(init, names, kinds))
                xs, ys = self.of(features, names, kinds), self.of(labels, names, kinds)
                batched = self.of(function, names, kinds)
                for at in range(0, len(xs.rows) - size + 1, size):
                    parts = [table.with_rows(table.rows[at : at + size]) for table in (xs, ys)]
                    found = then(found, lambda state, parts=parts: self.called(batched, [*parts, state]))
                return found
            case _:
                raise TypeError(type(node).__name__)

    def mechanism(self, node: ast.Mechanism, names: Mapping[str, Any], kinds: Kinds) -> Law:
        site = self.annotations.releases[node]
        scale = float(number_at(site.sensitivity, kinds))
        params = [float(number_at(param, kinds)) for param in site.atom.params]
        match node.name:
            case "laplace" | "mlaplace":
                return self.noisy(node, names, kinds, lambda x: laplace(x, scale / params[-1]))
            case "gauss" | "mgauss":
                deviation = scale / shift_of(site.atom, params)
                return self.noisy(node, names, kinds, lambda x: gauss(x, deviation))
            case "canonical":
                return self.noisy(node, names, kinds, lambda x: canonical(x, scale, params[0], params[1]))
            case "given":
                # The promise is kept by noise that is added to what the body computes, in its own units.
                shift = params[-1] if site.atom.calibration is Notion.PURE else shift_of(site.atom, params)
                draw = laplace if site.atom.calibration is Notion.PURE else gauss
                return self.noisy(node, names, kinds, lambda x: draw(x, 1 / shift))
            case "exponential" | "noisy-max":
                assert node.candidates is not None
                assert node.binder is not None
                (row,) = self.of(node.candidates, names, kinds).rows
                scores = [float(self.of(node.body, {**names, node.binder.text: choice}, kinds)) for choice in row]
                chosen = exponential if node.name == "exponential" else noisy_max
                return chosen(scores, params[-1], scale)
            case "AboveThreshold":
                _, queries, threshold = node.params
                assert queries is not None
                assert threshold is not None
                (functions,) = self.of(queries, names, kinds).rows
                argument = self.of(node.body, names, kinds)
                scores = [float(query(argument)) for query in functions]
                return above_threshold(scores, float(self.of(threshold, names, kinds)), params[0])
            case "rand-resp":
                return response(int(params[0]), params[1], int(self.of(node.body, names, kinds)))
            case "keys" | "key-counts" | "key-gauss":
                return self.keys(node, names, kinds, params)
            case other:
                raise TypeError(other)

    def keys(self, node: ast.Mechanism, names: Mapping[str, Any], kinds: Kinds, params: Sequence[float]) -> Law:
        """The law of the set of keys that is shown. Which keys of a row count its theorem leaves open: here the first in order."""
        assert node.candidates is not None
        assert node.binder is not None
        assert node.params[0] is not None
        source, most = self.of(node.candidates, names, kinds), int(self.of(node.params[0], names, kinds))
        counts: dict[Any, int] = {}
        for entries in source.rows:
            found = self.of(node.body, {**names, node.binder.text: source.with_rows((entries,))}, kinds)
            for key in sorted(found, key=repr)[:most] if isinstance(found, frozenset) else [found]:
                counts[key] = counts.get(key, 0) + 1
        of_one: Callable[..., Law] = {"keys": coin, "key-counts": noisy_number, "key-gauss": gaussian_number}[node.name]
        coins = [of_one(key, rows, *params) for key, rows in counts.items()]
        return collected(all_of(coins), lambda shown: frozenset(key for (key,) in filter(None, shown)))

    def noisy(self, node: ast.Mechanism, names: Mapping[str, Any], kinds: Kinds, noise: Callable[[float], Law]) -> Law:
        value = self.of(node.body, names, kinds)
        if not isinstance(value, Table):
            return noise(float(value))
        entries = all_of([noise(float(entry)) for row in value.rows for entry in row])
        return collected(entries, lambda drawn: table_of(drawn, len(value.rows), value.width))


def collected(law: Law, view: Callable[[Any], Any]) -> Law:
    """The law of what is made of an outcome."""
    return then(law, lambda outcome: certain(view(outcome)))


def table_of(entries: Sequence[Any], rows: int, width: int) -> Table:
    return Table(tuple(tuple(entries[i * width : (i + 1) * width]) for i in range(rows)), width)


def in_any_order(law: Law, count: int) -> Law:
    """The law of tuples of an outcome in a uniformly random order."""
    orders = list(permutations(range(count)))
    return mixture(
        (1 / len(orders), collected(law, lambda drawn, order=order: tuple(drawn[at] for at in order)))
        for order in orders
    )


def samples(scheme: str, size: Any, rows: int) -> Iterable[tuple[float, tuple[int, ...]]]:
    """The row numbers that may be drawn, with their chances."""
    if scheme == "sample":
        chosen = list(permutations(range(rows), int(size)))
        return [(1 / len(chosen), numbers) for numbers in chosen]
    rate = float(size)
    kept = product((False, True), repeat=rows)
    return [
        (
            math.prod(rate if keep else 1 - rate for keep in flags),
            tuple(i for i, keep in enumerate(flags) if keep),
        )
        for flags in kept
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Distances of laws


def hockey_stick(pair: Pair, eps: float) -> float:
    """Σ (P − e^ε Q)₊; of an ε that no double can raise e to, no less."""
    p, q = pair
    grown = math.exp(min(eps, 700.0))
    return math.fsum(max(0.0, chance - grown * q.get(outcome, 0.0)) for outcome, chance in p.items())


def largest_ratio(pair: Pair) -> float:
    """max log P/Q."""
    p, q = pair
    return max(
        (math.log(chance / q[outcome]) if q.get(outcome) else math.inf for outcome, chance in p.items() if chance > 0),
        default=0.0,
    )


def renyi(pair: Pair, alpha: float) -> float:
    """D_α(P‖Q)."""
    p, q = pair
    powers: list[float] = []
    for outcome, chance in p.items():
        if chance > 0:
            other = q.get(outcome, 0.0)
            if not other:
                return math.inf
            powers.append(alpha * math.log(chance) + (1 - alpha) * math.log(other))
    largest = max(powers)
    return (largest + math.log(math.fsum(math.exp(power - largest) for power in powers))) / (alpha - 1)


def both_ways(measure: Callable[[Pair], float], pair: Pair) -> float:
    return max(measure(pair), measure((pair[1], pair[0])))


ORDERS = (1.01, 1.5, 2.0, 4.0, 16.0)


def share(lost: float, claimed: float) -> float:
    """Lost over claimed; 1 where the claim is met exactly, above 1 where it is refuted."""
    if claimed == math.inf or lost <= 1e-12:
        return 0.0
    return lost / claimed if claimed > 0 else math.inf


def spent(notion: Notion, parts: Sequence[float], pair: Pair) -> float:
    """How much of a price two laws use up: above 1 it is refuted."""
    match notion:
        case Notion.PURE:
            return share(both_ways(largest_ratio, pair), parts[0])
        case Notion.APPROX:
            eps, delta = parts
            if math.inf in (eps, delta):
                return 0.0
            if delta == 0:
                return share(both_ways(largest_ratio, pair), eps)
            return share(both_ways(lambda both: hockey_stick(both, eps), pair), delta)
        case Notion.RENYI:
            alpha, eps = parts
            if math.isinf(alpha):
                return share(both_ways(largest_ratio, pair), eps)
            return share(both_ways(lambda both: renyi(both, alpha), pair), eps)
        case Notion.ZCDP | Notion.TCDP:
            orders = [a for a in ORDERS if len(parts) < 2 or a < parts[1]]
            return max(share(both_ways(lambda both, a=a: renyi(both, a) / a, pair), parts[0]) for a in orders)
        case Notion.GDP:
            if parts[0] == math.inf:
                return 0.0
            places = [i / 10 for i in range(-10, 21, 2)]
            if parts[0] == 0:
                return share(both_ways(lambda both: hockey_stick(both, 0.0), pair), 0.0)
            return max(
                share(both_ways(lambda both, e=e: hockey_stick(both, e) - max(0.0, 1 - math.exp(e)), pair), gain)
                for e in places
                if (gain := gaussian_delta(e, parts[0]) - max(0.0, 1 - math.exp(e))) > 1e-9
            )
        case other:
            raise TypeError(other)
