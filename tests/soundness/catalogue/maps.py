"""Matrices that are made, and mapped by entries, rows or columns."""

from __future__ import annotations

from tests.soundness.catalogue.case import Case
from tests.soundness.catalogue.tables import fixed, table

MAPS = (
    *(
        Case(
            "mcreate",
            f"sλ . xs : 𝕄 [L∞, U | {rows}, a : 𝐝 ℕ ∷ []] ⇒ mcreate[{norm} | 1, {n}] {{ i, j ⇒ {body} }}",
            (moves,),
        )
        for rows, norm, n, moves, body in (
            ("★", "L1", 5, "1", "rows (mfilter xs { r ⇒ r.a ≡ disc j })"),
            ("★", "L2", 5, "1", "real (rows (mfilter xs { r ⇒ disc j ≡ r.a }))"),
            ("4", "L1", 5, "2", "rows (mfilter xs { r ⇒ r.a ≡ disc j })"),
            ("4", "L2", 5, "√2", "rows (mfilter xs { r ⇒ r.a ≡ disc j })"),
            ("4", "L∞", 5, "1", "rows (mfilter xs { r ⇒ r.a ≡ disc j })"),
            ("4", "L1", 1, "1", "rows (mfilter xs { r ⇒ r.a ≡ disc j })"),
            ("4", "L2", 1, "1", "rows (mfilter xs { r ⇒ r.a ≡ disc j })"),
            ("★", "L1", 4, "1", "rows (mfilter (mfilter xs { r ⇒ r.a < disc 3 }) { r ⇒ r.a ≡ disc j })"),
            ("★", "L1", 4, "1", "rows (mfilter xs { r ⇒ (r.a < disc 3) ∧ (r.a ≡ disc j) })"),
            ("★", "L1", 4, "4", "rows (mfilter xs { r ⇒ r.a < disc j + disc 1 })"),
            ("★", "L1", 4, "4", "rows (mfilter xs { r ⇒ disc j < r.a })"),
            ("★", "L1", 4, "4", "rows (mfilter xs { r ⇒ (r.a ≡ disc j) ≡ false })"),
            ("★", "L1", 4, "4", "rows (mfilter xs { r ⇒ (r.a < disc 9) ∨ (r.a ≡ disc j) })"),
            ("★", "L1", 4, "4", "rows (mfilter xs { r ⇒ disc j ≡ disc j % disc 9 })"),
            ("★", "L1", 4, "4", "rows (mfilter xs { r ⇒ r.a ≡ disc i })"),
            ("★", "L1", 4, "1", "let k = disc j in rows (mfilter xs { r ⇒ let a = r.a in a < disc 3 ∧ k ≡ a })"),
            ("★", "L1", 4, "1", "let ys = mfilter xs { r ⇒ let k = disc j in r.a ≡ k } in let n = rows ys in n"),
            ("★", "L1", 4, "1", "let a = j in let j = disc 0 in rows (mfilter xs { r ⇒ r.a + j ≡ disc a })"),
            ("★", "L1", 4, "4", "let a = disc j in rows (mfilter xs { r ⇒ r.a + a ≡ disc j })"),
            ("★", "L1", 4, "4", "let k = disc 0 in rows (mfilter xs { r ⇒ disc j ≡ r.a + disc j + k })"),
            ("★", "L1", 4, "4", "let j = disc 0 in rows (mfilter xs { r ⇒ r.a ≡ j })"),
            ("★", "L1", 4, "4", "let k = disc j in rows (mfilter xs { k ⇒ k.a ≡ k.a })"),
        )
    ),
    *(
        Case(
            "mcreate",
            f"sλ . xs : 𝕄 [L∞, U | {rows}, a : 𝐝 ℕ ∷ b : 𝐝 ℕ ∷ []] ⇒ mcreate[{norm} | {sizes}] {{ {body} }}",
            (moves,),
        )
        for rows, norm, sizes, moves, body in (
            ("★", "L1", "3, 4", "1", "i, j ⇒ rows (mfilter xs { r ⇒ r.a ≡ disc i ∧ r.b ≡ disc j })"),
            ("★", "L2", "3, 4", "1", "i, j ⇒ real (rows (mfilter xs { r ⇒ r.b ≡ disc j ∧ r.a ≡ disc i }))"),
            ("4", "L1", "3, 4", "2", "i, j ⇒ rows (mfilter xs { r ⇒ r.a ≡ disc i ∧ r.b ≡ disc j })"),
            ("4", "L2", "3, 4", "2", "i, j ⇒ rows (mfilter xs { r ⇒ r.a ≡ disc i ∧ r.b ≡ disc j })"),
            ("4", "L∞", "3, 4", "2", "i, j ⇒ rows (mfilter xs { r ⇒ r.a ≡ disc i ∧ r.b ≡ disc j })"),
            ("4", "L2", "1, 4", "√2", "i, j ⇒ rows (mfilter xs { r ⇒ r.a ≡ disc i ∧ r.b ≡ disc j })"),
            ("4", "L1", "3, 1", "2", "i, j ⇒ rows (mfilter xs { r ⇒ r.a ≡ disc i ∧ r.b ≡ disc j })"),
            ("★", "L1", "3, 4", "1", "i, j ⇒ rows (mfilter xs { r ⇒ r.a + disc j ≡ disc i ∧ r.b ≡ disc j })"),
            ("★", "L1", "3, 4", "1", "i, j ⇒ rows (mfilter xs { r ⇒ r.a ≡ disc i ∧ r.b + disc i ≡ disc j })"),
            ("★", "L1", "3, 4", "1", "i, j ⇒ let k = disc i in rows (mfilter xs { r ⇒ k ≡ r.a ∧ disc j ≡ r.b })"),
            ("★", "L1", "3, 4", "3", "i, j ⇒ rows (mfilter xs { r ⇒ r.a + disc i ≡ disc j ∧ r.b + disc j ≡ disc i })"),
            ("★", "L1", "3, 4", "3", "i, j ⇒ rows (mfilter xs { r ⇒ disc i ≡ disc j + r.a ∧ disc j ≡ disc i + r.b })"),
            ("★", "L1", "3, 4", "3", "i, j ⇒ rows (mfilter xs { r ⇒ r.b ≡ disc j })"),
            ("★", "L1", "3, 4", "3", "i, j ⇒ rows (mfilter xs { r ⇒ r.a ≡ disc j ∧ r.b ≡ disc j })"),
            ("★", "L1", "3, 4", "3", "i, j ⇒ let i = disc 0 in rows (mfilter xs { r ⇒ r.a ≡ i ∧ r.b ≡ disc j })"),
            ("★", "L1", "3, 4", "3", "j, j ⇒ rows (mfilter xs { r ⇒ r.a ≡ disc j ∧ r.b ≡ disc j })"),
        )
    ),
    Case(
        "mcreate",
        "sλ . xs : 𝕄 [L∞, U | ★, a : 𝐝 ℕ ∷ []] ⇒ mcreate[L1 | 1, 4] { i, j ⇒ "
        "let ys = mfilter xs { r ⇒ r.a < disc j + disc 1 } in rows (mfilter ys { r ⇒ r.a ≡ disc j }) }",
        ("4",),
        loose=(0,),
    ),
    Case(
        "mcreate",
        "sλ . xs : 𝕄 [L∞, U | ★, a : 𝐝 ℕ ∷ []], k : 𝐝 ℕ ⇒ "
        "mcreate[L1 | 2, 3] { i, j ⇒ rows (mfilter xs { r ⇒ r.a % disc 3 ≡ disc j ∧ r.a < k }) }",
        ("2", "∞"),
    ),
    Case(
        "mcreate",
        "sλ . xs : 𝕄 [L∞, U | ★, a : 𝐝 ℕ ∷ []], p : 𝐝 𝕄 [L∞, U | 1, a : 𝐝 ℕ ∷ []] ⇒ "
        "mcreate[L1 | 1, 4] { i, j ⇒ let k = disc j in rows (mfilter xs { k ⇒ disc k ≡ p }) }",
        ("4", "∞"),
    ),
    Case(
        "mcreate",
        "sλ . xs : 𝕄 [L∞, U | ★, a : 𝐝 ℕ ∷ []], p : 𝐝 𝕄 [L∞, U | 1, a : 𝐝 ℕ ∷ []] ⇒ "
        "mcreate[L1 | 1, 4] { i, j ⇒ rows (mfilter xs { j ⇒ disc j ≡ p }) }",
        ("4", "∞"),
    ),
    Case("mcreate", "sλ . y : ℝ ⇒ mcreate[L1 | ℕ[2], ℕ[3]] { i, j ⇒ y }", ("6",)),
    Case("mcreate", "sλ . y : ℝ ⇒ mcreate[L2 | ℕ[2], ℕ[3]] { i, j ⇒ y }", ("2⋅√3",)),
    Case("mcreate", "sλ . y : ℝ ⇒ mcreate[L∞ | ℕ[2], ℕ[3]] { i, j ⇒ y }", ("2",)),
    Case("mcreate", "sλ . y : 𝔻 ⇒ mcreate[L1 | ℕ[2], ℕ[3]] { i, j ⇒ y }", ("6",)),
    Case("mmap", fixed("L1", "ℝ", "mmap xs { x ⇒ 2.0 ⋅ x }"), ("2",)),
    Case("mmap", "sλ m : ℕ, n : ℕ . xs : 𝕄 [L1, U | m, n⋅ℝ], y : ℝ ⇒ mmap xs { x ⇒ x + y }", ("1", "m⋅n")),
    Case("mmap", "sλ m : ℕ, n : ℕ . xs : 𝕄 [L2, U | m, n⋅ℝ], y : ℝ ⇒ mmap xs { x ⇒ x + y }", ("1", "m⋅√n")),
    Case("mmap", "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅ℝ], y : ℝ ⇒ mmap xs { x ⇒ x + y }", ("1", "m")),
    Case("mmap", fixed("L∞", "𝔻", "mmap xs { x ⇒ clip[0.0, 5.0] x }"), ("5",)),
    Case("mmap", fixed("L2", "𝔻", "mmap xs { x ⇒ clip[-1.0, 5.0] x }"), ("6",)),
    Case("mmap", fixed("L∞", "𝔻", "mmap xs { x ⇒ x ⋅ x }"), ("1",)),
    Case("mmap", fixed("L∞", "ℝ", "mmap xs { x ⇒ x ⋅ x }"), ("∞",)),
    Case(
        "mmap",
        "sλ m : ℕ, n : ℕ . xs : 𝕄 [L1, U | m, n⋅ℝ], ys : 𝕄 [L1, U | m, n⋅ℝ] ⇒ mmap xs, ys { x, y ⇒ x + 2.0 ⋅ y }",
        ("1", "2"),
    ),
    Case(
        "mmap",
        "sλ m : ℕ, n : ℕ . xs : 𝕄 [L1, U | m, n⋅ℝ], ys : 𝕄 [L∞, U | m, n⋅ℝ] ⇒ mmap xs, ys { x, y ⇒ x + y }",
        ("1", "1"),
    ),
    Case("mmap", "sλ m : ℕ, n : ℕ . xs : 𝕄 [L1, U | m, n⋅ℝ], y : ℝ ⇒ mmap xs, xs { a, b ⇒ a + b + y }", ("2", "m⋅n")),
    Case("mmap", table("2⋅𝔻", "mmap xs { x ⇒ x + 1.0 }"), ("1",)),
    Case("mmap", table("2⋅𝔻", "mmap xs { x ⇒ clip[0.0, 5.0] x }"), ("5",)),
    Case("mmap", "sλ . xs : 𝕄 [L1, U | ★, 2⋅𝔻] ⇒ mmap xs { x ⇒ clip[0.0, 5.0] x }", ("10",)),
    Case("mmap-row", "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅ℝ], y : ℝ ⇒ mmap-row xs { r ⇒ r#[0, 0] + y }", ("1", "m")),
    Case(
        "mmap-row",
        "sλ x : ℝ ⇒ let f = sλ τ : ☆K, m : ℕ . t : 𝕄 [L1, U | m, 1⋅ℝ], v : τ ⇒ mmap-row t { r ⇒ v } in "
        "let row = mcreate[L1 | ℕ[1], ℕ[9]] { i, j ⇒ 0.0 } in "
        "real (cols (f (mcreate[L1 | ℕ[2], ℕ[1]] { i, j ⇒ 0.0 }) row)) ⋅ x",
        ("1",),
    ),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅ℝ] ⇒ mmap-row xs { r ⇒ 2.0 ⋅ r#[0, 0] + r#[0, 1] }",
        ("3",),
        tight=False,
    ),
    Case("mmap-row", fixed("L∞", "𝔻", "mmap-row xs { r ⇒ mconv (mclip[L2, 3.0] r) }"), ("6",)),
    Case(
        "mmap-row",
        "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻], y : ℝ ⇒ mmap-row xs { r ⇒ mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ y } }",
        ("0", "3⋅m"),
    ),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅ℝ], ys : 𝕄 [L∞, U | m, 1⋅ℝ], z : ℝ ⇒ "
        "mmap-row xs, ys { x, y ⇒ x#[0, 0] + 3.0 ⋅ y#[0, 0] + z }",
        ("1", "3", "m"),
    ),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ mmap-row xs, ys { x, y ⇒ mconv (mclip[L2] x) }",
        ("2", "0"),
    ),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ b : 𝔻 ∷ []] ⇒ "
        "count (mmap-row xs.[a], xs.[b] { x, y ⇒ x#[0, 0] < y#[0, 0] })",
        ("1",),
    ),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ b : 𝔻 ∷ []] ⇒ "
        "mmap-row xs.[a], xs.[b] { x, y ⇒ clip[0.0, 3.0] x#[0, 0] + clip[0.0, 5.0] y#[0, 0] }",
        ("8",),
    ),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ b : 𝔻 ∷ []], z : 𝔻 ⇒ "
        "mmap-row xs.[a], xs.[b] { x, y ⇒ x#[0, 0] + y#[0, 0] < z }",
        ("1", "m"),
    ),
    Case(
        "mmap-row",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ "
        "mmap-row xs, (mcreate[L∞ | rows xs, ℕ[1]] { i, j ⇒ xs#[0, 0] }) { x, y ⇒ x#[0, 0] < y#[0, 0] }",
        ("m",),
        tight=False,
    ),
    Case("mmap-row", table("1⋅𝔻", "rows (mmap-row xs { r ⇒ 1.0 })"), ("1",)),
    Case("mmap-row", table("2⋅𝔻", "mmap-row xs { r ⇒ r#[0, 0] + r#[0, 1] }"), ("1",)),
    Case("mmap-row", table("2⋅𝔻", "mmap-row xs { r ⇒ clip[-2.0, 5.0] r#[0, 1] }"), ("5",)),
    Case("mmap-row", table("2⋅𝔻", "mmap-row xs { r ⇒ mconv (mclip[L1, 3.0] r) }"), ("3",)),
    Case("mmap-row", "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], y : 𝔻 ⇒ mmap-row xs { r ⇒ y }", ("1", "∞")),
    Case("mmap-row", "sλ . xs : 𝕄 [L2, U | ★, 2⋅ℝ] ⇒ mmap-row xs { r ⇒ mmap r { x ⇒ 3.0 ⋅ x } }", ("3",)),
    Case("mmap-row", "sλ . xs : 𝕄 [L1, U | ★, 2⋅ℝ] ⇒ mmap-row xs { r ⇒ r#[0, 0] - r#[0, 1] }", ("2",), tight=False),
    Case("mmap", "sλ . xs : 𝕄 [L1, U | ★, 2⋅ℝ] ⇒ mmap xs { x ⇒ (2.0 ⋅ x) ⊔ (x / 4.0) }", ("2",)),
    Case("mmap", "sλ . xs : 𝕄 [L1, U | ★, 1⋅ℝ] ⇒ rows (mmap xs { x ⇒ 0.0 ⋅ x })", ("∞",)),
    Case("mmap", "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mmap xs { x ⇒ clip[0.0, 0.0] x }", ("1",), tight=False),
    Case(
        "mmap-row",
        "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], y : 𝔻 ⇒ rows (mfilter (mmap-row xs { r ⇒ y }) { r ⇒ r#[0, 0] < 5.0 })",
        ("1", "∞"),
    ),
    Case("mmap-col", fixed("L∞", "ℝ", "mmap-col xs { c ⇒ mfold-row 0.0, c { a, r ⇒ a + r#[0, 0] } }"), ("1",)),
    Case("mmap-col", fixed("L1", "ℝ", "mmap-col xs { c ⇒ c }"), ("1",)),
    Case("mmap-col", fixed("L∞", "ℝ", "mmap-col xs { c ⇒ c }"), ("n",)),
    Case("mmap-col", fixed("L2", "ℝ", "mmap-col xs { c ⇒ renorm[L1] c }"), ("√n",)),
    Case("mmap-col", fixed("L∞", "ℝ", "mmap-col xs { c ⇒ renorm[L1] c }"), ("n",)),
    Case("mmap-col", "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅ℝ], y : ℝ ⇒ mmap-col xs { c ⇒ y }", ("0", "1")),
    Case("mmap-col", "sλ n : ℕ . xs : 𝕄 [L∞, U | 1, n⋅𝔻] ⇒ mconv (mmap-col xs { c ⇒ mclip[L2] c })", ("2",)),
    Case(
        "mmap-col",
        "sλ m : ℕ, n : ℕ . xs : 𝕄 [L1, U | m, n⋅ℝ], y : ℝ ⇒ mmap-col xs { c ⇒ mcreate[L1 | ℕ[1], ℕ[1]] { i, j ⇒ y } }",
        ("0", "n"),
    ),
    Case(
        "mmap-col",
        "sλ . xs : 𝕄 [L1, U | ★, 3⋅𝔻] ⇒ mmap-col xs { c ⇒ mcreate[L1 | ℕ[1], ℕ[1]] { i, j ⇒ real (rows c) } }",
        ("3",),
    ),
    Case("mmap-col", "sλ . xs : 𝕄 [L∞, U | ★, 3⋅𝔻] ⇒ mmap-col xs { c ⇒ real (rows c) }", ("1",)),
    Case(
        "mmap-col",
        "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅ℝ], ys : 𝕄 [L1, U | m, n⋅ℝ] ⇒ mmap-col xs, ys { c, d ⇒ "
        "(mfold-row 0.0, c { a, r ⇒ a + r#[0, 0] }) - 2.0 ⋅ (mfold-row 0.0, d { a, r ⇒ a + r#[0, 0] }) }",
        ("1", "2"),
    ),
)
