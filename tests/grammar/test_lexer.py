"""Tokens: longest match, names with hyphens, numbers, texts, and one normal form for each name."""

from __future__ import annotations

import pytest

from duetpy.grammar.lexer import Token, tokenize
from duetpy.grammar.spelling import RESERVED, SIGNS, SOFT, TWINS, WORDS
from duetpy.source import Source


def tokens(text: str) -> list[Token]:
    found, diagnostics = tokenize(Source("<test>", text))
    assert not diagnostics
    assert found[-1].kind == "end"
    return found[:-1]


def kinds(text: str) -> list[str]:
    return [token.kind for token in tokens(text)]


def texts(text: str) -> list[str]:
    return [token.text for token in tokens(text)]


@pytest.mark.parametrize("sign", sorted(TWINS))
def test_twins_are_one_kind(sign: str) -> None:
    twin = TWINS[sign]
    if twin.startswith("-o"):
        assert texts(f"x {twin}") == ["x", "-", "o", "*"][: 2 + len(twin) - 1]
        return
    after = " [" if sign == "ℝ⁺" else " "
    assert kinds(sign + after)[0] == sign
    assert kinds(twin + after)[0] == sign


def is_beaten(word: str) -> bool:
    """Whether a word is read as such by itself, and as a part of a name where the name is longer."""
    after = kinds(word + "x") if word not in ("sλ", "pλ") and word[-1].isalpha() else ["name"]
    before = tokenize(Source("<test>", "x" + word))[0][0].kind
    return kinds(word) == [WORDS[word]] and after in (["name"], [WORDS[word], "name"]) and before == "name"


def test_a_longer_name_beats_a_word() -> None:
    assert [word for word in sorted(RESERVED | SOFT) if not is_beaten(word)] == []


@pytest.mark.parametrize("sign", sorted(SIGNS))
def test_every_sign_stands_by_itself(sign: str) -> None:
    assert kinds(f"x {sign} y") == ["name", SIGNS[sign], "name"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x-1", ["x", "-", "1"]),
        ("3-1", ["3", "-", "1"]),
        ("x-y", ["x-y"]),
        ("derived-map-2", ["derived-map", "-", "2"]),
        ("x- y", ["x", "-", "y"]),
        ("x -y", ["x", "-", "y"]),
        ("m₀-θ₁'", ["m₀-θ₁'"]),
        ("x² δ′ a_b", ["x²", "δ′", "a_b"]),
        ("rowsum rows", ["rowsum", "rows"]),
        ("x--y", ["x"]),
        ("Real-o[1] Real", ["Real", "-", "o", "[", "1", "]", "Real"]),
        ("Real-of", ["Real-of"]),
        ("sλx pλy", ["sλ", "x", "pλ", "y"]),
        ("𝐝ℕ 𝐝 ℝ", ["𝐝", "ℕ", "𝐝", "ℝ"]),
        ("𝔻𝔽 𝔻", ["𝔻𝔽", "𝔻"]),
        ("L∞≤2", ["L∞", "≤", "2"]),
        ("U∇[LR", ["U∇", "[", "LR"]),
        ("row∇ row", ["row∇", "row"]),
        ("1.ℕ[1]", ["1", ".", "ℕ", "[", "1", "]"]),
        ("1.2 1 . 2", ["1.2", "1", ".", "2"]),
        ("1e-6 1e+6 1E6 1.5e3", ["1e-6", "1e+6", "1E6", "1.5e3"]),
        ("1_000.000_5", ["1000.0005"]),
        (
            "a<-b a< -b a<=b a<|b a=>b a==b",
            [*"a", "<-", "b", *"a<-b", "a", "<=", *"ba", "<|", *"ba", "=>", *"ba", "==", "b"],
        ),
        ("xs[]", ["xs", "[", "]"]),
        ("⊸⋆ ⊸", ["⊸⋆", "⊸"]),
    ],
)
def test_longest_match(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_comments_and_space() -> None:
    assert texts("a -- b\nc") == ["a", "c"]
    assert texts("a -- b") == ["a"]
    assert texts("a {- b {- c -} d -} e") == ["a", "e"]
    assert texts("\ufeffa\u00a0\u2003b\r\nc\t") == ["a", "b", "c"]


def test_texts() -> None:
    assert texts(r'"a\n\t\r\"\\\u{211D}b" "" "𝔻 -- {-"') == ['a\n\t\r"\\ℝb', "", "𝔻 -- {-"]


def test_places() -> None:
    assert [(token.start, token.end) for token in tokens('ab + "c\\n"')] == [(0, 2), (3, 4), (5, 10)]


def test_names_have_one_normal_form() -> None:
    assert texts("µ μ ϵ ε") == ["μ", "μ", "ε", "ε"]
    assert texts("e\u0301t é") == ["ét", "é"]
    assert len({token.text for token in tokens("a\u0301b áb")}) == 1


@pytest.mark.parametrize("text", ["1" * 40, "0." + "1" * 39, "1e400", "1e-400", "1e0000000000000000000000000007"])
def test_numbers_that_are_not_too_long(text: str) -> None:
    assert texts(text) == [text]


@pytest.mark.parametrize(
    "text", ["1" * 41, "0." + "1" * 40, "1e401", "1e-401", "1e99999999999999999999", "0x1F", "1e", "7_"]
)
def test_numbers_that_are_wrong(text: str) -> None:
    found, diagnostics = tokenize(Source("<test>", text))
    assert [token.kind for token in found] == ["bad", "end"]
    assert [d.code for d in diagnostics] == ["D0002"]


def test_a_run_of_wrong_characters_is_told_of_once() -> None:
    found, diagnostics = tokenize(Source("<test>", "x ⊙⊙$$ y"))
    assert [token.kind for token in found] == ["name", "bad", "name", "end"]
    assert len(diagnostics) == 1


def test_a_doubtful_name_is_told_of_once() -> None:
    assert len(tokenize(Source("<test>", "а + а + а"))[1]) == 1
