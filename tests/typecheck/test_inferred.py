"""The sensitivities that are inferred, rule by rule, and the facts that a reader is promised."""

from __future__ import annotations

import pytest

from duetpy.typecheck.notions import Notion
from tests.soundness.catalogue import REFUSED, Case, everything
from tests.typecheck.judging import accepted, errors, result, sensitivities

CASES: dict[str, list[Case]] = {}
for case in everything():
    CASES.setdefault(case.rule, []).append(case)


@pytest.mark.parametrize("rule", CASES)
def test_the_sensitivities_of_a_rule(rule: str) -> None:
    found = {case.text: sensitivities(case.text) for case in CASES[rule]}
    assert found == {case.text: case.claims for case in CASES[rule]}


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_rule_is_refused(text: str) -> None:
    assert errors(text)


CLIPPED = "sλ m : ℕ, n : ℕ . xs : 𝕄 [{}, U | m, n⋅𝔻] ⇒ mclip[{}] xs"


@pytest.mark.parametrize(
    ("metric", "norm", "wanted"),
    [
        ("L1", "L1", "𝕄 [L∞, L1 | m, n⋅𝔻]"),
        ("L2", "L2", "𝕄 [L∞, L2 | m, n⋅𝔻]"),
        ("L1", "L∞", "𝕄 [L1, L∞ | m, n⋅𝔻]"),
        ("L∞", "L2, 5.0", "𝕄 [L∞, L2≤5 | m, n⋅𝔻]"),
    ],
)
def test_clipping_discrete_rows_counts_rows(metric: str, norm: str, wanted: str) -> None:
    assert result(CLIPPED.format(metric, norm)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻] ⇒ mconv (mclip[L2] xs)", "𝕄 [L2, L2 | m, n⋅ℝ]"),
        ("sλ m : ℕ, n : ℕ . xs : 𝕄 [L2, L2 | m, n⋅ℝ] ⇒ renorm[L1] xs", "𝕄 [L1, L2 | m, n⋅ℝ]"),
        ("sλ m : ℕ, n : ℕ . xs : 𝕄 [L2, L2 | m, n⋅ℝ] ⇒ mmap xs { x ⇒ x }", "𝕄 [L2, U | m, n⋅ℝ]"),
        ("sλ m : ℕ, n : ℕ . xs : 𝕄 [L2, L2 | m, n⋅ℝ] ⇒ xs#[0, 0 ↦ 5.0]", "𝕄 [L2, U | m, n⋅ℝ]"),
        ("sλ m : ℕ, n : ℕ . xs : 𝕄 [L2, L2 | m, n⋅ℝ] ⇒ tr xs", "𝕄 [L1, U | n, m⋅ℝ]"),
        ("sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, L2 | m, n⋅𝔻] ⇒ mfilter xs { r ⇒ true }", "𝕄 [L∞, L2 | ★, n⋅𝔻]"),
        ("sλ . xs : 𝕄 [L∞, U | 6, 1⋅ℝ] ⇒ chunks[ℕ[2], xs]", "𝕄 [L∞, U | 3, 𝕄 [L∞, U | 2, 1⋅ℝ] ∷ []]"),
        ("sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅ℝ] ⇒ rows xs", "ℕ[m]"),
        ("sλ . b : 𝔹 ⇒ if b then 1.0 else 2.0", "ℝ"),
        ("sλ . b : 𝔹 ⇒ loop ℕ[3] on ℕ[1] { i, a ⇒ a + a }", "ℕ"),
        ("sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ mfold-row ℕ[1], xs { a, r ⇒ a + ℕ[1] }", "ℕ"),
        ("sλ . x : ℝ ⇒ ℕ[2] - ℕ[5]", "ℕ[0]"),
        ("sλ . x : ℝ ⇒ ℝ⁺[2.0] - ℝ⁺[5.0]", "ℝ[-3]"),
        ("sλ . x : ℝ ⇒ ℝ⁺[1.0] ⊓ ℝ⁺[100.0]", "ℝ⁺[1]"),
    ],
)
def test_the_type_of_a_result(text: str, wanted: str) -> None:
    assert result(text) == wanted


DESCENT = """
pλ m : ℕ, n : ℕ, k : ℕ, {kinds} .
  ⟨xs : 𝕄 [L∞, U | m, n⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻]⟩, k : ℕ[k], {params}, η : ℝ ⇒
  let s = ℝ⁺[{bound}] / real (rows xs) in
  let θ₀ = mcreate[L∞ | ℕ[1], cols xs] {{ i, j ⇒ 0.0 }} in
  {loop} k on θ₀ <xs, ys> {{ i, θ ⇒
    g ← mgauss[s, {args}] <xs, ys> {{ ∇[LR | θ; mclip[L2] xs, ys] }} ;
    return mmap θ, g {{ t, d ⇒ t - η ⋅ d }}
  }}
"""
SPELLED = {
    Notion.APPROX: {
        "kinds": "ε : ℝ⁺, δ : ℝ⁺, δ′ : ℝ⁺",
        "params": "ε : ℝ⁺[ε], δ : ℝ⁺[δ], δ′ : ℝ⁺[δ′]",
        "args": "ε, δ",
        "loop": "aloop[δ′]",
    },
    Notion.ZCDP: {"kinds": "ρ : ℝ⁺", "params": "ρ : ℝ⁺[ρ]", "args": "ρ", "loop": "loop"},
}


@pytest.mark.parametrize("notion", [Notion.APPROX, Notion.ZCDP])
def test_gradient_descent_needs_noise_for_2_over_m(notion: Notion) -> None:
    accepted(DESCENT.format(bound="2.0", **SPELLED[notion]), notion)
    assert errors(DESCENT.format(bound="1.0", **SPELLED[notion]), notion) == ("D0311",)


@pytest.mark.parametrize("notion", [Notion.APPROX, Notion.ZCDP])
def test_separate_features_and_labels_need_the_same(notion: Notion) -> None:
    separate = DESCENT.replace("⟨", "").replace("⟩", "")
    accepted(separate.format(bound="2.0", **SPELLED[notion]), notion)
    assert errors(separate.format(bound="1.0", **SPELLED[notion]), notion) == ("D0311",)
