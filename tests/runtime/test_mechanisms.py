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


MATRIX = "mcreate[{norm} | ℕ[1], ℕ[2]] {{ i, j ⇒ 0.0 }}"
LAWS = [
    ("eps", "laplace[3.0, ε] <x> {{ 3.0 ⋅ x }}", "laplace", "L1", 3 / Fraction("0.1")),
    ("eps", "mlaplace[3.0, ε] <x> {{ {matrix} }}", "laplace", "L1", 3 / Fraction("0.1")),
    ("zcdp", "gauss[3.0, ε] <x> {{ 3.0 ⋅ x }}", "gaussian", "L2", Fraction(9, 2) / Fraction("0.1")),
    ("zcdp", "mgauss[3.0, ε] <x> {{ {matrix} }}", "gaussian", "L2", Fraction(9, 2) / Fraction("0.1")),
]


@pytest.mark.parametrize(("notion", "body", "law", "norm", "wanted"), LAWS)
def test_noise_is_drawn_by_the_law_and_at_the_scale_of_its_price(
    notion: str, body: str, law: str, norm: str, wanted: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scale of Laplace noise and the variance of Gaussian noise, no smaller than for the decimals that were asked for."""
    seen: list[tuple[str, Fraction]] = []
    inner = mechanisms.samplers.noisy

    def noted(law: str, steps: Any, shape: Any, scale: Fraction, *rest: Any) -> Any:
        seen.append((law, scale))
        return inner(law, steps, shape, scale, *rest)

    monkeypatch.setattr(mechanisms.samplers, "noisy", noted)
    text = "pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ " + body.format(matrix=MATRIX.format(norm=norm))
    duetpy.parse(text, notion=notion).check().run(x=0.0, ε=0.1, _insecure_noise=1)
    ((drawn, scale),) = seen
    assert drawn == law
    assert wanted <= (scale if law == "laplace" else scale**2) < wanted * (1 + Fraction(1, 10**8))


OF_A_NUMBER = "pλ . x : ℝ ⇒ let f = pλ e : ℝ⁺ . y : ℝ ⇒ laplace[1.0, ℝ⁺[e]] <y> { y } in "
OF_A_SIZE = """pλ . x : 𝕄 [L1, U | 1, 1⋅ℝ], y : 𝕄 [L1, U | 1, 100⋅ℝ] ⇒
  let f = pλ n : ℕ . t : 𝕄 [L1, U | 1, n⋅ℝ] ⇒ mlaplace[1.0, 1.0] <t> { t } in """


@pytest.mark.parametrize(
    ("text", "first", "second", "given"),
    [
        (OF_A_NUMBER, "f@[2 . x]", "f@[1 . x]", {"x": 0.0}),
        (OF_A_SIZE, "f@[1 . x]", "f@[100 . y]", {"x": [[0.0]], "y": [[0.0] * 100]}),
    ],
)
def test_a_mechanism_is_calibrated_anew_for_every_number_and_size(
    text: str, first: str, second: str, given: dict[str, Any]
) -> None:
    """A second call has the noise that it would have alone, which is more than that of the first."""

    def scales(body: str) -> list[Any]:
        release = duetpy.parse(text + body, notion="eps").check().run(**given, _insecure_noise=1)
        return [entry["scale"] for entry in release.releases]

    assert scales(f"a ← {first} ; {second}") == [*scales(first), *scales(second)]
    assert scales(first) < scales(second)


def test_what_is_released_is_made_of_doubles_next_to_texts_too() -> None:
    third = of_fractions([Fraction(1, 3)], (1,))
    found = mechanisms.released(matrix_of_columns([texts_of(["a"]), third], 1, None))
    assert isinstance(found, MatrixValue)
    assert lane(found.column(1), 0) == Fraction(1 / 3)
