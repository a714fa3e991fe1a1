"""Programs that round, and multiply the error."""

from __future__ import annotations

from collections.abc import Mapping

ROW = "𝕄 [L2, U | 1, 2⋅ℝ]"
PUBLIC = "mclip[L2] (mcreate[L∞ | ℕ[2], ℕ[2]] { i, j ⇒ disc 0.5 }), mcreate[L∞ | ℕ[2], ℕ[1]] { i, j ⇒ disc 1.0 }"
STEP = f"(sλ θ : {ROW} ⇒ step∇[LR, 0.1, 0.0 | θ ; {PUBLIC}])"
CLIP = f"(sλ θ : {ROW} ⇒ renorm[L2] (mclip[L2] θ))"
SMALLER = "mclip[L2, 0.9] (mcreate[L2 | ℕ[1], ℕ[1]] { i, j ⇒ 1.0 })"
PRODUCT = f"(sλ θ : {ROW} ⇒ {SMALLER} × θ)"
FORMS = {"step": STEP, "mclip": CLIP, "product": PRODUCT}
ASKED = f"({ROW} ⊸[1] {ROW})"
"""The type of the forms, as a program writes it."""

STRETCHED: Mapping[str, str] = {
    "a number": "mgauss[auto, ℝ⁺[1.0]] <x> { UP (FORM (DOWN x)) }",
    "a sum": "mgauss[auto, ℝ⁺[1.0]] <x> { mmap x, (UP (FORM (DOWN x))) { y, z ⇒ y + z } }",
    "the other branch": "mgauss[auto, ℝ⁺[1.0]] <x> { if 1 ≡ 2 then x else UP (FORM (DOWN x)) }",
    "a row": "mgauss[auto, ℝ⁺[1.0]] <x> { mmap-row x { r ⇒ UP (FORM (DOWN r)) } }",
    "a number on the line": "gauss[auto, ℝ⁺[1.0]] <x, t> { clip[0.0, 1.0] ((UP (FORM (DOWN x)))#[0, 0] + clip[0.0, 1.0] t) }",
    "a released function": "f ← return FORM ; mgauss[auto, ℝ⁺[1.0]] <x> { UP (f (DOWN x)) }",
    "the state of a loop": "f ← loop ℕ[2] on FORM { i, g ⇒ return g } ; mgauss[auto, ℝ⁺[1.0]] <x> { UP (f (DOWN x)) }",
    "the state of a loop that multiplies": "f ← loop ℕ[2] on (sλ z : ROW ⇒ UP (FORM (DOWN z))) { i, g ⇒ return g } ; "
    "mgauss[auto, ℝ⁺[1.0]] <x> { f x }",
    "a function of the caller": "let p = sλ f : ASKED ⇒ pλ . z : ROW ⇒ mgauss[auto, ℝ⁺[1.0]] <z> { UP (f (DOWN z)) } in "
    "(p FORM)@[ . x]",
    "what a privacy function is given": "(pλ . z : ROW ⇒ mgauss[auto, ℝ⁺[1.0]] <z> { z })@[ . UP (FORM (DOWN x))]",
    "a part of a pair": "let ⟨y, z⟩ = (sλ a : ROW ⇒ ⟨UP (FORM (DOWN a)), 1⟩) x in mgauss[auto, ℝ⁺[1.0]] <y> { y }",
    "entries one by one": "mmapp (UP (FORM (DOWN x))) { y ⇒ gauss[auto, ℝ⁺[1.0]] <y> { y } }",
    "a promise": "let y = UP (FORM (DOWN x)) in given[1.0] <y> { 0.0 }",
    "a loop": "mgauss[auto, ℝ⁺[1.0]] <x> { loop ℕ[40] on x { i, y ⇒ UP (FORM (DOWN y)) } }",
}
"""FORM keeps so many places of what was scaled down by s⋅s, and the result is scaled up again."""

ASSUMED: Mapping[str, str] = {
    "an argument": "mgauss[auto, ℝ⁺[1.0]] <x> { (sλ f : ASKED ⇒ f x) (sλ y : ROW ⇒ UP (FORM (DOWN y))) }",
    "a box": "mgauss[auto, ℝ⁺[1.0]] <x> { (sλ b : box[x@1] ROW ⇒ unbox b) (box (UP (FORM (DOWN x)))) }",
}
"""The same where a type is written down, which stands for a function or a debt that multiplies its error by no more than 2^500."""

THRESHOLD = (
    "AboveThreshold[1.0, mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ sλ y : ROW ⇒ (UP (FORM (DOWN y)))#[0, 0] }, 0.0] <x> { x }"
)


def scaled(body: str, form: str, number: str) -> str:
    """The program for a form and a number s."""
    body = body.replace("FORM", form).replace("ASKED", ASKED).replace("ROW", ROW)
    up, down = (f"(sλ a : {ROW} ⇒ mmap a {{ b ⇒ {entry} }})" for entry in ("b ⋅ s ⋅ s", "b / s / s"))
    return f"pλ . x : {ROW}, t : 𝔻 ⇒ let s = ℝ⁺[{number}] in {body.replace('UP', up).replace('DOWN', down)}"
