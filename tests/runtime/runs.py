"""Programs that the tests of runs share, and how they run them."""

from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release.release import Release
from duetpy.runtime.release.run import run
from duetpy.typecheck.check import Typed

SUM = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[ℕ[0], ℕ[0]]) } }"""

DESCENT = """pλ m : ℕ, n : ℕ, k : ℕ, ε : ℝ⁺, δ : ℝ⁺, η : ℝ⁺ .
  ⟨xs : 𝕄 [L∞, U | m, n⋅𝔻 else 0], ys : 𝕄 [L∞, U | m, 1⋅𝔻 else 0]⟩, k : ℕ[k], ε : ℝ⁺[ε], δ : ℝ⁺[δ], η : ℝ⁺[η] ⇒
  let zero = mcreate[L∞ | ℕ[1], cols xs] { i, j ⇒ 0.0 } in
  loop k on zero <xs, ys> { t, θ ⇒
    g ← mgauss[auto, ε, δ] <xs, ys> { ∇[LR | θ; mclip[L2] xs, ys] } ;
    return (mmap θ, g { x, y ⇒ x - η ⋅ y }) }"""

COUNTS = """pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, age : 𝔻 else 0 ∷ state : 𝐝 𝕊 ∷ []], ε : ℝ⁺[ε] ⇒
  parallel[xs, ℘{"NY", "VT", "ME"}] { r ⇒ r.state } { k, part ⇒
    c ← laplace[auto, ε] <part> { real (rows part) } ; return ⟨k, c⟩ }"""

X = np.linspace(-0.5, 1.5, 201).reshape(-1, 1)
CANARY = 8675309.25


def typed(text: str, notion: str | None = None) -> Typed:
    found = duetpy.parse(text, notion=notion).typed
    assert found is not None
    assert found.ok, found.diagnostics
    return found


def go(
    text: str, data: Any, notion: str | None = "eps", how: dict[str, Any] | None = None, **values: object
) -> Release:
    return run(typed(text, notion), data, values, **(how or {}))


def refused(
    text: str, data: Any, notion: str | None = "eps", how: dict[str, Any] | None = None, **values: object
) -> Any:
    found = duetpy.parse(text, notion=notion).typed
    assert found is not None
    with pytest.raises(DuetError) as caught:
        run(found, data, values, **(how or {}))
    return caught.value.diagnostics


def codes(diagnostics: Any) -> list[str]:
    return [diagnostic.code for diagnostic in diagnostics]
