"""What no noise, no sample and no promise protects is in the clear, wherever a form uses it."""

from __future__ import annotations

import pytest

from duetpy.typecheck.cost import is_unbounded
from tests.typecheck.judging import costs, errors

ROWS = "xs : 𝕄 [L∞, U | ★, 1⋅𝔻]"
PLACES_IN_THE_CLEAR = {
    "what is returned": "pλ . y : 𝔻 ⇒ return y",
    "what decides a branch": "pλ . x : ℝ, y : 𝔻 ⇒ if y < 1.0 then { laplace[1.0, 1.0] <x> { x } } else { return 1.0 }",
    "what starts a loop": "pλ . x : ℝ, y : ℝ ⇒ loop ℕ[2] on y <x> { i, s ⇒ laplace[1.0, 1.0] <x> { x } }",
    "what noise does not protect": "pλ . x : ℝ, y : ℝ ⇒ laplace[1.0, 1.0] <x> { x + y }",
    "candidates": f"pλ . {ROWS}, y : ℝ ⇒ exponential[1.0, 1.0] (mcreate[L∞ | ℕ[1], ℕ[3]] {{ i, j ⇒ y }}) <xs> "
    "{ c ⇒ rows xs }",
    "scores": f"pλ . {ROWS}, y : ℕ ⇒ noisy-max[1.0, 1.0] (mcreate[L∞ | ℕ[1], ℕ[3]] {{ i, j ⇒ j }}) <xs> "
    "{ c ⇒ rows xs + y }",
    "risks": f"pλ . {ROWS}, y : ℕ ⇒ gibbs[1.0] (mcreate[L∞ | ℕ[1], ℕ[3]] {{ i, j ⇒ y }}) <xs> {{ c ⇒ rows xs }}",
    "queries": f"pλ . {ROWS}, y : ℕ ⇒ AboveThreshold[1.0, mcreate[L∞ | ℕ[1], ℕ[3]] {{ i, j ⇒ "
    "sλ t : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ real (rows t + y) }, 1.0] <xs> { xs }",
    "a threshold": f"pλ . {ROWS}, y : ℝ ⇒ AboveThreshold[1.0, mcreate[L∞ | ℕ[1], ℕ[3]] {{ i, j ⇒ "
    "sλ t : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ real (rows t) }, y] <xs> { xs }",
    "an answer": "pλ . x : 𝕀[3], y : 𝕀[3] ⇒ rand-resp[3, 1.0] <x> { if 1.0 < 2.0 then x else y }",
    "bounds": "pλ . y : ℕ ⇒ rand-nat[y, 9]",
    "the key of a row": f"pλ . {ROWS}, y : 𝔻 ⇒ keys[1, 1.0, 1e-6] xs {{ r ⇒ r#[0, 0] + y }}",
    "a key that is counted": f"pλ . {ROWS}, y : 𝔻 ⇒ key-counts[1, 1.0, 1e-6] xs {{ r ⇒ r#[0, 0] + y }}",
    "a key with Gaussian noise": f"pλ . {ROWS}, y : 𝔻 ⇒ key-gauss[1, 1.0, 1e-6] xs {{ r ⇒ r#[0, 0] + y }}",
    "the part of a row": f"pλ . {ROWS}, y : 𝔻 ⇒ parallel[xs, ℘{{disc 1.0}}] {{ r ⇒ r#[0, 0] + y }} "
    "{ k, t ⇒ laplace[1.0, 1.0] <t> { real (rows t) } }",
    "the keys of parts": f"pλ . {ROWS}, y : 𝔻 ⇒ parallel[xs, ℘{{y}}] {{ r ⇒ r#[0, 0] }} "
    "{ k, t ⇒ laplace[1.0, 1.0] <t> { real (rows t) } }",
    "reports": "pλ . xs : 𝕄 [L∞, U | 5, 1⋅𝔻], y : 𝔻 ⇒ shuffle[5] xs { r ⇒ return y }",
    "samples": "pλ . xs : 𝕄 [L∞, U | 5, 1⋅𝔻], y : 𝔻 ⇒ sample[2] xs { r ⇒ return y }",
    "what is promised of another input": "pλ . x : ℝ, y : ℝ ⇒ given[1.0, 1e-9] <x> { x + y }",
}
"""Places in which nothing protects an input; it is the last parameter."""


@pytest.mark.parametrize("place", PLACES_IN_THE_CLEAR)
def test_what_nothing_protects_is_in_the_clear(place: str) -> None:
    *_, last = costs(PLACES_IN_THE_CLEAR[place])
    assert is_unbounded(last)


@pytest.mark.parametrize("shape", ["3, 2", "2, 3"])
def test_matrices_are_mapped_together_where_they_have_as_many_rows_and_columns(shape: str) -> None:
    rows, width = shape.split(", ")
    text = "sλ . xs : 𝕄 [L1, U | 2, 2⋅ℝ], ys : 𝕄 [L1, U | {}, {}⋅ℝ] ⇒ mmap xs, ys {{ x, y ⇒ x + y }}"
    assert errors(text.format(rows, width)) == ("D0208",)
