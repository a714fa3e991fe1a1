"""What three forms on reals round is counted wherever it goes, and a mechanism takes no more of it than its noise covers."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import duetpy
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.evaluation import descent, matrix_product
from duetpy.runtime.exact.rationals import Numbers, select
from duetpy.runtime.release.noiseless import checked
from duetpy.runtime.values import clipping
from duetpy.typecheck import check
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, ZERO, Quantity
from tests.effort import often
from tests.soundness.rounded import ASKED, ASSUMED, CLIP, FORMS, ROW, STEP, STRETCHED, THRESHOLD, scaled
from tests.typecheck.judging import accepted, errors, judged

ONES = "mcreate[L2 | ℕ[1], ℕ[2]] { i, j ⇒ 1.0 }"

CARRIERS = {
    "as it is": "FORM x",
    "twice": "FORM (FORM x)",
    "a multiple": "mmap (FORM x) { y ⇒ y ⋅ 4.0 }",
    "a sum": "mmap (FORM x), (FORM x) { y, z ⇒ y + z }",
    "a let": "let f = FORM in mmap (f x) { y ⇒ 8.0 ⋅ y }",
    "a pair": "let ⟨f, g⟩ = ⟨FORM, FORM⟩ in mmap (f x), (g x) { y, z ⇒ y + z }",
    "a part of a pair": "mmap ((fst ⟨FORM, 1⟩) x) { y ⇒ 3.0 ⋅ y }",
    "a box": "let f = box FORM in mmap ((unbox f) x) { y ⇒ 3.0 ⋅ y }",
    "a value in a box": "let b = box (FORM x) in mmap (unbox b) { y ⇒ 3.0 ⋅ y }",
    "an if": "mmap ((if 1 ≡ 1 then FORM else sλ y : ROW ⇒ y) x) { y ⇒ 3.0 ⋅ y }",
    "an if, the other way round": "mmap ((if 1 ≡ 2 then sλ y : ROW ⇒ y else FORM) x) { y ⇒ 3.0 ⋅ y }",
    "a sum of types": "case inl[ℝ] FORM { inl f ⇒ mmap (f x) { y ⇒ 3.0 ⋅ y } ; inr y ⇒ x }",
    "a table of functions": "mmap (((mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ FORM })#[0, 1]) x) { y ⇒ 3.0 ⋅ y }",
    "an argument": "(sλ f : ASKED, y : ROW ⇒ mmap (f y) { z ⇒ 2.0 ⋅ z }) FORM x",
    "an argument of any type": "(sλ τ : ☆K . f : τ ⇒ f) FORM x",
    "a function that returns it": "((sλ y : ℝ ⇒ FORM) 1.0) x",
    "the second argument": "(sλ y : ℝ, z : ROW ⇒ mmap (FORM z) { a ⇒ a ⋅ 2.0 }) 1.0 x",
    "a loop": "loop ℕ[5] on x { i, y ⇒ FORM y }",
    "a loop that stretches": "loop ℕ[4] on x { i, y ⇒ mmap (FORM y) { z ⇒ 2.0 ⋅ z } }",
    "the state of a loop": "(loop ℕ[2] on (sλ y : ROW ⇒ y) { i, f ⇒ FORM }) x",
    "a row": "mmap-row x { r ⇒ mmap (FORM r) { y ⇒ 3.0 ⋅ y } }",
    "what a body looks at": "let y = FORM x in mmap x { z ⇒ 0.0 ⋅ z + 4.0 ⋅ y#[0, 0] }",
    "what a table is made of": "let y = FORM x in mcreate[L2 | ℕ[1], ℕ[2]] { i, j ⇒ 4.0 ⋅ y#[0, j] }",
    "a fold": "let s = mfold-row 0.0, FORM x { a, r ⇒ a + 3.0 ⋅ r#[0, 0] } in mcreate[L2 | ℕ[1], ℕ[2]] { i, j ⇒ s }",
}
BITS = 16


def program(carrier: str, form: str) -> str:
    return f"sλ x : {ROW} ⇒ {CARRIERS[carrier]}".replace("FORM", form).replace("ASKED", ASKED).replace("ROW", ROW)


def few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """The forms keep so few places that their errors are seen."""
    monkeypatch.setattr(matrix_product, "PLACES", BITS)
    monkeypatch.setattr(descent, "_MODEL_BITS", BITS)
    monkeypatch.setattr(descent, "_GREATEST_BITS", BITS)
    cut_off = clipping._towards_zero
    monkeypatch.setattr(
        clipping, "_towards_zero", lambda value, _: Fraction(int(cut_off(value, 400) * 2**BITS), 2**BITS)
    )
    monkeypatch.setattr(check, "ALLOWED", Quantity.of(2))


def length(row: list[float]) -> float:
    return math.hypot(*row)


def moves(typed: Typed) -> list[tuple[float, float]]:
    """How far rows next to each other are apart, and their results."""
    found: list[tuple[float, float]] = []
    for at in range(0, 120, 120 // often(120, 60)):
        one = [1.1 + at / 137, 0.7 - at / 391]
        other = [one[0] + 2.0 ** (-BITS - 3 - at % 3), one[1] - 2.0 ** (-BITS - 4)]
        (first,), (second,) = (duetpy.evaluate(typed, x=[row]) for row in (one, other))
        apart = [a - b for a, b in zip(one, other, strict=True)]
        found.append((length(apart), length([a - b for a, b in zip(first, second, strict=True)])))
    return found


@pytest.mark.sparse(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("carrier", CARRIERS)
def test_what_is_rounded_is_counted(carrier: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 16 places a unit is a millionth or so, for tables of two numbers; and it is seen that there is something to count."""
    few_places(monkeypatch)
    typed = checked(program(carrier, FORMS[form]))
    assert typed.judged is not None
    type_ = typed.judged.type
    assert isinstance(type_, t.Fun)
    stretch, rounding = (each.evaluate_float({}) for each in (type_.sensitivity, type_.rounding))
    found = moves(typed)
    assert any(moved > stretch * apart * 1.001 for apart, moved in found)
    assert all(moved <= stretch * apart + rounding * 8.0 * 2.0**-BITS for apart, moved in found)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("where", STRETCHED)
def test_a_mechanism_takes_no_more_than_its_noise_covers(where: str, form: str) -> None:
    """A number of a size that any program may be given is no question to the user; one that is out of all proportion is refused."""
    body, made = STRETCHED[where], FORMS[form]
    assert errors(scaled(body, made, "1e40"), Notion.GDP) == ()
    assert errors(scaled(body, made, "1e200"), Notion.GDP) == ("D0309",)
    asked = scaled(body, made, "s").replace("pλ .", "notion gdp; pλ s : ℝ⁺ .", 1)
    assert not duetpy.parse(asked).check().requires


def test_repeated_products_of_tables_take_no_more_memory_than_doubles() -> None:
    """Each turn multiplies two numbers as long as it is given: without an end to their places there would be 2^60 of them."""
    of = "𝕄 [L∞, U | 2, 2⋅ℝ]"
    for text in (
        f"sλ xs : {of} ⇒ loop ℕ[60] on mclip[L∞, 1.0] xs {{ i, s ⇒ mclip[L∞, 1.0] (mmap (s × s) {{ x ⇒ 0.9 ⋅ x }}) }}",
        f"sλ xs : {of} ⇒ loop ℕ[60] on xs {{ i, s ⇒ s × s }}",
    ):
        zeros, others = ([[entry] * 2] * 2 for entry in (0.0, 0.3))
        assert duetpy.evaluate(text, xs=zeros) == zeros
        assert 0.0 <= duetpy.evaluate(text, xs=others)[0][0] <= 1.0


def test_products_are_cut_off_number_by_number() -> None:
    """Other rows decide what a number is a sum of: the same is kept of it in each case."""
    column, rest = np.array([1.7e308, -0.1, 0.0, 5e-324, 2.0]), np.array([0.0, 0.0, 1.0, 0.0, -6.0])
    long = Fraction(1 << 5000, 3**3999)
    whole = Numbers(((long, column), (Fraction(1, 3), rest)), Fraction(1, 7), column.shape)
    alone = Numbers((), whole.fractions(), column.shape)
    apart = select(np.array([False, True, False, False, True]), alone, whole)
    kept = matrix_product.cut_off(whole).fractions().tolist()
    for other in (apart, alone):
        assert other.fractions().tolist() == whole.fractions().tolist()
        assert matrix_product.cut_off(other).fractions().tolist() == kept
    assert max(value.denominator.bit_length() for value in kept) <= matrix_product.PLACES + 1
    errors = [abs(one - other) for one, other in zip(kept, whole.fractions().tolist(), strict=True)]
    assert [error > 0 for error in errors] == [True, True, False, True, True]
    assert max(errors) < Fraction(1, 2**2046)


def test_what_a_function_claims_is_true_of_what_it_computes() -> None:
    text = f"sλ x : {ROW} ⇒ mmap ({CLIP} (mmap x {{ a ⇒ a / 1e200 / NUMBER }})) {{ b ⇒ b ⋅ 1e200 ⋅ NUMBER }}"
    assert errors(text.replace("NUMBER", "1e100")) == ()
    assert errors(text.replace("NUMBER", "1e200")) == ("D0309",)
    asked = f"sλ s : ℝ⁺ . s : ℝ⁺[s], x : {ROW} ⇒ " + text.partition("⇒ ")[2].replace("NUMBER", "s")
    assert errors(asked) == ()
    near, far = ({"s": number, "x": [[1.0, 2.0]]} for number in (Fraction(10) ** 20, Fraction(10) ** 200))
    duetpy.evaluate(asked, **near)
    with pytest.raises(DuetError, match="D0309"):
        duetpy.evaluate(asked, **far)


def test_the_queries_of_a_threshold_round_too() -> None:
    assert errors(scaled(THRESHOLD, CLIP, "1e40"), Notion.PURE) == ()
    assert errors(scaled(THRESHOLD, CLIP, "1e200"), Notion.PURE) == ("D0309",)


@pytest.mark.parametrize("where", ASSUMED)
def test_what_rounds_too_much_for_a_written_type_is_refused(where: str) -> None:
    assert errors(scaled(ASSUMED[where], CLIP, "1e40"), Notion.GDP) == ()
    typed = judged(scaled(ASSUMED[where], CLIP, "1e200"), Notion.GDP)
    assert [diagnostic.code for diagnostic in typed.diagnostics] == ["D0201"]
    assert any("rounds" in note for note in typed.diagnostics[0].notes)


def test_what_no_input_moves_is_not_rounded() -> None:
    public = f"({STEP} (mmap ({ONES}) {{ y ⇒ y / 1e300 / 1e300 }}))#[0, 0]"
    text = f"pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> {{ x + ({public}) ⋅ 1e300 ⋅ 1e300 }}"
    assert errors(text, Notion.PURE) == ()


def test_a_value_of_bounded_diameter_is_rounded_no_further() -> None:
    """Two values between 0 and 1 are at most 1 apart, however they are rounded."""
    text = f"sλ t : 𝕄 [L∞, U | 1, 2⋅𝔻] ⇒ clip[0.0, 1.0] (({CLIP} (mconv t))#[0, 0] ⋅ 1e300 ⋅ 1e300)"
    type_ = accepted(text)
    assert isinstance(type_, t.Fun)
    assert type_.rounding == ZERO


def test_what_may_move_without_bound_in_one_input_is_exact_in_another() -> None:
    """Next to 2^60 the doubles are 256 apart: a sum that is rounded would turn a step of 2 into one of 256."""
    text = "sλ x : ℝ, y : ℝ ⇒ let s = x ⋅ x + y in s - x ⋅ x"
    function = accepted(text)
    assert isinstance(function, t.Fun)
    assert isinstance(function.codomain, t.Fun)
    assert function.sensitivity.is_infinite
    assert function.codomain.sensitivity == ONE
    assert [duetpy.evaluate(text, x=2.0**30, y=y) for y in (127.0, 129.0)] == [127.0, 129.0]


def test_every_row_of_a_table_of_unknown_size_is_rounded() -> None:
    """Rows that are matched may all move, each by as little as one likes."""
    text = "sλ x : 𝕄 [L2, U | ★, 2⋅ℝ] ⇒ mfold-row 0.0, (mmap-row x { r ⇒ mclip[L2] r }) { a, r ⇒ a + r#[0, 0] }"
    type_ = accepted(text)
    assert isinstance(type_, t.Fun)
    assert Quantity.of(1 << 64).leq(type_.rounding)


def test_numbers_on_the_command_line_decide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scaled.gdp.duet"
    text = scaled(STRETCHED["a number"], CLIP, "s").replace("pλ .", "pλ s : ℝ⁺ .")
    path.write_text(text, encoding="utf-8")
    assert main(["check", str(path), "--set", "s=1e40"]) == 0
    assert main(["check", str(path), "--set", "s=1e200"]) == 1
    assert "D0309" in capsys.readouterr().err
    data = tmp_path / "x.csv"
    data.write_text("a,b\n1,2\n", encoding="utf-8")
    assert main(["run", str(path), "--data", f"x={data}", "--set", "s=1e200"]) == 1
    assert "D0309" in capsys.readouterr().err


def test_nothing_is_said_of_it_where_all_is_well() -> None:
    typed = judged(f"sλ x : {ROW} ⇒ {CARRIERS['a loop']}".replace("FORM", STEP))
    assert not typed.diagnostics
    assert not typed.obligations or all(each.is_of_machine for each in typed.obligations)
