"""What ``check --format json`` says of each release: formulas, and the numbers that a run draws with."""

import json
import math
import re
from pathlib import Path

import pytest

from tests.cli.harness import Duetpy, Write
from tests.cli.test_check import checked

TWO = """pλ m : ℕ, k : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ []], k : ℕ[k], ε : ℝ⁺[ε] ⇒
  mean ← loop k on 0.0 <xs> { i, s ⇒
    laplace[auto, ε / real k] <xs> { (mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 4.0] r.a }) / real (rows xs) } } ;
  low ← gauss[auto, ε, 1e-6] <xs> { real (rows (mfilter xs { r ⇒ r.a < 1.0 })) } ;
  best ← exponential[1.0, ε] (mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ 0.0 }) <xs> { c ⇒ 0.0 } ;
  return ⟨mean, ⟨low, best⟩⟩
"""


def test_each_release_is_told_in_formulas_and_in_the_numbers_of_a_run(duetpy: Duetpy, write: Write) -> None:
    write("two.ed.duet", TWO)
    write("xs.csv", "a\n1\n2\n3\n9\n")
    laplace, gauss, exponential = checked(duetpy, "two.ed.duet")["releases"]
    assert laplace == {
        "mechanism": "laplace",
        "line": 3,
        "file": None,
        "times": "k",
        "sensitivity": "4/m",
        "scale": "4⋅k/(m⋅ε)",
        "error95": "11.9832⋅k/(m⋅ε)",
    }
    assert (gauss["line"], gauss["times"], gauss["scale"], gauss["error95"]) == (
        4,
        "1",
        "1/μ(ε, 1e-6)",
        "1.96/μ(ε, 1e-6)",
    )
    assert (exponential["scale"], exponential["error95"]) == ("2/ε", None)
    assert exponential["score95"] == "7.3778/ε"
    assert not any("value" in each for each in (laplace, gauss, exponential))
    settings = [word for text in ("k=3", "ε=2", "m=4") for word in ("--set", text)]
    told = checked(duetpy, "two.ed.duet", *settings)["releases"]
    outcome = duetpy("run", "two.ed.duet", "--data", "xs.csv", *settings, "--format", "json", "--insecure-noise", "7")
    drawn = json.loads(outcome.out)["releases"]
    for check, run in zip(told, drawn, strict=True):
        value = check["value"]
        assert (check["line"], value["times"]) == (run["line"], run["count"])
        assert value["sensitivity"] == pytest.approx(run["sensitivity"])
        assert value["scale"] == pytest.approx(run["scale"])
        assert value["error95"] == (None if run["error95"] is None else pytest.approx(run["error95"]))
        assert value.get("score95") == (pytest.approx(run["score95"]) if "score95" in run else None)
    assert told[2]["value"]["score95"] == pytest.approx(math.log(20 * 2))


ROOTS = """pλ m : ℕ, n : ℕ, ε : ℝ⁺ . x : ℝ, xs : 𝔻𝔽[a : 𝔻], ε : ℝ⁺[ε] ⇒
  a ← gauss[auto, ε, 1e-6] <x> { ℝ⁺[1/√(m⋅n)] ⋅ clip[0.0, 1.0] x } ;
  b ← gauss[auto, ε, 1e-6] <x> { ℝ⁺[tanh(m/n)] ⋅ clip[0.0, 1.0] x } ;
  c ← gauss[auto, ε, 1e-6] <x> { ℝ⁺[m/exp(n)] ⋅ clip[0.0, 1.0] x } ;
  d ← gauss[auto, ε, 1e-6] <x> { ℝ⁺[√ 2] ⋅ clip[0.0, 1.0] x } ;
  e ← dgauss[auto, ε, 1e-6] <xs> { ℕ[3] ⋅ rows xs } ;
  return a
"""


def test_what_divides_a_sensitivity_stands_outside_of_its_functions(duetpy: Duetpy, write: Write) -> None:
    write("roots.ed.duet", ROOTS)
    releases = checked(duetpy, "roots.ed.duet")["releases"]
    assert [each["scale"] for each in releases] == [
        "1/(μ(ε, 1e-6)⋅√(m⋅n))",
        "tanh(m/n)/μ(ε, 1e-6)",
        "m/(μ(ε, 1e-6)⋅exp(n))",
        "1.41421/μ(ε, 1e-6)",
        "1.5⋅√2/√ρ(ε, 1e-6)",
    ]
    assert [each["error95"] for each in releases[:4]] == [
        "1.96/(μ(ε, 1e-6)⋅√(m⋅n))",
        "1.96⋅tanh(m/n)/μ(ε, 1e-6)",
        "1.96⋅m/(μ(ε, 1e-6)⋅exp(n))",
        "2.7719/μ(ε, 1e-6)",
    ]


def test_a_count_that_no_double_holds_is_told_as_it_is(duetpy: Duetpy, write: Write) -> None:
    write("two.ed.duet", TWO)
    settings = [word for text in ("k=9007199254740993", "ε=2", "m=4") for word in ("--set", text)]
    assert checked(duetpy, "two.ed.duet", *settings)["releases"][0]["value"]["times"] == 2**53 + 1
    assert "9007199254740993 times" in duetpy("check", "two.ed.duet", *settings).out


CHOICE = """plam k : Nat . xs : DF[age : Disc], cs : Matrix [Linf, U | 1, k*Real], static eps : Real+ =>
  exponential[3.0, eps] cs <xs> { c => 3.0 * real (rows xs) }
"""


def test_the_bound_on_a_score_is_known_before_the_number_of_candidates(duetpy: Duetpy, write: Write) -> None:
    write("choice.eps.duet", CHOICE)
    (told,) = checked(duetpy, "choice.eps.duet")["releases"]
    assert told["score95"] == "6⋅㏒(20⋅k)/eps"
    (told,) = checked(duetpy, "choice.eps.duet", "--set", "k=7", "--set", "eps=2")["releases"]
    assert told["value"]["score95"] == pytest.approx(3 * math.log(140))
    assert told["value"]["score95"] >= 3 * math.log(140)
    outcome = duetpy("check", "choice.eps.duet", "--set", "k=7", "--set", "eps=2")
    assert "scale 3, a score at most 14.825 below the best (95 %)" in outcome.out


def test_what_is_no_choice_has_no_score(duetpy: Duetpy, write: Write) -> None:
    write("two.ed.duet", TWO)
    assert ["score95" in each for each in checked(duetpy, "two.ed.duet")["releases"]] == [False, False, True]


KEYS = """pλ ε : ℝ⁺ . people : 𝕄 [L∞, U | ★, home : 𝐝 𝕊 ∷ work : 𝐝 𝕊 ∷ []], ε : ℝ⁺[ε] ⇒
  keys[2, ε, 2e-5] people { p ⇒ ℘{p.home, p.work} }
"""


def test_of_keys_it_tells_how_likely_those_of_some_sizes_are_shown(duetpy: Duetpy, write: Write) -> None:
    write("keys.ed.duet", KEYS)
    (release,) = checked(duetpy, "keys.ed.duet")["releases"]
    assert release == {
        "mechanism": "keys",
        "line": 2,
        "file": None,
        "times": "1",
        "sensitivity": "2",
        "scale": None,
        "error95": None,
    }
    (release,) = checked(duetpy, "keys.ed.duet", "--set", "ε=2")["releases"]
    kept = release["value"].pop("kept")
    assert release["value"] == {"times": 1, "sensitivity": 2.0, "scale": None, "error95": None}
    assert [each["rows"] for each in kept] == [1, 8, 10, 12, 13, 16]
    assert [each["probability"] for each in kept] == pytest.approx(
        [1e-5, 0.01734, 0.12818, 0.76031, 0.91183, 0.99562], rel=1e-3
    )
    text = duetpy("check", "keys.ed.duet", "--set", "ε=2").out
    assert (
        "release keys at line 2: sensitivity 2, shows a key of 1 row with probability 1e-5, of 8 rows with 1 %, "
        "of 10 rows with 12 %, of 12 rows with 76 %, of 13 rows with 91 %, of 16 rows with 99 %\n"
    ) in text
    assert "shows" not in duetpy("check", "keys.ed.duet").out


HANDED_ON = """let h = sλ f : ℝ@1.0 ⊸⋆ ℝ ⇒ pλ y : ℝ ⇒ loop ℕ[3] on 0.0 <y> { i, s ⇒ f@[ . y] } in
let q = pλ x : ℝ ⇒ laplace[1.0, 1.0] <x> { x } in
h q
"""


def test_of_a_function_that_is_handed_on_no_number_of_runs_is_told(duetpy: Duetpy, write: Write) -> None:
    write("h.eps.duet", HANDED_ON)
    told = "  release laplace at line 2, each time its function is called: sensitivity 1, scale 1, ±2.9958 (95 %)\n"
    assert told in duetpy("check", "h.eps.duet").out
    (release,) = checked(duetpy, "h.eps.duet")["releases"]
    assert release["times"] is release["value"]["times"] is None


def test_an_error_beyond_all_doubles_is_told(duetpy: Duetpy, write: Write) -> None:
    write(
        "far.eps.duet",
        "pλ ε : ℝ⁺ . xs : 𝔻𝔽[a : 𝔻], ε : ℝ⁺[ε] ⇒\n"
        "  laplace[auto, ε] <xs> { mfold-row 0.0, xs { s, r ⇒ s + clip[0.0, 1e308] r.a } }\n",
    )
    (release,) = checked(duetpy, "far.eps.duet", "--set", "ε=1")["releases"]
    assert release["value"] == {"times": 1, "sensitivity": 1e308, "scale": 1e308, "error95": None}
    assert "scale 1e308, ±∞ (95 %)" in duetpy("check", "far.eps.duet", "--set", "ε=1").out


WORDS = """pλ xs : 𝔻𝔽[a : 𝔻] ⇒
  a ← gauss[auto, 0.1] <xs> { real (rows xs) } ;
  b ← mgauss[auto, 0.1] <xs> { mcreate[L2 | ℕ[1], ℕ[2]] { i, j ⇒ real (rows xs) } } ;
  c ← dgauss[auto, 0.1] <xs> { rows xs } ;
  d ← dlaplace[auto, 0.1] <xs> { rows xs } ;
  e ← ggauss[auto, 2.0, 9.0] <xs> { real (rows xs) } ;
  f ← noisy-max[1.0, 0.1] (mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ 0.0 }) <xs> { c ⇒ real (rows xs) } ;
  return a
"""


def test_a_mechanism_has_one_name_wherever_people_read_it(duetpy: Duetpy, write: Write) -> None:
    write("words.zcdp.duet", WORDS)
    write("xs.csv", "a\n1\n2\n")
    words = ["gauss", "mgauss", "dgauss", "dlaplace", "ggauss", "noisy-max"]
    assert re.findall(r"release (\S+) at", duetpy("check", "words.zcdp.duet").out) == words
    ran = duetpy("run", "words.zcdp.duet", "--data", "xs.csv", "-v", "--report", "words.html")
    assert re.findall(r"Release: (\S+) at", ran.err) == words
    assert re.findall(r"<td>([a-z-]+)</td><td>[2-7]</td>", Path("words.html").read_text("utf-8")) == words
    releases = json.loads(duetpy("run", "words.zcdp.duet", "--data", "xs.csv", "--format", "json").out)["releases"]
    assert [each["word"] for each in releases] == words
    assert [each["mechanism"] for each in releases][:3] == ["gaussian", "gaussian", "discrete-gaussian"]


def test_of_a_function_of_the_library_it_is_that_of_the_call(duetpy: Duetpy, write: Write) -> None:
    write(
        "median.eps.duet",
        'import "std:stats";\nplam xs : DF[age : Disc], static eps : Real+ => noisy-median@[ . xs, 0, 1, 50, eps]\n',
    )
    (told,) = checked(duetpy, "median.eps.duet", "--set", "eps=1")["releases"]
    assert told["value"]["score95"] == pytest.approx(2 * math.log(10 * 51))
