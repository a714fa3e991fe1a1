"""Programs that several tests check and run."""

MEAN = """\
pλ m : ℕ, ε : ℝ⁺ . table : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <table> {
    (mfold-row 0.0, table { total, row ⇒ total + clip[0.0, 100.0] row.age }) / real (rows table)
  }
"""

GAUSS = """\
pλ m : ℕ, δ : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], δ : ℝ⁺[δ] ⇒
  gauss[auto, ℝ⁺[0.5], δ] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } }
"""

RHO = """\
pλ m : ℕ, k : ℕ, ρ : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], k : ℕ[k], ρ : ℝ⁺[ρ] ⇒
  loop k on 0.0 <xs> { i, t ⇒
    gauss[auto, ρ] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } }
  }
"""

ALIGNED = """\
pλ m : ℕ, n : ℕ . ⟨xs : 𝕄 [L∞, U | m, n⋅𝔻 else 0], ys : 𝕄 [L∞, U | m, 1⋅𝔻 else 0]⟩, θ : 𝕄 [L∞, U | 1, n⋅ℝ else 0] ⇒
  mgauss[auto, ℝ⁺[1.0], ℝ⁺[1e-6]] <xs, ys> { ∇[LR | θ ; mclip[L2] xs, ys] }
"""

CLEAR = "pλ . x : 𝔻 ⇒ return x\n"

CURRIED = "sλ . x : ℝ, y : ℝ ⇒ x + 2.0 ⋅ y\n"

LYING = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒
  laplace[ℝ⁺[1.0], ℝ⁺[1.0]] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 2.0] (r#[0, 0]) } }
"""

HIDDEN = """\
pλ m : ℕ, b : ℕ, p : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], b : ℕ[b], p : ℝ⁺[p] ⇒
  TCDP[1e-6] { sample[b] xs { s ⇒
    x ← given[0.005, 1.5] <s> { 0.0 } ;
    given[0.005, (p ⊓ 0.01) + (p ⊓ 0.02) + (p ⊓ 0.04) + (p ⊓ 0.08) + (p ⊓ 0.16) + (p ⊓ 0.32) + (p ⊓ 0.64) + (p ⊓ 1.28)]
      <s> { 0.0 } } }
"""
"""At p = 9 the least order is 1.5, which amplification needs to be 299; over p it has too many members to be written."""
