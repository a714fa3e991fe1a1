"""The pages on threats name tests and pages that exist."""

import re
from pathlib import Path

import pytest

from benchmarks import audit_figures, security_figures

ROOT = Path(__file__).parents[2]
PAGES = ("THREAT_MODEL.md", "KNOWN_LIMITS.md", "SECURITY.md", "docs/data.md", "docs/ledger.md", "docs/engines.md")

_NAMED = re.compile(r"`((?:tests|benchmarks)/[\w/]+\.py)(?:::(\w+))?`")
_LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES)
def test_what_is_named_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for path, name in _NAMED.findall(text):
        code = (ROOT / path).read_text(encoding="utf-8")
        assert not name or f"\ndef {name}(" in code, f"{page} names {path}::{name}"
    for target in _LINK.findall(text):
        assert "://" in target or ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


def test_every_attack_has_a_defence_and_a_test() -> None:
    text = (ROOT / "THREAT_MODEL.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-F]\d+) \| (.+) \| (.+) \| (.+) \|$", text, re.MULTILINE)
    assert len(rows) > 40
    numbers = [number for number, *_ in rows]
    assert len(set(numbers)) == len(numbers)
    assert len(rows) == len(re.findall(r"^\| [A-F]\d+ \|", text, re.MULTILINE))
    for number, attack, defence, tests in rows:
        assert attack, number
        assert defence, number
        assert _NAMED.search(tests), number
        assert _NAMED.search(tests.partition(", control ")[2]), f"{number} is not shown to be seen"


def test_every_file_of_attacks_is_in_the_table() -> None:
    text = (ROOT / "THREAT_MODEL.md").read_text(encoding="utf-8")
    for path in sorted((ROOT / "tests" / "attacks").glob("test_*.py")):
        assert f"tests/attacks/{path.name}" in text


def test_every_figure_is_measured_by_one_command() -> None:
    attacked = {figure.name for figure in security_figures.FIGURES}
    audited = set(
        re.findall(r"\bG\d+\b", " ".join(str(section.__doc__) for section in audit_figures.SECTIONS.values()))
    )
    assert attacked | audited == {f"G{number}" for number in range(1, 17)}
    assert not attacked & audited
