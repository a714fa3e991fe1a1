"""``case`` and ``rand-nat`` as they run."""

from __future__ import annotations

from typing import Any

import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from tests.effort import often

CASE = """pλ ε : ℝ⁺ . x : ℝ, left : 𝔹, ε : ℝ⁺[ε] ⇒
  case (if left then inl[ℕ] 100.0 else inr[ℝ] 7) {
    inl u ⇒ laplace[auto, ε] <x> { x + u } ;
    inr n ⇒ laplace[auto, ε] <x> { x + real n }
  }"""
RANDOM = "pλ . x : ℝ, a : ℕ, b : ℕ ⇒ rand-nat[a, b]"


def result(text: str, how: dict[str, Any] | None = None, **values: object) -> Any:
    return duetpy.parse(text, notion="eps").check().run(**(how or {}), **values).result


@pytest.mark.parametrize(("left", "value"), [(True, 103.0), (False, 10.0)])
def test_the_branch_runs_for_what_the_sum_is(left: bool, value: float) -> None:
    assert result(CASE, {"_insecure_noise": "none"}, x=3.0, left=left, ε=1) == value


def test_each_number_of_the_range_is_drawn_and_no_other() -> None:
    drawn = {result(RANDOM, x=0.0, a=3, b=6) for _ in range(often(200, 60))}
    # Each is missed with probability (3/4)^60 < 1e-7.
    assert drawn == {3, 4, 5, 6}


def test_the_bits_are_those_of_the_run() -> None:
    seeded = [result(RANDOM, {"_insecure_noise": 5}, x=0.0, a=0, b=10**30) for _ in range(2)]
    assert seeded[0] == seeded[1]
    assert seeded[0] != result(RANDOM, {"_insecure_noise": 6}, x=0.0, a=0, b=10**30)


def test_without_noise_it_is_the_lower_bound() -> None:
    assert result(RANDOM, {"_insecure_noise": "none"}, x=0.0, a=3, b=6) == 3


def test_a_range_without_numbers_is_its_lower_bound() -> None:
    assert result(RANDOM, x=0.0, a=6, b=3) == 6


def test_static_bounds_out_of_order_stop_the_run_before_it_draws() -> None:
    with pytest.raises(DuetError) as caught:
        result("pλ a : ℕ, b : ℕ . x : ℝ, a : ℕ[a], b : ℕ[b] ⇒ rand-nat[a, b]", x=0.0, a=6, b=3)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["D0501"]


@pytest.mark.parametrize(("one", "other"), [("1.0 / 3.0", "2.0 / 3.0"), ("0.1", "0.3"), ("0.5", "1.0 / 3.0")])
def test_rows_choose_between_tables_of_one_number(one: str, other: str) -> None:
    """Such a table is kept as its number, and the choice is one for each row and column."""
    program = (
        "sλ xs : 𝕄 [L∞, U | 2, 1⋅𝔻] ⇒ mmap-row xs { r ⇒ mmap (if r#[0, 0] < 0.5 then "
        f"mcreate[L∞ | ℕ[1], ℕ[2]] {{ i, j ⇒ {one} }} else mcreate[L∞ | ℕ[1], ℕ[2]] {{ i, j ⇒ {other} }}) {{ x ⇒ clip x }} }}"
    )
    wanted = [[duetpy.evaluate(text)] * 2 for text in (one, other)]
    assert duetpy.evaluate(program, xs=[[0.0], [1.0]]) == wanted
