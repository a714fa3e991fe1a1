"""A notion is one `NotionInfo` and one interpretation: a copy of the package gains one by these two files alone.

The notion is the mean privacy loss: D₁(P‖Q) ≤ κ, the Kullback–Leibler divergence.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest

from tests.copies import copied, printed

FACTS = "typecheck/notions.py"
ARITHMETIC = "accounting/notions/kl.py"

PLACED = {
    (FACTS, "    @property\n    def info(self)"): '    KL = "kl"\n\n',
    (FACTS, "_PARTS = (ALPHA"): 'KAPPA = Part("κ", "kappa")\n\n',
    (FACTS, "ALPHA, EPSILON, DELTA, RHO, OMEGA, MU, THETA)"): "KAPPA, ",
    (FACTS, "        Notion.RAO: NotionInfo("): """        Notion.KL: NotionInfo(
            title="mean privacy loss",
            headline="mean privacy loss κ",
            name="mean loss",
            short="mean",
            parts=(KAPPA,),
            method="sum of κ",
            aliases=("mean",),
            converts_to=frozenset({Notion.KL}),
            converts_from=frozenset({Notion.ZCDP, Notion.GDP}),
            composes="sum",
        ),
""",
}

INTERPRETATION = '''"""κ: D₁(P‖Q) ≤ κ, the mean of the privacy loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from duetpy.accounting.expressions import Part, Values, largest, product, total
from duetpy.accounting.losses.losses import Loss
from duetpy.accounting.mechanisms.base import EVERYTHING
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.notions.interpretation import CannotPrice, Interpretation, Parts
from duetpy.accounting.notions.zcdp import Zcdp, rho_from, rho_given
from duetpy.typecheck.cost import Atom, Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ZERO, Quantity


class MeanLoss(Interpretation):
    """The notion `kl`; a price is κ."""

    notion: ClassVar[Notion] = Notion.KL

    def nothing(self) -> Parts:
        return (ZERO,)

    def everything(self) -> Parts:
        return (INFINITY,)

    #   D₁ ≤ ρ, since D₁ ≤ D_α ≤ ρα for every α > 1
    def atom(self, atom: Atom) -> Parts:
        return (mechanism_of(atom).rho(atom),)

    def given(self, given: Given) -> Parts:
        return given.params if given.notion is Notion.KL else (rho_given(given, Notion.KL),)

    #   the chain rule
    def sequence(self, prices: Sequence[tuple[Parts, Quantity]]) -> Parts:
        return (total([product(count, kappa) for (kappa,), count in prices]),)

    def choice(self, prices: Sequence[Parts]) -> Parts:
        return (largest(*(kappa for (kappa,) in prices)),)

    def together(self, prices: Sequence[Parts]) -> Parts:
        raise CannotPrice("the mean loss of several moves does not follow from that of each")

    def group(self, size: Part, body: Parts) -> Parts:
        raise CannotPrice("the mean loss of several steps does not follow from that of one")

    #   D₁ is jointly convex
    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Parts:
        return (product(rate, body[0]),)

    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Parts:
        return body if inner is Notion.KL else (rho_from(inner, body, Notion.KL),)

    #   no result is likelier by more than √(κ/2) (Pinsker)
    @classmethod
    def epsilon_at(cls, price: Parts, numbers: Sequence[float], delta: float, asked: Fraction) -> float:
        return 0.0 if numbers[0] * (1.0 + 1e-9) <= 2.0 * delta**2 else math.inf

    @classmethod
    def loss(cls, given: Given, values: Values) -> Loss:
        return EVERYTHING

    gaussian_shift = Zcdp.gaussian_shift
    gaussian_rho = Zcdp.gaussian_rho
    gaussian_scale = Zcdp.gaussian_scale
    gaussian_formula = Zcdp.gaussian_formula
'''

USE = """
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from pathlib import Path

import duetpy
from duetpy.accounting.budget import Charge, covers, parse_budget
from duetpy.accounting.certify import tight
from duetpy.accounting.noise_scale import noise_scale
from duetpy.cli.main import main
from duetpy.typecheck.cost import Atom, Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity

PROGRAMS = {
    "two.kl.duet": "pλ . x : ℝ ⇒ a ← gauss[1.0, 0.02] <x> { x }; b ← laplace[1.0, 0.5] <x> { x }; return a + b",
    "line.duet": "notion mean; pλ . x : ℝ ⇒ gauss[1.0, 0.3] <x> { x } ensures κ ≤ 0.3",
    "broken.kl.duet": "pλ . x : ℝ ⇒ gauss[1.0, 0.3] <x> { x } ensures κ ≤ 0.1",
    "given.kl.duet": "pλ . x : ℝ ⇒ given[0.25] <x> { x }",
    "block.kl.duet": "pλ . x : ℝ ⇒ ZCDP { gauss[1.0, 0.5] <x> { x } }",
    "gdp.kl.duet": "pλ . x : ℝ ⇒ GDP { gauss[1.0, 0.5] <x> { x } }",
    "arity.kl.duet": "pλ . x : ℝ ⇒ gauss[1.0, 0.5, 0.5] <x> { x }",
    "twice.kl.duet": "pλ . x : ℝ ⇒ gauss[2.0, 0.5] <x> { 2.0 ⋅ x }",
    "wrong.duet": "notion kk; 1",
    "run.kl.duet": "pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ gauss[1.0, 0.5] <xs> { real (rows xs) }",
    "vary.kl.duet": "pλ κ : ℝ⁺ . k : ℝ⁺[κ], x : ℝ ⇒ gauss[1.0, k] <x> { x }",
    "eps.eps.duet": "pλ . x : ℝ ⇒ laplace[1.0, 0.5] <x> { x }",
}
for name, text in PROGRAMS.items():
    Path(name).write_text(text, encoding="utf-8")
Path("rows.csv").write_text("1\\n2\\n3\\n", encoding="utf-8")


def said(*words):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(list(words))
        except SystemExit as stopped:
            code = stopped.code
    return [code, out.getvalue() + err.getvalue()]


told = {name: said("check", name) for name in PROGRAMS}
told["json"] = said("check", "--format", "json", "two.kl.duet")
told["cost"] = said("cost", "run.kl.duet")
told["asked"] = said("check", "--notion", "mean", "eps.eps.duet")
told["calibrate"] = said("calibrate", "--budget", "kappa=0.125", "--vary", "κ", "vary.kl.duet")
told["ledger"] = said("ledger", "create", "spent.ledger", "--budget", "kappa=1")
told["run"] = said("run", "run.kl.duet", "--data", "rows.csv", "--ledger", "spent.ledger")
told["spent"] = said("ledger", "show", "spent.ledger")
half = (Quantity.of("0.5"),)
told["scale"] = [float(noise_scale(Atom("gauss", half, notion), Fraction(3), {})) for notion in (Notion.KL, Notion.ZCDP)]
told["certified"] = [tight(Atom("gauss", half, notion), {}).epsilon for notion in (Notion.KL, Notion.ZCDP)]
told["total variation"] = [tight(Given(Notion.KL, (Quantity.of("0.0002"),)), {}, δ).epsilon for δ in (0.011, 0.009)]
budget = parse_budget("κ=1")
told["covered"] = [covers(budget, [Charge(Fraction(1, 2))] * runs) for runs in (2, 3)]
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a copy of the package with one notion more says of it."""
    folder = tmp_path_factory.mktemp("notion")
    assert copied(folder, {ARITHMETIC: INTERPRETATION}, PLACED) == 2
    found: dict[str, Any] = json.loads(printed(folder, USE))
    return found


Told = dict[str, Any]


def test_an_added_notion_is_read(told: Told) -> None:
    """In the name of a file, in its line, on the command line; and the words of notions are listed with its own."""
    assert told["run.kl.duet"] == [0, told["run.kl.duet"][1]]
    assert "mean privacy loss κ (notion line)" in told["line.duet"][1]
    assert "mean privacy loss κ (command line)" in told["asked"][1]
    assert told["wrong.duet"][0] == 1
    assert "`rao`, `kl`, `mean`" in told["wrong.duet"][1]


def test_an_added_notion_prices_mechanisms(told: Told) -> None:
    """Gaussian noise at what it was calibrated for, Laplace noise by its ρ, and a trusted release as it says."""
    found = json.loads(told["json"][1])
    assert found["notion"] == "kl"
    (parameter,) = found["parameters"]
    assert parameter["cost"] == {"kappa": "(0.5 + exp(-0.5) - 1) + 0.02"}
    assert parameter["value"]["kappa"] == pytest.approx(0.02 + 0.5 + math.exp(-0.5) - 1.0)
    assert "costs 0.25" in told["given.kl.duet"][1]
    assert "gauss[s, κ]" in told["arity.kl.duet"][1]
    assert told["arity.kl.duet"][0] == 1


def test_an_added_notion_takes_what_others_imply(told: Told) -> None:
    assert "costs 0.5" in told["block.kl.duet"][1]
    assert "costs 0.125" in told["gdp.kl.duet"][1]


def test_an_added_notion_calibrates_noise(told: Told) -> None:
    """With the noise of ρ = κ: the same scale, and the same certified ε."""
    assert told["scale"][0] == told["scale"][1] == 3.0
    assert told["certified"][0] == told["certified"][1] < 5.0
    assert "sensitivity 2, σ 2" in told["twice.kl.duet"][1]
    assert "κ = 0.125" in told["calibrate"][1]


def test_an_added_notion_is_compared_with_the_others(told: Told) -> None:
    """Nobody has shown that its price is the least, so it is an upper bound."""
    assert re.search(r"mean +κ = 0\.5 +upper +sum of κ", told["cost"][1])
    assert told["total variation"] == [0.0, math.inf]


def test_an_added_notion_is_promised(told: Told) -> None:
    assert told["line.duet"][0] == 0
    assert told["broken.kl.duet"][0] == 1
    assert "κ = 0.3" in told["broken.kl.duet"][1]


def test_an_added_notion_is_run_and_charged(told: Told) -> None:
    assert told["covered"] == [True, False]
    assert told["ledger"][0] == told["run"][0] == told["spent"][0] == 0
    assert "the program's own cost is κ = 0.5 (mean)" in told["run"][1]
    assert "κ = 0.5" in told["spent"][1]
