"""Programs that must be refused: a side condition fails, a notion has no such mechanism, a size is unknown."""

from __future__ import annotations

from fractions import Fraction

from attrs import frozen

from duetpy.report.verdict import state
from duetpy.typecheck import types as t
from duetpy.typecheck.notions import Notion
from duetpy.valuation import valuation
from tests.soundness.falsify import check
from tests.soundness.rounded import ASSUMED, CLIP, FORMS, STRETCHED, THRESHOLD, scaled
from tests.soundness.witness import APPROX, GDP, PURE, RENYI, TCDP, ZCDP


@frozen
class Meaningless:
    """A program, the rule whose side condition it breaks, and the code that refuses it; none where its price does, which may
    take numbers."""

    rule: str
    notion: Notion
    text: str
    code: str
    settings: tuple[tuple[str, str], ...] = ()


def accepts(program: Meaningless) -> bool:
    """Whether the program passes: the checker, or where that leaves it to the accountant, what its price rests on."""
    typed = check(program.text, program.notion)
    if not typed.ok:
        return False
    if not program.code and isinstance(typed.type, t.PFun):
        settings = {name: Fraction(number) for name, number in program.settings}
        return state(typed, valuation(typed.type, settings)).ok
    return not [each for each in typed.obligations if not each.is_of_machine]


NO_DELTA = (PURE, RENYI, ZCDP, TCDP, GDP, Notion.RAO)

ROWS = "xs : 𝕄 [L∞, U | 4, 1⋅𝔻]"
STAR = "xs : 𝕄 [L∞, U | ★, 1⋅𝔻]"
SUM = "laplace[1.0, 1.0] <t> { mfold-row 0.0, t { a, r ⇒ a + clip[0.0, 1.0] r#[0, 0] } }"

ANY, TWO = "𝕄 [L∞, U | m, 1⋅𝔻]", "(mcreate[L∞ | ℕ[2], ℕ[1]] { i, j ⇒ disc 0.0 })"
LONG, SHORT = f"(sλ m : ℕ . t : {ANY} ⇒ t#[6, 0])", f"(sλ m : ℕ . t : {ANY} ⇒ t#[0, 0])"
"""A function that needs seven rows, and one of the same type that does not."""
EVEN = f"(sλ m : ℕ . t : {ANY} ⇒ let u = chunks[2, t] in t#[0, 0])"
ASKED = f"(∀ m : ℕ . {ANY} ⊸[1] 𝔻)"
RELEASES = f"(∀ m : ℕ, e : ℝ⁺ . {ANY}@e, ℝ⁺[e]@0 ⊸⋆ ℝ)"

CALLED = (
    f"{LONG} {TWO}",
    f"let f = sλ k : ℕ . u : {ANY.replace('m', 'k')} ⇒ {LONG} u in f {TWO}",
    f"let f = sλ m : ℕ, k : ℕ . t : {ANY}, k : ℕ[k] ⇒ t#[k, 0] in let g = f {TWO} in g 6",
    f"let f = pλ m : ℕ . t : {ANY} ⇒ return t#[6, 0] in let g = pλ . y : ℝ ⇒ f@[ . {TWO}] in 0.0",
    f"(sλ m : ℕ . t : {ANY} ⇒ t#[1, 0] + t#[6, 0]) {TWO}",
    f"(sλ m : ℕ . t : {ANY} ⇒ if rows t < 3 then t#[3, 0] else t#[0, 0] + t#[4, 0]) {TWO}",
)
JOINED = (
    f"(if 1 ≡ 1 then {LONG} else {SHORT}) {TWO}",
    f"(if 1 ≡ 1 then {SHORT} else {LONG}) {TWO}",
    f"(unbox (if 1 ≡ 1 then box {LONG} else box {SHORT})) {TWO}",
    f"(if 1 ≡ 1 then {LONG} else {EVEN}) {TWO}",
    f"(if 1 ≡ 1 then {EVEN} else {LONG}) {TWO}",
)
NINE = TWO.replace("ℕ[2]", "ℕ[9]")
WHOLE = "(sλ n : ℕ . z : ℝ⁺[n] ⇒ z)"
"""A function that takes the number of something."""
PARTS = (
    f"{EVEN} {NINE}",
    f"(sλ m : ℕ . t : {ANY} ⇒ let u = chunks[2, t] in let v = chunks[3, t] in t#[0, 0]) {NINE}",
    f"(sλ m : ℕ, k : ℕ . t : {ANY}, k : ℕ[k] ⇒ let u = chunks[k, t] in t#[0, 0]) {NINE} 2",
    f"(sλ m : ℕ, k : ℕ . t : {ANY}, k : ℕ[k] ⇒ let u = chunks[k ⊔ 2, t] in t#[0, 0]) {NINE} 1",
    f"(sλ m : ℕ . t : {ANY} ⇒ {WHOLE} (real (rows t) / 2.0)) {NINE}",
    f"(sλ m : ℕ, k : ℕ . t : {ANY}, k : ℕ[k] ⇒ {WHOLE} (real (rows t) / real k)) {NINE} 2",
    f"(sλ e : ℝ⁺ . y : ℝ⁺[e] ⇒ {WHOLE} y) 2.5",
    f"(sλ e : ℝ⁺ . y : ℝ⁺[e] ⇒ {WHOLE} (y ⊔ 2.0)) 2.5",
    f"(sλ m : ℕ . t : {ANY} ⇒ {WHOLE} (√ (real (rows t)))) {TWO}",
)
"""Numbers of things that are not whole, as a call or the rows of a table show."""
COPIES = "mcreate[L∞ | rows t, ℕ[1]] { i, j ⇒ CELL }"
"""A table in each of whose cells there is another one."""
COPYING = (
    *(COPIES.replace("CELL", cell) for cell in ("t", "box t", "℘{t}", "⟨t, 1⟩", "inl[ℝ] t")),
    f"(sλ d : 𝐝 ({ANY}) ⇒ {COPIES.replace('CELL', 'd')}) t",
)

PASSED = (
    *(f"(sλ h : {ASKED} ⇒ h {TWO}) (sλ m : ℕ . t : {ANY} ⇒ let u = {tables} in t#[0, 0])" for tables in COPYING),
    "(sλ h : (∀ τ : ☆K . τ ⊸[0] ℝ) ⇒ h 1.0) "
    "(sλ τ : ☆K . a : τ ⇒ let u = mcreate[L∞ | ℕ[9], ℕ[1]] { i, j ⇒ a } in let v = mcreate[L∞ | ℕ[9], ℕ[1]] { i, j ⇒ u } in 0.0)",
    f"(sλ h : {ASKED} ⇒ h {TWO}) {LONG}",
    f"(sλ τ : ☆K . a : τ, b : τ ⇒ b) {SHORT} {LONG} {TWO}",
    f"(loop ℕ[2] on {SHORT} {{ i, h ⇒ {LONG} }}) {TWO}",
    f"(loop ℕ[2] on {LONG} {{ i, h ⇒ {LONG.replace('6', '7')} }}) (mcreate[L∞ | ℕ[9], ℕ[1]] {{ i, j ⇒ disc 0.0 }})",
    f"(sλ h : {ASKED} ⇒ h {TWO}) (sλ m : ℕ . t : {ANY} ⇒ "
    "(mcreate[L∞ | rows t ⋅ rows t, ℕ[1]] { i, j ⇒ disc 0.0 })#[0, 0])",
    f"(loop ℕ[2] on (sλ m : ℕ . t : {ANY} ⇒ if rows t < 9 then 0.0 else 1.0) {{ i, h ⇒ "
    f"(sλ m : ℕ . t : {ANY} ⇒ let u = t#[6, 0] in 0.0) }}) {TWO}",
    f"(sλ f : {RELEASES} ⇒ 0.0) (pλ m : ℕ, e : ℝ⁺ . t : {ANY}, e : ℝ⁺[e] ⇒ "
    "let u = t#[6, 0] in laplace[1.0, e] <t> { clip[0.0, 1.0] t#[0, 0] })",
    f"(sλ f : {RELEASES} ⇒ 0.0) (pλ m : ℕ, e : ℝ⁺ . t : {ANY}, e : ℝ⁺[e] ⇒ "
    "laplace[1.0, e] <t> { clip[0.0, 1.0] t#[0, 0] } ensures ε ≤ 0.5)",
)
STRICT = (
    "sλ x : ℝ ⇒ let u = loop ℕ[2] on (sλ b : ℝ⁺ . e : ℝ⁺[b] ⇒ let f = pλ . y : ℝ ⇒ ggauss[1.0, e, 1.0] <y> { y } in 0.0) "
    "{ i, h ⇒ (sλ b : ℝ⁺ . e : ℝ⁺[b] ⇒ let f = pλ . y : ℝ ⇒ gauss[1.0, 0.1, e] <y> { y } in 0.0) } in 0.0"
)
"""1 < b does not follow from 1 ≤ b."""
GUARDED = (
    f"sλ . t : {ANY.replace('m', '2')} ⇒ if 2 ≤ rows t then t#[6, 0] else disc 0.0",
    f"sλ . t : {ANY.replace('m', '2')} ⇒ if 3 ≤ rows t then disc 0.0 else t#[6, 0]",
    f"pλ . t : {ANY.replace('m', '2')} ⇒ if 3 ≤ rows t then {{ return disc 0.0 }} else {{ return t#[6, 0] }}",
    *(
        f"sλ . x : {ANY.replace('m', '3')} ⇒ (sλ m : ℕ . t : {ANY} ⇒ if {test} then t#[3, 0] else disc 0.0) x"
        for test in ("3 ≤ rows t", "2 < rows t", "1.0 < real (rows t) / 2.0")
    ),
)
HANDED = "let use = pλ . f : (ℝ@{} ⊸⋆ ℝ), x : ℝ ⇒ f@[ . x] in pλ . x : ℝ ⇒ use@[ . (pλ z : ℝ ⇒ {}), x]"
"""A function that is handed over where its type states a cost."""

ONCE = "laplace[1.0, 1.0] <z> { z }"
MORE = "laplace[1.0, 2.0] <z> { z }"
BOTH = (
    " ; ".join(
        f"a ← poisson[0.5] ({part} z) {{ t ⇒ laplace[1.0, 1.0] <t> {{ real (rows t) }} }}" for part in ("fst", "snd")
    )
    + " ; return 0.0"
)
"""Rows are drawn from both parts of a pair."""

THOUSAND = "xs : 𝕄 [L∞, U | 1000, 1⋅𝔻]"
LEAST = (
    "sample[ℕ[50]] xs { t ⇒ y ← given[0.005, 1.5] <t> { 0.0 } ; "
    f"given[0.005, {' + '.join(f'(p ⊓ {2**n / 100})' for n in range(8))}] <t> {{ 0.0 }} }}"
)
"""At p = 2 orders below 1.5 are promised, where amplification needs 299."""

# A row of four cells that are all others is at √4 in L2, and four steps away; what is known about two says nothing about it.
FOUR_CELLS = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 4⋅𝔻] ⇒"
HALF_OF_FOUR = "given[1.0] <ys> { 0.0 }"

COUNTED = (
    "let f = pλ ς : ☆K . t : 𝕄 [L∞, U | ★, {}] ⇒ laplace[1.0, 1.0] <t> {{ real (rows t) }} in "
    "pλ . xs : 𝕄 [L∞, U | ★, {}] ⇒ f@[ . xs]"
)
"""Rows of whatever columns are counted."""
FOR_RANGES = "let f = pλ t : bag 𝔻 in [-m, m], static m : ℝ⁺ ⇒ laplace[auto, 1.0] <t> { real (rows t) } in"

KEYED = "pλ . xs : 𝕄 [L∞, U | ★, a : 𝐝 𝕊 ∷ x : 𝔻 ∷ []] ⇒"

BOXED = "pλ . xs : bag 𝔻, z : 𝔻 ⇒ let b = box z in let ys = bmap xs { x ⇒ addColDF⧼of⧽ ⟨addColDF⧼a⧽ x, b⟩ } in"
PARTED = 'pλ . xs : 𝔻𝔽[a : 𝕊, x : 𝔻] ⇒ let ys = partitionDF[xs, a, ℘{"x", "y"}] in'
"""Rows that are not to be read as a whole: one holds a number of another input, the other rows in any order."""
FEW_OF_MANY = (
    ("keys", "keys[1, 1.0, 0.01] ys { r ⇒ ℘{1, 2, 3} }"),
    ("key-counts", "key-counts[1, 1.0, 0.01] ys { r ⇒ ℘{1, 2, 3} }"),
    ("key-gauss", "key-gauss[1, 1.0, 0.01] ys { r ⇒ ℘{1, 2, 3} }"),
    (
        "parallel",
        "parallel[1, ys, ℘{1, 2, 3}] { r ⇒ ℘{1, 2, 3} } { k, part ⇒ laplace[auto, 1.0] { real (rows part) } }",
    ),
)

BOXES_IN_PLACES = (
    "sλ xs : bag 𝔻, z : 𝔻 ⇒ let b = box z in let ys = bmap (mcreate[L∞ | 2, 2] { i, j ⇒ disc 1 }) "
    "{ p ⇒ addColDF⧼of⧽ ⟨addColDF⧼a⧽ p#[0, 0], b⟩ } in let ks = bmap xs { x ⇒ addColDF⧼a⧽ disc 1 } in"
)
"""A table of a fixed number of rows, each with a number of another input."""

LATER = "let f = sλ b : ℝ⁺ . y : ℝ, c : ℝ⁺[b] ⇒ ℝ⁺[b] ⋅ y in let g = f x in g 2.0 + g 100.0"

MEANINGLESS = (
    Meaningless("application", PURE, f"sλ x : ℝ ⇒ {LATER}", "D0210"),
    Meaningless("join", APPROX, f"{BOXES_IN_PLACES} rows join₁[ks, 0, ys, 0]", "D0428"),
    Meaningless("joinDF", APPROX, f"{BOXES_IN_PLACES} rows (joinDF[2]⧼a⧽[ks, ys])", "D0428"),
    *(Meaningless(rule, APPROX, f"{rows} {text}", "D0306") for rows in (BOXED, PARTED) for rule, text in FEW_OF_MANY),
    Meaningless("privacy-application", PURE, COUNTED.format("𝐝 ς", "1⋅ℝ"), "D0201"),
    Meaningless("privacy-application", PURE, COUNTED.format("𝐝 ς", "1⋅𝔻 ⧺ 1⋅ℝ"), "D0201"),
    Meaningless("privacy-application", PURE, COUNTED.format("ς", "1⋅ℝ"), "D0301"),
    Meaningless("privacy-application", PURE, f"{FOR_RANGES} pλ . xs : bag 𝔻 in [0, 0] ⇒ f@[ . xs]", "D0501"),
    Meaningless("privacy-application", PURE, f"{FOR_RANGES} pλ . xs : bag 𝔻 ⇒ f@[ . xs]", "D0412"),
    Meaningless(
        "privacy-application",
        PURE,
        "pλ t : bag 𝔻 in [-m, m], static m : ℝ⁺ ⇒ laplace[m, 1.0] <t> { mfold-row 0.0, t { s, x ⇒ s + conv x#[0, 0] } }",
        "D0222",
    ),
    *(Meaningless("keys", notion, f"{KEYED} keys[ℕ[1], 1.0, 0.01] xs {{ r ⇒ r.a }}", "D0418") for notion in NO_DELTA),
    Meaningless("keys", APPROX, f"{KEYED} ZCDP[0.1] {{ keys[ℕ[1], 1.0, 0.01] xs {{ r ⇒ r.a }} }}", "D0418"),
    Meaningless("keys", APPROX, f"{KEYED} keys[ℕ[2], 1.0, 0.01] xs {{ r ⇒ r.a }}", "D0501"),
    Meaningless("keys", APPROX, f"{KEYED} keys[ℕ[0], 1.0, 0.01] xs {{ r ⇒ ℘{{r.a}} }}", "D0501"),
    Meaningless("keys", APPROX, f"{KEYED} keys[ℕ[1], 0.0009, 0.01] xs {{ r ⇒ r.a }}", "D0501"),
    Meaningless("keys", APPROX, f"{KEYED} keys[ℕ[1], 1.0, 9e-41] xs {{ r ⇒ r.a }}", "D0501"),
    Meaningless("keys", APPROX, f"{KEYED} keys[ℕ[1], 1.0, 1.0] xs {{ r ⇒ r.a }}", "D0501"),
    Meaningless("keys", APPROX, f"{KEYED} keys[ℕ[1], 1.0, 0.01] xs {{ r ⇒ ⟨r.a, clip[0.0, 1.0] r.x⟩ }}", "D0419"),
    Meaningless(
        "keys", APPROX, "pλ . xs : 𝕄 [L1, U | ★, 1⋅ℝ] ⇒ keys[ℕ[1], 1.0, 0.01] xs { r ⇒ disc (r#[0, 0]) }", "D0414"
    ),
    Meaningless(
        "keys",
        APPROX,
        "pλ m : ℕ . xs : 𝕄 [L1, U | m, x : ℝ ∷ a : 𝐝 𝕊 ∷ []] ⇒ keys[ℕ[1], 1.0, 0.01] xs { r ⇒ disc r.x }",
        "D0414",
    ),
    Meaningless("call", PURE, HANDED.format("1.5", f"a ← {ONCE} ; {ONCE}"), "D0201"),
    Meaningless("call", PURE, HANDED.format("1.5", f"if 0 ≡ 1 then {ONCE} else {MORE}"), "D0201"),
    Meaningless("call", PURE, HANDED.format("1.5", f"loop ℕ[2] on 0.0 <z> {{ i, t ⇒ {ONCE} }}"), "D0201"),
    Meaningless("call", ZCDP, HANDED.format("0.1", ONCE), "D0201"),
    Meaningless("call", RENYI, HANDED.format("⟨9, 1⟩", "gauss[1.0, 3.0, 0.5] <z> { z }"), "D0201"),
    Meaningless("call", TCDP, HANDED.format("⟨1, 9⟩", "gauss[1.0, 0.5, 3.0] <z> { z }"), "D0201"),
    Meaningless("opaque", PURE, 'sλ . x : ℝ ⇒ (opaque "m:f" : ℝ ⊸[1] ℝ) x', "D0321"),
    Meaningless("opaque", PURE, 'sλ . x : ℝ ⇒ (opaque "m:f" : box[x@1] ℝ ⊸[∞] ℝ) (box x)', "D0320"),
    Meaningless("ensures", PURE, "pλ . x : ℝ ⇒ laplace[1.0, 2.0] <x> { x } ensures ε ≤ 1", ""),
    Meaningless("ensures", APPROX, "pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> { x } ensures ε ≤ 1, δ ≤ 1", "D0501"),
    Meaningless(
        "persons",
        ZCDP,
        "pλ . p : persons[id : 𝕊 | v : 𝔻𝔽[a : 𝔻]], q : persons[id : 𝕊 | w : 𝔻𝔽[b : 𝔻]] ⇒ "
        "gauss[1.0, 0.5] <p, q> { real (rows p) + real (rows q) } ensures ρ ≤ 1",
        "",
    ),
    Meaningless(
        "call",
        PURE,
        f"{FOUR_CELLS} let f = pλ m : ℕ . ys : 𝕄 [L2, U | m, 4⋅𝔻] ⇒ {HALF_OF_FOUR} in f@[ . renorm[L2] xs] ensures ε ≤ 3",
        "",
    ),
    Meaningless("given", PURE, f"{FOUR_CELLS} let ys = renorm[L2] xs in {HALF_OF_FOUR} ensures ε ≤ 3", ""),
    Meaningless(
        "let",
        PURE,
        f"{FOUR_CELLS} let ⟨ys, z⟩ = (if 0 ≡ 1 then ⟨renorm[L2] xs, 1.0⟩ else ⟨renorm[L2] xs, 2.0⟩) "
        f"in {HALF_OF_FOUR} ensures ε ≤ 3",
        "",
    ),
    Meaningless(
        "call",
        PURE,
        f"{FOUR_CELLS} let f = pλ m : ℕ . ys : 𝕄 [L2, U | m, 4⋅𝔻] × ℝ ⇒ {HALF_OF_FOUR} "
        "in f@[ . ⟨renorm[L2] xs, 1.0⟩] ensures ε ≤ 3",
        "",
    ),
    Meaningless(
        "call",
        PURE,
        "let f = pλ . ⟨a : 𝕄 [L∞, U | ★, 1⋅𝔻], b : 𝕄 [L∞, U | ★, 1⋅𝔻]⟩ ⇒ laplace[1.0, 1.0] <a> { real (rows a) } in "
        "pλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | n, 1⋅𝔻] ⇒ f@[ . xs, ys]",
        "D0415",
    ),
    Meaningless("given", PURE, "pλ . x : ℝ ⇒ given[0.0] <x> { x }", "D0501"),
    Meaningless("given", PURE, "pλ . x : ℝ ⇒ given[1.0] <x> { sλ . y : ℝ ⇒ x + y }", "D0430"),
    Meaningless("rand-nat", PURE, "pλ . x : ℝ ⇒ rand-nat[3, 1]", "D0501"),
    Meaningless(
        "call",
        PURE,
        f"pλ . {ROWS} ⇒ let f = pλ n : ℕ, k : ℕ . t : 𝕄 [L∞, U | n, 1⋅𝔻], k : ℕ[k] ⇒ "
        "shuffle[k] t { r ⇒ laplace[1.0, 1.0] <r> { clip[0.0, 1.0] r#[0, 0] } } in f@[ . xs, 9]",
        "D0501",
    ),
    Meaningless(
        "call",
        PURE,
        f"pλ . {ROWS} ⇒ let f = sλ n : ℕ, b : ℕ . t : 𝕄 [L∞, U | n, 1⋅𝔻], b : ℕ[b] ⇒ chunks[b, t] in let z = f xs 3 in "
        "laplace[1.0, 1.0] <xs> { clip[0.0, 1.0] xs#[0, 0] }",
        "D0501",
    ),
    *(Meaningless("call", PURE, f"sλ x : ℝ ⇒ {text}", "D0501") for text in CALLED),
    *(Meaningless("call", PURE, f"sλ x : ℝ ⇒ {text}", "D0501") for text in PARTS),
    *(Meaningless("passed", PURE, f"sλ x : ℝ ⇒ {text}", "D0501") for text in JOINED),
    *(Meaningless("passed", PURE, f"sλ x : ℝ ⇒ {text}", "D0504") for text in PASSED),
    Meaningless("passed", TCDP, STRICT, "D0504"),
    *(Meaningless("guard", PURE, text, "D0501") for text in GUARDED),
    Meaningless("statics", PURE, "sλ x : ℝ ⇒ let u = disc ℝ⁺[∞] in x", "D0501"),
    Meaningless("laplace", PURE, "pλ . x : ℝ ⇒ laplace[1.0, 0.0] <x> { x }", "D0501"),
    Meaningless("laplace", PURE, "pλ . x : ℝ ⇒ laplace[1.0, ℝ[-1.0]] <x> { x }", "D0501"),
    Meaningless("gauss", APPROX, "pλ . x : ℝ ⇒ gauss[1.0, 1.0, 1.0] <x> { x }", "D0501"),
    Meaningless("canonical", APPROX, "pλ . x : ℝ ⇒ canonical[1.0, 1.0, 1.0] <x> { x }", "D0501"),
    Meaningless("canonical", APPROX, "pλ . x : ℝ ⇒ canonical[1.0, 0.0, 0.1] <x> { x }", "D0501"),
    Meaningless("canonical", ZCDP, "pλ . x : ℝ ⇒ canonical[1.0, 1.0, 0.1] <x> { x }", "D0402"),
    Meaningless("gauss", RENYI, "pλ . x : ℝ ⇒ gauss[1.0, 1.0, 1.0] <x> { x }", "D0501"),
    Meaningless("gauss", TCDP, "pλ . x : ℝ ⇒ gauss[1.0, 0.5, 1.0] <x> { x }", "D0501"),
    Meaningless("gauss", PURE, "pλ . x : ℝ ⇒ gauss[1.0, 1.0] <x> { x }", "D0401"),
    Meaningless("gauss", ZCDP, "pλ . x : ℝ ⇒ gauss[1.0, 1.0, 0.1] <x> { x }", "D0402"),
    Meaningless("rand-resp", PURE, "pλ . i : 𝕀[1] ⇒ rand-resp[1, 1.0] <i> { i }", "D0501"),
    Meaningless("rand-resp", PURE, "pλ . i : 𝕀[3] ⇒ rand-resp[2, 1.0] <i> { i }", "D0423"),
    Meaningless(
        "above-threshold",
        PURE,
        "pλ . x : ℝ ⇒ AboveThreshold[0.0, mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ sλ . z : ℝ ⇒ z }, 5.0] <x> { x }",
        "D0501",
    ),
    Meaningless(
        "aloop", APPROX, "pλ . x : ℝ ⇒ aloop[1.0] ℕ[3] on 0.0 <x> { i, a ⇒ laplace[1.0, 1.0] <x> { x } }", "D0501"
    ),
    Meaningless(
        "aloop", PURE, "pλ . x : ℝ ⇒ aloop[0.1] ℕ[3] on 0.0 <x> { i, a ⇒ laplace[1.0, 1.0] <x> { x } }", "D0401"
    ),
    Meaningless(
        "privacy-loop", PURE, "pλ . k : ℕ, x : ℝ ⇒ loop k on 0.0 <x> { i, a ⇒ laplace[1.0, 1.0] <x> { x } }", "D0206"
    ),
    Meaningless("convert", APPROX, "pλ . x : ℝ ⇒ ZCDP[1.0] { gauss[1.0, 0.5] <x> { x } }", "D0501"),
    Meaningless("convert", APPROX, "pλ . x : ℝ ⇒ ZCDP { gauss[1.0, 0.5] <x> { x } }", "D0409"),
    Meaningless("convert", PURE, "pλ . x : ℝ ⇒ ZCDP { gauss[1.0, 0.5] <x> { x } }", "D0409"),
    Meaningless("convert", GDP, "pλ . x : ℝ ⇒ ZCDP { gauss[1.0, 0.5] <x> { x } }", "D0409"),
    Meaningless("convert", ZCDP, "pλ . x : ℝ ⇒ RENYI { gauss[1.0, 4.0, 0.5] <x> { x } }", "D0409"),
    Meaningless("convert", TCDP, "pλ . x : ℝ ⇒ RENYI { gauss[1.0, 4.0, 0.5] <x> { x } }", "D0409"),
    Meaningless("sample", PURE, f"pλ . {ROWS} ⇒ sample[ℕ[5]] xs {{ t ⇒ {SUM} }}", "D0501"),
    Meaningless("sample", PURE, f"pλ . {ROWS} ⇒ sample[ℕ[0]] xs {{ t ⇒ return 1.0 }}", "D0501"),
    Meaningless("sample", PURE, f"pλ . {STAR} ⇒ sample[ℕ[2]] xs {{ t ⇒ {SUM} }}", "D0425"),
    Meaningless(
        "sample",
        PURE,
        "pλ . xs : 𝕄 [L1, U | 4, 2⋅ℝ] ⇒ sample[ℕ[2]] xs { t ⇒ laplace[1.0, 1.0] <t> { t#[0, 0] } }",
        "D0424",
    ),
    Meaningless(
        "sample",
        PURE,
        "pλ . xs : 𝕄 [L1, U | 4, 2⋅𝔻] ⇒ sample[ℕ[2]] xs { t ⇒ laplace[1.0, 1.0] <t> { clip[0.0, 1.0] t#[0, 0] } }",
        "D0424",
    ),
    Meaningless("poisson", PURE, f"pλ . {STAR} ⇒ poisson[1.5] xs {{ t ⇒ {SUM} }}", "D0501"),
    Meaningless("poisson", PURE, f"pλ . {STAR} ⇒ poisson[0.0] xs {{ t ⇒ {SUM} }}", "D0501"),
    Meaningless(
        "poisson",
        PURE,
        f"pλ . {ROWS} ⇒ poisson[0.5] xs {{ t ⇒ laplace[1.0, 1.0] <t> {{ clip[0.0, 1.0] t#[0, 0] }} }}",
        "D0425",
    ),
    Meaningless("poisson", PURE, f"pλ . z : bag 𝔻 & bag 𝔻 ⇒ {BOTH}", "D0426"),
    Meaningless("poisson", PURE, f"pλ . z : (bag 𝔻 & bag 𝔻) × ℝ ⇒ let ⟨p, r⟩ = z in {BOTH.replace('z', 'p')}", "D0426"),
    Meaningless(
        "poisson",
        PURE,
        f"pλ . z : 𝕄 [L∞, U | 1, 2⋅(bag 𝔻)] ⇒ {BOTH.replace('fst z', 'z#[0, 0]').replace('snd z', 'z#[0, 1]')}",
        "D0426",
    ),
    Meaningless(
        "sample",
        TCDP,
        "pλ . xs : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ sample[ℕ[2]] xs { t ⇒ gauss[1.0, 0.02, 100.0] <t> { clip[0.0, 1.0] t#[0, 0] } }",
        "",
    ),
    Meaningless(
        "sample",
        TCDP,
        f"pλ . {THOUSAND} ⇒ sample[ℕ[101]] xs {{ t ⇒ given[0.01, 900.0] <t> {{ 0.0 }} }}",
        "",
    ),
    Meaningless("sample", TCDP, f"pλ . {THOUSAND} ⇒ sample[ℕ[50]] xs {{ t ⇒ given[0.11, 900.0] <t> {{ 0.0 }} }}", ""),
    Meaningless("sample", TCDP, f"pλ . {THOUSAND} ⇒ sample[ℕ[50]] xs {{ t ⇒ given[0.005, 299.0] <t> {{ 0.0 }} }}", ""),
    Meaningless("sample", APPROX, f"pλ p : ℝ⁺ . {THOUSAND}, p : ℝ⁺[p] ⇒ TCDP[1e-6] {{ {LEAST} }}", "", (("p", "2"),)),
    Meaningless("group", TCDP, "pλ . x : ℝ ⇒ let y = 3.0 ⋅ x in given[0.01, 3.0] <y> { 0.0 }", ""),
    Meaningless(
        "group",
        TCDP,
        "pλ c : ℝ⁺ . x : ℝ, c : ℝ⁺[c] ⇒ let y = c ⋅ x in given[0.01, 2.0] <y> { 0.0 }",
        "",
        (("c", "1.5"),),
    ),
    Meaningless(
        "group",
        TCDP,
        "pλ c : ℝ⁺ . x : ℝ, c : ℝ⁺[c] ⇒ let y = c ⋅ x in given[0.01, 2.0] <y> { 0.0 } ensures ρ ≤ 9",
        "",
        (("c", "1.5"),),
    ),
    # log 4 is 2 log 2, which is neither proved nor refuted.
    Meaningless("group", TCDP, "pλ . x : ℝ, w : ℝ⁺[log(4)/log(2)] ⇒ let y = 2.0 ⋅ x in given[0.01, w] <y> { 0.0 }", ""),
    Meaningless(
        "pfld-rows",
        PURE,
        "pλ . xs : 𝕄 [L∞, U | 4, 1⋅𝔻], ys : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ pfld-rows[ℕ[3], 0.0, xs, ys, "
        "pλ . a : 𝕄 [L∞, U | 3, 1⋅𝔻], b : 𝕄 [L∞, U | 3, 1⋅𝔻], z : ℝ ⇒ laplace[1.0, 1.0] { clip[0.0, 1.0] a#[0, 0] }]",
        "D0501",
    ),
    Meaningless("chunks", PURE, "sλ . xs : 𝕄 [L∞, U | 6, 1⋅ℝ] ⇒ chunks[ℕ[4], xs]", "D0501"),
    Meaningless(
        "step",
        GDP,
        "pλ . ⟨xs : 𝕄 [L∞, L2 | 9, 1⋅𝔻], ys : 𝕄 [L∞, U | 9, 1⋅𝔻]⟩ ⇒ let θ = mcreate[L2 | ℕ[1], ℕ[1]] { i, j ⇒ 0.0 } in "
        "noisy-descent[3, 2, 1.0] <xs, ys> { step∇[LR, 0.1, 0.1 | θ ; xs, ys] }",
        "D0501",
    ),
    Meaningless(
        "parallel",
        PURE,
        "pλ . xs : 𝕄 [L∞, U | ★, 1⋅ℝ] ⇒ parallel[xs, ℘{1.0}] { r ⇒ 1.0 } { k, t ⇒ return 1.0 }",
        "D0414",
    ),
    Meaningless(
        "mmapp", PURE, f"pλ . {STAR} ⇒ mmapp xs {{ x ⇒ laplace[1.0, 1.0] <x> {{ clip[0.0, 1.0] x }} }}", "D0305"
    ),
    Meaningless(
        "pmap-col",
        PURE,
        "pλ . xs : 𝕄 [L1, U | 4, 2⋅𝔻] ⇒ pmap-col xs { c ⇒ laplace[1.0, 1.0] <c> { clip[0.0, 1.0] c#[0, 0] } }",
        "D0414",
    ),
    Meaningless("mcreate", PURE, "sλ . x : ℝ, k : ℕ ⇒ mcreate[L1 | k, ℕ[2]] { i, j ⇒ x }", "D0206"),
    Meaningless("mlaplace", PURE, "pλ . xs : 𝕄 [L1, U | ★, 2⋅ℝ] ⇒ mlaplace[1.0, 1.0] <xs> { xs }", "D0404"),
    Meaningless("clip", PURE, "sλ . x : ℝ ⇒ clip[2.0, 1.0] x", "D0215"),
    *(
        Meaningless(form, GDP, scaled(body, made, "1e200"), code)
        for form, made in FORMS.items()
        for code, bodies in (("D0309", STRETCHED), ("D0201", ASSUMED))
        for body in bodies.values()
    ),
    Meaningless("above-threshold", PURE, scaled(THRESHOLD, CLIP, "1e200"), "D0309"),
)
