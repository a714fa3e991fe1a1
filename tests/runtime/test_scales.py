"""What is scaled far down and up again: a finite sensitivity is true of every step, however small it is on the way."""

from __future__ import annotations

from functools import reduce

import pytest

import duetpy
from duetpy.accounting.rounding import LARGEST
from duetpy.runtime.release.noiseless import checked
from duetpy.runtime.values import clipping
from duetpy.typecheck import core

DOWN, UP = "⋅ 1e-300 ⋅ 1e-300", "⋅ 1e300 ⋅ 1e300"


def moved(program: str, *arguments: object) -> list[float]:
    typed = checked(program)
    assert typed.ok
    return [duetpy.evaluate(typed, x=argument) for argument in arguments]


@pytest.mark.parametrize(
    "body",
    [
        f"(x {DOWN}) {UP}",
        f"((x + 2.1545e214) {DOWN}) {UP} - 2.1545e214",
        f"(x / 1e300 / 1e300) {UP}",
        "let c = 1e300 ⋅ 1e300 in (x / c) ⋅ 1e300 ⋅ 1e300",
        "let c = (1e300 ⋅ 1e300) / 1e300 in (x / c) ⋅ 1e300",
        "let c = 1e-300 ⋅ 1e-300 in (x / c) ⋅ 1e-300 ⋅ 1e-300",
        "(x ⋅ ((√ 3.0) ⋅ (√ 3.0) + 1e-60 - 3.0)) ⋅ 1e60",
        "(x ⋅ ((√ 3.0) ⋅ (√ 5.0) + 1e-60 - (√ 15.0))) ⋅ 1e60",
        "(if x < 0.5 then 1.0 else 1.0) ⋅ x",
        "(x / real (ℕ[3] ⋅ ℕ[5])) ⋅ 15.0",
    ],
)
def test_a_number_keeps_its_distances(body: str) -> None:
    assert moved(f"sλ x : ℝ ⇒ {body}", 0.0, 1.0, -3.0) == [0.0, 1.0, -3.0]
    assert duetpy.parse(f"sλ x : ℝ ⇒ {body}").check().type == "ℝ ⊸[1] ℝ"


@pytest.mark.parametrize(
    "body",
    [
        f"mmap x {{ y ⇒ (y {DOWN} {DOWN}) {UP} {UP} }}",
        f"mmap (mmap x {{ y ⇒ (y + 2.1545e214) {DOWN} {DOWN} }}) {{ y ⇒ (y {UP}) {UP} - 2.1545e214 }}",
        "mmap x { y ⇒ let c = 1e300 ⋅ 1e300 in (y / c) ⋅ 1e300 ⋅ 1e300 }",
        "mmap-row x { r ⇒ (if r#[0, 0] < 0.5 then 1.0 else 1.0) ⋅ r#[0, 0] }",
    ],
)
def test_so_does_every_number_of_a_table(body: str) -> None:
    assert moved(f"sλ x : 𝕄 [L1, U | 1, 1⋅ℝ] ⇒ {body}", [[0.0]], [[1.0]], [[-3.0]]) == [[[0.0]], [[1.0]], [[-3.0]]]


def test_a_static_number_that_a_row_chooses_is_no_double() -> None:
    """1e20 and 1 are added exactly, and three times the sum is as far from three times the other as the rule says."""
    program = """sλ x : 𝕄 [L1, U | 1, 2⋅ℝ] ⇒
      mmap-row x { r ⇒ (if r#[0, 0] < 0.0 then 3.0 else 3.0) ⋅ (r#[0, 0] + r#[0, 1]) - 3.0 ⋅ r#[0, 0] }"""
    assert moved(program, [[1e20, 0.0]], [[1e20, 1.0]]) == [[[0.0]], [[3.0]]]


def test_a_fold_keeps_them_where_its_body_is_taken_apart() -> None:
    program = """sλ x : 𝕄 [L1, U | 2, 1⋅ℝ] ⇒
      mfold-row 0.0, x { a, r ⇒ 1.0 ⋅ a ⊔ ((if a < r#[0, 0] then 1e300 ⋅ 1e300 else 1e300 ⋅ 1e300) ⋅ r#[0, 0]) / 1e300 / 1e300 }"""
    assert moved(program, [[1.0], [2.0]], [[5.0], [2.0]]) == [2.0, 5.0]


def test_a_private_factor_may_be_rounded() -> None:
    """Nothing finite is said of x ⋅ x, so it is computed in doubles."""
    typed = checked("sλ x : ℝ ⇒ loop ℕ[60] on x { i, y ⇒ y ⋅ y }")
    assert any(node.may_round for node in core.nodes(typed.core) if isinstance(node, core.Prim))
    x = 1.0 + 2.0**-52
    assert duetpy.evaluate(typed, x=x) == reduce(lambda y, _: y * y, range(60), x)


def test_what_is_beyond_doubles_is_released_as_the_largest() -> None:
    program = duetpy.parse("notion eps; pλ . x : ℝ ⇒ laplace[1e200, 1.0] <x> { x ⋅ 1e200 }").check()
    assert program.run(x=1e300).result == LARGEST


@pytest.mark.parametrize("norm", ["L1", "L2"])
@pytest.mark.parametrize("scale", ["320", "-290", "400"])
def test_rows_are_clipped_to_bounds_that_are_no_doubles(norm: str, scale: str) -> None:
    """Whatever the unit, the same rows are as far from each other; a bound beyond the largest double ends too."""
    back = scale.removeprefix("-") if scale.startswith("-") else f"-{scale}"
    program = f"""sλ x : 𝕄 [{norm}, U | 1, 4⋅ℝ] ⇒
      mmap (mclip[{norm}, 1e{scale}] (mmap x {{ y ⇒ y ⋅ 1e{scale} }})) {{ y ⇒ y ⋅ 1e{back} }}"""
    inside, outside = (0.2499, 0.25) if norm == "L1" else (0.499, 0.5)
    assert moved(program, [[inside] * 4], [[3.0] * 4]) == [[[inside] * 4], [[outside] * 4]]


def far(form: str) -> str:
    """A program that scales a row down by 2^900, hands it to a form, and scales it up again."""
    down, up = (" ⋅ ".join([number] * 30) for number in (f"0.{5**30:030}", f"{2**30}.0"))
    return form.replace("DOWN", down).replace("UP", up)


@pytest.mark.parametrize("norm", ["L1", "L2"])
@pytest.mark.parametrize(
    "row",
    [
        "mmap x { y ⇒ y ⋅ DOWN }",
        "(mmap x { y ⇒ y ⋅ DOWN })#[0, 0 ↦ x#[0, 0] ⋅ DOWN]",
        "mcreate[NORM | ℕ[1], ℕ[2]] { i, j ⇒ x#[0, j] ⋅ DOWN }",
    ],
    ids=["as a whole", "in parts", "number by number"],
)
def test_a_row_that_is_shortened_keeps_its_distances_however_it_was_put_together(norm: str, row: str) -> None:
    """One step of 1 in the second entry of a row, which moves the first by next to nothing. What is kept of a double tells
    nothing of how far it was scaled down."""
    program = far(f"sλ x : 𝕄 [{norm}, U | 1, 2⋅ℝ] ⇒ mmap (mclip[{norm}, 1.0] ({row})) {{ y ⇒ y ⋅ UP - UP }}")
    before, after = moved(program.replace("NORM", norm), [[2.0**901, 0.0]], [[2.0**901, 1.0]])
    assert isinstance(before, list)
    assert abs(before[0][0] - after[0][0]) <= 1.0


def test_few_places_of_a_row_move_it_too_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: 200 places of a row, however it was scaled down."""
    monkeypatch.setattr(clipping, "_places", lambda _: 200)
    with pytest.raises(AssertionError):
        test_a_row_that_is_shortened_keeps_its_distances_however_it_was_put_together(
            "L2", "(mmap x { y ⇒ y ⋅ DOWN })#[0, 0 ↦ x#[0, 0] ⋅ DOWN]"
        )
