"""Bags, data frames and records."""

from __future__ import annotations

from tests.soundness.catalogue.case import Case

FRAME = "𝔻𝔽[age : ℕ, bmi : ℝ, state : 𝕊]"
PARTED = f'sλ . xs : {FRAME} ⇒ {{}} (partitionDF[xs, state, ℘{{{{"NY", "VT"}}}}]) {{{{ {{}} }}}}'
RECORD = "record[age : ℕ, bmi : ℝ, state : 𝕊]"

FRAMES = (
    Case("bmap", "sλ . xs : bag 𝔻 ⇒ bmap xs { x ⇒ x ⋅ x }", ("1",)),
    Case("bmap", "sλ . xs : bag ℕ ⇒ bmap xs { x ⇒ x % 2 }", ("1",)),
    Case("bmap", "sλ . xs : bag 𝔻 ⇒ bmap xs { x ⇒ clip[0.0, 5.0] x }", ("5",)),
    Case("bmap", "sλ . xs : bag 𝔻, y : 𝔻 ⇒ bmap xs { x ⇒ x + y }", ("1", "∞")),
    Case("bmap", "sλ . xs : bag ℝ ⇒ bmap xs { x ⇒ 2.0 ⋅ x }", ("2",)),
    Case("bmap", "sλ . xs : bag ℝ ⇒ bmap xs { x ⇒ x ⋅ x }", ("∞",)),
    Case("bmap", "sλ . xs : bag ℝ ⇒ bmap xs { x ⇒ clip[-1.0, 2.0] (let x = x + x in x) }", ("2",)),
    Case("bmap", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅ℝ], y : ℝ ⇒ bmap xs { x ⇒ 3.0 ⋅ x + y }", ("3", "m")),
    Case("bmap", "sλ . xs : bag (𝔻 × 𝕊) ⇒ bmap xs { p ⇒ let ⟨x, s⟩ = p in x }", ("1",)),
    Case("bmap", "sλ . xs : 𝕄 [L∞, U | ★, 2⋅𝔻] ⇒ bmap xs { r ⇒ r#[0, 0] + r#[0, 1] }", ("1",)),
    Case("bmap", "sλ . xs : 𝕄 [L∞, U | ★, 2⋅𝔻] ⇒ bmap xs { r ⇒ mconv (mclip[L2, 3.0] r) }", ("3",)),
    Case("bmap", PARTED.format("bmap", "p ⇒ clip[0.0, 2.0] (real (rows p))"), ("4",), tight=False),
    Case("bmap", PARTED.format("bmap", "p ⇒ mfilter p { r ⇒ r.bmi < 1.0 }"), ("2",)),
    Case("mapDF", f"sλ . xs : {FRAME} ⇒ mapDF xs {{ r ⇒ addColDF⧼old⧽ ⟨r, r.age < 3⟩ }}", ("1",)),
    Case("mapDF", f"sλ . xs : {FRAME} ⇒ mapDF xs {{ r ⇒ mclip[L∞, 9.0] (addColDF⧼bmi⧽ r.bmi) }}", ("9",)),
    Case("mapDF", "sλ . xs : 𝔻𝔽[a : ℝ, b : ℝ] ⇒ mapDF xs { r ⇒ addColDF⧼c⧽ ⟨r, r.a - r.b⟩ }", ("2",)),
    Case("mfold-row", "sλ . xs : bag ℝ ⇒ mfold-row 0.0, xs { a, r ⇒ a + 2.0 ⋅ r#[0, 0] }", ("2",)),
    Case("mfold-row", "sλ . xs : bag ℝ, y : ℝ ⇒ mfold-row y, xs { a, r ⇒ a + clip r#[0, 0] }", ("1", "1")),
    Case("mfold-row", "sλ . xs : bag ℝ, y : ℝ ⇒ mfold-row 0.0, xs { a, r ⇒ a + r#[0, 0] ⋅ y }", ("∞", "∞")),
    Case("bmap", "sλ . xs : bag ℝ ⇒ rows (bmap xs { x ⇒ 0.0 })", ("∞",)),
    Case("bmap", "sλ . xs : bag 𝔻 ⇒ rows (bmap xs { x ⇒ clip[0.0, 0.0] x })", ("1",)),
    Case("mmap", "sλ . xs : 𝕄 [L2, U | ★, 2⋅ℝ] ⇒ mmap xs { x ⇒ x / 4.0 }", ("0.25",)),
    Case("mfilter", f"sλ . xs : {FRAME} ⇒ rows (mfilter xs {{ r ⇒ r.bmi < 1.0 }})", ("1",)),
    Case("mfilter", "sλ . xs : bag (𝔻 × ℝ) ⇒ mfilter xs { r ⇒ let ⟨d, x⟩ = r#[0, 0] in x < 0.0 }", ("1",)),
    Case("addColDF", "sλ . x : ℝ, y : ℝ ⇒ addColDF⧼b⧽ ⟨addColDF⧼a⧽ x, 2.0 ⋅ y⟩", ("1", "2")),
    Case("addColDF", f"sλ . r : {RECORD} ⇒ addColDF⧼twice⧽ ⟨r, r.bmi + r.bmi⟩", ("2",)),
    Case("addColDF", "sλ . r : 𝕄 [L1, U | 1, a : ℝ ∷ []] ⇒ addColDF⧼b⧽ ⟨r, r.a⟩", ("2",)),
    Case("addColDF", "sλ . r : 𝕄 [L2, U | 1, a : ℝ ∷ []], y : ℝ ⇒ addColDF⧼b⧽ ⟨r, y⟩", ("1", "1")),
    Case("addColDF", "sλ . xs : bag 𝔻 ⇒ addColDF⧼a⧽ xs", ("1",)),
    Case("record", "sλ . x : ℝ, y : ℝ ⇒ { a = x, b = 2.0 ⋅ y, c = x - y }", ("1", "2")),
    Case("record", "sλ . n : ℕ, x : ℝ ⇒ { a = n + n + n, b = x, c = 7 }", ("3", "1")),
    Case(
        "record",
        "sλ . x : ℝ, y : ℝ ⇒ (sλ . r : record[a : ℝ, b : ℝ] ⇒ r.a + r.b) ({ a = x, b = 2.0 ⋅ y })",
        ("2", "4"),
        tight=False,
    ),
    Case("record", "sλ . x : ℝ, y : ℝ ⇒ let r = { a = x, b = 2.0 ⋅ y } in r.a + 3.0 ⋅ r.b", ("1", "6")),
    Case("record", "sλ . z : 𝔻?, s : 𝕊 ⇒ { age = z, known = is-missing z, state = s }", ("1", "1")),
    Case("record", f"sλ . xs : {FRAME} ⇒ mapDF xs {{ r ⇒ {{ old = 65 < r.age, state = r.state }} }}", ("1",)),
    Case(
        "record", f"sλ . xs : {FRAME} ⇒ mapDF xs {{ r ⇒ mclip[L∞, 9.0] {{ bmi = r.bmi, half = r.bmi / 2.0 }} }}", ("9",)
    ),
    Case("record", "sλ . xs : 𝔻𝔽[a : ℝ, b : ℝ] ⇒ mapDF xs { r ⇒ { c = r.a - r.b, d = r.a } }", ("2",)),
    Case("partitionDF", f"sλ . xs : {FRAME}, ks : ℘(𝕊) ⇒ partitionDF[xs, state, ks]", ("2", "∞")),
    Case("partitionDF", f"sλ . xs : {FRAME}, ks : ℘(𝕊) ⇒ rows (partitionDF[xs, state, ks])", ("1", "∞"), tight=False),
    Case("partitionDF", f"sλ . xs : {FRAME}, ks : ℘(ℕ) ⇒ partitionDF[xs, age, ks]", ("2", "∞")),
    Case("partitionDF", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, k : 𝔹 ∷ []] ⇒ partitionDF[xs, k, ℘{true, false}]", ("4",)),
    Case("partitionDF", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, k : 𝔹 ∷ v : ℝ ∷ []] ⇒ partitionDF[xs, k, ℘{true}]", ("∞",)),
    Case(
        "partitionDF",
        f'sλ . xs : {FRAME} ⇒ rows (mfilter (partitionDF[xs, state, ℘{{"NY", "VT"}}]) {{ p ⇒ rows p#[0, 0] < 2 }})',
        ("1",),
    ),
    # Rows and values of one table, which are functions of which rows there are.
    Case("first", "sλ . xs : 𝔻𝔽[a : 𝕊, b : 𝔻?] ⇒ first xs", ("1",)),
    Case("first", "sλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅ℕ] ⇒ first xs", ("1",)),
    Case("last", "sλ . xs : 𝔻𝔽[a : ℕ, b : Date] ⇒ last xs", ("1",)),
    Case(
        "last", "sλ . xs : bag ℕ ⇒ clip[0.0, 5.0] (case last xs { some x ⇒ conv (real x#[0, 0]) ; none ⇒ 0.0 })", ("5",)
    ),
    Case("mode", "sλ . xs : bag 𝔻 ⇒ mode xs", ("1",)),
    Case("mode", "sλ . xs : 𝔻𝔽[a : 𝔹?, b : ℕ] ⇒ mode xs.[a]", ("1",)),
    Case("mode", "sλ . xs : bag Date ⇒ mode xs", ("1",)),
    Case("mode", "sλ . xs : bag 𝕊 ⇒ mode xs", ("1",)),
    Case("mode", "sλ . xs : bag ℕ ⇒ mode xs", ("1",)),
    Case("elements", "sλ . xs : 𝔻𝔽[a : 𝔹?, b : ℕ] ⇒ elements xs.[a]", ("1",)),
    Case("elements", "sλ . xs : bag Date ⇒ elements xs", ("1",)),
    Case("elements", "sλ . xs : bag 𝕊 ⇒ elements xs", ("1",)),
    Case("elements", "sλ . xs : bag ℕ ⇒ elements xs", ("1",)),
    Case("elements", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ elements xs", ("1",)),
    Case("distinct", "sλ . xs : 𝔻𝔽[a : 𝕊, b : 𝔻?] ⇒ distinct xs", ("1",)),
    Case("distinct", "sλ . xs : bag ℕ ⇒ rows (distinct xs)", ("1",)),
    # A row that is replaced may be one of two, and become the only one of its kind.
    Case("distinct", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ distinct xs", ("2",)),
    Case("distinct", "sλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅ℕ] ⇒ rows (distinct xs)", ("1",)),
    Case(
        "distinct", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ rows (distinct (mfilter xs { x ⇒ x#[0, 0] < 1.0 }))", ("1",)
    ),
    Case("joinDF₁", f"sλ . xs : {FRAME}, ys : 𝔻𝔽[age : ℕ, v : ℝ] ⇒ joinDF₁⧼age⧽[xs, ys]", ("1", "∞")),
    Case("joinDF", f"sλ . xs : {FRAME}, ys : 𝔻𝔽[age : ℕ, v : 𝔻] ⇒ joinDF[2]⧼age⧽[xs, ys]", ("2", "∞")),
    Case(
        "joinDF",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, here : 𝐝 𝔹 ∷ []], ys : 𝔻𝔽[here : 𝐝 𝔹, v : 𝔻] ⇒ joinDF[2]⧼here⧽[xs, ys]",
        ("4", "∞"),
    ),
    Case(
        "joinDF",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝐝 ℕ ∷ []], ys : 𝔻𝔽[age : 𝐝 ℕ, v : 𝔻] ⇒ rows (joinDF[2]⧼age⧽[xs, ys])",
        ("2", "∞"),
    ),
    Case(
        "joinDF₁",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, age : ℕ ∷ []], ys : 𝔻𝔽[age : ℕ] ⇒ joinDF₁⧼age⧽[xs, ys]",
        ("2", "∞"),
    ),
    Case(
        "∈",
        f"sλ . r : {RECORD}, rs : ℘(record[age : ℕ, state : 𝕊]) ⇒ addColDF⧼state⧽ ⟨addColDF⧼age⧽ r.age, r.state⟩ ∈ rs",
        ("1", "1"),
    ),
)
