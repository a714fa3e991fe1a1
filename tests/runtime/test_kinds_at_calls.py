"""What a call puts in for kind variables is, in a run, what it was in the proof: by place, whatever the variables are called,
and never a guess from a value that could have several types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release.run import run
from tests.runtime.runs import typed

ROWS = "𝕄 [L2, L2≤{} | 2, 1⋅ℝ]"
SCALED = f"sλ {{0}} : ℝ⁺ . t : {ROWS.format('{0}')} ⇒ ℝ⁺[1/{{0}}] ⋅ (t#[0, 0])"
USE = f"sλ g : (∀ b : ℝ⁺ . {ROWS.format('b')} ⊸[1/b] ℝ), t : {ROWS.format('4')} ⇒ g t"

OF_A_TABLE = {
    "under the same name": f"let use = {USE} in use ({SCALED.format('b')}) xs",
    "under another name": f"let use = {USE} in use ({SCALED.format('c')}) xs",
    "under the name of another": (
        f"let use = sλ g : (∀ n : ℕ, b : ℝ⁺ . {ROWS.replace('2, 1', 'n, 1').format('b')} ⊸[1/b] ℝ), "
        f"t : {ROWS.format('4')} ⇒ g t in "
        f"use (sλ b : ℕ, n : ℝ⁺ . t : {ROWS.replace('2, 1', 'b, 1').format('n')} ⇒ ℝ⁺[1/n] ⋅ (t#[0, 0])) xs"
    ),
    "of a function chosen": (
        f"let use = sλ t : {ROWS.format('4')} ⇒ (if 1 < 2 then {SCALED.format('b')} else {SCALED.format('c')}) t in use xs"
    ),
}


@pytest.mark.parametrize("body", OF_A_TABLE.values(), ids=OF_A_TABLE)
def test_a_bound_is_that_of_the_type(body: str) -> None:
    """A table whose rows are bounded by 1 stands where rows are bounded by 4, and 4 is what the function was given."""
    text = f"sλ xs : {ROWS.format('1')} ⇒ {body}"
    assert duetpy.parse(text).state().parameters[0].sensitivity == "0.25"
    assert duetpy.evaluate(text, xs=[[1.0], [0.0]]) == 0.25
    assert duetpy.evaluate(text, xs=[[0.0], [0.0]]) == 0.0


OPEN = {
    "before a function of other kinds": (
        "sλ x : ℝ ⇒ let f = sλ u : ℝ⁺ . y : ℝ ⇒ sλ b : ℝ⁺ . z : ℝ ⇒ ℝ⁺[b] ⋅ z in (f 1.0)@[9, 1] x"
    ),
    "before a privacy function": (
        "pλ xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ "
        "let f = sλ u : ℝ⁺ . y : ℝ ⇒ pλ e : ℝ⁺ . z : ℝ ⇒ laplace[1.0, ℝ⁺[e]] <z> { z } in "
        "(f 1.0)@[9000, 1 . real (rows xs)]"
    ),
    "of a function that calls one with it": (
        "sλ x : ℝ ⇒ let g = sλ b : ℝ⁺ . z : ℝ, y : ℝ ⇒ ℝ⁺[b] ⋅ y in "
        "let h = sλ u : ℝ⁺ . q : ℝ ⇒ g@[u] 1.0 in (h 2.0)@[3] x"
    ),
    "of the program": "let f = sλ u : ℝ⁺ . y : ℝ ⇒ sλ b : ℝ⁺ . z : ℝ ⇒ ℝ⁺[b] ⋅ z in f 1.0",
}


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN)
def test_what_a_call_leaves_open_is_asked_for_there(text: str) -> None:
    """The body of the function is computed with it: a run could only guess."""
    with pytest.raises(DuetError, match=r"D0210\]: cannot infer u from the arguments"):
        duetpy.parse(text, notion="eps").check()


def test_one_name_for_two_sizes() -> None:
    """Which of two variables of one name a call means follows from the function that declares it; one list has a name once."""
    text = "sλ x : ℝ ⇒ ((sλ n : ℝ⁺ . z : ℝ ⇒ sλ n : ℝ⁺ . a : ℝ⁺[n], y : ℝ ⇒ a ⋅ y)@[7] x)@[3] 3.0 x"
    assert duetpy.evaluate(text, x=1.0) == 3.0
    with pytest.raises(DuetError) as refused:
        duetpy.evaluate("sλ x : ℝ ⇒ (sλ n : ℝ⁺, n : ℝ⁺ . a : ℝ⁺[n], y : ℝ ⇒ a ⋅ y)@[7, 3] 3.0 x", x=1.0)
    assert [each.code for each in refused.value.diagnostics] == ["D0109"]
    partial = "sλ x : ℝ ⇒ let f = sλ k : ℝ⁺, n : ℝ⁺ . a : ℝ⁺[n], y : ℝ ⇒ ℝ⁺[k + n] ⋅ y in (f 3.0)@[5] x"
    assert duetpy.parse(partial).state().parameters[0].sensitivity == "8"
    assert duetpy.evaluate(partial, x=1.0) == 8.0


def test_the_queries_of_above_threshold_are_told_as_well() -> None:
    text = (
        "pλ xs : 𝕄 [L2, L2≤1 | 1, 1⋅ℝ] ⇒ AboveThreshold[1000, mcreate[L1 | ℕ[1], ℕ[2]] { i, j ⇒ "
        "sλ c : ℝ⁺ . t : 𝕄 [L2, L2≤c | 1, 1⋅ℝ] ⇒ ℝ⁺[1/c] ⋅ (t#[0, 0]) }, 0.5] <xs> { xs }"
    )
    assert duetpy.parse(text, notion="eps").check().run(xs=[[1.0]]).result == 0


@pytest.mark.parametrize(
    "text",
    [
        "sλ b : ℝ⁺ . x : 𝔻 ⇒ x + disc ℝ⁺[exp(b)]",
        "sλ b : ℕ . x : 𝔻 ⇒ (mcreate[L∞ | ℕ[b], ℕ[1]] { i, j ⇒ x })#[3, 0]",
    ],
)
def test_a_kind_that_a_condition_is_about_and_nobody_gives_is_asked_for(text: str) -> None:
    with pytest.raises(DuetError) as raised:
        duetpy.evaluate(text, x=1.0)
    (found,) = raised.value.diagnostics
    assert (found.code, found.message) == ("D0705", "missing value for b in this run")
    assert duetpy.evaluate(text, x=1.0, b=4) > 0


TWICE = """pλ xs : 𝕄 [L∞, U | ★, a : 𝔻 else 0 ∷ b : 𝔻 else 0 ∷ []] ⇒
  let f = sλ b : ℝ⁺ . t : 𝕄 [L∞, U | ★, a : 𝔻 ∷ b : 𝔻 ∷ []], b : ℝ⁺[b] ⇒ BODY in
  u ← laplace[auto, 1.0] <xs> { f xs FIRST } ; laplace[auto, 1.0] <xs> { f xs 1.0 }"""
SUMS = {
    "mclip": "mfold-row 0.0, (mconv (mclip[L2, b] t)) { s, r ⇒ s + r#[0, 0] }",
    "mclip in L1": "mfold-row 0.0, (mconv (mclip[L1, b] t)) { s, r ⇒ s + r#[0, 0] }",
    "mclip in L∞": "mfold-row 0.0, (mconv (mclip[L∞, b] t)) { s, r ⇒ s + r#[0, 0] }",
    "mclip of columns": "mfold-row 0.0, (mconv (mclip[L2, b] t.[b])) { s, r ⇒ s + r#[0, 0] }",
    "mclip of a map": "mfold-row 0.0, (mconv (mclip[L2, b] (mmap t { x ⇒ x / disc b }))) { s, r ⇒ s + r#[0, 0] }",
    "mmap-row": "mfold-row 0.0, (mmap-row t { r ⇒ clip[0, b] r.a }) { s, r ⇒ s + r#[0, 0] }",
    "clip": "mfold-row 0.0, t { s, r ⇒ s + clip[0, b] r.a }",
    "mfilter": "real (rows (mfilter t { r ⇒ r.a < disc b }))",
    "⊔": "mfold-row 0.0, t { s, r ⇒ s ⊔ clip[0, b] r.a }",
}


@pytest.mark.parametrize("body", SUMS.values(), ids=SUMS)
@pytest.mark.parametrize("streams", [False, True])
def test_a_call_computes_nothing_with_the_numbers_of_the_one_before(body: str, streams: bool, tmp_path: Path) -> None:
    (tmp_path / "xs.csv").write_text("a,b\n5,7\n0.25,-9\n40,3\n", encoding="utf-8")

    def found(first: str) -> Any:
        program = typed(TWICE.replace("BODY", body).replace("FIRST", first), "eps")
        return run(program, {"xs": tmp_path / "xs.csv"}, {}, insecure_noise="none", stream=streams).result

    assert found("100.0") == found("1.0")
