"""One random program at a time, through everything that must hold of it.

* Neighbours: the program is run, as the evaluator computes it, on pairs of inputs at any distance, and the results are no
  further apart than is claimed, in exact numbers.
* Meaning: the evaluator computes what the definition says.
* A second opinion: the other checker, at numbers for the sizes, says the same.
* Laws: other names, lets written out, dead code, printing and reading again change nothing; wider types lower nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

from attrs import field, frozen

from duetpy.grammar import ast
from duetpy.grammar.pretty import show_expression
from tests.soundness import laws
from tests.soundness.agreement import disagreement
from tests.soundness.evaluated import can_be_given, meant_by
from tests.soundness.falsify import Program, Refused, check_tree, claims, explained, searched, valuations
from tests.soundness.generate import random_persons_program, random_program
from tests.soundness.reference.agreement import compared, second_opinion
from tests.soundness.reference.checker import LEMMAS

PAIRS = 4
LAWS_EVERY, LEMMAS_EVERY = 5, 5


@frozen
class Outcome:
    """What became of one program.

    Parameters
    ----------
    seed
        Makes it again.
    told
        Counts: accepted, refused, finite, excused, …
    fired
        How often each rule was used.
    failures
        What does not hold, in words.
    """

    seed: int
    told: Counter[str] = field(factory=Counter)
    fired: Counter[str] = field(factory=Counter)
    failures: list[str] = field(factory=list)


def examined(seed: int, pairs: int = PAIRS) -> Outcome:
    """A random sensitivity program."""
    return examined_tree(seed, random_program(seed), pairs)


def examined_persons(seed: int, pairs: int = PAIRS) -> Outcome:
    """A random sensitivity program on persons."""
    return examined_tree(seed, random_persons_program(seed), pairs)


def examined_tree(seed: int, file: ast.File, pairs: int) -> Outcome:
    """Everything that must hold of a sensitivity program."""
    outcome = Outcome(seed)
    assert file.body is not None
    typed = check_tree(file)
    try:
        claim = claims(typed, show_expression(file.body))
    except Refused:
        outcome.told["refused"] += 1
        return outcome
    outcome.told["accepted"] += 1
    outcome.told["finite"] += any(parameter.sensitivity.finite() for parameter in claim.parameters)
    outcome.told["pairs"] += pairs
    found = searched(claim, meant_by(claim), pairs, seed)
    if found.refutation is not None:
        outcome.failures.append(f"refuted\n{explained(claim, found.refutation)}")
    given = all(can_be_given(parameter.type) for parameter in claim.parameters)
    wrong = disagreement(claim, seed) if given else None
    if wrong is not None:
        outcome.failures.append(f"the evaluator computes something else\n{wrong}")
    hear_the_second(outcome, claim)
    if seed % LAWS_EVERY == 0:
        outcome.told["held to the laws"] += 1
        outcome.failures.extend(f"{broken}\n{claim.text}" for broken in laws.broken_laws(file, typed))
        lowered = laws.was_lowered(file, typed)
        if lowered is not None:
            outcome.failures.append(f"{lowered}\n{claim.text}")
    return outcome


def hear_the_second(outcome: Outcome, claim: Program) -> None:
    for number, kinds in enumerate(valuations(claim, random.Random(outcome.seed))):
        both = compared(claim, kinds)
        if number == 0:
            outcome.fired.update(both.fired)
        if both.agree:
            outcome.told["second opinion: the same"] += 1
        elif both.excused:
            outcome.told["second opinion: sharper, on irrational or symbolic numbers"] += 1
        else:
            first, second = (tuple(map(str, side)) for side in (both.first, both.second))
            outcome.failures.append(f"the checkers differ: {first} and {second} at {dict(kinds)}\n{claim.text}")
        if number == 0 and outcome.seed % LEMMAS_EVERY == 0:
            without_lemmas(outcome, claim, {variable.name: value for variable, value in kinds.items()})
        if number == 1:
            break


def without_lemmas(outcome: Outcome, claim: Program, kinds: dict[str, Fraction]) -> None:
    """Each lemma left out: the bounds may only grow."""
    assert claim.typed.body is not None

    sharp, _, _ = second_opinion(claim.typed.body, kinds, LEMMAS)
    for lemma in sorted(LEMMAS):
        blunt, _, _ = second_opinion(claim.typed.body, kinds, LEMMAS - {lemma})
        if any(one < other for one, other in zip(blunt, sharp, strict=True)):
            outcome.failures.append(f"without the lemma {lemma} a bound is smaller\n{claim.text}")
        if any(other < one for one, other in zip(blunt, sharp, strict=True)):
            outcome.told[f"sharper by the lemma: {lemma}"] += 1
