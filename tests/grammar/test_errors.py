"""Each mistake is reported once, where it is, in the reader's words; what is around it is still read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar import ast
from duetpy.grammar.compare import children
from duetpy.grammar.labels import label_text
from duetpy.grammar.lexer import tokenize
from duetpy.grammar.parser import MAX_DIAGNOSTICS, parse_file, parse_type_text
from duetpy.grammar.pretty import show_expression, show_file
from duetpy.source import Source
from duetpy.typecheck.notions import NOTION_WORDS
from tests.effort import often

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.duet"))

# program, code, line, a part of the message
ONE_BRANCH_RELEASES = [
    "if x then return 1 else 2",
    "if x then 1 else return 2",
    "case x { inl a ⇒ return a ; inr b ⇒ b }",
    "case x { inl a ⇒ a ; inr b ⇒ return b }",
    "case x { some a ⇒ return a ; none ⇒ 2 }",
    "case x { some a ⇒ a ; none ⇒ return 2 }",
]

SINGLE_MISTAKES = [
    ("let x = 1\nlet y = 2 in\nx + y", "D0005", 2, "expected `in` after the bound expression of `let x`"),
    ("let w = 1\nw + 1", "D0005", 2, "expected `in` after the bound expression of `let w`"),
    ("let x = 1 y in\nx", "D0005", 1, "expected `in` after the bound expression of `let x`"),
    ("let x = f y\n  z", "D0005", 1, "expected `in` after the bound expression of `let x`"),
    ("let x 1 in\nx", "D0005", 1, "expected `=` after `let x`"),
    ("let x-1 = 2 in x", "D0005", 1, "expected `=` after `let x`, found `-`"),
    ("let x : ℝ = 1 in\nx", "D0005", 1, "expected `=` after `let x`"),
    ("let\n= 1 in x", "D0005", 2, "expected the name of a variable, found `=`"),
    ("let x = in x", "D0005", 1, "expected an expression, found `in`"),
    ("x = 1 in x", "D0005", 1, "expected `let` before the name `x`"),
    ("let ⟨x y⟩ = p in x", "D0005", 1, "expected `,` between the names of the pair"),
    ("let count = 3 in\ncount + count", "D0013", 1, "`count` is a reserved word"),
    ("let x =\n(1 + 2 in\nx", "D0006", 2, "`(` is not closed"),
    ("let x = (\n1 + 2", "D0006", 1, "`(` is never closed"),
    ("let x = 1 + 2) in\nx", "D0006", 1, "`)` closes nothing"),
    ("let x = f (1 + 2] in x", "D0006", 1, "`(` is closed by `]`"),
    ("f (1, 2)", "D0005", 1, "parentheses contain a single expression"),
    ("sλ x : ℝ x + 1.0", "D0005", 1, "expected `⇒` after the parameters of `sλ`"),
    ("sλ . x : ℝ → x", "D0005", 1, "expected `⇒` after the parameters of `sλ`"),
    ("sλ . x : ℝ y : ℝ ⇒ x", "D0005", 1, "expected `,` between the parameters of `sλ`"),
    ("sλ m ℕ . x : ℝ ⇒ x", "D0005", 1, "expected `:` after `m`"),
    ("sλ m : ℤ . x : ℝ ⇒ x", "D0005", 1, "expected a kind, found the name `ℤ`"),
    ("sλ m : ℕ .\n⇒ 1", "D0005", 2, "expected the name of a parameter"),
    ("sλ . ⟨x : ℝ, y : ℝ⟩ ⇒ x", "D0005", 1, "`sλ` has no aligned parameters"),
    ("sλ . x : 𝕄 [L3, U | m, n⋅𝔻] ⇒ x", "D0010", 1, "expected the norm of `𝕄`"),
    ("sλ . x : 𝕄 [L1, V | m, n⋅𝔻] ⇒ x", "D0010", 1, "expected the clip of `𝕄`"),
    ("sλ . x : 𝕄 [L1 U | m, n⋅𝔻] ⇒ x", "D0005", 1, "expected `,` after the norm of `𝕄`"),
    ("sλ . x : 𝕄 [L1, U | m, n⋅] ⇒ x", "D0005", 1, "expected a type, found `]`"),
    ("sλ . x : 𝕄 [L1, U | m, age : 𝔻] ⇒ x", "D0005", 1, "a list of columns must end with `∷ []`"),
    ("sλ . x : 𝕄 [L1, U | m, 2⋅𝔻 ∷ []] ⇒ x", "D0005", 1, "to others with `⧺`"),
    ("sλ . f : ℝ ⊸ ℝ ⇒ f", "D0005", 1, "expected `[` before the sensitivity of `⊸`"),
    ("sλ . f : ∀ . ℝ ⇒ f", "D0005", 1, "expected `⊸[…]` or `@`"),
    ("sλ . x : ℝ⁺ ⇒ x", "D0005", 1, "expected `[` after `ℝ⁺`"),
    ("sλ . x : ℝ⁺[-1] ⇒ x", "D0005", 1, "cannot contain a negative number"),
    ("sλ . x : ℝ[-a + b] ⇒ x", "D0005", 1, "a minus sign before a sum is unclear"),
    ("sλ . x : ⇒ x", "D0005", 1, "expected a type, found `⇒`"),
    (
        "pλ . x : ℝ ⇒\ny ← laplace[1.0, 2.0] <x> { x }\nreturn y",
        "D0005",
        3,
        "expected `;` after the privacy expression",
    ),
    ("pλ . x : ℝ ⇒\ny ← laplace[1.0 2.0] <x> { x };\nreturn y", "D0005", 2, "after the parameters of `laplace`"),
    ("pλ . x : ℝ ⇒\ny ← laplace[1.0, 2.0 <x> { x };\nreturn y", "D0006", 2, "`[` is not closed"),
    ("pλ . x : ℝ ⇒\ny ← laplace[1.0, 2.0] <x { x };\nreturn y", "D0005", 2, "between private names"),
    ("pλ . x : ℝ ⇒\ny ← laplace[1.0, 2.0] <x> x;\nreturn y", "D0005", 2, "expected `{` before the body of `laplace`"),
    ("pλ . x : ℝ ⇒\ny ← laplace[1.0, 2.0] <x> { x ;\nreturn y", "D0006", 2, "`{` is not closed"),
    ("pλ . x : ℝ ⇒\ny ← return x;", "D0005", 2, "expected an expression, found the end of the text"),
    *((f"pλ . x : ℝ ⇒ {choice}", "D0012", 1, "expected a privacy expression") for choice in ONE_BRANCH_RELEASES),
    ("pλ . x : ℝ ⇒\nx + 1", "D0012", 2, "expected a privacy expression"),
    ("pλ . x : ℝ ⇒\nlet y = 1 in\nx", "D0012", 3, "expected a privacy expression"),
    ("pλ . x : ℝ ⇒\nif a then return x else x", "D0012", 2, "expected a privacy expression"),
    (
        "pλ . x : ℝ ⇒\nlet y = laplace[1.0, 2.0] <x> { x } in\nreturn y",
        "D0011",
        2,
        "a privacy expression is not allowed",
    ),
    ("1.0 +\nreturn 2.0", "D0011", 2, "a privacy expression is not allowed here"),
    ("f@[1 . x]", "D0011", 1, "a privacy expression is not allowed here"),
    ("loop 3 on x <x> { i, y ⇒ return y }", "D0011", 1, "a privacy expression is not allowed here"),
    ("pλ . x : ℝ ⇒ return x\nensures ε < 1", "D0005", 2, "expected `≤` after `ε`"),
    ("if a then b", "D0005", 1, "expected `else` after the first branch of `if`"),
    ("if a\nb else c", "D0005", 2, "expected `then` after the condition of `if`"),
    ("case e { inl x ⇒ a, inr y ⇒ b }", "D0005", 1, "expected `;` after the first branch of `case`"),
    ("case e { inr x ⇒ a ; inl y ⇒ b }", "D0005", 1, "expected `inl` at the beginning of a branch"),
    ("loop 3 x { i, y ⇒ y }", "D0005", 1, "expected `on` after the count of `loop`"),
    ("loop 3 on x { i ⇒ i }", "D0014", 1, "`loop` binds 2 names here, not 1"),
    ("mmap xs { x y ⇒ x }", "D0005", 1, "expected `⇒` after the names that `mmap` binds"),
    ("mmap xs { x, y ⇒ x }", "D0014", 1, "`mmap` binds one name here, not 2"),
    ("mapDF xs, ys { x, y ⇒ x }", "D0014", 1, "`mapDF` takes one table, not 2"),
    ("mmap-row xs, ys, zs { x, y, z ⇒ x }", "D0014", 1, "`mmap-row` takes at most two tables, not 3"),
    ("zip[a]", "D0014", 1, "expected 2 expressions in the brackets, found 1"),
    ("clip[0.0] x", "D0014", 1, "expected 2 expressions in the brackets, found 1"),
    ("clip[0, 1, 2] x", "D0014", 1, "expected 2 expressions in the brackets, found 3"),
    ("chunks[a]", "D0014", 1, "expected 2 or 3 expressions in the brackets, found 1"),
    ("chunks[a, b, c, d]", "D0014", 1, "expected 2 or 3 expressions in the brackets, found 4"),
    ("join₁[a, b, c]", "D0014", 1, "expected 4 expressions in the brackets, found 3"),
    ("joinDF₁⧼a⧽[b]", "D0014", 1, "expected 2 expressions in the brackets, found 1"),
    ("joinDF[2]⧼a⧽[b]", "D0014", 1, "expected 2 expressions in the brackets, found 1"),
    ("mcreate[L1 | a, b] { i ⇒ i }", "D0014", 1, "`mcreate` binds 2 names here, not 1"),
    ("mfold-row a, b { i ⇒ i }", "D0014", 1, "`mfold-row` binds 2 names here, not 1"),
    ("mfilter a { i, j ⇒ i }", "D0014", 1, "`mfilter` binds one name here, not 2"),
    ("flat[2] a { i, j ⇒ i }", "D0014", 1, "`flat` binds one name here, not 2"),
    ("pλ x : ℝ ⇒ rand-nat[a]", "D0014", 1, "expected 2 expressions in the brackets, found 1"),
    ("pλ x : ℝ ⇒ pfld-rows[a, b, c, d]", "D0014", 1, "expected 5 expressions in the brackets, found 4"),
    (
        "pλ x : ℝ ⇒ aloop[a, b] c on d { i, x ⇒ return x }",
        "D0014",
        1,
        "expected one expression in the brackets, found 2",
    ),
    ("pλ x : ℝ ⇒ aloop[a] c on d { x ⇒ return x }", "D0014", 1, "`aloop` binds 2 names here, not 1"),
    (
        "pλ x : ℝ ⇒ parallel[a] { x ⇒ x } { k, p ⇒ return k }",
        "D0014",
        1,
        "expected 2 or 3 expressions in the brackets, found 1",
    ),
    ("pλ x : ℝ ⇒ parallel[a, b] { x, y ⇒ x } { k, p ⇒ return k }", "D0014", 1, "`parallel` binds one name here, not 2"),
    ("pλ x : ℝ ⇒ parallel[a, b] { x ⇒ x } { k ⇒ return k }", "D0014", 1, "`parallel` binds 2 names here, not 1"),
    ("pλ x : ℝ ⇒ mmapp a { x, y ⇒ return x }", "D0014", 1, "`mmapp` binds one name here, not 2"),
    ("pλ x : ℝ ⇒ sample[a, b] c { x ⇒ return x }", "D0014", 1, "expected one expression in the brackets, found 2"),
    ("pλ x : ℝ ⇒ sample[a] b, c { x ⇒ return x }", "D0014", 1, "`sample` binds 2 names here, not 1"),
    ("pλ x : ℝ ⇒ ZCDP[a, b] { return c }", "D0014", 1, "expected one expression in the brackets, found 2"),
    ("pλ x : ℝ ⇒ noisy-max[a, b] c { x, y ⇒ x }", "D0014", 1, "`noisy-max` binds one name here, not 2"),
    ("mclip xs", "D0005", 1, "expected `[` and a norm after `mclip`"),
    ("mclip[L3] xs", "D0010", 1, "expected the norm of `mclip`"),
    ("∇[θ; xs, ys]", "D0005", 1, "expected `|` after the loss of `∇`"),
    ("xs#[1, 2, 3]", "D0005", 1, "after the index"),
    ("f real x + 1.0", "D0005", 1, "`real` needs parentheses as an argument"),
    ("max(a, b)", "D0005", 1, "write `max` between its two arguments"),
    ("1.0 + -", "D0005", 1, "expected an expression after `-`, found the end of the text"),
    ("x +", "D0005", 1, "expected an expression after `+`, found the end of the text"),
    ("x + ⋅ y", "D0005", 1, "expected an expression after `+`, found `⋅`"),
    ("x + set", "D0005", 1, "found the reserved word `set`"),
    ("1 in 2", "D0005", 1, "expected the end of the program, found `in`"),
    ("a > in b", "D0005", 1, "expected an expression after `>`, found `in`"),
    ("a ∧ b >= ∧ d", "D0005", 1, "expected an expression after `>=`, found `∧`"),
    ("if (a) = 3 then b else c", "D0005", 1, "there is no operator `=`"),
    ("a.b = 3", "D0005", 1, "there is no operator `=`"),
    ("a && b", "D0005", 1, "there is no operator `&&`"),
    ("mmap xs { x ⇒ x || y }", "D0005", 1, "there is no operator `||`"),
    ("f not a", "D0005", 1, "`not` needs parentheses as an argument"),
    ("!b ∧ c", "D0001", 1, "`!` (U+0021)"),
    ("xs[0] + 1", "D0005", 1, "brackets alone do not select anything"),
    ("if xs[0] then 1 else 2", "D0005", 1, "brackets alone do not select anything"),
    ("sλ x : ℝ ⇒ f [3] x", "D0005", 1, "expected the end of the program, found `[`"),
    ('f row["age"] ⋅ 2.0', "D0005", 1, "brackets alone do not select anything"),
    ("pλ . x : ℝ ⇒ def y = 1 in return y", "D0005", 1, "a definition is allowed only at the top level of a file"),
    ("sλ x : ℝ ⇒ def y = 1 in y", "D0005", 1, "a definition is allowed only at the top level of a file"),
    ("pλ . x : ℝ ⇒ y = laplace[1.0, 1.0] <x> { x } ; return y", "D0005", 1, "bind a release with `←`"),
    ("x <-1", "D0005", 1, "`←` is not allowed in a sensitivity expression"),
    ("row. age", "D0005", 1, "there must be no space around the dot"),
    (".5 + 1.0", "D0005", 1, "a number needs a digit before its decimal point"),
    ("1. + 2.0", "D0005", 1, "a number needs a digit after its decimal point"),
    ("0.5.5 + 1.0", "D0005", 1, "a number can have only one decimal point"),
    ("opaque f : ℝ", "D0005", 1, "expected the location of a function"),
    ("x $ y", "D0001", 1, "`$` (U+0024) cannot begin a word or a symbol"),
    ("_x + y", "D0001", 1, "`_` (U+005F) cannot begin"),
    ("x · y", "D0001", 1, "`·` (U+00B7) is not a symbol of the language"),
    ("x − y", "D0001", 1, "`−` (U+2212) is not a symbol of the language"),
    ("x\u200b + y", "D0001", 1, "an invisible character (U+200B)"),
    ("x̂ + 1", "D0001", 1, "contains U+0302, which cannot be part of a name"),
    ("1e500 + x", "D0002", 1, "this number is too long"),
    ("1" * 41, "D0002", 1, "this number is too long"),
    ("sλ . x : ℕ[1e401] ⇒ x", "D0002", 1, "this number is too long"),
    ("2x + 1", "D0002", 1, "`2x` is neither a number nor a name"),
    ('"abc\n+ x', "D0004", 1, "this text is never closed"),
    (r'"a\qb"', "D0004", 1, r"`\q` is not an escape"),
    ("x + {- {- -}\ny", "D0004", 1, "this comment is never closed"),
    ("", "D0007", 1, "the program is empty"),
    ("-- only a comment", "D0007", 1, "the program is empty"),
    ("notion foo; 1", "D0008", 1, "`foo` is not a notion of privacy"),
    ("notion zcdp 1", "D0008", 1, "expected `;` after `notion zcdp`"),
    ("import foo; 1", "D0008", 1, "expected a path after `import`"),
    ('import "foo"\n1', "D0008", 2, "expected `;` after the path of `import`"),
    ("1\ndef f = 2", "D0008", 2, "a definition cannot follow the program's expression"),
    ("def f = 1\ndef = 2\ndef g = 3", "D0005", 2, "expected the name of a definition"),
    ("def f 1\ndef g = 3", "D0005", 1, "expected `=` after `def f`"),
    ("def f = 1\ndef g = (2\ndef h = 3", "D0006", 3, "`(` is not closed"),
    ("sλ . x : " + "(" * 101 + "ℝ" + ")" * 101 + " ⇒ x", "D0009", 1, "nested too deeply"),
    ("ℕ[" + "1 + " * 101 + "1]", "D0009", 1, "nested too deeply"),
    ("sλ . x : 𝕄 [L1, U | m, " + "ℝ ∷ " * 151 + "[]] ⇒ x", "D0009", 1, "too many columns"),
]


def parse(text: str) -> tuple[ast.File, list[Diagnostic]]:
    file, diagnostics = parse_file(Source("<test>", text), notions=NOTION_WORDS)
    return file, [d for d in diagnostics if d.is_error]


def line_of(diagnostic: Diagnostic) -> int:
    assert diagnostic.span is not None
    return diagnostic.span.begin[0]


@pytest.mark.parametrize(("text", "code", "line", "message"), SINGLE_MISTAKES)
def test_one_mistake_is_told_of_once(text: str, code: str, line: int, message: str) -> None:
    _, errors = parse(text)
    assert [(d.code, line_of(d)) for d in errors] == [(code, line)]
    assert message in errors[0].message
    assert errors[0].help


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("е + 1", "D0003", "`е` is not `e`"),
        ("аge + age", "D0003", "`аge` is not `age`"),
        ("ｘ + 1", "D0003", "`ｘ` is not `x`"),
        ("𝑥 + x", "D0003", "`𝑥` is not `x`"),
        ("𝜀 + ε", "D0003", "`𝜀` is not `ε`"),
        ("m𝟏 + 1", "D0003", "`m𝟏` is not `m1`"),
        ("𝔻𝑥 + 1", "D0003", "`𝔻𝑥` is not `𝔻x`"),
        ('"\u202eabc"', "D0003", "U+202E changes the order"),
        ("1 -- \u2066 x", "D0003", "U+2066 changes the order"),
        ("1 -- at most\u2028+ 1", "D0003", "U+2028 may look like the end of a line"),
        ("1 {- \x1b[2K -}", "D0003", "U+001B may look like the end of a line"),
        ('"a\x0bb"', "D0003", "U+000B may look like the end of a line"),
        ("a ≟ b", "D0015", "`≟` is read as subtraction"),
        ("a ∨ b ∧ c ∨ d", "D0017", "`∧` applies to the result of `∨`"),
        ("a ⋅ b % c / d ⋅ e % f", "D0017", "`⋅` applies to the result of `%`"),
    ],
)
def test_warnings(text: str, code: str, message: str) -> None:
    _, diagnostics = parse_file(Source("<test>", text))
    assert [(d.code, d.is_error) for d in diagnostics] == [(code, False)]
    assert message in diagnostics[0].message


@pytest.mark.parametrize("choice", ONE_BRANCH_RELEASES)
def test_one_branch_that_releases_makes_a_choice_release(choice: str) -> None:
    file, errors = parse(f"sλ . x : ℝ ⇒ {choice}")
    assert [error.code for error in errors] == ["D0011"]
    assert isinstance(file.body, ast.Lam)
    assert isinstance(file.body.body, ast.Hole)


@pytest.mark.parametrize("body", ["1.0 + (y ← return x ; y)", "⟨return x, 1.0⟩", "(if b then (return x) else x) + 1.0"])
def test_a_release_where_none_can_stand_is_told_of_once(body: str) -> None:
    _, errors = parse(f"pλ . x : ℝ ⇒ {body}")
    assert [error.code for error in errors] == ["D0011"]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("(a ∨ b) ∧ c", "(a ∨ b) ∧ c"),
        ("a ∧ b ∨ (c ∧ d)", "a ∧ b ∨ (c ∧ d)"),
        ("(a ∧ b) ∨ c", "a ∧ b ∨ c"),
        ("(a ⋅ b) % c", "(a ⋅ b) % c"),
        ("a ⋅ (b % c)", "a ⋅ (b % c)"),
        ("(a % b) ⋅ (c / d)", "a % b ⋅ c / d"),
    ],
)
def test_parentheses_say_what_most_languages_group_the_other_way(text: str, printed: str) -> None:
    file, diagnostics = parse_file(Source("<test>", text))
    assert file.body is not None
    assert not diagnostics
    assert show_expression(file.body) == printed


@pytest.mark.parametrize("text", ["ε + δ′ + θ₁ + gₚ + μ", "sλ x : 𝐝 𝕊 × 𝔻 ⇒ x", "сумма + 1", "Ω + 1", "ℓ + 1"])
def test_letters_that_nobody_confuses(text: str) -> None:
    assert parse_file(Source("<test>", text))[1] == ()


def test_several_mistakes_are_told_of_in_one_run() -> None:
    text = """\
let f = sλ . x : ℝ ⇒ x + in
let g = sλ . y : ⇒ y in
let h = 2x in
let k = zip[f] in
f (g 1.0
"""
    _, errors = parse(text)
    assert [(d.code, line_of(d)) for d in errors] == [
        ("D0005", 1),
        ("D0005", 2),
        ("D0002", 3),
        ("D0014", 4),
        ("D0006", 5),
    ]


def test_a_privacy_program_with_several_mistakes() -> None:
    text = """\
let main = pλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅𝔻] ⇒
  a ← laplace[1.0, ] <xs> { xs };
  b ← gauss 1.0 <xs> { xs };
  c ← loop 3 on a <xs> { i x ⇒ return x };
  d ← return ℝ⁺[;
  x + 1
in
main
"""
    _, errors = parse(text)
    assert [line_of(d) for d in errors] == [2, 3, 4, 5, 6]


def test_a_label_points_at_the_bracket_that_was_opened() -> None:
    _, (error,) = parse("let x = f (1 +\n 2 in x")
    assert [(label.span.begin, label.message) for label in error.labels] == [((1, 11), "opened here")]


def test_what_is_around_a_mistake_is_still_read() -> None:
    file, errors = parse("let f = sλ . x : ⇒ x in let g = 2 in f ( + ) g")
    assert len(errors) == 2
    assert isinstance(file.body, ast.Let)
    assert isinstance(file.body.bound, ast.Hole)
    inner = file.body.body
    assert isinstance(inner, ast.Let)
    assert isinstance(inner.bound, ast.NatLit)
    assert isinstance(inner.body, ast.App)
    assert isinstance(inner.body.argument, ast.Var)


def test_what_was_read_in_parentheses_is_kept_when_they_do_not_close_there() -> None:
    for text in ("(a ⇒ b) + c", "((a ⇒ b)) + c", "((a) ⇒ b) + c"):
        file, diagnostics = parse(text)
        assert len(diagnostics) == 1
        assert isinstance(file.body, ast.Prim)
        assert [side.name for side in file.body.args if isinstance(side, ast.Var)] == ["a", "c"]
    file, _ = parse("(((a, b))) + c")
    assert isinstance(file.body, ast.Prim)
    assert isinstance(file.body.args[0], ast.Hole)


def test_a_word_is_no_name_after_the_scope_that_binds_it() -> None:
    """The binding ends with the function, and so before the word that would be an argument of the function."""
    file, errors = parse("pλ . x : ℝ ⇒ ensures ← return 1.0; return 1.0 ensures")
    assert [error.code for error in errors] == ["D0005"]
    assert "the scope in which it is a name has ended" in errors[0].message
    assert holes(file)


def test_definitions_are_read_one_by_one() -> None:
    file, errors = parse("def f = (1 + [2\ndef g = ) 3\ndef h = 4\nf")
    assert {d.name.text for d in file.definitions} == {"f", "g", "h"}
    assert {line_of(d) for d in errors} <= {1, 2}


def test_a_type_that_could_not_be_read() -> None:
    type_, diagnostics = parse_type_text(Source("<test>", "ℝ × "))
    assert type_ is None
    assert [d.code for d in diagnostics] == ["D0005"]
    type_, diagnostics = parse_type_text(Source("<test>", "ℝ ℝ"))
    assert type_ is not None
    assert [d.code for d in diagnostics] == ["D0005"]


def test_no_more_is_told_than_a_person_reads() -> None:
    assert len(parse("x $ " * 1000)[1]) == MAX_DIAGNOSTICS
    assert len(parse("let x = in " * 1000)[1]) == MAX_DIAGNOSTICS


def holes(file: ast.File) -> int:
    count, stack = 0, [ast.Node(file.span), *children(file)]
    while stack:
        node = stack.pop()
        count += isinstance(node, (ast.Hole, ast.PHole))
        stack.extend(children(node))
    return count


def test_a_missing_token_is_seldom_told_of_twice() -> None:
    """Take each token out of each program, one at a time; in brief, each twentieth."""
    told: Counter[int] = Counter()
    texts = [path.read_text(encoding="utf-8") for path in PROGRAMS]
    cases = [(text, token) for text in texts for token in tokenize(Source("<test>", text))[0][:-1]]
    for text, token in cases[:: len(cases) // often(len(cases), len(cases) // 20)]:
        file, errors = parse(text[: token.start] + " " * (token.end - token.start) + text[token.end :])
        told[len(errors)] += 1
        assert errors or not holes(file)
    assert max(told) <= 6
    assert told[0] + told[1] >= 0.98 * told.total()
    assert told[1] >= 0.9 * told.total()


def test_a_heading_that_is_no_name_is_told_how_it_is_written() -> None:
    _, (first, *_) = parse_file(Source("x.duet", "pλ xs : 𝔻𝔽[customer id : 𝕊] ⇒ return 1"))
    assert "a heading that is not a single word stands in quotation marks" in (first.help or "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        (" a", "begins or ends with a space"),
        (r"a\u{202e}b", "contains an invisible character"),
        (201 * "a", "more than 200"),
    ],
)
@pytest.mark.parametrize(
    "place",
    [
        'pλ xs : 𝔻𝔽["{}" : 𝕊] ⇒ return 1',
        'pλ xs : 𝕄 [L∞, U | ★, "{}" : 𝕊 ∷ []] ⇒ return 1',
        'pλ xs : 𝔻𝔽[a : 𝕊] ⇒ return {{ "{}" = 1 }}',
        'sλ xs : 𝔻𝔽[a : 𝕊] ⇒ mmap xs {{ r ⇒ r."{}" }}',
        'sλ xs : 𝔻𝔽[a : 𝕊] ⇒ mmap xs {{ r ⇒ r.[a, "{}"] }}',
        'sλ xs : 𝔻𝔽[a : 𝕊] ⇒ mmap xs {{ r ⇒ r⧼"{}"⧽ }}',
        'sλ xs : 𝔻𝔽[a : 𝕊] ⇒ partitionDF[xs, "{}", ℘{{"x"}}]',
    ],
)
def test_a_text_that_can_head_no_column_is_refused_wherever_a_column_is_named(place: str, text: str, said: str) -> None:
    _, errors = parse_file(Source("x.duet", place.format(text)))
    assert [error.code for error in errors] == ["D0005"]
    assert said in errors[0].message
    assert parse_file(Source("x.duet", place.format("annual income")))[1] == ()


@pytest.mark.parametrize(
    ("name", "written"),
    [
        *((word, word) for word in ("age", "in", "Real", "max", "derived-map", "größe", "x'", "ℕ", "L∞")),
        *(
            (text, f'"{text}"')
            for text in ("annual income", "2019", "Real+", "a.b", "-", "_", "é\u0301", "a--b", "{-", "")
        ),
        ('a "b"\\', '"a \\"b\\"\\\\"'),
    ],
)
def test_a_column_is_written_as_a_word_where_it_is_one(name: str, written: str) -> None:
    assert label_text(name) == written
    if name:
        text = f"sλ . x : 𝔻𝔽[{written} : ℝ] ⇒ mapDF x {{ r ⇒ {{ {written} = r.{written} }} }}"
        file, errors = parse_file(Source("x.duet", text))
        assert errors == ()
        assert show_file(file) == f"{text}\n"
