"""What `return` hands on in a box is private still: a run that rounds it moves it by far more than the noise hides.

10³⁰ + x is a double for no x that matters: two values at distance 1 lie on two sides of where doubles are 10¹⁴ apart.
"""

from fractions import Fraction

import pytest

from duetpy.program import parse

LARGE = "1000000000000000000000000000000.0"
STEPS = (50252786115504.0, 50252786115505.0, 50252786115506.0)
"""Whole numbers that a double has no room for next to 10³⁰: the doubles there are 1.4·10¹⁴ apart."""

WAYS = {
    "return": "b ← return (box (x + LARGE)) ;",
    "return in a pair": "p ← return ⟨1, box (x + LARGE)⟩ ; let ⟨one, b⟩ = p in",
    "return in a sum": "s ← return (inl[ℝ] (box (x + LARGE))) ; let b = (case s { inl u ⇒ u ; inr v ⇒ box x }) in",
    "return in a table": "t ← return (mcreate[L∞ | ℕ[2], ℕ[1]] { i, j ⇒ box (x + LARGE) }) ; let b = t#[1, 0] in",
    "a table in a box": "t ← return (box (mcreate[L∞ | ℕ[1], ℕ[1]] { i, j ⇒ x + LARGE })) ; let b = box (unbox t)#[0, 0] in",
    "the start of a loop": "b ← loop ℕ[2] on (box (x + LARGE)) <x> { i, b ⇒ return b } ;",
    "one part of a state": "p ← loop ℕ[2] on ⟨box (x + LARGE), 1.0⟩ <x> { i, s ⇒ return ⟨fst s, 2.0⟩ } ; let ⟨b, one⟩ = p in",
    "runs on every cell": "t ← mmapp (mcreate[L∞ | ℕ[2], ℕ[1]] { i, j ⇒ 1.0 }) { y ⇒ return (box (x + LARGE)) } ; "
    "let b = t#[1, 0] in",
    "a type variable": "b ← (pλ τ : ☆K . y : τ ⇒ return y)@[ . box (x + LARGE)] ;",
    "cells of a type variable": "t ← (pλ τ : ☆K . y : τ ⇒ return (mcreate[L∞ | ℕ[1], ℕ[1]] { i, j ⇒ y }))@[ . box (x + LARGE)] ; "
    "let b = t#[0, 0] in",
}


def program(way: str) -> str:
    names = WAYS[way].replace("LARGE", LARGE)
    return f"pλ . x : ℝ ⇒ {names} laplace[1.0, 1.0] <x> {{ unbox b - {LARGE} }}"


@pytest.mark.parametrize("way", WAYS)
def test_what_is_in_a_box_is_not_rounded_on_its_way(way: str) -> None:
    checked = parse(program(way), notion="eps").check()
    assert checked.parameters["x"].cost == {"epsilon": "1"}
    assert tuple(checked.run(x=step, _insecure_noise="none").result for step in STEPS) == STEPS


def test_doubles_move_what_is_in_a_box() -> None:
    """The control: kept as the nearest double, the contents of a box at two values 2 apart come out 10¹⁴ apart."""
    below, above = (float(Fraction(10) ** 30 + x) - float(LARGE) for x in (90253369016319, 90253369016321))
    assert above - below > 1e14


def test_the_state_of_a_fold_over_batches_is_not_rounded_where_it_holds_a_box() -> None:
    text = (
        "pλ . x : ℝ, xs : 𝕄 [L∞, U | 2, 1⋅𝔻], ys : 𝕄 [L∞, U | 2, 1⋅𝔻] ⇒ "
        f"b ← pfld-rows[ℕ[1], box (x + {LARGE}), xs, ys, "
        "pλ τ : ☆K . u : 𝕄 [L∞, U | 1, 1⋅𝔻], v : 𝕄 [L∞, U | 1, 1⋅𝔻], s : τ ⇒ return s] ; "
        f"laplace[1.0, 1.0] <x> {{ unbox b - {LARGE} }}"
    )
    checked = parse(text, notion="eps").check()
    assert checked.parameters["x"].cost == {"epsilon": "1"}
    rows = [[0.0], [1.0]]
    found = tuple(checked.run(x=step, xs=rows, ys=rows, _insecure_noise="none").result for step in STEPS)
    assert found == STEPS


@pytest.mark.parametrize("value", ["1.0 / 3.0", "⟨1.0 / 3.0, 2⟩", "mcreate[L∞ | ℕ[1], ℕ[1]] { i, j ⇒ 1.0 / 3.0 }"])
def test_what_a_type_variable_hands_on_is_released_as_doubles(value: str) -> None:
    through = f"pλ . x : ℝ ⇒ (pλ τ : ☆K . y : τ ⇒ return y)@[ . {value}]"
    plain = f"pλ . x : ℝ ⇒ return ({value})"
    results = [parse(text, notion="eps").check().run(x=0.0, _insecure_noise=1).result for text in (through, plain)]
    assert results[0] == results[1]
