"""The lines of the prelude."""

from __future__ import annotations

from tests.soundness.broken.mutant import line

M, N = "∀ m : ℕ, n : ℕ, b : ℝ⁺ .", "n⋅𝔻]"

SIGNATURES = (
    line(
        "the product of two reals is 1-sensitive",
        "prim (⋅) : ℝ ⊸[∞] ℝ ⊸[∞] ℝ",
        "prim (⋅) : ℝ ⊸[1] ℝ ⊸[1] ℝ",
        "times",
    ),
    line("a static factor does not scale", "ℝ⁺[c] ⊸[0] ℝ ⊸[c] ℝ", "ℝ⁺[c] ⊸[0] ℝ ⊸[1] ℝ", "times"),
    line("a static divisor multiplies", "ℝ ⊸[1/c] ℝ⁺[c]", "ℝ ⊸[c] ℝ⁺[c]", "divide"),
    line("a remainder moves by 1", "ℕ ⊸[c] ℕ[c] ⊸[0] ℕ\nprim (%)", "ℕ ⊸[1] ℕ[c] ⊸[0] ℕ\nprim (%)", "remainder"),
    line("equality on ℝ is 1-sensitive", "prim (≡) : ℝ ⊸[∞] ℝ ⊸[∞] 𝔹", "prim (≡) : ℝ ⊸[1] ℝ ⊸[1] 𝔹", "equal"),
    line("less on ℝ is 1-sensitive", "prim (<) : ℝ ⊸[∞] ℝ ⊸[∞] 𝔹", "prim (<) : ℝ ⊸[1] ℝ ⊸[1] 𝔹", "less"),
    line("the sign of a real is 1-sensitive", "prim sign : ℝ ⊸[∞] ℝ", "prim sign : ℝ ⊸[1] ℝ", "sign"),
    line("the root of a real is 1-sensitive", "prim (√) : ℝ ⊸[∞] ℝ", "prim (√) : ℝ ⊸[1] ℝ", "root"),
    line("the logarithm of a real is 1-sensitive", "prim (㏒) : ℝ ⊸[∞] ℝ", "prim (㏒) : ℝ ⊸[1] ℝ", "log"),
    line("the root of a discrete value is free", "prim (√) : 𝔻 ⊸[1] 𝔻", "prim (√) : 𝔻 ⊸[0] 𝔻", "root"),
    line("the floor of a real is 1-sensitive", "prim floor : ℝ ⊸[∞] ℝ", "prim floor : ℝ ⊸[1] ℝ", "whole"),
    line("a real rounds for 1", "prim round : ℝ ⊸[∞] ℝ", "prim round : ℝ ⊸[1] ℝ", "whole"),
    line("the exponential of a real is 1-sensitive", "prim exp : ℝ ⊸[∞] ℝ", "prim exp : ℝ ⊸[1] ℝ", "exp"),
    line("entries are counted at 1 in L∞", "𝕄 [L∞, U | m, n⋅𝔻] ⊸[n] ℝ", "𝕄 [L∞, U | m, n⋅𝔻] ⊸[1] ℝ", "count"),
    line("entries are counted at 1 in L2", "𝕄 [L2, U | m, n⋅𝔻] ⊸[√n] ℝ", "𝕄 [L2, U | m, n⋅𝔻] ⊸[1] ℝ", "count"),
    line("an unknown row holds one entry", "𝕄 [L∞, U | ★, n⋅𝔻] ⊸[n] ℝ", "𝕄 [L∞, U | ★, n⋅𝔻] ⊸[1] ℝ", "count"),
    line("disc is 1-sensitive on everything", "prim disc : ∀ τ : ☆K . 𝐝 τ", "prim disc : ∀ τ : ☆K . τ", "disc"),
    line("a discrete number becomes real for 1", "prim conv : 𝔻 ⊸[∞] ℝ", "prim conv : 𝔻 ⊸[1] ℝ", "conv"),
    line("a part of a lazy pair is free", "(τ & ς) ⊸[1] ς", "(τ & ς) ⊸[0] ς", "snd", "fst"),
    line("a natural number becomes real for free", "prim real : ℕ ⊸[1] ℝ", "prim real : ℕ ⊸[0] ℝ", "real"),
    line("an element of a set is free", "prim (∈) : ℕ ⊸[1] ℘(ℕ)", "prim (∈) : ℕ ⊸[0] ℘(ℕ)", "element"),
    line("a union of sets is free", "℘(℘(τ)) ⊸[1] ℘(τ)", "℘(℘(τ)) ⊸[0] ℘(τ)", "unionAll"),
    line(
        "tr keeps every norm",
        "𝕄 [L∞, U | m, n⋅τ] ⊸[n] 𝕄 [L1, U | n, m⋅τ]",
        "𝕄 [L∞, U | m, n⋅τ] ⊸[1] 𝕄 [L1, U | n, m⋅τ]",
        "tr",
    ),
    line(
        "tr scales by rows",
        "𝕄 [L2, U | m, n⋅τ] ⊸[√n] 𝕄 [L1, U | n, m⋅τ]",
        "𝕄 [L2, U | m, n⋅τ] ⊸[√m] 𝕄 [L1, U | n, m⋅τ]",
        "tr",
    ),
    line("mconv moves by b in L2", f"{M} 𝕄 [L∞, L2≤b | m, {N} ⊸[2⋅b]", f"{M} 𝕄 [L∞, L2≤b | m, {N} ⊸[b]", "mconv"),
    line("mconv moves by b in L1", f"{M} 𝕄 [L∞, L1≤b | m, {N} ⊸[2⋅b]", f"{M} 𝕄 [L∞, L1≤b | m, {N} ⊸[b]", "mconv"),
    line("mconv moves by b in L∞", f"{M} 𝕄 [L∞, L∞≤b | m, {N} ⊸[2⋅b]", f"{M} 𝕄 [L∞, L∞≤b | m, {N} ⊸[b]", "mconv"),
    line("mconv ignores the bound", f"{M} 𝕄 [L1, L∞≤b | m, {N} ⊸[2⋅b]", f"{M} 𝕄 [L1, L∞≤b | m, {N} ⊸[2]", "mconv"),
    line("mconv of unbounded rows costs 2", "𝕄 [L∞, U | m, n⋅𝔻] ⊸[∞] 𝕄 [L1", "𝕄 [L∞, U | m, n⋅𝔻] ⊸[2] 𝕄 [L1", "mconv"),
    line("a ★ row more moves by b/2", "𝕄 [L∞, L2≤b | ★, n⋅𝔻] ⊸[b]", "𝕄 [L∞, L2≤b | ★, n⋅𝔻] ⊸[b/2]", "mconv"),
    line(
        "mclip of discrete rows stays in L1",
        "𝕄 [L∞, U | m, n⋅𝔻] ⊸[1] 𝕄 [L∞, L1≤b | m, n⋅𝔻]",
        "𝕄 [L1, U | m, n⋅𝔻] ⊸[1] 𝕄 [L1, L1≤b | m, n⋅𝔻]",
        "mclip",
    ),
    line(
        "mclip of discrete rows stays in L2",
        "𝕄 [L∞, U | m, n⋅𝔻] ⊸[1] 𝕄 [L∞, L2≤b | m, n⋅𝔻]",
        "𝕄 [L2, U | m, n⋅𝔻] ⊸[1] 𝕄 [L2, L2≤b | m, n⋅𝔻]",
        "mclip",
    ),
    line(
        "mclip of real rows relabels them discrete",
        "𝕄 [L2, U | m, n⋅ℝ] ⊸[1] 𝕄 [L2, L2≤b | m, n⋅ℝ]",
        "𝕄 [L2, U | m, n⋅ℝ] ⊸[1] 𝕄 [L2, L2≤b | m, n⋅𝔻]",
        "mclip",
    ),
    line("radial L1 clipping is 1 in L1", "𝕄 [L1, U | m, n⋅ℝ] ⊸[2]", "𝕄 [L1, U | m, n⋅ℝ] ⊸[1]", "mclip"),
    line(
        "radial L1 clipping is 1 in L2",
        "𝕄 [L2, U | m, n⋅ℝ] ⊸[√n] 𝕄 [L2, L1",
        "𝕄 [L2, U | m, n⋅ℝ] ⊸[1] 𝕄 [L2, L1",
        "mclip",
    ),
    line(
        "radial L1 clipping is 1 in L∞",
        "𝕄 [L∞, U | m, n⋅ℝ] ⊸[n] 𝕄 [L∞, L1",
        "𝕄 [L∞, U | m, n⋅ℝ] ⊸[1] 𝕄 [L∞, L1",
        "mclip",
    ),
    line("radial L2 clipping is 1 in L1", "𝕄 [L1, U | m, n⋅ℝ] ⊸[1/2 + √n/2]", "𝕄 [L1, U | m, n⋅ℝ] ⊸[1]", "mclip"),
    line("radial L2 clipping is 1 in L∞", "𝕄 [L∞, U | m, n⋅ℝ] ⊸[1/2 + √n/2]", "𝕄 [L∞, U | m, n⋅ℝ] ⊸[1]", "mclip"),
    line(
        "renorm of L2 to L1 is free",
        "∀ m : ℕ, n : ℕ, τ : ☆K . 𝕄 [L2, U | m, n⋅τ] ⊸[√n] 𝕄 [L1, U | m",
        "∀ m : ℕ, n : ℕ, τ : ☆K . 𝕄 [L2, U | m, n⋅τ] ⊸[1] 𝕄 [L1, U | m",
        "renorm",
    ),
    line(
        "renorm of L∞ to L1 costs √n",
        "∀ m : ℕ, n : ℕ, τ : ☆K . 𝕄 [L∞, U | m, n⋅τ] ⊸[n] 𝕄 [L1, U | m",
        "∀ m : ℕ, n : ℕ, τ : ☆K . 𝕄 [L∞, U | m, n⋅τ] ⊸[√n] 𝕄 [L1, U | m",
        "renorm",
    ),
    line(
        "the number of ★ rows is public",
        "𝕄 [L∞, U | ★, n⋅𝐝 τ] ⊸[1] ℕ",
        "𝕄 [L∞, U | ★, n⋅𝐝 τ] ⊸[0] ℕ",
        "rows",
    ),
)
