"""Matrix products."""

from __future__ import annotations

from tests.soundness.catalogue.case import Case

FACTORS = "sλ m : ℕ, k : ℕ, n : ℕ . a : 𝕄 [{}, {} | m, k⋅{}], b : 𝕄 [{}, {} | k, n⋅{}] ⇒ a × b"

PRODUCTS = (
    Case("product", FACTORS.format("L1", "U", "ℝ", "L1", "L1≤3", "ℝ"), ("3", "∞")),
    Case("product", FACTORS.format("L2", "U", "ℝ", "L2", "L2≤3", "ℝ"), ("3⋅√k", "∞")),
    Case("product", FACTORS.format("L∞", "U", "ℝ", "L1", "L∞≤3", "ℝ"), ("3⋅k", "∞")),
    Case("product", FACTORS.format("L1", "U", "ℝ", "L1", "L∞≤3", "ℝ"), ("3⋅n", "∞")),
    Case("product", FACTORS.format("L2", "U", "ℝ", "L1", "L∞≤3", "ℝ"), ("3⋅√(k⋅n)", "∞")),
    Case("product", FACTORS.format("L1", "L∞≤2", "ℝ", "L1", "U", "ℝ"), ("∞", "2⋅m")),
    Case("product", FACTORS.format("L1", "L2≤2", "ℝ", "L∞", "U", "ℝ"), ("∞", "2⋅m⋅n")),
    Case("product", FACTORS.format("L2", "L1≤2", "ℝ", "L∞", "U", "ℝ"), ("∞", "2⋅m⋅√n")),
    Case("product", FACTORS.format("L1", "L1≤2", "ℝ", "L1", "L1≤3", "ℝ"), ("3", "2⋅m")),
    Case("product", FACTORS.format("L1", "U", "ℝ", "L1", "U", "ℝ"), ("∞", "∞")),
    Case("product", "sλ m : ℕ, n : ℕ . a : 𝕄 [L1, U | m, 2⋅ℝ], b : 𝕄 [L1, U | 2, n⋅ℝ⁺[3]] ⇒ a × b", ("3⋅n", "0")),
    Case("product", FACTORS.format("L∞", "U", "𝔻", "L∞", "U", "𝔻"), ("1", "m")),
    Case("product", FACTORS.format("L1", "U", "𝔻", "L2", "U", "𝔻"), ("1", "m")),
    Case("product", FACTORS.format("L∞", "U", "𝔻", "L1", "U", "ℝ"), ("1", "∞")),
    Case("product", FACTORS.format("L1", "U", "ℝ", "L∞", "U", "𝔻"), ("∞", "m")),
    Case("product", "sλ n : ℕ . a : 𝕄 [L1, U | ★, 2⋅ℝ], b : 𝕄 [L1, L1≤3 | 2, n⋅ℝ] ⇒ a × b", ("3", "∞")),
    Case("product", "sλ n : ℕ . a : 𝕄 [L∞, U | ★, 2⋅𝔻], b : 𝕄 [L∞, U | 2, n⋅𝔻] ⇒ a × b", ("1", "∞")),
    Case("product", "sλ m : ℕ . a : 𝕄 [L1, L∞≤2 | m, 2⋅ℝ] ⇒ tr a × a", ("∞",)),
    Case("product", "sλ . a : 𝕄 [L1, L∞≤2 | 1, 2⋅ℝ] ⇒ mclip[L∞, 2.0] (tr a) × a", ("8",)),
    Case("product", "sλ . a : 𝕄 [L1, U | ★, 2⋅ℝ], b : 𝕄 [L1, L1≤0 | 2, 1⋅ℝ] ⇒ rows (a × b)", ("∞", "0")),
    Case("product", "sλ . a : 𝕄 [L1, U | ★, 2⋅ℝ], b : 𝕄 [L1, U | 2, 1⋅ℝ⁺[0]] ⇒ rows (a × b)", ("∞", "0")),
)
