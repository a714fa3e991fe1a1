"""One random program about side conditions at a time: what is decided before it is entered holds in all that it enters, on all
data, and what is claimed of it is true.
"""

from __future__ import annotations

import math
import random

from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY
from tests.soundness.agreement import disagreement
from tests.soundness.drawing import Drawer
from tests.soundness.evaluated import by_evaluator
from tests.soundness.falsify import Program, Refused, check, claims, explained, trial, valuations
from tests.soundness.generate_conditions import random_conditions, random_released_conditions
from tests.soundness.replay import Private
from tests.soundness.run_private import run_record
from tests.soundness.watched import Broken, Watch, watched
from tests.soundness.whole import Outcome
from tests.soundness.whole_private import claim_of, fault_of_run, neighbours

PAIRS = 6
LARGE = {20000, 90000}
"""Sizes of tables that the definition, which goes over them cell by cell, takes long for."""


def examined_conditions(seed: int, pairs: int = PAIRS) -> Outcome:
    """A random sensitivity program about side conditions, on pairs of inputs."""
    outcome, text = Outcome(seed), random_conditions(seed)
    with watched() as watch:
        try:
            claim = claims(check(text), text)
        except Refused:
            outcome.told["refused"] += 1
            return outcome
        outcome.told["accepted"] += 1
        try:
            examine_pairs(outcome, watch, claim, pairs)
        except Broken:
            outcome.failures.append(f"{watch.faults[0]}\n{text}")
    outcome.told["conditions"] += watch.asked
    return outcome


def examine_pairs(outcome: Outcome, watch: Watch, claim: Program, pairs: int) -> None:
    source = random.Random(outcome.seed)
    permitted = [kinds for kinds in valuations(claim, source) if watch.permits(claim.typed, kinds)]
    if not permitted:
        return
    outcome.told["entered"] += 1
    drawer, meant = Drawer(source, claim.landmarks), by_evaluator(claim)
    for number in range(pairs):
        kinds = permitted[number % len(permitted)]
        found = trial(claim.at(kinds), meant, kinds, drawer, claim.is_exact)
        if found.refutes:
            outcome.failures.append(f"refuted\n{explained(claim, found)}")
            return
    if "pλ" in claim.text or not LARGE.isdisjoint(claim.landmarks):
        return  # the definition has no noise, and no time
    wrong = disagreement(claim, outcome.seed, 1, permitted[-1:])
    if wrong is not None:
        outcome.failures.append(wrong)


def examined_releases(seed: int, pairs: int = PAIRS) -> Outcome:
    """A random privacy program about side conditions, on neighbours."""
    outcome, text = Outcome(seed), random_released_conditions(seed)
    with watched() as watch:
        typed = check(text, Notion.PURE)
        if not typed.ok:
            outcome.told["refused"] += 1
            return outcome
        outcome.told["accepted"] += 1
        try:
            examine_neighbours(outcome, watch, typed, text, pairs)
        except Broken:
            outcome.failures.append(f"{watch.faults[0]}\n{text}")
    outcome.told["conditions"] += watch.asked
    return outcome


def examine_neighbours(outcome: Outcome, watch: Watch, typed: Typed, text: str, pairs: int) -> None:
    assert isinstance(typed.type, t.PFun)
    known = claim_of(typed, text)
    # What has no closed price is run all the same: nothing may be broken.
    claim = known or Private(
        text, typed, typed.type, tuple(((i,), INFINITY) for i in range(len(typed.type.parameters)))
    )
    for kinds, one, other, claimed in neighbours(claim, pairs, outcome.seed):
        if not watch.permits(typed, kinds):
            continue
        outcome.told["entered"] += 1
        if claimed == math.inf or "sample[" in text:
            # Frozen outputs say nothing about what is lost where rows are drawn.
            run_record(claim, kinds, one)
            run_record(claim, kinds, other)
        elif (fault := fault_of_run(claim, Notion.PURE, kinds, one, other, claimed)) is not None:
            outcome.failures.append(f"{fault}\n{text}\n {one}\n {other}")
            return
