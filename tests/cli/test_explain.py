import json
import re

import pytest

from duetpy import parse
from duetpy.cli.console import Console
from duetpy.diagnostics.catalogue import codes, examples, notion_page, rules, terms
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.prelude import names
from tests.cli.harness import Duetpy, Write
from tests.effort import IS_THOROUGH


@pytest.mark.parametrize("name", ["D0311", "d0311"])
def test_the_page_of_a_code(duetpy: Duetpy, name: str) -> None:
    outcome = duetpy("explain", name)
    assert outcome.code == 0
    assert outcome.err == ""
    assert outcome.out.startswith("# D0311: ")
    assert "```duet" in outcome.out


def test_every_page_can_be_printed(duetpy: Duetpy) -> None:
    for code in codes()[:: 1 if IS_THOROUGH else 4]:
        outcome = duetpy("explain", code)
        assert outcome.code == 0
        assert outcome.out.startswith(f"# {code}: ")


@pytest.mark.parametrize(("name", "title"), [("mclip", "mclip"), ("+", "+"), ("⋅", "⋅"), ("*", "⋅"), ("sqrt", "√")])
def test_a_primitive_is_explained_by_what_the_checker_reads(duetpy: Duetpy, name: str, title: str) -> None:
    outcome = duetpy("explain", name)
    assert outcome.code == 0
    assert outcome.out.startswith(f"# {title}")
    assert f"prim {title}" in outcome.out or f"prim ({title})" in outcome.out


@pytest.mark.parametrize(
    ("name", "hint"),
    [("D0319", "did you mean D0"), ("mclipp", "mclip"), ("../../docs/ledger", ""), ("D0311/../D0311", ""), ("", "")],
)
def test_an_unknown_name(duetpy: Duetpy, name: str, hint: str) -> None:
    outcome = duetpy("explain", name)
    assert outcome.code == 2
    assert outcome.out == ""
    assert "there is no page on" in outcome.err
    assert hint in outcome.err


def test_without_a_name_everything_is_listed(duetpy: Duetpy) -> None:
    outcome = duetpy("explain")
    assert (outcome.code, outcome.err) == (0, "")
    listed = [line.strip().partition("  ")[0] for line in outcome.out.splitlines() if line.startswith("  ")]
    listed = [name.split()[0] if name.split()[0] in {notion.value for notion in Notion} else name for name in listed]
    for name in ("D0101", "D0311", "mclip", "poisson", "⋅", "zcdp", "tight", "privacy cost"):
        assert name in listed
    for name in listed:
        assert duetpy("explain", name).code == 0
    about = [line.strip().partition("  ")[2].strip() for line in outcome.out.splitlines() if line.startswith("  ")]
    assert all(len(each) > 4 for each in about), "each with what it is about"
    assert "Adds Laplace noise to a number (laplace) or to every entry of a matrix (mlaplace)." in about


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (("zcdp",), "# ρ-zCDP"),
        (("zCDP",), "# ρ-zCDP"),
        (("ed",), "# (ε, δ)"),
        (("eps",), "# Pure ε"),
        (("tight",), "# tight"),
        (("privacy", "cost"), "# privacy cost"),
        (("Neighbours",), "# neighbours"),
        (("error95",), "# error95"),
    ],
)
def test_notions_and_terms_have_pages(duetpy: Duetpy, words: tuple[str, ...], title: str) -> None:
    outcome = duetpy("explain", *words)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f"{title}\n")


def test_what_a_rule_does_stands_before_its_proof() -> None:
    """An example that is read without a mistake, as an expression of its own or in a privacy function."""
    for page in {str(entry): entry for name, entry in rules().items() if name not in names()}.values():
        _, text, example, rest = page.read_text(encoding="utf-8").split("\n\n", 3)
        assert len(text.split()) >= 4, page.name
        assert "**Rule" in rest or "## Rule" in rest, page.name
        assert example.startswith("    "), page.name
        read = [parse(shown) for shown in (example.strip(), f"pλ . z : ℝ ⇒ {example.strip()}")]
        assert any(not program.syntax for program in read), (page.name, read[0].syntax)


def test_what_a_primitive_does_stands_before_its_signatures(duetpy: Duetpy) -> None:
    for name in names():
        told = duetpy("explain", name).out
        assert re.match(r"# .+\n\n(?! )\S", told), name
        assert told.index("\n\n") < told.index("prim "), name


def test_every_notion_has_a_page_with_a_program(duetpy: Duetpy, write: Write) -> None:
    for notion in Notion:
        page = notion_page(notion.value)
        assert page is not None
        program = next(example for example in examples(page) if example.language == "duet")
        assert page.index("**Choose it**") < page.index("```duet")
        outcome = duetpy("check", str(write(program.name, program.text)), "--format", "json")
        assert outcome.code == 0, outcome.err
        assert json.loads(outcome.out)["notion"] == notion.value


def test_every_term_says_what_it_is_and_shows_it() -> None:
    assert {"tight", "unit", "neighbours", "sensitivity", "budget", "ledger", "requires"} <= set(terms())
    for text in terms().values():
        paragraphs = text.strip().split("\n\n")
        assert paragraphs[0].startswith("# ")
        assert len(paragraphs[1].split()) > 8
        assert paragraphs[-1].startswith("    ")


def test_a_terminal_gets_no_markdown(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Console, "is_terminal", True)
    monkeypatch.setenv("COLUMNS", "60")
    told = duetpy("explain", "zcdp").out
    assert told.startswith("ρ-zCDP\n======\n")
    assert "**" not in told
    assert "```" not in told
