"""A mechanism is its row, its class and its sampler; a notion is its `NotionInfo` and its interpretation.

What other files ask of either they ask by a fact of the row, or by the law of the noise, and not by the name. The names that
still stand elsewhere are listed with the reason, and no other may.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from duetpy.accounting.mechanisms.table import LAWS, MECHANISMS
from duetpy.accounting.price import interpretation
from duetpy.grammar import words
from duetpy.typecheck.cost import ZERO_COST
from duetpy.typecheck.mechanism_rows import FORMS, ROWS
from duetpy.typecheck.notions import Notion
from tests.sources import parsed

PACKAGE = Path(__file__).parents[1] / "duetpy"

NAMES = frozenset(ROWS) | frozenset(FORMS) | words.MECHANISMS

OWN = ("typecheck/mechanism_rows.py", "accounting/mechanisms/", "runtime/noise/", "audit/")
"""The row, the class and the sampler; and the audit, which says again what every mechanism is, so as not to believe the others."""

_RULE = "a mechanism that reads its body by a rule of its own"
_OF_RULE = "the name under which a refusal of that rule is explained"
_TRUSTED = "what was declared and is not verified"

ELSEWHERE = {
    ("typecheck/rules/selection.py", "above-threshold"): _RULE,
    ("typecheck/rules/selection.py", "rand-resp"): _RULE,
    ("typecheck/rules/selection.py", "gibbs"): _RULE,
    ("typecheck/errors/selection.toml", "AboveThreshold"): _OF_RULE,
    ("typecheck/errors/selection.toml", "gibbs"): _OF_RULE,
    ("typecheck/errors/selection.toml", "rand-resp"): _OF_RULE,
    ("typecheck/errors/shapes.toml", "noisy-descent"): _OF_RULE,
    ("runtime/sources/listed_rows.py", "keys"): "a method of rows that know the names of their cells",
    ("typecheck/errors/trusted.toml", "given"): _TRUSTED,
    ("typecheck/rules/trusted.py", "given"): _TRUSTED,
    ("typecheck/unverified.py", "given"): _TRUSTED,
    ("report/run_page.py", "given"): _TRUSTED,
}
"""Where else the name of a mechanism stands, and why."""


def texts(tree: ast.Module) -> Iterator[str]:
    """Every text of a file, and the words of those that are lists of words."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Call):
            inside = (
                [node.func.value] if isinstance(node.func, ast.Attribute) and node.func.attr == "split" else node.args
            )
            for part in inside:
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value.count("\n"):
                    yield from part.value.split()


def named_in(package: Path) -> set[tuple[str, str]]:
    """The files of a package, and the names of mechanisms that stand in them."""
    found = set()
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package).as_posix()
        if not place.startswith(OWN):
            found |= {(place, text) for text in texts(parsed(path)) if text in NAMES}
    for path in sorted(package.rglob("*.toml")):
        entries = tomllib.loads(path.read_text(encoding="utf-8")).values()
        told = {text for entry in entries for text in entry.values() if isinstance(text, str)}
        found |= {(path.relative_to(package).as_posix(), text) for text in told & set(NAMES)}
    return found


def test_no_other_file_knows_the_name_of_a_mechanism() -> None:
    assert named_in(PACKAGE) == ELSEWHERE.keys()


def test_a_noise_that_is_added_stands_nowhere_else() -> None:
    """But for those that have the name of their law, and for `gibbs` and its like, which have a rule of their own."""
    added = (LAWS.keys() | FORMS.keys()) - {"laplace", "canonical"}
    assert not {name for _, name in ELSEWHERE} & added
    assert len(added) >= 7


@pytest.mark.parametrize(
    "planted",
    [
        'PURE = frozenset({"laplace", "dlaplace"})',
        'def f(atom):\n    return atom.mechanism == "ggauss"',
        'def f(atom):\n    match atom:\n        case Atom("gauss" | "dgauss"):\n            return 1',
        'WORDS = _words("""gauss\n    mgauss""")',
        'WORDS = """gauss\n    bgauss""".split()',
    ],
)
def test_a_name_that_is_planted_is_seen(planted: str, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(planted, encoding="utf-8")
    assert named_in(tmp_path)


def test_every_mechanism_has_its_class_and_its_row() -> None:
    assert MECHANISMS.keys() == ROWS.keys()


# ---------------------------------------------------------------------------------------------------------------------
# Notions


def members(tree: ast.Module) -> Iterator[str]:
    """The notions that a file names: ``Notion.GDP``."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="Notion"), attr=name) if name in Notion.__members__:
                yield name


NOTIONS_OWN = ("typecheck/notions.py", "accounting/notions/", "accounting/mechanisms/", "audit/")
"""Facts and interpretations of notions, and of which notions a price is shown to be the least; the audit says all that again."""

_NUMERIC = "the accountant answers in (ε, δ), whatever notion was asked"
_DEFAULT = "a program that names no notion is read in (ε, δ)"
_THEOREM = "a theorem of that notion alone; in others the rule is refused or bounded"
_NO_PRICE = "in which notions a mechanism has no price, and why"

NAMED_NOTIONS = {
    **dict.fromkeys([("accounting/certify.py", name) for name in ("APPROX", "GDP", "PURE")], _NUMERIC),
    ("accounting/notion_comparison.py", "APPROX"): _NUMERIC,
    ("accounting/notion_comparison.py", "RENYI"): "a curve, of which one order is a price",
    ("accounting/notion_comparison.py", "ZCDP"): "the line that a ρ is at every order",
    ("ledger/pricing.py", "APPROX"): _NUMERIC,
    ("loading.py", "APPROX"): _DEFAULT,
    ("program.py", "APPROX"): _NUMERIC,
    ("report/calibration.py", "APPROX"): _NUMERIC,
    ("report/noise.py", "APPROX"): "noise for (ε, δ) has no scale in a formula",
    ("runtime/release/noiseless.py", "APPROX"): _DEFAULT,
    ("typecheck/prelude.py", "APPROX"): "the prelude is checked in some notion, and states no cost",
    ("typecheck/rules/last_iterate.py", "GDP"): "what the rule of noisy descent proves",
    ("typecheck/rules/last_iterate.py", "RENYI"): "what the rule of noisy descent proves",
    ("typecheck/rules/privacy.py", "APPROX"): _THEOREM,
    ("typecheck/rules/shuffling.py", "APPROX"): _THEOREM,
    **dict.fromkeys([("typecheck/mechanism_rows.py", name) for name in ("PURE", "APPROX", "GDP", "RAO")], _NO_PRICE),
}
"""Where else a notion is named, and why. None of these places is one where a new notion would have to be named."""


def named_notions(package: Path) -> set[tuple[str, str]]:
    found = set()
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package).as_posix()
        if not place.startswith(NOTIONS_OWN):
            found |= {(place, name) for name in members(parsed(path))}
    return found


def test_no_other_file_names_a_notion() -> None:
    assert named_notions(PACKAGE) == NAMED_NOTIONS.keys()


def test_a_notion_that_is_planted_is_seen(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text("TABLE = {Notion.GDP: 1}\n", encoding="utf-8")
    assert named_notions(tmp_path) == {("planted.py", "GDP")}


def test_every_notion_has_its_facts_and_its_interpretation() -> None:
    interpretations = {type(interpretation(notion, ZERO_COST)) for notion in Notion}
    assert len(interpretations) == len(Notion) == len({notion.info.title for notion in Notion})
    assert {each.__module__.rpartition(".")[0] for each in interpretations} == {"duetpy.accounting.notions"}
