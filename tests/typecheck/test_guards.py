"""Guards of the rules, one program each: what a rule must refuse, or charge more for, beyond what the catalogue has programs of.

Each program here is judged differently if its guard is left out of the rule.
"""

from __future__ import annotations

import math

import pytest

from duetpy.accounting.price import Price, price, value
from duetpy.typecheck.cost import Cost
from duetpy.typecheck.notions import Notion
from tests.typecheck.judging import costs, errors, in_the_clear, judged, requirements, result, sensitivities

PURE, APPROX, ZCDP, RENYI, GDP = Notion.PURE, Notion.APPROX, Notion.ZCDP, Notion.RENYI, Notion.GDP

ROWS = "xs : 𝕄 [L∞, U | ★, a : 𝔻 ∷ []]"
SAME = "let same = sλ t : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ t in "
"""A call: of what it returns, nobody knows that row i is row i of what it was given."""
CLIPPED = "clip[0.0, 1.0] x + clip[0.0, 1.0] y"
SHORT = "𝕄 [L∞, U | 10, 1⋅𝔻]"
SPENDS = "laplace[1, 1] <x, y> { clip[0.0, 1.0] x#[0, 0] ⊔ clip[0.0, 1.0] y#[0, 0] }"


def priced(cost: Cost, notion: Notion) -> dict[str, float]:
    """The price of a cost, in numbers."""
    found = price(cost, notion)
    assert isinstance(found, Price), found
    return {name: math.inf if number is None else number for name, number in value(found).items()}


REFUSED_FUNCTIONS = {
    "zip of other rows": (
        "sλ m : ℕ, k : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | k, 1⋅𝔻] ⇒ zip[xs, ys]",
        "D0208",
    ),
    "chunks of other rows": (
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | 10, 1⋅𝔻] ⇒ chunks[5, xs, ys]",
        "D0208",
    ),
    "chunks of no rows": ("sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ chunks[0, xs]", "D0501"),
    "mmap-col of another width": (
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻], ys : 𝕄 [L∞, U | m, 3⋅𝔻] ⇒ mmap-col xs, ys { x, y ⇒ rows x + rows y }",
        "D0208",
    ),
    "mmap-col to unknown rows": (
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ mmap-col xs { c ⇒ mfilter c { r ⇒ true } }",
        "D0208",
    ),
    "mmap of another width": (
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅ℝ], ys : 𝕄 [L∞, U | m, 3⋅ℝ] ⇒ mmap xs, ys { x, y ⇒ x + y }",
        "D0208",
    ),
    "a largest value of another type": (
        "sλ . xs : 𝕄 [L∞, U | ★, 2⋅𝔻] ⇒ mfold-row 0.0, xs { a, r ⇒ a ⊔ r#[0, 0] }",
        "D0205",
    ),
    "a sum that leaves out what was summed": (
        "sλ y : ℝ, xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfold-row 0.0, xs { a, r ⇒ clip[0.0, 1.0] r#[0, 0] + y }",
        "D0304",
    ),
    "a sum of what the state hides": (
        "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfold-row 0.0, xs { a, r ⇒ let a = clip[0.0, 1.0] r#[0, 0] in a + a }",
        "D0304",
    ),
    "a state that another value hides": (
        "sλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfold-row 0.0, xs { a, r ⇒ let a = clip[0.0, 1.0] r#[0, 0] in a }",
        "D0304",
    ),
    "a state that the row hides": ("sλ . xs : 𝕄 [L1, U | ★, 1⋅ℝ] ⇒ mfold-row 0.0, xs { r, r ⇒ r }", "D0304"),
    "a matrix that the row hides": (
        "sλ xs : 𝕄 [L1, U | ★, 2⋅ℝ] ⇒ let c = mcreate[L1 | ℕ[1], ℕ[2]] { i, j ⇒ 0.0 } in "
        "mfold-row c, xs { r, r ⇒ mmap r, c { x, y ⇒ x + y } }",
        "D0304",
    ),
    "a sum of matrices that leaves it out": (
        "sλ c : 𝕄 [L1, U | 1, 2⋅ℝ], xs : 𝕄 [L∞, L1 | ★, 2⋅𝔻] ⇒ mfold-row (mcreate[L1 | ℕ[1], ℕ[2]] "
        "{ i, j ⇒ 0.0 }), xs { a, r ⇒ mmap c, mconv (mclip[L1] r) { x, y ⇒ x + y } }",
        "D0304",
    ),
    "a sum of what hides a real row": (
        "sλ c : 𝕄 [L1, U | 1, 2⋅ℝ], xs : 𝕄 [L1, U | ★, 2⋅ℝ] ⇒ mfold-row (mcreate[L1 | ℕ[1], ℕ[2]] "
        "{ i, j ⇒ 0.0 }), xs { a, r ⇒ mmap a, (mmap c { r ⇒ r }) { x, y ⇒ x + y } }",
        "D0303",
    ),
    "a conjunction of numbers": (
        "sλ . xs : 𝕄 [L∞, U | ★, 2⋅𝔻] ⇒ mfold-row 0.0, xs { a, r ⇒ a ∧ (r#[0, 0] ≤ 3.0) }",
        "D0205",
    ),
    "a gradient at two models": (
        "sλ m : ℕ . θ : 𝕄 [L2, U | 2, 3⋅ℝ], xs : 𝕄 [L∞, L2 | m, 3⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ ∇[LR | θ ; xs, ys]",
        "D0201",
    ),
    "a gradient at a model that is partly data": (
        "sλ m : ℕ . θ : 𝕄 [L2, U | 1, a : ℝ ∷ b : 𝔻 ∷ []], xs : 𝕄 [L∞, L2 | m, 2⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ "
        "∇[LR | θ ; xs, ys]",
        "D0201",
    ),
    "a gradient of texts": (
        "sλ m : ℕ . θ : 𝕄 [L2, U | 1, 2⋅ℝ], xs : 𝕄 [L∞, L2 | m, a : 𝔻 ∷ b : 𝐝 𝕊 ∷ []], ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ "
        "∇[LR | θ ; xs, ys]",
        "D0216",
    ),
    "a gradient for texts": (
        "sλ m : ℕ . θ : 𝕄 [L2, U | 1, 2⋅ℝ], xs : 𝕄 [L∞, L2 | m, 2⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝐝 𝕊] ⇒ ∇[LR | θ ; xs, ys]",
        "D0216",
    ),
    "row∇ of strangers": (
        "sλ . θ : 𝕄 [L2, U | 1, 2⋅ℝ], xs : 𝕄 [L∞, L2 | ★, 2⋅𝔻], ys : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ row∇[LR | θ ; xs, ys]",
        "D0305",
    ),
    "join₁ on keys of two types": (
        f"sλ . {ROWS}, ys : 𝕄 [L∞, U | ★, a : 𝐝 𝕊 ∷ []] ⇒ join₁[xs, 0, ys, 0]",
        "D0428",
    ),
    "joinDF₁ on keys of two types": (
        f"sλ . {ROWS}, ys : 𝕄 [L∞, U | ★, a : 𝐝 𝕊 ∷ []] ⇒ joinDF₁⧼a⧽[xs, ys]",
        "D0428",
    ),
    "join₁ on a column that is not there": (
        f"sλ . {ROWS}, ys : 𝕄 [L∞, U | ★, a : 𝔻 ∷ []] ⇒ join₁[xs, 1, ys, 0]",
        "D0104",
    ),
    "partitionDF by keys of another type": (f"sλ . {ROWS}, ks : ℘ (𝐝 𝕊) ⇒ partitionDF[xs, a, ks]", "D0201"),
    "discf of a function of functions": ("sλ x : ℝ ⇒ discf (sλ y : 𝔻 ⇒ sλ z : 𝔻 ⇒ z)", "D0306"),
    "an entry of an unknown number of rows": ("sλ z : ℝ, xs : 𝕄 [L∞, U | ★, 2⋅𝔻] ⇒ xs#[0, 0 ↦ disc z]", "D0305"),
    "an entry beyond the rows": ("sλ . xs : 𝕄 [L∞, U | 3, 2⋅ℝ] ⇒ xs#[3, 0 ↦ 1.0]", "D0501"),
    "mmap-col to several columns": (
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻], ys : 𝕄 [L∞, U | 3, 2⋅𝔻] ⇒ mmap-col xs { c ⇒ ys }",
        "D0208",
    ),
    "columns of other names": ("sλ . xs : bag record[b : 𝔻] ⇒ (sλ . t : bag record[a : 𝔻] ⇒ t) xs", "D0201"),
    "what may be missing of another type": ("sλ x : (𝐝 𝕊)? ⇒ (sλ . y : 𝔻? ⇒ y) x", "D0201"),
    "one of two that may be missing": (
        "sλ x : (𝔻 in [0, 1])?, y : 𝕊?, b : 𝔹 ⇒ if b then x else y",
        "D0204",
    ),
    "one of two boxes": ("sλ x : ℝ, y : ℝ, b : 𝔹 ⇒ unbox (if b then box x else box y)", "D0204"),
    "one of two functions, of aligned tables and of others": (
        f"sλ b : 𝔹 ⇒ if b then (pλ . ⟨x : {SHORT}, y : {SHORT}⟩ ⇒ {SPENDS}) else (pλ . x : {SHORT}, y : {SHORT} ⇒ {SPENDS})",
        "D0204",
    ),
    "foreign code that returns a known number": (
        'sλ x : 𝔻 ⇒ (opaque "math:tanh" : 𝔻 ⊸ (ℝ⁺[2.5] × 𝔻)) x',
        "D0320",
    ),
    "foreign code of what may be missing": ('sλ x : 𝔻 ⇒ (opaque "math:tanh" : 𝔻? ⊸ 𝔻) x', "D0320"),
}


@pytest.mark.parametrize("program", REFUSED_FUNCTIONS.values(), ids=REFUSED_FUNCTIONS)
def test_a_function_is_refused(program: tuple[str, str]) -> None:
    text, code = program
    assert code in errors(text)


TEN = "xs : 𝕄 [L∞, U | 10, 1⋅𝔻], ys : 𝕄 [L∞, U | 10, 1⋅𝔻]"
BATCH = "a : 𝕄 [L∞, U | 5, 1⋅𝔻], b : 𝕄 [L∞, U | 5, 1⋅𝔻]"
MODEL = "let θ = mcreate[L2 | ℕ[1], ℕ[1]] { i, j ⇒ 0.0 } in "
LABELLED = "xs : 𝕄 [L∞, L2 | 10, 1⋅𝔻], ys : 𝕄 [L∞, U | 10, 1⋅𝔻]"
USE = "let use = sλ f : (∀ . ℝ@1, ℝ@1 ⊸⋆ ℝ) ⇒ pλ . x : ℝ, y : ℝ ⇒ f@[ . x, y] in use"
STEP = "step∇[LR, 0.1, 0.1 | θ ; xs, ys]"


def queries(body: str, rows: int = 1, threshold: str = "0.0") -> str:
    """Above-threshold, asked of a number."""
    asked = f"mcreate[L∞ | ℕ[{rows}], ℕ[3]] {{ i, j ⇒ (sλ y : ℝ ⇒ {body}) }}"
    return f"pλ . x : ℝ ⇒ AboveThreshold[1.0, {asked}, {threshold}] <x> {{ x }}"


REFUSED_PROGRAMS = {
    "a conversion that spends no δ": ("pλ . x : ℝ ⇒ ZCDP[0.0] { gauss[auto, 1.0] <x> { x } }", APPROX, "D0501"),
    "advanced composition without δ′": (
        "pλ . x : ℝ ⇒ aloop[0.0] ℕ[5] on 0.0 <x> { i, s ⇒ laplace[auto, 1.0] <x> { x } }",
        APPROX,
        "D0501",
    ),
    "a loop whose state changes": (
        "pλ . x : ℝ ⇒ loop ℕ[3] on 0 <x> { i, s ⇒ laplace[auto, 1.0] <x> { x } }",
        PURE,
        "D0205",
    ),
    "batches whose state changes": (
        f"pλ . {TEN} ⇒ pfld-rows[5, 0, xs, ys, (pλ . {BATCH}, s : ℕ ⇒ return 0.5)]",
        PURE,
        "D0205",
    ),
    "batches in another notion": (
        f"pλ . {TEN} ⇒ let f = pλ . {BATCH}, s : ℝ ⇒ return 0.5 in ZCDP[0.1] {{ pfld-rows[5, 0.0, xs, ys, f] }}",
        APPROX,
        "D0410",
    ),
    "a call without an argument": (
        "pλ . x : ℝ ⇒ let f = pλ . y : ℝ, z : ℝ ⇒ laplace[auto, 1.0] <y> { y } in f@[ . x]",
        PURE,
        "D0412",
    ),
    "entries of two types": (
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ b : 𝐝 𝕊 ∷ []] ⇒ mmapp xs { x ⇒ return 0.0 }",
        PURE,
        "D0207",
    ),
    "an answer that is random only": ("pλ . x : 𝕀[2] ⇒ rand-resp[2, 0.0] <x> { x }", PURE, "D0501"),
    "a box of a sample": (
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ []] ⇒ sample[5] xs { part ⇒ return (box part) }",
        PURE,
        "D0103",
    ),
    "a box of a report": (
        "pλ . xs : 𝕄 [L∞, U | 50, a : 𝔻 ∷ []] ⇒ shuffle[50] xs { r ⇒ return (box r) }",
        APPROX,
        "D0103",
    ),
    "a box of a part": (
        f"pλ . {ROWS}, ks : ℘ (𝔻) ⇒ parallel[xs, ks] {{ r ⇒ r.a }} {{ k, part ⇒ return (box part) }}",
        PURE,
        "D0103",
    ),
    "columns of real numbers": (
        "pλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅ℝ] ⇒ pmap-col xs { c ⇒ laplace[auto, 1.0] <c> "
        "{ mfold-row 0.0, c { a, r ⇒ a + r#[0, 0] } } }",
        PURE,
        "D0414",
    ),
    "a function of which one parameter costs more": (
        f"{USE} (pλ . x : ℝ, y : ℝ ⇒ a ← laplace[auto, 1.0] <x> {{ x }} ; laplace[auto, 2.0] <y> {{ y }})",
        PURE,
        "D0201",
    ),
    "a function of fewer parameters": (f"{USE} (pλ . x : ℝ ⇒ laplace[auto, 1.0] <x> {{ x }})", PURE, "D0201"),
    "a function of which one parameter is another": (
        f"{USE} (pλ . x : ℝ, y : 𝔻 ⇒ laplace[auto, 1.0] <x> {{ x }})",
        PURE,
        "D0201",
    ),
    "reports of other rows": (
        "pλ . xs : 𝕄 [L∞, U | 50, a : 𝔻 ∷ []], ys : 𝕄 [L∞, U | 60, a : 𝔻 ∷ []] ⇒ "
        "shuffle[50] xs, ys { r, q ⇒ laplace[auto, 1.0] <r> { clip[0.0, 1.0] r.a } }",
        APPROX,
        "D0208",
    ),
    "queries in two rows": (queries("y", rows=2), PURE, "D0422"),
    "queries into discrete numbers": (queries("disc y"), PURE, "D0422"),
    "a threshold that is no number": (queries("y", threshold="true"), PURE, "D0201"),
    "queries that stretch what stretches": (queries("y / 2.0").replace("{ x }", "{ 3.0 ⋅ x }"), PURE, "D0312"),
    "a promise at the order 1": ("pλ . x : ℝ ⇒ given[1.0, 1.0] <x> { x }", RENYI, "D0501"),
    "a descent without noise": (
        f"pλ . {LABELLED} ⇒ {MODEL}noisy-descent[10, 5, 0.0] <xs, ys> {{ {STEP} }}",
        GDP,
        "D0501",
    ),
    "a descent over nothing": (
        f"pλ . {LABELLED} ⇒ {MODEL}noisy-descent[10, 0, 1.0] <xs, ys> {{ {STEP} }}",
        GDP,
        "D0501",
    ),
    "a descent over other rows": (
        f"pλ . {LABELLED.replace('U | 10', 'U | 20')} ⇒ {MODEL}noisy-descent[10, 5, 1.0] <xs, ys> {{ {STEP} }}",
        GDP,
        "D0208",
    ),
    "a descent at an order of another notion": (
        f"pλ . {LABELLED} ⇒ {MODEL}noisy-descent[10, 5, 1.0, 2.0] <xs, ys> {{ {STEP} }}",
        GDP,
        "D0216",
    ),
}


@pytest.mark.parametrize("program", REFUSED_PROGRAMS.values(), ids=REFUSED_PROGRAMS)
def test_a_privacy_function_is_refused(program: tuple[str, Notion, str]) -> None:
    text, notion, code = program
    assert code in errors(text, notion)


FIXED = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻]"
ROW_GRADIENTS = "sλ m : ℕ . θ : 𝕄 [L2, U | 1, 1⋅ℝ], xs : 𝕄 [L∞, L2 | m, 1⋅𝔻]"
ENDS = "sλ a : ℝ⁺, b : ℝ⁺ . x : 𝔻, y : 𝔻, z : 𝔻, p : ℝ⁺[a], q : ℝ⁺[b]"
PRODUCTS = "sλ y : ℝ ⇒ let f = clip[0.0, 1.0] y in let x = f in"
TOTAL = "mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] r#[0, 0] }"
POWERS = "xs : 𝕄 [L∞, U | 3, 1⋅ℝ], w : ℝ⁺[k]"

CLAIMED = {
    "views that also depend on another input": (
        f"{FIXED}, c : ℝ ⇒ zip[mmap-row xs {{ r ⇒ clip[0.0, 1.0] r#[0, 0] + c }}, xs]",
        ("1", "m"),
    ),
    "a second view that does": (
        f"{FIXED}, c : ℝ ⇒ zip[xs, mmap-row xs {{ r ⇒ clip[0.0, 1.0] r#[0, 0] + c }}]",
        ("1", "m"),
    ),
    "a view made of two": (f"{FIXED} ⇒ zip[mmap xs, xs {{ x, y ⇒ {CLIPPED} }}, xs]", ("2",)),
    "no view: the second table may hold other rows": (
        f"{FIXED} ⇒ {SAME}zip[mmap xs, same xs {{ x, y ⇒ {CLIPPED} }}, xs]",
        ("3",),
    ),
    "no view: the second table is another input": (
        f"{FIXED}, ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ zip[mmap xs, ys {{ x, y ⇒ {CLIPPED} }}, xs]",
        ("2", "1"),
    ),
    "gradients of the rows are a view": (f"{ROW_GRADIENTS} ⇒ zip[row∇[LR | θ ; xs, xs], xs]", ("∞", "1")),
    "gradients of rows and of others are none": (
        f"{ROW_GRADIENTS} ⇒ {SAME.replace('U | m', 'L2 | m')}zip[row∇[LR | θ ; xs, same xs], xs]",
        ("∞", "(2 ⊓ m) + 1"),
    ),
    "gradients at a model of the rows are none": (
        "sλ m : ℕ . xs : 𝕄 [L∞, L2 | m, 1⋅𝔻] ⇒ zip[row∇[LR | ∇[LR | mcreate[L2 | ℕ[1], ℕ[1]] { i, j ⇒ 0.0 } ; "
        "mclip[L2] xs, xs] ; xs, xs], xs]",
        ("m + 1",),
    ),
    "a product with what all rows decide is no view": (
        f"{FIXED} ⇒ let t = mcreate[L∞ | ℕ[1], ℕ[1]] {{ i, j ⇒ disc ({TOTAL}) }} in zip[xs × t, xs]",
        ("m + 1",),
    ),
    "a product with known numbers is one": (
        f"{FIXED} ⇒ let t = mcreate[L∞ | ℕ[1], ℕ[1]] {{ i, j ⇒ disc 2.0 }} in zip[xs × t, xs]",
        ("1",),
    ),
    "rows that all rows decide are no view": (
        f"{FIXED} ⇒ let total = {TOTAL} in zip[mmap-row xs {{ r ⇒ clip[0.0, 1.0] r#[0, 0] + total }}, xs]",
        ("m + 2",),
    ),
    "entries that all rows decide are none": (
        f"{FIXED} ⇒ let total = {TOTAL} in zip[mmap xs {{ x ⇒ clip[0.0, 1.0] x + total }}, xs]",
        ("m + 2",),
    ),
    "a filter of real rows": (
        "sλ m : ℕ . xs : 𝕄 [L1, U | m, 1⋅ℝ], y : ℝ ⇒ mfilter xs { r ⇒ r#[0, 0] ≤ y }",
        ("∞", "∞"),
    ),
    "a range up to a number that a run knows to some digits": ("sλ x : 𝔻 ⇒ clip[1.0, √ 2.0] x", ("√2",)),
    "a range from such a number": ("sλ x : 𝔻 ⇒ clip[√ 2.0, 5.0] x", ("5",)),
    "a range between two of them": ("sλ x : 𝔻 ⇒ clip[√ 2.0, √ 3.0] x", ("√3",)),
    "the lower end of a sum that may cancel": (
        "sλ x : 𝔻, y : 𝔻, z : 𝔻 ⇒ (clip[-(√ 200.0), 1.0] x + clip[1.0, 2.0] y) ⋅ clip[0.0, 1.0] z",
        ("10⋅√2 + 1", "1", "10⋅√2"),
    ),
    "the end of the larger of two numbers": (
        f"{ENDS} ⇒ (clip[0.0, p] x ⊔ clip[0.0, q] y) ⋅ clip[0.0, 1.0] z",
        ("a", "b", "a ⊔ b", "0", "0"),
    ),
    "the end of the smaller of two": (
        f"{ENDS} ⇒ (clip[-p, 0.0] x ⊓ clip[-q, 0.0] y) ⋅ clip[0.0, 1.0] z",
        ("a", "b", "a ⊔ b", "0", "0"),
    ),
    "the ends of one of two numbers": (
        f"{ENDS}, c : 𝔹 ⇒ (if c then clip[-p, p] x else clip[-q, q] y) ⋅ clip[0.0, 1.0] z",
        ("2⋅a", "2⋅b", "a ⊔ b", "0", "0", "2⋅a ⊔ 2⋅b"),
    ),
    "a product of sixteen numbers at most": (f"{PRODUCTS} (x + f ⋅ f ⋅ f ⋅ f) ⋅ f ⋅ f ⋅ f ⋅ f", ("13",)),
    "a sum is as long as its longest part": (
        f"{PRODUCTS} (x + f ⋅ f ⋅ f ⋅ f ⋅ f ⋅ f ⋅ f ⋅ f ⋅ f) ⋅ f ⋅ f ⋅ f ⋅ f ⋅ f ⋅ f ⋅ f ⋅ f",
        ("∞",),
    ),
    "a loop that never runs": ("sλ x : ℝ, y : ℝ ⇒ loop ℕ[0] on x { i, s ⇒ y }", ("1", "0")),
    "a loop that runs": ("sλ x : ℝ, y : ℝ ⇒ loop ℕ[1] on x { i, s ⇒ y }", ("0", "1")),
    "a quotient by what is private": (
        "sλ x : 𝔻, y : 𝔻 ⇒ clip[0.0, 100.0] (clip[0.0, 1.0] x / clip[0.5, 2.0] y)",
        ("100", "100"),
    ),
    "a fold whose factor may be below 1 or above it": (
        f"sλ k : ℝ⁺ . {POWERS} ⇒ mfold-row 0.0, xs {{ a, r ⇒ w ⋅ a + r#[0, 0] }}",
        ("3⋅k + 3⋅k⋅k + k⋅k⋅k + 1", "0"),
    ),
    "a fold whose factor is above 1": (
        f"sλ k : ℝ⁺ . {POWERS} ⇒ mfold-row 0.0, xs {{ a, r ⇒ (1.0 + w) ⋅ a + r#[0, 0] }}",
        ("2⋅k + k⋅k + 1", "0"),
    ),
    "a negative number in place of a missing one": (
        "sλ x : (𝔻 in [0, 10])? ⇒ clip[-100.0, 100.0] (x or-else (-5.0))",
        ("15",),
    ),
    "rows that are left of a product with private numbers": (
        "sλ . xs : 𝕄 [L∞, U | 10, 2⋅𝔻], y : 𝕄 [L∞, U | 2, 1⋅𝔻] ⇒ "
        "rows (mfilter (mfilter xs { r ⇒ r#[0, 0] ≤ 3.0 } × y) { r ⇒ r#[0, 0] ≤ 3.0 })",
        ("1", "∞"),
    ),
}


@pytest.mark.parametrize("program", CLAIMED.values(), ids=CLAIMED)
def test_a_sensitivity_is_claimed(program: tuple[str, tuple[str, ...]]) -> None:
    text, claimed = program
    assert sensitivities(text) == claimed


def test_what_may_still_be_missing_is_said_to_be() -> None:
    assert result("sλ x : (𝔻 in [0, 10])?, y : (𝔻 in [5, 20])? ⇒ x or-else y") == "𝔻? in [0, 20]"
    assert result("sλ x : (𝔻 in [0, 1])?, y : (𝔻 in [5, 6])?, b : 𝔹 ⇒ if b then x else y") == "𝔻? in [0, 6]"


def test_one_of_two_pairs_is_a_pair() -> None:
    assert result("sλ x : ℝ, b : 𝔹 ⇒ if b then ⟨1.0, x⟩ else ⟨x, 2.0⟩") == "ℝ × ℝ"


def test_rows_of_one_of_two_lengths_have_none() -> None:
    clipped = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻], b : 𝔹 ⇒ if b then mclip[L1, 3.0] xs else mclip[L2, 1.0] xs"
    assert result(clipped) == "𝕄 [L∞, U | m, 2⋅𝔻]"


@pytest.mark.parametrize(("second", "epsilon"), [("xs", 1), ("same xs", 3)])
def test_a_table_of_other_rows_between_views_parts_them(second: str, epsilon: int) -> None:
    function = f"pλ . ⟨x : {SHORT}, y : {SHORT}, z : {SHORT}⟩ ⇒ {SPENDS}"
    text = f"pλ . xs : {SHORT} ⇒ {SAME.replace('m,', '10,')}let f = {function} in f@[ . xs, {second}, xs]"
    (cost,) = costs(text, PURE)
    assert priced(cost, PURE) == {"epsilon": epsilon}


def test_samples_of_other_rows_are_charged_apart() -> None:
    total = "mfold-row 0.0, {} {{ s, r ⇒ s + clip[0.0, 1.0] r#[0, 0] }}"
    body = f"laplace[2, 1] <a, b> {{ {total.format('a')} + {total.format('b')} }}"
    spent = []
    for other in ("xs", "same xs"):
        text = f"pλ . xs : 𝕄 [L∞, U | 100, 1⋅𝔻] ⇒ {SAME.replace('m,', '100,')}sample[5] xs, {other} {{ a, b ⇒ {body} }}"
        (cost,) = costs(text, APPROX)
        spent.append(priced(cost, APPROX)["epsilon"])
    together, apart = spent
    assert apart > 2 * together


def test_a_key_of_a_table_of_any_width_is_one_of_its_columns() -> None:
    joined = "sλ n : ℕ . xs : 𝕄 [L∞, U | ★, n⋅𝔻], ys : 𝕄 [L∞, U | ★, n⋅𝔻] ⇒ rows (join₁[xs, 2, ys, 4])"
    assert requirements(joined) == ("5 ≤ n",)


def test_the_mean_of_gradients_counts_labels_of_other_rows_apart() -> None:
    aligned = "⟨xs : 𝕄 [L∞, L2 | m, 2⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻]⟩, θ : 𝕄 [L2, U | 1, 2⋅ℝ]"
    for labels, moved in (("ys", "2/m"), ("same ys", "2 ⊓ 3/m")):
        text = f"pλ m : ℕ . {aligned} ⇒ {SAME}mgauss[auto, 1.0] <xs, ys> {{ ∇[LR | θ ; xs, {labels}] }}"
        assert [each.inferred.show() for each in judged(text, ZCDP).releases] == [moved]


@pytest.mark.parametrize(
    "text",
    [
        # A name that a branch binds is the outer one again after it.
        "pλ . x : ℝ, c : ℕ ⇒ y ← if c ≤ 3 then { x ← laplace[auto, 1.0] <x> { x } ; return x } else { return 0.0 } ; "
        "return x + y",
        "pλ . x : ℝ, c : ℕ ⇒ y ← if c ≤ 3 then { let x = 1.0 in return x } else { return 0.0 } ; return x + y",
        # A loop protects what it lists.
        "pλ . x : ℝ, y : ℝ ⇒ loop ℕ[3] on 0.0 <y> { i, s ⇒ laplace[auto, 1.0] <x> { x } }",
        # What is measured entry by entry has no row in between that a move could be made over.
        "pλ . xs : 𝕄 [L∞, U | 5, 1⋅𝔻] ⇒ let f = pλ . t : 𝕄 [L1, U | 5, 2⋅𝔻] ⇒ laplace[auto, 1.0] <t> "
        "{ clip[0.0, 1.0] t#[0, 0] } in f@[ . mcreate[L1 | ℕ[5], ℕ[2]] { i, j ⇒ xs#[0, 0] }]",
        # A number may change all entries.
        "pλ m : ℕ . x : ℝ, xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ mmapp (mmap xs { e ⇒ disc (conv e + x) }) "
        "{ e ⇒ laplace[auto, 1.0] <e> { clip[0.0, 1.0] e } }",
    ],
)
def test_the_first_input_is_in_the_clear(text: str) -> None:
    assert in_the_clear(text, PURE)


SPENT = (
    "pfld-rows[5, 0.0, xs, {}, (pλ . {}, s : ℝ ⇒ x ← laplace[1.0, 1.0] <a> {{ clip[0.0, 1.0] a#[0, 0] }} ; "
    "y ← laplace[1.0, 2.0] <b> {{ clip[0.0, 1.0] b#[0, 0] }} ; return x + y)]"
)


@pytest.mark.parametrize(
    ("labels", "parameters", "epsilon"),
    [
        ("xs", f"⟨{BATCH}⟩", 3),  # one batch sees the row
        ("xs", BATCH, 3),
        ("same xs", f"⟨{BATCH}⟩", 6),  # two batches may, one in each table, and spend all of 3
        ("same xs", BATCH, 3),
    ],
)
def test_batches_of_other_rows_are_charged_apart(labels: str, parameters: str, epsilon: int) -> None:
    text = f"pλ . xs : 𝕄 [L∞, U | 10, 1⋅𝔻] ⇒ {SAME.replace('m,', '10,')}{SPENT.format(labels, parameters)}"
    (cost,) = costs(text, PURE)
    assert priced(cost, PURE) == {"epsilon": epsilon}


def test_a_descent_over_other_rows_adds_up_features_and_labels() -> None:
    """Of rows that belong together, one moves a step by what a row can; of others, two rows move two steps."""
    spent = []
    for labels, aligned in (("ys", f"⟨{LABELLED}⟩"), ("same ys", f"⟨{LABELLED}⟩"), ("ys", LABELLED)):
        step = STEP.replace("ys]", f"{labels}]")
        text = f"pλ . {aligned} ⇒ {MODEL}{SAME.replace('m,', '10,')}noisy-descent[10, 5, 1.0] <xs, ys> {{ {step} }}"
        spent.append([priced(cost, GDP)["mu"] for cost in costs(text, GDP)])
    (row, _), (both, _), (features, only_labels) = spent
    assert row == features
    assert both == pytest.approx(features + only_labels)
    assert only_labels == pytest.approx(features / 2)


def test_queries_of_rows_that_count_may_go_both_ways() -> None:
    """Only those that go one way cost less, and adding a row may lower a sum of numbers of either sign."""
    asked = "(sλ t : 𝕄 [L∞, U | ★, a : 𝔻 ∷ []] ⇒ mfold-row 0.0, t { s, r ⇒ s + clip[-1.0, 1.0] r.a })"
    text = f"pλ . {ROWS} ⇒ AboveThreshold[1.0, mcreate[L∞ | ℕ[1], ℕ[3]] {{ i, j ⇒ {asked} }}, 0.0] <xs> {{ xs }}"
    (cost,) = costs(text, PURE)
    assert priced(cost, PURE) == {"epsilon": 1}
