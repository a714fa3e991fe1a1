"""One random program that finds keys at a time: neighbours under the same outputs lose no more than is claimed of it.

With the outputs frozen, a program is a list of what its mechanisms were given. The coin of a key that an added
or removed row has moves by ε and δ, so what is claimed must be at least the sum of these ε, with that of the noise, and of these
δ. The definition is read, and then the run, in which other keys may count where a row has too many.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

from duetpy.accounting.price import Refusal, numbers
from duetpy.grammar import ast
from duetpy.grammar.pretty import show_expression
from duetpy.typecheck import rewriting
from duetpy.typecheck import types as t
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from tests.soundness import laws
from tests.soundness.definition import Kinds
from tests.soundness.drawing import Drawer, on_rosters
from tests.soundness.falsify import check_tree
from tests.soundness.generate_keys import random_keys_program
from tests.soundness.plain import Number
from tests.soundness.replay import Found, Private, Record, loss, stepped, valuation
from tests.soundness.run_private import run_record
from tests.soundness.whole import LAWS_EVERY, Outcome
from tests.soundness.whole_private import claim_of, exceeds, fired, record_of

PAIRS = 6


def examined_keys(seed: int, count: int = PAIRS) -> Outcome:
    """A random program, on neighbours in each of its inputs."""
    outcome, file = Outcome(seed), random_keys_program(seed)
    typed = check_tree(file, Notion.APPROX)
    assert isinstance(file.body, ast.PLam)
    if not typed.ok or not isinstance(typed.type, t.PFun):
        outcome.told["keys: refused"] += 1
        return outcome
    outcome.told["keys: accepted"] += 1
    outcome.fired.update(fired(file.body))
    claim = claim_of(typed, show_expression(file.body))
    if claim is None:
        outcome.told["keys: no closed price"] += 1
        return outcome
    source = random.Random(seed)
    drawer = Drawer(source, claim.landmarks)
    for _ in range(count):
        fault = fault_of_pairs(outcome, claim, drawer, source)
        if fault is not None:
            outcome.failures.append(f"{fault}\n{claim.text}")
            return outcome
    if seed % LAWS_EVERY == 0:
        outcome.failures.extend(f"{broken}\n{claim.text}" for broken in laws.broken_laws(file, typed))
    return outcome


def fault_of_pairs(outcome: Outcome, claim: Private, drawer: Drawer, source: random.Random) -> str | None:
    """What is wrong with neighbours in each of the inputs, read and run."""
    kinds = valuation(claim, source)
    if kinds is None:
        return None
    mapping: dict[Any, rewriting.Replacement] = {variable: Quantity.of(value) for variable, value in kinds.items()}
    types = [rewriting.substitute(parameter.type, mapping) for parameter in claim.function.parameters]
    before = on_rosters(claim.rosters, [drawer.draw(type_) for type_ in types])
    for members, _ in claim.units:
        after = stepped(drawer, types, before, members, claim.rosters)
        claimed = None if after is None else claimed_of(claim, members[0], kinds)
        if after is None or claimed is None:
            continue
        outcome.told["keys: pairs"] += 1
        outcome.told["keys: finite pairs"] += claimed[0] < math.inf
        for how, records in (
            ("read", [record_of(claim, each) for each in (before, after)]),
            ("run", [run_record(claim, kinds, each) for each in (before, after)]),
        ):
            spent = loss(*records), lost_delta(*records)
            outcome.told["keys: pairs that move a coin"] += spent[1] > 0
            if any(exceeds(one, other) for one, other in zip(spent, claimed, strict=True)):
                return f"{how}: {spent} is lost, {claimed} claimed\n {before}\n {after}"
    return None


def claimed_of(claim: Private, at: int, kinds: Kinds) -> tuple[float, float] | None:
    """The claimed ε and δ of an input; None where they have no numbers."""
    found = numbers(claim.function.parameters[at].cost, Notion.APPROX, kinds)
    if isinstance(found, Refusal):
        return None
    epsilon, delta = (math.inf if number is None else number for number in found.values())
    return epsilon, delta


def lost_delta(before: Sequence[Record], after: Sequence[Record]) -> Number:
    """The δ of the coins that moved; ∞ where the records differ in kind."""
    if [entry.node for entry in before] != [entry.node for entry in after]:
        return math.inf
    pairs = [each for each in zip(before, after, strict=True) if isinstance(each[0], Found)]
    return sum(float(one.delta) * one.coins(other) for one, other in pairs if isinstance(other, Found))
