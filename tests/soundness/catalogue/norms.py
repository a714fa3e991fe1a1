"""Clipping, and changes of norm and of metric."""

from __future__ import annotations

from tests.soundness.catalogue.case import Case
from tests.soundness.catalogue.tables import fixed, table

NORMS = (
    *(Case("mclip", fixed(norm, "𝔻", "mclip[L∞, 2.0] xs"), ("1",)) for norm in ("L1", "L2", "L∞")),
    Case("mclip", fixed("L1", "𝔻", "mclip[L1] xs"), ("1",)),
    Case("mclip", fixed("L2", "𝔻", "mclip[L2] xs"), ("1",)),
    Case("mclip", fixed("L∞", "𝔻", "mclip[L1, 3.0] xs"), ("1",)),
    Case("mclip", table("2⋅𝔻", "mclip[L2, 3.0] xs"), ("1",)),
    Case("mclip", fixed("L1", "ℝ", "mclip[L1] xs"), ("2",), tight=False),
    Case("mclip", fixed("L2", "ℝ", "mclip[L1] xs"), ("√n",)),
    Case("mclip", fixed("L∞", "ℝ", "mclip[L1] xs"), ("n",)),
    Case("mclip", fixed("L1", "ℝ", "mclip[L2] xs"), ("√n/2 + 0.5",)),
    Case("mclip", fixed("L2", "ℝ", "mclip[L2] xs"), ("1",)),
    Case("mclip", fixed("L∞", "ℝ", "mclip[L2] xs"), ("√n/2 + 0.5",)),
    Case("mclip", fixed("L1", "ℝ", "mclip[L∞] xs"), ("1",)),
    Case("mclip", fixed("L2", "ℝ", "mclip[L∞] xs"), ("1",)),
    Case("mclip", fixed("L∞", "ℝ", "mclip[L∞] xs"), ("1",)),
    Case("mconv", fixed("L∞", "𝔻", "mconv (mclip[L2] xs)"), ("2",)),
    Case("mconv", fixed("L∞", "𝔻", "mconv (mclip[L1] xs)"), ("2",)),
    Case("mconv", fixed("L1", "𝔻", "mconv (mclip[L∞] xs)"), ("2",)),
    Case("mconv", fixed("L2", "𝔻", "mconv (mclip[L∞] xs)"), ("2",)),
    Case("mconv", fixed("L∞", "𝔻", "mconv (mclip[L∞, 3.0] xs)"), ("6",)),
    Case("mconv", fixed("L1", "𝔻", "mconv (mclip[L∞, 3.0] xs)"), ("6",)),
    Case("mconv", fixed("L∞", "𝔻", "mconv xs"), ("∞",)),
    Case("mconv", "sλ m : ℕ, n : ℕ, b : ℝ⁺ . xs : 𝕄 [L∞, L2≤b | m, n⋅𝔻] ⇒ mconv xs", ("2⋅b",)),
    Case("mconv", "sλ n : ℕ . xs : 𝕄 [L∞, U | ★, n⋅𝔻] ⇒ mconv (mclip[L2, 3.0] xs)", ("3",)),
    Case("mconv", "sλ n : ℕ . xs : 𝕄 [L∞, U | ★, n⋅𝔻] ⇒ mconv (mclip[L1, 3.0] xs)", ("3",)),
    Case("mconv", "sλ n : ℕ . xs : 𝕄 [L∞, U | ★, n⋅𝔻] ⇒ mconv (mclip[L∞, 3.0] xs)", ("3",)),
    Case("renorm", fixed("L2", "ℝ", "renorm[L1] xs"), ("√n",)),
    Case("renorm", fixed("L∞", "ℝ", "renorm[L1] xs"), ("n",)),
    Case("renorm", fixed("L∞", "ℝ", "renorm[L2] xs"), ("√n",)),
    Case("renorm", fixed("L1", "ℝ", "renorm[L2] xs"), ("1",)),
    Case("renorm", fixed("L1", "𝔻", "renorm[L∞] xs"), ("1",)),
    Case("renorm", fixed("L∞", "𝔻", "renorm[L1] xs"), ("n",)),
    Case("renorm", "sλ n : ℕ . xs : 𝕄 [L∞, U | ★, n⋅𝔻] ⇒ renorm[L1] (mconv (mclip[L∞] xs))", ("n",)),
    Case("renorm", table("3⋅𝔻", "renorm[L1] xs"), ("1",)),
    Case("renorm", table("3⋅𝔻", "renorm[L2] xs"), ("1",)),
    Case("renorm", table("age : 𝔻 ∷ state : 𝔻 ∷ []", "renorm[L1] xs"), ("1",)),
    Case(
        "coerce", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ (sλ . t : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ rows t) xs", ("2",), tight=False
    ),
    Case("coerce", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ (sλ . t : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ t) xs", ("2",)),
    Case("coerce", "sλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅ℝ] ⇒ (sλ . t : 𝕄 [L1, U | ★, 2⋅ℝ] ⇒ t) xs", ("1",)),
)
