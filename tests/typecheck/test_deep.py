"""Depth costs memory, never the stack: programs of ten thousand levels are judged."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from duetpy import parse
from duetpy.program import Program
from duetpy.typecheck import types as t
from duetpy.typecheck.cost import Seq
from duetpy.typecheck.notions import Notion
from tests.effort import often
from tests.typecheck.judging import accepted, costs, errors, judged, sensitivities

DEPTH = often(10_000, 1_500)
LESS = often(2_000, 1_200)
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


@pytest.mark.parametrize(
    ("body", "cell", "moves"),
    [
        (f"s + {' + '.join(['clip[-1.0, 1.0] r#[0, 0]'] * 300)}", "𝔻", str(300)),
        (f"s + {' + '.join(['clip[-1.0, 1.0] r#[0, 0]'] * 300)}", "ℝ", str(300)),
        (f"{'if 0.0 < r#[0, 0] then s + 1.0 else (' * 300}s{')' * 300}", "𝔻", "1"),
        (f"let a = r#[0, 0] in {'let a = a + 1.0 in ' * LESS}s + clip[-1.0, 1.0] a", "𝔻", "1"),
    ],
    ids=["sum", "sum of reals", "choices", "lets"],
)
def test_a_sum_over_rows_is_one_however_deep_it_is(body: str, cell: str, moves: str) -> None:
    text = f"sλ . xs : 𝕄 [L1, U | ★, 1⋅{cell}] ⇒ mfold-row 0.0, xs {{ s, r ⇒ {body} }}"
    assert sensitivities(text) == (moves,)


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


@pytest.mark.thorough("typecheck/test_quantity.py::test_what_is_too_large_is_refused")
def test_a_formula_that_doubles_without_end_is_refused() -> None:
    lets = " ".join(f"let x = ℝ⁺[√(1 + 1 / ({i} + n))] ⋅ x + x in" for i in range(2, 16))
    assert errors(f"sλ n : ℕ . x : ℝ ⇒ {lets} x") == ("D0212",)


def test_doubled_pairs_do_not_double_the_time() -> None:
    lets = " ".join(f"let p{i} = ⟨p{i - 1}, p{i - 1}⟩ in" for i in range(1, 60))
    assert errors(f"sλ . p0 : ℝ ⇒ {lets} p59") == ("D0213",)


def test_a_release_of_too_large_a_type_is_refused_where_it_becomes_too_large() -> None:
    """And once: what lies around it is not walked again at every level."""
    deep = 200
    form = "parallel[xs, ℘{1.0}] { r ⇒ r#[0, 0] } { k, xs ⇒ "
    text = f"pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ {form * deep}return 1.0{' }' * deep}"
    (found,) = parse(text, notion="eps").state().diagnostics
    assert found.code == "D0213"
    assert found.span is not None
    assert found.span.start > len(form) * (deep - t.MAXIMAL_DEPTH)


def test_powers_of_two_grow_no_further_than_is_useful() -> None:
    lets = " ".join(f"let y{i} = y{i - 1} + y{i - 1} in" for i in range(1, 200))
    assert sensitivities(f"sλ . y0 : ℝ ⇒ {lets} y199") == (str(2**199),)


def work(program: Program) -> int:
    """How many Python functions are called to state what is proved about a program."""
    entered = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal entered
        entered += event == "call"

    sys.setprofile(count)
    try:
        program.try_check()
    finally:
        sys.setprofile(None)
    return entered


def steps(program: Program) -> int:
    """How many instructions Python takes to state what is proved about a program: what a loop in one function does, too."""
    taken = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal taken
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        taken += event == "opcode"
        return trace

    sys.settrace(trace)
    try:
        program.try_check()
    finally:
        sys.settrace(None)
    return taken


def waiting(number: int) -> str:
    """Functions that wait for their first use, all of them until the last is bound."""
    lets = "".join(f"let f{i} = sλ y ⇒ y in " for i in range(number))
    return f"sλ x : ℝ ⇒ {lets}{' + '.join(f'f{i} x' for i in range(number))}"


def fields(number: int) -> str:
    return f"sλ x : ℝ ⇒ {{ {', '.join(f'a{i} = x' for i in range(number))} }}"


@pytest.mark.parametrize(("many_of", "number"), [(waiting, 60), (fields, 400)])
def test_names_take_work_in_proportion_to_their_number(many_of: Callable[[int], str], number: int) -> None:
    few, many = (steps(parse(many_of(each))) for each in (number, 2 * number))
    assert many < 2.1 * few


def calls(number: int) -> str:
    """Calls of a function with a side condition that only the number of rows decides, each with another size."""
    several = " ".join(f"let a{i} = f xs ℕ[{i + 2}] in" for i in range(number))
    return f"""let f = sλ m : ℕ, b : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], b : ℕ[b] ⇒ chunks[b, xs] in
      sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ {several} xs"""


def test_calls_with_side_conditions_take_work_in_proportion_to_their_number() -> None:
    requires = parse(calls(30)).check().requires
    assert list(requires) == [f"{i + 2} ∣ m" for i in range(30)]
    few, many = (work(parse(calls(number))) for number in (often(100, 40), often(200, 80)))
    assert many < 2.1 * few


def test_of_very_many_mistakes_a_hundred_are_told_of() -> None:
    unknown = " + ".join(f"u{i}" for i in range(1_000))
    _, found = parse(f"sλ x : ℝ ⇒ {unknown}").try_check()
    assert [diagnostic.code for diagnostic in found] == ["D0101"] * 100


def test_an_error_is_told_of_behind_very_many_warnings() -> None:
    noises = "".join(f"a{i} ← laplace[1.0, 1.0] <x> {{ {i}.5 }} ; " for i in range(200))
    _, found = parse(f"pλ . x : ℝ ⇒ {noises} return y", notion="eps").try_check()
    assert [diagnostic.code for diagnostic in found if diagnostic.is_error] == ["D0101"]
    assert len(found) <= 101
