"""No text makes the parser raise, and what it says of a text holds together."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetpy.grammar import ast
from duetpy.grammar.compare import children, same
from duetpy.grammar.lexer import tokenize
from duetpy.grammar.parser import parse_file, parse_prelude, parse_rexp_text, parse_type_text
from duetpy.grammar.pretty import show_file
from duetpy.grammar.spelling import SIGNS, WORDS
from duetpy.source import Source
from tests.effort import often

PROGRAMS = [path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "programs").glob("*.duet"))]
PIECES = [*WORDS, *SIGNS, "x", "xs", "m", "1", "2.5", "-1", '"s"', "\n", "-- c\n", "$", "1e999", "-o[1]", "-o*", "⊸[1]"]


def check(text: str) -> None:
    """What must hold of any text."""
    source = Source("<test>", text)
    file, diagnostics = parse_file(source)
    places = [d.span for d in diagnostics] + [label.span for d in diagnostics for label in d.labels]
    for span in places:
        assert span is not None
        assert 0 <= span.start <= span.end <= len(text)
    nodes: list[ast.Node] = [file]
    has_hole = False
    while nodes:
        node = nodes.pop()
        assert 0 <= node.span.start <= node.span.end <= len(text)
        has_hole |= isinstance(node, (ast.Hole, ast.PHole))
        nodes.extend(children(node))
    if any(d.is_error for d in diagnostics):
        return
    assert not has_hole
    again, diagnostics = parse_file(Source("<test>", show_file(file)))
    assert not any(d.is_error for d in diagnostics)
    assert same(file, again)


def mutated(text: str, random: Random) -> str:
    """A text with a few of its tokens taken out, doubled, exchanged or replaced."""
    tokens, _ = tokenize(Source("<test>", text))
    parts = [text[before.end : token.end] for before, token in zip([tokens[-1], *tokens], tokens, strict=False)]
    parts[0] = text[: tokens[0].end]
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(parts))
        match random.randint(0, 4):
            case 0:
                parts[place] = " "
            case 1:
                parts[place] += parts[place]
            case 2:
                other = random.randrange(len(parts))
                parts[place], parts[other] = parts[other], parts[place]
            case 3:
                parts[place] = f" {random.choice(PIECES)} "
            case _:
                cut = random.randrange(len(parts[place]) + 1)
                parts[place] = parts[place][:cut] + random.choice("([{⟨)]}⟩;:,.-<>|\"'\u202eℝ\x00")
    return "".join(parts)


@settings(max_examples=often(300, 30), derandomize=True, deadline=None)
@given(st.integers(0, 2**32))
def test_programs_with_mistakes(seed: int) -> None:
    random = Random(seed)
    check(mutated(random.choice(PROGRAMS), random))


@settings(max_examples=often(300, 30), derandomize=True, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_words_in_any_order(pieces: list[str]) -> None:
    check(" ".join(pieces))


@settings(max_examples=often(200, 30), derandomize=True, deadline=None)
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    check(text)


@settings(max_examples=often(100, 10), derandomize=True, deadline=None)
@given(st.binary(max_size=2000))
def test_any_bytes(data: bytes) -> None:
    check(data.decode("utf-8", errors="replace"))
    check(data.decode("latin-1"))


@settings(max_examples=often(200, 30), derandomize=True, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_the_other_entry_points(pieces: list[str]) -> None:
    source = Source("<test>", " ".join(pieces))
    type_, diagnostics = parse_type_text(source)
    assert diagnostics or type_ is not None
    rexp, diagnostics = parse_rexp_text(source)
    assert diagnostics or rexp is not None
    declarations, diagnostics = parse_prelude(source)
    assert diagnostics or declarations or not source.text.strip() or source.text.lstrip().startswith("--")


OPENED = [
    *(
        "(",
        "[",
        "{",
        "⟨",
        "let x = ",
        "if a then ",
        "mmap xs { x ⇒ ",
        "sλ x : ℝ ⇒ ",
        "not ",
        "-",
        "a > ",
        "real ",
        "℘{",
    ),
    *("pλ . x : ", "𝕄 [L1, U | m, ", "f@[ . ", "x#[", "∀ . ", "case e { inl x ⇒ ", "{- "),
]
CLOSED = [")", "]", "}", " in x", " ⇒ y }", "⟩", ";", ",", " else b", ""]


def nested(random: Random) -> str:
    """What opens something, again and again, and as much of something else after it."""
    opened = "".join(random.choice(OPENED) for _ in range(random.randint(1, 3)))
    deep = random.choice((3, 30, 300))
    middle = random.choice(("x", "", "1", "+ y", ")"))
    return opened * deep + middle + random.choice(CLOSED) * random.choice((0, deep, deep // 2))


def test_what_opens_and_does_not_close() -> None:
    for seed in range(often(1_000, 30)):
        check(nested(Random(seed)))


def test_words_that_touch() -> None:
    for seed in range(often(1_000, 30)):
        random = Random(seed)
        check("".join(random.choice(PIECES) for _ in range(random.randint(0, 60))))


@pytest.mark.slow
def test_many_programs_with_mistakes() -> None:
    for seed in range(20_000):
        random = Random(seed)
        check(mutated(random.choice(PROGRAMS), random))
