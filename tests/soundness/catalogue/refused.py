"""Programs that are refused."""

from __future__ import annotations

REFUSED = (
    "sλ . xs : bag ℝ ⇒ bmap xs { x ⇒ x + 1.0 }",
    "sλ . xs : bag ℝ ⇒ bmap xs { x ⇒ disc x }",
    "sλ . xs : bag 𝔻 ⇒ bmap xs { x ⇒ conv x }",
    "sλ . xs : bag ℝ ⇒ bmap xs { x ⇒ let x = 1.0 in x }",
    "sλ . xs : bag 𝔻, ys : bag 𝔻 ⇒ bmap xs, ys { x, y ⇒ x + y }",
    "sλ . xs : bag ℝ ⇒ mfold-row 0.0, xs { a, r ⇒ a + 1.0 }",
    "sλ . xs : bag ℝ ⇒ mfold-row 0.0, (bmap xs { x ⇒ 0.0 }) { a, r ⇒ a + 1.0 }",
    "sλ . xs : bag 𝔻 ⇒ mfold-row 0.0, (bmap xs { x ⇒ clip[0.0, 0.0] x }) { a, r ⇒ a + 1.0 }",
    "sλ . xs : 𝕄 [L1, U | ★, 1⋅ℝ] ⇒ mmap-row xs { r ⇒ mmap r, (mcreate[L1 | ℕ[1], ℕ[1]] { i, j ⇒ 1.0 }) { x, x ⇒ x } }",
    "sλ . xs : 𝕄 [L1, U | ★, 1⋅ℝ] ⇒ mfold-row 0.0, xs { a, r ⇒ a + (r#[0, 0] - 1.0) }",
    "sλ . xs : 𝕄 [L1, U | ★, 1⋅ℝ] ⇒ mfold-row 0.0, xs { a, r ⇒ a + clip[1.0, 2.0] r#[0, 0] }",
    "sλ . xs : 𝕄 [L1, U | ★, 1⋅ℝ], q : 𝔹 ⇒ mfold-row 0.0, xs { a, r ⇒ a + (if q then r#[0, 0] else 1.0) }",
    "sλ . xs : bag ℝ⁺[2.0] ⇒ (sλ . t : bag ℝ ⇒ t) xs",
    "sλ . xs : 𝔻𝔽[a : 𝔻, b : ℝ] ⇒ mapDF xs { r ⇒ addColDF⧼b⧽ r.b }",
    "sλ . xs : 𝔻𝔽[a : ℝ] ⇒ mapDF xs { r ⇒ { a = r.a, b = 1.0 } }",
    "sλ . x : ℝ ⇒ { a = x, a = 2.0 }",
    "sλ . xs : 𝔻𝔽[a : ℝ] ⇒ { a = xs }",
    "sλ . xs : 𝔻𝔽[b : ℝ], ys : 𝔻𝔽[b : ℝ] ⇒ joinDF₁⧼b⧽[xs, ys]",
    "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻] ⇒ "
    "(sλ m : ℕ, n : ℕ . t : 𝕄 [L∞, L2 | m, n⋅𝔻] ⇒ mconv t) (mclip[L2, 5.0] xs)",
    "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻] ⇒ "
    "(sλ m : ℕ, n : ℕ . t : 𝕄 [L∞, L1 | m, n⋅𝔻] ⇒ mconv t) (mclip[L∞, 1.0] xs)",
    "sλ m : ℕ . xs : 𝕄 [L2, U | m, 2⋅ℝ] ⇒ (sλ m : ℕ . t : 𝕄 [L1, U | m, 2⋅ℝ] ⇒ t) xs",
    "sλ . x : ℝ ⇒ (sλ . f : ℝ ⊸[1] ℝ ⇒ f x) (sλ . z : ℝ ⇒ 3.0 ⋅ z)",
    "sλ . xs : 𝕄 [L∞, U | 1, 2⋅ℝ] ⇒ (sλ . f : 𝕄 [L∞, U | 1, 2⋅ℝ] ⊸[1] 𝕄 [L1, U | 1, 2⋅ℝ] ⇒ f xs) "
    "(sλ . t : 𝕄 [L1, U | 1, 2⋅ℝ] ⇒ t)",
    "sλ . xs : 𝕄 [L∞, U | 1, 2⋅ℝ] ⇒ (sλ . f : 𝕄 [L∞, U | 1, 2⋅ℝ] ⊸[1] 𝕄 [L1, U | 1, 2⋅ℝ] ⇒ f xs) "
    "(sλ . t : 𝕄 [L∞, U | 1, 2⋅ℝ] ⇒ t)",
    "sλ . d : 𝔻 ⇒ (sλ . x : ℝ ⇒ 100.0 ⋅ x) d",
    "sλ . x : ℝ ⇒ (sλ . b : box[x@1] ℝ ⇒ unbox b) (box (3.0 ⋅ x))",
    "sλ . x : ℝ, y : ℝ ⇒ (sλ . b : box[x@1] ℝ ⇒ unbox b) (box (x + y))",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ (sλ . t : 𝕄 [L∞, U | 3, 1⋅𝔻] ⇒ real (rows t)) xs",
    "sλ . x : ℝ, y : ℝ ⇒ box x ≡ box y",
    "sλ . x : ℝ ⇒ loop ℕ[3] on box x { i, b ⇒ box (unbox b + unbox b) }",
    "sλ . x : ℝ ⇒ (sλ . f : ℝ⁺[1.0] ⊸[0] ℝ ⇒ f) (sλ . c : ℝ⁺[2.0] ⇒ 1.0) ℝ⁺[1.0]",
    "sλ . k : ℕ, x : ℝ ⇒ (sλ n : ℕ . c : ℕ[n] ⇒ real c ⋅ x) k",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfold-row 0.0, xs { a, r ⇒ (a ⊔ 5.0) + 1.0 }",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfold-row 0.0, xs { a, r ⇒ let a = clip[0.0, 1.0] r#[0, 0] in a ⊔ 2.0 }",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfold-row 0.0, xs { a, r ⇒ let ⟨b, a⟩ = ⟨0.0, clip[0.0, 1.0] r#[0, 0]⟩ in a + b }",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ let a = 1.0 in mfold-row 0.0, xs { a, r ⇒ let b = 3.0 ⋅ a + 1.0 in a ⊔ clip[0.0, 1000.0] b }",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ xs#[0, 0]",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ zip[xs, ys]",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mmap-row xs, ys { x, y ⇒ x }",
    "sλ . xs : 𝕄 [L∞, U | 1, 1⋅ℝ], ys : 𝕄 [L∞, U | 1, 1⋅ℝ] ⇒ "
    "(sλ ς : ☆K . t : 𝕄 [L∞, U | 1, ς], u : 𝕄 [L∞, U | 1, ς] ⇒ disc t ≡ disc u) xs ys",
    "sλ . x : ℝ ⇒ (sλ s : ℝ⁺ . f : (∀ k : ℕ . 𝕄 [L1, U | 1, k⋅ℝ] ⊸[s] ℝ), z : ℝ ⇒ "
    "f@[9] (mcreate[L1 | ℕ[1], ℕ[9]] { i, j ⇒ z })) "
    "(sλ n : ℕ . r : 𝕄 [L1, U | 1, n⋅ℝ] ⇒ real ℕ[n] ⋅ (r#[ℕ[0], ℕ[0]])) x",
    "sλ . xs : 𝕄 [L∞, U | ★, 1⋅ℝ⁺[1000]], b : 𝕄 [L1, L1≤1 | 1, 1⋅ℝ] ⇒ xs × b",
)
"""Programs that must be refused. A mutant that accepts one has to be caught on it."""
