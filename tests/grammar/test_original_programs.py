"""Programs as the original language spells them: each is accepted, and means what it means there.

Where a sound bound differs from the original's, the sound one stands here.
"""

import re
from pathlib import Path

import pytest

from duetpy import load, parse
from duetpy.typecheck.notions import Notion

ONE, HALF, TINY = "ℝ⁺[1.0]", "ℝ⁺[0.5]", "ℝ⁺[0.00001]"
TABLES = "xs : 𝕄 [L∞, U | 10, 2⋅𝔻], ys : 𝕄 [L∞, U | 10, 1⋅𝔻]"
ROW = "x : 𝕄 [L2, U | 1, 2⋅ℝ]"
ZEROS = "mcreate[L∞ | ℕ[1], ℕ[2]] {i,j ⇒ 0.0}"

SENSITIVITIES = [
    # Names, numbers, comments
    ("sλ . m₀ : ℝ, x² : ℝ, y′ : ℝ, z' : ℝ, x-y : ℝ ⇒ m₀ + x² + y′ + z' + x-y", "1 1 1 1 1"),
    ("let rowsum = sλ . x : ℝ ⇒ x in let loops = rowsum in sλ . countx : ℝ ⇒ loops countx", "1"),
    ("sλ . x : ℝ ⇒ x + real (3-1) + 1e3 + 1.5e-3", "1"),
    ("sλ . f : ℝ ⊸[2] ℝ ⇒ f (-1.0)", "1"),
    ("{- a {- b -} c -} sλ . x : ℝ ⇒ x -- end", "1"),
    ("sλ . f : ℝ ⊸[2] ℝ, x : ℝ ⇒ f {- to -} x", "1 2"),
    ("sλ . f : ℝ ⊸[2] ℝ, x : ℝ ⇒ f\n  x", "1 2"),
    # Operators: / binds more tightly than ⋅, that than +, then ⊓, ⊔, and ≡; ≟ builds a subtraction
    ("sλ . x : ℝ ⇒ 2.0 ⋅ x / 4.0", "0.5"),
    ("sλ a : ℝ⁺, b : ℝ⁺ . a : ℝ⁺[a], b : ℝ⁺[b], x : ℝ ⇒ (√ a ⊔ a + b ⋅ a / b) ⋅ x", "0 0 2⋅a⊔√a"),
    ("sλ . x : 𝔹, y : 𝔹 ⇒ x ≡ y", "1 1"),
    ("sλ . x : ℝ, y : ℝ ⇒ x - y ≟ y", "1 2"),
    ("sλ . f : ℝ ⊸[2] (ℝ ⊸[3] ℝ), x : ℝ, y : ℝ ⇒ f x y", "1 2 3"),
    ("sλ . f : (ℝ × ℝ) ⊸[1] ℝ, p : ℝ × ℝ ⇒ f p", "1 1"),
    ("sλ . f : ∀ . ℝ ⊸[2.0] ℝ, x : ℝ ⇒ real (rows (mcreate[L2 | ℕ[1], ℕ[1]] {i, j ⇒ f x}))", "0 0"),
    ("sλ . f : 𝕄 [L∞, U | 4, 2⋅ℝ] ⊸[3] 𝕄 [L∞, U | 4, 2⋅ℝ], x : 𝕄 [L∞, U | 4, 2⋅ℝ] ⇒ f x#[idx ℕ[0], idx ℕ[1]]", "1 3"),
    # Kinds, static numbers, type application: kinds are put in for all at once
    ("sλ τ : ☆K . x : τ ⇒ x", "1"),
    ("sλ ε : ℝ⁺, δ : ℝ⁺ . ε : ℝ⁺[ε], δ : ℝ⁺[δ] ⇒ ε ⋅ δ", "0 0"),
    ("sλ . x : ℝ⁺[2.0] ⇒ x", "0"),
    ("let f = sλ . x : ℝ ⇒ x in sλ . y : ℝ ⇒ f@[] y", "1"),
    (
        "let f = sλ a : ℕ, b : ℕ . x : 𝕄 [L∞, U | a, b⋅ℝ] ⇒ x in sλ a : ℕ, b : ℕ . y : 𝕄 [L∞, U | b, a⋅ℝ] ⇒ f@[b, a] y",
        "1",
    ),
    ("sλ . n : ℕ[3] ⇒ dyn real n", "0"),
    ("sλ . x : ℕ ⇒ x % ℕ[3]", "3"),
    # Boxes, pairs, sets, booleans, loops
    ("sλ . x : ℝ ⇒ let f = sλ . b : box[x@2.0] ℝ ⇒ unbox b in f (box (x + x))", "2"),
    ("sλ . x : ℝ, b : box[] ℝ ⇒ unbox b + x", "1 1"),
    ("sλ . p : ℝ × ℝ ⇒ let ⟨a, b⟩ = p in a + b", "1"),
    ("sλ . x : 𝐝 ℕ, s : ℘(℘(𝐝 ℕ)) ⇒ ⟨x ∈ ℘{disc ℕ[1], disc ℕ[2]}, x ∈ unionAll s⟩", "2 1"),
    ("sλ . a : 𝔹, b : 𝔹 ⇒ (let c = a in c) ∨ b", "1 1"),
    ("sλ . x : ℝ, y : ℝ ⇒ loop ℕ[3] on x { i, a ⇒ a + y }", "1 3"),
    # Matrices
    ("sλ . x : ℝ ⇒ mcreate[L1 | ℕ[2], ℕ[3]] { i, j ⇒ x }", "6"),
    ("sλ . xs : 𝕄 [L∞, U | 4, 2⋅ℝ] ⇒ xs#[idx ℕ[0], idx ℕ[1] ↦ 3.0]", "1"),
    ("sλ m : ℕ . xs : 𝕄 [L2, U | m, 2⋅ℝ], ys : 𝕄 [L2, U | m, 2⋅ℝ] ⇒ mmap xs, ys { x, y ⇒ x - 2.0 ⋅ y }", "1 2"),
    ("sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ mmap-row xs { r ⇒ mclip[L2] r }", "1"),
    ("sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ mfold-row 0.0, xs { a, r ⇒ a + clip (r#[idx ℕ[0], idx ℕ[0]]) }", "2"),
    ("sλ . xs : 𝕄 [L∞, U | ★, 𝔻 ∷ 𝕊 ∷ []] ⇒ rows (mfilter xs { r ⇒ r#[ℕ[0], ℕ[0]] ≡ r#[ℕ[0], ℕ[0]] })", "1"),
    ("sλ . xs : 𝕄 [L∞, U | 4, 2⋅𝔻] ⇒ ⟨chunks[ℕ[2], xs], zip[xs, xs]⟩", "2"),
    ("sλ . xs : 𝕄 [L∞, U | ★, 𝔻 ∷ 𝔻 ∷ []], ys : 𝕄 [L∞, U | ★, 𝔻 ∷ []] ⇒ join₁[xs, ℕ[0], ys, ℕ[0]]", "1 ∞"),
    (
        "sλ m : ℕ, n : ℕ . θ : 𝕄 [L2, U | 1, n⋅ℝ], xs : 𝕄 [L∞, L2 | m, n⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ ∇[LR | θ ; xs, ys]",
        "∞ 2/m 1/m",
    ),
    # Tables under other names
    ("sλ . r : record[age : ℕ, name : 𝕊] ⇒ r⧼age⧽", "1"),
    ("sλ . d : bag 𝔻 ⇒ bmap d { x ⇒ x }", "1"),
    ("sλ . d : 𝔻𝔽[age : ℕ, name : 𝕊], ks : ℘(𝕊) ⇒ partitionDF[d, name, ks]", "2 ∞"),
    ("sλ . d : 𝔻𝔽[age : ℕ, name : 𝕊], e : 𝔻𝔽[name : 𝕊, x : ℕ] ⇒ joinDF₁⧼name⧽[d, e]", "1 ∞"),
    ("let main = sλ . x : ℝ ⇒ x in main", "1"),
]


@pytest.mark.parametrize(("text", "sensitivities"), SENSITIVITIES)
def test_a_sensitivity_program(text: str, sensitivities: str) -> None:
    parameters = parse(text).state().parameters
    found = [(parameter.sensitivity or "").replace(" ", "") for parameter in parameters]
    assert found == sensitivities.split()


NOISE = f"laplace[{ONE}, {HALF}] <x> {{ x }}"
GAUSS = f"gauss[{ONE}, {HALF}, {TINY}] <x> {{ x }}"

COSTS = [
    # Binds, choices and calls
    ("eps", "pλ . x : ℝ ⇒ y ← z ← return 1.0; return z; return y", "0"),
    ("eps", "pλ . x : ℝ ⇒ y←laplace[ℝ⁺[1.0],ℝ⁺[0.5]]<x>{x};return y", "0.5"),
    ("eps", f"pλ . x : ℝ, b : 𝔹 ⇒ if b then {{ return 1.0 }} else {{ {NOISE} }}", "0.5 | ∞"),
    ("eps", f"let f = pλ n : ℕ . x : ℝ, k : ℝ ⇒ {NOISE} in pλ . y : ℝ ⇒ f@[1 . y, 2.0]", "0.5"),
    ("eps", f"let f = pλ n : ℕ . x : ℝ, k : ℕ[n] ⇒ {NOISE} in pλ . y : ℝ ⇒ f@[1.y, ℕ[1]]", "0.5"),
    ("eps", f"let f = pλ . x : ℝ ⇒ {NOISE} in pλ . y : ℝ ⇒ f@[.y]", "0.5"),
    ("eps", "pλ . x : ℝ ⇒ rand-nat[1, 6]", "0"),
    # A mechanism in each notion, with the parameters of that notion
    ("ed", f"pλ . x : ℝ ⇒ {GAUSS}", "0.5,1e-5"),
    ("ed", f"pλ . {ROW} ⇒ mgauss[{ONE}, {HALF}, {TINY}] <x> {{ x }}", "0.5,1e-5"),
    ("zcdp", f"pλ . {ROW} ⇒ mgauss[{ONE}, {HALF}] <x> {{ x }}", "0.5"),
    ("renyi", f"pλ . {ROW} ⇒ mgauss[{ONE}, ℝ⁺[5.0], {HALF}] <x> {{ x }}", "5,0.5"),
    ("tcdp", f"pλ . {ROW} ⇒ mgauss[{ONE}, {HALF}, ℕ[30]] <x> {{ x }}", "0.5,30"),
    ("zcdp", f"pλ . x : ℝ ⇒ gauss[{ONE}, {HALF}] <x> {{ x }}", "0.5"),
    ("renyi", f"pλ . x : ℝ ⇒ gauss[{ONE}, ℝ⁺[2.0], {HALF}] <x> {{ x }}", "2,0.5"),
    ("ed", "pλ . x : 𝕀[3] ⇒ rand-resp[ℕ[3], ℝ⁺[1.0]] <x> { x }", "1,0"),
    (
        "eps",
        f"pλ n : ℕ . qs : 𝕄 [L1, U | 1, n⋅(ℝ ⊸[1.0] ℝ)], x : ℝ ⇒ AboveThreshold[{HALF}, qs, 1.0] <x> {{ x }}",
        "∞ | 0.5",
    ),
    (
        "ed",
        f"pλ . x : ℝ ⇒ exponential[{ONE}, {HALF}] mcreate[L∞ | ℕ[1], ℕ[3]] {{ i, j ⇒ 1.0 }} <x> {{ c ⇒ x + c }}",
        "0.5,0",
    ),
    # A loop in each notion
    ("eps", f"pλ . x : ℝ ⇒ loop ℕ[3] on 0.0 <x> {{ i, a ⇒ {NOISE} }}", "1.5"),
    ("ed", f"pλ . x : ℝ ⇒ loop ℕ[3] on 0.0 <x> {{ i, a ⇒ {GAUSS} }}", "1.5,3e-5"),
    ("ed", f"pλ . x : ℝ ⇒ aloop[{TINY}] ℕ[3] on 0.0 <x> {{ i, a ⇒ {GAUSS} }}", "1.5,4e-5"),
    ("zcdp", f"pλ . {ROW} ⇒ loop ℕ[3] on {ZEROS} <x> {{ i, a ⇒ mgauss[{ONE}, {HALF}] <x> {{ x }} }}", "1.5"),
    (
        "renyi",
        f"pλ . {ROW} ⇒ loop ℕ[3] on {ZEROS} <x> {{ i, a ⇒ mgauss[{ONE}, ℝ⁺[5.0], {HALF}] <x> {{ x }} }}",
        "5,1.5",
    ),
    ("tcdp", f"pλ . {ROW} ⇒ loop ℕ[3] on {ZEROS} <x> {{ i, a ⇒ mgauss[{ONE}, {HALF}, ℕ[30]] <x> {{ x }} }}", "1.5,30"),
    # Tables: parts, entries, columns, batches, samples
    ("eps", f"pλ . xs : 𝕄 [L∞, U | 3, 2⋅ℝ] ⇒ mmapp xs {{ x ⇒ {NOISE} }}", "3"),
    (
        "ed",
        "pλ . xs : 𝕄 [L∞, U | ★, 𝔻 ∷ 𝐝 𝕊 ∷ []], ks : ℘(𝐝 𝕊) ⇒ parallel[xs, ks] { r ⇒ r#[ℕ[0], ℕ[1]] } "
        f"{{ k, p ⇒ gauss[{ONE}, {HALF}, {TINY}] <p> {{ real (rows p) }} }}",
        "0.5,1e-5 | ∞,∞",
    ),
    (
        "ed",
        f"pλ . {TABLES} ⇒ sample[ℕ[5]] xs, ys {{ x, y ⇒ "
        f"mgauss[ℝ⁺[2.0], {HALF}, {TINY}] <x, y> {{ mconv (mclip[L2] x) }} }}",
        "log1p(expm1(0.5)/2),5e-6 | 0,0",
    ),
    # Conversions
    (
        "ed",
        f"pλ . {ROW} ⇒ ZCDP[{TINY}] {{ mgauss[{ONE}, {HALF}] <x> {{ x }} }}",
        "min[α] (0.5⋅α + ㏒(1 - 1/α) - ㏒(1e-5⋅α)/(α - 1)),1e-5",
    ),
    (
        "ed",
        f"pλ . {ROW} ⇒ RENYI[{TINY}] {{ mgauss[{ONE}, ℝ⁺[5.0], {HALF}] <x> {{ x }} }}",
        "0.5 + ㏒(1 - 1/5) - ㏒(1e-5⋅5)/(5 - 1),1e-5",
    ),
    ("zcdp", f"pλ . x : ℝ ⇒ EPSDP {{ {NOISE} }}", "tanh(0.25)/2"),
]


@pytest.mark.parametrize(("notion", "text", "costs"), COSTS)
def test_a_privacy_program(notion: str, text: str, costs: str) -> None:
    state = parse(text, notion=notion).state()
    assert state.ok, state.diagnostics
    found = " | ".join(",".join((parameter.cost or {}).values()) for parameter in state.parameters)
    assert found == costs


SOFT = """
auto def case max min log sqrt inf Nat Real Disc Matrix Set grad eps opaque floor ceil exp gibbs shuffle poisson ensures and or
renorm slam plam forall inl inr fst snd import notion given disc_t in_set eq
"""


@pytest.mark.parametrize("word", re.findall(r"\w+", SOFT))
def test_a_word_that_the_original_does_not_reserve_is_a_name(word: str) -> None:
    (parameter,) = parse(f"sλ . {word} : ℝ ⇒ {word} + {word}").state().parameters
    assert (parameter.name, parameter.sensitivity) == (word, "2")
    (parameter,) = parse(f"let {word} = sλ . x : ℝ ⇒ x + x in sλ . y : ℝ ⇒ {word} y").state().parameters
    assert parameter.sensitivity == "2"


@pytest.mark.parametrize(
    ("name", "notion"),
    [
        ("prog.eps.duet", Notion.PURE),
        ("prog.ed.duet", Notion.APPROX),
        ("prog.renyi.duet", Notion.RENYI),
        ("prog.zcdp.duet", Notion.ZCDP),
        ("prog.tcdp.duet", Notion.TCDP),
        ("v1.2/prog.ed.duet", Notion.APPROX),
        ("prog.v2.zcdp.duet", Notion.ZCDP),
    ],
)
def test_the_name_of_a_file_says_its_notion(tmp_path: Path, name: str, notion: Notion) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("sλ . x : ℝ ⇒ x\n", encoding="utf-8")
    assert load(path).state().notion is notion
