"""Calls: what they leave to be inferred, and what a run learns about it."""

from __future__ import annotations

import pytest

import duetpy
from duetpy.typecheck.cost import Group, is_unbounded
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from tests.typecheck.judging import costs, errors, judged, sensitivities

PURE = Notion.PURE

# ---------------------------------------------------------------------------------------------------------------------
# The kinds of a call, at run time

TOTAL = (
    "let total = pλ b : ℝ⁺, m : ℕ . xs : 𝕄 [L∞, L1≤b | m, 2⋅𝔻] ⇒ mlaplace[auto, 1.0] <xs> { "
    "mfold-row (mcreate[L1 | ℕ[1], ℕ[2]] { i, j ⇒ 0.0 }), (mconv xs) { a, r ⇒ mmap a, r { x, y ⇒ x + y } } } in "
)


def test_a_bound_of_rows_that_the_checker_inferred_is_known_to_the_run() -> None:
    # Both clips are behind a choice, so the value itself does not say which bound its type has.
    text = (
        TOTAL + "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ "
        "total@[ . (if 0 ≡ 0 then mclip[L1, 2.0] xs else mclip[L1, 3.0] xs)]"
    )
    release = duetpy.parse(text, notion="eps").check().run(xs=[[3.0, 4.0]], _insecure_noise="none")
    # A replaced row of length at most 3 moves the sum by 6.
    assert release.releases[0]["sensitivity"] == 6.0


def test_the_bound_of_the_call_is_the_one_that_was_checked() -> None:
    text = TOTAL + "pλ c : ℝ⁺, m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻], c : ℝ⁺[c] ⇒ total@[ . mclip[L1, c] xs]"
    release = duetpy.parse(text, notion="eps").check().run(xs=[[3.0, 4.0]], c=5, _insecure_noise="none")
    assert release.releases[0]["sensitivity"] == 10.0


def test_sensitivity_functions_are_told_as_well() -> None:
    text = (
        "let scale = sλ b : ℝ⁺, m : ℕ . xs : 𝕄 [L∞, L2≤b | m, 2⋅𝔻] ⇒ mmap (mconv xs) { x ⇒ ℝ⁺[b] ⋅ x } in "
        "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ scale (if 0 ≡ 0 then mclip[L2, 2.0] xs else mclip[L2, 5.0] xs)"
    )
    assert duetpy.evaluate(text, xs=[[0.6, 0.8]]) == [[3.0, 4.0]]


def test_functions_of_several_arguments_learn_their_kinds_one_by_one() -> None:
    text = (
        "let both = sλ a : ℝ⁺, b : ℝ⁺ . x : ℝ⁺[a], y : ℝ⁺[b] ⇒ ℝ⁺[a] + 10.0 ⋅ ℝ⁺[b] in "
        "let half = both 2.0 in sλ z : ℝ ⇒ z + half 3.0 + half 4.0"
    )
    assert duetpy.evaluate(text, z=0.0) == 32.0 + 42.0


# ---------------------------------------------------------------------------------------------------------------------
# A privacy function is called with a point


def test_a_forgotten_point_is_told_of() -> None:
    text = "let f = pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <x> { x } in pλ ε : ℝ⁺ . y : ℝ, ε : ℝ⁺[ε] ⇒ f@[y, ε]"
    (diagnostic,) = [d for d in judged(text, PURE).diagnostics if d.is_error]
    assert diagnostic.code == "D0012"
    assert "f@[ . y, ε]" in diagnostic.message
    assert not errors(text.replace("f@[y, ε]", "f@[ . y, ε]"), PURE)


# ---------------------------------------------------------------------------------------------------------------------
# Types of parameters that the use determines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sλ y : ℝ ⇒ (sλ x ⇒ x + x) y", ("2",)),
        ("sλ y : 𝔻 ⇒ (sλ x ⇒ clip[0.0, 3.0] x) y", ("3",)),
        ("sλ y : ℝ, z : ℝ ⇒ (sλ u, v : ℝ ⇒ 2.0 ⋅ u + v) y z", ("2", "1")),
        ("sλ y : ℝ ⇒ (sλ x ⇒ x ⋅ y) 3.0", ("3",)),
        ("sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ (sλ t ⇒ mconv (mclip[L2] t)) xs", ("2",)),
        ("sλ y : ℝ ⇒ (sλ f ⇒ f y) (sλ z : ℝ ⇒ 5.0 ⋅ z)", ("5",)),
    ],
)
def test_a_function_that_is_applied_where_it_stands_takes_what_it_is_given(
    text: str, expected: tuple[str, ...]
) -> None:
    assert sensitivities(text) == expected


def test_a_privacy_function_that_is_called_where_it_stands_as_well() -> None:
    text = "pλ . y : ℝ ⇒ (pλ x, e ⇒ laplace[1.0, e] <x> { x })@[ . y, 0.5]"
    assert duetpy.parse(text, notion="eps").check().parameters["y"].cost == {"epsilon": "0.5"}
    assert duetpy.parse(text, notion="eps").check().run(y=2.0, _insecure_noise="none").result == 2.0


@pytest.mark.parametrize(
    "text",
    [
        "pλ . y : ℝ ⇒ (pλ x ⇒ return x)@[ . y]",
        "pλ . y : ℝ ⇒ (pλ x ⇒ return unbox x)@[ . box y]",
        "pλ . y : ℝ ⇒ (pλ f ⇒ return f 0.0)@[ . sλ z : ℝ ⇒ z + y]",
        "pλ . y : ℝ ⇒ return (sλ x ⇒ unbox x) (box y)",
        "pλ . y : ℝ ⇒ (pλ y ⇒ return y)@[ . y + 1.0]",
    ],
)
def test_a_type_that_is_left_out_launders_nothing(text: str) -> None:
    typed = judged(text, PURE)
    assert not typed.ok or is_unbounded(costs(text, PURE)[0])


def test_a_function_that_is_not_applied_needs_its_types() -> None:
    assert errors("sλ x ⇒ x") == errors("pλ . x ⇒ return x") != ()
    assert errors("sλ y : ℝ ⇒ (sλ u, v ⇒ u + v) y") != ()


# ---------------------------------------------------------------------------------------------------------------------
# Privacy functions as arguments

TWICE = (
    "let twice = sλ f : (∀ . ℝ@{0} ⊸⋆ ℝ) ⇒ pλ . x : ℝ ⇒ a ← f@[ . x] ; b ← f@[ . x] ; return a + b in "
    "pλ . y : ℝ ⇒ (twice (pλ . z : ℝ ⇒ {1}))@[ . y]"
)


@pytest.mark.parametrize(
    ("stated", "body", "notion", "total"),
    [
        ("1", "laplace[1.0, 1.0] <z> { z }", PURE, {"epsilon": "2"}),
        ("3", "u ← laplace[1.0, 1.0] <z> { z } ; laplace[1.0, 2.0] <z> { z }", PURE, {"epsilon": "6"}),
        ("3", "loop ℕ[3] on 0.0 <z> { i, t ⇒ laplace[1.0, 1.0] <z> { z } }", PURE, {"epsilon": "6"}),
        ("2", "if 0 ≡ 1 then laplace[1.0, 1.0] <z> { z } else laplace[1.0, 2.0] <z> { z }", PURE, {"epsilon": "4"}),
        ("⟨1, 0.1⟩", "gauss[1.0, 1.0, 0.1] <z> { z }", Notion.APPROX, {"epsilon": "2", "delta": "0.2"}),
        ("⟨1, 0.1⟩", "laplace[1.0, 1.0] <z> { z }", Notion.APPROX, {"epsilon": "2", "delta": "0.2"}),
        ("1", "gauss[1.0, 0.5] <z> { z }", Notion.ZCDP, {"rho": "2"}),
    ],
)
def test_a_privacy_function_is_an_argument_that_costs_what_its_type_says(
    stated: str, body: str, notion: Notion, total: dict[str, str]
) -> None:
    checked = duetpy.parse(TWICE.format(stated, body), notion=notion.value).check()
    assert checked.parameters["y"].cost == total
    checked.run(y=1.0)


@pytest.mark.parametrize(
    ("stated", "body", "notion"),
    [
        ("1", "laplace[1.0, 1.5] <z> { z }", PURE),
        ("1", "return z", PURE),
        ("1", "u ← laplace[1.0, 1.0] <z> { z } ; laplace[1.0, 0.1] <z> { z }", PURE),
        ("2", "loop ℕ[3] on 0.0 <z> { i, t ⇒ laplace[1.0, 1.0] <z> { z } }", PURE),
        ("⟨1, 0.1⟩", "gauss[1.0, 1.0, 0.2] <z> { z }", Notion.APPROX),
        ("1", "gauss[1.0, 1.5] <z> { z }", Notion.ZCDP),
        # ε = 1 is ρ = tanh(1/2) < 1/2 at best, which a comparison of parameters does not know.
        ("0.1", "laplace[1.0, 1.0] <z> { z }", Notion.ZCDP),
        # Rao distances are not compared in types.
        ("1", "gauss[1.0, 1.0] <z> { z }", Notion.RAO),
    ],
)
def test_one_that_costs_more_is_refused(stated: str, body: str, notion: Notion) -> None:
    assert "D0201" in errors(TWICE.format(stated, body), notion)


def test_what_an_argument_captured_is_in_the_clear() -> None:
    text = (
        "let run = sλ f : (∀ . ℝ@1 ⊸⋆ ℝ) ⇒ pλ . x : ℝ ⇒ f@[ . x] in "
        "pλ . w : ℝ, y : ℝ ⇒ (run (pλ . z : ℝ ⇒ laplace[1.0, 1.0] <z> { z + w }))@[ . y]"
    )
    typed = judged(text, PURE)
    assert not typed.ok or is_unbounded(costs(text, PURE)[0])


def test_views_of_two_inputs_move_by_the_rows_of_both() -> None:
    """Row 1 of ys is in row 0 of the first argument and in row 1 of the second: two rows of the aligned pair are others."""
    table = "𝕄 [L∞, U | 3, 1⋅𝔻]"
    called = f"""let f = pλ . ⟨a : {table}, b : {table}⟩ ⇒ laplace[auto, 1.0] <a, b> {{
      (mfold-row 0.0, a {{ s, r ⇒ s + clip[0.0, 1.0] (r#[0, 0]) }}) }} in
      pλ . xs : {table}, ys : {table} ⇒ f@[ . {{}}, ys]"""
    text = called.replace("{}", "xs#[0, 0 ↦ ys#[1, 0]]")
    step, moved = costs(text, Notion.PURE)
    assert moved == Group(Quantity.of(2), step, alike=True)
    assert costs(called.replace("{}", "xs"), Notion.PURE) == (step, step)
