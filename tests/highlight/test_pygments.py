"""The lexer for Pygments shows each token of the language as what it is, and no error in a program that is right."""

from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, String, Token, Whitespace

from duetpy.grammar.lexer import tokenize
from duetpy.highlight.classes import Shown, classes, spellings
from duetpy.highlight.pygments_lexer import DuetLexer
from duetpy.source import Source

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("*.duet"))


def shown(text: str) -> list[tuple[object, str]]:
    return [(kind, value) for _, kind, value in DuetLexer().get_tokens_unprocessed(text) if kind is not Whitespace]


def test_pygments_finds_the_lexer_by_its_name_and_by_a_file() -> None:
    assert [each.value for each in entry_points(group="pygments.lexers", name="duet")] == [
        "duetpy.highlight.pygments_lexer:DuetLexer"
    ]
    assert type(get_lexer_by_name("duet")).__name__ == "DuetLexer"
    assert type(get_lexer_for_filename("gd.zcdp.duet")).__name__ == "DuetLexer"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_has_no_error_and_the_tokens_of_the_language(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = list(DuetLexer().get_tokens_unprocessed(text))
    assert not [value for _, kind, value in found if kind in Error]
    tokens, _ = tokenize(Source(path.name, text))
    own = [(start, value) for start, kind, value in found if kind not in Comment and kind is not Whitespace]
    assert own == [(token.start, text[token.start : token.end]) for token in tokens[:-1]]


def test_each_class_of_word_is_shown() -> None:
    text = (
        "-- a {- b\npλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []] ⇒ {- c {- d -} e -} laplace[auto, 2] <xs> { count xs }"
    )
    kinds = {value: kind for kind, value in shown(text)}
    assert kinds["-- a {- b"] is Comment.Single
    assert kinds["{- c {- d -} e -}"] is Comment.Multiline
    assert kinds["pλ"] is Keyword.Declaration
    assert kinds["ε"] is kinds["age"] is Name
    assert kinds["𝔻"] is kinds["ℝ⁺"] is kinds["★"] is kinds["L∞"] is Keyword.Type
    assert kinds["⇒"] is Operator
    assert kinds["laplace"] is Name.Builtin
    assert kinds["auto"] is Keyword.Constant
    assert kinds["count"] is Name.Function
    assert kinds["2"] is Number.Integer


def test_a_column_called_as_a_word_is_no_word() -> None:
    assert (Name.Attribute, "count") in shown("row.count")
    assert (Name.Function, "count") in shown("pλ .count")


def test_what_is_no_token_is_an_error() -> None:
    assert (Error, "$") in shown("x $ y")
    assert (Error, "{-") in shown("x {- never closed")
    assert (String, '"a"') in shown('"a"')


def test_all_mechanisms_primitives_and_types_have_their_class() -> None:
    """Facts of a few words, told apart from the table: a rule that is renamed in the grammar would lose its words silently."""
    known = classes()
    assert {known[word] for word in ("laplace", "noisy-max", "keys", "sample", "ZCDP", "parallel")} == {Shown.MECHANISM}
    assert {known[word] for word in ("rows", "mclip", "∇", "mmap-row", "zip", "√", "or-else")} == {Shown.PRIMITIVE}
    assert {known[word] for word in ("ℕ", "𝔻", "𝕄", "record", "L2", "bag", "∀")} == {Shown.TYPE}
    assert {known[word] for word in ("let", "def", "sλ", "import", "notion", "ensures", "static")} == {
        Shown.DECLARATION
    }
    assert {known[word] for word in ("in", "if", "case", "return", "on", "loop")} == {Shown.KEYWORD}
    assert {known[word] for word in ("true", "none", "auto", "∞")} == {Shown.CONSTANT}
    assert {known[word] for word in ("+", "⋅", "∧", "¬", "⇒")} == {Shown.OPERATOR}
    assert spellings()["Real+"] is Shown.TYPE


def pieces() -> Iterator[str]:
    yield from (
        *spellings(),
        "x",
        "a-b",
        "x′",
        "2.5e-3",
        '"t"',
        "--",
        "{-",
        "-}",
        "\n",
        " ",
        ".",
        '"',
        "$",
        "\ufeff",
        "ℝ",
    )


@given(st.lists(st.sampled_from(list(pieces())), max_size=30).map("".join))
def test_every_text_is_shown_whole(text: str) -> None:
    found = list(DuetLexer().get_tokens_unprocessed(text))
    assert "".join(value for _, _, value in found) == text
    at = 0
    for start, kind, value in found:
        assert start == at
        assert kind in Token
        at += len(value)


def test_a_program_becomes_html() -> None:
    html = highlight("let x = 1 in x + x", DuetLexer(), HtmlFormatter())
    assert '<span class="kd">let</span>' in html
