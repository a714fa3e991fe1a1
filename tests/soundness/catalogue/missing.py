"""Values that may be missing."""

from __future__ import annotations

from tests.soundness.catalogue.case import Case

MISSING = (
    Case("or-else", "sλ . x : 𝔻? ⇒ x or-else 0", ("1",)),
    Case("or-else", "sλ . x : 𝔻?, d : 𝔻 ⇒ x or-else d", ("1", "1")),
    Case("some", "sλ . x : 𝔻? in [0, 3] ⇒ conv (case x { some y ⇒ y ; none ⇒ 7 })", ("7",)),
    Case("if", "sλ . b : 𝔹, x : 𝔻 in [0, 3] ⇒ conv (if b then x else -2.5)", ("5.5", "5.5"), loose=(1,)),
    Case("if", "sλ . b : 𝔹, n : 𝐝 ℕ ⇒ (if b then 7 else n) ≡ disc 7", ("1", "1")),
    Case("or-else", "sλ . x : 𝔻?, d : ℝ ⇒ x or-else d", ("1", "∞")),
    Case("or-else", "sλ . x : 𝔻?, y : 𝔻? ⇒ x or-else y", ("1", "1")),
    Case("or-else", "sλ . x : 𝔻? ⇒ clip[0.0, 5.0] (x or-else 2)", ("5",)),
    Case("or-else", "sλ . x : ℝ? ⇒ x or-else 0", ("1",)),
    Case("or-else", "sλ . x : 𝐝 ℕ? ⇒ x or-else 7", ("1",)),
    Case("or-else", 'sλ . x : 𝕊? ⇒ (x or-else "NY") ≡ "NY"', ("1",)),
    Case("or-else", "sλ . x : 𝔹?, y : 𝔹 ⇒ x or-else y", ("1", "1")),
    Case("or-else", "sλ . x : ℝ ⇒ (sλ . y : ℝ? ⇒ y or-else 0) x", ("∞",)),
    Case("or-else", "sλ . x : ℕ ⇒ (sλ . y : ℕ? ⇒ y or-else 0) x", ("1",)),
    Case("or-else", "sλ . x : 𝔻?, y : 𝔻? ⇒ x ≡ y", ("1", "1")),
    Case("is-missing", "sλ . x : 𝔻? ⇒ is-missing x", ("1",)),
    Case("is-missing", "sλ . x : 𝕊?, y : ℝ? ⇒ is-missing x ∧ is-missing y", ("1", "1")),
    Case("is-missing", "sλ . xs : 𝔻𝔽[age : 𝔻?, n : ℕ] ⇒ rows (mfilter xs { r ⇒ is-missing r.age })", ("1",)),
    Case("none", "sλ . b : 𝔹, x : 𝔻 ⇒ if b then none[𝔻] else x", ("1", "1")),
    Case("none", "sλ . x : 𝔻? ⇒ x ≡ none[𝔻]", ("1",)),
    Case("none", "sλ . x : 𝔻? ⇒ case x { some a ⇒ if a < 3.0 then none[𝔻] else a ; none ⇒ disc 1.0 }", ("1",)),
    Case("some", "sλ . x : 𝔻? ⇒ case x { some a ⇒ clip[0.0, 5.0] a ; none ⇒ 7 }", ("7",)),
    Case("some", "sλ . x : 𝔻? ⇒ case x { some a ⇒ 1 ; none ⇒ 8.5 }", ("7.5",)),
    Case("some", "sλ . x : 𝔻? ⇒ case x { some a ⇒ a < 3.0 ; none ⇒ false }", ("1",)),
    Case("some", "sλ . x : 𝔻?, y : ℝ ⇒ case x { some a ⇒ y ; none ⇒ 2.0 ⋅ y }", ("∞", "2")),
    Case("some", "sλ . x : ℝ? ⇒ case x { some a ⇒ a ; none ⇒ 0.0 }", ("∞",)),
    Case("some", "sλ . x : ℕ? ⇒ case x { some a ⇒ a + a ; none ⇒ 0 }", ("∞",)),
    Case("some", "sλ . x : ℕ?, y : ℕ ⇒ case x { some a ⇒ a + y ; none ⇒ 3 ⋅ y }", ("∞", "3")),
    Case(
        "some",
        "sλ . x : record[a : 𝔻, b : 𝔻]? ⇒ case x { some r ⇒ clip[0.0, 2.0] r.a + clip[0.0, 1.0] r.b ; none ⇒ 9.0 }",
        ("9",),
    ),
    Case(
        "some",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻? ∷ []] ⇒ "
        "mfold-row 0.0, xs { s, r ⇒ s + case r.age { some a ⇒ clip[0.0, 4.0] a ; none ⇒ 1.0 } }",
        ("4",),
    ),
)
