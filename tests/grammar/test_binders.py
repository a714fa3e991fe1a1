"""The names that an expression takes from outside, and trees with some of their nodes replaced."""

from random import Random

import pytest
from attrs import evolve

import duetpy
from duetpy.grammar import ast
from duetpy.grammar.binders import name_of, references, scopes
from duetpy.grammar.compare import children, replaced, same
from tests.effort import often
from tests.grammar.trees import Trees

DEEP = often(5000, 1500)


def body(text: str) -> ast.SExp:
    file = duetpy.parse(text).file
    assert file is not None
    assert file.body is not None
    return file.body


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("let x = x in x + y", ["x", "y"]),
        ("sλ x : box[y@1] ℝ, y : box[x@1] ℝ ⇒ x + y + z", ["y", "x", "z"]),
        ("pλ x : ℝ ⇒ laplace[s, e] <x, f> { x + z }", ["f", "s", "e", "z"]),
        ("pλ x : ℝ ⇒ loop n on x <y, x> { i, s ⇒ let y = s in laplace[1.0, 1.0] <y, i, w> { y } }", ["y", "n", "w"]),
        ("f (inl[box[f@1] ℝ] x)", ["f", "f", "x"]),
        ('opaque "a:b" : box[x@1] ℝ ⊸ ℝ', ["x"]),
        ("let f = g in (sλ g : ℝ ⇒ g + f) g", ["g", "g"]),
    ],
)
def test_references_are_found_in_lists_and_types_too(text: str, names: list[str]) -> None:
    assert [name_of(reference) for reference in references(body(text))] == names


def variables(tree: ast.Node) -> set[str]:
    return {reference.name for reference in references(tree) if isinstance(reference, ast.Var)}


@pytest.mark.sparse(10)
@pytest.mark.parametrize("seed", range(300))
def test_references_of_random_trees_are_their_free_variables(seed: int) -> None:
    tree = Trees(Random(seed), 60).sexp()
    assert variables(tree) == free(tree)


def free(node: ast.Node) -> set[str]:
    """By the definition."""
    if isinstance(node, ast.Var):
        return {node.name}
    return {name for inner, bound in scopes(node) for name in free(inner) - set(bound)}


@pytest.mark.sparse(10)
@pytest.mark.parametrize("seed", range(300))
def test_references_can_be_replaced_one_by_one(seed: int) -> None:
    tree = Trees(Random(seed), 60).sexp()
    assert replaced(tree, {}) is tree
    free = [reference for reference in references(tree) if isinstance(reference, ast.Var)]
    for chosen in free[:3]:
        renamed = replaced(tree, {chosen: evolve(chosen, name="· there")})
        assert variables(renamed) == {"· there"} | {reference.name for reference in free if reference is not chosen}
        assert same(
            replaced(renamed, {node: chosen for node in references(renamed) if name_of(node) == "· there"}), tree
        )


def test_what_holds_no_replaced_node_stays_the_same() -> None:
    tree = body("⟨f x, ⟨g y, f y⟩⟩")
    assert isinstance(tree, ast.Pair)
    (chosen,) = (reference for reference in references(tree) if name_of(reference) == "g")
    changed = replaced(tree, {chosen: ast.Var(chosen.span, "h")})
    assert isinstance(changed, ast.Pair)
    assert changed.left is tree.left
    assert changed.right is not tree.right
    assert children(changed.right)[1] is children(tree.right)[1]


def test_long_and_deep_trees() -> None:
    tree = body("".join(f"let a{at} = b{at} in " for at in range(DEEP)) + "a0")
    found = list(references(tree))
    assert len(found) == DEEP
    last = found[-1]
    assert isinstance(last, ast.Var)
    assert name_of(list(references(replaced(tree, {last: evolve(last, name="c")})))[-1]) == "c"
