"""The core of a program: every name is bound once, and around its uses; what the checker found stands on the nodes."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import duetpy
from duetpy.grammar import ast
from duetpy.trees import field_names, scoping
from duetpy.typecheck import core

EXAMPLES = sorted(Path("examples").glob("*.duet"))


def core_of(text: str, notion: str | None = None) -> core.Expression:
    typed = duetpy.parse(text, notion=notion).typed
    assert typed is not None
    return typed.core


def bound_names(root: core.Node) -> Iterator[str]:
    for node in core.nodes(root):
        yield from {name for _, names in core.scopes(node) for name in names}


def strays(node: core.Node, bound: frozenset[str] = frozenset()) -> Iterator[str]:
    """Names that are used where they are unknown."""
    if isinstance(node, core.Var) and node.name not in bound:
        yield node.name
    for inner, names in core.scopes(node):
        yield from strays(inner, bound | frozenset(names))


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.name for path in EXAMPLES])
def test_every_name_is_bound_once_and_around_its_uses(path: Path) -> None:
    typed = duetpy.load(str(path)).typed
    assert typed is not None
    names = list(bound_names(typed.core))
    assert names
    assert len(set(names)) == len(names)
    assert list(strays(typed.core)) == []


GOOD = [path for path in sorted(Path("tests/cases/good").glob("*/*.duet")) if ".part." not in path.name]


@pytest.mark.parametrize("path", [*EXAMPLES, *GOOD], ids=[path.name for path in [*EXAMPLES, *GOOD]])
@pytest.mark.sparse(4)
def test_every_form_has_a_type(path: Path) -> None:
    """A run counts by their types what values may hold."""
    # A part that others import states no notion.
    typed = duetpy.load(str(path), notion="approx" if path.name.endswith(".part.duet") else None).typed
    assert typed is not None
    assert [node for node in core.nodes(typed.core) if not node.types] == []


LAST = {
    "what is returned": "return (sλ x : 𝔻 ⇒ x)",
    "a loop": "loop ℕ[2] on (sλ x : 𝔻 ⇒ x) <z> { i, f ⇒ return (sλ x : 𝔻 ⇒ f x) }",
    "a choice": "if ε ≤ ε then return (sλ x : 𝔻 ⇒ x) else return (sλ x : 𝔻 ⇒ x)",
    "a sum": "case (inl[ℕ] 0.5) { inl a ⇒ return (sλ x : 𝔻 ⇒ x) ; inr b ⇒ return (sλ x : 𝔻 ⇒ x) }",
    "a call": "let f = pλ . y : 𝔻 ⇒ return (sλ x : 𝔻 ⇒ x) in f@[ . z]",
}


@pytest.mark.parametrize("last", LAST.values(), ids=LAST)
def test_the_last_of_a_chain_has_a_type(last: str) -> None:
    program = core_of(
        f"pλ ε : ℝ⁺ . z : 𝔻, ε : ℝ⁺[ε] ⇒ c ← laplace[auto, ε] <z> {{ clip z }} ; let d = c in {last}", "eps"
    )
    nodes = list(core.nodes(program))
    assert [node for node in nodes if not node.types] == []
    assert all(node.may_hold_functions for node in nodes if isinstance(node, core.Bind | core.PLet | core.Return))


def test_what_hides_another_name_has_one_of_its_own() -> None:
    program = core_of("sλ x : 𝔻 ⇒ let x = x + 1.0 in (sλ x : 𝔻 ⇒ x) (let y = x in y)")
    assert list(strays(program)) == []
    names = list(bound_names(program))
    assert sorted(name.split("·")[0] for name in names) == ["x", "x", "x", "y"]
    assert len(set(names)) == 4


@pytest.mark.parametrize(
    ("body", "sign", "of_matrices"),
    [
        ("a + clip r.x", "+", False),
        ("clip r.x + a", "+", False),
        ("if 0.0 < r.x then a + clip r.x else a", "+", False),
        ("let y = r.x in a + clip (y + 1.0)", "+", False),
        ("a ⊔ clip r.x", "⊔", False),
        ("clip r.x ⊓ a", "⊓", False),
    ],
)
def test_folds_that_add_or_pick_are_seen(body: str, sign: str, of_matrices: bool) -> None:
    program = core_of(f"sλ xs : 𝕄 [L∞, U | 3, x : 𝔻 ∷ []] ⇒ mfold-row 0.0, xs {{ a, r ⇒ {body} }}")
    (fold,) = [node for node in core.nodes(program) if isinstance(node, core.RowFold)]
    assert (fold.sign, fold.of_matrices) == (sign, of_matrices)
    assert not any(isinstance(node, core.Fold) for node in core.nodes(program))


def test_a_sum_of_matrices_is_seen() -> None:
    program = core_of(
        "sλ xs : 𝕄 [L∞, U | 3, 2⋅𝔻] ⇒ mfold-row (mcreate[L1 | ℕ[1], ℕ[2]] { i, j ⇒ 0.0 }), xs "
        "{ a, r ⇒ mmap a, mmap r { x ⇒ clip[0.0, 1.0] x } { x, y ⇒ y + x } }"
    )
    (fold,) = [node for node in core.nodes(program) if isinstance(node, core.RowFold)]
    assert (fold.sign, fold.of_matrices) == ("+", True)


@pytest.mark.parametrize(
    "body", ["0.5 ⋅ a + r.x", "a + a", "r.x", "a - r.x", "if a < r.x then a + 1.0 else a", "a + r.x"]
)
def test_other_folds_go_row_after_row(body: str) -> None:
    program = core_of(f"sλ xs : 𝕄 [L∞, U | 3, x : 𝔻 ∷ []] ⇒ mfold-row disc 0.0, xs {{ a, r ⇒ {body} }}")
    assert [type(node) for node in core.nodes(program) if isinstance(node, core.RowFold | core.Fold)] == [core.Fold]


def test_a_row_that_has_the_name_of_the_state_is_the_row() -> None:
    program = core_of("sλ xs : 𝕄 [L∞, U | 3, 1⋅𝔻] ⇒ mfold-row xs#[0], xs { a, a ⇒ a }")
    (fold,) = [node for node in core.nodes(program) if isinstance(node, core.Fold)]
    used = {node.name for node in core.nodes(fold.body) if isinstance(node, core.Var)}
    assert used == {fold.row}


def test_columns_are_places() -> None:
    program = core_of(
        "sλ xs : 𝕄 [L∞, U | 3, age : 𝔻 ∷ pay : 𝔻 ∷ []] ⇒ "
        "mfold-row 0.0, xs.[pay, age] { a, r ⇒ a + clip[0.0, 1.0] r.age }"
    )
    assert [node.places for node in core.nodes(program) if isinstance(node, core.Select)] == [(1, 0)]
    assert [node.place for node in core.nodes(program) if isinstance(node, core.Field)] == [1]


def test_a_foreign_function_is_a_function_whose_body_is_a_call() -> None:
    program = core_of('opaque "math:floor" : 𝔻 ⊸ 𝔻')
    assert isinstance(program, core.Lam)
    assert isinstance(program.body, core.ForeignCall)
    assert [argument.name for argument in program.body.args] == [param.name for param in program.params]
    assert program.body.target == "math:floor"


def test_a_program_with_an_error_has_no_core() -> None:
    typed = duetpy.parse("1 + true").typed
    assert typed is not None
    with pytest.raises(AssertionError):
        _ = typed.core


OTHERWISE = {"Inject": {"side", "other"}, "Nothing": {"type"}, "PMap": {"form"}}
"""What a form of the language says that the core says in another way."""


@pytest.mark.parametrize("form", [*get_args(ast.SExp), *get_args(ast.PExp)], ids=lambda form: form.__name__)
def test_a_form_of_both_trees_has_the_same_parts_and_binds_the_same_names(form: type[ast.Node]) -> None:
    made = getattr(core, form.__name__, None)
    if made is None:
        assert form.__name__ in {
            *("NatLit", "RealLit", "StrLit", "BoolLit", "DateLit", "StaticNat", "StaticReal", "FieldOf", "FrameOp"),
            *("Opaque", "Hole", "PHole"),
        }
        return
    assert {*field_names(form)} - {*field_names(made)} == OTHERWISE.get(form.__name__, set())
    assert scoping(form).binding == scoping(made).binding
    assert scoping(form).references == scoping(made).references
