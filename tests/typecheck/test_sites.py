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


def listed(program: str, *keys: str) -> list[tuple[object, ...]]:
    releases = duetpy.parse(CALLED + program, name="p.eps.duet").check().releases
    return [tuple(each[key] for key in keys or ("line", "sensitivity", "scale")) for each in releases]


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
    assert listed(program, "times") == [(None,), (None,), (None,)]


def test_numbers_that_are_too_long_to_be_shown() -> None:
    program = "def f0 = pλ x : ℝ, static s : ℝ⁺ ⇒ laplace[1.0, 1.0] <x> { x }\n"
    for depth in range(1, 40):
        program += f"def f{depth} = pλ x : ℝ, static s : ℝ⁺ ⇒ f{depth - 1}@[ . x, √ (s + 1.0)]\n"
    assert (7, "1", "1", None) in listed(
        f"{program}pλ x : ℝ, static s : ℝ⁺ ⇒ f39@[ . x, s]", "line", "sensitivity", "scale", "times"
    )


MANY = """pλ x : ℝ, static k : ℕ, static ε : ℝ⁺ ⇒
  a ← q@[ . x, 2, ε] ;
  b ← loop k on 0.0 <x> { i, s ⇒ c ← twice@[ . x, ε] ; twice@[ . x, ε] } ;
  (pλ y : ℝ, static e : ℝ⁺ ⇒ loop ℕ[3] on 0.0 <y> { i, s ⇒ q@[ . y, 2, e] })@[ . x, ε]"""


def test_a_mechanism_runs_as_often_as_its_function_is_called() -> None:
    assert listed(MANY, "line", "scale", "times") == [(2, "2/ε", "4"), (5, "3/ε", "2⋅k"), (5, "5/ε", "2⋅k")]
    checked = duetpy.parse(CALLED + MANY, name="p.eps.duet").check()
    known: list[Any] = checked.program.state({"ε": 1, "k": 2}).released()
    drawn = checked.run(x=3.0, ε=1, k=2).releases
    assert [(each["value"]["scale"], each["value"]["times"]) for each in known] == [(2.0, 4), (3.0, 4), (5.0, 4)]
    assert [(round(each["scale"], 6), each["count"]) for each in drawn] == [(2.0, 4), (3.0, 4), (5.0, 4)]


def test_of_two_branches_the_one_that_runs_it_most_counts() -> None:
    call = "q@[ . x, 2, ε]"
    program = f"""pλ x : ℝ, static ε : ℝ⁺ ⇒
  a ← {call} ;
  b ← if a < 1.0 then {{ {call} }} else {{ if a < 2.0 then {{ c ← {call} ; d ← {call} ; {call} }} else {{ {call} }} }} ;
  return b"""
    assert listed(program, "line", "times") == [(2, "4")]


def test_batches_call_their_function() -> None:
    program = """pλ m : ℕ . xs : 𝕄 [L∞, U | 6⋅m, 1⋅𝔻], ys : 𝕄 [L∞, U | 6⋅m, 1⋅𝔻] ⇒
  let step = pλ n : ℕ . t : 𝕄 [L∞, U | n, 1⋅𝔻], u : 𝕄 [L∞, U | n, 1⋅𝔻], s : ℝ ⇒
    laplace[auto, 1.0] <t> { mfold-row 0.0, t { a, r ⇒ a + clip[0.0, 1.0] r#[0, 0] } } in
  pfld-rows[ℕ[3], 0.0, xs, ys, step]"""
    assert listed(program, "line", "times") == [(9, "2⋅m")]


def test_nothing_says_how_often_a_function_is_called_that_is_handed_on() -> None:
    program = """def h = sλ f : ℝ@1.0 ⊸⋆ ℝ ⇒ pλ y : ℝ ⇒ loop ℕ[3] on 0.0 <y> { i, s ⇒ f@[ . y] }
h (pλ x : ℝ ⇒ laplace[1.0, 1.0] <x> { x })"""
    assert listed(program, "line", "times") == [(8, None)]
    checked = duetpy.parse(CALLED + program, name="p.eps.duet").check()
    (known,) = checked.program.state({}).released()
    assert known["value"] == {
        "times": None,
        "sensitivity": 1.0,
        "scale": 1.0,
        "error95": pytest.approx(2.9957, rel=1e-4),
    }


def test_a_second_name_is_the_same_function() -> None:
    program = "pλ x : ℝ, static ε : ℝ⁺ ⇒ let r = q in a ← q@[ . x, 2, ε] ; loop ℕ[3] on a <x> { i, s ⇒ r@[ . x, 2, ε] }"
    assert listed(program, "line", "scale", "times") == [(2, "2/ε", "4")]
    assert listed("def r = q\npλ x : ℝ, static ε : ℝ⁺ ⇒ r@[ . x, 2, ε / 2]", "line", "scale", "times") == [
        (2, "4/ε", "1")
    ]


def test_a_number_of_runs_that_is_too_large_to_be_written_is_not_told() -> None:
    """With numbers the program has a price, so that it is not refused."""
    levels = 24
    text = "def f0 = pλ x : ℝ, static ε : ℝ⁺ ⇒ laplace[1.0, ε] <x> { x }\n"
    for at in range(1, levels):
        earlier, inner = (
            "".join(f"static k{each} : ℕ, " for each in range(at)),
            "".join(f"k{each}, " for each in range(at - 1)),
        )
        text += f"def f{at} = pλ x : ℝ, {earlier}static ε : ℝ⁺ ⇒ loop (k{at - 1} + 1) on 0.0 <x> "
        text += f"{{ i, s ⇒ f{at - 1}@[ . x, {inner}ε] }}\n"
    names = [f"k{each}" for each in range(levels - 1)]
    given, declared = ", ".join(names), "".join(f"static {name} : ℕ, " for name in names)
    text += f"pλ x : ℝ, {declared}static ε : ℝ⁺ ⇒ f{levels - 1}@[ . x, {given}, ε]"
    program = duetpy.parse(text, name="p.eps.duet")
    known: list[Any] = program.state({**dict.fromkeys(names, 1), "ε": 1}).released()
    assert [each["times"] for each in known] == [None]


PARALLEL = """def sizes = ℘{"x", "y"}
def keyed = pλ t : 𝔻𝔽[key : 𝕊, a : 𝔻] ⇒
  parallel[t, ℘{"a", "b", "a"}] { r ⇒ r.key } { k, part ⇒ laplace[1.0, 1.0] <part> { real (rows part) } }
pλ t : 𝔻𝔽[key : 𝕊, a : 𝔻], u : 𝔻𝔽[key : 𝕊, a : 𝔻], given : ℘(𝕊) ⇒
  one ← keyed@[ . t] ; two ← keyed@[ . t] ;
  three ← parallel[u, sizes] { r ⇒ r.key } { k, part ⇒ laplace[1.0, 1.0] <part> { real (rows part) } } ;
  parallel[u, given] { r ⇒ r.key } { k, part ⇒ loop ℕ[3] on 0.0 <part> { i, s ⇒ laplace[1.0, 1.0] <part> { real (rows part) } } }"""


def test_in_parallel_a_mechanism_runs_once_for_each_key() -> None:
    assert listed(PARALLEL, "line", "times") == [(9, "4"), (12, "2"), (13, "3⋅|given|")]
    checked = duetpy.parse(CALLED + PARALLEL, name="p.eps.duet").check()
    rows = [("a", 1.0), ("x", 2.0)]
    drawn = checked.run(t=rows, u=list(rows), given={"a", "x", "z"}).releases
    assert [(each["line"], each["count"]) for each in drawn] == [(9, 4), (12, 2), (13, 9)]
