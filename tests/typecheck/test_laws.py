"""What must not change a judgement: names, lets, code that nothing uses; and what must never make it kinder."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

import duetpy
from duetpy.grammar import ast
from duetpy.grammar.pretty import show_expression
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.show import show_type
from tests.soundness.catalogue import everything
from tests.soundness.generate import random_program
from tests.soundness.shapes import SPAN
from tests.typecheck.judging import judged, judged_tree, sensitivities
from tests.typecheck.rewriting import every, with_names_of_its_own, written_out

SEEDS = range(150)
LONGEST = 4000


def told(typed: Typed) -> tuple[Any, ...]:
    """The sensitivities and the result's type, or the codes of the errors."""
    if not typed.ok or typed.type is None:
        return tuple(sorted({diagnostic.code for diagnostic in typed.diagnostics}))
    found: list[Any] = []
    here = typed.type
    while isinstance(here, t.Fun):
        found.append(here.sensitivity.show())
        here = here.codomain
    return (*found, show_type(here))


def judged_body(file: ast.File, body: Any) -> tuple[Any, ...]:
    return told(judged_tree(evolve(file, body=body)))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.sparse(6)
def test_names_and_lets_do_not_matter(seed: int) -> None:
    file = random_program(seed)
    assert file.body is not None
    typed = judged_tree(file)
    before = told(typed)
    unique = with_names_of_its_own(file.body)
    assert judged_body(file, unique) == before, show_expression(file.body)
    out = written_out(unique, {})
    # What a name that is never used would have been refused for is not written out at all.
    if typed.ok and len(every(out)) < LONGEST:
        assert judged_body(file, out) == before, show_expression(file.body)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.sparse(6)
def test_code_that_nothing_uses_does_not_matter(seed: int) -> None:
    file = random_program(seed)
    assert isinstance(file.body, ast.Lam)
    first = file.body.params[0].name.text
    used = ast.Prim(SPAN, "box", (ast.Var(SPAN, first),))
    dead = ast.Let(SPAN, ast.Name(SPAN, "never-used"), used, file.body.body)
    assert judged_body(file, evolve(file.body, body=dead)) == told(judged_tree(file))


@pytest.mark.parametrize("case", list(everything()), ids=lambda case: case.text)
@pytest.mark.sparse(8)
def test_a_function_that_is_named_is_judged_as_when_it_is_written(case: Any) -> None:
    assert sensitivities(f"let main = {case.text} in main") == case.claims
    assert sensitivities(f"def main = {case.text}") == case.claims


def test_a_pair_that_is_written_is_known_part_by_part_also_under_a_name() -> None:
    apart = "sλ . x : ℝ, y : ℝ ⇒ let ⟨a, b⟩ = ⟨x, y⟩ in a + 2.0 ⋅ b"
    named = "sλ . x : ℝ, y : ℝ ⇒ let p = ⟨x, y⟩ in let ⟨a, b⟩ = p in a + 2.0 ⋅ b"
    passed = "sλ . x : ℝ, y : ℝ ⇒ let ⟨a, b⟩ = (sλ . p : ℝ × ℝ ⇒ p) ⟨x, y⟩ in a + 2.0 ⋅ b"
    assert sensitivities(apart) == sensitivities(named) == ("1", "2")
    assert sensitivities(passed) == ("2", "2")


WEAKER = [
    ("sλ . x : {} ⇒ clip[0.0, 5.0] x", "ℝ", "𝔻"),
    ("sλ m : ℕ . xs : 𝕄 [{}, U | m, 2⋅ℝ] ⇒ mfold-row 0.0, xs {{ a, r ⇒ a + r#[0, 0] }}", "L1", "L∞"),
    ("sλ m : ℕ . xs : 𝕄 [L∞, {} | m, 2⋅𝔻] ⇒ mconv xs", "L2≤1", "L2≤5"),
    ("sλ . f : ℝ ⊸[{}] ℝ, x : ℝ ⇒ f x", "1", "3"),
    ("sλ . x : ℝ ⇒ loop ℕ[{}] on x {{ i, a ⇒ a + a }}", "2", "3"),
]


@pytest.mark.parametrize(("text", "stronger", "weaker"), WEAKER)
def test_weaker_knowledge_never_lowers_a_sensitivity(text: str, stronger: str, weaker: str) -> None:
    found = []
    for known in (stronger, weaker):
        type_ = judged(text.format(known)).type
        sizes: list[Any] = []
        while isinstance(type_, t.Fun):
            sizes.append(type_.sensitivity)
            type_ = type_.codomain
        found.append(sizes)
    assert all(less.leq(more) for less, more in zip(*found, strict=True))


def test_given_trusts_what_it_lists_and_not_the_part_that_is_written() -> None:
    for whole, part in (("⟨x, y⟩", "fst r"), ("{ a = x, b = y }", "r.a")):
        text = f"pλ . x : ℝ, y : ℝ ⇒ let r = {whole} in given[1.0] <r> {{ {part} }}"
        costs = duetpy.parse(text, notion="zcdp").check().parameters
        assert [costs[name].cost for name in "xy"] == [{"rho": "1"}, {"rho": "1"}]
