"""Additive noise: what its scale covers."""

from fractions import Fraction
from typing import Any

import pytest

import duetpy
from duetpy.runtime.exact.rationals import of_fractions
from duetpy.runtime.release import mechanisms
from duetpy.runtime.values.batching import lane
from duetpy.runtime.values.values import MatrixValue, matrix_of_columns, texts_of

COUNT = 10_000


@pytest.mark.parametrize("name", ["laplace", "gauss"])
def test_the_scale_covers_what_rounding_every_number_moves(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbours come a step further apart in each number: COUNT steps in L1, and their root in L2."""
    seen: list[Any] = []
    inner = mechanisms._drawn

    def noted(steps: Any, drawn: Any, *rest: Any) -> Any:
        seen.append(drawn)
        return inner(steps, drawn, *rest)

    monkeypatch.setattr(mechanisms, "_drawn", noted)
    parameter, notion, norm = ("ε", "eps", "L1") if name == "laplace" else ("ρ", "zcdp", "L2")
    text = f"""pλ {parameter} : ℝ⁺ . x : ℝ, {parameter} : ℝ⁺[{parameter}] ⇒
      m{name}[1.0, {parameter}] <x> {{ mcreate[{norm} | ℕ[1], ℕ[{COUNT}]] {{ i, j ⇒ 0.0 }} }}"""
    duetpy.parse(text, notion=notion).check().run(x=0.0, **{parameter: 0.5}, _insecure_noise=1)
    (drawn,) = seen
    step = Fraction(2) ** drawn.exponent
    # ε = s/b, and ρ = s²/2σ², both 1/2 here.
    covered = drawn.scale / 2 if name == "laplace" else drawn.scale
    assert 1 + (COUNT if name == "laplace" else 100) * step <= covered < 1 + Fraction(1, 10**3)


def test_what_is_released_is_made_of_doubles_next_to_texts_too() -> None:
    third = of_fractions([Fraction(1, 3)], (1,))
    found = mechanisms.released(matrix_of_columns([texts_of(["a"]), third], 1, None))
    assert isinstance(found, MatrixValue)
    assert lane(found.column(1), 0) == Fraction(1 / 3)
