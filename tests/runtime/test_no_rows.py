"""A table without rows: whether there is one is data, so what is made of it has the shape that it has of any rows."""

from __future__ import annotations

import sys
from fractions import Fraction
from types import ModuleType

import pytest

import duetpy
from duetpy.grammar import ast
from duetpy.runtime.evaluation import evaluate as evaluation
from duetpy.runtime.evaluation import row_bodies
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.release.noiseless import checked, evaluate
from duetpy.runtime.values.values import Ragged, Value

NOBODY = "sλ xs : 𝕄 [L∞, U | ★, 3⋅𝔻 else 0] ⇒ let kept = mfilter xs { r ⇒ 5.0 < r#[0, 0] } in "
ROW = "𝕄 [L∞, U | 1, 3⋅𝔻 else 0]"
SMALL = "rows (mfilter r { q ⇒ q#[0, 0] < 7.0 }) ≡ 1"
"""A filter inside a row body is evaluated row by row; so is a choice of sets, and a foreign function."""
ZEROS = "(mcreate[L2 | ℕ[1], ℕ[3]] { i, j ⇒ 0.0 })"


def total(table: str, term: str) -> str:
    return f"{NOBODY}mfold-row 0.0, ({table}) {{ a, r ⇒ a + clip[0.0, 9.0] ({term}) }}"


def total_row(table: str) -> str:
    return f"{NOBODY}mfold-row {ZEROS}, (mconv (mclip[L∞, 9.0] ({table}))) {{ s, r ⇒ mmap s, r {{ a, b ⇒ a + b }} }}"


PARTS = "partitionDF[mfilter (xs.[a, b]) { r ⇒ 5.0 < r.a }, a, ℘{disc 6.0, disc 8.0}]"
FRAME = "sλ xs : 𝕄 [L∞, U | ★, a : 𝔻 else 0 ∷ b : 𝔻 else 0 ∷ c : 𝔻 else 0 ∷ []] ⇒ "

PROGRAMS = {
    "pairs": (total(f"mmap-row kept {{ r ⇒ ⟨{SMALL}, r#[0, 1]⟩ }}", "snd r#[0, 0]"), 3.0),
    "rows": (total_row(f"mmap-row kept {{ r ⇒ if {SMALL} then r else r }}"), [[14.0, 3.0, 3.0]]),
    "foreign rows": (
        total_row(f'mmap-row kept {{ r ⇒ (opaque "rows_of_nobody:twice" : {ROW} ⊸ {ROW}) r }}'),
        [[18.0, 6.0, 6.0]],
    ),
    "texts": (
        f'{NOBODY}rows (mfilter (mmap-row kept {{ r ⇒ if {SMALL} then disc "a" else disc "b" }}) '
        '{ t ⇒ t#[0, 0] ≡ disc "a" })',
        1,
    ),
    "choices of sets": (
        total("mmap-row kept { r ⇒ ⟨if r#[0, 0] < 7.0 then ℘{1} else ℘{2, 3}, r#[0, 1]⟩ }", "snd r#[0, 0]"),
        3.0,
    ),
    "sides": (
        total(
            f"mmap-row kept {{ r ⇒ if {SMALL} then inl[ℕ] r#[0, 1] else inr[𝔻] 4 }}",
            "case r#[0, 0] { inl x ⇒ x ; inr n ⇒ disc (real n) }",
        ),
        5.0,
    ),
    "functions": (
        total("mmap-row kept { r ⇒ sλ x : 𝔻 ⇒ x + r#[0, 1] }", "r#[0, 0] (disc 1.0)"),
        5.0,
    ),
    "functions of some": (
        total(
            "mfilter (mmap-row xs { r ⇒ ⟨sλ x : 𝔻 ⇒ x + r#[0, 1], r#[0, 0]⟩ }) { p ⇒ 5.0 < snd p#[0, 0] }",
            "(fst r#[0, 0]) (disc 1.0)",
        ),
        5.0,
    ),
    "tables of tables": (
        f"{FRAME}mfold-row 0.0, (mmap-row {PARTS} {{ p ⇒ clip[0.0, 9.0] (disc (mfold-row 0.0, "
        "(mmap-row p#[0, 0] { r ⇒ ⟨rows (mfilter r { q ⇒ q.a < 7.0 }), r.b⟩ }) "
        "{ a, q ⇒ a + clip[0.0, 9.0] (snd q#[0, 0]) })) }) { a, t ⇒ a + t#[0, 0] }",
        3.0,
    ),
    "tables of no tables": (
        f"{FRAME}mfold-row 0.0, (mmap-row (mfilter {PARTS} {{ p ⇒ rows p#[0, 0] ≡ 1 }}) {{ p ⇒ "
        "⟨p#[0, 0], rows p#[0, 0]⟩ }) { a, p ⇒ a + clip[0.0, 9.0] (real (snd p#[0, 0])) }",
        2.0,
    ),
}

SOME = [[1.0, 1.0, 1.0], [6.0, 1.0, 2.0], [8.0, 2.0, 1.0]]
NONE = [[1.0, 1.0, 1.0], [2.0, 1.0, 2.0], [3.0, 2.0, 1.0]]


@pytest.fixture(autouse=True)
def calls(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The arguments of a foreign function."""
    seen: list[object] = []

    def twice(row: list[list[float]]) -> list[list[float]]:
        seen.append(row)
        return [[2.0 * entry for entry in row[0]]]

    module = ModuleType("rows_of_nobody")
    module.__dict__["twice"] = twice
    monkeypatch.setitem(sys.modules, "rows_of_nobody", module)
    return seen


def value(program: str, rows: list[list[float]]) -> object:
    table = {name: list(column) for name, column in zip("abc", zip(*rows, strict=True), strict=True)}
    data: object = table if "a : 𝔻" in program else rows
    return evaluate(checked(program), xs=data, _trust=["rows_of_nobody"])


@pytest.mark.parametrize(("program", "wanted"), PROGRAMS.values(), ids=PROGRAMS.keys())
def test_what_is_made_of_no_row_is_of_the_shape_of_any(program: str, wanted: object) -> None:
    assert value(program, SOME) == wanted
    nothing = value(program, NONE)
    assert nothing == ([[0.0] * 3] if isinstance(wanted, list) else 0)


@pytest.mark.parametrize("name", ["pairs", "choices of sets"])
def test_a_zero_for_no_row_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a number in the place of what no row gives has no parts. (The sum of no rows is one of zeros either way.)"""

    def in_no_lane(machine: Machine, node: ast.SExp, frame: Frame, names: dict[str, Value]) -> Value:
        try:
            return evaluation.expression(machine, node, Frame(dict(names), frame.kinds, 0))
        except Ragged:
            return Fraction(0)

    monkeypatch.setattr(row_bodies, "in_no_lane", in_no_lane)
    program, wanted = PROGRAMS[name]
    assert value(program, SOME) == wanted
    with pytest.raises((ValueError, AssertionError, AttributeError, TypeError)):
        value(program, NONE)


def test_no_foreign_function_is_called_for_nobody(calls: list[object]) -> None:
    program, _ = PROGRAMS["foreign rows"]
    value(program, NONE)
    assert calls == []
    value(program, SOME)
    assert len(calls) == 2


def test_a_run_ends_alike_whether_a_filter_keeps_a_row_or_none() -> None:
    program = "notion eps; pλ . xs : 𝕄 [L∞, U | ★, 3⋅𝔻 else 0] ⇒ laplace[auto, 1.0] <xs> { BODY }"
    body, _ = PROGRAMS["pairs"]
    run = duetpy.parse(program.replace("BODY", body.partition("⇒")[2])).check().run
    found = [run(xs=rows, _insecure_noise="none", _on_bad_row="default").result for rows in (SOME, NONE)]
    assert found == [3.0, 0.0]
