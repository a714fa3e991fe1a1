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


TWO = "pλ x : ℝ, static ε : ℝ⁺ ⇒ a ← q@[ . x, 2, ε / 4] ; b ← q@[ . x, 7, ε / 2] ; return a"


def test_a_call_says_what_the_variables_of_the_function_are() -> None:
    assert listed(TWO) == [(2, "2", "8/ε"), (2, "7", "14/ε")]


def test_equal_calls_are_one() -> None:
    assert listed("pλ x : ℝ, static ε : ℝ⁺ ⇒ a ← q@[ . x, 2, ε] ; b ← q@[ . x, 2, ε] ; return a") == [(2, "2", "2/ε")]


def test_calls_lead_on_and_functions_within_functions_keep_what_is_around_them() -> None:
    assert listed("pλ x : ℝ, static ε : ℝ⁺ ⇒ twice@[ . x, ε / 2]") == [(5, "3", "6/ε"), (5, "5", "10/ε")]


def test_what_is_never_called_is_not_listed() -> None:
    assert listed("pλ x : ℝ, static ε : ℝ⁺ ⇒ laplace[1.0, ε] <x> { x }") == [(7, "1", "1/ε")]


def test_what_is_handed_on_is_listed_as_written() -> None:
    program = """def g = pλ x : ℝ ⇒ laplace[1.0, 1.0] <x> { x }
def f = sλ h : ℝ@1.0 ⊸⋆ ℝ ⇒ pλ y : ℝ ⇒ h@[ . y]
f g"""
    assert listed(program) == [(7, "1", "1")]


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
