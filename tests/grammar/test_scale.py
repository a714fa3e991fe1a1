"""Deep and large programs end in a tree or in diagnostics, and never in the depths of the stack."""

from __future__ import annotations

import pytest

from duetpy.grammar import ast
from duetpy.grammar.compare import height, same
from duetpy.grammar.parser import parse_file, parse_rexp_text, parse_type_text
from duetpy.grammar.parser_rexps import MAX_HEIGHT
from duetpy.grammar.parser_types import MAX_COLUMNS
from duetpy.grammar.pretty import show_expression, show_file
from duetpy.source import Source

DEEP = 10_000
PRIVATE = "pλ . x : ℝ ⇒ "

WELL_FORMED = {
    "lets": "".join(f"let x{i} = y + {i} in\n" for i in range(DEEP)) + "x",
    "lets in lets": "let x = " * DEEP + "1" + " in x" * DEEP,
    "pairs of names": "let ⟨a, b⟩ = p in " * DEEP + "a",
    "parentheses": "(" * DEEP + "1" + ")" * DEEP,
    "functions": "sλ . x : ℝ ⇒ " * DEEP + "x",
    "privacy functions": "pλ . x : ℝ ⇒ return " * DEEP + "x",
    "binds": PRIVATE + "".join(f"y{i} ← laplace[1.0, 2.0] <x> {{ x }};\n" for i in range(DEEP)) + "return x",
    "binds in binds": PRIVATE + "y ← " * DEEP + "return 1" + "; return y" * DEEP,
    "private parentheses": PRIVATE + "(" * DEEP + "return x" + ")" * DEEP,
    "parentheses around a function": PRIVATE + "(" * DEEP + "f" + ")" * DEEP + "@[ . x]",
    "pairs": "⟨1, " * DEEP + "1" + "⟩" * DEEP,
    "applications": "f (" * DEEP + "1" + ")" * DEEP,
    "arguments": "f" + " x" * DEEP,
    "subscripts": "x" + "#[1, 2]" * DEEP,
    "fields": "x" + ".age" * DEEP,
    "prefixes": "real " * DEEP + "x",
    "roots": "√ " * DEEP + "x",
    "sums": "1 + " * DEEP + "1",
    "comparisons": "a < " * DEEP + "b",
    "choices": "if a then b else " * DEEP + "c",
    "choices in braces": "if a then { " * DEEP + "c" + " } else { d }" * DEEP,
    "private choices": PRIVATE + "if a then { " * DEEP + "return c" + " } else { return d }" * DEEP,
    "cases": "case a { inl x ⇒ x ; inr y ⇒ " * DEEP + "y" + " }" * DEEP,
    "loops": "loop 3 on x { i, y ⇒ " * DEEP + "y" + " }" * DEEP,
    "loops on loops": "loop 3 on " * DEEP + "y" + " { i, y ⇒ y }" * DEEP,
    "private loops": PRIVATE + "loop 3 on x { i, y ⇒ " * DEEP + "return y" + " }" * DEEP,
    "sets": "℘{" * DEEP + "1" + "}" * DEEP,
    "definitions": "".join(f"def x{i} = {i}\n" for i in range(DEEP)),
    "parameters": "sλ . " + ", ".join(f"x{i} : ℝ" for i in range(DEEP)) + " ⇒ x0",
    "kinds": "sλ " + ", ".join(f"m{i} : ℕ" for i in range(DEEP)) + " . x ⇒ x",
    "a long list": "℘{" + "1, " * DEEP + "1}",
}

ILL_FORMED = {
    "open parentheses": "(" * DEEP,
    "open brackets of two kinds": "f ([" * DEEP,
    "closed brackets": ")" * DEEP,
    "crossed brackets": "([{" + "]" * DEEP,
    "lets without an expression": "let x = 1 + in\n" * DEEP + "x",
    "lets without in": "let x = 1\n" * DEEP,
    "only let": "let " * DEEP,
    "only bindings": "x = " * DEEP,
    "only names and arrows": "sλ x y " * DEEP,
    "matrices": "sλ . x : " + "𝕄 [L1, U | m, 2⋅" * DEEP + "ℝ" + "]" * DEEP + " ⇒ x",
    "matrices without end": "sλ . x : " + "𝕄 [L1, U | m, " * DEEP,
    "types in parentheses": "sλ . x : " + "(" * DEEP + "ℝ" + ")" * DEEP + " ⇒ x",
    "function types": "sλ . x : " + "ℝ ⊸[1] " * DEEP + "ℝ ⇒ x",
    "quantified types": "sλ . x : " + "∀ . " * DEEP + "ℝ" + " ⊸[1] ℝ" * DEEP + " ⇒ x",
    "bags": "sλ . x : " + "bag " * DEEP + "ℝ ⇒ x",
    "products": "sλ . x : " + "ℝ × " * DEEP + "ℝ ⇒ x",
    "records": "sλ . x : " + "record[a : " * DEEP + "ℝ" + "]" * DEEP + " ⇒ x",
    "columns": "sλ . x : 𝕄 [L1, U | m, " + "ℝ ∷ " * DEEP + "[]] ⇒ x",
    "sums of sizes": "ℕ[" + "1 + " * DEEP + "1]",
    "sizes in parentheses": "ℕ[" + "(" * DEEP + "1" + ")" * DEEP + "]",
    "open definitions": "".join(f"def x{i} = (1\n" for i in range(DEEP)),
    "open comments": "{-" * DEEP,
    "open texts": '"abc\n' * DEEP,
    "wrong characters": "x # $ ~ " * DEEP,
    "points": "x. " * DEEP,
    "arrows": "x ← " * DEEP,
    "name lists": "a < b, c " * DEEP,
}


@pytest.mark.parametrize("name", sorted(WELL_FORMED))
def test_deep_programs_are_read_and_printed(name: str) -> None:
    file, diagnostics = parse_file(Source("<test>", WELL_FORMED[name]))
    assert not diagnostics
    again, diagnostics = parse_file(Source("<test>", show_file(file)))
    assert not diagnostics
    assert same(file, again)
    if file.body is not None:
        assert "\n" not in show_expression(file.body, ascii=True)


@pytest.mark.parametrize("name", sorted(ILL_FORMED))
def test_deep_mistakes_are_told_of(name: str) -> None:
    _, diagnostics = parse_file(Source("<test>", ILL_FORMED[name]))
    assert diagnostics


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
