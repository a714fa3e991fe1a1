"""Deep and large programs end in a tree or in diagnostics, and never in the depths of the stack."""

from __future__ import annotations

import sys

import pytest

from duetpy.grammar import ast
from duetpy.grammar.build_types import MAX_COLUMNS, MAX_HEIGHT
from duetpy.grammar.compare import height, same
from duetpy.grammar.parser import parse_file, parse_rexp_text, parse_type_text
from duetpy.grammar.pretty import show_expression, show_file
from duetpy.source import Source
from tests.effort import often

DEEP = 10_000
ENOUGH = often(2_000, 1_050)
"""Deeper than the call stack, and quick."""

FEW = often(200, 100)
"""Deep enough to tell what grows with the square of the depth, and that the largest number of mistakes is reported."""

PRIVATE = "pλ . x : ℝ ⇒ "


def well_formed(deep: int) -> dict[str, str]:
    return {
        "lets": "".join(f"let x{i} = y + {i} in\n" for i in range(deep)) + "x",
        "lets in lets": "let x = " * deep + "1" + " in x" * deep,
        "pairs of names": "let ⟨a, b⟩ = p in " * deep + "a",
        "parentheses": "(" * deep + "1" + ")" * deep,
        "functions": "sλ . x : ℝ ⇒ " * deep + "x",
        "privacy functions": "pλ . x : ℝ ⇒ return " * deep + "x",
        "binds": PRIVATE + "".join(f"y{i} ← laplace[1.0, 2.0] <x> {{ x }};\n" for i in range(deep)) + "return x",
        "binds in binds": PRIVATE + "y ← " * deep + "return 1" + "; return y" * deep,
        "private parentheses": PRIVATE + "(" * deep + "return x" + ")" * deep,
        "parentheses around a function": PRIVATE + "(" * deep + "f" + ")" * deep + "@[ . x]",
        "pairs": "⟨1, " * deep + "1" + "⟩" * deep,
        "applications": "f (" * deep + "1" + ")" * deep,
        "arguments": "f" + " x" * deep,
        "subscripts": "x" + "#[1, 2]" * deep,
        "fields": "x" + ".age" * deep,
        "prefixes": "real " * deep + "x",
        "roots": "√ " * deep + "x",
        "sums": "1 + " * deep + "1",
        "comparisons": "a < " * deep + "b",
        "comparisons turned round": "a > " * deep + "b",
        "denials": "not " * deep + "b",
        "minus signs": "- " * deep + "b",
        "choices": "if a then b else " * deep + "c",
        "choices in braces": "if a then { " * deep + "c" + " } else { d }" * deep,
        "private choices": PRIVATE + "if a then { " * deep + "return c" + " } else { return d }" * deep,
        "cases": "case a { inl x ⇒ x ; inr y ⇒ " * deep + "y" + " }" * deep,
        "loops": "loop 3 on x { i, y ⇒ " * deep + "y" + " }" * deep,
        "loops on loops": "loop 3 on " * deep + "y" + " { i, y ⇒ y }" * deep,
        "private loops": PRIVATE + "loop 3 on x { i, y ⇒ " * deep + "return y" + " }" * deep,
        "sets": "℘{" * deep + "1" + "}" * deep,
        "definitions": "".join(f"def x{i} = {i}\n" for i in range(deep)),
        "parameters": "sλ . " + ", ".join(f"x{i} : ℝ" for i in range(deep)) + " ⇒ x0",
        "kinds": "sλ " + ", ".join(f"m{i} : ℕ" for i in range(deep)) + " . x ⇒ x",
        "a long list": "℘{" + "1, " * deep + "1}",
    }


def ill_formed(deep: int) -> dict[str, str]:
    return {
        "open parentheses": "(" * deep,
        "open brackets of two kinds": "f ([" * deep,
        "closed brackets": ")" * deep,
        "crossed brackets": "([{" + "]" * deep,
        "lets without an expression": "let x = 1 + in\n" * deep + "x",
        "lets without in": "let x = 1\n" * deep,
        "only let": "let " * deep,
        "only bindings": "x = " * deep,
        "only names and arrows": "sλ x y " * deep,
        "matrices": "sλ . x : " + "𝕄 [L1, U | m, 2⋅" * deep + "ℝ" + "]" * deep + " ⇒ x",
        "matrices without end": "sλ . x : " + "𝕄 [L1, U | m, " * deep,
        "types in parentheses": "sλ . x : " + "(" * deep + "ℝ" + ")" * deep + " ⇒ x",
        "function types": "sλ . x : " + "ℝ ⊸[1] " * deep + "ℝ ⇒ x",
        "quantified types": "sλ . x : " + "∀ . " * deep + "ℝ" + " ⊸[1] ℝ" * deep + " ⇒ x",
        "bags": "sλ . x : " + "bag " * deep + "ℝ ⇒ x",
        "products": "sλ . x : " + "ℝ × " * deep + "ℝ ⇒ x",
        "records": "sλ . x : " + "record[a : " * deep + "ℝ" + "]" * deep + " ⇒ x",
        "columns": "sλ . x : 𝕄 [L1, U | m, " + "ℝ ∷ " * deep + "[]] ⇒ x",
        "sums of sizes": "ℕ[" + "1 + " * deep + "1]",
        "sizes in parentheses": "ℕ[" + "(" * deep + "1" + ")" * deep + "]",
        "open definitions": "".join(f"def x{i} = (1\n" for i in range(deep)),
        "open comments": "{-" * deep,
        "open texts": '"abc\n' * deep,
        "wrong characters": "x # $ ~ " * deep,
        "points": "x. " * deep,
        "arrows": "x ← " * deep,
        "closed brackets and wrong characters": "x ) $\n" * deep,
        "missing brackets": "sλ . x : ℝ⁺ 2 ⇒ ) ) ) ;" * deep,
        "name lists": "a < b, c " * deep,
        "cases without a second branch": "case e { inl x ⇒ " * deep + "x" + "}" * deep,
        "open brackets and signs that end things": "⟨(" * deep + "x" + ";" * deep,
        "braces in place of an operand": "{a > not " * deep + "x" + ")" * deep,
        "choices and commas": "if a then " * deep + "x" + "," * deep,
    }


def read_and_print(text: str) -> None:
    file, diagnostics = parse_file(Source("<test>", text))
    assert not diagnostics
    again, diagnostics = parse_file(Source("<test>", show_file(file)))
    assert not diagnostics
    assert same(file, again)
    if file.body is not None:
        assert "\n" not in show_expression(file.body, ascii=True)


@pytest.mark.sparse(3)
@pytest.mark.parametrize("name", sorted(well_formed(0)))
def test_deep_programs_are_read_and_printed(name: str) -> None:
    read_and_print(well_formed(ENOUGH)[name])


@pytest.mark.sparse(6)
@pytest.mark.parametrize("name", ["lets", "lets in lets", "parentheses", "functions", "binds", "binds in binds"])
def test_the_deepest_programs_are_read(name: str) -> None:
    _, diagnostics = parse_file(Source("<test>", well_formed(DEEP)[name]))
    assert not diagnostics


@pytest.mark.sparse(3)
@pytest.mark.parametrize("name", sorted(ill_formed(0)))
def test_deep_mistakes_are_told_of(name: str) -> None:
    _, diagnostics = parse_file(Source("<test>", ill_formed(ENOUGH)[name]))
    assert diagnostics


def calls(text: str) -> int:
    """How many Python functions are entered, or generators resumed, to read a text: work that no clock measures."""
    entered = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal entered
        entered += event == "call"

    source = Source("<test>", text)
    sys.setprofile(count)
    try:
        parse_file(source)
    finally:
        sys.setprofile(None)
    return entered


@pytest.mark.sparse(3)
@pytest.mark.parametrize("name", sorted({**well_formed(0), **ill_formed(0)}))
def test_reading_takes_work_in_proportion_to_the_text(name: str) -> None:
    few, many = (calls({**well_formed(deep), **ill_formed(deep)}[name]) for deep in (FEW, 2 * FEW))
    assert many < 2.1 * few


@pytest.mark.parametrize("closing", ["", ")"])
def test_a_parenthesis_is_little_work(closing: str) -> None:
    few, many = (calls("(" * deep + "1" + closing * deep) for deep in (ENOUGH // 2, ENOUGH))
    assert many - few < 30 * (ENOUGH - ENOUGH // 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(well_formed(0)))
def test_the_deepest_programs_are_printed(name: str) -> None:
    read_and_print(well_formed(DEEP)[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ill_formed(0)))
def test_the_deepest_mistakes_are_told_of(name: str) -> None:
    _, diagnostics = parse_file(Source("<test>", ill_formed(DEEP)[name]))
    assert diagnostics


@pytest.mark.slow
def test_a_megabyte_is_read() -> None:
    line = "let x = f (y + 3.0) ⋅ rows xs in let ⟨a, b⟩ = mmap xs { v ⇒ v ⊔ 1.0 } in\n"
    text = line * (2**20 // len(line))
    file, diagnostics = parse_file(Source("<test>", text + "x"))
    assert not diagnostics
    assert isinstance(file.body, ast.Let)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("(", ")"),
        ("record[a : ", "]"),
        ("𝕄 [L1, U | m, 2⋅", "]"),
        ("𝕄 [L1, U | m, ", " ∷ []]"),
        ("𝔹 ⊸[1] (", ")"),
        ("∀ m : ℕ . ", "@ε ⊸⋆ 𝔹"),
        ("℘(", ")"),
        ("bag (", ")"),
        ("box[x@1] (", ")"),
        ("ℝ × (", ")"),
    ],
)
def test_a_type_is_read_or_refused_whatever_its_depth(opening: str, closing: str) -> None:
    """And the call stack holds out, with room to spare for the callers of the parser."""

    def burden(depth: int) -> ast.Type | None:
        if depth:
            return burden(depth - 1)
        return parse_type_text(Source("<test>", opening * count + "ℝ" + closing * count))[0]

    for count in (1, MAX_HEIGHT // 4, MAX_HEIGHT // 2, MAX_HEIGHT, 3 * MAX_HEIGHT):
        type_ = burden(250)
        assert count > MAX_HEIGHT // 4 or type_ is not None
        assert type_ is None or height(type_) <= MAX_HEIGHT


def test_the_longest_types_that_are_read() -> None:
    columns, diagnostics = parse_type_text(Source("<test>", "𝕄 [L1, U | ★, " + "ℝ ∷ " * MAX_COLUMNS + "[]]"))
    assert not diagnostics
    assert columns is not None
    assert height(columns) < 10
    longest = MAX_HEIGHT - 1
    formula, diagnostics = parse_rexp_text(Source("<test>", "1 + " * longest + "1"))
    assert not diagnostics
    assert formula is not None
    assert height(formula) == MAX_HEIGHT
    assert parse_rexp_text(Source("<test>", "1 + " * MAX_HEIGHT + "1"))[0] is None
