"""The grammar file is the definition of the language: its tables ship, and nothing else decides what is read."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lark.parsers.lalr_analysis import LALR_Analyzer

from duetpy.grammar import ast, words
from duetpy.grammar.declared import BEFORE_TWO, PREFIXES
from duetpy.grammar.definition import GRAMMAR, text_of
from duetpy.grammar.levels import INFIX_LEVELS, REXP_LEVELS, TYPE_LEVELS
from duetpy.grammar.parser import Reader, parse_file
from duetpy.grammar.spelling import RESERVED, WORDS
from duetpy.grammar.tables import SHIPPED, fingerprint, load, made_from, read, spellings
from duetpy.source import Source
from tests.effort import often
from tests.grammar.frozen import dumped, golden, programs, short

TEXT = text_of(GRAMMAR)


@cache
def made_of_the_grammar() -> Any:
    """What Lark makes of the grammar file, which takes long."""
    return read(TEXT)


def test_the_shipped_tables_are_those_of_the_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "duetpy.grammar.tables.read", lambda grammar: made_of_the_grammar() if grammar == TEXT else None
    )
    assert text_of(SHIPPED) == made_from(TEXT) + "\n", "run python -m duetpy.grammar.tables"


@pytest.mark.thorough("test_the_language_changes_with_the_file")
def test_tables_of_another_grammar_are_built_in_memory(tmp_path: Path) -> None:
    stale = tmp_path / "stale.json"
    stale.write_text(json.dumps({"grammar": fingerprint("another")}), encoding="utf-8")
    for shipped in (stale, tmp_path / "missing.json"):
        tables = load(GRAMMAR, shipped)
        assert len(tables.rules) == len(load().rules)
        assert Reader(Source("<test>", "x + 1"), "file", tables=tables).read() is not None


def test_the_language_changes_with_the_file(tmp_path: Path) -> None:
    changed = tmp_path / "changed.lark"
    assert TEXT.count('"mfilter"') == 1
    changed.write_text(TEXT.replace('"mfilter"', '"keep-rows"'), encoding="utf-8")
    tables = load(changed, SHIPPED)

    def body(text: str) -> tuple[object, list[str]]:
        reader = Reader(Source("<test>", text), "file", tables=tables)
        made = reader.read()
        return (made.value.body if made else None), [told.code for told in reader.all_diagnostics()]

    node, told = body("keep-rows xs { row ⇒ true }")
    assert isinstance(node, ast.Filter)
    assert told == []
    assert body("mfilter xs { row ⇒ true }")[1]
    assert isinstance(parse_file(Source("<test>", "mfilter xs { row ⇒ true }"))[0].body, ast.Filter)
    assert parse_file(Source("<test>", "keep-rows xs { row ⇒ true }"))[1]


CONFLICTS = {
    # What reaches to the right takes the operator that follows its last part.
    "expr: disjunction": "∧ ∨",
    "disjunction: comparison": "< > ∈ ≟ ≠ ≡ ≤ ≥",
    "disjunction: disjunction ∧ comparison": "< > ∈ ≟ ≠ ≡ ≤ ≥",
    "disjunction: disjunction ∨ comparison": "< > ∈ ≟ ≠ ≡ ≤ ≥",
    "comparison: join": "⊔ or-else",
    **{f"comparison: comparison {sign} join": "⊔ or-else" for sign in "<>∈≟≠≡≤≥"},
    "operand: ¬ comparison": "< > ∈ ≟ ≠ ≡ ≤ ≥",
    "join: meet": "⊓",
    "join: join ⊔ meet": "⊓",
    "join: join or-else meet": "⊓",
    "meet: sum": "+ -",
    "meet: meet ⊓ sum": "+ -",
    "sum: product": "× ⋅",
    "sum: sum + product": "× ⋅",
    "sum: sum - product": "× ⋅",
    "product: quotient": "% /",
    "product: product × quotient": "% /",
    "product: product ⋅ quotient": "% /",
    # The same for a chain, its arguments and its fields.
    "operand: chain": "# @ ⧼",
    "chain: applied": """( ⟨ ℘ VAR NAT DECIMAL STRING true false date ℕ ℝ ℝ⁺ pλ case none loop mcreate mmap mmap-row mmap-col bmap
        mapDF mfold-row mfilter flat zip chunks join₁ ∇ U∇ row∇ step∇ partitionDF joinDF joinDF₁ unionAll opaque""",
    "chain: literal": "FIELD",
    "applied: atom": "FIELD",
    "applied: picked": "FIELD",
    "argument: atom": "FIELD",
    "argument: literal": "FIELD",
    # A guarantee belongs to the innermost function.
    "atom: plambda ⇒ expr": "ensures",
    # The same for types.
    "type: size": "@ ⊔",
    "size: tmeet": "⊓",
    "size: size ⊔ tmeet": "⊓",
    "tmeet: tsum": "+",
    "tmeet: tmeet ⊓ tsum": "+",
    "tsum: tproduct": "& ×",
    "tsum: tsum + tproduct": "& ×",
    "tproduct: tscale": "⋅",
    "tproduct: tproduct & tscale": "⋅",
    "tproduct: tproduct × tscale": "⋅",
    "tscale: tquotient": "/",
    "tscale: tscale ⋅ tquotient": "/",
    "tprefixed: box [ ] tproduct": "& ×",
    "tprefixed: box [ entry ] tproduct": "& ×",
    "tprefixed: box [ entry … ] tproduct": "& ×",
}
"""A rule that could end ↦ the terminals with which it goes on instead: where a shift is preferred to a reduction."""


def test_the_conflicts_are_known_and_no_other_is_resolved_in_silence() -> None:
    made = made_of_the_grammar()
    spelled = spellings(made)
    analysis = LALR_Analyzer(made.parser.parser.parser_conf)
    analysis.compute_lr0_states()
    analysis.compute_reads_relations()
    analysis.compute_includes_lookback()
    analysis.compute_lookaheads()
    found: dict[str, set[str]] = defaultdict(set)
    for state in analysis.lr0_itemsets:
        for terminal in state.lookaheads.keys() & state.transitions.keys():
            for rule in state.lookaheads[terminal]:
                parts = " ".join(spelled.get(symbol.name, symbol.name) for symbol in rule.expansion)
                shown = re.sub(r"__\w+", "…", f"{rule.origin.name}: {parts}")
                found[shown].add(spelled.get(terminal.name, terminal.name))
    assert found == {rule: set(terminals.split()) for rule, terminals in CONFLICTS.items()}


def test_the_grammar_knows_the_words_of_the_language() -> None:
    terminals = load().terminals | PREFIXES | BEFORE_TWO
    unused = {"boxed", "bag", "set", "matrix", "LR", "CSVtoMatrix", "notion", "import"}
    assert RESERVED - terminals <= unused
    assert {kind for kind in WORDS.values() if kind not in RESERVED} - terminals <= unused
    tables = load()
    assert tables.words("mechanism_word") | tables.words("selection_word") == words.MECHANISMS
    assert tables.words("sample_word") == words.SAMPLERS
    assert tables.words("notion_word") == words.CONVERSIONS


@pytest.mark.parametrize(
    ("levels", "rules"),
    [
        (INFIX_LEVELS, ("disjunction", "comparison", "join", "meet", "sum", "product", "quotient")),
        (REXP_LEVELS, ("size", "tmeet", "tsum", "tscale", "tquotient")),
        (TYPE_LEVELS, ("tsum", "tproduct")),
    ],
)
def test_the_levels_are_those_of_the_grammar(levels: dict[str, int], rules: tuple[str, ...]) -> None:
    found: dict[str, int] = {}
    for rule in load().rules:
        if rule.name in ("infix", "tinfix") and rule.origin.name[1:-1] in rules:
            found[rule.expansion[1].name] = rules.index(rule.origin.name[1:-1])
    ordered = sorted(set(levels.values()))
    assert {sign: ordered.index(level) for sign, level in levels.items()} == {
        sign: level for sign, level in found.items() if sign in levels
    }


def test_programs_read_as_they_always_did() -> None:
    """The whole tree, and the place of every node of it."""
    expected = golden()
    compared = 0
    texts = programs()
    for text in texts[:: len(texts) // often(len(texts), len(texts) // 6)]:
        tree = expected.get(short(text))
        if tree is not None:
            file, diagnostics = parse_file(Source("<test>", text))
            assert not any(told.is_error for told in diagnostics)
            assert short(dumped(file)) == tree, text
            compared += 1
    assert compared > often(700, 110)


@pytest.mark.parametrize("name", sorted(load().terminals - load().spelled - {"$END"}))
def test_the_names_of_terminals_are_names_like_others(name: str) -> None:
    assert name.isupper()
    file, diagnostics = parse_file(Source("<test>", f"let {name} = 1 in {name} + sλ x : ℕ[{name}] ⇒ x"))
    assert diagnostics == ()
    assert isinstance(file.body, ast.Let)
    assert isinstance(parse_file(Source("<test>", name))[0].body, ast.Var)
