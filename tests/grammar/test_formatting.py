"""A formatted program has the same tree and the same comments, and is formatted already."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar import formatting
from duetpy.grammar.compare import same
from duetpy.grammar.formatting import LINE_WIDTH, formatted, remarks_of
from duetpy.grammar.lexer import tokenize
from duetpy.grammar.parser import parse_file
from duetpy.grammar.pretty import show_file
from duetpy.library import imported_names
from duetpy.loading import read_source
from duetpy.source import Source
from duetpy.typecheck.notions import NOTION_WORDS
from tests.effort import often
from tests.grammar.trees import Trees

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(
    path for folder in ("examples", "tests/cases", "tests/grammar/programs") for path in (ROOT / folder).rglob("*.duet")
)
EXAMPLES = [path for path in PROGRAMS if ROOT / "examples" in path.parents]


def laid_out(text: str, ascii: bool | None = None) -> str:
    """A text that can be formatted, formatted."""
    found = formatted(Source("<test>", text), ascii=ascii)
    assert isinstance(found, str), found
    return found


def comments(text: str) -> list[str]:
    tokens, _ = tokenize(Source("<test>", text))
    return [" ".join(r.comment.text.split()) for r in remarks_of(text, tokens) if r.comment is not None]


@pytest.mark.sparse(7)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: "/".join(path.parts[-3:]))
def test_every_program_of_the_repository(path: Path) -> None:
    source = read_source(str(path))
    if isinstance(source, Diagnostic):
        return
    names, _ = imported_names(source)
    tree, problems = parse_file(source, names, NOTION_WORDS)
    for ascii in (None, True, False):
        text = formatted(source, names, NOTION_WORDS, ascii)
        if any(problem.is_error for problem in problems):
            assert not isinstance(text, str)
            assert [d.code for d in text] == [d.code for d in problems]
            continue
        assert isinstance(text, str), text
        again = Source(source.name, text)
        assert same(tree, parse_file(again, names, NOTION_WORDS)[0])
        assert comments(text) == comments(source.text)
        assert formatted(again, names, NOTION_WORDS, ascii) == text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_formatted(path: Path) -> None:
    source = read_source(str(path))
    assert isinstance(source, Source)
    assert formatted(source, imported_names(source)[0], NOTION_WORDS) == source.text


@settings(max_examples=often(200, 30), derandomize=True, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 60), st.booleans(), st.sampled_from((1, 40, 10**6)))
def test_random_programs_with_comments_anywhere(seed: int, size: int, ascii: bool, width: int) -> None:
    tree = Trees(Random(seed), size).file()
    text = _commented(show_file(tree, width=width), Random(seed))
    found = laid_out(text, ascii)
    assert same(tree, parse_file(Source("<test>", found))[0])
    assert comments(found) == comments(text)
    assert laid_out(found, ascii) == found


def _commented(text: str, choices: Random) -> str:
    """A text with comments of every kind between some of its tokens."""
    tokens, _ = tokenize(Source("<test>", text))
    kinds = ("{- here -}", "\n  -- alone\n  ", "  -- behind\n  ", "\n\n  {- of two\n lines -}\n  ", "\n\n  ")
    out, end = [], 0
    for token in tokens[:-1]:
        gap = text[end : token.start]
        # What touches is one sign, and what stands in the first column ends a definition.
        if gap and "\n" not in gap and choices.random() < 0.05:
            gap += choices.choice(kinds) + " "
        out += [gap, text[token.start : token.end]]
        end = token.end
    return "".join([*out, text[end:]])


def test_a_call_stays_as_it_was_written() -> None:
    for call in ("f[eps] xs", "f[eps / 2, 3] xs.[a]", "f[eps] (if b then xs else ys)", "f@[ . xs, eps]", "f@[ . xs]"):
        text = f"plam xs : bag Disc, b : Bool =>\n  y <- {call} ;\n  return y\n"
        assert laid_out(text, True) == text


def test_a_comment_follows_a_sign_of_several_characters() -> None:
    text = "plam eps : Real+  -- here\n  . x : Real =>\n  return 1.0\n"
    found = laid_out(text, True)
    assert comments(found) == ["-- here"]
    assert laid_out(found, True) == found
    assert "Real+" in found.partition("--")[0]


@pytest.mark.parametrize("gap", ["{- a -} -- b", "{- a -} {- b -}", "{- {- a -} -} {- b -} --"])
def test_several_comments_at_the_end_of_a_line_stay_in_their_order(gap: str) -> None:
    for text in (
        f"(1 {gap}\n  + 2)",
        f"sλ {gap}\nx : ℝ ⇒ x",
        f"-- first\nlet x {gap}\n= 1 in x {gap}\n",
        f"{gap}\n\n{gap}\n1",
    ):
        found = laid_out(text, False)
        assert found.count(gap) == text.count(gap)
        assert laid_out(found, False) == found


def test_a_text_comes_out_as_its_author_left_what_is_free() -> None:
    text = """
-- A header,
-- of two lines.

notion   zcdp;
def   f = sλ x:ℝ⇒(x)+1_000.50 ;   -- behind a definition


def g = sλ . x : ℝ ⇒ if ¬ x > 0.0 then -x else { f (x) }

-- alone, above the program
pλ ρ : ℝ⁺ . x : ℝ, ρ : ℝ⁺[ρ] ⇒
  -- alone, in a body
  let y = {- inside -} f x in

  z ← gauss[1.0, ρ] <x> {
    y
  } ;
  return z
  -- at the end
"""
    assert (
        laid_out(text)
        == """\
-- A header,
-- of two lines.

notion zcdp;

def f = sλ x : ℝ ⇒ (x) + 1_000.50  -- behind a definition

def g = sλ . x : ℝ ⇒ if ¬ x > 0.0 then -x else { f (x) };

-- alone, above the program
pλ ρ : ℝ⁺ . x : ℝ, ρ : ℝ⁺[ρ] ⇒
  -- alone, in a body
  let y = {- inside -} f x in

  z ← gauss[1.0, ρ] <x> {
    y
  } ;
  return z
-- at the end
"""
    )


def test_what_does_not_fit_is_broken_and_a_body_hangs_from_its_head() -> None:
    cells = ", ".join(f"ℝ⁺[{n}.0]" for n in range(12))
    text = f"sλ . x : ℝ ⇒ let numbers = mcreate[L∞ | ℕ[1], ℕ[12]] {{ i, j ⇒ if x < 0.0 then ℘{{{cells}}} else ℘{{{cells}}} }} in x"
    found = laid_out(text)
    assert "  let numbers = mcreate[L∞ | ℕ[1], ℕ[12]] { i, j ⇒\n    if x < 0.0 then" in found
    assert "\n  } in\n  x\n" in found
    assert max(map(len, found.splitlines())) <= LINE_WIDTH


@pytest.mark.parametrize(
    ("text", "ascii", "found"),
    [
        ("plam eps : Real+ . x : Real => return x", None, "plam eps : Real+ . x : Real => return x\n"),
        ("plam eps : Real+ . x : Real => return x", False, "pλ eps : ℝ⁺ . x : ℝ ⇒ return x\n"),
        ('pλ ε : ℝ⁺ . x : Real => return "ℝ" -- λ', True, 'plam ε : Real+ . x : Real => return "ℝ"  -- λ\n'),
        ("pλ ε : ℝ⁺ . x : Real => return x", None, "pλ ε : ℝ⁺ . x : ℝ ⇒ return x\n"),
    ],
)
def test_both_spellings(text: str, ascii: bool | None, found: str) -> None:
    assert laid_out(text, ascii) == found


@pytest.mark.parametrize(
    "text", ["a ≠ b", "a > b ≡ false", "¬ a ≡ b", "- 5", "-x ⋅ -y", "f (-x)", "((x))", "x ⧼age⧽", "a - -5"]
)
def test_short_signs_stay_what_they_are(text: str) -> None:
    assert laid_out(text).strip() in (text, text.replace("((x))", "(x)").replace("x ⧼", "x⧼"))


@pytest.mark.parametrize(
    "text",
    [
        "slam f : (forall . Real {- a -} -o -- b\n[3] Real) => f\n",
        "slam f : (forall {- a -} . -- b\nReal -o [3] Real) => f\n",
    ],
)
def test_comments_around_what_is_not_printed_stay_in_order(text: str) -> None:
    """The ASCII arrow is read as two tokens and printed as one; a quantifier of nothing is not printed."""
    found = laid_out(text, ascii=False)
    assert " ".join(comments(found)) == "{- a -} -- b"
    assert laid_out(found) == found


def test_what_would_be_read_otherwise_is_not_given_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatting, "lay_out", lambda pieces, width: "x + 2\n")
    found = formatted(Source("<test>", "x + 1\n"))
    assert [d.code for d in found if isinstance(d, Diagnostic)] == ["D0902"]
    monkeypatch.setattr(formatting, "lay_out", lambda pieces, width: "x + 1\n")
    assert formatted(Source("<test>", "x + 1\n")) == "x + 1\n"
    found = formatted(Source("<test>", "x + 1 -- why\n"))
    assert [d.code for d in found if isinstance(d, Diagnostic)] == ["D0902"]


def test_a_long_program_takes_time_in_proportion() -> None:
    """A file of many steps, each with a comment; quadratic work would take minutes."""
    steps = "\n".join(f"  let x{n} = x + {n}.0 in -- step {n}" for n in range(3000))
    text = f"sλ . x : ℝ ⇒\n{steps}\n  x\n"
    assert laid_out(text).count("-- step") == 3000


def test_a_deep_program_is_formatted() -> None:
    text = "real (" * 3000 + "x" + ")" * 3000
    assert same(parse_file(Source("<test>", laid_out(text)))[0], parse_file(Source("<test>", text))[0])
