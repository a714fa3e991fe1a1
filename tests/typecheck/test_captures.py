"""Free names: what a body needs from outside, and no more."""

from collections import defaultdict

import pytest

import duetpy
from duetpy.grammar import ast
from duetpy.grammar.binders import flat
from duetpy.typecheck import core
from duetpy.typecheck.annotations import Annotations, ReleaseSite
from duetpy.typecheck.captures import Captures
from duetpy.typecheck.lowering import Lowering
from duetpy.typecheck.types import POISON, Type


class Unbound(dict[str, str]):
    """Unknown names are called as they are."""

    def __missing__(self, name: str) -> str:
        return name


class Domains(dict[ast.Node, tuple[Type, ...]]):
    def __missing__(self, node: ast.Node) -> tuple[Type, ...]:
        assert isinstance(node, ast.Lam | ast.PLam)
        return (POISON,) * len(flat(node.params))


class Sites(dict[ast.Node, ReleaseSite]):
    def __missing__(self, node: ast.Node) -> ReleaseSite:
        return ReleaseSite.__new__(ReleaseSite)


def body(text: str) -> core.Expression:
    """The core of a text that nobody has checked."""
    file = duetpy.parse(text).file
    assert file is not None
    assert file.body is not None
    annotations = Annotations(binders=defaultdict(tuple), domains=Domains(), releases=Sites())
    return Lowering(annotations, Unbound()).expression(file.body)


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("x + y", {"x", "y"}),
        ("let x = y in x", {"y"}),
        ("let x = x in x", {"x"}),
        ("let ⟨x, y⟩ = z in x + y", {"z"}),
        ("sλ x : ℝ ⇒ x + y", {"y"}),
        ("(sλ x : ℝ ⇒ x) x", {"x"}),
        ("case s { inl x ⇒ x + a ; inr y ⇒ y + b }", {"s", "a", "b"}),
        ("loop k on z { i, x ⇒ x + i + w }", {"k", "z", "w"}),
        ("mcreate[L1 | m, n] { i, j ⇒ f i j }", {"m", "n", "f"}),
        ("mmap xs, ys { x, y ⇒ x + y + c }", {"xs", "ys", "c"}),
        ("mfold-row a, xs { a, r ⇒ a + g r }", {"a", "xs", "g"}),
        ("mfilter xs { r ⇒ r#[0, at] < limit }", {"xs", "limit", "at"}),
        ("pλ x : ℝ ⇒ y ← laplace[s, e] <x> { x + z } ; return y", {"s", "e", "z"}),
        ("pλ xs : ℝ, ks : ℝ ⇒ parallel[xs, ks] { r ⇒ f r } { k, p ⇒ return ⟨k, q⟩ }", {"f", "q"}),
        ("pλ ⟨x : ℝ, y : ℝ⟩ ⇒ loop n on x <y> { i, s ⇒ let t = s in return (t + u) }", {"n", "u"}),
        ("pλ x : ℝ ⇒ exponential[s, e] cs <x> { c ⇒ x + c + d }", {"s", "e", "cs", "d"}),
        ("pλ x : ℝ ⇒ sample[b] x, x { u, v ⇒ return (u + v + w) }", {"b", "w"}),
    ],
)
def test_free_names(text: str, free: set[str]) -> None:
    assert Captures().of(body(text)) == free


def slowly(node: core.Node) -> frozenset[str]:
    """By the definition."""
    if isinstance(node, core.Var):
        return frozenset({node.name})
    return frozenset(name for inner, bound in core.scopes(node) for name in slowly(inner) - set(bound))


def test_every_body_inside_is_known_after_one_walk() -> None:
    text = """let f = sλ x : ℝ ⇒ (sλ y : ℝ ⇒ x + y + c) in
      sλ xs : ℝ ⇒ mmap-row xs { r ⇒ mmap r { x ⇒ f x (mfold-row x, xs { a, q ⇒ a + x + d }) } }"""
    root = body(text)
    captures = Captures()
    captures.of(root)
    known = dict(captures.known)
    inner = [node for node in core.nodes(root) if node in known]
    assert len(inner) > 5
    assert all(known[node] == slowly(node) for node in inner)


def test_a_tree_in_which_one_node_stands_twice() -> None:
    shared = body("a + b")
    pair = core.Pair(shared.span, (), None, shared, core.Pair(shared.span, (), None, shared, shared, False), False)
    assert Captures().of(pair) == {"a", "b"}


def test_long_and_deep_programs() -> None:
    lets = "".join(f"let a{at} = b{at} in " for at in range(5000))
    assert len(Captures().of(body(lets + "a0"))) == 5000
    nested = "".join(f"(sλ x{at} : ℝ ⇒ " for at in range(150)) + "x3 + y" + ")" * 150
    assert Captures().of(body(nested)) == {"y"}
