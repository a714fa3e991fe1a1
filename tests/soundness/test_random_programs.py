"""Random whole programs: what the checker claims of them is true of the evaluator, which computes what is meant; a second
checker says the same of them; and no law of the language is broken.

The default suite runs a few hundred; ``make soundness`` runs 20,000, or as many as it is told, and prints how often each rule
was used.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest

from duetpy.grammar import ast
from duetpy.grammar.parser import parse_file
from duetpy.grammar.pretty import show_expression
from duetpy.source import Source
from tests.soundness.coverage import EVERY, FOREIGN, pages
from tests.soundness.drawing import Drawer
from tests.soundness.evaluated import by_evaluator
from tests.soundness.falsify import Program, Refused, by_definition, check_tree, claims, nodes, valuations
from tests.soundness.generate import random_program
from tests.soundness.plain import Table
from tests.soundness.reference.agreement import second_opinion
from tests.soundness.reference.checker import LEMMAS
from tests.soundness.reference.names import RULES
from tests.soundness.whole import examined

QUICK = range(250)
COVERED = range(1500)

JUMPING = frozenset({"≡", "<", "≤", "∈", "sign", "disc", "discf", "%"})


def accepted(seed: int) -> Program | None:
    file = random_program(seed)
    assert file.body is not None
    try:
        return claims(check_tree(file), show_expression(file.body))
    except Refused:
        return None


def test_random_programs_keep_what_is_claimed_of_them() -> None:
    told: Counter[str] = Counter()
    for seed in QUICK:
        outcome = examined(seed)
        assert not outcome.failures, f"seed {seed}: {outcome.failures[0]}"
        told += outcome.told
    assert told["accepted"] > 0.95 * len(QUICK)
    assert told["finite"] > 0.9 * told["accepted"], "a claim of ∞ cannot be refuted"
    assert told["second opinion: the same"] > 0.95 * told["accepted"]


def test_random_programs_use_every_rule() -> None:
    """Judged by the second checker alone, which is quick; the first judges the same programs in ``make soundness``."""
    unused = set(RULES)
    for seed in COVERED:
        file = random_program(seed)
        assert file.body is not None
        try:
            _, _, fired = second_opinion(file.body, {"m": Fraction(2)})
        except AssertionError:
            continue
        unused -= set(fired)
        if not unused:
            break
    assert not unused


def test_every_rule_has_a_page() -> None:
    assert set(EVERY.values()) <= pages()
    assert pages() >= FOREIGN


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


def test_the_evaluator_computes_what_is_meant() -> None:
    for seed in QUICK:
        claim = accepted(seed)
        if claim is not None:
            agrees(claim, seed)


def agrees(claim: Program, seed: int) -> None:
    """The evaluator and the definition on random inputs: exactly, or closely where roots are taken."""
    names = {node.name for node in nodes(claim.typed.body or claim.typed.file) if isinstance(node, ast.Prim)}
    if not claim.is_exact and names & JUMPING:
        return
    evaluated, meant, source = by_evaluator(claim), by_definition(claim), random.Random(seed)
    for kinds in list(valuations(claim, source))[:2]:
        drawer = Drawer(source, claim.landmarks)
        for _ in range(2):
            arguments = [drawer.draw(parameter.type) for parameter in claim.at(kinds).parameters]
            left, right = evaluated(kinds, arguments), meant(kinds, arguments)
            assert is_close(left, right, claim.is_exact), (seed, claim.text, arguments, left, right)


def is_close(left: Any, right: Any, exact: bool) -> bool:
    match left, right:
        case Table(), Table():
            same_width = left.width == right.width or not left.rows
            return same_width and all_close(zip(left.rows, right.rows, strict=True), exact)
        case bool(), _:
            return left is right
        case tuple(), tuple():
            return all_close(zip(left, right, strict=True), exact)
        case ((int() | Fraction() | float()), (int() | Fraction() | float())):
            # 𝔻 rounds to doubles.
            bound = Fraction(1, 10**12) if exact else Fraction(1, 10**6)
            return bool(left == right or abs(Fraction(left) - Fraction(right)) <= bound * (1 + abs(Fraction(left))))
        case _:
            return bool(left == right)


def all_close(pairs: Iterable[tuple[Any, Any]], exact: bool) -> bool:
    return all(is_close(left, right, exact) for left, right in pairs)
