"""Numbers whose type says between which numbers they lie."""

from __future__ import annotations

from tests.soundness.catalogue.case import Case

RANGES = (
    Case("in", "sλ . x : 𝔻 in [2, 5] ⇒ x", ("1",)),
    Case("in", "sλ . x : 𝔻 in [2, 5] ⇒ conv x", ("3",)),
    Case("in", "sλ . x : 𝔻 in [-2.5, 0.25] ⇒ conv x", ("2.75",)),
    Case("in", "sλ . x : 𝔻 in [0, 0.3] ⇒ conv x", ("0.3",)),
    Case("in", "sλ . x : 𝔻 in [0.3, 1] ⇒ conv x", ("0.70000000000000002",)),
    Case("in", "sλ . x : 𝔻 in [2, 5] ⇒ clip[0, 10] x", ("3",)),
    Case("in", "sλ . x : 𝔻 in [2, 5] ⇒ clip[3, 4] x", ("1",)),
    Case("in", "sλ . x : 𝔻 in [2, 5] ⇒ clip[3, 10] x", ("7",), tight=False),
    Case("in", "sλ . x : 𝔻 in [0, 0.25] ⇒ x ≡ 0.25", ("1",)),
    Case("in", "sλ . x : 𝔻 in [0, 0.25] ⇒ x + 1", ("1",)),
    Case("in", "sλ . x : 𝔻? in [3, 3] ⇒ is-missing (conv x)", ("1",)),
    Case("in", "sλ . x : 𝔻? in [0, 0.25] ⇒ conv x", ("1",)),
    Case("in", "sλ . x : 𝔻 in [0, 0.25] ⇒ clip[0, 10] (x + x)", ("10",), tight=False),
    Case("in", "sλ . b : 𝔹, x : 𝔻 in [0, 1] ⇒ conv (if b then x else disc 9.0)", ("∞", "∞"), tight=False),
    Case("in", "sλ . b : 𝔹, x : 𝔻 in [0, 1], y : 𝔻 in [6, 9] ⇒ conv (if b then x else y)", ("9",) * 3, loose=(1, 2)),
    Case("in", "sλ . xs : 𝕄 [L∞, U | 2, 2⋅𝔻 in [0, 1]], y : 𝔻 ⇒ conv (xs#[0, 0 ↦ y]#[0, 0])", ("∞", "∞"), tight=False),
    Case(
        "in",
        "sλ . b : 𝔹, xs : 𝕄 [L∞, U | 2, 1⋅𝔻 in [0, 1]], ys : 𝕄 [L∞, U | 2, 1⋅𝔻 in [6, 9]] ⇒ "
        "conv ((if b then xs else ys)#[0, 0])",
        ("∞",) * 3,
        tight=False,
    ),
    Case("in", "sλ . x : 𝔻 in [0, 1], y : 𝔻 in [6, 9] ⇒ conv x ⋅ conv y", ("9", "3"), loose=(1,)),
    Case("in", "sλ . x : 𝔻? in [2, 5] ⇒ conv (x or-else 4)", ("3",)),
    Case("in", "sλ . x : 𝔻? in [2, 5] ⇒ conv (x or-else 9)", ("7",)),
    Case("in", "sλ . x : 𝔻? in [2, 5], y : 𝔻 in [0, 3] ⇒ conv (x or-else y)", ("5", "5"), loose=(1,)),
    Case("in", "sλ . x : 𝔻? in [2, 5] ⇒ case x { some a ⇒ conv a ; none ⇒ 7.0 }", ("5",)),
    Case("in", "sλ . x : 𝔻 in [2, 5] ⇒ (sλ . y : 𝔻? in [0, 9] ⇒ conv (y or-else 1)) x", ("9",), tight=False),
    Case("in", "sλ . xs : 𝔻𝔽[age : 𝔻 in [2, 5]] ⇒ mfold-row 0.0, xs { s, r ⇒ s + conv r.age }", ("5",)),
    Case("in", "sλ . xs : 𝔻𝔽[age : 𝔻 in [-7, 5], n : ℕ] ⇒ mfold-row 0.0, xs { s, r ⇒ s + conv r.age }", ("7",)),
    Case("in", "sλ . xs : 𝔻𝔽[age : 𝔻? in [2, 5]] ⇒ mfold-row 0.0, xs { s, r ⇒ s + conv (r.age or-else 3) }", ("5",)),
    Case("in", "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻 in [2, 5]] ⇒ mfold-row 0.0, xs { s, r ⇒ s + conv r#[0, 1] }", ("3",)),
    Case(
        "in", "sλ . xs : 𝔻𝔽[a : 𝔻 in [2, 5], b : 𝔻 in [0, 9]] ⇒ mfold-row 0.0, xs.[b] { s, r ⇒ s + conv r.b }", ("9",)
    ),
    Case(
        "in",
        "sλ . xs : 𝔻𝔽[a : 𝔻 in [2, 5], b : 𝔻 in [0, 9]] ⇒ mfold-row 0.0, xs { s, r ⇒ s + clip[0, 1] r#[0, 1] }",
        ("1",),
    ),
    Case(
        "in",
        "sλ . xs : 𝔻𝔽[age : 𝔻 in [2, 5]] ⇒ mfold-row 0.0, (mfilter xs { r ⇒ r.age < 4 }) { s, r ⇒ s + conv r.age }",
        ("5",),
        tight=False,
    ),
    Case(
        "in",
        "sλ . xs : 𝔻𝔽[age : 𝔻 in [2, 5]] ⇒ mfold-row 0.0, (bmap xs { r ⇒ conv r.age }) { s, r ⇒ s + r#[0, 0] }",
        ("5",),
    ),
)
