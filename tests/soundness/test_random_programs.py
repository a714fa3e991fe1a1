"""Random whole programs: what the checker claims of them is true of the evaluator, which computes what is meant; a second
checker says the same of them; and no law of the language is broken.

The default suite runs a few hundred; ``make soundness`` runs 20,000, or as many as you ask for, and prints how often each rule
was used.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from duetpy.grammar.parser import parse_file
from duetpy.source import Source
from duetpy.typecheck.persons import size_of
from tests.effort import often
from tests.soundness.coverage import EVERY, FOREIGN, pages, written
from tests.soundness.evaluated import by_evaluator
from tests.soundness.falsify import program, searched
from tests.soundness.generate import random_program
from tests.soundness.generate_persons import ROSTER
from tests.soundness.reference.agreement import compared, second_opinion
from tests.soundness.reference.checker import LEMMAS
from tests.soundness.reference.names import RULES
from tests.soundness.whole import examined

QUICK = range(often(250, 60))
COVERED = range(6000)


def test_random_programs_keep_what_is_claimed_of_them() -> None:
    told: Counter[str] = Counter()
    for seed in QUICK:
        outcome = examined(seed)
        assert not outcome.failures, f"seed {seed}: {outcome.failures[0]}"
        told += outcome.told
    assert told["accepted"] > 0.95 * len(QUICK)
    assert told["finite"] > 0.9 * told["accepted"], "a claim of ∞ cannot be refuted"
    assert told["second opinion: the same"] > 0.95 * told["accepted"]


@pytest.mark.thorough("test_random_programs_keep_what_is_claimed_of_them")
def test_random_programs_use_every_rule() -> None:
    """Judged by the second checker alone, which is quick; the first judges the same programs in ``make soundness``."""
    unused = set(RULES)
    for seed in COVERED:
        file = random_program(seed)
        assert file.body is not None
        try:
            _, _, fired = second_opinion(file.body, {"m": Fraction(2), size_of(ROSTER): Fraction(2)})
        except AssertionError:
            continue
        unused -= set(fired)
        if not unused:
            break
    assert not unused


RUNS_ONCE = (
    ("sλ . x : ℝ, y : ℝ ⇒ loop ℕ[1] on x { i, a ⇒ a ⋅ a + y }", ("∞", "1")),
    ("sλ . x : ℝ, y : ℝ ⇒ loop ℕ[0] on 2.0 ⋅ x { i, a ⇒ a ⋅ a + y }", ("2", "0")),
    ("sλ . x : ℝ, xs : 𝕄 [L1, U | 1, 1⋅ℝ] ⇒ mfold-row x, xs { a, r ⇒ a ⋅ a + 3.0 ⋅ r#[0, 0] }", ("∞", "3")),
)


@pytest.mark.parametrize(("text", "claims"), RUNS_ONCE)
def test_a_body_without_a_bound_is_charged_as_often_as_it_runs(text: str, claims: tuple[str, ...]) -> None:
    claim = program(text)
    assert tuple(parameter.sensitivity.show() for parameter in claim.parameters) == claims
    assert searched(claim, by_evaluator(claim), 20).refutation is None


COMPARED = (
    ("sλ . m : 𝔻?, p : 𝔻? & ℝ ⇒ m ≡ fst p", (1, 1)),
    ("sλ . m : 𝔻?, x : ℝ ⇒ x ≡ conv (m or-else disc 0.0)", (1, float("inf"))),
    ("sλ . x : 𝔻 in [0.0, 5.0] ⇒ clip[0.0, 9.0] (disc x)", (9,)),
    ("sλ . x : 𝔻? in [0.0, 5.0] ⇒ clip[-1.0, 1.0] (x or-else 1e400)", (2,)),
    ("sλ . p : 𝔻? & 𝔹, q : (𝔻? & 𝔹) & ℝ ⇒ p ≡ fst q", (1, 1)),
)
"""What is equal in types whose values are 1 apart, next to a real number, with which no diameter caps anything; ranges."""


@pytest.mark.parametrize(("text", "bounds"), COMPARED)
def test_both_checkers_say_the_same(text: str, bounds: tuple[float, ...]) -> None:
    both = compared(program(text), {})
    assert both.first == both.second == bounds


def test_every_rule_has_a_page() -> None:
    assert set(EVERY.values()) <= pages()
    assert pages() >= FOREIGN


def test_the_page_of_coverage_has_every_rule() -> None:
    """Its figures are those of the run that wrote it: ``python -m tests.soundness --write``."""
    told = written()
    assert {rule: page for rule, (_, page) in told.items()} == EVERY


@pytest.mark.parametrize("lemma", sorted(LEMMAS))
def test_without_a_lemma_some_program_costs_more(lemma: str) -> None:
    text, blunt = {
        "diameter": ("sλ . x : ℕ ⇒ x < 3 ∧ x < 5", 2),
        "count": ("sλ . xs : 𝕄 [L∞, U | 2, 1⋅𝔻] ⇒ rows (mfilter xs { r ⇒ r#[0, 0] < 3.0 })", 2),
        "aligned": ("sλ . xs : 𝕄 [L∞, L2≤1 | 2, 1⋅𝔻] ⇒ ∇[LR | mcreate[L2 | ℕ[1], ℕ[1]] { i, j ⇒ 1.0 }; xs, xs]", 1.5),
        "parts": ("sλ . x : ℝ ⇒ let ⟨a, b⟩ = ⟨x, 2.0 ⋅ x⟩ in a", 3),
    }[lemma]
    file, problems = parse_file(Source("lemma.duet", text))
    assert not problems
    assert file.body is not None
    sharp, _, _ = second_opinion(file.body, {})
    (without,), _, _ = second_opinion(file.body, {}, LEMMAS - {lemma})
    assert without.high == Fraction(blunt)
    assert sharp[0] < without


@pytest.mark.parametrize(
    "body",
    [
        "rows xs",
        "rows (mfilter xs { r ⇒ r.w < 1.0 })",
        "mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 1.0] r.w }",
        "mfold-row 0.0, (bmap xs { r ⇒ clip[0.0, 1.0] r.w ⋅ clip[0.0, 1.0] r.w }) { t, r ⇒ t + r#[0, 0] }",
    ],
)
def test_both_checkers_count_the_rows_of_a_frame_with_a_real_column(body: str) -> None:
    both = compared(program(f"sλ xs : 𝔻𝔽[a : 𝔻, w : ℝ] ⇒ {body}"), {})
    assert both.agree
    assert both.first == (1,)
