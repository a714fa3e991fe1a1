"""The first layer: neighbours under the same outputs.

With the outputs of all mechanisms frozen, a program is a list of calls. For two neighbours that list must have the same
mechanisms in the same order with inputs of the same shape, and the runs must end alike; otherwise what leaves the program
depends on one person other than through noise. To end alike is to say the same on the way, to the last note of a refusal,
and to report the same of the data. What a mechanism is given may move by its sensitivity at most, and what that loses, added
up over the calls, may not be more than the program's price (see `spent`). Every comparison is between exact numbers, but for
prices, which are doubles rounded up.
"""

from __future__ import annotations

import io
import math
import random
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import date
from fractions import Fraction

import numpy as np
from attrs import evolve

from duetpy.accounting.mechanisms.table import LAWS
from duetpy.audit.cases import Case, Subject, cases
from duetpy.audit.inputs import Inputs
from duetpy.audit.recording import Call, Draw, Freezing, Strayed, place_of
from duetpy.audit.replayed import DANGER, VIOLATION, Ended, Pair, Replayed, cut, described
from duetpy.audit.shuffled_reports import Reports, reports_of, reports_that_moved
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.engines import SerialEngine
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release.mechanisms import MARGIN, Randomness, calibration
from duetpy.runtime.release.run import Prepared
from duetpy.runtime.sources.ranges import nearest_in
from duetpy.runtime.values.plain_values import plain_value
from duetpy.runtime.values.values import Injected, MatrixValue, Missing, SetValue, Value
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.cost import Converted, Cost, Given, Sampled, Shuffled, costs_in
from duetpy.typecheck.mechanism_rows import ROWS, row_of
from duetpy.typecheck.notions import Notion

PER_BASE = 8
"""Neighbours of one input."""

SETTINGS = 6
"""Settings that are drawn."""

STRAYED = "strayed"

ROUNDING = 1 + 1e-9
"""Prices are doubles."""

ADDITIVE = frozenset(LAWS)
EUCLIDEAN = frozenset(row.name for row in ROWS.values() if row.is_gaussian) | {"noisy-descent"}
"""Their sensitivity is a length in L2."""


def replay(subject: Subject, pairs: int, seed: int) -> Replayed:
    """Look for a pair of neighbours that refutes the program; raises `DuetError` where it cannot be run at all."""
    source = random.Random(seed)
    found = Replayed()
    chosen = cases(subject, source, SETTINGS)
    found.settings = len(chosen)
    opened, shuffles = in_the_open(subject), reports_of(subject)
    tries = 0
    while found.pairs < pairs and tries < 4 * pairs:
        case = chosen[tries // PER_BASE % len(chosen)]
        drawer = case.drawer(source)
        left = case.draw(drawer)
        outputs = source.randrange(1 << 30)
        base: tuple[Ended, list[Call]] | None = None
        for _ in range(PER_BASE):
            tries += 1
            unit = source.choice(subject.units)
            names = unit.names
            if len({each.unit for each in unit.parameters}) > 1 and source.random() < 0.5:
                names = (source.choice(names),)  # somebody who is in one of the tables
            right = drawer.neighbour(case.types, left, names)
            if right is None:
                continue
            if base is None:
                base = ran(case, left, outputs, None)
                for call in base[1]:
                    found.sites.setdefault(call.site, call)
                    found.others.setdefault((call.site, frozenset(call.kinds.numbers.items())), call)
                samples(found, Pair(case, unit, left, right), base[0].draws)
            found.pairs += 1
            other = ran(case, right, outputs, [call.output for call in base[1]])
            compare(found, Pair(case, unit, left, right), base, other, opened)
            reports(found, Pair(case, unit, left, right), base, other, shuffles)
            if found.pairs >= pairs:
                break
    return found


def ran(case: Case, inputs: Inputs, outputs: int, answers: Sequence[Value] | None) -> tuple[Ended, list[Call]]:
    """A run with frozen outputs: how it ended, and its calls."""
    observer = Freezing(random.Random(outputs), answers)
    with listening() as said:
        ended = _ended(case, inputs, outputs, observer)
    return evolve(ended, said="".join(said), draws=tuple(observer.draws)), observer.calls


def _ended(case: Case, inputs: Inputs, outputs: int, observer: Freezing) -> Ended:
    facts = ""
    try:
        prepared: Prepared = case.bound(inputs)
        sizes = sorted((variable.name, number) for variable, number in prepared.kinds.numbers.items())
        facts = repr((prepared.data, sizes))
        value = prepared.entered(SerialEngine(), Randomness(InsecureBits(outputs)), observer)()
    except DuetError as refusal:
        return Ended(None, refusal.diagnostics, facts=facts)
    except Strayed:
        return Ended(None, fault=STRAYED, facts=facts)
    except Exception as fault:
        return Ended(None, fault=type(fault).__name__, facts=facts)
    codomain = prepared.arguments.function.codomain
    return Ended(plain_value(value), wrong_kind=not fits(value, codomain), facts=facts)


@contextmanager
def listening() -> Iterator[list[str]]:
    """What is written to the standard streams, and the warnings; as in a run, numpy itself warns of nothing."""
    said: list[str] = []
    out, err = io.StringIO(), io.StringIO()
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        warnings.catch_warnings(record=True) as warned,
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("always")
        yield said
    said += [out.getvalue(), err.getvalue(), *(str(each.message) for each in warned)]


def fits(value: Value, type_: t.Type) -> bool:
    """Whether a result is of the kind that its type says; of a natural number, that it is one."""
    match type_:
        case t.Nat() | t.Idx() | t.StaticNat():
            return isinstance(value, int) and not isinstance(value, bool) and value >= 0
        case t.Bounded():
            return isinstance(value, int | Fraction) and nearest_in(type_, Fraction(value)) == value
        case t.Real() | t.StaticReal():
            return isinstance(value, int | Fraction) and not isinstance(value, bool)
        case t.Bool():
            return isinstance(value, bool)
        case t.Str():
            return isinstance(value, str)
        case t.Date():
            return isinstance(value, date)
        case t.Disc(inner):
            return fits(value, inner)
        case t.Maybe(inner):
            return isinstance(value, Missing) or fits(value, inner)
        case t.Product(left, right) | t.With(left, right):
            return isinstance(value, tuple) and fits(value[0], left) and fits(value[1], right)
        case t.Matrix():
            return isinstance(value, MatrixValue)
        case t.SetOf():
            return isinstance(value, SetValue)
        case t.Sum():
            return isinstance(value, Injected)
        case _:
            return True


# ---------------------------------------------------------------------------------------------------------------------
# Two runs


def compare(
    found: Replayed,
    pair: Pair,
    base: tuple[Ended, list[Call]],
    other: tuple[Ended, list[Call]],
    opened: frozenset[ReleaseSite],
) -> None:
    (before, first), (after, second) = base, other
    shown = described(pair)
    if before.wrong_kind or after.wrong_kind:
        found.violate("kind", "the program releases something other than its type says", None, shown)
    if any(each.fault not in ("", STRAYED) for each in (before, after)):
        message = "the run ends with an internal error"
        found.violate("fault", message, None, (f"the two runs ended with: {before.told} / {after.told}", *shown))
    if before.said != after.said:
        message = "one person decides what is printed during the run"
        found.violate("said", message, None, (f"{cut(before.said)} and {cut(after.said)}", *shown))
    if before.facts != after.facts:
        message = "one person decides what is reported about the data"
        found.violate("facts", message, None, (f"{cut(before.facts)} and {cut(after.facts)}", *shown))
    if (before.refused, before.fault) != (after.refused, after.fault):
        message = "one person decides how the run ends, or which mechanisms it calls"
        found.violate("end", message, None, (f"the two runs ended with: {before.told} / {after.told}", *shown))
        return
    if before.refused:
        found.refused += 1
    if before.fault:
        found.stopped += 1
    if len(first) != len(second) or not all(one.is_like(two) for one, two in zip(first, second, strict=False)):
        at = next(
            (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if not a.is_like(b)),
            min(len(first), len(second)),
        )
        told = [
            ", ".join(f"{c.place} {list(c.shape)}" for c in calls[at : at + 2]) or "nothing"
            for calls in (first, second)
        ]
        message = "one person decides which mechanisms run, how often, or on how much"
        notes = (f"call {at + 1} on one input: {told[0]}; on its neighbour: {told[1]}", *shown)
        found.violate("calls", message, first[at].site if at < len(first) else None, notes)
        return
    if repr(before.result) != repr(after.result):
        message = "one person decides what is released, although every mechanism gave the same answer"
        found.violate("result", message, None, shown)
    moves(found, pair, first, second, opened, shown)
    counts(found, first, opened, shown)


def moves(
    found: Replayed,
    pair: Pair,
    first: Sequence[Call],
    second: Sequence[Call],
    opened: frozenset[ReleaseSite],
    shown: tuple[str, ...],
) -> None:
    """How far the mechanisms' inputs moved, and what that loses."""
    score = 0.0
    shares: list[tuple[Call, Call, float]] = []
    for one, two in zip(first, second, strict=False):
        moved = share(one, two)
        if moved is None:
            continue
        shares.append((one, two, moved))
        score += moved
        if one.site not in opened or pair.moves_several:
            continue
        found.furthest[one.place] = max(found.furthest.get(one.place, 0.0), moved)
        if exceeds(one, two):
            s = float(farthest(one))
            found.violate(
                f"sensitivity {one.place}",
                f"{one.place} moves by {moved * s:.6g} between neighbours, but its noise is calibrated for {s:.6g}",
                one.site,
                shown,
            )
    lost = losses(found, pair, shares, shown)
    if lost is not None:
        found.share = max(found.share, lost)
        score = lost
    # Of pairs that lose as much of their price, the one whose price is nearest to 1: sampling sees no large ε and needs
    # many runs for a small one.
    claimed = found.claim(pair, pair.case.subject.function.notion)
    budgets = [number for number in (claimed or {}).values() if number]
    rank = (round(score, 3), -abs(math.log(budgets[0])) if budgets else -math.inf)
    if rank > found.worst_score:
        found.worst, found.worst_score = pair, rank


ADDED_UP = tuple(notion for notion in Notion if notion.info.composes and len(notion.letters) == 1)
"""The notions in which what a pair loses adds up. A program has a price in most of them, whatever its own notion is."""


def losses(
    found: Replayed, pair: Pair, shares: Sequence[tuple[Call, Call, float]], shown: tuple[str, ...]
) -> float | None:
    """The largest share of a price that a pair loses; None where no price has such a sum."""
    most: float | None = None
    for notion in ADDED_UP:
        lost = spent(notion, pair.unit.cost, shares, found.quiet)
        claimed = None if lost is None else found.claim(pair, notion)
        budget = None if claimed is None else claimed[notion.measure]
        if lost is None or budget is None:
            continue
        part = lost / budget if budget else math.inf if lost else 0.0
        most = part if most is None else max(most, part)
        found.priced.add(notion.value)
        if lost > budget * ROUNDING:
            message = f"the privacy loss between neighbours is {lost:.6g}, but the program claims {budget:.6g}"
            found.violate("price", message, None, (f"notion: {notion.value}", *shown))
    return most


def counts(found: Replayed, calls: Sequence[Call], opened: frozenset[ReleaseSite], shown: tuple[str, ...]) -> None:
    """No place runs more often than it is charged for."""
    ran_at: dict[ReleaseSite, int] = {}
    for call in calls:
        ran_at[call.site] = ran_at.get(call.site, 0) + 1
    kinds = {call.site: call.kinds for call in calls}
    for site, count in ran_at.items():
        if site not in opened or not set(site.repeats.variables()) <= set(kinds[site].numbers):
            continue
        allowed = site.repeats.evaluate(kinds[site].numbers, up=True)
        if count > allowed:
            message = f"{place_of(site)} runs {count} times, but is charged for {allowed}"
            found.violate(f"count {place_of(site)}", message, site, shown)


def samples(found: Replayed, pair: Pair, draws: Sequence[Draw]) -> None:
    """Samples are of different rows, as many as asked for, and at no higher rate than was priced."""
    assert isinstance(pair.unit.cost, Cost)
    numbers = pair.case.kinds.numbers
    for draw in draws:
        found.draws.setdefault(draw.node, draw)
        message = ""
        if len(set(draw.drawn)) < len(draw.drawn) or not all(0 <= at < draw.total for at in draw.drawn):
            message = f"{draw.place} draws a row twice, or one that does not exist"
        elif draw.node.scheme != "poisson" and len(draw.drawn) != draw.size:
            message = f"{draw.place} draws {len(draw.drawn)} rows instead of {draw.size}"
        rates = [
            float(each.rate.evaluate_float(numbers))
            for each in costs_in(pair.unit.cost)
            if isinstance(each, Sampled) and set(each.rate.variables()) <= set(numbers)
        ]
        rate = draw.size / draw.total if draw.node.scheme == "sample" and draw.total else draw.size
        if draw.node.scheme != "shuffle" and rates and rate > max(rates) * ROUNDING:
            message = f"{draw.place} draws at a rate of {float(rate):.6g}, but the cost is for {max(rates):.6g}"
        if message:
            note = f"drawn: {cut(list(draw.drawn))} of {draw.total}"
            violation = Diagnostic(VIOLATION, message, draw.node.span, notes=(note,), help=DANGER)
            found.violations.setdefault(f"draw {draw.place}", violation)


def reports(
    found: Replayed,
    pair: Pair,
    base: tuple[Ended, list[Call]],
    other: tuple[Ended, list[Call]],
    shuffles: Sequence[Reports],
) -> None:
    """One row moves one report of a shuffle."""
    (before, first), (_, second) = base, other
    if len(first) != len(second):
        return
    for each in shuffles:
        totals = {draw.total for draw in before.draws if draw.node is each.node}
        # A table that is shuffled twice has its reports one after another: which are whose is not recorded.
        if len(totals) != 1 or sum(draw.node is each.node for draw in before.draws) != 1:
            continue
        moved = reports_that_moved(each, totals.pop(), first, second)
        if moved > 1 and each.tables <= set(pair.unit.names):
            message = f"one row changes what {moved} reports of a shuffle are made of"
            violation = Diagnostic(VIOLATION, message, each.node.span, notes=described(pair), help=DANGER)
            found.violations.setdefault(f"reports {each.node.span}", violation)


def differences(one: Call, two: Call) -> list[Fraction]:
    """How far each number moved that a mechanism was given; of keys, each number of rows."""
    if one.counts is not None and two.counts is not None:
        keys = one.counts.keys() | two.counts.keys()
        return [abs(Fraction(one.counts.get(key, 0) - two.counts.get(key, 0))) for key in keys]
    return [abs(a - b) for a, b in zip(one.inputs, two.inputs, strict=True)]


def farthest(call: Call) -> Fraction:
    """How far what a mechanism is given may move: its sensitivity. Of keys that is what one row moves, and a step may move several
    rows, which the cost counts."""
    return call.kinds.above(call.site.sensitivity if call.counts is None else call.site.inferred, None)


def share(one: Call, two: Call) -> float | None:
    """How far the input moved in units of what it may, in the mechanism's norm; None for a trusted mechanism."""
    steps = differences(one, two)
    s = farthest(one)
    name = one.site.atom.mechanism
    if one.site.mechanism == "given":
        return None
    if one.site.mechanism == "rand-resp":
        return float(any(steps))
    if not s:
        return math.inf if any(steps) else 0.0
    if name in EUCLIDEAN:
        return math.sqrt(float(sum((step**2 for step in steps), Fraction(0)) / s**2))
    if name in ADDITIVE or one.counts is not None:
        return float(sum(steps, Fraction(0)) / s)
    return float(max(steps, default=Fraction(0)) / s)


def exceeds(one: Call, two: Call) -> bool:
    """Whether the input moved further than the noise is made for: an exact comparison."""
    steps = differences(one, two)
    s = farthest(one) * MARGIN
    if one.site.mechanism in ("given", "rand-resp"):
        return False
    if one.site.atom.mechanism in EUCLIDEAN:
        return sum((step**2 for step in steps), Fraction(0)) > s**2
    if one.site.atom.mechanism in ADDITIVE:
        return sum(steps, Fraction(0)) > s
    if one.counts is not None:
        # One row has a key or not, and so many of them at most.
        rows = s / one.kinds.above(one.site.sensitivity, None)
        return sum(steps, Fraction(0)) > s or max(steps, default=Fraction(0)) > rows
    return max(steps, default=Fraction(0)) > s


# ---------------------------------------------------------------------------------------------------------------------
# Prices


def spent(notion: Notion, cost: object, moved: Sequence[tuple[Call, Call, float]], quiet: Randomness) -> float | None:
    """What a pair loses at these outputs, in the notion's own way of adding up; None where there is no such sum.

    Pure ε: Σ ε⋅move, which Laplace noise attains. ρ: Σ ρ⋅move² for Gaussian noise, and the Kullback–Leibler divergence of
    Laplace noise, which ρ is never below. μ: the root of Σ μ²⋅move². Programs that draw rows or shuffle are priced for what
    nobody sees, so that no sum over one draw bounds them.
    """
    if not isinstance(cost, Cost) or any(
        isinstance(each, Sampled | Shuffled | Converted | Given) for each in costs_in(cost)
    ):
        return None
    total = 0.0
    for one, two, move in moved:
        atom = one.site.atom
        params = [float(param.evaluate_float(one.kinds.numbers)) for param in atom.params]
        match atom.mechanism, notion:
            case mechanism, Notion.PURE if row_of(mechanism).has_epsilon:
                total += params[-1] * move
            case "gauss", Notion.ZCDP:
                total += (shift(one, params, quiet) * move) ** 2 / 2
            case "gauss", Notion.GDP:
                total += (shift(one, params, quiet) * move) ** 2
            case "laplace", Notion.ZCDP:
                s = one.kinds.above(one.site.sensitivity, None)
                steps = [params[-1] * float(step / s) for step in differences(one, two)]
                total += sum(step + math.expm1(-step) for step in steps)
            case _:
                return None
    return math.sqrt(total) if notion is Notion.GDP else total


def shift(call: Call, params: Sequence[float], quiet: Randomness) -> float:
    """The sensitivity of Gaussian noise in units of its σ."""
    match call.site.atom.calibration:
        case Notion.ZCDP | Notion.TCDP:
            return math.sqrt(2 * params[0])
        case Notion.RENYI:
            return math.sqrt(2 * params[1] / params[0])
        case Notion.APPROX:
            # There is no formula for the least σ: the one that is drawn with is what the price must cover.
            try:
                drawn = calibration(call.site, call.kinds, max(1, math.prod(call.shape)), quiet)
            except DuetError:
                return 0.0
            return float(drawn.sensitivity / drawn.scale)
        case _:
            return params[0]


def in_the_open(subject: Subject) -> frozenset[ReleaseSite]:
    """The mechanisms that see the program's parameters as they are: not a part of a table, nor an argument that may move by
    more than the data did. Only these must keep to their sensitivity on a pair of neighbours."""
    declared = [parameter.name for parameter in subject.function.parameters]
    # What is called where it is written gets arguments of its own, whatever its parameters are called.
    applied = {node.function for node in core.nodes(subject.typed.core) if isinstance(node, core.PApp)}
    called = [
        node
        for node in core.nodes(subject.typed.core)
        if isinstance(node, core.PLam)
        and node not in applied
        and node.kinds == subject.function.kinds
        and [param.written for param in node.params] == declared
    ]
    names = {param.name for node in called for param in node.params}
    found: set[ReleaseSite] = set()
    pending: list[core.Private] = [node.body for node in called]
    while pending:
        match pending.pop():
            case core.Bind(first=first, then=then):
                pending += [first, then]
            case core.PLet(body=inner) | core.PLetPair(body=inner) | core.PLoop(body=inner) | core.Convert(body=inner):
                pending.append(inner)
            case core.PIf(then=then, otherwise=otherwise):
                pending += [then, otherwise]
            case core.Sample(scheme=("sample" | "poisson"), tables=tables, body=inner):
                if all(isinstance(table, core.Var) and table.name in names for table in tables):
                    pending.append(inner)
            case core.Mechanism() as node:
                found.add(node.site)
            case _:
                pass
    return frozenset(found)
