"""Equality up to spans, children and height."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from duetpy.grammar import ast
from duetpy.grammar.compare import children, field_names, fingerprint, height, same
from duetpy.grammar.pretty import show_expression
from tests.effort import often
from tests.grammar.test_parser import body, type_of
from tests.grammar.trees import Trees
from tests.test_trees import CONCRETE


@settings(max_examples=often(100, 20), derandomize=True, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2**32), st.integers(1, 40))
def test_trees_from_one_seed_are_the_same(left: int, right: int, size: int) -> None:
    assert same(Trees(Random(left), size).file(), Trees(Random(left), size).file())
    one, other = Trees(Random(left), size).sexp(), Trees(Random(right), size).sexp()
    assert same(one, other) == same(other, one)
    assert same(one, other) == (show_expression(one) == show_expression(other))
    assert same(one, other) == (fingerprint(one) == fingerprint(other))


def test_spans_do_not_matter() -> None:
    assert same(body("f x"), body("  f  (x)"))
    assert same((1, "a", None), (1, "a", None))
    assert not same((1,), (1, 2))
    assert not same(1, True)
    assert not same(body("f x"), body("f y"))


def test_a_digest_tells_apart_what_the_text_does_not() -> None:
    assert fingerprint(body("f x")) == fingerprint(body("  f  (x)"))
    span = body("x").span
    name, primitive = ast.App(span, ast.Var(span, "abs"), ast.Var(span, "x")), body("abs x")
    assert show_expression(name) == show_expression(primitive)
    assert fingerprint(name) != fingerprint(primitive)
    texts = ["x", '"x"', "1", "1.0", '"1"', "true", '"true"', "⟨x, y⟩", "⟨x & y⟩", "clip x", "clip[-1.0, 1.0] x"]
    assert len({fingerprint(body(text)) for text in texts}) == len(texts)


def test_a_digest_knows_each_class_by_a_name_of_its_own() -> None:
    names = [cls.__name__ for cls in CONCRETE if cls.__module__.startswith("duetpy.grammar.")]
    assert len(names) == len(set(names)) > 50


def test_children() -> None:
    node = body("let x = 1 in x")
    assert [type(child) for child in children(node)] == [ast.Name, ast.NatLit, ast.Var]
    assert field_names(ast.Let) == ("name", "bound", "body")


def test_height() -> None:
    assert height(type_of("ℝ")) == 1
    assert height(type_of("ℝ × ℝ × ℝ")) == 3
    assert height(type_of("𝕄 [L1, U | ★, " + "ℝ ∷ " * 50 + "[]]")) == 3
    assert height(type_of("𝕄 [L1, U | ★, ℝ ∷ bag bag ℝ ∷ []]")) == 5
