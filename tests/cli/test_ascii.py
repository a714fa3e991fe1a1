"""Streams that have ASCII only: the language's own spelling, never an escape; a result as it is."""

import re
from pathlib import Path

import pytest

from duetpy.diagnostics.catalogue import codes, notion_page, page, rule_page, rules, terms
from duetpy.grammar.ascii import spelt
from tests.cli.harness import spawn
from tests.cli.programs import MEAN

ASCII = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
OTHER_SCRIPTS = {"D0003"}
"""What is about letters that look like others."""
ESCAPE = re.compile(rb"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")


@pytest.mark.parametrize(
    ("text", "ascii"),
    [
        ("ε = 0.5, ±3", "eps = 0.5, +/-3"),
        ("𝕄 [L∞, U | ★, 1⋅𝔻]", "Matrix [Linf, U | ?, 1*Disc]"),
        ("ℝ⁺ ⊸⋆ ℝ", "Real+ -o* Real"),
        ("Rényi 10⁻⁶ x₁", "Renyi 10^-6 x1"),
        ("├ └ …", "|- `- ..."),
        ("plain", "plain"),
    ],
)
def test_signs_are_spelt(text: str, ascii: str) -> None:
    assert spelt(text) == ascii


def test_what_has_no_spelling_is_shown_by_its_number() -> None:
    assert spelt("中") == "\\u4e2d"


def test_no_command_prints_an_escape(tmp_path: Path) -> None:
    (tmp_path / "mean.eps.duet").write_text(MEAN, encoding="utf-8")
    (tmp_path / "bad.eps.duet").write_text(MEAN.replace("clip[0.0, 100.0] ", ""), encoding="utf-8")
    (tmp_path / "people.csv").write_text("age\n1\n2\n", encoding="utf-8")
    for words in (
        ("check", "mean.eps.duet", "-v"),
        ("check", "bad.eps.duet"),
        ("cost", "mean.eps.duet", "--set", "eps=0.5", "--set", "m=9"),
        ("why", "mean.eps.duet"),
        ("calibrate", "mean.eps.duet", "--budget", "epsilon=1", "--vary", "eps"),
        ("run", "mean.eps.duet", "--data", "people.csv", "--set", "eps=0.5", "-v"),
        ("schema", "people.csv"),
        ("run", "--help"),
    ):
        done = spawn(tmp_path, *words, **ASCII)
        assert not ESCAPE.search(done.stdout + done.stderr), (words, done.stdout, done.stderr)


def test_every_page_can_be_spelt() -> None:
    pages = {code: page(code) for code in codes()} | {name: rule_page(name) for name in rules()} | terms()
    pages |= {name: notion_page(name) for name in ("eps", "approx", "renyi", "zcdp", "tcdp", "gdp", "rao", "tight")}
    assert len(pages) > 250
    for name, text in pages.items():
        assert text is not None
        shown = spelt(text)
        assert shown.isascii()
        assert bool(ESCAPE.search(shown.encode())) == (name in OTHER_SCRIPTS), name


def test_what_was_released_is_not_respelt(tmp_path: Path) -> None:
    (tmp_path / "x.eps.duet").write_text(
        'pλ . x : ℝ ⇒ y ← laplace[1.0, 1.0] <x> { x } ; return ⟨"ε", y⟩\n', encoding="utf-8"
    )
    done = spawn(tmp_path, "run", "x.eps.duet", "--set", "x=1", "--format", "csv", **ASCII)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith(b"\\u03b5,")
