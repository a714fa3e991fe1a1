"""Folds over rows and the accumulators that they may have."""

from __future__ import annotations

from tests.soundness.catalogue.case import Case
from tests.soundness.catalogue.tables import fixed, table


def row_sum(table: str, norm: str, argument: str, body: str) -> str:
    """A program that adds the rows of a table of two columns, in a norm."""
    zeros = f"(mcreate[{norm} | ℕ[1], ℕ[2]] {{ i, j ⇒ 0.0 }})"
    return f"sλ . xs : {table} ⇒ mfold-row {zeros}, ({argument}) {{ a, r ⇒ {body} }}"


FOLDS = (
    Case("mfold-row", fixed("L∞", "ℝ", "mfold-row 0.0, xs { a, r ⇒ a + r#[0, 0] }"), ("1",)),
    Case(
        "mfold-row",
        "sλ m : ℕ . z : ℝ, xs : 𝕄 [L∞, U | m, 1⋅ℝ], y : ℝ ⇒ mfold-row z, xs { a, r ⇒ a + 2.0 ⋅ r#[0, 0] + y }",
        ("1", "2", "m"),
    ),
    Case("mfold-row", fixed("L∞", "𝔻", "mfold-row 0.0, xs { a, r ⇒ a + clip[-1.0, 10.0] r#[0, 0] }"), ("11",)),
    Case("mfold-row", fixed("L∞", "𝔻", "mfold-row 0.0, xs { a, r ⇒ if r#[0, 0] < 3.0 then a + 7.0 else a }"), ("7",)),
    Case(
        "mfold-row",
        fixed("L∞", "𝔻", "mfold-row 0.0, xs { a, r ⇒ let v = clip[0.0, 4.0] r#[0, 0] in a + v + v }"),
        ("8",),
    ),
    Case("mfold-row", fixed("L∞", "𝔻", "mfold-row 0, xs { a, r ⇒ if r#[0, 0] ≡ 1.0 then a + 1 else a }"), ("1",)),
    Case("mfold-row", table("1⋅𝔻", "mfold-row 0.0, xs { a, r ⇒ a + clip[-1.0, 10.0] r#[0, 0] }"), ("10",)),
    Case("mfold-row", table("1⋅𝔻", "mfold-row 0.0, xs { a, r ⇒ a + 1000.0 }"), ("1000",)),
    Case(
        "mfold-row",
        table("1⋅𝔻", "mfold-row 0.0, xs { a, r ⇒ if r#[0, 0] < 3.0 then a + 7.0 else a + ℝ[-2.0] }"),
        ("7",),
    ),
    Case(
        "mfold-row",
        table(
            "1⋅𝔻",
            "mfold-row 0.0, xs { a, r ⇒ a + real (((if r#[0, 0] < 1.0 then 3 else 5) - (if r#[0, 0] < 2.0 then 7 else 9)) + 10) }",
        ),
        ("10",),
    ),
    Case("mfold-row", table("1⋅𝔻", "mfold-row 0.0, xs { a, r ⇒ a ⊔ clip[-1.0, 10.0] r#[0, 0] }"), ("10",)),
    Case("mfold-row", table("1⋅𝔻", "mfold-row ℝ[-9.0], xs { a, r ⇒ clip[-1.0, 10.0] r#[0, 0] ⊔ a }"), ("19",)),
    Case("mfold-row", table("1⋅𝔻", "mfold-row 5.0, xs { a, r ⇒ a ⊓ clip[-1.0, 10.0] r#[0, 0] }"), ("6",)),
    Case("mfold-row", table("1⋅𝔻", "mfold-row 0, xs { a, r ⇒ a ⊔ (if r#[0, 0] < 3.0 then 2 else 4) }"), ("4",)),
    Case("mfold-row", table("1⋅𝔻", "mfold-row (disc 0.0), xs { a, r ⇒ a ⊔ r#[0, 0] }"), ("1",)),
    Case("mfold-row", table("1⋅𝔻", "mfold-row false, xs { a, r ⇒ a ∨ r#[0, 0] < 3.0 }"), ("1",)),
    Case("mfold-row", table("1⋅𝔻", "mfold-row true, xs { a, r ⇒ (r#[0, 0] < 3.0) ∧ a }"), ("1",)),
    Case(
        "mfold-row",
        "sλ . z : ℝ, xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfold-row clip[1.0, 2.0] z, xs { a, r ⇒ a ⊔ clip[-1.0, 10.0] r#[0, 0] }",
        ("1", "9"),
    ),
    Case(
        "mfold-row",
        "sλ . z : ℝ, xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ "
        "mfold-row 2.0, xs { a, r ⇒ a ⊓ (if r#[0, 0] < 0.0 then clip[-1.0, 0.0] z else 1.0) }",
        ("∞", "3"),
    ),
    Case(
        "mfold-row",
        fixed("L∞", "𝔻", "mfold-row 0.0, (mfilter xs { r ⇒ r#[0, 0] < 5.0 }) { a, r ⇒ a ⊓ clip[-7.0, 3.0] r#[0, 0] }"),
        ("7",),
    ),
    Case(
        "mfold-row",
        fixed("L∞", "𝔻", "mfold-row 0.0, (mfilter xs { r ⇒ r#[0, 0] < 5.0 }) { a, r ⇒ a + clip[0.0, 4.0] r#[0, 0] }"),
        ("4",),
    ),
    Case(
        "mfold-row",
        fixed("L∞", "𝔻", "mfold-row 0.0, (mfilter xs { r ⇒ r#[0, 0] < 5.0 }) { a, r ⇒ a + clip[-9.0, 4.0] r#[0, 0] }"),
        ("13",),
    ),
    Case(
        "mfold-row",
        fixed("L∞", "𝔻", "mfold-row 0.0, (mfilter xs { r ⇒ r#[0, 0] < 5.0 }) { a, r ⇒ a + clip[-9.0, -3.0] r#[0, 0] }"),
        ("9",),
    ),
    Case(
        "mfold-row",
        "sλ . xs : 𝔻𝔽[a : ℕ, b : 𝔻] ⇒ mfold-row 0.0, (partitionDF[xs, a, ℘{0, 1}]) "
        "{ s, g ⇒ s + clip[-1.0, 6.0] (mfold-row 0.0, g#[0, 0] { t, r ⇒ t + clip[-20.0, 20.0] r.b }) }",
        ("7",),
    ),
    Case("mfold-row", "sλ . xs : 𝕄 [L1, U | ★, 2⋅ℝ] ⇒ mfold-row 0.0, xs { a, r ⇒ a + 3.0 ⋅ r#[0, 1] }", ("3",)),
    Case("mfold-row", row_sum("𝕄 [L2, U | ★, 2⋅ℝ]", "L2", "xs", "mmap a, r { x, y ⇒ x + y }"), ("1",)),
    Case("mfold-row", row_sum("𝕄 [L2, U | ★, 2⋅ℝ]", "L1", "xs", "mmap r, a { x, y ⇒ y + x }"), ("√2",)),
    Case("mfold-row", row_sum("𝕄 [L2, U | 3, 2⋅ℝ]", "L1", "xs", "mmap a, r { x, y ⇒ x + y }"), ("√2",)),
    Case(
        "mfold-row",
        row_sum("𝕄 [L∞, U | ★, 2⋅𝔻]", "L2", "mclip[L2, 3.0] xs", "mmap a, mconv r { x, y ⇒ x + y }"),
        ("3",),
    ),
    Case(
        "mfold-row",
        row_sum("𝕄 [L∞, U | ★, 2⋅𝔻]", "L2", "mconv (mclip[L2, 3.0] xs)", "mmap a, r { x, y ⇒ x + y }"),
        ("3",),
    ),
    Case(
        "mfold-row",
        row_sum("𝕄 [L∞, U | ★, 2⋅𝔻]", "L2", "xs", "let g = mconv (mclip[L2, 3.0] r) in mmap a, g { x, y ⇒ x + y }"),
        ("3",),
    ),
    Case(
        "mfold-row",
        table("1⋅𝔻", "mfold-row 0.0, xs { a, r ⇒ let g = clip[-1.0, 10.0] r#[0, 0] in let d = g / 2.0 in d ⊔ a }"),
        ("5",),
    ),
    Case(
        "mfold-row",
        table(
            "2⋅𝔻",
            "mfold-row 0.0, xs { a, r ⇒ let ⟨u, v⟩ = ⟨clip[0.0, 4.0] r#[0, 0], clip[0.0, 1.0] r#[0, 1]⟩ in a + u + v }",
        ),
        ("5",),
    ),
    Case(
        "mfold-row",
        "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], y : ℝ ⇒ mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] y }",
        ("1", "∞"),
    ),
    Case(
        "mfold-row",
        "sλ . z : ℝ, xs : 𝕄 [L∞, U | 3, 1⋅ℝ], y : ℝ ⇒ mfold-row z, xs { a, r ⇒ (a + a) + (r#[0, 0] + y) }",
        ("8", "4", "7"),
    ),
    Case(
        "mfold-row",
        "sλ . z : ℝ, xs : 𝕄 [L∞, U | 3, 1⋅ℝ], y : ℝ ⇒ mfold-row z, xs { a, r ⇒ a / 2.0 + (r#[0, 0] + y) }",
        ("0.125", "1", "1.75"),
    ),
    Case("mfold-row", fixed("L∞", "ℝ", "mfold-row 0.0, xs { a, r ⇒ a ⊔ r#[0, 0] }"), ("1",)),
    Case("mfold-row", fixed("L∞", "ℝ", "mfold-row 0.0, xs { a, r ⇒ (a + a) + r#[0, 0] }"), ("∞",)),
    Case(
        "mfold-row",
        fixed("L∞", "ℝ", "mfold-row ⟨0.0, 0.0⟩, xs { a, r ⇒ let ⟨s, c⟩ = a in ⟨s + r#[0, 0], c + 1.0⟩ }"),
        ("1",),
    ),
    Case(
        "mfold-row",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅ℝ], y : ℝ ⇒ mfold-row 0.0, xs { a, r ⇒ y }",
        ("0", "1"),
    ),
    Case(
        "mfold-row",
        "sλ . xs : 𝕄 [L1, U | 2, 1⋅ℝ], g : 𝕄 [L1, U | 1, 1⋅ℝ] ⇒ "
        "mfold-row (mcreate[L1 | ℕ[1], ℕ[1]] { i, j ⇒ 0.0 }), xs { a, a ⇒ mmap a, g { x, y ⇒ x + y } }",
        ("1", "1"),
    ),
    Case("mfilter", fixed("L∞", "𝔻", "rows (mfilter xs { r ⇒ r#[0, 0] < 5.0 })"), ("1",)),
    Case("mfilter", fixed("L∞", "𝔻", "mfilter xs { r ⇒ r#[0, 0] < 5.0 }"), ("2",)),
    Case("mfilter", fixed("L∞", "𝔻", "mfilter xs { r ⇒ true }"), ("2",)),
    Case("mfilter", fixed("L∞", "𝔻", "mfilter (mfilter xs { r ⇒ r#[0, 0] < 5.0 }) { r ⇒ 1.0 < r#[0, 0] }"), ("2",)),
    Case(
        "mfilter",
        fixed("L∞", "𝔻", "rows (mfilter (mclip[L∞, 3.0] (mfilter xs { r ⇒ r#[0, 0] < 5.0 })) { r ⇒ 1.0 < r#[0, 0] })"),
        ("1",),
    ),
    Case(
        "mfilter",
        fixed(
            "L∞", "𝔻", "mfold-row 0.0, (mfilter xs { r ⇒ r#[0, 0] < 5.0 }) { a, r ⇒ a + clip[-10.0, 10.0] r#[0, 0] }"
        ),
        ("20",),
        tight=False,
    ),
    Case(
        "mfilter",
        fixed(
            "L∞", "𝔻", "mfold-row 0.0, (mfilter xs { r ⇒ r#[0, 0] < 500.0 }) { a, r ⇒ a + clip[-10.0, 10.0] r#[0, 0] }"
        ),
        ("20",),
    ),
    Case("mfilter", fixed("L∞", "𝔻", "mfold-row 0.0, (mfilter xs { r ⇒ r#[0, 0] < 5.0 }) { a, r ⇒ a + 3.0 }"), ("3",)),
    Case("mfilter", table("1⋅𝔻", "mfilter xs { r ⇒ r#[0, 0] < 5.0 }"), ("1",)),
    Case("mfilter", table("1⋅𝔻", "rows (mfilter xs { r ⇒ r#[0, 0] < 5.0 })"), ("1",)),
    Case("mfilter", "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], y : 𝔻 ⇒ rows (mfilter xs { r ⇒ r#[0, 0] < y })", ("1", "∞")),
    Case("mfilter", fixed("L1", "ℝ", "mfilter xs { r ⇒ r#[0, 0] < 5.0 }"), ("∞",)),
    Case("mfilter", fixed("L1", "𝔻", "mfilter xs { r ⇒ r#[0, 0] < 5.0 }"), ("2",)),
)
