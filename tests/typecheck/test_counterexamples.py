"""Every example that a message gives is true: both values are evaluated, and their distances measured.

The evaluator and the metrics know nothing about the messages.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from duetpy import evaluate
from duetpy.typecheck import types as t
from tests.soundness.metrics import distance
from tests.soundness.plain import Table
from tests.typecheck.judging import accepted, judged

EXAMPLE = re.compile(
    r"for example, (?P<left>\[.*?\]|\S+) and (?P<right>\[.*?\]|\S+) are (?P<before>\S+) apart; "
    r"(?P<how>.*), they are (?P<more>more than )?(?P<after>.+) apart"
)

ROW = "𝕄 [{}, {} | 1, 2⋅{}]"


def row(norm: str, element: str, clip: str = "U") -> str:
    return ROW.format(norm, clip, element)


CASES = [
    # What moves without bound.
    ("ℝ", "ℝ", "x ⋅ dyn 1000.0"),
    ("ℝ", "ℝ", "1.0 / x"),
    ("ℝ", "ℝ", "x / dyn 0.001"),
    ("ℝ", "ℝ", "√ x"),
    ("ℝ", "ℝ", "㏒ x"),
    ("ℝ", "𝔹", "x ≡ 5.0"),
    ("ℝ", "𝔹", "5.0 ≡ x"),
    ("ℝ", "𝔹", "x < 5.0"),
    ("ℝ", "𝔹", "5.0 < x"),
    ("ℝ", "𝔹", "x ≤ 0.25"),
    ("ℝ", "𝔹", "0.25 ≤ x"),
    ("ℝ", "𝔹", "x ≤ ℝ[-2.0]"),
    ("ℝ", "ℝ", "sign x"),
    ("ℝ", "ℝ", "floor x"),
    ("ℝ", "ℝ", "ceil x"),
    ("ℝ", "ℝ", "round x"),
    ("ℝ", "ℝ", "exp x"),
    ("ℝ", "𝔻", "disc x"),
    ("𝔻", "ℝ", "conv x"),
    (row("L∞", "𝔻"), row("L1", "ℝ"), "mconv x"),
    ("𝕄 [L∞, U | 1, 1⋅𝔻]", "𝕄 [L1, U | 1, 1⋅ℝ]", "mconv x"),
    # What moves further than claimed.
    ("𝔻", "ℝ", "clip x"),
    ("𝔻", "ℝ", "clip[-3.5, 40.0] x"),
    ("ℝ", "ℝ", "7.5 ⋅ x"),
    ("ℝ", "ℝ", "x ⋅ ℝ[-3.0]"),
    ("ℝ", "ℝ", "x ⋅ ℝ[-3.0] ⋅ 0.5"),
    ("ℝ", "ℝ", "x / 0.1"),
    ("ℝ", "ℝ", "x / ℝ[-0.5]"),
    ("𝔻", "𝔻", "0.5 ⋅ x"),
    ("𝔻", "𝔻", "x / 4.0"),
    (row("L∞", "𝔻", "L2≤3"), row("L2", "ℝ"), "mconv x"),
    (row("L∞", "𝔻", "L1"), row("L1", "ℝ"), "mconv x"),
    (row("L1", "𝔻", "L∞≤0.5"), row("L1", "ℝ"), "mconv x"),
    ("𝕄 [L∞, L2≤0.5 | 1, 1⋅𝔻]", "𝕄 [L2, U | 1, 1⋅ℝ]", "mconv x"),
    (row("L1", "ℝ"), row("L1", "ℝ"), "mclip[L1] x"),
    (row("L1", "ℝ"), row("L1", "ℝ"), "mclip[L1, 20.0] x"),
    (row("L1", "ℝ"), row("L1", "ℝ"), "mclip[L2] x"),
    (row("L1", "ℝ"), row("L1", "ℝ"), "mclip[L2, 13.0] x"),
    (row("L1", "𝔻"), row("L1", "𝔻"), "renorm[L1] (mclip[L1] x)"),
    (row("L2", "𝔻"), row("L2", "𝔻"), "renorm[L2] (mclip[L2, 4.0] x)"),
    (row("L∞", "ℝ"), row("L1", "ℝ"), "renorm[L1] x"),
    (row("L∞", "𝔻"), row("L2", "𝔻"), "renorm[L2] x"),
    (row("L2", "ℝ"), row("L1", "ℝ"), "renorm[L1] x"),
    (row("L∞", "ℝ"), "𝕄 [L1, U | 2, 1⋅ℝ]", "tr x"),
    (row("L2", "𝔻"), "𝕄 [L1, U | 2, 1⋅𝔻]", "tr x"),
]


def number(text: str) -> float | Fraction:
    if text.startswith("√"):
        return math.sqrt(float(text[1:]))
    return Fraction(text)


def read(text: str) -> Any:
    """A value as a message writes it."""
    if text.startswith("["):
        return Table((tuple(Fraction(entry) for entry in text[1:-1].split(", ")),), text.count(",") + 1)
    value = Fraction(text)
    return int(value) if value.denominator == 1 else value


def evaluated(function: str, value: Any) -> Any:
    """What the function makes of it, as a plain value."""
    given = [list(row) for row in value.rows] if isinstance(value, Table) else value
    result = evaluate(function, x=given)
    if isinstance(result, list):
        return Table(tuple(tuple(row) for row in result), len(result[0]))
    return result


@pytest.mark.parametrize(("domain", "codomain", "body"), CASES, ids=[case[2] for case in CASES])
def test_an_example_is_true(domain: str, codomain: str, body: str) -> None:
    function = f"sλ . x : {domain} ⇒ {body}"
    type_ = accepted(function)
    assert isinstance(type_, t.Fun)
    refused = judged(f"(sλ . f : (∀ . {domain} ⊸[0] {codomain}) ⇒ f) ({function})")
    notes = [note for diagnostic in refused.diagnostics for note in diagnostic.notes]
    examples = [match for match in map(EXAMPLE.fullmatch, notes) if match]
    assert len([note for note in notes if note.startswith("for example")]) == len(examples) > 0
    # A body of several steps gives an example of each; that of the clip is about the whole.
    match = examples[-1 if "mclip" in body else 0]
    left, right = read(match["left"]), read(match["right"])
    before = distance(type_.domain, left, right)
    after = distance(type_.codomain, evaluated(function, left), evaluated(function, right))
    assert math.isclose(before, number(match["before"]), rel_tol=1e-12)
    if match["more"]:
        assert after > number(match["after"])
    elif "⋅ 0.5" not in body:
        assert math.isclose(after, number(match["after"]), rel_tol=1e-12)
    assert after > 0
    sensitivity = type_.sensitivity.constant
    assert sensitivity is None or after <= sensitivity * before * (1 + 1e-12)


def test_the_example_of_the_gradient_is_true() -> None:
    program = "sλ . θ : 𝕄 [L∞, U | 1, 2⋅ℝ], xs : 𝕄 [L∞, L2 | 1, 2⋅𝔻], ys : 𝕄 [L∞, U | 1, 1⋅𝔻] ⇒ ∇[LR | θ; xs, ys]"
    first, second = (evaluate(program, θ=[[100, 0]], xs=[row], ys=[[1]])[0] for row in ([-0.1, 0.99], [-0.1, -0.99]))
    assert 1.97 < math.dist(first, second) < 2


def test_every_example_in_a_refusal_is_of_a_kind_that_is_tested() -> None:
    tested = set()
    for domain, codomain, body in CASES:
        for diagnostic in judged(
            f"(sλ . f : (∀ . {domain} ⊸[0] {codomain}) ⇒ f) (sλ . x : {domain} ⇒ {body})"
        ).diagnostics:
            tested |= {match["how"].split()[0] for match in map(EXAMPLE.fullmatch, diagnostic.notes) if match}
    refusals = list((Path(__file__).parents[1] / "cases" / "bad").rglob("*.err"))
    assert refusals
    for refusal in refusals:
        for line in refusal.read_text(encoding="utf-8").splitlines():
            if line.strip().startswith("= for example, "):
                match = EXAMPLE.fullmatch(line.strip().removeprefix("= "))
                assert match, line
                assert match["how"].split()[0] in tested, line


def test_the_opposite_of_a_sum_is_all_of_it() -> None:
    table = "𝕄 [L∞, L2≤m + n | 5, 3⋅𝔻]"
    body = "mfold-row 0.0, (mconv xs) { s, r ⇒ s + r#[0, 0] }"
    refused = judged(f"pλ m : ℕ, n : ℕ, ε : ℝ⁺ . xs : {table}, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <xs> {{ {body} }}")
    (notes,) = (diagnostic.notes for diagnostic in refused.diagnostics)
    assert "for example, [m + n, 0] and [-(m + n), 0] are 1 apart; converted, they are 2⋅m + 2⋅n apart" in notes
