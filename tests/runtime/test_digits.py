"""Of a root a run knows so many digits: equal numbers have the same ones, whoever found them."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest

from duetpy.typecheck.quantity import ZERO, Quantity, exp, log
from tests.soundness.broken.digits import PAIR
from tests.soundness.evaluated import by_evaluator
from tests.soundness.falsify import program
from tests.soundness.mutants import planted
from tests.soundness.plain import Table

IN_A_CALL = "let f = sλ a : ℝ⁺ . y : ℝ, c : ℝ⁺[a] ⇒ {} in sλ d : 𝔹 ⇒ (sλ p : {} ⇒ {}) ({})"
"""√8 as a function finds it for a = 8, which has another last digit than 2⋅√2."""
SECOND = "fst (snd p)"
PAIRS = (
    IN_A_CALL.format("⟨√ c, 1.0⟩", "ℝ × ℝ", "fst p", "if d then f 1.0 8.0 else ⟨√ 8.0, 1.0⟩"),
    IN_A_CALL.format("⟨√ c & 1.0⟩", "ℝ & ℝ", "fst p", "if d then f 1.0 8.0 else ⟨√ 8.0 & 1.0⟩"),
    IN_A_CALL.format("⟨1.0, ⟨√ c, 1.0⟩⟩", "ℝ × (ℝ × ℝ)", SECOND, "if d then f 1.0 8.0 else ⟨1.0, ⟨√ 8.0, 1.0⟩⟩"),
    IN_A_CALL.format("⟨√ c, 1.0⟩", "ℝ × ℝ", "fst p", "loop ℕ[1] on if d then f 1.0 8.0 else ⟨√ 8.0, 1.0⟩ { i, q ⇒ q }"),
)


def moved(text: str) -> Fraction:
    """How far a number moves that is claimed not to depend on a truth value."""
    claim = program(text)
    assert claim.parameters[-1].sensitivity == ZERO
    first, second = (by_evaluator(claim)({}, [each]) for each in (False, True))
    return abs(Fraction(first) - Fraction(second))


@pytest.mark.parametrize("text", PAIRS)
def test_digits_of_a_pair_that_were_found_elsewhere_are_seen(text: str) -> None:
    with planted(PAIR):
        assert moved(text) > 0


@pytest.mark.parametrize("text", PAIRS)
def test_a_pair_has_the_digits_that_its_type_says_whoever_found_them(text: str) -> None:
    assert moved(text) == 0


def test_a_pair_in_rows_has_the_digits_that_its_type_says() -> None:
    body = "(sλ p : ℝ × ℝ ⇒ fst p) (if r#[0, 0] < 1.0 then f 1.0 8.0 else ⟨√ 8.0, 1.0⟩)"
    function = "let f = sλ a : ℝ⁺ . y : ℝ, c : ℝ⁺[a] ⇒ ⟨√ c, 1.0⟩ in"
    claim = program(f"{function} sλ xs : 𝕄 [L∞, U | 2, 1⋅𝔻] ⇒ mfold-row 0.0, xs {{ s, r ⇒ s + {body} }}")
    assert claim.parameters[-1].sensitivity == ZERO
    found = [by_evaluator(claim)({}, [Table(((0.0,), (each,)), 1)]) for each in (0.0, 2.0)]
    assert found[0] == found[1]


def test_equal_quantities_are_the_same_number_in_whatever_order_their_parts_stand() -> None:
    roots = [Quantity.of(number).sqrt() for number in (6, 10, 15, 21)]
    scales = [exp(root) for root in roots]
    for combined in (Quantity.__add__, Quantity.__mul__):
        for parts in (roots, scales, [log(scale + 1) for scale in roots]):
            found = {_folded(combined, order).evaluate({}, up=True) for order in permutations(parts)}
            assert len(found) == 1


def _folded(combined: object, parts: tuple[Quantity, ...]) -> Quantity:
    assert callable(combined)
    found = parts[0]
    for part in parts[1:]:
        found = combined(found, part)
    return found
