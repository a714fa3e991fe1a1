"""Which signature of a primitive is used where several would do: the one that is finite and first."""

from __future__ import annotations

import pytest

from tests.typecheck.judging import result, sensitivities


@pytest.mark.parametrize(
    ("body", "type_", "claims"),
    [
        ("x % y", "𝐝 ℕ", ("1", "1")),
        ("x ⋅ y", "𝐝 ℕ", ("1", "1")),
        ("disc x % disc y", "𝐝 ℕ", ("1", "1")),
        ("disc x ⋅ y", "𝐝 ℕ", ("1", "1")),
        ("real x + √ (0.0 - 3.0)", "ℝ", ("1", "0")),
        ("real x + ㏒ (0.0 - 3.0)", "ℝ", ("1", "0")),
        ("real x + sign 3.0", "ℝ", ("1", "0")),
    ],
)
def test_known_reals_stay_real_and_naturals_are_read_as_discrete(
    body: str, type_: str, claims: tuple[str, ...]
) -> None:
    text = f"sλ . x : ℕ, y : ℕ ⇒ {body}"
    assert result(text) == type_
    assert sensitivities(text) == claims


def test_choices_between_pairs_and_sums_meet_part_by_part() -> None:
    assert result("sλ . b : 𝔹, x : ℝ ⇒ if b then ⟨x & 1.0⟩ else ⟨2.0 & x⟩") == "ℝ & ℝ"
    assert result("sλ . b : 𝔹, x : ℝ ⇒ if b then inl[ℝ] 1.0 else inl[ℝ] x") == "ℝ + ℝ"
