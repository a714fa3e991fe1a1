"""A mechanism is its word, its row, its class and, where no sampler draws its law yet, its sampler: copies gain one by these files.

Such are mechanisms that add noise to a value, and those that choose the largest score. One that reads its body in another way
needs a rule in the checker and in the run as well, and without them it is refused where it is written.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from duetpy.typecheck.mechanism_rows import RULES
from tests.copies import copied, printed

GRAMMAR, ROWS = "grammar/duet.lark", "typecheck/mechanism_rows.py"
WORD, ROW = (GRAMMAR, '         | "AboveThreshold" | "rand-resp"'), (ROWS, '    Row("exponential", rules')
CHOICE = (GRAMMAR, '"exponential" | "noisy-max" | "gibbs"')

CLASS = '''"""The sum of two independent Laplace variables: it tells no more than one of them, to which the other is added later."""

from __future__ import annotations

import math
from fractions import Fraction

from duetpy.accounting.accuracy import Accuracy
from duetpy.accounting.mechanisms.laplace import Laplace, NoisyMax
from duetpy.accounting.rounding import raised
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.quantity import Quantity


class TwoLaplace(NoisyMax):
    """Noise of two Laplace variables of scale s/ε."""

    names = ("two-laplace",)
    law = "two-laplace"
    factor95 = Fraction("4.2")

    #   P(|X| > t) = (1 + t/2b)⋅e^{−t/b}, at most e^{−t/2b}
    def spread(self, scale: float, tail: float, *shape: float) -> Accuracy:
        return Accuracy(2.0 * scale, raised(-2.0 * scale * math.log(tail), 1e-14))

    scale = Laplace.scale
    unit_scale = Laplace.unit_scale
'''

SAMPLER = '''"""Draws the sum of two Laplace variables, each rounded to the lattice."""

from __future__ import annotations

from duetpy.runtime.noise.continuous import laplace_steps

STEPS = {
    "two-laplace": lambda shape, scale, exponent, bits: sum(
        int(laplace_steps(1, scale, exponent, bits)[0]) for _ in range(2)
    )
}
'''

OF_TWO = """    Row(
        "two-laplace",
        {"two-laplace": Form("two-laplace")},
        _but(_EPSILON, Notion.RAO),
        {Notion.RAO: "the length of a sum is not computed"},
        has_epsilon=True,
    ),
"""

USE = """
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import duetpy
from duetpy.cli.main import main
from duetpy.grammar.pretty import show_expression

word, body, given = WORDS
text = f"pλ . {body}".replace("WORD", word)


def said(*words):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(list(words))
        except SystemExit as stopped:
            code = stopped.code
    return [code, out.getvalue() + err.getvalue()]


Path("x.eps.duet").write_text(text, encoding="utf-8")
told = {"check": said("check", "x.eps.duet"), "cost": said("cost", "x.eps.duet")}
told["rao"] = said("check", "--notion", "rao", "x.eps.duet")
program = duetpy.parse(text, notion="eps")
told["printed"] = show_expression(program.typed.body) if program.typed and program.typed.ok else None
if told["check"][0] == 0:
    runs = [program.check().run(**given) for _ in range(60)]
    told["results"] = [run.result for run in runs]
    told["releases"] = list(runs[0].releases)
print(json.dumps(told, default=str))
"""


def told_of(folder: Path, words: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(folder, f"WORDS = {words!r}\n{USE}"))
    return found


NOISE = "x : ℝ ⇒ WORD[1.0, 0.5] <x> { x }"


@pytest.fixture(scope="module")
def of_two(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A noise with a law of its own: four files."""
    folder = tmp_path_factory.mktemp("two")
    files = {"accounting/mechanisms/two_laplace.py": CLASS, "runtime/noise/two_laplace.py": SAMPLER}
    assert copied(folder, files, {WORD: '         | "two-laplace"\n', ROW: OF_TWO}) == 4
    return told_of(folder, ("two-laplace", NOISE, {"x": 3.0}))


def test_an_added_noise_is_checked_and_priced(of_two: dict[str, Any]) -> None:
    code, text = of_two["check"]
    assert code == 0
    assert "costs 0.5" in text
    assert "release two-laplace at line 1: sensitivity 1, scale 2, ±11.983 (95 %)" in text
    assert of_two["printed"] == "pλ . x : ℝ ⇒ two-laplace[1.0, 0.5] <x> { x }"
    assert "tight" in text
    assert "Laplace" in of_two["cost"][1]
    assert "two-laplace: two-laplace is not a shift of one density, so it has no length θ" in of_two["cost"][1]


def test_an_added_noise_says_why_it_has_no_price(of_two: dict[str, Any]) -> None:
    assert of_two["rao"][0] == 1
    assert "the length of a sum is not computed" in of_two["rao"][1]


def test_an_added_noise_is_drawn(of_two: dict[str, Any]) -> None:
    """With twice the variance of one variable: 16 at a scale of 2, of which sixty draws tell within a factor of three."""
    errors = [result - 3.0 for result in of_two["results"]]
    assert len(set(errors)) == len(errors)
    variance = math.fsum(error**2 for error in errors) / len(errors)
    assert 16 / 3 < variance < 16 * 3
    (release,) = of_two["releases"]
    assert release["mechanism"] == "two-laplace"
    assert release["scale"] == pytest.approx(2.0)


def test_a_noise_of_a_law_that_is_drawn_takes_three_files(tmp_path: Path) -> None:
    row = '    Row("rlaplace", {"rlaplace": Form("rlaplace")}, _EPSILON, has_epsilon=True),\n'
    lines = (
        "from duetpy.accounting.mechanisms.laplace import Laplace",
        "class Renamed(Laplace):",
        '    """Laplace noise under another word."""',
        '    names = ("rlaplace",)',
    )
    added = {"accounting/mechanisms/renamed.py": "\n".join(lines) + "\n"}
    assert copied(tmp_path, added, {WORD: '         | "rlaplace"\n', ROW: row}) == 3
    told = told_of(tmp_path, ("rlaplace", NOISE, {"x": 3.0}))
    assert told["check"][0] == 0
    assert "release rlaplace at line 1: sensitivity 1, scale 2, ±5.9915 (95 %)" in told["check"][1]
    assert told["releases"][0]["mechanism"] == "laplace"
    assert len(set(told["results"])) == 60


CHOOSES = "x : ℝ ⇒ WORD[1.0, 100.0] mcreate[L∞ | ℕ[1], ℕ[3]] { i, j ⇒ real j } <x> { c ⇒ x - c }"


def test_a_mechanism_that_chooses_takes_four_files(tmp_path: Path) -> None:
    row = '    Row("best", rules={"best": "choice"}, has_epsilon=True),\n'
    lines = (
        "from duetpy.accounting.mechanisms.response import BoundedRange",
        "class Best(BoundedRange):",
        '    """The exponential mechanism under another word."""',
        '    names = ("best",)',
    )
    chooser = (
        "from duetpy.runtime.noise.exact_sampler import choose_by_rejection\n"
        'CHOICES = {"best": lambda scores, rate, bits: choose_by_rejection(scores, rate, bits)}\n'
    )
    added = {"accounting/mechanisms/best.py": "\n".join(lines) + "\n", "runtime/noise/best.py": chooser}
    assert copied(tmp_path, added, {CHOICE: '"best" | ', ROW: row}) == 4
    told = told_of(tmp_path, ("best", CHOOSES, {"x": 1.0}))
    assert told["check"][0] == 0, told["check"]
    assert "costs 100" in told["check"][1]
    assert set(told["results"]) == {0}


def test_a_mechanism_with_a_rule_of_its_own_is_refused_without_it(tmp_path: Path) -> None:
    """A word and a row alone make no mechanism: nothing knows how to read its body."""
    row = '    Row("odd", rules={"odd": "oddly"}, has_epsilon=True),\n'
    copied(tmp_path, {}, {WORD: '         | "odd"\n', ROW: row})
    with pytest.raises(AssertionError, match="oddly"):
        told_of(tmp_path, ("odd", NOISE, {"x": 3.0}))


def test_what_has_a_rule_of_its_own() -> None:
    """For these kinds of mechanism the checker and the run have a rule; a mechanism of another kind needs one in both."""
    assert {rule for word, rule in RULES.items() if rule != "choice"} == {
        "claim",
        "risk",
        "queries",
        "response",
        "descent",
        "found",
        "counted",
    }
