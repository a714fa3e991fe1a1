"""An integer literal is a real number where only one can stand, and natural everywhere else."""

from __future__ import annotations

import pytest

from duetpy.grammar import ast
from duetpy.source import Source, Span
from duetpy.typecheck import dispatch
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.literals import judge_as
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.show import show_type
from tests.typecheck.judging import accepted, judged, result, sensitivities


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("sλ x : ℝ ⇒ x + 1", "sλ x : ℝ ⇒ x + 1.0"),
        ("sλ x : ℝ ⇒ 3 - x", "sλ x : ℝ ⇒ 3.0 - x"),
        ("sλ x : ℝ ⇒ x ⋅ 2", "sλ x : ℝ ⇒ x ⋅ 2.0"),
        ("sλ x : ℝ ⇒ x / 2 / 2", "sλ x : ℝ ⇒ x / 2.0 / 2.0"),
        ("sλ x : ℝ ⇒ (x ⊔ 0) ⊓ 1", "sλ x : ℝ ⇒ (x ⊔ 0.0) ⊓ 1.0"),
        ("sλ x : 𝔻 ⇒ x ⋅ 2 ≥ 60", "sλ x : 𝔻 ⇒ 60.0 ≤ x ⋅ 2.0"),
        ("sλ x : ℝ ⇒ x ≡ 30", "sλ x : ℝ ⇒ x ≡ 30.0"),
        ("sλ x : ℝ ⇒ x > 30", "sλ x : ℝ ⇒ x > 30.0"),
        ("sλ x : 𝔻 ⇒ clip[-1, 1] x", "sλ x : 𝔻 ⇒ clip[-1.0, 1.0] x"),
        ("sλ x : 𝔻 ⇒ clip[0, 0.5] x", "sλ x : 𝔻 ⇒ clip[0.0, 0.5] x"),
        ("sλ x : ℝ ⇒ -x + 3", "sλ x : ℝ ⇒ 0.0 - x + 3.0"),
        ("1 / 2", "1.0 / 2.0"),
        ("√ 4 + exp 1", "√ 4.0 + exp 1.0"),
        ("-(3)", "-3.0"),
        ("sλ ε : ℝ⁺ . e : ℝ⁺[ε] ⇒ e / 2", "sλ ε : ℝ⁺ . e : ℝ⁺[ε] ⇒ e / 2.0"),
        ("sλ x : ℝ ⇒ if 1 ≡ 1 then 0 else x", "sλ x : ℝ ⇒ if 1 ≡ 1 then 0.0 else x"),
        ("sλ x : ℝ ⇒ if 1 ≡ 1 then x else 0", "sλ x : ℝ ⇒ if 1 ≡ 1 then x else 0.0"),
        ("sλ x : 𝔻 ⇒ if 1 ≡ 1 then x else 0", "sλ x : 𝔻 ⇒ if 1 ≡ 1 then x else disc 0.0"),
        ("sλ x : 𝔻 ⇒ if 1 ≡ 1 then -0.5 else x", "sλ x : 𝔻 ⇒ if 1 ≡ 1 then disc -0.5 else x"),
        ("sλ n : 𝐝 ℕ ⇒ if 1 ≡ 1 then 7 else n", "sλ n : 𝐝 ℕ ⇒ if 1 ≡ 1 then disc 7 else n"),
        ("sλ x : 𝔻? ⇒ case x { some y ⇒ y ; none ⇒ 7 }", "sλ x : 𝔻? ⇒ case x { some y ⇒ y ; none ⇒ disc 7.0 }"),
        (
            "sλ x : 𝔻? ⇒ case x { some y ⇒ 1 ; none ⇒ disc 7.0 }",
            "sλ x : 𝔻? ⇒ case x { some y ⇒ disc 1.0 ; none ⇒ disc 7.0 }",
        ),
        ("sλ x : ℝ ⇒ ℘{1, x}", "sλ x : ℝ ⇒ ℘{1.0, x}"),
        ("(sλ x : ℝ, y : ℝ ⇒ x - y) 3 5", "(sλ x : ℝ, y : ℝ ⇒ x - y) 3.0 5.0"),
        ("(sλ r : ℝ⁺ . x : ℝ⁺[r] ⇒ x) 3", "(sλ r : ℝ⁺ . x : ℝ⁺[r] ⇒ x) 3.0"),
        (
            "sλ xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ mfold-row 0, xs { a, r ⇒ a + r#[0, 0] }",
            "sλ xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ mfold-row 0.0, xs { a, r ⇒ a + r#[0, 0] }",
        ),
        (
            "sλ xs : 𝕄 [L1, U | 3, 1⋅𝔻] ⇒ mfold-row 0, xs { a, r ⇒ if r#[0, 0] > 3 then a + 1.5 else a }",
            "sλ xs : 𝕄 [L1, U | 3, 1⋅𝔻] ⇒ mfold-row 0.0, xs { a, r ⇒ if 3.0 < r#[0, 0] then a + 1.5 else a }",
        ),
        (
            "sλ xs : 𝕄 [L1, U | ★, 1⋅ℝ] ⇒ mfold-row 0, xs { a, r ⇒ a + clip[-1, 1] r#[0, 0] }",
            "sλ xs : 𝕄 [L1, U | ★, 1⋅ℝ] ⇒ mfold-row 0.0, xs { a, r ⇒ a + clip[-1.0, 1.0] r#[0, 0] }",
        ),
        (
            "sλ xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ xs#[0, 0 ↦ 7]",
            "sλ xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ xs#[0, 0 ↦ 7.0]",
        ),
    ],
)
def test_it_is_judged_as_the_real_number_written_with_a_point(text: str, meant: str) -> None:
    assert show_type(accepted(text)) == show_type(accepted(meant))


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("3", "ℕ[3]"),
        ("3 - 5", "ℕ[0]"),
        ("2 + 3", "ℕ[5]"),
        ("2 ⋅ 3 ⊔ 1", "ℕ[6]"),
        ("7 % 3", "ℕ[1]"),
        ("real 3", "ℝ⁺[3]"),
        ("idx 3", "𝕀[4]"),
        ("disc 3", "𝐝 ℕ"),
        ("℘{1, 2}", "℘(ℕ)"),
        ("let n = 2 in n", "ℕ[2]"),
        ("if 1 ≡ 1 then 0 else 1", "ℕ"),
        ("(sλ τ : ☆K . x : τ ⇒ x) 3", "ℕ[3]"),
        ("(sλ n : ℕ . x : ℕ[n] ⇒ x) 3", "ℕ[3]"),
        ("sλ n : ℕ ⇒ n + 1", "ℕ"),
        ("sλ n : 𝐝 ℕ ⇒ n + 1", "𝐝 ℕ"),
        ("mcreate[L1 | 1, 2] { i, j ⇒ 0 }", "𝕄 [L1, U | 1, 2⋅ℕ]"),
        ("sλ xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ mfold-row 0, xs { a, r ⇒ a + 1 }", "ℕ"),
        ("sλ xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ xs#[2, 0]", "ℝ"),
    ],
)
def test_it_is_natural_where_a_natural_can_stand(text: str, type_: str) -> None:
    assert result(text) == type_


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("sλ n : ℕ ⇒ n / 2", "D0203", "n"),
        ("sλ n : ℕ ⇒ -n", "D0203", "n"),
        ("sλ n : ℕ ⇒ n + 1.5", "D0203", "n"),
        ("sλ x : ℝ ⇒ x + (2 + 3)", "D0203", "2 + 3"),
        ("sλ x : ℝ ⇒ let n = 2 in x ⋅ n", "D0203", "n"),
        ("sλ x : ℝ ⇒ x % 2", "D0203", "x % 2"),
        ("sλ x : ℝ ⇒ x ∈ ℘{1, 2}", "D0203", "x ∈ ℘{1, 2}"),
        ("sλ xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ xs#[2.0, 0]", "D0201", "2.0"),
        ("(sλ n : ℕ ⇒ n) 3.0", "D0201", "3.0"),
        ("not 3", "D0201", "3"),
        ("sλ x : 𝔻 ⇒ if 1 ≡ 1 then x else 1e309", "D0204", "if 1 ≡ 1 then x else 1e309"),
    ],
)
def test_what_stays_refused(text: str, code: str, at: str) -> None:
    told = [diagnostic for diagnostic in judged(text).diagnostics if diagnostic.is_error]
    assert [diagnostic.code for diagnostic in told] == [code], told
    assert told[0].span is not None
    assert told[0].span.text == at


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        # The double next to 0.1 is above it, and that next to 0.3 below it.
        ("sλ x : 𝔻 in [0, 0.1] ⇒ if 1 ≡ 1 then x else 0.1", "𝔻 in [0, 0.1]"),
        ("sλ x : 𝔻 in [0.3, 1] ⇒ if 1 ≡ 1 then 0.3 else x", "𝔻 in [0.3, 1]"),
        ("sλ x : 𝔻? in [0, 1] ⇒ case x { some y ⇒ y ; none ⇒ -0.7 }", "𝔻 in [-0.7, 1]"),
    ],
)
def test_a_number_that_is_an_end_of_a_range_is_in_it(text: str, type_: str) -> None:
    assert result(text) == type_


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sλ x : ℝ ⇒ x > true", "> does not take ℝ and 𝔹"),
        ("sλ x : ℝ ⇒ true >= x", "≥ does not take 𝔹 and ℝ"),
        ("sλ x : ℝ ⇒ x != true", "≠ does not take ℝ and 𝔹"),
        ("sλ x : ℝ ⇒ true < x", "< does not take 𝔹 and ℝ"),
        ("sλ n : ℕ ⇒ -n", "- does not take ℕ"),
        ("not 3", "a truth value (𝔹) is needed here"),
    ],
)
def test_what_was_written_is_named(text: str, message: str) -> None:
    assert [told.message for told in judged(text).diagnostics] == [message]


def test_comparisons_turned_round_move_as_much() -> None:
    assert sensitivities("sλ x : ℝ, y : 𝔻 ⇒ disc x > y") == sensitivities("sλ x : ℝ, y : 𝔻 ⇒ y < disc x") == ("∞", "1")
    assert sensitivities("sλ a : 𝔹, b : 𝔹 ⇒ not (a != b)") == ("1", "1")
    assert sensitivities("sλ x : ℝ ⇒ -x ⊔ x") == ("1",)


def test_a_test_on_sizes_that_is_denied_holds_in_the_other_branch() -> None:
    program = """pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
      if {} then {{ return 0.0 }} else {{ sample[ℕ[12]] xs {{ part ⇒ laplace[auto, 1.0] <part> {{ count part }} }} }}"""

    def required(test: str) -> list[tuple[str, ...]]:
        typed = judged(program.format(test), Notion.PURE)
        assert typed.ok
        return [
            (
                each.left.show(),
                each.right.show(),
                *(f"{test.left.show()} {test.strict} {test.right.show()}" for test in each.under),
            )
            for each in typed.obligations
        ]

    plain = required("rows xs < 10")
    assert plain == [("12", "m", "10 False m")]
    for test in ("not (rows xs ≥ 10)", "not 10 ≤ rows xs", "not not 10 > rows xs", "10 > rows xs"):
        assert required(test) == plain
    assert required("(rows xs < 10) ∧ true") != plain


@pytest.mark.parametrize("first", [True, False])
def test_what_was_decided_of_a_literal_holds_wherever_it_is_judged_again(first: bool) -> None:
    """The run knows one number for each literal, so a second judgement may not make another one of it."""
    node = ast.NatLit(Span(Source("x", "2"), 0, 1), 2)
    checker = Checker(Notion.PURE, rules=dispatch)
    judgements = [judge_as(checker, node, demands_real) for demands_real in (first, not first, first)]
    assert [show_type(judgement.type) for judgement in judgements] == ["ℝ⁺[2]" if first else "ℕ[2]"] * 3
    assert checker.annotations.types[node] == (judgements[0].type,)
