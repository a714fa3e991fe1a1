"""What the editors show is what the grammar says: the files that ship are those that ``tools/highlighting.py`` writes, and the
TextMate grammar cuts every program as the language's own lexer does."""

import importlib.util
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from duetpy.grammar.lexer import Token, tokenize
from duetpy.highlight.classes import Shown, classes, spellings
from duetpy.source import Source

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted([*(ROOT / "examples").rglob("*.duet"), *(ROOT / "tests/grammar/programs").rglob("*.duet")])


@cache
def tool() -> Any:
    spec = importlib.util.spec_from_file_location("highlighting", ROOT / "tools" / "highlighting.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


AGAIN = "run: python tools/highlighting.py"


def test_the_files_are_those_of_the_grammar() -> None:
    assert tool().TEXTMATE.read_text(encoding="utf-8") == tool().textmate(), AGAIN
    assert tool().VIM.read_text(encoding="utf-8") == tool().vim(), AGAIN


def test_every_word_and_sign_is_in_both() -> None:
    grammar, syntax = tool().textmate(), tool().vim()
    patterns = json.dumps([each.get("match", "") for each in json.loads(grammar)["patterns"]], ensure_ascii=False)
    for written in spellings():
        assert json.dumps(re.escape(written), ensure_ascii=False)[1:-1] in patterns or written in patterns, written
        assert tool()._vim_escaped(written) in syntax, written


# ---------------------------------------------------------------------------------------------------------------------
# The TextMate grammar, read as an editor reads it: line by line, the first rule at the leftmost place that any matches


def compiled(pattern: str) -> re.Pattern[str]:
    """Oniguruma's classes in the words of ``re``; the grammar uses them in these forms only."""
    translated = pattern.replace(tool().TAIL, r"[\w'′\u0300-\u036f]").replace(tool().LETTER, r"[^\W\d_]")
    assert "\\p" not in translated
    return re.compile(translated)


@cache
def rules() -> tuple[tuple[re.Pattern[str], dict[str, Any]], ...]:
    grammar = json.loads(tool().TEXTMATE.read_text(encoding="utf-8"))
    known = {"#block": grammar["repository"]["block"]}
    patterns = [known[each["include"]] if "include" in each else each for each in grammar["patterns"]]
    return tuple((compiled(each.get("match") or each["begin"]), each) for each in patterns)


def shown(text: str) -> Iterator[tuple[int, str, str]]:
    """The scopes of a text: where, what, and its name."""
    depth, at = 0, 0
    for line in text.split("\n"):
        place = 0
        while place < len(line):
            if depth:
                found = re.compile(r"\{-|-\}").search(line, place)
                depth += 0 if found is None else 1 if found.group() == "{-" else -1
                place = len(line) if found is None else found.end()
                continue
            hits = [(pattern.search(line, place), order) for order, (pattern, _) in enumerate(rules())]
            matched = [(hit.start(), order, hit) for hit, order in hits if hit is not None]
            if not matched:
                break
            start, order, match = min(matched, key=lambda each: each[:2])
            rule = rules()[order][1]
            if "begin" in rule:
                depth = 1
            elif "captures" in rule:
                for group in (1, 2):
                    yield at + match.start(group), match[group], rule["captures"][str(group)]["name"]
            else:
                yield at + start, match.group(), rule["name"]
            place = match.end()
        at += len(line) + 1


SCOPES = {
    "name": "variable.other.duet",
    "nat": "constant.numeric.duet",
    "decimal": "constant.numeric.duet",
    "string": "string.quoted.double.duet",
}


def expected(text: str) -> Iterator[tuple[int, str, str]]:
    tokens, _ = tokenize(Source("<text>", text))
    for before, token in zip([Token("", "", -1, -1), *tokens], tokens[:-1], strict=False):
        touches = before.kind == "." and before.end == token.start and not text[before.start - 1].isspace()
        is_field = touches and token.text[:1].isalpha()
        scope = SCOPES.get(token.kind) or tool()._SCOPES[classes()[token.kind]]
        yield token.start, text[token.start : token.end], "variable.other.member.duet" if is_field else scope


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_the_textmate_grammar_shows_the_tokens_of_the_language(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = [each for each in shown(text) if not each[2].startswith("comment")]
    lexed = list(expected(text))
    # The lexer leaves it to the parser of types that `-o` and `-o*` are one sign.
    arrows = [at for at, value, _ in found if value.startswith("-o")]
    inside = {at + step for at in arrows for step in range(3)}
    assert [each for each in found if each[0] not in arrows] == [
        each for each in lexed if each[0] not in inside or each[1] not in ("-", "o", "*")
    ]
    assert all(text[at : at + 2] == "-o" for at in arrows)


def test_a_grammar_that_lacks_a_word_is_seen() -> None:
    text = "count xs"
    assert next(iter(shown(text)))[2] == tool()._SCOPES[Shown.PRIMITIVE]
    assert next(iter(shown("counts")))[2] == "variable.other.duet"
    assert [value for _, value, _ in shown("my-count - 1")] == ["my-count", "-", "1"]
