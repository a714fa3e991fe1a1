"""Depth costs memory, never the stack: programs of ten thousand levels are judged."""

from __future__ import annotations

import pytest

from duetpy.typecheck import types as t
from duetpy.typecheck.cost import Notion, Seq
from tests.typecheck.judging import accepted, costs, errors, judged, sensitivities

DEPTH = 10_000
LESS = 2_000
"""Deeper than Python's stack."""


def test_nested_lets() -> None:
    lets = " ".join(f"let y{i} = y{i - 1} + 1.0 in" for i in range(1, DEPTH))
    assert sensitivities(f"sλ . y0 : ℝ ⇒ {lets} y{DEPTH - 1}") == ("1",)


def test_nested_lets_of_one_name() -> None:
    lets = "let y = y + 1.0 in " * DEPTH
    assert sensitivities(f"sλ . y : ℝ ⇒ {lets} y + y") == ("2",)


def test_a_chain_of_binds() -> None:
    binds = " ".join(f"a{i} ← laplace[1.0, 1.0] <x> {{ x }} ;" for i in range(DEPTH))
    (cost,) = costs(f"pλ . x : ℝ ⇒ {binds} return a0", Notion.PURE)
    assert isinstance(cost, Seq)
    assert len(cost.parts) == DEPTH


def test_a_long_sum() -> None:
    assert sensitivities(f"sλ . x : ℝ ⇒ {' + '.join(['x'] * DEPTH)}") == (str(DEPTH),)


def test_nested_parentheses() -> None:
    assert sensitivities(f"sλ . x : ℝ ⇒ {'(' * DEPTH}x{')' * DEPTH}") == ("1",)


def test_nested_primitives() -> None:
    assert sensitivities(f"sλ . x : ℝ ⇒ {'dyn (' * LESS}x{')' * LESS}") == ("1",)


def test_nested_choices() -> None:
    assert sensitivities(f"sλ . x : ℝ ⇒ {'if true then x else (' * LESS}x{')' * LESS}") == ("1",)


def test_nested_privacy_choices() -> None:
    program = f"pλ . x : ℝ ⇒ {'if true then { return 1.0 } else { ' * LESS}return 2.0{' }' * LESS}"
    assert isinstance(accepted(program), t.PFun)


@pytest.mark.parametrize(
    "text",
    [
        f"{'sλ . x : ℝ ⇒ ' * DEPTH}x",
        f"sλ . x : ℝ ⇒ {'⟨x, ' * LESS}x{'⟩' * LESS}",
        f"sλ . x : ℝ ⇒ {'℘{' * LESS}3{'}' * LESS}",
        f"sλ . x : ℝ ⇒ {'box (' * LESS}x{')' * LESS}",
        f"sλ . x : {'(' * DEPTH}ℝ{')' * DEPTH} ⇒ x",
        f"sλ . x : {'𝐝 ' * LESS}ℕ ⇒ x",
        f"sλ . x : {'bag (' * LESS}ℕ{')' * LESS} ⇒ x",
    ],
    ids=["functions", "pairs", "sets", "boxes", "parentheses", "discrete types", "bags"],
)
def test_types_that_grow_without_end_are_refused_or_judged(text: str) -> None:
    typed = judged(text)
    assert typed.ok or errors(text)


def test_doubled_pairs_do_not_double_the_time() -> None:
    lets = " ".join(f"let p{i} = ⟨p{i - 1}, p{i - 1}⟩ in" for i in range(1, 60))
    assert errors(f"sλ . p0 : ℝ ⇒ {lets} p59") == ("D0213",)


def test_powers_of_two_grow_no_further_than_is_useful() -> None:
    lets = " ".join(f"let y{i} = y{i - 1} + y{i - 1} in" for i in range(1, 200))
    assert sensitivities(f"sλ . y0 : ℝ ⇒ {lets} y199") == (str(2**199),)
