"""Entries, rows and columns: what is read, counted, filtered, joined, zipped or put side by side."""

from __future__ import annotations

from tests.soundness.catalogue.case import Case
from tests.soundness.catalogue.tables import fixed, table

COLUMNS = "age : 𝔻 ∷ state : 𝐝 𝕊 ∷ income : 𝔻 ∷ []"

BOTH = "let ⟨a, b⟩ = r#[0, 0] in clip[0.0, 1.0] a#[0, 0] + clip[-1.0, 2.0] b#[0, 1]"
"""A body that reads both rows of a pair."""

NO_ROWS = (
    "let bs = mfilter (bmap (mcreate[L∞ | ℕ[1], ℕ[1]] { i, j ⇒ disc 1.0 }) { y ⇒ none[𝔻 in [5, 10]] or-else 7.0 }) "
    "{ r ⇒ false }"
)
"""A public table without rows, whose numbers would lie in a range."""

ENTRIES = (
    Case("index", fixed("L1", "ℝ", "xs#[0, 0] + 2.0 ⋅ xs#[0, 0]"), ("3",)),
    Case("index", fixed("L∞", "𝔻", "xs#[0, 0]"), ("1",)),
    Case("index", fixed("L2", "ℝ", "xs#[0]"), ("1",)),
    Case("index", f"sλ . x : ℝ ⇒ {NO_ROWS} in x / (conv (bs#[0, 0]) - 1.0)", ("∞",), tight=False),
    Case("index", f"sλ . x : ℝ ⇒ {NO_ROWS} in x / (conv ((addColDF⧼a⧽ bs)#[0].a) - 1.0)", ("∞",), tight=False),
    Case("index", "sλ . xs : 𝕄 [L1, U | 3, 2⋅ℝ], i : 𝕀[3] ⇒ xs#[i, 0]", ("1", "∞")),
    Case("index", "sλ . xs : 𝕄 [L1, U | 3, 2⋅ℝ], i : 𝕀[2] ⇒ xs#[0, i]", ("1", "∞")),
    Case("index", "sλ . xs : 𝕄 [L1, U | 3, 2⋅ℝ], i : 𝕀[3] ⇒ xs#[i]", ("1", "∞")),
    Case("update", "sλ . xs : 𝕄 [L1, U | 3, 2⋅ℝ], y : ℝ ⇒ xs#[0, 1 ↦ 2.0 ⋅ y]", ("1", "2")),
    Case("update", "sλ . xs : 𝕄 [L∞, U | 3, 2⋅𝔻], y : 𝔻 ⇒ xs#[0, 1 ↦ y]", ("1", "1")),
    Case("update", "sλ . xs : 𝕄 [L2, U | 3, 2⋅ℝ], y : ℝ, i : 𝕀[3] ⇒ xs#[i, 1 ↦ y]", ("1", "1", "∞")),
    Case(
        "update",
        "sλ . xs : 𝕄 [L∞, U | 1, 𝔻 in [0.0, 1.0] ∷ 𝔻 in [0.0, 5.0] ∷ []], y : 𝔻, j : 𝕀[2] ⇒ "
        "clip[0.0, 9.0] xs#[0, j ↦ y]#[0, 0]",
        ("9", "9", "9"),
        loose=(0,),
    ),
    Case(
        "update",
        "sλ . y : 𝔻 ⇒ (mfilter (mcreate[L∞ | ℕ[3], ℕ[1]] { i, j ⇒ disc 1.0 }) { r ⇒ true })#[0, 0 ↦ y]",
        ("2",),
    ),
    Case(
        "field",
        f"sλ m : ℕ . xs : 𝕄 [L∞, U | m, {COLUMNS}] ⇒ mfold-row 0.0, xs {{ a, r ⇒ a + clip[0.0, 9.0] r.age }}",
        ("9",),
    ),
    Case("field", f'sλ . xs : 𝕄 [L∞, U | ★, {COLUMNS}] ⇒ rows (mfilter xs {{ r ⇒ r.state ≡ "NY" }})', ("1",)),
    Case("field", "sλ . r : record[age : ℝ, income : ℝ] ⇒ r.age + r.income", ("2",)),
    Case("select", f"sλ m : ℕ . xs : 𝕄 [L∞, U | m, {COLUMNS}] ⇒ xs.[age, income]", ("1",)),
    Case("select", f"sλ . xs : 𝕄 [L∞, U | ★, {COLUMNS}] ⇒ xs.[age, income]", ("1",)),
    Case("select", f"sλ m : ℕ . xs : 𝕄 [L1, U | m, {COLUMNS}] ⇒ xs.[income]", ("1",)),
    Case("select", "sλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ height : ℝ ∷ []] ⇒ xs.[age]", ("1",)),
    Case("select", "sλ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ height : ℝ ∷ []] ⇒ xs.[height]", ("∞",)),
    Case("zip", "sλ . xs : 𝕄 [L∞, U | 3, 2⋅𝔻] ⇒ zip[xs, mclip[L2] xs]", ("1",)),
    Case("zip", f"sλ . xs : 𝕄 [L∞, U | 3, 2⋅𝔻] ⇒ mmap-row zip[xs, xs] {{ r ⇒ {BOTH} }}", ("4",)),
    Case(
        "zip",
        f"sλ . xs : 𝕄 [L∞, U | 3, 2⋅𝔻], ys : 𝕄 [L∞, U | 3, 2⋅𝔻] ⇒ mmap-row zip[xs, ys] {{ r ⇒ {BOTH} }}",
        ("3", "3"),
        loose=(0,),
    ),
    Case("zip", "sλ . xs : 𝕄 [L2, U | 3, 1⋅ℝ] ⇒ zip[mmap xs { x ⇒ 3.0 ⋅ x }, xs]", ("3",)),
    Case("zip", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅ℝ], ys : 𝕄 [L1, U | m, 2⋅ℝ] ⇒ zip[xs, ys]", ("1", "1")),
    Case("zip", fixed("L∞", "𝔻", "zip[xs, xs]"), ("1",)),
    Case(
        "zip",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅ℝ], ys : 𝕄 [L1, U | m, 1⋅ℝ] ⇒ "
        "mmap-row zip[xs, ys] { r ⇒ let ⟨a, b⟩ = r#[0, 0] in a#[0, 0] + 3.0 ⋅ b#[0, 0] }",
        ("3", "3"),
        loose=(0,),
    ),
    Case("chunks", "sλ . xs : 𝕄 [L∞, U | 6, 1⋅ℝ] ⇒ chunks[ℕ[2], xs]", ("1",)),
    Case("chunks", "sλ . xs : 𝕄 [L∞, U | 6, 1⋅ℝ], ys : 𝕄 [L1, U | 6, 2⋅𝔻] ⇒ chunks[ℕ[3], xs, ys]", ("1", "1")),
    Case(
        "chunks",
        "sλ . xs : 𝕄 [L∞, U | 6, 1⋅ℝ] ⇒ mmap-row chunks[ℕ[2], xs] { c ⇒ mfold-row 0.0, c#[0, 0] { a, r ⇒ a + r#[0, 0] } }",
        ("1",),
    ),
    Case("join", "sλ . xs : 𝕄 [L∞, U | ★, 2⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ join₁[xs, ℕ[0], ys, ℕ[0]]", ("1", "∞")),
    Case(
        "join",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ rows join₁[xs, ℕ[0], ys, ℕ[0]]",
        ("1", "∞"),
    ),
    Case(
        "join",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ join₁[xs, ℕ[0], ys, ℕ[0]]",
        ("2", "∞"),
        tight=False,
    ),
    Case(
        "join",
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ join₁[xs, ℕ[0], mcreate[L∞ | ℕ[2], ℕ[1]] { i, j ⇒ disc (real i) }, ℕ[0]]",
        ("2",),
    ),
    Case(
        "join",
        "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ys : 𝕄 [L∞, U | 2, k : 𝔻 ∷ v : ℝ ∷ []] ⇒ join₁[xs, ℕ[0], ys, ℕ[0]]",
        ("1", "∞"),
    ),
    Case(
        "join",
        "sλ . xs : 𝕄 [L∞, U | 2, k : 𝔻 ∷ v : ℝ ∷ []], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ "
        "rows (mfilter join₁[xs, ℕ[0], ys, ℕ[0]] { r ⇒ r.v < 1.0 })",
        ("∞", "∞"),
    ),
    Case("cols", "sλ . xs : 𝕄 [L∞, U | ★, 3⋅𝔻], x : ℝ ⇒ real (cols xs) ⋅ x", ("0", "3")),
    Case("rows", fixed("L1", "ℝ", "rows xs"), ("0",)),
    Case("rows", table("2⋅𝔻", "rows xs"), ("1",)),
    Case("rows", table("1⋅ℝ", "rows xs"), ("∞",)),
    Case("rows", table("1⋅ℕ", "rows xs"), ("1",)),
    Case("rows", table("1⋅𝔻", "rows (mconv (mclip[L2, 0.001] xs))"), ("1",)),
    Case("count", fixed("L1", "𝔻", "count xs"), ("1",)),
    Case("count", fixed("L2", "𝔻", "count xs"), ("√n",)),
    Case("count", fixed("L∞", "𝔻", "count xs"), ("n",)),
    Case("count", fixed("L∞", "ℝ", "count xs"), ("∞",)),
    Case("count", table("2⋅𝔻", "count xs"), ("2",)),
    Case("count", table("2⋅ℝ", "count xs"), ("∞",)),
    Case("count", fixed("L∞", "𝔻", "count (mmap-row xs { r ⇒ r#[0, 0] < 5.0 })"), ("1",)),
    Case("count", table("2⋅𝔻", "count (mmap-row xs { r ⇒ r#[0, 0] < 5.0 })"), ("1",)),
    Case("count", fixed("L1", "𝔻", "count (mmap xs { x ⇒ x < 5.0 })"), ("1",)),
    Case("count", fixed("L∞", "𝔻", "count (mfilter xs { r ⇒ r#[0, 0] < 500.0 })"), ("n",)),
    Case(
        "count",
        "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], y : 𝔻 ⇒ count (mmap-row xs { r ⇒ r#[0, 0] < y })",
        ("1", "∞"),
    ),
    Case("cols", fixed("L1", "ℝ", "cols xs"), ("0",)),
    Case("cols", table("2⋅𝔻", "cols xs"), ("0",)),
    Case("tr", fixed("L1", "ℝ", "tr xs"), ("1",)),
    Case("tr", fixed("L2", "ℝ", "tr xs"), ("√n",)),
    Case("tr", fixed("L∞", "𝔻", "tr xs"), ("n",)),
)
