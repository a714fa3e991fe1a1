"""The budget that meets an error: never a larger error than was asked for, and no less private a value than needed."""

import json
from fractions import Fraction
from typing import Any

import pytest

import duetpy as api
from duetpy.cli.options import error
from tests.cli.harness import Duetpy, Write
from tests.cli.programs import MEAN, RHO

TWO = """\
pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []], ε : ℝ⁺[ε] ⇒
  n ← laplace[auto, ε] <xs> { real (rows xs) } ;
  t ← laplace[auto, ε] <xs> { mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 10.0] r.age } } ;
  return ⟨n, t⟩
"""
COUNT = "pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], ε : ℝ⁺[ε] ⇒ dlaplace[auto, ε] <xs> { rows xs }"
CHOICE = """\
pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], cs : 𝕄 [L∞, U | 1, 3⋅ℝ], ε : ℝ⁺[ε] ⇒
  exponential[auto, ε] cs <xs> { c ⇒ real (rows (mfilter xs { r ⇒ r#[0, 0] < c })) }
"""
BOUNDED = (
    "pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒ mgauss[auto, ε, ℝ⁺[1e-6]] <xs> { mconv (mclip[L2] xs) }"
)


def calibrated(duetpy: Duetpy, *arguments: str) -> dict[str, Any]:
    outcome = duetpy("calibrate", *arguments, "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    value: dict[str, Any] = json.loads(outcome.out)
    return value


def errors(duetpy: Duetpy, name: str, *settings: str) -> dict[int, float]:
    """What `check` says of the error of each release, by line."""
    value = json.loads(duetpy("check", name, "--format", "json", *settings).out)
    return {each["line"]: each["value"]["error95"] for each in value["releases"]}


@pytest.mark.parametrize(
    ("name", "text", "vary", "rest"),
    [
        ("mean.eps.duet", MEAN, "ε", ("--set", "m=1000")),
        ("rho.zcdp.duet", RHO, "ρ", ("--set", "k=3")),
        ("two.eps.duet", TWO, "ε", ()),
        ("many.ed.duet", BOUNDED, "ε", ("--set", "m=10")),
    ],
)
@pytest.mark.parametrize("asked", [0.5, 3e-3, 12345.0])
def test_the_error_is_met_and_a_more_private_value_does_not_meet_it(
    duetpy: Duetpy, write: Write, name: str, text: str, vary: str, rest: tuple[str, ...], asked: float
) -> None:
    write(name, text)
    found = calibrated(duetpy, name, "--error", repr(asked), "--vary", vary, *rest)
    value = found["value"]
    at = errors(duetpy, name, "--set", f"{vary}={value!r}", *rest)
    assert 0.999 * asked < max(at.values()) == found["error"]["error95"] <= asked
    below = errors(duetpy, name, "--set", f"{vary}={value * (1 - 1e-6)!r}", *rest)
    assert max(below.values()) > asked
    checked = json.loads(duetpy("check", name, "--format", "json", "--set", f"{vary}={value!r}", *rest).out)
    assert checked["parameters"][0]["value"] == found["cost"]
    assert checked["parameters"][0]["tight"] == found["tight"]


def test_a_line_chooses_the_releases(duetpy: Duetpy, write: Write) -> None:
    write("two.eps.duet", TWO)
    found = {line: calibrated(duetpy, "two.eps.duet", "--error", f"6@{line}", "--vary", "ε") for line in (2, 3)}
    assert found[2]["value"] == pytest.approx(found[3]["value"] / 10)
    assert found[3]["error"]["line"] == 3
    both = calibrated(duetpy, "two.eps.duet", "--error", "6", "--vary", "ε")
    assert both["value"] == found[3]["value"]
    assert both["error"]["line"] is None


def test_a_size_is_whole_and_one_row_fewer_is_too_few(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    rows = calibrated(duetpy, "mean.eps.duet", "--error", "0.5", "--vary", "m", "--set", "ε=0.1")["value"]
    assert isinstance(rows, int)
    for count, meets in ((rows, True), (rows - 1, False)):
        (at,) = errors(duetpy, "mean.eps.duet", "--set", f"m={count}", "--set", "ε=0.1").values()
        assert (at <= 0.5) == meets


def test_whole_noise_has_whole_errors(duetpy: Duetpy, write: Write) -> None:
    write("count.eps.duet", COUNT)
    value = calibrated(duetpy, "count.eps.duet", "--error", "4.5", "--vary", "ε")["value"]
    (at,) = errors(duetpy, "count.eps.duet", "--set", f"ε={value!r}").values()
    (more,) = errors(duetpy, "count.eps.duet", "--set", f"ε={value * (1 - 1e-6)!r}").values()
    assert (at, more) == (4.0, 5.0)


def test_the_text_says_error_and_cost(duetpy: Duetpy, write: Write) -> None:
    write("two.eps.duet", TWO)
    outcome = duetpy("calibrate", "two.eps.duet", "--error", "6@3", "--vary", "eps")
    assert outcome.code == 0
    first, second, *rest = outcome.out.splitlines()
    assert first.startswith("ε = ")
    assert second == "  error    ±6 (95 %) at line 3"
    assert [line.split()[0] for line in rest] == ["cost", "tight"]


@pytest.mark.parametrize(
    ("text", "words", "code", "said"),
    [
        (TWO, ("--error", "6@9"), 2, "there is no release at line 9; the lines with releases are 2, 3"),
        (TWO, ("--error", "0"), 2, "above 0"),
        (TWO, ("--error", "x"), 2, "is not a number"),
        (TWO, ("--error", "6", "--budget", "epsilon=1"), 2, "not allowed with"),
        (CHOICE, ("--error", "6"), 1, "adds noise to no number"),
        (CHOICE, ("--error", "6@2"), 1, "exponential adds no noise to a number"),
        (MEAN, ("--error", "6"), 1, "--set m=…"),
        (TWO.replace(", ε]", ", 1.0]"), ("--error", "6"), 1, "does not depend on ε"),
    ],
)
def test_what_cannot_be_met_says_why(
    duetpy: Duetpy, write: Write, text: str, words: tuple[str, ...], code: int, said: str
) -> None:
    write("x.eps.duet", text)
    outcome = duetpy("calibrate", "x.eps.duet", *words, "--vary", "ε")
    assert (outcome.code, outcome.out) == (code, "")
    assert said in outcome.err


@pytest.mark.parametrize("form", ["key-counts[1, ε, 1e-6]", "key-gauss[1, ε, 1e-6]"])
def test_no_error_is_met_that_nobody_states(duetpy: Duetpy, write: Write, form: str) -> None:
    """The numbers of rows were left out, though they were further off than was asked for."""
    keys = f"k ← {form} xs {{ r ⇒ r.a }} ;"
    write("x.ed.duet", f"pλ . xs : 𝔻𝔽[a : 𝐝 ℕ], static ε : ℝ⁺ ⇒\n  {keys}\n  laplace[1, ε] <xs> {{ real (rows xs) }}\n")
    word = form.partition("[")[0]
    for asked in ("3", "3@2"):
        outcome = duetpy("calibrate", "x.ed.duet", "--error", asked, "--vary", "ε")
        assert (outcome.code, outcome.out) == (1, "")
        assert f"{word} at line 2 adds noise whose error at 95 % is not stated" in outcome.err
    assert calibrated(duetpy, "x.ed.duet", "--error", "3@3", "--vary", "ε")["error"]["error95"] <= 3.0


def test_python_has_it_too() -> None:
    checked = api.parse(MEAN, notion="eps").check()
    found = checked.calibrate(vary="ε", m=1000, _error="0.5@2")
    assert found.value == checked.calibrate(vary="ε", m=1000, _error=0.5).value == pytest.approx(0.599146, rel=1e-5)
    assert "error ±0.5 (95 %)" in repr(found)
    with pytest.raises(ValueError, match="or an _error"):
        checked.calibrate("epsilon=1", vary="ε", _error=0.5)


def test_an_error_of_the_command_line_is_a_value() -> None:
    assert (error("0.5").amount, error("0.5").line) == (Fraction(1, 2), None)
    assert (error("1/3@12").amount, error("1/3@12").line) == (Fraction(1, 3), 12)


FAR = (
    "pλ xs : 𝔻𝔽[a : 𝔻], static ε : ℝ⁺ ⇒ laplace[auto, ε] <xs> { mfold-row 0.0, xs { s, r ⇒ s + clip[0.0, 1e308] r.a } }"
)


def test_errors_beyond_all_doubles_are_no_fault(duetpy: Duetpy, write: Write) -> None:
    write("far.eps.duet", FAR)
    assert calibrated(duetpy, "far.eps.duet", "--error", "1e300", "--vary", "ε")["value"] == pytest.approx(299573227.5)


def test_a_promise_forbids_what_meets_the_error(duetpy: Duetpy, write: Write) -> None:
    write("p.eps.duet", "pλ x : ℝ, static ε : ℝ⁺ ⇒ laplace[auto, ε] <x> { x } ensures ε ≤ 0.5")
    assert calibrated(duetpy, "p.eps.duet", "--error", "6", "--vary", "ε")["value"] == pytest.approx(0.49929, abs=1e-5)
    outcome = duetpy("calibrate", "p.eps.duet", "--error", "5", "--vary", "ε")
    assert (outcome.code, "D0591" in outcome.err) == (1, True)


def test_a_number_that_the_cost_alone_depends_on_is_asked_for(duetpy: Duetpy, write: Write) -> None:
    write(
        "p.eps.duet",
        "pλ static q : ℝ⁺, xs : 𝔻𝔽[a : 𝔻], static ε : ℝ⁺ ⇒ poisson[q] xs { s ⇒ laplace[auto, ε] <s> { real (rows s) } }",
    )
    outcome = duetpy("calibrate", "p.eps.duet", "--error", "1", "--vary", "ε")
    assert (outcome.code, "give more numbers: --set q=…" in outcome.err) == (1, True)
    assert calibrated(duetpy, "p.eps.duet", "--error", "1", "--vary", "ε", "--set", "q=0.5")["unit"] == "xs"


def test_the_release_whose_error_is_met_is_named_if_there_are_several(duetpy: Duetpy, write: Write) -> None:
    write("two.eps.duet", TWO)
    write("one.eps.duet", COUNT)
    words = ("--error", "6", "--vary", "ε")
    assert (
        "±6 (95 %)   of laplace at line 3, the least accurate release\n"
        in duetpy("calibrate", "two.eps.duet", *words).out
    )
    assert "±6 (95 %) at line 2\n" in duetpy("calibrate", "two.eps.duet", "--error", "6@2", "--vary", "ε").out
    assert "least accurate" not in duetpy("calibrate", "one.eps.duet", *words).out
