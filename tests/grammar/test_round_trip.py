"""Reading what is printed gives the same tree, in either spelling and at any width."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetpy.grammar import ast
from duetpy.grammar.compare import children, same
from duetpy.grammar.layout import on_one_line
from duetpy.grammar.parser import parse_file, parse_rexp_text, parse_type_text
from duetpy.grammar.pretty import Printer, show_expression, show_file, show_rexp, show_schema, show_type
from duetpy.source import Source
from tests.effort import often
from tests.grammar.trees import NOWHERE, Trees

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.duet"))


def read(text: str) -> ast.File:
    file, diagnostics = parse_file(Source("<test>", text))
    assert not [d for d in diagnostics if d.is_error], (text, diagnostics)
    return file


@settings(max_examples=often(300, 40), derandomize=True, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 60), st.booleans(), st.sampled_from((1, 30, 100, 10**6)))
def test_printed_files_read_back(seed: int, size: int, ascii: bool, width: int) -> None:
    file = Trees(Random(seed), size).file()
    assert same(file, read(show_file(file, ascii, width)))


@settings(max_examples=often(200, 30), derandomize=True, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 40), st.booleans())
def test_printed_types_read_back(seed: int, size: int, ascii: bool) -> None:
    type_ = Trees(Random(seed), size).type()
    again, diagnostics = parse_type_text(Source("<test>", show_type(type_, ascii)))
    assert not diagnostics
    assert same(type_, again)


@settings(max_examples=often(200, 30), derandomize=True, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 30), st.booleans())
def test_printed_formulas_read_back(seed: int, size: int, ascii: bool) -> None:
    rexp = Trees(Random(seed), size).rexp()
    again, diagnostics = parse_rexp_text(Source("<test>", show_rexp(rexp, ascii)))
    assert not diagnostics
    assert same(rexp, again)


@settings(max_examples=often(100, 15), derandomize=True, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 40), st.booleans())
def test_expressions_on_one_line_read_back(seed: int, size: int, ascii: bool) -> None:
    expression = Trees(Random(seed), size).sexp()
    text = show_expression(expression, ascii)
    assert "\n" not in text
    assert same(expression, read(text).body)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("ascii", [False, True])
def test_programs_read_back(path: Path, ascii: bool) -> None:
    file = read(path.read_text(encoding="utf-8"))
    printed = show_file(file, ascii)
    assert same(file, read(printed))
    assert show_file(read(printed), ascii) == printed
    if ascii:
        assert same(file, read(show_file(read(printed))))


def test_the_generator_reaches_every_class() -> None:
    seen: set[type[ast.Node]] = set()
    for seed in range(400):
        stack: list[ast.Node] = [Trees(Random(seed), 60).file()]
        while stack:
            node = stack.pop()
            seen.add(type(node))
            stack.extend(children(node))
    unreached = {"Hole", "PHole", "PrimitiveDecl", "PrimitiveFact", "End", "Node"}
    every = {value for value in vars(ast).values() if isinstance(value, type) and issubclass(value, ast.Node)}
    assert {cls.__name__ for cls in every - seen} <= unreached


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0.0"),
        (Fraction(2), "2.0"),
        (Fraction(1, 2), "0.5"),
        (Fraction(1, 10**4), "0.0001"),
        (Fraction(1, 10**6), "1e-6"),
        (Fraction(123, 10**8), "1.23e-6"),
        (Fraction(10**15), "1000000000000000.0"),
        (Fraction(10**16), "1e16"),
        (Fraction(1, 3), "1.0/3.0"),
        (Fraction(12 * 10**400), "12e400"),
        (Fraction(12, 10**404), "0.0012e-400"),
    ],
)
def test_numbers(value: Fraction, text: str) -> None:
    assert show_rexp(ast.RNum(NOWHERE, value, True)) == text
    again, diagnostics = parse_rexp_text(Source("<test>", text))
    assert not diagnostics
    if "/" not in text:
        assert same(again, ast.RNum(NOWHERE, value, True))


@settings(max_examples=often(300, 40), derandomize=True)
@given(st.integers(0, 10**40 - 1), st.integers(0, 40), st.integers(-400, 400))
def test_every_number_that_can_be_written_reads_back(digits: int, point: int, exponent: int) -> None:
    padded = str(digits).rjust(2, "0")
    point = min(point, len(padded) - 1)
    text = f"{padded[: len(padded) - point]}.{padded[len(padded) - point :] or 0}e{exponent}"
    number, diagnostics = parse_rexp_text(Source("<test>", text))
    if sum(c.isdigit() for c in text.partition("e")[0]) > 40:
        assert [d.code for d in diagnostics] == ["D0002"]
        return
    assert not diagnostics
    assert isinstance(number, ast.RNum)
    assert number.value == Fraction(text)
    again, diagnostics = parse_rexp_text(Source("<test>", show_rexp(number)))
    assert not diagnostics
    assert same(number, again)


@settings(max_examples=often(150, 20), derandomize=True, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 60))
def test_spellings_mix(seed: int, size: int) -> None:
    class Mixed(Printer):
        def sign(self, kind: str) -> str:
            self.ascii = choices.random() < 0.5
            return super().sign(kind)

        def type_sign(self, kind: str) -> str:
            self.ascii = choices.random() < 0.5
            return super().type_sign(kind)

    choices = Random(seed)
    expression = Trees(Random(seed), size).sexp()
    printer = Mixed(ascii=False)
    assert same(expression, read(on_one_line(printer.sexp(expression))).body)


def test_a_twin_that_is_bound_is_not_used() -> None:
    text = "let max = x in max ⊔ y"
    assert show_file(read(text), ascii=True) == "let max = x in\nmax ⊔ y\n"
    assert show_file(read("x ⊔ let max = y in max"), ascii=True) == "x\nmax (\n  let max = y in\n  max\n)\n"


@pytest.mark.parametrize(
    "text",
    [
        "def max = 1; max ⊔ y",
        "let ⟨max, x⟩ = y in max ⊔ x",
        "let ⟨x, max⟩ = y in x ⊔ max",
        "sλ max ⇒ max ⊔ y",
        "pλ max ⇒ return max ⊔ y",
        "pλ ⟨x, max⟩ ⇒ return x ⊔ max",
        "pλ y ⇒ let max = y in return max ⊔ y",
        "pλ y ⇒ let ⟨max, x⟩ = y in return max ⊔ x",
        "pλ y ⇒ let ⟨x, max⟩ = y in return x ⊔ max",
        "pλ y ⇒ max ← f@[ . y] ; return max ⊔ y",
        "case y { inl max ⇒ max ⊔ y ; inr x ⇒ x ⊔ y }",
        "case y { inl x ⇒ x ⊔ y ; inr max ⇒ max ⊔ y }",
        "case y { some max ⇒ max ⊔ y ; none ⇒ y ⊔ 1 }",
        "mmap xs, ys { x, max ⇒ x ⊔ max }",
        "sλ sqrt : ℝ⁺ . x : ℝ⁺[√ sqrt] ⇒ x",
        "sλ f : ∀ sqrt : ℝ⁺ . ℝ⁺[√ sqrt] ⊸[1] ℝ ⇒ f",
    ],
)
def test_whatever_binds_a_twin_it_is_not_used_there(text: str) -> None:
    tree = read(text)
    assert same(tree, read(show_file(tree, ascii=True)))


@pytest.mark.parametrize("word", ["max", "min"])
def test_a_promise_is_not_taken_apart_by_a_word_that_is_bound(word: str) -> None:
    """`max n` after a bound would be two arguments of the function that makes the promise."""
    tree = read(f"sλ {word} : ℝ ⇒ (pλ n : ℝ⁺ . y : ℝ ⇒ return 1.0 ensures ε ≤ (2 {word} n))")
    text = show_file(tree, ascii=True)
    assert f"ensures eps <= (2 {word} n)" in text
    assert same(tree, read(text))


def test_ascii_is_ascii() -> None:
    text = "pλ m : ℕ . xs : 𝕄 [L∞, L2≤2.5 | ★, a : 𝔻 ∷ 3⋅𝐝 ℕ ⧺ []] ⇒ y ← laplace[√ s ⊔ ㏒ t, e] <xs> { fst ⟨a, b⟩ }; return y"
    printed = show_file(read(text), ascii=True)
    assert printed.isascii()
    assert same(read(printed), read(text))


@pytest.mark.parametrize(
    "text",
    [
        "ℝ ⊸[1] ℝ ⊸[2⋅b] ℝ",
        "(ℝ ⊸[1] ℝ) ⊸[∞] ℝ",
        "∀ m : ℕ, τ : ☆K . 𝕄 [L∞, U | m, n⋅τ] ⊸[√n/2] 𝐝 τ",
        "∀ . ℝ@⟨ε, δ⟩, 𝔻@∞ ⊸⋆ 𝔹",
        "𝕄 [L1, L2≤b | ★, age : 𝔻 ∷ 𝐝 𝕊 ∷ (2⋅ℝ ⧺ s)]",
        "box[x@2, y@1/m] ℝ × 𝔻 & ℕ[n]",
        "ℝ[-2⋅a] + ℝ[0.5] + ℝ⁺[r ⊔ s]",
        "𝔻𝔽[age : ℕ, state : 𝕊]",
        "℘(bag (ℝ + 𝕀[n ⊓ m]))",
    ],
)
def test_how_types_are_shown(text: str) -> None:
    type_, diagnostics = parse_type_text(Source("<test>", text))
    assert not diagnostics
    assert type_ is not None
    assert show_type(type_) == text


def test_how_schemas_are_shown() -> None:
    schema = ast.SCons(NOWHERE, "age", ast.TDisc(NOWHERE, ast.TBase(NOWHERE, "ℝ")), ast.SEmpty(NOWHERE))
    assert show_schema(schema) == "age : 𝔻 ∷ []"
    assert show_schema(schema, ascii=True) == "age : Disc :: []"


def test_layout() -> None:
    text = """
    let f = sλ . x : ℝ ⇒ x + 1.0 in pλ . xs : 𝕄 [L∞, U | m, n⋅𝔻] ⇒ y ← loop k on z <xs> { i, a ⇒
    let b = f a in laplace[1.0, ε] <xs> { b } }; return y ensures ε ≤ 1
    """
    assert show_file(read(text)) == (
        "let f = sλ . x : ℝ ⇒ x + 1.0 in\n"
        "pλ . xs : 𝕄 [L∞, U | m, n⋅𝔻] ⇒\n"
        "  y ← loop k on z <xs> { i, a ⇒\n"
        "    let b = f a in\n"
        "    laplace[1.0, ε] <xs> { b }\n"
        "  };\n"
        "  return y\n"
        "  ensures ε ≤ 1\n"
    )
