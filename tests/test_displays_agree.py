"""Every display of a program says the same: what it costs, in which notion, and what that rests on.

`DISPLAYS` lists the displays, each with what it says. A file of the package that writes costs does so with the functions in
`WRITERS`: the last test names the files that no display covers, so that whoever adds a display adds it here.
"""

from __future__ import annotations

import html
import io
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from attrs import field, frozen

import duetpy
from duetpy.cli.main import main
from duetpy.grammar.lexer import in_ascii, tokenize
from duetpy.lsp.documents import Document
from duetpy.lsp.hints import hints
from duetpy.lsp.hover import hover
from duetpy.program import Checked
from duetpy.report.check_text import RELATIONS, cost_text, formula
from duetpy.report.premises import Premises
from duetpy.source import Source
from duetpy.valuation import declared
from tests.effort import often
from tests.html import text_of_page
from tests.soundness.statements import shown
from tests.test_cases import options, programs

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "duetpy"

NUMBERS = {"ε": "0.123456789", "eps": "0.123456789", "δ": "1.23456e-7", "delta": "1.23456e-7", "ρ": "0.0712345678"}
NUMBERS |= {"μ": "0.345678912", "α": "7.3", "ω": "23.4567", "k": "7", "m": "1013", "n": "3", "η": "0.3", "b": "9"}
"""Numbers with so many digits that whoever rounds one to the wrong side shows it."""


def said(*words: str) -> tuple[int, str]:
    """The exit code and the standard output of a command."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        return main(words), out.getvalue()


@frozen
class Asked:
    """A program, numbers for it, and what ``check --format json`` says of it.

    Parameters
    ----------
    path, words, settings
        Its file, the options of a command, and the numbers among them.
    checked
        The program as Python has it.
    told
        What is said.
    premises
        What that rests on.
    """

    path: Path
    words: tuple[str, ...]
    settings: Mapping[str, Fraction]
    checked: Checked
    told: Mapping[str, Any]
    premises: Premises

    @property
    def protected(self) -> Mapping[str, Mapping[str, Any]]:
        """What is said of each privacy unit: the same of all its parameters."""
        return {each["unit"]: each for each in self.told["parameters"] if each["private"]}

    def command(self, name: str, *words: str) -> str:
        code, text = said(name, str(self.path), *self.words, *words)
        assert code == 0, (name, self.path)
        return text

    def json(self, name: str) -> Any:
        return json.loads(self.command(name, "--format", "json"))

    def document(self) -> Document:
        return Document.of(str(self.path), self.path.read_text(encoding="utf-8"))


@frozen
class Display:
    """A place that shows what a program costs.

    Parameters
    ----------
    show
        Its text.
    files
        The files of the package that write it.
    says
        What it says of each unit: its ``formula`` or its ``value``, or what is certified (``tight``), or one of these two
        (``certified``); the ``notion``, and the ``relation`` of neighbours; the ``premises``, or as many of them as stand in a
        ``line``.
    needs
        What must be known so that it is shown: ``numbers``, or that there are ``none``.
    """

    show: Callable[[Asked], str]
    files: tuple[str, ...]
    says: frozenset[str] = field(converter=lambda words: frozenset(words.split()))
    needs: str = ""


def of_editor(asked: Asked) -> str:
    """What is under the pointer at the names of parameters."""
    document = asked.document()
    found = [hover(document, each.span.start) for each in document.occurrences if each.span.text in names(asked)]
    return "\n".join(each.text for each in found if each is not None)


def beside_parameters(asked: Asked) -> str:
    text = asked.document().text
    return "\n".join(f"{each.text} {each.about}" for each in hints(asked.document(), 0, len(text)))


def names(asked: Asked) -> set[str]:
    return {each["name"] for each in asked.told["parameters"] if each["private"]}


def page(shown: str | None) -> str:
    return html.unescape(text_of_page(shown or ""))


def derivations(asked: Asked) -> str:
    return "".join(page(asked.checked.why(name, **asked.settings)._repr_html_()) for name in sorted(names(asked)))


DISPLAYS = {
    "check": Display(
        lambda asked: asked.command("check"),
        ("cli/check.py", "report/check_text.py", "report/verdict.py"),
        "formula value tight notion relation premises",
    ),
    "check -v": Display(
        lambda asked: asked.command("check", "-v"),
        ("cli/check.py", "report/check_text.py", "report/sentences.py"),
        "formula value tight notion relation premises",
    ),
    "cost": Display(
        lambda asked: asked.command("cost"),
        ("cli/cost.py", "report/comparison.py"),
        "value tight notion relation premises",
    ),
    "why": Display(lambda asked: asked.command("why"), ("report/why.py",), "formula value premises"),
    "pointer": Display(of_editor, ("lsp/hover.py", "lsp/judgements.py"), "formula premises", "none"),
    "hints": Display(beside_parameters, ("lsp/hints.py",), "formula line", "none"),
    "repr(Checked)": Display(
        lambda asked: repr(asked.checked), ("report/displays.py", "report/proved.py"), "notion line", "none"
    ),
    "Checked": Display(
        lambda asked: page(asked.checked._repr_html_()),
        ("report/displays.py", "report/proved.py"),
        "formula notion relation premises",
        "none",
    ),
    "Costs": Display(
        lambda asked: page(asked.checked.cost(**asked.settings)._repr_html_()),
        ("report/by_name.py",),
        "certified premises",
        "numbers",
    ),
    "repr(Unit)": Display(
        lambda asked: " ".join(map(repr, asked.checked.compare(**asked.settings).values())),
        ("report/comparison.py",),
        "tight line",
    ),
    "Unit": Display(
        lambda asked: page("".join(each._repr_html_() for each in asked.checked.compare(**asked.settings).values())),
        ("report/comparison.py",),
        "value tight premises",
    ),
    "Comparison": Display(
        lambda asked: page(asked.checked.program.compare(asked.settings)._repr_html_()),
        ("report/comparison.py", "program.py"),
        "value tight premises",
    ),
    "Why": Display(
        derivations,
        ("report/why.py",),
        "formula value premises",
    ),
}
"""Displays of what is proved. What a run, its report and its ledger say is compared in `tests.soundness.statements`."""

ELSEWHERE = {
    "report/calibration.py": "tests/soundness/statements.py asks for a value and checks what it costs",
    "cli/calibrate.py": "the same",
    "report/release_text.py": "a run: tests/soundness/statements.py",
    "report/run_page.py": "a run: tests/soundness/statements.py",
    "cli/run.py": "a run: tests/soundness/statements.py",
    "cli/repl.py": "prints the text of check and of cost: tests/cli/test_repl.py",
    "report/check_json.py": "what the displays are compared with",
    "report/premises.py": "what the displays are compared with",
    "report/pricing.py": "what the displays are compared with",
    "report/plot.py": "a picture: tests/cli/test_every_display.py",
    "runtime/release/run_costs.py": "what a run states: tests/soundness/statements.py",
}
"""Files that write costs, and where they are compared if not here."""

WRITERS = re.compile(
    r"\b(numbers_text|cost_text|premises_value|privacy_text|said_of|statement_text|statement_line|statement_html"
    r"|comparison_text|calibration_text)\b|\.premises\b"
)
"""What a file uses that writes a cost or what it rests on."""


def stated(told: Any) -> dict[str, Any]:
    """What JSON says of each unit: its cost in the notion of the program as formulas and as numbers, and what is certified."""
    if "units" in told:
        return {
            each["unit"]: (each["rows"][0]["cost"], each["rows"][0]["value"], each["tight"]) for each in told["units"]
        }
    units = {each["unit"]: each for each in told["parameters"] if each["private"]}
    return {name: (each["cost"], each.get("value"), each.get("tight")) for name, each in units.items()}


def asked_of(path: Path, *, has_numbers: bool) -> Asked | None:
    """A golden program with its own options, and with numbers for all else that it declares; None if it is refused with them."""
    words = options(path)
    text = path.read_text(encoding="utf-8")
    if in_ascii(tokenize(Source("", text))[0], text) or any(
        word.startswith("--") and word != "--set" for word in words
    ):
        return None
    program = duetpy.load(str(path))
    assert program.typed is not None
    # In Python, delta is the δ at which the certified ε is asked for.
    settings = dict(each.replace("delta=", "δ=").split("=", 1) for each in words if "=" in each)
    if has_numbers:
        for name, found in declared(program.typed.type).kinds.items():
            is_size = found[0].kind.name == "NAT"
            if not name.startswith("|") and not any(name == each or {name, each} in SPELLINGS for each in settings):
                settings[name] = NUMBERS.get(name, "5" if is_size else "0.377777777")
    words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    numbers = {name: Fraction(value) for name, value in settings.items()}
    code, text = said("check", str(path), "--format", "json", *words)
    if code:
        return None
    checked = program.check()
    premises = program.state(numbers).premises
    return Asked(path, tuple(words), numbers, checked, json.loads(text), premises)


SPELLINGS = [{"ε", "eps"}, {"δ", "delta"}, {"ρ", "rho"}, {"μ", "mu"}, {"δ′", "delta'"}]


def faults(asked: Asked) -> Iterator[str]:
    """Where a display does not say what ``check`` says."""
    units = asked.protected
    if not units:
        return
    has_numbers = all(each.get("value") is not None for each in units.values())
    for name, display in DISPLAYS.items():
        if (display.needs == "none" and asked.settings) or (display.needs == "numbers" and not has_numbers):
            continue
        text = " ".join(display.show(asked).split())
        for what, wanted in wanted_of(asked, display.says):
            if not any(shown(text, each) if isinstance(each, dict) else each in text for each in wanted):
                yield f"{name}: {what} {wanted} is not in {text}"


def wanted_of(asked: Asked, says: frozenset[str]) -> Iterator[tuple[str, list[Any]]]:
    """What a display has to say, each in one of several ways: texts, or numbers."""
    for unit in asked.protected.values():
        written = cost_text(unit["cost"])
        value, tight = unit.get("value"), unit.get("tight")
        if "formula" in says:
            yield "formula", [written]
        if "value" in says and value is not None:
            yield "value", [value, written]
        if "certified" in says and value is not None:
            yield "value", [value, tight]
        if "tight" in says and tight is not None:
            yield "tight", [tight]
        if "relation" in says:
            yield "relation", [RELATIONS[unit["neighbours"]], RELATIONS[asked.told["neighbours"]]]
    if "notion" in says:
        yield "notion", [asked.checked.statement.notion.info.headline]
    rests = asked.premises
    for each in rests if "premises" in says else ():
        yield "premise", [each, formula(each)]
    if "line" in says:
        yield "premises in a line", [rests.line]


def some_programs() -> list[tuple[Path, bool]]:
    every = [(path, has_numbers) for path in programs("good") for has_numbers in (False, True)]
    random.Random("displays").shuffle(every)
    return every[: often(len(every), 8)]


@pytest.mark.parametrize(("path", "has_numbers"), some_programs(), ids=str)
def test_every_display_says_what_check_says(path: Path, has_numbers: bool) -> None:
    asked = asked_of(path, has_numbers=has_numbers)
    if asked is None:
        return
    assert not [*faults(asked)]
    if asked.protected:
        compared, explained = asked.json("cost"), asked.json("why")
        assert stated(compared) == stated(asked.told)
        for each in ("requires", "trusted", "counted"):
            assert compared.get(each) == explained.get(each) == asked.told.get(each)


def test_every_file_that_writes_costs_is_compared() -> None:
    compared = {file for display in DISPLAYS.values() for file in display.files} | ELSEWHERE.keys()
    paths = [
        path for folder in ("", "cli", "lsp", "report", "runtime/release") for path in (PACKAGE / folder).glob("*.py")
    ]
    writers = {str(path.relative_to(PACKAGE)) for path in paths if WRITERS.search(path.read_text(encoding="utf-8"))}
    assert writers - compared == set()
