"""Folds that run row after row: what of their body is computed for a block at once is what it is in its row."""

from __future__ import annotations

import random

import pytest

from duetpy.runtime.evaluation.loop_invariants import Hoisting
from duetpy.runtime.release.noiseless import checked, evaluate
from duetpy.typecheck import core
from tests.effort import often

LEAVES = ["a", "r.x", "r.y", "(disc 0.5)", "(disc (0.0 - 3.0))"]
FORMS = [
    *("({D} + {D})", "({D} - {D})", "({D} ⋅ {D})", "({D} ⊔ {D})", "(fst ⟨{D}, {D}⟩)", "(abs {D})"),
    *("(if {D} < {D} then {D} else {D})", "(loop ℕ[2] on {D} { i, w ⇒ w + {D} })", "((sλ q : 𝔻 ⇒ q + {D}) {D})"),
    *6 * ["(let NAME = {D} in {D})"],
    "(let ⟨NAME, OTHER⟩ = ⟨{D}, {D}⟩ in {D})",
]
TABLE = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, x : 𝔻 ∷ y : 𝔻 ∷ []] ⇒ "
ROWS = [{"x": 1.5, "y": -2.0}, {"x": 0.25, "y": 7.0}, {"x": -1.0, "y": 0.0}]


def grown(depth: int, dice: random.Random, bound: tuple[str, ...] = ()) -> str:
    """An expression of the state, the row and the names of the lets around it."""
    if not depth:
        return dice.choice([*LEAVES, *3 * bound])
    first, *rest = dice.choice(FORMS).split("{D}")
    own = tuple(f"{kind}{len(bound)}" for kind in "uv")
    inner = bound
    found = first
    for at, part in enumerate(rest):
        if "NAME" in first and at == len(rest) - 1:
            inner = (*bound, own[0], *own[1:] * ("OTHER" in first))
        found += grown(max(0, depth - dice.choice([1, 1, 1, 2, depth])), dice, inner) + part
    return found.replace("NAME", own[0]).replace("OTHER", own[1])


def as_it_is(self: Hoisting, node: core.Expression, *_: object) -> core.Expression:
    return node


def test_what_is_computed_at_once_is_what_each_row_gives() -> None:
    found: list[tuple[str, object]] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Hoisting, "without_terms", as_it_is)
        for seed in range(often(400, 80)):
            text = TABLE + f"mfold-row (disc 1.0), xs {{ a, r ⇒ {grown(5, random.Random(seed))} }}"
            if not any(each.is_error for each in checked(text).diagnostics):
                found.append((text, evaluate(text, xs=ROWS)))
    assert len(found) > often(300, 60)
    for text, value in found:
        assert evaluate(text, xs=ROWS) == value, text
