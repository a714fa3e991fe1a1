"""Which signature of a primitive is used where several would do: the one that takes the arguments as they are."""

from __future__ import annotations

import pytest

from tests.typecheck.judging import result, sensitivities


@pytest.mark.parametrize(
    ("body", "type_", "claims"),
    [
        ("x % y", "ℕ", ("∞", "∞")),
        ("x ⋅ y", "ℕ", ("∞", "∞")),
        ("disc x % disc y", "𝐝 ℕ", ("1", "1")),
        ("disc x ⋅ y", "𝐝 ℕ", ("1", "1")),
        ("x + (3 % 0)", "ℕ", ("1", "0")),
        ("real x + √ (0.0 - 3.0)", "ℝ", ("1", "0")),
        ("real x + ㏒ (0.0 - 3.0)", "ℝ", ("1", "0")),
        ("real x + sign 3.0", "ℝ", ("1", "0")),
    ],
)
def test_numbers_are_not_made_discrete_to_fit_a_signature(body: str, type_: str, claims: tuple[str, ...]) -> None:
    text = f"sλ . x : ℕ, y : ℕ ⇒ {body}"
    assert result(text) == type_
    assert sensitivities(text) == claims


def test_choices_between_pairs_and_sums_meet_part_by_part() -> None:
    assert result("sλ . b : 𝔹, x : ℝ ⇒ if b then ⟨x & 1.0⟩ else ⟨2.0 & x⟩") == "ℝ & ℝ"
    assert result("sλ . b : 𝔹, x : ℝ ⇒ if b then inl[ℝ] 1.0 else inl[ℝ] x") == "ℝ + ℝ"
