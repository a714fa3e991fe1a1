"""Declarations of primitives."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from duetpy.grammar import prelude_trees
from duetpy.grammar.ast import Norm
from duetpy.grammar.declared import (
    BEFORE_TWO,
    DECLARED,
    FORMS,
    INFIX,
    PREFIXES,
    PRELUDE,
    RESERVED_PRIMITIVES,
    SPELLING_FACTS,
    signature_lines,
)
from duetpy.grammar.definition import text_of
from duetpy.grammar.levels import INFIX_LEVELS
from duetpy.grammar.parser import parse_prelude
from duetpy.grammar.pretty import show_type
from duetpy.grammar.tables import load
from duetpy.source import Source
from duetpy.typecheck.facts import declaration as declaration_of
from duetpy.typecheck.facts import facts_of, known
from tests.grammar.frozen import dumped
from tests.grammar.test_parser import body

TEXT = """\
-- This line is about the file.

-- | Adds.
-- | Two lines.
-- > 1 + 2
prim (+) : ∀ . ℝ ⊸[1] ∀ . ℝ ⊸[1] ℝ
prim (+) : ℕ ⊸[1] ℕ ⊸[1] ℕ
-- | Clips.
prim mclip[L2, b] : ∀ m : ℕ, n : ℕ, b : ℝ⁺ . 𝕄 [L∞, U | m, n⋅𝔻] ⊸[1] 𝕄 [L∞, L2≤b | m, n⋅𝔻]
prim (∇)[LR] : ℝ ⊸[∞] ℝ
prim rows : ℝ ⊸[1] ℕ
prim (==) : ℕ ⊸[1] ℕ ⊸[1] 𝔹
"""


def test_declarations() -> None:
    declarations, diagnostics = parse_prelude(Source("<test>", TEXT))
    assert not diagnostics
    assert [(d.name, d.brackets) for d in declarations] == [
        ("+", ()),
        ("+", ()),
        ("mclip", (Norm.L2, "b")),
        ("∇", ("LR",)),
        ("rows", ()),
        ("≡", ()),
    ]
    assert (declarations[0].doc, declarations[0].example) == ("Adds. Two lines.", "1 + 2")
    assert (declarations[1].doc, declarations[1].example) == ("", "")
    assert (declarations[2].doc, declarations[2].example) == ("Clips.", "")
    assert show_type(declarations[0].type) == "ℝ ⊸[1] ℝ ⊸[1] ℝ"
    assert declarations[4].span.text == "prim rows : ℝ ⊸[1] ℕ"


def test_a_declaration_that_cannot_be_read_does_not_hide_the_next() -> None:
    declarations, diagnostics = parse_prelude(Source("<test>", "prim a : ℝ ⊸ ℝ\nprim b : ℝ\nfoo\nprim c : ℕ"))
    assert [d.name for d in declarations] == ["b", "c"]
    assert [d.span.begin[0] for d in diagnostics if d.span] == [1, 3]


def test_the_prelude_is_read() -> None:
    text = (files("duetpy") / "grammar" / "prelude.duet").read_text(encoding="utf-8")
    declarations, diagnostics = parse_prelude(Source("prelude.duet", text))
    assert not diagnostics
    assert {d.name for d in declarations} >= {"+", "⋅", "rows", "mclip", "conv"}
    for declaration in declarations:
        if declaration.example:
            body(declaration.example)
        assert declaration.name in INFIX_LEVELS or not declaration.name[0].isspace()


FACTS = """\
-- | Near.
prim near : ℝ ⊸[1] ℝ
prim near : 𝔻 ⊸[1] 𝔻
  reserved
  range [-1, 1/2]
  because "a ≤ b"
  range "sum"
prim (~) : ℝ ⊸[1] ℝ
  infix
"""


def test_facts_belong_to_the_declaration_above_them() -> None:
    declarations, diagnostics = parse_prelude(Source("<test>", FACTS.replace("~", "≤")))
    assert not diagnostics
    assert [[fact.name for fact in declaration.facts] for declaration in declarations] == [
        [],
        ["reserved", "range", "because", "range"],
        ["infix"],
    ]
    _, interval, reason, name = declarations[1].facts
    assert [(end.negative, end.size.span.text) for end in interval.ends] == [(True, "1"), (False, "1/2")]
    assert (reason.texts, reason.ends, name.texts) == (("a ≤ b",), (), ("sum",))
    assert declarations[1].span.text == "prim near : 𝔻 ⊸[1] 𝔻"
    assert [declaration.doc for declaration in declarations] == ["Near.", "", ""]


def test_how_primitives_are_written_is_read_alike_by_the_quick_reader_and_the_parser() -> None:
    """The words of the language are found before anything can be parsed."""
    declarations, _ = parse_prelude(Source("prelude.duet", text_of(PRELUDE)))
    stated: dict[str, dict[str, tuple[str, ...]]] = {}
    for declaration in declarations:
        facts = stated.setdefault(declaration.name, {})
        facts |= {fact.name: fact.texts for fact in declaration.facts if fact.name in SPELLING_FACTS}
    assert stated.keys() == DECLARED.keys()
    for name, facts in stated.items():
        assert facts.keys() == DECLARED[name].facts, name
        assert facts.get("ascii", ("",)) == (DECLARED[name].ascii,), name
        assert all(not texts for fact, texts in facts.items() if fact != "ascii"), name


def test_operators_have_a_level_and_forms_a_rule() -> None:
    """A primitive stands where the prelude says: the grammar spells those that stand between operands, and the forms."""
    read_as_others = {"≟", "≠", ">", "≥"}
    assert set(INFIX_LEVELS) - read_as_others - {"×"} == INFIX
    spelled = load().spelled
    assert spelled >= INFIX | FORMS
    assert not {name for name in PREFIXES | BEFORE_TWO if name[0].isalpha()} & spelled
    assert DECLARED.keys() == RESERVED_PRIMITIVES | PREFIXES | BEFORE_TWO | INFIX | FORMS


@pytest.mark.parametrize(
    "wrong", ["largest", "range", 'range "sums"', "near [1, 2] [3, 4]", 'near "1"', "because", 'counts "no"']
)
def test_a_fact_that_the_prelude_does_not_describe_is_refused(wrong: str) -> None:
    declarations, diagnostics = parse_prelude(Source("<test>", f"prim f : ℝ ⊸[1] ℝ\n  {wrong}"))
    assert not diagnostics
    with pytest.raises(AssertionError):
        known(declarations[0].facts)


@pytest.mark.parametrize("name", DECLARED)
def test_every_fact_of_the_prelude_is_one_that_its_head_describes(name: str) -> None:
    head = text_of(PRELUDE).partition("\n\n")[0]
    facts_of(name)
    for fact in declaration_of(name, 0).facts:
        assert re.search(rf"^--  .*\b{fact.name}\b", head, re.MULTILINE), fact.name


def test_the_shipped_trees_are_those_of_the_prelude() -> None:
    assert text_of(prelude_trees.SHIPPED) == prelude_trees.made(), "run python -m duetpy.grammar.prelude_trees"
    for block in DECLARED.values():
        for line in signature_lines(block.text):
            tree = prelude_trees.shipped_tree(line)
            assert tree is not None
            assert dumped(tree) == dumped(prelude_trees.parsed(line))
            assert tree.span.text == line[tree.span.start : tree.span.end]


def test_a_line_that_has_changed_is_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = (line for line in signature_lines(DECLARED["tanh"].text) if "ℝ ⊸" in line)
    changed = line.replace("⊸[1]", "⊸[2]")
    assert changed != line
    assert prelude_trees.shipped_tree(changed) is None
    for content in ("", "[", "{}"):
        file = tmp_path / "trees.json"
        file.write_text(content, encoding="utf-8")
        monkeypatch.setattr(prelude_trees, "SHIPPED", file)
        prelude_trees._shipped.cache_clear()
        assert prelude_trees.shipped_tree(line) is None
    monkeypatch.undo()
    prelude_trees._shipped.cache_clear()
    assert prelude_trees.shipped_tree(line) is not None


def test_a_first_line_has_all_facts_of_its_name() -> None:
    for name, block in DECLARED.items():
        stated = [line.split()[0] for line in block.text.splitlines() if line.startswith("  ")]
        assert [fact.name for fact in declaration_of(name, 0).facts] == stated
