"""One change that reaches a mechanism twice: directly, and through an input that was made of the changed one.

Each program adds Gaussian noise for sensitivity 1 to the sum of both, which moves by 2. What is charged must be at least
what that release is worth, and sequential composition of two releases is less.
"""

from __future__ import annotations

import pytest

import duetpy

PAIR = "pλ . x : ℝ, y : ℝ ⇒ let q = (sλ . p : ℝ × ℝ ⇒ p) ⟨x, y⟩ in let ⟨a, b⟩ = q in gauss[1.0, 1.0] <x, a> { x + a }"
ENTRIES = "pλ . xs : 𝕄 [L1, U | 1, 1⋅ℝ] ⇒ mmapp xs { x ⇒ gauss[1.0, 1.0] <x, xs> { x + xs#[0, 0] } }"
COLUMNS = (
    "pλ . xs : 𝕄 [L∞, U | 1, 1⋅𝔻] ⇒ pmap-col xs { ys ⇒ gauss[1.0, 1.0] <xs, ys> "
    "{ clip[0.0, 1.0] (xs#[0, 0]) + clip[0.0, 1.0] (ys#[0, 0]) } }"
)
SAMPLE = (
    "pλ . xs : 𝕄 [L∞, U | 1, 1⋅𝔻] ⇒ sample[ℕ[1]] xs { ys ⇒ gauss[1.0, 1.0, 0.1] <xs, ys> "
    "{ clip[0.0, 1.0] (xs#[0, 0]) + clip[0.0, 1.0] (ys#[0, 0]) } }"
)


@pytest.mark.parametrize(("text", "name"), [(PAIR, "x"), (ENTRIES, "xs")])
def test_zcdp_charges_the_square_of_the_whole_move(text: str, name: str) -> None:
    value = duetpy.parse(text, notion="zcdp").check().parameters[name].value
    # σ² = 1/(2ρ) with ρ = 1, and a shift of 2 is worth 2²/2σ² = 4 (Bun & Steinke 2016, Proposition 1.6).
    assert value is not None
    assert value["rho"] == pytest.approx(4.0)


def test_gdp_charges_the_whole_move() -> None:
    value = duetpy.parse(COLUMNS, notion="gdp").check().parameters["xs"].value
    # μ = shift/σ = 2 (Dong, Roth & Su 2022, Theorem 1).
    assert value is not None
    assert value["mu"] == pytest.approx(2.0)


def test_approx_charges_no_less_than_the_profile_of_the_whole_move() -> None:
    from duetpy.accounting.gaussian_profile import calibrate_mu, gaussian_delta

    value = duetpy.parse(SAMPLE, notion="approx").check().parameters["xs"].value
    assert value is not None
    epsilon, delta = value["epsilon"], value["delta"]
    assert epsilon is not None
    assert delta is not None
    assert delta >= gaussian_delta(epsilon, 2 * calibrate_mu(1.0, 0.1)) > 0.2


def test_inputs_that_are_only_seen_through_the_part_cost_what_they_did() -> None:
    text = "pλ . x : ℝ, y : ℝ ⇒ let q = (sλ . p : ℝ × ℝ ⇒ p) ⟨x, y⟩ in let ⟨a, b⟩ = q in gauss[1.0, 1.0] <a> { a }"
    assert duetpy.parse(text, notion="zcdp").check().parameters["x"].cost == {"rho": "1"}
