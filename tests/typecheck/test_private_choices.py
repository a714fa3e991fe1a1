"""``case`` and ``rand-nat`` in privacy expressions: what decides is in the clear, and nothing hides behind a sum."""

from __future__ import annotations

import pytest

from duetpy.typecheck import types as t
from duetpy.typecheck.cost import Atom, Choice, Zero, is_unbounded
from duetpy.typecheck.notions import Notion
from tests.typecheck.judging import accepted, costs, errors, in_the_clear, requirements

PURE = Notion.PURE


def test_the_branches_of_a_case_are_joined() -> None:
    first, second = costs(
        "pλ . b : 𝔹, x : ℝ ⇒ case (if b then inl[ℕ] 1.0 else inr[ℝ] 2) "
        "{ inl u ⇒ laplace[1.0, 1.0] <x> { x + u } ; inr n ⇒ laplace[1.0, 2.0] <x> { x + real n } }",
        PURE,
    )
    assert is_unbounded(first)
    assert isinstance(second, Choice)
    assert {str(branch.params[0].show()) for branch in second.branches if isinstance(branch, Atom)} == {"1", "2"}


def test_a_branch_that_spends_nothing_is_no_discount() -> None:
    (cost,) = costs(
        "pλ . x : ℝ ⇒ a ← laplace[1.0, 1.0] <x> { x } ; case (if a < 0.0 then inl[ℝ] 1.0 else inr[ℝ] 1.0) "
        "{ inl u ⇒ laplace[1.0, 4.0] <x> { x } ; inr v ⇒ return 0.0 }",
        PURE,
    )
    assert "4" in str(cost)


@pytest.mark.parametrize(
    "text",
    [
        # The sum holds the input, and a branch returns what it holds.
        "pλ . x : ℝ ⇒ case inl[ℝ] x { inl u ⇒ return u ; inr v ⇒ return v }",
        # Only which side it is depends on the input.
        "pλ . x : ℝ ⇒ case (if x < 0.0 then inl[ℝ] 1.0 else inr[ℝ] 1.0) { inl u ⇒ return 0 ; inr v ⇒ return 1 }",
        # The name is shadowed by the branch.
        "pλ . x : ℝ ⇒ case inl[ℝ] x { inl x ⇒ return x ; inr y ⇒ return y }",
        # The branch names a let that is the input.
        "pλ . x : ℝ ⇒ let y = x in case inl[ℝ] 1.0 { inl u ⇒ return y ; inr v ⇒ return v }",
        # A box in the sum is opened in the branch.
        "pλ . x : ℝ ⇒ case inl[ℝ] (box x) { inl b ⇒ return unbox b ; inr v ⇒ return v }",
        # A function in the sum captured the input.
        "pλ . x : ℝ ⇒ case inl[ℝ] (sλ . z : ℝ ⇒ z + x) { inl f ⇒ return f 0.0 ; inr v ⇒ return v }",
        # A privacy function in the sum captured the input.
        "pλ . x : ℝ ⇒ case inl[ℝ] (pλ . z : ℝ ⇒ return x) { inl f ⇒ f@[ . 0.0] ; inr v ⇒ return v }",
        # The noise of a branch comes too late: the choice was in the clear.
        "pλ . x : ℝ ⇒ case inl[ℝ] x { inl u ⇒ laplace[1.0, 1.0] <x> { u + x } ; inr v ⇒ return v }",
        "pλ . x : ℝ ⇒ case inl[ℝ] x { inl u ⇒ laplace[1.0, 1.0] <u> { u } ; inr v ⇒ return v }",
        "pλ . n : ℕ ⇒ rand-nat[0, n]",
        "pλ . n : ℕ ⇒ rand-nat[n, 5]",
        "pλ . n : ℕ ⇒ let k = n in rand-nat[k, k]",
        "pλ . n : ℕ ⇒ let k = box n in rand-nat[0, unbox k]",
        "pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ rand-nat[0, rows xs]",
    ],
)
def test_nothing_is_laundered(text: str) -> None:
    assert in_the_clear(text, PURE)


def test_a_box_of_a_branch_that_opens_it_under_noise_is_paid_once() -> None:
    (cost,) = costs(
        "pλ . x : ℝ ⇒ case inl[ℝ] (box x) { inl b ⇒ laplace[auto, 1.0] { unbox b } ; inr v ⇒ return v }", PURE
    )
    assert isinstance(cost, Atom)


def test_a_number_of_nobodys_costs_nothing() -> None:
    type_ = accepted("pλ . x : ℝ ⇒ rand-nat[1, 6]", PURE)
    assert isinstance(type_, t.PFun)
    assert type_.codomain == t.NAT
    assert isinstance(type_.parameters[0].cost, Zero)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("pλ . x : ℝ ⇒ case 1.0 { inl u ⇒ return u ; inr v ⇒ return v }", "D0201"),
        ("pλ . x : ℝ ⇒ case inl[𝕊] 1.0 { inl u ⇒ return u ; inr v ⇒ return v }", "D0204"),
        ("pλ . x : ℝ ⇒ rand-nat[1.5, 2]", "D0201"),
        ("pλ . x : ℝ ⇒ rand-nat[3, 2]", "D0501"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, code: str) -> None:
    assert code in errors(text, PURE)


def test_symbolic_bounds_are_required_to_be_in_order() -> None:
    text = "pλ a : ℕ, b : ℕ . x : ℝ, a : ℕ[a], b : ℕ[b] ⇒ rand-nat[a, b]"
    assert requirements(text, PURE) == ("a ≤ b",)
