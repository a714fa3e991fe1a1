"""A body that cannot be computed for all rows together is left in the middle and computed otherwise: what it had bound until then
is bound no longer, and a name means what it meant before."""

from __future__ import annotations

import pytest

import duetpy
from duetpy.runtime.release.noiseless import checked, evaluate

FUNCTION = "((mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ sλ z : 𝔻 ⇒ z })#[0, 0])"
"""A function for each row, which cannot be called for all rows together."""
TABLE = "sλ m : ℕ . t : 𝕄 [L∞, U | m, 1⋅𝔻], y : 𝕄 [L∞, U | 1, 1⋅𝔻] ⇒ "
CALL = f"{FUNCTION} (disc 0.0)"

HIDDEN = {
    "a let": f"(let r = y in {CALL})",
    "a let of a pair": f"(let ⟨q, r⟩ = (if 1 ≡ 1 then ⟨1, y⟩ else ⟨2, y⟩) in {CALL})",
    "a let of a let": f"(let q = y in let r = q in {CALL})",
    "the state of a loop": f"(loop ℕ[1] on (disc 0.0) {{ i, q ⇒ (loop ℕ[1] on y {{ i, r ⇒ let u = {CALL} in r }})#[0, 0] ⋅ q }})",
    "the row of a fold": f"(mfold-row (disc 0.0), y {{ s, r ⇒ {CALL} }})",
    "a side of a sum": f"(case (if 1 ≡ 1 then inl[ℝ] y else inr[𝕄 [L∞, U | 1, 1⋅𝔻]] 1.0) {{ inl r ⇒ {CALL} ; inr r ⇒ disc 1.0 }})",
    "a column": f"((mmap-col y {{ r ⇒ {CALL} }})#[0, 0])",
}


@pytest.mark.parametrize("body", HIDDEN.values(), ids=HIDDEN)
def test_a_name_that_was_hidden_means_the_row_again(body: str) -> None:
    program = checked(f"{TABLE}mmap-row t {{ r ⇒ {body} + r#[0, 0] }}")
    assert evaluate(program, t=[[1.0], [2.0]], y=[[9.0]]) == [[1.0], [2.0]]


def test_what_nothing_looks_at_is_not_released() -> None:
    """y costs nothing: it is named, and never used."""
    text = f"""pλ . t : 𝕄 [L∞, U | 2, 1⋅𝔻], y : 𝕄 [L∞, U | 1, 1⋅𝔻] ⇒ laplace[auto, 1.0] <t> {{
        mfold-row 0.0, (mmap-row t {{ r ⇒ {HIDDEN["a let"]} + r#[0, 0] }}) {{ a, r ⇒ a + clip[0.0, 10.0] r#[0, 0] }} }}"""
    program = duetpy.parse(text, notion="eps").check()
    released = {program.run(_insecure_noise="none", t=[[1.0], [2.0]], y=[[number]]).result for number in (5.0, 9.0)}
    assert released == {3.0}
