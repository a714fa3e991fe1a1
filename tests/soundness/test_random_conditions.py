"""Side conditions stay with their functions: in random programs that carry such functions about, and in every program of the cases
and examples, nothing is broken once a run was entered.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from duetpy import load
from duetpy.audit.cases import cases, subject_of
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.engines import SerialEngine
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release.mechanisms import Randomness
from duetpy.runtime.values.memory import available
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from tests.effort import often
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.running import RUNNING
from tests.soundness.broken.table import BROKEN
from tests.soundness.evaluated import by_evaluator, can_be_given
from tests.soundness.falsify import check, claims, searched
from tests.soundness.mutants import planted
from tests.soundness.plain import Table
from tests.soundness.watched import Broken, Watch, watched
from tests.soundness.whole import Outcome
from tests.soundness.whole_conditions import examined_conditions, examined_releases

QUICK, FEW, MANY = range(often(60, 20)), range(300), range(60, 3000)
ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(
    path
    for folder in ("tests/cases/good", "examples")
    for path in (ROOT / folder).rglob("*.duet")
    if not path.name.endswith(".part.duet") and "mistakes" not in path.parts
)
DRAWS = 4


def told_without_failure(examine: Callable[[int], Outcome], seeds: Iterable[int]) -> Counter[str]:
    """What all seeds tell, where none of them fails."""
    told: Counter[str] = Counter()
    for seed in seeds:
        outcome = examine(seed)
        assert not outcome.failures, f"seed {seed}: {outcome.failures[0]}"
        told += outcome.told
    return told


EXAMINED = (examined_conditions, examined_releases)


@pytest.mark.parametrize("examine", EXAMINED)
def test_conditions_that_were_decided_hold_in_random_programs(examine: Callable[[int], Outcome]) -> None:
    told = told_without_failure(examine, QUICK)
    assert told["accepted"] > 0.35 * len(QUICK)
    assert told["refused"] > 0.25 * len(QUICK), "what is carried about demands something"
    assert told["conditions"] > 10 * told["accepted"]


@pytest.mark.slow
@pytest.mark.parametrize("examine", EXAMINED)
def test_conditions_that_were_decided_hold_in_many_random_programs(examine: Callable[[int], Outcome]) -> None:
    told_without_failure(examine, MANY)


# ---------------------------------------------------------------------------------------------------------------------
# Every comparison of conditions is needed

SEEN = (
    ("the side conditions of a function that stands for another do not matter", examined_conditions),
    ("the side conditions of a privacy function that stands for another do not matter", examined_releases),
    ("a condition follows from a weaker one", examined_conditions),
    ("what a call puts in for sizes is asked for nothing", examined_conditions),
    ("a sensitivity function forgets its side conditions", examined_conditions),
    ("a privacy function forgets its side conditions", examined_releases),
    ("a divisor that does not divide is passed over", examined_releases),
    ("a branch is reached under the test of the other one", examined_conditions),
    ("a private branch is reached under the test of the other one", examined_releases),
    ("a static number may be infinite", examined_conditions),
    ("tables in boxes, sets and discrete cells take no room", examined_conditions),
    ("tables of a type that is not known yet take no room", examined_conditions),
)
LATE = (
    ("one of two functions is called under the side conditions of the other", examined_releases),
    ("a promise is kept by whatever function is passed on", examined_releases),
    ("a function that makes large tables is passed on", examined_releases),
    ("what a function leaves open is asked for nothing later", examined_conditions),
    ("a strict condition follows from one that is not", examined_conditions),
)
"""They are seen too, after a minute or two."""


UNCHOSEN = (
    "sλ m : ℕ . t : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ let f = sλ n : ℕ . u : 𝕄 [L∞, U | n, 1⋅𝔻] ⇒ u#[6, 0] in "
    "mfold-row (disc 0.0), t { a, r ⇒ if 6 < rows t then disc 0.5 ⋅ a + f t ⋅ r#[0, 0] else r#[0, 0] }"
)
"""At two rows nothing calls f, which demands seven."""


@pytest.mark.parametrize("mutant", RUNNING, ids=[mutant.name for mutant in RUNNING])
def test_a_run_that_computes_what_it_must_not_is_seen(mutant: Mutant) -> None:
    def run() -> None:
        with watched() as watch:
            claim = claims(check(UNCHOSEN), UNCHOSEN)
            (kinds,) = ({variable: Fraction(2) for variable in claim.kinds},)
            assert watch.permits(claim.typed, kinds)
            by_evaluator(claim)(kinds, [Table(((Fraction(0),), (Fraction(0),)), 1)])

    run()
    with planted(mutant), pytest.raises(Broken):
        run()


@pytest.mark.parametrize("mutant", RUNNING, ids=[mutant.name for mutant in RUNNING])
@pytest.mark.sparse(3)
def test_random_programs_see_a_broken_run(mutant: Mutant) -> None:
    with planted(mutant):
        assert any(examined_conditions(seed).failures for seed in FEW)


def is_seen(name: str, examine: Callable[[int], Outcome], seeds: Iterable[int]) -> bool:
    (mutant,) = (mutant for mutant in BROKEN if mutant.name == name)
    with planted(mutant):
        return any(examine(seed).failures for seed in seeds)


@pytest.mark.parametrize(("name", "examine"), SEEN, ids=[name for name, _ in SEEN])
@pytest.mark.sparse(5)
def test_a_comparison_that_is_dropped_is_seen(name: str, examine: Callable[[int], Outcome]) -> None:
    assert is_seen(name, examine, FEW)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "examine"), LATE, ids=[name for name, _ in LATE])
def test_a_comparison_that_is_rarely_needed_is_seen(name: str, examine: Callable[[int], Outcome]) -> None:
    assert is_seen(name, examine, range(3000))


# ---------------------------------------------------------------------------------------------------------------------
# The cases and the examples


def runs_of_a_release(typed: Typed) -> int:
    """Run a privacy function on neighbours, under the settings that an audit would draw; how often."""
    source, runs = random.Random(1), 0
    subject = subject_of(typed, {})
    for case in cases(subject, source, 2):
        for unit in subject.units:
            drawer = case.drawer(source)
            one = case.draw(drawer)
            other = drawer.neighbour(case.types, one, unit.names)
            for inputs in (one, other or one):
                case.bound(inputs).release(SerialEngine(), Randomness(InsecureBits(5)))
                runs += 1
    return runs


def runs_of_a_function(typed: Typed, text: str) -> int:
    """Run a sensitivity function on pairs of inputs; how often."""
    claim = claims(typed, text)
    if not all(can_be_given(parameter.type) for parameter in claim.parameters) or isinstance(claim.result, t.PFun):
        return 0
    searched(claim, by_evaluator(claim), DRAWS)
    return 2 * DRAWS


def runs_under_watch(path: Path) -> tuple[int, Watch]:
    """How often a program ran, and what was seen."""
    with watched(available()) as watch:
        typed = load(path).typed
        assert typed is not None
        try:
            if isinstance(typed.type, t.PFun):
                return runs_of_a_release(typed), watch
            return runs_of_a_function(typed, path.name), watch
        except DuetError as refusal:
            # Settings that an audit does not draw, functions among the arguments, foreign code.
            if watch.running:
                watch.faults.append(repr(refusal.diagnostics))
            return 0, watch


def hold_through(programs: Sequence[Path], least: int) -> None:
    """Run programs under watch. One without static sizes asks nothing, so that `least` is what all of them ask together."""
    ran, asked = 0, 0
    for path in programs:
        runs, watch = runs_under_watch(path)
        assert not watch.faults, (path.name, watch.faults)
        ran, asked = ran + (runs > 0), asked + watch.asked
    assert ran > 0.9 * len(programs)
    assert asked >= least


def test_nothing_breaks_in_programs_of_the_cases_and_the_examples() -> None:
    hold_through(PROGRAMS[::8], 110)


@pytest.mark.slow
def test_nothing_breaks_in_any_program_of_the_cases_and_the_examples() -> None:
    hold_through(PROGRAMS, 900)


# ---------------------------------------------------------------------------------------------------------------------
# The controls: programs that are run although their conditions do not hold

ENTERED = {
    "a condition of the program": "sλ m : ℕ . t : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ t#[6, 0]",
    "a condition of a function in a branch": (
        "sλ m : ℕ . t : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ let f = sλ n : ℕ . u : 𝕄 [L∞, U | n, 1⋅𝔻] ⇒ u#[6, 0] in "
        "if t#[0, 0] < 1000.0 then f t else disc 0.0"
    ),
    "a table": "sλ m : ℕ . t : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ (mcreate[L∞ | rows t ⋅ ℕ[200000], ℕ[1]] { i, j ⇒ disc 0.0 })#[0, 0]",
    "a static number": "sλ m : ℕ . t : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ disc ℝ⁺[exp(exp(exp(9⋅m)))]",
}


@pytest.mark.parametrize("text", ENTERED.values(), ids=ENTERED)
def test_the_watch_sees_what_is_broken(text: str) -> None:
    with watched() as watch:
        claim = claims(check(text), text)
        (kinds,) = ({variable: Fraction(2) for variable in claim.kinds},)
        assert not watch.permits(claim.typed, kinds)
        with pytest.raises(Broken):
            by_evaluator(claim)(kinds, [Table(((Fraction(0),), (Fraction(0),)), 1)])
        assert watch.faults
