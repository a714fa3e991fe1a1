"""A mechanism is its row, its class and its sampler; a notion is its `NotionInfo` and its interpretation.

What other files ask of either they ask by a fact of the row, or by the law of the noise, and not by the name. The names that
still stand elsewhere are listed with the reason, and no other may.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from duetpy.accounting.mechanisms.table import LAWS, MECHANISMS
from duetpy.accounting.price import interpretation
from duetpy.grammar import words
from duetpy.typecheck.cost import ZERO_COST
from duetpy.typecheck.mechanism_rows import FORMS, ROWS
from duetpy.typecheck.notions import Notion

PACKAGE = Path(__file__).parents[1] / "duetpy"

NAMES = frozenset(ROWS) | frozenset(FORMS) | words.MECHANISMS

OWN = ("typecheck/mechanism_rows.py", "accounting/mechanisms/", "audit/")
"""The row and the class; and the audit, which says again what every mechanism is, so as not to believe the others."""

_LAW = "the law of a noise, for whoever computes with it"
_RULE = "a mechanism that reads its body by a rule of its own"
_OF_RULE = "the name under which a refusal of that rule is explained"
_TRUSTED = "what was declared and is not verified"

ELSEWHERE = {
    ("accounting/accuracy.py", "laplace"): _LAW,
    ("accounting/accuracy.py", "canonical"): _LAW,
    ("report/noise.py", "laplace"): _LAW,
    ("report/noise.py", "canonical"): _LAW,
    ("runtime/release/mechanisms.py", "laplace"): _LAW,
    ("runtime/release/mechanisms.py", "canonical"): _LAW,
    ("runtime/noise/continuous.py", "laplace"): _LAW,
    **dict.fromkeys(
        [
            (f"{place}.py", name)
            for place in ("typecheck/dispatch", "runtime/release/driver")
            for name in (
                *("given", "AboveThreshold", "rand-resp", "gibbs"),
                *("noisy-descent", "exponential", "noisy-max"),
            )
        ],
        _RULE,
    ),
    ("typecheck/rules/selection.py", "above-threshold"): _RULE,
    ("typecheck/rules/selection.py", "rand-resp"): _RULE,
    ("typecheck/rules/selection.py", "gibbs"): _RULE,
    ("runtime/release/footprint.py", "AboveThreshold"): _RULE,
    ("runtime/release/selecting.py", "gibbs"): _RULE,
    ("runtime/release/selecting.py", "noisy-max"): _RULE,
    ("typecheck/errors/selection.py", "AboveThreshold"): _OF_RULE,
    ("typecheck/errors/selection.py", "gibbs"): _OF_RULE,
    ("typecheck/errors/selection.py", "rand-resp"): _OF_RULE,
    ("typecheck/errors/shapes.py", "noisy-descent"): _OF_RULE,
    ("typecheck/errors/trusted.py", "given"): _TRUSTED,
    ("typecheck/rules/trusted.py", "given"): _TRUSTED,
    ("report/check_text.py", "given"): _TRUSTED,
    ("report/release_text.py", "given"): _TRUSTED,
}
"""Where the name of a mechanism stands besides, and why."""


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
            found |= {(place, text) for text in texts(ast.parse(path.read_text("utf-8"))) if text in NAMES}
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


MANY = 4
"""A file that names so many notions tells one from the other, as a table of them does."""

NOTIONS_OWN = ("typecheck/notions.py", "accounting/notions/", "accounting/mechanisms/", "audit/")
"""The facts and the interpretations of notions, and what each mechanism costs in each; the audit says it again."""

TABLES_OF_NOTIONS = {
    "accounting/price.py": "which interpretation is whose",
    "accounting/losses_of_cost.py": "the loss of a trusted cost that is stated in a notion",
    "accounting/certify.py": "what a price in a notion says of a δ",
    "accounting/notion_comparison.py": "the order in which notions are compared",
    "accounting/budget.py": "the notions in which a budget may be stated",
    "typecheck/mechanism_rows.py": "in which notions a mechanism has no price, and why",
    "typecheck/rules/last_iterate.py": "in which notions descent has a price",
}
"""The files that tell notions from each other besides, and what they say of them."""


def tables_of_notions(package: Path) -> set[str]:
    found = set()
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package).as_posix()
        if not place.startswith(NOTIONS_OWN) and len(set(members(ast.parse(path.read_text("utf-8"))))) >= MANY:
            found.add(place)
    return found


def test_no_other_file_is_a_table_of_notions() -> None:
    assert tables_of_notions(PACKAGE) == TABLES_OF_NOTIONS.keys()


def test_a_table_of_notions_that_is_planted_is_seen(tmp_path: Path) -> None:
    rows = "".join(f"    Notion.{notion.name}: 1,\n" for notion in Notion)
    (tmp_path / "planted.py").write_text(f"TABLE = {{\n{rows}}}\n", encoding="utf-8")
    assert tables_of_notions(tmp_path) == {"planted.py"}


def test_every_notion_has_its_facts_and_its_interpretation() -> None:
    interpretations = {type(interpretation(notion, ZERO_COST)) for notion in Notion}
    assert len(interpretations) == len(Notion) == len({notion.info.title for notion in Notion})
    assert {each.__module__.rpartition(".")[0] for each in interpretations} == {"duetpy.accounting.notions"}
