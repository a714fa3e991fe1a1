"""Functions bound by let whose parameters' types are left to their first use mean what they mean with the types written."""

from __future__ import annotations

import pytest

import duetpy
from duetpy.typecheck.notions import Notion
from tests.soundness.broken.mutant import Mutant
from tests.soundness.mutants import planted
from tests.typecheck.judging import errors

TABLE = "ys : 𝕄 [L∞, U | m, 1⋅𝔻]"

PAIRS = [
    ("sλ y : ℝ ⇒ let f = sλ x{} ⇒ x + x in f y + f (3.0 ⋅ y)", ": ℝ"),
    ("sλ y : ℝ ⇒ let f = sλ x{} ⇒ x + y in f y", ": ℝ"),
    ("sλ y : ℝ, z : ℝ ⇒ let f = sλ x{} ⇒ x + y in let y = 5.0 ⋅ z in f y", ": ℝ"),
    ("sλ y : ℝ ⇒ let f = sλ x{} ⇒ x + x in f (f y)", ": ℝ"),
    ("sλ y : ℝ ⇒ let f = sλ x{} ⇒ x + x in let f = sλ x ⇒ f x + x in f y", ": ℝ"),
    ("sλ y : ℝ ⇒ let f = sλ c{}, x : ℝ ⇒ c ⋅ x in f 2.0 y", ": ℝ⁺[2.0]"),
    (f"sλ m : ℕ . {TABLE} ⇒ let f = sλ x{{}} ⇒ clip x in mfold-row 0.0, ys {{{{ a, r ⇒ a + f (r#[0, 0]) }}}}", ": 𝔻"),
    ("def f = sλ x{} ⇒ x + x\nsλ y : ℝ ⇒ f y", ": ℝ"),
]


@pytest.mark.parametrize(("text", "type_"), PAIRS)
def test_a_type_is_that_of_the_first_argument(text: str, type_: str) -> None:
    found, wanted = duetpy.parse(text.format("")).state(), duetpy.parse(text.format(f" {type_}")).state()
    assert wanted.ok
    assert (found.ok, found.type) == (True, wanted.type)
    assert [each.sensitivity for each in found.parameters] == [each.sensitivity for each in wanted.parameters]


def test_a_privacy_function_takes_its_types_from_its_first_call() -> None:
    text = (
        "pλ ε : ℝ⁺ . y : ℝ, ε : ℝ⁺[ε] ⇒ let f = pλ x{} ⇒ laplace[auto, ε] <x> {{ x + x }} in "
        "a ← f@[ . y] ; b ← f@[ . y] ; return a + b"
    )
    found, wanted = (duetpy.parse(text.format(type_), notion="eps").state() for type_ in ("", " : ℝ"))
    assert found.ok
    assert [each.cost for each in found.parameters] == [each.cost for each in wanted.parameters]
    assert found.parameters[0].cost == {"epsilon": "2⋅ε"}


@pytest.mark.parametrize("type_", ["", " : 𝔻"])
def test_what_a_function_demands_is_demanded_where_it_is_defined(type_: str) -> None:
    """Its first use is reached in large tables alone, and its second one in all."""
    text = f"""pλ m : ℕ . x{TABLE[1:]} ⇒ let f = sλ t{type_} ⇒ t + xs#[6, 0] in laplace[auto, 1.0] {{
      (if rows xs < 7 then 0.0 else clip[0.0, 1.0] (f (xs#[0, 0]))) + clip[0.0, 1.0] (f (xs#[0, 0])) }}"""
    checked = duetpy.parse(text, notion="eps").check()
    assert checked.statement.requires == ("7 ≤ m",)


@pytest.mark.parametrize("type_", ["", " : ℝ"])
def test_a_function_is_of_the_notion_in_which_it_is_defined(type_: str) -> None:
    text = f"let f = pλ x{type_} ⇒ laplace[1.0, 0.5] <x> {{ x }} in pλ . y : ℝ ⇒ ZCDP[0.01] {{ f@[ . y] }}"
    assert errors(text) == ("D0410",)


def test_it_runs_as_well() -> None:
    assert duetpy.evaluate("sλ y : ℝ ⇒ let f = sλ x ⇒ x + y in let y = 5.0 ⋅ y in f y", y=1.0) == 6.0
    table = f"sλ m : ℕ . {TABLE} ⇒ let f = sλ x ⇒ clip x in mfold-row 0.0, ys {{ a, r ⇒ a + f (r#[0, 0]) }}"
    assert duetpy.evaluate(table, ys=[[0.5], [7.0]]) == 1.5


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # Other uses must fit
        ("sλ y : ℝ ⇒ let f = sλ c, x ⇒ c ⋅ x in f 2.0 y + f 3.0 y", "D0201"),
        ("sλ y : ℝ, k : ℕ ⇒ let f = sλ x ⇒ x + x in f y + real (f k)", "D0201"),
        # No use says it
        ("sλ y : ℝ ⇒ let f = sλ x ⇒ x + x in y", "D0211"),
        ("sλ y : ℝ ⇒ let f = sλ x ⇒ x + x in let f = sλ x ⇒ x in f y", "D0211"),
        ("sλ y : ℝ, g : (ℝ ⊸[1] ℝ) ⊸[1] ℝ ⇒ let f = sλ x ⇒ x + x in g f + f y", "D0211"),
        ("sλ y : ℝ ⇒ let f = sλ a, b ⇒ a + b in let g = f y in g y", "D0211"),
        # The type could not be written there
        (f"let f = sλ xs ⇒ rows xs in sλ m : ℕ . {TABLE} ⇒ f ys", "D0211"),
        ("sλ y : ℝ ⇒ let f = sλ b ⇒ unbox b in f (box y)", "D0211"),
        # A function does not see itself, nor what is bound after it
        ("sλ y : ℝ ⇒ let f = sλ x ⇒ f x in f y", "D0101"),
        ("sλ y : ℝ ⇒ let f = sλ x ⇒ x + z in let z = y in f y", "D0101"),
    ],
)
def test_what_no_use_determines_is_refused(text: str, code: str) -> None:
    assert code in errors(text)


def test_what_given_lists_is_a_use() -> None:
    text = (
        "pλ s : ℝ ⇒ let f = sλ x ⇒ x + s in r ← given[1.0] <f> { f 1.0 ≤ 0.5 } ; t ← laplace[1.0, 1.0] <s> { f 2.0 } ; "
    )
    assert errors(text + "if r then { return 1.0 } else { return t }", Notion.PURE) == ("D0211",)


def test_nothing_is_accepted_that_was_not_judged() -> None:
    """The poisoned type fits everywhere. If no reason was given for it, the whole is refused all the same."""
    text = (
        "pλ s : ℝ ⇒ let f = sλ x ⇒ x + s in r ← given[1.0] <f> { f 1.0 ≤ 0.5 } ; t ← laplace[1.0, 1.0] <s> { f 2.0 } ; "
    )
    blind = Mutant(
        "given reads the name of a function that was not judged",
        "rules.trusted",
        "found = let_inference.named(checker, ast.Var(name.span, name.text))",
        "found = checker.scope.lookup(name.text)",
        ("given",),
    )
    with planted(blind):
        assert errors(text + "if r then { return 1.0 } else { return t }", Notion.PURE) == ("D0901",)
