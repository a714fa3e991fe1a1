"""What is read as another form, and is its tree: `>`, `≥`, `≠`, `not` and a minus before an operand."""

from __future__ import annotations

from random import Random

import pytest

from duetpy.grammar import ast
from duetpy.grammar.compare import same
from duetpy.grammar.parser import parse_file
from duetpy.grammar.pretty import show_file
from duetpy.source import Source
from tests.effort import often
from tests.grammar.test_fuzz import PROGRAMS, check

READ_AS = [
    ("a > b", "b < a"),
    ("a >= b", "b ≤ a"),
    ("a ≥ b", "b ≤ a"),
    ("a>b", "b < a"),
    ("a>-1", "-1 < a"),
    ("a + 1 > b ⋅ 2 ∧ c", "(b ⋅ 2 < a + 1) ∧ c"),
    ("a > b > c", "c < (b < a)"),
    ("a == b", "a ≡ b"),
    ("a != b", "(a ≡ b) ≡ false"),
    ("a ≠ b ∧ c", "((a ≡ b) ≡ false) ∧ c"),
    ("not a", "a ≡ false"),
    ("¬a", "a ≡ false"),
    ("not not a", "(a ≡ false) ≡ false"),
    ("not(a)", "a ≡ false"),
    ("not f x", "f x ≡ false"),
    ("not a and b", "(a ≡ false) ∧ b"),
    ("not a == b", "(a ≡ b) ≡ false"),
    ("not x < y or z", "((x < y) ≡ false) ∨ z"),
    ("a == not b", "a ≡ (b ≡ false)"),
    ("a ∧ not b ∧ c", "a ∧ (b ≡ false) ∧ c"),
    ("if not a then b else c", "if a ≡ false then b else c"),
    ("-x", "0.0 - x"),
    ("- x", "0.0 - x"),
    ("-x + y", "(0.0 - x) + y"),
    ("-x ⋅ y", "(0.0 - x) ⋅ y"),
    ("x - -y", "x - (0.0 - y)"),
    ("x ⋅ -y", "x ⋅ (0.0 - y)"),
    ("-f x", "0.0 - f x"),
    ("-row.age", "0.0 - row.age"),
    ("-xs#[0, 1]", "0.0 - xs#[0, 1]"),
    ("--\n-x", "0.0 - x"),
    ("- -x", "0.0 - (0.0 - x)"),
    ("-(3)", "0.0 - 3"),
    ("f (-x)", "f (0.0 - x)"),
    ("real -x", "real (0.0 - x)"),
    ("⟨-x, -y⟩", "⟨0.0 - x, 0.0 - y⟩"),
    ("clip[-b, b] -x", "clip[0.0 - b, b] (0.0 - x)"),
    # A minus that touches a number belongs to it, and one after an operand subtracts.
    ("-3", "(-3)"),
    ("f -x", "f - x"),
    ("def y = 3\n- x", "def y = 3 - x"),
]


def read(text: str) -> ast.File:
    file, diagnostics = parse_file(Source("<test>", text))
    assert diagnostics == (), (text, diagnostics)
    return file


@pytest.mark.parametrize(("text", "meant"), READ_AS)
def test_it_is_the_tree_of_the_other_form(text: str, meant: str) -> None:
    file = read(text)
    assert same(file, read(meant))
    for ascii in (False, True):
        printed = show_file(file, ascii)
        assert printed == show_file(read(printed), ascii)
        assert same(file, read(printed))


def test_the_names_between_angle_brackets_are_a_list_all_the_same() -> None:
    text = "pλ . x : ℝ ⇒ laplace[1.0, 2.0] <x> { if x > y then x else y }"
    file = read(text)
    assert isinstance(file.body, ast.PLam)
    assert isinstance(file.body.body, ast.Mechanism)
    assert [name.text for name in file.body.body.private or ()] == ["x"]
    assert same(file, read(text.replace("x > y", "y < x")))


def test_a_word_that_a_program_binds_is_its_name() -> None:
    file = read("let not = sλ b : 𝔹 ⇒ b in not true")
    assert isinstance(file.body, ast.Let)
    assert isinstance(file.body.body, ast.App)
    assert same(read("row.not"), read("row⧼not⧽"))
    assert isinstance(read("def not = sλ b : 𝔹 ⇒ b\nnot true").body, ast.App)


def test_every_part_stands_where_it_was_written() -> None:
    text = "a >= not -b"
    body = read(text).body
    assert isinstance(body, ast.Prim)
    denied, a = body.args
    assert isinstance(denied, ast.Prim)
    assert [body.span.text, a.span.text, denied.span.text] == [text, "a", "not -b"]
    minus, false = denied.args
    assert isinstance(minus, ast.Prim)
    assert [false.span.text, minus.span.text] == ["not", "-b"]
    assert [part.span.text for part in minus.args] == ["-", "b"]


REFUSED = [
    ("!a", "D0001", "write `not a` (or `¬ a`)"),
    ("a && b", "D0005", "write `∧` (or `and`)"),
    ("if (a) = 3 then b else c", "D0005", "write `≡` (or `==`) to compare"),
    ("f not x", "D0005", "put the argument in parentheses: `( … )`"),
    ("x <-1", "D0005", "use `←` only in privacy expressions; for a comparison, write a space: `x < -1`"),
    ("a >", "D0005", "write an expression here"),
    ("> a", "D0005", "write an expression here"),
    ("not", "D0005", "write an expression here"),
    ("-", "D0005", "write an expression here"),
    ("sλ x : ℕ[-n] ⇒ x", "D0005", "write `ℝ[-…]`"),
]


@pytest.mark.parametrize(("text", "code", "advice"), REFUSED)
def test_what_stays_refused(text: str, code: str, advice: str) -> None:
    _, diagnostics = parse_file(Source("<test>", text))
    assert [(told.code, told.help) for told in diagnostics] == [(code, advice)]


CHANGES = [("≤", "≥"), ("≡", "≠"), (" < ", " > "), ("- ", "- -"), ("if ", "if not "), (".0", ""), ("1.0", "-x")]


def test_programs_in_this_style_are_read_and_printed() -> None:
    for seed in range(often(2_000, 40)):
        random = Random(seed)
        text = random.choice(PROGRAMS)
        for sign, other in CHANGES:
            text = text.replace(sign, other) if random.random() < 0.5 else text
        check(text)
