"""One random privacy program at a time: replayed on neighbours under the same outputs, its mechanisms' inputs and its price.

With the outputs frozen, two neighbours take the same branches or the claim is ∞; what noise is added to moves by no more than
the noise was calibrated for; and what is lost, added up in the notion's own way, is no more than is claimed:

* pure ε: Σ ε⋅(move/s), which Laplace noise attains;
* ρ: Σ ρ⋅(move/s)² for Gaussian noise, and at least the Kullback–Leibler divergence of Laplace noise;
* μ: the root of Σ μ²⋅(move/s)².

Programs that draw rows at random are held to the definition: the likelihood of the frozen outputs, added up over everything
that may be drawn, changes by at most e^ε.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

from attrs import define, evolve

from duetpy.accounting.guarantees import settle
from duetpy.accounting.price import Price, price
from duetpy.grammar import ast
from duetpy.grammar.pretty import show_expression
from duetpy.typecheck import rewriting
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from tests.soundness import laws
from tests.soundness.definition import Kinds, number_at
from tests.soundness.drawing import Drawer, on_rosters
from tests.soundness.evaluated import can_be_given
from tests.soundness.falsify import check_tree, nodes
from tests.soundness.generate_boxed import random_boxed_program
from tests.soundness.generate_calls import random_call_program
from tests.soundness.generate_functions import random_function_program
from tests.soundness.generate_private import (
    random_persons_release,
    random_private_program,
    random_sample_of_persons,
    random_sampling_program,
)
from tests.soundness.plain import Number
from tests.soundness.replay import Call, Private, Record, Replay, loss, stepped, valuation
from tests.soundness.run_private import run_record
from tests.soundness.shapes import SPAN
from tests.soundness.whole import LAWS_EVERY, Outcome

NOTIONS = (Notion.PURE, Notion.PURE, Notion.ZCDP, Notion.GDP)
STEPS = 6


def notion_of(seed: int) -> Notion:
    """The notion of a random program; every fourth seed goes through all of them too."""
    return NOTIONS[(seed + seed // 4) % len(NOTIONS)]


FORMS: dict[type[ast.Node], str] = {
    ast.Return: "return",
    ast.Bind: "bind",
    ast.PLet: "let, private",
    ast.PLetPair: "let ⟨x, y⟩, private",
    ast.PIf: "if, private",
    ast.PCase: "case, private",
    ast.PCaseMissing: "case, private: some, none",
    ast.PLoop: "loop, private",
    ast.Parallel: "parallel",
    ast.PFoldRows: "pfld-rows",
    ast.RandNat: "rand-nat",
    ast.Aligned: "aligned parameters",
}

PAGES: dict[str, str] = {
    "return": "return-bind",
    "bind": "return-bind",
    "let, private": "let",
    "let ⟨x, y⟩, private": "let",
    "if, private": "if",
    "case, private": "inl-inr-case",
    "case, private: some, none": "missing",
    "loop, private": "ploop",
    "parallel": "parallel",
    "pfld-rows": "pfld-rows",
    "rand-nat": "rand-nat",
    "aligned parameters": "call",
    "call": "call",
    "call: kinds written": "call",
    "call: kinds inferred": "call",
    "mmapp": "mmapp-pmap-col",
    "pmap-col": "mmapp-pmap-col",
    "convert: EPSDP": "convert",
    "sample": "sample-poisson",
    "poisson": "sample-poisson",
    "laplace": "laplace",
    "mlaplace": "laplace",
    "gauss": "gauss",
    "mgauss": "gauss",
    "exponential": "exponential-noisy-max",
    "noisy-max": "exponential-noisy-max",
    "AboveThreshold": "above-threshold",
    "rand-resp": "rand-resp",
    "dlaplace": "dlaplace-dgauss",
    "dgauss": "dlaplace-dgauss",
    "ggauss": "ggauss",
    "canonical": "canonical",
    "gibbs": "gibbs",
    "shuffle": "shuffle",
    "keys": "keys",
    "key-counts": "keys",
    "key-gauss": "keys",
}
"""The rules of the privacy language by name, with the page that proves each."""


def fired(body: ast.Node) -> Counter[str]:
    """The rules that an accepted program uses: in the privacy language each form has one."""
    found: Counter[str] = Counter()
    for node in nodes(body):
        match node:
            case ast.Mechanism(name=name):
                found[name] += 1
            case ast.PMap(form=form):
                found[form] += 1
            case ast.Sample(scheme=scheme):
                found[scheme] += 1
            case ast.Convert(form=form):
                found[f"convert: {form}"] += 1
            case ast.PApp(function=ast.PLam(kinds=kinds), kinds=given) if kinds:
                found["call: kinds written" if given else "call: kinds inferred"] += 1
            case ast.PApp():
                found["call"] += 1
            case _ if type(node) in FORMS:
                found[FORMS[type(node)]] += 1
            case _:
                pass
    return found


def claim_of(typed: Typed, text: str) -> Private | None:
    """What is claimed of an accepted program, unit by unit; None where a price has no closed form."""
    assert isinstance(typed.type, t.PFun)
    units = []
    for number in dict.fromkeys(parameter.unit for parameter in typed.type.parameters):
        members = tuple(i for i, parameter in enumerate(typed.type.parameters) if parameter.unit == number)
        found = price(typed.type.parameters[members[0]].cost, typed.notion)
        if not isinstance(found, Price) or not isinstance(found.parts[0], Quantity):
            return None
        units.append((members, found.parts[0]))
    return Private(text, typed, typed.type, tuple(units))


def neighbours(claim: Private, count: int, seed: int) -> Iterator[tuple[Kinds, list[Any], list[Any], Number]]:
    """Random neighbours in each unit, with what is claimed of it."""
    source = random.Random(seed)
    drawer = Drawer(source, claim.landmarks)
    for _ in range(count):
        kinds = valuation(claim, source)
        if kinds is None:
            continue
        mapping: dict[Any, rewriting.Replacement] = {variable: Quantity.of(value) for variable, value in kinds.items()}
        types = [rewriting.substitute(parameter.type, mapping) for parameter in claim.function.parameters]
        before = on_rosters(claim.rosters, [drawer.draw(type_) for type_ in types])
        for members, budget in claim.units:
            after = stepped(drawer, types, before, members, claim.rosters)
            if after is not None:
                yield kinds, before, after, math.inf if budget.is_infinite else number_at(budget, kinds)


# ---------------------------------------------------------------------------------------------------------------------
# Frozen outputs


def record_of(claim: Private, arguments: Sequence[Any]) -> list[Record]:
    replay = Replay(claim.typed.annotations, random.Random(11))
    assert claim.typed.body is not None
    replay.called(replay.of(claim.typed.body, {}, {}), arguments)
    return replay.record


def lost(notion: Notion, before: Sequence[Record], after: Sequence[Record]) -> Number:
    """The privacy loss of two records in a notion; ∞ where they differ in kind."""
    together = loss(before, after)
    if notion is Notion.PURE or together == math.inf:
        return together
    total: Number = Fraction(0)
    for left, right in zip(before, after, strict=True):
        if not isinstance(left, Call) or not isinstance(right, Call) or not isinstance(left.node, ast.Mechanism):
            continue
        square = squared_move(left, right)
        match law_of(left.node), notion:
            case (("gauss" | "mgauss" | "dgauss"), Notion.ZCDP):
                total += Fraction(left.epsilon) * square
            case "wide gauss", _:  # exp(−(z/b)²): σ = b/√2, so ρ = (move/b)² and μ² = 2ρ
                total += square if notion is Notion.ZCDP else 2 * square
            case (("gauss" | "mgauss"), _):
                total += Fraction(left.epsilon) ** 2 * square
            case "laplace", Notion.ZCDP:
                shift = float(left.epsilon) * math.sqrt(square)
                total += Fraction(shift + math.expm1(-shift))
            case _:
                pass
    return total if notion is Notion.ZCDP else math.sqrt(total)


def law_of(node: ast.Mechanism) -> str:
    """The name of the law of the noise: ``ggauss`` has a name for each power."""
    match node.name, node.params:
        case "ggauss", (_, ast.RealLit(value=power), _):
            return {1: "laplace", 2: "wide gauss"}[power]
        case name, _:
            return name


def squared_move(left: Call, right: Call) -> Fraction:
    return sum(((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(left.inputs, right.inputs, strict=True)), Fraction(0))


def exceeds(spent: Number, claimed: Number) -> bool:
    if spent <= claimed:
        return False
    return spent == math.inf or float(spent) > float(claimed) * (1 + 1e-9)


def in_the_open(body: ast.PLam) -> set[ast.Node]:
    """The mechanisms that stand in no function and in no form that gives their body a name for a part of the data."""
    found: set[ast.Node] = set()
    pending: list[ast.PExp] = [body.body]
    while pending:
        match pending.pop():
            case ast.Bind(first=first, then=then):
                pending += [first, then]
            case ast.PLet(body=inner) | ast.PLoop(body=inner) | ast.Convert(body=inner):
                pending.append(inner)
            case ast.PIf(then=then, otherwise=otherwise):
                pending += [then, otherwise]
            case ast.Mechanism() as node:
                found.add(node)
            case _:
                pass
    return found


def moves_too_far(claim: Private, before: Sequence[Record], after: Sequence[Record]) -> str | None:
    """A mechanism in the open whose input moved by more than its noise is calibrated for."""
    assert isinstance(claim.typed.body, ast.PLam)
    watched = in_the_open(claim.typed.body)
    for left, right in zip(before, after, strict=True):
        if isinstance(left, Call) and isinstance(right, Call) and left.node in watched:
            assert isinstance(left.node, ast.Mechanism)
            if left.node.name in ("gauss", "mgauss", "dgauss") and squared_move(left, right) > 1 + Fraction(1, 10**9):
                return f"{show_expression(left.node)}: the input moved further than {left.node.name} is calibrated for"
            steps = [abs(a - b) for a, b in zip(left.inputs, right.inputs, strict=True)]
            far = sum(steps) if left.node.name == "mlaplace" else max(steps, default=0)
            if left.node.name in ("laplace", "mlaplace", "dlaplace", "exponential", "noisy-max") and far > 1 + Fraction(
                1, 10**9
            ):
                return f"{show_expression(left.node)}: the input moved further than {left.node.name} is calibrated for"
    return None


def fault_of_run(
    claim: Private, notion: Notion, kinds: Kinds, one: Sequence[Any], other: Sequence[Any], claimed: Number
) -> str | None:
    """What is wrong with a run of two neighbours: more is lost than is claimed, or noise does not cover a move."""
    ran = run_record(claim, kinds, one), run_record(claim, kinds, other)
    spent = lost(notion, *ran)
    if exceeds(spent, claimed):
        return f"a run loses {spent} in {notion}, {claimed} is claimed"
    far = moves_too_far(claim, *ran)
    return None if far is None else f"in a run, {far}"


def examined_private(seed: int, count: int = STEPS) -> Outcome:
    """A random privacy program."""
    return examined_file(seed, random_private_program(seed, notion_of(seed)), count)


def examined_releases_of_persons(seed: int, count: int = STEPS) -> Outcome:
    """A random privacy program on persons."""
    return examined_file(seed, random_persons_release(seed, notion_of(seed)), count)


def examined_functions(seed: int, count: int = STEPS) -> Outcome:
    """A random program about functions."""
    return examined_file(seed, random_function_program(seed, notion_of(seed)), count)


def examined_calls(seed: int, count: int = STEPS) -> Outcome:
    """A random program that calls functions of any column."""
    return examined_file(seed, random_call_program(seed, notion_of(seed)), count)


def examined_boxed(seed: int, count: int = STEPS) -> Outcome:
    """A random program that hands on boxes."""
    return examined_file(seed, random_boxed_program(seed), count, Notion.PURE)


def examined_file(seed: int, file: ast.File, count: int, told: Notion | None = None) -> Outcome:
    """A random program, in the notion of its seed unless told otherwise."""
    outcome = Outcome(seed)
    notion = notion_of(seed) if told is None else told
    assert isinstance(file.body, ast.PLam)
    typed = check_tree(file, notion)
    if not typed.ok or not isinstance(typed.type, t.PFun):
        outcome.told["private: refused"] += 1
        return outcome
    outcome.told["private: accepted"] += 1
    outcome.fired.update(fired(file.body))
    claim = claim_of(typed, show_expression(file.body))
    if claim is None:
        outcome.told["private: no closed price"] += 1
        return outcome
    outcome.told["private: finite"] += any(not budget.is_infinite for _, budget in claim.units)
    if seed % LAWS_EVERY == 0:
        hear_promises(outcome, file, claim, notion)
    for kinds, one, other, claimed in neighbours(claim, count, seed):
        records = record_of(claim, one), record_of(claim, other)
        spent = lost(notion, *records)
        outcome.told["private: pairs"] += 1
        if exceeds(spent, claimed):
            outcome.failures.append(f"{claim.text}\n {notion}: {spent} is lost, {claimed} claimed\n {one}\n {other}")
            break
        far = moves_too_far(claim, *records) if claimed != math.inf else None
        if far is not None:
            outcome.failures.append(f"{far}\n{claim.text}\n {one}\n {other} at {dict(kinds)}")
            break
        if claimed != math.inf and all(can_be_given(parameter.type) for parameter in claim.function.parameters):
            fault = fault_of_run(claim, notion, kinds, one, other, claimed)
            outcome.told["private: pairs run"] += 1
            if fault is not None:
                outcome.failures.append(f"{fault}\n{claim.text}\n {one}\n {other} at {dict(kinds)}")
                break
    if seed % LAWS_EVERY == 0:
        outcome.told["private: held to the laws"] += 1
        outcome.failures.extend(f"{broken}\n{claim.text}" for broken in laws.broken_laws(file, typed))
    return outcome


# ---------------------------------------------------------------------------------------------------------------------
# Promises

PROMISED = {"ensures: kept": "ensures", "ensures: broken": "ensures"}
"""What is asked of a promise, with the page that proves it."""
LETTERS = {Notion.PURE: "ε", Notion.ZCDP: "ρ", Notion.GDP: "μ"}
ATTAINED = frozenset({"laplace", "dlaplace", "gauss", "dgauss"})
"""Mechanisms whose price no accountant can beat, one at a time."""


def is_kept(file: ast.File, notion: Notion, bound: Fraction) -> bool:
    """Whether a promise of at most `bound`, written under the program, is kept for every number."""
    assert isinstance(file.body, ast.PLam)
    guarantee = ast.Guarantee(SPAN, LETTERS[notion], ast.RNum(SPAN, bound, True))
    typed = check_tree(evolve(file, body=evolve(file.body, ensures=(guarantee,))), notion)
    assert typed.ok
    (promise,) = typed.promises
    pending, breaches = settle(promise, {})
    return not pending and not breaches


def hear_promises(outcome: Outcome, file: ast.File, claim: Private, notion: Notion) -> None:
    """What a program costs can be promised; a promise to an input that anybody sees, or of less than one release, cannot."""
    assert isinstance(file.body, ast.PLam)
    numbers = [budget for _, budget in claim.units if not budget.variables()]
    if len(numbers) < len(claim.units):
        return
    known = [budget.evaluate({}, up=True) for budget in numbers]
    if known != [budget.evaluate({}, up=False) for budget in numbers]:
        return
    finite = [Fraction(budget) for budget in known if budget != math.inf]
    most = max(finite, default=Fraction(0))
    if len(finite) < len(known):
        outcome.fired["ensures: broken"] += 1
        if is_kept(file, notion, most + 100):
            outcome.failures.append(f"it promises something to an input that costs ∞\n{claim.text}")
        return
    outcome.fired["ensures: kept"] += 1
    if not is_kept(file, notion, most):
        outcome.failures.append(f"what it costs, {most}, cannot be promised\n{claim.text}")
    if most > 0 and isinstance(file.body.body, ast.Mechanism) and file.body.body.name in ATTAINED:
        outcome.fired["ensures: broken"] += 1
        if is_kept(file, notion, most * Fraction(999, 1000)):
            outcome.failures.append(f"it costs {most} and promises less\n{claim.text}")


# ---------------------------------------------------------------------------------------------------------------------
# Rows drawn at random


@define(eq=False)
class Sampled(Replay):
    """A run with the rows that are drawn given beforehand."""

    chosen: tuple[int, ...] = ()
    likelihood: float = 1.0

    def many(self, node: ast.PExp, names: Mapping[str, Any], kinds: Kinds) -> Any:
        if not isinstance(node, ast.Sample):
            return Replay.many(self, node, names, kinds)
        drawn: dict[str, Any] = {}
        for written, name in zip(node.tables, node.names, strict=True):
            table = self.of(written, names, kinds)
            drawn[name.text] = table.with_rows(tuple(table.rows[i] for i in self.chosen))
        return self.private(node.body, {**names, **drawn}, kinds)

    def mechanism(self, node: ast.Mechanism, names: Mapping[str, Any], kinds: Kinds) -> Any:
        output = Replay.mechanism(self, node, names, kinds)
        call = self.record[-1]
        assert isinstance(call, Call)
        scale = number_at(self.annotations.releases[node].sensitivity, kinds)
        away = abs(float(call.inputs[0]) - float(output) / float(scale))
        self.likelihood *= math.exp(-float(call.epsilon) * away)
        return output


def likelihood(claim: Private, arguments: Sequence[Any], outputs: int) -> float:
    """That of the frozen outputs, up to a factor that is the same for all arguments."""
    body = claim.typed.body
    assert isinstance(body, ast.PLam)
    (draw,) = (node for node in nodes(body) if isinstance(node, ast.Sample))
    count = len(arguments[0].rows)
    total = 0.0
    if draw.scheme == "sample":
        size = int(claim.typed.annotations.numbers[draw.size].magnitude.constant or 0)
        ways = [(chosen, 1 / math.perm(count, size)) for chosen in permutations(range(count), size)]
    else:
        assert isinstance(draw.size, ast.RealLit)
        q = float(draw.size.value)
        ways = [
            (chosen, q ** len(chosen) * (1 - q) ** (count - len(chosen)))
            for size in range(count + 1)
            for chosen in combinations(range(count), size)
        ]
    for chosen, weight in ways:
        replay = Sampled(claim.typed.annotations, random.Random(outputs), chosen=chosen)
        replay.called(replay.of(body, {}, {}), arguments)
        total += weight * replay.likelihood
    return total


def examined_sampling(seed: int, count: int = 3) -> Outcome:
    """A random program that draws rows."""
    return examined_draw(seed, random_sampling_program(seed), count)


def examined_samples_of_persons(seed: int, count: int = 3) -> Outcome:
    """A random program that draws persons."""
    return examined_draw(seed, random_sample_of_persons(seed), count)


def examined_draw(seed: int, file: ast.File, count: int) -> Outcome:
    """A program that draws rows, held to the definition."""
    outcome = Outcome(seed)
    typed = check_tree(file, Notion.PURE)
    if not typed.ok or not isinstance(typed.type, t.PFun):
        outcome.told["sampling: refused"] += 1
        return outcome
    outcome.told["sampling: accepted"] += 1
    assert file.body is not None
    outcome.fired.update(fired(file.body))
    claim = claim_of(typed, show_expression(file.body))
    assert claim is not None
    for _, one, other, claimed in neighbours(claim, count, seed):
        for outputs in range(4):
            pair = [likelihood(claim, arguments, outputs) for arguments in (one, other)]
            if 0 in pair:
                continue
            outcome.told["sampling: pairs"] += 1
            spent = abs(math.log(pair[0] / pair[1]))
            if spent > float(claimed) * (1 + 1e-9) + 1e-12:
                outcome.failures.append(f"{claim.text}\n {spent} is lost, {claimed} claimed\n {one}\n {other}")
                return outcome
    if seed % LAWS_EVERY == 0:
        outcome.failures.extend(f"{broken}\n{claim.text}" for broken in laws.broken_laws(file, typed))
    return outcome
