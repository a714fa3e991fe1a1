"""The mechanisms that `check` lists are those that a run reaches, with the numbers of the calls."""

from typing import Any

import pytest

import duetpy
from duetpy.typecheck import sites

CALLED = """
def q = pλ x : ℝ, static s : ℝ⁺, static ε : ℝ⁺ ⇒ laplace[auto, ε] <x> { s ⋅ x }
def unused = pλ x : ℝ ⇒ laplace[1.0, 1.0] <x> { x }
def twice = pλ x : ℝ, static ε : ℝ⁺ ⇒
  let other = pλ y : ℝ, static t : ℝ⁺ ⇒ laplace[auto, ε] <y> { t ⋅ y } in
  a ← other@[ . x, 3] ; other@[ . x, 5]
"""


def listed(program: str) -> list[tuple[object, ...]]:
    releases = duetpy.parse(CALLED + program, name="p.eps.duet").check().releases
    return [(each["line"], each["sensitivity"], each["scale"]) for each in releases]


def times(program: str) -> list[tuple[object, ...]]:
    releases = duetpy.parse(CALLED + program, name="p.eps.duet").check().releases
    return [(each["line"], each["sensitivity"], each["times"]) for each in releases]


TWO = "pλ x : ℝ, static ε : ℝ⁺ ⇒ a ← q@[ . x, 2, ε / 4] ; b ← q@[ . x, 7, ε / 2] ; return a"


def test_a_call_says_what_the_variables_of_the_function_are() -> None:
    assert listed(TWO) == [(2, "2", "8/ε"), (2, "7", "14/ε")]


def test_equal_calls_are_one() -> None:
    assert listed("pλ x : ℝ, static ε : ℝ⁺ ⇒ a ← q@[ . x, 2, ε] ; b ← q@[ . x, 2, ε] ; return a") == [(2, "2", "2/ε")]


def test_a_place_runs_as_often_as_what_calls_it() -> None:
    start = "pλ x : ℝ, static ε : ℝ⁺, static k : ℕ ⇒ "
    assert times(start + "a ← q@[ . x, 2, ε] ; b ← q@[ . x, 2, ε] ; q@[ . x, 2, ε]") == [(2, "2", "3")]
    assert times(start + "a ← q@[ . x, 2, ε] ; loop k on a <x> { i, b ⇒ q@[ . x, 2, ε] }") == [(2, "2", "k + 1")]
    assert times(start + "a ← twice@[ . x, ε] ; loop k on a <x> { i, b ⇒ twice@[ . x, ε] }") == [
        (5, "3", "k + 1"),
        (5, "5", "k + 1"),
    ]
    nested = """def q = pλ x : ℝ, static ε : ℝ⁺, static n : ℕ ⇒ loop n on 0.0 <x> { i, b ⇒ laplace[1.0, ε] <x> { x } }
def r = pλ x : ℝ, static ε : ℝ⁺, static n : ℕ ⇒ a ← q@[ . x, ε, n] ; q@[ . x, ε, n + 1]
pλ x : ℝ, static ε : ℝ⁺, static k : ℕ ⇒ loop k on 0.0 <x> { i, b ⇒ a ← q@[ . x, ε, 5] ; r@[ . x, ε, 5] }"""
    assert times(nested) == [(7, "1", "16⋅k")]


def test_a_run_draws_as_often_as_is_listed() -> None:
    program = "pλ x : ℝ, static ε : ℝ⁺, static k : ℕ ⇒ a ← q@[ . x, 2, ε] ; loop k on a <x> { i, b ⇒ q@[ . x, 2, ε] }"
    checked = duetpy.parse(CALLED + program, name="p.eps.duet").check()
    known: list[Any] = checked.program.state({"ε": 1, "k": 6}).released()
    drawn = checked.run(x=3.0, ε=1, k=6).releases
    assert [each["value"]["times"] for each in known] == [7] == [each["count"] for each in drawn]


def test_a_second_name_is_the_same_function() -> None:
    assert listed("pλ x : ℝ, static ε : ℝ⁺ ⇒ let r = q in r@[ . x, 2, ε / 2]") == [(2, "2", "4/ε")]


def test_calls_lead_on_and_functions_within_functions_keep_what_is_around_them() -> None:
    assert listed("pλ x : ℝ, static ε : ℝ⁺ ⇒ twice@[ . x, ε / 2]") == [(5, "3", "6/ε"), (5, "5", "10/ε")]


def test_what_is_never_called_is_not_listed() -> None:
    assert listed("pλ x : ℝ, static ε : ℝ⁺ ⇒ laplace[1.0, ε] <x> { x }") == [(7, "1", "1/ε")]


def test_what_is_handed_on_is_listed_as_written() -> None:
    program = """def g = pλ x : ℝ ⇒ laplace[1.0, 1.0] <x> { x }
def f = sλ h : ℝ@1.0 ⊸⋆ ℝ ⇒ pλ y : ℝ ⇒ h@[ . y]
f g"""
    assert listed(program) == [(7, "1", "1")]
    assert times(program) == [(7, "1", "∞")]


def test_a_run_draws_what_is_listed() -> None:
    checked = duetpy.parse(CALLED + TWO, name="p.eps.duet").check()
    known: list[Any] = checked.program.state({"ε": 1}).released()
    drawn = checked.run(x=3.0, ε=1).releases
    assert [each["value"]["scale"] for each in known] == [8.0, 14.0]
    assert [each["scale"] for each in drawn] == pytest.approx([8.0, 14.0], rel=1e-8)


def test_more_calls_than_can_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = "".join(f"a ← q@[ . x, {at}, ε] ; " for at in range(1, 30))
    program = f"pλ x : ℝ, static ε : ℝ⁺ ⇒ {calls}return a"
    assert len(listed(program)) == 29
    monkeypatch.setattr(sites, "MOST_CALLS", 20)
    assert listed(program) == [(2, "s", "s/ε"), (3, "1", "1"), (5, "t", "t/ε")]
