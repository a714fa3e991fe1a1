"""A primitive is two edits: its lines in the prelude and its function in the evaluator; no other file knows its name."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from duetpy.grammar.declared import DECLARED, DECLARED_TWINS, INFIX
from tests.copies import PACKAGE, copied, printed
from tests.sources import parsed

KERNELS = "runtime/evaluation/kernels.py"

WORDS = frozenset(DECLARED) - INFIX
"""The primitives that are not operators: an operator has a level in the grammar and is a sign of types as well."""

_OF_SIZES = "an operation on sizes, in types and costs"
_OF_FORMULAS = "an operation in a formula of the accountant"
_GROUP = "a group of a pattern"
_KEY = "a key of a report"
_FORMAT = "an output for people"
_BOUND = "a bound from above"
_SQL = "a function or a kind of SQL"
_SHAPE = "what a mechanism takes or gives: one number, or a matrix"
_WORDS = "a word of a message"

OTHER_MEANINGS = {
    **dict.fromkeys([("accounting/expressions.py", name) for name in ("log", "√", "㏒")], _OF_FORMULAS),
    **dict.fromkeys(
        [(f"grammar/{part}.py", "√") for part in ("build_types", "pretty_types", "type_pieces")], _OF_SIZES
    ),
    **dict.fromkeys(
        [(f"grammar/{part}.py", "㏒") for part in ("build_types", "pretty_types", "type_pieces")], _OF_SIZES
    ),
    **dict.fromkeys([("typecheck/elaborate.py", name) for name in ("exp", "tanh", "√", "㏒")], _OF_SIZES),
    **dict.fromkeys([("typecheck/quantity/__init__.py", name) for name in ("exp", "log", "tanh")], _OF_SIZES),
    **dict.fromkeys([("typecheck/quantity/form.py", name) for name in ("exp", "tanh", "㏒")], _OF_SIZES),
    **dict.fromkeys([("typecheck/quantity/printing.py", name) for name in ("√", "㏒")], _OF_SIZES),
    **dict.fromkeys([("grammar/words.py", name) for name in ("exp", "tanh")], _OF_SIZES),
    ("grammar/declared.py", "sign"): _GROUP,
    (
        "typecheck/open_ranges.py",
        "real",
    ): "the number of candidates as a real number, in a range that a call leaves out",
    ("grammar/lexer.py", "sign"): _GROUP,
    ("accounting/price.py", "number"): "the number of a price, rounded up",
    ("audit/row_samplers.py", "rows"): "a table of the audit's own",
    ("report/comparison.py", "rows"): _KEY,
    ("report/displays.py", "rows"): "the plural of a row",
    ("report/noise.py", "rows"): _KEY,
    **dict.fromkeys([(f"report/{part}.py", "log") for part in ("pictures", "plot")], "a logarithmic axis"),
    ("report/release_text.py", "count"): _KEY,
    ("report/release_text.py", "rows"): _KEY,
    ("report/run_page.py", "count"): _KEY,
    ("report/run_page.py", "rows"): _KEY,
    ("report/schema.py", "rows"): _KEY,
    ("report/warnings.py", "rows"): _KEY,
    ("runtime/release/mechanisms.py", "count"): _KEY,
    ("runtime/release/run.py", "rows"): _KEY,
    ("runtime/sources/table.py", "real"): "the kind of a column",
    **dict.fromkeys(
        [("runtime/sources/row_functions.py", name) for name in ("abs", "ceil", "floor", "sign", "sqrt")],
        "a function of SQL",
    ),
    ("typecheck/neighbours.py", "rows"): "what two neighbours differ in",
    **dict.fromkeys(
        [
            (f"{part}.py", "upper")
            for part in ("accounting/certify", "accounting/notion_comparison", "report/comparison")
        ],
        _BOUND,
    ),
    **dict.fromkeys(
        [
            (f"{part}.py", "text")
            for part in ("cli/check", "cli/options", "cli/run", "cli/run_files", "cli/schema", "program")
        ],
        _FORMAT,
    ),
    **dict.fromkeys([(f"report/{part}.py", "text") for part in ("comparison", "why")], _KEY),
    **dict.fromkeys([("report/ledger_export.py", "number"), ("ledger/show.py", "number")], _KEY),
    ("diagnostics/sarif.py", "text"): _KEY,
    ("grammar/declared.py", "text"): _GROUP,
    **dict.fromkeys([("grammar/tables.py", name) for name in ("number", "starts")], "a key of the tables"),
    ("grammar/advice.py", "first"): "the place of a part",
    **dict.fromkeys(
        [("grammar/foreign.py", name) for name in ("day", "disc", "number", "real", "text")], "a type in small letters"
    ),
    **dict.fromkeys(
        [("grammar/foreign.py", name) for name in ("prefix", "suffix")], "without the number that it takes"
    ),
    ("audit/bits.py", "last"): "the last bits of a number",
    **dict.fromkeys(
        [(f"typecheck/{part}.py", "first") for part in ("facts", "fold_patterns", "rules/primitives")],
        "the first of two parts or operands",
    ),
    ("highlight/classes.py", "length"): "a rule of the grammar",
    ("lsp/completion.py", "sign"): "a kind of completion",
    **dict.fromkeys([(f"runtime/sources/{part}.py", "dates") for part in ("arrays", "survey")], _WORDS),
    **dict.fromkeys([("runtime/sources/queries.py", name) for name in ("distinct", "lower", "text", "upper")], _SQL),
    **dict.fromkeys(
        [("runtime/sources/row_functions.py", name) for name in ("contains", "length", "lower", "upper")], _SQL
    ),
    **dict.fromkeys([("runtime/sources/registry.py", name) for name in ("number", "text")], "the kind of a column"),
    ("runtime/values/memory.py", "number"): "what stands in an array",
    **dict.fromkeys(
        [
            (f"typecheck/{part}.py", "number")
            for part in ("degrees", "mechanism_rows", "rules/mechanisms", "writing_types")
        ],
        _SHAPE,
    ),
}
"""Where a text that is the name of a primitive means something else, and what."""


def strings(tree: ast.Module) -> Iterator[str]:
    """Every text of a file that may be a name: literals, signs in a row, and lists of words that are split."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
            if len(node.value) <= 4:
                yield from node.value
        elif isinstance(node, ast.Call):
            match node.func:
                case ast.Attribute(attr="split", value=ast.Constant(value=str(text))):
                    yield from text.split()
                case ast.Name(id=called) if called.endswith("words"):
                    for part in node.args:
                        yield from part.value.split() if isinstance(part, ast.Constant) else ()


def compared(tree: ast.Module) -> Iterator[str]:
    """Every text that the name of something is compared with: ``node.name == "+"``, ``case Prim(name="+" | "-")``."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare():
                sides = [node.left, *node.comparators]
                if any(isinstance(side, ast.Attribute) and side.attr == "name" for side in sides):
                    yield from texts(*sides)
            case ast.Match(subject=subject):
                parts = subject.elts if isinstance(subject, ast.Tuple) else [subject]
                if any(isinstance(part, ast.Attribute) and part.attr == "name" for part in parts):
                    yield from texts(*(case.pattern for case in node.cases))
            case ast.MatchClass(kwd_attrs=keys, kwd_patterns=patterns):
                yield from texts(*(pattern for key, pattern in zip(keys, patterns, strict=True) if key == "name"))


def texts(*nodes: ast.AST) -> Iterator[str]:
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def named_in(package: Path) -> set[tuple[str, str]]:
    """The files of a package that hold the name of a primitive, except the one where it is computed."""
    found = set()
    twins = {twin for name, twin in DECLARED_TWINS.items() if name in WORDS}
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package).as_posix()
        if place != KERNELS:
            tree = parsed(path)
            found |= {(place, text) for text in strings(tree) if text in WORDS | twins}
            found |= {(place, text) for text in compared(tree) if text in DECLARED}
    return found


def test_no_other_file_knows_the_name_of_a_primitive() -> None:
    assert named_in(PACKAGE) == OTHER_MEANINGS.keys()


@pytest.mark.parametrize(
    "planted",
    [
        'ROW_WISE = frozenset({"mclip"})',
        'SOFT = """floor ceil""".split()',
        'SOFT = _words("renorm")',
        'ROOTS = frozenset("√㏒")',
        'def f(node):\n    return node.name in ("+", "-")',
        'def f(node):\n    match node.name, 1:\n        case "≤", _:\n            return 1',
        'def f(node):\n    match node:\n        case ast.Prim(name="⊔" | "⊓"):\n            return 1',
    ],
)
def test_a_name_that_is_planted_is_seen(planted: str, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(planted, encoding="utf-8")
    assert named_in(tmp_path)


# ---------------------------------------------------------------------------------------------------------------------
# A primitive that is added


LINES = """
-- | A number between 0 and 1 that grows with x: 1/2 + x/4 from -2 to 2.
-- > ramp x
prim ramp : ℝ ⊸[1/4] ℝ
prim ramp : 𝔻 ⊸[1] 𝔻
  ascii "slope"
  range [0, 1]
"""

KERNEL = """

def ramp(value: Value) -> Value:
    return clamped(plus(over(value, Fraction(4)), Fraction(1, 2)), ZERO, Fraction(1))


KERNELS["ramp"] = ramp
"""

USE = """
import json
import sys

import duetpy
from duetpy.cli.main import main
from duetpy.grammar.pretty import show_expression
from duetpy.typecheck.show import show_type

told = {}
for text in ("sλ . x : ℝ ⇒ 8.0 ⋅ ramp x", "slam . x : Real => 8.0 * slope x"):
    typed = duetpy.parse(text).typed
    assert not typed.diagnostics, typed.diagnostics
    told[text] = [show_type(typed.type), show_expression(typed.body), show_expression(typed.body, ascii=True)]
_, refused = duetpy.parse("sλ . x : 𝔹 ⇒ ramp x").try_check()
told["refused"] = [each.code for each in refused]
_, bound = duetpy.parse("sλ . ramp : ℝ ⇒ ramp + ramp").try_check()
told["a name"] = [each.code for each in bound]
body = "{ mfold-row 0.0, xs { total, row ⇒ total + ramp row#[0, 0] } }"
rows = "pλ . xs : 𝕄 [L1, U | 4, 1⋅ℝ] ⇒ laplace[0.25, 1000000.0] <xs> " + body
told["rows"] = duetpy.parse(rows).check().run(xs=[[-5.0], [0.5], [1.0], [7.0]]).result
# Nothing but the range of the primitive bounds what a row adds whose number moves with every row.
body = "{ mfold-row 0.0, xs { total, row ⇒ total + ramp (conv row#[0, 0]) } }"
rows = "pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ laplace[1.0, 1000000.0] <xs> " + body
told["counted"] = duetpy.parse(rows).check().run(xs=[[-5.0], [0.5], [1.0], [7.0]]).result
print(json.dumps(told))
sys.stdout.flush()
main(["explain", "ramp"])
main(["explain", "slope"])
"""


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], str]:
    """What a copy of the package with one primitive more says of it. Two files of the copy were edited."""
    folder = tmp_path_factory.mktemp("added")
    assert copied(folder, {"grammar/prelude.duet": LINES, KERNELS: KERNEL}) == 2
    first, _, rest = printed(folder, USE).partition("\n")
    return json.loads(first), rest


Added = tuple[dict[str, object], str]


def test_an_added_primitive_is_read_checked_and_printed_in_both_spellings(added: Added) -> None:
    told, _ = added
    shown = ["ℝ ⊸[2] ℝ", "sλ . x : ℝ ⇒ 8.0 ⋅ ramp x", "slam . x : Real => 8.0 * slope x"]
    assert told[shown[1]] == told[shown[2]] == shown
    assert told["refused"] == ["D0203"]


def test_an_added_primitive_breaks_no_program_that_uses_its_word_as_a_name(added: Added) -> None:
    assert added[0]["a name"] == []


def test_an_added_primitive_is_run(added: Added) -> None:
    told, _ = added
    expected = 0.0 + 0.625 + 0.75 + 1.0
    assert told["rows"] == pytest.approx(expected, abs=1e-3)
    assert told["counted"] == pytest.approx(expected, abs=1e-3)


def test_an_added_primitive_is_explained(added: Added) -> None:
    _, explained = added
    page = (
        "# ramp\n\nA number between 0 and 1 that grows with x: 1/2 + x/4 from -2 to 2.\n\n    ramp x\n\n"
        "Its signatures:\n\n    prim ramp : ℝ ⊸[1/4] ℝ\n"
    )
    assert explained.count(page) == 2
